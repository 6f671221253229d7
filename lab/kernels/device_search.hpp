// What the kernels of matchers have in common for those who run them: the text and the result in device memory, and a
// matcher with its table there. Only .cu files include this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/device_memory.hpp"
#include "lab/kernels/exact_plan.hpp"
#include "lab/kernels/time_runs.cuh"

namespace trawl::gpu {

/// What a kernel writes.
struct EndGroupsView {
  std::uint32_t* bits = nullptr;    // kGroupWords of each group whose count is not 0
  std::uint32_t* counts = nullptr;  // of each group
};

/// Where a kernel writes the ends of matches. Only the pointers of one form are set.
struct EndsView {
  std::uint8_t* bytes = nullptr;
  std::uint32_t* bits = nullptr;  // bit j % 32 of word j / 32
  unsigned long long* list = nullptr;
  unsigned long long* count = nullptr;  // of a list
  std::uint64_t capacity = 0;
  EndGroupsView groups;  // an exact matcher's kernel writes these first; make_list() makes the list
};

/// How kernels whose threads finish in any order make an ascending list: they write the ends as bits, in groups, and
/// the number of ends of each group; make_list() turns that into the list. Groups without ends cost almost nothing, so
/// that a short list is nearly free; a long one costs what its memory costs.
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

/// Elements [first, first + count) of a buffer. Counters and positions come as std::uint64_t.
template <class T>
auto fetched(const DeviceBuffer<T>& from, std::uint64_t first, std::uint64_t count, const Stream& stream = {}) {
  std::vector<std::conditional_t<std::is_same_v<T, unsigned long long>, std::uint64_t, T>> values(count);
  static_assert(sizeof values[0] == sizeof(T));
  from.copy_to(reinterpret_cast<T*>(values.data()), first, count, stream);
  stream.synchronize();
  return values;
}

/// time_runs(); with 0 repeats it runs once, without a time.
template <class Run, class Spoil>
std::vector<double> run_or_time(const Stream& stream, unsigned repeats, Run&& run, Spoil&& spoil) {
  if (repeats > 0) {
    return time_runs(stream, repeats, run, spoil);
  }
  spoil();
  run();
  stream.synchronize();
  return {};
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
    const auto run = [&] {
      reset(stream);
      work();
    };
    return run_or_time(stream, repeats, run, [&] { spoil(stream); });
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
    }
  }
};

/// Number of bytes after a text that kernels may read; their values mean nothing.
inline constexpr std::uint64_t kTextPadding = 4096;

/// A text in device memory, or a piece of one.
struct SearchedText {
  const std::uint8_t* characters;  // a multiple of 16, with kTextPadding bytes after them
  std::uint64_t size;
  std::uint64_t first;  // report ends from here on; a multiple of 32
};

class DeviceSearch {
 public:
  virtual ~DeviceSearch() = default;

  /// Allocates what enqueue() needs beside the result; may wait for the device. Returns how it will search.
  virtual GpuWork reserve(const SearchedText& text, DeviceEnds::State& ends) = 0;
  /// Enqueues a search: the ends in [text.first, text.size) go to `ends`, by their position in the text. After
  /// ends.reset(). The text is not empty.
  virtual void enqueue(const SearchedText& text, DeviceEnds::State& ends, const Stream& stream) = 0;

  double prepare_seconds = 0;

 protected:
  /// Copies a table's used bytes to the device and waits; adds the time to prepare_seconds.
  void copy_table(const void* table, std::size_t bytes, void* to);
};

/// The kernel for most matchers (gpu_driver.cuh) of a matcher whose type is not known here.
struct ExactKernels {
  const void* constant;
  const void* shared;
  const void* global;
  void* constant_table;  // device address of the constant memory that the first kernel reads
};

/// `table`: its used bytes. `m`: the characters of the pattern. Only one search at a time may have its table in
/// constant memory.
std::unique_ptr<DeviceSearch> exact_search(const ExactKernels& kernels, const void* table, std::size_t table_bytes,
                                           std::size_t m, const GpuWork& work);

}  // namespace trawl::gpu
