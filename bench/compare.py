#!/usr/bin/env python3
"""Times Trawl and other read mappers on the same reads. Checks what they found before it prints a time.

    bench/compare.py --workdir WORK --threads 1,2 --repeats 3 -o WORK/report

Single reads or pairs (--layouts); every locus (mode all) or one (best). Tools that are not installed are left out, and
named. --commands prints where each tool comes from and how it is called.

In each repetition all tools run one after the other. A ratio is computed for each repetition; the median is shown.
The time to build another tool's index is not counted, but the time to load it is. For Trawl, everything from its start
is counted. See bench/README.md.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys

import genomes
from compare_report import ROOT, Job, commands_table, commit, cpu_ratios, markdown, package_versions, processor, ratios
from mappers import LAYOUTS, MODES, START_UP_READS, Setting, Tool, make_tools
from workdir import Workdir, disturbed


class Bench:
    def __init__(self, args):
        self.args = args
        self.workdir = Workdir(args.workdir)
        self.work = self.workdir.path
        self.simulate = self.program("trawl-simulate")
        self.check = self.program("trawl-check")
        self.notes = []
        self.indexes = {}  # by program: how building the index went, in words
        self.failed = False

    def program(self, name: str) -> str:
        path = pathlib.Path(self.args.build).resolve() / name
        if not path.exists():
            sys.exit(f"compare.py: {path} is missing: build it, or say where it is with --build")
        return str(path)

    def note(self, text: str):
        print(f"note: {text}", file=sys.stderr)
        self.notes.append(text)

    def checked(self, *words, show: bool = True) -> dict:
        """Runs trawl-check. Returns its `name<TAB>value` lines, the exit status as `status`, and the lines about what is
        not covered. `show`: other lines, which name what is wrong, become notes."""
        done = subprocess.run([self.check, *map(str, words)], cwd=self.work, capture_output=True, text=True)
        values = {"not covered": []}
        for line in done.stdout.splitlines():
            if line.startswith("not covered: "):
                values["not covered"].append(line)
            if "\t" in line:
                name, value = line.split("\t")
                values[name] = float(value)
            elif show:
                self.note(f"trawl-check {words[0]}: {line}")
        if len(values) == 1:
            raise RuntimeError(f"trawl-check {words[0]} failed: {done.stderr.strip()}")
        values["status"] = done.returncode
        return values

    # What is mapped.

    def prepare_reference(self) -> str:
        if self.args.reference:
            return str(pathlib.Path(self.args.reference).resolve())
        name = f"genome.{self.args.genome_length}.{self.args.seed}.fa"
        if not (self.work / name).exists():
            self.workdir.run([self.simulate, "genome", self.args.genome_length, self.args.seed, name + ".part"],
                             "genome.log")
            (self.work / (name + ".part")).rename(self.work / name)
        return name

    def prepare_reads(self, reference: str, layout: str, count: int) -> dict[bool, list[str]]:
        """Makes so many reads, two of them in each pair. Returns the files; by True: the same in one file, in turn."""
        name = f"{layout}.{count}"
        words = [reference, count if layout == "single" else count // 2, self.args.read_length, self.args.seed]
        if layout == "single":
            files = [f"{name}.fq"]
            with open(self.work / files[0], "wb") as out:
                subprocess.run([str(word) for word in [self.simulate, "reads", *words, "--qualities"]], cwd=self.work,
                               stdout=out, check=True)
            return {False: files, True: files}
        files = [f"{name}.1.fq", f"{name}.2.fq"]
        self.workdir.run([self.simulate, "pairs", *words, *files, "--qualities"], "pairs.log")
        both = f"{name}.both.fq"
        with open(self.work / files[0]) as first, open(self.work / files[1]) as second, open(self.work / both, "w") as out:
            while header := first.readline():
                second.readline()
                for mate, file in ((1, first), (2, second)):
                    out.write(f"{header.rstrip()}/{mate}\n" + "".join(file.readline() for _ in range(3)))
        return {False: files, True: [both]}

    # The mappers.

    def usable(self, tools: list[Tool]) -> list[Tool]:
        wanted = self.args.tools.split(",") if self.args.tools else None
        if wanted and (unknown := set(wanted) - {tool.name for tool in tools}):
            sys.exit(f"compare.py: no such tool: {', '.join(sorted(unknown))}")
        chosen = []
        for tool in tools:
            if tool.mode not in self.args.modes.split(",") or (wanted and tool.name not in wanted):
                continue
            if not (tool.pairs or "single" in self.args.layouts.split(",")):
                continue
            if shutil.which(tool.program) is None:
                self.note(f"{tool.name} ({tool.mode}) skipped: no {tool.program} here ({tool.origin})")
                continue
            chosen.append(tool)
        return chosen

    def build_index(self, tool: Tool, setting: Setting) -> bool:
        try:
            usage = self.workdir.build_index(tool, setting, setting.reference)
        except RuntimeError as error:
            self.note(f"{tool.name} skipped: its index cannot be built: {error}")
            return False
        if usage:
            self.indexes[tool.program] = f"{tool.program} {usage.cpu:.1f} s of CPU time, {usage.peak_mib:,.0f} MiB"
            print(f"index: {self.indexes[tool.program]} (not counted)", file=sys.stderr)
        return True

    def measure(self, job: Job, setting: Setting) -> bool:
        output = self.work / job.output
        output.unlink(missing_ok=True)
        os.sync()  # so that this tool's time does not include writing the previous tool's output to disk
        try:
            usage = self.workdir.run(job.tool.map(setting, job.files, job.output, job.threads), output.name + ".log")
            if not output.exists():
                raise RuntimeError("no output")
        except RuntimeError as error:
            self.note(f"{job.name} failed: {error}")
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
                self.note(f"DISTURBED: {job.name}: {what}")

    def measure_start_up(self, job: Job, setting: Setting, few_reads: dict) -> bool:
        probe = Job(job.tool, job.layout, job.threads, START_UP_READS, few_reads[job.tool.interleaved])
        done = self.measure(probe, setting)
        if done:
            job.start_up, job.start_up_cpu = probe.wall[0], probe.cpu[0]
        self.remove_output(probe)
        return done

    def remove_output(self, job: Job):
        for path in (self.work / job.output).parent.glob(pathlib.Path(job.output).name + "*"):
            path.unlink()

    # The results.

    def check_all(self, job: Job, jobs: list[Job], setting: Setting):
        """Completeness: the job's share of what razers3 and Trawl found in the same reads."""
        # Loci with gaps are not expected of a tool that knows mismatches only.
        judges = ("razers3-ng", "trawl-hamming") if job.tool.distance == "mismatches" else ("razers3", "trawl")
        is_trawl = job.tool.name in ("trawl", "trawl-hamming")
        pairs = ["--pairs"] if job.layout == "pairs" else []
        for key, judge in zip(("of_razers3", "of_trawl"), judges):
            known = next((j for j in jobs if j.tool.name == judge and j.reads == job.reads and j is not job
                          and j.threads == job.threads), None)
            # Without another tool, the job is compared with itself: its records are counted.
            if known is None and key == "of_razers3":
                continue
            values = self.checked("covers", job.output, (known or job).output, "-e", setting.max_edits, *pairs,
                                  show=is_trawl)
            if known:
                job.checks[key] = values["percent"]
            job.checks["records"] = values["records"]
            job.checks["mapped"] = 100 * values["mapped reads"] / job.reads
            if known and is_trawl and values["status"] != 0:
                self.judge_misses(job, f"{100 - values['percent']:.4f}% of {judge}'s", values["not covered"], setting)

    def judge_misses(self, job: Job, what: str, lines: list[str], setting: Setting):
        """Asks trawl-oracle about reads of which a record of Trawl seems to be missing. In a tandem repeat that is longer
        than the read, a locus is longer than any record of it, and the other tool's record may be elsewhere in it."""
        names = {line.split()[2] for line in lines}
        if job.layout == "single" and job.tool.name == "trawl" and self.proved(names, job, setting):
            self.note(f"no record of Trawl overlaps {what}; trawl-oracle finds no locus without a record in the "
                      f"{len(names)} of these reads that it was asked about")
            return
        self.failed = True
        self.note(f"TRAWL IS NOT COMPLETE: it lacks {what}")

    def proved(self, names: set[str], job: Job, setting: Setting) -> bool:
        reads, loci, sam = (f"out/asked.{ending}" for ending in ("fq", "tsv", "sam"))
        with open(self.work / job.files[0]) as all_reads, open(self.work / reads, "w") as out:
            while header := all_reads.readline():
                record = header + "".join(all_reads.readline() for _ in range(3))
                if header[1:].split()[0] in names:
                    out.write(record)
        with open(self.work / loci, "w") as out:
            subprocess.run([self.program("trawl-oracle"), "-e", str(setting.max_edits), "-t", str(job.threads),
                            setting.reference, reads], cwd=self.work, stdout=out, check=True)
        self.workdir.run(job.tool.map(setting, [reads], sam, job.threads), "asked.log")
        missing = self.checked("loci", sam, loci)["missing"]
        for path in (reads, loci, sam):
            (self.work / path).unlink()
        return missing == 0

    def check_best(self, job: Job, _jobs: list[Job], setting: Setting):
        values = self.checked("truth", job.output, "--slack", setting.slack)
        if values["reads"] > job.reads:  # some tools leave out unmapped reads
            self.note(f"{job.name}: {values['reads']:.0f} primary records")
        job.checks["mapped"] = 100 * values["mapped"] / job.reads
        job.checks["right"] = 100 * values["right"] / job.reads

    def check_jobs(self, jobs: list[Job], setting: Setting) -> list[Job]:
        """Returns the jobs whose output can be read."""
        checked = []
        for job in jobs:
            try:
                (self.check_all if job.tool.mode == "all" else self.check_best)(job, jobs, setting)
                checked.append(job)
            except RuntimeError as error:
                self.note(f"{job.name} left out, its output cannot be checked: {error}")
                self.failed = self.failed or job.tool.name == "trawl"
        return checked

    # The whole comparison.

    def jobs_for(self, tool: Tool, layout: str, threads: int, files: dict) -> list[Job]:
        counts = [self.args.reads_best]
        if tool.mode == "all":
            # Trawl with its own number of reads, and also with the number that the slower tools get.
            counts = [self.args.reads_peers_all] + ([self.args.reads_all] if tool.name == "trawl" else [])
        return [Job(tool, layout, threads, count, files[count][tool.interleaved]) for count in sorted(set(counts))]

    def measure_group(self, mode: str, layout: str, threads: int, tools: list[Tool], files: dict,
                      setting: Setting) -> list[Job]:
        jobs = [job for tool in tools if tool.mode == mode and (layout == "single" or tool.pairs)
                for job in self.jobs_for(tool, layout, threads, files)]
        jobs = [job for job in jobs if self.measure_start_up(job, setting, files[START_UP_READS])]
        for repetition in range(self.args.repeats):
            for job in list(jobs) if repetition % 2 == 0 else list(reversed(jobs)):
                if not self.measure(job, setting):
                    jobs.remove(job)
                    continue
                print(f"{mode}, {layout}, {threads} threads, repetition {repetition + 1}: {job.tool.name} on {job.reads} "
                      f"reads {job.wall[-1]:.2f} s, {job.cpu[-1]:.2f} s of CPU time", file=sys.stderr)
        self.report_disturbed(jobs)
        checked = self.check_jobs(jobs, setting)
        if not self.args.keep:
            for job in jobs:
                self.remove_output(job)
        return checked

    def compare(self) -> list[Job]:
        reference = self.prepare_reference()
        setting = Setting(reference, self.args.read_length, self.args.max_edits)
        tools = [tool for tool in self.usable(make_tools(self.args.trawl)) if self.build_index(tool, setting)]
        modes = [mode for mode in MODES if mode in self.args.modes.split(",")]
        counts = {START_UP_READS}
        counts |= {self.args.reads_all, self.args.reads_peers_all} if "all" in modes else set()
        counts |= {self.args.reads_best} if "best" in modes else set()
        jobs = []
        for layout in (layout for layout in LAYOUTS if layout in self.args.layouts.split(",")):
            files = {count: self.prepare_reads(reference, layout, count) for count in counts}
            insert = tuple(self.args.insert) if layout == "pairs" else None
            for mode in modes:
                for threads in (int(text) for text in self.args.threads.split(",")):
                    jobs += self.measure_group(mode, layout, threads, tools, files,
                                               dataclasses.replace(setting, insert=insert))
        if self.indexes:
            self.note("Indexes, not counted: " + "; ".join(self.indexes.values()))
        return jobs


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"))
    parser.add_argument("--build", default=str(ROOT / "build/release/bench"),
                        help="folder of trawl-simulate and trawl-check")
    parser.add_argument("--workdir")
    parser.add_argument("--commands", action="store_true",
                        help="print a table of all tools and their command lines, and run nothing")
    parser.add_argument("--reference", type=genomes.reference, help="use this FASTA instead of a simulated chromosome")
    parser.add_argument("--genome-length", type=int, default=100_000_000)
    parser.add_argument("--read-length", type=int, default=100)
    parser.add_argument("--max-edits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--modes", default="all,best")
    parser.add_argument("--layouts", default="single", help="single,pairs; two reads make a pair")
    parser.add_argument("--insert", default="200-600", help="of pairs: the outer distances of mates that fit; those of "
                        "the simulated pairs are 400 on average, with a standard deviation of 50")
    parser.add_argument("--reads-best", type=int, default=1_000_000)
    parser.add_argument("--reads-all", type=int, default=200_000, help="mode all: number of reads for Trawl alone")
    parser.add_argument("--reads-peers-all", type=int, default=20_000, help="mode all: number of reads for every tool")
    parser.add_argument("--threads", default="1", help="for example 1,2")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tools", help="comma-separated list; default: all tools")
    parser.add_argument("--keep", action="store_true", help="keep the SAM files")
    parser.add_argument("-o", "--output", help="write OUTPUT.md and OUTPUT.json")
    args = parser.parse_args()
    for words, known in ((args.modes, MODES), (args.layouts, LAYOUTS)):
        if unknown := set(words.split(",")) - set(known):
            parser.error(f"none of {', '.join(known)}: {', '.join(sorted(unknown))}")
    try:
        shortest, longest = map(int, args.insert.split("-"))
    except ValueError:
        parser.error("--insert takes MIN-MAX")
    args.insert = (shortest, longest)
    if not (args.workdir or args.commands):
        parser.error("--workdir is needed")
    if args.repeats < 1:
        parser.error("--repeats must be at least 1")
    if os.sep in args.trawl:
        args.trawl = str(pathlib.Path(args.trawl).resolve())
    return args


