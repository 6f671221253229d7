"""Long runs: the memory does not grow, no file stays open, and the output is that of the same input in pieces.

Here each takes 15 seconds. For an hour each:  TRAWL_SOAK_SECONDS=3600 pytest-3 -s tests/cli/test_soak.py
"""

import http.client
import os
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tools import IS_SANITIZED, TRAWL, count, info, make_input, read_fasta, rows, run, simulate

SECONDS = float(os.environ.get("TRAWL_SOAK_SECONDS", 15))


@pytest.fixture(scope="module", autouse=True)
def inputs():
    make_input(60000, 2000)
    simulate("pairs", "ref.fa", 2000, 100, 5, "first.fq", "second.fq", "--qualities")
    first, second = (Path(name).read_text().splitlines(keepends=True) for name in ("first.fq", "second.fq"))
    Path("pairs.fq").write_text("".join("".join(first[at:at + 4] + second[at:at + 4])
                                        for at in range(0, len(first), 4)))


class Watch:
    """Looks at the memory and the open files of a process four times a second."""

    def __init__(self, name, pid):
        self.name, self.pid, self.samples, self._ends = name, pid, [], threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        while not self._ends.wait(0.25):
            try:
                status = Path(f"/proc/{self.pid}/status").read_text()
                memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
                self.samples.append((memory, len(os.listdir(f"/proc/{self.pid}/fd"))))
            except (OSError, StopIteration):
                return

    def check(self, more_files=4):
        """The last third of the time needs no more than the second one, but for what comes and goes: blocks that wait in
        queues. In a short run that is more."""
        self._ends.set()
        self._thread.join()
        third = len(self.samples) // 3
        assert third > 5, "too short"
        second, last = self.samples[third:2 * third], self.samples[2 * third:]
        memory = [sorted(sample[0] for sample in part)[third // 2] for part in (second, last)]
        files = [max(sample[1] for sample in part) for part in (second, last)]
        print(f"{self.name}: {len(self.samples) / 4:.0f} s, {memory[0]} then {memory[1]} KB, {files[1]} files")
        slack = max(4000, memory[0] // 20) if SECONDS >= 600 else 16000 + memory[0] // 4
        assert IS_SANITIZED or memory[1] <= memory[0] + slack, self.name
        assert files[1] <= files[0] + more_files, self.name


def feed(command, block_of, check_stdout=None, more_files=4):
    """Gives a program block after block for some time. check_stdout(stream) runs beside. How many there were."""
    with open("out/stderr", "wb") as errors:
        job = subprocess.Popen([TRAWL, *command], stdin=subprocess.PIPE, stderr=errors,
                               stdout=subprocess.PIPE if check_stdout else subprocess.DEVNULL)
        found = []
        reader = threading.Thread(target=lambda: found.append(check_stdout(job.stdout))) if check_stdout else None
        if reader:
            reader.start()
        watch = Watch(" ".join(command), job.pid)
        try:
            blocks, end = 0, time.monotonic() + SECONDS
            while time.monotonic() < end:
                job.stdin.write(block_of(blocks))
                blocks += 1
            watch.check(more_files)
        except AssertionError:
            job.kill()
            raise
        job.stdin.close()
        if reader:
            reader.join()
        assert job.wait() == 0, Path("out/stderr").read_text()
    return blocks, found[0] if found else None


def test_pairs_from_a_pipe():
    options = ["-t", "2", "--insert", "100-600", "--interleaved", "ref.fa"]
    block = Path("pairs.fq").read_bytes()
    whole = run("map", *options, "pairs.fq").ok().bytes.splitlines(keepends=True)
    records = b"".join(line for line in whole if not line.startswith(b"@"))

    def same(stream):
        for line in stream:
            if not line.startswith(b"@"):
                break
        rest, n = line, 0
        while rest:
            rest += stream.read(len(records) - len(rest))
            if rest != records:
                return f"block {n} differs"
            rest, n = stream.read(1), n + 1
        return n

    blocks, found = feed(["map", *options, "-"], lambda _: block, same)
    assert found == blocks and blocks > 3


def test_sorted_pairs():
    block = Path("pairs.fq").read_bytes()
    blocks, _ = feed(["map", "-t", "2", "--insert", "100-600", "--sort", "--sort-memory", "16M", "--interleaved", "ref.fa",
                      "-", "-o", "out/x.bam"], lambda _: block, more_files=200)  # those of sorted parts, 64 of each size
    assert count("out/x.bam", "-F", "0x900") == blocks * block.count(b"\n") // 4


def test_endless_text():
    """One contig. The positions are those of the first block, each time so many bases further."""
    text = "".join(read_fasta("genome.fa").values())
    guides = ["-p", text[1000:1023], "-p", text[20000:20023]]
    options = ["-t", "2", "-e", "2", *guides]
    Path("one.fa").write_text(f">c\n{text}\n")
    first = rows(run("scan", *options, "one.fa").ok())

    def same(stream):
        n = 0
        for n, line in enumerate(stream, 1):
            columns = line.decode().rstrip("\n").split("\t")
            shift = (n - 1) // len(first) * len(text)
            for column in 1, 2:
                columns[column] = str(int(columns[column]) - shift)
            if columns != first[(n - 1) % len(first)]:
                return f"line {n} differs: {line}"
        return n

    lines = "\n".join(text[at:at + 60] for at in range(0, len(text), 60))
    block = (lines + "\n").encode()
    blocks, found = feed(["scan", *options, "-"], lambda n: (b"" if n else b">c\n") + block, same)
    assert found == blocks * len(first)


@pytest.mark.skipif("for trawl serve" not in info(), reason="this build has no trawl serve")
def test_serve():
    class Connection(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(60)
            self.sock.connect("out/socket")

    with open("out/stderr", "wb") as errors:
        job = subprocess.Popen([TRAWL, "serve", "ref.fa", "--socket", "out/socket", "-t", "2"], stderr=errors)
        while "ready" not in Path("out/stderr").read_text():
            assert job.poll() is None
            time.sleep(0.02)
        text = "".join(read_fasta("genome.fa").values())
        queries = [("/map?report=all&max-edits=3&format=json", Path("first.fq").read_bytes()[:20000]),
                   ("/pairs?insert=100-600", Path("pairs.fq").read_bytes()), ("/scan?max-edits=2", text[5000:5023]),
                   ("/scan?max-edits=900", "ACGT"), ("/nothing", ""), ("/map?format=json", '{"reads": ["ACGT'),
                   ("/map?max-edits=1", "not a read")]
        first = {}
        watch = Watch("serve", job.pid)
        end, asked = time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            path, body = queries[asked % len(queries)]
            connection = Connection("localhost")
            connection.request("POST", path, body)
            answer = connection.getresponse()
            found = answer.status, answer.read()
            connection.close()
            assert first.setdefault(path, found) == found, path
            asked += 1
        watch.check()
        job.terminate()
        assert job.wait() == 0
    assert asked > 20 and {status for status, _ in first.values()} >= {200, 400}
