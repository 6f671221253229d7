#include "pipeline/map_pipeline.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/ordered_pipeline.hpp"
#include "base/pool.hpp"
#include "base/stopwatch.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::pipeline {

namespace {

// A batch in work, with all its buffers. It is used again for later batches.
struct MappedBatch {
  BatchSource::Taken taken;
  io::ReadInput::InputBatch input;
  align::AlignmentBatch alignments;
  std::unique_ptr<io::Chunk> records;
  io::RunCounts counts;
  io::LimitCounts limits;
  double check_seconds = 0;
  double format_seconds = 0;
};

// How many reads the options leave less than they ask for, for the warnings at the end of a run.
io::LimitCounts limits_of(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                          const map::MapOptions& options, const io::RunCounts& counts, std::uint64_t batch) {
  io::LimitCounts limits;
  limits.edits_limited.batch = batch;
  const bool clips_bases = options.clip.on() && !options.clip.most.is_share;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads.is_absent(i)) {
      continue;
    }
    const std::string_view bases = reads.bases(i);
    const std::uint64_t times = counts.weight(reads.name(i));
    const std::uint32_t asked = options.max_edits.of(bases.size());
    const std::uint32_t allowed = options.allowed_edits(bases.size());
    limits.many_edits += 4 * std::size_t{asked} > bases.size() ? times : 0;
    limits.clip_limited += clips_bases && 2 * std::size_t{options.clip.most.number} >= bases.size() ? times : 0;
    limits.longer_than_circle += options.shortest_circle > 0 && bases.size() > options.shortest_circle ? times : 0;
    if (allowed < asked) {
      if (limits.edits_limited.count == 0) {
        limits.edits_limited.first =
            "'" + std::string(reads.name(i)) + "' of " + std::to_string(bases.size()) + " bases";
      }
      limits.edits_limited.count += times;
    }
    if (const std::string_view qualities = reads.qualities(i); batch == 0 && !qualities.empty()) {
      const auto [least, most] = std::minmax_element(qualities.begin(), qualities.end());
      constexpr char kLeast = '@', kMost = 'i';  // 0 and 41 with Phred+64
      constexpr char kUsual = 'J';               // 41 with Phred+33
      limits.phred33 += *least < kLeast || *most > kMost ? 1 : 0;
      limits.phred64 += *least >= kLeast && *most > kUsual ? 1 : 0;
    }
    // Ambiguous bases that match nothing are edits: more of them than edits are why there is no locus.
    const align::ReadResult& read = alignments.reads[i];
    if (options.ambiguous == map::Ambiguous::mismatch && read.best_count == 0 &&
        read.unmapped == align::Unmapped::no_locus) {
      const auto ambiguous = std::count_if(
          bases.begin(), bases.end(), [](char letter) { return sequence::base_code(letter) == sequence::kAmbiguous; });
      limits.many_ambiguous += static_cast<std::size_t>(ambiguous) > allowed ? times : 0;
    }
  }
  return limits;
}

// The stages of a batch. `take` to `write` are called in this order; those that say so, one batch after the other.
class MapPipeline {
 public:
  MapPipeline(BatchSource& source, engine::Engine& engine, io::AlignmentSink& sink, const map::MapOptions& options,
              std::size_t batch_size, io::Progress& progress, io::RunStats& stats, io::MapReport* report)
      : source_(source),
        engine_(engine),
        sink_(sink),
        options_(options),
        progress_(progress),
        stats_(stats),
        report_(report),
        sizer_({.reads = batch_size > 0 ? batch_size : engine.reads_per_batch(),
                .fixed = batch_size > 0,
                .pairs_of_loci = source.paired() && options.report != map::Report::best}) {
    no_counts_.collapsed = stats.collapsed;
    no_counts_.pairs = stats.pairs;
    no_counts_.pairs.orientation = options.pairs.orientation;
    no_counts_.damage.library = options.damage;
  }

  void run() {
    std::vector<StageOf<MappedBatch>> stages;
    const auto add = [&](Stage stage, void (MapPipeline::*work)(MappedBatch&)) {
      stages.push_back({stage, [this, work](MappedBatch& job) { (this->*work)(job); }});
    };
    // While the mates of a batch are cut from the second list, the first list is cut for the next batch.
    if (source_.has_two_steps()) {
      add(Stage::in_order, &MapPipeline::take_mates);
    }
    add(Stage::parallel, &MapPipeline::map);
    if (sink_.packs()) {
      stages.push_back({Stage::in_order, [this](MappedBatch& job) { sink_.place(*job.records); }});
      add(Stage::parallel, &MapPipeline::pack);
    }
    const unsigned waiting = source_.waiting_threads();
    tbb::task_arena arena(static_cast<int>(options_.threads + engine_.waiting_threads() + waiting));
    arena.execute([&] {
      run_in_order<MappedBatch>(
          engine_.batches_under_way(options_.threads) + waiting, [this] { return take_batch(); }, stages,
          [this](std::shared_ptr<MappedBatch> job) { write_batch(std::move(job)); });
    });
    add_seconds();
  }

