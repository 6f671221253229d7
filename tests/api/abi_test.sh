#!/usr/bin/env bash
# The interface of the shared library beside that of the last tag. A tag with the same minor version must not lose
# anything.
set -euo pipefail
skip() { echo "skipped: $1"; exit 77; }
command -v abidiff >/dev/null || skip "abidiff is missing (Debian: abigail-tools)"
tag=$(git -C "$TRAWL_SOURCE" describe --tags --abbrev=0 2>/dev/null) || skip "there is no tag yet to compare with"
git -C "$TRAWL_SOURCE" cat-file -e "$tag:include/trawl/trawl.hpp" 2>/dev/null || skip "$tag has no library"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$TRAWL_SOURCE" archive --prefix=old/ "$tag" | tar -x -C "$work"
for one in old new; do
  source=$TRAWL_SOURCE
  [ $one = new ] || source=$work/old
  cmake -G Ninja -S "$source" -B "$work/$one-build" -DTRAWL_CUDA=OFF -DTRAWL_TESTS=OFF -DTRAWL_BENCH=OFF \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
  cmake --build "$work/$one-build" --target trawl_library >"$work/log" || { tail -20 "$work/log"; exit 1; }
done
minor() { sed -n 's/^project(trawl VERSION \([0-9]*\.[0-9]*\).*/\1/p' "$1/CMakeLists.txt"; }
if [ "$(minor "$work/old")" = "$(minor "$TRAWL_SOURCE")" ]; then
  abidiff --no-added-syms "$work/old-build/lib/libtrawl.so" "$work/new-build/lib/libtrawl.so"
else
  abidiff "$work/old-build/lib/libtrawl.so" "$work/new-build/lib/libtrawl.so" || echo "(another minor version: it may differ)"
fi
