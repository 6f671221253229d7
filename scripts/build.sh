#!/usr/bin/env bash
# build.sh TARGET... [-DOPTION=VALUE...]: installs missing packages and builds targets (all: everything) into
# build/release; trawl-bench, and lab, which is that program and its tests, into build/lab. CUDA code is compiled if nvcc
# and a GPU are there, for this GPU; TRAWL_CUDA=ON compiles it without a GPU.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
targets=()
laboratory=()
options=()
for word in "$@"; do
  case $word in
    -D*) options+=("$word") ;;
    trawl-bench) laboratory+=(--target trawl-bench) ;;
    lab) laboratory+=(--target all) ;;
    *) targets+=(--target "$word") ;;
  esac
done

[ ${#targets[@]} -gt 0 ] || [ ${#laboratory[@]} -gt 0 ] || targets=(--target all)

has_nvcc() { command -v nvcc || [ -x /usr/local/cuda/bin/nvcc ]; } >/dev/null
has_gpu() { nvidia-smi -L; } >/dev/null 2>&1
with=""
if [ "${TRAWL_CUDA:-}" = ON ] || { has_nvcc && has_gpu; }; then
  with=" with CUDA"
  options=(-DTRAWL_CUDA=ON "${options[@]}")
  if [ -z "${CUDAARCHS:-}" ]; then
    has_gpu && CUDAARCHS=native || CUDAARCHS=90
    export CUDAARCHS
  fi
elif [ ! -e build/release/CMakeCache.txt ]; then
  if has_gpu; then
    echo "Without CUDA: there is a GPU, but no nvcc. Install NVIDIA's CUDA toolkit, and run this again."
  elif has_nvcc; then
    echo "Without CUDA: there is no GPU here. To compile for one anyway: TRAWL_CUDA=ON scripts/build.sh trawl"
  fi
fi
# One line that changes, or on no terminal a line for each tenth. Messages of the compiler are shown as they are.
# (No awk: Debian's mawk would read a page of lines before it shows the first.)
progress() {
  local line last=0 open=""
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]" " ]]; then
      local step=${BASH_REMATCH[1]} steps=${BASH_REMATCH[2]}
      if [ -t 1 ]; then
        printf '\rBuilding Trawl%s: %d of %d steps' "$with" "$step" "$steps"
        open=1
      elif [ $((10 * step / steps)) -gt "$last" ]; then
        echo "Building Trawl$with: $step of $steps steps"
      fi
      last=$((10 * step / steps))
    elif [[ $line != "ninja: no work to do"* ]]; then
      [ -z "$open" ] || echo
      open=""
      echo "$line"
    fi
  done
  [ -z "$open" ] || echo
}

# build SOURCE FOLDER --target TARGET...
build() {
  local first=()
  [ -n "$with" ] || [ -e "$2/CMakeCache.txt" ] || first=(-DTRAWL_CUDA=OFF)
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release "${first[@]}" "${options[@]}" >/dev/null
  cmake --build "$2" "${@:3}" -- -k 1 2>&1 | progress
}
[ ${#laboratory[@]} = 0 ] || build lab build/lab "${laboratory[@]}"
[ ${#targets[@]} = 0 ] || build . build/release "${targets[@]}"
