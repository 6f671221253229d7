#!/usr/bin/env bash
# Pairs as input: all ways to give them are the same, and unusable pairs get a message that says where and why.
. "$(dirname "$0")/lib.sh"
make_input 60000 1

# Pairs of a library with inserts of 250 to 450: reads_1.fq, reads_2.fq. Some mates have errors, some pairs are lost.
python3 - <<'PYTHON'
import random
random.seed(11)
contigs = []
for line in open("ref.fa"):
    contigs.append("") if line[0] == ">" else contigs.__setitem__(-1, contigs[-1] + line.strip())
flip = str.maketrans("ACGT", "TGCA")
def mutate(s, n):
    s = list(s)
    for _ in range(n):
        s[random.randrange(len(s))] = random.choice("ACGT")
    return "".join(s)
with open("reads_1.fq", "w") as one, open("reads_2.fq", "w") as two:
    for p in range(12000):
        contig = random.choice(contigs)
        insert = random.randint(250, 450)
        at = random.randrange(len(contig) - insert)
        piece = contig[at:at + insert]
        if random.random() < 0.5:
            piece = piece[::-1].translate(flip)
        a, b = random.choice([70, 100, 36]), random.choice([70, 100, 36])
        first, second = mutate(piece[:a], p % 2), mutate(piece[::-1].translate(flip)[:b], p % 3 // 2)
        if p % 50 == 0:
            second = "".join(random.choice("ACGT") for _ in range(b))
        one.write(f"@p{p}/1 x\n{first}\n+\n{'I' * a}\n")
        two.write(f"@p{p}/2\n{second}\n+\n{'H' * b}\n")
PYTHON
in_turn() { paste <(paste - - - - < "$1") <(paste - - - - < "$2") | tr '\t' '\n'; }
in_turn reads_1.fq reads_2.fq > in_turn.fq

# --- all ways to give the same pairs ---

for report in best all; do
  run --engine cpu --report $report -t 2 ref.fa reads_1.fq reads_2.fq -o out/$report.sam --stats out/$report.json
  expect_success
  grep 'insert sizes' stderr > out/$report.inserts
done
equal "both mates of each pair have a record" \
  "$(records -f 0x40 -F 0x900 out/best.sam | wc -l) $(records -f 0x80 -F 0x900 out/best.sam | wc -l)" "12000 12000"
equal "names without /1 and /2" "$(records out/best.sam | cut -f 1 | grep -c /)" 0
equal "nearly all pairs are concordant" "$(($(records -f 0x42 -F 0x900 out/best.sam | wc -l) > 11000))" 1
same "the estimate does not depend on --report" out/best.inserts out/all.inserts

bgzip -c reads_2.fq > reads_2.bgz
gzip -c reads_1.fq > reads_1.gz
gzip -c in_turn.fq > in_turn.gz
sed 's/$/\r/' reads_2.fq > crlf_2.fq
for n in 1 2; do
  head -n 4000 reads_$n.fq > a_$n.fq
  tail -n +4001 reads_$n.fq > b_$n.fq
  head -n 10000 reads_$n.fq | gzip -c > c_$n.gz
  tail -n +10001 reads_$n.fq > d_$n.fq
  sed 's/ x$//; s,/[12]$,,' reads_$n.fq > plain_$n.fq
done
n=0
# alike ARGUMENTS...: the records, the estimate and the statistics are those of reads_1.fq and reads_2.fq.
alike() {
  local report
  n=$((n + 1))
  for report in best all; do
    run --engine cpu --report $report "$@" -o out/$n.sam --stats out/$n.json < "${input:-/dev/null}"
    expect_success
    same "the records of $*" out/$report.sam out/$n.sam
    same "the estimate of $*" out/$report.inserts <(grep 'insert sizes' stderr)
    same "the statistics of $*" <(sed -n '/"reads"/,/"seconds"/p' out/$report.json) \
      <(sed -n '/"reads"/,/"seconds"/p' out/$n.json)
    rm -f out/$n.sam out/$n.json
  done
}
alike --interleaved ref.fa in_turn.fq
alike -t 2 --interleaved ref.fa in_turn.gz
input=in_turn.gz alike --interleaved ref.fa -
alike -t 2 ref.fa reads_1.gz reads_2.bgz
input=reads_1.gz alike ref.fa - reads_2.fq
input=reads_2.fq alike ref.fa reads_1.gz -
alike ref.fa reads_1.fq crlf_2.fq
alike ref.fa plain_1.fq reads_2.fq
alike ref.fa plain_1.fq plain_2.fq
alike ref.fa a_1.fq,b_1.fq a_2.fq,b_2.fq
alike ref.fa a_1.fq,b_1.fq c_2.gz,d_2.fq
alike ref.fa c_1.gz,d_1.fq reads_2.fq
run --engine cpu ref.fa <(cat reads_1.fq) <(zcat reads_2.bgz) -o out/pipes.sam
expect_success
same "the records of two pipes" out/best.sam out/pipes.sam
# Two FIFOs of one writer. It waits until both are open, and when one of them is full.
mkfifo mates_1 mates_2
for n in 1 2; do cat reads_$n.fq reads_$n.fq > twice_$n.fq; done
awk '{ print NR % 4 == 2 || NR % 4 == 0 ? substr($0, 1, 12) : $0 }' twice_1.fq > short_1.fq
write_mates() {  # write_mates ONE TWO READS-AT-A-TIME: from the files to the FIFOs, in turn
  python3 -c '
import itertools, sys
with open("mates_1", "w") as one, open("mates_2", "w") as two:
    files = [(open(sys.argv[1]), one), (open(sys.argv[2]), two)]
    more = True
    while more:
        for file, pipe in files:
            piece = "".join(itertools.islice(file, 4 * int(sys.argv[3])))
            pipe.write(piece)
            more = piece != ""
' "$@"
}
one_writer() {  # one_writer THREADS ONE TWO READS-AT-A-TIME
  "$TRAWL" map --progress off --engine cpu -t 2 ref.fa "$2" "$3" -o out/files.sam 2> /dev/null
  write_mates "$2" "$3" "$4" &
  timeout 60 "$TRAWL" map --progress off --engine cpu -t "$1" ref.fa mates_1 mates_2 > stdout 2> stderr
  status=$?
  [[ $status == 0 ]] || kill $! 2> /dev/null
  wait
  expect_success
  same "one writer of two FIFOs: -t $1 $2 $3, $4 at a time" <(records out/files.sam) <(records stdout)
}
for threads in 1 2 5; do
  one_writer $threads twice_1.fq twice_2.fq 1
  one_writer $threads short_1.fq twice_2.fq 1
done
one_writer 1 twice_1.fq twice_2.fq 100000
# A FIFO without a writer can be interrupted.
timeout -k 20 1 "$TRAWL" map --progress off ref.fa mates_1 mates_2 > stdout 2> stderr
equal "a FIFO that nobody opens" $? 124
{ exec 8<> mates_1; timeout -k 20 1 "$TRAWL" map --progress off ref.fa mates_1 mates_2 > stdout 2> stderr; }
equal "a second FIFO that nobody opens" $? 124
exec 8>&-
for size in 1 2 3 64 999 50000; do
  alike -t 2 --batch-size $size ref.fa reads_1.fq reads_2.fq
  alike -t 1 --batch-size $size --interleaved ref.fa in_turn.fq
done
alike -t 5 ref.fa reads_1.fq reads_2.fq
if has_cuda; then
  engine=cuda
  for report in best all; do
    run --engine $engine --report $report ref.fa reads_1.fq reads_2.fq -o out/cuda.sam
    expect_success
    same "the engine $engine" out/$report.sam out/cuda.sam
    same "the estimate of $engine" out/$report.inserts <(grep 'insert sizes' stderr)
  done
fi

# FASTA: the same places; without qualities only the mapping quality may differ.
for n in 1 2; do paste - - - - < reads_$n.fq | awk -F '\t' '{ print ">" substr($1, 2); print $2 }' > reads_$n.fa; done
run ref.fa reads_1.fa reads_2.fa -o out/fasta.sam
expect_success
equal "all mates of FASTA" "$(records -F 0x900 out/fasta.sam | wc -l)" 24000
run ref.fa reads_1.fa reads_2.fq -o out/mixed.sam
expect_success

# --- insert sizes ---

contains "the estimate is told" out/best.inserts "of the first 10000 pairs)"
python3 - <<'PYTHON' || wrong "the statistics of pairs"
import json
s = json.load(open("out/best.json"))
p, i = s["pairs"], s["insert"]
assert p["total"] == 12000 == p["concordant"] + p["discordant"] + p["one_end"] + p["unmapped"], p
assert p["one_end"] > 100 and p["concordant"] > 11000, p
assert i["source"] == "estimated" and i["pairs_examined"] == 10000, i
assert 340 <= i["mean"] <= 360 and 50 <= i["standard_deviation"] <= 65, i
assert i["min"] <= 250 and i["max"] >= 450, i
for name, total in ("histogram", i["pairs_used"]), ("concordant_histogram", p["concordant"]):
    h = i[name]
    assert sum(h["counts"]) + h["smaller"] + h["larger"] == total, (name, h)
    used = [h["first"] + n * h["bin"] for n, count in enumerate(h["counts"]) if count > 20]
    assert 230 <= used[0] and used[-1] <= 460, (name, used)
assert s["reads"]["total"] == 24000 and s["reads"]["mapped"] == s["alignments"]["total"], s
PYTHON
checks=$((checks + 1))

# The pairs after the first 10,000 do not count.
head -n 40000 reads_1.fq > first_1.fq
head -n 40000 reads_2.fq > first_2.fq
run ref.fa first_1.fq first_2.fq -o out/first.sam
same "the estimate is from the first 10,000 pairs" out/best.inserts <(grep 'insert sizes' stderr)
head -n 96 reads_1.fq > few_1.fq
head -n 96 reads_2.fq > few_2.fq
run ref.fa few_1.fq few_2.fq -o out/few.sam --stats out/few.json
expect_success
contains "too few pairs" stderr "insert sizes: 1-1000 (default; too few of the first 24 pairs"
contains "too few pairs" out/few.json '"source": "default"'
run --insert 300-400 ref.fa reads_1.fq reads_2.fq -o out/given.sam --stats out/given.json
expect_success
contains "a given range" stderr "insert sizes: 300-400 (given; mean 3"
contains "a given range" out/given.json '"source": "given"'
equal "sizes outside the given range" \
  "$(records -f 2 out/given.sam | awk '$9 > 400 || ($9 < 300 && $9 > -300) || $9 < -400' | wc -l)" 0
contains "the command line" out/given.sam "--insert 300-400"
run --insert 300-400 ref.fa few_1.fq few_2.fq -o out/few.sam
contains "a given range and too few pairs" stderr "insert sizes: 300-400 (given; too few of the first 24 pairs"

for n in 1 2; do : > empty_$n.fq; done
run ref.fa empty_1.fq empty_2.fq -o out/empty.bam --stats out/empty.json
expect_success
equal "no pairs" "$(samtools view -c out/empty.bam)" 0
contains "no pairs" stderr "trawl map: 0 pairs; 0 reads"
equal "no estimate without pairs" "$(grep -c 'insert sizes' stderr)" 0

# --- warnings for a library that does not fit the options ---

warnings() { grep -c warning stderr; }
run ref.fa reads_1.fq reads_2.fq -o out/fit.sam
equal "no warning for pairs that fit" "$(warnings)" 0
for n in 1 2; do
  paste - - - - < reads_$n.fq | cut -f 2 | rev | tr ACGT TGCA > turned.txt
  paste - - - - < reads_$n.fq | paste - turned.txt | awk -F '\t' '{ print $1 "\n" $5 "\n+\n" $4 }' > turned_$n.fq
done
run ref.fa turned_1.fq turned_2.fq -o out/fit.sam
expect_success
contains "the wrong orientation" stderr "trawl map: warning: most pairs lie as rf ("
contains "the wrong orientation" stderr "not as fr; give --orientation rf"
contains "few concordant pairs" stderr "trawl map: warning: only 0."
contains "few concordant pairs" stderr "% of the pairs with both mates mapped are concordant; are the files mates of each other, and is --orientation right?"
equal "the warnings of the wrong orientation" "$(warnings)" 2
run --orientation rf ref.fa turned_1.fq turned_2.fq -o out/fit.sam
equal "no warning for the right orientation" "$(warnings)" 0
run --orientation ff ref.fa reads_1.fq reads_2.fq -o out/fit.sam
contains "the wrong orientation" stderr "not as ff; give --orientation fr"
head -n 96 turned_1.fq > few_turned_1.fq
head -n 96 turned_2.fq > few_turned_2.fq
run ref.fa few_turned_1.fq few_turned_2.fq -o out/fit.sam
equal "no warning for few pairs" "$(warnings)" 0
for range in 1-200 1000-20000; do
  run --insert $range ref.fa few_1.fq,b_1.fq few_2.fq,b_2.fq -o out/fit.sam
  contains "--insert without the library" stderr "warning: --insert $range leaves out most pairs: their sizes have mean 3"
  contains "--insert without the library" stderr "; leave --insert out, or give --insert "
done
run --discordant never --insert 1-200 ref.fa reads_1.fq reads_2.fq -o out/fit.sam
contains "discordant pairs are left out" stderr " discordant (left unmapped), "

# One run writes all outputs, whatever the threads and batches.
for options in "-t 1" "-t 2 --batch-size 7"; do
  # shellcheck disable=SC2086
  run $options --divet out/$((++n)).vh --oea out/$n.oea.sam ref.fa reads_1.fq reads_2.fq -o out/$n.sam
  expect_success
  same "with --divet and --oea" out/best.sam out/$n.sam
done
same "--divet" out/$n.vh out/$((n - 1)).vh
same "--oea" out/$n.oea.sam out/$((n - 1)).oea.sam
equal "pairs with one mate mapped" "$(records -c out/$n.oea.sam)" "$(records -f 8 -F 0x904 out/best.sam | wc -l)"

# --- wrong usage ---

ln reads_2.fq second.sam
ln reads_2.fq second.vh
head -n 40 few_2.fq > short_2.fq

for value in 0-0 0-500 500-100 500 x 1- -5 - 5-7x "1 -2" 1-99999999999 100,200; do
  run --insert "$value" ref.fa reads_1.fq reads_2.fq -o out/x.sam
  expect_failure 2 "for example 100-600" out/x.sam
done
run --insert "" ref.fa reads_1.fq reads_2.fq -o out/x.sam
expect_failure 2 "--insert: is empty" out/x.sam
for option in "--insert 1-5" "--orientation rf" "--discordant never" "--mate-fields primary"; do
  # shellcheck disable=SC2086
  run $option ref.fa reads_1.fq -o out/x.sam
  expect_failure 2 "${option% *} is for pairs; give them as two files, trawl map REF R1 R2, or as one file with --interleaved" out/x.sam
done
run --orientation fx ref.fa reads_1.fq reads_2.fq -o out/x.sam
expect_failure 2 "--orientation" out/x.sam
for line in "-1 reads_1.fq -2 reads_2.fq ref.fa" "ref.fa -1 reads_1.fq -2 reads_2.fq" "-x ref.fa -1 reads_1.fq -2 reads_2.fq" \
  "ref.fa -1 reads_1.fq" "ref.fa reads_1.fq -2 reads_2.fq"; do
  # shellcheck disable=SC2086
  run $line -o out/x.sam
  expect_failure 2 "there is no such option; give pairs as two files, trawl map REF R1 R2" out/x.sam
  equal "the option is named" "$(grep -c '^trawl map: -[12]: ' stderr)" 1
done
run --interleaved=in_turn.fq ref.fa -o out/x.sam
expect_failure 2 "trawl map: --interleaved: takes no value, but 'in_turn.fq' was given" out/x.sam
run --interleaved ref.fa reads_1.fq reads_2.fq -o out/x.sam
expect_failure 2 "--interleaved: the mates are in READS, so give no MATES" out/x.sam
ln reads_1.fq hard_1.fq
ln -s reads_1.fq soft_1.fq
mkfifo pipe
for same in reads_1.fq ./reads_1.fq hard_1.fq soft_1.fq reads_2.fq,soft_1.fq pipe,hard_1.fq; do
  run ref.fa a_1.fq,reads_1.fq "$same" -o out/x.sam
  expect_failure 2 "are the same file; the second mates need a file of their own" out/x.sam
done
run ref.fa pipe pipe -o out/x.sam
expect_failure 2 "are the same file" out/x.sam
run ref.fa - - -o out/x.sam < reads_1.fq
expect_failure 2 "only one of the files can be the standard input (-)" out/x.sam
run - - reads_2.fq -o out/x.sam < reads_1.fq
expect_failure 2 "only one of the files can be the standard input (-)" out/x.sam
run ref.fa - reads_1.fq -o out/x.sam < reads_1.fq
expect_failure 2 "are the same file" out/x.sam
for option in --divet --oea; do
  end=sam
  [[ $option == --oea ]] || end=vh
  run $option out/y ref.fa few_1.fq -o out/x.sam
  expect_failure 2 "$option is for pairs" out/x.sam
  run $option "" ref.fa few_1.fq few_2.fq -o out/x.sam
  expect_failure 2 "$option: is empty" out/x.sam
  run $option second.$end ref.fa few_1.fq reads_2.fq -o out/x.sam
  expect_failure 2 "$option second.$end is the input reads_2.fq" out/x.sam
  run $option no/y.$end ref.fa few_1.fq few_2.fq -o out/x.sam
  expect_failure 1 "no/y.$end" out/x.sam
done
run --oea out/../out/x.sam ref.fa few_1.fq few_2.fq -o out/x.sam
expect_failure 2 "-o out/x.sam and --oea out/../out/x.sam are the same file" out/x.sam
run --divet out/y.vh --stats out/y.vh ref.fa few_1.fq few_2.fq -o out/x.sam
expect_failure 2 "--stats out/y.vh and --divet out/y.vh are the same file" out/x.sam
run --divet out/y.vh --oea out/y.sam ref.fa few_1.fq short_2.fq -o out/x.sam
expect_failure 1 "" out/x.sam
expect_failure 1 "" out/y.vh
expect_failure 1 "" out/y.sam
run ref.fa reads_1.fq reads_2.fq, -o out/x.sam
expect_failure 2 "MATES 'reads_2.fq,': an empty file name between commas" out/x.sam
run ref.fa reads_1.fq "" -o out/x.sam
expect_failure 2 "MATES: is empty" out/x.sam
run ref.fa reads_1.fq none.fq -o out/x.sam
expect_failure 1 "none.fq: cannot open" out/x.sam
run ref.fa reads_1.fq reads_2.fq -o second.sam
expect_failure 2 "-o second.sam is the input reads_2.fq"
equal "an input is not overwritten" "$(wc -l < reads_2.fq)" 48000

# --- unusable pairs, whatever the threads and batches, and in whatever format ---

# fails MESSAGE READS [MATES] [--interleaved]
fails() {
  local message=$1 output options
  shift
  for options in "-t 1 -o out/x.sam" "-t 2 -o out/x.bam --batch-size 7" "-t 2 -o out/x.cram" "-t 1 -o out/x.bed.gz --batch-size 1" \
    "-t 2 -o out/x.sam --batch-size 100000"; do
    output=${options#*-o }
    # shellcheck disable=SC2086
    run $options ref.fa "$@"
    expect_failure 1 "$message" "${output%% *}"
  done
}
# Errors among the first 10,000 pairs, and after them.
for line in 4001 44001; do
  read=p$((line / 4))
  head -n $((line - 1)) reads_2.fq > short_2.fq
  fails "reads_1.fq:$line: the read '$read/1' has no mate: short_2.fq ends after $((line / 4)) reads" reads_1.fq short_2.fq
  head -n $((line - 1)) reads_1.fq > short_1.fq
  fails "reads_2.fq:$line: the read '$read/2' has no mate: short_1.fq ends after $((line / 4)) reads" short_1.fq reads_2.fq
  head -n $((line + 2)) reads_2.fq > cut_2.fq
  fails "cut_2.fq:$line: the last record is not complete" reads_1.fq cut_2.fq
  sed "$line,$((line + 3))d" reads_2.fq > missing_2.fq
  fails "missing_2.fq:$line: the read 'p$((line / 4 + 1))/2' is not the mate of '$read/1' (reads_1.fq:$line); the files are not in the same order, or a read is missing" \
    reads_1.fq missing_2.fq
  sed "$((line + 1))s/./!/" reads_2.fq > letter_2.fq
  fails "letter_2.fq:$((line + 1)): the sequence contains '!'" reads_1.fq letter_2.fq
  # Errors in both files: the first one in the order of the pairs.
  head -n $((line + 39)) reads_1.fq > short_1.fq
  head -n $((line + 41)) reads_1.fq > cut_1.fq
  fails "letter_2.fq:$((line + 1)): the sequence contains '!'" short_1.fq letter_2.fq
  fails "letter_2.fq:$((line + 1)): the sequence contains '!'" cut_1.fq letter_2.fq
  fails "cut_1.fq:$line: the read '$read/1' has no mate: short_2.fq ends after $((line / 4)) reads" cut_1.fq short_2.fq
  fails "cut_1.fq:$((line + 40)): the last record is not complete" cut_1.fq reads_2.fq
done
bgzip -c reads_2.fq | head -c -28 > cut_2.bgz
fails "cut_2.bgz: the BGZF end marker is missing" reads_1.fq cut_2.bgz
head -c 100000 reads_1.gz > cut_1.gz
fails "cut_1.gz: the gzip data end in the middle" cut_1.gz reads_2.fq
fails "reads_1.fq:1: the read 'p0/1' has no mate: empty_2.fq has no reads" reads_1.fq empty_2.fq
fails "reads_2.fq:1: the read 'p0/2' has no mate: empty_1.fq has no reads" empty_1.fq reads_2.fq
fails "reads_1.fq:1: the read 'p0/1' has no mate: empty_1.fq,empty_2.fq has no reads" reads_1.fq empty_1.fq,empty_2.fq
fails "b_2.fq:1: the read 'p1000/2' is not the mate of 'p0/1' (reads_1.fq:1)" reads_1.fq b_2.fq,a_2.fq
fails "the second mate (/2) comes first here" reads_2.fq reads_1.fq
cp reads_1.fq copy_1.fq
fails "copy_1.fq:1: the read 'p0/1' is not the mate of 'p0/1' (reads_1.fq:1)" reads_1.fq copy_1.fq
sed 's, .*,,; s,/1$, 2:N:0:1,' reads_1.fq > marked_1.fq
sed 's,/2$, 1:N:0:1,' reads_2.fq > marked_2.fq
fails "marked_1.fq:1: the read 'p0' is marked as second mate (2:), but comes first; the files are exchanged" marked_1.fq marked_2.fq
run reads_1.fa reads_2.fa ref.fa -o out/x.sam
expect_failure 1 "the reference comes first: trawl map REF R1 R2" out/x.sam
head -n 4004 in_turn.fq > odd.fq
fails "odd.fq:4001: the read 'p500/1' has no mate: the number of reads is odd" --interleaved odd.fq
head -n 4006 in_turn.fq > odd_cut.fq
fails "odd_cut.fq:4005: the last record is not complete" --interleaved odd_cut.fq
fails "reads_1.fq:5: the read 'p1/1' is not the mate of 'p0/1' (reads_1.fq:1); both are first mates; the mates of a pair must follow each other" \
  --interleaved reads_1.fq

# --- mates that are mapped as single reads ---

run ref.fa reads_1.fq,reads_2.fq -o out/x.sam
expect_success
contains "a warning for a list" stderr "trawl map: warning: reads_1.fq and reads_2.fq both begin with a read named p0, so they look like mates"
contains "a warning for a list" stderr "for pairs: trawl map REF reads_1.fq reads_2.fq"
equal "single reads have no flags of pairs" "$(records -f 1 out/x.sam | wc -l)" 0
run ref.fa a_1.fq,reads_2.bgz,b_1.fq -o out/x.sam
contains "a warning for a compressed file" stderr "a_1.fq and reads_2.bgz both begin"
run ref.fa in_turn.gz -o out/x.sam
expect_success
contains "a warning for mates in turn" stderr "the first two reads of in_turn.gz are both named p0"
contains "a warning for mates in turn" stderr "for pairs: trawl map --interleaved REF in_turn.gz"
for files in reads_1.fq a_1.fq,b_1.fq empty_1.fq,empty_2.fq; do
  run ref.fa $files -o out/x.sam --stats out/x.json
  expect_success
  equal "no warning of mates for $files" "$(grep warning stderr | grep -vc "the input has no reads")" 0
  equal "no statistics of pairs for $files" "$(grep -c '"pairs"\|"insert"' out/x.json)" 0
done
run ref.fa - -o out/x.sam < in_turn.fq
expect_success
equal "all reads of a stream are mapped" "$(records -F 0x900 out/x.sam | wc -l)" 24000
run ref.fa reads_1.fq reads_2.fq -o out/x.sam
equal "no warning for pairs" "$(grep -c warning stderr)" 0

finish
