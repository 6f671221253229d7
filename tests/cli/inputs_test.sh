#!/usr/bin/env bash
# Unusual but valid input: the records must be right, too.
. "$(dirname "$0")/lib.sh"

bases=ACGTTGCAACGGTACCATGTTTACCAGGACTTGACCATTGACGGATACCAT
printf '>c1 some comment\n%s\n%s\n' "$bases" GGGATCCATTAGACCGGATTACAGATTACATTTACG > ref.fa
read1=${bases:5:30}
printf '@r1\n%s\n+\n%s\n' "$read1" "${read1//?/I}" > reads.fq
run -e 1 ref.fa reads.fq
expect_success
cp stdout plain.sam
equal "the read is found" "$(records plain.sam | cut -f 1-6)" "$(printf 'r1\t0\tc1\t6\t60\t30M')"

# CRLF, lower case, wrapped lines, blank lines, no newline at the end: all give the same records.
sed 's/$/\r/' ref.fa > crlf.fa
sed 's/$/\r/' reads.fq > crlf.fq
tr ACGT acgt < reads.fq | sed 's/^@.*/@r1/' > lower.fq
awk '/>/ { print; next } { print tolower($0) }' ref.fa > lower.fa
printf '\n\n@r1 a comment\n%s\n%s\n+r1\n%s\n%s\n\n\n' "${read1:0:11}" "${read1:11}" IIIIIIIIIII IIIIIIIIIIIIIIIIIII > wrapped.fq
printf '@r1\tcomment\n%s\n+\n%s' "$read1" "${read1//?/I}" > no_newline.fq
printf '>c1\n%s' "$bases"GGGATCCATTAGACCGGATTACAGATTACATTTACG > no_newline.fa
# A byte order mark, which editors put before the text.
for file in ref.fa reads.fq; do
  { printf '\xef\xbb\xbf'; cat $file; } > mark_$file
done
for reads in crlf.fq lower.fq wrapped.fq no_newline.fq mark_reads.fq; do
  run -e 1 ref.fa $reads
  expect_success
  same "reads as $reads" plain.sam stdout
done
for reference in crlf.fa lower.fa no_newline.fa mark_ref.fa; do
  run -e 1 $reference reads.fq
  expect_success
  # @PG names the reference.
  equal "reference as $reference" "$(sed 's/[a-z_]*\.fa//' stdout)" "$(sed 's/[a-z_]*\.fa//' plain.sam)"
done

# FASTA reads have no qualities.
printf '>r1 comment\n%s\n' "$read1" > reads.fa
run -e 1 ref.fa reads.fa
expect_success
equal "FASTA reads" "$(records stdout | cut -f 10,11)" "$(printf '%s\t*' "$read1")"

# IUPAC codes and N: each is an edit, or matches what it may stand for. MD has the reference's letter.
printf '@n\n%sN%s\n+\n%s\n' "${bases:5:10}" "${bases:16:19}" "${read1//?/I}" > n.fq
run -e 1 ref.fa n.fq
equal "N in a read" "$(records stdout | grep -o 'NM:i:.*MD:Z:[^[:space:]]*')" "$(printf 'NM:i:1\tMD:Z:10'${bases:15:1}'19')"
run -e 0 ref.fa n.fq
equal "N in a read at e 0" "$(records stdout | cut -f 2)" 4
run -e 0 --ambiguous match ref.fa n.fq
equal "N that matches" "$(records stdout | grep -o 'NM:i:.*AS:i:[^[:space:]]*')" "$(printf 'NM:i:1\tMD:Z:10'${bases:15:1}'19\tAS:i:0')"
printf '>c1\n%sr%s\n' "${bases:0:20}" "${bases:21}" > iupac.fa
run -e 1 iupac.fa reads.fq
equal "IUPAC in the reference" "$(records stdout | grep -o 'NM:i:.*MD:Z:[^[:space:]]*')" "$(printf 'NM:i:1\tMD:Z:15R14')"
for search in seeds scan; do
  run -e 0 --ambiguous mismatch --search $search iupac.fa reads.fq
  equal "IUPAC in the reference at e 0, $search" "$(records stdout | cut -f 2)" 4
  printf '@r\n%sG%s\n+\n%s\n' "${bases:5:15}" "${bases:21:14}" "${read1//?/I}" > g.fq
  run -e 0 --ambiguous match --search $search iupac.fa g.fq
  equal "R matches G, $search" "$(records stdout | cut -f 2,4)" "$(printf '0\t6')"
  printf '@r\n%sC%s\n+\n%s\n' "${bases:5:15}" "${bases:21:14}" "${read1//?/I}" > c.fq
  run -e 0 --ambiguous match --search $search iupac.fa c.fq
  equal "R does not match C, $search" "$(records stdout | cut -f 2)" 4
