#!/usr/bin/env bash
# BAM and BED.gz: what is in them, at every level of compression, for any threads and batches.
. "$(dirname "$0")/lib.sh"
make_input 60000 3000
{ cat reads.fq; printf '@no_locus\nACGTNNNNNNNNNNNNNNNNNNRYKMACGT\n+\n!#5~IIIIIIIIIIIIIIIIIIIIIIIIII\n'; } > more.fq
awk 'NR % 4 == 1 { print ">" substr($1, 2) } NR % 4 == 2' reads.fq | tr T U > rna.fa
"$TRAWL_SIMULATE" pairs ref.fa 800 100 5 p1.fq p2.fq --qualities 2> /dev/null

# whole FILE: complete in the eyes of other programs.
whole() {
  ok "$1: bgzip -t" bgzip -t "$1"
  ok "$1: gzip -t" gzip -t "$1"
  if [[ $1 == *.bam ]]; then
    ok "$1: samtools quickcheck" samtools quickcheck "$1"
  fi
}

# BAM holds what SAM holds, in the bytes that samtools writes for it.
check_bam() {
  local what=$1
  shift
  run "$@" -o out/x.sam
  expect_success
  run "$@" -o out/x.bam
  expect_success
  whole out/x.bam
  samtools view -h --no-PG out/x.bam > back.sam
  same "$what: BAM and SAM have the same records" out/x.sam back.sam
  samtools view -b --no-PG out/x.sam | bgzip -dc > expected.raw
  bgzip -dc out/x.bam > found.raw
  same "$what: the same bytes as samtools" expected.raw found.raw
}
check_bam "best" ref.fa more.fq
check_bam "all, with a read group" --report all -e 6 --eqx -R '@RG\tID:lane 1\tSM:s' ref.fa more.fq
check_bam "RNA without qualities" --unmapped drop ref.fa rna.fa
check_bam "pairs" ref.fa p1.fq p2.fq
check_bam "all pairs" --report all --discordant always -e 4 ref.fa p1.fq p2.fq
printf '' > empty.fq
check_bam "no reads" ref.fa empty.fq
equal "no reads: header and end only" "$(samtools view -c out/x.bam)" 0

# The same bytes for any threads and batches.
for format in bam bed.gz; do
  run --report all -e 5 -t 1 ref.fa more.fq -o out/first.$format
  expect_success
  whole out/first.$format
  for threads in 1 2 4; do
    for batch in 1 7 0; do
      run --report all -e 5 -t $threads --batch-size $batch ref.fa more.fq -o out/x.$format
      same "$format with -t $threads --batch-size $batch" out/first.$format out/x.$format
    done
  done
done
run --report all -e 5 ref.fa more.fq -o out/x.bed
bgzip -dc out/first.bed.gz > back.bed
same "BED.gz holds what BED holds" out/x.bed back.bed
ok "several blocks" test "$(wc -c < back.bed)" -gt 200000

# Every level can be read, and a higher one is not much larger.
last=
for level in 0 1 2 3 4 5 6 7 8 9; do
  for format in bam bed.gz; do
    run --report all -e 5 --compression-level $level ref.fa more.fq -o out/level.$format
    expect_success
    whole out/level.$format
    bgzip -dc out/first.$format > expected.raw
    bgzip -dc out/level.$format > found.raw
    same "$format at level $level" expected.raw found.raw
  done
  size=$(wc -c < out/level.bam)
  [[ -z $last ]] || ok "level $level has $size bytes, the one before $last" test $((size * 100)) -le $((last * 105))
  last=$size
  [[ $level != 1 ]] || fastest=$size
  [[ $level != 0 ]] || stored=$size
done
ok "level 0 is not compressed" test "$stored" -gt "$(bgzip -dc out/level.bam | wc -c)"
ok "level 1 is compressed" test $((fastest * 10)) -lt $((stored * 7))
ok "level 9 is smaller than level 1" test "$last" -lt "$fastest"
samtools view -b --no-PG out/first.bam > samtools.bam
ok "by default at most 10% larger than samtools" \
  test $(($(wc -c < out/first.bam) * 10)) -le $(($(wc -c < samtools.bam) * 11))

# To a pipe.
run --report all -e 5 ref.fa more.fq -o out/x.sam
mkfifo pipe.bam
cat pipe.bam > piped.bam &
run --report all -e 5 ref.fa more.fq -o pipe.bam
expect_success
wait $!
same "BAM into a pipe" out/first.bam piped.bam

# trawl scan.
run_scan -k 3 -p ACGTACGT ref.fa -o out/scan.bed
expect_success
run_scan -k 3 -p ACGTACGT -t 1 ref.fa -o out/scan.bed.gz
expect_success
whole out/scan.bed.gz
bgzip -dc out/scan.bed.gz > back.bed
same "scan: BED.gz holds what BED holds" out/scan.bed back.bed
ok "scan: several blocks" test "$(wc -c < back.bed)" -gt 200000
ok "tabix" tabix -p bed out/scan.bed.gz
tabix out/scan.bed.gz chr2:2001-9000 > found.bed
awk -F '\t' '$1 == "chr2" && $3 > 2000 && $2 < 9000' back.bed > expected.bed
same "tabix finds a region" expected.bed found.bed
for options in "-t 4" "--chunk-size 1000" "-t 2 --chunk-size 7000"; do
  run_scan -k 3 -p ACGTACGT $options ref.fa -o out/other.bed.gz
  same "scan with $options" out/scan.bed.gz out/other.bed.gz
done
run_scan -k 3 -p ACGTACGT --compression-level 9 ref.fa -o out/small.bed.gz
bgzip -dc out/small.bed.gz > found.bed
same "scan at level 9" back.bed found.bed
ok "scan: level 9 is smaller" test "$(wc -c < out/small.bed.gz)" -lt "$(wc -c < out/scan.bed.gz)"
run_scan -k 0 -p ACGTACGTACGTACGTACGTACGTACGT ref.fa -o out/none.bed.gz
whole out/none.bed.gz
equal "scan without hits" "$(bgzip -dc out/none.bed.gz | wc -c)" 0

# A file that cannot become as large as it must.
for format in sam bam bed bed.gz; do
  rm -f out/x.$format
  (
    trap '' XFSZ
    ulimit -f 20
    "$TRAWL" map --progress off --report all -e 5 ref.fa more.fq -o out/x.$format > stdout 2> /dev/shm/trawl.$$
    echo $? > /dev/shm/trawl.$$.status
  )
  status=$(cat /dev/shm/trawl.$$.status)
  cat /dev/shm/trawl.$$ > stderr
  rm -f /dev/shm/trawl.$$ /dev/shm/trawl.$$.status
  expect_failure 1 "out/x.$format: cannot write: File too large" out/x.$format
done

# Wrong use.
for level in 10 -1 x ""; do
  run --compression-level "$level" ref.fa reads.fq -o out/wrong.bam
  expect_failure 2 "--compression-level" out/wrong.bam
done
for output in out/wrong.sam out/wrong.cram out/wrong.bed -; do
  run --compression-level 1 ref.fa reads.fq -o $output
  expect_failure 2 "--compression-level is for .bam and .bed.gz" out/wrong.sam
done
run_scan --compression-level 1 -p ACGT ref.fa -o out/wrong.tsv
expect_failure 2 "--compression-level is for" out/wrong.tsv

finish
