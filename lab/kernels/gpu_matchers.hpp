// The matchers of lab/matchers/list.txt on the device. No CUDA header is needed to use this.
//
//   DeviceText text("GATTACAGATTACA");
//   DeviceEnds ends(text.size(), Output::bytes);
//   const GpuRun run = run_matcher("shift-or", text, {.pattern = "ACA"}, ends, 5);
//   ends.fetch(0, text.size())      // 1 if a match ends there
//   run.seconds                     // of each of the 5 searches
//
// A text in host memory, copied in pieces while others are searched:
//
//   const HostCharacters text("GATTACAGATTACA", true);
//   run_matcher_from_host("shift-or", text, {.pattern = "ACA"}, {.streams = 2}).list == {6, 13}
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lab/kernels/device_text.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::gpu {

using matchers::MatcherSettings;

/// Where a kernel reads a matcher's table.
enum class TableMemory {
  automatic,  // shared, if the table leaves enough room for the text; otherwise global
  constant,   // fast if all threads read the same place
  shared,
  global,
};

/// How to search. A matcher with kGpuStretch and one with its own kernel leave no choice.
struct GpuWork {
  TableMemory memory = TableMemory::automatic;
  unsigned stretch = 0;  // characters per thread and tile; 0: as the shared memory and the pattern's length allow
  unsigned threads = 0;  // per block, a multiple of 32 up to 1,024; 0: chosen
  unsigned blocks = 0;   // of the grid; 0: as many as run at the same time

  bool operator==(const GpuWork&) const = default;
};

struct GpuRun {
  double prepare_seconds = 0;   // for the table, with its copy to the device
  std::vector<double> seconds;  // of each search
  GpuWork chosen;
};

class DeviceSearch;

struct GpuMatcher {
  const matchers::MatcherFacts* facts;
  /// Makes the table and copies it to the device.
  std::unique_ptr<DeviceSearch> (*prepare)(const MatcherSettings& settings, const GpuWork& work);
  bool takes_work;  // whether GpuWork can be chosen

  /// Runs to warm up, then `repeats` times; with 0, once and without a time. `ends` must be made for this text. Throws
  /// UsageError if the matcher does not take these settings or the device not this work; CudaError.
  GpuRun run(const DeviceText& text, const MatcherSettings& settings, DeviceEnds& ends, unsigned repeats,
             const GpuWork& work = {}) const;
};

/// All matchers, in the order of the list.
const std::vector<GpuMatcher>& gpu_matchers();

/// The matcher with this name. Throws UsageError if there is none.
const GpuMatcher& gpu_matcher(std::string_view name);

/// gpu_matcher(name).run(...).
GpuRun run_matcher(std::string_view name, const DeviceText& text, const MatcherSettings& settings, DeviceEnds& ends,
                   unsigned repeats, const GpuWork& work = {});

/// A text in host memory. Copies from pinned memory are faster, and run beside other work.
class HostCharacters {
 public:
  HostCharacters(std::string_view text, bool pinned);
  ~HostCharacters();
  HostCharacters(const HostCharacters&) = delete;
  HostCharacters& operator=(const HostCharacters&) = delete;

  std::string_view view() const;
  bool pinned() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct HostTextWork {
  unsigned streams = 1;     // each takes one piece after another: it copies it in, searches it, copies the result out
  std::uint64_t piece = 0;  // characters that are searched in one piece; 0: chosen
  Output output = Output::list;
  GpuWork search = {};
};

struct HostTextRun {
  double prepare_seconds = 0;  // for the table
  double seconds = 0;          // from the first copy to the last; the memory was made before
  std::uint64_t count = 0;     // positions where a match ends, whatever the output
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> bits;  // bit j % 32 of word j / 32
  std::vector<std::uint64_t> list;  // ascending
  GpuWork chosen;
};

/// Searches a text in host memory, which may be larger than the device's: it goes through in pieces. Throws like run().
HostTextRun run_matcher_from_host(std::string_view name, const HostCharacters& text, const MatcherSettings& settings,
                                  const HostTextWork& work = {});

}  // namespace trawl::gpu
