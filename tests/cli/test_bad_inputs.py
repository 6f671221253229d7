"""Unusable input: a message that says where and why, status 1, and no output. The messages for each wrong line of FASTA
and FASTQ, and for damaged gzip data, are tested by tests/unit/io/read."""

import gzip
import os
import re
from pathlib import Path

import pytest

from tools import bgzip, execute, make_input, run, samtools


@pytest.fixture(scope="module", autouse=True)
def inputs():
    make_input(60000, 1500)


def refused(message, ref, reads):
    """For texts, a binary file and BED."""
    for output in "out/x.sam", "out/x.bam", "out/x.cram", "out/x.bed.gz":
        run("map", "-t", 2, ref, reads, "-o", output).fails(1, message, output)


def refused_as(name, data, message):
    """As a reference if it is one by its name, else as reads."""
    Path(name).write_bytes(data if isinstance(data, bytes) else data.encode())
    refused(f"{name}{message}", *([name, "reads.fq"] if ".fa" in name else ["ref.fa", name]))


# --- compressed files ---


@pytest.fixture(scope="module")
def gz(inputs):
    """reads.fq"""
    return execute("gzip", "-c", "reads.fq").ok().bytes


@pytest.fixture(scope="module")
def bgz(inputs):
    """reads.fq"""
    return bgzip("-c", "reads.fq")


def first_block(data):
    end = int.from_bytes(data[16:18], "little") + 1
    assert data[end:end + 4] == b"\x1f\x8b\x08\x04", "one block only"
    return data[:end]


GZIP_CUT = ": the gzip data end in the middle"
BGZF_CUT = ": the BGZF data end in the middle of a block"
NO_END = ": the BGZF end marker is missing"


