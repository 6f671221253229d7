// A part of a reference as a device has it (gpu/scan/literal_search.hpp, LiteralText), in host memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/scan/text_view.hpp"
#include "scan/find/finder.hpp"
#include "sequence/reference.hpp"

namespace trawl::tests {

class HostText {
 public:
  HostText(const sequence::Reference& reference, const scan::Region& region, std::uint64_t reach) {
    const std::uint64_t all = reference.size() / 64;
    last_ = std::min(all, (region.end + 63) / 64);
    first_ = std::min(last_, (region.begin - std::min(region.begin, reach + 64)) / 64);
    planes_.resize(last_ + 2 - first_);
    ambiguous_.resize(planes_.size(), ~std::uint64_t{0});
    const std::uint64_t copied = std::min(all, last_ + 2) - first_;
    std::copy_n(reference.planes().data() + first_, copied, planes_.begin());
    std::copy_n(reference.ambiguous().data() + first_, copied, ambiguous_.begin());
  }
  gpu::LiteralTextView view() const { return {planes_.data(), ambiguous_.data(), first_, last_}; }

 private:
  std::uint64_t first_, last_;
  std::vector<sequence::PlaneBlock> planes_;
  std::vector<std::uint64_t> ambiguous_;
};

}  // namespace trawl::tests
