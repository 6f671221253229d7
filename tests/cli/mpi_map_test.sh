#!/usr/bin/env bash
# trawl map under mpirun: the same bytes as one process, for any number of ranks, batch sizes, inputs and outputs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi_lib.sh"
make_input 60000 1500
gzip -c reads.fq > reads.fq.gz
bgzip -c reads.fq > reads.bgz
head -n 2400 reads.fq > part1.fq
tail -n +2401 reads.fq | gzip > part2.fq.gz
# FASTA with several lines and blank ones; FASTQ in which some records have several lines.
awk 'NR % 4 == 1 { print ">" substr($0, 2) }
     NR % 4 == 2 { print substr($0, 1, 30); print substr($0, 31) } NR % 40 == 0 { print "" }' reads.fq > reads.fa
awk 'NR % 28 == 2 || NR % 28 == 0 { print substr($0, 1, 20); print substr($0, 21); next } { print }' reads.fq > wrapped.fq
"$TRAWL_SIMULATE" pairs ref.fa 900 75 5 m1.fq m2.fq --qualities --error-rate 0.01 2> /dev/null
gzip -c m2.fq > m2.fq.gz
paste -d '\n' <(paste - - - - < m1.fq) <(paste - - - - < m2.fq) | tr '\t' '\n' > both.fq

# alone NAME FORMATS OPTION...: what one process writes.
alone() {
  local name=$1 formats=$2 format
  shift 2
  mkdir "out/$name"
  for format in $formats; do
    run "$@" -o "out/$name/x.$format"
    expect_success
  done
}
# ranks NUMBER NAME FORMAT OPTION...: the same by ranks.
ranks() {
  local number=$1 name=$2 format=$3
  shift 3
  mpi "$number" map --progress off -t $((number % 3 + 1)) "$@" -o "out/x.$format"
  expect_success
  same "$number ranks, $format, $*" "out/$name/x.$format" "out/x.$format"
  equal "$number ranks: the first one says all, once" "$(grep -cE '^trawl map: [0-9]+ (reads|pairs), ' stderr)" 1
  rm -f out/x.*
}

# --- numbers of ranks, batches, outputs ---
formats="sam bam cram bed bed.gz"
alone single "$formats" -e 5% --report all ref.fa reads.fq
for format in $formats; do
  ranks 2 single $format -e 5% --report all --tune=batch-size=1000 ref.fa reads.fq
  ranks 3 single $format -e 5% --report all --tune=batch-size=50 ref.fa reads.fq
done
ranks 1 single bam -e 5% --report all ref.fa reads.fq
ranks 4 single bam -e 5% --report all ref.fa reads.fq
ranks 4 single sam -e 5% --report all --tune=batch-size=20 ref.fa reads.fq
ranks 7 single bam -e 5% --report all --tune=batch-size=7 ref.fa reads.fq
ranks 7 single bed.gz -e 5% --report all --tune=batch-size=1 ref.fa part1.fq,part2.fq.gz

# --- comments of reads: SAM tags ---
awk 'NR % 4 == 1 { print $1 " BC:Z:" NR "\tXI:i:" NR * 77; next } { print }' reads.fq > tagged.fq
gzip -c tagged.fq > tagged.fq.gz
alone tagged "sam bam" -C -e 5% ref.fa tagged.fq
contains "the tags are there" out/tagged/x.sam "BC:Z:5	XI:i:385"
ranks 3 tagged sam -C -e 5% --tune=batch-size=50 ref.fa tagged.fq
ranks 3 tagged bam -C -e 5% --tune=batch-size=50 ref.fa tagged.fq.gz
# --- other records ---
alone bases "bam cram" -e 5% --report all --secondary-seq ref.fa m1.fq m2.fq
ranks 3 bases bam -e 5% --report all --secondary-seq --tune=batch-size=64 ref.fa m1.fq m2.fq
ranks 2 bases cram -e 5% --report all --secondary-seq --tune=batch-size=64 ref.fa m1.fq m2.fq

# --- inputs ---
for input in reads.fq.gz reads.bgz part1.fq,part2.fq.gz wrapped.fq; do
  ranks 3 single bam -e 5% --report all --tune=batch-size=64 ref.fa $input
done
# MPICH's mpirun fails if its standard input is not read at once.
if [[ $library != *mpich* ]]; then
  ranks 3 single sam -e 5% --report all --tune=batch-size=64 ref.fa - < reads.fq
  ranks 2 single sam -e 5% --report all --tune=batch-size=64 ref.fa - < reads.fq.gz
  ranks 2 single bed -e 5% --report all - reads.fq < ref.fa
