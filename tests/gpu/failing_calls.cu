// What stands between a test program and the CUDA runtime (-Wl,--wrap=cudaMalloc, and so on; tests/CMakeLists.txt).
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "tests/gpu/failing_calls.hpp"

namespace trawl::tests {

namespace {

std::atomic<long> failing_after{-1};
std::atomic<bool> is_forever{false};
std::atomic<long> calls{0};
// What the CUDA runtime would remember of a call that failed.
thread_local cudaError_t last_error = cudaSuccess;

// The error that this call ends with; cudaSuccess: it is made.
cudaError_t failure(cudaError_t error = cudaErrorLaunchFailure) {
  const long call = calls.fetch_add(1);
  const long after = failing_after;
  if (after < 0 || (is_forever ? call < after : call != after)) {
    return cudaSuccess;
  }
  last_error = error;
  return error;
}

// What the environment says, for a whole program.
struct Environment {
  Environment() {
    if (const char* const fault = std::getenv("TRAWL_CUDA_FAULT")) {
      char* end = nullptr;
      const long after = std::strtol(fault, &end, 10);
      fail_calls({after, *end == '+'});
    }
  }
  ~Environment() {
    if (const char* const path = std::getenv("TRAWL_CUDA_FAULT_LOG")) {
      if (std::FILE* const file = std::fopen(path, "a")) {
        std::fprintf(file, "%ld\n", counted_calls());
        std::fclose(file);
      }
    }
  }
} environment;

}  // namespace

void fail_calls(const CallsThatFail& which) {
  failing_after = -1;
  is_forever = which.forever;
  calls = 0;
  failing_after = which.after;
}

long counted_calls() { return calls; }

}  // namespace trawl::tests

#define TRAWL_WRAP(name, parameters, arguments, error)                 \
  extern "C" cudaError_t __real_##name parameters;                     \
  extern "C" cudaError_t __wrap_##name parameters;                     \
  extern "C" cudaError_t __wrap_##name parameters {                    \
    const cudaError_t failure = trawl::tests::failure(error);          \
    return failure != cudaSuccess ? failure : __real_##name arguments; \
  }

TRAWL_WRAP(cudaMalloc, (void** data, size_t size), (data, size), cudaErrorMemoryAllocation)
TRAWL_WRAP(cudaHostAlloc, (void** data, size_t size, unsigned flags), (data, size, flags), cudaErrorMemoryAllocation)
TRAWL_WRAP(cudaMemcpyAsync, (void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t stream),
           (to, from, size, kind, stream), cudaErrorLaunchFailure)
TRAWL_WRAP(cudaMemsetAsync, (void* data, int value, size_t size, cudaStream_t stream), (data, value, size, stream),
           cudaErrorLaunchFailure)
TRAWL_WRAP(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags),
           cudaErrorMemoryAllocation)
TRAWL_WRAP(cudaStreamSynchronize, (cudaStream_t stream), (stream), cudaErrorLaunchFailure)
TRAWL_WRAP(cudaEventCreate, (cudaEvent_t * event), (event), cudaErrorMemoryAllocation)
TRAWL_WRAP(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream), cudaErrorLaunchFailure)
TRAWL_WRAP(cudaEventSynchronize, (cudaEvent_t event), (event), cudaErrorLaunchFailure)
TRAWL_WRAP(cudaSetDevice, (int device), (device), cudaErrorDevicesUnavailable)
TRAWL_WRAP(cudaGetDevice, (int* device), (device), cudaErrorDevicesUnavailable)
TRAWL_WRAP(cudaGetDeviceCount, (int* count), (count), cudaErrorNoDevice)
TRAWL_WRAP(cudaGetDeviceProperties, (cudaDeviceProp * properties, int device), (properties, device),
           cudaErrorDevicesUnavailable)
TRAWL_WRAP(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device), (value, attribute, device),
           cudaErrorDevicesUnavailable)
TRAWL_WRAP(cudaDeviceSynchronize, (), (), cudaErrorLaunchFailure)
TRAWL_WRAP(cudaMemGetInfo, (size_t * free, size_t* total), (free, total), cudaErrorDevicesUnavailable)
TRAWL_WRAP(cudaFuncSetAttribute, (const void* kernel, cudaFuncAttribute attribute, int value),
           (kernel, attribute, value), cudaErrorLaunchFailure)
TRAWL_WRAP(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void* kernel), (attributes, kernel),
           cudaErrorLaunchFailure)
TRAWL_WRAP(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, const void* kernel, int threads, size_t shared),
           (blocks, kernel, threads, shared), cudaErrorLaunchFailure)
TRAWL_WRAP(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
           (int* blocks, const void* kernel, int threads, size_t shared, unsigned flags),
           (blocks, kernel, threads, shared, flags), cudaErrorLaunchFailure)
TRAWL_WRAP(cudaLaunchKernel,
           (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
           (kernel, grid, block, arguments, shared, stream), cudaErrorLaunchFailure)
#if CUDART_VERSION >= 13000  // what <<<>>> calls
TRAWL_WRAP(__cudaLaunchKernel,
           (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
           (kernel, grid, block, arguments, shared, stream), cudaErrorLaunchFailure)
#endif

extern "C" cudaError_t __real_cudaGetLastError();
extern "C" cudaError_t __wrap_cudaGetLastError();
extern "C" cudaError_t __wrap_cudaGetLastError() {
  const cudaError_t known = trawl::tests::last_error;
  trawl::tests::last_error = cudaSuccess;
  const cudaError_t real = __real_cudaGetLastError();
  return known != cudaSuccess ? known : real;
}
extern "C" cudaError_t __real_cudaPeekAtLastError();
extern "C" cudaError_t __wrap_cudaPeekAtLastError();
extern "C" cudaError_t __wrap_cudaPeekAtLastError() {
  const cudaError_t known = trawl::tests::last_error;
  return known != cudaSuccess ? known : __real_cudaPeekAtLastError();
}
