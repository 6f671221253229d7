// The searches of `trawl scan` on a device: each keeps its tables and its hits on the calling thread's device. Texts of
// later calls must be there, too. Only .cu files include this.
//
//   const auto search = make_guide_search(plan, 1 << 20);
//   DeviceTexts texts;
//   texts.planes.emplace(reference, region, plan.planes_reach());
//   const bool all = search->run(texts, {0, 100000}, 1000, hits);     // those in a region, if there are at most 1000
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/device_plan.hpp"
#include "gpu/scan/row_text.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/text_view.hpp"

namespace trawl::gpu {

/// A part of a reference, as bit planes.
class PlanesText {
 public:
  /// Device memory per position, in bytes.
  static constexpr double kBytesAPosition = 24.0 / 64;

  /// For ends in `region`, of matches that need the text from `reach` letters before them on.
  PlanesText(const sequence::Reference& reference, const scan::Region& region, std::uint64_t reach);

  scan::TextView view() const { return {planes_.data(), ambiguous_.data(), first_, first_ + words_}; }

 private:
  std::uint64_t first_;                        // number of the first word
  std::uint64_t words_;                        // words where grams may begin
  DeviceBuffer<sequence::PlaneBlock> planes_;  // two more than `words`, so that whole words can be read after the end
  DeviceBuffer<std::uint64_t> ambiguous_;
};

/// One stretch of the reference, as the searches of a plan need it.
struct DeviceTexts {
  std::optional<RowText> rows;
  std::optional<PlanesText> planes;
};

/// What kernels see. `count` also counts the hits beyond `capacity`, which are not kept. A hit is one number, by which
/// hits are sorted: the id, then the position in the region, then the distance.
struct HitsView {
  static constexpr unsigned kDistanceBits = 5;

  unsigned long long* hits;
  unsigned long long* count;
  unsigned long long capacity;
  unsigned long long begin;  // of the region
  unsigned id_shift;

#ifdef __CUDACC__
  __device__ void add(unsigned long long end, unsigned id, unsigned distance) const {
    const unsigned long long slot = atomicAdd(count, 1ull);
    if (slot < capacity) {
      hits[slot] = static_cast<unsigned long long>(id) << id_shift | (end - begin) << kDistanceBits | distance;
    }
  }
  /// Whether there were more hits than there is room for.
  __device__ bool is_full() const { return *static_cast<volatile unsigned long long*>(count) > capacity; }
#endif
};

class HitSearch {
 public:
  /// There is room for `room` hits, or for those that one end may have. Ids are below `ids`.
  HitSearch(std::size_t room, std::uint64_t of_one_end, std::uint64_t ids);
  virtual ~HitSearch() = default;

  /// Appends the hits with an end in the region, sorted by id, then position, each with its smallest distance, and
  /// returns true. If there are more hits than `most` (or than those of one end, if this is more) or than there is room
  /// for, appends nothing and returns false. Throws CudaError, as all functions here.
  bool run(const DeviceTexts& texts, const scan::Region& region, std::size_t most, std::vector<scan::Hit>& hits);

 protected:
  virtual void launch(const DeviceTexts& texts, const scan::Region& region, const HitsView& out) = 0;

  Stream stream_;

 private:
  bool fetch(const HitsView& view, std::vector<scan::Hit>& to);

  std::size_t of_one_end_;
  unsigned id_bits_;
  DeviceBuffer<unsigned long long> hits_;
  DeviceBuffer<unsigned long long> other_;  // where sorting puts them
  DeviceBuffer<unsigned char> scratch_;
  DeviceBuffer<unsigned long long> count_{1};
  PinnedBuffer<unsigned long long> on_host_;
};

/// The searches of a plan that has programs, literals or guides. `places`: how many places of parts there is room for;
/// further ones are checked, too, but more slowly.
std::unique_ptr<HitSearch> make_row_search(const DevicePlan& plan, std::size_t room);
std::unique_ptr<HitSearch> make_literal_search(const DevicePlan& plan, std::size_t room, std::size_t places);
std::unique_ptr<HitSearch> make_guide_search(const DevicePlan& plan, std::size_t room);

}  // namespace trawl::gpu
