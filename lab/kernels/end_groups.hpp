// How kernels whose threads finish in any order make an ascending list: they write the ends as bits, in groups, and the
// number of ends of each group; make_list() turns that into the list. Groups without ends cost almost nothing, so that
// a short list is nearly free; a long one costs what its memory costs. Only .cu files include this.
#pragma once

#include <cstdint>

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/end_tiles.hpp"

namespace trawl::gpu {

/// What a kernel writes.
struct EndGroupsView {
  std::uint32_t* bits = nullptr;    // kGroupWords of each group whose count is not 0
  std::uint32_t* counts = nullptr;  // of each group
};

struct EndsView;

class EndGroups {
 public:
  /// Makes room for a search; waits for the device if it must allocate memory.
  void reserve(std::uint64_t groups);
  EndGroupsView view() const { return {bits_.data(), counts_.data()}; }
  /// Sets the counts to 0; must come before the kernel, which then writes only groups that have ends.
  void clear(std::uint64_t groups, const Stream& stream);
  /// Enqueues the work that writes out.list, as far as it has room, and out.count.
  void make_list(const EndTiles& tiles, const EndsView& out, const Stream& stream);
  /// Overwrites everything with values that only an error could leave.
  void spoil(const Stream& stream);

 private:
  DeviceBuffer<std::uint32_t> bits_, counts_;
  DeviceBuffer<unsigned long long> offsets_;
  DeviceBuffer<char> scratch_;
};

}  // namespace trawl::gpu
