// What computes for `trawl map`: it asks the registry (engine/registry.hpp) for an engine by name, the engine for a
// worker for each batch under way, and the worker for the alignments of a batch. Every engine gives the same results.
//
//   auto engine = engine::make_engine("cpu", reference, options);   // builds whatever table it needs
//   auto worker = engine->make_worker();
//   worker->map(batch, alignments);
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "align/alignment.hpp"
#include "map/options.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::engine {

/// Maps batches, one at a time; not shared between threads. Keeps its buffers from batch to batch.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Replaces what `out` held: one ReadResult a read, the primary alignment first.
  virtual void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) = 0;
  /// Seconds spent so far, by stage, for --stats.
  virtual map::StageSeconds seconds() const = 0;
};

/// Holds what all workers share, and outlives them. `reference` must outlive it.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Worker> make_worker() = 0;
  /// Reads a batch, where the user does not say: small enough that a batch with many loci a read stays small too, large
  /// enough to keep the engine busy.
  virtual std::size_t reads_per_batch() const = 0;
  /// Bases with which a batch ends, however few its reads are.
  virtual std::size_t bases_per_batch() const { return std::size_t{4} << 20; }
  /// Batches that are worth having under way at once, with `threads` threads.
  virtual std::size_t batches_under_way(unsigned threads) const = 0;
  /// One line for the user: what runs, with what.
  virtual std::string description() const = 0;
};

}  // namespace trawl::engine
