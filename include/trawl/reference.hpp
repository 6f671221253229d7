// What is searched: contigs in memory. A Reference does not change; copies are cheap and share the contigs, and any
// number of threads may use them.
//
//   const auto reference = trawl::Reference::of({{"chr1", "GATTACAGATTACA"}, {"chr2", "ACGTN"}});
//   reference.contigs()[1].name == "chr2"
//   reference.bases() == 19
//   reference.letters(0, 0, 7) == "GATTACA"
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "trawl/options.hpp"

namespace trawl::inline v0 {

struct Contig {
  std::string name;
  std::int64_t length = 0;  // bases
};

class TRAWL_API Reference {
 public:
  /// A FASTA (plain, gzip, BGZF), or an index of `trawl index`, which is memory-mapped: processes share it. `threads`:
  /// 0: all cores. Throws InputError, IoError.
  ///   with: const std::string& genome_fa
  ///   const trawl::Reference genome(genome_fa);
  explicit Reference(const std::string& path, unsigned threads = 0);
  /// Names and IUPAC letters, in upper or lower case. Throws InputError for other letters, for a contig without letters
  /// or without a name, and for a name that is there twice.
  static Reference of(std::span<const std::pair<std::string_view, std::string_view>> contigs);
  static Reference of(std::initializer_list<std::pair<std::string_view, std::string_view>> contigs) {
    return of(std::span(contigs.begin(), contigs.size()));
  }

  const std::vector<Contig>& contigs() const;
  std::uint64_t bases() const;  // of all contigs together
  /// The letters [start, end) of a contig, in upper case. Throws UsageError if they are not in it.
  std::string letters(std::size_t contig, std::int64_t start, std::int64_t end) const;
  /// What the user should know about the file, for example that the FASTA is newer than its index. Mostly empty.
  const std::vector<std::string>& warnings() const;

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  explicit Reference(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace trawl::inline v0
