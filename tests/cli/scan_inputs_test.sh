#!/usr/bin/env bash
# trawl scan: valid and invalid input of all kinds, and wrong usage.
. "$(dirname "$0")/lib.sh"

printf '>chr1 first\nACGTACGTTTGATTACAGG\nCCTGTAATCAAAA\n>chr2\nNNNNGATTACANNN\n' > ref.fa
printf '>p1 some text\nGATTACA\n>p2\nTTGRTT\nACA\n' > patterns.fa
printf 'p1\tGATTACA\np2\tTTGRTTACA\n' > patterns.tsv

run_scan --strand + ref.fa patterns.fa
expect_success
cp stdout fasta.bed
run_scan --strand + ref.fa patterns.tsv
expect_success
same "FASTA and TSV patterns" fasta.bed stdout
equal "loci on the forward strand" "$(cut -f 1-6 stdout | tr '\n\t' ';:')" \
  'chr1:8:17:p2:1000:+;chr1:10:17:p1:1000:+;chr2:4:11:p1:1000:+;'
run_scan ref.fa -p GATTACA -p TTGRTTACA
expect_success
equal "patterns of -p are their own names" "$(cut -f 4,6 stdout | sort | uniq -c | tr -s ' \n\t' ' ')" \
  ' 2 GATTACA + 1 GATTACA - 1 TTGRTTACA + 1 TTGRTTACA - '
run_scan -p GATTACA ref.fa patterns.tsv
expect_success
equal "-p before the file's" "$(cut -f 4 stdout | sort -u | tr '\n' ' ')" 'GATTACA p1 p2 '

# CRLF, lower case, blank lines, comments, compressed, no line end, stdin.
sed 's/$/\r/' patterns.fa > crlf.fa
sed 's/$/\r/' patterns.tsv > crlf.tsv
tr 'ACGT' 'acgt' < patterns.tsv > lower.tsv
{ echo '# guides'; echo; sed 'G' patterns.tsv; } > blank.tsv
printf 'p1\tGATUACA\tmore\np2\tTTGRTTACA' > no_end.tsv
gzip -c patterns.fa > patterns.fa.gz
bgzip -c patterns.tsv > patterns.tsv.gz
mark=$'\xef\xbb\xbf'
{ printf %s "$mark"; cat patterns.fa; } > mark.fa
{ printf %s "$mark"; cat patterns.tsv; } | gzip > mark.tsv.gz
for input in mark.fa mark.tsv.gz crlf.fa crlf.tsv lower.tsv blank.tsv no_end.tsv patterns.fa.gz patterns.tsv.gz; do
  run_scan --strand + ref.fa $input
  expect_success
  same "$input" fasta.bed stdout
done
run_scan --strand + ref.fa - < patterns.tsv
expect_success
same "patterns from stdin" fasta.bed stdout
sed 's/$/\r/' ref.fa > crlf_ref.fa
tr 'ACGT' 'acgt' < ref.fa | sed 's/^>.*/\U&/; s/^>CHR/>chr/' > lower_ref.fa
gzip -c ref.fa > ref.fa.gz
{ printf %s "$mark"; cat ref.fa; } > mark_ref.fa
for input in mark_ref.fa crlf_ref.fa lower_ref.fa ref.fa.gz; do
  run_scan --strand + $input patterns.fa
  expect_success
  same "$input" fasta.bed stdout
done
run_scan --strand + - patterns.fa < ref.fa.gz
expect_success
same "reference from stdin" fasta.bed stdout

# It is not an error if nothing is found.
run_scan -p "$(head -c 200 /dev/zero | tr '\0' A)" ref.fa -k 3
expect_success
equal "a pattern longer than the reference" "$(wc -c < stdout)" 0
run_scan -k 3 -p ACG -p GATTACA -p NNNNN -p ANNNC ref.fa
expect_success
contains "patterns not longer than k" stderr "3 pattern(s) not searched, because with 3 edits they would match everywhere"
contains "the summary says so too" stderr "trawl scan: 4 patterns, 3 not searched, 46 bases, "
contains "their names" stderr "ACG, NNNNN, ANNNC"
equal "the other is searched" "$(cut -f 4 stdout | sort -u)" GATTACA
for output in out/none.tsv out/none.bed; do
  run_scan -k 3 -p ACG -p NNNN ref.fa -o $output
  expect_failure 2 "no pattern can be searched, because with 3 edits they would match everywhere" $output