fi
mkfifo fifo
cat reads.bgz > fifo &
ranks 2 single bed -e 5% --report all ref.fa fifo
alone fasta bam -e 2 ref.fa reads.fa
ranks 3 fasta bam -e 2 --tune=batch-size=33 ref.fa reads.fa
# Plain files, which the ranks read themselves: several, CRLF, FASTA with one line for a sequence.
tail -n +2401 reads.fq > part2.fq
sed 's/$/\r/' reads.fq > crlf.fq
awk 'NR % 4 == 1 { print ">" substr($0, 2) } NR % 4 == 2' reads.fq > one_line.fa
for size in 1 7 300; do
  ranks 3 single bam -e 5% --report all --tune=batch-size=$size ref.fa part1.fq,part2.fq
  ranks 3 single bed -e 5% --report all --tune=batch-size=$size ref.fa crlf.fq
  ranks 3 fasta bam -e 2 --tune=batch-size=$size ref.fa one_line.fa
  ranks 3 fasta bam -e 2 --tune=batch-size=$size ref.fa reads.fa
done
: > empty.fq
alone empty "sam bam bed.gz" ref.fa empty.fq
for format in sam bam bed.gz; do
  ranks 3 empty $format ref.fa empty.fq
done
"$TRAWL" index ref.fa -o ref.trawl 2> /dev/null
ranks 3 single bam -e 5% --report all --tune=batch-size=64 ref.trawl reads.fq

# --- pairs: the insert sizes come from the first ones ---
alone pairs "sam bam bed.gz" -e 4 ref.fa m1.fq m2.fq
ranks 2 pairs sam -e 4 ref.fa m1.fq m2.fq
ranks 3 pairs bam -e 4 --tune=batch-size=30 ref.fa m1.fq m2.fq
ranks 7 pairs bed.gz -e 4 --tune=batch-size=2 ref.fa m1.fq m2.fq.gz
for mate in 1 2; do
  head -n 1000 m$mate.fq > m${mate}_1.fq
  tail -n +1001 m$mate.fq > m${mate}_2.fq
done
for size in 1 7 100; do
  ranks 3 pairs bam -e 4 --tune=batch-size=$size ref.fa m1_1.fq,m1_2.fq m2_1.fq,m2_2.fq
done
alone interleaved bam -e 4 --interleaved ref.fa both.fq
ranks 3 interleaved bam -e 4 --tune=batch-size=50 --interleaved ref.fa both.fq
alone given "sam" -e 4 --insert 200-600 --report all ref.fa m1.fq m2.fq
ranks 3 given sam -e 4 --insert 200-600 --report all --tune=batch-size=50 ref.fa m1.fq m2.fq

# --- clipped reads ---
"$TRAWL_SIMULATE" reads ref.fa 400 100 9 --qualities --adapters 0.3 --chimeras 0.2 > clipped.fq 2> /dev/null
alone clip bam -e 3 --clip 30% --split ref.fa clipped.fq
ranks 3 clip bam -e 3 --clip 30% --split --tune=batch-size=25 ref.fa clipped.fq
alone auto bam -e 3 ref.fa clipped.fq
ranks 3 auto bam -e 3 --tune=batch-size=25 ref.fa clipped.fq
ok "parts elsewhere" test "$(samtools view -c -f 2048 out/auto/x.bam)" -gt 20

# --- streams ---
mpi 3 map --progress off -e 5% --report all --tune=batch-size=64 ref.fa reads.fq
expect_success
same "standard output" out/single/x.sam stdout
for format in bam bed.gz; do
  mkfifo pipe.$format
  cat pipe.$format > piped &
  mpi 3 map --progress off -e 5% --report all --tune=batch-size=64 ref.fa reads.fq -o pipe.$format
  expect_success
  wait
  same "a pipe, $format" out/single/x.$format piped
done

# --- statistics: the counts are those of all ranks ---
run -e 4 ref.fa m1.fq m2.fq -o out/x.sam --stats one.json
expect_success
mpi 3 map --progress off -t 2 -e 4 --tune=batch-size=40 ref.fa m1.fq m2.fq -o out/x.sam --stats many.json
expect_success
ok "counts of all ranks" python3 - <<'PYTHON'
import json
one, many = json.load(open("one.json")), json.load(open("many.json"))
for key in ("reads", "alignments", "pairs", "insert", "clipped", "reference"):
    assert one[key] == many[key], key
