"""trawl scan: sets of many exact patterns, and the limit of --memory. That a set finds every word of the text that it has, and
no other, is a test of tests/property (literal_set_test.cpp)."""

import collections
import itertools
import random
import re
from pathlib import Path

import pytest

from tools import (assert_same, has_cuda, random_bases, read_json, rows, run, sam_lines,
                   write_lines)

SCAN = ["scan", "--engine", "cpu"]
HOSTILE = [*SCAN, "ref.fa", "hostile.tsv"]


@pytest.fixture(scope="module", autouse=True)
def sets():
    """ref.fa: contigs with repeats, runs of one letter and N. {name: patterns} of sets; NAME.tsv has them, NAME.bed and
    NAME.json are the records and statistics of one thread."""
    random.seed(15)
    repeat = random_bases(900)
    contigs = [random_bases(40000) + "A" * 300 + random_bases(5000) + repeat + "N" * 70 + random_bases(9000)
               + repeat[:500] + "T" * 40,
               random_bases(3000) + "ACACACAC" * 30 + repeat + random_bases(70) + "N", random_bases(11),
               random_bases(20000)]
    with open("ref.fa", "w") as file:
        for c, text in enumerate(contigs):
            file.write(f">c{c}\n" + "".join(text[i:i + 70] + "\n" for i in range(0, len(text), 70)))

    def from_text(length):
        while True:
            text = random.choice([contig for contig in contigs if len(contig) > length])
            at = random.randrange(len(text) - length)
            if "N" not in text[at:at + length]:
                return text[at:at + length]

    word = random_bases(30)
    sets = {
        "all8": ["".join(letters) for letters in itertools.product("ACGT", repeat=8)],
        "some12": [random_bases(12) for _ in range(100000)],
        "half32": [from_text(32) if i % 2 else random_bases(32) for i in range(100000)],
        # Prefixes, rotations, runs of one letter, and the same pattern many times.
        "hostile": [word[:i] for i in range(1, 31)] + [word[i:] + word[:i] for i in range(30)]
                   + ["A" * i for i in range(1, 60)] + ["AC" * i for i in range(1, 40)] + [from_text(20)] * 50
                   + [repeat[:i] for i in range(5, 400, 7)]}
    for name, patterns in sets.items():
        write_lines(f"{name}.tsv", *(f"p{i}\t{pattern}" for i, pattern in enumerate(patterns)))
        run(*SCAN, "-t", 1, "ref.fa", f"{name}.tsv", "-o", f"{name}.bed", "--stats", f"{name}.json").ok()
    return sets


ALL_SETS = pytest.mark.parametrize("name", ["all8", "some12", "half32", "hostile"])


@ALL_SETS
@pytest.mark.parametrize("how", ["cpu -t 4 --tune chunk-size=3000 --tune search=pieces", "cuda"])
def test_the_bytes_do_not_depend_on_how_it_is_done(name, how):
    if how == "cuda" and not has_cuda():
        pytest.skip("the engine cuda cannot be used here")
    run("scan", "--engine", *how.split(), "ref.fa", f"{name}.tsv", "-o", "out/again.bed").ok()
    assert_same(f"{name}.bed", "out/again.bed")


def test_statistics_say_how_patterns_were_searched():
    run(*HOSTILE, "--tune", "search=rows", "-o", "out/x.bed", "--stats", "rows.json").ok()
    assert_same("hostile.bed", "out/x.bed")
    write_lines("mixed.tsv", "plain\tACGTTGCA", "mixed\tACGNTRCA")
    run(*SCAN, "--tune", "search=pieces", "ref.fa", "mixed.tsv", "-o", "out/x.bed", "--stats", "mixed.json").ok()
    for path, how in ("rows.json", "rows"), ("hostile.json", "pieces"), ("mixed.json", "rows and pieces"):
        assert re.search(rf"threads?, by {how}\)", Path(path).read_text()), path


def test_fasta_with_cr_and_lf():
    with open("hostile.fa", "w") as file:
        for name, pattern in rows("hostile.tsv"):
            file.write(f">{name} more\r\n{pattern[:7]}\r\n")
            if len(pattern) > 7:
                file.write(pattern[7:] + "\n")
    run(*SCAN, "ref.fa", "hostile.fa", "-o", "out/x.bed").ok()
    assert_same("hostile.bed", "out/x.bed")


def test_other_formats():
    for format in "tsv", "sam":
        run(*HOSTILE, "-o", f"out/x.{format}").ok()
    bed = rows("hostile.bed")
    assert [row[:6] + row[9:11] for row in rows("out/x.tsv")[1:]] == [row[:4] + row[5:9] for row in bed]
    found = [line.split("\t") for line in sam_lines("out/x.sam")]
    assert [row[:1] + row[2:4] + row[5:6] + row[11:13] for row in found] == [
        [name, contig, str(int(begin) + 1), cigar, "NM:i:0", f"MD:Z:{int(end) - int(begin)}"]
        for contig, begin, end, name, _, _, _, cigar, *_ in bed]


def test_memory():
    """Too little is said before the search, with a number that is enough."""
    def with_memory(size, patterns="half32.tsv"):
        return run(*SCAN, "-t", 2, "--memory", size, "--stats", "out/stats.json", "ref.fa", patterns, "-o", "out/m.bed")

    message = with_memory("100M").fails(1, "of memory, and --memory allows 100M", output="out/m.bed").stderr
    enough = int(re.search("give --memory ([0-9]*)M", message)[1])
    with_memory(f"{enough - 1}M").fails(1, "or split the patterns into 2 files", output="out/m.bed")
    for name in "half32", "some12":
        with_memory(f"{enough}M", f"{name}.tsv").ok()
        assert_same(f"{name}.bed", "out/m.bed")
        assert read_json("out/stats.json")["peak_resident_bytes"] <= enough << 20, name
    run("scan", "--memory", 0, "ref.fa", "hostile.tsv", "-o", "out/m0.bed").fails(
        2, "--memory 0: give bytes, for example 8G", output="out/m0.bed")


def test_statistics_of_each_pattern_of_a_large_set():
    counts = collections.Counter(row[3] for row in rows("some12.bed"))
    stats = read_json("some12.json")["records"]
    assert len(stats["by_pattern"]) == 100000
    assert [p for p in stats["by_pattern"] if p["by_distance"] != [counts[p["name"]]]] == []
    assert stats["total"] == sum(counts.values())


def test_names_that_occur_more_than_once_are_told():
    """The first five of them, each once, in the order in which they come again."""
    write_lines("names.tsv", "a\tACGTA", "b\tACGTT", "b\tAAGGT", "a\tCCTTG", "a\tCCTTGA", "c\tGGTTA")
    message = run(*SCAN, "ref.fa", "names.tsv", "-o", "out/names.bed").ok().stderr
    assert "several patterns have the same name, so that their records cannot be told apart: b, a\n" in message
