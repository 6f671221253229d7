"""trawl index: what it writes gives the same records as the FASTA, and whatever is wrong with it is said."""

import os
import pty
import re
import resource
import shutil
import subprocess
import time
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

import pytest

from tools import (TRAWL, assert_same, execute, files_in, has_cuda, make_input, open_files, run, sam_lines, simulate, start,
                   wait_for_output)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa, reads.fq, pairs in first.fq and second.fq; ref.fa.trawl, and stdin.trawl from the standard input."""
    make_input(60000, 600)
    with open("ref.fa", "a") as file:
        file.write(">odd lower\nacgtnnnnnnnnryACGTTGCAACGATCGATTTTACGATCGAGCTAGCNNNNN\n")
    simulate("pairs", "ref.fa", 300, 100, 5, "first.fq", "second.fq", "--qualities")
    assert "ref.fa.trawl: " in run("index", "ref.fa").ok().stderr
    run("index", "-", "-o", "stdin.trawl", stdin="ref.fa").ok()


# --- the file ---


def test_to_a_stream():
    assert_same("ref.fa.trawl", run("index", "ref.fa", "-o", "-"))


# --- mapping gives the same bytes ---


CPU = ["map", "--engine", "cpu"]


@pytest.fixture(scope="module")
def fasta_sam(inputs):
    """What the FASTA gives."""
    return run(*CPU, "ref.fa", "reads.fq").ok()


@pytest.mark.parametrize("options", [
    "", "--report all -e 3", "--report strata --strata 1 -k 2", "--tune search=scan -e 2 --report all",
    "--ambiguous match -e 2", "--tune search=seeds", "--metric hamming -e 7 --report all"])
@pytest.mark.parametrize("reads", ["reads.fq", "first.fq second.fq"])
def test_map(options, reads):
    expected = run(*CPU, "-t", 1, *options.split(), "ref.fa", *reads.split()).ok()
    for threads in 1, 2:
        found = run(*CPU, "-t", threads, *options.split(), "ref.fa.trawl", *reads.split()).ok()
        assert_same(expected, found)
    assert "M5:" in found.stdout, "the header has the checksums"


@pytest.mark.parametrize("format", ["bam", "cram", "bed"])
def test_map_to_other_formats(format):
    for ref in "ref.fa", "ref.fa.trawl":
        run(*CPU, ref, "reads.fq", "-o", f"out/{ref}.{format}").ok()
    assert_same(f"out/ref.fa.{format}", f"out/ref.fa.trawl.{format}")


@pytest.mark.parametrize("name", ["./again.trawl", "misnamed.fa"])
def test_other_names(fasta_sam, name):
    """The content says what it is."""
    shutil.copy("ref.fa.trawl", name)
    assert_same(fasta_sam, run(*CPU, name, "reads.fq").ok())


def test_an_index_of_the_standard_input(fasta_sam):
    assert sam_lines(run(*CPU, "stdin.trawl", "reads.fq").ok()) == sam_lines(fasta_sam)


def test_cuda():
    if not has_cuda():
        pytest.skip("the engine cuda cannot be used here")
    expected, found = (run("map", "--engine", "cuda", ref, "reads.fq").ok() for ref in ("ref.fa", "ref.fa.trawl"))
    assert_same(expected, found)


@pytest.mark.parametrize("options", ["-k 2", "-k 2 --ambiguous match --tune chunk-size=700",
                                     "--report ends -k 1 --tune chunk-size=100"])
@pytest.mark.parametrize("format", ["bed", "sam"])
def test_scan(options, format):
    for ref in "ref.fa", "ref.fa.trawl":
        run("scan", "-p", "GATCGATTTTACG", "-p", "GATRACAGA", *options.split(), ref, "-o", f"out/{ref}.{format}").ok()
    assert_same(f"out/ref.fa.{format}", f"out/ref.fa.trawl.{format}")
    assert format == "sam" or os.path.getsize("out/ref.fa.bed") > 0


# --- two processes at once ---


def test_it_is_replaced_while_others_map(fasta_sam):
    shutil.copy("ref.fa.trawl", "out/x.trawl")
    with start(*CPU, "out/x.trawl", "reads.fq", "-o", "out/one.sam") as one, \
            start(*CPU, "out/x.trawl", "reads.fq", "-o", "out/two.sam") as two:
        run("index", "ref.fa", "-o", "out/x.trawl").ok()
        one.wait().ok()
        two.wait().ok()
    assert_same(fasta_sam, "out/one.sam", "out/two.sam")


def test_two_write_the_same_file():
    with start("index", "ref.fa", "-o", "out/race.trawl") as other:
        run("index", "ref.fa", "-o", "out/race.trawl").ok()
        other.wait().ok()
    assert_same("ref.fa.trawl", "out/race.trawl")


# --- the check ---


def check(*arguments):
    return run("index", "--check", *arguments)


def test_check():
    message = check("ref.fa.trawl").ok().stderr
    assert "ref.fa.trawl is complete, not damaged, and has the sequences of ref.fa" in message
    assert ("it was made from standard input, so there is no file to compare with; give one: "
            "trawl index --check stdin.trawl FASTA") in check("stdin.trawl").ok().stderr
    execute("gzip", "-k", "ref.fa").ok()
    run("index", "ref.fa.gz", "-o", "out/packed.trawl").ok()
    check("out/packed.trawl", "ref.fa").ok()


def test_check_fails():
    Path("other.fa").write_text(with_other_bases().replace("lower", "other"))
    check("ref.fa.trawl", "other.fa").fails(
        1, "ref.fa.trawl: the index is not damaged, but other.fa has other sequences; make the index again")
    check("ref.fa").fails(1, "ref.fa: is not a saved index; make one: trawl index REF -o FILE")
    check("nothing.trawl").fails(1, "nothing.trawl: cannot read: No such file or directory")


def with_other_bases():
    return Path("ref.fa").read_text().replace("\nacgtn", "\naggtn")


def test_a_changed_fasta(fasta_sam):
    ref, index = "out/ref.fa", "out/ref.fa.trawl"
    shutil.copy("ref.fa", ref)
    run("index", ref).ok()
    os.utime(ref, (0, 978307200))
    for arguments in ["map", index, "reads.fq"], ["scan", "-p", "ACGTACGTTT", index]:
        message = run(*arguments).ok().stderr
        assert f"warning: {ref} has another modification time than when {index} was made from it" in message
    check(index).ok()
    again = f"make the index again: trawl index {ref} -o {index}"
    Path(ref).write_text(with_other_bases())
    check(index).fails(1, f"but {ref} has other sequences; {again}")
    with open(ref, "a") as file:
        file.write("ACGT\n")
    run("map", index, "reads.fq", "-o", "out/x.sam").fails(1, again, "out/x.sam")
    os.remove(ref)
    assert sam_lines(run("map", index, "reads.fq").ok()) == sam_lines(fasta_sam)


# --- damage ---


def broken(data, message):
    """Both programs refuse it."""
    Path("bad.trawl").write_bytes(data)
    result = run("map", "bad.trawl", "reads.fq", "-o", "out/x.sam").fails(1, f"bad.trawl: {message}", "out/x.sam")
    assert "make it again: trawl index REF -o bad.trawl" in result.stderr
    check("bad.trawl").fails(1, f"bad.trawl: {message}")


def test_damage():
    """At any other place: tests/unit, io_saved_index_test."""
    data = Path("ref.fa.trawl").read_bytes()
    broken(data[:len(data) // 2], "the saved index is cut short")
    broken(data[:12] + b"\3" + data[13:], "the saved index was made by a newer version of Trawl")
    broken(data[:300] + b"\xee" + data[301:], "the saved index is damaged")


def test_cut_short_while_it_is_used():
    """The file is used where it lies."""
    shutil.copy("ref.fa.trawl", "out/x.trawl")
    os.mkfifo("out/reads")
    with start("map", "out/x.trawl", "out/reads", "-o", "out/x.bam") as job:
        reads = None
        while reads is None and job.running():  # until it reads them, after the checks of the index
            try:
                reads = os.open("out/reads", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.01)
        assert reads is not None
        while job.running() and "x.trawl" not in Path(f"/proc/{job.pid}/maps").read_text():
            time.sleep(0.01)
        os.truncate("out/x.trawl", 4096)
        os.set_blocking(reads, True)
        with open(reads, "wb") as file:
            file.write(Path("reads.fq").read_bytes())
        job.wait().fails(1, "cannot be read any more: the saved index was overwritten or cut short", "out/x.bam")


def test_an_empty_file():
    Path("bad.trawl").write_bytes(b"")
    run("map", "bad.trawl", "reads.fq", "-o", "out/x.sam").fails(
        1, "bad.trawl: has no sequences; a reference must be FASTA", "out/x.sam")


# --- places that cannot be written ---


@pytest.mark.parametrize("output, message", [
    ("nowhere/x.trawl", "nowhere/x.trawl: cannot create a file in its directory: No such file or directory"),
    ("/proc/x.trawl", "/proc/x.trawl: "),
    ("out", "out: is a directory; name a file in it"),
    ("/dev/full", "/dev/full: cannot write: No space left on device")])
def test_places_that_cannot_be_written(output, message):
    run("index", "ref.fa", "-o", output).fails(1, message)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written():
    shutil.copy("ref.fa", "out/ref.fa")
    os.chmod("out", 0o555)
    run("index", "out/ref.fa").fails(1, "out/ref.fa.trawl: cannot create a file in its directory: Permission denied")
    os.chmod("out", 0o755)


def test_an_existing_file_is_kept_on_failure():
    Path("out/kept.trawl").write_text("old\n")
    run("index", "ref.fa", "-o", "out/kept.trawl", limits={resource.RLIMIT_FSIZE: 16 << 10}).fails(
        1, "out/kept.trawl: cannot write: File too large")
    assert Path("out/kept.trawl").read_text() == "old\n"


# --- signals ---


@pytest.mark.parametrize("signal", [SIGINT, SIGTERM, SIGKILL], ids=lambda signal: signal.name)
def test_stopped_while_it_reads(signal):
    os.mkfifo("fifo")
    with start("index", "fifo", "-o", "out/x.trawl") as job, open("fifo", "wb") as fifo:
        fifo.write(Path("ref.fa").read_bytes()[:30000])
        fifo.flush()
        assert wait_for_output(job, "out")
        assert len(open_files(job.pid, "out")) == 1
        job.send_signal(signal)
        result = job.wait()
    result.stopped(signal, "trawl index: interrupted; no output file was kept")
    assert files_in("out") == []
    os.remove("fifo")


def test_stopped_at_any_moment():
    """Also while it writes: nothing or the whole file is left."""
    simulate("genome", 3000000, 7, "long.fa")
    run("index", "long.fa").ok()
    for delay in 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2:
        for signal in SIGTERM, SIGKILL:
            with start("index", "long.fa", "-o", "out/x.trawl") as job:
                time.sleep(delay)
                job.send_signal(signal)
                job.wait()
            if files_in("out") != []:
                assert files_in("out") == ["x.trawl"], f"{signal} after {delay} s"
                assert_same("long.fa.trawl", "out/x.trawl")
                os.remove("out/x.trawl")


def test_the_terminal_shows_that_the_index_is_built():
    """And nothing of it is left there at the end; nothing if no progress is wanted."""
    simulate("genome", 40000000, 7, "huge.fa")

    def shown(*arguments):
        leader, follower = pty.openpty()
        with subprocess.Popen([TRAWL, *arguments, "-t", "1"], stderr=follower, env={**os.environ, "TERM": "xterm"}):
            os.close(follower)
            text = b""
            while True:
                try:
                    text += os.read(leader, 4096)
                except OSError:  # the program has ended
                    break
        os.close(leader)
        return text.decode()

    for command in ["map", "huge.fa", "first.fq", "-o", "out/x.sam"], ["index", "huge.fa", "-o", "out/x.trawl"]:
        text = shown(*command)
        assert "\rbuilding the index, 0 s\x1b[K" in text
        assert "building" not in text.split("\r\x1b[K")[-1]
        assert "building" not in shown(*command, "--progress", "off")


# --- wrong usage ---


@pytest.mark.parametrize("status, message, arguments", [
    (2, "REF is required", ""),
    (2, "the reference is the standard input, so -o must name the index", "-"),
    (2, "only one reference can be in an index, and other.fa is a second one", "ref.fa other.fa"),
    (2, "--check writes nothing; leave -o out", "--check ref.fa.trawl -o out/x.trawl"),
    (2, "-o ref.fa is the input ref.fa, which would be lost", "ref.fa -o ref.fa"),
    (1, "ref.fa.trawl: is a saved index already", "ref.fa.trawl -o out/x.trawl"),
    (1, "reads.fq:1: this is a FASTQ file; a reference must be FASTA", "reads.fq -o out/x.trawl"),
    (1, "nothing.fa", "nothing.fa -o out/x.trawl")])
def test_wrong_usage(status, message, arguments):
    run("index", *arguments.split()).fails(status, message, "out/x.trawl")


# --- a saved index beside the FASTA ---


def test_a_hint_to_the_index_beside_the_fasta():
    def hint(ref):
        line, = re.findall(".*lies beside.*", run(*CPU, ref, "reads.fq").ok().stderr) or [None]
        return line

    shutil.copy("ref.fa", "out/g.fa")
    assert hint("out/g.fa") is None
    run("index", "out/g.fa").ok()
    assert "out/g.fa.trawl lies beside out/g.fa: trawl map out/g.fa.trawl ... starts at once" in hint("out/g.fa")
    assert hint("out/g.fa.trawl") is None
