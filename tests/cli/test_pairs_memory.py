"""The memory that pairs of repeats need: with --report all, each pair of loci has records."""

import random
import resource

import pytest

from tools import random_bases, read_json, reverse_complement, run, write_fasta, write_fastq


def limited(*options):
    return run("map", "--engine", "cpu", "-t", 2, *options, "ref.fa", "1.fq", "2.fq",
               limits={resource.RLIMIT_AS: 1_500_000 << 10})


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """1,200 copies of a repeat. All pairs lie in it, so each has about 50,000 concordant pairs of loci."""
    random.seed(3)
    repeat = random_bases(300)
    write_fasta("ref.fa", ("c", "".join(repeat + random_bases(500) for _ in range(1200))))
    for name, mate in ("1.fq", repeat[:100]), ("2.fq", reverse_complement(repeat[200:])):
        write_fastq(name, *((f"r{n}", mate) for n in range(200)))
    if limited("-o", "best.bam").status != 0:
        pytest.skip("a program with sanitizers needs more address space than any limit here")


def test_tens_of_thousands_of_records_for_each_mate():
    limited("--report", "all", "--insert", "1-35000", "-o", "/dev/null", "--stats", "out/all.json").ok()
    assert read_json("out/all.json")["alignments"]["total"] > 400 * 40000


def test_batches_that_cannot_fit():
    """The message says what helps."""
    large = ["--report", "all", "--tune", "batch-size=1000", "-o", "out/x.sam", "--insert"]
    limited(*large, "1-35000").fails(
        1, "trawl map: not enough memory to map the reads: give -k, which limits the records of each pair, "
           "or a narrower --insert", "out/x.sam")
    limited(*large, "1-35000", "-k", 10).ok()
    limited(*large, "1-1000").ok()
