"""trawl map -C, --output-format; hints and warnings about the reads; -t above the cores."""

import os
import re
import resource
import shutil
from itertools import chain
from pathlib import Path

import pytest

from tools import (IS_SANITIZED, ROOT, TRAWL, assert_same, bgzip, count, execute, header, make_input, read_fastq, read_json, run, sam_lines,
                   samtools, simulate, sorted_tags, write_fastq)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """400 reads in reads.fq, pairs in m1.fq and m2.fq."""
    make_input(40000, 400)
    simulate("pairs", "ref.fa", 200, 75, 5, "m1.fq", "m2.fq", "--qualities", "--error-rate", 0.01)


# --- -C ---

# The n-th read's comment, and what -C adds of it: not Illumina's mark, nor tags that the records have.
COMMENTS = [
    ("", ""),
    (" {mate}:N:0:ACGT+TTGA", ""),
    ("\tBC:Z:read {n} \\ x\tXI:i:{i}\tNM:i:77", "BC:Z:read {n} \\ x\tXI:i:{i}"),
    (" {mate}:Y:0:ACGT RX:Z:AC-GT\tXF:f:1.5\tXE:A:q\tXH:H:1AFF", "RX:Z:AC-GT\tXF:f:1.5\tXE:A:q\tXH:H:1AFF"),
    (" XB:B:s,-3,{n},32767\tXC:B:f,1.5,-0.25\tX0:i:9\tXD:B:C,255", "XB:B:s,-3,{n},32767\tXC:B:f,1.5,-0.25\tXD:B:C,255")]
MAP = ["map", "-C", "-e", "5%", "ref.fa"]
ADDED = re.compile(r"\t((?:BC:Z|XI:i|RX|XF|XE:A|XH|XB|XC|XD):.*)")


def add_comments(source, mate, output):
    """What must be found of each read: its name and the tags that -C adds."""
    reads, expected = [], []
    for n, (name, bases, qualities) in enumerate(read_fastq(source)):
        text, tags = (part.format(mate=mate, n=n, i=n * 977 - 90000) for part in COMMENTS[n % 5])
        name = name.split()[0]
        reads.append((name + text, bases, qualities))
        expected.append((re.sub("/[12]$", "", name), tags))
    write_fastq(output, *reads)
    return expected


def added_tags(source):
    """The same of each record. They come last."""
    return [(line.split("\t")[0], "".join(ADDED.findall(line))) for line in sam_lines(source)]


@pytest.fixture(scope="module")
def tagged(inputs):
    """Of tagged.fq, the reads with comments; tagged.sam and tagged.bam are its records."""
    expected = add_comments("reads.fq", 1, "tagged.fq")
    for format in "sam", "bam":
        run(*MAP, "tagged.fq", "-o", f"tagged.{format}").ok()
    return expected


def test_comments(tagged):
    assert added_tags("tagged.sam") == tagged
    assert "--comments" in header("tagged.sam")
    samtools("quickcheck", "tagged.sam")
    # All else stays the same.
    run("map", "-e", "5%", "ref.fa", "tagged.fq", "-o", "out/x.sam").ok()
    assert [ADDED.sub("", line) for line in sam_lines("tagged.sam")] == sam_lines("out/x.sam")


def test_comments_in_other_formats(tagged):
    """BAM has the bytes of htslib, however the work is done."""
    assert sam_lines("tagged.bam") == sam_lines("tagged.sam")
    samtools("view", "-b", "-o", "out/again.bam", "tagged.sam")
    assert_same(bgzip("-dc", "out/again.bam")[-20000:], bgzip("-dc", "tagged.bam")[-20000:])
    for options in "-t 1", "-t 4 --tune batch-size=7":
        run(*MAP, *options.split(), "tagged.fq", "-o", "out/x.bam").ok()
        assert_same("tagged.bam", "out/x.bam")
    run(*MAP, "tagged.fq", "-o", "out/x.cram").ok()
    assert sorted_tags("out/x.cram", "-T", "ref.fa") == sorted_tags("tagged.sam")


def test_all_records_of_a_read_have_its_tags(tagged):
    run("map", "-C", "-e", 5, "--report", "all", "ref.fa", "tagged.fq", "-o", "out/x.bam").ok()
    assert set(added_tags("out/x.bam")) == set(tagged)
    assert count("out/x.bam", "-f", 256) > 0
    run(*MAP, "--sort", "tagged.fq", "-o", "out/x.bam").ok()
    assert sorted(added_tags("out/x.bam")) == sorted(tagged)


