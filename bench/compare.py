#!/usr/bin/env python3
"""Times Trawl and other read mappers on the same reads. Checks what they found before it prints a time.

    bench/compare.py --workdir WORK --threads 1,2 --repeats 3 -o WORK/report

In each repetition all tools run one after the other. A ratio is computed for each repetition; the median is shown.
The time to build another tool's index is not counted, but the time to load it is. For Trawl, everything from its start
is counted. See bench/README.md.
"""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys

from compare_report import ROOT, Job, commit, markdown, package_versions, processor, ratios
from machine_load import Usage, disturbed, run_measured
from mappers import MODES, START_UP_READS, Setting, Tool, make_tools


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
            usage = run_measured(words, cwd=self.work, stdin=subprocess.DEVNULL, stdout=log_file,
                                 stderr=subprocess.STDOUT)
        if usage.status != 0:
            tail = (self.work / "log" / log).read_text(errors="replace").strip().splitlines()[-1][-300:]
            raise RuntimeError(f"exit status {usage.status} (log/{log}): {tail}")
        return usage

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

    # The mappers.

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
        os.sync()  # so that this tool's time does not include writing the previous tool's output to disk
        try:
            usage = self.run(job.tool.map(setting, [job.reads_file], job.output, job.threads), output.name + ".log")
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
        for job in jobs:
            if what := disturbed(job.others, job.wall):
                self.note(f"DISTURBED: {job.tool.name} ({job.tool.mode}, {job.threads} threads, {job.reads} reads): "
                          f"{what}")

    def measure_start_up(self, job: Job, setting: Setting, few_reads: str):
        probe = Job(job.tool, job.threads, START_UP_READS, few_reads)
        if self.measure(probe, setting):
            job.start_up = probe.wall[0]
        (self.work / probe.output).unlink(missing_ok=True)

    # The results.

    def check_all(self, jobs: list[Job], setting: Setting):
        """Completeness: for each job, its share of what razers3 and Trawl found on the same reads."""
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

    # The whole comparison.

    def jobs_for(self, tool: Tool, threads: int, files: dict) -> list[Job]:
        counts = [self.args.reads_best]
        if tool.mode == "all":
            # Trawl with its own number of reads, and also with the number that the slower tools get.
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


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"))
    parser.add_argument("--build", default=str(ROOT / "build/release/bench"),
                        help="folder of trawl-simulate and trawl-check")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--reference", help="use this FASTA instead of a simulated chromosome")
    parser.add_argument("--genome-length", type=int, default=100_000_000)
    parser.add_argument("--read-length", type=int, default=100)
    parser.add_argument("--max-edits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--modes", default="all,best")
    parser.add_argument("--reads-best", type=int, default=1_000_000)
    parser.add_argument("--reads-all", type=int, default=200_000, help="mode all: number of reads for Trawl alone")
    parser.add_argument("--reads-peers-all", type=int, default=20_000, help="mode all: number of reads for every tool")
    parser.add_argument("--threads", default="1", help="for example 1,2")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tools", help="comma-separated list; default: all tools")
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
        record = {"setting": line, "versions": package_versions({job.tool.package for job in jobs}), "notes": bench.notes,
                  "results": results}
        pathlib.Path(args.output + ".json").write_text(json.dumps(record, indent=1) + "\n")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
