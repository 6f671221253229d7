#!/usr/bin/env bash
# trawl scan under mpirun: the same bytes as one process, for any ranks, chunks, inputs and outputs.
. "$(dirname "$0")/mpi_lib.sh"
make_input 60000 10
bgzip -c ref.fa > ref.bgzf.gz
gzip -c ref.fa > ref.gz
python3 - > patterns.tsv <<'PYTHON'
import random
random.seed(16)
contigs = "".join(line.strip().upper() for line in open("ref.fa") if line[0] != ">")
swap = str.maketrans("ACGTN", "TGCAN")
for n in range(30):
    m = random.choice([5, 12, 20, 23, 36, 200])
    at = random.randrange(len(contigs) - m)
    p = list(contigs[at:at + m].replace("N", "A"))
    for _ in range(random.randrange(3)):
        p[random.randrange(m)] = random.choice("ACGT")
    p = "".join(p)
    print(f"p{n}\t{p if n % 2 else p.translate(swap)[::-1]}")
print("run\tAAAAAAAAAAAA\nrepeat\tCACACACACA")
PYTHON
# A text with long runs of ends: a locus may be longer than several chunks.
{ cat ref.fa; echo ">runs"; for _ in $(seq 40); do printf 'A%.0s' {1..60}; printf 'CA%.0s' {1..30}; echo; done; } > runs.fa

