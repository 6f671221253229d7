#include "pipeline/mappability_pipeline.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/ordered_pipeline.hpp"
#include "base/stopwatch.hpp"
#include "mappability/word_counts.hpp"

namespace trawl::pipeline {

namespace {

struct PositionBatch {
  std::vector<mappability::ReadStarts> starts;
  std::vector<std::uint64_t> counts;  // of all their reads
};

// Cuts the reads into batches, in order. A batch of small regions holds many of them.
class BatchCutter {
 public:
  /// A batch ends when it has this number of reads, or of bases.
  BatchCutter(std::span<const mappability::ReadStarts> starts, std::uint32_t length, std::size_t most_reads,
              std::size_t most_bases)
      : starts_(starts), length_(length), most_reads_(most_reads), most_bases_(most_bases) {}

  /// Null at the end.
  std::shared_ptr<PositionBatch> next() {
    auto batch = std::make_shared<PositionBatch>();
    std::uint64_t reads = 0;
    for (std::uint64_t bases = 0; next_ < starts_.size() && reads < most_reads_ && bases < most_bases_;) {
      const mappability::ReadStarts& all = starts_[next_];
      const std::uint64_t some = std::min<std::uint64_t>(most_reads_ - reads, all.count - done_);
      batch->starts.push_back({all.first + done_, some});
      reads += some;
      bases += some + length_;
      done_ += some;
      if (done_ == all.count) {
        ++next_;
        done_ = 0;
      }
    }
    batch->counts.resize(reads);
    return reads == 0 ? nullptr : batch;
  }

 private:
  std::span<const mappability::ReadStarts> starts_;
  std::uint32_t length_;
  std::size_t most_reads_;
  std::size_t most_bases_;
  std::size_t next_ = 0;    // in starts_
  std::uint64_t done_ = 0;  // reads of it
};

}  // namespace

namespace {

std::uint64_t count_of(std::span<const mappability::ReadStarts> starts) {
  std::uint64_t reads = 0;
  for (const mappability::ReadStarts& some : starts) {
    reads += some.count;
  }
  return reads;
}

void put(const sequence::Reference& reference, const mappability::ReadStarts& some,
         std::span<const std::uint64_t> counts, io::PositionTrack& track, io::MappabilityStats& stats) {
  const std::size_t contig = reference.contig_at(some.first);
  track.add(contig, some.first - reference.contigs()[contig].offset, counts);
  stats.add(counts);
}

}  // namespace

std::vector<mappability::ReadStarts> read_starts(const sequence::Reference& reference,
                                                 const mappability::ReferenceReads& reads,
                                                 std::span<const io::ContigRegion> regions) {
  std::vector<mappability::ReadStarts> starts;
  for (const io::ContigRegion& region : regions) {
    const sequence::Contig& contig = reference.contigs()[region.contig];
    const std::uint64_t end = std::min(region.end, reads.of(contig));
    if (region.begin < end) {
      starts.push_back({contig.offset + region.begin, end - region.begin});
    }
  }
  return starts;
}

void count_loci(const sequence::Reference& reference, const mappability::ReferenceReads& reads,
                std::span<const mappability::ReadStarts> starts, engine::Engine& engine, unsigned threads,
                std::size_t batch_size, io::PositionTrack& track, io::Progress& progress, io::MappabilityStats& stats) {
  tbb::enumerable_thread_specific<std::unique_ptr<mappability::PositionLoci>> workers;
  mappability::KnownReads known(reference, reads.length, count_of(starts));
  // A device needs many queries at a time, and most are of several reads. On the CPU no thread should wait long for the
  // one that is in a large repeat.
  const std::size_t usual = engine.waiting_threads() > 0
                                ? engine.reads_per_batch() * mappability::PositionLoci::reads_together(reads)
                                : std::max<std::size_t>(engine.reads_per_batch() / 4, 1);
  const std::size_t size = batch_size > 0 ? batch_size : usual;
  BatchCutter cutter(starts, reads.length, size, engine.bases_per_batch());
  double write_seconds = 0;
  const auto write_counts = [&](const PositionBatch& batch) {
    Stopwatch watch;
    std::span<const std::uint64_t> counts = batch.counts;
    for (const mappability::ReadStarts& some : batch.starts) {
      put(reference, some, counts.first(some.count), track, stats);
      counts = counts.subspan(some.count);
    }
    watch.lap(write_seconds);
    progress.update(stats.positions, stats.positions);
  };
  // A batch in a large repeat takes thousands of times as long as others. Many can be counted until it is.
  constexpr std::size_t kReadsUnderWay = std::size_t{1} << 23;
  constexpr std::size_t kMostUnderWay = std::size_t{1} << 14;
  const std::size_t under_way =
      std::max(engine.batches_under_way(threads), std::min(kReadsUnderWay / size, kMostUnderWay));
  tbb::task_arena arena(static_cast<int>(threads + engine.waiting_threads()));
  const auto count = [&](PositionBatch& batch) {
    auto& worker = workers.local();
    if (!worker) {
      worker = std::make_unique<mappability::PositionLoci>(reference, reads, engine.make_range_finder(), known);
    }
    worker->count(batch.starts, batch.counts);
  };
  arena.execute([&] {
    run_in_order<PositionBatch>(
        under_way, [&] { return cutter.next(); }, {{Stage::parallel, count}},
        [&](const std::shared_ptr<PositionBatch>& batch) { write_counts(*batch); });
  });
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

void count_words(const sequence::Reference& reference, const mappability::ReferenceReads& reads,
                 std::span<const mappability::ReadStarts> starts, unsigned threads, io::PositionTrack& track,
                 io::Progress& progress, io::MappabilityStats& stats) {
  Stopwatch watch;
  const auto all = static_cast<double>(count_of(starts));
  tbb::task_arena arena(static_cast<int>(threads));
  const auto of_positions = arena.execute([&] {
    return mappability::count_words(reference, reads, starts, [&](double share) {
      const auto done = static_cast<std::uint64_t>(share * all);
      progress.update(done, done);
    });
  });
  watch.lap(stats.seconds["count"]);
  constexpr std::uint64_t kTogether = 1 << 16;
  std::vector<std::uint64_t> counts;
  for (const mappability::ReadStarts& some : starts) {
    for (std::uint64_t done = 0; done < some.count; done += counts.size()) {
      counts.resize(std::min(kTogether, some.count - done));
      for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i] = of_positions[some.first + done + i];
      }
      put(reference, {some.first + done, counts.size()}, counts, track, stats);
    }
  }
  watch.lap(stats.seconds["write"]);
}

}  // namespace trawl::pipeline
