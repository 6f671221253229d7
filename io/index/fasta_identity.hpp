// The FASTA that a saved index was made from, and whether it is still the same.
//
//   const FastaIdentity made_from = fasta_identity("genome.fa");     // is saved in genome.fa.trawl
//   compare_with_fasta("genome.fa.trawl", made_from) == ""           // or a warning
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace trawl::io {

/// The FASTA that an index was made from.
struct FastaIdentity {
  std::string path;           // as given
  std::string absolute_path;  // empty: it was not a regular file
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970

  bool operator==(const FastaIdentity&) const = default;

  /// As they are in a saved index.
  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.path, self.absolute_path, self.bytes, self.modified);
  }
};

/// What a path names now.
FastaIdentity fasta_identity(const std::string& path);

/// Where the FASTA of an index is now: beside the index, or where it was when the index was made.
std::optional<std::string> find_fasta(const std::string& index_path, const FastaIdentity& fasta);

/// If the FASTA is found, compares its size and time with those when the index was made. Throws InputError if the size
/// differs. Returns a warning if only the time differs, and "" if nothing does.
std::string compare_with_fasta(const std::string& index_path, const FastaIdentity& fasta);

}  // namespace trawl::io
