#!/usr/bin/env bash
# Runs all fuzz targets at once, and says how many inputs each has tried, how much code they reach, and what was found.
#   scripts/fuzz.sh MINUTES [TARGET...]     for example: scripts/fuzz.sh 60; scripts/fuzz.sh 10 fuzz_tables
# JOBS=N: so many processes, at least one for each target; the default is one for each core. Inputs that reach new code
# are kept in build/fuzz/corpus. A finding is build/fuzz/findings/TARGET-crash-..., with what was said beside it; give it
# to the target to run it again. After a finding a process goes on.
# To run on a machine without a compiler: copy the targets of build/fuzz/tests/fuzz, their libraries and the repository
# there, and name their folder: BUILT=DIR scripts/fuzz.sh 60.
# In ./run_tests --all, fuzz_seeds runs the targets on their seeds, without libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$(awk -v minutes="${1:?minutes}" 'BEGIN { print int(minutes * 60) }')
shift
targets=("$@")
# Those that take longest for an input come first: they get another process first.
[ $# -gt 0 ] || targets=(fuzz_pairs fuzz_runs fuzz_scan fuzz_fasta fuzz_gzip fuzz_tables fuzz_fastq fuzz_index)

build=build/fuzz
built=${BUILT:-}
if [ -z "$built" ]; then
  cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 \
    -DCMAKE_CXX_COMPILER=clang++ -DTRAWL_FUZZ=ON -DTRAWL_CUDA=OFF -DTRAWL_MPI=OFF -DTRAWL_TESTS=OFF -DTRAWL_BENCH=OFF \
    -DTRAWL_LIBRARY=OFF >/dev/null
  cmake --build $build --target "${targets[@]}"
  built=$build/tests/fuzz
fi
findings=$build/findings
logs=$build/logs
rm -rf $logs
mkdir -p $findings $logs
# Tasks of oneTBB that have not begun when the program ends look like leaks.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

# One process of a target; it is started again after each finding, but not for ever.
fuzz() {
  local target=$1 number=$2 name=${1#fuzz_} end=$((SECONDS + seconds)) round=0
  local corpus=$build/corpus/$name options=(-max_len=4096) seeds=()
  mkdir -p "$corpus"
  case $name in
    gzip) options+=(-len_control=0) ;;
    index) options=(-max_len=100) ;; # a change takes 5 bytes
    pairs | runs | scan) # long inputs to begin with: they hold a whole reference
      options=(-max_len=2048 -len_control=0)
      for i in 1 2 3 4; do [ -e "$corpus/long$i" ] || head -c 1500 /dev/urandom >"$corpus/long$i"; done
      ;;
  esac
  local seed=$name
  [ "$name" != gzip ] || seed=fastq
  [ ! -d "tests/fuzz/seeds/$seed" ] || seeds=("tests/fuzz/seeds/$seed")
  while [ $SECONDS -lt $end ] && [ $round -lt 20 ]; do
    local log=$logs/$target.$number.$round
    if "$built/$target" -max_total_time=$((end - SECONDS)) -detect_leaks=0 -print_final_stats=1 -timeout=60 \
      -report_slow_units=60 -rss_limit_mb=4096 -artifact_prefix="$findings/$target-" "${options[@]}" "$corpus" "${seeds[@]}" >"$log" 2>&1; then
      break
    fi
    local found
    found=$(sed -n 's/.*Test unit written to //p' "$log" | head -n 1)
    [ -z "$found" ] || tail -n 200 "$log" >"$found.log"
    round=$((round + 1))
  done
}

jobs=${JOBS:-$(nproc)}
for ((job = 0; job < jobs || job < ${#targets[@]}; ++job)); do
  fuzz "${targets[job % ${#targets[@]}]}" $((job / ${#targets[@]})) &
done
wait

status=0
for target in "${targets[@]}"; do
  inputs=$(cat $logs/"$target".* | awk '/^stat::number_of_executed_units/ { sum += $2 } END { print sum + 0 }')
  reached=$(cat $logs/"$target".* | { grep -ao 'cov: [0-9]* ft: [0-9]*' || true; } | sort -k 2,2n -k 4,4n | tail -n 1)
  found=$({ grep -l 'Test unit written to' $logs/"$target".* || true; } | wc -l)
  echo "$target: $inputs inputs in $seconds s, ${reached:-nothing reached}, $found findings"
  [ "$found" = 0 ] || status=1
done
exit $status