done
# With a PAM, the limits for mismatches and bulges together also limit the edits.
printf '>g\nTTTTACGTGGTTTT\n' > short_guide.fa
run_scan -k 9 --max-mismatches 1 --max-bulges 1 --pam NGG -p ACG --strand + short_guide.fa
expect_success
equal "a guide longer than mismatches and bulges" "$(cut -f 2,3,7 stdout | tr '\t\n' ' ;')" "4 10 0;"
run_scan -k 9 --max-mismatches 2 --max-bulges 1 --pam NGG -p ACG short_guide.fa -o out/none.bed
expect_failure 2 "no pattern can be searched, because with 3 edits" out/none.bed
run_scan -k 2 --metric hamming --pam NGG -p ACG --strand + short_guide.fa
expect_success
cp stdout hamming.bed
run_scan -k 2 --max-bulges 0 --pam NGG -p ACG --strand + short_guide.fa
same "with a PAM, --metric hamming is --max-bulges 0" hamming.bed stdout
printf '>n\nNNNNNNNNNNNNNNNNNNNN\n' > n.fa
run_scan -k 1 -p GATTACA -p RYN n.fa
expect_success
equal "N matches nothing" "$(wc -c < stdout)" 0
# N alone never matches. N and other letters match if the number of those other letters is larger than the allowed
# edits.
printf '>c\nNNN\n>n\n%030d\n>m\n%06d\n' 0 0 | tr 0 N > n.fa
for options in "" "--metric hamming" "--report ends" "--pam NGG" "--pam TTTV:5' --max-bulges 2" "--pam N"; do
  for k in 0 1 2 3; do
    run_scan -k $k -p GATTACA -p ACGTTGCATCC --ambiguous match $options n.fa
    expect_success
    equal "N alone: -k $k $options" "$(cat stdout)" ""
  done
done
printf '>a\nCCNNNNNNTACACC\n' > n.fa
run_scan -k 1 -p GATTACA --strand + --report ends --ambiguous match --max-ambiguous 100% n.fa
equal "at most five of the seven letters up to an end are N" "$(cut -f 2,3,7 stdout | tr '\t\n' ': ')" \
  "3:10:1 5:11:1 5:12:0 5:13:1 "
run_scan -k 1 -p GATTACA --strand + --report ends --metric hamming --ambiguous match --max-ambiguous 100% n.fa
equal "of mismatches" "$(cut -f 2,3,7 stdout | tr '\t\n' ': ')" "3:10:1 5:12:0 "
printf '>c\nTNNNNNNNNN\n' > begin.fa
for size in 1 3 1000; do
  # Before the PAM's end there are fewer letters than the pattern has. The 7 N among them are too few to match alone.
  run_scan -k 2 --pam NGG --ambiguous match --max-ambiguous 100% --strand + --report ends --chunk-size $size -p GCTATTT begin.fa
  equal "N and a PAM at a contig's begin, chunks of $size" "$(cut -f 1-3,6 stdout)" "c	0	8	+"
done
printf '>a\nNNNNNNNG\n>b\nNNNNACGG\n>c\nCCNNACNN\n>d\nCCGTNNNNNN\n' > n.fa
run_scan -k 1 --pam NGG -p GATAC --ambiguous match --max-ambiguous 100% n.fa
equal "of guides the PAM counts" "$(cut -f 1,2,3,6 stdout | tr '\t\n' ': ')" "b:0:8:+ d:0:8:- d:2:10:+ "
printf '>a\nGATNACA\n>r\nGARTACA\n' > iupac.fa
run_scan -p GATTACA -p GAATACA --strand + iupac.fa
equal "ambiguous letters match nothing" "$(wc -c < stdout)" 0
run_scan -p GATTACA -p GAATACA -p GACTACA --strand + --ambiguous match iupac.fa
equal "or what they may stand for" "$(cut -f 1,4 stdout | tr '\n\t' ' :')" "a:GATTACA r:GAATACA "
# So it is in the place of a PAM, where they are no mismatches either: --pam-mismatches allows none of them.
for letter in N R Y K V; do
  for options in "" "--pam-mismatches 1" "--ambiguous match" "--ambiguous match --pam-mismatches 1"; do
    for search in rows pieces; do
      printf '>1\nAAAAGATTACAGCTTAGCAT%sGGAACCA\n>2\nAAAAGATTACAGCTTAGCATT%sGAACCA\n' $letter $letter > pam.fa
      run_scan -k 2 --max-bulges 0 --pam NGG -p GATTACAGCTTAGCAT --strand + $options --search $search pam.fa -o out/pam.tsv
      # Y stands for C or T.
      case $letter$options in
        *'ambiguous match') expected="1 ${letter}GG 0;$([[ $letter == Y ]] || echo "2 T${letter}G 0;")" ;;
        *'ambiguous match '*) expected="1 ${letter}GG 0;2 T${letter}G $([[ $letter == Y ]] && echo 1 || echo 0);" ;;
        *) expected="" ;;
      esac
      equal "$letter in the PAM's place $options --search $search" "$(tail -n +2 out/pam.tsv | cut -f 1,13,14 | tr '\t\n' ' ;')" "$expected"
    done
  done
