"""trawl scan with guides: several PAMs and mismatches in them, the columns of the table against what follows from its
alignments, published scores, and the summary. tests/conformance/scan_records_test.cpp compares the sites with an oracle."""

import csv
import itertools
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import (ROOT, assert_same, bgzip, random_bases, read_fasta, reverse_complement, rows, run, table, write_fasta,
                   write_lines)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """guides.tsv; g.fa with sites that have 0 to 3 edits and every kind of PAM, on both strands."""
    random.seed(17)
    guides = [random_bases(n) for n in (20, 20, 11, 14)]
    contigs = []
    for pam in "TGG", "AAG", "CGG":
        text = random_bases(60) + guides[0] + pam + random_bases(9)
        for _ in range(9):
            site = list(random.choice(guides))
            for _ in range(random.randrange(4)):
                place, kind = random.randrange(len(site)), random.randrange(4)
                site[place:place + 1] = (site[place] if kind == 1 else "") + random_bases(0 if kind == 0 else 1)
            after = random.choice(["TGG", "AAG", "GAG", "CGA", "TTT", "NGG"])
            before = random.choice(["TTTA", "TTTG", "TTCC", "CTTA"])
            site = (before if random.random() < .4 else "") + "".join(site) + after
            text += (site if random.random() < .5 else reverse_complement(site)) + random_bases(random.randrange(12))
        contigs.append(text + random.choice(["", "NN"]) + random_bases(3))
    write_fasta("g.fa", *((f"c{n}", text) for n, text in enumerate(contigs)))
    write_lines("guides.tsv", *(f"g{n}\t{guide}" for n, guide in enumerate(guides)))


# --- the columns of the table ---

SETS = dict(zip("ACGTRYSWKMBDHVN", "A C G T AG CT CG AT GT AC CGT AGT ACT ACG ACGT".split()))


class Search(NamedTuple):
    """Options, and what they mean; how many sites at least have mismatches in the PAM, or bulges."""
    options: str
    motifs: list
    pam_first: bool
    bulges: int
    seed: int = 12
    relaxed: int = 0
    bulged: int = 0

    def width(self):
        return len(self.motifs[0])


def check_table(search, path):
    """The numbers of rows with mismatches in the PAM, and with bulges."""
    contigs = read_fasta("g.fa")
    relaxed = bulged = 0
    for row in table(path):
        start, end, forward = int(row["start"]), int(row["end"]), row["strand"] == "+"

        def reference(begin, end):
            letters = contigs[row["contig"]][begin:end]
            return letters if forward else reverse_complement(letters)

        bulges = int(row["dna_bulges"]) + int(row["rna_bulges"])
        if search.bulges > 0 and row["ungapped_start"] != ".":
            check_ungapped(search, row, reference)
        else:
            assert bulges or search.bulges == 0, row
        relaxed += int(row["pam_mismatches"]) > 0
        bulged += bulges > 0
        assert row["text"] == reference(start, end), row
        check_alignment(search, row)
        letters = len(row["text"]) - search.width()
        beside = 18 if search.pam_first else 3
        if letters < beside:
            assert row["cut"] == ".", row
        else:
            before = search.width() + beside if search.pam_first else letters - beside
            assert int(row["cut"]) == (start + before if forward else end - before), row
    return relaxed, bulged


def check_ungapped(search, row, reference):
    width = search.width()
    start, text = int(row["ungapped_start"]), row["ungapped_text"]
    assert text.upper() == reference(start, start + len(text)) and len(text) == width + len(row["sequence"]), row
    of_guide = text[width:] if search.pam_first else text[:-width]
    assert [t.islower() for t in of_guide] == [t.upper() != g for g, t in zip(row["sequence"], of_guide)], row
    assert sum(t.islower() for t in of_guide) == int(row["ungapped_mismatches"]), row


