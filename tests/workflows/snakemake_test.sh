#!/usr/bin/env bash
# The Snakemake wrappers run as those of snakemake-wrappers do, and the workflow makes of a sheet of samples what trawl
# makes by hand.
. "$(dirname "$0")/lib.sh"
need snakemake multiqc

# snake ARGUMENT...: leaves $status and stderr.
snake() {
  snakemake --cores 2 --nocolor "$@" > stdout 2> stderr
  status=$?
}

# --- wrappers: each test folder, with the wrappers as Snakemake finds them under a prefix ---
ln -s "$root/workflows/snakemake/wrappers" master
for wrapper in map scan; do
  mkdir "$wrapper"
  cp -r master/bio/trawl/$wrapper/test "$wrapper"
  for file in wrapper.py meta.yaml environment.yaml test/Snakefile; do
    ok "$wrapper has $file" test -s master/bio/trawl/$wrapper/$file
  done
  ok "$wrapper: meta.yaml" python3 -c '
import sys, yaml
meta = yaml.safe_load(open(sys.argv[1]))
assert all(meta[key] for key in ("name", "description", "authors", "input", "output")), meta' master/bio/trawl/$wrapper/meta.yaml
done

cd map/test || exit 1
snake --wrapper-prefix "file://$work/" mapped/a.bam lanes/a.sam
expect_success
"$TRAWL" map --report all --sort -R '@RG\tID:a\tSM:a' genome.fasta reads/a.1.fastq reads/a.2.fastq -o by_hand.bam 2> /dev/null
equal "map: the records" "$(records mapped/a.bam)" "$(records by_hand.bam)"
ok "map: the index" test -s mapped/a.bam.bai
ok "map: the statistics" python3 -m json.tool qc/a.trawl.json
ok "map: the statistics for MultiQC" python3 -m json.tool qc/a_mqc.json
contains "map: the log" logs/map/a.log "3 pairs"
"$TRAWL" map -e 8% genome.fasta reads/a.1.fastq,reads/a.2.fastq -o by_hand.sam 2> /dev/null
equal "lanes: the records" "$(records lanes/a.sam)" "$(records by_hand.sam)"

# What went wrong is in the log, and Snakemake knows it.
cp reads/a.1.fastq reads/broken.1.fastq
echo "@x" > reads/broken.2.fastq
snake --wrapper-prefix "file://$work/" mapped/broken.bam
ok "map: a broken file is an error" test "$status" != 0
contains "map: the message is in the log" logs/map/broken.log "reads/broken.2.fastq"

cd ../../scan/test || exit 1
snake --wrapper-prefix "file://$work/" sites/guides.tsv motifs/enzymes.bed
expect_success
"$TRAWL" scan -k 4 --max-bulges 1 --pam NGG genome.fasta guides.tsv -o by_hand.tsv 2> /dev/null
same "scan: the sites" by_hand.tsv sites/guides.tsv
ok "scan: some sites" test "$(wc -l < sites/guides.tsv)" -ge 4
"$TRAWL" scan -p GAATTC -p GGATCC genome.fasta -o by_hand.bed 2> /dev/null
same "scan: sequences" by_hand.bed motifs/enzymes.bed
cd "$work" || exit 1

# --- the workflow ---
mkdir run
cd run || exit 1
make_samples
cp -r "$root/workflows/snakemake/config" .
sed -i 's/patterns: ""/patterns: guides.tsv/' config/config.yaml
snake --snakefile "$root/workflows/snakemake/workflow/Snakefile"
expect_success
"$TRAWL" map --sort -R '@RG\tID:liver\tSM:liver' genome.fa reads/liver_L1_R1.fq.gz,reads/liver_L2_R1.fq.gz \
  reads/liver_L1_R2.fq.gz,reads/liver_L2_R2.fq.gz -o liver.bam 2> /dev/null
equal "liver: both lanes" "$(records results/mapped/liver.bam)" "$(records liver.bam)"
"$TRAWL" map --sort -R '@RG\tID:heart\tSM:heart' genome.fa reads/heart.fq.gz -o heart.bam 2> /dev/null
equal "heart: single reads" "$(records results/mapped/heart.bam)" "$(records heart.bam)"
"$TRAWL" scan -k 4 --pam NGG genome.fa guides.tsv -o sites.tsv 2> /dev/null
same "sites" sites.tsv results/sites.tsv
ok "indexes" test -s results/mapped/liver.bam.bai -a -s results/mapped/heart.bam.bai
table=results/multiqc_report_data/multiqc_general_stats.txt
equal "report: reads of liver" "$(column map_reads liver $table)" 1600
equal "report: reads of heart" "$(column map_reads heart $table)" 300
percent() { printf "%.1f" "$(column "$1" liver $table)"; }
equal "report: samtools says the same" "$(percent reads_mapped_percent)" "$(percent map_mapped)"
equal "report: patterns" "$(column scan_patterns sites $table)" 3
ok "report: the page" test -s results/multiqc_report.html

# A second run does nothing. A sample that is no longer in the sheet is no longer in the report.
snake --snakefile "$root/workflows/snakemake/workflow/Snakefile"
expect_success
contains "a second run does nothing" stderr "Nothing to be done"
grep -v heart config/samples.tsv > less.tsv
mv less.tsv config/samples.tsv
snake --snakefile "$root/workflows/snakemake/workflow/Snakefile"
expect_success
equal "report: heart is gone" "$(column map_reads heart $table)" ""
equal "report: liver is still there" "$(column map_reads liver $table)" 1600

printf 'liver\treads/heart.fq.gz\t\n' >> config/samples.tsv
snake --snakefile "$root/workflows/snakemake/workflow/Snakefile" --dry-run
ok "lanes with and without R2 are an error" test "$status" != 0
contains "it says which" <(cat stdout stderr) "sample liver has lanes with and without R2"
cd "$work" || exit 1

finish
