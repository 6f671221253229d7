#include "run/map_pipeline.hpp"

#include <tbb/concurrent_queue.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/stopwatch.hpp"
#include "run/batch_sizer.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::run {

namespace {

// A batch in work, with all its buffers. It is used again for later batches.
struct Job {
  BatchSource::Taken taken;
  io::ReadInput::Batch input;
  align::AlignmentBatch alignments;
  std::unique_ptr<io::Chunk> records;
  io::RunCounts counts;
  io::LimitCounts limits;
  double check_seconds = 0;
  double format_seconds = 0;
  std::exception_ptr failure;  // thrown when the batch would be written, so the first error in input order is reported
};

// Jobs that wait to be used again, so that their buffers need not be allocated for every batch.
class JobPool {
 public:
  std::shared_ptr<Job> take() {
    std::shared_ptr<Job> job;
    if (!jobs_.try_pop(job)) {
      job = std::make_shared<Job>();
    }
    return job;
  }
  void give_back(std::shared_ptr<Job> job) { jobs_.push(std::move(job)); }

 private:
  tbb::concurrent_queue<std::shared_ptr<Job>> jobs_;
};

struct ThreadState {
  std::unique_ptr<engine::Worker> worker;
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

// The reads of which the number given with --clip is half or more.
std::uint64_t count_clip_limited(const sequence::ReadBatch& reads, const map::ClipOptions& clip) {
  std::uint64_t limited = 0;
  for (std::size_t i = 0; clip.on() && !clip.most.is_share && i < reads.size(); ++i) {
    limited += 2 * std::size_t{clip.most.number} >= reads.length(i) ? 1 : 0;
  }
  return limited;
}

}  // namespace

void run_map_pipeline(BatchSource& source, engine::Engine& engine, RecordTarget& target, const map::Options& options,
                      std::size_t batch_size, io::Progress& progress, io::RunStats& stats, io::MapReport* report) {
  tbb::enumerable_thread_specific<ThreadState> states;
  JobPool pool;
  BatchSizer sizer({.reads = batch_size > 0 ? batch_size : engine.reads_per_batch(),
                    .fixed = batch_size > 0,
                    .pairs_of_loci = source.paired() && options.report != map::Report::best});
  io::RunCounts no_counts;
  no_counts.pairs = stats.pairs;
  double read_seconds = 0;
  double mates_seconds = 0;
  double write_seconds = 0;
  double check_seconds = 0;
  double format_seconds = 0;

  // An exception that crosses parallel_pipeline() would leak the jobs that wait in it.
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  bool ended = false;
  const auto read = tbb::make_filter<void, std::shared_ptr<Job>>(
      tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) -> std::shared_ptr<Job> {
        Stopwatch watch;
        auto job = pool.take();
        ended = ended || failed;
        if (!ended) {
          const auto taken = source.take(sizer.next(), engine.bases_per_batch(), job->input);
          ended = !taken;
          job->taken = taken.value_or(BatchSource::Taken());
          job->failure = job->taken.failure;
        }
        watch.lap(read_seconds);
        if (ended) {
          control.stop();
        }
        ended = ended || job->failure;
        return job;
      });
  // While the mates of a batch are cut from the second list, the first list is cut for the next batch.
  const auto read_mates = tbb::make_filter<std::shared_ptr<Job>, std::shared_ptr<Job>>(
      tbb::filter_mode::serial_in_order, [&](std::shared_ptr<Job> job) {
        Stopwatch watch;
        if (!job->failure && !failed) {
          source.take_mates(job->taken, job->input);
        }
        watch.lap(mates_seconds);
        return job;
      });
  const auto make_records = [&](Job& job) {
    auto& state = states.local();
    if (!state.worker) {
      state.worker = engine.make_worker();
    }
    job.format_seconds = 0;
    job.check_seconds = 0;
    Stopwatch watch;
    source.finish(job.input);
    const sequence::ReadBatch& reads = job.input.reads;
    watch.lap(job.check_seconds);
    state.worker->map(reads, job.alignments);
    if (!options.one_end) {
      align::leave_one_end_unmapped(job.alignments);
    }
    Stopwatch formatting;
    if (!job.records) {
      job.records = target.sink().make_chunk();
    }
    target.sink().format(reads, job.alignments, *job.records);
    job.counts = no_counts;
    job.counts.add(reads, job.alignments);
    if (report != nullptr) {
      report->add(reads, job.alignments);
    }
    job.limits = {.clip_limited = count_clip_limited(reads, options.clip),
                  .many_edits = count_many_edits(reads, options.max_edits),
                  .many_ambiguous = count_many_ambiguous(reads, job.alignments, options),
                  .edits_limited = find_edits_limited(reads, options, job.taken.number)};
    formatting.lap(job.format_seconds);
  };
  const auto map = tbb::make_filter<std::shared_ptr<Job>, std::shared_ptr<Job>>(
      tbb::filter_mode::parallel, [&](std::shared_ptr<Job> job) {
        if (!job->failure && !failed) {
          try {
            make_records(*job);
          } catch (...) {
            job->failure = std::current_exception();
          }
        }
        return job;
      });
  const auto place = tbb::make_filter<std::shared_ptr<Job>, std::shared_ptr<Job>>(
      tbb::filter_mode::serial_in_order, [&](std::shared_ptr<Job> job) {
        if (!failed) {
          try {
            if (job->failure) {
              target.fail_to_place(job->taken.number, job->failure);
            } else {
              target.place(job->taken.number, *job->records);
            }
          } catch (...) {
            job->failure = std::current_exception();
          }
        }
        return job;
      });
  const auto pack = tbb::make_filter<std::shared_ptr<Job>, std::shared_ptr<Job>>(
      tbb::filter_mode::parallel, [&](std::shared_ptr<Job> job) {
        if (!job->failure && !failed) {
          Stopwatch watch;
          try {
            target.pack(*job->records);
          } catch (...) {
            job->failure = std::current_exception();
          }
          watch.lap(job->format_seconds);
        }
        return job;
      });
  const auto write_records = [&](std::shared_ptr<Job> job) {
    if (job->failure) {
      target.fail(job->taken.number, job->failure);
    }
    Stopwatch watch;
    target.write(job->taken.number, *job->records);
    watch.lap(write_seconds);
    format_seconds += job->format_seconds;
    check_seconds += job->check_seconds;
    stats += job->counts;
    stats.limits += job->limits;
    sizer.saw(job->input.reads.size(), job->counts.alignments);
    progress.update(source.reads_so_far(stats.reads), job->input.reads.input_bytes);
    const std::size_t capacity =
        std::max(job->alignments.alignments.capacity(), job->alignments.concordant_pairs.capacity());
    if (capacity <= 2 * sizer.max_alignments()) {
      job->input.clear();  // the blocks of the input can be used again
      pool.give_back(std::move(job));
    }
  };
  const auto write =
      tbb::make_filter<std::shared_ptr<Job>, void>(tbb::filter_mode::serial_in_order, [&](std::shared_ptr<Job> job) {
        if (!failed) {
          try {
            write_records(std::move(job));
          } catch (...) {
            failure = std::current_exception();
            failed = true;
          }
        }
      });

  const unsigned waiting = source.waiting_threads() + target.waiting_threads();
  tbb::task_arena arena(static_cast<int>(options.threads + engine.waiting_threads() + waiting));
  arena.execute([&] {
    const auto take = source.has_two_steps() ? read & read_mates : read;
    const auto put = target.packs() ? place & pack & write : write;
    tbb::parallel_pipeline(engine.batches_under_way(options.threads) + waiting, take & map & put);
  });
  if (failure) {
    std::rethrow_exception(failure);
  }

  engine::StageSeconds sum;
  for (const auto& state : states) {
    if (state.worker) {
      sum += state.worker->seconds();
    }
  }
  stats.seconds["read"] = read_seconds + mates_seconds;
  stats.seconds["check"] = check_seconds;
  stats.seconds["seed"] = sum.seed;
  stats.seconds["verify"] = sum.verify;
  stats.seconds["scan"] = sum.scan;
  stats.seconds["align"] = sum.align;
  stats.seconds["copy"] = sum.copy;
  if (options.clip.on()) {
    stats.seconds["clip"] = sum.clip;
  }
  stats.seconds["format"] = format_seconds;
  stats.seconds["write"] += write_seconds;
}

}  // namespace trawl::run
