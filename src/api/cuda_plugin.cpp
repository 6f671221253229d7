#include "api/cuda_plugin.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>

#include "base/error.hpp"

namespace trawl::api {

namespace {

constexpr const char* kFile = "libtrawl_cuda.so";

// The file to open.
std::string plugin_path() {
  if (const char* const given = std::getenv("TRAWL_CUDA_PLUGIN"); given != nullptr && *given != '\0') {
    return given;
  }
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&know_cuda_plugin), &library) != 0 && library.dli_fname != nullptr) {
    const auto beside = std::filesystem::path(library.dli_fname).parent_path() / kFile;
    if (std::error_code none; std::filesystem::exists(beside, none)) {
      return beside;
    }
  }
  return kFile;
}

// The entry of the module; throws Error if it cannot be used. It stays open: its code may be in use anywhere.
pipeline::EngineEntry open_plugin() {
  const std::string path = plugin_path();
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    throw Error(std::string("the CUDA engine is not there: ") + dlerror());
  }
  const auto function = reinterpret_cast<PluginFunction>(dlsym(module, kPluginSymbol));
  if (function == nullptr) {
    throw Error(path + " is no CUDA engine of Trawl");
  }
  const CudaPlugin& plugin = *function();
  const PluginMark mine = plugin_mark();
  if (std::memcmp(&plugin.mark, &mine, sizeof mine) != 0) {
    const auto text = [](PluginMark mark) {
      return std::string(mark.version, strnlen(mark.version, sizeof mark.version)) + ", headers " +
             std::string(mark.headers, strnlen(mark.headers, sizeof mark.headers));
    };
    throw Error(path + " is of another build of Trawl (" + text(plugin.mark) + ") than this library (" + text(mine) +
                "); install both from one build");
  }
  return plugin.entry();
}

// The module is opened once; if it failed, it fails with the same words again.
const pipeline::EngineEntry& plugin() {
  static std::mutex mutex;
  static std::optional<pipeline::EngineEntry> entry;
  static std::string failure;
  const std::lock_guard lock(mutex);
  if (!entry && failure.empty()) {
    try {
      entry = open_plugin();
    } catch (const Error& error) {
      failure = error.what();
    }
  }
  if (!entry) {
    throw Error(failure);
  }
  return *entry;
}

// What the module says; or why it cannot be used.
template <class Ask>
std::string or_why_not(const Ask& ask) {
  try {
    return ask();
  } catch (const Error& error) {
    return error.what();
  }
}

pipeline::EngineEntry lazy_entry() {
  pipeline::EngineEntry entry{"cuda", [] {
                                try {
                                  return plugin().description();
                                } catch (const Error&) {
                                  return std::string("needs an NVIDIA GPU and libtrawl_cuda.so");
                                }
                              }};
  entry.make = [](const sequence::Reference& reference, const map::MapOptions& options) {
    return plugin().make(reference, options);
  };
  entry.unsuited = [](const map::MapOptions& options) {
    return or_why_not([&] { return plugin().unsuited(options); });
  };
  entry.make_finder = [](const std::vector<scan::Query>& queries, const scan::ScanOptions& options) {
    return plugin().make_finder(queries, options);
  };
  entry.unsuited_to_scan = [](const std::vector<scan::Query>& queries, const scan::ScanOptions& options,
                              std::optional<std::uint64_t> bytes) {
    return or_why_not([&] { return plugin().unsuited_to_scan(queries, options, bytes); });
  };
  entry.look = [](const WorkOptions& options) { plugin().look(options); };
  entry.warm_up = [](const WorkOptions& options) { plugin().warm_up(options); };
  return entry;
}

}  // namespace

bool has_cuda_plugin() {
  try {
    plugin();
    return true;
  } catch (const Error&) {
    return false;
  }
}

void know_cuda_plugin() {
  static std::once_flag once;
  std::call_once(once, [] { pipeline::add_engine(lazy_entry()); });
}

}  // namespace trawl::api
