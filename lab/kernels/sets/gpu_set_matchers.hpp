// The matchers of sets (lab/matchers/list.txt) on the device, in the stages of Kouzinopoulos, Michailidis and
// Margaritis 2015 ("Multiple string matching on a GPU using CUDA"). No CUDA header is needed to use this.
//
//   const matchers::PatternSet set({"ACA", "GATTACA"});
//   const DeviceText text("GATTACAGATTACA");
//   for (const GpuSetMatcher& matcher : gpu_set_matchers()) {
//     const auto prepared = matcher.prepare(set);
//     const GpuSetFound found = prepared->search(text, {.stage = SetStage::r16, .output = SetOutput::patterns});
//     found.count == 4;
//     found.patterns == std::vector<std::uint64_t>{2, 2};
//   }
//
// The kernel shares out a text and the shared memory like this. Threads work in teams. A team has one part of the text,
// all parts have the same length, and takes it tile by tile; in a tile, each of its threads has a stretch. Before the
// stage `cr` a thread has one stretch, so the part is one tile.
//
//   team 0: [tile 0: stretch of thread 0 | thread 1 | ...][tile 1: thread 0 | thread 1 | ...]...   team 1: ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "lab/kernels/device_text.hpp"
#include "lab/kernels/exact_plan.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"

namespace trawl::gpu {

using matchers::SetOutput;

/// The stages of the paper, and one more. Each has all that those before it have, except for the teams of `st`.
enum class SetStage {
  u,    // unoptimised: each thread reads its stretch, and the tables, from global memory
  tc,   // the tables are read through the read-only (texture) path
  cr,   // a block copies each tile to shared memory, byte by byte, side by side; a block is a team
  r16,  // the copy takes 16 bytes at a time
  cw,   // results are collected on the chip and written side by side; before, each occurrence is written when it is
        // found
  st,   // not in the paper: the tables are in shared memory, as far as they fit; a warp is a team
};
inline constexpr SetStage kSetStages[] = {SetStage::u,   SetStage::tc, SetStage::cr,
                                          SetStage::r16, SetStage::cw, SetStage::st};

/// "u", "tc", ...
std::string_view name_of(SetStage stage);
/// Throws UsageError for another name.
SetStage set_stage(std::string_view name);

/// How to search a text.
struct GpuSetWork {
  SetStage stage = SetStage::cw;
  matchers::SetOutput output = matchers::SetOutput::count;  // stretches: the number of each thread, as in the paper
  unsigned threads = 0;                                     // per block, a multiple of 32 up to 1,024; 0: chosen
  unsigned blocks = 0;                                      // 0: as many as run at the same time
  unsigned stretch = 0;                                     // characters of a thread in a tile; 0: chosen
};

/// A search.
struct SetTask {
  std::uint64_t size;     // of the text, at least 1
  std::uint64_t longest;  // pattern
  std::uint64_t tables;   // bytes
  std::uint32_t patterns;
};

struct SetPlan {
  unsigned threads;  // per block
  unsigned blocks;
  unsigned team;              // threads
  unsigned stretch;           // ends of a thread in a tile
  std::uint64_t part;         // ends of a team
  std::uint32_t tables;       // bytes of the tables that are in shared memory, from their begin
  std::uint32_t text_at;      // where in the shared memory the teams' tiles begin
  std::uint32_t tile_room;    // bytes of each
  std::uint32_t results_at;   // where the numbers of patterns begin
  std::uint32_t result_room;  // how many; 0: they are in global memory
  std::size_t shared;         // bytes

  constexpr std::uint64_t tile() const { return std::uint64_t{team} * stretch; }
  /// The thread, of all blocks, that finds an occurrence whose last character is at `end`.
  constexpr std::uint64_t thread_of(std::uint64_t end) const {
    return end / part * team + end % part % tile() / stretch;
  }
  constexpr std::uint64_t all_threads() const { return std::uint64_t{blocks} * threads; }
};

/// `resident`: how many blocks with so many threads and bytes of shared memory run at the same time on a
/// multiprocessor. Throws UsageError if the device cannot do what `work` asks for.
SetPlan plan_set(const ExactDevice& device, const SetTask& task, const GpuSetWork& work,
                 const std::function<unsigned(unsigned threads, std::size_t shared)>& resident);

struct GpuSetFound {
  std::uint64_t count = 0;              // whatever the output
  std::vector<std::uint64_t> threads;   // stretches: of each thread of the device, see SetPlan::thread_of()
  std::vector<std::uint64_t> patterns;  // patterns
  std::vector<double> seconds;          // of each of the timed searches, with the tables and the text on the device
  SetPlan plan{};                       // as chosen
};

/// The tables of a matcher for a set of patterns, on the device.
class GpuPreparedSet {
 public:
  virtual ~GpuPreparedSet() = default;
  /// Runs to warm up, then `repeats` times; with 0, once and without a time. Throws UsageError if the device cannot do
  /// `work`, CudaError.
  virtual GpuSetFound search(const DeviceText& text, const GpuSetWork& work, unsigned repeats = 0) const = 0;
  virtual std::uint64_t table_bytes() const = 0;

  double prepare_seconds = 0;  // for the tables, with their copy to the device
};

struct GpuSetMatcher {
  const matchers::MatcherFacts* facts;
  /// Throws UsageError for a set that is too large, CudaError.
  std::unique_ptr<GpuPreparedSet> (*prepare)(const matchers::PatternSet& set);
};

/// All matchers of sets, in the order of the list.
const std::vector<GpuSetMatcher>& gpu_set_matchers();

}  // namespace trawl::gpu
