"""Threads, processes, signals, memory."""

import functools
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import trawl
from conftest import GENOME, GUIDES, READ, READS, TEXT


def test_many_threads_use_one_reference(genome):
    mapper = trawl.Mapper(genome, report="all", edits=4)
    reads = [genome.letters(0, start, start + 100) for start in range(0, 190000, 1000)]
    expected = mapper.map(reads)["start"].tolist()
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: mapper.map(reads)["start"].tolist(), range(40)):
            assert found == expected
        guides = list(pool.map(lambda _: len(trawl.scan(genome, GUIDES, edits=4, pam="NGG")), range(8)))
    assert len(set(guides)) == 1


def test_other_threads_run_meanwhile(genome):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.002):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    genome.map([genome.letters(0, i, i + 150) for i in range(0, 199000, 40)], report="all", edits="8%")
    done.set()
    thread.join()
    assert len(ticks) > 3


def test_pickle(genome, small):
    # Of a file only the path.
    text = pickle.dumps(genome)
    assert len(text) < 500
    assert pickle.loads(text).contigs == genome.contigs
    assert pickle.loads(pickle.dumps(small)).letters(0, 0, len(TEXT)) == TEXT


def starts_of(ref):
    return ref.map([READ], report="all")["start"].tolist()


def test_processes_that_are_spawned(small):
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(starts_of, [small] * 4) == [[4]] * 4


@pytest.fixture(scope="module")
def pool():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


def of_mapper(mapper):
    return mapper.map([READ, READ[1:]])


def of_scanner(scanner):
    return scanner.scan(TEXT)


@pytest.mark.parametrize("made", ["letters", "file"])
def test_mappers_and_scanners_of_another_process(pool, genome, small, made):
    """They go to another process, and results come back."""
    mapper = trawl.Mapper(genome if made == "file" else small, report="all", edits="8%", end_to_end=True)
    assert list(pool.apply(of_mapper, (mapper,))) == list(of_mapper(mapper))
    patterns = GUIDES if made == "file" else {"lock": "GATTAC"}
    scanner = trawl.Scanner(patterns, edits=1, strand="+", pam=None if made == "file" else "NGG")
    found = pool.apply(of_scanner, (scanner,))
    assert list(found) == list(of_scanner(scanner)) and pickle.loads(pickle.dumps(scanner)).patterns == scanner.patterns
    assert made == "file" or len(found) and found.explain(0) == of_scanner(scanner).explain(0)


@pytest.mark.parametrize("patterns", ["GATTACA", b"GATTACA", ["GATTACA"], iter(["GATTACA"]), ("GATTACA",)], ids=repr)
def test_pickled_patterns(patterns):
    assert pickle.loads(pickle.dumps(trawl.Scanner(patterns, edits=1))).scan("GATTACC")["distance"].tolist() == [1]


def test_a_mapper_does_not_keep_its_reference_alive(small):
    import weakref

    ref = trawl.Reference({"chr1": TEXT})
    ref.map([READ])
    gone = weakref.ref(ref)
    del ref
    assert gone() is None


def run_python(code, **more):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, **more)


# What starts threads, here with a small reference and a path.
WORK = ["ref.map(['GATTACAGGCATGAGCCACC'])", "list(ref.map_file(reads))", "trawl.scan(ref, 'GATTACA')",
        "trawl.scan(path, 'GATTACA')", "trawl.scan('ACGT' * 10_000, 'GATTACA')", "trawl.Reference(path)"]


@pytest.mark.parametrize("before", WORK)
def test_fork_after_work_says_why_not(before):
    ended = run_python(f"""
        import os, trawl
        path, reads = {str(GENOME)!r}, {str(READS)!r}
        ref = trawl.Reference({{"chr1": "TTTTGATTACAGGCATGAGCCACCTTTT"}})
        scanner = trawl.Scanner("GATTACA")
        {before}
        if os.fork() == 0:
            for work in {WORK}:
                try:
                    eval(work)
                except trawl.Error as error:
                    assert "forked" in str(error) and "spawn" in str(error)
                    print("refused", flush=True)
            # Needs no threads.
            assert len(scanner.scan("GATTACA")) == trawl.distance("A", "C") == 1
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
    """)
    assert ended.stdout.split() == ["refused"] * len(WORK), ended.stderr


def test_fork_before_work_is_fine():
    ended = run_python("""
        import os, trawl
        ref = trawl.Reference({"chr1": "TTTTGATTACAGGCATGAGCCACCTTTT"})
        for _ in range(3):
            if os.fork() == 0:
                os._exit(0 if ref.map(["GATTACAGGCATGAGCCACC"] * 1000)["start"].sum() == 4000 else 9)
        print(sorted(os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(3)))
    """)
    assert ended.stdout == "[0, 0, 0]\n"


