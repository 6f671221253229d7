// The exact matchers of lab/matchers/list.txt on the device. No CUDA header is needed to use this.
//
//   const GpuMatcher& matcher = gpu_matcher("shift-or");
//   DeviceText text("GATTACAGATTACA");
//   DeviceEnds ends(text.size(), Output::list, 2);
//   matcher.run(text, "ACA", ends, 5).seconds      // of each of the 5 searches
//   ends.list() == {6, 13}
//
// A text in host memory, copied in pieces while others are searched:
//
//   matcher.run_from_host(HostCharacters("GATTACAGATTACA", true), "ACA", {.streams = 2}).list == {6, 13}
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lab/kernels/device_text.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::gpu {

/// Where a kernel reads a matcher's table.
enum class TableMemory {
  automatic,  // shared, if the table leaves enough room for the text; otherwise global
  constant,   // fast if all threads read the same place
  shared,
  global,
};

/// How to search. A matcher with its own kernel leaves no choice.
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

/// A text in host memory, which must stay there if it is not pinned. Copies from pinned memory are faster, and run
/// beside other work.
class HostCharacters {
 public:
  HostCharacters(std::string_view text, bool pinned);
  ~HostCharacters();
  HostCharacters(const HostCharacters&) = delete;
  HostCharacters& operator=(const HostCharacters&) = delete;

  std::string_view view() const { return view_; }

 private:
  struct Pinned;
  std::unique_ptr<Pinned> pinned_;
  std::string_view view_;
};

struct HostTextWork {
  unsigned streams = 1;     // each takes one piece after another: it copies it in, searches it, copies the result out
  std::uint64_t piece = 0;  // characters that are searched in one piece; 0: chosen
  GpuWork search = {};
};

struct HostTextRun {
  double prepare_seconds = 0;       // for the table
  double seconds = 0;               // from the first copy to the last; the memory was made before
  std::vector<std::uint64_t> list;  // positions where a match ends, ascending
  GpuWork chosen;
};

class DeviceSearch;

struct GpuMatcher {
  const matchers::MatcherFacts* facts;
  /// Makes the table and copies it to the device.
  std::unique_ptr<DeviceSearch> (*prepare)(std::string_view pattern, const GpuWork& work);

  /// Runs to warm up, then `repeats` times; with 0, once and without a time. `ends`, a list, must be made
  /// for this text. Throws UsageError if the matcher does not take the pattern or the device not this work; CudaError.
  GpuRun run(const DeviceText& text, std::string_view pattern, DeviceEnds& ends, unsigned repeats,
             const GpuWork& work = {}) const;
  /// Searches a text in host memory, which may be larger than the device's: it goes through in pieces.
  HostTextRun run_from_host(const HostCharacters& text, std::string_view pattern, const HostTextWork& work = {}) const;
};

/// All matchers, in the order of the list.
const std::vector<GpuMatcher>& gpu_matchers();

/// The matcher with this name. Throws UsageError if there is none.
const GpuMatcher& gpu_matcher(std::string_view name);

}  // namespace trawl::gpu
