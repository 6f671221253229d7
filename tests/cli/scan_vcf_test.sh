#!/usr/bin/env bash
# trawl scan --vcf: the sites on alternative alleles are those that scanning each haplotype finds, as bcftools consensus
# makes it.
. "$(dirname "$0")/lib.sh"
if ! command -v bcftools > /dev/null; then
  echo "skipped: bcftools, which is missing"
  exit 77
fi
python3 - <<'PYTHON'
import random
random.seed(23)
bases = lambda n: "".join(random.choices("ACGT", k=n))
rc = lambda s: s.translate(str.maketrans("ACGTN", "TGCAN"))[::-1]
guides = [bases(20), bases(20), bases(12)]
contigs = {}
for c, sites in ("one", 40), ("two", 40), ("none", 10), ("overlaps", 250):
    text = bases(30)
    for n in range(sites):
        site = list(random.choice(guides) + "TGG")
        for _ in range(random.randrange(5)):
            at = random.randrange(len(site))
            site[at:at + 1] = random.choice([bases(1), bases(1), bases(1), "", site[at] + bases(1)])
        text += (rc("".join(site)) if n % 2 else "".join(site)) + bases(random.randrange(20))
    contigs[c] = text + bases(4)
with open("v.fa", "w") as file:
    file.write("".join(f">{c}\n{t}\n" for c, t in contigs.items()))
with open("guides.tsv", "w") as file:
    file.write("".join(f"g{n}\t{g}\n" for n, g in enumerate(guides)))
lines = ["##fileformat=VCFv4.2", '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">'] + [f"##contig=<ID={c},length={len(t)}>" for c, t in contigs.items()]
lines.append("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\tB\tC\tD")
for c in ("one", "two"):
    at = 3
    while at < len(contigs[c]) - 12:
        kind = random.randrange(5)
        ref = contigs[c][at:at + (random.randrange(2, 6) if kind == 1 else 1)]
        if kind == 0:
            alts = [ref + bases(random.randrange(1, 5))]
        elif kind == 1:
            alts = [ref[0]]
        else:
            alts = random.sample([b for b in "ACGT" if b != ref], 2 if kind == 2 else 1)
        gts = ["|".join(str(random.choice([0, 0, *range(len(alts) + 1)])) for _ in range(2)) for _ in range(4)]
        if c == "two":
            gts[3] = gts[3][0]  # one allele
        lines.append("\t".join(map(str, [c, at + 1, ".", ref, ",".join(alts), ".", "PASS", ".", "GT", *gts])))
        at += len(ref) + random.randrange(1, 14)
# Records that overlap and are not normalised, several at a position among them.
at = 3
while at < len(contigs["overlaps"]) - 12:
    ref = contigs["overlaps"][at:at + random.choice([1, 1, 2, 3, 5])]
    alts = set()
    for _ in range(random.choice([1, 1, 2, 3])):
        alt = random.choice([ref[0] + bases(2), ref[0], bases(len(ref)), ref[:-1] + bases(1), bases(1) + ref[1:], ref + bases(1)])
        alts |= {alt} - {ref}
    if alts:
        gts = ["|".join(str(random.choice([0, 0, 0, *range(len(alts) + 1)])) for _ in range(2)) for _ in range(4)]
        lines.append("\t".join(map(str, ["overlaps", at + 1, ".", ref, ",".join(sorted(alts)), ".", "PASS", ".", "GT", *gts])))
    at += random.choice([0, 1, 1, 2, 3, 8])
open("v.vcf", "w").write("\n".join(lines) + "\n")
PYTHON
bgzip -c v.vcf > v.vcf.gz
bcftools index v.vcf.gz 2> /dev/null
bcftools view -Ob -o v.bcf v.vcf 2> /dev/null

cat > oracle.py <<'PYTHON'
"""Compares the sites of haplotypes with those that a scan of each consensus finds. oracle.py TABLE OPTION..."""
import os, subprocess, sys

