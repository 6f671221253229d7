// The engines of `trawl map`. `trawl map` asks the registry (pipeline/engine_choice.hpp) for an engine by its name. It
// asks the engine for workers, one for each batch in progress, and a worker for the alignments of a batch. Every engine
// gives the same results.
//
//   with: Engine& engine, const sequence::ReadBatch& batch
//   const auto worker = engine.make_worker();
//   align::AlignmentBatch alignments;
//   worker->map(batch, alignments);       // alignments.reads[i]: the result of read i
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "align/damage.hpp"
#include "align/locus.hpp"
#include "align/pair_rule.hpp"
#include "align/select.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::engine {

/// Seconds that a worker spent in each stage.
struct StageSeconds {
  double seed = 0;
  double verify = 0;
  double scan = 0;
  double align = 0;
  double copy = 0;  // to and from a device
  double clip = 0;  // pieces of reads, without the search for their cores

  StageSeconds& operator+=(const StageSeconds& other) {
    seed += other.seed;
    verify += other.verify;
    scan += other.scan;
    align += other.align;
    copy += other.copy;
    clip += other.clip;
    return *this;
  }
};

using align::EndRange;

/// The runs of many queries: for each of them those of the forward strand, ascending, then those of the reverse strand.
///
///   const EndRanges found{{{10, 12}, {30, 30}, {40, 41}}, {0, 1, 3}};   // of one query
///   found.of(0, false)[0].last == 12                                    // it ends at 10, 11 and 12
///   found.of(0, true).size() == 2                                       // and twice on the reverse strand
struct EndRanges {
  std::vector<EndRange> ranges;
  std::vector<std::size_t> first;  // [2 q + strand]: index of the first one; one more at the end

  std::span<const EndRange> of(std::size_t query, bool reverse) const {
    const std::size_t s = 2 * query + (reverse ? 1 : 0);
    return std::span(ranges).subspan(first[s], first[s + 1] - first[s]);
  }

  /// Puts in the ranges of some queries, which have none here yet: found.of(i) are those of query queries[i]. `queries`
  /// may have any order.
  void put(std::span<const std::uint32_t> queries, const EndRanges& found);
};

/// A sequence of which every place is wanted. One that is not longer than its `max_edits` has none, because it would
/// match everywhere. At most align::kMaxEdits edits. Where ambiguous letters match, places deeper in a run of them than
/// the longest read of a call may be missing.
///
/// Fewer places are wanted if there is a `region`, a part of a read that holds `bases`: those where, of any `seeds`
/// disjoint parts of the region with at least `seed_length` bases each, one matches without an edit. Others may be
/// missing. Queries with one region that follow each other can share their seeds. The region may also be a part of
/// `bases`. With max_edits + 1 seeds all places are wanted then, because an edit spoils at most one of the parts.
struct RangeQuery {
  std::string_view bases;
  std::uint32_t max_edits = 0;
  std::string_view region = {};
  std::uint32_t seeds = 0;
  std::uint32_t seed_length = 0;
  /// Optional: the whole read, which holds `bases`. Its score at a place is the best sum over a piece of the read that
  /// is aligned there (on the place's diagonals, or up to max_edits away from them): 1 for each base of the piece, less
  /// kEditPoints for each edit (align/clip_rule.hpp), however many there are. Its penalty is the read's length less the
  /// score. Places with a larger penalty than `most_penalty` may be left out.
  std::string_view read = {};
  std::uint32_t most_penalty = ~std::uint32_t{0};
  /// For a word, of A, C, G and T without edits: if a strand has more ranges, only some are wanted, but more than this
  /// number. Words of one read follow each other, with ascending begins and ends.
  std::uint32_t most_ranges = ~std::uint32_t{0};
  /// The bases are those of a second mate: map::MapOptions::searches().
  bool second_mate = false;
};

/// Finds all places of many sequences. It belongs to one thread, and reuses its buffers.
///
///   with: Engine& engine
///   const auto finder = engine.make_range_finder();
///   EndRanges ranges;
///   finder->find(std::vector<RangeQuery>{{"ACGTACGTACGTACGT", 1}}, ranges);
///   for (const EndRange& run : ranges.of(0, false)) { ... }      // where it ends on the forward strand
class RangeFinder {
 public:
  virtual ~RangeFinder() = default;
  /// Replaces the content of `out`.
  virtual void find(std::span<const RangeQuery> queries, EndRanges& out) = 0;
  /// The same if only the numbers of ranges are wanted, of queries without `most_penalty`: sets
  /// out.first, and may leave out.ranges empty.
  virtual void count(std::span<const RangeQuery> queries, EndRanges& out) { find(queries, out); }
  /// Whether queries of one region share their seeds.
  virtual bool shares_seeds() const { return false; }
  /// Seconds spent so far in each stage, for --stats.
  virtual StageSeconds seconds() const = 0;
};

