"""BAM and BED.gz at every level of compression. That their bytes are those of htslib is a test of tests/unit
(io_bam_encoder_test); that they do not depend on threads and batches, of test_same_bytes.py."""

import os
import resource
from pathlib import Path

import pytest

from tools import TRAWL, assert_same, bgzip, execute, fastq, make_input, rows, run, samtools, start

MAP = ["map", "--report", "all", "-e", 5, "ref.fa", "more.fq"]
SCAN = ["scan", "-k", 3, "-p", "ACGTACGT", "ref.fa"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa, reads.fq, more.fq with another read; first.bam, first.bed.gz."""
    make_input(60000, 3000)
    Path("more.fq").write_text(Path("reads.fq").read_text()
                               + fastq("no_locus", "ACGTNNNNNNNNNNNNNNNNNNRYKMACGT", "!#5~" + "I" * 26))
    for format in "bam", "bed.gz":
        run(*MAP, "-t", 1, "-o", f"first.{format}").ok()
        assert_whole(f"first.{format}")


def assert_whole(path):
    """Complete in the eyes of other programs."""
    bgzip("-t", path)
    execute("gzip", "-t", path).ok()
    if path.endswith(".bam"):
        samtools("quickcheck", path)


def text(path):
    return bgzip("-dc", path)


def test_bed():
    run(*MAP, "-o", "out/x.bed").ok()
    assert_same("out/x.bed", text("first.bed.gz"))
    assert os.path.getsize("out/x.bed") > 200_000, "several blocks"


def test_a_pipe():
    os.mkfifo("out/pipe.bam")
    with start(*MAP, "-o", "out/pipe.bam") as job:
        found = Path("out/pipe.bam").read_bytes()
        job.wait().ok()
    assert_same("first.bam", found)


# --- levels ---


def test_levels():
    """Every one can be read, and a higher one is not much larger."""
    texts = {format: text(f"first.{format}") for format in ("bam", "bed.gz")}
    sizes = []
    for level in range(10):
        for format in texts:
            run(*MAP, "--compression-level", level, "-o", f"out/x.{format}").ok()
            assert_whole(f"out/x.{format}")
            assert_same(texts[format], text(f"out/x.{format}"))
        sizes.append(os.path.getsize("out/x.bam"))
    assert [level for level in range(1, 10) if sizes[level] > 1.05 * sizes[level - 1]] == [], sizes
    assert sizes[0] > len(texts["bam"]), "not compressed"
    assert sizes[1] < 0.7 * sizes[0]
    assert sizes[9] < sizes[1]


def test_the_level_by_default():
    """At most 10% larger than what samtools writes."""
    samtools("view", "-b", "--no-PG", "first.bam", "-o", "out/samtools.bam")
    assert os.path.getsize("first.bam") <= 1.1 * os.path.getsize("out/samtools.bam")


@pytest.mark.parametrize("level", ["10", "-1", "x", ""])
def test_wrong_levels(level):
    run("map", "--compression-level", level, "ref.fa", "reads.fq", "-o", "out/x.bam").fails(
        2, "--compression-level", "out/x.bam")


@pytest.mark.parametrize("output", ["out/x.sam", "out/x.cram", "out/x.bed", "-"])
def test_outputs_without_levels(output):
    run("map", "--compression-level", 1, "ref.fa", "reads.fq", "-o", output).fails(
        2, "--compression-level is for .bam and .bed.gz", output)


# --- trawl scan ---


@pytest.fixture(scope="module")
def scan_bed(inputs):
    run(*SCAN, "-o", "scan.bed").ok()
    run(*SCAN, "-t", 1, "-o", "scan.bed.gz").ok()
    assert_whole("scan.bed.gz")


def test_scan(scan_bed):
    assert_same("scan.bed", text("scan.bed.gz"))
    assert os.path.getsize("scan.bed") > 200_000, "several blocks"


def test_tabix_finds_a_region(scan_bed):
    execute("tabix", "-p", "bed", "scan.bed.gz").ok()
    expected = [row for row in rows("scan.bed") if row[0] == "chr2" and int(row[2]) > 2000 and int(row[1]) < 9000]
    assert rows(execute("tabix", "scan.bed.gz", "chr2:2001-9000").ok()) == expected != []


@pytest.mark.parametrize("options", ["-t 4", "--tune chunk-size=1000", "-t 2 --tune chunk-size=7000"])
def test_scan_with(scan_bed, options):
    run(*SCAN, *options.split(), "-o", "out/x.bed.gz").ok()
    assert_same("scan.bed.gz", "out/x.bed.gz")


def test_levels_of_scan(scan_bed):
    run(*SCAN, "--compression-level", 9, "-o", "out/x.bed.gz").ok()
    assert_same("scan.bed", text("out/x.bed.gz"))
    assert os.path.getsize("out/x.bed.gz") < os.path.getsize("scan.bed.gz")
    run("scan", "--compression-level", 1, "-p", "ACGT", "ref.fa", "-o", "out/x.tsv").fails(
        2, "--compression-level is for", "out/x.tsv")


def test_scan_without_hits():
    run("scan", "-k", 0, "-p", "ACGT" * 7, "ref.fa", "-o", "out/x.bed.gz").ok()
    assert_whole("out/x.bed.gz")
    assert text("out/x.bed.gz") == b""


# --- a file that cannot become as large as it must ---


@pytest.mark.parametrize("format", ["sam", "bam", "bed", "bed.gz"])
def test_no_room(format):
    output = f"out/x.{format}"
    execute("env", "--ignore-signal=XFSZ", TRAWL, *MAP, "-o", output, limits={resource.RLIMIT_FSIZE: 20 << 10}).fails(
        1, f"{output}: cannot write: File too large", output)
