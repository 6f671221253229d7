"""Faults under mpirun: a rank that is killed at any time, a full disk, an input that is not the same
on all ranks, SIGTERM from a scheduler, a system call that fails on one rank. Each run ends in time, with a message and a
status, and leaves no file.
TRAWL_MPI_KILLS: how many ranks are killed, for each command (default 4).
TRAWL_MPI_FAULTS: which calls fail: "1 7" (the default), or all, of memory 100."""

import os
import random
import re
import resource
import socket
from pathlib import Path
from signal import SIGKILL, SIGTERM

import pytest

from mpi import fed, ranks
from tools import assert_same, fault_library, files_in, has_cuda, make_input, open_files, run, wait_for_output

KILLS = int(os.environ.get("TRAWL_MPI_KILLS", 4))
NUMBERS = os.environ.get("TRAWL_MPI_FAULTS", "1 7")
HERE = socket.gethostname()
SCAN = "scan --progress off -k 2 --tune=chunk-size=2000 -p ACGTACGTAC -p NRNACGT fifo".split()
MAP = "map --progress off -e 2 --tune=batch-size=100 ref.fa fifo".split()


@pytest.fixture(scope="module", autouse=True)
def files(work):
    make_input(60000, 3000)
    random.seed(16)
    # Another reference.
    before, after = Path("ref.fa").read_text().split(">chr2")
    os.mkdir("other")
    Path("other/ref.fa").write_text(f"{before}>chr2{after.replace('A', 'C')}")
    os.symlink("../reads.fq", "other/reads.fq")


@pytest.mark.parametrize("n", range(1, KILLS + 1))
def test_a_rank_is_killed(n):
    ranks.struck(3, SIGKILL, n % 3, "ref.fa", *SCAN, "-o", f"out/x.{('bed', 'bed.gz', 'tsv', 'sam')[n % 4]}")
    ranks.struck(3, SIGKILL, (n + 1) % 3, "reads.fq", *MAP, "-o", f"out/x.{('bam', 'sam')[n % 2]}")


@pytest.mark.parametrize("victim, source, words, format", [
    ("mpirun", "ref.fa", SCAN[:-3] + ["fifo"], "bed"), (1, "ref.fa", SCAN[:-3] + ["fifo"], "bed.gz"),
    ("mpirun", "reads.fq", MAP, "bam")])
def test_sigterm(victim, source, words, format):
    ranks.struck(3, SIGTERM, victim, source, *words, "-o", f"out/x.{format}")


@pytest.mark.parametrize("source, format, words", [
    ("ref.fa", "bed", "scan -k 1 --tune=chunk-size=5000 -p ACG -p RYRYR fifo"),
    ("ref.fa", "bed.gz", "scan -k 1 --tune=chunk-size=5000 -p ACG -p RYRYR --compression-level 0 fifo"),
    ("reads.fq", "sam", "map -e 3 --report all --tune=batch-size=100 ref.fa fifo"),
    ("reads.fq", "bam", "map -e 3 --report all --tune=batch-size=100 --compression-level 0 --sort ref.fa fifo")])
def test_a_full_disk(source, format, words):
    """The first rank, which writes, may write no more than 100,000 bytes to a file. That begins when it has the output open,
    because MPI makes larger files before; outputs are opened when the input has begun."""
    data = Path(source).read_bytes()
    with fed(data[:2000], data[2000:]) as (_, go), ranks.start(3, *words.split(), "--progress", "off", "-o",
                                                               f"out/x.{format}") as job:
        pid = ranks.pid(0)
        assert wait_for_output(job, "out", pid=pid) and open_files(pid, "out")
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (100000, 100000))
        go.set()
        result = ranks.failed(ranks.wait(job))
    assert f"trawl {words.split()[0]}: rank 0 on {HERE}: " in result.stderr
    assert f"x.{format}: cannot write" in result.stderr


def test_a_reference_that_is_not_the_same_everywhere():
    result = ranks.failed(ranks.run(3, "map", "--progress", "off", "-e", 2, "ref.fa", "reads.fq", "-o",
                                    os.path.abspath("out/x.bam"), before={1: "cd other"}))
    assert "is not the same" in result.stderr and f"rank 1 on {HERE}" in result.stderr
    # A scan reads it on the first rank only.
    scan = ["scan", "--progress", "off", "-k", 1, "-p", "ACGTACGT", "ref.fa"]
    run(*scan, "-o", "one.bed").ok()
    ranks.run(3, *scan, "-o", os.path.abspath("out/x.bed"), before={1: "cd other"}).ok()
    assert_same("one.bed", "out/x.bed")