def table(path):
    lines = [line.rstrip("\n").split("\t") for line in open(path)]
    return [dict(zip(lines[0], line)) for line in lines[1:]]

variants, samples = [], []
for line in open("v.vcf"):
    cells = line.split()
    if line.startswith("#CHROM"):
        samples = cells[9:]
    elif line[0] != "#":
        variants.append(cells)
def letters(path):
    contigs = {}
    for line in open(path):
        if line[0] == ">":
            name = line[1:].split()[0]
        else:
            contigs[name] = contigs.get(name, "") + line.strip()
    return contigs

rows, reference = table(sys.argv[1]), letters("v.fa")
checked, skipped = 0, set()
for s, sample in enumerate(samples):
    for h in (1, 2):
        with open("consensus.fa", "w") as file:
            subprocess.run(["bcftools", "consensus", "-f", "v.fa", "-s", sample, "-H", str(h), "v.vcf.gz"], stdout=file, stderr=subprocess.DEVNULL, check=True)
        subprocess.run([os.environ["TRAWL"], "scan", *sys.argv[2:], "--report", "ends", "consensus.fa", "guides.tsv", "-o", "consensus.tsv"], stderr=subprocess.DEVNULL, check=True)
        # Where the alleles of this haplotype lie: in the reference, and in the consensus.
        alleles, shift = {}, {}
        last, grows, text, done = {}, {}, dict.fromkeys(reference, ""), dict.fromkeys(reference, 0)
        for cells in variants:
            contig, pos, ref, alts, gt = cells[0], int(cells[1]) - 1, cells[3], cells[4].split(","), cells[9 + s].split("|")
            if len(gt) < h or gt[h - 1] == "0":
                continue
            alt = alts[int(gt[h - 1]) - 1]
            name = f"{contig}:{pos + 1}:{ref}>{alt}"
            same = len(os.path.commonprefix([ref, alt]))
            old, new = ref[same:], alt[same:]
            while old and new and old[-1] == new[-1]:
                old, new = old[:-1], new[:-1]
            # The rule of bcftools consensus. That it is so is checked below.
            is_behind = pos == last.get(contig) and same and not (old and new) and not grows[contig]
            if pos <= last.get(contig, -1) and not is_behind:
                skipped.add((id(cells), name))
                continue
            last[contig], grows[contig] = pos + len(ref) - 1, len(alt) > len(ref)
            begin, end = pos + same, pos + same + len(old)
            text[contig] += reference[contig][done[contig]:begin] + new
            done[contig] = end
            moved = shift.get(contig, 0)
            alleles.setdefault(contig, []).append((begin + moved, begin + moved + len(new), begin, end, name))
            shift[contig] = moved + len(new) - len(old)
        assert letters("consensus.fa") == {c: text[c] + reference[c][done[c]:] for c in reference}

        def in_reference(row, a, b):
            """Where the letters from a to b of the consensus lie in the reference, and their alleles."""
            has, begin, end, moved = [], None, None, 0
            for x, y, ref_begin, ref_end, name in alleles.get(row["contig"], []):
                if a < x and begin is None:
                    begin = a - moved
                if b <= x and end is None:
                    end = b - moved
                if (a < y and b > x) if y > x else a < x < b:
                    has.append(name)
                if a < y and begin is None:
                    begin = ref_begin + min(a - x, ref_end - ref_begin)
                if b <= y and end is None:
                    end = ref_end if b == y else ref_begin + min(b - x, ref_end - ref_begin)
                moved = y - ref_end
            begin = a - moved if begin is None else begin
            end = b - moved if end is None else end
            return begin, end, ",".join(has)

        expected = set()
        for row in table("consensus.tsv"):
            begin, end, has = in_reference(row, int(row["start"]), int(row["end"]))
            if has:
                expected.add((row["contig"], begin, end, row["pattern"], row["strand"], row["text"], row["cigar"], row["distance"], row["pam"], has))
            if row.get("ungapped_start", ".") == "." or row["dna_bulges"] == row["rna_bulges"] == "0":
                continue
            # The alignment without bulges has its own line if it has other alleles.
            text, start = row["ungapped_text"].upper(), int(row["ungapped_start"])
            begin, end, other = in_reference(row, start, start + len(text))
            if other and other != has:
                expected.add((row["contig"], begin, end, row["pattern"], row["strand"], text, f"{len(text)}M", row["ungapped_mismatches"], row["pam"], other))
        found = set()
        for row in rows:
            for one in row["samples"].split(","):
                if one.split(":")[0] == sample and str(h) in one.split(":")[1].split("|"):
                    site = row["contig"], int(row["start"]), int(row["end"]), row["pattern"], row["strand"], row["text"], row["cigar"], row["distance"], row["pam"], row["alleles"]
                    assert site not in found, site
                    found.add(site)
        assert found == expected, (sample, h, sorted(found - expected), sorted(expected - found))
        checked += len(found)
