"""The limits of docs/limits.md: at each of them the program works, and what is beyond has a message that names it."""

import gzip
import os
import random
import resource
from pathlib import Path

import pytest

from tools import assert_same, make_input, random_bases, records, rows, run, write_fasta, write_lines


@pytest.fixture(scope="module", autouse=True)
def inputs():
    make_input(30000, 200)
    write_fasta("one.fa", ("r", "ACGTACGTTTGACCATGCATG"))
    write_fasta("two.fa", ("r", "CATGCATGGTCAAACGTACGT"))


# --- options ---


@pytest.mark.parametrize("message, arguments", [
    ("at most 255 edits are possible", "map -e 256 ref.fa one.fa"),
    ("number from 0 to 64", "scan -e 65 -p ACGT ref.fa"),
    ("at most 255 edits are possible", "mappability -l 1000 -e 256 ref.fa -o out/x.bedgraph"),
    ("number from 1 to 100000", "mappability -l 100001 ref.fa -o out/x.bedgraph"),
    ("--threads 1025: at most 1024 are possible", "map -t 1025 ref.fa one.fa"),
    ("number from 0 to 1000", "map --join 1001 ref.fa one.fa"),
    ("--clip 32768: at most 32767 bases can be left out", "map --clip 32768 ref.fa one.fa"),
    ("--clip 50%: give a number of bases", "map --clip 50% ref.fa one.fa"),
    ("at most 100000000", "map --insert 1-100000001 ref.fa one.fa two.fa"),
    ("at least 1M is needed", "map --sort --sort-memory 1 ref.fa one.fa -o out/x.bam")])
def test_numbers_that_are_too_large(message, arguments):
    run(*arguments.split()).fails(2, message, "out/x.bam")


def test_the_largest_numbers():
    run("map", "-e", 255, "--clip", 32767, "-t", 1000, "ref.fa", "one.fa", "-o", "out/x.sam").ok()
    run("map", "--insert", "1-100000000", "--join", 1000, "ref.fa", "one.fa", "two.fa", "-o", "out/x.sam").ok()


# --- lengths ---


def test_names_of_reads_and_patterns():
    for length, is_allowed in (254, True), (255, False):
        write_fasta("named.fa", ("n" * length, "ACGTACGTTTGACCATGCATG"))
        for command, what in ("map", "read"), ("scan", "pattern"):
            result = run(command, "ref.fa", "named.fa", "-o", "out/x.bed")
            if is_allowed:
                result.ok()
            else:
                result.fails(1, f"the {what} name has 255 characters; SAM allows")


@pytest.mark.parametrize("format", ["sam", "bam", "cram", "bed"])
def test_long_names_of_contigs(format):
    name = "c" * 60000
    write_fasta("long_name.fa", (name, "ACGTACGTTTGACCATGCATGCACGGATTAGC"))
    run("map", "-e", 0, "long_name.fa", "one.fa", "-o", f"out/x.{format}").ok()
    found = rows("out/x.bed")[0][0] if format == "bed" else records(f"out/x.{format}", "-T", "long_name.fa")[0].contig
    assert found == name


def test_letters_of_a_pattern():
    for length, status in (16384, 0), (16385, 2):
        assert run("scan", "-e", 0, "-p", "A" * length, "ref.fa").status == status
    write_lines("pattern.txt", "A" * 16385)
    run("scan", "-e", 0, "ref.fa", "pattern.txt").fails(1, "more than 16384 letters")


def test_reads_of_1_to_100000_bases():
    random.seed(5)
    text = random_bases(100000)
    write_fasta("long.fa", ("c", text))
    reads = [(f"r{n}", text[:n]) for n in (1, 2, 10, 100, 10000, 40000, 100000)]
    write_fasta("reads.fa", *reads)
    run("map", "long.fa", "reads.fa", "-o", "out/x.bam").ok()
    found = {record.name: record for record in records("out/x.bam")}
    assert len(found) == len(reads)
    for name, bases in reads[3:]:
        assert (found[name].position, found[name].cigar) == (1, f"{len(bases)}M")
    # BAM has room for 65,535 operations in a CIGAR; a longer one is in the tag CG, and samtools puts it back.
    edits = list(text[:70000])
    edits[35000:35000] = "ACCA"
    write_fasta("edited.fa", ("r", "".join(edits)))
    run("map", "-e", 20, "--end-to-end", "long.fa", "edited.fa", "-o", "out/y.bam").ok()
    assert sum(1 for record in records("out/y.bam") if record.tags["NM"] == 4) == 1


