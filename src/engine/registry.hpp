// The engines of this build, by name: for `trawl map`, `trawl scan`, `trawl bench` and `trawl info`.
//
//   engine::MapChoice choice("auto", options);   // what is wrong with the command line is known here
//   choice.warm_up();                            // may be left out; on another thread, while the reference is read
//   auto engine = choice.make(reference);        // choice.why() says what spoke against those preferred
//
//   engine::ScanChoice choice("cuda", options);
//   auto finder = choice.make(queries, file_size);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "engine/work_options.hpp"
#include "map/options.hpp"
#include "scan/find/finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"
#include "sequence/reference.hpp"

namespace trawl::engine {

/// How the registry knows an engine. "unsuited" says why "auto" should not take it; nothing where it should. An engine
/// without `make` does not map, one without `make_finder` does not scan.
struct EngineEntry {
  std::string_view name;  // as in --engine
  std::string (*description)();
  std::unique_ptr<Engine> (*make)(const sequence::Reference&, const map::Options&) = nullptr;
  std::string (*unsuited)(const map::Options&) = [](const map::Options&) { return std::string(); };
  /// The queries must outlive the finder.
  std::unique_ptr<scan::Finder> (*make_finder)(const std::vector<scan::Query>&, const scan::Options&) = nullptr;
  /// The number: bytes of the reference's file, where known.
  std::string (*unsuited_to_scan)(const std::vector<scan::Query>&, const scan::Options&, std::optional<std::uint64_t>) =
      [](const std::vector<scan::Query>&, const scan::Options&, std::optional<std::uint64_t>) { return std::string(); };
  /// Throws Error where it cannot run here, UsageError where the options name what is not there; as far as a quick look
  /// can tell.
  void (*look)(const WorkOptions&) = [](const WorkOptions&) {};
  /// Does what can be done before the work is known; throws Error where it cannot run here.
  void (*warm_up)(const WorkOptions&) = [](const WorkOptions&) {};
  /// Why this build does not have it; nothing where it has.
  std::string missing = {};
};

/// Adds an engine, preferred to those known so far. The CPU's is always known. Before any other thread runs.
void add_engine(const EngineEntry& entry);

/// An engine as `trawl info` shows it.
struct EngineInfo {
  std::string_view name;    // as in --engine
  std::string description;  // what it runs on
  bool usable = false;      // on this machine, now
  std::string reason;       // why not, where not usable
};

/// Every engine known, the preferred one first. Tries each, which takes a while.
std::vector<EngineInfo> available_engines();

/// What --engine says, on the way to the engine. "auto" is the preferred engine that serves: one that fails before the
/// work begins gives way to the next. A named one that fails is an Error.
///
///   EngineChoice choice("auto", {});
///   choice.warm_up();
///   std::cout << choice.name() << ": " << choice.why();   // "cpu: no CUDA device can be used: there is none"
class EngineChoice {
 public:
  /// Throws UsageError for a name that nobody knows and for options that name what is not there, Error for a named
  /// engine that cannot run here.
  EngineChoice(std::string_view name, const WorkOptions& options);
  /// Throws Error.
  void warm_up();
  /// Of the engine taken so far.
  std::string_view name() const { return left_.front().name; }
  /// Why not the engines preferred to the one taken; nothing where it is the preferred one, or named.
  const std::string& why() const { return why_; }

 protected:
  using Unsuited = std::function<std::string(const EngineEntry&)>;

  // Does the work with the first engine that can; a named one may be unsuited.
  void with_first(const Unsuited& unsuited, const std::function<void(const EngineEntry&)>& work);

 private:
  WorkOptions options_;
  bool named_;
  std::vector<EngineEntry> left_;  // that may serve, the preferred one first
  std::string why_;
};

/// The choice of `trawl map`.
class MapChoice : public EngineChoice {
 public:
  MapChoice(std::string_view name, const map::Options& options) : EngineChoice(name, options), options_(options) {}
  /// Throws Error.
  void warm_up();
  /// `reference` must outlive the engine. Throws Error.
  std::unique_ptr<Engine> make(const sequence::Reference& reference);

 private:
  map::Options options_;
};

/// The choice of `trawl scan`.
class ScanChoice : public EngineChoice {
 public:
  ScanChoice(std::string_view name, const scan::Options& options) : EngineChoice(name, options), options_(options) {}
  /// `queries` must outlive the finder; `reference_bytes`: of the file, where known. Throws Error.
  std::unique_ptr<scan::Finder> make(const std::vector<scan::Query>& queries,
                                     std::optional<std::uint64_t> reference_bytes);

 private:
  scan::Options options_;
};

/// The engine of `trawl map` that --engine `name` says; throws as MapChoice does.
std::unique_ptr<Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                    const map::Options& options);

}  // namespace trawl::engine
