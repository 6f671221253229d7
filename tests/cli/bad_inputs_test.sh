#!/usr/bin/env bash
# Unusable input: a message that says where and why, status 1, and no output.
. "$(dirname "$0")/lib.sh"
make_input 60000 1500

gzip -c reads.fq > reads.fq.gz
bgzip -c reads.fq > reads.bgz
gzip -c ref.fa > ref.fa.gz
bgzip -c ref.fa > ref.bgz

# fails MESSAGE REF READS: checks this for a text, a binary and a BED output.
fails() {
  local output
  for output in x.sam x.bam x.cram x.bed.gz; do
    run -t 2 "$2" "$3" -o "out/$output"
    expect_failure 1 "$1" "out/$output"
  done
}

# Truncated files. A block ends where the next block's header begins.
border() {
  python3 - "$1" <<'PYTHON'
import sys
data = open(sys.argv[1], "rb").read()
at = int.from_bytes(data[16:18], "little") + 1
assert data[at:at + 4] == b"\x1f\x8b\x08\x04", "one block only"
print(at)
PYTHON
}
size() { wc -c < "$1"; }
head -c $(($(size reads.fq.gz) / 2)) reads.fq.gz > half.fq.gz
fails "half.fq.gz: the gzip data end in the middle" ref.fa half.fq.gz
head -c $(($(size reads.fq.gz) - 4)) reads.fq.gz > end.fq.gz
fails "end.fq.gz: the gzip data end in the middle" ref.fa end.fq.gz
head -c 12 reads.fq.gz > start.fq.gz
fails "start.fq.gz: the gzip data end in the middle" ref.fa start.fq.gz
head -c $(($(size reads.bgz) / 2)) reads.bgz > half.bgz
fails "half.bgz: the BGZF data end in the middle of a block" ref.fa half.bgz
head -c "$(border reads.bgz)" reads.bgz > border.bgz
fails "border.bgz: the BGZF end marker is missing" ref.fa border.bgz
# A cut between two blocks and also between two records: what is left looks complete.
head -n 400 reads.fq | bgzip -c | head -c -28 > whole_records.bgz
fails "whole_records.bgz: the BGZF end marker is missing" ref.fa whole_records.bgz
head -c $(($(size reads.bgz) - 28)) reads.bgz > no_end.bgz
fails "no_end.bgz: the BGZF end marker is missing" ref.fa no_end.bgz
head -c $(($(size ref.fa.gz) / 2)) ref.fa.gz > half.fa.gz
fails "half.fa.gz: the gzip data end in the middle" half.fa.gz reads.fq
head -c $(($(size ref.bgz) / 3)) ref.bgz > half_ref.bgz
fails "half_ref.bgz: the BGZF data end in the middle of a block" half_ref.bgz reads.fq
cat ref.fa ref.fa ref.fa | awk '/>/ { $0 = ">c" ++n } 1' | bgzip > long.bgz
head -c "$(border long.bgz)" long.bgz > border_ref.bgz
fails "border_ref.bgz: the BGZF end marker is missing" border_ref.bgz reads.fq
run ref.fa - -o out/x.bam < half.fq.gz
expect_failure 1 "standard input: the gzip data end in the middle" out/x.bam
run - reads.fq -o out/x.bam < border_ref.bgz
expect_failure 1 "standard input: the BGZF end marker is missing" out/x.bam
{ head -c 3000 reads.fq.gz; printf 'XXXXXXXXXXXX'; tail -c +3013 reads.fq.gz; } > damaged.fq.gz
fails "damaged.fq.gz: the gzip data are damaged" ref.fa damaged.fq.gz
{ head -c 3000 reads.bgz; printf 'XXXXXXXXXXXX'; tail -c +3013 reads.bgz; } > damaged.bgz
fails "damaged.bgz: the gzip data are damaged" ref.fa damaged.bgz
# The text is given before the checksum is known. So wrong text may be damage.
python3 - <<'PYTHON'
import gzip
data = bytearray(gzip.compress(open("reads.fq", "rb").read(), 0))
data[data.index(b"\n", 60000) + 1] = ord("!")
open("doubt.fq.gz", "wb").write(data)
data = bytearray(gzip.compress(open("ref.fa", "rb").read(), 0))
data[data.index(b"\n", 60000) + 1] = ord("!")
open("doubt.fa.gz", "wb").write(data)
PYTHON
for threads in 1 2 5; do
  run -t $threads ref.fa doubt.fq.gz -o out/x.sam
  expect_failure 1 "; or the compressed file is damaged (test it with gzip -t)" out/x.sam
  grep -v 'engine cpu' stderr > doubt.$threads
  run -t $threads doubt.fa.gz reads.fq -o out/x.sam
  expect_failure 1 "is not an IUPAC letter; or the compressed file is damaged (test it with gzip -t)" out/x.sam
