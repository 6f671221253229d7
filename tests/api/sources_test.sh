#!/usr/bin/env bash
# Builds a program together with the sources of Trawl by add_subdirectory. With FetchContent it is the same build, so it is
# only configured, and has to know how to make the program.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for how in add_subdirectory fetch_content; do
  echo "$how"
  rm -rf "$work/build"
  cmake -G Ninja -S "$TRAWL_SOURCE/tests/api/consumers/sources" -B "$work/build" -DHOW=$how -DTRAWL="$TRAWL_SOURCE" \
    -DTRAWL_CUDA=OFF -DTRAWL_MPI=OFF -DCMAKE_BUILD_TYPE=Release >"$work/log" || { tail -20 "$work/log"; exit 1; }
  if [ $how = fetch_content ]; then
    ninja -C "$work/build" -t query use_core | grep libtrawl.so >/dev/null
    continue
  fi
  cmake --build "$work/build" --target use_core >"$work/log" || { tail -40 "$work/log"; exit 1; }
  "$work/build/use_core"
done
