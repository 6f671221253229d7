"""CUDA calls of trawl that fail: each in turn, once or from then on, as when a device is lost. A run with --engine cuda
ends with a message and status 1, and leaves no output; one with --engine auto may do all of its work on the CPU, if the
device fails before the work begins.

It needs a GPU, and trawl_cuda_faults (scripts/build.sh trawl_cuda_faults; tests/gpu/failing_calls.hpp). Here some calls
fail; all of them:  TRAWL_FAULTS=all pytest-3 tests/cli/test_cuda_faults.py  (TRAWL_FAULTS=50: some 50 of all).
With TRAWL_FAULT_COUNTS=FILE, a line for each command is added: command, engine, fault, calls, runs, done, failed.
"""

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools import TRAWL, files_in, has_cuda, make_input, run, simulate, write_lines

PROGRAM = Path(os.environ.get("TRAWL_CUDA_FAULTS", Path(TRAWL).parent / "tests/trawl_cuda_faults"))
EXTENT = os.environ.get("TRAWL_FAULTS", "4")
if not os.access(PROGRAM, os.X_OK):
    pytest.skip("no trawl_cuda_faults", allow_module_level=True)
if not has_cuda():
    pytest.skip("no CUDA device", allow_module_level=True)

COMMANDS = {
    "map": "map ref.fa reads.fq -o out/x.sam",
    "map_all": "map --report all -e 3 ref.fa first.fq second.fq -o out/x.bam",
    "sort": "map --sort ref.fa first.fq second.fq -o out/x.bam",
    "rows": "scan -e 3 -p ACGTTGCAACGATCGATTTT ref.fa -o out/x.bed",
    "literals": "scan -e 0 ref.fa guides.tsv -o out/x.tsv",
    "pieces": "scan -e 1 ref.fa guides.tsv -o out/x.bed.gz",
    "guides": "scan -e 3 --pam NGG ref.fa guides.tsv -o out/x.tsv",
    "primers": "primers -e 1 ref.fa primers.tsv -o out/x.tsv",
    "mappability": "mappability -l 50 -e 1 ref.fa -o out/x.bedgraph",
}


@pytest.fixture(scope="module", autouse=True)
def inputs(work):
    make_input(30000, 300)
    simulate("pairs", "ref.fa", 200, 100, 5, "first.fq", "second.fq", "--qualities")
    text = "".join(line for line in Path("genome.fa").read_text().splitlines() if line[0] != ">")
    write_lines("guides.tsv", *(f"g{n}\t{text[at:at + 20]}" for n, at in enumerate(range(1000, 29000, 500))))
    complement = str.maketrans("ACGT", "TGCA")
    write_lines("primers.tsv", *(f"p{n}\t{text[at:at + 20]}\t{text[at + 200:at + 220].translate(complement)[::-1]}"
                                 for n, at in enumerate(range(1000, 9000, 1000))))


def numbers(count):
    most = 10 ** 9 if EXTENT == "all" else int(EXTENT)
    if count <= most:
        return range(count)
    return sorted(random.Random(33).sample(range(count), most))


def empty_out():
    shutil.rmtree("out")
    os.mkdir("out")


def outputs():
    return {name: Path("out", name).read_bytes() for name in files_in("out")}


def wrong(status, messages, whole):
    """What is wrong with the end of a run; "" if nothing is."""
    if files_in("tmp"):
        return f"left behind: {files_in('tmp')}"
    if status == 0:
        return "" if outputs() == whole else f"other output: {files_in('out')}"
    if status != 1:
        return f"status {status}"
    if not re.search("^trawl( [a-z]+)?: ", messages, flags=re.M):
        return "no message"
    return f"left behind: {files_in('out')}" if files_in("out") else ""


@pytest.mark.parametrize("engine", ["cuda", "auto"])
@pytest.mark.parametrize("name", COMMANDS)
def test_cuda_calls_that_fail(name, engine):
    words = [*COMMANDS[name].split(), "-t", "2", "--engine", engine]
    if engine == "auto":
        words += ["--devices", "0"]  # so that small inputs go to the device, too
    # The bytes are those of the CPU but for what they say about the command.
    run(*words, "--devices", ":256M").ok()
    whole = outputs()
    assert whole
    errors = []
    for more in "", "+":
        def fail(number):
            empty_out()
            Path("calls.log").unlink(missing_ok=True)
            environment = {"TRAWL_CUDA_FAULT": f"{number}{more}", "TRAWL_CUDA_FAULT_LOG": "calls.log"}
            try:
                ended = subprocess.run([PROGRAM, *words, "--devices", ":256M"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env={**os.environ, **environment}, timeout=60)
            except subprocess.TimeoutExpired:
                return None, "it does not end"
            return ended.returncode, ended.stderr.decode(errors="replace")

        status, messages = fail(-1)
        assert status == 0 and outputs().keys() == whole.keys(), messages
        whole = outputs()
        count = int(Path("calls.log").read_text())
        assert count > 10
        ends = {}
        for number in numbers(count):
            status, messages = fail(number)
            ends[status] = ends.get(status, 0) + 1
            error = wrong(status, messages, whole)
            if not error and engine == "cuda" and more and status == 0 and number < count // 2:
                error = "it went on"
            if error:
                errors.append(f"{number}{more} {error}: {messages[-300:]}")
            for path in Path("tmp").iterdir():
                path.unlink()
        if "TRAWL_FAULT_COUNTS" in os.environ:
            with open(os.environ["TRAWL_FAULT_COUNTS"], "a") as file:
                print(name, engine, more or "once", count, sum(ends.values()), ends.get(0, 0), ends.get(1, 0),
                      {status: n for status, n in ends.items() if status not in (0, 1)} or "", sep="\t", file=file)
    assert errors == []
