#!/usr/bin/env bash
# Trawl's sources as a part of another project: add_subdirectory and FetchContent. The project is configured, and its program
# needs the library; what is built is the same as in this build.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for how in add_subdirectory fetch_content; do
  echo "$how"
  cmake -G Ninja -S "$TRAWL_SOURCE/tests/api/consumers/sources" -B "$work/$how" -DHOW=$how -DTRAWL="$TRAWL_SOURCE" \
    -DTRAWL_CUDA=OFF -DTRAWL_MPI=OFF -DCMAKE_BUILD_TYPE=Release >"$work/log" || { tail -20 "$work/log"; exit 1; }
  ninja -C "$work/$how" -t query use_core | grep libtrawl.so >/dev/null
done