@pytest.mark.parametrize("option", ["--nonsense", "--report all"])
def test_other_options_on_one_rank(option):
    """Wrong ones, and right ones with which it would write other records."""
    result = ranks.failed(ranks.run(3, "map", "--progress", "off", "-e", 2, "ref.fa", "reads.fq", "-o", "out/x.bam",
                                    before={1: f'set -- "$@" {option}'}))
    assert f"rank 1 on {HERE}: the command line is not the same as on rank 0" in result.stderr


def test_the_first_rank_fails_last():
    """The others have nothing left to do: they fail, too. Their shells do not end when mpirun sends them SIGTERM."""
    before = {rank: f'trap "" TERM; "$TRAWL" "$@"; echo $? > mpi/status.{rank}; exit $(cat mpi/status.{rank})'
              for rank in (1, 2)}
    result = ranks.run(3, "map", "--progress", "off", "-e", 2, "ref.fa", "reads.fq", "-o", "out/x.bam", "--stats",
                       "/dev/full", before=before)
    assert [Path(f"mpi/status.{rank}").read_text() for rank in before] == ["1\n", "1\n"]
    assert "/dev/full: cannot write" in result.stderr


# --- a call of trawl that fails on one rank ---


@pytest.fixture(scope="module")
def faults(files):
    return fault_library()


COMMANDS = {"bam": "map --progress off -e 2 --tune=batch-size=100 ref.fa reads.fq".split(),
            "bed.gz": "scan --progress off -k 1 --tune=chunk-size=2000 -p ACGTACGT ref.fa".split()}


def with_fault(faults, rank, fault, format):
    Path("fault.log").unlink(missing_ok=True)
    return ranks.run(2, *COMMANDS[format], "-o", f"out/x.{format}", before={
        rank: f"export LD_PRELOAD={faults} TRAWL_FAULT={fault} TRAWL_FAULT_OF=trawl "
              f"TRAWL_FAULT_LOG={os.path.abspath('fault.log')}"})


def how_many(faults, rank, fault, format):
    with_fault(faults, rank, f"{fault}:0", format).ok()
    os.unlink(f"out/x.{format}")
    return int(re.search("^all (.*)", Path("fault.log").read_text(), flags=re.M)[1])


def check_faults(faults, rank, fault, format, numbers):
    run(*COMMANDS[format], "-o", f"whole.{format}").ok()
    for n in numbers:
        result = with_fault(faults, rank, f"{fault}:{n}", format)
        if result.status == 0:
            assert_same(f"whole.{format}", f"out/x.{format}")
        else:
            assert re.search(f"^trawl( {COMMANDS[format][0]})?: ", result.stderr, flags=re.M), (n, result)
        if files_in("out") and Path(f"out/x.{format}").read_bytes() == Path(f"whole.{format}").read_bytes():
            os.unlink(f"out/x.{format}")  # the call came after the end
        if result.status != 0:
            ranks.failed(result)


@pytest.mark.parametrize("rank, format", [(0, "bam"), (1, "bam"), (0, "bed.gz"), (1, "bed.gz")])
@pytest.mark.parametrize("fault", ["write:ENOSPC", "read:EIO", "open:EMFILE", "mmap:ENOMEM", "close:EIO", "name:EIO",
                                   "malloc:ENOMEM", "thread:EAGAIN"])
def test_calls_that_fail(faults, fault, rank, format):
    numbers = map(int, NUMBERS.split()) if NUMBERS != "all" else range(1, how_many(faults, rank, fault, format) + 1)
    if NUMBERS == "all" and fault.startswith("malloc"):
        numbers = random.sample(numbers, min(100, len(numbers)))
    check_faults(faults, rank, fault, format, numbers)


def test_no_memory_while_others_wait(faults):
    """While a rank scans a chunk, its other threads wait for messages of the first rank."""
    count = how_many(faults, 1, "malloc:ENOMEM", "bed.gz")
    check_faults(faults, 1, "malloc:ENOMEM", "bed.gz", [count * 96 // 100])


@pytest.mark.skipif(has_cuda(), reason="all ranks have the engine")
def test_an_engine_that_a_rank_does_not_have():
    ranks.failed(ranks.run(3, "scan", "--engine", "cuda", "-k", 1, "-p", "ACGTACGT", "ref.fa", "-o", "out/x.bed"))
