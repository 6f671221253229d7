#!/usr/bin/env bash
# trawl scan: the same bytes for any threads and chunks; formats that other programs accept; guides.
data=$(cd "$(dirname "$0")/../../test_data" && pwd)
. "$(dirname "$0")/lib.sh"
make_input 60000 10
# Some parts of the reference become patterns of several lengths: unchanged, changed, from the other strand.
python3 - > patterns.tsv <<'PYTHON'
import random
random.seed(7)
contigs = {}
for line in open("ref.fa"):
    if line[0] == ">":
        name = line[1:].split()[0]
        contigs[name] = []
    else:
        contigs[name].append(line.strip().upper())
contigs = ["".join(c) for c in contigs.values()]
swap = str.maketrans("ACGTN", "TGCAA")
for n in range(25):
    contig = random.choice(contigs)
    m = random.choice([12, 20, 23, 36, 70, 200])
    at = random.randrange(len(contig) - m)
    p = list(contig[at:at + m].replace("N", "A"))
    for _ in range(random.randrange(3)):
        p[random.randrange(m)] = random.choice("ACGTRYN")
    p = "".join(p)
    print(f"p{n}\t{p if n % 2 else p.translate(swap)[::-1].replace('R', 'A').replace('Y', 'C')}")
PYTHON

