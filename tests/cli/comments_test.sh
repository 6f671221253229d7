#!/usr/bin/env bash
# trawl map -C, --output-format; hints and warnings about the reads; -t above the cores.
. "$(dirname "$0")/lib.sh"
make_input 40000 400
"$TRAWL_SIMULATE" pairs ref.fa 200 75 5 m1.fq m2.fq --qualities --error-rate 0.01 2> /dev/null

# Comments with all types of tags; some reads have none, some only Illumina's mark, some tags that the records have.
add_comments() {
  awk -v mate="$2" 'NR % 4 == 1 {
    sub(/[ \t].*/, ""); n = int(NR / 4)
    if (n % 5 == 0) { print; next }
    if (n % 5 == 1) { print $0 " " mate ":N:0:ACGT+TTGA"; next }
    if (n % 5 == 2) { print $0 "\tBC:Z:read " n " \\ x\tXI:i:" (n * 977 - 90000) "\tNM:i:77"; next }
    if (n % 5 == 3) { print $0 " " mate ":Y:0:ACGT RX:Z:AC-GT\tXF:f:1.5\tXA:A:q\tXH:H:1AFF"; next }
    print $0 " XB:B:s,-3," n ",32767\tXC:B:f,1.5,-0.25\tX0:i:9\tXD:B:C,255"; next } { print }' "$1"
}
add_comments reads.fq 1 > tagged.fq
add_comments m1.fq 1 > t1.fq
add_comments m2.fq 2 > t2.fq
# What -C must add to the records of each read, from the comments alone: name, then tags.
expected_tags() {
  awk 'FNR % 4 == 1 {
    name = substr($0, 2); tags = ""
    at = match(name, /[ \t]/)
    if (at) { tags = substr(name, at + 1); name = substr(name, 1, at - 1) }
    sub(/^[12]:[YN]:[0-9]+:[A-Z+]*[ \t]?/, "", tags)
    gsub(/\t?(NM:i:77|X0:i:9)/, "", tags); sub(/^\t/, "", tags)
    sub(/\/[12]$/, "", name)
    print name "\t" tags }' "$@"
}
# The tags that begin with X[A-F-I], BC or RX, in the order of the records.
found_tags() {
  samtools view "$1" | awk -F '\t' '{ line = $1 "\t"; tags = ""
    for (i = 12; i <= NF; ++i) if ($i ~ /^(BC|RX|XI|XF|XA|XH|XB|XC|XD):/) tags = tags (tags == "" ? "" : "\t") $i
    print line tags }'
}

expected_tags tagged.fq | sort > expected
ok "the test has all kinds of comments" grep -q 'XB:B' expected
run -e 5% ref.fa tagged.fq -o out/plain.sam
expect_success
run -C -e 5% ref.fa tagged.fq -o out/x.sam
expect_success
found_tags out/x.sam | sort > found
same "-C: the tags of every read" expected found
contains "-C: @PG has it" <(samtools view -H out/x.sam) "--comments"
samtools view out/x.sam | sed -E 's/\t(BC:Z|RX|XI:i|XF|XA:A|XH|XB|XC|XD):.*//' > without
samtools view out/plain.sam > plain
same "-C: all else stays the same, and the comment comes last" plain without
ok "a header that htslib accepts, and all records" samtools quickcheck out/x.sam
for format in bam cram; do
  run -C -e 5% ref.fa tagged.fq -o out/x.$format
  expect_success
  samtools view -T ref.fa out/x.$format | sort > "$format.records"
done
samtools view out/x.sam | sort > sam.records
same "-C: BAM has the records of SAM" sam.records bam.records
samtools view out/x.cram -T ref.fa | sed -E 's/\t(NM|MD):[^\t]*//g' | sort > cram.found
samtools view out/x.sam | sed -E 's/\t(NM|MD):[^\t]*//g' | sort > cram.expected
same "-C: CRAM has them, too" cram.expected cram.found
# As htslib itself stores them.
samtools view -b -o again.bam out/x.sam
same "-C: the bytes of a record are those of htslib" \
  <(bgzip -dc again.bam | tail -c 20000) <(bgzip -dc out/x.bam | tail -c 20000)
