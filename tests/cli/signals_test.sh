#!/usr/bin/env bash
# SIGINT, SIGTERM, SIGHUP and SIGKILL during the work: status 128 + signal, and no file is left.
. "$(dirname "$0")/lib.sh"
make_input 60000 3000
mkfifo fifo

# Where /proc is hidden, outputs have names while they are written, as on file systems that need that.
without_proc=(unshare --user --map-root-user --mount bash -c 'mount -t tmpfs none /proc && exec "$@"' -)

# interrupted SIGNAL NUMBER FORMAT [COMMAND...]: the reads come from a FIFO that stays open, so the signal comes during the work.
interrupted() {
  local signal=$1 number=$2 format=$3
  shift 3
  # Otherwise a background job of a script ignores SIGINT.
  "$@" env --default-signal=INT,TERM,HUP "$TRAWL" map -t 2 --batch-size 100 ref.fa fifo -o "out/x.$format" \
    > stdout 2> stderr &
  local job=$!
  exec 9> fifo
  cat reads.fq >&9
  local tries=0
  wait_for_output $job out
  # Text is written to disk at once. Compressed output waits in buffers, so here only the file's existence is checked.
  while [[ -z $(find -L $(open_files $job out) -size +0) && $tries -lt 10 ]]; do
    tries=$((tries + 1))
    sleep 0.05
  done
  ok "$signal, $format: it is at work" test -n "$(open_files $job out)"
  equal "$signal, $format: files with names" "$(find out -name '.x.*.tmp' | wc -l)" $(($# > 0))
  ok "$signal, $format: it has not ended" kill -0 $job
  kill -s "$signal" $job
  wait $job 2> /dev/null
  status=$?
  exec 9>&-
  if [[ $signal == KILL ]]; then
    killed
  else
    expect_failure "$number" "trawl map: interrupted; no output file was kept" "out/x.$format"
  fi
  equal "$signal, $format: nothing is left" "$(ls -A out)" ""
}

for format in sam bam cram bed bed.gz; do
  interrupted INT 130 $format
  interrupted TERM 143 $format
  interrupted KILL 137 $format
done
interrupted HUP 129 bam
if "${without_proc[@]}" true 2> /dev/null; then
  for format in sam bam cram; do
    interrupted INT 130 $format "${without_proc[@]}"
  done
  echo old > out/x.bam
  "${without_proc[@]}" "$TRAWL" map ref.fa reads.fq -o out/x.bam > stdout 2> stderr
  status=$?
  expect_success
  ok "a file with a name is renamed" samtools quickcheck out/x.bam
  rm out/x.bam
else
  echo "skipped: outputs with names, because /proc cannot be hidden here"
fi

# An existing output file is kept.
echo old > kept.bam
env --default-signal=INT,TERM,HUP "$TRAWL" map ref.fa fifo -o kept.bam > stdout 2> stderr &
job=$!
exec 9> fifo
head -n 400 reads.fq >&9
wait_for_output $job .
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
wait_for_output $job out
kill -s HUP $job
cat reads.fq >&9
exec 9>&-
wait $job
status=$?
expect_success
ok "it went on to the end" samtools quickcheck out/nohup.bam
rm out/nohup.bam

# trawl scan, while it reads its reference.
for format in bed bed.gz tsv sam; do
  env --default-signal=INT,TERM,HUP "$TRAWL" scan --chunk-size 1000 -k 1 -p ACGTACG fifo -o "out/scan.$format" > stdout 2> stderr &
  job=$!
  exec 9> fifo
  head -c 30000 ref.fa >&9
  wait_for_output $job out
  kill -s TERM $job
  wait $job 2> /dev/null
  status=$?
  exec 9>&-
  expect_failure 143 "trawl scan: interrupted; no output file was kept" "out/scan.$format"
  equal "scan, $format: nothing is left" "$(ls -A out)" ""
done

finish
