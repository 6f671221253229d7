"""trawl map under mpirun: the same bytes as one process, for any number of ranks, batch sizes, inputs and outputs."""

import gzip
import os
import re
import shutil
from pathlib import Path

import pytest

from mpi import IS_MPICH, ranks
from report_data import check_same
from tools import (assert_same, bgzip, count, feeding, files_in, make_input, read_fastq, read_json, records,
                   reverse_complement, run, samtools, simulate, start_program, write_fasta, write_fastq)

FORMATS = "sam bam cram bed bed.gz".split()


def write(path, text):
    Path(path).write_text(text)


def gzipped(path):
    Path(f"{path}.gz").write_bytes(gzip.compress(Path(path).read_bytes()))


@pytest.fixture(scope="module", autouse=True)
def files(work):
    make_input(60000, 1500)
    text = Path("reads.fq").read_text()
    lines = text.splitlines(keepends=True)
    reads = read_fastq("reads.fq")
    gzipped("reads.fq")
    Path("reads.bgz").write_bytes(bgzip("-c", "reads.fq"))
    write("crlf.fq", text.replace("\n", "\r\n"))
    for n, part in enumerate((lines[:2400], lines[2400:]), 1):
        write(f"part{n}.fq", "".join(part))
    gzipped("part2.fq")
    # FASTA with several lines and blank ones, and with one for a sequence; FASTQ in which some records have several lines.
    write("reads.fa", "".join(f">{name}\n{bases[:30]}\n{bases[30:]}\n" + "\n" * (n % 10 == 9)
                              for n, (name, bases, _) in enumerate(reads)))
    write_fasta("one_line.fa", *(read[:2] for read in reads))
    write("wrapped.fq", "".join(line[:20] + "\n" + line[20:] if n % 28 in (1, 27) else line
                                for n, line in enumerate(lines)))
    write_fastq("tagged.fq", *((f"{name.split()[0]} BC:Z:{4 * n + 1}\tXI:i:{308 * n + 77}", *read)
                               for n, (name, *read) in enumerate(reads)))
    gzipped("tagged.fq")
    simulate("pairs", "ref.fa", 900, 75, 5, "m1.fq", "m2.fq", "--qualities", "--error-rate", 0.01)
    gzipped("m2.fq")
    mates = [read_fastq(f"m{m}.fq") for m in (1, 2)]
    for m, mate in enumerate(mates, 1):
        write_fastq(f"m{m}_1.fq", *mate[:250])
        write_fastq(f"m{m}_2.fq", *mate[250:])
        write_fastq(f"copies{m}.fq", *((f"{name}x", *read) for name, *read in mate))
    mixed = [(4 if n % 2 == 0 else flag, (f"r{n}", *mate[1:])) for n, pair in enumerate(zip(*mates))
             for flag, mate in list(zip((77, 141), pair))[:1 + n % 2]]
    write_fastq("mixed.fq", *(read for _, read in mixed))
    write("mixed.sam", "@CO\tx\n" + "".join(f"{name}\t{flag}\t*\t0\t0\t*\t*\t0\t0\t{bases}\t{qualities}\n"
                                          for flag, (name, bases, qualities) in mixed))
    samtools("view", "-b", "-o", "mixed.bam", "mixed.sam")
    write_fastq("both.fq", *(mate for pair in zip(*mates) for mate in pair))
    simulate("reads", "ref.fa", 6000, 100, 3, "--qualities", "--lengths", "36-150", "--error-rate", 0.012, output="many.fq")
    simulate("reads", "ref.fa", 400, 100, 9, "--qualities", "--adapters", 0.3, "--chimeras", 0.2, output="clipped.fq")
    # One read 10,000 times, on both strands, with names that differ; and reads without a place.
    read = reads[0][1]
    ties = [one for n in range(5000) for one in (
        (f"r{n}", read), (f"s{n}", reverse_complement(read), "H" * len(read)))]
    write_fastq("ties.fq", *ties)
    write_fastq("lost.fq", *((name, "N" * len(bases), *rest) for name, bases, *rest in ties))
    write("empty.fq", "")
    run("index", "ref.fa", "-o", "ref.trawl").ok()


