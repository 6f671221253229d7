"""The results of compare.py, as a table and as data."""

import dataclasses
import pathlib
import platform
import statistics
import subprocess

from mappers import MODES, START_UP_READS, Tool

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Job:
    """One tool on one read file with one number of threads; measured once per repetition."""
    tool: Tool
    threads: int
    reads: int
    reads_file: str
    wall: list[float] = dataclasses.field(default_factory=list)
    cpu: list[float] = dataclasses.field(default_factory=list)  # CPU seconds of the tool
    others: list[float] = dataclasses.field(default_factory=list)  # CPUs that other processes used during the run
    peak_mib: float = 0
    start_up: float = 0
    checks: dict = dataclasses.field(default_factory=dict)

    @property
    def output(self) -> str:
        return f"out/{self.tool.mode}.{self.tool.name}.{self.reads}.t{self.threads}.sam"

    def rate(self, repetition: int) -> float:
        return self.reads / self.wall[repetition]

    @property
    def median_rate(self) -> float:
        return statistics.median(self.rate(i) for i in range(len(self.wall)))


def ratios(job: Job, jobs: list[Job]) -> dict:
    """Trawl's reads/s divided by the job's, for each number of reads that Trawl was timed on."""
    return {
        trawl.reads: statistics.median(trawl.rate(i) / job.rate(i) for i in range(len(job.wall)))
        for trawl in jobs
        if trawl.tool.name == "trawl" and trawl.tool.mode == job.tool.mode and trawl.threads == job.threads
        and job.tool.name != "trawl"
    }


def markdown(jobs: list[Job], setting_line: str, notes: list[str]) -> str:
    lines = [setting_line, ""]
    for mode in MODES:
        of_mode = [job for job in jobs if job.tool.mode == mode]
        if not of_mode:
            continue
        found = ["alignments", "% of razers3's", "% of Trawl's"] if mode == "all" else ["mapped %", "right place %"]
        header = ["tool", "threads", "reads", "wall s", f"with {START_UP_READS} reads, s", "CPUs used", "reads/s",
                  "Trawl's reads/s are times as many", "peak MiB", *found]
        lines += [f"### {mode}", "", "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
        for job in of_mode:
            ratio = "; ".join(f"{value:.2f} ({reads:,} reads)" for reads, value in sorted(ratios(job, jobs).items()))
            if mode == "all":
                shares = [f"{job.checks['records']:,.0f}" if "records" in job.checks else ""]
                shares += [f"{job.checks[key]:.3f}" if key in job.checks else "" for key in ("of_razers3", "of_trawl")]
            else:
                shares = [f"{job.checks[key]:.2f}" for key in ("mapped", "right")]
            cells = [job.tool.name, job.threads, f"{job.reads:,}", f"{statistics.median(job.wall):.2f}",
                     f"{job.start_up:.2f}",
                     f"{statistics.median(c / w for c, w in zip(job.cpu, job.wall)):.2f}",
                     f"{job.median_rate:,.0f}", ratio,
                     f"{job.peak_mib:,.0f}", *shares]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
        lines.append("")
    lines += [f"- {note}" for note in notes]
    return "\n".join(lines) + "\n"


def package_versions(packages: set[str]) -> dict:
    versions = {}
    for package in sorted(packages - {""}):
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
        versions[package] = done.stdout or "unknown"
    return versions


def processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def commit() -> str:
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"
