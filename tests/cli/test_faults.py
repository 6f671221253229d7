"""Faults of the machine. The n-th call that writes, reads, opens, maps, closes, renames, takes memory or starts a thread
fails; or the n-th call of CUDA, once or from then on, as when a device is lost. Each run ends with a message and status 1,
and leaves no output; or, where nothing depends on that call, it does all of its work. Interrupted calls and short counts
change nothing. With --engine auto a run may do its work on the CPU, if the device fails before the work begins.

tests/faults/faults.c, which is preloaded, makes the calls fail; trawl_cuda_faults (scripts/build.sh trawl_cuda_faults;
tests/gpu/failing_calls.hpp) those of CUDA, on a machine with a GPU. Here n is 1, 10 and 100, and of CUDA four of all. All n
of all kinds take hours on one core:  TRAWL_FAULTS=all pytest-3 tests/cli/test_faults.py  (TRAWL_FAULTS=5000: of memory,
some 5000 of all n). With TRAWL_FAULT_COUNTS=FILE, a line for each kind of call is added to FILE: command, call, fault,
calls, runs, done, failed.
"""

import os
import random
import re
import shutil
import time
from pathlib import Path
from signal import SIGTERM
from subprocess import TimeoutExpired

import pytest

from tools import (IS_SANITIZED, TRAWL, execute, fault_library, files_in, has_cuda, info, make_input, read_fasta,
                   reverse_complement, run, simulate, start, start_program, write_lines)

EXTENT = os.environ.get("TRAWL_FAULTS", "few")
CUDA_PROGRAM = Path(os.environ.get("TRAWL_CUDA_FAULTS", Path(TRAWL).parent / "tests/trawl_cuda_faults"))

COMMANDS = {
    "map": "map ref.fa reads.fq.gz -o out/x.sam",
    "map_bam": "map --report all ref.trawl first.fq second.fq -o out/x.bam",
    "map_bed": "map --end-to-end ref.fa reads.fq -o out/x.bed.gz",
    "sort": "map --sort --sort-memory 1M ref.fa first.fq second.fq -o out/x.bam",
    "cram": "map --sort ref.fa reads.fq -o out/x.cram",
    "scan": "scan -e 3 --pam NGG ref.fa guides.tsv -o out/x.tsv",
    "scan_bed": "scan -e 2 ref.fa guides.tsv -o out/x.bed.gz",
    "reads_with_tags": "scan -e 3 --within 5p:60 first.fq --mates second.fq guides.tsv -o out/x.bam",
    "index": "index ref.fa -o out/x.trawl",
    "primers": "primers -e 1 ref.fa primers.tsv -o out/x.tsv",
    "all_guides": "guides ref.fa -o out/x.tsv.gz",
    "mappability": "mappability -l 50 -e 1 ref.fa -o out/x.bedgraph",
    "bigwig": "mappability -l 50 -e 1 ref.fa -o out/x.bw",
}
CUDA_COMMANDS = {
    "map": "map ref.fa reads.fq -o out/x.sam",
    "map_all": "map --report all -e 3 ref.fa first.fq second.fq -o out/x.bam",
    "sort": "map --sort ref.fa first.fq second.fq -o out/x.bam",
    "rows": "scan -e 3 -p ACGTTGCAACGATCGATTTT ref.fa -o out/x.bed",
    "literals": "scan -e 0 ref.fa many_guides.tsv -o out/x.tsv",
    "pieces": "scan -e 1 ref.fa many_guides.tsv -o out/x.bed.gz",
    "guides": "scan -e 3 --pam NGG ref.fa many_guides.tsv -o out/x.tsv",
    "primers": COMMANDS["primers"],
    "all_guides": COMMANDS["all_guides"],
    "mappability": COMMANDS["mappability"],
}

# The call, how it fails, and whether the run must go on as if nothing had been.
FAULTS = [("write", "ENOSPC", False), ("write", "ENOSPC+", False), ("write", "EIO", False), ("write", "EINTR", True),
          ("write", "short", True), ("read", "EIO", False), ("read", "EIO+", False), ("read", "EINTR", True),
          ("read", "short", True), ("open", "EMFILE", False), ("open", "EMFILE+", False), ("open", "EINTR", True),
          ("mmap", "ENOMEM", False), ("mmap", "ENOMEM+", False), ("close", "EIO", False), ("name", "EIO", False),
          ("name", "EIO+", False), ("malloc", "ENOMEM", False), ("malloc", "ENOMEM+", False),
          ("thread", "EAGAIN", False), ("thread", "EAGAIN+", False)]


@pytest.fixture(scope="module")
def faults(work):
    if IS_SANITIZED:
        pytest.skip("a sanitizer has its own calls")
    return fault_library()


@pytest.fixture(scope="module", autouse=True)
def inputs(work):
    make_input(30000, 300)
    simulate("pairs", "ref.fa", 200, 100, 5, "first.fq", "second.fq", "--qualities")
    Path("reads.fq.gz").write_bytes(execute("gzip", "-c", "reads.fq").ok().bytes)
    (text,) = read_fasta("genome.fa").values()
    for name, places in ("guides", range(1000, 9000, 1000)), ("many_guides", range(1000, 29000, 500)):
        write_lines(f"{name}.tsv", *(f"g{n}\t{text[at:at + 20]}" for n, at in enumerate(places)))
    write_lines("primers.tsv", *(f"p{n}\t{text[at:at + 20]}\t{reverse_complement(text[at + 200:at + 220])}"
                                 for n, at in enumerate(range(1000, 9000, 1000))))
    run("index", "ref.fa", "-o", "ref.trawl").ok()


def outputs():
    return {name: Path("out", name).read_bytes() for name in files_in("out")}


