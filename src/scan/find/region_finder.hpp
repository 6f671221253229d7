// The ends of a chunk of the reference, a region at a time, so that not all of them are held at once.
//
//   RegionFinder regions(finder, SiteFinder(queries, options).look_back(), 1 << 18);
//   regions.begin(chunk.reference, site_finder.first_position(chunk));
//   while (regions.next(region, ends)) { ... }      // the regions follow each other and make up the whole chunk
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scan/find/finder.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

class RegionFinder {
 public:
  /// Regions of about `most` ends or fewer; one of a single position may have one a query. `look_back`: so many
  /// positions before a region its ends are given again. `finder` must outlive this.
  RegionFinder(Finder& finder, std::uint64_t look_back, std::size_t most)
      : finder_(finder), look_back_(look_back), most_(most) {}

  /// The next chunk, from position `from` on: what lies before is asked for only as what a region looks back to.
  void begin(const sequence::Reference& reference, std::uint64_t from = 0);
  /// False where the chunk is done. Otherwise the next region, and its ends as Finder::find() gives them.
  bool next(Region& region, std::vector<Hit>& ends);

 private:
  void learn(std::uint64_t positions, bool is_cut, std::size_t ends);

  Finder& finder_;
  std::uint64_t look_back_;
  std::size_t most_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t length_ = UINT64_MAX;  // of the next region
  std::vector<Hit> last_;              // the ends that are given again
};

}  // namespace trawl::scan
