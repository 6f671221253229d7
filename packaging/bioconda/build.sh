#!/usr/bin/env bash
# bioconda runs this in the unpacked release tarball. PREFIX: where to install. TRAWL_GPU=1: with CUDA code, if nvcc is
# there.
set -xeuo pipefail

cuda=(-DTRAWL_CUDA=OFF)
if [[ ${TRAWL_GPU:-0} == 1 ]]; then
  cuda=(-DTRAWL_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=${TRAWL_CUDA_ARCHITECTURES:-80;90}")
fi
# CMAKE_ARGS: what conda's compilers need.
# shellcheck disable=SC2086
cmake -S . -B build_conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$PREFIX" -DTRAWL_HARDEN=ON -DTRAWL_MPI=OFF -DTRAWL_TESTS=OFF -DTRAWL_LIBRARY=OFF \
  -DTRAWL_BENCH=OFF "${cuda[@]}"
cmake --build build_conda -j "${CPU_COUNT:-2}"
cmake --install build_conda