def check_alignment(search, row):
    """What the columns say follows from the two aligned strings."""
    guide, text, width = row["aligned_pattern"], row["aligned_text"], search.width()
    assert text.replace("-", "").upper() == row["text"], row
    pam = slice(0, width) if search.pam_first else slice(-width, None)
    rest = slice(width, None) if search.pam_first else slice(0, len(guide) - width)
    assert row["pam"] == text[pam].upper() and guide[pam].upper() in search.motifs, row
    assert guide[rest].replace("-", "").upper() == row["sequence"] == dict(rows("guides.tsv"))[row["pattern"]], row
    lower = [i for i in range(len(guide)) if guide[i].islower()]
    assert lower == [i for i in range(len(text)) if text[i].islower()], row
    assert lower == [i for i, (g, t) in enumerate(zip(guide, text))
                     if "-" not in g + t and t.upper() not in SETS[g.upper()]], row
    assert sum(g.islower() for g in guide[pam]) == int(row["pam_mismatches"]), row
    assert len(lower) == int(row["mismatches"]) + int(row["pam_mismatches"]), row
    assert guide.count("-") == int(row["dna_bulges"]) and text.count("-") == int(row["rna_bulges"]), row
    # From the PAM on: bases of the seed, and bulges before its last one.
    bases = mismatches = bulges = 0
    for g, t in list(zip(guide[rest], text[rest]))[::1 if search.pam_first else -1]:
        if bases == search.seed:
            break
        bases += g != "-"
        mismatches += g.islower()
        bulges += "-" in (g, t)
    assert (mismatches, bulges) == (int(row["seed_mismatches"]), int(row["seed_bulges"])), row
    steps = ("D" if g == "-" else "I" if t == "-" else "M" for g, t in zip(guide, text))
    assert row["pattern_cigar"] == "".join(f"{len(list(same))}{step}" for step, same in itertools.groupby(steps)), row


@pytest.mark.parametrize("search", [
    Search("-k 3 --pam NGG,NAG", ["NGG", "NAG"], False, 3, 12, 0, 4),
    Search("-k 2 --max-bulges 1 --pam NGG --pam-mismatches 1 --tune seed-length=5", ["NGG"], False, 1, 5, 9),
    Search("-e 2 --pam NGA,NGG --pam-mismatches 1 --metric hamming", ["NGA", "NGG"], False, 0),
    Search("--max-mismatches 2 --max-bulges 1 --pam TTTV,YTTN:5' --pam-mismatches 1", ["TTTV", "YTTN"], True,
           1, 12, 4)], ids=lambda search: search.options)
def test_the_columns_of_sites(search):
    """And each kind of search gives the same bytes."""
    for report in "ends", "loci":
        for n, how in enumerate(("-t 1", "-t 2 --tune search=rows", "-t 3 --tune search=pieces",
                                 "-t 2 --tune search=pieces,chunk-size=97", "-t 2 --tune search=rows,chunk-size=211")):
            run("scan", *search.options.split(), "--report", report, *how.split(), "g.fa", "guides.tsv",
                "-o", f"out/{n}.tsv").ok()
            assert_same("out/0.tsv", f"out/{n}.tsv")
        relaxed, bulged = check_table(search, "out/0.tsv")
        assert relaxed >= search.relaxed and bulged >= search.bulged


def test_two_motifs_or_one_with_an_ambiguous_letter():
    tables = []
    for pam in "NGG,NAG", "NRG":
        run("scan", "-k", 2, "--pam", pam, "g.fa", "guides.tsv", "-o", "out/x.tsv").ok()
        tables.append([row[:14] + row[15:] for row in rows("out/x.tsv")])  # aligned_pattern has the motif
    assert tables[0] == tables[1]


def test_of_all_alignments_the_one_with_the_fewest_gaps():
    write_fasta("gaps.fa", ("c", "ACCTGAATCCTTGCATGCATCCCGTACGTTAGGACTTG"))
    run("scan", "-k", 3, "--pam", "NGG", "--strand", "+", "-p", "TTGCATGCATCACACCGTACGTT", "gaps.fa", "-o", "out/x.bed")
    assert [row[6:8] for row in rows("out/x.bed")] == [["3", "11M3I12M"]]


