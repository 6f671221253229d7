#!/usr/bin/env bash
# trawl map --sort under mpirun: the file and its index have the same bytes as from one process.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi_lib.sh"
make_input 60000 6000
"$TRAWL_SIMULATE" pairs ref.fa 600 75 5 m1.fq m2.fq --qualities --error-rate 0.01 2> /dev/null

# sorted NAME FORMAT OPTION...: what one process writes. Its memory is enough.
sorted() {
  local name=$1 format=$2
  shift 2
  mkdir -p "one/$name"
  run --sort "$@" -o "one/$name/x.$format"
  expect_success
}
# ranks NUMBER NAME FORMAT OPTION...: the same by ranks.
ranks() {
  local number=$1 name=$2 format=$3 file
  shift 3
  mpi "$number" map --sort --progress off -t $((number % 2 + 1)) "$@" -o "out/x.$format" --stats many.json
  expect_success
  equal "$number ranks, $*: the files" "$(ls out)" "$(ls "one/$name" | grep "^x\.$format")"
  for file in "one/$name/x.$format"*; do
    same "$number ranks, $*" "$file" "out/${file##*/}"
  done
  rm -f out/*
}
# spilled: whether the last run has used temporary files.
spilled() { ! grep -q '"spilled_bytes": 0' many.json; }

# --- numbers of ranks, sizes of batches, memory ---
all="-e 5% --report all ref.fa reads.fq"
sorted all bam $all
sorted all cram $all
ranks 1 all bam $all
ranks 2 all bam --tune=batch-size=400 $all
ok "2 ranks: in memory" eval '! spilled'
ranks 3 all bam --tune=batch-size=28 --sort-memory 1M $all
ok "3 ranks: spilled" spilled
ranks 7 all bam --tune=batch-size=20 $all
ranks 4 all cram --tune=batch-size=200 --sort-memory 1M $all
ok "the file is complete" samtools quickcheck one/all/x.bam

# --- duplicates, whichever ranks have mapped the copies ---
for m in 1 2; do
  awk 'NR % 4 == 1 { sub(/$/, "x") } { print }' m$m.fq > copies$m.fq
done
marks="--mark-duplicates ref.fa m1.fq,copies1.fq m2.fq,copies2.fq"
sorted marks bam $marks
sorted marks cram $marks
duplicates=$(samtools view -c -f 1024 one/marks/x.bam)
# A copy of a pair in the repeat may be placed elsewhere than the pair: nearly half of the pairs lie there.
ok "a third of the mapped reads are marked, or more" [ $((3 * duplicates)) -ge "$(samtools view -c -F 260 one/marks/x.bam)" ]
ranks 2 marks bam $marks
ok "2 ranks: counted" grep -q "\"reads\": $duplicates," many.json
ranks 3 marks bam --tune=batch-size=28 --sort-memory 1M $marks
ranks 5 marks cram --tune=batch-size=20 $marks

# --- what is equal stays in input order, whichever rank has mapped it ---
# One read 10,000 times, on both strands, with names that differ; and reads without a place.
{
  read=$(sed -n 2p reads.fq)
  other=$(rev <<< "$read" | tr ACGT TGCA)
  for ((r = 0; r < 5000; r++)); do printf '@r%d\n%s\n+\n%s\n@s%d\n%s\n+\n%s\n' $r "$read" "${read//?/I}" $r "$other" "${other//?/H}"; done
} > ties.fq
awk 'NR % 4 == 2 { gsub(/./, "N") } { print }' ties.fq > lost.fq
for input in ties lost; do
  sorted $input bam ref.fa $input.fq
  ranks 4 $input bam --tune=batch-size=50 ref.fa $input.fq
  ranks 2 $input bam --tune=batch-size=50 --sort-memory 1M ref.fa $input.fq
  ok "$input: spilled" spilled
done
equal "all at few places" "$(samtools view -F 256 one/ties/x.bam | cut -f 3,4 | sort -u | wc -l)" 1
: > empty.fq
sorted empty bam ref.fa empty.fq
ranks 3 empty bam ref.fa empty.fq
sorted dropped bam --unmapped drop ref.fa lost.fq
ranks 2 dropped bam --unmapped drop --tune=batch-size=500 ref.fa lost.fq

# --- pairs ---
pairs="-e 4 --insert 380-420 ref.fa m1.fq m2.fq"
sorted pairs bam $pairs
ranks 3 pairs bam --tune=batch-size=30 $pairs

# --- what is sent: most records go to other ranks once; nothing else is large ---
mpi 3 map --sort --progress off --tune=batch-size=400 -t 1 $all -o out/x.bam --stats many.json
expect_success
ok "what is sent" python3 - "$(samtools view out/x.bam | wc -c)" <<'PYTHON'
import json, sys
first, *others = [rank["bytes_sent"] for rank in json.load(open("many.json"))["ranks"]]
assert first + sum(others) < 1.5 * int(sys.argv[1]), (first, others)
PYTHON
rm -f out/*

finish