done
same "the message for any threads" doubt.1 doubt.2 doubt.5
# Damage at the start of a gzip member would lose all reads after it.
{ cat reads.fq.gz; printf 'X'; tail -c +2 reads.fq.gz; } > border_damaged.fq.gz
fails "border_damaged.fq.gz: what follows the gzip data at byte $(($(size reads.fq.gz) + 1)) is not gzip data" \
  ref.fa border_damaged.fq.gz

# Incomplete FASTQ.
head -n 5999 reads.fq > cut.fq
fails "cut.fq:5997: the last record is not complete" ref.fa cut.fq
head -c $(($(size reads.fq) - 9)) reads.fq > cut_line.fq
fails "cut_line.fq:5997: the last record is not complete" ref.fa cut_line.fq
awk 'NR == 4000 { $0 = substr($0, 2) } 1' reads.fq > short_quality.fq
fails "short_quality.fq:4000: the quality has " ref.fa short_quality.fq
awk 'NR == 4000 { $0 = $0 "II" } 1' reads.fq > long_quality.fq
fails "long_quality.fq:4000: the quality has " ref.fa long_quality.fq
awk 'NR != 401' reads.fq > no_header.fq
fails "no_header.fq:401: a record must begin with '@'" ref.fa no_header.fq
awk 'NR == 402 { sub(/A/, "!") } 1' reads.fq > not_iupac.fq
fails "not_iupac.fq:402: the sequence contains '!', which is not an IUPAC letter" ref.fa not_iupac.fq
awk 'NR == 404 { sub(/^./, "\001") } 1' reads.fq > bad_quality.fq
fails "bad_quality.fq:404: the quality contains the byte 0x01" ref.fa bad_quality.fq
# Two errors, one found late and one early: the first in the file is reported, for any batches and timing.
awk 'NR == 3402 { sub(/A/, "!") } NR == 3436 { $0 = substr($0, 2) } 1' reads.fq > two_faults.fq
for batch in 0 1 7 50 1000; do
  for threads in 1 2 4; do
    run -t $threads --batch-size $batch ref.fa two_faults.fq -o out/x.sam
    expect_failure 1 "two_faults.fq:3402: the sequence contains '!'" out/x.sam
  done
done
printf '@\nACGT\n+\nIIII\n' > no_name.fq
fails "no_name.fq:1: a read without a name" ref.fa no_name.fq
printf '@%s\nACGT\n+\nIIII\n' "$(head -c 255 /dev/zero | tr '\0' n)" > long_name.fq
fails "long_name.fq:1: the read name has 255 characters; SAM allows at most 254" ref.fa long_name.fq
printf 'ACGT\n' > text.fq
fails "text.fq:1: begins with 'A', so it is neither FASTQ ('@') nor FASTA ('>')" ref.fa text.fq
samtools import -0 reads.fq -o reads.bam 2> /dev/null
fails "reads.bam: this is an alignment file" ref.fa reads.bam
samtools import -0 reads.fq -o reads.sam 2> /dev/null
fails "reads.sam: this is an alignment file" ref.fa reads.sam
fails "reads.sam: this is an alignment file; a reference must be FASTA" reads.sam reads.fq

# Other kinds of files.
foreign() {  # foreign FILE MAGIC WHAT PROGRAM
  { printf "$2"; head -c 3000 reads.fq.gz; } > "$1"
  fails "$1: this is $3, which Trawl does not read; give it the text: $4 $1 | trawl map REF -" ref.fa "$1"
  fails "$1: this is $3, which Trawl does not read; give it the text: $4 $1 > genome.fa" "$1" reads.fq
  run ref.fa - < "$1"
  expect_failure 1 "standard input: this is $3, which Trawl does not read; give it the text: $4 | trawl map REF -"
  [[ $3 != "a zip file" ]] || return
  run_scan ref.fa "$1" -o out/x.bed
  expect_failure 1 "$1: this is $3, which Trawl does not read; give it the text: $4 $1 | trawl scan REF -" out/x.bed
  run_scan ref.fa - -o out/x.bed < "$1"
  expect_failure 1 "standard input: this is $3, which Trawl does not read; give it the text: $4 | trawl scan REF -" out/x.bed
}
foreign reads.zst '\x28\xb5\x2f\xfd' "zstd data" zstdcat
foreign reads.xz '\xfd7zXZ\0' "xz data" xzcat
foreign reads.bz2 'BZh9' "bzip2 data" bzcat
foreign reads.zip 'PK\3\4' "a zip file" "unzip -p"
foreign little.fq '\xff\xfe' "UTF-16 text" "iconv -f UTF-16 -t UTF-8"
foreign big.fq '\xfe\xff' "UTF-16 text" "iconv -f UTF-16 -t UTF-8"
for magic in '\x43\x27\x41\x1a' '\x1a\x41\x27\x43'; do
  { printf "$magic"; head -c 3000 reads.fq.gz; } > g.2bit
  fails "g.2bit: this is 2bit data, which Trawl does not read; give it the text: twoBitToFa g.2bit stdout > genome.fa" g.2bit reads.fq
  run_scan -p ACGTACGT g.2bit -o out/x.bed
  expect_failure 1 "g.2bit: this is 2bit data, which Trawl does not read; give it the text: twoBitToFa g.2bit stdout > genome.fa" out/x.bed
  run_scan ref.fa g.2bit -o out/x.bed
  expect_failure 1 "g.2bit: this is 2bit data, which Trawl does not read; give it the text: twoBitToFa g.2bit stdout | trawl scan REF -" out/x.bed
  run_scan -p ACGTACGT - -o out/x.bed < g.2bit
  expect_failure 1 "give it the text: twoBitToFa FILE stdout > genome.fa" out/x.bed
