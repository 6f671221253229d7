#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "lab/kernels/sets/gpu_set_matchers.hpp"

namespace trawl::gpu {

namespace {

using matchers::SetOutput;

constexpr std::string_view kNames[] = {"u", "tc", "cr", "r16", "cw", "st"};

constexpr unsigned kWarp = 32;
// Counts of patterns in shared memory have at most so many bytes; otherwise they take the place of the tables.
constexpr std::size_t kLargestCounts = 64 * 1024;

constexpr std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to = 16) { return (bytes + to - 1) / to * to; }

class Planner {
 public:
  Planner(const ExactDevice& device, const SetTask& task, const GpuSetWork& work,
          const std::function<unsigned(unsigned, std::size_t)>& resident)
      : device_(device), task_(task), work_(work), resident_(resident) {}

  SetPlan plan() {
    plan_.threads = work_.threads > 0 ? work_.threads : work_.stage == SetStage::st ? kMostExactThreads : 256;
    if (plan_.threads % kWarp != 0 || plan_.threads > kMostExactThreads) {
      throw UsageError(std::to_string(plan_.threads) + " threads per block; it takes multiples of 32 up to " +
                       std::to_string(kMostExactThreads));
    }
    if (work_.stage < SetStage::cr) {
      without_tiles();
    } else {
      with_tiles();
    }
    return plan_;
  }

 private:
  bool one_warp() const { return work_.stage == SetStage::st; }
  unsigned teams() const { return plan_.threads / plan_.team; }

  unsigned most_blocks() const {
    const unsigned at_once = resident_(plan_.threads, plan_.shared) * device_.multiprocessors;
    if (at_once == 0) {
      throw no_room();
    }
    return work_.blocks > 0 ? work_.blocks : at_once;
  }

  UsageError no_room() const {
    return UsageError("the shared memory of a block, " + std::to_string(device_.shared_per_block) +
                      " bytes, has no room for " + std::to_string(plan_.threads) + " threads with stretches of " +
                      std::to_string(plan_.stretch) + " characters and patterns of " + std::to_string(task_.longest) +
                      "; stages u and tc do not need it");
  }

  // One stretch for each thread.
  void without_tiles() {
    plan_.team = plan_.threads;
    const std::uint64_t at_once = std::uint64_t{most_blocks()} * plan_.threads;
    const std::uint64_t stretch = work_.stretch > 0 ? work_.stretch : divided_up(task_.size, at_once);
    if (stretch > 0xFFFFFFFFu / plan_.team) {
      throw UsageError("a text of " + std::to_string(task_.size) + " characters is too long for " +
                       std::to_string(at_once) + " threads");
    }
    plan_.stretch = static_cast<unsigned>(stretch);
    share_out(plan_.tile());
  }

  void with_tiles() {
    // A thread reads longest - 1 characters more than its stretch has.
    plan_.stretch = work_.stretch > 0 ? work_.stretch
                                      : without_conflicts(std::clamp<std::uint64_t>(
                                            2 * task_.longest, one_warp() ? 28 : 44, device_.shared_per_block));
    for (lay_out(); plan_.shared > device_.shared_per_block; lay_out()) {
      if (work_.threads == 0 && plan_.threads > kWarp && !(one_warp() && work_.stretch == 0 && plan_.stretch > 28)) {
        plan_.threads /= 2;
      } else if (work_.stretch == 0 && plan_.stretch > 28) {
        plan_.stretch = without_conflicts(plan_.stretch / 2);
      } else {
        throw no_room();
      }
    }
    const std::uint64_t all = std::uint64_t{most_blocks()} * teams();
    share_out(rounded(divided_up(task_.size, all), plan_.tile()));
  }

  void lay_out() {
    plan_.team = one_warp() ? kWarp : plan_.threads;
    const std::uint64_t tile_room = rounded(plan_.tile() + task_.longest - 1 + 15);
    std::uint64_t result_room = 0, results = 0;
    if (work_.stage >= SetStage::cw && work_.output == SetOutput::patterns &&
        std::uint64_t{task_.patterns} * 4 <= kLargestCounts) {
      result_room = task_.patterns;
      results = rounded(result_room * 4);
    }
    const std::uint64_t needed = tile_room * teams() + results;
    std::uint64_t tables = 0;
    if (work_.stage == SetStage::st && needed < device_.shared_per_block) {
      tables = std::min<std::uint64_t>(rounded(task_.tables), (device_.shared_per_block - needed) / 16 * 16);
    }
    plan_.shared = tables + needed;
    if (plan_.shared <= device_.shared_per_block) {  // otherwise the numbers may not fit
      plan_.tables = static_cast<std::uint32_t>(tables);
      plan_.text_at = plan_.tables;
      plan_.tile_room = static_cast<std::uint32_t>(tile_room);
      plan_.results_at = static_cast<std::uint32_t>(tables + tile_room * teams());
      plan_.result_room = static_cast<std::uint32_t>(result_room);
    }
  }

  void share_out(std::uint64_t part) {
    plan_.part = part;
    plan_.blocks = static_cast<unsigned>(divided_up(task_.size, part * teams()));
  }

  const ExactDevice& device_;
  const SetTask& task_;
  const GpuSetWork& work_;
  const std::function<unsigned(unsigned, std::size_t)>& resident_;
  SetPlan plan_{};
};

}  // namespace

std::string_view name_of(SetStage stage) { return kNames[static_cast<unsigned>(stage)]; }

SetStage set_stage(std::string_view name) {
  for (const SetStage stage : kSetStages) {
    if (name_of(stage) == name) {
      return stage;
    }
  }
  throw UsageError("there is no stage '" + std::string(name) + "'; choose u, tc, cr, r16, cw or st");
}

SetPlan plan_set(const ExactDevice& device, const SetTask& task, const GpuSetWork& work,
                 const std::function<unsigned(unsigned, std::size_t)>& resident) {
  return Planner(device, task, work, resident).plan();
}

}  // namespace trawl::gpu
