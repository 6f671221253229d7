#include "lab/bench_ranks.hpp"

#include <sched.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_runner.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#endif
#ifdef TRAWL_WITH_MPI
#include <mpi.h>
#endif

namespace trawl::lab {

namespace {

// mpirun of Open MPI, of MPICH and Intel MPI, and srun.
bool is_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD"}) {
    if (const char* text = std::getenv(name)) {
      return std::string(name).ends_with("SIZE") ? std::string(text) != "1" : true;
    }
  }
  return false;
}

#ifdef TRAWL_WITH_MPI
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of an MPI call

// A blocking call would keep a core busy, which computes something instead.
void wait_for(MPI_Request request) {
  for (int is_done = 0; true;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// Calls start(begin, count, request) for one part after another.
template <class Start>
void in_parts(std::size_t bytes, Start&& start) {
  for (std::size_t begin = 0; begin < bytes; begin += kMostBytes) {
    MPI_Request request;
    start(begin, static_cast<int>(std::min(kMostBytes, bytes - begin)), &request);
    wait_for(request);
  }
}
#endif

}  // namespace

Ranks::Ranks() {
  std::vector<int> mine(CPU_SETSIZE), ranks_of_core;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (std::size_t core = 0; core < mine.size(); ++core) {
      mine[core] = CPU_ISSET(core, &allowed) ? 1 : 0;
    }
  }
  ranks_of_core = mine;
  if (is_launched()) {
#ifdef TRAWL_WITH_MPI
    int rank = 0, size = 1, local_rank = 0;
    MPI_Comm node;
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_rank);
    MPI_Allreduce(mine.data(), ranks_of_core.data(), CPU_SETSIZE, MPI_INT, MPI_SUM, node);
    MPI_Comm_free(&node);
    rank_ = static_cast<unsigned>(rank);
    size_ = static_cast<unsigned>(size);
    local_rank_ = static_cast<unsigned>(local_rank);
#else
    throw Error("a launcher of MPI has started this program, which was built without MPI");
#endif
  }
  double share = 1e-6;  // for rounding: three thirds of a core are one
  for (std::size_t core = 0; core < mine.size(); ++core) {
    share += mine[core] != 0 ? 1.0 / ranks_of_core[core] : 0;
  }
  cores_ = std::max(1u, static_cast<unsigned>(share));
}

#ifdef TRAWL_WITH_MPI
Ranks::~Ranks() {
  if (is_launched()) {
    MPI_Finalize();
  }
}

void Ranks::abort(int status) {
  if (size_ > 1) {
    MPI_Abort(MPI_COMM_WORLD, status);
  }
}

void Ranks::send(unsigned to, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  MPI_Request request;
  MPI_Isend(&size, 1, MPI_UINT64_T, static_cast<int>(to), 0, MPI_COMM_WORLD, &request);
  wait_for(request);
  in_parts(bytes.size(), [&](std::size_t begin, int count, MPI_Request* part) {
    MPI_Isend(bytes.data() + begin, count, MPI_BYTE, static_cast<int>(to), 0, MPI_COMM_WORLD, part);
  });
}

std::string Ranks::receive() {
  std::uint64_t size = 0;
  MPI_Request request;
  MPI_Irecv(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
  wait_for(request);
  std::string bytes(size, '\0');
  in_parts(size, [&](std::size_t begin, int count, MPI_Request* part) {
    MPI_Irecv(bytes.data() + begin, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, part);
  });
  return bytes;
}

void Ranks::barrier() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_for(request);
}

void Ranks::broadcast(std::string& bytes) {
  std::uint64_t size = bytes.size();
  MPI_Request request;
  MPI_Ibcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
  wait_for(request);
  bytes.resize(size);
  in_parts(size, [&](std::size_t begin, int count, MPI_Request* part) {
    MPI_Ibcast(bytes.data() + begin, count, MPI_BYTE, 0, MPI_COMM_WORLD, part);
  });
}

