"""trawl scan --read-structure: barcodes and UMIs at known places, into tables, tags, files and counts."""

import gzip
import random
from collections import Counter
from pathlib import Path

import pytest

from tools import files_in, random_bases, read_fastq, reverse_complement, rows, run, sam_lines, write_fastq, write_lines

LINKER = "GATTACAGGCATCC"


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
    ("16B,+T r1.fq cells.txt --mates r2.fq --strand both", "one direction of pairs")])
def test_errors(words, message):
    result = run("scan", "-e", 1, "--read-structure", *words.split(), *([] if "out/" in words else ["-o", "out/x.tsv"]))
    assert result.status != 0 and message in result.stderr, result
    assert files_in("out") == []
