// Where the batches of `trawl map` come from: the input, or under mpirun the first rank, which reads the input and
// deals it out (ranks/batch_dealer.hpp).
//
//   InputBatches source(input);
//   io::ReadInput::Batch batch;
//   while (const auto taken = source.take(8192, bases, batch)) {    // one at a time
//     source.take_mates(*taken, batch);                              // one at a time, in the same order
//     source.finish(batch);                                          // on any thread
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

#include "io/read/read_input.hpp"

namespace trawl::run {

class BatchSource {
 public:
  struct Taken {
    std::uint64_t number = 0;    // of the batch in the input, from 0
    std::exception_ptr failure;  // the input cannot be read; this is then the last batch
  };

  virtual ~BatchSource() = default;

  /// Takes the next batch, of about this size. Nothing at the end.
  virtual std::optional<Taken> take(std::size_t reads, std::size_t bases, io::ReadInput::Batch& batch) = 0;
  /// Whether take_mates() has work to do.
  virtual bool has_two_steps() const { return false; }
  virtual void take_mates(const Taken&, io::ReadInput::Batch&) {}
  /// Checks the reads of a batch and pairs them. Throws InputError.
  virtual void finish(io::ReadInput::Batch& batch) const = 0;
  /// Whether the reads are pairs.
  virtual bool paired() const = 0;

  /// How many reads all ranks together have taken, if they share the input. `mine`: those that are done here.
  virtual std::uint64_t reads_so_far(std::uint64_t mine) const { return mine; }
  /// How many threads may wait for something else than a core.
  virtual unsigned waiting_threads() const { return 0; }
};

/// The input of a run of one process.
class InputBatches : public BatchSource {
 public:
  explicit InputBatches(io::ReadInput& input) : input_(input) {}

  std::optional<Taken> take(std::size_t reads, std::size_t bases, io::ReadInput::Batch& batch) override {
    Taken taken{number_++, nullptr};
    try {
      input_.set_batch(reads, bases);
      if (!input_.take_reads(batch)) {
        return {};
      }
    } catch (...) {
      taken.failure = std::current_exception();
    }
    return taken;
  }
  bool has_two_steps() const override { return input_.has_two_lists(); }
  void take_mates(const Taken&, io::ReadInput::Batch& batch) override { input_.take_mates(batch); }
  void finish(io::ReadInput::Batch& batch) const override { input_.finish(batch); }
  bool paired() const override { return input_.paired(); }

 private:
  io::ReadInput& input_;
  std::uint64_t number_ = 0;
};

}  // namespace trawl::run
