#include "lab/bench_multi_ranks.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "lab/bench_clock.hpp"
#include "lab/bench_multi_scan.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#endif

namespace trawl::lab {

namespace {

using matchers::PatternSet;
using matchers::SetFound;
using matchers::SetOutput;

constexpr ranks::Tag kPiece = 200;

// The part of the text that begins at `begin`. What it has of `bases` is in its own coordinates.
ExactText piece_of(const ExactText& text, std::uint64_t begin, std::uint64_t end) {
  ExactText piece;
  piece.name = text.name;
  piece.letters = text.letters;
  piece.characters = text.characters.substr(begin, end - begin);
  for (const TextPart& part : text.bases) {
    const std::uint64_t from = std::max(begin, part.begin);
    const std::uint64_t to = std::min(end, part.begin + part.length);
    if (from < to) {
      piece.bases.push_back({from - begin, to - from});
    }
  }
  return piece;
}

// Takes from what was found in a piece what was found in another text.
void subtract(SetFound& found, const SetFound& other) {
  found.count -= other.count;
  for (std::size_t p = 0; p < other.patterns.size(); ++p) {
    found.patterns[p] -= other.patterns[p];
  }
}

// Searches a piece. The occurrences that end in its first `before` characters are those of another piece.
class PieceSearch {
 public:
  PieceSearch(const RankJob& job, unsigned local_rank, const PatternSet& set) : set_(set), stage_(job.stage) {
    if (!stage_.empty()) {
      prepare_on_device(job.algorithm, local_rank);
      return;
    }
    const std::string& algorithm = job.algorithm;
    for (const matchers::CpuSetMatcher& matcher : matchers::cpu_set_matchers()) {
      if (matcher.facts->name == algorithm) {
        prepare_seconds_ = seconds_of([&] { prepared_ = matcher.prepare(set); });
      }
    }
  }

  /// Before run(): the piece is copied to the device, if there is one.
  void load(const ExactText& piece, std::uint64_t before) {
#ifdef TRAWL_WITH_CUDA
    if (on_device_) {
      device_text_.reset();
      device_text_ = std::make_unique<gpu::DeviceText>(piece.characters);
      device_before_ = std::make_unique<gpu::DeviceText>(std::string_view(piece.characters).substr(0, before));
    }
#else
    (void)piece, (void)before;
#endif
  }

  SetFound run(const ExactText& piece, std::uint64_t before, bool all_threads, SetOutput output) {
    SetFound found;
#ifdef TRAWL_WITH_CUDA
    if (on_device_) {
      found = search_device(*device_text_, output);
      subtract(found, search_device(*device_before_, output));
      return found;
    }
#endif
    if (prepared_) {
      const matchers::SetWork work{.all_threads = all_threads, .stretch = 0, .output = output};
      found = prepared_->search(piece.characters, work);
      subtract(found, prepared_->search(std::string_view(piece.characters).substr(0, before), work));
      return found;
    }
    MultiScanRun run = scan(piece);
    found = std::move(run.found);
    found.search_seconds = run.seconds.front();
    prepare_seconds_ = run.prepare_seconds;
    for (const matchers::SetMatch& match : found.positions) {
      if (match.end < before) {
        --found.count;
        --found.patterns[match.pattern];
      }
    }
    return found;
  }

  double prepare_seconds() const { return prepare_seconds_; }

 private:
#ifdef TRAWL_WITH_CUDA
  void prepare_on_device(const std::string& algorithm, unsigned local_rank) {
    const auto devices = gpu::devices();
    gpu::start(devices[local_rank % devices.size()]);
    for (const gpu::GpuSetMatcher& matcher : gpu::gpu_set_matchers()) {
      if (matcher.facts->name == algorithm) {
        prepare_seconds_ = seconds_of([&] { on_device_ = matcher.prepare(set_); });
      }
    }
  }

  SetFound search_device(const gpu::DeviceText& text, SetOutput output) const {
    gpu::GpuSetFound on_device = on_device_->search(text, {.stage = gpu::set_stage(stage_), .output = output}, 1);
    SetFound found;
    found.count = on_device.count;
    found.patterns = std::move(on_device.patterns);
    found.search_seconds = on_device.seconds.front();
    return found;
  }

  MultiScanRun scan(const ExactText& piece) const {
    const MultiScan search(piece, set_);
    return stage_.empty() ? search.on_cpu(1) : search.on_device(1);
  }
#else
  void prepare_on_device(const std::string&, unsigned) { throw Error("this build has no CUDA code"); }
  MultiScanRun scan(const ExactText& piece) const { return MultiScan(piece, set_).on_cpu(1); }
#endif

