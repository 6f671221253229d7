"""Runs commands in a folder, and says what each used, and how busy other processes kept the machine meanwhile. A time that
was measured while other processes were busy says nothing about the command."""

import dataclasses
import os
import pathlib
import subprocess
import threading
import time

from mappers import Setting, Tool

OTHERS_ALLOWED = 0.15  # CPUs that other processes may use during a measurement; with more it counts as disturbed


@dataclasses.dataclass
class Usage:
    """What one run of a command used."""
    status: int
    wall: float
    cpu: float  # seconds, of the command and its children
    others: float  # CPUs that all other processes used during the run, on average
    peak_mib: float


def busy_seconds() -> float:
    """CPU seconds that the whole machine has been busy, with the time stolen by its host; 0 if unknown."""
    try:
        fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return 0.0
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def run_measured(command: list[str], limit: float | None = None, **popen) -> Usage:
    """Runs a command to its end, or for `limit` seconds; `popen`: arguments for subprocess.Popen()."""
    busy = busy_seconds()
    started = time.monotonic()
    process = subprocess.Popen(command, **popen)
    end = threading.Timer(limit or threading.TIMEOUT_MAX, process.kill)
    end.daemon = True
    end.start()
    _, status, usage = os.wait4(process.pid, 0)
    end.cancel()
    wall = time.monotonic() - started
    cpu = usage.ru_utime + usage.ru_stime
    others = max(0.0, busy_seconds() - busy - cpu) / wall
    process.returncode = os.waitstatus_to_exitcode(status)
    return Usage(process.returncode, wall, cpu, others, usage.ru_maxrss / 1024)


def disturbed(others: list[float], walls: list[float]) -> str:
    """A sentence that says which repetitions other processes disturbed; empty if none."""
    # /proc/stat counts in ticks of 10 ms. On a short run, two ticks prove nothing.
    worst = [i + 1 for i, (cpus, wall) in enumerate(zip(others, walls)) if cpus > OTHERS_ALLOWED + 0.02 / wall]
    if not worst:
        return ""
    return f"other processes used up to {max(others):.1f} CPUs in repetitions {worst}; do not quote, repeat"


class Workdir:
    """out/ has the mappers' output, index/ their indexes, log/ what commands printed."""

    def __init__(self, path: str):
        self.path = pathlib.Path(path).resolve()
        for folder in ("index", "out", "log"):
            (self.path / folder).mkdir(parents=True, exist_ok=True)

    def run(self, command: list, log: str, limit: float | None = None) -> Usage:
        words = [str(word) for word in command]
        with open(self.path / "log" / log, "wb") as log_file:
            log_file.write((" ".join(words) + "\n").encode())
            log_file.flush()
            usage = run_measured(words, limit, cwd=self.path, stdin=subprocess.DEVNULL, stdout=log_file,
                                 stderr=subprocess.STDOUT)
        if usage.status != 0:
            tail = (self.path / "log" / log).read_text(errors="replace").strip().splitlines()[-1][-300:]
            raise RuntimeError(f"exit status {usage.status} (log/{log}): {tail}")
        return usage

    def build_index(self, tool: Tool, setting: Setting, reference: str, limit: float | None = None) -> Usage | None:
        """None if it has no index, or one of this reference is here."""
        if tool.index is None:
            return None
        done = self.done(tool)
        if self.has_index(tool, setting, reference):
            return None
        link = self.path / setting.link(tool.key)
        link.unlink(missing_ok=True)
        link.symlink_to(self.path / setting.reference)
        others = self.index_bytes()
        usage = self.run(tool.index(setting), f"index.{done.stem}.log", limit)
        done.write_text(self.identity(tool, setting, reference) + f"{usage.wall:.1f} {usage.cpu:.1f} {usage.peak_mib:.0f} {self.index_bytes() - others}\n")
        return usage

    def has_index(self, tool: Tool, setting: Setting, reference: str) -> bool:
        done = self.done(tool)
        return done.exists() and done.read_text().startswith(self.identity(tool, setting, reference))

    def identity(self, tool: Tool, setting: Setting, reference: str) -> str:
        return f"{reference}\n{' '.join(map(str, tool.index(setting)))}\n"

    def index_cost(self, tool: Tool) -> tuple[float, float, int, int] | None:
        """Of its index: seconds, CPU seconds, MiB while it was made, bytes."""
        if tool.index is None:
            return None
        wall, cpu, mib, size = self.done(tool).read_text().split("\n")[2].split()
        return float(wall), float(cpu), int(mib), int(size)

    def done(self, tool: Tool) -> pathlib.Path:
        return self.path / "index" / f"{tool.key}.done"

    def index_bytes(self) -> int:
        return sum(file.lstat().st_size for file in (self.path / "index").rglob("*"))
