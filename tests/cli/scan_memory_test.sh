#!/usr/bin/env bash
# trawl scan: the memory of a scan does not grow with the number of hits.
. "$(dirname "$0")/lib.sh"

# peak WHAT OPTION...: runs a scan into out/x.*. Sets `peak` to the MB in --stats, and `found` to the number of records.
peak() {
  local what=$1
  shift
  run_scan "$@" --stats out/stats.json
  expect_success
  read -r peak found < <(python3 -c '
import json
s = json.load(open("out/stats.json"))
print(s["peak_resident_bytes"] // 1000000, s["records"]["total"])')
  echo "$what: $found records, $peak MB"
}

# at_most WHAT MB MOST
at_most() { ok "$1: $2 MB, at most $3" test "$2" -le "$3"; }

# Runs of N, which match here: ends that N alone makes are not reported, for any number of patterns. k = 0 and more,
# with a PAM.
python3 - <<'PYTHON'
import random
random.seed(11)
bases = lambda n: "".join(random.choices("ACGT", k=n))
text = "".join(bases(random.randrange(2000, 6000)) + "N" * random.choice([12, 14, 3000, 4000, 6000]) for _ in range(40))
with open("n.fa", "w") as f:
    f.write(">n\n" + text + "\n")
with open("all_n.fa", "w") as f:
    f.write(">n\n" + "N" * 300000 + "\n>m\n" + "N" * 10 + "\n")
with open("short.fa", "w") as f:
    f.writelines(f">p{p}\n{bases(random.randrange(12, 16))}\n" for p in range(4000))
with open("guides.fa", "w") as f:
    f.writelines(f">g{p}\n{bases(20)}\n" for p in range(1000))
PYTHON
ambiguous="--ambiguous match -t 2"
peak "runs of N, k = 0" -k 0 $ambiguous n.fa short.fa -o out/n.bed
at_most "runs of N, k = 0" "$peak" 250
peak "runs of N, k = 2" -k 2 $ambiguous n.fa guides.fa -o out/n2.bed
at_most "runs of N, k = 2" "$peak" 250
peak "runs of N, PAM" -k 2 --pam NGG $ambiguous n.fa guides.fa -o out/pam.bed
at_most "runs of N, PAM" "$peak" 250
peak "N only" -k 1 $ambiguous all_n.fa short.fa -o out/all_n.bed
at_most "N only" "$peak" 250
equal "N only: records" "$found" 0

# Twenty times as many hits need no more memory, in every format: hits spread over a text, and positions where all
# patterns end.
python3 - <<'PYTHON'
import random
random.seed(12)
for name, count in ("some", 8), ("many", 160):
    with open(f"{name}.fa", "w") as f:
        f.writelines(f">p{p}\n{''.join(random.choices('ACGT', k=7))}\n" for p in range(count))
for name, count in ("one", 1), ("twenty", 20):
    with open(f"{name}.fa", "w") as f:
        f.writelines(f">c{c}\n{'A' * 2500}\n" for c in range(count))
with open("a.fa", "w") as f:
    f.writelines(f">p{p}\n{'A' * (9 + p % 3)}\n" for p in range(100))
PYTHON
"$TRAWL_SIMULATE" genome 2000000 5 text.fa 2> /dev/null
for format in bed sam; do
  peak "some patterns, $format" -k 1 -t 2 text.fa some.fa -o out/some.$format
  few=$found least=$peak
  peak "20 times as many, $format" -k 1 -t 2 text.fa many.fa -o out/many.$format
  ok "20 times as many hits" test "$found" -gt $((10 * few))
  at_most "20 times as many, $format" "$peak" $((least + 150))
done
for report in loci ends; do
  peak "one contig, $report" -k 1 -t 2 --strand + --report $report one.fa a.fa -o out/one.bed
  least=$peak
  peak "20 contigs, $report" -k 1 -t 2 --strand + --report $report twenty.fa a.fa -o out/twenty.bed
  at_most "20 contigs, $report" "$peak" $((least + 150))
done

# All loci that begin after a very long locus must wait for its end. Above some memory they wait in a file.
python3 - <<'PYTHON'
with open("waits.fa", "w") as f:
    f.write(">t\n" + ("A" * 19 + "T") * 30000 + "\n")
with open("wait.fa", "w") as f:
    # One or two edits everywhere: a single locus, whose best position is known only at its end.
    f.write(">waits\nAAAAACAAAAA\n")
    # Two edits, only for matches that end in T: a locus every 20 letters.
    for n in range(72):
        f.write(f">p{n}\n{'A' * (n // 4)}{'CG'[n % 2]}{'CG'[n // 2 % 2]}AAAAAAT\n".replace("A" * 17, "A" * 8))
PYTHON
peak "others wait" -k 2 -t 2 --strand + waits.fa wait.fa -o out/waits.bed
ok "many records" test "$found" -gt 1700000
at_most "others wait" "$peak" 280
sort -s -k2,2n out/waits.bed > sorted
same "in order" sorted out/waits.bed
equal "the long locus" "$(grep -c -w waits out/waits.bed)" 1

# What --memory says that a set takes is kept, and what it says of more patterns is more than they add. Searched by
# pieces, by rows, and with a PAM.
python3 -c '
import random
random.seed(14)
for p in range(60000):
    print(f"p{p}\t" + "".join(random.choices("ACGT", k=20)))' > sets.tsv
head -n 2000 sets.tsv > few.tsv
# measure PATTERNS OPTIONS...: sets `stated` and `peak`.
measure() {
  local patterns=$1
  shift
  run_scan -t 2 "$@" --memory 1M one.fa "$patterns" -o out/x.bed --stats out/stats.json
  stated=$(grep -o 'takes up to [0-9]*M' stderr | grep -o '[0-9]*')
  peak "$*, $patterns" -t 2 "$@" --memory "${stated}M" one.fa "$patterns" -o out/x.bed
}
for options in "-k 0" "-k 2" "-k 2 --search rows" "-k 2 --metric hamming" "-k 2 --pam NGG"; do
  measure few.tsv $options
  few_stated=$stated few_peak=$peak
  measure sets.tsv $options
  at_most "$options" "$peak" "$stated"
  at_most "$options, more patterns add" $((peak - few_peak)) $((stated - few_stated + 4))  # 4: allocators round up
done

# Patterns that do not fit: the message says what helps. (A program with sanitizers needs more than any limit here.)
limited() {
  (ulimit -v 100000 && exec "$TRAWL" scan --engine cpu -t 1 --progress off "$@" > stdout 2> stderr)
  status=$?
}
limited one.fa a.fa -o out/fits.bed
if [[ $status == 0 ]]; then
  python3 -c '
import random
random.seed(13)
for p in range(500000):
    print(f"p{p}\t{random.getrandbits(64):064b}".replace("0", "C").replace("1", "T"))' > large.tsv
  limited one.fa large.tsv -o out/large.bed
  expect_failure 1 "trawl scan: not enough memory: give fewer patterns at a time, fewer --threads, or a machine" out/large.bed
else
  echo "skipped: the program cannot run with limited memory"
fi

if has_cuda; then
  peak "runs of N, cuda" -k 0 $ambiguous --engine cuda n.fa short.fa -o out/cuda.bed
  same "runs of N, cuda" out/n.bed out/cuda.bed
  run_scan -k 1 -t 2 --engine cuda text.fa many.fa -o out/cuda.bed
  same "many hits, cuda" out/many.bed out/cuda.bed
fi

finish
