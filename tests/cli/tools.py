"""For the tests of the program: it runs as a user runs it, and other programs look at what it wrote.

How a test is written:
- Each module works in a folder of its own (the fixture `work` of conftest.py is always there). All paths are relative to
  it. Inputs that several tests share are made once, by a fixture with scope="module", autouse=True. What one test writes
  goes below out/, which is empty at its begin. At the end of each test no temporary file may be left.
- run("map", "-e", 2, "ref.fa", "reads.fq").ok() runs trawl. ok(), fails(STATUS, MESSAGE), stopped(SIGNAL, MESSAGE) and
  killed() are the checks of its end; all give the result back, with .stdout, .stderr and .bytes (stdout as it is). A run
  without any of them may end as it likes. execute("trawl-check", ...) is the same for other programs; samtools("sort",
  ...) and bgzip("-c", ...) must succeed.
- assert records("out/x.bam")[0].position == 6. A source is a path or a result. sam_lines() is for exact comparisons.
- Files and long texts: assert_same(a, b), or lists of lines. pytest takes very long to compare two long texts.
- A list of cases is @pytest.mark.parametrize; a case that costs one run among many cheap ones may be a loop, if what
  differs shows in the message. Inputs stand beside the assertion, or in a fixture above the tests that use it.
- with start("map", ...) as job: for signals and pipes. Send a signal, and check job.wait() as a result.
- pytest.skip(WHY) if a program is missing. A module of which all tests are skipped is skipped for ctest, too.
"""

import contextlib
import functools
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _program(name):
    path = shutil.which(os.environ.get(name, name))
    if not path:
        raise RuntimeError(f"{name} is missing; TRAWL and TRAWL_SIMULATE name programs (scripts/build.sh trawl "
                           "trawl-simulate builds them), the others are in Debian's packages samtools and tabix")
    return os.path.abspath(path)


TRAWL, TRAWL_SIMULATE, *_ = map(_program, ("TRAWL", "TRAWL_SIMULATE", "samtools", "bgzip", "gzip"))
# A program with sanitizers keeps what is freed, needs terabytes of addresses, and has calls of its own.
IS_SANITIZED = any(word in Path(TRAWL).read_bytes() for word in (b"__asan_init", b"__tsan_init"))

# --- running ---


class Result:
    """What a program that has ended leaves. `status` is as in a shell: 128 + the signal, if one killed it."""

    last = None  # conftest.py shows it if a test fails

    def __init__(self, command, status, stdout, stderr):
        self.command = command
        self.status = status if status >= 0 else 128 - status
        self.bytes = stdout
        self.stdout = stdout.decode(errors="surrogateescape")
        self.stderr = stderr.decode(errors="surrogateescape")
        Result.last = self

    def __repr__(self):
        return f"{shlex.join(self.command)}\nstatus {self.status}, stderr:\n{self.stderr[:2000]}"

    def ok(self):
        assert self.status == 0, self
        return self

    def fails(self, status, message, output=None):
        """With this status and this part of a message of trawl; no output and no temporary file is left."""
        assert self.status == status, self
        assert message in self.stderr, f"no '{message}' in the message: {self}"
        assert any(line.startswith("trawl") for line in self.stderr.splitlines()), f"no line begins with trawl: {self}"
        assert output is None or not os.path.lexists(output), f"{output} was left: {self}"
        assert not left_behind()
        return self

    def killed(self):
        """After SIGKILL. Nothing but the reference for CRAM may be left, in TMPDIR."""
        assert self.status == 137, self
        for path in Path("tmp").iterdir():
            assert path.match("trawl.*.fa") or path.match("trawl.*.fa.fai"), f"left behind: {path}"
            path.unlink()
        return self

    def stopped(self, number, message, output=None):
        """By a signal, before its output was complete; SIGKILL leaves no time for a message."""
        return self.killed() if number == signal.SIGKILL else self.fails(128 + number, message, output)


class Job:
    """A program that runs. At the end of `with` it is killed if it still runs."""

    def __init__(self, command, stdin, env, limits):
        self.command = [str(word) for word in command]
        self._input = stdin if isinstance(stdin, bytes) else None
        # Files, not pipes: a program that waits for a reader would not end. They lie outside of the work folder, because
        # Python looked for TMPDIR before the test had its own.
        self._stdout, self._stderr = tempfile.TemporaryFile(), tempfile.TemporaryFile()

        def set_limits():
            for name, limit in limits.items():
                if not (IS_SANITIZED and name == resource.RLIMIT_AS):
                    resource.setrlimit(name, (limit, limit))

        with contextlib.ExitStack() as files:
            source = subprocess.PIPE if self._input is not None else stdin or subprocess.DEVNULL
            if isinstance(source, (str, Path)):
                source = files.enter_context(open(source, "rb"))
            self._process = subprocess.Popen(self.command, stdin=source, stdout=self._stdout, stderr=self._stderr,
                                             env={**os.environ, **env}, preexec_fn=set_limits if limits else None)
        self.pid = self._process.pid
        self.send_signal = self._process.send_signal

    def running(self):
        return self._process.poll() is None

    def messages(self):
        """What it has written to stderr until now."""
        return os.pread(self._stderr.fileno(), 1 << 20, 0)

    def wait(self, timeout=None):
        self._process.communicate(self._input, timeout)
        texts = []
        for file in self._stdout, self._stderr:
            file.seek(0)
            texts.append(file.read())
        return Result(self.command, self._process.returncode, *texts)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.running():
            self._process.kill()
        self._process.wait()
        for file in self._stdout, self._stderr:
            file.close()


