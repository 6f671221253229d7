"""References besides one FASTA: 2bit, and several files. GFF3 of trawl scan."""

import os
import random
import re
import struct
from pathlib import Path

import pytest

from tools import (assert_same, execute, header, random_bases, read_fasta, records, rows, run, sorted_tags, table,
                   write_fasta, write_fastq, write_lines)


def two_bit(contigs, order="<", version=0):
    """The bytes of a 2bit file, by the specification."""
    names = [(name.encode(), text) for name, text in contigs]
    width = 4 if version == 0 else 8
    at = 16 + sum(1 + len(name) + width for name, _ in names)
    index, data = b"", b""
    for name, text in names:
        index += bytes([len(name)]) + name + struct.pack(order + ("I" if version == 0 else "Q"), at + len(data))

        def runs(is_in):
            found, begin = [], None
            for i, letter in enumerate(text + "A"):
                if is_in(letter) and i < len(text):
                    begin = i if begin is None else begin
                elif begin is not None:
                    found.append((begin, i - begin))
                    begin = None
            numbers = [len(found), *(one for one, _ in found), *(one for _, one in found)]
            return struct.pack(f"{order}{len(numbers)}I", *numbers)

        data += struct.pack(order + "I", len(text)) + runs(lambda c: c in "Nn") + runs(str.islower)
        data += struct.pack(order + "I", 0)
        padded = text.upper().replace("N", "T") + "T" * (-len(text) % 4)
        data += bytes(sum("TCAG".index(c) << (6 - 2 * i) for i, c in enumerate(padded[j:j + 4]))
                      for j in range(0, len(padded), 4))
    return struct.pack(order + "IIII", 0x1A412743, version, len(names), 0) + index + data


@pytest.fixture(scope="module", autouse=True)
def inputs():
    random.seed(5)
    contigs = [("chr1", random_bases(3001)), ("chr2", random_bases(1002)), ("chr3", random_bases(7)),
               ("chr4", "N" * 50 + random_bases(700).lower() + "NNN" + random_bases(300) + "N" * 5)]
    write_fasta("ref.fa", *contigs)
    Path("ref.2bit").write_bytes(two_bit(contigs))
    Path("swapped.2bit").write_bytes(two_bit(contigs, ">"))
    Path("long.2bit").write_bytes(two_bit(contigs, version=1))
    write_fasta("a.fa", contigs[0], contigs[1])
    Path("b.2bit").write_bytes(two_bit(contigs[2:]))
    write_lines("list.txt", "# two files", "a.fa", "", "b.2bit")
    write_fasta("same.fa", ("chr1", contigs[3][1]), ("chr9", contigs[0][1]))
    texts = [contigs[0][1], contigs[1][1], contigs[3][1][52:700].upper(), contigs[3][1][760:1000]]
    patterns = [text[at:at + 20] for text in texts for at in (0, 57, 200)]
    write_lines("patterns.tsv", *(f"p{n}\t{text}" for n, text in enumerate(patterns)))
    reads = [text[at:at + 100] for text in texts for at in range(0, len(text) - 100, 31)]
    Path("reads.fq").write_text("".join(f"@r{n}\n{text}\n+\n{'I' * 100}\n" for n, text in enumerate(reads)))


@pytest.mark.parametrize("reference", ["ref.2bit", "swapped.2bit", "long.2bit", "a.fa,b.2bit", "@list.txt"])
def test_the_same_reference_gives_the_same(reference):
    run("scan", "-e", 2, "ref.fa", "patterns.tsv", "-o", "out/x.bed").ok()
    run("scan", "-e", 2, reference, "patterns.tsv", "-o", "out/y.bed").ok()
    assert_same("out/x.bed", "out/y.bed")
    run("scan", "-e", 2, "--tune", "chunk-size=100", reference, "patterns.tsv", "-o", "out/z.bed").ok()
    assert_same("out/x.bed", "out/z.bed")
    for name, one in ("x", "ref.fa"), ("y", reference):
        run("map", one, "reads.fq", "-o", f"out/{name}.sam").ok()
    assert records("out/x.sam") == records("out/y.sam")
    sequences = [[line for line in Path(f"out/{name}.sam").read_text().splitlines() if line.startswith("@SQ")]
                 for name in "xy"]
    assert sequences[0] == sequences[1]
    counts = ["mappability", "--engine", "cpu", "--metric", "hamming", "-l", 20, "-e", 2]
    assert_same(run(*counts, "ref.fa").ok(), run(*counts, reference).ok())


