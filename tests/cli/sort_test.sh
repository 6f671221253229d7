#!/usr/bin/env bash
# --sort: the records, the order and the index are those of samtools; the bytes do not depend on how the work is done;
# whatever stops the program, no half file is left.
. "$(dirname "$0")/lib.sh"
make_input 300000 12000
"$TRAWL_SIMULATE" pairs ref.fa 5000 100 5 r1.fq r2.fq --qualities --error-rate 0.03 2> /dev/null

# --- samtools agrees ---

# agrees WHAT ARGUMENTS...: sorted as samtools sorts the unsorted file, with the same index.
agrees() {
  local what=$1
  shift
  run -t 2 "$@" -o plain.bam
  expect_success
  samtools sort -o expected.bam plain.bam 2> /dev/null
  records expected.bam > expected.txt
  run -t 2 --sort "$@" -o out/x.bam
  expect_success
  records out/x.bam > found.txt
  same "$what: records and order" expected.txt found.txt
  samtools index out/x.bam expected.bai
  same "$what: the index" expected.bai out/x.bam.bai
  ok "$what: complete" samtools quickcheck -v out/x.bam
  ok "$what: BGZF" bgzip -t out/x.bam
  equal "$what: header" "$(samtools view -H out/x.bam | head -n 1)" $'@HD\tVN:1.6\tSO:coordinate'
  equal "$what: per contig" "$(samtools idxstats out/x.bam)" \
    "$(samtools index expected.bam && samtools idxstats expected.bam)"
  for region in chr1:1-100 chr3:5000-9000 copy; do
    equal "$what: $region" "$(records out/x.bam "$region" | cksum)" "$(records expected.bam "$region" | cksum)"
  done
}

agrees best ref.fa reads.fq
agrees all --report all -e 4 ref.fa reads.fq
agrees pairs ref.fa r1.fq r2.fq
agrees "all pairs" --report all --discordant always ref.fa r1.fq r2.fq
agrees "no unmapped reads" --unmapped drop ref.fa r1.fq r2.fq
contains "the header says that the records are sorted" <(samtools view -H out/x.bam) " --sort"

"$TRAWL_SIMULATE" genome 3000 11 other.fa 2> /dev/null
"$TRAWL_SIMULATE" reads other.fa 500 80 3 --qualities > other.fq 2> /dev/null
agrees "reads without a locus" ref.fa other.fq
: > empty.fq
agrees "no reads" ref.fa empty.fq

# --- the same bytes ---

for format in bam cram; do
  index=$([[ $format == bam ]] && echo bai || echo crai)
  run -t 1 --sort ref.fa r1.fq r2.fq -o "one.$format" --stats one.json
  expect_success
  contains "$format: memory is enough" one.json '"spilled_bytes": 0'
  for how in "-t 2" "-t 4 --batch-size 77" "-t 2 --sort-memory 1M" "-t 3 --sort-memory 1M --batch-size 100" \
    "-t 1 --sort-memory 2M" "-t 2 --sort-memory 64M"; do
    # shellcheck disable=SC2086
    run $how --sort ref.fa r1.fq r2.fq -o "out/y.$format" --stats y.json
    expect_success
    same "$format, $how" "one.$format" "out/y.$format"
    same "$format, $how: the index" "one.$format.$index" "out/y.$format.$index"
    checks=$((checks + 1))
    if [[ $how == *[12]M* ]] && grep -q '"spilled_bytes": 0' y.json; then
      wrong "$format, $how: nothing was spilled"
    fi
  done
done

# --- CRAM ---

run ref.fa r1.fq r2.fq -o plain.bam
samtools sort -o expected.bam plain.bam 2> /dev/null
equal "CRAM: records" "$(records -T ref.fa one.cram | column 1-11 | cksum)" "$(records expected.bam | column 1-11 | cksum)"
cp one.cram.crai found.crai
samtools index one.cram
equal "CRAM: the index" "$(gzip -dc found.crai | cksum)" "$(gzip -dc one.cram.crai | cksum)"
equal "CRAM: a region" "$(records -T ref.fa one.cram chr2:100-4000 | column 1-11 | cksum)" \
  "$(samtools index expected.bam && records expected.bam chr2:100-4000 | column 1-11 | cksum)"
ok "CRAM: complete" samtools quickcheck -v one.cram

# --- with other outputs; links; old indexes ---

run --sort ref.fa r1.fq r2.fq -o out/x.bam --divet x.vh --oea x.sam
expect_success
run ref.fa r1.fq r2.fq -o plain.bam --divet y.vh --oea y.sam
same "--divet beside --sort" x.vh y.vh
equal "--oea beside --sort" "$(grep -v ^@PG x.sam | cksum)" "$(grep -v ^@PG y.sam | cksum)"

