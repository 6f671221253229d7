// The CUDA engine of the library: a shared module, libtrawl_cuda.so, that is opened when it is needed. So one library
// serves machines with and without a GPU.
//
// It is the file that TRAWL_CUDA_PLUGIN in the environment names; otherwise the one beside the library; otherwise what
// the system finds.
#pragma once

#include "pipeline/engine_choice.hpp"

namespace trawl::api {

/// Adds the module to the registry of engines, once, however often it is called. Nothing is opened yet.
void know_cuda_plugin();

/// Whether the module is there and can be opened. It may still find no GPU.
bool has_cuda_plugin();

/// What library and module must have in common, because objects go from one to the other. Both fill it in.
struct PluginMark {
  char version[32];
  char headers[32];  // a hash of all headers that both include, as hexadecimal digits
};

PluginMark plugin_mark();

/// What the module exports, under the name kPluginSymbol.
struct CudaPlugin {
  PluginMark mark;
  pipeline::EngineEntry (*entry)();
};
inline constexpr const char* kPluginSymbol = "trawl_cuda_plugin";
using PluginFunction = const CudaPlugin* (*)();

}  // namespace trawl::api
