#!/usr/bin/env python3
"""Times Trawl beside other read mappers on the same reads, and checks what they found before it prints a time.

    bench/compare.py --workdir WORK --threads 1,2 --repeats 3 -o WORK/report

Repetitions alternate between the tools; ratios are taken within a repetition, then their median. Indexes of other tools
are built once and not counted; loading them is, as is all that Trawl does from its start. See bench/README.md.
"""

import argparse
import dataclasses
import datetime
import json
import math
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = ("all", "best")
START_UP_READS = 100  # few enough to cost nothing; razers3 3.5.8 aborts on a file of one read
OTHERS_ALLOWED = 0.15  # CPUs that other processes may use during a measurement before it counts as disturbed


@dataclasses.dataclass(frozen=True)
class Setting:
    """What every command line is made from. Paths are relative to the workdir."""
    reference: str
    read_length: int
    max_edits: int

    @property
    def percent(self) -> float:
        return 100 * self.max_edits / self.read_length

    @property
    def slack(self) -> int:
        return 5 + self.max_edits


@dataclasses.dataclass(frozen=True)
class Tool:
    """A mapper in one mode: `index` and `map` return argument lists; `program` is what must be installed."""
    name: str
    mode: str
    program: str
    package: str
    index: Callable[[Setting], list] | None
    map: Callable[[Setting, str, str, int], list]  # setting, reads, output, threads


def make_tools(trawl: str) -> list[Tool]:
    def trawl_as(report):
        return lambda s, reads, out, t: [trawl, "map", "-e", s.max_edits, "--report", report, "-t", t, "-o", out,
                                         s.reference, reads]

    def yara(*options):
        return lambda s, reads, out, t: ["yara_mapper", "-e", math.ceil(s.percent), *options, "-t", t, "-o", out,
                                         "index/yara", reads]

    def yara_index(s):
        return ["yara_indexer", "-o", "index/yara", s.reference]

    def yara_complete(s, reads, out, t):
        return yara("-s", math.ceil(s.percent), "-y", "full", "-sa", "record")(s, reads, out, t)

    return [
        Tool("trawl", "all", trawl, "", None, trawl_as("all")),
        Tool("yara", "all", "yara_mapper", "seqan-apps", yara_index, yara_complete),
        Tool("razers3", "all", "razers3", "seqan-apps", None,
             lambda s, reads, out, t: ["razers3", "-i", f"{100 - s.percent:g}", "-rr", 100, "-m", 1000000, "-tc", t,
                                       "-o", out, s.reference, reads]),
        Tool("trawl", "best", trawl, "", None, trawl_as("best")),
        Tool("yara", "best", "yara_mapper", "seqan-apps", yara_index, yara()),
        Tool("snap", "best", "snap-aligner", "snap-aligner",
             lambda s: ["snap-aligner", "index", s.reference, "index/snap"],
             lambda s, reads, out, t: ["snap-aligner", "single", "index/snap", reads, "-t", t, "-o", out]),
        Tool("hisat2", "best", "hisat2", "hisat2",
             lambda s: ["hisat2-build", "-q", s.reference, "index/hisat2"],
             lambda s, reads, out, t: ["hisat2", "--no-spliced-alignment", "-p", t, "-x", "index/hisat2", "-U", reads,
                                       "-S", out]),
        Tool("bwa-mem", "best", "bwa", "bwa",
             lambda s: ["bwa", "index", "-p", "index/bwa", s.reference],
             lambda s, reads, out, t: ["bwa", "mem", "-t", t, "-o", out, "index/bwa", reads]),
        Tool("bowtie2", "best", "bowtie2", "bowtie2",
             lambda s: ["bowtie2-build", "-q", s.reference, "index/bowtie2"],
             lambda s, reads, out, t: ["bowtie2", "-p", t, "-x", "index/bowtie2", "-U", reads, "-S", out]),
        Tool("minimap2", "best", "minimap2", "minimap2",
             lambda s: ["minimap2", "-x", "sr", "-d", "index/minimap2.mmi", s.reference],
             lambda s, reads, out, t: ["minimap2", "-ax", "sr", "-t", t, "-o", out, "index/minimap2.mmi", reads]),
    ]