# variant NAME OPTION...: writes all formats, to compare them with those of the first variant.
first=""
variant() {
  local name=$1 format
  shift
  mkdir "out/$name"
  for format in bed bed.gz tsv sam; do
    run_scan $common "$@" -o "out/$name/x.$format"
    expect_success
    [[ -z $first ]] || same "$name, $format" "$first/x.$format" "out/$name/x.$format"
  done
  [[ -n $first ]] || first=out/$name
}
cuda=false
has_cuda && cuda=true
for common in "-k 2" "-k 3 --report ends --ambiguous match" "-k 4 --metric hamming" "-k 3 --pam NGG --max-bulges 2"; do
  rm -rf out/*
  first=""
  variant one -t 1 ref.fa patterns.tsv
  ok "something is found" test "$(wc -l < out/one/x.bed)" -gt 20
  variant two -t 2 ref.fa patterns.tsv
  variant four -t 4 ref.fa patterns.tsv
  variant small -t 2 --chunk-size 1009 ref.fa patterns.tsv
  variant tiny -t 3 --chunk-size 211 ref.fa patterns.tsv
  if $cuda; then
    variant cuda -t 2 --engine cuda ref.fa patterns.tsv
    variant cuda_all -t 2 --engine cuda --devices all ref.fa patterns.tsv
    variant cuda_memory -t 2 --engine cuda --device-memory 3M ref.fa patterns.tsv
    variant cuda_small -t 1 --engine cuda --chunk-size 1009 ref.fa patterns.tsv
  fi
  for format in bed sam; do
    run_scan $common -t 2 --chunk-size 5000 - patterns.tsv -o out/stdin.$format < ref.fa
    expect_success
    # The header names the reference.
    same "stdin, $format" <(grep -v '^@PG' out/one/x.$format) <(grep -v '^@PG' out/stdin.$format)
  done
  run_scan $common ref.fa patterns.tsv
  same "stdout is BED" out/one/x.bed stdout
  # Sorted by contig, start, pattern.
  awk -F '\t' '!($1 in c) { c[$1] = ++n } { p = substr($4, 2); print c[$1] "\t" $2 "\t" p }' out/one/x.bed > places
  same "sorted" places <(sort -s -k1,1n -k2,2n -k3,3n places)
  equal "TSV has the same records" "$(tail -n +2 out/one/x.tsv | cut -f 1-4)" "$(cut -f 1-4 out/one/x.bed)"
  equal "SAM has the same records" "$(samtools view out/one/x.sam | awk '{ print $3 "\t" $4 - 1 "\t" $1 }')" \
    "$(cut -f 1,2,4 out/one/x.bed)"
  equal "BED.gz has the same bytes" "$(bgzip -dc out/one/x.bed.gz | md5sum)" "$(md5sum < out/one/x.bed)"
done

# SAM that samtools accepts: sorted, with the reference's checksums, NM and MD as in calmd.
rm -rf out/*
run_scan -k 3 ref.fa patterns.tsv -o out/x.sam
expect_success
ok "quickcheck" samtools quickcheck out/x.sam
ok "sorted by coordinate: can be indexed" bash -c 'samtools view -b -o out/x.bam out/x.sam && samtools index out/x.bam'
samtools faidx ref.fa
equal "M5 as samtools has it" "$(samtools view -H out/x.sam | grep '^@SQ' | grep -o 'M5:[0-9a-f]*')" \
  "$(samtools dict ref.fa | grep '^@SQ' | grep -o 'M5:[0-9a-f]*')"
sed -n '/^@/!p' out/x.sam | cut -f 1-13 | awk '$10 !~ /[RYN]/' > records
{ grep '^@' out/x.sam; cut -f 1-11 records; } | samtools calmd - ref.fa 2> /dev/null | grep -v '^@' > calmd
equal "NM and MD" "$(cut -f 12,13 records | md5sum)" "$(cut -f 12,13 calmd | md5sum)"

# BED: never 12 columns, which other programs read as BED12.
run_scan -k 3 ref.fa patterns.tsv -o out/x.bed
expect_success
equal "columns of BED" "$(awk -F '\t' '{ print NF }' out/x.bed | sort -u)" 11
equal "the first eight" "$(cut -f 1-8 out/x.bed | md5sum)" \
  "$(samtools view out/x.sam | awk -v OFS='\t' '
    NR == FNR { m[$1] = length($2); next }
    { span = 0; for (c = $6; match(c, /^[0-9]+/); c = substr(c, RLENGTH + 2))
        if (substr(c, RLENGTH + 1, 1) ~ /[MD]/) span += substr(c, 1, RLENGTH)
      d = substr($14, 6) * -1
      print $3, $4 - 1, $4 - 1 + span, $1, 1000 - int(1000 * d / m[$1]), $2 == 16 ? "-" : "+", d, $6 }' patterns.tsv - | md5sum)"
equal "text, mismatches, bulges" "$(cut -f 1-3,9-11 out/x.bed | md5sum)" \
  "$(run_scan -k 3 ref.fa patterns.tsv -o out/x.tsv
    tail -n +2 out/x.tsv | awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, $11, $7, $8 + $9 }' | md5sum)"
if command -v bedtools > /dev/null; then
  ok "bedtools bed12tobed6" bedtools bed12tobed6 -i out/x.bed
  bedtools bed12tobed6 -i out/x.bed > bed6
  equal "bedtools bed12tobed6, the records" "$(md5sum < bed6)" "$(cut -f 1-6 out/x.bed | md5sum)"
  ok "bedtools getfasta -split" bedtools getfasta -split -s -tab -fi ref.fa -bed out/x.bed
  bedtools getfasta -split -s -tab -fi ref.fa -bed out/x.bed 2> /dev/null | cut -f 2 > letters
  equal "the text is what bedtools cuts out" "$(md5sum < letters)" "$(cut -f 9 out/x.bed | md5sum)"
fi

# A guide: the PAM must match exactly; columns for mismatches and bulges.
printf '>g\nTTTTTGACGCATAAAGATGAGACGCTGGTTTTTGACGCATAAGATGAGACGCAGGTTTTTTCCAGCGTCTCATCATTTATGCGTCTTTT\n' > g.fa
run_scan -k 2 --pam NGG -p GACGCATAAAGATGAGACGC g.fa -o out/g.tsv
expect_success
equal "sites" "$(tail -n +2 out/g.tsv | cut -f 2,3,5-11 | tr '\t\n' ' ;')" \
  '5 28 + 0 0 0 0 23M GACGCATAAAGATGAGACGCTGG;33 55 + 1 0 0 1 7M1I15M GACGCATAAGATGAGACGCAGG;61 85 - 1 0 1 0 13M1D10M GACGCATAAATGATGAGACGCTGG;'
run_scan -k 2 --pam NGG --max-bulges 0 -p GACGCATAAAGATGAGACGC g.fa -o out/g.tsv
equal "without bulges" "$(tail -n +2 out/g.tsv | cut -f 2 | tr '\n' ' ')" '5 '
# Without -k, the limits are added up to get it; a limit that is not given is 0.
for limits in "2 0:--max-mismatches 2" "1 1:--max-mismatches 1 --max-bulges 1" "0 2:--max-bulges 2" "3 0:--max-mismatches 3 --metric hamming"; do
  read -r mismatches bulges <<< "${limits%%:*}"
  run_scan -k $((mismatches + bulges)) --max-mismatches $mismatches --max-bulges $bulges --pam NGG "$data/repeats.fa.gz" \
    "$data/guides.tsv" -o out/with_k.tsv
  expect_success
  run_scan ${limits#*:} --pam NGG "$data/repeats.fa.gz" "$data/guides.tsv" -o out/without_k.tsv
  expect_success
  same "${limits#*:} without -k" out/with_k.tsv out/without_k.tsv
  ok "$limits: something is found" test "$(wc -l < out/with_k.tsv)" -gt 1
done
run_scan --max-mismatches 1 --max-bulges 1 --pam NGG -p GACGCATAAAGATGAGACGC g.fa -o out/g.sam
equal "-k in the header" "$(grep -c '^@PG.*--max-edits 2 .*--max-mismatches 1 --max-bulges 1' out/g.sam)" 1
# The command line in the header does the same again.
for limits in "--max-mismatches 2" "--max-bulges 1" "-k 2 --max-mismatches 1" "-k 2"; do
  run_scan $limits --pam NGG -p GACGCATAAAGATGAGACGC g.fa -o out/once.sam
  again=$(sed -n 's/^@PG.*CL:trawl scan \(.*\) [^ ]*$/\1/p' out/once.sam)
  run_scan $again -p GACGCATAAAGATGAGACGC g.fa -o out/again.sam
  expect_success
  same "$limits, and the header's $again" out/once.sam out/again.sam
done
run_scan --max-mismatches 2 --pam NGG -p GACGCATAAAGATGAGACGC g.fa -o out/g.tsv
equal "mismatches only" "$(tail -n +2 out/g.tsv | cut -f 2 | tr '\n' ' ')" '5 '
run_scan --max-mismatches 2 --max-bulges 1 --pam NGG -p GACGCATAAAGATGAGACGC g.fa -o out/g.tsv
equal "mismatches and bulges" "$(tail -n +2 out/g.tsv | cut -f 2 | tr '\n' ' ')" '5 33 61 '
run_scan -k 0 --max-mismatches 2 --max-bulges 1 --pam NGG -p GACGCATAAAGATGAGACGC g.fa -o out/g.tsv
equal "-k 0 as given" "$(tail -n +2 out/g.tsv | cut -f 2 | tr '\n' ' ')" '5 '
run_scan -k 2 --pam "CCN:5'" -p GCGTCTCATCTTTATGCGTC g.fa -o out/h.bed
run_scan -k 2 --pam NGG -p GACGCATAAAGATGAGACGC g.fa -o out/g.bed
equal "a 5' PAM is the other strand's 3' PAM" "$(cut -f 2,3,7 out/h.bed)" "$(cut -f 2,3,7 out/g.bed)"

# The example of the README.
run_scan -k 4 --max-bulges 2 --pam NGG "$data/repeats.fa.gz" "$data/guides.tsv" -o out/off_targets.tsv
expect_success
equal "off-targets of the bundled guides" "$(tail -n +2 out/off_targets.tsv | cut -f 4 | sort | uniq -c | tr -s ' \n' ' ')" \
  ' 11 guide1 14 guide2 4 guide3 8 guide4 '
equal "the first of them" "$(sed -n 2p out/off_targets.tsv | cut -f 1-11 | tr '\t' ' ')" \
  'synth1 3775 3797 guide1 - 4 3 0 1 7M1I15M TCCTGGCCGCGATTTTGGCAGG'

# The extension gives the format, also for devices.
if [[ -d /dev/shm && -w /dev/shm ]]; then
  shared=$(mktemp -d /dev/shm/trawl.XXXXXX)
  trap 'rm -rf "$work" "$shared"' EXIT
  for format in bed bed.gz tsv sam; do
    run_scan -k 1 -p GATTACA g.fa -o "$shared/x.$format"
    run_scan -k 1 -p GATTACA g.fa -o "out/y.$format"
    same "in /dev/shm, $format" "$shared/x.$format" "out/y.$format"
  done
fi

# The engine that --engine auto chose.
run_scan -p GATTACA g.fa
contains "the engine" stderr "trawl scan: engine c"

# --stats
run_scan -k 1 -p GATTACA -p A g.fa --stats out/stats.json
expect_success
equal "statistics" "$(python3 -c '
import json
s = json.load(open("out/stats.json"))
print(s["reference"], s["patterns"], s["records"]["total"] == sum(s["records"]["by_distance"]), "scan -k" not in s["command_line"])')" \
  "{'contigs': 1, 'bases': 89} {'total': 2, 'not_searched': 1} True True"
equal "statistics, the seconds of each stage" "$(python3 -c '
import json
s = json.load(open("out/stats.json"))
print(*s["seconds"], 0 <= sum(s["seconds"][key] for key in ("patterns", "check", "queries", "tables")) <= s["wall_seconds"])')" \
  "align check find patterns queries read tables write True"
printf '>a\nGACGCATAAAG\n>none\nGGGGGCCCCCAAAA\n>b\nTTTTTGACG\n' > counted.fa
run_scan -k 1 g.fa counted.fa -o out/counted.tsv --stats out/stats.json
equal "records of each pattern" "$(python3 -c '
import json
for p in json.load(open("out/stats.json"))["records"]["by_pattern"]:
    print(p["name"], *p["by_distance"], sep=" ", end=";")')" \
  "$(for name in a none b; do
    printf '%s %d %d;' $name $(for k in 0 1; do cut -f 4,6 out/counted.tsv | grep -cx "$name[[:space:]]$k"; done)
  done)"
run_scan -k 1 -p GATTACA -p A g.fa --stats out/stats.json
equal "a pattern that is not searched" "$(python3 -c '
import json
print(json.load(open("out/stats.json"))["records"]["by_pattern"][1])')" "{'name': 'A', 'by_distance': None}"

finish
