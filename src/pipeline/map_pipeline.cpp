#include "pipeline/map_pipeline.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ordered_pipeline.hpp"
#include "base/pool.hpp"
#include "base/stopwatch.hpp"
#include "pipeline/batch_source.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::pipeline {

namespace {

// A batch in work, with all its buffers. It is used again for later batches.
struct MappedBatch {
  BatchSource::Taken taken;
  io::ReadInput::Batch input;
  align::AlignmentBatch alignments;
  std::unique_ptr<io::Chunk> records;
  io::RunCounts counts;
  io::LimitCounts limits;
  double check_seconds = 0;
  double format_seconds = 0;
};

// The reads whose allowed edits are more than a quarter of their length.
std::uint64_t count_many_edits(const sequence::ReadBatch& reads, const map::NumberOrShare& most) {
  std::uint64_t many = 0;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    many += 4 * std::size_t{most.of(reads.length(i))} > reads.length(i) ? 1 : 0;
  }
  return many;
}

// The reads to which -e allows more edits than are possible.
io::LimitCounts::FewerEdits find_edits_limited(const sequence::ReadBatch& reads, const map::Options& options,
                                               std::uint64_t batch) {
  io::LimitCounts::FewerEdits limited;
  limited.batch = batch;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const std::size_t length = reads.length(i);
    if (options.allowed_edits(length) < options.max_edits.of(length) && limited.count++ == 0) {
      limited.first = "'" + std::string(reads.name(i)) + "' of " + std::to_string(length) + " bases";
    }
  }
  return limited;
}

// The reads without a locus that have more ambiguous bases than edits. These match nothing, so it is why.
std::uint64_t count_many_ambiguous(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                                   const map::Options& options) {
  std::uint64_t many = 0;
  for (std::size_t i = 0; options.ambiguous == map::Ambiguous::mismatch && i < reads.size(); ++i) {
    const align::ReadResult& read = alignments.reads[i];
    if (read.best_count == 0 && read.unmapped == align::Unmapped::no_locus) {
      const std::string_view bases = reads.bases(i);
      const auto ambiguous = std::count_if(
          bases.begin(), bases.end(), [](char letter) { return sequence::base_code(letter) == sequence::kAmbiguous; });
      many += static_cast<std::size_t>(ambiguous) > options.allowed_edits(bases.size()) ? 1 : 0;
    }
  }
  return many;
}

// `shortest`: of the circular contigs; 0: there is none.
std::uint64_t count_longer_than_circle(const sequence::ReadBatch& reads, std::uint64_t shortest) {
  std::uint64_t longer = 0;
  for (std::size_t i = 0; shortest > 0 && i < reads.size(); ++i) {
    longer += reads.length(i) > shortest ? 1 : 0;
  }
  return longer;
}

// The reads of which the number given with --clip is half or more.
std::uint64_t count_clip_limited(const sequence::ReadBatch& reads, const map::ClipOptions& clip) {
  std::uint64_t limited = 0;
  for (std::size_t i = 0; clip.on() && !clip.most.is_share && i < reads.size(); ++i) {
    limited += 2 * std::size_t{clip.most.number} >= reads.length(i) ? 1 : 0;
  }
  return limited;
}

// The stages of a batch. `take` to `write` are called in this order; those that say so, one batch after the other.
class MapPipeline {
 public:
  MapPipeline(BatchSource& source, engine::Engine& engine, io::AlignmentSink& sink, const map::Options& options,
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
    no_counts_.pairs = stats.pairs;
    no_counts_.pairs.orientation = options.pairs.orientation;
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
    watch.lap(read_seconds_);
    if (!taken) {
      return nullptr;
    }
    job->taken = *taken;
    return job;
  }

  void take_mates(MappedBatch& job) {
    Stopwatch watch;
    source_.take_mates(job.taken, job.input);
    watch.lap(read_seconds_of_mates_);
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
    worker->map(reads, job.alignments);
    if (!options_.one_end) {
      align::leave_one_end_unmapped(job.alignments);
    }
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
    job.limits = {.clip_limited = count_clip_limited(reads, options_.clip),
                  .many_edits = count_many_edits(reads, options_.max_edits),
                  .many_ambiguous = count_many_ambiguous(reads, job.alignments, options_),
                  .longer_than_circle = count_longer_than_circle(reads, options_.shortest_circle),
                  .edits_limited = find_edits_limited(reads, options_, job.taken.number)};
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
    watch.lap(write_seconds_);
    format_seconds_ += job.format_seconds;
    check_seconds_ += job.check_seconds;
    stats_ += job.counts;
    stats_.limits += job.limits;
    sizer_.saw(job.input.reads.size(), job.counts.alignments);
    progress_.update(source_.reads_so_far(stats_.reads), job.input.reads.input_bytes);
  }

  void add_seconds() {
    engine::StageSeconds sum;
    for (const auto& worker : workers_) {
      if (worker) {
        sum += worker->seconds();
      }
    }
    auto& seconds = stats_.seconds;
    seconds["read"] = read_seconds_ + read_seconds_of_mates_;
    seconds["check"] = check_seconds_;
    seconds["seed"] = sum.seed;
    seconds["verify"] = sum.verify;
    seconds["scan"] = sum.scan;
    seconds["align"] = sum.align;
    seconds["copy"] = sum.copy;
    if (options_.clip.on()) {
      seconds["clip"] = sum.clip;
    }
    seconds["format"] = format_seconds_;
    seconds["write"] += write_seconds_;
  }

  BatchSource& source_;
  engine::Engine& engine_;
  io::AlignmentSink& sink_;
  const map::Options& options_;
  io::Progress& progress_;
  io::RunStats& stats_;
  io::MapReport* report_;

  BatchSizer sizer_;
  Pool<std::shared_ptr<MappedBatch>> pool_;  // their buffers need not be allocated for every batch
  tbb::enumerable_thread_specific<std::unique_ptr<engine::Worker>> workers_;
  io::RunCounts no_counts_;
  double read_seconds_ = 0;
  double read_seconds_of_mates_ = 0;
  double write_seconds_ = 0;
  double check_seconds_ = 0;
  double format_seconds_ = 0;
};

}  // namespace

void map_reads(BatchSource& source, engine::Engine& engine, io::AlignmentSink& sink, const map::Options& options,
               std::size_t batch_size, io::Progress& progress, io::RunStats& stats, io::MapReport* report) {
  MapPipeline(source, engine, sink, options, batch_size, progress, stats, report).run();
}

}  // namespace trawl::pipeline
