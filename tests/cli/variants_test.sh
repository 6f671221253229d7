#!/usr/bin/env bash
# bench/variants.py on tiny data. Exit status 77 (skipped) if one of its tools is missing.
for program in dwgsim bcftools bwa; do
  if ! command -v "$program" > /dev/null; then
    echo "skipped: no $program here (Debian packages dwgsim, bcftools, bwa)"
    exit 77
  fi
done
variants=$(cd "$(dirname "$0")/../../bench" && pwd)/variants.py
. "$(dirname "$0")/lib.sh"

# variants OPTIONS...: sets $status; writes the files stdout and stderr.
variants() {
  python3 "$variants" --reference ref.fa.gz --workdir work --threads 1 "$@" > stdout 2> stderr
  status=$?
}

# counts MAPPER SEED KIND: "found false missed", from the JSON.
counts() {
  python3 -c 'import json, sys
for row in json.load(open("out/v.json")):
    if [row["mapper"], str(row["seed"]), row["kind"]] == sys.argv[1:]:
        print(row["found"], row["false"], row["missed"])' "$@"
}

# The number of true variants of this kind in the last seed, from dwgsim's own list.
true_variants() {
  awk -v kind="$1" '!/^#/ && (length($4) == length($5)) == (kind == "SNP")' work/out/sim.mutations.vcf | wc -l
}

"$TRAWL_SIMULATE" genome 40000 7 ref.fa 2> /dev/null
gzip -k ref.fa

# Mappers that find nothing, and one that reports a false deletion. They are called like trawl, with -o.
name=$(head -n 1 ref.fa | tr -d '>' | cut -d ' ' -f 1)
cat > nothing.sh << END
#!/usr/bin/env bash
[[ \$1 == map ]] || exit 0
while [[ \$1 != -o ]]; do shift; done
printf '@SQ\tSN:$name\tLN:40000\n' > "\$2"
END
cat nothing.sh - > invents.sh << END
python3 "$work/invented.py" >> "\$2"
END
cat > invented.py << END
text = "".join(open("$work/ref.fa").read().split("\n")[1:])
for i in range(40):
    begin = 20000 - 60 - i % 20
    bases = text[begin:20000] + text[20005:begin + 155]
    cigar = f"{20000 - begin}M5D{begin + 150 - 20000}M"
    print(f"r{i}\t0\t$name\t{begin + 1}\t60\t{cigar}\t*\t0\t0\t{bases}\t{'I' * 150}")
END
chmod +x nothing.sh invents.sh

variants --mappers "trawl=$TRAWL,bwa-mem,nothing=./nothing.sh" --seeds 3,4 --mutation-rate 0.005 -o out/v
equal "status" "$status" 0
for kind in indel SNP; do
  all=$(true_variants "$kind")
  equal "nothing, $kind" "$(counts nothing 4 $kind)" "0 0 $all"
  for mapper in trawl bwa-mem; do
    read -r found false missed <<< "$(counts "$mapper" 4 $kind)"
    equal "$mapper, found and missed $kind" "$((found + missed))" "$all"
    # Both are good mappers, and the reference has no N: they miss only few variants, at its ends and in repeats.
    equal "$mapper, most $kind found" "$((found * 10 > all * 7 && false * 10 < all * 3))" 1
  done
done
equal "rows of the table" "$(grep -c '^| \(trawl\|bwa-mem\|nothing\) |' stdout)" 9
contains "the seed is said" stdout "dwgsim -z 3"
equal "rows of wrong variants" "$(awk '$1 == "nothing" && $2 == 4' out/v.tsv | wc -l)" \
  "$(($(true_variants indel) + $(true_variants SNP)))"

variants --mappers invents=./invents.sh --seeds 4 --mutation-rate 0.005 -o out/v --max-missed 100000
equal "invents, status" "$status" 0
equal "invents" "$(counts invents 4 indel)" "0 1 $(true_variants indel)"
# The two options apply to the first mapper.
variants --mappers invents=./invents.sh --seeds 4 --mutation-rate 0.005 --max-false 0
equal "--max-false, status" "$status" 1
contains "--max-false" stderr "invents: 1 indels false, at most 0 allowed"
variants --mappers nothing=./nothing.sh --seeds 4 --mutation-rate 0.005 --max-false 0 --max-missed 0
equal "--max-missed, status" "$status" 1

