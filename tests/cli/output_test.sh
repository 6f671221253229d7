#!/usr/bin/env bash
# The output file appears only when it is complete.
. "$(dirname "$0")/lib.sh"
make_input 60000 6000

formats="sam bam cram bed bed.gz"

# An existing file is replaced on success and kept on failure.
head -n 20001 reads.fq > cut.fq
for format in $formats; do
  echo old > out/x.$format
  run ref.fa cut.fq -o out/x.$format
  expect_failure 1 "the last record is not complete"
  equal "$format is kept on failure" "$(cat out/x.$format)" old
  run ref.fa reads.fq -o out/x.$format
  expect_success
  cp out/x.$format fresh.$format
  rm out/x.$format
  run ref.fa reads.fq -o out/x.$format
  same "$format is replaced on success" out/x.$format fresh.$format
  equal "nothing on stdout" "$(wc -c < stdout)" 0
done
equal "only the outputs are there" "$(ls -A out | tr '\n' ' ')" "x.bam x.bed x.bed.gz x.cram x.sam "

# The permissions of the replaced file are kept, and links, too.
chmod 640 out/x.bam
run ref.fa reads.fq -o out/x.bam
equal "permissions stay" "$(stat -c %a out/x.bam)" 640
ln -s x.bam out/link.bam
run -e 1 ref.fa reads.fq -o out/link.bam
expect_success
ok "a link stays a link" test -L out/link.bam
run -e 1 ref.fa reads.fq -o out/direct.bam
same "what a link names is written" out/x.bam out/direct.bam
ln -s new.bam out/dangling.bam
run -e 1 ref.fa reads.fq -o out/dangling.bam
same "a link to no file" out/new.bam out/direct.bam
rm out/*

# Paths that cannot be written.
for format in $formats; do
  run ref.fa reads.fq -o nowhere/x.$format
  expect_failure 1 "nowhere/x.$format: cannot create a file in its directory: No such file or directory"
  run ref.fa reads.fq -o reads.fq/x.$format
  expect_failure 1 "reads.fq/x.$format: cannot create a file in its directory: Not a directory"
  run ref.fa reads.fq -o /proc/x.$format
  expect_failure 1 "/proc/x.$format: "
  mkdir out/folder.$format
  run ref.fa reads.fq -o out/folder.$format
  expect_failure 1 "is a directory; name a file in it"
  rmdir out/folder.$format
done
run ref.fa reads.fq -o "out/$(head -c 300 /dev/zero | tr '\0' x).bam"
expect_failure 1 "File name too long"
run ref.fa reads.fq -o "out/$(head -c 250 /dev/zero | tr '\0' x).bam"
expect_success
rm out/*

# A full disk.
run ref.fa reads.fq -o /dev/full
expect_failure 1 "/dev/full: cannot write: No space left on device"
run ref.fa reads.fq -o - > /dev/null
"$TRAWL" map ref.fa reads.fq > /dev/full 2> stderr
status=$?
expect_failure 1 "standard output: cannot write: No space left on device"
for format in $formats; do
  ln -sf /dev/full out/full.$format
  run ref.fa reads.fq -o out/full.$format
  expect_failure 1 "out/full.$format: cannot write"
  ok "the device stays" test -c /dev/full
  rm -f out/full.$format
done
run ref.fa reads.fq -o out/x.bam --stats /dev/full
expect_failure 1 "/dev/full: cannot write: No space left on device"
rm -f out/x.bam
run ref.fa reads.fq -o out/x.bam --stats nowhere/stats.json
expect_failure 1 "nowhere/stats.json: cannot create a file in its directory"
rm -f out/x.bam

# A limit on the file's size: with SIGXFSZ ignored, as some shells do, and with its default action.
for format in $formats; do
  for signal in ignored default; do
    for threads in 1 2; do
      (
        [[ $signal == default ]] || trap '' XFSZ
        ulimit -c 0 -f 16
        exec "$TRAWL" map --progress off -t $threads --report all ref.fa reads.fq -o out/x.$format > stdout 2> stderr
      ) 2> /dev/null
      status=$?
      expect_failure 1 "cannot write" out/x.$format
      rm -f out/.x.* out/x.*
    done
  done
done

# A small disk, if one can be mounted.
mkdir small
if mount -t tmpfs -o size=64k tmpfs small 2> /dev/null; then
  for format in $formats; do
    run --report all ref.fa reads.fq -o small/x.$format
    expect_failure 1 "No space left on device" small/x.$format
    equal "nothing is left on the small disk" "$(ls -A small)" ""
  done
  umount small
fi

# Pipes and devices are written directly.
run ref.fa reads.fq
cp stdout all.sam
run ref.fa reads.fq -o -
same "-o -" all.sam stdout
run ref.fa reads.fq -o /dev/stdout
same "/dev/stdout" all.sam stdout
for format in $formats; do
  mkfifo out/pipe.$format
  cat out/pipe.$format > piped.$format &
  run ref.fa reads.fq -o out/pipe.$format
  wait
  expect_success
  same "$format into a FIFO" fresh.$format piped.$format
  ok "a FIFO stays" test -p out/pipe.$format
done
run ref.fa reads.fq -o /dev/null
expect_success
ok "/dev/null stays" test -c /dev/null

# If the reader of a pipe ends, the program ends without a message and leaves no file.
{ env --default-signal=PIPE "$TRAWL" map ref.fa reads.fq 2> stderr; echo $? > status; } | head -1 > /dev/null
equal "a closed pipe, status" "$(cat status)" 141
equal "a closed pipe, message" "$(grep -v '^trawl map: engine ' stderr)" ""
for format in $formats; do
  head -c 1 out/pipe.$format > /dev/null &
  run --report all ref.fa reads.fq,reads.fq,reads.fq -o out/pipe.$format
  wait
  ok "a closed FIFO is no success" test "$status" != 0
  no_temporaries
  rm -rf tmp/*
done
rm out/*

# An output that would overwrite another file of the run.
# overlap MESSAGE ARGUMENT...: wrong usage, and no file is changed.
cp ref.fa ref.sam
cp reads.fq reads.bed
ln -s ../ref.sam out/ref_link.sam
ln reads.bed out/reads_link.bed
mkfifo out/pipe.sam
overlap() {
  local text=$1
  shift
  run "$@"
  expect_failure 2 "$text"
  equal "nothing on stdout" "$(wc -c < stdout)" 0
  same "the reference is kept" ref.fa ref.sam
  same "the reads are kept" reads.fq reads.bed
}
overlap "-o out/x.sam and --stats out/x.sam are the same file" ref.fa reads.fq -o out/x.sam --stats out/x.sam
overlap "-o out/x.sam and --stats ./out/../out/x.sam are the same file" \
  ref.fa reads.fq -o out/x.sam --stats ./out/../out/x.sam
overlap "-o out/pipe.sam and --stats out/pipe.sam are the same file" \
  ref.fa reads.fq -o out/pipe.sam --stats out/pipe.sam
overlap "-o - and --stats - are the same file" ref.fa reads.fq --stats -
overlap "-o ref.sam is the input ref.sam, which would be lost" ref.sam reads.fq -o ref.sam
overlap "-o out/ref_link.sam is the input ref.sam" ref.sam reads.fq -o out/ref_link.sam
overlap "-o reads.bed is the input out/reads_link.bed" ref.fa reads.fq,out/reads_link.bed -o reads.bed
overlap "--stats reads.bed is the input reads.bed" ref.fa reads.bed -o out/x.sam --stats reads.bed
overlap "-o reads.bed is the input -" ref.fa - -o reads.bed < reads.bed
run ref.fa reads.fq -o /dev/null --stats /dev/null
expect_success
rm out/*

# The statistics file behaves like the output file.
run ref.fa reads.fq -o out/x.bam --stats out/x.json
expect_success
ok "JSON" python3 -m json.tool out/x.json
echo old > out/y.json
run ref.fa cut.fq -o out/y.bam --stats out/y.json
expect_failure 1 "not complete" out/y.bam
equal "statistics are kept on failure" "$(cat out/y.json)" old

# CRAM, and a reference that samtools cannot read.
gzip -c ref.fa > gzip.fa.gz
bgzip -c ref.fa > bgzip.fa.gz
run gzip.fa.gz reads.fq -o out/warned.cram
expect_success
contains "CRAM and ordinary gzip" stderr "warning: to read out/warned.cram, samtools needs the reference as plain or bgzip FASTA; gzip.fa.gz is ordinary gzip: zcat gzip.fa.gz | bgzip > FILE"
run - reads.fq -o out/warned.cram < ref.fa
contains "CRAM and a stream" stderr "it came from standard input"
for reference in ref.fa bgzip.fa.gz; do
  run $reference reads.fq -o out/warned.cram
  equal "CRAM and $reference: no warning" "$(grep -c warning stderr)" 0
done
run gzip.fa.gz reads.fq -o out/warned.bam
equal "BAM and ordinary gzip: no warning" "$(grep -c warning stderr)" 0

finish
