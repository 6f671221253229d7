#!/usr/bin/env bash
# The same records give the same file, for any number of threads, batches, search method and kind of input. All formats
# contain the same.
. "$(dirname "$0")/lib.sh"
make_input 60000 2500

gzip -c reads.fq > reads.fq.gz
bgzip -c reads.fq > reads.bgz
head -n 4000 reads.fq > part1.fq
tail -n +4001 reads.fq | gzip > part2.fq.gz
cp ref.fa plain.fa

# variant NAME OPTION...: writes all formats, to compare them with those of the first variant.
formats="sam bam cram bed bed.gz"
first=""
common="--report all -e 5%"
variant() {
  local name=$1 format
  shift
  mkdir "out/$name"
  for format in $formats; do
    run $common "$@" -o "out/$name/x.$format"
    expect_success
    equal "nothing but the engine and the summary is said" "$(grep -vcE '^trawl map: ([0-9]* reads, |engine )' stderr)" 0
    [[ -z $first ]] || same "$name, $format" "$first/x.$format" "out/$name/x.$format"
  done
  [[ -n $first ]] || first=out/$name
}
variant one -t 1 ref.fa reads.fq
variant two -t 2 ref.fa reads.fq
variant four -t 4 ref.fa reads.fq
variant batch1 -t 2 --batch-size 1 ref.fa reads.fq
variant batch7 -t 4 --batch-size 7 ref.fa reads.fq
variant gzip -t 2 ref.fa reads.fq.gz
variant bgzf -t 4 ref.fa reads.bgz
variant parts -t 2 ref.fa part1.fq,part2.fq.gz
variant seeds -t 2 --search seeds ref.fa reads.fq
variant scan -t 2 --search scan ref.fa reads.fq
variant engine -t 2 --engine cpu ref.fa reads.fq
formats="sam cram"
for input in reads.fq reads.fq.gz reads.bgz; do
  for format in $formats; do
    run --report all -e 5% -t 2 ref.fa - -o out/stdin.$format < $input
    expect_success
    same "$input from the standard input, $format" $first/x.$format out/stdin.$format
  done
done
# The same run twice.
variant again -t 4 ref.fa reads.fq
# cuda_variants NAME: the same on the GPU, with one batch or several at once, large and small batches, little memory,
# one device and all devices.
cuda=false
has_cuda && cuda=true
cuda_variants() {
  $cuda || return 0
  variant "$1_cuda" -t 1 --engine cuda ref.fa reads.fq
  variant "$1_cuda_threads" -t 4 --engine cuda --devices 0 ref.fa reads.bgz
  variant "$1_cuda_batch7" -t 4 --engine cuda --batch-size 7 ref.fa reads.fq
  variant "$1_cuda_batch500" -t 2 --engine cuda --devices all --batch-size 500 ref.fa reads.fq
  variant "$1_cuda_memory" -t 2 --engine cuda --device-memory 4M ref.fa reads.fq
  variant "$1_cuda_seeds" -t 2 --engine cuda --search seeds ref.fa reads.fq
  variant "$1_cuda_scan" -t 2 --engine cuda --search scan --device-memory 4M --batch-size 900 ref.fa reads.fq
}
cuda_variants all
# Another report.
for common in "--report best -e 4" "--report strata --strata 1 -e 6% -k 5 --eqx"; do
  first=""
  formats=sam
  report=$(cut -d ' ' -f 2 <<< "$common")
  variant "$report" -t 2 --engine cpu ref.fa reads.fq
  cuda_variants "$report"
done
formats="sam cram"
first=""
common="--report strata --strata 1 -e 4 -k 5 --ambiguous match"
variant strata1 -t 1 --search seeds ref.fa reads.fq
variant strata4 -t 4 --search scan --batch-size 3 ref.fa reads.bgz

# --- SAM = BAM = CRAM, ambiguous letters on both sides too ---
awk '/>/ { print; next } NR % 9 == 0 { sub(/[ACGT]..A/, "RyKN") } NR % 31 == 0 { sub(/ACG/, "NNN") } { print }' ref.fa > iupac.fa
awk 'NR % 8 == 2 { sub(/ACT/, "NRT") } NR % 28 == 2 { sub(/TTG/, "YKN") } { print }' reads.fq > iupac.fq
samtools faidx ref.fa
samtools faidx iupac.fa

