#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/scan/hit_search.hpp"

namespace trawl::gpu {

namespace {

// Hits that are copied to the host at a time.
constexpr std::size_t kCopied = std::size_t{1} << 18;

}  // namespace

PlanesText::PlanesText(const sequence::Reference& reference, const scan::Region& region, std::uint64_t reach) {
  const std::uint64_t all = reference.size() / 64;
  const std::uint64_t last = std::min(all, (region.end + 63) / 64);
  first_ = std::min(last, (region.begin - std::min(region.begin, reach + 64)) / 64);
  words_ = last - first_;
  const std::uint64_t copied = std::min(all, last + 2) - first_;
  const Stream stream;
  planes_ = DeviceBuffer<sequence::PlaneBlock>(words_ + 2);
  ambiguous_ = DeviceBuffer<std::uint64_t>(words_ + 2);
  planes_.clear(stream);
  ambiguous_.fill(0xFF, stream);
  planes_.copy_from(reference.planes().data() + first_, copied, stream);
  ambiguous_.copy_from(reference.ambiguous().data() + first_, copied, stream);
  stream.synchronize();
}

HitSearch::HitSearch(std::size_t room, std::uint64_t of_one_end, std::uint64_t ids)
    : of_one_end_(of_one_end),
      id_bits_(static_cast<unsigned>(std::bit_width(ids))),
      hits_(std::max<std::size_t>(room, of_one_end)),
      other_(hits_.size()),
      on_host_(std::clamp<std::size_t>(hits_.size(), 1, kCopied)) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<unsigned long long> both(hits_.data(), other_.data());
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, both, hits_.size()), "sort of the hits");
  scratch_ = DeviceBuffer<unsigned char>(bytes);
}

bool HitSearch::run(const DeviceTexts& texts, const scan::Region& region, std::size_t most,
                    std::vector<scan::Hit>& hits) {
  const unsigned id_shift = HitsView::kDistanceBits + static_cast<unsigned>(std::bit_width(region.end - region.begin));
  if (id_bits_ + id_shift > 64) {
    return false;
  }
  count_.clear(stream_);
  const HitsView view{hits_.data(), count_.data(), std::min(std::max(most, of_one_end_), hits_.size()), region.begin,
                      id_shift};
  launch(texts, region, view);
  return fetch(view, hits);
}

// Waits for the kernels.
bool HitSearch::fetch(const HitsView& view, std::vector<scan::Hit>& to) {
  count_.copy_to(on_host_.data(), 0, 1, stream_);
  stream_.synchronize();
  const unsigned long long count = *on_host_.data();
  if (count > view.capacity) {
    return false;
  }
  if (count == 0) {
    return true;
  }
  std::size_t bytes = scratch_.size();
  cub::DoubleBuffer<unsigned long long> both(hits_.data(), other_.data());
  check(cub::DeviceRadixSort::SortKeys(scratch_.data(), bytes, both, count, 0,
                                       static_cast<int>(view.id_shift + id_bits_), stream_),
        "sort of the hits");
  const DeviceBuffer<unsigned long long>& sorted = both.Current() == hits_.data() ? hits_ : other_;
  const unsigned long long positions = (1ull << (view.id_shift - HitsView::kDistanceBits)) - 1;
  constexpr unsigned kDistances = (1u << HitsView::kDistanceBits) - 1;
  unsigned long long last = ~0ull;  // without the distance
  to.reserve(to.size() + count);
  for (std::size_t first = 0; first < count; first += kCopied) {
    const std::size_t some = std::min<std::size_t>(kCopied, count - first);
    sorted.copy_to(on_host_.data(), first, some, stream_);
    stream_.synchronize();
    for (std::size_t i = 0; i < some; ++i) {
      const unsigned long long hit = on_host_.data()[i];
      const unsigned long long at = hit >> HitsView::kDistanceBits;
      if (at != last) {
        to.push_back({view.begin + (at & positions), static_cast<std::uint32_t>(hit >> view.id_shift),
                      static_cast<std::uint16_t>(hit & kDistances)});
        last = at;
      }
    }
  }
  return true;
}

}  // namespace trawl::gpu
