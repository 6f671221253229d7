#!/usr/bin/env bash
# Builds a program together with the sources of Trawl: add_subdirectory and FetchContent. Both use one folder, one after
# the other, so that ccache knows the files of the second one.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for how in add_subdirectory fetch_content; do
  echo "$how"
  rm -rf "$work/build"
  cmake -G Ninja -S "$TRAWL_SOURCE/tests/api/consumers/sources" -B "$work/build" -DHOW=$how -DTRAWL="$TRAWL_SOURCE" \
    -DTRAWL_CUDA=OFF -DTRAWL_MPI=OFF -DCMAKE_BUILD_TYPE=Release >"$work/log" || { tail -20 "$work/log"; exit 1; }
  cmake --build "$work/build" --target use_core >"$work/log" || { tail -40 "$work/log"; exit 1; }
  "$work/build/use_core"
done
