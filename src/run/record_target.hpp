// Where the records of `trawl map` go: to the sink, or under mpirun to the sink in the order of all ranks' batches
// (ranks/shared_records.hpp). The functions are those of io::AlignmentSink, with the number of the batch.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "io/write/alignment_sink.hpp"

namespace trawl::run {

class RecordTarget {
 public:
  virtual ~RecordTarget() = default;

  virtual const io::AlignmentSink& sink() const = 0;
  virtual bool packs() const = 0;
  virtual void place(std::uint64_t number, io::Chunk& chunk) = 0;
  virtual void pack(io::Chunk& chunk) const = 0;
  virtual void write(std::uint64_t number, io::Chunk& chunk) = 0;
  /// A batch has failed before it had its place: called instead of place().
  virtual void fail_to_place(std::uint64_t, const std::exception_ptr&) {}
  /// A batch has failed: called instead of write(). Throws.
  [[noreturn]] virtual void fail(std::uint64_t number, const std::exception_ptr& failure) = 0;

  /// How many threads may wait for something else than a core.
  virtual unsigned waiting_threads() const { return 0; }
};

/// The records of a run of one process.
class SinkRecords final : public RecordTarget {
 public:
  explicit SinkRecords(io::AlignmentSink& sink) : sink_(sink) {}

  const io::AlignmentSink& sink() const override { return sink_; }
  bool packs() const override { return sink_.packs(); }
  void place(std::uint64_t, io::Chunk& chunk) override { sink_.place(chunk); }
  void pack(io::Chunk& chunk) const override { sink_.pack(chunk); }
  void write(std::uint64_t, io::Chunk& chunk) override { sink_.write(chunk); }
  void fail(std::uint64_t, const std::exception_ptr& failure) override { std::rethrow_exception(failure); }

 private:
  io::AlignmentSink& sink_;
};

}  // namespace trawl::run