assert len(many["ranks"]) == 3 and "ranks" not in one
assert sum(rank["done"] for rank in many["ranks"]) == one["reads"]["total"]
assert all(rank["threads"] == 2 and rank["seconds"] for rank in many["ranks"])
# A batch of 40 reads has its request and itself, and two messages for its place.
assert sum(rank["messages_sent"] for rank in many["ranks"]) < 6 * 45 + 30
PYTHON
rm -f out/x.*
# A rank that sees the files is told where its reads are; one that sees others gets them as messages, with the same
# records. The file has several blocks of the input.
for copy in $(seq 9); do awk -v copy="$copy" 'NR % 4 == 1 { sub(/^@/, "@" copy ".") } { print }' reads.fq; done > more.fq
run -e 2 ref.fa more.fq -o one.sam
expect_success
mpi 3 map --progress off --tune=batch-size=100 -e 2 ref.fa more.fq -o out/x.sam --stats places.json
expect_success
same "plain files, by their places" one.sam out/x.sam
equal "nothing else is said" "$(grep -cv '^trawl map: ' stderr)" 0
bgzip -c more.fq > more.bgz
mpi 3 map --progress off --tune=batch-size=1000 -e 2 ref.fa more.bgz -o out/x.sam --stats bgzf.json
expect_success
same "BGZF, by its places" one.sam out/x.sam
gzip -c more.fq > more.fq.gz
mpi 3 map --progress off --tune=batch-size=100 -e 2 ref.fa more.fq.gz -o out/x.sam --stats copies.json
expect_success
same "gzip, as messages" one.sam out/x.sam
ok "the text of plain and BGZF files is not sent" python3 - <<'PYTHON'
import json
def bytes_a_read(name):
    first, *others = json.load(open(name))["ranks"]
    return first["bytes_sent"] / sum(rank["done"] for rank in others)
places, copies = bytes_a_read("places.json"), bytes_a_read("copies.json")
assert places < copies / 5, (places, copies)
assert bytes_a_read("bgzf.json") < copies / 5
PYTHON

rm -rf out/*

# --- errors: the first one of the input is said, once, as by one process ---
same_error() {
  local what=$1
  shift
  run "$@" -o out/x.bam
  local alone_status=$status
  grep '^trawl map' stderr | grep -v '^trawl map: engine' > expected
  for number in 3; do
    mpi $number map --progress off -t 1 --tune=batch-size=10 "$@" -o out/x.bam
    equal "$what, $number ranks: status" "$status" "$alone_status"
    grep '^trawl map' stderr | grep -v '^trawl map: engine\|interrupted' > found
    same "$what, $number ranks: message" expected found
    mpi_failed "$what, $number ranks" out
    no_rank_runs "$what"
  done
}
awk 'NR == 1502 { sub(/^./, "!") } NR == 3002 { sub(/^./, "?") } { print }' reads.fq > letters.fq
same_error "wrong letters" ref.fa letters.fq
awk 'NR == 3503 { $0 = "-" } { print }' reads.fq > middle.fq
same_error "a wrong record in the middle" ref.fa middle.fq
awk 'NR == 2002 { sub(/^./, "*") } { print }' one_line.fa > middle.fa
same_error "a wrong letter in the second FASTA" ref.fa one_line.fa,middle.fa
head -c 100000 reads.fq > cut.fq
same_error "cut off" ref.fa cut.fq
head -c 20000 reads.fq.gz > cut.fq.gz
same_error "cut off gzip" ref.fa cut.fq.gz
same_error "no such reads" ref.fa none.fq
same_error "no such reference" none.fa reads.fq
same_error "usage" --report best --strata 2 ref.fa reads.fq
same_error "no such option" --fast ref.fa reads.fq
head -n 3000 m2.fq > few.fq
same_error "mates are missing" ref.fa m1.fq few.fq
same_error "there are too many mates" ref.fa few.fq m1.fq
awk 'NR == 1201 { $0 = "@other" } { print }' m2.fq > others.fq
same_error "not mates" ref.fa m1.fq others.fq

# --- trawl info ---
mpi 3 info
expect_success
ok "info says how many ranks" grep -q ', 3 ranks on 1 node$' stdout
equal "info is said once" "$(grep -c '^trawl ' stdout)" 1
"$TRAWL" info > stdout
ok "info without mpirun" grep -q ', 1 rank$' stdout

finish