done
for magic in 'PK\3\4' '\xd0\xcf\x11\xe0'; do
  { printf "$magic"; head -c 3000 reads.fq.gz; } > guides.xlsx
  for command in scan primers; do
    run_$command ref.fa guides.xlsx -o out/x.bed
    expect_failure 1 "guides.xlsx: this is data of a spreadsheet program (.xlsx, .ods, .xls), or a zip file, which Trawl does not read; save the table as CSV" out/x.bed
  done
done
run_scan ref.fa reads.bam -o out/x.bed
expect_failure 1 "reads.bam: this is an alignment file; patterns are FASTA or a table" out/x.bed
"$TRAWL" index --progress off ref.fa -o ref.trawl 2> /dev/null
fails "ref.trawl: this is a saved index; it is the first argument (REF)" ref.fa ref.trawl
run_scan ref.fa ref.trawl -o out/x.bed
expect_failure 1 "ref.trawl: this is a saved index; it is the first argument (REF)" out/x.bed
run - reads.fq -o out/x.sam < ref.trawl
expect_failure 1 "standard input: a saved index cannot be read from standard input" out/x.sam
run_scan -p ACGTACGTAC - -o out/x.bed < ref.trawl
expect_failure 1 "standard input: a saved index cannot be read from standard input" out/x.bed

awk 'NR == 1 { sub(/@sim/, "@s\303\251m") } 1' reads.fq > utf8.fq
fails "utf8.fq:1: the read name contains the byte 0xc3" ref.fa utf8.fq
tr '\n' '\r' < ref.fa > cr.fa
fails "cr.fa:1: a line contains a CR that does not end it" ref.fa cr.fa
fails "cr.fa:1: a line contains a CR that does not end it" cr.fa reads.fq
tr '\n' '\r' < reads.fq > cr.fq
fails "cr.fq:1: a line contains a CR that does not end it" ref.fa cr.fq

# References.
printf '>a\nACGT\n>b\nACGT\n>a other\nACGT\n' > twice.fa
fails "twice.fa:5: a second sequence with the name a" twice.fa reads.fq
printf '>a\nACGT\n>a\n' > twice_empty.fa
fails "twice_empty.fa:3: a second sequence with the name a" twice_empty.fa reads.fq
: > empty.fa
fails "empty.fa: has no sequences" empty.fa reads.fq
: > empty.fq
run ref.fa empty.fq -o out/empty.sam
expect_success
contains "no reads" stderr "warning: the input has no reads"
printf '>only\n>empty\n' > no_bases.fa
fails "no_bases.fa: has no sequences" no_bases.fa reads.fq
printf '>a\nACGT\nAC-T\n' > dash.fa
fails "dash.fa:3: '-' in the sequence a is not an IUPAC letter" dash.fa reads.fq
printf 'ACGT\n>a\nACGT\n' > before.fa
fails "before.fa:1: text before the first '>'" before.fa reads.fq
fails "reads.fq:1: this is a FASTQ file; a reference must be FASTA" reads.fq reads.fq
printf '>\nACGT\n' > no_name.fa
fails "no_name.fa:1: a sequence without a name" no_name.fa reads.fq
printf '>*\nACGT\n' > star.fa
fails "star.fa:1: the sequence name * begins with '*'" star.fa reads.fq
printf '>a\nACGT\n>b,1\nACGT\n' > comma.fa
fails "comma.fa:3: the sequence name b,1 contains ',', which SAM does not allow; rename it" comma.fa reads.fq
printf '>a\nACGT\0ACGT\n' > zero.fa
fails "zero.fa:2: the byte 0x00 in the sequence a is not an IUPAC letter" zero.fa reads.fq

# Missing files, and directories.
mkdir folder
fails "nowhere.fq: cannot open: No such file or directory" ref.fa nowhere.fq
fails "nowhere.fa: cannot open: No such file or directory" nowhere.fa reads.fq
fails "folder: is a directory; name a file in it" ref.fa folder
fails "folder: is a directory; name a file in it" folder reads.fq
fails "reads.fq/below: cannot open: Not a directory" ref.fa reads.fq/below
# A missing file is reported before the work begins, even if it is the last one.
fails "nowhere.fq: cannot open" ref.fa reads.fq,nowhere.fq

finish