std::vector<double> Ranks::gather(double number) {
  std::vector<double> all(size_);
  MPI_Request request;
  MPI_Igather(&number, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  wait_for(request);
  return all;
}

void Ranks::sum(std::vector<std::uint64_t>& numbers) {
  const std::vector<std::uint64_t> mine = numbers;
  MPI_Request request;
  MPI_Ireduce(mine.data(), numbers.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD,
              &request);
  wait_for(request);
}
#else
Ranks::~Ranks() = default;
void Ranks::abort(int) {}
void Ranks::send(unsigned, std::string_view) {}
std::string Ranks::receive() { return {}; }
void Ranks::barrier() {}
void Ranks::broadcast(std::string&) {}
std::vector<double> Ranks::gather(double number) { return {number}; }
void Ranks::sum(std::vector<std::uint64_t>&) {}
#endif

namespace {

using matchers::PatternSet;
using matchers::SetFound;
using matchers::SetOutput;

SetFound without(SetFound found, const SetFound& other) {
  found.count -= other.count;
  for (std::size_t p = 0; p < other.patterns.size(); ++p) {
    found.patterns[p] -= other.patterns[p];
  }
  return found;
}

}  // namespace

std::vector<const matchers::SetFacts*> set_matchers([[maybe_unused]] bool on_device) {
  std::vector<const matchers::SetFacts*> facts;
  const auto add = [&](const auto& all) {
    for (const auto& matcher : all) {
      facts.push_back(matcher.facts);
    }
  };
#ifdef TRAWL_WITH_CUDA
  if (on_device) {
    add(gpu::gpu_set_matchers());
    return facts;
  }
#endif
  add(matchers::cpu_set_matchers());
  return facts;
}

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

// What the first rank tells all.
struct RankSearch::Shared {
  RankJob job;
  std::vector<std::string> patterns;
  std::uint64_t characters = 0;  // of the text
  std::uint64_t longest = 1;

  std::uint64_t begin_of(unsigned rank) const { return rank >= job.ranks ? characters : characters / job.ranks * rank; }
  std::uint64_t end_of(unsigned rank) const { return rank + 1 >= job.ranks ? characters : begin_of(rank + 1); }
  // Characters of the piece before that are searched again.
  std::uint64_t before(unsigned rank) const { return std::min(begin_of(rank), longest - 1); }

  std::string packed() const {
    Packer packer;
    packer.text(job.algorithm).text(job.stage).number(job.ranks).number(job.threads).number(job.repeats);
    packer.number(job.by_pattern).number(characters).number(longest).number(std::uint64_t{patterns.size()});
    for (const std::string& pattern : patterns) {
      packer.text(pattern);
    }
    return packer.take();
  }
  static Shared of(std::string_view bytes) {
    Unpacker unpacker(bytes);
    Shared shared;
    shared.job.algorithm = unpacker.text();
    shared.job.stage = unpacker.text();
    shared.job.ranks = unpacker.number<unsigned>();
    shared.job.threads = unpacker.number<unsigned>();
    shared.job.repeats = unpacker.number<unsigned>();
    shared.job.by_pattern = unpacker.number<bool>();
    shared.characters = unpacker.number<std::uint64_t>();
    shared.longest = unpacker.number<std::uint64_t>();
    for (auto n = unpacker.number<std::uint64_t>(); n > 0; --n) {
      shared.patterns.emplace_back(unpacker.text());
    }
    return shared;
  }
};

// The piece of this rank. The first rank, which has the text, sends those of the others.
std::string RankSearch::take_piece(const Shared& shared, const std::string* text) {
  if (ranks_.rank() >= shared.job.ranks) {
    return {};
  }
  if (text == nullptr) {
    return ranks_.receive();
  }
  for (unsigned to = 1; to < shared.job.ranks; ++to) {
    const std::uint64_t begin = shared.begin_of(to) - shared.before(to);
    ranks_.send(to, std::string_view(*text).substr(begin, shared.end_of(to) - begin));
  }
  return text->substr(0, shared.end_of(0));
}

RankRun RankSearch::work(const Shared& shared, const std::string* text) {
  const RankJob& job = shared.job;
  const bool works = ranks_.rank() < job.ranks;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, job.threads);
  const PatternSet set(shared.patterns);
  const bool on_device = !job.stage.empty();
#ifdef TRAWL_WITH_CUDA
  if (on_device) {
    const auto devices = gpu::devices();
    gpu::start(devices[ranks_.local_rank() % devices.size()]);
  }
#endif
  const SetSearch search(job.algorithm, on_device, set);
  const auto slowest = [&](double seconds) { return std::ranges::max(ranks_.gather(seconds)); };
  RankRun run;
  // The first run is not timed; it counts each pattern, for the check.
  for (unsigned r = 0; r <= job.repeats; ++r) {
    const SetOutput output = r == 0 || job.by_pattern ? SetOutput::patterns : SetOutput::count;
    std::string piece;
    std::optional<SetText> all, before;  // the occurrences that end in `before` are those of another piece
    ranks_.barrier();
    const double load = seconds_of([&] {
      piece = take_piece(shared, text);
      if (works) {
        all.emplace(piece, on_device);
        before.emplace(std::string_view(piece).substr(0, shared.before(ranks_.rank())), on_device);
      }
      ranks_.barrier();
    });
    SetFound found;
    double search_time = 0;
    const double cpu = cpu_seconds_of([&] {
      if (works) {
        const SetHow how{.output = output, .stage = job.stage, .all_threads = job.threads > 1};
        const SetResult result = search.search(*all, how, on_device ? 1 : 0);
        search_time = on_device ? result.seconds[0] : result.search_seconds;
        found = without(result, search.search(*before, how, 0));
      }
    });
    std::vector<std::uint64_t> sums = std::move(found.patterns);
    sums.resize(output == SetOutput::patterns ? set.size() : 0);
    sums.push_back(found.count);
    const double search_seconds = slowest(search_time);
    const std::vector<double> cpu_seconds = ranks_.gather(works ? cpu : 0);
    ranks_.barrier();
    const double reduce = seconds_of([&] { ranks_.sum(sums); });
    if (r == 0) {
      run.count = sums.back();
      sums.pop_back();
      run.patterns = std::move(sums);
      continue;
    }
    if (ranks_.is_first() && sums.back() != run.count) {
      throw Error(job.algorithm + ", " + std::to_string(job.ranks) +
                  " ranks: another number of occurrences than before");
    }
    run.load_seconds.push_back(load);
    run.search_seconds.push_back(search_seconds);
    run.cpu_seconds.push_back(std::accumulate(cpu_seconds.begin(), cpu_seconds.end(), 0.0));
    run.most_cpu_seconds.push_back(std::ranges::max(cpu_seconds));
    run.reduce_seconds.push_back(reduce);
  }
  run.prepare_seconds = slowest(search.prepare_seconds());
  return run;
}

RankRun RankSearch::run(const RankJob& job, const std::string& text, const std::vector<std::string>& patterns) {
  Shared shared{job, patterns, text.size(), 1};
  for (const std::string& pattern : patterns) {
    shared.longest = std::max<std::uint64_t>(shared.longest, pattern.size());
  }
  std::string bytes = shared.packed();
  ranks_.broadcast(bytes);
  return work(shared, &text);
}

void RankSearch::end() {
  if (std::string none; ranks_.size() > 1) {
    ranks_.broadcast(none);
  }
}

void RankSearch::serve() {
  for (std::string bytes; true;) {
    ranks_.broadcast(bytes);
    if (bytes.empty()) {
      return;
    }
    try {
      (void)work(Shared::of(bytes), nullptr);
    } catch (const UsageError&) {  // the first rank finds the same, and says it
    }
  }
}

}  // namespace trawl::lab