def as_one_process(options, inputs, runs):
    """Each run: the number of ranks, the format, the size of batches or -, and inputs in place of these. The statistics of
    the last one."""
    for number, format, batch, *others in map(str.split, runs):
        one = f"out/one.{format}"
        if not os.path.exists(one):
            os.mkdir(one)
            run("map", *options.split(), *inputs.split(), "-o", f"{one}/x.{format}").ok()
        words = [*options.split(), *([] if batch == "-" else [f"--tune=batch-size={batch}"])]
        shutil.rmtree("out/ranks", ignore_errors=True)
        os.mkdir("out/ranks")
        result = ranks.run(number, "map", "--progress", "off", "-t", int(number) % 3 + 1, *words,
                           *(others or inputs.split()), "-o", f"out/ranks/x.{format}", "--stats", "stats.json").ok()
        assert files_in("out/ranks") == files_in(one)
        for file in files_in(one):
            assert_same(f"{one}/{file}", f"out/ranks/{file}")
        assert len(re.findall("^trawl map: [0-9]+ (?:reads|pairs), ", result.stderr, flags=re.M)) == 1, result
    return read_json("stats.json")


ALL = "-e 5% --report all"


@pytest.mark.parametrize("options, inputs, runs", [
    (ALL, "ref.fa reads.fq", [f"{number} {format} {batch}" for format in FORMATS for number, batch in ((2, 1000), (3, 50))]),
    (ALL, "ref.fa reads.fq", ["1 bam -", "4 bam -", "4 sam 20", "7 bam 7", "7 bed.gz 1 ref.fa part1.fq,part2.fq.gz"]),
    (ALL, "ref.fa reads.fq", [f"3 bam 64 ref.fa {reads}" for reads in (
        "reads.fq.gz", "reads.bgz", "part1.fq,part2.fq.gz", "wrapped.fq")] + ["3 bam 64 ref.trawl reads.fq"]),
    (ALL, "ref.fa reads.fq", ["3 bam 7 ref.fa part1.fq,part2.fq", "3 bed 300 ref.fa crlf.fq"]),
    ("-e 2", "ref.fa reads.fa", ["3 bam 33", *(f"3 bam {size} ref.fa {reads}" for size in (1, 7, 300)
                                               for reads in ("one_line.fa", "reads.fa"))]),
    ("", "ref.fa empty.fq", ["3 sam -", "3 bam -", "3 bed.gz -"]),
    ("-C -e 5%", "ref.fa tagged.fq", ["3 sam 50", "3 bam 50 ref.fa tagged.fq.gz"]),
    (f"{ALL} --secondary-seq", "ref.fa m1.fq m2.fq", ["3 bam 64", "2 cram 64"]),
    # The insert sizes come from the first pairs.
    ("-e 4", "ref.fa m1.fq m2.fq", ["2 sam -", "3 bam 30", "7 bed.gz 2 ref.fa m1.fq m2.fq.gz", *(
        f"3 bam {size} ref.fa m1_1.fq,m1_2.fq m2_1.fq,m2_2.fq" for size in (1, 7, 100))]),
    ("-e 4 --interleaved", "ref.fa both.fq", ["3 bam 50"]),
    ("-e 4 --interleaved --singles", "ref.fa mixed.fq", ["3 bam 7", "2 sam -"]),
    ("-e 4", "ref.fa mixed.bam", ["3 bam 7", "2 sam -"]),
    ("-e 4 --insert 200-600 --report all", "ref.fa m1.fq m2.fq", ["3 sam 50"]),
    ("-e 3 --clip 30% --split", "ref.fa clipped.fq", ["3 bam 25"]),
    ("-e 3", "ref.fa clipped.fq", ["3 bam 25"])], ids=repr)
def test_the_same_bytes(options, inputs, runs):
    as_one_process(options, inputs, runs)
    if "-C" in options:
        assert "BC:Z:5\tXI:i:385" in Path("out/one.sam/x.sam").read_text()
    if options == "-e 3":
        assert count("out/one.bam/x.bam", "-f", 2048) > 20, "parts elsewhere"


# --- streams ---


@pytest.fixture(scope="module")
def one(files):
    """one.sam, one.bam, one.bed, one.bed.gz"""
    for format in "sam", "bam", "bed", "bed.gz":
        run("map", *ALL.split(), "ref.fa", "reads.fq", "-o", f"one.{format}").ok()


