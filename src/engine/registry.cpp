#include "engine/cpu_engine.hpp"
#include "engine/engine.hpp"
#include "error.hpp"

namespace trawl::engine {

namespace {

// The preferred engine first.
std::vector<EngineEntry>& entries() {
  static std::vector<EngineEntry> known{
      {cpu_engine_info, make_cpu_engine, [](const map::Options&) { return std::string(); }, [](const map::Options&) {}},
  };
  return known;
}

}  // namespace

void add_engine(const EngineEntry& entry) { entries().insert(entries().begin(), entry); }

std::vector<EngineInfo> available_engines() {
  std::vector<EngineInfo> engines;
  for (const EngineEntry& entry : entries()) {
    engines.push_back(entry.info());
  }
  return engines;
}

EngineChoice choose_engine(const map::Options& options) {
  EngineChoice choice;
  for (const EngineEntry& entry : entries()) {
    const EngineInfo info = entry.info();
    const std::string reason = info.usable ? entry.unsuited(options) : info.reason;
    if (reason.empty()) {
      choice.name = info.name;
      return choice;
    }
    choice.why += (choice.why.empty() ? "" : "; ") + reason;
  }
  throw Error("no engine can run here: " + choice.why);
}

void warm_up(std::string_view name, const map::Options& options) {
  for (const EngineEntry& entry : entries()) {
    if (entry.info().name == name) {
      entry.warm_up(options);
    }
  }
}

std::unique_ptr<Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                    const map::Options& options) {
  const std::string wanted = name == "auto" ? choose_engine(options).name : std::string(name);
  std::string known;
  for (const EngineEntry& entry : entries()) {
    const EngineInfo info = entry.info();
    if (info.name == wanted) {
      if (!info.usable) {
        throw Error("--engine " + wanted + " cannot be used here: " + info.reason);
      }
      return entry.make(reference, options);
    }
    known += " " + std::string(info.name);
  }
  throw UsageError("--engine " + wanted + ": this build has:" + known);
}

}  // namespace trawl::engine