/// Maps batches, one at a time. A worker belongs to one thread, and reuses its buffers for the next batch.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Replaces the content of `out`: one ReadResult per read, and one PairResult per pair if batch.paired.
  virtual void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) = 0;
  /// Seconds spent so far in each stage, for --stats.
  virtual StageSeconds seconds() const = 0;
};

/// The same for the reads of an input: those of a mixed batch are mapped as two batches, pairs and single reads. The
/// results have the flags that reads bring.
void map_batch(Worker& worker, const sequence::ReadBatch& batch, align::AlignmentBatch& out);

/// A worker that does something before or after another one.
class WorkerAround : public Worker {
 public:
  StageSeconds seconds() const override {
    StageSeconds sum = inside_->seconds();
    sum += seconds_;
    return sum;
  }

 protected:
  explicit WorkerAround(std::unique_ptr<Worker> inside) : inside_(std::move(inside)) {}

  std::unique_ptr<Worker> inside_;
  StageSeconds seconds_;  // its own
};

/// Holds what all workers share. It must outlive its workers, and `reference` must outlive it.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Worker> make_worker() = 0;
  /// A worker that reports the best locus of every read, whatever the options ask for, and maps mates like single
  /// reads. From its results the insert sizes are estimated.
  virtual std::unique_ptr<Worker> make_single_worker() = 0;
  /// Finds all places of sequences: cores of clipped reads, words.
  virtual std::unique_ptr<RangeFinder> make_range_finder() = 0;
  /// Sets the insert sizes of concordant pairs. Call it before a worker maps pairs.
  virtual void set_inserts(const align::InsertModel& inserts) = 0;
  /// Sets the rates of damage. Workers that are made later use them.
  virtual void set_damage(const align::DamageRates&) {}
  /// Reads per batch, if the user sets no number: few enough that a batch with many loci per read stays small, enough
  /// that the engine is busy.
  virtual std::size_t reads_per_batch() const = 0;
  /// A batch ends when it has this many bases, even if it has few reads.
  virtual std::size_t bases_per_batch() const { return std::size_t{4} << 20; }
  /// How many batches should be in progress at once, with `threads` threads.
  virtual std::size_t batches_under_way(unsigned threads) const = 0;
  /// How many threads wait for a device at a time, and need no core. As many threads more should call the workers.
  virtual unsigned waiting_threads() const { return 0; }
  /// One line for the user: what the engine runs on, and how.
  virtual std::string description() const = 0;
};

/// An engine that does something before or after another one, and is that one in everything else.
class EngineAround : public Engine {
 public:
  std::unique_ptr<Worker> make_single_worker() override { return inside_.make_single_worker(); }
  std::unique_ptr<RangeFinder> make_range_finder() override { return inside_.make_range_finder(); }
  void set_inserts(const align::InsertModel& inserts) override {
    inserts_ = inserts;
    inside_.set_inserts(inserts);
  }
  void set_damage(const align::DamageRates& damage) override { inside_.set_damage(damage); }
  std::size_t reads_per_batch() const override { return inside_.reads_per_batch(); }
  std::size_t bases_per_batch() const override { return inside_.bases_per_batch(); }
  std::size_t batches_under_way(unsigned threads) const override { return inside_.batches_under_way(threads); }
  unsigned waiting_threads() const override { return inside_.waiting_threads(); }
  std::string description() const override { return inside_.description(); }

 protected:
  /// `inside` must outlive this object.
  explicit EngineAround(Engine& inside) : inside_(inside) {}
  explicit EngineAround(std::unique_ptr<Engine> inside) : owned_(std::move(inside)), inside_(*owned_) {}
  Engine& inside() const { return inside_; }
  /// What was set last, for workers.
  const align::InsertModel& inserts() const { return inserts_; }

 private:
  std::unique_ptr<Engine> owned_;
  Engine& inside_;
  align::InsertModel inserts_;
};

/// An engine whose alignments have their places on circular contigs (align/origin.hpp): `inside` searches
/// reference.searched(), which is `searched` and must outlive the engine.
std::unique_ptr<Engine> make_circular_engine(std::unique_ptr<Engine> inside, const sequence::Reference& searched);

}  // namespace trawl::engine
