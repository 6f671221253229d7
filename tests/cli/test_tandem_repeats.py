"""Reads in tandem repeats: what is said of them counts placements, not loci (docs/map.md, Placements)."""

import random

import pytest

from tools import assert_same, records, reverse_complement, run, random_bases, write_fasta, write_fastq

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


def test_pairs_take_the_placements_that_fit():
    for report in "best", "all":
        found = primaries(records(run("map", "-e", 5, "--report", report, "ref.fa", "1.fq", "2.fq").ok()))
        assert len(found) == 2 * 220
        assert all(record.flag & 2 and record.cigar == f"{LENGTH}M" for record in found)
        for record in found:
            if record.name.startswith(("in", "out")):
                assert 262 <= abs(record.insert) <= 278
                assert record.mapq == (60 if record.position <= BEGIN else 0)


def test_bytes_do_not_depend_on_threads():
    for options in ([], ["--report", "all", "-e", 5], ["--report", "all", "-e", 5, "--placements"]):
        for threads in 1, 4:
            run("map", *options, "-t", threads, "ref.fa", "1.fq", "2.fq", "-o", f"out/{threads}.sam").ok()
        assert_same("out/1.sam", "out/4.sam")
