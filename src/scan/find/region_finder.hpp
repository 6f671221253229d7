// Finds the ends of a chunk of the reference region by region, so that not all of them are in memory at once.
//
//   with: Finder& finder, const sequence::Reference& reference, std::uint64_t look_back
//   RegionFinder regions(finder, look_back, 1 << 18);
//   regions.begin(reference);
//   Region region;
//   std::vector<Hit> ends;
//   while (regions.next(region, ends)) { ... }      // the regions are adjacent and cover the whole reference
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scan/find/finder.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

class RegionFinder {
 public:
  /// A region has about `most` ends or fewer; a region of a single position may have one end per query. `look_back`:
  /// each region also gets the ends of this many positions before it again. `finder` must outlive this object.
  RegionFinder(Finder& finder, std::uint64_t look_back, std::size_t most)
      : finder_(finder), look_back_(look_back), most_(most) {}

  /// Starts the next chunk at position `from`. Positions before it are only searched as far as the first region looks
  /// back.
  void begin(const sequence::Reference& reference, std::uint64_t from = 0);
  /// False if the chunk is done. Otherwise gives the next region, and its ends as Finder::find() gives them.
  bool next(Region& region, std::vector<Hit>& ends);

 private:
  void learn(std::uint64_t positions, bool is_cut, std::size_t ends);

  Finder& finder_;
  std::uint64_t look_back_;
  std::size_t most_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t length_ = UINT64_MAX;  // length of the next region
  std::vector<Hit> last_;              // the ends that are given again with the next region
};

}  // namespace trawl::scan