done
printf '>d\nGATTACA\n>d\nGATTACA\n>e\nGATTACA\n' > twice.fa
run_scan --strand + ref.fa twice.fa
expect_success
equal "duplicates are reported each, under their names" "$(cut -f 4 stdout | sort | uniq -c | tr -s ' \n' ' ')" ' 4 d 2 e '
contains "a name of several patterns" stderr "trawl scan: several patterns have the same name, so that their records cannot be told apart: d"

# Guides that seem to include their PAM.
hint="but --pam looks for these letters in addition; if they are the PAM, give the guides without them"
run_scan --pam NGG -p GACGCATAAAGATGAGACGCTGG ref.fa
expect_success
contains "a guide with its PAM" stderr "the pattern ends with NGG, $hint"
run_scan --pam "TTTV:5'" -p TTTACGACGCATAAAGATGAGA -p TTTCCGACGCATAAAGATGAGA ref.fa
contains "guides with their PAM" stderr "all patterns begin with TTTV, $hint"
run_scan --pam NGG -p GACGCATAAAGATGAGACGCTGG -p GACGCATAAAGATGAGACGC ref.fa
equal "not all with a PAM" "$(grep -c "in addition" stderr)" 0
run_scan --pam NNN -p GACGCATAAAGATGAGACGCTGG ref.fa
expect_success
equal "a PAM of any letters" "$(grep -c "in addition" stderr)" 0

# fails MESSAGE ARGUMENT...: checks every kind of output.
fails() {
  local message=$1 output
  shift
  for output in x.bed x.bed.gz x.tsv x.sam; do
    run_scan "$@" -o out/$output
    expect_failure 1 "$message" out/$output
  done
}
: > empty
printf %s "$mark" > mark_only
fails "empty: has no patterns; give FASTA" ref.fa empty
fails "empty: has no sequences; a reference must be FASTA" empty patterns.fa
fails "mark_only: has no patterns; give FASTA" ref.fa mark_only
fails "mark_only: has no sequences; a reference must be FASTA" mark_only patterns.fa
printf '>a\nACGT\n>b\n>c\nACGT\n' > no_letters.fa
fails "no_letters.fa:3: the pattern b has no letters" ref.fa no_letters.fa
printf 'a\tACGT\nb\t\n' > no_letters.tsv
fails "no_letters.tsv:2: one column only, but the lines before have a name and a sequence" ref.fa no_letters.tsv
printf 'a\tAC!T\n' > letter.tsv
fails "letter.tsv:1: '!' in the pattern a is not an IUPAC letter" ref.fa letter.tsv
printf '>a\nACGT\nAC-T\n' > letter.fa
fails "letter.fa:3: '-' in the pattern a is not an IUPAC letter" ref.fa letter.fa
printf 'AC GT\n' > plain.txt
fails "plain.txt:1: the line has blanks, but no tab and no comma; give FASTA, lines with a name and a sequence" ref.fa plain.txt
printf '@r\nACGT\n+\nIIII\n' > reads.fq
fails "reads.fq:1: begins with '@' as a FASTQ file does" ref.fa reads.fq
printf '>\nACGT\n' > no_name.fa
fails "no_name.fa:1: a pattern without a name" ref.fa no_name.fa
printf 'a\007b\tACGT\n' > control.tsv
fails "control.tsv:1: the pattern name contains the byte 0x07, which cannot be printed; rename it" ref.fa control.tsv
printf 'a\t%s\n' "$(head -c 16385 /dev/zero | tr '\0' A)" > long.tsv
fails "long.tsv:1: the pattern a has more than 16384 letters, which is the most that is possible; give a part of it. (The reference comes first" ref.fa long.tsv
fails "nowhere.fa: cannot open: No such file or directory" ref.fa nowhere.fa
fails "nowhere.fa: cannot open: No such file or directory" nowhere.fa patterns.fa
head -c 60 ref.fa.gz > half.fa.gz
fails "half.fa.gz: the gzip data end in the middle" half.fa.gz patterns.fa
printf '>a\nACGT\nAC-T\n' > dash.fa
fails "dash.fa:3: '-' in the sequence a is not an IUPAC letter" dash.fa patterns.fa
run_scan ref.fa patterns.fa -o out/nowhere/x.bed
expect_failure 1 "out/nowhere/x.bed: cannot create a file in its directory"
run_scan ref.fa patterns.fa --stats out/nowhere/x.json
expect_failure 1 "out/nowhere/x.json: cannot create a file in its directory"