@pytest.mark.parametrize("options, message", [
    *((f"-k 1 --pam {pam}", f"--pam {pam}: ") for pam in ("NGG:3',TTTV:5'", "NGG,NNGRRT", "NGG,")),
    ("-k 1 --pam NGG --pam-mismatches 2", "--pam-mismatches 2: every place would match the PAM NGG"),
    ("-k 1 --pam-mismatches 1", "--pam-mismatches needs --pam"),
    ("-k 1 --summary out/z.csv", "--summary is for guides; give --pam"),
    ("-k 3 --pam NGG,NAG --summary out/z.txt", "--summary out/z.txt: give a file named .tsv, .csv")])
def test_what_cannot_be_meant(options, message):
    output = [] if " -o " in options else ["-o", "out/x.tsv"]
    run("scan", *options.split(), "g.fa", "guides.tsv", *output).fails(2, message)
    assert list(Path("out").iterdir()) == []


# --- the order of the patterns, CSV, compressed tables, the summary ---

COMMON = ["scan", "-k", 3, "--pam", "NGG,NAG", "g.fa", "guides.tsv"]


@pytest.fixture(scope="module")
def sites(inputs):
    """sites.tsv and summary.csv."""
    run(*COMMON, "-o", "sites.tsv", "--summary", "summary.csv").ok()


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_csv_and_compressed_tables(sites):
    run(*COMMON, "-o", "out/x.csv").ok()
    assert_same("sites.tsv", Path("out/x.csv").read_bytes().replace(b",", b"\t"))
    for plain, compressed in ("sites.tsv", "out/x.tsv.gz"), ("out/x.csv", "out/x.csv.gz"):
        run(*COMMON, "-o", compressed).ok()
        assert_same(plain, bgzip("-dc", compressed))


def test_a_name_with_a_comma_in_csv():
    write_lines("quoted.tsv", 'a,b"c\tGATTACA')
    run("scan", "-k", 1, "-p", "GATTACA", "g.fa", "quoted.tsv", "-o", "out/quoted.csv").ok()
    found = read_csv("out/quoted.csv")
    assert {row["pattern"] for row in found} == {"GATTACA", 'a,b"c'}
    # The columns without a PAM.
    assert ",".join(found[0]) == "contig,start,end,pattern,strand,distance,mismatches,dna_bulges,rna_bulges,cigar,text"


def test_the_summary_follows_from_the_table(sites):
    lines = read_csv("summary.csv")
    assert [line["pattern"] for line in lines] == ["g0", "g1", "g2", "g3"]
    for line in lines:
        own = [row for row in table("sites.tsv") if row["pattern"] == line["pattern"]]
        assert int(line["sites"]) == len(own) > 0, line
        kinds = [(int(row["ungapped_mismatches"]), 0) if row["ungapped_mismatches"] != "."
                 else (int(row["mismatches"]), int(row["dna_bulges"]) + int(row["rna_bulges"])) for row in own]
        for m in range(4):
            for b in range(4 - m):
                column = f"mismatches_{m}" + (f"_bulges_{b}" if b else "")
                assert int(line[column]) == kinds.count((m, b)), (line, column)
        with_cfd = [row for row in own if row["cfd"] != "."]
        assert int(line["without_score"]) == len(own) - len(with_cfd), line
        if len(line["sequence"]) != 20:
            assert not with_cfd and line["cfd_specificity"] == line["mit_specificity"] == ".", line
            continue
        assert with_cfd
        for column, percent in ("cfd", 100), ("mit", 1):
            scored = [row for row in own if row[column] != "."]
            perfect = [float(row[column]) for row in scored if row["distance"] == "0"]
            assert line["pattern"] != "g0" or len(perfect) > 2, line
            rest = percent * (sum(float(row[column]) for row in scored) - max(perfect, default=0))
            assert abs(float(line[column + "_specificity"]) - 100 * 100 / (100 + rest)) < .02, (line, column)


def test_the_summary_of_small_chunks(sites):
    run(*COMMON, "-o", "out/x.tsv", "--summary", "out/summary.csv", "--tune", "chunk-size=97", "-t", 3).ok()
    assert_same("summary.csv", "out/summary.csv")
    assert_same("sites.tsv", "out/x.tsv")


