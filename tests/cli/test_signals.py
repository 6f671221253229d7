"""SIGINT, SIGTERM, SIGHUP and SIGKILL during the work: status 128 + signal, and no file is left."""

import os
import time
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGKILL, SIGTERM

import pytest

from tools import IS_SANITIZED, TRAWL, execute, files_in, make_input, samtools, start, start_program, wait_for_output


@pytest.fixture(scope="module", autouse=True)
def inputs():
    make_input(60000, 3000)
    os.mkfifo("fifo")


def interrupt(signal, *command, data, more_than=-1, names=0):
    """The data come from a FIFO that stays open, so the signal comes during the work. names: how many files in out/
    have one while they are written."""
    with start_program(*command) as job, open("fifo", "wb") as fifo:
        fifo.write(data)
        fifo.flush()
        assert wait_for_output(job, "out", more_than)
        assert len(list(Path("out").glob(".*.tmp"))) == names
        assert job.running()
        job.send_signal(signal)
        return job.wait()


def interrupt_map(signal, format, *before, **how):
    result = interrupt(signal, *before, TRAWL, "map", "-t", 2, "--tune", "batch-size=100", "ref.fa", "fifo",
                       "-o", f"out/x.{format}", data=Path("reads.fq").read_bytes(),
                       more_than=0 if format == "sam" else -1, **how)  # SAM does not wait in buffers
    result.stopped(signal, "trawl map: interrupted; no output file was kept", f"out/x.{format}")
    assert files_in("out") == []


@pytest.mark.parametrize("signal, format", [
    *((signal, format) for format in ("sam", "bam", "cram", "bed", "bed.gz") for signal in (SIGINT, SIGTERM, SIGKILL)),
    (SIGHUP, "bam")], ids=lambda value: getattr(value, "name", value))
def test_map(signal, format):
    interrupt_map(signal, format)


@pytest.mark.parametrize("format", ["bed", "bed.gz", "tsv", "sam"])
def test_scan_while_it_reads_its_reference(format):
    interrupt(SIGTERM, TRAWL, "scan", "--tune", "chunk-size=1000", "-k", 1, "-p", "ACGTACG", "fifo", "-o", f"out/x.{format}",
              data=Path("ref.fa").read_bytes()[:30000]).fails(
                  143, "trawl scan: interrupted; no output file was kept", f"out/x.{format}")
    assert files_in("out") == []


@pytest.mark.parametrize("signal", [SIGINT, SIGKILL])
def test_scan_while_it_writes_reads_by_pattern(signal):
    """No file has a name yet; an empty folder may stay. The text is read in blocks of a megabyte."""
    result = interrupt(signal, TRAWL, "scan", "--tune", "chunk-size=1000", "-k", 1, "-p", "ACGTACG", "--extract", "out/reads",
                       "fifo", data=5 * Path("reads.fq").read_bytes())
    assert result.status == 128 + signal
    assert files_in("out/reads") == []


@pytest.mark.parametrize("format", ["bam", "sam", "cram", "fq", "fa.gz"])
def test_scan_while_it_writes_reads_with_tags(format):
    interrupt(SIGTERM, TRAWL, "scan", "--tune", "chunk-size=1000", "--per-read", "best", "-p", "ACGTACG", "fifo", "-o",
              f"out/x.{format}", data=5 * Path("reads.fq").read_bytes()).fails(143, "no output file was kept", f"out/x.{format}")
    assert files_in("out") == []


# --- where /proc is hidden, outputs have names while they are written, as on file systems that need that ---


@pytest.fixture
def without_proc():
    if IS_SANITIZED:
        pytest.skip("a sanitizer needs /proc")
    command = ["unshare", "--user", "--map-root-user", "--mount",
               "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "-"]
    if execute(*command, "true").status != 0:
        pytest.skip("/proc cannot be hidden here")
    return command


@pytest.mark.parametrize("format", ["sam", "bam", "cram"])
def test_outputs_with_names(without_proc, format):
    interrupt_map(SIGINT, format, *without_proc, names=1)


def test_a_file_with_a_name_is_renamed(without_proc):
    Path("out/x.bam").write_text("old\n")
    execute(*without_proc, TRAWL, "map", "ref.fa", "reads.fq", "-o", "out/x.bam").ok()
    samtools("quickcheck", "out/x.bam")


# --- what is kept ---


def test_an_existing_file_is_kept():
    Path("out/x.bam").write_text("old\n")
    data = b"".join(Path("reads.fq").read_bytes().splitlines(keepends=True)[:400])
    interrupt(SIGINT, TRAWL, "map", "ref.fa", "fifo", "-o", "out/x.bam", data=data).fails(130, "interrupted")
    assert files_in("out") == ["x.bam"]
    assert Path("out/x.bam").read_text() == "old\n"


def test_a_complete_output_is_kept():
    """While the program waits for a reader of the statistics."""
    os.mkfifo("out/stats.json")
    with start("map", "ref.fa", "reads.fq", "-o", "out/x.bam", "--stats", "out/stats.json") as job:
        end = time.monotonic() + 10
        while not os.path.exists("out/x.bam") and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.2)
        job.send_signal(SIGINT)
        job.wait().fails(130, "trawl map: interrupted after the output was complete")
    samtools("quickcheck", "out/x.bam")


def test_a_signal_that_the_caller_ignores_is_still_ignored():
    with start_program("nohup", TRAWL, "map", "ref.fa", "fifo", "-o", "out/x.bam") as job:
        reads = Path("reads.fq").read_bytes()
        with open("fifo", "wb") as fifo:
            fifo.write(reads[:1000])  # the first bytes say what the input is
            fifo.flush()
            assert wait_for_output(job, "out")
            job.send_signal(SIGHUP)
            fifo.write(reads[1000:])
        job.wait().ok()
    samtools("quickcheck", "out/x.bam")