@dataclasses.dataclass
class Job:
    """One tool on one read file with one number of threads; measured once a repetition."""
    tool: Tool
    threads: int
    reads: int
    reads_file: str
    wall: list[float] = dataclasses.field(default_factory=list)
    cpu: list[float] = dataclasses.field(default_factory=list)  # CPU seconds of the tool
    others: list[float] = dataclasses.field(default_factory=list)  # CPUs kept busy by other processes meanwhile
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


@dataclasses.dataclass
class Usage:
    """What one run of a command used."""
    wall: float
    cpu: float  # seconds, of the command and its children
    others: float  # CPUs that everything else on the machine kept busy meanwhile, on average
    peak_mib: float


def busy_seconds() -> float:
    """CPU seconds that the whole machine has been busy, time stolen by its host included; 0 where unknown."""
    try:
        fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return 0.0
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


class Bench:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.workdir).resolve()
        for folder in ("index", "out", "log"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)
        self.simulate = self.program("trawl-simulate")
        self.check = self.program("trawl-check")
        self.notes = []
        self.failed = False

    def program(self, name: str) -> str:
        path = pathlib.Path(self.args.build).resolve() / name
        if not path.exists():
            sys.exit(f"compare.py: {path} is missing: build it, or say where it is with --build")
        return str(path)

    def note(self, text: str):
        print(f"note: {text}", file=sys.stderr)
        self.notes.append(text)

    def run(self, command: list, log: str) -> Usage:
        """Runs a command in the workdir."""
        words = [str(word) for word in command]
        with open(self.work / "log" / log, "wb") as log_file:
            log_file.write((" ".join(words) + "\n").encode())
            log_file.flush()
            busy = busy_seconds()
            started = time.monotonic()
            process = subprocess.Popen(words, cwd=self.work, stdin=subprocess.DEVNULL, stdout=log_file,
                                       stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.monotonic() - started
            cpu = usage.ru_utime + usage.ru_stime
            others = max(0.0, busy_seconds() - busy - cpu) / wall
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            tail = (self.work / "log" / log).read_text(errors="replace").strip().splitlines()[-1][-300:]
            raise RuntimeError(f"exit status {process.returncode} (log/{log}): {tail}")
        return Usage(wall, cpu, others, usage.ru_maxrss / 1024)

    def checked(self, *words) -> dict:
        """Runs trawl-check; returns its `name<TAB>value` lines, and the exit status as `status`."""
        done = subprocess.run([self.check, *map(str, words)], cwd=self.work, capture_output=True, text=True)
        values = {}
        for line in done.stdout.splitlines():
            if "\t" in line:
                name, value = line.split("\t")
                values[name] = float(value)
            else:
                self.note(f"trawl-check {words[0]}: {line}")
        if not values:
            raise RuntimeError(f"trawl-check {words[0]} failed: {done.stderr.strip()}")
        values["status"] = done.returncode
        return values

    # What is mapped.

    def prepare_reference(self) -> str:
        if self.args.reference:
            return str(pathlib.Path(self.args.reference).resolve())
        name = f"genome.{self.args.genome_length}.{self.args.seed}.fa"
        if not (self.work / name).exists():
            self.run([self.simulate, "genome", self.args.genome_length, self.args.seed, name + ".part"], "genome.log")
            (self.work / (name + ".part")).rename(self.work / name)
        return name

    def prepare_reads(self, reference: str, count: int) -> str:
        name = f"reads.{count}.fq"
        command = [self.simulate, "reads", reference, count, self.args.read_length, self.args.seed, "--qualities"]
        with open(self.work / name, "wb") as out:
            subprocess.run([str(word) for word in command], cwd=self.work, stdout=out, check=True)
        return name

    # What maps.

    def usable(self, tools: list[Tool]) -> list[Tool]:
        wanted = self.args.tools.split(",") if self.args.tools else None
        if wanted and (unknown := set(wanted) - {tool.name for tool in tools}):
            sys.exit(f"compare.py: no such tool: {', '.join(sorted(unknown))}")
        chosen = []
        for tool in tools:
            if tool.mode not in self.args.modes.split(",") or (wanted and tool.name not in wanted):
                continue
            if shutil.which(tool.program) is None:
                source = f"Debian package {tool.package}" if tool.package else "build it, or name it with --trawl"
                self.note(f"{tool.name} ({tool.mode}) skipped: no {tool.program} here ({source})")
                continue
            chosen.append(tool)
        return chosen

    def build_index(self, tool: Tool, setting: Setting) -> bool:
        if tool.index is None:
            return True
        done = self.work / "index" / f"{tool.program}.done"
        identity = f"{setting.reference}\n"
        if done.exists() and done.read_text() == identity:
            return True
        try:
            usage = self.run(tool.index(setting), f"index.{tool.program}.log")
        except RuntimeError as error:
            self.note(f"{tool.name} skipped: its index cannot be built: {error}")
            return False
        print(f"index of {tool.name}: {usage.wall:.1f} s, {usage.peak_mib:.0f} MiB (not counted)", file=sys.stderr)
        done.write_text(identity)
        return True

    def measure(self, job: Job, setting: Setting) -> bool:
        output = self.work / job.output
        output.unlink(missing_ok=True)
        os.sync()  # what the tool before has written is not this one's burden
        try:
            usage = self.run(job.tool.map(setting, job.reads_file, job.output, job.threads), output.name + ".log")
        except RuntimeError as error:
            self.note(f"{job.tool.name} ({job.tool.mode}, {job.threads} threads) failed: {error}")
            self.failed = self.failed or job.tool.name == "trawl"
            return False
        job.wall.append(usage.wall)
        job.cpu.append(usage.cpu)
        job.others.append(usage.others)
        job.peak_mib = max(job.peak_mib, usage.peak_mib)
        return True

    def report_disturbed(self, jobs: list[Job]):
        """The machine may be shared: a time taken while others used it says nothing about the tool."""
        for job in jobs:
            # /proc/stat counts in ticks of 10 ms: two of them, on a short run, prove nothing.
            worst = [i + 1 for i, (others, wall) in enumerate(zip(job.others, job.wall))
                     if others > OTHERS_ALLOWED + 0.02 / wall]
            if worst:
                self.note(f"DISTURBED: {job.tool.name} ({job.tool.mode}, {job.threads} threads, {job.reads} reads): "
                          f"other processes used up to {max(job.others):.1f} CPUs in repetitions {worst}; "
                          f"do not quote, repeat")

    def measure_start_up(self, job: Job, setting: Setting, few_reads: str):
        probe = Job(job.tool, job.threads, START_UP_READS, few_reads)
        if self.measure(probe, setting):
            job.start_up = probe.wall[0]
        (self.work / probe.output).unlink(missing_ok=True)

    # What was found.

    def check_all(self, jobs: list[Job], setting: Setting):
        """Completeness: every job's share of what razers3 and Trawl found on the same reads."""
        for job in jobs:
            for key, judge in (("of_razers3", "razers3"), ("of_trawl", "trawl")):
                known = next((j for j in jobs if j.tool.name == judge and j.reads == job.reads and j is not job
                              and j.threads == job.threads), None)
                if known:
                    values = self.checked("covers", job.output, known.output, "-e", setting.max_edits)
                    job.checks[key] = values["percent"]
                    job.checks["records"] = values["records"]
                    if job.tool.name == "trawl" and values["status"] != 0:
                        self.failed = True
                        self.note(f"TRAWL IS NOT COMPLETE: it lacks {100 - values['percent']:.4f}% of {judge}'s")

    def check_best(self, jobs: list[Job], setting: Setting):
        for job in jobs:
            values = self.checked("truth", job.output, "--slack", setting.slack)
            if values["reads"] != job.reads:
                self.note(f"{job.tool.name}: {values['reads']:.0f} primary records for {job.reads} reads")
            job.checks["mapped"] = 100 * values["mapped"] / job.reads
            job.checks["right"] = 100 * values["right"] / job.reads

    # All of it.

    def jobs_for(self, tool: Tool, threads: int, files: dict) -> list[Job]:
        counts = [self.args.reads_best]
        if tool.mode == "all":
            # Trawl on its own number of reads, and on the slower tools' as well.
            counts = [self.args.reads_peers_all] + ([self.args.reads_all] if tool.name == "trawl" else [])
        return [Job(tool, threads, count, files[count]) for count in sorted(set(counts))]

    def measure_group(self, mode: str, threads: int, tools: list[Tool], files: dict, setting: Setting) -> list[Job]:
        jobs = [job for tool in tools if tool.mode == mode for job in self.jobs_for(tool, threads, files)]
        for job in jobs:
            self.measure_start_up(job, setting, files[START_UP_READS])
        for repetition in range(self.args.repeats):
            for job in list(jobs) if repetition % 2 == 0 else list(reversed(jobs)):
                if not self.measure(job, setting):
                    jobs.remove(job)
                    continue
                print(f"{mode}, {threads} threads, repetition {repetition + 1}: {job.tool.name} on {job.reads} reads "
                      f"{job.wall[-1]:.2f} s", file=sys.stderr)
        self.report_disturbed(jobs)
        (self.check_all if mode == "all" else self.check_best)(jobs, setting)
        if not self.args.keep:
            for job in jobs:
                (self.work / job.output).unlink(missing_ok=True)
        return jobs

    def compare(self) -> list[Job]:
        reference = self.prepare_reference()
        setting = Setting(reference, self.args.read_length, self.args.max_edits)
        tools = [tool for tool in self.usable(make_tools(self.args.trawl)) if self.build_index(tool, setting)]
        modes = [mode for mode in MODES if mode in self.args.modes.split(",")]
        counts = {START_UP_READS}
        counts |= {self.args.reads_all, self.args.reads_peers_all} if "all" in modes else set()
        counts |= {self.args.reads_best} if "best" in modes else set()
        files = {count: self.prepare_reads(reference, count) for count in counts}
        jobs = []
        for mode in modes:
            for threads in (int(text) for text in self.args.threads.split(",")):
                jobs += self.measure_group(mode, threads, tools, files, setting)
        return jobs


def ratios(job: Job, jobs: list[Job]) -> dict:
    """Trawl's reads/s over the job's, by the number of reads that Trawl was timed on."""
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


def package_versions(jobs: list[Job]) -> dict:
    versions = {}
    for package in sorted({job.tool.package for job in jobs} - {""}):
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


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trawl", default=str(ROOT / "build/release/src/cli/trawl"))
    parser.add_argument("--build", default=str(ROOT / "build/release/bench"),
                        help="folder of trawl-simulate and trawl-check")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--reference", help="a FASTA instead of a simulated chromosome")
    parser.add_argument("--genome-length", type=int, default=100_000_000)
    parser.add_argument("--read-length", type=int, default=100)
    parser.add_argument("--max-edits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--modes", default="all,best")
    parser.add_argument("--reads-best", type=int, default=1_000_000)
    parser.add_argument("--reads-all", type=int, default=200_000, help="mode all: Trawl's own number of reads")
    parser.add_argument("--reads-peers-all", type=int, default=20_000, help="mode all: every tool, Trawl too")
    parser.add_argument("--threads", default="1", help="for example 1,2")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tools", help="comma-separated; default all of them")
    parser.add_argument("--keep", action="store_true", help="keep the SAM files")
    parser.add_argument("-o", "--output", help="write OUTPUT.md and OUTPUT.json")
    args = parser.parse_args()
    if unknown := set(args.modes.split(",")) - set(MODES):
        parser.error(f"no such mode: {', '.join(sorted(unknown))}")
    if args.repeats < 1:
        parser.error("--repeats must be at least 1")
    if os.sep in args.trawl:
        args.trawl = str(pathlib.Path(args.trawl).resolve())
    return args


def main() -> int:
    args = parse_arguments()
    bench = Bench(args)
    jobs = bench.compare()
    reference = pathlib.Path(args.reference).name if args.reference else f"{args.genome_length:,} simulated bases"
    date = datetime.date.today().isoformat()
    line = (f"{reference}, reads of {args.read_length}, e = {args.max_edits}, seed {args.seed}, medians of "
            f"{args.repeats} alternating repetitions; {processor()}; {date}; trawl {commit()}")
    report = markdown(jobs, line, bench.notes)
    print(report)
    if args.output:
        pathlib.Path(args.output + ".md").write_text(report)
        results = [{"tool": job.tool.name, "mode": job.tool.mode, "threads": job.threads, "reads": job.reads,
                    "wall_s": job.wall, "cpu_s": job.cpu, "others_cpus": job.others, "start_up_s": job.start_up,
                    "reads_per_s": job.median_rate, "trawl_ratio": ratios(job, jobs), "peak_mib": job.peak_mib,
                    "checks": job.checks} for job in jobs]
        record = {"setting": line, "versions": package_versions(jobs), "notes": bench.notes, "results": results}
        pathlib.Path(args.output + ".json").write_text(json.dumps(record, indent=1) + "\n")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
