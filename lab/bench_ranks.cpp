#include "lab/bench_ranks.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_runner.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#endif

namespace trawl::lab {

namespace {

using matchers::PatternSet;
using matchers::SetFound;
using matchers::SetOutput;

constexpr ranks::Tag kPiece = 0;

SetFound without(SetFound found, const SetFound& other) {
  found.count -= other.count;
  for (std::size_t p = 0; p < other.patterns.size(); ++p) {
    found.patterns[p] -= other.patterns[p];
  }
  return found;
}

// The values of all ranks on the first rank, the own one on the others.
std::vector<double> gathered(ranks::Cluster& cluster, double value) {
  std::vector<double> all;
  for (const std::string& bytes : cluster.gather({reinterpret_cast<const char*>(&value), sizeof value})) {
    std::memcpy(&all.emplace_back(), bytes.data(), sizeof value);
  }
  return all.empty() ? std::vector{value} : all;
}

// How a text is cut for the ranks that work.
struct Pieces {
  std::uint64_t size = 0;
  unsigned ranks = 1;
  std::uint64_t longest = 1;  // of the patterns

  std::uint64_t begin_of(unsigned rank) const { return rank >= ranks ? size : size / ranks * rank; }
  // Characters of the piece before that are searched again.
  std::uint64_t before(unsigned rank) const { return std::min(begin_of(rank), longest - 1); }

  // The piece of this rank. The first rank, which has the text, sends those of the others.
  std::string take(ranks::Cluster& cluster, std::string_view text) const {
    if (!cluster.is_first()) {
      return cluster.rank() < ranks ? std::string(cluster.receive_from(0, kPiece).view()) : "";
    }
    for (unsigned to = 1; to < ranks; ++to) {
      const std::uint64_t begin = begin_of(to) - before(to);
      cluster.send(to, kPiece, text.substr(begin, begin_of(to + 1) - begin));
    }
    return std::string(text.substr(0, begin_of(1)));
  }
};

}  // namespace

SetSearch::SetSearch(const std::string& name, [[maybe_unused]] bool on_device, const PatternSet& set) {
  const auto prepare = [&](const auto& all, auto& prepared) {
    for (const auto& matcher : all) {
      if (matcher.facts->name == name) {
        prepare_seconds_ = seconds_of([&] { prepared = matcher.prepare(set); });
      }
    }
  };
#ifdef TRAWL_WITH_CUDA
  if (on_device) {
    prepare(gpu::gpu_set_matchers(), on_device_);
    return;
  }
#endif
  prepare(matchers::cpu_set_matchers(), prepared_);
}

SetResult SetSearch::search(const SetText& text, const SetHow& how, unsigned repeats) const {
  SetResult result;
#ifdef TRAWL_WITH_CUDA
  if (on_device_) {
    gpu::GpuSetFound found = on_device_->search(*text.device,
                                                {.stage = gpu::set_stage(how.stage),
                                                 .output = how.output,
                                                 .stretch = static_cast<unsigned>(how.stretch),
                                                 .room = how.room,
                                                 .fetch = false},
                                                repeats);
    result.count = found.count;
    result.patterns = std::move(found.patterns);
    result.stretch = found.plan.stretch;
    result.digest = found.hash;
    result.seconds = std::move(found.seconds);
    result.grid = std::to_string(found.plan.blocks) + "x" + std::to_string(found.plan.threads);
    return result;
  }
#endif
  const matchers::SetWork work{.all_threads = how.all_threads, .stretch = how.stretch, .output = how.output};
  static_cast<SetFound&>(result) = prepared_->search(text.characters, work);
  result.digest = digest_of(result.positions);
  for (unsigned r = 0; r < repeats; ++r) {
    result.seconds.push_back(prepared_->search(text.characters, work).search_seconds);
  }
  return result;
}

std::uint64_t SetSearch::table_bytes() const {
#ifdef TRAWL_WITH_CUDA
  if (on_device_) {
    return on_device_->table_bytes();
  }
#endif
  return prepared_->table_bytes();
}

RankRun search_on_ranks(ranks::Cluster& cluster, const RankJob& job, std::string_view text, const PatternSet& set) {
  const bool works = cluster.rank() < job.ranks;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, job.threads);
  const bool on_device = !job.stage.empty();
#ifdef TRAWL_WITH_CUDA
  if (on_device) {
    const auto devices = gpu::devices();
    gpu::start(devices[cluster.local_rank() % devices.size()]);
  }
#endif
  const SetSearch search(job.algorithm, on_device, set);
  Pieces pieces{text.size(), job.ranks, set.longest()};
  cluster.broadcast({reinterpret_cast<char*>(&pieces.size), sizeof pieces.size});
  std::vector<double> load, searching, cpu, most_cpu, reduce;
  RankRun run;
  // The first run is not timed; it counts each pattern, for the check.
  for (unsigned r = 0; r <= job.repeats; ++r) {
    const SetOutput output = r == 0 || job.by_pattern ? SetOutput::patterns : SetOutput::count;
    std::string piece;
    std::optional<SetText> all, before;  // the occurrences that end in `before` are those of another piece
    cluster.barrier();
    load.push_back(seconds_of([&] {
      piece = pieces.take(cluster, text);
      if (works) {
        all.emplace(piece, on_device);
        before.emplace(std::string_view(piece).substr(0, pieces.before(cluster.rank())), on_device);
      }
      cluster.barrier();
    }));
    SetFound found;
    double search_time = 0;
    const double worked = cpu_seconds_of([&] {
      if (works) {
        const SetHow how{.output = output, .stage = job.stage, .all_threads = job.threads > 1};
        const SetResult result = search.search(*all, how, on_device ? 1 : 0);
        search_time = on_device ? result.seconds[0] : result.search_seconds;
        found = without(result, search.search(*before, how, 0));
      }
    });
    searching.push_back(std::ranges::max(gathered(cluster, search_time)));
    const std::vector<double> all_worked = gathered(cluster, works ? worked : 0);
    cpu.push_back(std::accumulate(all_worked.begin(), all_worked.end(), 0.0));
    most_cpu.push_back(std::ranges::max(all_worked));
    std::vector<std::uint64_t> sums = std::move(found.patterns);
    sums.resize(output == SetOutput::patterns ? set.size() : 0);
    sums.push_back(found.count);
    cluster.barrier();
    reduce.push_back(seconds_of([&] { cluster.sum(sums); }));
    if (r == 0) {
      run.found.count = sums.back();
      sums.pop_back();
      run.found.patterns = std::move(sums);
    } else if (cluster.is_first() && sums.back() != run.found.count) {
      throw Error(job.algorithm + ", " + std::to_string(job.ranks) +
                  " ranks: another number of occurrences than before");
    }
  }
  const auto of_timed = [](const std::vector<double>& runs) { return median({runs.begin() + 1, runs.end()}); };
  run.prepare = std::ranges::max(gathered(cluster, search.prepare_seconds()));
  run.load = of_timed(load);
  run.search = of_timed(searching);
  run.cpu = of_timed(cpu);
  run.most_cpu = of_timed(most_cpu);
  run.reduce = of_timed(reduce);
  return run;
}

}  // namespace trawl::lab