# --- scores ---


def sites_of(guides, contigs, *options):
    """By contig and guide."""
    write_fasta("known.fa", *contigs.items())
    run("scan", *options, "--strand", "+", "--pam", "NGG,NAG", *(word for guide in guides for word in ("-p", guide)),
        "known.fa", "-o", "out/known.tsv").ok()
    found = {}
    for row in table("out/known.tsv"):
        found.setdefault((row["contig"], row["pattern"]), []).append(row)
    return found


def test_published_scores():
    """CRISPOR's and FlashFry's own tests: guide, site, CFD, MIT."""
    known = [("GGGGGGGGGGGGGGGGGGGG", "GGGGGGGGGGGGGGGGGAAAGGG", .463599, None),
             ("GGGGGGGGGGGGGGGGGGGG", "AAAAGAGAGGGGGGGGGGGGGGG", .514038, None),
             ("ATGGTCGGACTCCCTGCCAG", "ATGGTGGGACTCCCTGCCAGAGG", .5, None),
             ("ATGGTCGGACTCCCTGCCAG", "ATGATCCAAATCCCTGCCAGAGG", .53625, None),
             ("ATGTGGAGATTGCCACCTAC", "ATCTGGAGATTGCCACCTACAGG", .384615, None),
             ("GACTTGCATCCGAAGCCGGT", "GACCTGCATACGAAGCCTTTAGG", .249237, None),
             ("GACTTGCATCCGAAGCCGGT", "GGCTGGCATCCCAAGCCAGTTGG", .187656, None),
             ("GACTTGCATCCGAAGCCGGT", "GACTTGCATCCGAAGCCGGTTAG", .259259, 100),
             ("GGGGGGGGGGGGGGGGGGGG", "AGGGGGGGGGGGGGGGGGGGTGG", None, 100),
             ("GGGGGGGGGGGGGGGGGGGG", "GGGGGGGGGGGGGGGGGGGATGG", None, 41.7),
             ("TTGTTTCCAGGTCAATGTGA", "TTGTCTTCAAGTCAATATGATGG", None, .364039)]
    found = sites_of(dict.fromkeys(guide for guide, *_ in known), {site: "C" + site for _, site, *_ in known},
                     "-k", 6, "--max-bulges", 0, "--report", "ends")
    for guide, site, cfd, mit in known:
        row, = [row for row in found[site, guide] if row["start"] == "1"]
        assert cfd is None or abs(float(row["cfd"]) - cfd) < 2e-6, row
        assert mit is None or abs(float(row["mit"]) - mit) < 1e-3, row


def test_published_scores_of_bulges():
    """CFD: the weights of the published table, times those of mismatches and of the PAM. MIT has none."""
    guide = "ATGTGGAGATTGCCACCTAC"
    known = {"ATGTGAGATTGCCACCTACAGG": .390625,          # without the G at 6, which may be the one at 5 (.296875), too
             "ATGTGGAGTTGCCACCTACAGG": .276923,          # without the A at 9
             "ATGTGGAGATATGCCACCTACAGG": .4,             # an A more, before the last 10 bases
             "ATGTGGAGATCTGCCACCTACAGG": .133333,        # a C
             "ATGTGGAGATATGCCACCTACAAG": .4 * .259259,   # another PAM
             "ATGTGGAGATATGCCACCTTCAGG": .4 * .538462}   # and a mismatch, A to T at 19
    found = sites_of([guide], {site: "CC" + site for site in known}, "-k", 2)
    for site, cfd in known.items():
        row, = found[site, guide]
        assert abs(float(row["cfd"]) - cfd) < 2e-6 and row["mit"] == row["ungapped_text"] == ".", (site, cfd, row)


@pytest.mark.parametrize("bulges, site, summary", [
    (0, "11 4 4 0 0 0.789744 0.4239", "1,55.87,99.58,0,0,0,0,0,1"),
    # CFD is that of the alignment with the bulge, which is larger: A at 2, and two mismatches further right.
    (1, "12 3 2 0 1 0.889583 0.4239 11 4 taTTGCaTTTAACGCAaGCGAGG", "1,52.92,99.58,0,0,0,0,0,1,0,0,0,0")])
