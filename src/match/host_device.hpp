// Marks a function for host and device, where a CUDA compiler reads it.
#pragma once

#ifdef __CUDACC__
#define TRAWL_HOST_DEVICE __host__ __device__
#else
#define TRAWL_HOST_DEVICE
#endif