# --- counts ---


def test_5000_files_and_20_descriptors():
    os.mkdir("many")
    parts = []
    lines = Path("reads.fq").read_text().splitlines(keepends=True)
    for n in range(5000):
        path = f"many/{n}"
        Path(path).write_text("".join(lines[4 * (n % 200):4 * (n % 200) + 4]))
        parts.append(path)
    Path("all.fq").write_text("".join(Path(path).read_text() for path in parts))
    few = {resource.RLIMIT_NOFILE: 20}
    run("map", "ref.fa", "all.fq", "-o", "out/x.bam").ok()
    run("map", "ref.fa", ",".join(parts), "-o", "out/y.bam", limits=few).ok()
    assert_same("out/x.bam", "out/y.bam")
    run("map", "--sort", "--sort-memory", "1M", "ref.fa", "all.fq", "-o", "out/z.bam", limits=few).ok()
    run("map", "--sort", "ref.fa", "all.fq", "-o", "out/w.bam").ok()
    assert_same("out/z.bam", "out/w.bam")


def test_100000_contigs():
    random.seed(6)
    write_fasta("contigs.fa", *((f"c{n}", random_bases(30)) for n in range(100000)))
    Path("last.fa").write_text("".join(Path("contigs.fa").read_text().splitlines(keepends=True)[-2:]))
    run("map", "-e", 0, "contigs.fa", "last.fa", "-o", "out/x.bam").ok()
    assert records("out/x.bam")[0].contig == "c99999"


def test_100000_patterns():
    random.seed(7)
    text = random_bases(200000)
    write_fasta("text.fa", ("c", text))
    write_lines("patterns.txt", *(text[at:at + 24] for at in range(0, 200000 - 24, 2)))
    run("scan", "-e", 0, "--strand", "+", "text.fa", "patterns.txt", "-o", "out/x.bed").ok()
    assert len(rows("out/x.bed")) == 99988


def test_a_million_records_of_a_read():
    write_fasta("repeat.fa", ("c", "AC" * 1000000))
    write_fasta("read.fa", ("r", "AC" * 20))
    result = run("map", "-e", 0, "--report", "all", "repeat.fa", "read.fa", "-o", "out/x.bed").ok()
    assert f"{1000000 - 19} alignments" in result.stderr


# --- archives that inflate to much more ---


def test_a_small_file_with_much_text():
    """0.1 MB holds 100 MB of N. The lines are not held: the memory is that of the reference alone, of 3 bits a base."""
    line = b"N" * 79 + b"\n"
    block = gzip.compress(line * 125000, 9)  # 10 MB
    Path("bomb.fa.gz").write_bytes(gzip.compress(b">c\n") + block * 10)
    run("map", "bomb.fa.gz", "one.fa", "-o", "out/x.bed", limits={resource.RLIMIT_AS: 4 << 30}).ok()
    os.remove("out/x.bed")
    Path("bomb.fq.gz").write_bytes(gzip.compress(b"@r\nACGT") + block * 10)
    run("map", "ref.fa", "bomb.fq.gz", "-o", "out/x.bed", limits={resource.RLIMIT_AS: 4 << 30}).fails(
        1, "bomb.fq.gz", "out/x.bed")


# --- language and time zone ---


@pytest.mark.parametrize("env", [{"LC_ALL": "de_DE.UTF-8"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
                                 {"LC_ALL": "nonsense"}, {"TZ": "Pacific/Kiritimati"}, {"LC_ALL": "", "LANG": ""}])
def test_languages_and_time_zones(env):
    for name, command in ("x.sam", ["map", "--stats", "out/s.json", "ref.fa", "reads.fq"]), (
            "x.tsv", ["scan", "-e", 1, "--pam", "NGG", "-p", "ACGTTGCAACGATCGATTTT", "ref.fa"]):
        run(*command, "-o", f"out/{name}").ok()
        run(*command, "-o", f"out/other_{name}", env=env).ok()
        assert_same(f"out/{name}", f"out/other_{name}")