def test_a_site_with_a_bulge_has_the_scores_of_the_one_without_too(bulges, site, summary):
    write_fasta("hidden.fa", ("c", "CCCCCCCCCCCTATTGCATTTAACGCAAGCGAGGTTTTTTTTTTTTT"))
    run("scan", "-k", 4, "--max-bulges", bulges, "--pam", "NGG,NAG", "--strand", "+", "-p", "ATTTGCGTTTAACGCAGGCG",
        "hidden.fa", "-o", "out/hidden.tsv", "--summary", "out/hidden.csv").ok()
    _, row = rows("out/hidden.tsv")
    assert [row[1], *row[5:9], *row[20:]] == site.split()
    _, line = Path("out/hidden.csv").read_text().splitlines()
    assert line.split(",", 2)[2] == summary


# --- thousands of sites: allowing bulges never raises a specificity ---


@pytest.fixture(scope="module")
def many():
    random.seed(25)
    guides = [random_bases(20) for _ in range(20)]
    guides += [random_bases(20, random.choice(["AC", "GT", "AGT"])) for _ in range(10)]
    text = random_bases(30)
    for guide in 40 * guides:
        site = list(guide)
        for _ in range(random.randrange(5)):
            at = random.randrange(len(site))
            site[at:at + 1] = random.choice([[], [site[at], random_bases(1)], [random_bases(1)]])
        # Also PAMs next to each other.
        site = "".join(site) + random.choice(["TGG", "AAG", "GAG", "GGGG", "AGAG", "CGGG"])
        text += site if random.random() < .5 else reverse_complement(site)
        text += random_bases(random.randrange(8), random.choice(["ACGT", "G"]))
    write_fasta("many.fa", ("m", text + random_bases(30)))
    write_lines("many.tsv", *(f"g{n}\t{guide}" for n, guide in enumerate(guides)))


def many_sites(bulges, options):
    run("scan", "-k", 4, "--max-bulges", bulges, "--pam", "NGG,NAG", *options, "many.fa", "many.tsv",
        "-o", "out/sites.tsv", "--summary", "out/summary.csv").ok()
    return table("out/sites.tsv"), read_csv("out/summary.csv")


def test_allowing_bulges_never_raises_a_specificity(many):
    """And the alignments without bulges are those of a search without bulges, each once."""
    sites = raised = 0
    for options in [], ["--report", "ends"], ["--pam-mismatches", 1]:
        without, summary = many_sites(0, options)
        alone = sorted((r["pattern"], r["strand"], r["start"], r["mismatches"], r["aligned_text"], r["mit"])
                       for r in without)
        cfd = {(r["pattern"], r["strand"], r["start"]): float(r["cfd"]) for r in without}
        for bulges in 1, 2, 4:
            all_sites, of_guides = many_sites(bulges, options)
            both = [r for r in all_sites if r["ungapped_start"] != "."]
            assert alone == sorted((r["pattern"], r["strand"], r["ungapped_start"], r["ungapped_mismatches"],
                                    r["ungapped_text"], r["mit"]) for r in both)
            for r in both:
                before = cfd[r["pattern"], r["strand"], r["ungapped_start"]]
                assert float(r["cfd"]) >= before, r
                raised += float(r["cfd"]) > before
            for guide, before in zip(of_guides, summary):
                for column in "cfd_specificity", "mit_specificity":
                    assert float(guide[column]) <= float(before[column]), (guide, before)
                for m in range(5):
                    assert guide[f"mismatches_{m}"] == before[f"mismatches_{m}"], (guide, before)
            sites += len(all_sites)
    assert sites > 10000 and raised > 10, (sites, raised)


