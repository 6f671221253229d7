// Under mpirun the first rank reads the input of `trawl map` and deals out batches: to the others as messages, when
// they ask for one, and to itself.
//
//   BatchDealer dealer(cluster, input, owners, run_end, 16);      // on the first rank
//   dealer.take(8192, bases, batch);
//
//   DealtBatches source(cluster, paired);                         // on the others
//   source.take(8192, bases, batch);
//
// A rank asks when it takes a batch, for one of the next ones: some answers are always there or on their way. So a fast
// rank gets more, and none waits for the first one.
#pragma once

#include <tbb/task_arena.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "io/read/read_input.hpp"
#include "pipeline/batch_source.hpp"
#include "ranks/cluster.hpp"

namespace trawl::ranks {

/// For a batch, and for the first rank to take its records.
inline constexpr unsigned kWaitingThreads = 2;

class BatchDealer final : public pipeline::BatchSource {
 public:
  /// All must outlive this object. `owners` gets the rank of each batch. `threads`: how many may work on the input.
  BatchDealer(Cluster& cluster, io::ReadInput& input, Owners& owners, const RunEnd& run_end, unsigned threads);
  /// After all ranks know that there are no more batches.
  ~BatchDealer() override = default;

  std::optional<Taken> take(std::size_t reads, std::size_t bases, io::ReadInput::InputBatch& batch) override {
    const auto dealt = take_for(0, reads, bases, batch);
    if (dealt && dealt->failure) {
      std::rethrow_exception(dealt->failure);
    }
    return dealt ? std::optional(dealt->taken) : std::nullopt;
  }
  void finish(io::ReadInput::InputBatch& batch) const override { input_.finish(batch); }
  bool paired() const override { return input_.paired(); }
  std::uint64_t reads_so_far(std::uint64_t) const override { return reads_; }
  unsigned waiting_threads() const override { return kWaitingThreads; }
  /// How many batches this rank has taken, with one that has failed.
  std::uint64_t taken() const { return turns_of_[0]; }

 private:
  struct Dealt {
    Taken taken;
    std::uint64_t turn = 0;      // among the batches of this rank
    std::exception_ptr failure;  // the input cannot be read; this is then the last batch
  };
  std::optional<Dealt> take_for(unsigned rank, std::size_t reads, std::size_t bases, io::ReadInput::InputBatch& batch);
  void serve(const std::stop_token& stop);

  Cluster& cluster_;
  io::ReadInput& input_;
  Owners& owners_;
  const RunEnd& run_end_;
  tbb::task_arena arena_;  // finds the records of the blocks
  std::mutex taking_reads_;
  std::uint64_t next_ = 0;               // number of the next batch
  std::vector<std::uint64_t> turns_of_;  // by rank: how many batches it has got
  bool ended_ = false;
  std::mutex taking_mates_;
  std::uint64_t next_mates_ = 0;  // number of the batch whose mates are next
  std::condition_variable mates_taken_;
  std::atomic<std::uint64_t> reads_{0};
  std::vector<std::jthread> servers_;
};

class DealtBatches final : public pipeline::BatchSource {
 public:
  /// `paired`: whether the reads are pairs. `cluster` must outlive this object.
  DealtBatches(Cluster& cluster, bool paired) : cluster_(cluster), paired_(paired) {}

  std::optional<Taken> take(std::size_t reads, std::size_t bases, io::ReadInput::InputBatch& batch) override;
  void finish(io::ReadInput::InputBatch&) const override {}  // the first rank has done it
  bool paired() const override { return paired_; }
  unsigned waiting_threads() const override { return kWaitingThreads; }
  /// How many batches this rank has taken, with one that has failed.
  std::uint64_t taken() const { return next_; }

 private:
  Cluster& cluster_;
  bool paired_;
  bool ended_ = false;  // there is nothing more to ask for
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t next_ = 0;                  // of this rank's batches
  std::map<std::uint64_t, Message> early_;  // batches after that one
};

}  // namespace trawl::ranks
