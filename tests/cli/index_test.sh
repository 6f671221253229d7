#!/usr/bin/env bash
# trawl index: what it writes gives the same records as the FASTA, and whatever is wrong with it is said.
. "$(dirname "$0")/lib.sh"
make_input 60000 600
printf '>odd lower\nacgtnnnnnnnnryACGTTGCAACGATCGATTTTACGATCGAGCTAGCNNNNN\n' >> ref.fa
"$TRAWL_SIMULATE" pairs ref.fa 300 100 5 first.fq second.fq --qualities 2> /dev/null

run_index() {
  "$TRAWL" index --progress off "$@" > stdout 2> stderr
  status=$?
}

# patched FILE OFFSET BYTES: changes bytes, given as for printf.
patched() {
  printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

# --- the file ---

run_index ref.fa
expect_success
contains "the summary names the file" stderr "ref.fa.trawl: "
cp ref.fa.trawl default.trawl
for threads in 1 2 5; do
  run_index -t $threads ref.fa -o again.trawl
  expect_success
  same "the same bytes with $threads threads" default.trawl again.trawl
done
run_index ref.fa -o - > /dev/null
same "to a stream" default.trawl stdout
gzip -c ref.fa > packed.fa.gz
run_index packed.fa.gz -o packed.trawl
expect_success
run_index - -o stdin.trawl < ref.fa
expect_success

# --- mapping gives the same bytes ---

for options in "" "--report all -e 3" "--report strata --strata 1 -k 2" "--search scan -e 2 --report all" \
  "--ambiguous match -e 2" "--search seeds"; do
  for inputs in reads.fq "first.fq second.fq"; do
    # shellcheck disable=SC2086
    run --engine cpu -t 1 $options ref.fa $inputs -o fasta.sam
    expect_success
    for threads in 1 2; do
      # shellcheck disable=SC2086
      run --engine cpu -t $threads $options ref.fa.trawl $inputs -o index.sam
      expect_success
      same "map $options $inputs, $threads threads" fasta.sam index.sam
    done
  done
done
ok "the header has the checksums" grep -q 'M5:' index.sam
for format in bam cram bed; do
  run --engine cpu ref.fa reads.fq -o fasta.$format
  run --engine cpu ref.fa.trawl reads.fq -o index.$format
  expect_success
  same "map to $format" fasta.$format index.$format
done
run --engine cpu ref.fa reads.fq -o fasta.sam
run --engine cpu ./again.trawl reads.fq -o index.sam
same "another name" fasta.sam index.sam
cp again.trawl misnamed.fa
run misnamed.fa reads.fq -o index.sam
expect_success
same "the content says what it is" fasta.sam index.sam
run --engine cpu stdin.trawl reads.fq -o index.sam
expect_success
same "made of the standard input, records" <(records fasta.sam) <(records index.sam)
if has_cuda; then
  run --engine cuda ref.fa reads.fq -o fasta.sam
  run --engine cuda ref.fa.trawl reads.fq -o index.sam
  expect_success
  same "cuda" fasta.sam index.sam
fi

# --- scanning, too ---

for options in "-k 2" "-k 2 --ambiguous match --chunk-size 700" "--report ends -k 1 --chunk-size 100"; do
  for format in bed sam; do
    # shellcheck disable=SC2086
    run_scan -p GATCGATTTTACG -p GATRACAGA $options ref.fa -o "fasta.$format"
    expect_success
    # shellcheck disable=SC2086
    run_scan -p GATCGATTTTACG -p GATRACAGA $options ref.fa.trawl -o "index.$format"
    expect_success
    same "scan $options to $format" "fasta.$format" "index.$format"
  done
done
equal "the scan found something" "$(test -s index.bed && echo yes)" yes

# Two processes at once, and one whose index is replaced meanwhile.
run --engine cpu ref.fa reads.fq -o fasta.sam
"$TRAWL" map --engine cpu ref.fa.trawl reads.fq -o one.sam 2> /dev/null &
one=$!
"$TRAWL" map --engine cpu ref.fa.trawl reads.fq -o two.sam 2> /dev/null &
two=$!
run_index ref.fa
expect_success
ok "one of two at once" wait $one
ok "two of two at once" wait $two
same "two at once" fasta.sam one.sam two.sam
"$TRAWL" index ref.fa -o race.trawl 2> /dev/null &
one=$!
run_index ref.fa -o race.trawl
expect_success
ok "the other writer" wait $one
same "two write the same file" default.trawl race.trawl

# --- the check ---

run_index --check ref.fa.trawl
expect_success
contains "the check" stderr "ref.fa.trawl is complete, not damaged, and has the sequences of ref.fa"
run_index --check packed.trawl ref.fa
expect_success
run_index --check stdin.trawl
expect_success
contains "no FASTA to compare with" stderr "it was made from standard input, so there is no file to compare with; give one: trawl index --check stdin.trawl FASTA"
sed 's/lower/other/; s/^acgtn/aggtn/' ref.fa > other.fa
run_index --check ref.fa.trawl other.fa
expect_failure 1 "ref.fa.trawl: the index is not damaged, but other.fa has other sequences; make the index again"
run_index --check ref.fa
expect_failure 1 "ref.fa: is not a saved index; make one: trawl index REF -o FILE"
run_index --check nothing.trawl
expect_failure 1 "nothing.trawl: cannot read: No such file or directory"

# --- a changed FASTA ---

mkdir moved
cp ref.fa moved/
(cd moved && "$TRAWL" index ref.fa 2> /dev/null)
touch -d 2001-01-01 moved/ref.fa
run moved/ref.fa.trawl reads.fq -o index.sam
expect_success
contains "another time" stderr "warning: moved/ref.fa is not from the same time as when moved/ref.fa.trawl was made"
run_scan -p ACGTACGTTT moved/ref.fa.trawl
expect_success
contains "another time, scan" stderr "warning: moved/ref.fa is not from the same time"
run_index --check moved/ref.fa.trawl
expect_success
sed 's/^acgtn/aggtn/' ref.fa > moved/ref.fa
run_index --check moved/ref.fa.trawl
expect_failure 1 "but moved/ref.fa has other sequences; make the index again: trawl index moved/ref.fa -o moved/ref.fa.trawl"
echo ACGT >> moved/ref.fa
run moved/ref.fa.trawl reads.fq -o out/x.sam
expect_failure 1 "make the index again: trawl index moved/ref.fa -o moved/ref.fa.trawl" out/x.sam
rm moved/ref.fa
run moved/ref.fa.trawl reads.fq -o index.sam
expect_success
same "without the FASTA" <(records fasta.sam) <(records index.sam)

# --- damage ---

# broken MESSAGE: both programs refuse bad.trawl.
broken() {
  run bad.trawl reads.fq -o out/x.sam
  expect_failure 1 "bad.trawl: $1" out/x.sam
  contains "what to do" stderr "make it again: trawl index REF -o bad.trawl"
  run_index --check bad.trawl
  expect_failure 1 "bad.trawl: $1"
}
bytes=$(wc -c < default.trawl)
for length in 20 71 72 200 4096 20000 $((bytes / 2)) $((bytes - 1)); do
  head -c "$length" default.trawl > bad.trawl
  broken "the saved index is cut short"
done
cp default.trawl bad.trawl
echo >> bad.trawl
broken "the saved index is damaged: other data follow"
cp default.trawl bad.trawl
patched bad.trawl 12 '\x02'
broken "the saved index was made by a newer version of Trawl"
patched bad.trawl 12 '\x00'
broken "the saved index was made by an older version of Trawl"
cp default.trawl bad.trawl
patched bad.trawl 8 '\x01\x02\x03\x04'
broken "the saved index was made on a machine with another byte order"
for at in 30 50 64 100 300 4100 8200 8230; do
  cp default.trawl bad.trawl
  patched bad.trawl $at '\xee'
  broken "the saved index is damaged"
done
# The seeds, which are not read at the start.
cp default.trawl bad.trawl
python3 - bad.trawl << 'PYTHON'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(-20000, 2)
    file.write(b"\xff" * 20000)
PYTHON
run --engine cpu --search seeds bad.trawl reads.fq -o out/x.sam
expect_failure 1 "the seeds of the saved index are damaged" out/x.sam
run_index --check bad.trawl
expect_failure 1 "bad.trawl: the saved index is damaged: section "
: > bad.trawl
run bad.trawl reads.fq -o out/x.sam
expect_failure 1 "bad.trawl: has no sequences; a reference must be FASTA" out/x.sam

# --- places that cannot be written ---

rm -f out/*
run_index ref.fa -o nowhere/x.trawl
expect_failure 1 "nowhere/x.trawl: cannot create a file in its directory: No such file or directory"
run_index ref.fa -o /proc/x.trawl
expect_failure 1 "/proc/x.trawl: "
run_index ref.fa -o out
expect_failure 1 "out: is a directory; name a file in it"
run_index ref.fa -o /dev/full
expect_failure 1 "/dev/full: cannot write: No space left on device"
if [[ $(id -u) != 0 ]]; then
  mkdir locked
  cp ref.fa locked/
  chmod 555 locked
  run_index locked/ref.fa
  expect_failure 1 "locked/ref.fa.trawl: cannot create a file in its directory: Permission denied"
  chmod 755 locked
fi
echo old > out/kept.trawl
(
  ulimit -c 0 -f 16
  "$TRAWL" index ref.fa -o out/kept.trawl > stdout 2> stderr
)
status=$?
expect_failure 1 "out/kept.trawl: cannot write: File too large"
equal "an existing file is kept" "$(cat out/kept.trawl)" old
rm out/*

# --- signals ---

mkfifo fifo
# interrupted SIGNAL NUMBER: while the reference is read.
interrupted() {
  env --default-signal=INT,TERM,HUP "$TRAWL" index fifo -o out/x.trawl > stdout 2> stderr &
  local job=$!
  exec 9> fifo
  head -c 30000 ref.fa >&9
  wait_for_output $job out
  equal "$1: it is at work" "$(open_files $job out | wc -l)" 1
  kill -s "$1" $job
  wait $job 2> /dev/null
  status=$?
  exec 9>&-
  if [[ $1 == KILL ]]; then
    killed
  else
    expect_failure "$2" "trawl index: interrupted; no output file was kept" out/x.trawl
  fi
  equal "$1: nothing is left" "$(ls -A out)" ""
}
interrupted INT 130
interrupted TERM 143
interrupted KILL 137
# At any moment, also while it writes: nothing or the whole file.
"$TRAWL_SIMULATE" genome 3000000 7 long.fa 2> /dev/null
run_index long.fa -o long.trawl
expect_success
for delay in 0.02 0.04 0.06 0.08 0.1 0.12 0.15 0.2; do
  for signal in TERM KILL; do
  env --default-signal=TERM "$TRAWL" index long.fa -o out/x.trawl > stdout 2> stderr &
  job=$!
  sleep $delay
  kill -s $signal $job 2> /dev/null
  wait $job 2> /dev/null
  checks=$((checks + 1))
  left=$(ls -A out)
  if [[ -n $left ]]; then
    equal "$signal after $delay s: only the result is left" "$left" x.trawl
    same "$signal after $delay s: it is complete" long.trawl out/x.trawl
  fi
  rm -f out/x.trawl
done; done

# --- wrong usage ---

run_index
expect_failure 2 "REF is required"
run_index -
expect_failure 2 "the reference is the standard input, so -o must name the index"
run_index ref.fa other.fa
expect_failure 2 "only one reference can be in an index, and other.fa is a second one"
run_index --check ref.fa.trawl -o x.trawl
expect_failure 2 "--check writes nothing; leave -o out"
run_index ref.fa -o ref.fa
expect_failure 2 "-o ref.fa is the input ref.fa, which would be lost"
run_index ref.fa.trawl -o x.trawl
expect_failure 1 "ref.fa.trawl: is a saved index already"
run_index reads.fq -o out/x.trawl
expect_failure 1 "reads.fq:1: this is a FASTQ file; a reference must be FASTA" out/x.trawl
run_index nothing.fa -o out/x.trawl
expect_failure 1 "nothing.fa" out/x.trawl

# A saved index beside the FASTA.
mkdir beside
cp ref.fa beside/g.fa
run --engine cpu beside/g.fa reads.fq -o out/x.sam
equal "no index beside it" "$(grep -c 'lies beside' stderr)" 0
"$TRAWL" index --progress off beside/g.fa 2> /dev/null
run --engine cpu beside/g.fa reads.fq -o out/x.sam
contains "an index beside it" stderr "beside/g.fa.trawl lies beside beside/g.fa: trawl map beside/g.fa.trawl ... starts at once"
run --engine cpu beside/g.fa.trawl reads.fq -o out/x.sam
equal "the index itself" "$(grep -c 'lies beside' stderr)" 0

finish
