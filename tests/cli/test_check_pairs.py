"""trawl-check pairs and truth of bench/: right output passes, and every kind of fault is found."""

import re

import pytest

from tools import (bench_program, counts, execute, read_fasta, read_fastq, rows, run, simulate, write_fasta,
                   write_fastq, write_lines)

CHECK = bench_program("trawl-check")


def check(*arguments):
    return execute(CHECK, *arguments)


def write_records(path, *records):
    """Columns are separated by blanks."""
    write_lines(path, *("\t".join(record.split()) for record in records))


# --- all pairs and the best ones ---


def map_pairs(folder, *orientation):
    """1.sam, 2.sam: each mate alone; all.sam, best.sam."""
    simulate("pairs", "ref.fa", 400, 60, 3, f"{folder}/1.fq", f"{folder}/2.fq", "--insert", "300,60", *orientation,
             "--error-rate", 0.02, "--indel-share", 0.5, "--qualities")
    for n in 1, 2:
        run("map", "-e", 3, "--report", "all", "-o", f"{folder}/{n}.sam", "ref.fa", f"{folder}/{n}.fq").ok()
    pairs = ["map", "-e", 3, "--insert", "150-450", *orientation, "ref.fa", f"{folder}/1.fq", f"{folder}/2.fq"]
    run(*pairs, "--report", "all", "-o", f"{folder}/all.sam").ok()
    run(*pairs, "--end-to-end", "-o", f"{folder}/best.sam").ok()


@pytest.fixture(scope="module", autouse=True)
def inputs(work):
    """A reference with copies of one part near to each other, so that a pair has many concordant pairs."""
    simulate("genome", 20000, 7, "genome.fa")
    bases, = read_fasta("genome.fa").values()
    part = bases[:120]
    write_fasta("ref.fa", ("near", 9 * part + bases[-12000:]), ("far", part))
    map_pairs(work)


@pytest.mark.parametrize("orientation", ["fr", "rf", "ff"])
def test_right_pairs(orientation):
    map_pairs("out", "--orientation", orientation)
    names = [[name for name, _, _ in read_fastq(f"out/{n}.fq")] for n in (1, 2)]
    assert names[0] == names[1]
    found = counts(check("pairs", "out/1.sam", "out/2.sam", "out/all.sam", "--insert", "150-450",
                         "--orientation", orientation, "--best", "out/best.sam").ok())
    assert found["concordant pairs"] == found["combinations that fit"] > found["pairs"]
    assert found["best pairs"] == found["with concordant pairs"] < 400


@pytest.mark.parametrize("limits, missing, extra", [
    ("100-450", True, False), ("200-450", False, True), ("150-450 --orientation rf", True, True)])
def test_other_limits(limits, missing, extra):
    """Pairs are missing, or too many."""
    result = check("pairs", "1.sam", "2.sam", "all.sam", "--insert", *limits.split())
    assert result.status == 1
    found = counts(result)
    assert (found["missing"] > 0, found["extra"] > 0) == (missing, extra)


def test_no_limits():
    assert check("pairs", "1.sam", "2.sam", "all.sam").status == 2


# --- faults ---


def add(column, number):
    def change(columns):
        columns[column] = str(int(columns[column]) + number)
    return change


def substitute(pattern, replacement):
    def change(columns):
        columns[:] = re.sub(pattern, replacement, "\t".join(columns), count=1).split("\t")
    return change


def other_strand(columns):
    columns[1] = str(int(columns[1]) ^ 16)


@pytest.mark.parametrize("number, change, message", [
    pytest.param(2, list.clear, "missing: pair", id="a pair is left out"),
    pytest.param(1, list.clear, "has no mate after it", id="one mate is left out"),
    pytest.param(1, add(3, 1), "missing: pair", id="a record is moved"),
    pytest.param(1, other_strand, "do not point at each other", id="another strand"),
    pytest.param(1, add(7, 1), "do not point at each other", id="mate position"),
    pytest.param(2, add(1, -2), "missing: pair", id="not flagged proper"),
    pytest.param(1, substitute("HI:i:", "HI:i:9"), "NH or HI", id="HI"),
    pytest.param(1, substitute("NH:i:", "NH:i:9"), "NH or HI", id="NH"),
    pytest.param(1, substitute("AS:i:-?", "AS:i:-1"), "missing: pair", id="AS"),
    pytest.param(1, substitute("YS:i:-?", "YS:i:-7"), "do not point at each other", id="YS"),
    pytest.param(1, add(4, 3), "a secondary record has MAPQ 3", id="MAPQ")])
def test_a_fault(number, change, message):
    """Of the first secondary records of a concordant pair."""
    lines = rows("all.sam")
    secondary = [columns for columns in lines if columns[0][0] != "@" and int(columns[1]) & 258 == 258]
    for columns in secondary[:number]:
        before = list(columns)
        change(columns)
        assert columns != before
    write_lines("out/spoilt.sam", *("\t".join(columns) for columns in lines if columns))
    result = check("pairs", "1.sam", "2.sam", "out/spoilt.sam", "--insert", "150-450")
    assert result.status == 1
    assert message in result.stdout


def test_mates_alone_are_left_out():
    run("map", "-e", 3, "--insert", "150-450", "--discordant", "never", "ref.fa", "1.fq", "2.fq",
        "-o", "out/never.sam").ok()
    assert check("pairs", "1.sam", "2.sam", "out/never.sam", "--insert", "150-450").status == 1


