#!/usr/bin/env bash
# MultiQC shows what --multiqc writes.
. "$(dirname "$0")/lib.sh"
need multiqc
make_samples

mkdir custom
run genome.fa reads/liver_L1_R1.fq.gz reads/liver_L1_R2.fq.gz -o liver.bam --multiqc custom/liver_mqc.json
expect_success
# The last file of MultiQC's search has single reads: it must not hide the columns of pairs.
run --report all -e 5 genome.fa reads/heart.fq.gz -o z_heart.sam --multiqc custom/z_heart_mqc.json
expect_success
run_scan -k 4 --pam NGG genome.fa guides.tsv -o guides.tsv.bed --multiqc custom/guides_mqc.json
expect_success
equal "files of pairs" "$(cd custom && echo liver_*)" \
  "liver_distance_mqc.json liver_insert_mqc.json liver_loci_mqc.json liver_mapq_mqc.json liver_mqc.json liver_pairs_mqc.json"
equal "files of single reads" "$(cd custom && echo z_heart_*)" \
  "z_heart_distance_mqc.json z_heart_loci_mqc.json z_heart_mapq_mqc.json z_heart_mqc.json"
equal "files of scan" "$(cd custom && echo guides_*)" "guides_distance_mqc.json guides_mqc.json"

# What the records say, counted without Trawl's own counters.
primary=$(samtools view -c -F 0x904 liver.bam)
proper=$(samtools view -c -f 0x42 -F 0x900 liver.bam)
heart_mapped=$(samtools view -c -F 0x904 z_heart.sam)
heart_records=$(samtools view -c -F 4 z_heart.sam)
sites=$(wc -l < guides.tsv.bed)
mean_edits=$(samtools view -F 0x904 liver.bam | grep -o 'NM:i:[0-9]*' | awk -F : '{ n += $3 } END { printf "%.6f", n / NR }')
by_mapq() { samtools view -F 0x904 "$1" | awk -v q="$2" '$5 == q { n++ } END { print n + 0 }'; }
by_x0() { samtools view "$1" | awk -v x="$2" '!($3 == "*") && !and_flag($2) && $0 ~ "\tX0:i:" x "(\t|$)" { n++ } END { print n + 0 }
  function and_flag(f) { return int(f / 256) % 2 || int(f / 2048) % 2 }'; }

near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b < 1e-4 && b - a < 1e-4 && a != "") }'; }

multiqc --strict --quiet custom -o report > stdout 2> stderr
equal "multiqc: status ($(head -c 300 stderr))" $? 0
data=report/multiqc_data
table=$data/multiqc_general_stats.txt
equal "reads of pairs" "$(column map_reads liver $table)" 800
ok "mapped share" near "$(column map_mapped liver $table)" "$(awk "BEGIN { print 100 * $primary / 800 }")"
ok "concordant share" near "$(column map_concordant liver $table)" "$(awk "BEGIN { print 100 * $proper / 400 }")"
ok "insert size of pairs of 400" test "$(column map_insert liver $table)" -gt 380 -a "$(column map_insert liver $table)" -lt 420
ok "mean edits" near "$(column map_edits liver $table)" "$mean_edits"
equal "no insert size of single reads" "$(column map_insert z_heart $table)" ""
ok "records of a read" near "$(column map_records z_heart $table)" "$(awk "BEGIN { print $heart_records / $heart_mapped }")"
equal "sites" "$(column scan_records guides $table)" "$sites"
equal "loci: reads with 1" "$(column 1 liver $data/multiqc_trawl_map_loci_plot.txt)" "$(by_x0 liver.bam 1)"
ok "loci: some reads have 2" test "$(by_x0 liver.bam 2)" -gt 0
equal "loci: reads with 2" "$(column 2 liver $data/multiqc_trawl_map_loci_plot.txt)" "$(by_x0 liver.bam 2)"
equal "pairs: concordant" "$(column concordant liver $data/multiqc_trawl_map_pairs_plot.txt)" "$proper"
for section in distance mapq insert; do
  ok "$section: has a line of liver" grep -q '^liver' $data/multiqc_trawl_map_${section}_plot.txt
done
python3 - $data/multiqc_trawl_map_mapq_plot.txt "$(by_mapq liver.bam 0)" "$primary" << 'EOF'
import json, sys
line = next(l for l in open(sys.argv[1]) if l.startswith("liver"))
points = dict(json.loads(p) for p in line.rstrip("\n").split("\t")[1:])
assert abs(points[0] - 100 * int(sys.argv[2]) / int(sys.argv[3])) < 1e-9, points
assert abs(sum(points.values()) - 100) < 1e-9, points
EOF
equal "mapq: the share of 0, and all make 100" $? 0
for section in "Edit distance" "Loci per read" "Mapping quality" "Insert sizes" Pairs; do
  contains "the report has a section" report/multiqc_report.html "$section"
done

# Names, and files that would be lost.
run genome.fa reads/heart.fq.gz -o x.sam --multiqc x.json
expect_failure 2 "name it NAME_mqc.json" x.sam
run_scan -k 1 genome.fa guides.tsv -o x.bed --multiqc _mqc.json
expect_failure 2 "name it NAME_mqc.json" x.bed
run genome.fa reads/heart.fq.gz -o x.sam --multiqc x_mqc.json --stats x_distance_mqc.json
expect_failure 2 "are the same file" x.sam
run genome.fa reads/heart.fq.gz -o x.sam --multiqc missing/x_mqc.json
expect_failure 1 "missing/x_mqc.json" x.sam

finish