def test_the_file_of_a_row():
    """Names of sequences may be the same in two files: a table tells them apart."""
    run("scan", "-e", 1, "a.fa,same.fa", "patterns.tsv", "-o", "out/x.tsv").ok()
    expected = []
    for file in "a.fa", "same.fa":
        run("scan", "-e", 1, file, "patterns.tsv", "-o", "out/one.tsv").ok()
        expected += [[*row, file] for row in rows("out/one.tsv")[1:]]
    assert rows("out/x.tsv")[0][-1] == "file"
    assert rows("out/x.tsv")[1:] == expected and len(expected) > 10
    message = "same.fa: a second sequence with the name chr1, which a.fa has, too; only tables of trawl scan"
    run("scan", "a.fa,same.fa", "patterns.tsv", "-o", "out/y.bed").fails(1, message, "out/y.bed")
    run("map", "a.fa,same.fa", "reads.fq", "-o", "out/y.sam").fails(1, message, "out/y.sam")


def test_many_files():
    """A thousand genomes are one command."""
    random.seed(8)
    texts = [random_bases(300) for _ in range(1000)]
    for n, text in enumerate(texts):
        write_fasta(f"out/g{n}.fa", ("contig", text))
    write_lines("out/list.txt", *(f"out/g{n}.fa" for n in range(1000)))
    result = run("scan", "-p", texts[777][100:130], "-p", texts[3][:30], "@out/list.txt", "-o", "out/x.tsv",
                 "--stats", "out/s.json").ok()
    assert "300000 bases" in result.stderr
    assert [(row["file"], row["start"]) for row in table("out/x.tsv")] == [("out/g3.fa", "0"), ("out/g777.fa", "100")]


@pytest.mark.parametrize("reference, status, message", [
    ("a.fa,none.fa", 1, "none.fa: there is no such file; it is a part of the reference a.fa,none.fa"),
    ("@none.txt", 1, "none.txt"),
    ("@empty.txt", 1, "empty.txt: has no names of files; give one in each line"),
    ("@wrong.txt", 1, "wrong.txt:2: there is no file nothing.fa")])
def test_bad_lists(reference, status, message):
    write_lines("empty.txt", "# nothing")
    write_lines("wrong.txt", "a.fa", "nothing.fa")
    run("scan", reference, "patterns.tsv", "-o", "out/x.bed").fails(status, message, "out/x.bed")


@pytest.mark.parametrize("change, message", [
    (lambda data: data[:30], "this 2bit file ends too early; copy it again"),
    (lambda data: data[:-400], "this 2bit file ends too early; copy it again"),
    (lambda data: data[:4] + b"\7\0\0\0" + data[8:], "has version 7 of 2bit, and Trawl reads 0 and 1"),
    (lambda data: data[:8] + b"\0\0\0\0" + data[12:], "has no sequences"),
    (lambda data: data.replace(b"chr2", b"chr1"), "a second sequence with the name chr1; names must differ"),
    (lambda data: data.replace(b"chr2", b"c,r2"), "the sequence name c,r2 is not one that SAM allows; rename it")],
    ids=range(6))
def test_damaged_2bit(change, message):
    Path("bad.2bit").write_bytes(change(Path("ref.2bit").read_bytes()))
    run("scan", "bad.2bit", "patterns.tsv", "-o", "out/x.bed").fails(1, message, "out/x.bed")


HOSTILE = {"A/duck(H5N8)": "A/duck_H5N8_", "*x": "_x", "a,b": "a_b", "ok": "ok"}


