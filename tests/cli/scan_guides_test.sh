#!/usr/bin/env bash
# trawl scan with guides: several PAMs and mismatches in them against a brute-force search, the columns of the table
# against what follows from its alignments, published scores, the summary, and the order. Bulges hide no site.
. "$(dirname "$0")/lib.sh"

# Guides with sites that have 0 to 3 edits and every kind of PAM, on both strands.
python3 - <<'PYTHON'
import random
random.seed(17)
bases = lambda n: "".join(random.choices("ACGT", k=n))
rc = lambda s: s.translate(str.maketrans("ACGTN", "TGCAN"))[::-1]
guides = [bases(n) for n in (20, 20, 11, 14)]
contigs = []
for c in range(3):
    text = bases(60) + guides[0] + ["TGG", "AAG", "CGG"][c] + bases(9)
    for n in range(9):
        site = list(random.choice(guides))
        for _ in range(random.randrange(4)):
            at = random.randrange(len(site))
            kind = random.randrange(4)
            site[at:at + 1] = [] if kind == 0 else [site[at], *bases(1)] if kind == 1 else [*bases(1)]
        pam = random.choice(["TGG", "AAG", "GAG", "CGA", "TTT", "NGG"])
        other = random.choice(["TTTA", "TTTG", "TTCC", "CTTA"])
        site = (other if random.random() < .4 else "") + "".join(site) + pam
        text += (site if random.random() < .5 else rc(site)) + bases(random.randrange(12))
    contigs.append(text + random.choice(["", "NN"]) + bases(3))
with open("g.fa", "w") as file:
    for n, text in enumerate(contigs):
        file.write(f">c{n}\n{text}\n")
with open("guides.tsv", "w") as file:
    for n, guide in enumerate(guides):
        file.write(f"g{n}\t{guide}\n")
PYTHON

cat > oracle.py <<'PYTHON'
"""Every site of guides.tsv in g.fa, by plain dynamic programming beside each PAM. Compares with a table of trawl.

oracle.py TABLE REPORT MOTIFS SIDE PAM_MISMATCHES EDITS MISMATCHES BULGES SEED
"""
import sys

table, report, motifs, side = sys.argv[1:5]
relaxed, edits, most_mismatches, most_bulges, seed = map(int, sys.argv[5:])
motifs = motifs.split(",")
sets = dict(zip("ACGTRYSWKMBDHVN", "A C G T AG CT CG AT GT AC CGT AGT ACT ACG ACGT".split()))
rc = lambda s: s.translate(str.maketrans("ACGTN", "TGCAN"))[::-1]
contigs = {}
for line in open("g.fa"):
    if line[0] == ">":
        name = line[1:].strip()
    else:
        contigs[name] = line.strip()
guides = [line.split() for line in open("guides.tsv")]
width = len(motifs[0])


def of_pam(text):
    """The fewest mismatches with a motif; None if it is no PAM."""
    if "N" in text:
        return None
    fewest = min(sum(t not in sets[m] for m, t in zip(motif, text)) for motif in motifs)
    return fewest if fewest <= relaxed else None


def best(guide, text, most_bulges):
    """(edits, whether bulges are needed) of the best alignment of the guide to a beginning of the text."""
    never = 99
    f = {(0, 0, 0): 0}
    for i in range(len(guide) + 1):
        for j in range(max(0, i - most_bulges), min(len(text), i + most_bulges) + 1):
            for b in range(most_bulges + 1):
                ways = [f.get((i, j, b), never)]
                if i and j:
                    ways.append(f.get((i - 1, j - 1, b), never) + (guide[i - 1] != text[j - 1]))
                if b and j:
                    ways.append(f.get((i, j - 1, b - 1), never))
                if b and i:
                    ways.append(f.get((i - 1, j, b - 1), never))
                if min(ways) <= most_mismatches:
                    f[i, j, b] = min(ways)
    found = [(m + b, b > 0) for (i, j, b), m in f.items() if i == len(guide) and m + b <= edits]
    return min(found, default=None)