def test_scores_do_not_depend_on_the_strand():
    """Of equally good alignments the largest CFD counts, so the reverse complement of a reference changes no score."""
    random.seed(33)
    guides = ["ATATTTTATGTCGGCCTTGG"] + [random_bases(20) for _ in range(20)]
    text = random_bases(200)
    for _ in range(600):
        site = list(random.choice(guides))
        for _ in range(random.randrange(5)):
            place = random.randrange(len(site))
            site[place:place + 1] = random.choice(["", site[place] * 2, random_bases(1), site[place] + random_bases(1)])
        text += "".join(site) + random.choice(["TGG", "AGG", "GGG", "CAG"]) + random_bases(random.randrange(12))
    write_fasta("out/f.fa", ("c", text))
    write_fasta("out/r.fa", ("c", reverse_complement(text)))
    write_lines("out/g.tsv", *(f"g{n}\t{guide}" for n, guide in enumerate(guides)))
    found, summaries = [], []
    for name in "fr":
        run("scan", "-e", 5, "--max-bulges", 2, "--pam", "NGG,NAG", f"out/{name}.fa", "out/g.tsv", "-o", "out/x.tsv",
            "--summary", "out/s.tsv").ok()
        lines = table("out/x.tsv")
        found.append(sorted((row["pattern"], row["distance"], row["cfd"], row["mit"]) for row in lines))
        summaries.append([(row["pattern"], row["cfd_specificity"], row["mit_specificity"]) for row in table("out/s.tsv")])
    assert sum("-" in row["aligned_pattern"] + row["aligned_text"] for row in lines) > 200
    assert found[0] == found[1]
    assert summaries[0] == summaries[1]
    write_fasta("out/b.fa", ("c", "TTTTTATATTTTTATGTCGGCCTTGGTGGTTTTT"))  # a T more than the guide
    run("scan", "-e", 1, "--max-bulges", 1, "--pam", "NGG", "out/b.fa", "out/g.tsv", "-o", "out/x.tsv").ok()
    assert {row["cfd"] for row in table("out/x.tsv") if row["pattern"] == "g0"} == {"0.888889"}


def test_without_edits_the_columns_of_bulges_are_there():
    run("scan", "-e", 0, "--max-bulges", 1, "--pam", "NGG", "g.fa", "guides.tsv", "-o", "out/x.tsv").ok()
    lines = table("out/x.tsv")
    assert lines and all(row["ungapped_start"] == row["start"] and row["ungapped_mismatches"] == "0" for row in lines)


@pytest.mark.parametrize("limits", ["2,1", "1,2", "2,0", "0,2", "1,1"])
def test_limits_of_each_kind_of_bulges(many, limits):
    """The sites within both limits are those of a search without them whose alignments are within them, and more: where the
    alignment with the fewest edits is not within them, another one may be."""
    dna, rna = map(int, limits.split(","))
    options = ["-k", 4, "--pam", "NGG,NAG", "--report", "ends", "many.fa", "many.tsv"]
    run("scan", "--max-bulges", dna + rna, *options, "-o", "out/all.tsv").ok()
    run("scan", "--max-bulges", limits, *options, "-o", "out/x.tsv").ok()
    found, everything = table("out/x.tsv"), table("out/all.tsv")
    assert all(int(row["dna_bulges"]) <= dna and int(row["rna_bulges"]) <= rna for row in found)
    place = lambda row: (row["contig"], row["pattern"], row["strand"], row["cut"], row["distance"])
    within = {place(row) for row in everything if int(row["dna_bulges"]) <= dna and int(row["rna_bulges"]) <= rna}
    assert within and within <= {place(row) for row in found}
    assert len(found) < len(everything)


def test_wrong_limits_of_bulges(many):
    for text in "1,", ",1", "a", "1,2,3", "-1":
        run("scan", f"--max-bulges={text}", "--pam", "NGG", "-p", "ATTTGCGTTTAACGCAGGCG", "many.fa").fails(
            2, f"--max-bulges {text}: give a number of bases, or two with a comma")


# --- off-targets that a cell showed (GUIDE-seq) ---
#
# The 17 sites of Tsai et al. 2015 (Nat Biotechnol 33, 187, table S2) that lie on chr20 and on chrX 1-70 Mbp of GRCh37, with
# as many mismatches as they have.

