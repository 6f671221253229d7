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

/// An engine as `trawl info` shows it.
struct EngineInfo {
  std::string_view name;    // as in --engine
  std::string description;  // what it runs on
  bool usable = false;      // on this machine, now
  std::string reason;       // why not, where not usable
};

/// How the registry knows an engine.
struct EngineEntry {
  std::string_view name;  // as in --engine
  std::string (*description)();
  std::unique_ptr<Engine> (*make)(const sequence::Reference&, const map::Options&);
  /// Why "auto" should not take it for these options; nothing where it should.
  std::string (*unsuited)(const map::Options&) = [](const map::Options&) { return std::string(); };
  /// Throws Error where it cannot run here, UsageError where the options name what is not there; as far as a quick look
  /// can tell.
  void (*look)(const map::Options&) = [](const map::Options&) {};
  /// Does what can be done before the reference is known; throws Error where it cannot run here.
  void (*warm_up)(const map::Options&) = [](const map::Options&) {};
};

/// Adds an engine, preferred to those known so far. The CPU's is always known. Before any other thread runs.
void add_engine(const EngineEntry& entry);

/// Every engine known, the preferred one first. Tries each, which takes a while.
std::vector<EngineInfo> available_engines();

/// What --engine says, on the way to the engine. "auto" is the preferred engine that serves: one that fails before the
/// first batch gives way to the next. A named one that fails is an Error.
///
///   EngineChoice choice("auto", options);   // what is wrong with the command line is known here
///   choice.warm_up();                       // may be left out; while the reference is read, on another thread
///   auto engine = choice.make(reference);   // choice.why() says what spoke against those preferred
class EngineChoice {
 public:
  /// Throws UsageError for a name that this build does not know and for options that name what is not there, Error for
  /// a named engine that cannot run here.
  EngineChoice(std::string_view name, const map::Options& options);
  /// Throws Error.
  void warm_up();
  /// `reference` must outlive the engine. Throws Error.
  std::unique_ptr<Engine> make(const sequence::Reference& reference);
  /// Why not the engines preferred to the one made; nothing where it is the preferred one, or named.
  const std::string& why() const { return why_; }

 private:
  // Does it with the first engine that can.
  template <class Work>
  void with_first(const Work& work);

  map::Options options_;
  bool named_;
  std::vector<EngineEntry> left_;  // that may serve, the preferred one first
  std::string why_;
};

/// The engine that --engine `name` says; throws as EngineChoice does.
std::unique_ptr<Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                    const map::Options& options);

}  // namespace trawl::engine