  const PatternSet& set_;
  std::string stage_;
  std::unique_ptr<matchers::PreparedSet> prepared_;
#ifdef TRAWL_WITH_CUDA
  std::unique_ptr<gpu::GpuPreparedSet> on_device_;
  std::unique_ptr<gpu::DeviceText> device_text_, device_before_;
#endif
  double prepare_seconds_ = 0;
};

}  // namespace

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
    packer.text(job.algorithm)
        .text(job.stage)
        .number(job.ranks)
        .number(job.threads)
        .number(job.repeats)
        .number(job.by_pattern);
    packer.number(characters).number(longest).number(std::uint64_t{patterns.size()});
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

// The piece of this rank. The first rank sends those of the others.
ExactText RankSearch::take_piece(const Shared& shared, const ExactText* text) {
  const unsigned rank = cluster_.rank();
  if (rank >= shared.job.ranks) {
    return {};
  }
  if (text == nullptr) {
    const ranks::Message message = cluster_.receive_from(0, kPiece);
    Unpacker unpacker(message.view());
    ExactText piece;
    piece.letters = unpacker.number<unsigned>();
    piece.bases = unpacker.numbers<TextPart>();
    piece.characters = unpacker.text();
    return piece;
  }
  for (unsigned to = 1; to < shared.job.ranks; ++to) {
    const ExactText piece = piece_of(*text, shared.begin_of(to) - shared.before(to), shared.end_of(to));
    Packer packer;
    packer.number(piece.letters).numbers(piece.bases).text(piece.characters);
    cluster_.send(to, kPiece, packer.bytes());
  }
  return piece_of(*text, 0, shared.end_of(0));
}

RankRun RankSearch::work(const Shared& shared, const ExactText* text) {
  const RankJob& job = shared.job;
  const bool works = cluster_.rank() < job.ranks;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, job.threads);
  std::optional<PatternSet> set;
  std::optional<PieceSearch> search;
  cluster_.together([&] {
    set.emplace(shared.patterns);
    search.emplace(job, cluster_.local_rank(), *set);
  });
  // The numbers of all ranks that work, on the first one; on the others only a zero.
  const auto of_all = [&](double seconds) {
    std::vector<double> all{0};
    Packer packer;
    packer.number(seconds);
    for (const std::string& bytes : cluster_.gather(packer.bytes())) {
      all.push_back(Unpacker(bytes).number<double>());
    }
    return all;
  };
  const auto slowest = [&](double seconds) { return std::ranges::max(of_all(seconds)); };
  RankRun run;
  // The first run is not timed; it counts each pattern, for the check.
  for (unsigned r = 0; r <= job.repeats; ++r) {
    const SetOutput output = r == 0 || job.by_pattern ? SetOutput::patterns : SetOutput::count;
    ExactText piece;
    cluster_.barrier();
    const double load = seconds_of([&] {
      piece = take_piece(shared, text);
      if (works) {
        search->load(piece, shared.before(cluster_.rank()));
      }
      cluster_.barrier();
    });
    SetFound found;
    const double cpu = cpu_seconds_of([&] {
      if (works) {
        found = search->run(piece, shared.before(cluster_.rank()), job.threads > 1, output);
      }
    });
    std::vector<std::uint64_t> sums = std::move(found.patterns);
    sums.resize(output == SetOutput::patterns ? set->size() : 0);
    sums.push_back(found.count);
    const double search_seconds = slowest(found.search_seconds);
    const std::vector<double> cpu_seconds = of_all(works ? cpu : 0);
    cluster_.barrier();
    const double reduce = seconds_of([&] { cluster_.sum(sums); });
    if (r == 0) {
      run.count = sums.back();
      sums.pop_back();
      run.patterns = std::move(sums);
      continue;
    }
    if (cluster_.is_first() && sums.back() != run.count) {
      throw Error(job.algorithm + ", " + std::to_string(job.ranks) +
                  " ranks: another number of occurrences than before");
    }
    run.load_seconds.push_back(load);
    run.search_seconds.push_back(search_seconds);
    run.cpu_seconds.push_back(std::accumulate(cpu_seconds.begin(), cpu_seconds.end(), 0.0));
    run.most_cpu_seconds.push_back(std::ranges::max(cpu_seconds));
    run.reduce_seconds.push_back(reduce);
  }
  run.prepare_seconds = slowest(search->prepare_seconds());
  return run;
}

RankRun RankSearch::run(const RankJob& job, const ExactText& text, const std::vector<std::string>& patterns) {
  Shared shared{job, patterns, text.characters.size(), 1};
  for (const std::string& pattern : patterns) {
    shared.longest = std::max<std::uint64_t>(shared.longest, pattern.size());
  }
  std::string bytes = shared.packed();
  cluster_.broadcast(bytes);
  return work(shared, &text);
}

void RankSearch::end() {
  std::string none;
  cluster_.broadcast(none);
}

void RankSearch::serve() {
  while (true) {
    std::string bytes;
    cluster_.broadcast(bytes);
    if (bytes.empty()) {
      return;
    }
    (void)work(Shared::of(bytes), nullptr);
  }
}

}  // namespace trawl::lab
