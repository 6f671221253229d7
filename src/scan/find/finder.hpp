// The interface of finders: a finder finds the ends of all queries in a chunk of the reference, on the CPU or on a GPU.
// All finders find the same ends.
//
//   with: const sequence::Reference reference = reference_of("GGATTACAGG")
//   const ScanOptions options;
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, options);
//   const auto finder = make_cpu_finder(queries, options);
//   std::vector<Hit> ends;
//   finder->load(reference);
//   finder->find({0, reference.size()}, 1 << 18, ends) == reference.size()    // all ends before this position
//   ends[0].end == sequence::kContigGap + 7
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scan/find/query.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// The positions [begin, end) of the coordinate space.
struct Region {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Halves a region until fits(region) says that there is room for its ends, and returns its end. A region of one
/// position must fit.
template <class Fits>
std::uint64_t shrink_until_fits(Region region, Fits&& fits) {
  while (!fits(region)) {
    region.end = region.begin + (region.end - region.begin + 1) / 2;
  }
  return region.end;
}

class Finder {
 public:
  virtual ~Finder() = default;
  /// Sets the reference that find() searches from now on. `reference` must outlive these searches.
  virtual void load(const sequence::Reference& reference) = 0;
  /// Replaces `ends` by every end in [region.begin, stop) with a distance of at most max_edits, sorted by query
  /// (Hit::id), then position. Ends that EndFilter drops are left out. Returns `stop`: region.end or, if there are more
  /// than `most` ends, a position before it but after region.begin. So about `most` ends, or one per query, are held at
  /// a time.
  virtual std::uint64_t find(const Region& region, std::size_t most, std::vector<Hit>& ends) = 0;
  /// The least number of positions that must lie between two contigs, so that no match has letters of both. Short
  /// contigs, such as reads, need not lie further apart.
  virtual std::uint64_t least_gap() const { return sequence::kContigGap; }
  /// One line for the user: what runs, and on which hardware.
  virtual std::string description() const = 0;
};

/// For description(): ", by rows and pieces", or an empty string if nothing is searched.
std::string searched_by(bool rows, bool pieces, bool sites);

/// `queries` must outlive the finder.
std::unique_ptr<Finder> make_cpu_finder(const std::vector<Query>& queries, const ScanOptions& options);

/// How many ambiguous letters a match may have. With a PAM this depends on the site, which is found later; at this
/// step only those ends are dropped that belong to no other site.
inline sequence::AmbiguousLimit end_limit(const ScanOptions& options) {
  return options.pam.is_given() ? sequence::AmbiguousLimit{true, sequence::AmbiguousLimit::kAll, 0}
                                : options.ambiguous_limit();
}

/// Decides which positions where rows match are ends.
class EndFilter {
 public:
  EndFilter(const sequence::Reference& reference, const std::vector<Query>& queries, const ScanOptions& options)
      : reference_(reference), queries_(queries), options_(options) {}

  /// Drops ends in gaps, Hamming windows that begin before their contig, and ends beyond end_limit().
  bool keeps(const Hit& hit);

 private:
  const sequence::Reference& reference_;
  const std::vector<Query>& queries_;
  const ScanOptions& options_;
  const sequence::Contig* contig_ = nullptr;  // contig of the previous hit
};

/// Sorts by query, then position, and keeps one end of each position, the one with the smallest distance. Many ends are
/// sorted by all threads.
void sort_ends(std::vector<Hit>& ends);

/// Replaces `ends` by the ends of all parts, which are empty then, sorted in the same way.
void join_ends(std::vector<std::vector<Hit>>& parts, std::vector<Hit>& ends);

/// Sorts, and removes the ends that EndFilter drops.
void tidy_ends(const sequence::Reference& reference, const std::vector<Query>& queries, const ScanOptions& options,
               std::vector<Hit>& ends);

}  // namespace trawl::scan