# alone OPTION...: what one process writes, in all formats.
alone() {
  rm -rf out/*
  mkdir out/one out/ranks
  for format in bed bed.gz tsv sam; do
    run_scan "$@" -o "out/one/x.$format"
    expect_success
  done
  ok "$*: something is found" test "$(wc -l < out/one/x.bed)" -gt 20
}
# ranks NUMBER FORMAT OPTION...: the same by ranks.
ranks() {
  local number=$1 format=$2
  shift 2
  mpi "$number" scan --progress off "$@" -o "out/ranks/x.$format"
  expect_success
  same "$number ranks, $format, $*" "out/one/x.$format" "out/ranks/x.$format"
  rm -f out/ranks/*
}

for options in "-k 2" "-k 3 --report ends --ambiguous match" "-k 2 --metric hamming" "-k 3 --pam NGG --max-bulges 2" \
  "-k 3 --pam TTTV:5' --max-bulges 1" "-k 0 --strand -"; do
  alone $options runs.fa patterns.tsv
  ranks 2 tsv $options runs.fa patterns.tsv
  ranks 3 bed.gz $options --tune=chunk-size=211 runs.fa patterns.tsv
  ranks 4 bed $options --tune=chunk-size=1009 -t 2 runs.fa patterns.tsv
  ranks 7 sam $options --tune=chunk-size=20011 runs.fa patterns.tsv
done

# All formats and chunks of one search; lines of many chunks come at the same time.
options="-k 1 -p ACG -p RYRYR -p CACACACA"
alone $options runs.fa
ok "each chunk of 5,000 has more text than comes along" test "$(stat -c %s out/one/x.bed)" -gt 1500000
for format in bed bed.gz tsv sam; do
  ranks 3 $format $options --tune=chunk-size=5003 runs.fa
  ranks 4 $format $options runs.fa
done
ranks 4 bed.gz $options --tune=chunk-size=150 runs.fa

# Inputs. The SAM header names the reference, the other formats do not.
options="-k 2"
alone $options ref.fa patterns.tsv
for input in ref.gz ref.bgzf.gz; do
  ranks 3 bed $options --tune=chunk-size=4001 $input patterns.tsv
done
if [[ $library == *mpich* ]]; then
  echo "skipped: a reference from stdin, because the mpirun of MPICH fails if a program begins to read late"
else
  mpi 3 scan $options --tune=chunk-size=4001 - patterns.tsv -o out/ranks/x.bed < ref.fa
  expect_success
  same "the reference from stdin" out/one/x.bed out/ranks/x.bed
fi
mpi 3 scan $options ref.fa - -o out/ranks/x.bed < patterns.tsv
expect_success
same "the patterns from stdin" out/one/x.bed out/ranks/x.bed
"$TRAWL" index ref.fa -o ref.trawl 2> /dev/null
ranks 3 sam $options --tune=chunk-size=4001 ref.trawl patterns.tsv
# Only the first rank needs the reference.
mkdir elsewhere
on_rank 1 'cd elsewhere'
mpi 2 scan $options ref.fa patterns.tsv
expect_success
same "stdout is BED" out/one/x.bed stdout
rm -rf elsewhere

# Guides: every column of the table, the summary, genes that only the first rank reads.
awk 'BEGIN { OFS = "\t" } /^>/ { n = substr($1, 2); for (i = 0; i < 40; i++) print n, 150 * i, 150 * i + 90, "gene" i }' runs.fa > genes.bed
printf 'genome\nNNNNNNNNNNNNNNNNNNNNNGG 0 1\n' > cas.txt
awk -F '\t' 'length($2) == 20 { print $2 "NNN 6 " $1 }' patterns.tsv >> cas.txt
common="--annotate genes.bed"
for guides in "-k 2 --pam NGG,NAG --pam-mismatches 1 runs.fa patterns.tsv" "runs.fa cas.txt"; do
  rm -rf out/*
  run_scan $common $guides -o out/x.csv --summary out/s.tsv
  expect_success
  ok "$guides: something is found" test "$(wc -l < out/x.csv)" -gt 20
  on_rank 1 'rm -rf elsewhere; mkdir elsewhere; cd elsewhere; mkdir out'
  mpi 3 scan --progress off $common $guides --tune=chunk-size=1009 -o "$PWD/out/y.csv" --summary out/t.tsv
  expect_success
  same "$guides: a table of guides" out/x.csv out/y.csv
  same "$guides: the summary" out/s.tsv out/t.tsv
  rm -rf elsewhere
  on_rank 1 ''
done

# Messages and statistics are those of one process.
run_scan $options ref.fa patterns.tsv -o out/x.bed --stats one.json
mpi 3 scan $options --progress off --tune=chunk-size=3001 ref.fa patterns.tsv -o out/x.bed --stats ranks.json
expect_success
equal "one summary" "$(grep -c 'patterns.*bases.*loci' stderr)" 1
equal "one line about the engine" "$(grep -c 'engine cpu' stderr)" 1
python3 - > counts 2>&1 <<'PYTHON'
import json
one, ranks = (json.load(open(f)) for f in ("one.json", "ranks.json"))
for key in ("reference", "patterns", "records"):
    assert one[key] == ranks[key], (key, one[key], ranks[key])
assert "ranks" not in one and [rank["rank"] for rank in ranks["ranks"]] == [0, 1, 2]
assert sum(rank["done"] for rank in ranks["ranks"]) == ranks["reference"]["bases"]
PYTHON
equal "--stats: the counts" "$?, $(cat counts)" "0, "

# Errors are said once, and nothing is left.
rm -rf out/*
# refused STATUS MESSAGE OPTION...
refused() {
  local expected=$1 message=$2
  shift 2
  mpi 3 scan "$@" -o out/x.bed
  equal "$*: status" "$status" "$expected"
  equal "$*: said once" "$(grep -cF -- "$message" stderr)" 1
  equal "$*: nothing is left" "$(ls -A out)" ""
}
refused 2 "there is no option --nothing" --nothing ref.fa patterns.tsv
refused 2 "need --pam" --max-bulges 2 ref.fa patterns.tsv
refused 1 "no_file: cannot open" no_file patterns.tsv
refused 1 "no_file: cannot open" ref.fa no_file
printf '>a\nACGT\nAC!GT\n' > bad.fa
refused 1 "bad.fa:3" bad.fa patterns.tsv

finish
