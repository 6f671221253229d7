// Marks a function for host and device, where a CUDA compiler reads it.
#pragma once

#ifdef __CUDACC__
#define TRAWL_HOST_DEVICE __host__ __device__
#else
#define TRAWL_HOST_DEVICE
#endif

// Before a loop of constant length whose arrays are to lie in registers.
#ifdef __CUDA_ARCH__
#define TRAWL_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define TRAWL_UNROLL
#else
#define TRAWL_UNROLL _Pragma("GCC unroll 8")
#endif

// Before a function whose arguments are to lie in registers on the device, whatever its size.
#ifdef __CUDACC__
#define TRAWL_INLINE __forceinline__
#else
#define TRAWL_INLINE inline
#endif