# CRAM may change the order of tags.
normal() {
  awk -F '\t' -v OFS='\t' '/^@/ { print; next } {
    n = 0
    for (i = 12; i <= NF; ++i) tags[++n] = $i
    for (i = 2; i <= n; ++i) {
      for (j = i; j > 1 && tags[j] < tags[j - 1]; --j) { t = tags[j]; tags[j] = tags[j - 1]; tags[j - 1] = t }
    }
    line = $1
    for (i = 2; i <= 11; ++i) line = line OFS $i
    for (i = 1; i <= n; ++i) line = line OFS tags[i]
    print line }' "$1"
}

for options in "" "--ambiguous match"; do
  for input in "ref.fa reads.fq" "iupac.fa iupac.fq"; do
    for format in sam bam cram; do
      run --report all -e 5% $options $input -o out/y.$format
      expect_success
      ok "quickcheck $format" samtools quickcheck -v out/y.$format
    done
    # samtools view adds a @PG of its own and, for CRAM, the reference's path.
    records -h out/y.sam | grep -v '^@PG' > from.sam
    records -h out/y.bam | grep -v '^@PG' > from_bam.sam
    same "BAM holds what SAM holds ($options $input)" from.sam from_bam.sam
    records -h -T "${input% *}" out/y.cram | grep -v '^@PG' | sed 's/\tUR:[^\t]*//' > from_cram.sam
    normal from.sam > normal.sam
    normal from_cram.sam > normal_cram.sam
    same "CRAM holds what SAM holds ($options $input)" normal.sam normal_cram.sam
  done
done
run --report all -e 5% ref.fa reads.fq -o out/y.cram
records -h out/one/x.sam | grep -v '^@PG' > from.sam
normal from.sam > normal.sam

# Without -T the reference is found by its checksum, here in a cache that contains it. The file does not contain the
# reference.
mkdir cache
samtools dict ref.fa | grep -o 'M5:[0-9a-f]*' | cut -d : -f 2 > md5s
awk '/>/ { if (name) close(name); name = "cache/contig" ++n; next } { printf "%s", toupper($0) > name }' ref.fa
n=0
while read -r md5; do
  n=$((n + 1))
  mv "cache/contig$n" "cache/$md5"
done < md5s
REF_CACHE=$work/cache/%s REF_PATH=$work/cache/%s samtools view -h out/y.cram | grep -v '^@PG' |
  sed 's/\tUR:[^\t]*//' > by_md5.sam
normal by_md5.sam > normal_md5.sam
same "CRAM by the checksums of its header" normal.sam normal_md5.sam

# Without -T and without a cache, the reference is found by its path. It is not the scratch file that htslib read.
samtools faidx ref.fa
equal "every contig names the reference" "$(samtools view -H out/y.cram | grep '^@SQ' | grep -c "UR:$work/ref.fa$")" \
  "$(grep -c '>' ref.fa)"
(mkdir elsewhere && cd elsewhere && REF_CACHE=$work/none/%s REF_PATH=$work/none/%s samtools view -h ../out/y.cram) |
  grep -v '^@PG' | sed 's/\tUR:[^\t]*//' > by_path.sam
normal by_path.sam > normal_path.sam
same "CRAM by the path in its header" normal.sam normal_path.sam
mkdir -p linked/a && cp ref.fa linked/
(cd linked/a && "$TRAWL" map --progress off -e 5% ../ref.fa ../../reads.fq -o ../x.cram) 2> /dev/null
equal "the path does not depend on the folder" \
  "$(samtools view -H linked/x.cram | grep -o 'UR:.*' | sort -u)" "UR:$work/linked/ref.fa"
gzip -c ref.fa > plain.fa.gz
for reference in plain.fa.gz -; do
  run $reference reads.fq -o out/z.cram < ref.fa
  equal "htslib cannot read $reference, so it is not named" "$(samtools view -H out/z.cram | grep -c 'UR:')" 0
done

# --- the same from a reference that is compressed: only @PG names the file ---
bgzip -c plain.fa > ref.bgz
gzip -c plain.fa > ref.fa.gz
for reference in ref.bgz ref.fa.gz plain.fa; do
  run --report all -e 5% $reference reads.fq
  expect_success
  same "$reference" <(grep -v '^@PG' stdout) <(grep -v '^@PG' out/one/x.sam)
done

finish
