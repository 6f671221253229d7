"""trawl mappability: the loci of every position are those of its read, mapped; regions; formats, threads,
and what is wrong."""

import gzip
import random
import resource
from pathlib import Path

import pytest

from tools import (assert_same, has_cuda, read_fasta, read_json, records, reverse_complement, rows, run, simulate,
                   write_fasta, write_lines)


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
    for options in ["-t 5"] if length == 12 else ["-t 1", "-t 5", "-t 2 --tune batch-size=33"]:
        run(*command, "out/again.bedgraph", "--engine", "cpu", *options.split()).ok()
        assert_same("out/loci.bedgraph", "out/again.bedgraph")
    if has_cuda():
        run(*command, "out/cuda.bedgraph", "--engine", "cuda").ok()
        assert_same("out/loci.bedgraph", "out/cuda.bedgraph")


def test_mappability_is_one_over_the_count():
    """As GenMap prints it, and C printf with %g."""
    command = ["mappability", "--engine", "cpu", "--metric", "hamming", "-l", 12, "-e", 2, "ref.fa", "-o"]
    run(*command, "out/count.bedgraph").ok()
    run(*command, "out/share.bedgraph", "--value", "mappability").ok()
    counts = rows("out/count.bedgraph")
    assert len({row[3] for row in counts}) > 20 and "0" in {row[3] for row in counts}
    assert rows("out/share.bedgraph") == [
        [*place, f"{1 / int(number) if number != '0' else 0:g}"] for *place, number in counts]


# --- regions ---


def lines_in(bedgraph, regions):
    """The numbers of positions in the regions."""
    return [(contig, at, number) for contig, at, number in loci(bedgraph)
            if any(contig == name and begin <= at < end for name, begin, end in regions)]


REGIONS = [("chr2", 3100, 4000), ("chr1", 500, 700), ("chr1", 690, 800), ("chr1", 2000, 2001), ("chr3", 100, 5000),
           ("chr1", 800, 810), ("chr2", 2990, 3010), ("chr1", 39990, 40000)]


@pytest.mark.parametrize("options", ["-l 100 -e 2", "-l 30 -e 1 --metric hamming", "-l 36 -e 1"])
def test_regions(options):
    """In any order, overlapping, touching, and beyond the end of a contig."""
    write_lines("out/r.bed", "track name=x", "# a comment", *("\t".join(map(str, region)) for region in REGIONS))
    Path("out/r.bed.gz").write_bytes(gzip.compress(Path("out/r.bed").read_bytes()))
    command = ["mappability", "--engine", "cpu", *options.split(), "ref.fa"]
    run(*command, "-o", "out/whole.bedgraph").ok()
    run(*command, "--regions", "out/r.bed", "-o", "out/r.bedgraph").ok()
    found = loci("out/r.bedgraph")
    assert found == lines_in("out/whole.bedgraph", REGIONS) and len(found) > 1100
    for more in "--regions out/r.bed -t 1 --tune batch-size=7", "--regions out/r.bed.gz -t 3":
        assert_same("out/r.bedgraph", run(*command, *more.split()).ok())
    if has_cuda():
        assert_same("out/r.bedgraph", run(*command, "--engine", "cuda", "--regions", "out/r.bed").ok())


def test_regions_of_every_position():
    """Thousands of regions of one base, which do not touch."""
    write_lines("out/r.bed", *(f"chr1\t{at}\t{at + 1}" for at in range(0, 40000, 2)))
    run(*MAPPABILITY, "ref.fa", "--regions", "out/r.bed", "-o", "out/r.bedgraph").ok()
    assert loci("out/r.bedgraph") == [one for one in loci("loci.bedgraph") if one[0] == "chr1" and one[1] % 2 == 0]


@pytest.mark.parametrize("names", ["chrom\tchromStart\tchromEnd", "Contig\tStart\tStop\tname"])
def test_regions_below_names_of_columns(names):
    """The first line of a table of another program; lower down it is an error."""
    write_lines("r.bed", "chr1\t10\t50")
    write_lines("named.bed", names, "chr1\t10\t50")
    command = [*MAPPABILITY, "ref.fa", "--regions"]
    assert_same(run(*command, "r.bed").ok(), run(*command, "named.bed").ok())
    write_lines("r.bed", "chr1\t10\t50", names)
    run(*command, "r.bed").fails(1, "r.bed:2: not a line of BED")


@pytest.mark.parametrize("message, lines", [
    ("r.bed:2: chr9:6-10: the reference has no such contig", ["chr1\t1\t5", "chr9\t5\t10"]),
    ("r.bed:1: chr3:241-250: the contig has only 240 bases", ["chr3\t240\t250"]),
    ("r.bed:1: not a line of BED", ["chr1 5 10"]),
    ("r.bed:1: not a line of BED", ["chr\tstart\tend\tlength", "chr1\t5\t10\t6"]),  # counts from 1
    ("r.bed:1: not a line of BED", ["chr1\t10\t5"]),
    ("r.bed: has no regions", ["# none", ""])])
def test_wrong_regions(message, lines):
    write_lines("r.bed", *lines)
    run(*MAPPABILITY, "ref.fa", "--regions", "r.bed", "-o", "out/x.bedgraph").fails(1, message, "out/x.bedgraph")


def test_regions_in_which_no_read_begins():
    write_lines("out/r.bed", "chr3\t230\t235")
    result = run(*MAPPABILITY, "ref.fa", "--regions", "out/r.bed", "-o", "out/x.bedgraph").ok()
    assert "warning: no read of 100 bases begins in these regions" in result.stderr
    assert Path("out/x.bedgraph").read_bytes() == b""


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
    options = ["mappability", "--engine", "cpu", "--metric", "hamming", "-l", 40, "-e", 2]
    assert_same(run(*options, "ref.fa").ok(), run(*options, "ref.fa.trawl").ok())


def test_statistics():
    stats = read_json("stats.json")
    numbers = [number for *_, number in loci("loci.bedgraph")]
    assert (stats["read_length"], stats["max_edits"], stats["metric"]) == (100, 2, "levenshtein")
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


def test_mappability_in_a_bigwig(open_bigwig):
    run(*MAPPABILITY, "--value", "mappability", "ref.fa", "-o", "out/share.bw").ok()
    found = [(contig, *interval) for contig in ("chr1", "chr2", "chr3")
             for interval in open_bigwig("out/share.bw").intervals(contig)]
    expected = [(*place, 1 / number if number else 0) for *place, number in intervals("loci.bedgraph")]
    assert [one[:3] for one in found] == [one[:3] for one in expected]
    assert max(abs(one[3] - other[3]) for one, other in zip(found, expected)) < 1e-7


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
