"""Faults of the machine: the n-th call that writes, reads, opens, maps, closes, renames, takes memory or starts a thread
fails. Each run ends with a message and status 1, and leaves no output; or, where nothing depends on that call, it does
all of its work. Interrupted calls and short counts change nothing.

tests/faults/faults.c, which is preloaded, makes the calls fail. Here n is 1, 10 and 100. All n of all kinds take hours
on one core:  TRAWL_FAULTS=all pytest-3 tests/cli/test_faults.py  (TRAWL_FAULTS=5000: of memory, some 5000 of all n).
With TRAWL_FAULT_COUNTS=FILE, a line for each kind of call is added to FILE: command, call, fault, runs, done, failed.
"""

import os
import random
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tools import IS_SANITIZED, ROOT, TRAWL, execute, files_in, info, make_input, simulate, write_lines

EXTENT = os.environ.get("TRAWL_FAULTS", "few")

if IS_SANITIZED:
    pytest.skip("a sanitizer has its own calls", allow_module_level=True)

COMMANDS = {
    "map": "map ref.fa reads.fq.gz -o out/x.sam",
    "map_bam": "map --report all ref.trawl first.fq second.fq -o out/x.bam",
    "map_bed": "map --end-to-end ref.fa reads.fq -o out/x.bed.gz",
    "sort": "map --sort --sort-memory 1M ref.fa first.fq second.fq -o out/x.bam",
    "cram": "map --sort ref.fa reads.fq -o out/x.cram",
    "scan": "scan -e 3 --pam NGG ref.fa guides.tsv -o out/x.tsv",
    "scan_bed": "scan -e 2 ref.fa guides.tsv -o out/x.bed.gz",
    "index": "index ref.fa -o out/x.trawl",
    "primers": "primers -e 1 ref.fa primers.tsv -o out/x.tsv",
    "mappability": "mappability -l 50 -e 1 ref.fa -o out/x.bedgraph",
    "bigwig": "mappability -l 50 -e 1 ref.fa -o out/x.bw",
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
    """The library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    execute(compiler, "-shared", "-fPIC", "-O1", "-o", "faults.so", ROOT / "tests/faults/faults.c", "-ldl").ok()
    return os.path.abspath("faults.so")


@pytest.fixture(scope="module", autouse=True)
def inputs(work):
    make_input(30000, 300)
    simulate("pairs", "ref.fa", 200, 100, 5, "first.fq", "second.fq", "--qualities")
    Path("reads.fq.gz").write_bytes(execute("gzip", "-c", "reads.fq").ok().bytes)
    text = "".join(line for line in Path("genome.fa").read_text().splitlines() if line[0] != ">")
    write_lines("guides.tsv", *(f"g{n}\t{text[at:at + 20]}" for n, at in enumerate(range(1000, 9000, 1000))))
    complement = str.maketrans("ACGT", "TGCA")
    write_lines("primers.tsv", *(f"p{n}\t{text[at:at + 20]}\t{text[at + 200:at + 220].translate(complement)[::-1]}"
                                 for n, at in enumerate(range(1000, 9000, 1000))))
    execute(TRAWL, "index", "ref.fa", "-o", "ref.trawl").ok()


class Command:
    """A command, what it writes, and how many calls of a kind it makes."""

    def __init__(self, name, library):
        self.name = name
        self.words = [TRAWL, *COMMANDS[name].split(), "-t", "2"]
        if name not in ("index",):
            self.words += ["--engine", "cpu"]
        self.library = library
        shutil.rmtree("out")
        os.mkdir("out")
        execute(*self.words).ok()
        self.whole = self.outputs()
        assert self.whole

    def outputs(self):
        return {name: Path("out", name).read_bytes() for name in files_in("out")}

    def run(self, call, what, number):
        """The status, the messages, and what the library says: whether the call failed, or how many calls there were."""
        shutil.rmtree("out")
        os.mkdir("out")
        Path("fault.log").unlink(missing_ok=True)
        more = "+" if what.endswith("+") else ""
        environment = {"TRAWL_FAULT": f"{call}:{what.rstrip('+')}:{number}{more}", "TRAWL_FAULT_LOG": "fault.log",
                       "LD_PRELOAD": self.library}
        try:
            ended = subprocess.run(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, env={**os.environ, **environment}, timeout=60)
        except subprocess.TimeoutExpired:
            return None, "it does not end", ""
        log = Path("fault.log").read_text() if os.path.exists("fault.log") else ""
        return ended.returncode, ended.stderr.decode(errors="replace"), log

    def wrong(self, status, messages, must_go_on):
        """What is wrong with the end of a run; "" if nothing is."""
        outputs = self.outputs()
        left = files_in("tmp")
        if left and status != 0:
            return f"left behind: {left}"
        if status == 0:
            return "" if outputs == self.whole else f"other output: {sorted(outputs)}"
        if must_go_on:
            return "it must go on"
        if status != 1:
            return f"status {status}"
        if not re.search("^trawl( [a-z]+)?: ", messages, flags=re.M):
            return "no message"
        # Of several outputs those that have their names already are whole.
        if any(self.whole.get(name) != content for name, content in outputs.items()):
            return f"left behind: {sorted(outputs)}"
        return ""


def numbers(call, count):
    """Which calls fail."""
    if EXTENT == "few":
        return [n for n in (1, 10, 100) if n <= count]
    most = 10 ** 9 if EXTENT == "all" else int(EXTENT)
    if count <= most:
        return range(1, count + 1)
    return sorted(random.Random(33).sample(range(1, count + 1), most))


@pytest.mark.parametrize("name", COMMANDS)
def test_calls_that_fail(faults, name):
    command = Command(name, faults)
    errors = []
    for call, what, must_go_on in FAULTS:
        status, messages, log = command.run(call, what, 0)
        assert status == 0 and log.startswith("all "), (call, status, messages, log)
        count = int(log.split()[1])
        ends = {0: 0, 1: 0}
        runs = 0
        for number in numbers(call, count):
            status, messages, log = command.run(call, what, number)
            runs += f"{call} {number}\n" in log
            error = command.wrong(status, messages, must_go_on)
            ends[status] = ends.get(status, 0) + 1
            if error:
                errors.append(f"{call}:{what}:{number} {error}: {messages[-300:]}")
        if "TRAWL_FAULT_COUNTS" in os.environ:
            with open(os.environ["TRAWL_FAULT_COUNTS"], "a") as file:
                others = {status: n for status, n in ends.items() if status not in (0, 1)}
                print(name, call, what, count, runs, ends[0], ends[1], others or "", sep="\t", file=file)
        for path in Path("tmp").iterdir():
            path.unlink()
    assert errors == []


@pytest.mark.skipif("for trawl serve" not in info(), reason="this build has no trawl serve")
@pytest.mark.parametrize("fault", [*(f"thread:EAGAIN:{n}" for n in range(1, 8)), "mmap:ENOMEM:1+", "open:EMFILE:3+"])
def test_a_server_that_cannot_start(faults, fault):
    """It ends with a message, or waits for queries as usual."""
    environment = {**os.environ, "TRAWL_FAULT": fault, "TRAWL_FAULT_LOG": "fault.log", "LD_PRELOAD": faults}
    with open("out/stderr", "wb") as errors:
        job = subprocess.Popen([TRAWL, "serve", "ref.fa", "--socket", "out/socket", "-t", "2"], stderr=errors,
                               env=environment)
        while job.poll() is None and b"ready" not in Path("out/stderr").read_bytes():
            time.sleep(0.02)
        is_ready = job.poll() is None
        job.terminate()
        status = job.wait(60)
    messages = Path("out/stderr").read_text()
    assert status == (0 if is_ready else 1), messages
    assert "trawl serve: " in messages and not os.path.exists("out/socket")
