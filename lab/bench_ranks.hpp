// Searches for sets of patterns, on either engine. Under `mpirun -n N trawl-bench multi`, as in the paper, the text is
// dealt out to the ranks in equal pieces, each searches its piece, and the counts are added up.
//
//   const SetText text("GATTACAGATTACA", false);
//   SetSearch("wu-manber", false, set).search(text, {.output = SetOutput::patterns}, 5).patterns
//
//   ranks::Cluster cluster;
//   search_on_ranks(cluster, {"wu-manber", "", 4, 1, 5}, text.characters, set).search     // on each rank
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/matchers/sets/cpu_set_matchers.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#endif
#include "ranks/cluster.hpp"

namespace trawl::lab {

/// A text in the memory of the host, which must stay there, and of the device if it is searched there.
struct SetText {
  SetText(std::string_view text, [[maybe_unused]] bool on_device) : characters(text) {
#ifdef TRAWL_WITH_CUDA
    if (on_device) {
      device = std::make_unique<gpu::DeviceText>(text);
    }
#endif
  }

  std::string_view characters;
#ifdef TRAWL_WITH_CUDA
  std::unique_ptr<gpu::DeviceText> device;
#endif
};

struct SetHow {
  matchers::SetOutput output = matchers::SetOutput::count;
  std::string stage = "";     // of the kernels on the device
  bool all_threads = false;   // on the CPU
  std::uint64_t stretch = 0;  // characters that a thread searches at a time; 0: chosen
  std::uint64_t room = 0;     // on the device: the most positions
};

/// Positions stay on the device.
struct SetResult : matchers::SetFound {
  std::uint64_t digest = 0;          // of the positions, as digest_of() says
  std::vector<double> seconds = {};  // of each timed search
  std::string grid = {};             // on the device: blocks x threads
};

/// A matcher with its tables for a set of patterns, on either engine.
class SetSearch {
 public:
  /// Throws UsageError if it cannot take the set.
  SetSearch(const std::string& matcher, bool on_device, const matchers::PatternSet& set);
  /// Searches once without a time, and `repeats` times more.
  SetResult search(const SetText& text, const SetHow& how, unsigned repeats) const;
  double prepare_seconds() const { return prepare_seconds_; }
  std::uint64_t table_bytes() const;

 private:
  std::unique_ptr<matchers::PreparedSet> prepared_;
#ifdef TRAWL_WITH_CUDA
  std::unique_ptr<gpu::GpuPreparedSet> on_device_;
#endif
  double prepare_seconds_ = 0;
};

struct RankJob {
  std::string algorithm;
  std::string stage;     // of its kernels on the GPU; empty: it runs on the CPU
  unsigned ranks = 1;    // how many of the ranks work
  unsigned threads = 1;  // of each
  unsigned repeats = 1;
  bool by_pattern = false;  // add up the number of occurrences of each pattern, not only of all
};

/// Of the search and what belongs to it the medians of the runs, in seconds.
struct RankRun {
  matchers::SetFound found;  // count and patterns
  double prepare = 0;        // for the tables, on the slowest rank
  double load = 0;           // until the last rank has its piece, on its device if it has one
  double search = 0;         // on the slowest rank
  double cpu = 0;            // of the search, of all ranks together
  double most_cpu = 0;       // of the rank that needs most
  double reduce = 0;         // until the first rank has the sum
};

/// All ranks call it, with the same job and set; the first one has the text, and the result. Throws UsageError, on all
/// ranks, if the algorithm cannot take the set.
RankRun search_on_ranks(ranks::Cluster& cluster, const RankJob& job, std::string_view text,
                        const matchers::PatternSet& set);

}  // namespace trawl::lab