 private:
  // Null at the end of the input.
  std::shared_ptr<MappedBatch> take_batch() {
    Stopwatch watch;
    auto job = pool_.take([] { return std::make_shared<MappedBatch>(); });
    const auto taken = source_.take(sizer_.next(), engine_.bases_per_batch(), job->input);
    watch.lap(seconds_.read);
    if (!taken) {
      return nullptr;
    }
    job->taken = *taken;
    return job;
  }

  void take_mates(MappedBatch& job) {
    Stopwatch watch;
    source_.take_mates(job.taken, job.input);
    watch.lap(seconds_.read_mates);
  }

  void map(MappedBatch& job) {
    auto& worker = workers_.local();
    if (!worker) {
      worker = engine_.make_worker();
    }
    job.format_seconds = 0;
    job.check_seconds = 0;
    Stopwatch watch;
    source_.finish(job.input);
    const sequence::ReadBatch& reads = job.input.reads;
    watch.lap(job.check_seconds);
    if (reads.paired && options_.damage.on()) {
      throw UsageError("--damage is for single reads, and " + std::string(reads.name(0)) +
                       " or one after it has a mate; merge the mates of short fragments first, for example with fastp "
                       "--merge");
    }
    engine::map_batch(*worker, reads, job.alignments);
    align::leave_unmapped(job.alignments, options_.max_loci, options_.one_end);
    Stopwatch formatting;
    if (!job.records) {
      job.records = sink_.make_chunk();
    }
    sink_.format(reads, job.alignments, *job.records);
    job.counts = no_counts_;
    job.counts.add(reads, job.alignments);
    if (report_ != nullptr) {
      report_->add(reads, job.alignments);
    }
    job.limits = limits_of(reads, job.alignments, options_, job.counts, job.taken.number);
    formatting.lap(job.format_seconds);
  }

  void pack(MappedBatch& job) {
    Stopwatch watch;
    sink_.pack(*job.records);
    watch.lap(job.format_seconds);
  }

  void write_batch(std::shared_ptr<MappedBatch> job) {
    write(*job);
    const std::size_t capacity =
        std::max(job->alignments.alignments.capacity(), job->alignments.concordant_pairs.capacity());
    if (capacity <= 2 * sizer_.max_alignments()) {
      job->input.clear();  // the blocks of the input can be used again
      pool_.give_back(std::move(job));
    }
  }

  void write(MappedBatch& job) {
    Stopwatch watch;
    sink_.write(*job.records);
    watch.lap(seconds_.write);
    seconds_.format += job.format_seconds;
    seconds_.check += job.check_seconds;
    stats_ += job.counts;
    stats_.limits += job.limits;
    sizer_.saw(job.counts.sequences, job.counts.records);
    progress_.update(source_.reads_so_far(stats_.sequences), job.input.reads.input_bytes);
  }

  void add_seconds() {
    engine::StageSeconds sum;
    for (const auto& worker : workers_) {
      if (worker) {
        sum += worker->seconds();
      }
    }
    auto& seconds = stats_.seconds;
    seconds["read"] = seconds_.read + seconds_.read_mates;
    seconds["check"] = seconds_.check;
    seconds["seed"] = sum.seed;
    seconds["verify"] = sum.verify;
    seconds["scan"] = sum.scan;
    seconds["align"] = sum.align;
    seconds["copy"] = sum.copy;
    if (options_.clip.on()) {
      seconds["clip"] = sum.clip;
    }
    seconds["format"] = seconds_.format;
    seconds["write"] += seconds_.write;
  }

  BatchSource& source_;
  engine::Engine& engine_;
  io::AlignmentSink& sink_;
  const map::MapOptions& options_;
  io::Progress& progress_;
  io::RunStats& stats_;
  io::MapReport* report_;

  BatchSizer sizer_;
  Pool<std::shared_ptr<MappedBatch>> pool_;  // their buffers need not be allocated for every batch
  tbb::enumerable_thread_specific<std::unique_ptr<engine::Worker>> workers_;
  io::RunCounts no_counts_;
  struct {
    double read = 0, read_mates = 0, check = 0, format = 0, write = 0;
  } seconds_;
};

}  // namespace

void map_reads(BatchSource& source, engine::Engine& engine, io::AlignmentSink& sink, const map::MapOptions& options,
               std::size_t batch_size, io::Progress& progress, io::RunStats& stats, io::MapReport* report) {
  MapPipeline(source, engine, sink, options, batch_size, progress, stats, report).run();
}

}  // namespace trawl::pipeline