def test_the_best_pair_is_one_of_the_smallest_sum():
    run("map", "-e", 3, "--insert", "150-350", "-o", "out/other.sam", "ref.fa", "1.fq", "2.fq").ok()
    result = check("pairs", "1.sam", "2.sam", "all.sam", "--insert", "150-450", "--best", "out/other.sam")
    assert result.status == 1
    assert "best: " in result.stdout


def test_files_of_different_pairs():
    write_fastq("out/fewer.fq", *read_fastq("2.fq")[:300])
    run("map", "-e", 3, "--report", "all", "-o", "out/fewer.sam", "ref.fa", "out/fewer.fq").ok()
    result = check("pairs", "1.sam", "out/fewer.sam", "all.sam", "--insert", "150-450")
    assert result.status == 1
    assert "the same pairs in the same order" in result.stderr


# --- split mates: their supplementary records are no part of the concordant pairs, come last, and point to the mate ---

FIRST = "p 99 c 101 60 60M40S = 301 300 * * NM:i:0 AS:i:60 NH:i:1 HI:i:1 YS:i:100"
SECOND = "p 147 c 301 60 100M = 101 -300 * * NM:i:0 AS:i:100 NH:i:1 HI:i:1 YS:i:60"
OTHER = "p 2145 c 701 9 60S40M = 301 0 * * NM:i:0 AS:i:40"
OTHER_OF_SECOND = "p 2193 c 701 9 60S40M = 101 0 * * NM:i:0 AS:i:40"


def check_split(*records, best=False):
    write_records("out/1.sam", "p 0 c 101 60 60M40S * 0 0 * * NM:i:0 AS:i:60 NH:i:1 HI:i:1")
    write_records("out/2.sam", "p 16 c 301 60 100M * 0 0 * * NM:i:0 AS:i:100 NH:i:1 HI:i:1")
    write_records("out/split.sam", *records)
    return check("pairs", "out/1.sam", "out/2.sam", "out/split.sam", "--insert", "100-400",
                 *["--best", "out/split.sam"] * best)


def test_split_mates():
    assert counts(check_split(FIRST, SECOND, OTHER, best=True).ok())["concordant pairs"] == 1
    check_split(FIRST.replace("40S", "40H"), SECOND, OTHER).ok()


@pytest.mark.parametrize("records, message", [
    pytest.param([FIRST, SECOND, OTHER.replace("301", "302")], "does not point to the primary record",
                 id="a supplementary record points elsewhere"),
    pytest.param([FIRST, SECOND, OTHER + " NH:i:1"], "or NH or HI", id="NH of a supplementary record"),
    pytest.param([FIRST, SECOND, OTHER.replace("2145", "2401")], "a supplementary record has flag 2401",
                 id="a supplementary record that is secondary"),
    pytest.param([FIRST, SECOND, OTHER, OTHER_OF_SECOND, OTHER], "not in order",
                 id="one of the first mate after one of the second"),
    pytest.param([FIRST, OTHER, SECOND], "not in order", id="a supplementary record before the second mate")])
def test_a_fault_of_split_mates(records, message):
    result = check_split(*records)
    assert result.status == 1
    assert message in result.stdout


# --- truth ---


def test_truth():
    """The mates of one pair have different places, and a moved record is wrong."""
    write_records("out/small.sam", "@SQ SN:a_b LN:1000", *(f"pair{pair.strip()} * *" for pair in """
        0_a_b_100_200_+_0_400_500_-_3  99 a_b 101 60 100M   = 401  400
        0_a_b_100_200_+_0_400_500_-_3 147 a_b 401 60 100M   = 101 -400
        1_a_b_100_200_-_0_400_500_+_3  83 a_b 101 10 100M   = 401  400
        1_a_b_100_200_-_0_400_500_+_3 163 a_b 391 10 5S95M  = 101 -400
        1_a_b_100_200_-_0_400_500_+_3 419 a_b 401 10 100M   = 101 -400
        2_a_b_100_200_-_0_400_500_+_3  83 a_b 111 20 100M   = 412  400
        2_a_b_100_200_-_0_400_500_+_3 163 a_b 412 20 100M   = 111 -400
        3_a_b_100_200_-_0_400_500_+_3  77 *   0   0  *      * 0    0
        3_a_b_100_200_-_0_400_500_+_3 141 *   0   0  *      * 0    0""".strip().splitlines()))
    found = counts(check("truth", "out/small.sam").ok())
    assert [found[name] for name in ("reads", "mapped", "right", "MAPQ >= 20", "right of them")] == [8, 6, 4, 4, 3]
    assert counts(check("truth", "out/small.sam", "--slack", 15).ok())["right"] == 6


def test_a_mate_of_unknown_number():
    write_records("out/alone.sam", "pair0_a_b_100_200_+_0_400_500_-_3 0 a_b 101 60 100M * 0 0 * *")
    assert check("truth", "out/alone.sam").status == 1


@pytest.mark.parametrize("every, expected", [(10, ["2000", "200", "yes"]), (50, ["2000", "40", "no"])])
def test_calibration(every, expected):
    """2,000 records of MAPQ 10, of which 1 in 10 is wrong, then 1 in 50; too few of MAPQ 30."""
    write_records("out/c.sam", *(
        f"sim{n}_c_100_200_+_0 0 c {101 if n % every else 501} {10 if n < 2000 else 30} 100M * 0 0 * *"
        for n in range(2100)))
    found = rows(check("truth", "out/c.sam", "--calibration"))
    assert [row[1:3] + row[5:6] for row in found if row[0].endswith("-10")] == [expected]