expected = {}
for name, guide in guides:
    for contig, forward in contigs.items():
        for strand in "+-":
            text = forward if strand == "+" else rc(forward)
            for at in range(len(text) - width + 1):
                mismatches = of_pam(text[at:at + width])
                if mismatches is None:
                    continue
                reach = len(guide) + most_bulges
                if side == "3":
                    beside = guide[::-1], text[max(0, at - reach):at][::-1]
                else:
                    beside = guide, text[at + width:at + width + reach]
                score = best(*beside, most_bulges)
                if score:
                    place = at if strand == "+" else len(text) - width - at
                    ungapped = best(*beside, 0)
                    expected[name, contig, strand, place] = (*score, mismatches), ungapped and (*ungapped, mismatches)


def loci_of(sites, found):
    """What is written: by site, its score, and the place and mismatches of the alignment without bulges."""
    loci, run = {}, []
    for site in sorted(sites) + [None]:
        joins = report == "loci" and most_bulges > 0
        if run and not (joins and site and site[:3] == run[-1][:3] and site[3] == run[-1][3] + 1):
            own = [one for one in run if sites[one][1]]  # without bulges
            score = min(sites[one][0] for one in run)
            if score[1]:
                # Of several equally good ones, the steps of the alignments decide.
                equal = [one for one in run if sites[one][0] == score]
                one = next((one for one in equal if one in found), equal[0])
                beside = min(own, key=lambda s: (sites[s][1], s[3]), default=None)
                loci[one] = score, beside and (beside[3], sites[beside][1][0])
                own = [other for other in own if other != beside]
            for other in own:
                assert other not in loci
                loci[other] = sites[other][1], (other[3], sites[other][1][0])
            run = []
        run.append(site)
    return loci


lines = [line.rstrip("\n").split("\t") for line in open(table)]
rows = [dict(zip(lines[0], line)) for line in lines[1:]]
found = {}
for row in rows:
    start, end, strand = int(row["start"]), int(row["end"]), row["strand"]
    bulges = int(row["dna_bulges"]) + int(row["rna_bulges"])
    pam_first = (side == "3") == (strand == "-")
    key = row["pattern"], row["contig"], strand, start if pam_first else end - width
    assert key not in found, f"{key} is there twice"
    beside = None
    if most_bulges == 0:
        beside = key[3], int(row["mismatches"])
    elif row["ungapped_start"] != ".":
        other, text = int(row["ungapped_start"]), row["ungapped_text"]
        letters = contigs[row["contig"]][other:other + len(text)]
        assert text.upper() == (letters if strand == "+" else rc(letters)) and len(text) == width + len(row["sequence"]), row
        of_guide = text[:-width] if side == "3" else text[width:]
        assert [t.islower() for t in of_guide] == [t.upper() != g for g, t in zip(row["sequence"], of_guide)], row
        beside = other if pam_first else other + len(text) - width, int(row["ungapped_mismatches"])
        assert sum(t.islower() for t in of_guide) == beside[1], row
    assert beside or bulges, row
    found[key] = (int(row["distance"]), bulges > 0, int(row["pam_mismatches"])), beside
    # What the columns say follows from the two aligned strings.
    guide, text = row["aligned_pattern"], row["aligned_text"]
    forward = contigs[row["contig"]][start:end]
    letters = text.replace("-", "").upper()
    assert letters == row["text"] == (forward if strand == "+" else rc(forward)), row
    pam = slice(-width, None) if side == "3" else slice(0, width)
    rest = slice(0, len(guide) - width) if side == "3" else slice(width, None)
    assert row["pam"] == text[pam].upper() and guide[pam].upper() in motifs, row
    assert guide[rest].replace("-", "").upper() == row["sequence"] == dict(guides)[row["pattern"]], row
    lower = [i for i in range(len(guide)) if guide[i].islower()]
    assert lower == [i for i in range(len(text)) if text[i].islower()], row
    assert lower == [i for i in range(len(guide)) if "-" not in guide[i] + text[i]
                     and text[i].upper() not in sets[guide[i].upper()]], row
    assert sum(guide[pam][i].islower() for i in range(width)) == int(row["pam_mismatches"]), row
    assert len(lower) == int(row["mismatches"]) + int(row["pam_mismatches"]), row
    assert guide.count("-") == int(row["dna_bulges"]) and text.count("-") == int(row["rna_bulges"]), row
    # From the PAM on: bases of the seed, and bulges before its last one.
    columns = list(zip(guide[rest], text[rest]))[::-1 if side == "3" else 1]
    bases = mismatches = bulged = 0
    for g, t in columns:
        if bases == seed:
            break
        bases += g != "-"
        mismatches += g.islower()
        bulged += "-" in (g, t)
    assert (mismatches, bulged) == (int(row["seed_mismatches"]), int(row["seed_bulges"])), row
    steps = "".join("D" if g == "-" else "I" if t == "-" else "M" for g, t in zip(guide, text))
    cigar, i = "", 0
    while i < len(steps):
        n = len(steps[i:]) - len(steps[i:].lstrip(steps[i]))
        cigar, i = cigar + f"{n}{steps[i]}", i + n
    assert cigar == row["pattern_cigar"], row
    beside = 3 if side == "3" else 18
    if len(letters) - width < beside:
        assert row["cut"] == ".", row
    else:
        before = letters[:-width - beside] if side == "3" else letters[:width + beside]
        assert int(row["cut"]) == (start + len(before) if strand == "+" else end - len(before)), row