def test_comments_of_pairs():
    """Each mate has its own."""
    expected = add_comments("m1.fq", 1, "t1.fq") + add_comments("m2.fq", 2, "t2.fq")
    run("map", "-C", "ref.fa", "t1.fq", "t2.fq", "-o", "out/x.bam").ok()
    assert sorted(added_tags("out/x.bam")) == sorted(expected)
    write_fastq("both.fq", *chain(*zip(read_fastq("t1.fq"), read_fastq("t2.fq"))))
    run("map", "-C", "--interleaved", "ref.fa", "both.fq", "-o", "out/y.bam").ok()
    assert_same("out/x.bam", "out/y.bam")
    result = run("map", "-C", "--report", "all", "-R", r"@RG\tID:x\tSM:y", "ref.fa", "t1.fq", "t2.fq").ok()
    assert {line.count("\tRG:Z:") for line in sam_lines(result)} == {1}


def test_comments_that_are_no_tags(tagged):
    write_fastq("bad.fq", ("a length=4", "ACGT"))
    run("map", "-C", "ref.fa", "bad.fq", "-o", "out/x.bam").fails(
        1, "bad.fq:1: -C: in the read's comment, 'length=4' is not a SAM tag", "out/x.bam")
    run("map", "ref.fa", "bad.fq", "-o", "out/x.bam").ok()
    run("map", "-C", "ref.fa", "tagged.fq", "-o", "out/x.bed").fails(2, "-C,--comments: BED has no tags", "out/x.bed")


# --- --output-format ---


@pytest.mark.parametrize("format", ["sam", "bam", "cram", "bed"])
def test_output_format(format):
    """On the standard output, of a file without an extension, and of one with it."""
    command = ["map", "-e", "5%", "--output-format", format, "ref.fa", "reads.fq"]
    to_stdout = run(*command).ok()
    run(*command, "-o", "out/named").ok()
    assert_same(to_stdout, "out/named")
    if format in ("bam", "bed"):
        run("map", "-e", "5%", "ref.fa", "reads.fq", "-o", f"out/x.{format}").ok()
        assert_same(to_stdout, f"out/x.{format}")
    if format == "bam":
        assert len(run(*command, "--compression-level", 0).ok().bytes) > len(to_stdout.bytes)
    if format == "cram":
        assert count("out/named", "-T", "ref.fa") == 400


def test_output_format_with_other_options():
    bam = ["map", "--output-format", "bam", "ref.fa", "reads.fq"]
    run(*bam, "--sort", "-o", "out/odd.name").ok()
    assert os.path.getsize("out/odd.name.bai") > 0
    run(*bam, "-o", "out/x.sam").fails(2, "--output-format is not the format of out/x.sam", "out/x.sam")


# --- hints and warnings ---


@pytest.fixture(scope="module")
def foreign(inputs):
    """Reads that fit nowhere: of the letters in reverse order."""
    reads = [(name, bases[::-1], qualities) for name, bases, qualities in read_fastq("reads.fq")]
    write_fastq("foreign.fq", *reads)
    return reads


def percent(number):
    return f"{number / 4:.2f}%"  # of 400


def test_few_reads_are_mapped(foreign):
    for options, advice in [
            ([], ""), (["--clip-when", "always"], ""), (["--clip", "20%"], "a larger --clip, "),
            (["--end-to-end"], "no --end-to-end (adapters, bad ends), "),
            (["--report", "all"], "--clip 30% (adapters, bad ends), "),
            (["--metric", "hamming"], "edits in place of --metric hamming, ")]:
        result = run("map", "-e", 1, *options, "ref.fa", "foreign.fq", "-o", "out/x.sam").ok()
        left = percent(count("out/x.sam", "-f", 4))
        assert (f"hint: {left} of the reads are not mapped: {left} fit nowhere with -e 1. "
                f"Try a larger -e, {advice}or another reference (is it of this species?)") in result.stderr


def test_why_reads_are_not_mapped(foreign):
    """Most fit, 60 do not, 30 have too many N, 10 are too short."""
    write_fastq("part.fq", *read_fastq("reads.fq")[:300], *((f"{name}x", *rest) for name, *rest in foreign[:60]),
                *((f"n{n}", "ACGT" + "N" * 16) for n in range(30)), *((f"s{n}", "ACGTA") for n in range(10)))
    result = run("map", "-e", 5, "--report", "strata", "ref.fa", "part.fq", "-o", "out/x.sam").ok()
    unmapped = count("out/x.sam", "-f", 4)
    assert (f"hint: {percent(unmapped)} of the reads are not mapped: {percent(unmapped - 40)} fit nowhere with -e 5, "
            "7.50% have more N than edits allowed (--ambiguous match lets N match any base), 2.50% are too short for so many edits (see --min-length). "
            "Try") in result.stderr.splitlines()[-1]


def test_no_hint_where_most_are_mapped():
    message = run("map", "-e", "5%", "ref.fa", "reads.fq", "-o", "out/x.sam").ok().stderr
    assert "hint:" not in message and "warning:" not in message


