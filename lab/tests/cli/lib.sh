# For the tests of trawl-bench, whose path is in TRAWL_BENCH: source this file first. It works in a temporary
# directory, which is deleted at the end.

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
paper=$(cd "$folder/../../papers" && pwd)/paper.py

set -u -o pipefail
export LC_ALL=C

checks=0
failures=0
status=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out tmp
export TMPDIR=$work/tmp

wrong() {
  failures=$((failures + 1))
  echo "FAILED $(basename "$0") line ${BASH_LINENO[1]}: $*" >&2
}

# ok WHAT COMMAND...: checks that the command succeeds.
ok() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" > /dev/null 2> ok.err || wrong "$what ($(head -c 300 ok.err))"
}

# equal WHAT FOUND EXPECTED
equal() {
  checks=$((checks + 1))
  [[ $2 == "$3" ]] || wrong "$1: found '$2', expected '$3'"
}

# same WHAT FILE FILE...: checks that the files have the same bytes.
same() {
  local what=$1 first=$2
  shift 2
  for file in "$@"; do
    checks=$((checks + 1))
    cmp -s "$first" "$file" || wrong "$what: $first and $file differ"
  done
}

# contains WHAT FILE TEXT
contains() {
  checks=$((checks + 1))
  grep -qF -- "$3" "$2" || wrong "$1: no '$3' in: $(head -c 400 "$2")"
}

no_temporaries() {
  local left
  left=$(find "$work" -name '*.tmp*' -o -path "$work/tmp/*")
  [[ -z $left ]] || wrong "left behind: $left"
}

finish() {
  no_temporaries
  if [[ $failures != 0 ]]; then
    echo "$failures of $checks checks failed" >&2
    exit 1
  fi
  echo "$checks checks"
}

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