done
printf '@u\n%s\n+\n%s\n' "${read1//T/U}" "${read1//?/I}" > u.fq
run -e 0 ref.fa u.fq
equal "U is T" "$(records stdout | cut -f 2,4)" "$(printf '0\t6')"
printf '@dot\n.%s\n+\n%s\n' "${read1:1}" "${read1//?/I}" > dot.fq
run -e 1 ref.fa dot.fq
equal "a dot is N" "$(records stdout | cut -f 10)" "N${read1:1}"

# A read and a reference of only N.
printf '@n\nNNNNNNNNNNNNNNNNNNNN\n+\nIIIIIIIIIIIIIIIIIIII\n' > only_n.fq
run -e 3 --report all ref.fa only_n.fq
expect_success
equal "a read of only N" "$(records stdout | cut -f 2,3,10)" "$(printf '4\t*\tNNNNNNNNNNNNNNNNNNNN')"
printf '>n\n%s\n' "$(head -c 500 /dev/zero | tr '\0' N)" > only_n.fa
for search in auto seeds scan; do
  run -e 3 --report all --search $search only_n.fa reads.fq
  expect_success
  equal "a reference of only N, $search" "$(records stdout | cut -f 2)" 4
  run -e 0 --report all --ambiguous match --search $search only_n.fa reads.fq
  expect_success
  equal "a run of N is no locus, $search" "$(records stdout | cut -f 2)" 4
done

# Contigs of length 0 and 1, contigs shorter than the read, reads longer than all contigs.
printf '>empty\n>one\nA\n>two\nAC\n>c1\n%s\n>last\n' "$bases" > small.fa
run -e 2 small.fa reads.fq
expect_success
contains "contigs of length 0 are left out" stderr "2 sequence(s) of length 0 left out"
contains "contigs of length 0 are left out" stderr "empty, last"
equal "contigs" "$(grep -c '^@SQ' stdout)" 3
equal "the read is found" "$(records stdout | cut -f 3,4)" "$(printf 'c1\t6')"
run -e 2 small.fa reads.fq -o out/small.bam
ok "BAM of small contigs" samtools quickcheck out/small.bam
run -e 2 small.fa reads.fq -o out/small.cram
ok "CRAM of small contigs" samtools quickcheck out/small.cram
printf '>c1\n%s\n' "${bases:5:25}" > shorter.fa
run -e 5 shorter.fa reads.fq
equal "a read longer than the reference" "$(records stdout | cut -f 2,4,12)" "$(printf '0\t1\tNM:i:5')"
run -e 4 shorter.fa reads.fq
equal "a read longer than the reference, too few edits" "$(records stdout | cut -f 2)" 4
printf '>one\nA\n' > one.fa
run -e 0 one.fa reads.fq
equal "a reference of one base" "$(records stdout | cut -f 2)" 4

# Reads shorter than a seed, and of one base.
printf '@five\nGTACC\n+\nIIIII\n@one\nA\n+\nI\n' > short.fq
for search in auto seeds scan; do
  run -e 0 --min-length 1 --report all --search $search small.fa short.fq
  expect_success
  equal "a read of 5, $search" "$(records stdout | awk '$1 == "five"' | wc -l)" \
    "$(($(grep -o GTACC <<< "$bases" | wc -l) + $(grep -o GGTAC <<< "$bases" | wc -l)))"
  runs=$(grep -v '>' small.fa | grep -oE 'A+|T+' | wc -l)
  equal "a read of 1, $search" "$(records stdout | awk '$1 == "one"' | wc -l)" "$runs"
