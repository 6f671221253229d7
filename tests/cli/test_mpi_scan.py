"""trawl scan under mpirun: the same bytes as one process, for any ranks, chunks, inputs and outputs."""

import gzip
import os
import random
import shutil
from pathlib import Path

import pytest

from mpi import IS_MPICH, ranks
from report_data import check_same
from tools import (assert_same, bgzip, files_in, make_input, mutated, read_fasta, read_json, reverse_complement, run,
                   write_fasta, write_lines)

FORMATS = "bed bed.gz tsv sam".split()
SOME = "-k 1 -p ACG -p RYRYR -p CACACACA"
MANY = "runs.fa patterns.tsv"


@pytest.fixture(scope="module", autouse=True)
def files(work):
    make_input(60000, 10)
    Path("ref.bgzf.gz").write_bytes(bgzip("-c", "ref.fa"))
    Path("ref.gz").write_bytes(gzip.compress(Path("ref.fa").read_bytes()))
    run("index", "ref.fa", "-o", "ref.trawl").ok()
    random.seed(16)
    text = "".join(read_fasta("ref.fa").values()).upper().replace("N", "A")
    patterns = []
    for n in range(30):
        length = random.choice([5, 12, 20, 23, 36, 200])
        at = random.randrange(len(text) - length)
        pattern = mutated(text[at:at + length], random.randrange(3), indels=False)
        patterns.append((f"p{n}", pattern if n % 2 else reverse_complement(pattern)))
    write_lines("patterns.tsv", *map("\t".join, patterns), "run\tAAAAAAAAAAAA", "repeat\tCACACACACA")
    # A text with long runs of ends: a locus may be longer than several chunks.
    shutil.copy("ref.fa", "runs.fa")
    with open("runs.fa", "a") as file:
        file.write(">runs\n" + 40 * ("A" * 60 + "CA" * 30 + "\n"))
    write_lines("genes.bed", *(f"{name}\t{150 * n}\t{150 * n + 90}\tgene{n}" for name in read_fasta("runs.fa")
                               for n in range(40)))
    write_lines("cas.txt", "genome", "NNNNNNNNNNNNNNNNNNNNNGG 0 1",
                *(f"{pattern}NNN 6 {name}" for name, pattern in patterns if len(pattern) == 20))


def by_ranks(number, *words, **how):
    return ranks.run(number, "scan", "--progress", "off", *words, **how).ok()


@pytest.mark.parametrize("options, inputs, runs", [
    *((options, MANY, ["2 tsv -", "3 bed.gz 211", "4 bed 1009", "7 sam 20011"]) for options in (
        "-k 2", "-k 3 --report ends --ambiguous match", "-k 2 --metric hamming", "-k 3 --pam NGG --max-bulges 2",
        "-k 3 --pam TTTV:5' --max-bulges 1", "-k 0 --strand -")),
    # Lines of many chunks come at the same time.
    (SOME, "runs.fa", [f"{number} {format} {chunk}" for format in FORMATS for number, chunk in ((3, 5003), (4, "-"))]),
    (SOME, "runs.fa", ["4 bed.gz 150"]),
    # The SAM header names the reference, the other formats do not.
    ("-k 2", "ref.fa patterns.tsv", ["3 bed 4001 ref.gz patterns.tsv", "3 bed 4001 ref.bgzf.gz patterns.tsv",
                                     "3 sam 4001 ref.trawl patterns.tsv"])], ids=repr)
def test_the_same_bytes(options, inputs, runs):
    run("scan", *options.split(), *inputs.split(), "-o", "out/one.bed").ok()
    assert len(Path("out/one.bed").read_text().splitlines()) > 20
    if "5003" in runs[0]:
        assert os.path.getsize("out/one.bed") > 1500000, "each chunk of 5,000 has more text than comes along"
    for number, format, chunk, *others in map(str.split, runs):
        if not os.path.exists(f"out/one.{format}"):
            run("scan", *options.split(), *inputs.split(), "-o", f"out/one.{format}").ok()
        words = [] if chunk == "-" else [f"--tune=chunk-size={chunk}"]
        by_ranks(number, *options.split(), *words, "-t", 2, *(others or inputs.split()), "-o", f"out/x.{format}")
        assert_same(f"out/one.{format}", f"out/x.{format}")


