// All ends that a finder finds in a reference, however many.
#pragma once

#include <vector>

#include "scan/find/finder.hpp"

namespace trawl::tests {

/// Loads the reference and replaces `ends`, which are sorted by query, then position.
inline void find_all(scan::Finder& finder, const sequence::Reference& reference, std::vector<scan::Hit>& ends) {
  finder.load(reference);
  ends.clear();
  std::vector<scan::Hit> some;
  for (scan::Region region{0, reference.size()}; region.begin < region.end;) {
    region.begin = finder.find(region, SIZE_MAX, some);
    ends.insert(ends.end(), some.begin(), some.end());
  }
  scan::sort_ends(ends);
}

}  // namespace trawl::tests
