// The reference in the form that htslib needs for CRAM: a FASTA file with its .fai next to it.
//
// The user's own file may be a pipe, or gzip, or in a directory without write permission, or have an outdated .fai. So
// the letters are written again, next to the output, and deleted with this object.
#pragma once

#include <string>

#include "sequence/reference.hpp"

namespace trawl::io {

class CramReference {
 public:
  /// Writes the two files as PREFIX.fa and PREFIX.fa.fai; throws IoError.
  CramReference(const sequence::Reference& reference, const std::string& prefix);
  ~CramReference();
  CramReference(const CramReference&) = delete;
  CramReference& operator=(const CramReference&) = delete;

  const std::string& path() const { return path_; }

 private:
  void write(const sequence::Reference& reference);
  void remove() noexcept;

  std::string path_;
  int slots_[2];
};

}  // namespace trawl::io
