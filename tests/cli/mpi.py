"""For the tests under mpirun. Without mpirun, or without MPI in trawl, a module that imports this is skipped.

- ranks.run(3, "scan", "-p", "ACGT", "ref.fa", "-o", "out/x.bed").ok() is trawl scan on three ranks.
- before={1: "ulimit -f 8"}: what a rank does before it begins, as words of a shell.
- ranks.start(...), ranks.wait(JOB): for signals. ranks.pid(1) is the process of a rank.
- ranks.failed(RESULT): it ended in time with an error, said something, left no file, and no rank runs.

TRAWL_MPIRUN names another mpirun; TRAWL_MPI_LIMIT: seconds after which a run is killed. (--tune=KEY=VALUE in one word: Open
MPI takes a word --tune for its own, wherever it stands.)
"""

import contextlib
import os
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest

from tools import TRAWL, execute, files_in, start_program

LIMIT = int(os.environ.get("TRAWL_MPI_LIMIT", 60))


def _launcher():
    """The launcher must be that of the library which trawl was built with."""
    library = re.search("libmpi.*=>", execute("ldd", TRAWL).stdout)
    if not library:
        pytest.skip(f"{TRAWL} was built without MPI", allow_module_level=True)
    is_mpich = "mpich" in library[0]
    names = ("mpirun.mpich", "mpiexec.mpich", "mpirun") if is_mpich else ("mpirun.openmpi", "mpirun")
    found = [path for path in map(shutil.which, (os.environ.get("TRAWL_MPIRUN", ""), *names)) if path]
    if not found:
        pytest.skip("there is no mpirun (Debian: openmpi-bin)", allow_module_level=True)
    return found[0], is_mpich


MPIRUN, IS_MPICH = _launcher()

# A rank writes its process number, does what `before` says, and becomes trawl.
RANK = """rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
echo $$ > "mpi/pid.$rank"
[[ ! -e mpi/before.$rank ]] || . "mpi/before.$rank"
exec "$TRAWL" "$@"
"""


def _environment(folder):
    """More ranks than cores, as root, and the launcher's own files in this folder."""
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
            "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
            "OMPI_MCA_orte_tmpdir_base": folder, "OMPI_MCA_btl_vader_backing_directory": folder, "TRAWL": TRAWL}


with tempfile.TemporaryDirectory() as _folder:
    _trial = execute("timeout", 60, MPIRUN, "-n", 2, "true", env=_environment(_folder))
if _trial.status != 0:
    pytest.skip(f"{MPIRUN} does not work here: {_trial.stderr[:300]}", allow_module_level=True)


class Ranks:
    prefix = []  # a command that starts mpirun elsewhere
    environment = {}

    def start(self, ranks, *words, stdin=None, before={}):
        shutil.rmtree("mpi", ignore_errors=True)
        os.mkdir("mpi")
        Path("mpi/rank").write_text(RANK)
        for rank, command in before.items():
            Path(f"mpi/before.{rank}").write_text(command)
        job = start_program("timeout", "-k", 5, LIMIT, *self.prefix, MPIRUN, "-n", ranks, "bash", "mpi/rank", *words,
                            stdin=stdin, env={**_environment(os.path.abspath("mpi")), **self.environment})
        job.end = time.monotonic() + LIMIT
        return job

    def wait(self, job, timeout=None):
        result = job.wait(timeout)
        result.in_time = time.monotonic() < job.end
        return result

    def run(self, ranks, *words, **how):
        """mpirun of Open MPI 4.1 sometimes crashes or does not end when a rank has failed, although all ranks have ended:
        then the run is repeated. A rank that crashes is no such case: then mpirun says which signal it was. Ranks whose
        mpirun has crashed end a little later."""
        for _ in range(3):
            with self.start(ranks, *words, **how) as job:
                try:
                    late, result = None, self.wait(job, LIMIT - 5)
                except subprocess.TimeoutExpired:
                    late, result = self.left(), self.wait(job)
            hangs = result.status == 124 and late == []
            crashes = result.status in (134, 139) and "on signal" not in result.stderr
            if not hangs and not crashes:
                break
            until(lambda: not self.left())
        return result

    def left(self):
        """The processes of the ranks that still run."""
        return [pid for rank in range(8) if (pid := self.number(rank)) and _runs(pid)]

    def number(self, rank):
        with contextlib.suppress(FileNotFoundError, ValueError):
            return int(Path(f"mpi/pid.{rank}").read_text())
        return None

    def pid(self, rank):
        """The process of a rank, when it has one."""
        return until(lambda: self.number(rank))

    def launcher(self, job):
        """The process of mpirun."""
        return int(execute("pgrep", "-P", job.pid).stdout.split()[0])

    def failed(self, result):
        assert result.status != 0 and result.in_time, result
        assert result.stderr or result.stdout, "no message"  # MPICH's mpirun says on stdout that a rank was killed
        assert files_in("out") == [], result
        until(lambda: not self.left(), 10)
        for path in Path("tmp").iterdir():
            path.unlink()
        return result

    def struck(self, ranks, signal, victim, source, *words):
        """A signal to a rank, or to mpirun, at a random time after the input is open. The command reads fifo, which gets
        the source three times, and does not end by itself. Before that, ranks that start together wait for each other, and
        the launcher alone can notice that one is gone: that of Open MPI 4.1 sometimes hangs then."""
        with fed(3 * Path(source).read_bytes()) as (opened, _), self.start(ranks, *words) as job:
            assert opened.wait(60), "the input is not open"
            time.sleep(random.random())
            os.kill(self.launcher(job) if victim == "mpirun" else self.pid(victim), signal)
            result = self.wait(job)
        return self.failed(result)


ranks = Ranks()


def _runs(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return re.search("^State:\tZ", Path(f"/proc/{pid}/status").read_text(), flags=re.M) is None
    return False


def until(value, seconds=30):
    """A value when it is true."""
    end = time.monotonic() + seconds
    while not (found := value()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return found


@contextlib.contextmanager
def fed(first, rest=b""):
    """While the block runs, bytes go into fifo: the first ones when it is opened, the rest when `go` is set, or at the end
    of the block. (opened, go)"""
    opened, go = threading.Event(), threading.Event()
    Path("fifo").unlink(missing_ok=True)
    os.mkfifo("fifo")

    def feed():
        with contextlib.suppress(BrokenPipeError), open("fifo", "wb", buffering=0) as fifo:
            opened.set()
            fifo.write(first)
            go.wait()
            fifo.write(rest)

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    try:
        yield opened, go
    finally:
        go.set()
        if opened.is_set():
            writer.join()
