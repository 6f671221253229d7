# For the tests of the program: source this file first. With checks.sh, it works in a temporary directory.
#
#   run -e 2 ref.fa reads.fq -o out/x.sam       # trawl map; leaves $status, stdout, stderr
#   run_scan -k 2 -p ACGT ref.fa                # trawl scan, the same
#   expect_failure 1 "cannot open" out/x.sam    # status, a part of the message, and no output left
#
# TRAWL and TRAWL_SIMULATE name the programs.

. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

for program in "${TRAWL:?the path of trawl}" "${TRAWL_SIMULATE:?the path of trawl-simulate}" samtools bgzip gzip python3; do
  if ! command -v "$program" > /dev/null; then
    echo "$program is missing (Debian: samtools, tabix, python3)" >&2
    exit 1
  fi
done

# --- running ---

run() {
  "$TRAWL" map --progress off "$@" > stdout 2> stderr
  status=$?
}

run_scan() {
  "$TRAWL" scan --progress off "$@" > stdout 2> stderr
  status=$?
}

expect_success() {
  checks=$((checks + 1))
  [[ $status == 0 ]] || wrong "status $status: $(head -c 400 stderr)"
}

# Whether --engine cuda can be used here; if not, says so.
has_cuda() {
  "$TRAWL" info | grep -q '^ *cuda  usable' || { echo "skipped: the engine cuda, which cannot be used here"; return 1; }
}

# expect_failure STATUS MESSAGE [OUTPUT]: no output and no temporary file is left.
expect_failure() {
  checks=$((checks + 1))
  if [[ $status != "$1" ]]; then
    wrong "status $status, expected $1: $(head -c 400 stderr)"
  elif ! grep -qF -- "$2" stderr; then
    wrong "no '$2' in the message: $(head -c 400 stderr)"
  elif ! grep -q '^trawl' stderr; then
    wrong "the message does not begin with trawl: $(head -c 400 stderr)"
  elif [[ -n ${3-} && -e $3 ]]; then
    wrong "$3 was left"
  fi
  no_temporaries
}

# open_files PID FOLDER: the files of the folder that a process has open, as /proc/PID/fd/N. Outputs have no names yet.
open_files() { find "/proc/$1/fd" -lname "$work/$2/*" 2> /dev/null; }

# wait_for_output PID FOLDER: until the process has an output open there, at most 10 s.
wait_for_output() {
  for _ in $(seq 200); do
    [[ -n $(open_files "$1" "$2") ]] && return
    sleep 0.05
  done
}

# killed: the checks after kill -9. Nothing but the reference for CRAM may be left, in TMPDIR.
killed() {
  equal "KILL: status" "$status" 137
  equal "KILL: nothing is left in TMPDIR but the reference for CRAM" \
    "$(find tmp -mindepth 1 ! -name 'trawl.*.fa' ! -name 'trawl.*.fa.fai')" ""
  rm -rf tmp/*
}

# --- inputs and outputs ---

# Makes a reference of several contigs with repeats, and reads of it: ref.fa, reads.fq.
make_input() {
  local length=${1:-60000} count=${2:-600}
  "$TRAWL_SIMULATE" genome "$length" 7 genome.fa 2> /dev/null
  # Contigs of 300 lines; the third one repeats the first 20 kb.
  awk '!/>/ { if (n++ % 300 == 0) print ">chr" ++c " contig " c; print }' genome.fa > ref.fa
  awk 'BEGIN { print ">copy" } !/>/ && n++ < 300' genome.fa >> ref.fa
  "$TRAWL_SIMULATE" reads ref.fa "$count" 100 3 --qualities --lengths 36-150 --error-rate 0.012 --indel-share 0.4 > reads.fq
}

# The records of a SAM, BAM or CRAM file, without the header.
records() { samtools view "$@"; }

# Column N of the records on stdin.
column() { cut -f "$1"; }
