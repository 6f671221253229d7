#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/scan/hit_list.hpp"

namespace trawl::gpu {

namespace {

// Hits that are copied to the host at a time.
constexpr std::size_t kCopied = std::size_t{1} << 18;

}  // namespace

HitList::HitList(std::size_t size, std::uint64_t ids)
    : id_bits_(static_cast<unsigned>(std::bit_width(ids))),
      hits_(size),
      other_(size),
      on_host_(std::min(std::max<std::size_t>(size, 1), kCopied)) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<unsigned long long> both(hits_.data(), other_.data());
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, both, size), "sort of the hits");
  scratch_ = DeviceBuffer<unsigned char>(bytes);
}

HitsView HitList::start(std::size_t room, const scan::Region& region, const Stream& stream) {
  count_.clear(stream);
  view_ = {hits_.data(), count_.data(), room, region.begin, id_shift(region)};
  return view_;
}

bool HitList::fetch(const Stream& stream, std::vector<scan::Hit>& to) {
  count_.copy_to(on_host_.data(), 0, 1, stream);
  stream.synchronize();
  const unsigned long long count = *on_host_.data();
  if (count > view_.capacity) {
    return false;
  }
  if (count == 0) {
    return true;
  }
  std::size_t bytes = scratch_.size();
  cub::DoubleBuffer<unsigned long long> both(hits_.data(), other_.data());
  check(cub::DeviceRadixSort::SortKeys(scratch_.data(), bytes, both, count, 0,
                                       static_cast<int>(view_.id_shift + id_bits_), stream),
        "sort of the hits");
  const DeviceBuffer<unsigned long long>& sorted = both.Current() == hits_.data() ? hits_ : other_;
  const unsigned long long positions = (1ull << (view_.id_shift - HitsView::kDistanceBits)) - 1;
  constexpr unsigned kDistances = (1u << HitsView::kDistanceBits) - 1;
  unsigned long long last = ~0ull;  // without the distance
  to.reserve(to.size() + count);
  for (std::size_t first = 0; first < count; first += kCopied) {
    const std::size_t some = std::min<std::size_t>(kCopied, count - first);
    sorted.copy_to(on_host_.data(), first, some, stream);
    stream.synchronize();
    for (std::size_t i = 0; i < some; ++i) {
      const unsigned long long hit = on_host_.data()[i];
      const unsigned long long at = hit >> HitsView::kDistanceBits;
      if (at != last) {
        to.push_back({view_.begin + (at & positions), static_cast<std::uint32_t>(hit >> view_.id_shift),
                      static_cast<std::uint16_t>(hit & kDistances)});
        last = at;
      }
    }
  }
  return true;
}

}  // namespace trawl::gpu
