// Searches guides from the sites of their PAM on the device (scan/find/guide_set.hpp tells the idea). The sites of a
// warp are shared out among its lanes; so are the guides that their look-ups find, to be compared. No CUDA header is
// needed to use this.
//
//   GuideSearch search(guides);
//   LiteralText text(reference, {0, reference.size()}, GuideSearch::reach());
//   const bool all = search.run(text, {0, 100000}, 1000, hits);     // those in a region, if there are at most 1000
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/scan/literal_search.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/guide_set.hpp"

namespace trawl::gpu {

/// A guide set in the memory of the calling thread's device, with room for a limited number of hits at a time. All
/// texts of later calls must be on the same device, which must then be the calling thread's device.
class GuideSearch {
 public:
  /// The letters before an end that a text must have.
  static std::uint64_t reach();
  /// The most hits with one end; an end may be found from several sites, with different distances.
  static std::uint64_t most_hits_of_an_end(const scan::GuideSet& guides);
  /// Bytes that it needs on the device, with room for the hits of one end.
  static std::uint64_t bytes_of(const scan::GuideSet& guides);

  explicit GuideSearch(const scan::GuideSet& guides, std::size_t room = std::size_t{1} << 20);
  ~GuideSearch();
  GuideSearch(const GuideSearch&) = delete;
  GuideSearch& operator=(const GuideSearch&) = delete;

  /// Like WuManberSearch::run(): appends the hits with an end in the region, sorted, and returns true. If there are
  /// more hits than `most` (or than those of one end, if this is more) or than there is room for, appends nothing and
  /// returns false. Throws CudaError, as all functions here.
  bool run(const LiteralText& text, const scan::Region& region, std::size_t most, std::vector<scan::Hit>& hits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trawl::gpu
