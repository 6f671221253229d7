# For the tests of trawl-bench, whose path is in TRAWL_BENCH: source this file first. With tests/cli/checks.sh.

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
paper=$(cd "$folder/../../papers" && pwd)/paper.py
. "$folder/../../../tests/cli/checks.sh"

# bench NAME OPTIONS...: sets $status; writes the files stdout and stderr.
bench() {
  "$TRAWL_BENCH" "$@" > stdout 2> stderr
  status=$?
}

# cells NAME: the values of a column of the table in stdout, in one line.
cells() { awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' stdout | xargs; }

# Whether --engine cuda can be used here; if not, says so. `stderr` says why.
has_cuda() {
  bench gbpr --engine cuda --repeats 1 -n 1000
  [[ $status == 0 ]] || { echo "skipped: the engine cuda, which cannot be used here"; return 1; }
}
has_no_cuda_code() { ! has_cuda > /dev/null && grep -q 'this build has no CUDA code' stderr; }

# Whether Python is new enough for paper.py.
has_tomllib() { python3 -c 'import tomllib' 2> python_missing; }
