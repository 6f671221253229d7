// The engines of this build, by name: for `trawl map`, `trawl scan`, `trawl guides` and `trawl info`.
//
//   pipeline::MapChoice choice("auto", options);   // reports errors in the command line
//   choice.warm_up();                            // optional; on another thread, while the reference is read
//   auto engine = choice.make(reference);        // choice.why(): why the preferred engines were not taken
//
//   pipeline::ScanChoice choice("cuda", options);
//   auto finder = choice.make(queries, file_size);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/work_options.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"
#include "words/site_join.hpp"

namespace trawl::pipeline {

/// What the registry knows about an engine. The "unsuited" functions say why "auto" should not choose it, or return
/// nothing if it may. An engine without `make` cannot map; one without `make_finder` cannot scan.
struct EngineEntry {
  std::string_view name;  // as in --engine
  std::string (*description)();
  std::unique_ptr<engine::Engine> (*make)(const sequence::Reference&, const map::MapOptions&) = nullptr;
  std::string (*unsuited)(const map::MapOptions&) = [](const map::MapOptions&) { return std::string(); };
  /// The queries must outlive the finder.
  std::unique_ptr<scan::Finder> (*make_finder)(const std::vector<scan::Query>&, const scan::ScanOptions&) = nullptr;
  /// The number: size of the reference's file in bytes, if known.
  std::string (*unsuited_to_scan)(const std::vector<scan::Query>&, const scan::ScanOptions&,
                                  std::optional<std::uint64_t>) =
      [](const std::vector<scan::Query>&, const scan::ScanOptions&, std::optional<std::uint64_t>) {
        return std::string();
      };
  /// For trawl guides: of these words.
  std::unique_ptr<words::SiteJoin> (*make_site_join)(const words::SiteWords&, const WorkOptions&) = nullptr;
  /// A quick check. Throws Error if the engine cannot run here, and UsageError if the options name something that does
  /// not exist, for example a device.
  void (*look)(const WorkOptions&) = [](const WorkOptions&) {};
  /// Does the work that does not depend on the input. Throws Error if the engine cannot run here.
  void (*warm_up)(const WorkOptions&) = [](const WorkOptions&) {};
  /// Why this build does not contain the engine; empty if it does.
  std::string missing = {};
  /// Whether "auto" says why it does not take the engine. Where nobody expects it, for example on a machine without a
  /// GPU, it does not.
  bool (*is_expected)(const WorkOptions&) = [](const WorkOptions&) { return true; };
};

/// Adds an engine, to be preferred over those added before. The CPU engine is always there. Call it before other
/// threads start.
void add_engine(const EngineEntry& entry);

/// An engine as `trawl info` shows it.
struct EngineInfo {
  std::string_view name;    // as in --engine
  std::string description;  // what it runs on
  bool usable = false;      // on this machine, now
  std::string reason;       // why not, where not usable
};

/// All known engines, the preferred one first. Tries each of them, which takes some time.
std::vector<EngineInfo> available_engines();

/// From the value of --engine to the engine. "auto" takes the preferred engine that works: if one fails before the work
/// begins, the next is tried. If an engine that the user named fails, that is an Error.
///
///   EngineChoice choice("auto", {});
///   choice.warm_up();
///   std::cout << choice.name() << ": " << choice.why();   // "cpu: no CUDA device can be used: there is none"
class EngineChoice {
 public:
  /// Throws UsageError for an unknown name, and for options that name something that does not exist. Throws Error if
  /// the engine that the user named cannot run here.
  EngineChoice(std::string_view name, const WorkOptions& options);
  /// Throws Error.
  void warm_up();
  /// The name of the engine chosen so far.
  std::string_view name() const { return left_.front().name; }
  /// Why the preferred engines were not taken. Empty if the first one was taken, if the user named the engine, or if
  /// nobody expects one of the others.
  const std::string& why() const { return why_; }

 protected:
  using Unsuited = std::function<std::string(const EngineEntry&)>;

  const WorkOptions& work() const { return options_; }
  // Does the work with the first engine that can do it. An engine that the user named is used even if it is unsuited.
  void with_first(const Unsuited& unsuited, const std::function<void(const EngineEntry&)>& work);

 private:
  WorkOptions options_;
  bool named_;
  std::vector<EngineEntry> left_;  // the engines that may still be used, the preferred one first
  std::string why_;
};

/// The choice of an engine for `trawl map`. If options.clip is on, the engine clips reads.
class MapChoice : public EngineChoice {
 public:
  MapChoice(std::string_view name, const map::MapOptions& options) : EngineChoice(name, options), options_(options) {}
  /// Throws Error.
  void warm_up();
  /// `reference` must outlive the engine. `seeds`: map::MapOptions::seeds, if they were not known before: those of
  /// reference.searched(). Throws Error.
  std::unique_ptr<engine::Engine> make(const sequence::Reference& reference,
                                       std::shared_ptr<const seed::SeedIndex> seeds = nullptr);

 private:
  map::MapOptions options_;
};

/// The choice of an engine for `trawl scan`.
class ScanChoice : public EngineChoice {
 public:
  ScanChoice(std::string_view name, const scan::ScanOptions& options)
      : EngineChoice(name, options), options_(options) {}
  /// `queries` must outlive the finder. `reference_bytes`: size of the file, if known. Throws Error.
  std::unique_ptr<scan::Finder> make(const std::vector<scan::Query>& queries,
                                     std::optional<std::uint64_t> reference_bytes);

 private:
  scan::ScanOptions options_;
};

/// The choice of an engine for `trawl guides`.
class GuideChoice : public EngineChoice {
 public:
  using EngineChoice::EngineChoice;
  /// `words` must outlive the result. Throws Error.
  std::unique_ptr<words::SiteJoin> make(const words::SiteWords& words);
};

/// The map engine for the value `name` of --engine. Throws as MapChoice does.
std::unique_ptr<engine::Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                            const map::MapOptions& options);

}  // namespace trawl::pipeline
