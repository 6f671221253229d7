"""trawl guides: its counts are those of trawl scan --summary; regions, filters, formats, memory, and what is wrong.
tests/conformance/guide_sites_test.cpp compares the sites with an oracle."""

import collections
import csv
import random

import pytest

from tools import (assert_same, bgzip, has_cuda, random_bases, read_fasta, read_json, reverse_complement, rows, run, table,
                   write_fasta, write_lines)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """Families of guides with few mismatches, on both strands, beside all kinds of PAMs; runs of N; a circular contig."""
    random.seed(54)
    families = [random_bases(20) for _ in range(12)]

    def text(sites):
        parts = []
        for _ in range(sites):
            site = list(random.choice(families))
            for _ in range(random.randrange(6)):
                site[random.randrange(20)] = random.choice("ACGTACGTACGTN")
            site = "TTTA" + "".join(site) + random_bases(1) + random.choice(["GG", "GG", "AG", "GA", "TT"])
            parts += [site if random.random() < .5 else reverse_complement(site), random_bases(random.randrange(25))]
        return "".join(parts)

    write_fasta("g.fa", ("chr1 words", text(900)), ("chr2", "N" * 50 + text(300).lower() + "N" * 7 + text(300)),
                ("short", "ACGTGG"), ("ring TP:circular", "GG" + text(100) + "ACGTACGTACGTACGTACGTA"))


def guides(path):
    separator = "," if ".csv" in str(path) else "\t"
    with open(path) as file:
        return list(csv.DictReader(file, delimiter=separator))


def check_with_scan(found, edits, pams):
    """Every guide has the numbers of trawl scan --summary."""
    one = {row["sequence"]: row for row in found}
    write_lines("p.tsv", *(f"{bases}\t{bases}" for bases in one))
    run("scan", "--metric", "hamming", "-e", edits, "--pam", pams, "g.fa", "p.tsv", "-o", "out/s.bed", "--summary",
        "out/summary.tsv").ok()
    several = 0
    for row in table("out/summary.tsv"):
        guide = one[row["sequence"]]
        for column in row:
            if column.startswith("mismatches_") or column == "without_score" and column in guide:
                assert guide[column] == row[column], (column, guide, row)
            if column.endswith("specificity") and column in guide:
                assert float(guide[column]) == pytest.approx(float(row[column]), abs=.00501), (guide, row)
        several += int(guide["mismatches_0"]) > 1
    return several


@pytest.mark.parametrize("edits", range(5))
def test_counts_are_those_of_scan(edits):
    run("guides", "-e", edits, "g.fa", "-o", "out/g.tsv", "-t", 2, "--engine", "cpu").ok()
    found = guides("out/g.tsv")
    contigs = {name.split()[0]: letters.upper() for name, letters in read_fasta("g.fa").items()}
    expected = 0
    for name, letters in contigs.items():
        letters += letters[:22] if name == "ring" else ""
        for at in range(len(letters) - 22):
            for text in letters[at:at + 23], reverse_complement(letters[at:at + 23]):
                expected += text.endswith("GG") and set(text[:21]) <= set("ACGT")
    assert len(found) == expected > 1000
    for row in found:
        ring = contigs[row["contig"]] * 2
        text = ring[int(row["start"]):int(row["end"])]
        text = text if row["strand"] == "+" else reverse_complement(text)
        assert text == row["sequence"] + row["pam"], row
        assert float(row["gc"]) == 100 * sum(base in "GC" for base in text[:20]) / 20
        assert row["tttt"] == ("yes" if "TTTT" in text[:20] else "no")
        assert row["longest_run"] == str(max(n for n in range(1, 21) for base in "ACGT" if base * n in text[:20]))
    assert check_with_scan(found, edits, "NGG") > 50
    places = [(list(contigs).index(row["contig"]), int(row["start"]), row["strand"]) for row in found]
    assert places == sorted(places)


@pytest.mark.parametrize("options, pams", [("--off-pam NAG", "NGG,NAG"), ("--pam TTTV:5' --length 23", "TTTV:5'"),
                                           ("--pam NGG,NGA -l 18", "NGG,NGA"), ("--off-pam NNN -e 4", "NNN")])
def test_other_pams(options, pams):
    run("guides", *options.split(), "g.fa", "-o", "out/g.tsv").ok()
    found = guides("out/g.tsv")
    assert len(found) > 500
    check_with_scan(found, 4 if "-e 4" in options else 3, pams)


def test_seeds():
    run("guides", "--seed-length", 8, "g.fa", "-o", "out/g.tsv").ok()
    found = guides("out/g.tsv")
    seeds = {}
    for row in found:
        seeds.setdefault(row["sequence"][-8:], []).append(int(row["seed_sites"]))
    # Sites whose other bases have an N are no guides.
    texts = [(letters + letters[:22] * (name[0] == "r")).upper() for name, letters in read_fasta("g.fa").items()]
    every = "|".join(texts + [reverse_complement(text) for text in texts])
    expected = collections.Counter(
        every[at:at + 8] for at in range(12, len(every))
        if every[at + 8:at + 9] in set("ACGT") and every[at + 9:at + 11] == "GG" and "|" not in every[at - 12:at])
    assert {seed: set(all_of) for seed, all_of in seeds.items()} == {seed: {expected[seed]} for seed in seeds}
    assert max(len(all_of) for all_of in seeds.values()) > 20


