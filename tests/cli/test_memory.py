"""The memory of a scan does not grow with the number of hits; what pairs of repeats need."""

import random
import re
import resource
from pathlib import Path

import pytest

from tools import (assert_same, execute, has_cuda, random_bases, read_json, reverse_complement, run, simulate, write_fasta,
                   write_fastq)


STATS = ["--stats", "out/stats.json"]


def scan(*arguments):
    """(MB, records)"""
    run("scan", *arguments, *STATS).ok()
    stats = read_json("out/stats.json")
    return stats["peak_resident_bytes"] // 1_000_000, stats["records"]["total"]


@pytest.fixture
def cuda():
    if not has_cuda():
        pytest.skip("the engine cuda cannot be used here")


# --- runs of N, which match here: ends that N alone makes are not reported, for any number of patterns ---


@pytest.fixture(scope="module")
def runs_of_n():
    random.seed(11)
    write_fasta("n.fa", ("n", "".join(random_bases(random.randrange(2000, 6000))
                                      + "N" * random.choice([12, 14, 3000, 4000, 6000]) for _ in range(40))))
    write_fasta("all_n.fa", ("n", "N" * 300000), ("m", "N" * 10))
    write_fasta("short.fa", *((f"p{p}", random_bases(random.randrange(12, 16))) for p in range(4000)))
    write_fasta("guides.fa", *((f"g{p}", random_bases(20)) for p in range(1000)))


MATCH = ["--ambiguous", "match", "-t", 2]


@pytest.mark.parametrize("arguments", ["-k 0 n.fa short.fa", "-k 2 n.fa guides.fa", "-k 2 --pam NGG n.fa guides.fa",
                                       "-k 1 all_n.fa short.fa"])
def test_runs_of_n(runs_of_n, arguments):
    megabytes, found = scan(*MATCH, *arguments.split(), "-o", "out/x.bed")
    assert megabytes <= 250
    assert found == 0 or "all_n.fa" not in arguments


def test_runs_of_n_with_cuda(runs_of_n, cuda):
    scan(*MATCH, "-k", 0, "n.fa", "short.fa", "-o", "out/cpu.bed")
    scan(*MATCH, "-k", 0, "--engine", "cuda", "n.fa", "short.fa", "-o", "out/cuda.bed")
    assert_same("out/cpu.bed", "out/cuda.bed")


# --- twenty times as many hits need no more memory, in every format ---


@pytest.fixture(scope="module")
def text():
    simulate("genome", 2000000, 5, "text.fa")
    random.seed(12)
    for name, number in ("some", 8), ("many", 160):
        write_fasta(f"{name}.fa", *((f"p{p}", random_bases(7)) for p in range(number)))


@pytest.mark.parametrize("format", ["bed", "sam"])
def test_hits_spread_over_a_text(text, format):
    few_megabytes, few = scan("-k", 1, "-t", 2, "text.fa", "some.fa", "-o", f"out/some.{format}")
    megabytes, found = scan("-k", 1, "-t", 2, "text.fa", "many.fa", "-o", f"out/many.{format}")
    assert found > 10 * few
    assert megabytes <= few_megabytes + 150


def test_many_hits_with_cuda(text, cuda):
    for output, options in ("out/cpu.bed", []), ("out/cuda.bed", ["--engine", "cuda"]):
        run("scan", "-k", 1, "-t", 2, *options, "text.fa", "many.fa", "-o", output).ok()
    assert_same("out/cpu.bed", "out/cuda.bed")


@pytest.fixture(scope="module", autouse=True)
def positions_where_all_patterns_end():
    for name, number in ("one", 1), ("twenty", 20):
        write_fasta(f"{name}.fa", *((f"c{c}", "A" * 2500) for c in range(number)))
    write_fasta("a.fa", *((f"p{p}", "A" * (9 + p % 3)) for p in range(100)))


@pytest.mark.parametrize("report", ["loci", "ends"])
def test_positions_where_all_patterns_end(report):
    options = ["-k", 1, "-t", 2, "--strand", "+", "--report", report]
    one, twenty = (scan(*options, f"{name}.fa", "a.fa", "-o", "out/x.bed")[0] for name in ("one", "twenty"))
    assert twenty <= one + 150


