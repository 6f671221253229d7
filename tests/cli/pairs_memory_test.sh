#!/usr/bin/env bash
# The memory that pairs of repeats need: with --report all, each pair of loci has records.
. "$(dirname "$0")/lib.sh"

# 1,200 copies of a repeat. All pairs lie in it, so each has about 50,000 concordant pairs of loci.
python3 - <<'PYTHON'
import random
random.seed(3)
def bases(n):
    return "".join(random.choices("ACGT", k=n))
repeat = bases(300)
open("ref.fa", "w").write(">c\n" + "".join(repeat + bases(500) for _ in range(1200)) + "\n")
second = repeat[200:][::-1].translate(str.maketrans("ACGT", "TGCA"))
for name, mate in ("1.fq", repeat[:100]), ("2.fq", second):
    open(name, "w").write("".join(f"@r{i}\n{mate}\n+\n{'I' * 100}\n" for i in range(200)))
PYTHON

# limited KB ARGUMENTS...: trawl map with limited address space; leaves what run() leaves.
limited() {
  local kilobytes=$1
  shift
  (ulimit -v "$kilobytes" && exec "$TRAWL" map --engine cpu -t 2 --progress off "$@" > stdout 2> stderr)
  status=$?
}

# A program with sanitizers needs more address space than any limit here.
limited 1500000 ref.fa 1.fq 2.fq -o out/best.bam
if [[ $status != 0 ]]; then
  echo "skipped: the program cannot run with limited memory"
  exit 77
fi

limited 1500000 --report all --insert 1-35000 ref.fa 1.fq 2.fq -o /dev/null --stats out/all.json
expect_success
ok "tens of thousands of records for each mate" python3 -c \
  'import json; assert json.load(open("out/all.json"))["alignments"]["total"] > 400 * 40000'

# Batches that cannot fit: the message says what helps.
limited 1500000 --report all --insert 1-35000 --batch-size 1000 ref.fa 1.fq 2.fq -o out/x.sam
expect_failure 1 "trawl map: not enough memory to map the reads: give -k, which limits the records of each pair, or a narrower --insert, or a smaller --batch-size" out/x.sam
limited 1500000 --report all --insert 1-35000 --batch-size 1000 -k 10 ref.fa 1.fq 2.fq -o out/few.sam
expect_success
limited 1500000 --report all --insert 1-1000 --batch-size 1000 ref.fa 1.fq 2.fq -o out/narrow.sam
expect_success

finish