# Pairs: as good, and each mapper takes both files.
variants --mappers "trawl=$TRAWL,bwa-mem" --seeds 4 --mutation-rate 0.005 --pairs -o out/v
equal "pairs, status" "$status" 0
contains "pairs, mates of trawl" stdout "reference.fa out/reads_1.fq out/reads_2.fq"
contains "pairs, mates of bwa" stdout "index/bwa out/reads_1.fq out/reads_2.fq"
contains "pairs are said" stdout "reads in pairs (500 +- 50)"
equal "pairs, as many mates" "$(wc -l < work/out/reads_1.fq)" "$(wc -l < work/out/reads_2.fq)"
for kind in indel SNP; do
  all=$(true_variants "$kind")
  for mapper in trawl bwa-mem; do
    read -r found false missed <<< "$(counts "$mapper" 4 $kind)"
    equal "pairs, $mapper, found and missed $kind" "$((found + missed))" "$all"
    equal "pairs, $mapper, most $kind found" "$((found * 10 > all * 7 && false * 10 < all * 3))" 1
  done
done
variants --mappers "trawl=$TRAWL,yara" --pairs
equal "pairs of a mapper of single reads, status" "$status" 1

# Artefacts: indels are counted by their length.
variants --mappers "trawl=$TRAWL --eqx,bwa-mem,nothing=./nothing.sh" --seeds 4 --mutation-rate 0.004 --indel-share 0.6 \
  --artefacts --simulate "$TRAWL_SIMULATE" -o out/v
equal "artefacts, status" "$status" 0
contains "artefacts, options of a trawl" stdout "--report best --eqx"
contains "artefacts are said" stdout "with artefacts (--adapters 0.1,0-45"
for kind in "indel 1-5" "indel 6-10" "indel 11-20" "indel 21-30" "indel 31-40" SNP; do
  read -r _ _ all <<< "$(counts nothing 4 "$kind")"
  equal "$kind, there are some" "$((all > 5))" 1
  read -r found false missed <<< "$(counts bwa-mem 4 "$kind")"
  equal "$kind, bwa mem finds and misses" "$((found + missed))" "$all"
  equal "$kind, bwa mem finds most" "$((found * 10 > all * 7 && false * 10 < all * 3))" 1
done
read -r found _ missed <<< "$(counts trawl 4 "indel 1-5")"
equal "trawl finds most short indels" "$((found > missed))" 1
equal "lengths of the true indels" "$(awk '!/^#/ { n = length($4) - length($5); n = n < 0 ? -n : n
  if (n > most) most = n } END { print (most > 36 && most <= 40) }' work/out/donor.vcf)" 1
samtools faidx work/reference.fa
bgzip -c work/out/donor.vcf > donor.vcf.gz && bcftools index -f donor.vcf.gz
for haplotype in 1 2; do
  bcftools consensus -H $haplotype -f work/reference.fa donor.vcf.gz 2> /dev/null | grep -v '>' | tr -d '\n' > expected
  awk -v n=$haplotype '/>/ { here = ++count == n; next } here' work/out/donor.fa | tr -d '\n' > found
  same "haplotype $haplotype" expected found
done
equal "haplotypes differ" "$(awk '!/>/' work/out/donor.fa | sort -u | wc -l)" 2
variants --mappers bwa-mem --artefacts --pairs
equal "artefacts in pairs, status" "$status" 2

variants --mappers other
equal "unknown mapper, status" "$status" 1
contains "unknown mapper" stderr "no such mapper: other"
variants --mappers "trawl=./no_such_trawl"
equal "no such program, status" "$status" 1
contains "no such program" stderr "no_such_trawl (build it"
python=$(python3 -c 'import sys; print(sys.executable)')
PATH=$work/none "$python" "$variants" --reference ref.fa --workdir work \
  --mappers "trawl=$TRAWL" > stdout 2> stderr
equal "no tools, status" "$?" 1
contains "no tools" stderr "dwgsim (Debian package dwgsim)"

finish