def test_many_edits():
    short = len([bases for _, bases, _ in read_fastq("reads.fq") if 4 * 15 > len(bases)])
    message = run("map", "-e", 15, "ref.fa", "reads.fq", "-o", "out/x.sam").ok().stderr
    assert f"warning: -e 15 allows more edits than a quarter of the length of {short} of 400 reads" in message
    assert "warning:" not in run("map", "-e", "25%", "ref.fa", "reads.fq", "-o", "out/x.sam").ok().stderr


def test_limited_memory():
    """The message says that it is limited."""
    def limited(kilobytes, threads):
        return run("map", "-t", threads, "ref.fa", "reads.fq", "-o", "out/x.bam",
                   limits={resource.RLIMIT_AS: kilobytes << 10})

    if IS_SANITIZED or limited(1000000, 1).status != 0:
        pytest.skip("a program with sanitizers needs more memory than any limit here")
    results = {kilobytes: limited(kilobytes, 64) for kilobytes in (60000, 100000, 150000, 200000, 300000)}
    # Not every run starts all of its threads.
    too_low = {kilobytes: result for kilobytes, result in results.items() if result.status != 0}
    for kilobytes, result in too_low.items():
        result.fails(1, f"; 'ulimit -v' allows only {kilobytes * 1024 // 1000000} MB: raise it, or use fewer threads")
        assert "a thread cannot be started" in result.stderr or "not enough memory" in result.stderr
    assert len(too_low) > 2


# --- threads ---


def threads_of(*options):
    """(message, threads)"""
    message = run("map", *options, "ref.fa", "reads.fq", "-o", "out/x.bam", "--stats", "out/x.json").ok().stderr
    return message, read_json("out/x.json")["threads"]


def test_more_threads_than_cores(monkeypatch):
    monkeypatch.delenv("TRAWL_MAX_THREADS")
    cores = len(os.sched_getaffinity(0))
    message, threads = threads_of("-t", 1000)
    assert f"trawl map: -t 1000: only {cores} thread" in message
    assert threads == cores
    assert ": only" not in threads_of("-t", 1)[0]


def test_trawl_max_threads(monkeypatch):
    monkeypatch.setenv("TRAWL_MAX_THREADS", "3")
    assert threads_of("-t", 4)[1] == 3
    monkeypatch.setenv("TRAWL_MAX_THREADS", "x")
    run("map", "-t", 4, "ref.fa", "reads.fq", "-o", "out/y.bam").fails(
        2, "TRAWL_MAX_THREADS in the environment: 'x' is not a whole number from 1 to 1024", "out/y.bam")


# --- one of a thing ---


def test_one_read_and_one_pattern():
    write_fastq("one.fq", read_fastq("reads.fq")[0])
    result = run("map", "-e", "30%", "ref.fa", "one.fq", "-o", "out/x.sam").ok()
    assert "trawl map: 1 read, 1 mapped (100.00%), 1 alignment, " in result.stderr
    assert "trawl scan: 1 pattern, " in run("scan", "-p", "GATTACA", "ref.fa", "-o", "out/x.bed").ok().stderr


def test_a_bam_is_mapped_again():
    """By the lines of docs/map.md: the read groups stay, and what the old mapper wrote is left out."""
    page = (ROOT / "docs/map.md").read_text()
    lines = page.split("## Reads from SAM, BAM and CRAM")[1].split("```")[1].strip().split("\n")[1]
    run("map", "--sort", "-R", r"@RG\tID:x\tSM:y", "ref.fa", "m1.fq", "m2.fq", "-o", "out/first.bam").ok()
    head, *old = samtools("view", "-H", "out/first.bam"), *sam_lines("out/first.bam")
    old = [f"{line.replace('RG:Z:x', 'RG:Z:' + 'xz'[n % 2])}\tBC:Z:A{line.split()[0]}\tXA:Z:c,+1,9M,0;\tXS:i:7"
           for n, line in enumerate(old)]
    Path("out/old.sam").write_text(head + "@RG\tID:z\tSM:y\n" + "".join(line + "\n" for line in old))
    samtools("view", "-b", "-o", "out/old.bam", "out/old.sam")
    shutil.copy("ref.fa", "out/genome.fa")
    execute("bash", "-ec", "cd out; trawl() { $TRAWL \"$@\"; }\n" + lines, env={"TRAWL": TRAWL}).ok()

    def sides(lines):
        return sorted((name, int(flag) & 64, re.search("RG:Z:.", line)[0], re.search(r"BC:Z:\S*", line)[0])
                      for line in lines for name, flag in [line.split("\t")[:2]] if not int(flag) & 0x900)

    new = sam_lines("out/new.bam")
    assert sides(new) == sides(old)
    assert not re.search("\t(XA|XS):", "\n".join(new))
    assert re.findall("@RG\tID:(.)", header("out/new.bam")) == ["x", "z"]
