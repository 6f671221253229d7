// The reference in the form that htslib needs for CRAM: a FASTA file with its .fai next to it.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   const CramReference fasta(reference);
//   fasta.path().ends_with(".fa") == true
//
// The user's own file may be a pipe, or gzip, or in a directory without write permission, or have an outdated .fai. So
// the letters are written again, in TMPDIR, and deleted with this object. htslib wants paths, so these files have names
// (trawl.PID.XXXXXX.fa), and a killed program leaves them.
#pragma once

#include <array>
#include <string>

#include "sequence/reference.hpp"

namespace trawl::io {

class CramReference {
 public:
  /// Writes the two files. Throws IoError.
  explicit CramReference(const sequence::Reference& reference);
  ~CramReference();
  CramReference(const CramReference&) = delete;
  CramReference& operator=(const CramReference&) = delete;

  /// The FASTA file.
  const std::string& path() const { return path_; }

 private:
  void remove() noexcept;

  std::string path_;
  std::array<int, 2> slots_{-1, -1};  // in the registry of temporary files
};

}  // namespace trawl::io