done

# Reads with at most e bases are unmapped, and counted.
printf '@three\nACG\n+\nIII\n@four\nACGT\n+\nIIII\n' > tiny.fq
run -e 3 --min-length 1 --report all --stats out/tiny.json ref.fa tiny.fq
expect_success
equal "a read not longer than e" "$(records stdout | awk '$1 == "three"' | cut -f 2-4)" "$(printf '4\t*\t0')"
equal "a read longer than e" "$(records stdout | awk '$1 == "four"' | head -1 | cut -f 3)" c1
contains "the summary counts it" stderr "1 read left unmapped: too short for these edits (see --min-length)"
equal "the statistics count it" \
  "$(python3 -c 'import json; print(json.load(open("out/tiny.json"))["reads"]["unmapped_too_short"])')" 1
run -e 255 --report all ref.fa tiny.fq
expect_success
equal "e larger than all" "$(records stdout | cut -f 2 | sort -u)" 4

# A share of a long read can be more edits than are possible: it is searched with 255, counted, and named once.
"$TRAWL_SIMULATE" genome 60000 3 large.fa 2> /dev/null
letters=$(grep -v '>' large.fa | tr -d '\n')
printf '>short\n%s\n>long\n%s\n>longer\n%s\n' \
  "${letters:45000:5100}" "${letters:45000:5120}" "${letters:45000:9000}" > long.fa
for options in "" "--clip 30%" "--batch-size 1"; do
  # shellcheck disable=SC2086
  run -e 5% $options --stats out/long.json large.fa long.fa
  expect_success
  equal "long reads are mapped $options" "$(records -c -F 4 stdout)" 3
  contains "the summary counts long reads" stderr "; 2 reads searched with 255 edits only"
  equal "the warning names the first long read" "$(grep -c warning stderr)" 1
  contains "the warning names the first long read" stderr \
    "-e 5% is more than 255 edits, the most that are possible, for 2 of 3 reads; the first is 'long' of 5120 bases;"
  equal "the statistics count long reads" \
    "$(python3 -c 'import json; print(json.load(open("out/long.json"))["reads"]["edits_limited"])')" 2
done

# Empty reads and empty files: only a header.
: > empty.fq
for output in empty.sam empty.bam empty.cram empty.bed empty.bed.gz; do
  run ref.fa empty.fq -o "out/$output"
  expect_success
  contains "the summary of no reads" stderr "0 reads, 0 mapped (0.00%)"
  case $output in
    *.bed) equal "empty BED" "$(wc -c < out/$output)" 0 ;;
    *.gz) ok "empty BED.gz" gzip -t out/$output ;;
    *)
      ok "empty $output" samtools quickcheck out/$output
      equal "no records in $output" "$(records out/$output | wc -l)" 0
      equal "a header in $output" "$(samtools view -H out/$output | grep -c '^@SQ')" 1
      ;;
  esac
done
gzip -c empty.fq > empty.fq.gz
bgzip -c empty.fq > empty.bgz
for reads in empty.fq.gz empty.bgz /dev/null; do
  run ref.fa $reads
  expect_success
  equal "no records of $reads" "$(records stdout | wc -l)" 0
done
printf '@nothing\n\n+\n\n@r1\n%s\n+\n%s\n' "$read1" "${read1//?/I}" > empty_read.fq
run ref.fa empty_read.fq -o out/empty_read.bam
expect_success
equal "a read of no bases" "$(records out/empty_read.bam | cut -f 1,2,10,11 | head -1)" "$(printf 'nothing\t4\t*\t*')"