def test_names_that_sam_does_not_allow():
    """--rename-contigs: forbidden letters become _."""
    bases = {name: random_bases(2000) for name in HOSTILE}
    write_fasta("out/names.fa", *bases.items())
    write_fasta("out/same.fa", *((HOSTILE[name], text) for name, text in bases.items()))
    write_fasta("out/reads.fa", *((f"r{i}", text[500:560]) for i, text in enumerate(bases.values())))
    for command in ["map", "out/names.fa", "out/reads.fa"], ["scan", "out/names.fa", "out/reads.fa"]:
        run(*command, "-o", "out/no.sam").fails(1, "--rename-contigs", "out/no.sam")
        for end in "sam", "bed":
            result = run(*command, "--rename-contigs", "-o", f"out/x.{end}").ok()
            assert "3 sequence name(s) changed for SAM (--rename-contigs): A/duck(H5N8) is now A/duck_H5N8_" in result.stderr
            run(command[0], "out/same.fa", command[2], "-o", f"out/y.{end}").ok()
            text = Path(f"out/x.{end}").read_text()
            assert text.replace(" --rename-contigs", "").replace("names.fa", "same.fa") == Path(f"out/y.{end}").read_text()
    run("index", "--rename-contigs", "out/names.fa", "-o", "out/x.trawl").ok()
    run("index", "--check", "out/x.trawl", "out/names.fa").ok()
    run("map", "out/x.trawl", "out/reads.fa", "-o", "out/z.bed").ok()
    run("map", "out/same.fa", "out/reads.fa", "-o", "out/y.bed").ok()
    assert_same("out/z.bed", "out/y.bed")
    # samtools would not find the sequences in the FASTA.
    result = run("map", "--rename-contigs", "out/names.fa", "out/reads.fa", "-o", "out/x.cram").ok()
    assert "line 1 of out/names.fa has a name that SAM does not allow" in result.stderr
    assert [record.contig for record in records("out/x.cram")] == list(HOSTILE.values())
    write_fasta("out/twice.fa", ("a(b", "ACGT"), ("a[b", "ACGT"))
    run("map", "--rename-contigs", "out/twice.fa", "out/reads.fa").fails(
        1, "out/twice.fa:3: a second sequence with the name a_b (--rename-contigs makes _ of letters that SAM does not allow)")


def test_gff3():
    write_lines("out/p.tsv", "a;b=c,d%\tACGTACGTAC", *Path("patterns.tsv").read_text().splitlines())
    run("scan", "-e", 2, "ref.fa", "out/p.tsv", "-o", "out/x.tsv").ok()
    run("scan", "-e", 2, "ref.fa", "out/p.tsv", "-o", "out/x.gff3").ok()
    run("scan", "-e", 2, "ref.fa", "out/p.tsv", "-o", "out/x.gff3.gz").ok()
    assert_same("out/x.gff3", execute("gzip", "-dc", "out/x.gff3.gz").ok().bytes)
    lines = Path("out/x.gff3").read_text().splitlines()
    assert lines[0] == "##gff-version 3"
    found = []
    for line in lines[1:]:
        contig, source, kind, start, end, score, strand, phase, attributes = line.split("\t")
        assert (source, kind, phase) == ("trawl", "nucleotide_match", ".")
        values = dict(one.split("=") for one in attributes.split(";"))
        name = values.pop("Name")
        for code, letter in ("%3B", ";"), ("%3D", "="), ("%2C", ","), ("%25", "%"):
            name = name.replace(code, letter)
        assert score == values["distance"]
        found.append([contig, str(int(start) - 1), end, name, strand, *values.values()])
    assert found == rows("out/x.tsv")[1:] and len(found) > 10
    write_lines("out/genes.gff3", "##gff-version 3", "chr1\tme\tgene\t1\t40\t.\t+\t.\tID=g1;Name=my;gene=A,B")
    run("scan", "-e", 2, "ref.fa", "out/p.tsv", "--annotate", "out/genes.gff3", "-o", "out/y.gff3").ok()
    run("scan", "-e", 2, "ref.fa", "out/p.tsv", "--annotate", "out/genes.gff3", "-o", "out/y.tsv").ok()
    genes = [line.split(";gene=")[1] for line in Path("out/y.gff3").read_text().splitlines()[1:]]
    assert genes == [f"{row['gene']};feature={row['feature']}" for row in table("out/y.tsv")]
    assert "my;feature=gene" in genes


