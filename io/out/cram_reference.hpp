// The reference as htslib wants it for CRAM: a FASTA file with its .fai beside it.
//
// The user's own file may be a pipe, gzip, or in a directory that cannot be written to, and an old .fai beside it may
// not fit. So the letters are written once more, beside the output, and removed with this object.
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
