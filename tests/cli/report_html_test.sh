#!/usr/bin/env bash
# The data of --report-html against the output of the same run; --report-regions; the session of --igv-session.
# What the page makes of the data: report_browser_test.sh.
tools=$(cd "$(dirname "$0")" && pwd)
. "$tools/lib.sh"
checked() { ok "$*" python3 "$tools/report_data.py" "$@"; }

make_input 60000 1500
"$TRAWL_SIMULATE" pairs ref.fa 1500 100 5 one.fq two.fq --qualities --error-rate 0.012 --indel-share 0.4 2> /dev/null

# --- map: single reads, all records; a small reference, so all windows are taken ---
run --report all ref.fa reads.fq -o out/all.sam --stats all.json --report-html all.html
expect_success
checked map all.html all.json out/all.sam ref.fa
equal "the page names nothing to load" "$(sed -n '1,/id="data"/p' all.html | grep -cE '(src|href)="?(https?:|//)')" 0

# Pairs, clipped ends and pieces.
awk 'NR % 4 == 2 { $0 = substr($0, 1, 60) "ACGTTGCAAGGCTTACGATC" substr($0, 81) } 1' one.fq > odd.fq
run --report strata --strata 2 --clip 40% --split ref.fa odd.fq two.fq -o out/pairs.sam --stats pairs.json --report-html pairs.html
expect_success
checked map pairs.html pairs.json out/pairs.sam ref.fa

# More windows than are kept, and deep ones: which are kept does not depend on batches and threads.
"$TRAWL_SIMULATE" genome 400000 9 large.fa 2> /dev/null
"$TRAWL_SIMULATE" reads large.fa 6000 100 3 > many.fq
run --report all large.fa many.fq -t 1 -o out/1.sam --stats 1.json --report-html 1.html
expect_success
checked map 1.html 1.json out/1.sam large.fa
run --report all large.fa many.fq -t 4 --batch-size 7 -o out/4.sam --report-html 4.html
expect_success
checked same 1.html 4.html

# Bases before and after the reads of a reference of 1 kbp; nothing mapped; regions.
head -n 15 genome.fa > tiny.fa
run tiny.fa reads.fq -o out/tiny.sam --stats tiny.json --report-html tiny.html
expect_success
checked map tiny.html tiny.json out/tiny.sam tiny.fa
printf '>r\nACGT\n' > short.fa
run -e 0 ref.fa short.fa -o out/none.bed --report-html none.html
expect_success
run --report all ref.fa reads.fq -o out/r.sam --stats r.json --report-html r.html --report-regions 'chr1:1,001-2,600,copy:150-150,chr1:2,000-2,100'
expect_success
checked map r.html r.json out/r.sam ref.fa
printf '# comment\nchr1\t1000\t2600\tgene\ncopy\t149\t150\nchr1\t1999\t2100\n' > regions.bed
run --report all ref.fa reads.fq -t 3 -o out/b.sam --report-html b.html --report-regions regions.bed
expect_success
checked same r.html b.html

for wrong in 'chr9:1-5|no such contig' 'chr1:0-5|give a BED file' 'chr1:7-5|give a BED file' 'chr1|give a BED file' \
  'chr1:99999999-100000000|the contig has only' 'chr1:1-200000|with at most 100000 bases'; do
  run ref.fa reads.fq -o out/w.sam --report-html w.html --report-regions "${wrong%|*}"
  expect_failure 2 "${wrong#*|}" out/w.sam
done
printf 'chr1\t5\n' > bad.bed
run ref.fa reads.fq -o out/w.sam --report-html w.html --report-regions bad.bed
expect_failure 1 "bad.bed:1: not a line of BED" out/w.sam
run ref.fa reads.fq -o out/w.sam --report-regions chr1:1-5
expect_failure 2 "--report-regions needs --report-html, the page that shows them" out/w.sam
run ref.fa reads.fq -o out/w.sam --report-html out/w.sam
expect_failure 2 "are the same file" out/w.sam
run ref.fa reads.fq -o out/w.sam --report-html none/w.html
expect_failure 1 "none" out/w.sam

# --- scan ---
printf 'g1\tGAGTCCGAGCAGAAGAAGAA\ng2\tTTTAAATTNTAAACCCAAAT\ng3\tGGGTGGGGGGAGTTTGCTCC\nlong\t%s\n' \
  "$(sed -n 5,13p genome.fa | tr -d '\n')" > patterns.tsv
awk '!/>/ && NR % 97 == 0 { print "site" NR "\t" toupper(substr($0, 3, 20)) }' ref.fa >> patterns.tsv
run_scan -k 6 ref.fa patterns.tsv -t 1 -o out/s.bed --stats s.json --report-html s.html
expect_success
checked scan s.html s.json out/s.bed ref.fa
run_scan -k 6 ref.fa patterns.tsv -t 3 --chunk-size 1000 -o out/s2.bed --report-html s2.html
expect_success
checked same s.html s2.html
same "records with a report" out/s.bed out/s2.bed
"$TRAWL" index ref.fa -o ref.idx 2> /dev/null
run_scan -k 6 ref.idx patterns.tsv -o out/s3.bed --stats s3.json --report-html s3.html
expect_success
checked scan s3.html s3.json out/s3.bed ref.fa
run_scan -k 5 --max-bulges 1 --pam NRG ref.fa patterns.tsv -o out/p.bed --stats p.json --report-html p.html
expect_success
checked scan p.html p.json out/p.bed ref.fa
printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t%d\t.\t%s\t%s\t.\t.\t.\n' \
  500 $(sed -n 2,15p ref.fa | tr -d '\n' | cut -c 500 | tr acgt ACGT | sed 's/A/A C/;t;s/$/ A/') > alleles.vcf
run_scan -k 5 --pam NRG --vcf alleles.vcf ref.fa patterns.tsv -o out/v.tsv --report-html v.html
expect_success
contains "the page says what it leaves out" v.html '"leaves_out_alleles": true'
contains "and otherwise nothing" p.html '"leaves_out_alleles": false'
# The standard input cannot be read again: no letters around the sites.
run_scan -k 6 - patterns.tsv -o out/in.bed --stats in.json --report-html in.html < ref.fa
expect_success
checked scan in.html in.json out/in.bed ref.fa
run_primers --size 50-500 -k 2 ref.fa patterns.tsv -o out/a.tsv --report-html a.html
expect_failure 2 "there is no option --report-html" out/a.tsv

# --- the session for IGV ---
session() { # FILE KEY: the genome, the locus, the resource or the number of regions
  python3 - "$@" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print({"genome": root.get("genome"), "locus": root.get("locus"), "resource": root.find("Resources/Resource").get("path"),
       "regions": len(root.findall("Regions/Region"))}[sys.argv[2]])
PYTHON
}
mkdir -p 'a "b" <&>/sessions'
run --sort ref.fa reads.fq -o 'a "b" <&>/x.bam' --igv-session 'a "b" <&>/sessions/x.xml'
expect_success
equal "genome" "$(session 'a "b" <&>/sessions/x.xml' genome)" ../../ref.fa
equal "resource" "$(session 'a "b" <&>/sessions/x.xml' resource)" ../x.bam
equal "regions" "$(session 'a "b" <&>/sessions/x.xml' regions)" 24
run --sort ref.fa reads.fq -o out/x.cram --report-html x.html --report-regions chr1:2001-2500,copy:10-20 --igv-session 'a "b" <&>/y.xml'
expect_success
equal "locus" "$(session 'a "b" <&>/y.xml' locus)" chr1:2001-2500
equal "resource elsewhere" "$(session 'a "b" <&>/y.xml' resource)" ../out/x.cram
run_scan -k 6 ref.fa patterns.tsv -o 's"<>&.bed' --igv-session s.xml
expect_success
equal "resource of scan" "$(session s.xml resource)" 's"<>&.bed'
mkdir elsewhere
(cd elsewhere && "$TRAWL" scan -k 6 ../ref.idx ../patterns.tsv -o s.bed --igv-session s.xml 2> /dev/null)
equal "the FASTA of an index" "$(session elsewhere/s.xml genome)" ../ref.fa
"$TRAWL" index - -o stdin.idx < ref.fa 2> /dev/null
run --sort stdin.idx reads.fq -o out/w.bam --igv-session w.xml
expect_failure 2 "the standard input has none" out/w.bam
run ref.fa reads.fq -o out/w.bam --igv-session w.xml
expect_failure 2 "give --sort, too" out/w.bam
run ref.fa reads.fq -o out/w.sam --igv-session w.xml
expect_failure 2 "IGV does not open out/w.sam" out/w.sam
run ref.fa reads.fq --igv-session w.xml
expect_failure 2 "name a file with -o"
run --sort - reads.fq -o out/w.bam --igv-session w.xml < ref.fa
expect_failure 2 "the standard input has none" out/w.bam

finish
