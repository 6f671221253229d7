#!/usr/bin/env bash
# --secondary-seq: SEQ and QUAL in secondary records, and nothing else changes. samtools calmd and picard check them.
. "$(dirname "$0")/lib.sh"
make_input 60000 400
"$TRAWL_SIMULATE" pairs ref.fa 200 75 5 m1.fq m2.fq --qualities --error-rate 0.01 2> /dev/null
# Reads of two pieces, for --clip and --split.
paste - - - - < reads.fq | awk -F '\t' -v OFS='\n' '
  { half = int(length($2) / 2); joined = substr(before, 1, half) substr($2, half + 1)
    if (length(joined) == length($2)) print $1, joined, $3, $4; before = $2 }' > chimeras.fq
samtools faidx ref.fa

# The records without what --secondary-seq adds.
without() { samtools view "$@" | awk -F '\t' -v OFS='\t' 'int($2 / 256) % 2 { $10 = $11 = "*" } { print }'; }

modes=("-e 5 --report all ref.fa reads.fq" "-e 4 --report strata --strata 1 --unmapped drop ref.fa reads.fq"
  "--report all --clip 49% --split ref.fa chimeras.fq" "--report all --clip 49% --split --hard-clip ref.fa chimeras.fq"
  "--report all ref.fa m1.fq m2.fq" "--report all --mate-fields primary --discordant always ref.fa m1.fq m2.fq"
  "--report all --clip 40% --split --hard-clip --discordant always ref.fa m1.fq m2.fq")
group='@RG\tID:lane\tSM:sample\tPL:ILLUMINA'
# Each run of picard takes most of a second.
by_picard=" 0 3 5 6 "
java=$(command -v PicardCommandLine) || echo "skipped: picard, which is not installed (Debian: picard-tools)"

# no_errors FILE OPTION...: picard finds no error. It prints warnings of its own libraries, too.
no_errors() {
  local file=$1
  shift
  "$java" ValidateSamFile "I=$file" MODE=SUMMARY QUIET=true VERBOSITY=ERROR "$@" > picard.txt 2>&1
  checks=$((checks + 1))
  grep -q '^No errors found' picard.txt && ! grep -q '^ERROR' picard.txt ||
    wrong "picard $*: $(grep -E '^(ERROR|WARNING:[A-Z_]+[[:space:]])' picard.txt)"
}
# only_warnings FILE: the same without the reference. A quality "*" of one base is one to picard.
only_warnings() {
  "$java" ValidateSamFile "I=$1" MODE=SUMMARY QUIET=true VERBOSITY=ERROR > picard.txt 2>&1
  checks=$((checks + 1))
  ! grep -qE '^(ERROR|Exception)' picard.txt && grep -qE '^(No errors found|WARNING:QUALITY_NOT_STORED)' picard.txt ||
    wrong "picard: $(grep '^ERROR' picard.txt)"
}

for number in "${!modes[@]}"; do
  mode=${modes[number]}
  # shellcheck disable=SC2086
  for format in sam bam cram; do
    run -R "$group" --secondary-seq $mode -o out/x.$format
    expect_success
    samtools view -h -T ref.fa out/x.$format > $format.sam
  done
  samtools view sam.sam > sam.txt
  # CRAM has its own order of tags.
  for format in sam bam cram; do
    samtools view $format.sam | python3 -c '
import sys
for line in sys.stdin:
    fields = line.rstrip("\n").split("\t")
    print(*fields[:11], *sorted(fields[11:]), sep="\t")' > $format.sorted
  done
  same "all formats have the same records: $mode" sam.sorted bam.sorted cram.sorted
  # shellcheck disable=SC2086
  run -R "$group" $mode -o out/plain.bam
  expect_success
  samtools view out/plain.bam > plain.txt
  without sam.sam > without.txt
  same "--secondary-seq changes nothing else: $mode" plain.txt without.txt
  seconds=$(samtools view -c -f 256 out/x.bam)
  equal "there are secondary records: $mode" "$((seconds > 20))" 1
  equal "all records have bases: $mode" "$(awk -F '\t' '$10 == "*" || $11 == "*"' sam.txt | wc -l)" 0
  samtools calmd out/x.bam ref.fa 2> calmd.err | samtools view > calmd.txt
  same "calmd changes nothing, also in secondary records: $mode" sam.txt calmd.txt
  equal "calmd finds no other NM or MD: $mode" "$(grep -c 'different NM\|different MD' calmd.err)" 0
  if [[ -n $java && $by_picard == *" $number "* ]]; then
    # picard walks along the reference, so with R= the records must be sorted.
    # shellcheck disable=SC2086
    run --sort -R "$group" --secondary-seq $mode -o out/sorted.bam
    no_errors out/sorted.bam R=ref.fa
  fi
done
[[ -z $java ]] || only_warnings out/plain.bam

# Sorted, and the one-end-anchored pairs.
for format in bam cram; do
  run --secondary-seq --sort --report all ref.fa m1.fq m2.fq -o out/sorted.$format
  expect_success
  run --secondary-seq --report all ref.fa m1.fq m2.fq -o out/x.bam
  samtools view -T ref.fa out/sorted.$format | cut -f 1-11 | sort > sorted.txt
  samtools view out/x.bam | cut -f 1-11 | sort > order.txt
  same "--sort keeps the bases, $format" order.txt sorted.txt
done
contains "@PG tells it" <(samtools view -H out/x.bam) " --secondary-seq "

finish