def by_ranks(number, *words, **how):
    return ranks.run(number, "map", "--progress", "off", *ALL.split(), *words, **how).ok()


@pytest.mark.skipif(IS_MPICH, reason="MPICH's mpirun fails if its standard input is not read at once")
@pytest.mark.parametrize("number, words, stdin", [
    (3, "--tune=batch-size=64 ref.fa -", "reads.fq"), (2, "--tune=batch-size=64 ref.fa -", "reads.fq.gz")])
def test_the_standard_input(one, number, words, stdin):
    by_ranks(number, *words.split(), "-o", "out/x.sam", stdin=stdin)
    assert_same("one.sam", "out/x.sam")


def test_a_fifo_and_the_standard_output(one):
    os.mkfifo("out/fifo")
    with feeding("out/fifo", Path("reads.bgz").read_bytes()):
        by_ranks(2, "ref.fa", "out/fifo", "-o", "out/x.bed")
    assert_same("one.bed", "out/x.bed")
    assert_same("one.sam", by_ranks(3, "--tune=batch-size=64", "ref.fa", "reads.fq"))


@pytest.mark.parametrize("format", ["bam", "bed.gz"])
def test_a_pipe(one, format):
    os.mkfifo(f"out/x.{format}")
    with start_program("cat", f"out/x.{format}") as cat:
        by_ranks(3, "--tune=batch-size=64", "ref.fa", "reads.fq", "-o", f"out/x.{format}")
        assert_same(f"one.{format}", cat.wait())


# --- --sort: the file and its index ---


@pytest.mark.parametrize("options, inputs, runs", [
    (ALL, "ref.fa many.fq", ["1 bam -", "2 bam 400", "7 bam 20"]),
    (f"{ALL} --sort-memory 1M", "ref.fa many.fq", ["4 cram 200", "3 bam 28"]),
    ("--mark-duplicates", "ref.fa m1.fq,copies1.fq m2.fq,copies2.fq", ["2 bam -", "3 bam 28", "5 cram 20"]),
    ("", "ref.fa ties.fq", ["4 bam 50"]),
    ("--sort-memory 1M", "ref.fa ties.fq", ["2 bam 50"]),
    ("", "ref.fa lost.fq", ["4 bam 50"]),
    ("--sort-memory 1M", "ref.fa lost.fq", ["2 bam 50"]),
    ("", "ref.fa empty.fq", ["3 bam -"]),
    ("--unmapped drop", "ref.fa lost.fq", ["2 bam 500"]),
    ("-e 4 --insert 380-420", "ref.fa m1.fq m2.fq", ["3 bam 30"])], ids=repr)
def test_sorted(options, inputs, runs):
    """What is equal stays in input order, whichever rank has mapped it."""
    stats = as_one_process(f"--sort {options}", inputs, runs)
    assert (stats["sort"]["spilled_bytes"] > 0) == ("--sort-memory" in options)
    if "ties" in inputs:
        assert len({(r.contig, r.position) for r in records("out/one.bam/x.bam", "-F", 256)}) == 1, "all at few places"
    if "--mark" in options:
        duplicates = count("out/one.bam/x.bam", "-f", 1024)
        # A copy of a pair in the repeat may be placed elsewhere than the pair: nearly half of the pairs lie there.
        assert 3 * duplicates >= count("out/one.bam/x.bam", "-F", 260)
        assert stats["duplicates"]["reads"] == duplicates


def test_most_records_are_sent_once():
    """To the first rank; nothing else is large."""
    by_ranks(3, "--sort", "--tune=batch-size=400", "-t", 1, "ref.fa", "reads.fq", "-o", "out/x.bam", "--stats", "out/x.json")
    samtools("quickcheck", "out/x.bam")
    sent = [rank["bytes_sent"] for rank in read_json("out/x.json")["ranks"]]
    assert sum(sent) < 2 * len(samtools("view", "out/x.bam"))


# --- statistics and reports ---


