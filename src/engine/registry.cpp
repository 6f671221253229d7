#include <algorithm>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "map/cpu_engine.hpp"

namespace trawl::engine {

namespace {

// The preferred engine first.
std::vector<EngineEntry>& entries() {
  static std::vector<EngineEntry> known{{"cpu", cpu_engine_description, make_cpu_engine}};
  return known;
}

const EngineEntry& entry_named(std::string_view name) {
  const auto found = std::find_if(entries().begin(), entries().end(), [&](const auto& e) { return e.name == name; });
  if (found != entries().end()) {
    return *found;
  }
  std::string known;
  for (const EngineEntry& entry : entries()) {
    known += " " + std::string(entry.name);
  }
  throw UsageError("--engine " + std::string(name) + ": this build has:" + known);
}

}  // namespace

void add_engine(const EngineEntry& entry) { entries().insert(entries().begin(), entry); }

std::vector<EngineInfo> available_engines() {
  std::vector<EngineInfo> engines;
  for (const EngineEntry& entry : entries()) {
    EngineInfo info{entry.name, entry.description(), true, ""};
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

template <class Work>
void EngineChoice::with_first(const Work& work) {
  while (true) {
    const EngineEntry& entry = left_.front();
    std::string reason = named_ ? "" : entry.unsuited(options_);
    if (reason.empty()) {
      try {
        work(entry);
        return;
      } catch (const Error& error) {
        if (named_) {
          const std::string last(entries().back().name);  // needs nothing
          throw Error("--engine " + std::string(entry.name) + " cannot be used here: " + error.what() +
                      (entry.name == last ? "" : "; use --engine " + last));
        }
        reason = error.what();
      }
    }
    why_ += (why_.empty() ? "" : "; ") + reason;
    left_.erase(left_.begin());
    if (left_.empty()) {
      throw Error("no engine can run here: " + why_);
    }
  }
}

EngineChoice::EngineChoice(std::string_view name, const map::Options& options)
    : options_(options), named_(name != "auto"), left_(named_ ? std::vector{entry_named(name)} : entries()) {
  // Even a quick look may start a driver: "auto" leaves that to warm_up(), unless a device is named.
  if (named_ || !options.devices.empty()) {
    with_first([&](const EngineEntry& entry) { entry.look(options_); });
  }
}

void EngineChoice::warm_up() {
  with_first([&](const EngineEntry& entry) { entry.warm_up(options_); });
}

std::unique_ptr<Engine> EngineChoice::make(const sequence::Reference& reference) {
  std::unique_ptr<Engine> engine;
  with_first([&](const EngineEntry& entry) { engine = entry.make(reference, options_); });
  return engine;
}

std::unique_ptr<Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                    const map::Options& options) {
  return EngineChoice(name, options).make(reference);
}

}  // namespace trawl::engine
