"""Reads in tandem repeats: what is said of them counts placements, not loci (docs/map.md, Placements)."""

import random

import pytest

from tools import records, reverse_complement, run, random_bases, write_fasta, write_fastq

BEGIN, UNITS = 3200, 80  # of GGAAT
LENGTH = 100
PLACEMENTS = 61


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa: unique bases, GGAAT x 80, unique bases. reads.fq: from the array. 1.fq and 2.fq: 200 pairs around it, then
    pairs of which one mate lies in the array, or both."""
    random.seed(45)
    text = random_bases(BEGIN) + "GGAAT" * UNITS + random_bases(3200)
    write_fasta("ref.fa", ("c", text))
    write_fastq("reads.fq", *[(f"s{at}", text[BEGIN + at:BEGIN + at + LENGTH]) for at in (0, 50, 100, 235, 300)])
    mates = [], []

    def add(name, start, insert):
        mates[0].append((name, text[start:start + LENGTH]))
        mates[1].append((name, reverse_complement(text[start + insert - LENGTH:start + insert])))

    for n in range(200):
        add(f"u{n}", random.randrange(2500), random.choice((262, 266, 270, 274, 278)))
    for n in range(10):
        add(f"out{n}", BEGIN - 150 + 5 * n, 270)
        add(f"in{n}", BEGIN + 10 + 5 * n, 270)
    write_fastq("1.fq", *mates[0])
    write_fastq("2.fq", *mates[1])


def primaries(found):
    return [record for record in found if not record.flag & 0x100]


@pytest.mark.parametrize("edits", (0, 1, 3, 5, 8))
def test_x0_does_not_fall_when_e_grows(edits):
    for report in "best", "all":
        found = primaries(records(run("map", "-e", edits, "--end-to-end", "--report", report, "ref.fa", "reads.fq").ok()))
        assert len(found) == 5
        assert all(record.tags["X0"] == PLACEMENTS and record.mapq == 0 for record in found)
        assert len({record.position for record in found}) > 3  # spread over the array


def test_records_of_loci_and_of_placements():
    assert len(records(run("map", "-e", 5, "--report", "all", "ref.fa", "reads.fq").ok())) == 5
    found = records(run("map", "-e", 5, "--report", "all", "--placements", "ref.fa", "reads.fq").ok())
    for name in {record.name for record in found}:
        starts = sorted(record.position for record in found if record.name == name)
        assert starts == list(range(BEGIN + 1, BEGIN + 5 * UNITS - LENGTH + 2, 5))
    run("map", "--placements", "ref.fa", "reads.fq").fails(2, "--placements")
    for most, options, mapped in (1, [], 5), (PLACEMENTS, ["--placements"], 5), (PLACEMENTS - 1, ["--placements"], 0):
        found = records(run("map", "-e", 5, "--report", "all", "--max-loci", most, *options, "ref.fa", "reads.fq").ok())
        assert len({record.name for record in found if not record.flag & 4}) == mapped
        assert [record.tags["XM"] for record in found if record.flag & 4] == [most + 1] * (5 - mapped)


def test_pairs_take_the_placements_that_fit():
    for report in "best", "all":
        found = primaries(records(run("map", "-e", 5, "--report", report, "ref.fa", "1.fq", "2.fq").ok()))
        assert len(found) == 2 * 220
        assert all(record.flag & 2 and record.cigar == f"{LENGTH}M" for record in found)
        for record in found:
            if record.name.startswith(("in", "out")):
                assert 262 <= abs(record.insert) <= 278
                assert record.mapq == (60 if record.position <= BEGIN else 0)


@pytest.mark.parametrize("tail", (3, 12, 30))
def test_clipped_reads(tail):
    """What is aligned of them counts as a read of its own."""
    random.seed(46)
    sequence = "".join(line.strip() for line in open("ref.fa") if line[0] != ">")
    reads, parts = [], []
    for n in range(60):
        part = sequence[BEGIN + 5 * n:BEGIN + 5 * n + LENGTH - tail]
        foreign = "C" + "".join(random.choice("ACGT") for _ in range(tail - 1))  # the next base is G, before it is T
        reads.append((f"p{n}", part + foreign if n % 2 else reverse_complement(part + foreign)))
        parts.append((f"p{n}", part if n % 2 else reverse_complement(part)))
    write_fastq("clipped.fq", *reads)
    write_fastq("parts.fq", *parts)
    found = records(run("map", "ref.fa", "clipped.fq").ok())
    expected = {record.name: record for record in records(run("map", "ref.fa", "parts.fq").ok())}
    assert len(found) == len(expected) == 60
    same = 0
    for record in found:
        assert record.mapq <= 30, record  # bases of the tail may match beside the array
        of_part = expected[record.name]
        if f"{LENGTH - tail}M" in record.cigar and "S" in record.cigar:
            assert (record.position, record.mapq, record.tags["X0"]) == (of_part.position, 0, of_part.tags["X0"])
            same += 1
    assert same > 35
    mates = [], []
    for n in range(30):
        start = BEGIN + 5 * n
        mates[0].append((f"b{n}", sequence[start:start + LENGTH - tail] + "C" * tail))
        mates[1].append((f"b{n}", reverse_complement(sequence[start + 150:start + 150 + LENGTH])))
    write_fastq("c1.fq", *mates[0])
    write_fastq("c2.fq", *mates[1])
    found = primaries(records(run("map", "--insert", "200-300", "ref.fa", "c1.fq", "c2.fq").ok()))
    assert [record for record in found if not record.flag & 2 or record.mapq > 1] == []
    assert len({record.position for record in found}) > 15
