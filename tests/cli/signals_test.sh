#!/usr/bin/env bash
# SIGINT, SIGTERM and SIGHUP during the work: status 128 + signal, and no file is left.
. "$(dirname "$0")/lib.sh"
make_input 60000 3000
mkfifo fifo

# interrupted SIGNAL NUMBER FORMAT: the reads come from a FIFO that stays open, so the signal comes during the work.
interrupted() {
  rm -f out/* out/.??*
  # Otherwise a background job of a script ignores SIGINT.
  env --default-signal=INT,TERM,HUP "$TRAWL" map -t 2 --batch-size 100 ref.fa fifo -o "out/x.$3" > stdout 2> stderr &
  local job=$!
  exec 9> fifo
  cat reads.fq >&9
  local tries=0
  while [[ -z $(find out -name '.x.*' -size +0) && $tries -lt 100 ]]; do
    # Text is written to disk at once. Compressed output waits in buffers, so here only the file's existence is checked.
    [[ $tries -gt 10 && -n $(find out -name '.x.*') ]] && break
    tries=$((tries + 1))
    sleep 0.05
  done
  equal "$1, $3: it is at work" "$(find out -name '.x.*.tmp' | wc -l)" 1
  ok "$1, $3: it has not ended" kill -0 $job
  kill -s "$1" $job
  wait $job 2> /dev/null
  status=$?
  exec 9>&-
  expect_failure "$2" "trawl map: interrupted; no output file was kept" "out/x.$3"
  equal "$1, $3: nothing is left" "$(ls -A out)" ""
}

for format in sam bam cram bed bed.gz; do
  interrupted INT 130 $format
  interrupted TERM 143 $format
done
interrupted HUP 129 bam

# An existing output file is kept.
echo old > kept.bam
env --default-signal=INT,TERM,HUP "$TRAWL" map ref.fa fifo -o kept.bam > stdout 2> stderr &
job=$!
exec 9> fifo
head -n 400 reads.fq >&9
for _ in $(seq 100); do
  [[ -n $(find . -maxdepth 1 -name '.kept*') ]] && break
  sleep 0.05
done
kill -s INT $job
wait $job 2> /dev/null
status=$?
exec 9>&-
expect_failure 130 "interrupted"
equal "an existing file is kept" "$(cat kept.bam)" old

# After the output is complete, while the program waits for a reader of the statistics.
mkfifo stats.json
env --default-signal=INT,TERM,HUP "$TRAWL" map ref.fa reads.fq -o out/done.bam --stats stats.json > stdout 2> stderr &
job=$!
for _ in $(seq 200); do
  [[ -e out/done.bam ]] && break
  sleep 0.05
done
sleep 0.2
kill -s INT $job
wait $job 2> /dev/null
status=$?
expect_failure 130 "trawl map: interrupted after the output was complete"
ok "the complete output is kept" samtools quickcheck out/done.bam
rm out/done.bam

# A signal that the caller ignores (nohup) is still ignored.
(
  trap '' HUP
  exec "$TRAWL" map ref.fa fifo -o out/nohup.bam > stdout 2> stderr
) &
job=$!
exec 9> fifo
for _ in $(seq 100); do
  [[ -n $(find out -name '.nohup*') ]] && break
  sleep 0.05
done
kill -s HUP $job
cat reads.fq >&9
exec 9>&-
wait $job
status=$?
expect_success
ok "it went on to the end" samtools quickcheck out/nohup.bam

# trawl scan, while it reads its reference.
for format in bed bed.gz tsv sam; do
  env --default-signal=INT,TERM,HUP "$TRAWL" scan --chunk-size 1000 -k 1 -p ACGTACG fifo -o "out/scan.$format" > stdout 2> stderr &
  job=$!
  exec 9> fifo
  head -c 30000 ref.fa >&9
  for _ in $(seq 100); do
    [[ -n $(find out -name '.scan*') ]] && break
    sleep 0.05
  done
  kill -s TERM $job
  wait $job 2> /dev/null
  status=$?
  exec 9>&-
  expect_failure 143 "trawl scan: interrupted; no output file was kept" "out/scan.$format"
  equal "scan, $format: nothing is left" "$(find out -name '*scan*')" ""
done

finish
