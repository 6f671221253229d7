#!/usr/bin/env bash
# trawl scan with guides: several PAMs and mismatches in them against a brute-force search, the columns of the table
# against what follows from its alignments, published scores, the summary, and the order.
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


def best(guide, text):
    """(edits, bulges) of the best alignment of the guide to a beginning of the text."""
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
    found = [(m + b, b) for (i, j, b), m in f.items() if i == len(guide) and m + b <= edits]
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
                    score = best(guide[::-1], text[max(0, at - reach):at][::-1])
                else:
                    score = best(guide, text[at + width:at + width + reach])
                if score:
                    place = at if strand == "+" else len(text) - width - at
                    expected[name, contig, strand, place] = (*score, mismatches)
if report == "loci" and most_bulges > 0:  # the best of each run of neighbouring PAMs, then the leftmost
    loci, run = {}, []
    for site in sorted(expected) + [None]:
        if run and not (site and site[:3] == run[-1][:3] and site[3] == run[-1][3] + 1):
            one = min(run, key=lambda s: (expected[s], s[3]))
            loci[one] = expected[one]
            run = []
        run.append(site)
    expected = loci

lines = [line.rstrip("\n").split("\t") for line in open(table)]
rows = [dict(zip(lines[0], line)) for line in lines[1:]]
found = {}
for row in rows:
    start, end, strand = int(row["start"]), int(row["end"]), row["strand"]
    bulges = int(row["dna_bulges"]) + int(row["rna_bulges"])
    pam_first = (side == "3") == (strand == "-")
    key = row["pattern"], row["contig"], strand, start if pam_first else end - width
    assert key not in found, f"{key} is there twice"
    found[key] = (int(row["distance"]), bulges, int(row["pam_mismatches"]))
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
assert found == expected, sorted(set(found.items()) ^ set(expected.items()))
print(len(rows), sum(score[2] > 0 for score in expected.values()), sum(score[1] > 0 for score in expected.values()))
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
            assert int(line[column]) == sum((int(row["mismatches"]), int(row["dna_bulges"]) + int(row["rna_bulges"])) == (m, b) for row in own), (line, column)
    scored = [row for row in own if row["cfd"] != "."]
    assert int(line["without_score"]) == len(own) - len(scored), line
    if len(line["sequence"]) != 20:
        assert not scored and line["cfd_specificity"] == line["mit_specificity"] == ".", line
        continue
    assert scored
    for column, percent in (("cfd", 100), ("mit", 1)):
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
