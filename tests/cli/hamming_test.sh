#!/usr/bin/env bash
# map --metric hamming: all places with at most e mismatches, and no gaps. trawl scan, which shares no search with it,
# finds the same ones.
. "$(dirname "$0")/lib.sh"
make_input 60000 600
# Runs of N at the begin, inside and at the end of contigs (a read may begin in one), and a run of one base.
{ awk '/>/ { n = 0 } !/>/ && n++ % 40 == 7 { $0 = substr($0, 1, 20) "NNNNNNNNNNNNNNNN" substr($0, 37) } { print }' ref.fa
  echo ">run_of_a"; for i in $(seq 40); do printf 'AAAAAAAAAAAAAAAA'; done; echo
  echo ">short"; printf 'N%.0s' $(seq 300); echo "$(sed -n 9p genome.fa | cut -c 1-50)NN"; } > n.fa
{ cat reads.fq
  printf '@run_of_a\n%s\n+\n%s\n' AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII
  printf '@edge\nGT%s\n+\n%s\n' "$(sed -n 9p genome.fa | cut -c 1-40)" "$(printf 'I%.0s' $(seq 42))"; } > n.fq
awk 'NR % 4 == 1 { print ">" substr($1, 2) } NR % 4 == 2' n.fq > patterns.fa

for edits in 0 3 7; do
  run_scan -k $edits --metric hamming n.fa patterns.fa -o out/scan.bed
  expect_success
  cut -f 1-4,6 out/scan.bed | sort > expected.txt
  for options in "" "--search scan" "--search seeds -t 1" "--batch-size 7"; do
    # shellcheck disable=SC2086
    run -e $edits --metric hamming --report all $options n.fa n.fq -o out/all.bed
    expect_success
    cut -f 1-4,6 out/all.bed | sort > found.txt
    same "-e $edits $options: the places of trawl scan" expected.txt found.txt
  done
  equal "there are places: -e $edits" "$(($(wc -l < expected.txt) > 400))" 1
done
equal "each start in a run of one base is a locus" "$(grep -c '^run_of_a.*run_of_a' found.txt)" \
  "$(grep -c '^run_of_a.*run_of_a' expected.txt)"
ok "there are hundreds of them" test "$(grep -c '^run_of_a.*run_of_a' found.txt)" -gt 300

run -e 7 --metric hamming --report all --secondary-seq n.fa n.fq -o out/all.bam
expect_success
equal "no gaps" "$(records out/all.bam | cut -f 6 | grep -v '^\*$' | grep -cv '^[0-9]*M$')" 0
samtools calmd out/all.bam n.fa 2> calmd.err | samtools view > calmd.txt
records out/all.bam > all.txt
same "calmd agrees with NM and MD" all.txt calmd.txt
for report in best strata; do
  run -e 7 --metric hamming --report $report n.fa n.fq -o out/$report.bam
  expect_success
done
# The strata of a read: those of its records in the report of all that have the fewest mismatches.
records -F 4 out/all.bam | awk '
  match($0, /NM:i:[0-9]+/) { nm = substr($0, RSTART + 5, RLENGTH - 5) + 0 }
  !($1 in best) || nm < best[$1] { best[$1] = nm } { line[NR] = $1 "\t" $3 "\t" $4; of[NR] = $1; at[NR] = nm }
  END { for (i = 1; i <= NR; ++i) if (at[i] == best[of[i]]) print line[i] }' | sort > expected.txt
records -F 4 out/strata.bam | cut -f 1,3,4 | sort > found.txt
same "the best stratum" expected.txt found.txt
equal "best: a record for each mapped read" "$(records -c -F 4 out/best.bam)" "$(records -c -F 260 out/all.bam)"

# The index that is saved gives the same.
"$TRAWL" index n.fa -o n.trawl 2> /dev/null
run -e 7 --metric hamming --report all n.trawl n.fq -o out/saved.bed
run -e 7 --metric hamming --report all n.fa n.fq -o out/all.bed
same "with a saved index" out/saved.bed out/all.bed

finish