# Names: they end before a comment, /1 is kept, duplicates are kept.
printf '@r/1 comment 1:N:0\n%s\n+r\n%s\n@r/1\tx\n%s\n+\n%s\n' "$read1" "${read1//?/I}" "$read1" "${read1//?/5}" > names.fq
run ref.fa names.fq
expect_success
equal "names" "$(records stdout | cut -f 1,11)" "$(printf 'r/1\t%s\nr/1\t%s' "${read1//?/I}" "${read1//?/5}")"

# Several files of any kind, and the standard input.
second=${bases:0:25}
printf '@r2\n%s\n+\n%s\n' "$second" "${second//?/I}" > second.fq
gzip -c reads.fq > reads.fq.gz
bgzip -c second.fq > second.bgz
run ref.fa reads.fq,second.fq
cp stdout two.sam
equal "two files" "$(records two.sam | cut -f 1)" "$(printf 'r1\nr2')"
run ref.fa reads.fq.gz,second.bgz
same "two files, compressed" two.sam stdout
run ref.fa empty.fq,reads.fq,empty.fq.gz,second.fq
same "empty files between" two.sam stdout
run ref.fa - < <(cat reads.fq second.fq)
same "reads from the standard input" two.sam stdout
run ref.fa - < <(cat reads.fq.gz second.bgz)
same "gzip and BGZF behind one another, from the standard input" two.sam stdout
run - reads.fq,second.fq < <(gzip -c ref.fa)
expect_success
equal "reference from the standard input" "$(records stdout)" "$(records two.sam)"
bgzip -c ref.fa > ref.fa.bgz
run ref.fa.bgz reads.fq,second.fq
equal "reference in BGZF" "$(records stdout)" "$(records two.sam)"
run ref.fa reads.fa,second.fq
equal "FASTA and FASTQ" "$(records stdout | cut -f 1-10)" "$(records two.sam | cut -f 1-10)"
mkfifo fifo
cat reads.fq second.fq > fifo &
run ref.fa fifo
wait
same "reads from a FIFO" two.sam stdout
cat ref.fa > fifo &
run fifo reads.fq,second.fq -o out/fifo.cram
wait
expect_success
equal "reference from a FIFO, CRAM" "$(records -T ref.fa out/fifo.cram | cut -f 1-11)" "$(records two.sam | cut -f 1-11)"

# Text of which nothing is a read does not stay in memory.
{ cat reads.fq; head -c 300000000 /dev/zero | tr '\0' '\n'; cat second.fq; } | gzip -1 > blank.fq.gz
run ref.fa blank.fq.gz -t 1 --stats out/stats.json
same "300 MB of blank lines" two.sam stdout
peak=$(python3 -c 'import json; print(json.load(open("out/stats.json"))["peak_resident_bytes"] // 1000000)')
ok "300 MB of blank lines: $peak MB of memory, at most 150" test "$peak" -le 150

# Reads of different lengths, in any order.
make_input 40000 200
run -e 4% --report all ref.fa reads.fq
expect_success
equal "a record for each read of mixed lengths" "$(records -F 256 stdout | cut -f 1 | uniq | wc -l)" 200
equal "in input order" "$(records -F 256 stdout | cut -f 1)" "$(awk 'NR % 4 == 1 { print substr($1, 2) }' reads.fq)"

# Runs of N: with --ambiguous match every read would fit them. A place may lean on a quarter of ambiguous letters.
python3 - << 'PYTHON'
import random
random.seed(25)
bases = lambda n: "".join(random.choice("ACGT") for _ in range(n))
left, right = bases(20000), bases(20000)
# Runs of N inside the read: 1, 25 and 26 of 100 letters; and IUPAC codes.
inside = "".join(bases(300) + "N" * n + bases(300) for n in (1, 25, 26)) + bases(300) + "RYKMNSW" + bases(300)
text = left + "N" * 5000 + right + inside
open("n.fa", "w").write(">c\n" + text + "\n")
filled = "".join({"R": "A", "Y": "C", "K": "G", "M": "C", "S": "G", "W": "T", "N": "A"}.get(c, c) for c in text)
with open("n.fq", "w") as reads:
    for i in range(400):
        start = random.randrange(19800) + random.choice([0, 25000])
        reads.write(f"@plain_{start + 1}\n{filled[start:start + 100]}\n+\n{'I' * 100}\n")
    at = 45000
    for n, length in ((1, 601), (25, 625), (26, 626), (7, 607)):
        start = at + 300 - 40
        reads.write(f"@over{n}_{start + 1}\n{filled[start:start + 100]}\n+\n{'I' * 100}\n")
        at += length
    reads.write(f"@edge25_{20000 - 75 + 1}\n{filled[20000 - 75:20000 + 25]}\n+\n{'I' * 100}\n")
    reads.write(f"@edge40_{20000 - 60 + 1}\n{filled[20000 - 60:20000 + 40]}\n+\n{'I' * 100}\n")
    reads.write(f"@n_1\n{'N' * 96}ACGT\n+\n{'I' * 100}\n")
PYTHON
awk 'NR % 4 == 1 { print ">" substr($1, 2) } NR % 4 == 2' n.fq | sed '/^>n_1/,+1d' > n_patterns.fa
for options in "" "--search scan" "--search seeds --batch-size 7" "--report all"; do
  # shellcheck disable=SC2086
  run -e 2 --ambiguous match $options n.fa n.fq -o out/n.sam
  expect_success
  equal "runs of N, $options: reads at their places" \
    "$(records out/n.sam | awk '{ split($1, name, "_") } $4 == name[2] && $5 == 60' | wc -l)" 404
  equal "runs of N, $options: reads that lean too much" \
    "$(records out/n.sam | awk '$2 == 4 { print $1 }' | sort | tr '\n' ' ')" "edge40_19941 n_1 over26_46487 "
done
run -e 2 --ambiguous match --report all n.fa n.fq -o out/n.bed
run_scan -k 2 --ambiguous match n.fa n_patterns.fa -o out/scan.bed
expect_success
same "scan and map find the same places over N" <(cut -f 1-4,6 out/n.bed | sort) <(cut -f 1-4,6 out/scan.bed | sort)
run -e 2 --ambiguous match --max-ambiguous 26 n.fa n.fq -o out/n.sam
equal "--max-ambiguous 26" "$(records out/n.sam | awk '$2 == 4 { print $1 }' | sort | tr '\n' ' ')" "edge40_19941 n_1 "
run -e 2 --ambiguous match --max-ambiguous 0% n.fa n.fq -o out/n.sam
equal "--max-ambiguous 0%" "$(records -c -f 4 out/n.sam)" 7
run_scan -k 2 --ambiguous match --max-ambiguous 26 n.fa n_patterns.fa -o out/scan.bed
equal "scan --max-ambiguous 26" "$(grep -c over26 out/scan.bed)" 1
run --max-ambiguous 5 n.fa n.fq
expect_failure 2 "--max-ambiguous needs --ambiguous match"
run --ambiguous match --max-ambiguous x n.fa n.fq
expect_failure 2 "--max-ambiguous x: give a number of letters"

# Reads that fit by chance. On 40,000 bases, 5 bases are expected at 78 places, 3 at 1,250.
for n in $(seq 1 12); do printf '@s%d\n%s\n+\n%s\n' "$n" "$(sed -n 2p n.fa | cut -c "101-$((100 + n))")" "$(printf 'I%.0s' $(seq "$n"))"; done > chance.fq
run --stats out/chance.json n.fa chance.fq
expect_success
equal "too short" "$(records stdout | awk '$2 == 4 { print $1 }' | tr '\n' ' ')" "s1 s2 s3 "
contains "the summary counts them" stderr "3 reads left unmapped: too short for these edits (see --min-length)"
run --min-length 1 n.fa chance.fq
equal "--min-length 1" "$(records -c -f 4 stdout)" 0
run --min-length 10 n.fa chance.fq
equal "--min-length 10" "$(records -c -f 4 stdout)" 9

finish