for options in "-t 1" "-t 4 --batch-size 7" "--batch-size 1"; do
  run -C -e 5% $options ref.fa tagged.fq -o out/y.bam
  expect_success
  same "-C $options" out/x.bam out/y.bam
done
gzip -c tagged.fq > tagged.fq.gz
run -C -e 5% ref.fa tagged.fq.gz -o out/y.bam
expect_success
same "-C, gzip" out/x.bam out/y.bam
# Wrapped FASTQ and FASTA.
awk 'NR % 4 == 2 || NR % 4 == 0 { print substr($0, 1, 20); print substr($0, 21); next } { print }' tagged.fq > wrapped.fq
run -C -e 5% ref.fa wrapped.fq -o out/y.bam
expect_success
same "-C, wrapped FASTQ" out/x.bam out/y.bam

# All records of a read have its tags: secondary and supplementary ones, too, and unmapped ones.
run -C -e 5 --report all ref.fa tagged.fq -o out/all.bam
expect_success
found_tags out/all.bam | sort -u > found
same "-C --report all" <(sort -u expected) found
ok "-C --report all: secondary records" test "$(samtools view -c -f 256 out/all.bam)" -gt 0
run -C -e 5% --sort ref.fa tagged.fq -o out/sorted.bam
expect_success
found_tags out/sorted.bam | sort > found
same "-C --sort" expected found

# Pairs: each mate has its own.
expected_tags t1.fq t2.fq | sort > expected.pairs
run -C ref.fa t1.fq t2.fq -o out/pairs.bam
expect_success
found_tags out/pairs.bam | sort > found
same "-C, pairs" expected.pairs found
paste -d '\n' <(awk 'ORS = NR % 4 ? "\001" : "\n"' t1.fq) <(awk 'ORS = NR % 4 ? "\001" : "\n"' t2.fq) | tr '\001' '\n' > both.fq
run -C --interleaved ref.fa both.fq -o out/both.bam
expect_success
same "-C, interleaved" out/pairs.bam out/both.bam
run -C --report all -R '@RG\tID:x\tSM:y' ref.fa t1.fq t2.fq -o out/group.sam
expect_success
equal "one RG in each record" "$(samtools view out/group.sam | grep -cv 'RG:Z:x.*RG:Z\|^$')" "$(samtools view -c out/group.sam)"

# What is wrong.
printf '@a length=4\nACGT\n+\nIIII\n' > bad.fq
run -C ref.fa bad.fq -o out/bad.bam
expect_failure 1 "bad.fq:1: -C: in the read's comment, 'length=4' is not a SAM tag" out/bad.bam
run ref.fa bad.fq -o out/good.bam
expect_success
run -C ref.fa tagged.fq -o out/x.bed
expect_failure 2 "-C,--comments: BED has no tags" out/x.bed

# --output-format.
for format in sam bam cram bed; do
  run -e 5% --output-format $format ref.fa reads.fq
  expect_success
  cp stdout "out/stream.$format"
  run -e 5% --output-format $format ref.fa reads.fq -o "out/named"
  expect_success
  same "--output-format $format: a file without an extension" "out/stream.$format" out/named
  rm out/named
done
run -e 5% ref.fa reads.fq -o out/usual.bam
same "--output-format bam on stdout" out/usual.bam out/stream.bam
run -e 5% ref.fa reads.fq -o out/usual.bed
same "--output-format bed on stdout" out/usual.bed out/stream.bed
equal "--output-format cram on stdout" "$(samtools view -c -T ref.fa out/stream.cram)" 400
run --output-format bam --sort ref.fa reads.fq -o out/odd.name
expect_success
ok "--sort with a name of no format" test -s out/odd.name.bai
run --output-format bam ref.fa reads.fq -o out/x2.sam
expect_failure 2 "--output-format is another one than that of out/x2.sam" out/x2.sam
run --output-format bam --compression-level 0 ref.fa reads.fq
expect_success
ok "--compression-level with BAM on stdout" test "$(wc -c < stdout)" -gt "$(wc -c < out/stream.bam)"

