#!/usr/bin/env bash
# Installs the library into an empty folder, and builds programs against what is there: with find_package, with
# pkg-config, in C and in Rust; and with the sources as a part of theirs. TRAWL_SOURCE and TRAWL_BUILD: the folders of
# the sources and of the build.
set -euo pipefail
here=$TRAWL_SOURCE/tests/api/consumers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "only the core is built and installed"
rm -f "$TRAWL_BUILD"/lib/libtrawl_io.so* "$TRAWL_BUILD/lib/libtrawl.a"
cmake --build "$TRAWL_BUILD" --target trawl_library >"$work/build.log" || { tail -20 "$work/build.log"; exit 1; }
cmake --install "$TRAWL_BUILD" --prefix "$work/part" --component library >"$work/install.log"
sed 's/ core io)/ core)/; /use_io\|use_archive/d; s|\.\./|'"$here"'/|' "$here/find_package/CMakeLists.txt" >"$work/CMakeLists.txt"
cmake -G Ninja -S "$work" -B "$work/of_core" -DCMAKE_PREFIX_PATH="$work/part" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/of_core" >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$work/of_core/use_core"
if cmake -G Ninja -S "$here/find_package" -B "$work/of_io" -DCMAKE_PREFIX_PATH="$work/part" 2>"$work/of_io.log"; then
  echo "trawl::io was found"
  exit 1
fi >/dev/null
grep 'trawl::io is not installed' "$work/of_io.log" >/dev/null

cmake --build "$TRAWL_BUILD" --target trawl trawl_library trawl_io_library trawl_library_static >"$work/build.log" ||
  { tail -20 "$work/build.log"; exit 1; }
cmake --install "$TRAWL_BUILD" --prefix "$work/prefix" >"$work/install.log"
# The library goes on without the sources: nothing in the prefix names them.
mv "$work/prefix" "$work/moved"
prefix=$work/moved
lib=$(dirname "$(find "$prefix" -name libtrawl.so)")
export LD_LIBRARY_PATH=$lib PKG_CONFIG_PATH=$lib/pkgconfig
reads=$TRAWL_SOURCE/test_data/repeats_reads.fq.gz genome=$TRAWL_SOURCE/test_data/repeats.fa.gz

echo "find_package"
cmake -G Ninja -S "$here/find_package" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/cmake" >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$work/cmake/use_core"
"$work/cmake/use_archive"
"$work/cmake/use_io" "$genome" "$reads" "$work/library.bed"
"$TRAWL_BUILD/trawl" map --quiet --report all -e 5 "$genome" "$reads" -o "$work/program.bed"
cmp "$work/library.bed" "$work/program.bed"

echo "another minor version is not taken"
cp -r "$here" "$work/newer"
sed -i 's/find_package(trawl 0.2/find_package(trawl 0.3/' "$work/newer/find_package/CMakeLists.txt"
if cmake -G Ninja -S "$work/newer/find_package" -B "$work/newer/build" -DCMAKE_PREFIX_PATH="$prefix" 2>"$work/newer.log"; then
  echo "0.3 was found"
  exit 1
fi >/dev/null
tr -s ' \n' ' ' <"$work/newer.log" | grep 'compatible with requested version' >/dev/null

echo "pkg-config"
pc() { pkg-config "$@"; }
c++ -std=c++20 "$here/use_core.cpp" -o "$work/use_core" $(pc --cflags --libs trawl)
"$work/use_core"

echo "C"
cc -std=c99 -Wall -Wextra -pedantic -Werror "$TRAWL_SOURCE/examples/find_guides.c" -o "$work/find_guides" $(pc --cflags --libs trawl)
guide=$(sed -n 's/^[^\t]*\t\([ACGT]*\)$/\1/p' "$TRAWL_SOURCE/test_data/guides.tsv" | head -n 1)
"$work/find_guides" "$genome" "$guide" 4 | cut -f 1-3,5 >"$work/c.tsv"
"$TRAWL_BUILD/trawl" scan --quiet -e 4 --pam NGG --max-bulges 1 -p "$guide" "$genome" | cut -f 1-3,7 >"$work/program.tsv"
[ -s "$work/c.tsv" ]
cmp "$work/c.tsv" "$work/program.tsv"
status=0
"$work/find_guides" no_such_file.fa "$guide" 4 2>"$work/error" || status=$?
[ "$status" -eq 1 ] && grep -q no_such_file.fa "$work/error"

if command -v rustc >/dev/null; then
  echo "Rust"
  rustc "$TRAWL_SOURCE/examples/map_reads.rs" -o "$work/map_reads" -L native="$lib" -l trawl
  read=$(zcat "$reads" | sed -n 2p)
  "$work/map_reads" "$genome" "$read" | cut -f 2-5 | sort >"$work/rust.tsv"
  zcat "$reads" | sed -n 1,4p | "$TRAWL_BUILD/trawl" map --quiet --report all -e 3 "$genome" - -o "$work/one.bed"
  cut -f 1-3,7 "$work/one.bed" | sort >"$work/program.tsv"
  [ -s "$work/rust.tsv" ]
  cmp "$work/rust.tsv" "$work/program.tsv"
else
  echo "Rust: skipped, there is no rustc"
fi

echo "nothing but the interface is shown"
shown=$(nm -DC --defined-only "$lib/libtrawl.so" | grep -vE ' (trawl::v0::|trawl_|(typeinfo|typeinfo name|vtable) for trawl::v0::)' || true)
if [ -n "$shown" ]; then
  echo "$shown" | head -20
  exit 1
fi

# The project is configured, and its program needs the library; what is built is the same as in this build.
for how in add_subdirectory fetch_content; do
  echo "the sources as a part of another project, by $how"
  cmake -G Ninja -S "$TRAWL_SOURCE/tests/api/consumers/sources" -B "$work/$how" -DHOW=$how -DTRAWL="$TRAWL_SOURCE" \
    -DTRAWL_CUDA=OFF -DTRAWL_MPI=OFF -DCMAKE_BUILD_TYPE=Release >"$work/log" || { tail -20 "$work/log"; exit 1; }
  ninja -C "$work/$how" -t query use_core | grep libtrawl.so >/dev/null
done