CELL_GUIDES = {"VEGFA_site2": "GACCCCCTCCACCCCGCCTC", "VEGFA_site3": "GGTGAGTGAGTGTGTGCGTG",
               "EMX1": "GAGTCCGAGCAGAAGAAGAA", "HEK293_sgRNA4": "GGCACTGCGGCTGGAGGTGG"}

# Contig, start (from 0), strand, guide, site with its PAM, mismatches of the guide.
CELL_SITES = [
    ("20", 10913954, "-", "VEGFA_site2", "CCACCCCCCCACCCCGCCCCTGG", 5),
    ("20", 35991126, "-", "VEGFA_site2", "AGACCCCCCCACCCCACCCCAGG", 6),
    ("20", 62575810, "-", "VEGFA_site2", "CCGCCCCCCCATCCCGCCCCAGG", 6),
    ("20", 20178277, "-", "VEGFA_site3", "AGTGTGTGAGTGTGTGCGTGTGG", 2),
    ("20", 50724387, "+", "VEGFA_site3", "CGTGAGTGAGTGTGTACCTGGGG", 3),
    ("X", 53467704, "-", "EMX1", "GAGTCCGGGAAGGAGAAGAAAGG", 3),
    ("20", 60010545, "+", "HEK293_sgRNA4", "TGCACTGCGGCCGGAGGAGGTGG", 3),
    ("20", 31349755, "+", "HEK293_sgRNA4", "GGCACTGCGGCTGGAGGTGGGGG", 0),  # where it should cut
    ("20", 45342993, "+", "HEK293_sgRNA4", "GGCACTGAGGGTGGAGGTGGGGG", 2),
    ("20", 1151847, "-", "HEK293_sgRNA4", "GGCACTGTGGCTGCAGGTGGAGG", 2),
    ("20", 60895664, "-", "HEK293_sgRNA4", "GGCACAGCAGCTGGAGGTGCTGG", 3),
    ("20", 37471336, "-", "HEK293_sgRNA4", "AGCACTGTGCCTGGGGGTGGGGG", 4),
    ("20", 60080536, "+", "HEK293_sgRNA4", "AGCACTGCAGATGGAGGAGGCGG", 4),
    ("20", 61810732, "-", "HEK293_sgRNA4", "GTCACTGCGGCTGCAGATGGCGG", 3),
    ("20", 24376039, "+", "HEK293_sgRNA4", "GGCACTGAGACCAGAGGTGGTGG", 4),
    ("20", 60174553, "+", "HEK293_sgRNA4", "CCCACTGTGGCTGGAGGTGTGGG", 4),
    ("20", 22805407, "-", "HEK293_sgRNA4", "AGCACTGTTACAGGAGGTGGGGG", 5),
]


@pytest.fixture(scope="module")
def human():
    """bench/genomes.py has this reference: from Debian packages of 90 MB, so the test runs where it was fetched before, or
    where TRAWL_GENOMES or CI is set."""
    sys.path.insert(0, str(ROOT / "bench"))
    import genomes
    if not (genomes.cache() / "human133.fa").exists() and not {"TRAWL_GENOMES", "CI"} & os.environ.keys():
        pytest.skip("human133 is not here: bench/genomes.py human133 fetches it (Debian: vt-examples, smalt-examples)")
    try:
        return genomes.fetch("human133")
    except (OSError, RuntimeError, StopIteration, subprocess.CalledProcessError) as error:
        pytest.skip(f"human133 cannot be fetched: {error}")


def test_sites_of_guide_seq_are_found(human):
    write_lines("cell.tsv", *map("\t".join, CELL_GUIDES.items()))
    run("scan", "--max-mismatches", 6, "--pam", "NGG", human, "cell.tsv", "-o", "out/sites.tsv").ok()
    found = {(row["contig"], int(row["start"]), row["strand"], row["pattern"], row["text"], int(row["mismatches"]))
             for row in table("out/sites.tsv") if (row["dna_bulges"], row["rna_bulges"]) == ("0", "0")}
    assert [site for site in CELL_SITES if site not in found] == []