# wrong MESSAGE ARGUMENT...: checks for wrong usage.
wrong_usage() {
  local message=$1
  shift
  run_scan "$@" -o out/x.bed
  expect_failure 2 "$message" out/x.bed
}
wrong_usage "REF is required"
wrong_usage "nothing to search: give a file of patterns after the reference, or -p SEQ" ref.fa
wrong_usage "only one of the files can be the standard input (-)" - -
wrong_usage "-p GAT!: '!' is not an IUPAC letter" ref.fa -p GAT!
wrong_usage "-p: a pattern has at least one letter" ref.fa -p ""
wrong_usage "--pam: is empty" ref.fa patterns.fa --pam ""
wrong_usage "--stats: is empty" ref.fa patterns.fa --stats ""
wrong_usage "PATTERNS: is empty" -p ACGT ref.fa ""
for value in 65 -1 5% 1e1 +1 "" " 1" 0x1 18446744073709551616; do
  wrong_usage "trawl scan: -e,-k,--max-edits: '$value' is not a whole number from 0 to 64" ref.fa patterns.fa -k "$value"
done
wrong_usage "-e,-k,--max-edits: '-1' is not a whole number" ref.fa patterns.fa --max-edits=-1
wrong_usage "--metric" ref.fa patterns.fa --metric edit
wrong_usage "--strand" ref.fa patterns.fa --strand forward
wrong_usage "--report" ref.fa patterns.fa --report best
wrong_usage "--engine gpu: this build has: " ref.fa patterns.fa --engine gpu
wrong_usage "--pam NGG:4: give the PAM and its side of the guide" ref.fa patterns.fa --pam NGG:4
wrong_usage "--pam :3: give the PAM and its side of the guide" ref.fa patterns.fa --pam :3
wrong_usage "--pam N!G: '!' is not an IUPAC letter" ref.fa patterns.fa --pam 'N!G'
wrong_usage "--max-mismatches and --max-bulges need --pam" ref.fa patterns.fa --max-bulges 0
wrong_usage "--max-mismatches and --max-bulges need --pam" ref.fa patterns.fa --max-mismatches 65
wrong_usage "--max-mismatches and --max-bulges allow 66 edits; at most 64 are possible, fewer with -k" ref.fa patterns.fa \
  --pam NGG --max-mismatches 60 --max-bulges 6
wrong_usage "--metric hamming allows no bulges" ref.fa patterns.fa --pam NGG --metric hamming --max-bulges 1
wrong_usage "--threads 5000: at most 1024 are possible" ref.fa patterns.fa -t 5000
run_scan ref.fa patterns.fa -o out/x.bam
expect_failure 2 "the output out/x.bam has no known extension; use .bed, .bed.gz, .tsv, .tsv.gz, .csv, .csv.gz or .sam" out/x.bam

run_scan ref.fa patterns.fa -o ""
expect_failure 2 "the output has no name; give a file, or - for BED"

# SAM records wait in a temporary file.
TMPDIR=$work/nowhere run_scan ref.fa patterns.fa -o out/x.sam
expect_failure 1 "$work/nowhere: cannot create a temporary file for SAM records: No such file or directory; set TMPDIR" out/x.sam

# If the output cannot be written, the run ends, even if more input may come.
if [[ -e /dev/full ]]; then
  "$TRAWL_SIMULATE" genome 3000000 7 big.fa 2> /dev/null
  mkfifo endless
  { cat big.fa; exec sleep 60; } > endless &
  writer=$!
  timeout 30 "$TRAWL" scan --progress off -t 2 -p ACGTA --chunk-size 100000 - < endless > /dev/full 2> stderr
  status=$?
  expect_failure 1 "standard output: cannot write: No space left on device"
  kill $writer
fi

finish