def run_with(program, words, environment):
    """The status, the messages, and what the library says: whether the call failed, or how many calls there were."""
    shutil.rmtree("out")
    os.mkdir("out")
    Path("fault.log").unlink(missing_ok=True)
    with start_program(program, *words, env=environment) as job:
        try:
            result = job.wait(60)
        except TimeoutExpired:
            return None, "it does not end", ""
    return result.status, result.stderr, Path("fault.log").read_text() if os.path.exists("fault.log") else ""


def wrong(status, messages, whole, may_keep=False):
    """What is wrong with the end of a run; "" if nothing is. may_keep: of several outputs those that have their names
    already are whole."""
    left, found = files_in("tmp"), outputs()
    for name in left:
        os.unlink(f"tmp/{name}")
    if left and status != 0:
        return f"left behind: {left}"
    if status == 0:
        return "" if found == whole else f"other output: {sorted(found)}"
    if status != 1:
        return f"status {status}"
    if not re.search("^trawl( [a-z]+)?: ", messages, flags=re.M):
        return "no message"
    return f"left behind: {sorted(found)}" if any(not may_keep or whole.get(name) != found[name] for name in found) else ""


def some(numbers, most):
    return numbers if len(numbers) <= most else sorted(random.Random(33).sample(numbers, most))


def add_counts(*columns, ends):
    if "TRAWL_FAULT_COUNTS" in os.environ:
        with open(os.environ["TRAWL_FAULT_COUNTS"], "a") as file:
            others = {status: ends.count(status) for status in {*ends} - {0, 1}}
            print(*columns, ends.count(0), ends.count(1), others or "", sep="\t", file=file)


@pytest.mark.parametrize("name", COMMANDS)
def test_calls_that_fail(faults, name):
    words = [*COMMANDS[name].split(), "-t", 2, *([] if name == "index" else ["--engine", "cpu"])]
    run(*words).ok()
    whole = outputs()
    assert whole

    def fail(call, what, number):
        more = "+" if what.endswith("+") else ""
        return run_with(TRAWL, words, {"TRAWL_FAULT": f"{call}:{what.rstrip('+')}:{number}{more}",
                                       "TRAWL_FAULT_LOG": "fault.log", "LD_PRELOAD": faults})

    errors = []
    for call, what, must_go_on in FAULTS:
        status, messages, log = fail(call, what, 0)
        assert status == 0 and log.startswith("all "), (call, status, messages, log)
        count = int(log.split()[1])
        numbers = [n for n in (1, 10, 100) if n <= count]
        if EXTENT != "few":
            numbers = some(range(1, count + 1), count if EXTENT == "all" else int(EXTENT))
        ends, runs = [], 0
        for number in numbers:
            status, messages, log = fail(call, what, number)
            runs += f"{call} {number}\n" in log
            ends.append(status)
            if error := wrong(status, messages, whole, may_keep=True) or ("it must go on" if must_go_on and status else ""):
                errors.append(f"{call}:{what}:{number} {error}: {messages[-300:]}")
        add_counts(name, call, what, count, runs, ends=ends)
    assert errors == []


@pytest.mark.skipif(not os.access(CUDA_PROGRAM, os.X_OK), reason="no trawl_cuda_faults")
@pytest.mark.skipif(not has_cuda(), reason="no CUDA device")
@pytest.mark.parametrize("engine", ["cuda", "auto"])
@pytest.mark.parametrize("name", CUDA_COMMANDS)
def test_cuda_calls_that_fail(name, engine):
    words = [*CUDA_COMMANDS[name].split(), "-t", 2, "--engine", engine]
    if engine == "auto":
        words += ["--devices", "0"]  # so that small inputs go to the device, too
    words += ["--devices", ":256M"]
    # The bytes are those of the CPU but for what they say about the command.
    run(*words).ok()
    names = files_in("out")
    assert names
    errors = []
    for more in "", "+":
        def fail(number):
            return run_with(CUDA_PROGRAM, words, {"TRAWL_CUDA_FAULT": f"{number}{more}", "TRAWL_CUDA_FAULT_LOG": "fault.log"})

        status, messages, log = fail(-1)
        whole, count = outputs(), int(log)
        assert status == 0 and files_in("out") == names and count > 10, messages
        ends = []
        for number in some(range(count), {"few": 4, "all": count}.get(EXTENT) or int(EXTENT)):
            status, messages, _ = fail(number)
            ends.append(status)
            error = wrong(status, messages, whole)
            if not error and engine == "cuda" and more and status == 0 and number < count // 2:
                error = "it went on"
            if error:
                errors.append(f"{number}{more} {error}: {messages[-300:]}")
        add_counts(name, engine, more or "once", count, len(ends), ends=ends)
    assert errors == []


@pytest.mark.skipif("for trawl serve" not in info(), reason="this build has no trawl serve")
@pytest.mark.parametrize("fault", [*(f"thread:EAGAIN:{n}" for n in range(1, 8)), "mmap:ENOMEM:1+", "open:EMFILE:3+"])
def test_a_server_that_cannot_start(faults, fault):
    """It ends with a message, or waits for queries as usual."""
    with start("serve", "ref.fa", "--socket", "out/socket", "-t", 2, env={
            "TRAWL_FAULT": fault, "TRAWL_FAULT_LOG": "fault.log", "LD_PRELOAD": faults}) as job:
        while job.running() and b"ready" not in job.messages():
            time.sleep(0.02)
        is_ready = job.running()
        job.send_signal(SIGTERM)
        result = job.wait(60)
    assert result.status == (0 if is_ready else 1), result
    assert "trawl serve: " in result.stderr and not os.path.exists("out/socket")
