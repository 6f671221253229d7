// The part of device_text.hpp that is hidden. Only .cu files include this.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/device_text.hpp"
#include "lab/kernels/end_groups.hpp"

namespace trawl::gpu {

/// Where a kernel writes the ends of matches. Only the pointers of one form are set.
struct EndsView {
  std::uint8_t* bytes = nullptr;
  std::uint32_t* bits = nullptr;  // bit j % 32 of word j / 32
  unsigned long long* list = nullptr;
  unsigned long long* count = nullptr;  // with a list, and if the result is only their number
  std::uint64_t capacity = 0;
  EndGroupsView groups;  // a kernel that has no order writes these first; make_list() makes the list
};

/// Sorts a list. Kernels for matchers with edits write theirs in any order; the others' is sorted already.
inline void sort_positions(std::vector<std::uint64_t>::iterator first, std::vector<std::uint64_t>::iterator last) {
  if (!std::is_sorted(first, last)) {
    std::sort(first, last);
  }
}

struct DeviceEnds::State {
  Output output;
  std::uint64_t text_size;
  DeviceBuffer<std::uint8_t> bytes;
  DeviceBuffer<std::uint32_t> bits;
  DeviceBuffer<unsigned long long> list;
  DeviceBuffer<unsigned long long> list_count;
  EndGroups groups;

  /// Throws Error if a list is too short for this number of matches.
  void require_room(std::uint64_t found) const {
    if (found > list.size()) {
      throw Error("the list of matches has room for " + std::to_string(list.size()) + ", but there are " +
                  std::to_string(found) + "; make it for so many");
    }
  }

  /// Throws std::logic_error if the result is only a count.
  void require_positions() const {
    if (output == Output::count) {
      throw std::logic_error("this result is a count, without positions");
    }
  }

  EndsView view() const {
    return {bytes.data(), bits.data(), list.data(), list_count.data(), list.size(), groups.view()};
  }

  /// Must come before each search: empties the list, sets the count to 0.
  void reset(const Stream& stream) {
    if (list_count.size() > 0) {
      list_count.clear(stream);
    }
  }

  /// Runs time_runs() with `work`, which writes the ends of `text` to view(). Each run starts with an empty list.
  /// Before the last run the whole output is overwritten, so that what is fetched later was written by that run. An
  /// empty text is not run at all. With 0 repeats it runs once, without a time. Throws std::invalid_argument if the
  /// ends were made for another text.
  template <class Work>
  std::vector<double> time(const DeviceText& text, const Stream& stream, unsigned repeats, Work&& work) {
    if (text.size() != text_size) {
      throw std::invalid_argument("the ends were made for a text of " + std::to_string(text_size) +
                                  " characters, not of " + std::to_string(text.size()));
    }
    if (text_size == 0) {
      reset(stream);
      stream.synchronize();
      return std::vector<double>(repeats, 0.0);
    }
    if (repeats == 0) {
      spoil(stream);
      reset(stream);
      work();
      stream.synchronize();
      return {};
    }
    return time_runs(
        stream, repeats,
        [&] {
          reset(stream);
          work();
        },
        [&] { spoil(stream); });
  }

 private:
  // Writes values that only an error could leave in the output: bytes that are neither 0 nor 1, wrong bits and wrong
  // positions.
  void spoil(const Stream& stream) {
    switch (output) {
      case Output::bytes:
        return bytes.fill(0xFF, stream);
      case Output::bits:
        return bits.fill(0xFF, stream);
      case Output::list:
        groups.spoil(stream);
        return list.fill(0xFF, stream);
      case Output::count:
        return;
    }
  }
};

}  // namespace trawl::gpu
