"""The output file appears only when it is complete."""

import gzip
import os
import random
import re
import resource
import shutil
from pathlib import Path

import pytest

from tools import (TRAWL, assert_same, bgzip, execute, fastq, files_in, make_input, random_bases, read_fasta, read_json,
                   records, reverse_complement, run, start)

FORMATS = ["sam", "bam", "cram", "bed", "bed.gz"]
ALL_FORMATS = pytest.mark.parametrize("format", FORMATS)
MAP = ["map", "ref.fa", "reads.fq"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa, reads.fq; whole.sam, whole.bam, ...; cut.fq, of which the last read is not complete."""
    make_input(60000, 6000)
    Path("cut.fq").write_bytes(b"".join(Path("reads.fq").read_bytes().splitlines(keepends=True)[:20001]))
    for format in FORMATS:
        run(*MAP, "-o", f"whole.{format}").ok()


# --- an existing file ---


@ALL_FORMATS
def test_it_is_kept_on_failure_and_replaced_on_success(format):
    output = f"out/x.{format}"
    Path(output).write_text("old\n")
    run("map", "ref.fa", "cut.fq", "-o", output).fails(1, "the last record is not complete")
    assert Path(output).read_text() == "old\n"
    assert run(*MAP, "-o", output).ok().stdout == ""
    assert_same(f"whole.{format}", output)
    assert files_in("out") == [f"x.{format}"]


# --- files of reads ---


def read_texts(name, interleaved=False):
    """The text of each read; of pairs, of each pair."""
    lines = Path(name).read_text().splitlines(keepends=True)
    step = 8 if interleaved else 4
    return ["".join(lines[i:i + step]) for i in range(0, len(lines), step)]


@pytest.fixture(scope="module")
def some_foreign():
    """foreign.fq: 3,000 reads with comments, every fourth from nowhere, with mates_N.fq of the same."""
    random.seed(7)
    contigs = list(read_fasta("ref.fa").values())
    with open("foreign.fq", "w") as single, open("mates_1.fq", "w") as first, open("mates_2.fq", "w") as second:
        for i in range(3000):
            contig = random.choice(contigs)
            begin = random.randrange(len(contig) - 400)
            mates = [contig[begin:begin + 80], reverse_complement(contig[begin + 220:begin + 300])]
            if i % 4 == 0:
                mates = [random_bases(80), random_bases(80)] if i % 8 else [mates[0], random_bases(80)]
            single.write(fastq(f"r{i} 1:N:0:ACGT", mates[1], "".join(random.choice("#5I") for _ in mates[1])))
            for m, file in enumerate((first, second)):
                file.write(fastq(f"p{i}/{m + 1} lane {i}", mates[m]))


@pytest.mark.parametrize("ending", ["fq", "fastq.gz"])
@pytest.mark.parametrize("more", [[], ["-t", 1, "--tune", "batch-size=7"], ["--clip", "30%"]])
def test_files_of_reads(some_foreign, ending, more):
    run("map", *more, "--unmapped", f"drop,out/rest.{ending}", "--mapped", f"out/hit.{ending}", "ref.fa", "foreign.fq", "-o",
        "out/x.sam").ok()
    if ending.endswith("gz"):
        execute("bgzip", "-t", "out/rest.fastq.gz").ok()
        execute("gunzip", "out/rest.fastq.gz", "out/hit.fastq.gz").ok()
        ending = "fastq"
    rest, hit = read_texts(f"out/rest.{ending}"), read_texts(f"out/hit.{ending}")
    mapped = {record.name for record in records("out/x.sam")}
    assert [record for record in records("out/x.sam") if record.flag & 4] == []
    every = read_texts("foreign.fq")
    assert hit == [text for text in every if text.split()[0][1:] in mapped]
    assert rest == [text for text in every if text.split()[0][1:] not in mapped]
    assert len(rest) > 300


@pytest.mark.parametrize("more", [[], ["-t", 1, "--tune", "batch-size=4"], ["--interleaved"]])
def test_files_of_pairs(some_foreign, more):
    """A pair is mapped if one of its mates is."""
    texts = [[re.sub("/[12] ", " ", text) for text in read_texts(f"mates_{n}.fq")] for n in (1, 2)]
    files = ["mates_1.fq", "mates_2.fq"]
    if "--interleaved" in more:
        files = ["both.fq"]
        Path("both.fq").write_text("".join(map("".join, zip(*texts))))
    run("map", *more, "--insert", "100-500", "--unmapped", "out/rest_%.fq", "--mapped", "out/both.fq.gz", "ref.fa", *files, "-o", "out/x.bam").ok()
    mapped = {record.name for record in records("out/x.bam") if not record.flag & 4}
    rest = [[text for text in of if text.split()[0][1:] not in mapped] for of in texts]
    assert [read_texts(f"out/rest_{n}.fq") for n in (1, 2)] == rest and len(rest[0]) > 300
    execute("gunzip", "out/both.fq.gz").ok()
    assert read_texts("out/both.fq", True) == [
        a + b for a, b in zip(*texts) if a.split()[0][1:] in mapped]
    assert len({record.name for record in records("out/x.bam")}) == 3000
    # The records are those without files.
    run("map", *more, "--insert", "100-500", "ref.fa", *files, "-o", "out/y.bam").ok()
    assert_same("out/x.bam", "out/y.bam")


def test_files_of_pairs_from_a_bam(some_foreign):
    """Pairs of a BAM, and single reads among them, which have no place in files with %."""
    execute("samtools", "import", "-1", "mates_1.fq", "-2", "mates_2.fq", "-o", "out/pairs.bam").ok()
    options = ["--insert", "100-500", "--unmapped", "out/rest_%.fq"]
    run("map", *options, "ref.fa", "out/pairs.bam", "-o", "out/x.bam").ok()
    mapped = {record.name for record in records("out/x.bam") if not record.flag & 4}
    names = [[text.split()[0][1:] for text in read_texts(f"out/rest_{n}.fq")] for n in (1, 2)]
    assert names[0] == names[1] == [name for name in dict.fromkeys(r.name for r in records("out/x.bam")) if name not in mapped]
    Path("out/mixed.fq").write_text(fastq("p", random_bases(60)) * 2 + fastq("s", random_bases(60)))
    mixed = ["--interleaved", "--singles", "ref.fa", "out/mixed.fq", "-o", "out/y.bam"]
    run("map", *options, *mixed).fails(1, "the read 's' has no mate, which out/rest_1.fq needs; name a file without %", "out/y.bam")
    run("map", "--insert", "100-500", "--unmapped", "out/rest.fq", *mixed).ok()
    assert Path("out/rest.fq").read_text() == Path("out/mixed.fq").read_text()


def test_files_of_reads_without_qualities(some_foreign):
    Path("out/plain.fa").write_text(">a b\nTTTTTGGGGGCCCCCAAAAATTTTTGGGGGCCCCCAAAAA\n")
    run("map", "--unmapped", "out/rest.fa", "ref.fa", "foreign.fq", "-o", "out/x.sam").ok()
    assert Path("out/rest.fa").read_text().startswith(">r0 1:N:0:ACGT\n")
    run("map", "--unmapped", "out/rest.fa.gz", "ref.fa", "out/plain.fa", "-o", "out/x.sam").ok()
    assert gzip.decompress(Path("out/rest.fa.gz").read_bytes()) == b">a b\nTTTTTGGGGGCCCCCAAAAATTTTTGGGGGCCCCCAAAAA\n"
    run("map", "--unmapped", "out/new.fq", "ref.fa", "out/plain.fa", "-o", "out/y.sam").fails(
        1, "the read 'a' has no qualities, which out/new.fq needs; name a file that ends in .fa", "out/new.fq")
    assert not Path("out/y.sam").exists()


def test_files_of_reads_are_whole_or_absent():
    run("map", "--unmapped", "out/rest.fq.gz", "--mapped", "out/hit.fq", "ref.fa", "cut.fq", "-o", "out/x.bam").fails(
        1, "the last record is not complete")
    assert files_in("out") == []
    run("map", "--mapped", "nowhere/hit.fq", "ref.fa", "reads.fq", "-o", "out/x.bam").fails(
        1, "nowhere/hit.fq: cannot create a file in its directory", "out/x.bam")
    os.symlink("/dev/full", "out/full.fq")
    run("map", "--mapped", "out/full.fq", "ref.fa", "reads.fq", "-o", "out/x.bam").fails(
        1, "out/full.fq: cannot write", "out/x.bam")
    os.mkfifo("out/pipe.fq")
    with start("map", "--mapped", "out/pipe.fq", "ref.fa", "reads.fq", "-o", "out/x.bam") as job:
        found = Path("out/pipe.fq").read_text()
        job.wait().ok()
    mapped = {record.name for record in records("out/x.bam") if not record.flag & 4}
    assert found == "".join(text for text in read_texts("reads.fq") if text.split()[0][1:] in mapped)


# --- paths that cannot be written ---


@ALL_FORMATS
def test_paths_that_cannot_be_written(format):
    os.mkdir(f"out/folder.{format}")
    for output, message in ((f"nowhere/x.{format}", "cannot create a file in its directory: No such file or directory"),
                            (f"reads.fq/x.{format}", "cannot create a file in its directory: Not a directory"),
                            (f"/proc/x.{format}", ""),
                            (f"out/folder.{format}", "is a directory; name a file in it")):
        run(*MAP, "-o", output).fails(1, f"{output}: {message}")


def test_long_names():
    run(*MAP, "-o", f"out/{'x' * 300}.bam").fails(1, "File name too long")
    run(*MAP, "-o", f"out/{'x' * 250}.bam").ok()


# --- no room ---


def test_a_full_disk():
    full = "/dev/full: cannot write: No space left on device"
    run(*MAP, "-o", "/dev/full").fails(1, full)
    execute("bash", "-c", '"$@" > /dev/full', "-", TRAWL, *MAP).fails(
        1, "standard output: cannot write: No space left on device")
    run(*MAP, "-o", "out/x.bam", "--stats", "/dev/full").fails(1, full)
    run(*MAP, "-o", "out/x.bam", "--stats", "nowhere/stats.json").fails(
        1, "nowhere/stats.json: cannot create a file in its directory")


@ALL_FORMATS
def test_a_link_to_a_full_disk(format):
    output = Path(f"out/full.{format}")
    os.symlink("/dev/full", output)
    run(*MAP, "-o", output).fails(1, f"{output}: cannot write")
    assert output.is_char_device()


@ALL_FORMATS
@pytest.mark.parametrize("ignored", [[], ["env", "--ignore-signal=XFSZ"]], ids=["default", "ignored"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_limit_of_the_size(format, ignored, threads):
    """SIGXFSZ has its default action, or is ignored, as some shells do."""
    execute(*ignored, TRAWL, *MAP, "-t", threads, "--report", "all", "-o", f"out/x.{format}",
            limits={resource.RLIMIT_FSIZE: 16 << 10}).fails(1, "cannot write", f"out/x.{format}")


@pytest.fixture
def small_disk():
    os.makedirs("small", exist_ok=True)
    if execute("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "small").status != 0:
        pytest.skip("no file system can be mounted here")
    yield
    execute("umount", "small").ok()


@ALL_FORMATS
def test_a_small_disk(small_disk, format):
    run(*MAP, "--report", "all", "-o", f"small/x.{format}").fails(1, "No space left on device", f"small/x.{format}")
    assert files_in("small") == []


# --- pipes and devices are written directly ---


def test_the_standard_output():
    for output in [], ["-o", "-"], ["-o", "/dev/stdout"]:
        assert_same("whole.sam", run(*MAP, *output).ok())


@ALL_FORMATS
def test_a_fifo(format):
    fifo = Path(f"out/pipe.{format}")
    os.mkfifo(fifo)
    with start(*MAP, "-o", fifo) as job:
        found = fifo.read_bytes()
        job.wait().ok()
    assert_same(f"whole.{format}", found)
    assert fifo.is_fifo()


def test_dev_null():
    run(*MAP, "-o", "/dev/null").ok()
    run(*MAP, "-o", "/dev/null", "--stats", "/dev/null").ok()
    assert Path("/dev/null").is_char_device()


def test_a_closed_pipe_ends_the_program_without_a_message():
    execute("bash", "-c", '{ "$@" 2> out/stderr; echo $? > out/status; } | head -n 1', "-", TRAWL, *MAP).ok()
    assert Path("out/status").read_text() == "141\n"
    assert re.sub("^trawl map: engine .*\n", "", Path("out/stderr").read_text()) == ""


@ALL_FORMATS
def test_a_closed_fifo_is_no_success(format):
    fifo = Path(f"out/pipe.{format}")
    os.mkfifo(fifo)
    with start("map", "--report", "all", "ref.fa", "reads.fq,reads.fq,reads.fq", "-o", fifo) as job:
        with open(fifo, "rb", buffering=0) as file:
            file.read(1)
        assert job.wait().status != 0


# --- an output that would overwrite another file of the run ---


@pytest.fixture
def inputs_with_links(out):
    """ref.sam and reads.bed are a reference and reads; out/ref_link.sam and out/reads_link.bed are the same files."""
    shutil.copy("ref.fa", "ref.sam")
    shutil.copy("reads.fq", "reads.bed")
    os.symlink("../ref.sam", "out/ref_link.sam")
    os.link("reads.bed", "out/reads_link.bed")
    os.mkfifo("out/pipe.sam")


@pytest.mark.parametrize("message, arguments", [
    ("-o out/x.sam and --stats out/x.sam are the same file", "ref.fa reads.fq -o out/x.sam --stats out/x.sam"),
    ("-o out/x.sam and --stats ./out/../out/x.sam are the same file",
     "ref.fa reads.fq -o out/x.sam --stats ./out/../out/x.sam"),
    ("-o out/pipe.sam and --stats out/pipe.sam are the same file",
     "ref.fa reads.fq -o out/pipe.sam --stats out/pipe.sam"),
    ("-o - and --stats - are the same file", "ref.fa reads.fq --stats -"),
    ("-o ref.sam is the input ref.sam, which would be lost", "ref.sam reads.fq -o ref.sam"),
    ("-o out/ref_link.sam is the input ref.sam", "ref.sam reads.fq -o out/ref_link.sam"),
    ("-o reads.bed is the input out/reads_link.bed", "ref.fa reads.fq,out/reads_link.bed -o reads.bed"),
    ("--stats reads.bed is the input reads.bed", "ref.fa reads.bed -o out/x.sam --stats reads.bed"),
    ("-o reads.bed is the input -", "ref.fa - -o reads.bed")])
def test_no_file_is_overwritten(inputs_with_links, message, arguments):
    result = run("map", *arguments.split(), stdin="reads.bed").fails(2, message, "out/x.sam")
    assert result.stdout == ""
    assert_same("ref.fa", "ref.sam")
    assert_same("reads.fq", "reads.bed")


# --- the statistics file behaves like the output file ---


def test_statistics():
    run(*MAP, "-o", "out/x.bam", "--stats", "out/x.json").ok()
    read_json("out/x.json")
    Path("out/y.json").write_text("old\n")
    run("map", "ref.fa", "cut.fq", "-o", "out/y.bam", "--stats", "out/y.json").fails(1, "not complete", "out/y.bam")
    assert Path("out/y.json").read_text() == "old\n"


# --- CRAM, and a reference that samtools cannot read ---


def test_a_reference_that_samtools_cannot_read():
    """With CRAM it is told; not with BAM."""
    Path("gzip.fa.gz").write_bytes(gzip.compress(Path("ref.fa").read_bytes()))
    Path("bgzip.fa.gz").write_bytes(bgzip("-c", "ref.fa"))

    def message(ref, output, **how):
        return run("map", ref, "reads.fq", "-o", output, **how).ok().stderr

    assert ("warning: to read out/x.cram, samtools needs the reference as plain or bgzip FASTA; gzip.fa.gz is ordinary "
            "gzip: zcat gzip.fa.gz | bgzip > FILE") in message("gzip.fa.gz", "out/x.cram")
    assert "it came from standard input" in message("-", "out/x.cram", stdin="ref.fa")
    for ref, output in ("ref.fa", "out/x.cram"), ("bgzip.fa.gz", "out/x.cram"), ("gzip.fa.gz", "out/x.bam"):
        assert "warning" not in message(ref, output), (ref, output)
