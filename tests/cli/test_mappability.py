"""trawl mappability: the loci of every position are those of its read, mapped; formats, threads, and what is wrong."""

import gzip
import random
import resource
from pathlib import Path

import pytest

from tools import (assert_same, has_cuda, read_fasta, read_json, records, reverse_complement, rows, run, simulate,
                   write_fasta)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """Contigs with repeats, a run of N, other ambiguous letters, and one that is shorter than a read."""
    simulate("genome", 40000, 7, "genome.fa")
    text, = read_fasta("genome.fa").values()
    random.seed(17)
    copies = ""
    for n in range(12):
        copy = list(text[2000:2400])
        for _ in range(n % 4):
            copy[random.randrange(len(copy))] = random.choice("ACGT")
        if n % 3 == 0:
            del copy[random.randrange(len(copy))]
        copies += "".join(copy) if n % 2 else reverse_complement("".join(copy))
    write_fasta("ref.fa", ("chr1 some words", text),
                ("chr2", text[:3000] + "N" * 12 + copies + "RNacgtY" + text[100:900].lower()), ("short", "ACGTACGTAC"),
                ("chr3", "CA" * 120))


def loci(bedgraph):
    """(contig, position, number of loci), in order."""
    return [(contig, at, int(number)) for contig, begin, end, number in rows(bedgraph)
            for at in range(int(begin), int(end))]


@pytest.mark.parametrize("length, edits", [(100, 2), (100, 0), (36, 1), (25, 3), (150, "5%"), (12, 2)])
def test_the_loci_of_all_positions(length, edits):
    contigs = read_fasta("ref.fa").items()
    write_fasta("reads.fa", *((f"{contig}:{at}", bases[at:at + length]) for contig, bases in contigs
                              for at in range(len(bases) - length + 1)))
    run("map", "--engine", "cpu", "-t", 2, "-e", edits, "--report", "all", "ref.fa", "reads.fa", "-o", "out/x.sam").ok()
    mapped = ((record.name.split(":"), record.tags.get("NH", 0)) for record in records("out/x.sam", "-F", 256))
    expected = [(contig, int(at), number) for (contig, at), number in mapped]
    command = ["mappability", "-l", length, "-e", edits, "ref.fa", "-o"]
    run(*command, "out/loci.bedgraph", "--engine", "cpu", "-t", 2).ok()
    found = loci("out/loci.bedgraph")
    assert found == expected and len(found) > 0
    if length == 12:
        assert len([number for *_, number in found if number > 10]) > 100, "reads with several loci"
    lines = rows("out/loci.bedgraph")
    assert [line for line, after in zip(lines, lines[1:]) if [line[0], *line[2:]] == [*after[:2], after[3]]] == [], (
        "neighbours with the same number are one line")
    # With 12 bases the search takes long; the other lengths show that threads change nothing.
    for options in ["-t 5"] if length == 12 else ["-t 1", "-t 5", "-t 2 --batch-size 33"]:
        run(*command, "out/again.bedgraph", "--engine", "cpu", *options.split()).ok()
        assert_same("out/loci.bedgraph", "out/again.bedgraph")
    if has_cuda():
        run(*command, "out/cuda.bedgraph", "--engine", "cuda").ok()
        assert_same("out/loci.bedgraph", "out/cuda.bedgraph")


# --- formats ---

MAPPABILITY = ["mappability", "--engine", "cpu", "-l", 100, "-e", 2]


@pytest.fixture(scope="module", autouse=True)
def bedgraph(inputs):
    """loci.bedgraph, stats.json."""
    result = run(*MAPPABILITY, "ref.fa", "-o", "loci.bedgraph", "--stats", "stats.json").ok()
    assert " positions, " in result.stderr


def test_files_streams_and_indexes():
    assert_same("loci.bedgraph", run(*MAPPABILITY, "ref.fa"), run(*MAPPABILITY, "-", stdin="ref.fa"))
    run(*MAPPABILITY, "ref.fa", "-o", "out/loci.bg.gz").ok()
    assert_same("loci.bedgraph", gzip.decompress(Path("out/loci.bg.gz").read_bytes()))
    run("index", "ref.fa").ok()
    assert_same("loci.bedgraph", run(*MAPPABILITY, "ref.fa.trawl"))


