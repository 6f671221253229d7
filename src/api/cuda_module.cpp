// The module of the CUDA engine: what libtrawl_cuda.so exports.
#include "api/cuda_plugin.hpp"
#include "gpu/engine_entry.hpp"
#include "trawl/export.h"

extern "C" TRAWL_API const trawl::api::CudaPlugin* trawl_cuda_plugin() {
  static const trawl::api::CudaPlugin plugin{trawl::api::plugin_mark(), trawl::gpu::cuda_engine_entry};
  return &plugin;
}
