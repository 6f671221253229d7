#!/usr/bin/env bash
# Runs the tests with sanitizers: address and undefined over unit, property and conformance tests, fuzz seeds and those of the
# program; thread over the engines, scan and writers.
#   scripts/sanitize.sh [address|thread] [OPTIONS OF CTEST]     for example: scripts/sanitize.sh address -R conformance
# Both take about an hour on two cores. ThreadSanitizer needs a TBB that was built with it, in LD_LIBRARY_PATH:
# CONTRIBUTING.md says how; without one it reports what TBB does.
set -euo pipefail
cd "$(dirname "$0")/.."
which=${1:-both}
shift || true

address() {
  cmake --preset asan -DTRAWL_MPI=OFF -DTRAWL_LIBRARY=OFF >/dev/null
  cmake --build --preset asan --target unit_tests property_tests conformance_tests fuzz_seeds trawl trawl-simulate
  # htslib leaks where a file cannot be written, and so do tasks of oneTBB that have not begun when a program ends.
  export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  ctest --preset asan -E 'cli_(mpi_|clients|compare|documents|install|report_browser|memory)' \
    -R '^(unit_tests|unit_tests_long|property_tests|conformance_tests|conformance_tests_long|fuzz_seeds|cli_.*)$' "$@"
}
thread() {
  cmake --preset tsan -DTRAWL_MPI=OFF -DTRAWL_LIBRARY=OFF >/dev/null
  cmake --build --preset tsan --target unit_tests conformance_tests
  export TSAN_OPTIONS="history_size=4 halt_on_error=1"
  build/tsan/tests/conformance_tests
  build/tsan/tests/unit_tests '~[long]'
}
case $which in
  address | thread) "$which" "$@" ;;
  both) address "$@" && thread ;;
  *) sed -n '2,7s/^# \?//p' "$0" && exit 2 ;;
esac