expected = loci_of(expected, found)
assert found == expected, sorted(set(found.items()) ^ set(expected.items()))
print(len(rows), sum(score[2] > 0 for score, _ in expected.values()), sum(score[1] for score, _ in expected.values()))
PYTHON

# against OPTIONS ORACLE_ARGUMENTS: the table of every kind of search is the same, and right.
against() {
  local options=$1 name=0 variant report
  shift
  for report in ends loci; do
    rm -rf out/*
    for variant in "-t 1" "-t 2 --search rows" "-t 3 --search pieces" "-t 2 --search pieces --chunk-size 97" \
      "-t 2 --search rows --chunk-size 211"; do
      name=$((name + 1))
      run_scan $options --report $report $variant g.fa guides.tsv -o "out/$name.tsv"
      expect_success
    done
    same "$options --report $report" out/*.tsv
    counts=$(python3 oracle.py "out/$name.tsv" $report "$@")
    ok "$options --report $report: as brute force" test $? = 0
  done
}
against "-k 3 --pam NGG,NAG" NGG,NAG 3 0 3 3 3 12
ok "bulges are found" test "$(cut -d ' ' -f 3 <<< "$counts")" -gt 3
against "-k 2 --max-bulges 1 --pam NGG --pam-mismatches 1 --seed-length 5" NGG 3 1 2 2 1 5
ok "relaxed PAMs are found" test "$(cut -d ' ' -f 2 <<< "$counts")" -gt 8
against "-e 2 --pam NGA,NGG --pam-mismatches 1 --metric hamming" NGA,NGG 3 1 2 2 0 12
against "--max-mismatches 2 --max-bulges 1 --pam TTTV,YTTN:5' --pam-mismatches 1" TTTV,YTTN 5 1 3 2 1 12
ok "relaxed PAMs are found before guides" test "$(cut -d ' ' -f 2 <<< "$counts")" -gt 3
run_scan -k 2 --pam NGG,NAG g.fa guides.tsv -o out/two.tsv
run_scan -k 2 --pam NRG g.fa guides.tsv -o out/one.tsv
same "NGG and NAG are NRG" <(cut -f 1-14,16- out/one.tsv) <(cut -f 1-14,16- out/two.tsv)

# Of all alignments with three edits, the one with the fewest gaps.
printf '>c\nACCTGAATCCTTGCATGCATCCCGTACGTTAGGACTTG\n' > gaps.fa
run_scan -k 3 --pam NGG --strand + -p TTGCATGCATCACACCGTACGTT gaps.fa -o out/gaps.bed
equal "one gap in place of two" "$(cut -f 7,8 out/gaps.bed)" "$(printf '3\t11M3I12M')"

# What cannot be meant.
for pam in "NGG:3',TTTV:5'" "NGG,NNGRRT" "NGG," ; do
  run_scan -k 1 --pam "$pam" g.fa guides.tsv -o out/x.tsv
  expect_failure 2 "--pam $pam: " out/x.tsv
done
run_scan -k 1 --pam NGG --pam-mismatches 2 g.fa guides.tsv -o out/x.tsv
expect_failure 2 "--pam-mismatches 2: every place would match the PAM NGG" out/x.tsv
run_scan -k 1 --pam-mismatches 1 g.fa guides.tsv -o out/x.tsv
expect_failure 2 "--pam-mismatches needs --pam" out/x.tsv

# The order of the patterns; CSV; compressed tables.
common="-k 3 --pam NGG,NAG g.fa guides.tsv"
rm -rf out/*
run_scan $common -o out/x.tsv
run_scan $common --order pattern -o out/by_pattern.tsv
same "by pattern" out/by_pattern.tsv <(head -n 1 out/x.tsv; tail -n +2 out/x.tsv | sort -s -t "$(printf '\t')" -k 4,4)
run_scan $common --order pattern --chunk-size 97 -o out/chunks.tsv
same "by pattern, of small chunks" out/by_pattern.tsv out/chunks.tsv
run_scan $common --order pattern -o out/x.sam
expect_failure 2 "--order pattern: SAM is sorted by position" out/x.sam
run_scan $common -o out/x.csv
equal "CSV" "$(tr , '\t' < out/x.csv | md5sum)" "$(md5sum < out/x.tsv)"
for format in tsv csv; do
  run_scan $common -o out/x.$format.gz
  equal "$format.gz" "$(bgzip -dc out/x.$format.gz | md5sum)" "$(md5sum < out/x.$format)"
done
printf 'a,b"c\tGATTACA\n' > quoted.tsv
run_scan -k 1 -p GATTACA g.fa quoted.tsv -o out/quoted.csv
equal "a name with a comma in CSV" "$(python3 -c '
import csv
print(*sorted({row["pattern"] for row in csv.DictReader(open("out/quoted.csv"))}))')" 'GATTACA a,b"c'
equal "without a PAM the columns are as before" "$(head -n 1 out/quoted.csv)" \
  "contig,start,end,pattern,strand,distance,mismatches,dna_bulges,rna_bulges,cigar,text"

# Scores that others have published: guide, site, CFD. (CRISPOR's and FlashFry's own tests.)
python3 - <<'PYTHON'
import os, subprocess
known = [("GGGGGGGGGGGGGGGGGGGG", "GGGGGGGGGGGGGGGGGAAAGGG", .463599, None), ("GGGGGGGGGGGGGGGGGGGG", "AAAAGAGAGGGGGGGGGGGGGGG", .514038, None),
         ("ATGGTCGGACTCCCTGCCAG", "ATGGTGGGACTCCCTGCCAGAGG", .5, None), ("ATGGTCGGACTCCCTGCCAG", "ATGATCCAAATCCCTGCCAGAGG", .53625, None),
         ("ATGTGGAGATTGCCACCTAC", "ATCTGGAGATTGCCACCTACAGG", .384615, None), ("GACTTGCATCCGAAGCCGGT", "GACCTGCATACGAAGCCTTTAGG", .249237, None),
         ("GACTTGCATCCGAAGCCGGT", "GGCTGGCATCCCAAGCCAGTTGG", .187656, None), ("GACTTGCATCCGAAGCCGGT", "GACTTGCATCCGAAGCCGGTTAG", .259259, 100),
         ("GGGGGGGGGGGGGGGGGGGG", "AGGGGGGGGGGGGGGGGGGGTGG", None, 100), ("GGGGGGGGGGGGGGGGGGGG", "GGGGGGGGGGGGGGGGGGGATGG", None, 41.7),
         ("TTGTTTCCAGGTCAATGTGA", "TTGTCTTCAAGTCAATATGATGG", None, .364039)]
for n, (guide, site, cfd, mit) in enumerate(known):
    with open("known.fa", "w") as file:
        file.write(f">k\nC{site}\n")
    lines = subprocess.run([os.environ["TRAWL"], "scan", "-k", "6", "--max-bulges", "0", "--strand", "+", "--pam", "NGG,NAG", "-p", guide, "known.fa", "-o",
                            "known.tsv", "--report", "ends"], stderr=subprocess.PIPE, check=True)
    rows = [line.rstrip("\n").split("\t") for line in open("known.tsv")]
    row, = [row for row in (dict(zip(rows[0], row)) for row in rows[1:]) if row["start"] == "1"]
    assert cfd is None or abs(float(row["cfd"]) - cfd) < 2e-6, (known[n], row)
    assert mit is None or abs(float(row["mit"]) - mit) < 1e-3, (known[n], row)
PYTHON
ok "published scores" test $? = 0

# CFD of bulges: the weights of the published table, times those of mismatches and of the PAM. MIT has none.
python3 - <<'PYTHON'
import os, subprocess
guide = "ATGTGGAGATTGCCACCTAC"
known = [("ATGTGAGATTGCCACCTACAGG", .296875),          # without the G at 5, which may be the one at 6, too
         ("ATGTGGAGTTGCCACCTACAGG", .276923),          # without the A at 9
         ("ATGTGGAGATATGCCACCTACAGG", .4),             # an A more, before the last 10 bases
         ("ATGTGGAGATCTGCCACCTACAGG", .133333),        # a C
         ("ATGTGGAGATATGCCACCTACAAG", .4 * .259259),   # another PAM
         ("ATGTGGAGATATGCCACCTTCAGG", .4 * .538462)]   # and a mismatch, A to T at 19
for site, cfd in known:
    with open("known.fa", "w") as file:
        file.write(f">k\nCC{site}\n")
    subprocess.run([os.environ["TRAWL"], "scan", "-k", "2", "--strand", "+", "--pam", "NGG,NAG", "-p", guide, "known.fa", "-o", "known.tsv"],
                   stderr=subprocess.PIPE, check=True)
    rows = [line.rstrip("\n").split("\t") for line in open("known.tsv")]
    row, = [dict(zip(rows[0], row)) for row in rows[1:]]
    assert abs(float(row["cfd"]) - cfd) < 2e-6 and row["mit"] == "." and row["ungapped_text"] == ".", (site, cfd, row)
PYTHON
ok "published scores of bulges" test $? = 0

# A site whose best alignment has a bulge has the scores of the one without, too.
printf '>c\nCCCCCCCCCCCTATTGCATTTAACGCAAGCGAGGTTTTTTTTTTTTT\n' > hidden.fa
for bulges in 0 1; do
  run_scan -k 4 --max-bulges $bulges --pam NGG,NAG --strand + -p ATTTGCGTTTAACGCAGGCG hidden.fa -o out/hidden$bulges.tsv \
    --summary out/hidden$bulges.csv
  expect_success
done
equal "without bulges" "$(tail -n 1 out/hidden0.tsv | cut -f 2,6-9,21,22)" "$(printf '11\t4\t4\t0\t0\t0.789744\t0.4239')"
equal "with bulges" "$(tail -n 1 out/hidden1.tsv | cut -f 2,6-9,21-)" \
  "$(printf '12\t3\t2\t0\t1\t0.889583\t0.4239\t11\t4\ttaTTGCaTTTAACGCAaGCGAGG')"
# CFD is that of the alignment with the bulge, which is larger: A at 2, and two mismatches further right.
equal "the summary without bulges" "$(tail -n 1 out/hidden0.csv | cut -d , -f 3-)" 1,55.87,99.58,0,0,0,0,0,1
equal "the summary with bulges" "$(tail -n 1 out/hidden1.csv | cut -d , -f 3-11)" 1,52.92,99.58,0,0,0,0,0,1

# On thousands of sites: the alignments without bulges are those of a search without bulges, each once, and allowing
# bulges never raises a specificity.
python3 - <<'PYTHON'
import csv, os, random, subprocess
random.seed(25)
bases = lambda n, letters="ACGT": "".join(random.choices(letters, k=n))
rc = lambda s: s.translate(str.maketrans("ACGT", "TGCA"))[::-1]
guides = [bases(20) for _ in range(20)] + [bases(20, random.choice(["AC", "GT", "AGT"])) for _ in range(10)]
text = bases(30)
for guide in 40 * guides:
    site = list(guide)
    for _ in range(random.randrange(5)):
        at = random.randrange(len(site))
        site[at:at + 1] = random.choice([[], [site[at], bases(1)], [bases(1)]])
    site = "".join(site) + random.choice(["TGG", "AAG", "GAG", "GGGG", "AGAG", "CGGG"])  # also PAMs next to each other
    text += (site if random.random() < .5 else rc(site)) + bases(random.randrange(8), random.choice(["ACGT", "G"]))
with open("many.fa", "w") as file:
    file.write(f">m\n{text}{bases(30)}\n")
with open("many.tsv", "w") as file:
    file.write("".join(f"g{n}\t{guide}\n" for n, guide in enumerate(guides)))


def scan(bulges, options):
    subprocess.run([os.environ["TRAWL"], "scan", "-k", "4", "--max-bulges", str(bulges), "--pam", "NGG,NAG", *options, "many.fa", "many.tsv",
                    "-o", "many_sites.tsv", "--summary", "many_summary.csv"], check=True, stderr=subprocess.PIPE)
    return list(csv.DictReader(open("many_sites.tsv"), delimiter="\t")), list(csv.DictReader(open("many_summary.csv")))


sites = raised = 0
for options in [], ["--report", "ends"], ["--pam-mismatches", "1"]:
    rows, summary = scan(0, options)
    alone = sorted((r["pattern"], r["strand"], r["start"], r["mismatches"], r["aligned_text"], r["mit"]) for r in rows)
    cfd = {place[:3]: float(r["cfd"]) for place, r in zip(sorted(alone), sorted(rows, key=lambda r: (r["pattern"], r["strand"], r["start"], r["mismatches"])))}
    for bulges in 1, 2, 4:
        with_bulges, of_guides = scan(bulges, options)
        both = [r for r in with_bulges if r["ungapped_start"] != "."]
        assert alone == sorted((r["pattern"], r["strand"], r["ungapped_start"], r["ungapped_mismatches"], r["ungapped_text"], r["mit"]) for r in both)
        for r in both:
            before = cfd[r["pattern"], r["strand"], r["ungapped_start"]]
            assert float(r["cfd"]) >= before, r
            raised += float(r["cfd"]) > before
        for guide, before in zip(of_guides, summary):
            for column in "cfd_specificity", "mit_specificity":
                assert float(guide[column]) <= float(before[column]), (guide, before)
            assert [guide[f"mismatches_{m}"] for m in range(5)] == [before[f"mismatches_{m}"] for m in range(5)], (guide, before)
        sites += len(with_bulges)
assert sites > 10000 and raised > 10, (sites, raised)
PYTHON
ok "allowing bulges never raises a specificity" test $? = 0

# The summary follows from the table.
run_scan $common -o out/x.tsv --summary out/summary.csv
expect_success

python3 - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("out/x.tsv"), delimiter="\t"))
lines = list(csv.DictReader(open("out/summary.csv")))
assert [line["pattern"] for line in lines] == ["g0", "g1", "g2", "g3"]
for line in lines:
    own = [row for row in rows if row["pattern"] == line["pattern"]]
    assert int(line["sites"]) == len(own) > 0, line
    for m in range(4):
        for b in range(4 - m):
            column = f"mismatches_{m}" + (f"_bulges_{b}" if b else "")
            kinds = [(int(row["ungapped_mismatches"]), 0) if row["ungapped_mismatches"] != "."
                     else (int(row["mismatches"]), int(row["dna_bulges"]) + int(row["rna_bulges"])) for row in own]
            assert int(line[column]) == kinds.count((m, b)), (line, column)
    scored = [row for row in own if row["cfd"] != "."]
    assert int(line["without_score"]) == len(own) - len(scored), line
    if len(line["sequence"]) != 20:
        assert not scored and line["cfd_specificity"] == line["mit_specificity"] == ".", line
        continue
    assert scored
    for column, percent in (("cfd", 100), ("mit", 1)):
        scored = [row for row in own if row[column] != "."]
        perfect = [float(row[column]) for row in scored if row["distance"] == "0"]
        assert line["pattern"] != "g0" or len(perfect) > 2, line
        rest = percent * (sum(float(row[column]) for row in scored) - max(perfect, default=0))
        assert abs(float(line[column + "_specificity"]) - 100 * 100 / (100 + rest)) < .02, (line, column)
PYTHON
ok "the summary, recomputed" test $? = 0
run_scan $common -o out/y.tsv --summary out/chunks.csv --chunk-size 97 -t 3
same "the summary, of small chunks" out/summary.csv out/chunks.csv
run_scan -k 1 g.fa guides.tsv -o out/z.tsv --summary out/z.csv
expect_failure 2 "--summary is for guides; give --pam" out/z.tsv
run_scan $common -o out/z.tsv --summary out/z.txt
expect_failure 2 "the output out/z.txt has no known extension" out/z.tsv

finish