def test_loci_that_wait_for_the_end_of_a_very_long_one():
    """All that begin after it. Above some memory they wait in a file."""
    write_fasta("waits.fa", ("t", ("A" * 19 + "T") * 30000))
    # One or two edits everywhere: a single locus, whose best position is known only at its end. The others have two
    # edits, only for matches that end in T: a locus every 20 letters.
    others = (f"{'A' * (n // 4)}{'CG'[n % 2]}{'CG'[n // 2 % 2]}AAAAAAT".replace("A" * 17, "A" * 8) for n in range(72))
    write_fasta("wait.fa", ("waits", "AAAAACAAAAA"), *((f"p{n}", bases) for n, bases in enumerate(others)))
    megabytes, found = scan("-k", 2, "-t", 2, "--strand", "+", "waits.fa", "wait.fa", "-o", "out/waits.bed")
    assert found > 1_700_000
    assert megabytes <= 280
    execute("sort", "-c", "-s", "-k2,2n", "out/waits.bed").ok()
    assert Path("out/waits.bed").read_bytes().count(b"\twaits\t") == 1


# --- patterns ---


@pytest.fixture(scope="module")
def sets():
    random.seed(14)
    lines = [f"p{p}\t{random_bases(20)}\n" for p in range(60000)]
    Path("sets.tsv").write_text("".join(lines))
    Path("few.tsv").write_text("".join(lines[:2000]))


@pytest.mark.parametrize("options", [
    "-k 0", "-k 2", "-k 2 --tune search=rows", "-k 2 --metric hamming", "-k 2 --pam NGG"])
def test_what_memory_says_that_a_set_takes(sets, options):
    """It is kept, and what it says of more patterns is more than they add."""
    def measure(patterns):
        arguments = ["-t", 2, *options.split(), "one.fa", patterns, "-o", "out/x.bed", "--memory"]
        stated = int(re.search("takes up to ([0-9]+)M", run("scan", *arguments, "1M", *STATS).stderr)[1])
        return stated, scan(*arguments, f"{stated}M")[0]

    few_stated, few_megabytes = measure("few.tsv")
    stated, megabytes = measure("sets.tsv")
    assert megabytes <= stated
    assert megabytes - few_megabytes <= stated - few_stated + 4  # allocators round up


def test_patterns_that_do_not_fit():
    """The message says what helps."""
    def limited(patterns):
        return run("scan", "--engine", "cpu", "-t", 1, "one.fa", patterns, "-o", "out/x.bed",
                   limits={resource.RLIMIT_AS: 100_000 << 10})

    if limited("a.fa").status != 0:
        pytest.skip("a program with sanitizers needs more memory than any limit here")
    Path("out/x.bed").unlink()
    random.seed(13)
    patterns = (f"{random.getrandbits(64):064b}".replace("0", "C").replace("1", "T") for _ in range(500000))
    Path("large.tsv").write_text("".join(f"p{p}\t{bases}\n" for p, bases in enumerate(patterns)))
    limited("large.tsv").fails(
        1, "trawl scan: not enough memory: give fewer patterns at a time, fewer --threads, or a machine", "out/x.bed")


# --- pairs of repeats: with --report all, each pair of loci has records ---


def map_limited(*options):
    return run("map", "--engine", "cpu", "-t", 2, *options, "ref.fa", "1.fq", "2.fq",
               limits={resource.RLIMIT_AS: 1_500_000 << 10})


@pytest.fixture(scope="module")
def pairs_of_repeats():
    """1,200 copies of a repeat. All pairs lie in it, so each has about 50,000 concordant pairs of loci."""
    random.seed(3)
    repeat = random_bases(300)
    write_fasta("ref.fa", ("c", "".join(repeat + random_bases(500) for _ in range(1200))))
    for name, mate in ("1.fq", repeat[:100]), ("2.fq", reverse_complement(repeat[200:])):
        write_fastq(name, *((f"r{n}", mate) for n in range(200)))
    if map_limited("-o", "best.bam").status != 0:
        pytest.skip("a program with sanitizers needs more address space than any limit here")


def test_tens_of_thousands_of_records_for_each_mate(pairs_of_repeats):
    map_limited("--report", "all", "--insert", "1-35000", "-o", "/dev/null", "--stats", "out/all.json").ok()
    assert read_json("out/all.json")["alignments"]["total"] > 400 * 40000


def test_batches_that_cannot_fit(pairs_of_repeats):
    """The message says what helps."""
    large = ["--report", "all", "--tune", "batch-size=1000", "-o", "out/x.sam", "--insert"]
    map_limited(*large, "1-35000").fails(
        1, "trawl map: not enough memory to map the reads: give -k, which limits the records of each pair, "
           "or a narrower --insert", "out/x.sam")
    map_limited(*large, "1-35000", "-k", 10).ok()
    map_limited(*large, "1-1000").ok()
