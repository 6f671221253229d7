#include "pipeline/engine_choice.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "clip/clipping_engine.hpp"
#include "engine/engine.hpp"
#include "map/cpu_engine.hpp"
#include "rescue/default_engine.hpp"

namespace trawl::pipeline {

namespace {

EngineEntry cpu_entry() {
  EngineEntry entry{"cpu", map::cpu_engine_description, map::make_cpu_engine};
  entry.make_finder = scan::make_cpu_finder;
  entry.make_site_join = [](const words::SiteWords&, const WorkOptions&) { return words::make_cpu_site_join(); };
  return entry;
}

// The preferred engine first.
std::vector<EngineEntry>& entries() {
  static std::vector<EngineEntry> known{cpu_entry()};
  return known;
}

const EngineEntry& entry_named(std::string_view name) {
  std::string known;
  for (const EngineEntry& entry : entries()) {
    if (entry.name == name) {
      return entry;
    }
    known += entry.missing.empty() ? " " + std::string(entry.name) : "";
  }
  throw UsageError("--engine " + std::string(name) + ": this build has:" + known);
}

std::string nothing_against(const EngineEntry&) { return {}; }

}  // namespace

void add_engine(const EngineEntry& entry) { entries().insert(entries().begin(), entry); }

std::vector<EngineInfo> available_engines() {
  std::vector<EngineInfo> engines;
  for (const EngineEntry& entry : entries()) {
    EngineInfo info{entry.name, entry.description(), entry.missing.empty(), entry.missing};
    try {
      entry.warm_up({});
    } catch (const Error& error) {
      info.usable = false;
      info.reason = error.what();
    }
    engines.push_back(std::move(info));
  }
  return engines;
}

void EngineChoice::with_first(const Unsuited& unsuited, const std::function<void(const EngineEntry&)>& work) {
  while (true) {
    const EngineEntry& entry = left_.front();
    std::string reason = entry.missing;
    if (reason.empty() && !named_) {
      reason = unsuited(entry);
    }
    if (reason.empty()) {
      try {
        work(entry);
        return;
      } catch (const Error& error) {
        reason = error.what();
      }
    }
    if (named_) {
      const std::string last(entries().back().name);  // needs nothing
      throw Error("--engine " + std::string(entry.name) + " cannot be used here: " + reason +
                  (entry.name == last ? "" : "; use --engine " + last));
    }
    if (left_.size() == 1) {
      throw Error("no engine can run here: " + why_ + (why_.empty() ? "" : "; ") + reason);
    }
    if (entry.is_expected(options_)) {
      why_ += (why_.empty() ? "" : "; ") + reason;
    }
    left_.erase(left_.begin());
  }
}

EngineChoice::EngineChoice(std::string_view name, const WorkOptions& options)
    : options_(options), named_(name != "auto"), left_(named_ ? std::vector{entry_named(name)} : entries()) {
  // Even a quick check may start a driver. With "auto" that is done later, unless the user named a device.
  if (named_ || !options.devices.empty()) {
    with_first(nothing_against, [&](const EngineEntry& entry) { entry.look(options_); });
  }
}

void EngineChoice::warm_up() {
  with_first(nothing_against, [&](const EngineEntry& entry) { entry.warm_up(options_); });
}

void MapChoice::warm_up() {
  with_first([&](const EngineEntry& entry) { return entry.unsuited(options_); },
             [&](const EngineEntry& entry) {
               // An engine that the user named, but that is unsuited here, leaves this work to the CPU.
               if (entry.unsuited(options_).empty()) {
                 entry.warm_up(options_);
               }
             });
}

std::unique_ptr<engine::Engine> MapChoice::make(const sequence::Reference& reference,
                                                std::shared_ptr<const seed::SeedIndex> seeds) {
  if (seeds) {
    options_.seeds = std::move(seeds);
  }
  const sequence::Reference& searched = reference.searched();
  std::unique_ptr<engine::Engine> engine;
  with_first([&](const EngineEntry& entry) { return entry.unsuited(options_); },
             [&](const EngineEntry& entry) {
               if (entry.make == nullptr) {
                 throw Error("trawl map has no such engine");
               }
               engine = entry.make(searched, options_);
             });
  if (options_.clip.on() && options_.clip.when == align::ClipWhen::poor) {
    engine = rescue::make_default_engine(std::move(engine), searched, options_);
  } else if (options_.clip.on()) {
    engine = clip::make_clipping_engine(std::move(engine), searched, options_);
  }
  return searched.has_repeats() ? engine::make_circular_engine(std::move(engine), searched) : std::move(engine);
}

std::unique_ptr<scan::Finder> ScanChoice::make(const std::vector<scan::Query>& queries,
                                               std::optional<std::uint64_t> reference_bytes) {
  std::unique_ptr<scan::Finder> finder;
  with_first([&](const EngineEntry& entry) { return entry.unsuited_to_scan(queries, options_, reference_bytes); },
             [&](const EngineEntry& entry) {
               if (entry.make_finder == nullptr) {
                 throw Error("trawl scan has no such engine");
               }
               finder = entry.make_finder(queries, options_);
             });
  return finder;
}

std::unique_ptr<words::SiteJoin> GuideChoice::make(const words::SiteWords& words) {
  constexpr std::size_t kFew = 1'000'000;
  std::unique_ptr<words::SiteJoin> join;
  with_first(
      [&](const EngineEntry& entry) {
        const bool is_small = words.size() < kFew && entry.name != entries().back().name && !work().names_devices();
        return std::string(is_small ? "the sites are too few to be faster on a GPU" : "");
      },
      [&](const EngineEntry& entry) { join = entry.make_site_join(words, work()); });
  return join;
}

std::unique_ptr<engine::Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                            const map::MapOptions& options) {
  return MapChoice(name, options).make(reference);
}

}  // namespace trawl::pipeline
