#!/usr/bin/env bash
# Runs all fuzz targets in turn, each for its share of the time, and says how many inputs each has tried.
#   scripts/fuzz.sh MINUTES [TARGET...]     for example: scripts/fuzz.sh 60; scripts/fuzz.sh 10 fuzz_tables
# New inputs that reach new code are kept in build/fuzz/corpus. A finding is build/fuzz/TARGET-crash-...; give it to the
# target to run it again. In ./run_tests --all, fuzz_seeds runs the targets on their seeds, without libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:?minutes}
shift
targets=("$@")
[ $# -gt 0 ] || targets=(fuzz_fasta fuzz_fastq fuzz_gzip fuzz_index fuzz_map fuzz_pairs fuzz_scan fuzz_tables)

build=build/fuzz
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" \
  -DCMAKE_CXX_COMPILER=clang++ -DTRAWL_FUZZ=ON -DTRAWL_CUDA=OFF -DTRAWL_MPI=OFF -DTRAWL_TESTS=OFF -DTRAWL_BENCH=OFF \
  -DTRAWL_LAB=OFF -DTRAWL_LIBRARY=OFF >/dev/null
cmake --build $build --target "${targets[@]}"

seconds=$((minutes * 60 / ${#targets[@]}))
status=0
for target in "${targets[@]}"; do
  name=${target#fuzz_}
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  options=(-max_len=4096)
  seeds=()
  case $name in
    gzip) options+=(-len_control=0) ;;
    index) options=(-max_len=100) ;; # a change takes 5 bytes
    map | pairs | scan) # long inputs to begin with: they hold a whole reference
      options=(-max_len=2048 -len_control=0)
      for i in 1 2 3 4; do [ -e "$corpus/long$i" ] || head -c 1500 /dev/urandom >"$corpus/long$i"; done
      ;;
  esac
  seed=$name
  [ "$name" != gzip ] || seed=fastq
  [ ! -d "tests/fuzz/seeds/$seed" ] || seeds=("tests/fuzz/seeds/$seed")
  # Tasks of oneTBB that have not begun when the program ends look like leaks.
  log=$build/$target.log
  $build/tests/fuzz/$target -max_total_time=$seconds -detect_leaks=0 -print_final_stats=1 -timeout=60 \
    -artifact_prefix="$build/$target-" "${options[@]}" "$corpus" "${seeds[@]}" >"$log" 2>&1 || status=$?
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s$(
    grep -m 1 -o 'Test unit written to .*' "$log" || true)"
done
exit $status
