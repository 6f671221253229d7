// Where the batches of `trawl map` come from: the input, or under mpirun the first rank, which reads the input and
// deals it out (ranks/batch_dealer.hpp).
//
//   InputBatches source(input);
//   io::ReadInput::InputBatch batch;
//   while (const auto taken = source.take(8192, bases, batch)) {    // one at a time
//     source.take_mates(*taken, batch);                              // one at a time, in the same order
//     source.finish(batch);                                          // on any thread
//   }
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "io/read/read_input.hpp"

namespace trawl::pipeline {

class BatchSource {
 public:
  struct Taken {
    std::uint64_t number = 0;  // of the batch in the input, from 0
  };

  virtual ~BatchSource() = default;

  /// Takes the next batch, of about this size. Nothing at the end. Throws if the input cannot be read.
  virtual std::optional<Taken> take(std::size_t reads, std::size_t bases, io::ReadInput::InputBatch& batch) = 0;
  /// Whether take_mates() has work to do.
  virtual bool has_two_steps() const { return false; }
  virtual void take_mates(const Taken&, io::ReadInput::InputBatch&) {}
  /// Checks the reads of a batch and pairs them. Throws InputError.
  virtual void finish(io::ReadInput::InputBatch& batch) const = 0;
  /// Whether the reads are pairs.
  virtual bool paired() const = 0;

  /// How many reads all ranks together have taken, if they share the input. `mine`: those that are done here.
  virtual std::uint64_t reads_so_far(std::uint64_t mine) const { return mine; }
  /// How many threads may wait for something else than a core.
  virtual unsigned waiting_threads() const { return 0; }
};

/// The input of a run of one process.
class InputBatches final : public BatchSource {
 public:
  /// Is called with each batch when it is taken.
  using OnBatch = std::function<void(const io::ReadInput::InputBatch& batch)>;

  explicit InputBatches(io::ReadInput& input, OnBatch on_batch = {}) : input_(input), on_batch_(std::move(on_batch)) {}

  std::optional<Taken> take(std::size_t reads, std::size_t bases, io::ReadInput::InputBatch& batch) override {
    input_.set_batch(reads, bases);
    if (!input_.take_reads(batch)) {
      return std::nullopt;
    }
    if (on_batch_) {
      on_batch_(batch);
    }
    return Taken{number_++};
  }
  bool has_two_steps() const override { return input_.has_two_lists(); }
  void take_mates(const Taken&, io::ReadInput::InputBatch& batch) override { input_.take_mates(batch); }
  void finish(io::ReadInput::InputBatch& batch) const override { input_.finish(batch); }
  bool paired() const override { return input_.paired(); }

 private:
  io::ReadInput& input_;
  OnBatch on_batch_;
  std::uint64_t number_ = 0;
};

/// How many reads the next batch takes. Usually as many as the engine prefers; fewer if the reads have very many
/// alignments, so that all batches in work fit in memory. The records do not depend on this number.
///
///   BatchSizer sizer({.reads = 8192, .pairs_of_loci = true});
///   sizer.next();              // 2: one pair, before anything is known
///   sizer.saw(2, 600'000);     // this pair has 300,000 records for each mate
///   sizer.next();              // 3
class BatchSizer {
 public:
  struct Wanted {
    std::size_t reads = 0;       // per batch
    bool fixed = false;          // always this number, whatever the batches contain
    bool pairs_of_loci = false;  // every pair of loci has records: their number grows with the square of the loci
  };
  explicit BatchSizer(const Wanted& wanted) : wanted_(wanted.reads), fixed_(wanted.fixed) {
    fewest_ = std::min(wanted.pairs_of_loci ? kOnePair : kFewest, wanted_);
    start_ = wanted.pairs_of_loci ? fewest_ : std::max(fewest_, wanted_ / 8);
  }

  /// A batch should have fewer alignments than this.
  std::size_t max_alignments() const {
    return std::clamp(kAlignmentsARead * wanted_, kEnoughAlignments, kMostAlignments);
  }

  /// Tells the sizer how many reads and alignments a finished batch had.
  void saw(std::size_t reads, std::size_t alignments) {
    if (reads > 0) {
      reads_.fetch_add(reads);
      alignments_.fetch_add(alignments);
      last_ = alignments / reads + 1;
    }
  }

  std::size_t next() const {
    if (fixed_) {
      return wanted_;
    }
    if (reads_ == 0) {
      return start_;
    }
    const std::size_t a_read = std::max<std::size_t>(last_, alignments_ / reads_ + 1);
    // A few reads say little about many: no batch has more than kGrowth times all reads seen so far.
    return std::clamp(max_alignments() / a_read, fewest_, std::max(fewest_, std::min(wanted_, kGrowth * reads_)));
  }

 private:
  static constexpr std::size_t kAlignmentsARead = 8;  // the buffers of such a batch stay small enough for the caches
  static constexpr std::size_t kEnoughAlignments = std::size_t{1} << 16;
  static constexpr std::size_t kMostAlignments = std::size_t{2} << 20;  // about 0.5 GB with their records
  static constexpr std::size_t kFewest = 16;
  static constexpr std::size_t kOnePair = 2;
  static constexpr std::size_t kGrowth = 16;

  std::size_t wanted_;
  bool fixed_;
  std::size_t fewest_;
  std::size_t start_;
  std::atomic<std::size_t> reads_{0};
  std::atomic<std::size_t> alignments_{0};
  std::atomic<std::size_t> last_{0};  // alignments per read in the latest batch
};

}  // namespace trawl::pipeline
