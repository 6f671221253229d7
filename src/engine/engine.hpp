// What computes. `map` asks the registry for an engine by name, the engine for a worker per batch in flight, and the
// worker for the alignments of a batch. Every engine gives the same results.
//
//   auto engine = engine::make("cpu", reference, options);   // builds whatever table it needs
//   auto worker = engine->make_worker();
//   worker->map(batch, alignments);
#pragma once

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

/// Holds what all workers share. `reference` must outlive it.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Worker> make_worker() = 0;
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

/// Every engine of this build, the preferred one first.
std::vector<EngineInfo> available_engines();

/// `name` as in --engine, "auto" included. Throws UsageError for a name that this build does not know, Error for an
/// engine that cannot run here.
std::unique_ptr<Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                    const map::Options& options);

}  // namespace trawl::engine