def test_truncated_gzip(gz):
    refused_as("half.fq.gz", gz[:len(gz) // 2], GZIP_CUT)
    refused_as("end.fq.gz", gz[:-4], GZIP_CUT)
    refused_as("start.fq.gz", gz[:12], GZIP_CUT)
    run("map", "ref.fa", "-", "-o", "out/x.bam", stdin="half.fq.gz").fails(1, f"standard input{GZIP_CUT}", "out/x.bam")


def test_truncated_bgzf(bgz):
    refused_as("half.bgz", bgz[:len(bgz) // 2], BGZF_CUT)
    refused_as("block.bgz", first_block(bgz), NO_END)
    refused_as("no_end.bgz", bgz[:-28], NO_END)


def test_a_truncated_reference():
    data = execute("gzip", "-c", "ref.fa").ok().bytes
    refused_as("half.fa.gz", data[:len(data) // 2], GZIP_CUT)
    data = bgzip("-c", "ref.fa")
    refused_as("half.fa.bgz", data[:len(data) // 3], BGZF_CUT)
    three = Path("ref.fa").read_text() * 3
    names = iter(range(1, 100))
    data = bgzip("-c", stdin=re.sub(">.*", lambda _: f">c{next(names)}", three).encode())
    refused_as("block.fa.bgz", first_block(data), NO_END)
    run("map", "-", "reads.fq", "-o", "out/x.bam", stdin="block.fa.bgz").fails(
        1, f"standard input{NO_END}", "out/x.bam")


def test_wrong_text_may_be_damage():
    """The text is given before the checksum is known. The message is the same for any threads."""
    for name in "reads.fq", "ref.fa":
        data = bytearray(gzip.compress(Path(name).read_bytes(), compresslevel=0))
        data[data.index(b"\n", 60000) + 1] = ord("!")
        Path(f"doubt.{name}.gz").write_bytes(data)
    messages = set()
    for threads in 1, 2, 5:
        result = run("map", "-t", threads, "ref.fa", "doubt.reads.fq.gz", "-o", "out/x.sam").fails(
            1, "; or the compressed file is damaged (test it with gzip -t)", "out/x.sam")
        messages.add(tuple(line for line in result.stderr.splitlines() if "engine cpu" not in line))
        run("map", "-t", threads, "doubt.ref.fa.gz", "reads.fq", "-o", "out/x.sam").fails(
            1, "is not an IUPAC letter; or the compressed file is damaged (test it with gzip -t)", "out/x.sam")
    assert len(messages) == 1


# --- FASTQ ---


def test_the_first_error_is_reported():
    """One is found late, one early; for any batches and timing."""
    lines = Path("reads.fq").read_text().splitlines(keepends=True)
    lines[3401] = lines[3401].replace("A", "!", 1)
    lines[3435] = lines[3435][1:]
    Path("two_faults.fq").write_text("".join(lines))
    for batch in 0, 1, 7, 50, 1000:
        for threads in 1, 2, 4:
            run("map", "-t", threads, "--tune", f"batch-size={batch}", "ref.fa", "two_faults.fq", "-o", "out/x.sam").fails(
                1, "two_faults.fq:3402: the sequence contains '!'", "out/x.sam")


# --- other kinds of files ---


def test_alignment_files():
    for name in "reads.bam", "reads.sam":
        samtools("import", "-0", "reads.fq", "-o", name)
    refused("reads.sam: this is an alignment file; a reference must be FASTA", "reads.sam", "reads.fq")
    run("scan", "ref.fa", "reads.bam", "-o", "out/x.bed").fails(
        1, "reads.bam: this is an alignment file; patterns are FASTA or a table", "out/x.bed")


@pytest.mark.parametrize("name, magic, kind, program", [
    ("reads.zst", b"\x28\xb5\x2f\xfd", "zstd data", "zstdcat"),
    ("reads.xz", b"\xfd7zXZ\0", "xz data", "xzcat"),
    ("reads.bz2", b"BZh9", "bzip2 data", "bzcat"),
    ("reads.zip", b"PK\3\4", "a zip file", "unzip -p"),
    ("little.fq", b"\xff\xfe", "UTF-16 text", "iconv -f UTF-16 -t UTF-8"),
    ("big.fq", b"\xfe\xff", "UTF-16 text", "iconv -f UTF-16 -t UTF-8")])
def test_other_kinds(gz, name, magic, kind, program):
    Path(name).write_bytes(magic + gz[:3000])
    if f"{kind.split()[0]} " in run("info").ok().stdout:
        pytest.skip(f"this build reads {kind}")
    message = f": this is {kind}, which Trawl does not read; give it the text: {program}"
    refused(f"{name}{message} {name} | trawl map REF -", "ref.fa", name)
    refused(f"{name}{message} {name} > genome.fa", name, "reads.fq")
    run("map", "ref.fa", "-", stdin=name).fails(1, f"standard input{message} | trawl map REF -")
    if kind == "a zip file":
        return  # as patterns it may be a spreadsheet
    run("scan", "ref.fa", name, "-o", "out/x.bed").fails(1, f"{name}{message} {name} | trawl scan REF -", "out/x.bed")
    run("scan", "ref.fa", "-", "-o", "out/x.bed", stdin=name).fails(
        1, f"standard input{message} | trawl scan REF -", "out/x.bed")


@pytest.mark.parametrize("magic", [b"\x43\x27\x41\x1a", b"\x1a\x41\x27\x43"])
def test_2bit(gz, magic):
    """A file is read (test_references.py), a pipe is not."""
    Path("g.2bit").write_bytes(magic + bytes(12) + gz[:3000])
    scan = ["scan", "-o", "out/x.bed"]
    run(*scan, "-p", "ACGTACGT", "g.2bit").fails(1, "g.2bit: has no sequences", "out/x.bed")
    refused("g.2bit: has no sequences", "g.2bit", "reads.fq")
    run(*scan, "ref.fa", "g.2bit").fails(
        1, "g.2bit: this is 2bit data, which Trawl does not read; give it the text: twoBitToFa g.2bit stdout | trawl scan "
           "REF -", "out/x.bed")
    run(*scan, "-p", "ACGTACGT", "-", stdin="g.2bit").fails(
        1, "give it the text: twoBitToFa FILE stdout > genome.fa", "out/x.bed")


@pytest.mark.parametrize("magic", [b"PK\3\4", b"\xd0\xcf\x11\xe0"])
@pytest.mark.parametrize("command", ["scan", "primers"])
def test_spreadsheets(gz, magic, command):
    Path("guides.xlsx").write_bytes(magic + gz[:3000])
    run(command, "ref.fa", "guides.xlsx", "-o", "out/x.bed").fails(
        1, "guides.xlsx: this is data of a spreadsheet program (.xlsx, .ods, .xls), or a zip file, which Trawl does "
           "not read; save the table as CSV", "out/x.bed")


def test_a_saved_index():
    run("index", "ref.fa", "-o", "ref.trawl").ok()
    message = "ref.trawl: this is a saved index; it is the first argument (REF)"
    refused(message, "ref.fa", "ref.trawl")
    run("scan", "ref.fa", "ref.trawl", "-o", "out/x.bed").fails(1, message, "out/x.bed")
    message = "standard input: a saved index cannot be read from standard input"
    run("map", "-", "reads.fq", "-o", "out/x.sam", stdin="ref.trawl").fails(1, message, "out/x.sam")
    run("scan", "-p", "ACGTACGTAC", "-", "-o", "out/x.bed", stdin="ref.trawl").fails(1, message, "out/x.bed")


# --- no reads, missing files, and directories ---


def test_no_reads_are_no_error():
    Path("empty.fq").touch()
    assert "warning: the input has no reads" in run("map", "ref.fa", "empty.fq", "-o", "out/empty.sam").ok().stderr


@pytest.mark.parametrize("message, ref, reads", [
    ("nowhere.fq: cannot open: No such file or directory", "ref.fa", "nowhere.fq"),
    ("nowhere.fa: cannot open: No such file or directory", "nowhere.fa", "reads.fq"),
    ("folder: is a directory; name a file in it", "ref.fa", "folder"),
    ("folder: is a directory; name a file in it", "folder", "reads.fq"),
    ("reads.fq/below: cannot open: Not a directory", "ref.fa", "reads.fq/below"),
    # Before the work begins, even if it is the last one.
    ("nowhere.fq: cannot open", "ref.fa", "reads.fq,nowhere.fq")])
def test_missing_files_and_directories(message, ref, reads):
    os.makedirs("folder", exist_ok=True)
    refused(message, ref, reads)
