# Checks for tests of a program: lib.sh and the laboratory's tests source this. It works in a temporary directory, which is
# deleted at the end.

set -u -o pipefail
export LC_ALL=C
# So that -t 4 means four threads also on a machine with two cores.
export TRAWL_MAX_THREADS=1024

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