assert checked > 500, checked
assert len(skipped) > 500, len(skipped)
print(len(skipped))
assert sum("," in row["alleles"] for row in rows) > 5
PYTHON
for options in "-k 3 --max-bulges 1 --pam NGG" "-k 2 --max-bulges 2 --pam NGG,NAG --pam-mismatches 1" "-k 7 --metric hamming --pam CCN:5'"; do
  rm -rf out/*
  run_scan $options --vcf v.vcf.gz v.fa guides.tsv -o out/x.tsv
  expect_success
  ok "$options: each haplotype, as bcftools consensus makes it" eval 'python3 oracle.py out/x.tsv $options > skipped'
  equal "$options: alleles that are skipped, told once" "$(grep -c "v.vcf.gz: $(cat skipped) alleles skipped on haplotypes where an allele before overlaps it" stderr) $(grep -c skipped stderr)" "1 1"
  run_scan $options v.fa guides.tsv -o out/reference.tsv
  same "$options: the sites of the reference" out/reference.tsv <(awk -F '\t' 'NR == 1 || $24 == "."' out/x.tsv | cut -f 1-22,25-)
  same "$options: in order" <(tail -n +2 out/x.tsv) <(tail -n +2 out/x.tsv | awk -F '\t' -v OFS='\t' '{ print ($1 == "one" ? 1 : $1 == "two" ? 2 : $1 == "none" ? 3 : 4), substr($4, 2), ($5 == "-"), $0 }' | sort -s -t "$(printf '\t')" -k 1,1n -k 5,5n -k 2,2n -k 3,3n -k 6,6n | cut -f 4-)
  for variant in "-t 1 --chunk-size 100" "-t 3 --search pieces" "--search rows"; do
    run_scan $options $variant --vcf v.vcf v.fa guides.tsv -o out/y.tsv
    same "$options $variant, plain VCF" out/x.tsv out/y.tsv
  done
  run_scan $options --vcf v.bcf --order pattern v.fa guides.tsv -o out/z.tsv
  same "$options: BCF, by pattern" <(sort out/x.tsv) <(sort out/z.tsv)
done
ok "a sample with one allele" grep -q "two:.*D:1" out/x.tsv

# Without phase: every combination of what the genotypes may give a haplotype, with a question mark. Of two records that
# overlap a haplotype has one.
printf '>c\nAAAAAAAAAAGATTACAGCTTAGCATGCATTGGAAAAAAAAAAAAAAAAAAAAAAA\n' > u.fa
head_of() { printf '##fileformat=VCFv4.2\n##contig=<ID=c,length=56>\n##contig=<ID=d>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n##ALT=<ID=DEL,Description="x">\n##INFO=<ID=END,Number=1,Type=Integer,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO%b\n' "$1"; }
# sites_of OPTION...: distance, alleles and samples of the sites of u.vcf.
sites_of() {
  run_scan --max-mismatches 2 --pam NGG -p GATTACAGCTTAGCATGCAT --strand + --vcf u.vcf u.fa -o out/u.tsv "$@"
  expect_success
  tail -n +2 out/u.tsv | awk -F '\t' '{ printf "%s %s %s; ", $6, $23, $24 }'
}
for gt in "0/1 1/0" "0|1 0|1" "0|1 1|0" "1/1 0/1"; do
  { head_of '\tFORMAT\tS'; printf 'c\t14\t.\tT\tC\t.\t.\t.\tGT\t%s\nc\t20\t.\tT\tG\t.\t.\t.\tGT\t%s\n' ${gt}; } > u.vcf
  printf '%s: %s\n' "$gt" "$(sites_of)"
done > unphased
equal "phase" "$(tr '\n' ' ' < unphased)" "0/1 1/0: 0 . .; 1 c:14:T>C S:?; 2 c:14:T>C,c:20:T>G S:?; 1 c:20:T>G S:?;  0|1 0|1: 0 . .; 2 c:14:T>C,c:20:T>G S:2;  0|1 1|0: 0 . .; 1 c:14:T>C S:2; 1 c:20:T>G S:1;  1/1 0/1: 0 . .; 1 c:14:T>C S:1|2; 2 c:14:T>C,c:20:T>G S:?;  "
{ head_of '\tFORMAT\tS'; printf 'c\t14\t.\tT\tC,TA\t.\t.\t.\tGT\t1/2\nc\t20\t.\tT\tG\t.\t.\t.\tGT\t0/1\n'; } > u.vcf
equal "1/2: never both, never the reference" "$(sites_of --max-bulges 1)" \
  "0 . .; 1 c:14:T>C S:?; 2 c:14:T>C,c:20:T>G S:?; 1 c:14:T>TA S:?; 2 c:14:T>TA,c:20:T>G S:?; "
for gt in "1|0 1|1" "0/1 1/1" "1/1 1|1"; do
  { head_of '\tFORMAT\tS'; printf 'c\t13\t.\tTTA\tTCA\t.\t.\t.\tGT\t%s\nc\t13\t.\tTT\tGT\t.\t.\t.\tGT\t%s\n' ${gt}; } > u.vcf
  printf '%s: %s%s\n' "$gt" "$(sites_of)" "$(grep -o '[0-9]* alleles* skipped' stderr)"
done > overlapping
equal "overlapping records" "$(tr '\n' ' ' < overlapping)" "1|0 1|1: 0 . .; 1 c:13:TT>GT S:2; 1 c:13:TTA>TCA S:1; 1 allele skipped 0/1 1/1: 0 . .; 1 c:13:TT>GT S:?; 1 c:13:TTA>TCA S:?;  1/1 1|1: 0 . .; 1 c:13:TTA>TCA S:1|2; 1 allele skipped "
# Of 8 unphased genotypes in a row, the first one has 7 on its right, and the last one 7 on its left. So these two alone
# are not tried together, on each of the two haplotypes.
{ head_of '\tFORMAT\tS'; for at in 12 14 15 18 21 22 27 30; do
    ref=$(tail -n 1 u.fa | cut -c $at)
    printf 'c\t%s\t.\t%s\t%s\t.\t.\t.\tGT\t0/1\n' "$at" "$ref" "$([[ $ref == C ]] && echo G || echo C)"
  done; } > u.vcf
sites_of > many
equal "every pair but one" "$(tr ';' '\n' < many | grep -c '2 c:.*,c:.*?')" 27
contains "too many to combine" stderr "u.vcf: around 4 alleles of samples so many are unphased that not all their combinations were searched"

# The sites of unphased genotypes are those of all ways to phase them. Many of the records overlap.
cat > phases.py <<'PYTHON'
"""Writes unphased.vcf, one sample, and phased.vcf, which has the sample phased in every way, each in a haplotype of its own."""
import itertools, random
random.seed(5)
text = open("v.fa").read().split(">")[4].split("\n")[1]
heads = ["##fileformat=VCFv4.2", '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">']
records = []
with open("phases.fa", "w") as file:
    for c in range(60):
        piece = text[100 * c:100 * c + 160]
        file.write(f">{c}\n{piece}\n")
        heads.append(f"##contig=<ID={c},length={len(piece)}>")
        for at in sorted(random.choices(range(50, 90), k=5)):
            ref = piece[at:at + random.choice([1, 1, 2, 4, 12])]
            alts = sorted({random.choice([ref[0], ref + "A", "".join(random.choices("ACGT", k=len(ref))), "G" + ref[1:]]) for _ in range(2)} - {ref})
            if alts:
                records.append((c, at, ref, alts, random.choice([(0, 1), (0, 1), (0, len(alts)), (1, len(alts)), (1, 1)])))
columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
ways = list(itertools.product((0, 1), repeat=5))
for name, samples in ("unphased", ["S"]), ("phased", [f"P{w}" for w in range(len(ways))]):
    with open(name + ".vcf", "w") as file:
        print(*heads, "\t".join([columns, *samples]), sep="\n", file=file)
        number = {}
        for c, at, ref, alts, gt in records:
            n = number[c] = number.get(c, -1) + 1
            gts = ["{}/{}".format(*gt)] if name == "unphased" else [f"{gt[way[n]]}|{gt[way[n]]}" for way in ways]
            print(c, at + 1, ".", ref, ",".join(alts), ".", ".", ".", "GT", *gts, sep="\t", file=file)
PYTHON
ok "phases" python3 phases.py
for phase in unphased phased; do
  run_scan -k 6 --max-bulges 2 --pam NGG --vcf "$phase.vcf" phases.fa guides.tsv -o "out/$phase.tsv"
  expect_success
  cut -f 1-23,25- "out/$phase.tsv" | LC_ALL=C sort > "$phase.sites"
done
same "every way to phase" unphased.sites phased.sites
equal "there are such sites" "$(($(grep -c '>' unphased.sites) > 100))" 1
{ head_of ''; printf 'c\t14\t.\tT\tC,<DEL>,*\t.\t.\t.\nd\t20\t.\tT\tG\t.\t.\t.\n'; } > u.vcf
run_scan --max-mismatches 2 --pam NGG -p GATTACAGCTTAGCATGCAT --vcf u.vcf u.fa -o out/u.tsv
equal "no samples" "$(cut -f 6,23,24 out/u.tsv | tail -n +2 | tr '\t\n' ' ;')" "0 . .;1 c:14:T>C .;"
contains "what is left out" stderr "u.vcf: 2 alleles left out"

{ head_of '\tFORMAT\tS' | sed 's/ID=GT/ID=DP/'; printf 'c\t14\t.\tT\tC,G\t.\t.\t.\tDP\t7\n'; } > u.vcf
run_scan --max-mismatches 2 --pam NGG -p GATTACAGCTTAGCATGCAT --vcf u.vcf u.fa -o out/u.tsv
contains "no genotypes" stderr "u.vcf: 2 alleles without genotypes (GT) not searched"
# VCF writes N for every other ambiguous letter.
sed 's/GATTACAG/GATTAMAG/' u.fa > m.fa
{ head_of ''; printf 'c\t15\t.\tAN\tAC\t.\t.\t.\n'; } > m.vcf
run_scan --max-mismatches 0 --pam NGG -p GATTACAGCTTAGCATGCAT --vcf m.vcf m.fa -o out/m.tsv
expect_success
equal "N for M in REF" "$(cut -f 6 out/m.tsv | tail -n +2)" 0

# fails MESSAGE LINES
fails() {
  { head_of '\tFORMAT\tS'; printf "$2"; } > bad.vcf
  run_scan -k 1 --pam NGG -p GATTACAGCTTAGCATGCAT --vcf bad.vcf u.fa -o out/bad.tsv
  expect_failure 1 "bad.vcf: $1" out/bad.tsv
}
fails "c:14: REF is G, but the reference has T; give the VCF of this reference" 'c\t14\t.\tG\tC\t.\t.\t.\tGT\t0|1\n'
fails "c:99: REF is G, but the reference has no such position" 'c\t99\t.\tG\tC\t.\t.\t.\tGT\t0|1\n'
fails "c:14: the VCF is not sorted by position" 'c\t20\t.\tT\tC\t.\t.\t.\tGT\t0|1\nc\t14\t.\tT\tC\t.\t.\t.\tGT\t0|1\n'
fails "the reference has none of its sequences (the first one is d)" 'd\t14\t.\tT\tC\t.\t.\t.\tGT\t0|1\n'
fails "c:14: the sample S has more than two alleles" 'c\t14\t.\tT\tC\t.\t.\t.\tGT\t0|1|1\n'
run_scan -k 1 --pam NGG -p GATTACAGCTTAGCATGCAT --vcf u.fa u.fa -o out/bad.tsv
expect_failure 1 "u.fa: is not VCF or BCF" out/bad.tsv
run_scan -k 1 --pam NGG -p GATTACAGCTTAGCATGCAT --vcf u.vcf u.fa -o out/bad.bed
expect_failure 2 "--vcf adds columns to a table" out/bad.bed
run_scan -k 1 -p GATTACAGCTTAGCATGCAT --vcf u.vcf u.fa -o out/bad.tsv
expect_failure 2 "--vcf is for guides; give --pam" out/bad.tsv

# The best alignment has a bulge and ends beside the allele; the one without bulges has it, and a line of its own.
printf '>c\nCCCCCCCCCCCTATTGCATTTAACGCAAGCGAGGTTTTTTTTTTTTT\n' > beside.fa
{ head_of ""; printf 'c\t12\t.\tT\tG\t.\t.\t.\n'; } > beside.vcf
run_scan -k 4 --max-bulges 1 --pam NGG --vcf beside.vcf --strand + -p ATTTGCGTTTAACGCAGGCG beside.fa -o out/beside.tsv
equal "an allele that only the alignment without bulges has" "$(tail -n +2 out/beside.tsv | cut -f 2,6,10,11,23,25-)" "$(
  printf '11\t4\t23M\tGATTGCATTTAACGCAAGCGAGG\tc:12:T>G\t11\t4\tgaTTGCaTTTAACGCAaGCGAGG\n'
  printf '12\t3\t1M1I21M\tATTGCATTTAACGCAAGCGAGG\t.\t11\t4\ttaTTGCaTTTAACGCAaGCGAGG\n')"


# The alignment without bulges stays beside the record, whatever alleles further samples have next to it.
printf '>c\nAAAAAAAAAAAAACCTCGCTTGCGTTAAATGCAATAGGGGGGGGGGG\n' > beside.fa
beside() {  # beside GENOTYPE: of S2, at the second allele
  { head_of '\tFORMAT\tS1\tS2'
    printf 'c\t27\t.\tA\tG\t.\t.\t.\tGT\t1|1\t1|1\nc\t36\t.\tA\tC\t.\t.\t.\tGT\t0|0\t%s\n' "$1"; } > beside.vcf
  run_scan -k 5 --max-bulges 1 --pam NGG,NAG --strand - -p ATTTGCGTTTAACGCAGGCG --vcf beside.vcf beside.fa -o out/beside.tsv
  awk -F '\t' '$23 == "c:27:A>G" { print $6, $24, $25, $26 }' out/beside.tsv
}
equal "one sample like the other" "$(beside '0|0')" "4 S1:1|2,S2:1|2 13 5"
equal "one sample has an allele more" "$(beside '1|1')" "4 S1:1|2,S2:1|2 13 5"

finish