def test_regions_and_genes():
    run("guides", "g.fa", "-o", "out/all.tsv").ok()
    write_lines("r.bed", "chr1\t1000\t1500", "ring\t0\t30", "chr1\t1400\t2000", "chr2\t5\t9")
    write_lines("genes.bed", "chr1\t1200\t1300\tABC1", "ring\t0\t9\tXYZ2")
    run("guides", "g.fa", "--regions", "r.bed", "--annotate", "genes.bed", "-o", "out/some.tsv", "--stats",
        "out/s.json").ok()

    ring = len(read_fasta("g.fa")["ring"])

    def overlaps(row, contig, begin, end):
        start, last = int(row["start"]), int(row["end"])
        over_origin = contig == "ring" and last - ring > begin
        return row["contig"] == contig and start < end and last > begin or row["contig"] == contig and over_origin

    every, some = guides("out/all.tsv"), guides("out/some.tsv")
    wanted = [row for row in every if overlaps(row, "chr1", 1000, 2000) or overlaps(row, "ring", 0, 30)]
    assert any(int(row["end"]) > ring for row in wanted if row["contig"] == "ring")
    assert [{name: row[name] for name in every[0]} for row in some] == wanted and len(wanted) > 50
    for row in (row for row in some if row["contig"] != "ring" or int(row["end"]) <= ring):
        assert row["gene"] == ("ABC1" if overlaps(row, "chr1", 1200, 1300)
                               else "XYZ2" if overlaps(row, "ring", 0, 9) else ".")
    stats = read_json("out/s.json")
    assert stats["guides"] == stats["written"] == len(some) and stats["sites"] > len(every)


def test_filters_and_formats():
    run("guides", "g.fa", "-o", "out/all.tsv").ok()
    every = guides("out/all.tsv")
    run("guides", "--only-unique", "--min-specificity", 60, "g.fa", "-o", "out/few.csv").ok()
    few = [row for row in every if row["mismatches_0"] == "1" and float(row["cfd_specificity"]) >= 60]
    assert guides("out/few.csv") == few and 0 < len(few) < len(every)
    run("guides", "g.fa", "-o", "out/all.bed").ok()
    for row, line in zip(every, rows("out/all.bed"), strict=True):
        counts = ",".join(row[f"mismatches_{m}"] for m in range(4))
        assert line == [row["contig"], row["start"], row["end"], row["sequence"], line[4], row["strand"], row["pam"],
                        row["cut"], counts, row["cfd_specificity"], row["mit_specificity"]]
        assert abs(int(line[4]) - 10 * float(row["cfd_specificity"])) < .51
    for name in "out/all.bed", "out/all.tsv":
        run("guides", "g.fa", "-o", f"{name}.gz").ok()
        assert bgzip("-dc", f"{name}.gz") == open(name, "rb").read()
    assert run("guides", "g.fa").ok().bytes == open("out/all.tsv", "rb").read()
    run("index", "g.fa", "-o", "g.trawl").ok()
    run("guides", "g.trawl", "-o", "out/index.tsv").ok()
    assert_same("out/all.tsv", "out/index.tsv")
    if has_cuda():
        run("guides", "g.fa", "--engine", "cuda", "-o", "out/cuda.tsv").ok()
        assert_same("out/all.tsv", "out/cuda.tsv")
    write_lines("few.tsv", *(f"{row['sequence']}\t{row['sequence']}" for row in every[::50]))
    run("scan", "--metric", "hamming", "-e", 0, "--pam", "NGG", "g.fa", "few.tsv", "-o", "out/few.tsv").ok()
    cuts = {(row["contig"], row["start"], row["strand"]): row["cut"] for row in every}
    found = table("out/few.tsv")
    assert len(found) > 20 and all(cuts[row["contig"], row["start"], row["strand"]] == row["cut"] for row in found)


def test_threads_and_memory_change_nothing():
    """With little memory the guides are counted in parts."""
    write_fasta("large.fa", ("c1", random_bases(4_000_000)), ("c2", random_bases(100_000) * 2))
    run("guides", "large.fa", "-o", "out/one.tsv", "-t", 1).ok()
    said = run("guides", "large.fa", "-o", "out/x.tsv", "-t", 1, "--memory", "1K").fails(1, "need at least")
    least = int(said.stderr.split("need at least ")[1].split()[0])
    for options in ["-t", 3], ["--memory", f"{least}M", "-t", 1]:
        run("guides", "large.fa", "-o", "out/two.tsv", *options, "--stats", "out/s.json").ok()
        assert_same("out/one.tsv", "out/two.tsv")
    stats = read_json("out/s.json")
    assert stats["parts"] > 1 and stats["peak_resident_bytes"] < least << 20


def test_what_is_wrong():
    write_lines("none.bed", "#")
    for options, status, message in [
            ("-e 5", 2, "from 0 to 4"), ("-l 30", 2, "from 12 to 28"), ("--pam NGGX", 2, "--pam"),
            ("--off-pam NA", 2, "as long as --pam NGG"), ("--off-pam TTV:5'", 2, "on the same side"),
            ("-l 21 --min-specificity 50", 2, "20 bases"), ("--min-specificity 101", 2, "from 0 to 100"),
            ("-o x.sam", 2, "use .tsv"), ("-o x.bed --annotate genes.bed", 2, "a table"),
            ("-o x.bed.gz --seed-length 8", 2, "a table"), ("--regions none.bed", 1, "has no regions"),
            ("--regions missing.bed", 1, "missing.bed"), ("--pam " + "N" * 17, 2, "at most 16")]:
        run("guides", "g.fa", *options.split()).fails(status, message)
    write_fasta("empty.fa", ("only", "ACGT"))
    assert len(run("guides", "empty.fa").ok().stdout.splitlines()) == 1