def main() -> int:
    args = parse_arguments()
    if args.commands:
        setting = Setting("REF.fa", args.read_length, args.max_edits)
        print(commands_table(make_tools("trawl"), setting, args.insert), end="")
        return 0
    bench = Bench(args)
    jobs = bench.compare()
    reference = pathlib.Path(args.reference).name if args.reference else f"{args.genome_length:,} simulated bases"
    date = datetime.date.today().isoformat()
    pairs = "pairs with inserts of {}-{}, ".format(*args.insert) if "pairs" in args.layouts else ""
    line = (f"{reference}, reads of {args.read_length}, {pairs}e = {args.max_edits}, seed {args.seed}, medians of "
            f"{args.repeats} alternating repetitions; {processor()}; {date}; trawl {commit()}")
    report = markdown(jobs, line, bench.notes)
    print(report)
    if args.output:
        pathlib.Path(args.output + ".md").write_text(report)
        results = [{"tool": job.tool.name, "mode": job.tool.mode, "layout": job.layout, "threads": job.threads,
                    "reads": job.reads, "distance": job.tool.distance, "wall_s": job.wall, "cpu_s": job.cpu,
                    "others_cpus": job.others, "start_up_s": job.start_up, "start_up_cpu_s": job.start_up_cpu,
                    "reads_per_s": job.median_rate, "trawl_ratio": ratios(job, jobs),
                    "trawl_cpu_ratio": cpu_ratios(job, jobs), "peak_mib": job.peak_mib, "checks": job.checks}
                   for job in jobs]
        record = {"setting": line, "versions": package_versions({job.tool.package for job in jobs}), "notes": bench.notes,
                  "results": results}
        pathlib.Path(args.output + ".json").write_text(json.dumps(record, indent=1) + "\n")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