# Hints and warnings.
awk 'NR % 4 == 2 { s = ""; for (i = length($0); i > 0; --i) s = s substr($0, i, 1); print s; next } { print }' reads.fq > foreign.fq
run -e 1 ref.fa foreign.fq -o out/few.sam
expect_success
left=$(awk 'BEGIN { printf "%.2f%%", '"$(records -c -f 4 out/few.sam)"' / 4 }')
contains "few reads are mapped" stderr "hint: $left of the reads are not mapped: $left fit nowhere with -e 1. Try a larger -e, --clip 30%"
# Reads of which most fit, 60 of which most do not fit, 30 with too many N, 10 that are too short.
{
  head -1200 reads.fq
  awk 'NR % 4 == 1 { print $0 "x"; next } { print }' foreign.fq | head -240
  for n in $(seq 30); do printf '@n%d\nACGTNNNNNNNNNNNNNNNN\n+\nIIIIIIIIIIIIIIIIIIII\n' "$n"; done
  for n in $(seq 10); do printf '@s%d\nACGTA\n+\nIIIII\n' "$n"; done
} > part.fq
run -e 5 --report strata ref.fa part.fq -o out/part.sam
expect_success
unmapped=$(records -c -f 4 out/part.sam)
shares() { for count in "$@"; do awk "BEGIN { printf \"%.2f%%\n\", $count / 4 }"; done; }
mapfile -t share < <(shares "$unmapped" $((unmapped - 40)))
contains "why reads are not mapped" stderr \
  "hint: ${share[0]} of the reads are not mapped: ${share[1]} fit nowhere with -e 5, 7.50% have more N than edits allowed, 2.50% are too short for so many edits (see --min-length). Try"
equal "the hint is the last line" "$(tail -n 1 stderr | grep -c hint)" 1
# Where memory for threads is limited, the message says so. (A program with sanitizers needs more than any limit here.)
limited() { (ulimit -c 0 -v "$1" && run -t "$2" ref.fa reads.fq -o out/limited.bam; exit $status); }
if limited 1000000 1; then
  failed=0
  for memory in 60000 100000 150000 200000 300000; do
    limited $memory 64
    status=$?
    # Not every run starts all of its threads.
    if [[ $status != 0 ]]; then
      failed=$((failed + 1))
      expect_failure 1 "; 'ulimit -v' allows only $((memory * 1024 / 1000000)) MB: raise it, or use fewer threads"
      ok "$memory: threads or memory" grep -q "a thread cannot be started\|not enough memory" stderr
    fi
  done
  ok "some of these limits are too low" test $failed -gt 2
else
  echo "skipped: the program cannot run with limited memory"
fi
run -e 5% ref.fa reads.fq -o out/many.sam
equal "no hint where most are mapped" "$(grep -c 'hint:\|warning:' stderr)" 0
run -e 15 ref.fa reads.fq -o out/wide.sam
expect_success
short=$(awk 'NR % 4 == 2 && 4 * 15 > length($0)' reads.fq | wc -l)
contains "many edits" stderr "warning: -e 15 allows more edits than a quarter of the length of $short of 400 reads"
run -e 25% ref.fa reads.fq -o out/quarter.sam
equal "a quarter is not more than a quarter" "$(grep -c 'warning:' stderr)" 0

# Threads.
unset TRAWL_MAX_THREADS
run -t 1000 ref.fa reads.fq -o out/t.bam --stats stats.json
expect_success
contains "-t above the cores" stderr "trawl map: -t 1000: only $(nproc) thread"
contains "-t above the cores" stats.json "\"threads\": $(nproc)"
run -t 1 ref.fa reads.fq -o out/t.bam
equal "-t 1: no such message" "$(grep -c ': only' stderr)" 0
export TRAWL_MAX_THREADS=3
run -t 4 ref.fa reads.fq -o out/t.bam --stats stats.json
contains "TRAWL_MAX_THREADS" stats.json '"threads": 3'
export TRAWL_MAX_THREADS=x
run -t 4 ref.fa reads.fq -o out/none.bam
expect_failure 2 "TRAWL_MAX_THREADS in the environment: 'x' is not a whole number from 1 to 1024" out/none.bam
unset TRAWL_MAX_THREADS

# One of a thing.
head -n 4 reads.fq > one.fq
run -e 30% ref.fa one.fq -o out/one.sam
contains "one read" stderr "trawl map: 1 read, 1 mapped (100.00%), 1 alignment, "
run_scan -p GATTACA ref.fa -o out/one.bed
contains "one pattern" stderr "trawl scan: 1 pattern, "

finish