def test_the_counts_are_those_of_all_ranks():
    run("map", "-e", 4, "ref.fa", "m1.fq", "m2.fq", "-o", "out/x.sam", "--stats", "one.json").ok()
    ranks.run(3, "map", "--progress", "off", "-t", 2, "-e", 4, "--tune=batch-size=40", "ref.fa", "m1.fq", "m2.fq",
              "-o", "out/x.sam", "--stats", "many.json").ok()
    one, many = read_json("one.json"), read_json("many.json")
    for key in "reads", "alignments", "pairs", "insert", "clipped", "reference":
        assert one[key] == many[key], key
    assert len(many["ranks"]) == 3 and "ranks" not in one
    assert sum(rank["done"] for rank in many["ranks"]) == one["reads"]["total"]
    assert all(rank["threads"] == 2 and rank["seconds"] for rank in many["ranks"])
    # A batch of 40 reads has its request, itself and its records.
    assert sum(rank["messages_sent"] for rank in many["ranks"]) < 6 * 45 + 30


def test_the_report_and_the_session():
    """More windows with records than are kept, and deep ones."""
    simulate("genome", 500000, 9, "large.fa")
    simulate("pairs", "large.fa", 3000, 100, 5, "one.fq", "two.fq", "--qualities", "--error-rate", 0.012,
             "--indel-share", 0.4)
    words = ["--report", "all", "--sort", "large.fa", "one.fq", "two.fq", "-o", "out/x.bam"]
    run("map", *words, "--report-html", "1.html", "--igv-session", "1.xml").ok()
    ranks.run(3, "map", "--progress", "off", *words, "--tune=batch-size=100", "--stats", "3.json", "--report-html", "3.html",
              "--igv-session", "3.xml").ok()
    assert min(rank["done"] for rank in read_json("3.json")["ranks"]) > 0
    check_same("1.html", "3.html")
    assert_same("1.xml", "3.xml")


# --- errors: the first one of the input is said, once, as by one process ---


def broken(path, source, line, text):
    """A copy of a file with another line."""
    lines = Path(source).read_text().splitlines(keepends=True)
    lines[line - 1] = text + "\n"
    write(path, "".join(lines))


def test_errors():
    reads = Path("reads.fq").read_bytes()
    broken("letters.fq", "reads.fq", 1502, "!" + "A" * 99)
    broken("letters.fq", "letters.fq", 3002, "?" + "A" * 99)
    broken("middle.fq", "reads.fq", 3503, "-")
    broken("middle.fa", "one_line.fa", 2002, "*ACGT")
    Path("cut.fq").write_bytes(reads[:100000])
    Path("cut.fq.gz").write_bytes(Path("reads.fq.gz").read_bytes()[:20000])
    write_fastq("few.fq", *read_fastq("m2.fq")[:750])
    broken("others.fq", "m2.fq", 1201, "@other")
    for words in ("ref.fa letters.fq", "ref.fa middle.fq", "ref.fa one_line.fa,middle.fa", "ref.fa cut.fq", "ref.fa cut.fq.gz",
                  "ref.fa none.fq", "none.fa reads.fq", "--report best --strata 2 ref.fa reads.fq", "--fast ref.fa reads.fq",
                  "ref.fa m1.fq few.fq", "ref.fa few.fq m1.fq", "ref.fa m1.fq others.fq"):
        alone = run("map", *words.split(), "-o", "out/x.bam")
        for threads in 1, 4:
            found = ranks.failed(ranks.run(3, "map", "--progress", "off", "-t", threads, "--tune=batch-size=10",
                                           *words.split(), "-o", "out/x.bam"))
            assert (found.status, said(found)) == (alone.status, said(alone)), words


def test_a_reference_on_the_standard_input():
    os.mkfifo("ref.fifo")
    for reference in "-", "ref.fifo":
        result = ranks.failed(ranks.run(2, "map", reference, "reads.fq", "-o", "out/x.bam", stdin="ref.fa"))
        assert result.stderr.count("each rank reads the reference, which cannot be the standard input or a pipe") == 1


def said(result):
    return [line for line in result.stderr.splitlines() if re.match("trawl map(?!: engine|.*interrupted)", line)]


def test_info():
    shown = ranks.run(3, "info").ok().stdout
    assert re.search(", 3 ranks on 1 node$", shown, flags=re.M) and len(re.findall("^trawl ", shown, flags=re.M)) == 1
    assert re.search(", 1 rank$", run("info").ok().stdout, flags=re.M)