def test_a_cram_names_the_file_of_each_sequence(monkeypatch):
    monkeypatch.setenv("REF_PATH", "/nowhere")
    monkeypatch.setenv("REF_CACHE", "")
    contigs = read_fasta("ref.fa")
    write_fasta("out/c.fa", *((name, contigs[name]) for name in ("chr3", "chr4")))
    run("map", "-e", 4, "a.fa,out/c.fa", "reads.fq", "-o", "out/x.cram").ok()
    urls = re.findall("UR:(.*)", header("out/x.cram"))
    assert urls == [os.path.abspath(path) for path in ("a.fa", "a.fa", "out/c.fa", "out/c.fa")]
    assert [record.contig for record in records("out/x.cram")] == [
        record.contig for record in records(run("map", "-e", 4, "ref.fa", "reads.fq").ok())]


def test_a_cram_of_2bit_names_no_file():
    result = run("map", "-e", 4, "a.fa,b.2bit", "reads.fq", "-o", "out/x.cram").ok()
    assert "to read out/x.cram, samtools needs the reference as plain or bgzip FASTA; b.2bit is 2bit" in result.stderr
    assert [line.count("UR:") for line in header("out/x.cram").splitlines() if line.startswith("@SQ")] == [1, 1, 0, 0]


@pytest.mark.parametrize("line_3, fault", [
    ("GGTACCUA", "line 3 of out/odd.fa has U"),
    ("GGTACCTA ", "line 3 of out/odd.fa differs in length"),
    ("GGTACC", "line 4 of out/odd.fa differs in length"),
    ("\nGGTACCTA", "line 4 of out/odd.fa differs in length"),
    ("GGTACCTA\r", "line 3 of out/odd.fa differs in length"),
    ("\ufeff", "out/odd.fa begins with a byte order mark")])
def test_a_cram_of_a_fasta_that_samtools_cannot_use(monkeypatch, line_3, fault):
    """It needs no FASTA. The command of the warning mends the FASTA."""
    monkeypatch.setenv("REF_PATH", "/nowhere")
    random.seed(3)
    text = random_bases(400)
    lines = [">c 1", text[:8], line_3.strip("\ufeff") or "GGTACCTA", *(text[at:at + 8] for at in range(8, 400, 8)), "",
             ">d", text[:7]]
    Path("out/odd.fa").write_text(("\ufeff" if line_3 == "\ufeff" else "") + "\n".join(lines) + "\n")
    letters = "".join("".join(lines[1:-3]).replace("U", "T").split())
    write_fastq("out/r.fq", *((f"r{at}", letters[at:at + 60]) for at in range(0, 300, 50)))
    result = run("map", "out/odd.fa", "out/r.fq", "-o", "out/x.cram").ok()
    assert f"warning: samtools cannot use the FASTA ({fault}" in result.stderr
    expected = sorted_tags(run("map", "out/odd.fa", "out/r.fq").ok())
    assert sorted_tags("out/x.cram") == expected and len(expected) == 6 and "UR:" not in header("out/x.cram")
    if "U" in line_3:
        assert sorted_tags("out/x.cram", "-T", "out/odd.fa") == expected
    command = re.search("zcat .*", result.stderr)[0].replace("FASTA", "out/odd.fa").replace("NEW", "out/new.fa")
    execute("bash", "-c", command).ok()
    assert "".join(Path("out/new.fa").read_text().split("\n")[1:2]) == letters
    assert "warning" not in run("map", "out/new.fa", "out/r.fq", "-o", "out/y.cram").ok().stderr
    assert sorted_tags("out/y.cram") == expected and "UR:" in header("out/y.cram")


def test_a_file_of_reads_with_a_comma_in_its_path():
    Path("out/sample=A,rep=1").mkdir()
    os.link("reads.fq", "out/sample=A,rep=1/r.fq")
    expected = run("map", "ref.fa", "reads.fq").ok()
    assert_same(run("map", "ref.fa", "out/sample=A,rep=1/r.fq").ok(), expected)
    run("map", "ref.fa", "out/sample=A,rep=2/r.fq").fails(1, "out/sample=A: ")
