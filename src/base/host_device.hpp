// Marks a function for both host and device, if the compiler knows CUDA.
#pragma once

#ifdef __CUDACC__
#define TRAWL_HOST_DEVICE __host__ __device__
#else
#define TRAWL_HOST_DEVICE
#endif

// Put before a loop of constant length, so that its arrays stay in registers.
#ifdef __CUDA_ARCH__
#define TRAWL_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define TRAWL_UNROLL
#else
#define TRAWL_UNROLL _Pragma("GCC unroll 8")
#endif

// Put before a function whose arguments must stay in registers on the device, however large the function is.
#ifdef __CUDACC__
#define TRAWL_INLINE __forceinline__
#else
#define TRAWL_INLINE inline
#endif
