#include "scan/find/region_finder.hpp"

#include <algorithm>

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
  const Region asked{at_, at_ + std::min({length_, longest_, size_ - at_})};
  region = {at_, finder_.find(asked, most_, ends)};
  at_ = region.end;
  learn(region.end - region.begin, region.end < asked.end, ends.size());
  if (look_back_ > 0) {
    put_last_first(ends);
    last_.clear();
    std::copy_if(ends.begin(), ends.end(), std::back_inserter(last_),
                 [&](const Hit& hit) { return hit.end + look_back_ >= at_; });
  }
  return true;
}

// Puts the last ends of the region before into those of this one, of each query before the others.
void RegionFinder::put_last_first(std::vector<Hit>& ends) const {
  std::size_t from = ends.size();
  ends.resize(from + last_.size());
  const auto place = [&](std::size_t i) { return ends.begin() + static_cast<std::ptrdiff_t>(i); };
  std::size_t to = ends.size();
  for (std::size_t i = last_.size(); i > 0; --i) {
    const auto first = std::lower_bound(place(0), place(from), last_[i - 1].id,
                                        [](const Hit& end, std::uint32_t id) { return end.id < id; });
    to = static_cast<std::size_t>(std::move_backward(first, place(from), place(to)) - ends.begin());
    from = static_cast<std::size_t>(first - ends.begin());
    ends[--to] = last_[i - 1];
  }
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
