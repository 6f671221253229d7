// What finds the ends of all queries in a chunk of the reference: the CPU or a GPU. Every finder finds the same.
//
//   auto finder = make_cpu_finder(queries, options);
//   finder->load(reference);
//   const std::uint64_t stop = finder->find({0, reference.size()}, 1 << 18, ends);    // all ends before `stop`
//   finder->find(reference, ends);                                                   // all of them, however many
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// Positions [begin, end) of the coordinate space.
struct Region {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Halves a region until fits(region) says that its ends have room; its end. One position must have.
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
  /// What find() searches from here on. `reference` must outlive that.
  virtual void load(const sequence::Reference& reference) = 0;
  /// Replaces `ends` by every end in [region.begin, stop) with a distance of at most max_edits, by query (Hit::id),
  /// then position; what EndFilter drops is left out. Returns `stop`: region.end or, where there are more than `most`
  /// ends, less, but more than region.begin. So no more than some `most`, or one a query, are held at a time.
  virtual std::uint64_t find(const Region& region, std::size_t most, std::vector<Hit>& ends) = 0;
  /// Loads `reference`, and replaces `ends` by all of its ends, in that order.
  void find(const sequence::Reference& reference, std::vector<Hit>& ends);
  /// One line for the user: what runs, with what.
  virtual std::string description() const = 0;
};

/// `queries` must outlive the finder.
std::unique_ptr<Finder> make_cpu_finder(const std::vector<Query>& queries, const Options& options);

/// The edits with which letters N alone make no end (n_ends.hpp). With a PAM it depends on the site, which is looked
/// for later; here only ends go that belong to no other.
inline std::uint32_t n_edits(const Options& options) { return options.pam.bases.empty() ? options.max_edits : 0; }

/// Which of the positions where rows match are ends.
class EndFilter {
 public:
  EndFilter(const sequence::Reference& reference, const std::vector<Query>& queries, const Options& options)
      : reference_(reference), queries_(queries), options_(options) {}

  /// Not those in gaps, Hamming windows that begin before their contig, and what is_matched_by_n() with n_edits().
  bool keeps(const Hit& hit);

 private:
  const sequence::Reference& reference_;
  const std::vector<Query>& queries_;
  const Options& options_;
  const sequence::Contig* contig_ = nullptr;  // of the hit before
};

/// By query, then position; each once.
void sort_ends(std::vector<Hit>& ends);

/// Sorts, and drops what EndFilter does.
void tidy_ends(const sequence::Reference& reference, const std::vector<Query>& queries, const Options& options,
               std::vector<Hit>& ends);

}  // namespace trawl::scan