LONG = """
    import signal
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also if the caller ignores it
    import numpy as np, trawl
    rng = np.random.default_rng(1)
    text = "".join(np.array(list("ACGT"))[rng.integers(0, 4, 4_000_000)])
    ref = trawl.Reference({f"chr{i}": text[i * 100_000:(i + 1) * 100_000] for i in range(40)})
    patterns = [text[i * 30:i * 30 + 20] for i in range(12_000)]
    with open("reads.fa", "w") as file:
        file.writelines(f">r{i}\\n{text[i * 1000:i * 1000 + 9_000]}\\n" for i in range(3000))
    print("ready", flush=True)
"""


@pytest.mark.parametrize("call", [
    "trawl.scan(ref, patterns, edits=4, tune='search=rows')", "trawl.scan(text, patterns, edits=4, tune='search=rows')",
    "trawl.scan(text[:10_000], patterns * 9, edits=6, tune='search=rows')", "trawl.scan(ref, patterns, edits=7, pam='N')",
    "ref.map([text[i:i+100] for i in range(0, 3_900_000, 2)], report='all', edits=6)",
    "ref.map(text[:99_000], report='all', edits=255, tune='search=scan')",
    "ref.map(100 * [text[:99_000]], 100 * [text[:99_000]], report='all', edits=255, tune='search=scan')",
    "list(ref.map_file('reads.fa', report='all', edits=255, tune='search=scan'))",
    "ref.map('./reads.fa', report='all', edits=255, tune='search=scan')",
    "ref.map_to_file('reads.fa', output='out.sam', report='all', edits=255, tune='search=scan')",
    "trawl.distance(text[:900_000], text[1_000_000:1_900_000])", "trawl.align(text[:900_000], text[1_000_000:1_900_000])",
    "trawl.distance(text[:900_000], text[1_000_000:1_900_000], mode='infix')",
    "[trawl.distance(text[:150], 25 * text, mode='infix') for _ in range(99)]"])
def test_ctrl_c(call, tmp_path):
    code = textwrap.dedent(LONG) + f"\ntry:\n    {call}\n    print('ended')\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=tmp_path) as job:
        assert job.stdout.readline() == "ready\n"
        time.sleep(0.5)
        job.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert job.communicate(timeout=60)[0] == "interrupted\n"
        took = time.monotonic() - began
        assert took < 2, f"took {took:.2f} s"  # mostly 0.3; the whole call takes minutes
    assert not (tmp_path / "out.sam").exists()


def test_progress_and_its_errors(genome):
    seen = []
    genome.map(READS, progress=lambda done, total: seen.append((done, total)))
    assert seen and all(0 <= done for done, _ in seen)

    class Bar:
        n, total = 0, None

        def update(self, more):
            self.n += more

    bar = Bar()
    trawl.scan(genome, GUIDES, edits=4, pam="NGG", progress=bar)
    assert bar.n > 0

    size = os.stat(READS).st_size
    seen = []
    batches = sum(1 for _ in genome.map_file(READS, progress=lambda done, total: seen.append((done, total))))
    assert len(seen) == batches > 0 and seen == sorted(seen) and seen[-1] == (size, size)
    bar = Bar()
    list(genome.map_file([READS, READS], progress=bar))
    assert bar.n == bar.total == 2 * size

    def fail(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        genome.map(READS, progress=fail)
    with pytest.raises(RuntimeError, match="enough"):
        next(genome.map_file(READS, progress=fail))


def test_a_stream_may_be_left(genome):
    for _ in range(20):
        next(genome.map_file(READS))


def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@functools.cache
def column_with_null():
    return pytest.importorskip("pyarrow").array([READ, None])


CALLS = {
    "distance": (500_000, lambda ref: trawl.distance("GATTACA", "GATACAT")),
    "align": (100_000, lambda ref: trawl.align("GATTACA", "GATACAT")),
    "scan": (100_000, lambda ref, scanner=trawl.Scanner("GATTACA", edits=1): scanner.scan(TEXT)["start"]),
    "map": (20_000, lambda ref: ref.map(READ, report="all")),
    "arrow null": (20_000, lambda ref: pytest.raises(trawl.UsageError, ref.map, column_with_null())),
    "arrow": (20_000, lambda ref, found=trawl.scan(TEXT, "GATTACA"): found.__arrow_c_stream__()),
    "error": (20_000, lambda ref: pytest.raises(trawl.UsageError, trawl.distance, "A", 7)),
    "slice": (20_000, lambda ref, found=trawl.scan(TEXT, "GATTACA"): found[:1]),
    "pickle": (20_000, lambda ref, found=trawl.scan(TEXT, "GATTACA"): pickle.loads(pickle.dumps(found))),
    "letters": (100_000, lambda ref: trawl.distance("Zürich", "Zurich")),
    "reference": (3_000, lambda ref: trawl.Reference({"chr1": TEXT})),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_leak(small, name):
    count, call = CALLS[name]
    for _ in range(count // 5):
        call(small)
    gc.collect()
    before = rss()
    for _ in range(count):
        call(small)
    gc.collect()
    # A leak of 16 bytes a call, or of 100 in the slower ones, would show.
    assert rss() - before < max(2 << 20, 16 * count)