rm -f out/*
for old in x.bam x.bam.bai x.bam.csi x.bai; do
  echo old > "out/$old"
done
run --sort ref.fa reads.fq -o out/x.bam
expect_success
equal "no old index is left" "$(ls out | tr '\n' ' ')" "x.bam x.bam.bai "
ok "the new index" samtools idxstats out/x.bam

mkdir -p elsewhere
rm -f out/*
ln -s ../elsewhere/y.bam out/x.bam
ln -s ../elsewhere/y.bai out/x.bam.bai
echo old > elsewhere/y.bai
run --sort ref.fa reads.fq -o out/x.bam
expect_success
equal "links are followed" "$(ls elsewhere | tr '\n' ' ')" "y.bai y.bam "
ok "both are found by their links" samtools idxstats out/x.bam
rm -f out/*

# --- an index of an older file ---

run ref.fa reads.fq -o out/x.bam
equal "no index: no warning" "$(grep -c warning stderr)" 0
touch out/x.bam.csi out/x.bai out/x.cram.crai
run ref.fa reads.fq -o out/x.bam
expect_success
contains "an old index" stderr "warning: out/x.bai and out/x.bam.csi are of an older file, not of out/x.bam"
run ref.fa reads.fq -o out/x.cram
contains "an old index of CRAM" stderr "warning: out/x.cram.crai is of an older file, not of out/x.cram"
equal "old indexes are kept" "$(ls out | tr '\n' ' ')" "x.bai x.bam x.bam.csi x.cram x.cram.crai "
run ref.fa reads.fq -o out/x.sam
equal "SAM has no index" "$(grep -c warning stderr)" 0
run --sort ref.fa reads.fq -o out/x.bam
equal "a new index" "$(grep -c warning stderr)" 0
rm -f out/*

# --- wrong usage ---

run --sort ref.fa reads.fq
expect_failure 2 "--sort writes BAM or CRAM"
for name in x.sam x.bed x.bed.gz; do
  run --sort ref.fa reads.fq -o "out/$name"
  expect_failure 2 "--sort writes BAM or CRAM" "out/$name"
done
mkfifo pipe.bam
run --sort ref.fa reads.fq -o pipe.bam
expect_failure 2 "pipe.bam is a pipe or a device; name a file with -o, or leave --sort out: trawl map ... | samtools sort"
run --sort ref.fa reads.fq
expect_failure 2 "--sort writes BAM or CRAM with an index beside it, but the standard output has no name; name a file with -o, or leave --sort out"
run --sort-memory 1G ref.fa reads.fq -o out/x.bam
expect_failure 2 "--sort-memory needs --sort" out/x.bam
for size in 1X M -1G; do
  run --sort --sort-memory=$size ref.fa reads.fq -o out/x.bam
  expect_failure 2 "--sort-memory $size" out/x.bam
done
for size in 100K 100k 0 64; do
  run --sort --sort-memory=$size ref.fa reads.fq -o out/x.bam
  expect_failure 2 "--sort-memory $size: at least 1M is needed" out/x.bam
done
for size in 2000k 1m 1g; do
  run --sort --sort-memory=$size ref.fa reads.fq -o out/x.bam
  expect_success
done
rm -f out/*
run --sort ref.fa reads.fq -o out/x.bam --stats out/x.bam.bai
expect_failure 2 "--stats out/x.bam.bai and --sort's index out/x.bam.bai are the same file; give each its own" out/x.bam
cp reads.fq out/x.bam.bai
run --sort ref.fa out/x.bam.bai -o out/x.bam
expect_failure 2 "is the input out/x.bam.bai" out/x.bam
same "the input is kept" reads.fq out/x.bam.bai
rm out/x.bam.bai
run --sort ref.fa reads.fq -o out/x.bam --stats out/x.bam.bai
expect_failure 2 "are the same file" out/x.bam
mkdir out/x.bam.bai
run --sort ref.fa reads.fq -o out/x.bam
expect_failure 1 "out/x.bam.bai" out/x.bam
rmdir out/x.bam.bai

# --- no room ---

# limited BLOCKS ARGUMENTS...: no file may have more than so many KiB.
limited() {
  local blocks=$1
  shift
  (ulimit -f "$blocks"; exec "$TRAWL" map --progress off "$@") > stdout 2> stderr
  status=$?
}
limited 60 --sort --sort-memory 1M ref.fa reads.fq -o out/x.bam
expect_failure 1 "$TMPDIR: cannot write a temporary file for sorted records" out/x.bam
contains "it says what to do" stderr "TMPDIR to a directory that takes one"
equal "no room for temporary files: nothing is left" "$(ls -A out)" ""
limited 500 --sort --sort-memory 1M ref.fa reads.fq -o out/x.bam
expect_failure 1 "out/x.bam: cannot write" out/x.bam
equal "no room for the output: nothing is left" "$(ls -A out)" ""
TMPDIR=$work/missing run --sort --sort-memory 1M ref.fa reads.fq -o out/x.bam
expect_failure 1 "$work/missing: cannot create a temporary file" out/x.bam
equal "no directory for temporary files: nothing is left" "$(ls -A out)" ""
# Also if all records fit into memory: else the error would come late.
TMPDIR=$work/missing run --sort ref.fa reads.fq -o out/x.bam
expect_failure 1 "$work/missing: cannot create a temporary file" out/x.bam
TMPDIR=$work/missing run ref.fa reads.fq -o out/x.bam
expect_success
rm -f out/*

# A file system that is full.
mkdir small
if mount -t tmpfs -o size=300k tmpfs small 2> /dev/null; then
  TMPDIR=$work/small run --sort --sort-memory 1M ref.fa reads.fq -o out/x.bam
  expect_failure 1 "$work/small: cannot write a temporary file" out/x.bam
  contains "a full file system" stderr "No space left on device; make room there"
  run --sort --sort-memory 1M ref.fa reads.fq -o small/x.bam
  expect_failure 1 "small/x.bam: cannot write" small/x.bam
  equal "a full file system: nothing is left" "$(find out small -mindepth 1)" ""
  umount small
fi

# --- stopped ---

mkfifo fifo
for signal in INT TERM KILL; do
  env --default-signal=INT,TERM "$TRAWL" map --progress off -t 2 --batch-size 100 --sort --sort-memory 1M ref.fa fifo \
    -o out/x.bam > stdout 2> stderr &
  job=$!
  exec 9> fifo
  cat reads.fq >&9
  wait_for_output $job tmp
  equal "$signal: it has temporary files" "$([[ -n $(open_files $job tmp) ]] && echo yes)" yes
  equal "$signal: without names" "$(ls -A "$TMPDIR")" ""
  kill -s $signal $job
  wait $job 2> /dev/null
  status=$?
  exec 9>&-
  if [[ $signal == KILL ]]; then
    killed
  else
    expect_failure $([[ $signal == INT ]] && echo 130 || echo 143) "interrupted; no output file was kept" out/x.bam
  fi
  equal "$signal: nothing is left" "$(find out "$TMPDIR" -mindepth 1)" ""
done

# While it merges: the output begins to grow then.
"$TRAWL_SIMULATE" reads ref.fa 60000 150 9 --qualities > many.fq 2> /dev/null
for signal in INT TERM KILL; do
  for memory in 1M 1G; do for format in bam cram; do
    index=out/x.$([[ $format == bam ]] && echo bam.bai || echo cram.crai)
    echo old > out/x.$format
    echo old > "$index"
    env --default-signal=INT,TERM "$TRAWL" map --progress off -t 1 --sort --sort-memory $memory ref.fa many.fq \
      -o out/x.$format > stdout 2> stderr &
    job=$!
    while [[ -z $(find -L $(open_files $job out) /dev/null -type f -size +7) ]] && kill -0 $job 2> /dev/null; do
      sleep 0.002
    done
    kill -s $signal $job 2> /dev/null
    wait $job 2> /dev/null
    status=$?
    checks=$((checks + 1))
    if [[ $(head -c 3 out/x.$format) == old ]]; then
      [[ $status != 0 ]] || wrong "$signal, $memory: success without an output"
      # The old index may be gone, but no other one is there.
      [[ ! -e $index || $(head -c 3 "$index") == old ]] || wrong "$signal, $memory: a new index, an old file"
    else
      ok "$signal, $memory: a new file is complete" samtools quickcheck out/x.$format
      [[ ! -e $index || $(head -c 3 "$index") != old ]] || wrong "$signal, $memory: an old index, a new file"
    fi
    rm -f out/x.$format "$index"
    [[ $signal != KILL || $status == 0 ]] || killed
    equal "$signal, $memory, merging: nothing is left" "$(find out "$TMPDIR" -mindepth 1)" ""
  done; done
done

# Between the moments when the file and its index get their names. `strace` sends the signal there.
if strace -o /dev/null true 2> /dev/null; then
  for signal in INT KILL; do
    # The first link is the file's, the second one its index's. SIGKILL comes before the link, other signals after it.
    link=$([[ $signal == KILL ]] && echo 2 || echo 1)
    (
      strace -f -o /dev/null -e trace=linkat -e "inject=linkat:signal=SIG$signal:when=$link" \
        "$TRAWL" map --progress off --sort ref.fa reads.fq -o out/x.bam > stdout 2> stderr
      exit $?
    ) 2> /dev/null
    status=$?
    equal "$signal before the index has its name" "$(ls -A out)" x.bam
    ok "$signal before the index has its name: the file is complete" samtools quickcheck out/x.bam
    if [[ $signal == KILL ]]; then
      killed
    else
      expect_failure 130 "trawl map: interrupted while the finished output files got their names"
    fi
    rm -f out/x.bam
  done
else
  echo "skipped: signals while files get their names, because strace cannot be used here"
fi

finish
