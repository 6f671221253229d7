// The CUDA engine of the library: a shared module, libtrawl_cuda.so, that is opened when it is needed. So one library
// serves machines with and without a GPU.
//
// It is the file that TRAWL_CUDA_PLUGIN in the environment names; otherwise the one beside the library; otherwise what
// the system finds.
#pragma once

#include <cstddef>

#include "run/engine_choice.hpp"

namespace trawl::api {

/// Tells the registry of engines about the module, once, however often it is called. Nothing is opened yet.
void know_cuda_plugin();

/// Whether the module is there and can be opened. It may still find no GPU.
bool has_cuda_plugin();

/// Whether library and module were built from the same code, as far as this can be seen. Both fill it in.
struct PluginMark {
  char version[32];
  std::size_t of_entry;
  std::size_t of_map_options;
  std::size_t of_scan_options;
  std::size_t of_reference;
};

PluginMark plugin_mark();

/// What the module exports, under the name kPluginSymbol.
struct CudaPlugin {
  PluginMark mark;
  run::EngineEntry (*entry)();
};
inline constexpr const char* kPluginSymbol = "trawl_cuda_plugin";
using PluginFunction = const CudaPlugin* (*)();

}  // namespace trawl::api
