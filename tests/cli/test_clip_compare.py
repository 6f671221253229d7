"""bench/clip_compare.py on tiny data."""

import shutil
import sys
from pathlib import Path

import pytest

from tools import ROOT, TRAWL, bench_program, execute, read_json, rows, simulate

if not shutil.which("bwa"):
    pytest.skip("no bwa (Debian package bwa)", allow_module_level=True)
BENCH = bench_program("trawl-check").parent


def compare(what, *options):
    return execute(sys.executable, ROOT / "bench/clip_compare.py", what, "--reference", "ref.fa", "--workdir", "work",
                   "--build", BENCH, "--threads", 1, *options)


def cells(result):
    """The tables in the report."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in result.stdout.splitlines() if line[:1] == "|"]


# --- real ---


@pytest.fixture(scope="module", autouse=True)
def inputs(work):
    """ref.fa, reads.fq and bwa.sam. changed is called like trawl, and gives the records of changed.sam."""
    simulate("genome", 40000, 7, "ref.fa")
    simulate("reads", "ref.fa", 200, 100, 3, "--qualities", output="reads.fq")
    execute("bwa", "index", "-p", "bwa", "ref.fa").ok()
    Path("bwa.sam").write_bytes(execute("bwa", "mem", "bwa", "reads.fq").ok().bytes)
    Path("changed").write_text(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "{work}/changed.sam" "$2"\n')
    Path("changed").chmod(0o755)


def compare_real(lines, *options):
    Path("changed.sam").write_text("".join("\t".join(fields) + "\n" for fields in lines))
    return compare("real", "--reads", "reads.fq", "--trawl", "./changed", *options)


def test_differences():
    lines = rows("bwa.sam")
    sure = [fields for fields in lines if fields[0][0] != "@" and int(fields[4]) >= 20 and fields[5] == "100M"]
    for n, away in (0, 21), (1, 20), (5, 30), (7, 50), (8, 30):
        sure[n][3] = str(int(sure[n][3]) + away)
    sure[2][1] = str(16 - int(sure[2][1]))  # the other strand
    sure[3][1:6] = sure[4][1:6] = "4", "*", "0", "0", "*"  # unmapped
    sure[5][5], sure[8][5] = "30S70M", "30H70M"  # the same places
    sure[6][4] = sure[7][4] = "0"
    result = compare_real(lines, "--sample", 3, "-o", "out/real").ok()
    assert read_json("out/real.json")["differ"] == {
        "other places, both sure": 2, "only bwa-mem maps it: bwa-mem's piece is allowed, but not found": 2,
        "other places, bwa-mem sure": 1}
    assert len(rows("out/real.tsv")) == 5, "all differences"
    assert result.stdout.count("\n    trawl: sim") == 3, "a sample of them"
    assert [row[2] for row in cells(result) if row[0] in ("trawl", "bwa-mem")] == ["198", "200"], "mapped"


def test_no_differences():
    assert "\n    trawl: sim" not in compare_real(rows("bwa.sam")).ok().stdout


def test_a_read_is_missing():
    lines = rows("bwa.sam")
    del lines[next(n for n, fields in enumerate(lines) if fields[0][0] != "@")]
    result = compare_real(lines)
    assert result.status == 1
    assert "the two outputs do not have the same reads" in result.stderr


def test_no_reads():
    assert compare("real").status == 2


def test_why_a_read_is_not_mapped(monkeypatch):
    """By the record of a second mapper, with clips and edits."""
    monkeypatch.syspath_prepend(ROOT / "bench")
    from clip_compare import Record, of_length, reason
    assert (of_length("2.5%", 119), of_length("2.5%", 120), of_length("7", 1)) == (2, 3, 7)
    allowed, clipped, edited = ("x's piece is allowed, but not found", "x leaves out more than N bases",
                                "x has more than e edits")
    for cigar, edits, expected, *options in [
            ("70M30S", 3, allowed), ("69M31S", 3, clipped), ("70M30S", 4, edited),
            ("31H69M", 9, f"{clipped} and {edited}"), ("40M20I40M", 5, allowed), ("40M20I40M", 6, edited), ("60M40S", 3, allowed, "3", "50"),
            ("50M50S", 3, clipped, "3", "50"), ("100M", 0, allowed)]:
        text = "\t".join(["r", "0", "c", "1", "60", cigar, "*", "0", "0", "*", "*", f"NM:i:{edits}"])
        max_edits, clip = options or ("5%", "30%")
        assert reason(Record(text, 0, "c", 1, 60), max_edits, clip, "x") == expected, cigar


# --- places and cost ---


def test_places():
    result = compare("places", "--count", 2000, "--trawl", TRAWL, "--clip-options", "", "-o", "out/places").ok()
    reads = {row[0]: int(row[2].replace(",", "")) for row in cells(result) if row[1] == "trawl"}
    assert list(reads) == ["all", "adapter", "chimera", "indel", "sim"]
    assert reads.pop("all") == 2000
    assert sum(reads.values()) == 2000


def test_cost():
    result = compare("cost", "--count", 2000, "--repeats", 3, "--trawl", TRAWL, "--clip-options=--eqx",
                     "-o", "out/cost").ok()
    assert "--report best --eqx" in result.stdout, "with the options"
    assert "--report best --end-to-end -t" in result.stdout, "without"
    found = read_json("out/cost.json")
    assert list(found) == ["some need clipping", "all map from end to end"]
    for what, some_unmapped in zip(found, (True, False)):
        assert len(found[what]["walls"]["with"]) == 3
        assert (found[what]["unmapped"]["without"] > 50) == some_unmapped
        assert found[what]["reads"] > 1900
