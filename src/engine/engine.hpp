// What computes. `map` asks the registry for an engine by name, the engine for a worker per batch in flight, and the
// worker for the alignments of a batch. Every engine gives the same results.
//
//   auto engine = engine::make_engine("cpu", reference, options);   // builds whatever table it needs
//   auto worker = engine->make_worker();
//   worker->map(batch, alignments);
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "map/alignment.hpp"
#include "map/options.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::engine {

/// Maps batches, one at a time; not shared between threads. Keeps its buffers from batch to batch.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Replaces what `out` held: one ReadResult a read, the primary alignment first.
  virtual void map(const sequence::ReadBatch& batch, map::AlignmentBatch& out) = 0;
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

/// An engine as the registry knows it.
struct EngineInfo {
  std::string_view name;    // as in --engine
  std::string description;  // for `trawl info`
  bool usable = false;      // on this machine, now
  std::string reason;       // why not, where not usable
};

/// How the registry makes an engine.
struct EngineEntry {
  EngineInfo (*info)();
  std::unique_ptr<Engine> (*make)(const sequence::Reference&, const map::Options&);
  /// Why "auto" should not take it for these options; nothing where it should.
  std::string (*unsuited)(const map::Options&);
  /// What can be done before the reference is known.
  void (*warm_up)(const map::Options&);
};

/// Adds an engine, preferred to those known so far. The CPU's is always known. Before any other thread runs.
void add_engine(const EngineEntry& entry);

/// Every engine known, the preferred one first.
std::vector<EngineInfo> available_engines();

/// What "auto" takes, and why not the ones preferred to it.
struct EngineChoice {
  std::string name;
  std::string why;  // nothing where it is the preferred one
};
EngineChoice choose_engine(const map::Options& options);

/// Does what an engine can do before the reference is known; nothing for a name that is not known. Errors are left to
/// make_engine().
void warm_up(std::string_view name, const map::Options& options);

/// `name` as in --engine, "auto" included. Throws UsageError for a name that this build does not know, Error for an
/// engine that cannot run here.
std::unique_ptr<Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                    const map::Options& options);

}  // namespace trawl::engine
