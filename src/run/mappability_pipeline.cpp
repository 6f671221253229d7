#include "run/mappability_pipeline.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"

namespace trawl::run {

namespace {

// Neighbouring reads of one contig.
struct Batch {
  std::size_t contig = 0;
  std::uint64_t begin = 0;  // in the contig
  std::vector<std::uint64_t> counts;
  std::exception_ptr failure;
};

// Cuts the reads of all contigs into batches, in order.
class BatchCutter {
 public:
  BatchCutter(const sequence::Reference& reference, const mappability::ReferenceReads& reads, std::size_t size)
      : contigs_(reference.contigs()), reads_(reads), size_(size) {}

  /// Null at the end.
  std::shared_ptr<Batch> next() {
    while (contig_ < contigs_.size() && begin_ == reads_.of(contigs_[contig_])) {
      ++contig_;
      begin_ = 0;
    }
    if (contig_ == contigs_.size()) {
      return nullptr;
    }
    auto batch = std::make_shared<Batch>();
    batch->contig = contig_;
    batch->begin = begin_;
    batch->counts.resize(std::min<std::uint64_t>(size_, reads_.of(contigs_[contig_]) - begin_));
    begin_ += batch->counts.size();
    return batch;
  }

 private:
  const std::vector<sequence::Contig>& contigs_;
  mappability::ReferenceReads reads_;
  std::size_t size_;
  std::size_t contig_ = 0;
  std::uint64_t begin_ = 0;
};

}  // namespace

void count_loci(const sequence::Reference& reference, const mappability::ReferenceReads& reads, engine::Engine& engine,
                unsigned threads, std::size_t batch_size, io::PositionTrack& track, io::Progress& progress,
                io::MappabilityStats& stats) {
  tbb::enumerable_thread_specific<std::unique_ptr<mappability::PositionLoci>> workers;
  mappability::KnownReads known(reference, reads.length);
  // A device needs many queries at a time, and most are of several reads. On the CPU no thread should wait long for the
  // one that is in a large repeat.
  const std::size_t usual = engine.waiting_threads() > 0
                                ? engine.reads_per_batch() * mappability::PositionLoci::reads_together(reads)
                                : std::max<std::size_t>(engine.reads_per_batch() / 4, 1);
  const std::size_t size = batch_size > 0 ? batch_size : usual;
  BatchCutter cutter(reference, reads, size);
  double write_seconds = 0;
  // An exception that crosses parallel_pipeline() would leak the batches that wait in it.
  std::exception_ptr failure;
  std::atomic<bool> failed{false};

  const auto cut = tbb::make_filter<void, std::shared_ptr<Batch>>(tbb::filter_mode::serial_in_order,
                                                                  [&](tbb::flow_control& control) {
                                                                    auto batch = failed ? nullptr : cutter.next();
                                                                    if (!batch) {
                                                                      control.stop();
                                                                    }
                                                                    return batch;
                                                                  });
  const auto count = tbb::make_filter<std::shared_ptr<Batch>, std::shared_ptr<Batch>>(
      tbb::filter_mode::parallel, [&](std::shared_ptr<Batch> batch) {
        try {
          auto& worker = workers.local();
          if (!worker) {
            worker = std::make_unique<mappability::PositionLoci>(reference, reads, engine.make_range_finder(), known);
          }
          if (!failed) {
            worker->count(reference.contigs()[batch->contig].offset + batch->begin, batch->counts);
          }
        } catch (...) {
          batch->failure = std::current_exception();
        }
        return batch;
      });
  const auto write_counts = [&](const Batch& batch) {
    if (batch.failure) {
      std::rethrow_exception(batch.failure);
    }
    Stopwatch watch;
    track.add(batch.contig, batch.begin, batch.counts);
    stats.add(batch.counts);
    watch.lap(write_seconds);
    progress.update(stats.positions, stats.positions);
  };
  const auto write = tbb::make_filter<std::shared_ptr<Batch>, void>(tbb::filter_mode::serial_in_order,
                                                                    [&](const std::shared_ptr<Batch>& batch) {
                                                                      if (!failed) {
                                                                        try {
                                                                          write_counts(*batch);
                                                                        } catch (...) {
                                                                          failure = std::current_exception();
                                                                          failed = true;
                                                                        }
                                                                      }
                                                                    });

  // A batch in a large repeat takes thousands of times as long as others. Many can be counted until it is.
  constexpr std::size_t kReadsUnderWay = std::size_t{1} << 23;
  constexpr std::size_t kMostUnderWay = std::size_t{1} << 14;
  const std::size_t under_way =
      std::max(engine.batches_under_way(threads), std::min(kReadsUnderWay / size, kMostUnderWay));
  tbb::task_arena arena(static_cast<int>(threads + engine.waiting_threads()));
  arena.execute([&] { tbb::parallel_pipeline(under_way, cut & count & write); });
  if (failure) {
    std::rethrow_exception(failure);
  }
  engine::StageSeconds sum;
  for (const auto& worker : workers) {
    if (worker) {
      sum += worker->seconds();
    }
  }
  stats.seconds["seed"] = sum.seed;
  stats.seconds["verify"] = sum.verify;
  stats.seconds["scan"] = sum.scan;
  stats.seconds["copy"] = sum.copy;
  stats.seconds["write"] += write_seconds;
}

}  // namespace trawl::run