def test_statistics():
    stats = read_json("stats.json")
    numbers = [number for *_, number in loci("loci.bedgraph")]
    assert stats["read_length"] == 100 and stats["max_edits"] == 2
    assert stats["positions"] == {"total": len(numbers), "no_locus": numbers.count(0), "one_locus": numbers.count(1),
                                  "more_loci": sum(number > 1 for number in numbers)}
    assert stats["loci"] == {"total": sum(numbers), "most": max(numbers)}
    assert stats["intervals"] == len(rows("loci.bedgraph"))


@pytest.fixture(scope="module")
def bigwig(bedgraph):
    result = run(*MAPPABILITY, "ref.fa", "-o", "loci.bw")
    if result.status != 0:
        assert "this build cannot write bigWig" in result.stderr
        pytest.skip("this build cannot write bigWig")


@pytest.mark.parametrize("threads", [1, 3])
def test_bigwig_and_threads(bigwig, threads):
    run(*MAPPABILITY, "-t", threads, "ref.fa", "-o", "out/again.bigwig").ok()
    assert_same("loci.bw", "out/again.bigwig")


@pytest.fixture
def open_bigwig(bigwig):
    """Of another program."""
    return pytest.importorskip("pyBigWig", reason="Debian: python3-pybigwig").open


def intervals(bedgraph):
    return [(contig, int(begin), int(end), float(number)) for contig, begin, end, number in rows(bedgraph)]


def test_the_values_in_a_bigwig(open_bigwig):
    track = open_bigwig("loci.bw")
    assert track.chroms() == {contig: len(bases) for contig, bases in read_fasta("ref.fa").items()}
    found = [(contig, *interval) for contig in ("chr1", "chr2", "chr3") for interval in track.intervals(contig)]
    assert found == intervals("loci.bedgraph")


def test_stretches_of_a_bigwig_with_many_blocks(open_bigwig):
    """They are found by its index."""
    for output in "out/many.bedgraph", "out/many.bw":
        run("mappability", "--engine", "cpu", "-t", 2, "-l", 8, "-e", 0, "genome.fa", "-o", output).ok()
    contig = rows("out/many.bedgraph")[0][0]
    expected = [interval[1:] for interval in intervals("out/many.bedgraph")]
    assert len(expected) > 6000
    track = open_bigwig("out/many.bw")
    assert list(track.intervals(contig)) == expected
    for at in range(0, 39000, 371):
        found = list(track.intervals(contig, at, at + 500) or [])
        assert found == [interval for interval in expected if interval[1] > at and interval[0] < at + 500], at


@pytest.mark.parametrize("arguments", [["-l", 8, "-e", 0, "genome.fa"], ["-l", 100, "-e", 2, "ref.fa"]], ids=str)
def test_no_room_for_a_bigwig(bigwig, arguments):
    run("mappability", *arguments, "-o", "out/full.bw", limits={resource.RLIMIT_FSIZE: 1024}).fails(
        1, "cannot be written as bigWig", "out/full.bw")


# --- what is wrong ---


@pytest.mark.parametrize("status, message, arguments, output", [
    (2, "--length", "ref.fa", None),
    (2, "is not a whole number from 1 to 100000", "-l 0 ref.fa", None),
    (2, "a read that is not longer matches everywhere", "-l 20 -e 20 ref.fa", "out/x.bedgraph"),
    (2, "at most 255 are possible", "-l 2000 -e 50% ref.fa", "out/x.bedgraph"),
    (2, "-e x: give a number of edits", "-l 20 -e x ref.fa", None),
    (2, "has no known extension; use .bedgraph", "-l 20 ref.fa", "out/x.sam"),
    (2, "--compression-level is for", "-l 20 ref.fa --compression-level 3", "out/x.bedgraph"),
    (1, "none.fa", "-l 20 none.fa", "out/x.bedgraph")])
def test_wrong_usage(status, message, arguments, output):
    run("mappability", *arguments.split(), *(["-o", output] if output else [])).fails(status, message, output)


def test_the_reference_is_not_overwritten():
    before = Path("ref.fa").read_bytes()
    run("mappability", "-l", 20, "ref.fa", "-o", "ref.fa").fails(2, "ref.fa")
    assert_same("ref.fa", before)


def test_reads_that_are_longer_than_all_contigs():
    result = run("mappability", "--engine", "cpu", "-l", 50000, "-e", 2, "ref.fa", "-o", "out/none.bedgraph").ok()
    assert "no contig has 50000 bases" in result.stderr
    assert Path("out/none.bedgraph").read_bytes() == b""


def test_the_help_has_examples():
    assert "trawl mappability -l 100 -e 2 genome.fa -o loci.bedgraph" in run("mappability", "--help").ok().stdout
