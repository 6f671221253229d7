# Whether CUDA code is built. A project that adds Trawl as a part and has CUDA code of its own includes this first, since
# CMake enables a language for a folder and what is below it.
find_program(TRAWL_NVCC nvcc PATHS /usr/local/cuda/bin)
if(TRAWL_NVCC)
  set(TRAWL_CUDA_DEFAULT ON)
else()
  set(TRAWL_CUDA_DEFAULT OFF)
endif()
option(TRAWL_CUDA "Build the CUDA code; by default where nvcc is found" ${TRAWL_CUDA_DEFAULT})
if(TRAWL_CUDA)
  if(NOT TRAWL_NVCC)
    message(FATAL_ERROR "TRAWL_CUDA is ON, but nvcc is not found; put it on the PATH or set TRAWL_NVCC")
  endif()
  # Must come before enable_language: CMake 3.25 would ask CUDA 13 for an architecture that it no longer supports.
  # The environment variable CUDAARCHS is CMake's own: others than the default, for example 90 for a quicker build.
  if(DEFINED ENV{CUDAARCHS})
    set(architectures $ENV{CUDAARCHS})
  else()
    set(architectures 80 90)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "GPU architectures to compile for")
  set(CMAKE_CUDA_COMPILER ${TRAWL_NVCC} CACHE FILEPATH "nvcc")
  enable_language(CUDA)
endif()
