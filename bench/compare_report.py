"""The results of compare.py, as a table and as data."""

import dataclasses
import pathlib
import platform
import statistics
import subprocess

from mappers import LAYOUTS, MODES, ROOT, START_UP_READS, Setting, Tool


@dataclasses.dataclass
class Job:
    """One tool on the same reads with one number of threads; measured once per repetition."""
    tool: Tool
    layout: str
    threads: int
    reads: int  # a pair is two
    files: list[str]
    wall: list[float] = dataclasses.field(default_factory=list)
    cpu: list[float] = dataclasses.field(default_factory=list)  # CPU seconds of the tool
    others: list[float] = dataclasses.field(default_factory=list)  # CPUs that other processes used during the run
    peak_mib: float = 0
    start_up: float = 0  # wall and CPU seconds with START_UP_READS reads
    start_up_cpu: float = 0
    checks: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.tool.name} ({self.tool.mode}, {self.layout}, {self.threads} threads, {self.reads} reads)"

    @property
    def output(self) -> str:
        return f"out/{self.tool.mode}.{self.layout}.{self.tool.name}.{self.reads}.t{self.threads}.sam"

    def rate(self, repetition: int) -> float:
        return self.reads / self.wall[repetition]

    @property
    def median_rate(self) -> float:
        return statistics.median(self.rate(i) for i in range(len(self.wall)))


def ratios(job: Job, jobs: list[Job]) -> dict:
    """Trawl's reads/s divided by the job's, for each number of reads that Trawl was timed on."""
    return {
        trawl.reads: statistics.median(trawl.rate(i) / job.rate(i) for i in range(len(job.wall)))
        for trawl in trawls_of(job, jobs)
    }


def cpu_ratios(job: Job, jobs: list[Job]) -> dict:
    """The job's CPU seconds per read divided by Trawl's. Other work on the machine changes them less than wall times."""
    return {
        trawl.reads: statistics.median(job.cpu[i] / job.reads / (trawl.cpu[i] / trawl.reads)
                                       for i in range(len(job.cpu)))
        for trawl in trawls_of(job, jobs)
    }


def trawls_of(job: Job, jobs: list[Job]) -> list[Job]:
    """Trawl's jobs that a job is compared with; none for Trawl's own."""
    return [] if job.tool.name == "trawl" else [
        other for other in jobs if other.tool.name == "trawl" and other.tool.mode == job.tool.mode
        and other.layout == job.layout and other.threads == job.threads]


def row(job: Job, jobs: list[Job]) -> list[str]:
    def times_as_many(values: dict) -> str:
        return "; ".join(f"{value:.2f} ({reads:,} reads)" for reads, value in sorted(values.items()))

    def percent(key: str, digits: int) -> str:
        return f"{job.checks[key]:.{digits}f}" if key in job.checks else ""

    if job.tool.mode == "all":
        found = [percent("mapped", 2), f"{job.checks['records']:,.0f}", percent("of_razers3", 3), percent("of_trawl", 3)]
    else:
        found = [percent("mapped", 2), percent("right", 2)]
    return [job.tool.name, str(job.threads), f"{job.reads:,}", f"{statistics.median(job.wall):.2f}",
            f"{statistics.median(job.cpu):.2f}",
            f"{job.start_up:.2f}; {job.start_up_cpu:.2f}", f"{job.median_rate:,.0f}",
            times_as_many(ratios(job, jobs)), times_as_many(cpu_ratios(job, jobs)), f"{job.peak_mib:,.0f}",
            *found, job.tool.distance]


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in [header]] + ["|" + "---|" * len(header)] + [
        "| " + " | ".join(cells) + " |" for cells in rows]


def markdown(jobs: list[Job], setting_line: str, notes: list[str]) -> str:
    lines = [setting_line, ""]
    for mode in MODES:
        for layout in LAYOUTS:
            group = [job for job in jobs if job.tool.mode == mode and job.layout == layout]
            if not group:
                continue
            found = ["alignments", "% of razers3's", "% of Trawl's"] if mode == "all" else ["right place %"]
            header = ["tool", "threads", "reads", "wall s", "CPU s", f"with {START_UP_READS} reads: wall; CPU s", "reads/s",
                      "Trawl's reads/s are times as many", "its CPU s a read are times Trawl's", "peak MiB", "mapped %",
                      *found, "distance"]
            lines += [f"### {mode}, {layout}", "", *table(header, [row(job, jobs) for job in group]), ""]
    lines += [f"- {note}" for note in notes]
    return "\n".join(lines) + "\n"


def commands_table(tools: list[Tool], setting: Setting, insert: tuple[int, int]) -> str:
    """All tools: where they come from, what their distance is, and their command lines."""
    def text(words: list) -> str:
        return "`" + " ".join(map(str, words)) + "`"

    pairs = dataclasses.replace(setting, insert=insert)
    rows = []
    for tool in tools:
        files = ["BOTH.fq"] if tool.interleaved else ["1.fq", "2.fq"]
        rows.append([tool.name, tool.mode, tool.origin if tool.name != "trawl" else "", tool.distance,
                     text(tool.index(setting)) if tool.index else "", text(tool.map(setting, ["READS.fq"], "OUT.sam", 2)),
                     text(tool.map(pairs, files, "OUT.sam", 2)) if tool.pairs else "no"])
    return "\n".join(table(["tool", "mode", "from", "distance", "index", "single reads", "pairs"], rows)) + "\n"


def package_versions(packages: set[str]) -> dict:
    return {package: output_of("dpkg-query", "-W", "-f", "${Version}", package) for package in sorted(packages - {""})}


def processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def commit() -> str:
    return output_of("git", "-C", str(ROOT), "describe", "--always", "--dirty")


def output_of(*command: str) -> str:
    """What a command prints; `unknown` where it cannot be had."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"
