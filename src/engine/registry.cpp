#include "engine/cpu_engine.hpp"
#include "engine/engine.hpp"
#include "error.hpp"

namespace trawl::engine {

namespace {

struct Entry {
  EngineInfo (*info)();
  std::unique_ptr<Engine> (*make)(const sequence::Reference&, const map::Options&);
};

// The preferred engine first.
constexpr Entry kEntries[] = {
    {cpu_engine_info, make_cpu_engine},
};

}  // namespace

std::vector<EngineInfo> available_engines() {
  std::vector<EngineInfo> engines;
  for (const Entry& entry : kEntries) {
    engines.push_back(entry.info());
  }
  return engines;
}

std::unique_ptr<Engine> make_engine(std::string_view name, const sequence::Reference& reference,
                                    const map::Options& options) {
  std::string known;
  for (const Entry& entry : kEntries) {
    const EngineInfo info = entry.info();
    if (info.name == name && !info.usable) {
      throw Error("--engine " + std::string(name) + " cannot be used here: " + info.reason);
    }
    if (info.usable && (info.name == name || name == "auto")) {
      return entry.make(reference, options);
    }
    known += " " + std::string(info.name);
  }
  throw UsageError("--engine " + std::string(name) + ": this build has:" + known);
}

}  // namespace trawl::engine