def test_streams():
    """stdout is BED. Only the first rank needs the reference."""
    words = ["-k", 2, "ref.fa", "patterns.tsv"]
    expected = run("scan", *words).ok()
    if not IS_MPICH:  # its mpirun fails if a program begins to read late
        assert_same(expected, by_ranks(3, "-k", 2, "--tune=chunk-size=4001", "-", "patterns.tsv", stdin="ref.fa"))
    assert_same(expected, by_ranks(3, "-k", 2, "ref.fa", "-", stdin="patterns.tsv"))
    assert_same(expected, by_ranks(2, *words, before={1: "mkdir out/elsewhere; cd out/elsewhere"}))


@pytest.mark.parametrize("words", ["-k 2 --pam NGG,NAG --pam-mismatches 1 runs.fa patterns.tsv", "runs.fa cas.txt"])
def test_guides(words):
    """Every column of the table, the summary, genes that only the first rank reads."""
    words = ["--annotate", "genes.bed", *words.split()]
    run("scan", *words, "-o", "out/x.csv", "--summary", "out/s.tsv").ok()
    assert len(Path("out/x.csv").read_text().splitlines()) > 20
    by_ranks(3, *words, "--tune=chunk-size=1009", "-o", os.path.abspath("out/y.csv"), "--summary", "out/t.tsv",
             before={1: "mkdir -p out/elsewhere/out; cd out/elsewhere"})
    assert_same("out/x.csv", "out/y.csv")
    assert_same("out/s.tsv", "out/t.tsv")


def test_messages_and_statistics_are_those_of_one_process():
    words = ["-k", 2, "ref.fa", "patterns.tsv", "-o", "out/x.bed", "--stats"]
    run("scan", *words, "one.json").ok()
    result = by_ranks(3, "--tune=chunk-size=3001", *words, "ranks.json")
    summaries = [line for line in result.stderr.splitlines() if "patterns" in line and "bases" in line and "loci" in line]
    assert len(summaries) == 1 and result.stderr.count("engine cpu") == 1
    one, found = read_json("one.json"), read_json("ranks.json")
    for key in "reference", "patterns", "records":
        assert one[key] == found[key], key
    assert "ranks" not in one and [rank["rank"] for rank in found["ranks"]] == [0, 1, 2]
    assert sum(rank["done"] for rank in found["ranks"]) == found["reference"]["bases"]


@pytest.mark.parametrize("number", [2, 3])
def test_the_report_and_the_session(number):
    words = ["-k", 5, "ref.fa", "patterns.tsv", "-o", "out/x.bed"]
    run("scan", *words, "--report-html", "1.html", "--igv-session", "1.xml").ok()
    by_ranks(number, *words, "--tune=chunk-size=20000", "--stats", "x.json", "--report-html", "x.html", "--igv-session",
             "x.xml")
    check_same("1.html", "x.html")
    assert_same("1.xml", "x.xml")


@pytest.mark.parametrize("status, message, words", [
    (2, "there is no option --nothing", "--nothing ref.fa patterns.tsv"),
    (2, "need --pam", "--max-bulges 2 ref.fa patterns.tsv"),
    (2, "--per-read best cannot be used under mpirun", "--counts out/y.tsv a=ref.fa patterns.tsv"),
    (1, "no_file: cannot open", "no_file patterns.tsv"),
    (1, "no_file: cannot open", "ref.fa no_file"),
    (1, "bad.fa:3", "bad.fa patterns.tsv")])
def test_errors_are_said_once(status, message, words):
    write_fasta("bad.fa", ("a", "ACGT\nAC!GT"))
    result = ranks.run(3, "scan", *words.split(), "-o", "out/x.tsv")
    assert (result.status, result.stderr.count(message), files_in("out")) == (status, 1, [])
