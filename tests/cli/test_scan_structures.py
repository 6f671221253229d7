"""trawl scan --read-structure: barcodes and UMIs at known places, into tables, tags, files and counts."""

import gzip
import random
from collections import Counter
from pathlib import Path

import pytest

from tools import files_in, random_bases, read_fastq, reverse_complement, rows, run, sam_lines, write_fastq, write_lines

LINKER = "GATTACAGGCATCC"
A, B = "ACGTACGTTGCA", "TTGGCCAATCAG"


def apart(count, length):
    """Barcodes with four substitutions or more between any two."""
    found = []
    while len(found) < count:
        bases = random_bases(length)
        if all(sum(a != b for a, b in zip(bases, other)) > 3 for other in found):
            found.append(bases)
    return found


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """cells.txt, pairs.csv and reads; what each read has is in its name: BARCODES_UMI_TEMPLATE."""
    random.seed(52)
    cells, guides = apart(40, 16), apart(12, 10)
    write_lines("cells.txt", *cells)
    write_lines("guides.txt", *guides)
    write_lines("few.txt", A, B)
    pairs = [(f"p{n}", guides[n], guides[n // 2], f"G{n // 3}") for n in range(1, 10)]
    write_lines("pairs.csv", "id,first,second,gene", *(",".join(pair) for pair in pairs))
    reads = {name: [] for name in ("r1", "r2", "linked", "both", "d1", "d2")}
    for n in range(300):
        cell, umi, template = random.choice(cells), random_bases(8), random_bases(random.randrange(20, 40))
        read = cell
        if n % 5 == 1:
            read = cell[:4] + cell[5:]  # a base is lost: the UMI begins earlier
        elif n % 5 == 2:
            read = cell[:7] + ("A" if cell[7] != "A" else "C") + cell[8:]
        name = f"{n}_{cell}_{umi}_{template}"
        reads["r1"].append((name, read + umi))
        reads["r2"].append((name, template))
        linked = f"{random_bases(n % 7)}{LINKER}{read}{umi}{template}"
        reads["linked"].append((name, linked))
        reads["both"].append((name, linked if n % 2 else reverse_complement(linked)))
        pair, first, second, _ = random.choice(pairs)
        if n % 10 == 0:  # a combination that the table does not have
            pair, first, second = "none", guides[0], guides[0]
        reads["d1"].append((f"{n}_{pair}", f"TT{first}{template}"))
        reads["d2"].append((f"{n}_{pair}", f"{second}{umi}"))
    for name, entries in reads.items():
        write_fastq(f"{name}.fq", *((read, bases, "".join(random.choice("5?FI") for _ in bases)) for read, bases in entries))


def scan(*words):
    return run("scan", "-e", 1, "--read-structure", *words).ok()


@pytest.mark.parametrize("words", ["16B8M r1.fq cells.txt --mates r2.fq", "16C8U,+T r1.fq cells.txt --mates r2.fq",
                                   f"+S[{LINKER}]16B8M+T linked.fq cells.txt",
                                   f"+S[{LINKER}]16B8M+T both.fq cells.txt --strand both"])
def test_tags(words):
    scan(*words.split(), "-o", "out/x.bam", "--tune=chunk-size=900")
    records = [line.split("\t") for line in sam_lines("out/x.bam")]
    inputs = {name: bases + reverse_complement(bases) for file in ("r1", "linked") for name, bases, _ in read_fastq(f"{file}.fq")
              if (file == "r1") == ("r1.fq" in words)}
    assert len(records) == 300
    for name, flag, *others in records:
        _, cell, umi, template = name.split("_")
        tags = {tag[:2]: tag[5:] for tag in others[9:]}
        assert (flag, others[7]) == ("4", template)
        assert (tags["CB"], tags["UB"], tags["UR"]) == (cell, umi, umi), name
        assert tags["CR"] + umi in inputs[name] and len(tags["CY"]) == len(tags["CR"]) and len(tags["UY"]) == len(umi)
    scan(*words.split(), "-o", "out/x.fq", "-t", 1)
    lines = Path("out/x.fq").read_text().splitlines()
    assert [line.split("\t") for line in lines[::4]] == [[f"@{record[0]}", *record[11:]] for record in records]
    assert [lines[1::4], lines[3::4]] == [[record[field] for record in records] for field in (9, 10)]


def test_table():
    scan("16B8M", "r1.fq", "cells.txt", "-o", "out/x.tsv")
    for n, row in enumerate(rows("out/x.tsv")[1:]):
        _, cell, umi, _ = row[0].split("_")
        edits = 1 if n % 5 in (1, 2) else 0
        assert row[1:] == ["assigned", cell, str(edits), "+", cell, str(edits), "0", "15" if n % 5 == 1 else "16", umi]


def test_combinations():
    words = ["2S10B+T,10B+S", "d1.fq", "pairs.csv", "--mates", "d2.fq"]
    scan(*words, "--extract", "out/by_pair", "--counts", "out/counts.tsv", "-o", "out/calls.tsv")
    expected = Counter(name.split("_")[1] for name, *_ in read_fastq("d1.fq"))
    assert {row[0]: int(row[-1]) for row in rows("out/counts.tsv")[1:]} == {
        name: expected[name] for name in (f"p{n}" for n in range(1, 10))}
    assert rows("out/counts.tsv")[0] == ["sgRNA", "Gene", "d1"]
    assert Counter(row[1] for row in rows("out/calls.tsv")[1:]) == {"assigned": 270, "unassigned": 30}
    for file in files_in("out/by_pair"):
        called = file.split(".")[0].replace("unassigned", "none")
        headers = gzip.decompress(Path(f"out/by_pair/{file}").read_bytes()).decode().splitlines()[::4]
        assert {header.split("_")[1] for header in headers} <= {called}
    # Without a table every combination counts; samples of a sheet may be pairs.
    assert "300 assigned" in scan("2S10B+T,10B+S", "d1.fq", "guides.txt", "--mates", "d2.fq", "-o", "out/x.tsv").stderr
    assert "300 assigned" in scan("2S10B+T,10B+S", "d1.fq", "guides.txt,guides.txt", "--mates", "d2.fq", "-o", "out/y.bam").stderr
    write_lines("sheet.csv", "sample,fastq_1,fastq_2", "T0,d1.fq,d2.fq")
    scan(words[0], "@sheet.csv", "pairs.csv", "--counts", "out/sheet.tsv")
    assert Path("out/sheet.tsv").read_text() == Path("out/counts.tsv").read_text().replace("\td1\n", "\tT0\n")


def test_umis_alone():
    run("scan", "--read-structure", "8M+T", "r1.fq", "-o", "out/x.fq").ok()
    lines = Path("out/x.fq").read_text().splitlines()
    for header, bases, (_, whole, _) in zip(lines[::4], lines[1::4], read_fastq("r1.fq")):
        assert whole == header.split("\t")[2][5:] + bases


def test_ties_by_posterior():
    """A read between two barcodes has the one that more reads have exactly, unless its qualities say otherwise."""
    near = ["ACGTACGTACGTACGT", "ACGTACGAACGTACGT"]
    write_lines("near.txt", *near)
    write_fastq("ties.fq", *((f"e{n}", near[n == 0], "I" * 16) for n in range(60)), ("t", "ACGTACGCACGTACGT", "I" * 16))
    assert "61 reads" in scan("16B", "ties.fq", "near.txt", "--ties", "posterior", "-o", "out/x.tsv").stderr
    assert rows("out/x.tsv")[-1][:4] == ["t", "assigned", near[0], "1"]
    scan("16B", "ties.fq", "near.txt", "-o", "out/y.tsv")
    assert rows("out/y.tsv")[-1][1] == "ambiguous"


def calls(structure, reads, patterns, *words):
    """The cells of each read's row, but its name; reads: their bases."""
    write_fastq("few.fq", *((f"r{n}", bases) for n, bases in enumerate(reads)))
    write_lines("list.txt", *patterns)
    scan(structure, "few.fq", "list.txt", "-o", "out/few.tsv", *words)
    return [row[1:] for row in rows("out/few.tsv")[1:]]


def test_linkers_with_an_error_at_their_end():
    """A substitution, not a deletion: what follows begins where it should."""
    write_fastq("few.fq", ("s", "GTGGCCGATCAAACCCGGGTTT"), ("n", "GTGGCCGATNAAACCCGGGTTT"))
    run("scan", "--read-structure", "[GTGGCCGATG]12M+T", "few.fq", "-o", "out/x.fq").ok()
    assert Path("out/x.fq").read_text().count("UB:Z:AAACCCGGGTTT\t") == 2


def test_short_reads():
    assert calls("12B+T12B", [A, A + B[0], A + B, A + "CC" + B, ""], [A, B])[0][0] == "unassigned"
    assert [row[0] for row in rows("out/few.tsv")[1:]] and [row[1] for row in rows("out/few.tsv")[1:]] == [
        "unassigned", "unassigned", "assigned", "assigned", "unassigned"]
    scan("12B4M+T", "few.fq", "few.txt", "-o", "out/x.sam", "--per-read", "best")
    tags = ["\t".join(line.split("\t")[11:]) for line in sam_lines("out/x.sam")]
    assert "UB:Z:TTGG" in tags[2] and all("UB:Z" not in one for one in tags[:2]) and tags[4] == ""


def test_the_same_barcode_at_both_ends():
    """As in native barcoding: both directions of a read say the same."""
    read = "AC" + A + "GGATTCAGG" + reverse_complement(A) + "GT"
    assert [row[0] for row in calls("2S12B+T12B2S", [read, reverse_complement(read)], [f"n,{A},{reverse_complement(A)}"],
                                    "--strand", "both")] == ["assigned"] * 2


def test_margins_and_posteriors():
    near = [A, "ACGTACGTTGCC"]
    assert [calls("12B+T", [A], near, "--margin", margin, "--ties", ties)[0][0] for margin in (1, 2)
            for ties in ("ambiguous", "posterior")] == ["assigned", "assigned", "ambiguous", "ambiguous"]
    tied = ["GATTACAGATTACA" + bases for bases in [A] * 50 + ["ACGTACGTTGCG"]]
    assert calls("+S[GATTACAGATTACA]+B", tied, near, "--ties", "posterior")[-1][0] == "assigned"


def test_single_reads_among_pairs():
    sam = "".join(f"{name}\t{flag}\t*\t0\t0\t*\t*\t0\t0\t{bases}\t{'I' * len(bases)}\n" for name, flag, bases in [
        ("p", 77, A + "CCCCGG"), ("p", 141, "TTTTGAG"), ("a", 4, A + "CCCCGG"), ("b", 4, B + "AAAAGG")])
    for name, text in (("mixed.sam", sam), ("single.sam", "".join(sam.splitlines(keepends=True)[2:]))):
        Path(name).write_text("@CO\tx\n" + text)
        for size in (20, 10000):
            scan("12B4M+T,4M+T", name, "few.txt", "--interleaved", "--per-read", "best", "-o", f"out/{size}.sam",
                 f"--tune=chunk-size={size}")
        lines = sam_lines("out/20.sam")
        assert lines == sam_lines("out/10000.sam")
        assert [line.split("\t")[:2] for line in lines][-2:] == [["a", "4"], ["b", "4"]]
        assert "UR:Z:CCCC-" in lines[-2] and "UB:Z" not in lines[-2]


def test_tags_of_single_bases():
    """Modified bases belong to the whole read, as it was."""
    tags = "MM:Z:C+m,0;\tML:B:C,9\tMN:i:18\tXY:i:7"
    Path("mm.sam").write_text(f"@CO\tx\nr\t4\t*\t0\t0\t*\t*\t0\t0\t{A}CCCCGG\t*\t{tags}\n")
    scan("12B+T", "mm.sam", "few.txt", "-o", "out/x.bam")
    assert "XY:i:7" in sam_lines("out/x.bam")[0] and "M" not in "".join(sam_lines("out/x.bam")[0].split("\t")[13:])


def test_files_of_a_list_are_not_overwritten():
    Path("l1.txt").write_text(Path("cells.txt").read_text())
    write_lines("one.csv", "sample,fastq_1,fastq_2", "T0,r1.fq,r2.fq")
    before = Path("r2.fq").read_bytes()
    for words in ("16B+T,16B+T r1.fq cells.txt,l1.txt --mates r2.fq -o l1.txt.tsv".replace("l1.txt.tsv", "r2.fq"),
                  "16B8M @one.csv cells.txt -o r2.fq"):
        result = run("scan", "--read-structure", *words.split())
        assert result.status != 0 and "r2.fq" in result.stderr, result
        assert Path("r2.fq").read_bytes() == before
    for words, message in (("--strand both", "leave it out with pairs"), ("--mates r2.fq", "names second mates already")):
        result = run("scan", "--read-structure", "16B8M", "@one.csv", "cells.txt", "-o", "out/x.tsv", *words.split())
        assert result.status == 2 and message in result.stderr, result


@pytest.mark.parametrize("words, message", [
    ("16Q r1.fq cells.txt", "parts are a length or + and a letter"), ("0B r1.fq cells.txt", "is not a length"),
    ("16B+ r1.fq cells.txt", "parts are a length or +"), ("+S16B+T r1.fq cells.txt", "only one part between two linkers"),
    ("[GATX]16B r1.fq cells.txt", "1 to 64 IUPAC letters"), ("[GATT16B r1.fq cells.txt", "a linker ends with ]"),
    ("[GATT:4]16B r1.fq cells.txt", "the edits of a linker"), ("16B+T4M+T r1.fq cells.txt", "only one part between"),
    ("16B4T4T r1.fq cells.txt", "at most one template"), ("16B,+T r1.fq cells.txt", "pairs need --mates"),
    ("16B,+T,+T r1.fq cells.txt --mates r2.fq", "a pair has two mates"), ("12B r1.fq cells.txt", "has 12 letters, and"),
    ("16B r1.fq", "give a file of them"), ("8M+T r1.fq cells.txt", "0 barcodes"), ("16B r1.fq -p ACGTACGTACGTACGT", "put those of -p into one"),
    ("16B8M r1.fq cells.txt -o out/x.bam", "has no template"), ("8B8B r1.fq cells.txt,cells.txt,cells.txt", "2 barcodes (B), and there are 3"),
    ("2S10B+T,10B d1.fq guides.txt --mates d2.fq --extract out/x", "needs a name for each combination"),
    ("2S10B,10B d1.fq guides.txt --mates d2.fq --counts out/x.tsv", "needs a name for each combination"),
    ("16B r1.fq cells.txt --within 5p:20", "leave out --within"), ("16B+T r1.fq cells.txt --trim before -o out/x.fq", "leave out --trim"),
    ("16B,+T r1.fq cells.txt --mates r2.fq --strand both", "one direction of pairs"),
    ("16B+T r1.fq cells.txt --ambiguous match", "leave out --ambiguous match"),
    ("16B8M r1.fq cells.txt --mates r2.fq -o out/x_%.fq", "only one has a template")])
def test_errors(words, message):
    result = run("scan", "-e", 1, "--read-structure", *words.split(), *([] if "out/" in words else ["-o", "out/x.tsv"]))
    assert result.status != 0 and message in result.stderr, result
    assert files_in("out") == []
