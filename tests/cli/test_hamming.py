"""map --metric hamming: all places with at most e mismatches, and no gaps. trawl scan, which shares no search with it,
finds the same ones."""

from pathlib import Path

import pytest

from tools import (assert_same, execute, make_input, read_fastq, rows, run, sam_lines, write_fasta, write_fastq)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """n.fa, n.fq, and the reads as patterns.fa."""
    make_input(60000, 600)
    # Runs of N at the begin, inside and at the end of contigs (a read may begin in one), and a run of one base.
    lines = []
    for line in Path("ref.fa").read_text().splitlines():
        if line.startswith(">"):
            number = 0
        else:
            if number % 40 == 7:
                line = line[:20] + "N" * 16 + line[36:]
            number += 1
        lines.append(line)
    genome_line = Path("genome.fa").read_text().splitlines()[8]
    lines += [">run_of_a", "A" * 640, ">short", "N" * 300 + genome_line[:50] + "NN"]
    Path("n.fa").write_text("\n".join(lines) + "\n")
    reads = read_fastq("reads.fq") + [("run_of_a", "A" * 40, "I" * 40), ("edge", "GT" + genome_line[:40], "I" * 42)]
    write_fastq("n.fq", *reads)
    write_fasta("patterns.fa", *((name, bases) for name, bases, _ in reads))


def places(bed):
    return sorted(row[:4] + row[5:6] for row in rows(bed))


@pytest.mark.parametrize("edits", [0, 3, 7])
def test_the_places_are_those_of_scan(edits):
    run("scan", "-k", edits, "--metric", "hamming", "n.fa", "patterns.fa", "-o", "out/scan.bed").ok()
    expected = places("out/scan.bed")
    assert len(expected) > 400
    for options in [], ["--tune", "search=scan"], ["--tune", "search=seeds", "-t", 1], ["--tune", "batch-size=7"]:
        run("map", "-e", edits, "--metric", "hamming", "--report", "all", *options, "n.fa", "n.fq", "-o", "out/all.bed").ok()
        assert places("out/all.bed") == expected, options
    # Each start in a run of one base is a locus.
    assert len([place for place in expected if place[0] == place[3] == "run_of_a"]) > 300


def test_calmd_agrees_with_nm_and_md():
    run("map", "-e", 7, "--metric", "hamming", "--report", "all", "--secondary-seq", "n.fa", "n.fq", "-o", "out/all.bam").ok()
    assert sam_lines(execute("samtools", "calmd", "out/all.bam", "n.fa").ok()) == sam_lines("out/all.bam")


def test_a_saved_index_gives_the_same():
    run("index", "n.fa", "-o", "n.trawl")
    for reference, output in ("n.trawl", "out/saved.bed"), ("n.fa", "out/all.bed"):
        run("map", "-e", 7, "--metric", "hamming", "--report", "all", reference, "n.fq", "-o", output)
    assert_same("out/saved.bed", "out/all.bed")
