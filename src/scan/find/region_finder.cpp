#include "scan/find/region_finder.hpp"

#include <algorithm>
#include <utility>

namespace trawl::scan {

namespace {

constexpr double kLongest = 1e18;

}  // namespace

void RegionFinder::begin(const sequence::Reference& reference, std::uint64_t from) {
  finder_.load(reference);
  size_ = reference.size();
  at_ = from - std::min(from, look_back_);
  last_.clear();
}

bool RegionFinder::next(Region& region, std::vector<Hit>& ends) {
  if (at_ >= size_) {
    return false;
  }
  const Region asked{at_, at_ + std::min(length_, size_ - at_)};
  region = {at_, finder_.find(asked, most_, ends)};
  at_ = region.end;
  learn(region.end - region.begin, region.end < asked.end, ends.size());
  if (look_back_ > 0) {
    // The last ends of the region before, of each query before the others.
    std::vector<Hit> all(last_.size() + ends.size());
    const auto key = [](const Hit& hit) { return std::pair(hit.id, hit.end); };
    std::ranges::merge(last_, ends, all.begin(), {}, key, key);
    ends.swap(all);
    last_.clear();
    std::copy_if(ends.begin(), ends.end(), std::back_inserter(last_),
                 [&](const Hit& hit) { return hit.end + look_back_ >= at_; });
  }
  return true;
}

// Choose the length so that a region has about half of `most` ends: if a region is cut, a part of it is searched twice.
void RegionFinder::learn(std::uint64_t positions, bool is_cut, std::size_t ends) {
  const double wanted =
      static_cast<double>(most_) / 2 * static_cast<double>(positions) / (static_cast<double>(ends) + 1);
  const std::uint64_t length =
      wanted < kLongest ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted)) : UINT64_MAX;
  if (is_cut) {
    length_ = std::min(length, positions);
  } else {
    length_ = length / 4 < length_ ? length : 4 * length_;
  }
}

}  // namespace trawl::scan