def start_program(*command, stdin=None, env={}, limits={}):
    """stdin: bytes, which go through a pipe, or the path of a file; limits: {resource.RLIMIT_FSIZE: bytes}."""
    return Job(command, stdin, env, limits)


def execute(*command, **how):
    with start_program(*command, **how) as job:
        return job.wait()


def start(*arguments, **how):
    return start_program(TRAWL, *arguments, **how)


def run(*arguments, **how):
    return execute(TRAWL, *arguments, **how)


def samtools(*arguments, **how):
    return execute("samtools", *arguments, **how).ok().stdout


def bgzip(*arguments, **how):
    """Bytes: of bgzip("-c", PATH) or bgzip("-dc", PATH)."""
    return execute("bgzip", *arguments, **how).ok().bytes


def bench_program(name):
    """trawl-check or trawl-oracle, which are beside the simulator. A module that needs it is skipped if it is missing."""
    path = Path(TRAWL_SIMULATE).with_name(name)
    if not os.access(path, os.X_OK):
        pytest.skip(f"no {name} beside trawl-simulate", allow_module_level=True)
    return path


def fault_library():
    """The path of tests/faults, made here, for LD_PRELOAD. A test that needs it is skipped without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    execute(compiler, "-shared", "-fPIC", "-O1", "-o", "faults.so", ROOT / "tests/faults/faults.c", "-ldl").ok()
    return os.path.abspath("faults.so")


@functools.lru_cache(maxsize=None)
def info():
    return run("info").ok().stdout


def has_cuda():
    return re.search("^ *cuda  usable", info(), flags=re.M) is not None


# --- files and signals ---


def left_behind():
    """Temporary files in the work folder."""
    return [path for path in Path().rglob("*") if ".tmp" in path.name or path.parts[0] == "tmp" and path != Path("tmp")]


def files_in(folder):
    return sorted(os.listdir(folder))


def open_files(pid, folder):
    """The files of the folder that a process has open, as /proc/PID/fd/N. Outputs have no names yet."""
    inside = os.path.abspath(folder) + "/"
    found = []
    with contextlib.suppress(FileNotFoundError):  # it has ended
        for path in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                if os.readlink(path).startswith(inside):
                    found.append(path)
    return found


def wait_for_output(job, folder, more_than=-1, pid=None):
    """Until a job, or this process of it, has an output with more than so many bytes open there; at most 60 s. Whether it
    has."""
    end = time.monotonic() + 60
    while job.running() and time.monotonic() < end:
        with contextlib.suppress(FileNotFoundError):
            if any(path.stat().st_size > more_than for path in open_files(pid or job.pid, folder)):
                return True
        time.sleep(0.002)
    return False


@contextlib.contextmanager
def feeding(fifo, data):
    """While the block runs, bytes go into a FIFO."""
    writer = threading.Thread(target=Path(fifo).write_bytes, args=(data,), daemon=True)
    writer.start()
    yield
    writer.join()


# --- outputs ---


def _bytes(source):
    if isinstance(source, Result):
        return source.bytes
    return source if isinstance(source, bytes) else Path(source).read_bytes()


def assert_same(first, *others):
    """The same bytes. Each is a path, a result or bytes."""
    expected = _bytes(first)
    for other in others:
        found = _bytes(other)
        same = found == expected  # in the assertion, pytest would look for the differences
        assert same, f"{first!r:.200} and {other!r:.200} differ: {_difference(expected, found)}"


def _difference(one, two):
    at = len(os.path.commonprefix([one, two]))
    return f"at byte {at}: {one[at:at + 80]!r}, {two[at:at + 80]!r}"


class Record(NamedTuple):
    """A record of SAM. tags: {"NM": 1, "MD": "30"}; sam_lines() has their order and types."""
    name: str
    flag: int
    contig: str
    position: int
    mapq: int
    cigar: str
    mate_contig: str
    mate_position: int
    insert: int
    bases: str
    qualities: str
    tags: dict


def sam_lines(source, *options):
    """The records of SAM, BAM or CRAM as lines. Options and regions are those of samtools view."""
    if isinstance(source, Result):
        return samtools("view", "-", *options, stdin=source.bytes).splitlines()
    return samtools("view", source, *options).splitlines()


def records(source, *options):
    """The same as Record."""
    return [_record(line) for line in sam_lines(source, *options)]


def sorted_tags(source, *options):
    """The same as lists of their columns, with the tags in order. CRAM has its own order of tags."""
    lines = [line.split("\t") for line in sam_lines(source, *options)]
    return [columns[:11] + sorted(columns[11:]) for columns in lines]


def count(source, *options):
    """The number of records of a file. Options are those of samtools view."""
    return int(samtools("view", "-c", source, *options))


def _record(line):
    name, flag, contig, position, mapq, cigar, mate, mate_position, insert, bases, qualities, *tags = line.split("\t")
    values = {}
    for tag in tags:
        key, kind, value = tag.split(":", 2)
        values[key] = int(value) if kind == "i" else value
    return Record(name, int(flag), contig, int(position), int(mapq), cigar, mate, int(mate_position), int(insert), bases,
                  qualities, values)


def operations(cigar):
    """[(30, "M"), (2, "S")] for 30M2S."""
    return [(int(length), operation) for length, operation in re.findall(r"(\d+)(\D)", cigar)]


def header(path):
    return samtools("view", "-H", "--no-PG", path)


def calmd(path, reference):
    """samtools calmd finds the same NM and MD as the records have. Its result."""
    result = execute("samtools", "calmd", path, reference).ok()
    assert re.search("different (NM|MD)", result.stderr) is None, result
    return result


def rows(source):
    """The lines of a table without column names, such as BED, as lists of their columns."""
    return [line.split("\t") for line in _bytes(source).decode(errors="surrogateescape").splitlines()]


def table(source):
    """The rows of a table with column names, as dictionaries."""
    names, *lines = rows(source)
    return [dict(zip(names, line)) for line in lines]


def counts(result):
    """The numbers that trawl-check printed."""
    return {row[0]: int(row[1]) for row in rows(result) if len(row) == 2 and row[1].isdigit()}


def read_json(path):
    return json.loads(Path(path).read_bytes())


# --- inputs ---


def write_lines(path, *lines):
    """Bytes that are not UTF-8 may be in it as rows() reads them."""
    Path(path).write_bytes("".join(line + "\n" for line in lines).encode(errors="surrogateescape"))


def write_fasta(path, *entries):
    """Each entry: (name and comment, bases)."""
    Path(path).write_text("".join(f">{name}\n{bases}\n" for name, bases in entries))


def write_fastq(path, *entries):
    """Each entry: (name and comment, bases), or (name and comment, bases, qualities)."""
    Path(path).write_text("".join(fastq(*entry) for entry in entries))


def fastq(name, bases, qualities=None):
    return f"@{name}\n{bases}\n+\n{'I' * len(bases) if qualities is None else qualities}\n"


def read_fasta(path):
    """{name: bases}, in order."""
    contigs = {}
    for line in Path(path).read_text().splitlines():
        if line.startswith(">"):
            name = line[1:].split()[0]
            contigs[name] = ""
        else:
            contigs[name] += line
    return contigs


def read_fastq(path):
    """[(name and comment, bases, qualities)] of a file with four lines for each read."""
    lines = Path(path).read_text().splitlines()
    return [(name[1:], bases, qualities) for name, bases, qualities in zip(lines[::4], lines[1::4], lines[3::4])]


_COMPLEMENT = str.maketrans("ACGTNRYKMBVDH", "TGCANYRMKVBHD")


def reverse_complement(bases):
    return bases[::-1].translate(_COMPLEMENT)


def random_bases(length, letters="ACGT"):
    """random.seed() says which."""
    return "".join(random.choices(letters, k=length))


def mutated(text, edits, indels=True):
    """The text with so many substitutions, of which some change nothing; `indels`: and insertions and deletions."""
    letters = list(text)
    for _ in range(edits):
        at, kind = random.randrange(len(letters)), random.random()
        if indels and kind < 0.2:
            del letters[at]
        elif indels and kind < 0.4:
            letters.insert(at, random_bases(1))
        else:
            letters[at] = random_bases(1)
    return "".join(letters)


def simulate(*arguments, output=None):
    """Runs the simulator. output: the file for its standard output."""
    result = execute(TRAWL_SIMULATE, *arguments).ok()
    if output:
        Path(output).write_bytes(result.bytes)


def make_input(length=60000, count=600):
    """A reference of several contigs with repeats, and reads of it: ref.fa, reads.fq."""
    simulate("genome", length, 7, "genome.fa")
    lines = [line for line in Path("genome.fa").read_text().splitlines(keepends=True) if line[0] != ">"]
    # Contigs of 300 lines; the last one repeats the first.
    with open("ref.fa", "w") as file:
        for n, at in enumerate(range(0, len(lines), 300), 1):
            file.write(f">chr{n} contig {n}\n{''.join(lines[at:at + 300])}")
        file.write(f">copy\n{''.join(lines[:300])}")
    simulate("reads", "ref.fa", count, 100, 3, "--qualities", "--lengths", "36-150", "--error-rate", 0.012,
             "--indel-share", 0.4, output="reads.fq")
