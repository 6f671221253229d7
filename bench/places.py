#!/usr/bin/env python3
"""Mapped reads, right places, MAPQ and times of Trawl, bwa mem and minibwa on the same reads, default options.

    bench/places.py --reference chr20 --workdir WORK --pairs 100000 --error-rate 0.02 -o WORK/places
    bench/places.py --reference human133 --workdir WORK --library --mappers trawl,bwa-mem,minibwa,strobealign
    bench/places.py --reference chr20 --workdir WORK --library='--short 1,142-149 --adapters nextera' --single
    bench/places.py --reference chrM.fa --workdir WORK --reads real_1.fq.gz,real_2.fq.gz
    bench/places.py --reference ref.fa --workdir WORK --mappers trawl,whole='build/release/trawl --end-to-end',bwa-mem

Pairs are made by dwgsim, or, with --library, by trawl-simulate library (faults of real libraries; the table has a part for
each kind of fragment), or given; of given ones no places are known. The mappers run in turn, --repeats times, and once
with few reads: their start. A primary record is right if its first base, clipped ones counted, is at most --slack bases
from the true place. See bench/README.md.
"""

import argparse
import dataclasses
import datetime
import gzip
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys

import genomes
from compare_report import commit, output_of, processor
from mappers import ROOT, START_UP_READS, Setting, Tool, chosen_mappers
from workdir import Usage, Workdir

MAPQ_GROUPS = ((0, 0), (1, 9), (10, 19), (20, 29), (30, 39), (40, 49), (50, 59), (60, 255))
FLAG_UNMAPPED, FLAG_SECOND, FLAG_NOT_PRIMARY = 0x4, 0x80, 0x900
JUDGED = 10  # so many wrong records must be expected in a group, or found, before it is called right or not
REFERENCE = "reference.fa"
KINDS = ("long", "short", "tiny", "chimera")  # of a library


@dataclasses.dataclass
class Group:
    """Primary records of a range of MAPQ."""
    records: int = 0
    wrong: int = 0
    expected: float = 0

    @property
    def verdict(self) -> str:
        if max(self.wrong, self.expected) < JUDGED:
            return "few"
        return "yes" if self.expected / 2 <= self.wrong <= 2 * self.expected else "no"


@dataclasses.dataclass
class Kind:
    """Reads of one kind of fragment."""
    reads: int = 0
    mapped: int = 0
    proper: int = 0
    right: int = 0
    sure: int = 0  # MAPQ >= 40
    wrong_20: int = 0  # at MAPQ >= 20
    wrong_60: int = 0

    def add(self, mapq: int | None, reads: int, proper: int, wrong: int):
        """mapq: None of unmapped ones."""
        self.reads += reads
        if mapq is not None:
            self.mapped += reads
            self.proper += proper
            self.right += reads - wrong
            self.sure += reads if mapq >= 40 else 0
            self.wrong_20 += wrong if mapq >= 20 else 0
            self.wrong_60 += wrong if mapq >= 60 else 0


@dataclasses.dataclass
class Result:
    cpu: list = dataclasses.field(default_factory=list)
    wall: list = dataclasses.field(default_factory=list)
    start: float = 0
    mib: float = 0
    primary: int = 0
    mapped: int = 0
    groups: dict = dataclasses.field(default_factory=lambda: {group: Group() for group in MAPQ_GROUPS})
    kinds: dict = dataclasses.field(default_factory=dict)  # of a library

    @property
    def wrong(self) -> int:
        return sum(group.wrong for group in self.groups.values())

    @property
    def sure_wrong(self) -> int:
        return sum(group.wrong for (first, _), group in self.groups.items() if first >= 20)

    def count(self, path: pathlib.Path, slack: int | None):
        """slack: None if no places are known."""
        with open(path) as lines:
            for line in lines:
                if line.startswith("@"):
                    continue
                name, flag, contig, position, mapq, cigar = line.split("\t", 6)[:6]
                flag, mapq = int(flag), int(mapq)
                if flag & FLAG_NOT_PRIMARY:
                    continue
                self.primary += 1
                if flag & FLAG_UNMAPPED:
                    continue
                wrong = False
                if slack is not None:
                    true_contig, true_position = true_place(name, 2 if flag & FLAG_SECOND else 1)
                    wrong = contig != true_contig or abs(first_base(position, cigar) - true_position) > slack
                self.add_mapped(mapq, 1, wrong)

    def add_mapped(self, mapq: int, records: int, wrong: int):
        self.mapped += records
        group = self.groups[next(g for g in MAPQ_GROUPS if g[0] <= mapq <= g[1])]
        group.records += records
        group.expected += records * 10 ** (-mapq / 10)
        group.wrong += wrong

    def count_library(self, table: str):
        """The table of trawl-check truth --counts."""
        for line in table.splitlines()[1:]:
            kind, mapq, *numbers = line.split("\t")
            reads, proper, wrong = map(int, numbers)
            quality = None if mapq == "-" else int(mapq)
            for name in (kind, "all"):
                self.kinds.setdefault(name, Kind()).add(quality, reads, proper, wrong)
            self.primary += reads
            if quality is not None:
                self.add_mapped(quality, reads, wrong)


def first_base(position: str, cigar: str) -> int:
    """Where the read would begin if its clipped bases were aligned, too: first_base("100", "9S141M") == 91"""
    clip = re.match(r"(\d+)[SH]", cigar)
    return int(position) - (int(clip[1]) if clip else 0)


def true_place(name: str, mate: int) -> tuple[str, int]:
    """Of a read of dwgsim: true_place("chr_1_500_800_0_1_0_0_0:0:0_0:0:0_a", 2) == ("chr_1", 800)"""
    contig, first, second, *_ = name.rsplit("_", 9)
    return contig, int(second if mate == 2 else first)


class Comparison:
    def __init__(self, args):
        self.args = args
        self.workdir = Workdir(args.workdir)
        self.work = self.workdir.path
        self.mappers = chosen_mappers(args.mappers)
        needed = [tool.program for tool in self.mappers]
        needed += [] if args.reads else ["dwgsim"] if args.library is None else [args.simulate, args.check]
        if missing := [program for program in needed if shutil.which(program) is None]:
            sys.exit(f"places.py: not found: {', '.join(missing)}")
        self.setting = Setting(REFERENCE, args.read_length, args.read_length // 20, trawl_default=True)
        self.copy(args.reference, REFERENCE)
        self.files = self.make_reads()
        self.few = [f"out/few_{n}.fq" for n in range(1, len(self.files) + 1)]
        for file, few in zip(self.files, self.few):
            with open(self.work / file) as lines, open(self.work / few, "w") as out:
                out.writelines(itertools.islice(lines, 4 * START_UP_READS))

    def copy(self, given: str, name: str):
        """A plain copy, for all mappers."""
        with open(given, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with (gzip.open if packed else open)(given, "rb") as file, open(self.work / name, "wb") as out:
            shutil.copyfileobj(file, out)

    def make_reads(self) -> list[str]:
        args = self.args
        if args.reads:
            given = args.reads.split(",")
            for n, file in enumerate(given, 1):
                self.copy(file, f"out/reads_{n}.fq")
            return [f"out/reads_{n}.fq" for n in range(1, len(given) + 1)]
        if args.library is not None:
            files = ["out/reads_1.fq"] if args.single else ["out/reads_1.fq", "out/reads_2.fq"]
            self.run([args.simulate, "library", REFERENCE, args.pairs, args.read_length, args.seed, *files, "--vcf",
                      "out/donor.vcf", *shlex.split(args.library)], "simulate.log")
            return files
        self.run(["dwgsim", "-z", args.seed, "-N", args.pairs, "-e", args.error_rate, "-E", args.error_rate,
                     "-r", args.mutation_rate, "-y", 0, "-1", args.read_length, "-2", args.read_length, "-d", 500, "-s", 50,
                     "-o", 1, REFERENCE, "out/sim"], "simulate.log")
        for n in (1, 2):
            self.copy(str(self.work / f"out/sim.bwa.read{n}.fastq.gz"), f"out/reads_{n}.fq")
        return ["out/reads_1.fq", "out/reads_2.fq"]

    def run(self, command: list, log: str) -> Usage:
        print(*command, file=sys.stderr)
        return self.workdir.run(command, log)

    def compare(self) -> dict[str, Result]:
        for tool in self.mappers:
            self.workdir.build_index(tool, self.setting, self.args.reference)
        results = {tool.name: Result() for tool in self.mappers}
        for repeat in range(self.args.repeats):
            for tool in self.mappers:
                usage = self.map(tool, self.files)
                results[tool.name].cpu.append(usage.cpu)
                results[tool.name].wall.append(usage.wall)
                results[tool.name].mib = max(results[tool.name].mib, usage.peak_mib)
                if repeat == 0:
                    self.count(tool, results[tool.name])
                    results[tool.name].start = self.map(tool, self.few).cpu
        return results

    def count(self, tool: Tool, result: Result):
        if self.args.library is None:
            result.count(self.output(tool), None if self.args.reads else self.args.slack)
        else:
            judge = [self.args.check, "truth", self.output(tool), "--counts", "--slack", str(self.args.slack)]
            result.count_library(subprocess.run(judge, check=True, capture_output=True, text=True).stdout)

    def output(self, tool: Tool) -> pathlib.Path:
        return self.work / f"out/{tool.name}.sam"

    def map(self, tool: Tool, files: list[str]) -> Usage:
        output = self.output(tool) if files is self.files else self.work / "out/few.sam"
        return self.run(tool.map(self.setting, files, str(output), self.args.threads), f"{tool.name}.log")


def markdown(comparison: Comparison, results: dict[str, Result]) -> str:
    args = comparison.args
    reads = (f"reads {args.reads}" if args.reads else
             f"{args.pairs:,} {'reads' if args.single else 'pairs'} of a library of {args.read_length} bases"
             f"{args.library and ' (' + args.library + ')'}, seed {args.seed}" if args.library is not None else
             f"{args.pairs:,} pairs of 2 x {args.read_length}, {100 * args.error_rate:g}% errors, seed {args.seed}")
    lines = [f"{pathlib.Path(args.reference).name}, {reads}; {args.threads} threads, {processor()}; "
             f"{datetime.date.today().isoformat()}; bench of {commit()}", "",
             "| | " + " | ".join(results) + " |", "|---|" + "---:|" * len(results)]

    def row(title: str, text):
        lines.append(f"| {title} | " + " | ".join(text(result) for result in results.values()) + " |")

    first = statistics.median(next(iter(results.values())).cpu)
    row("mapped", lambda r: f"{100 * r.mapped / max(1, r.primary):.3f}%")
    if not args.reads:
        row("right places", lambda r: f"{100 * (r.mapped - r.wrong) / max(1, r.primary):.4f}%")
        row("wrong", lambda r: f"{r.wrong:,}")
        row("wrong with MAPQ >= 20", lambda r: f"{r.sure_wrong:,}")
    row("CPU seconds, median", lambda r: f"{statistics.median(r.cpu):.2f}")
    row("wall seconds, median", lambda r: f"{statistics.median(r.wall):.2f}")
    row(f"CPU seconds with {START_UP_READS} reads", lambda r: f"{r.start:.2f}")
    row("MiB", lambda r: f"{r.mib:,.0f}")
    row("times the first one's", lambda r: f"{statistics.median(r.cpu) / first:.2f}")
    if args.library is not None:
        lines += ["", "| kind | | reads | mapped | proper | right | MAPQ >= 40 | wrong at MAPQ >= 20 | at 60 |",
                  "|---|---|" + "---:|" * 7]
        for kind in (*KINDS, "all"):
            for name, result in results.items():
                numbers = dataclasses.astuple(result.kinds.get(kind, Kind()))
                lines.append(f"| {kind} | {name} | " + " | ".join(f"{number:,}" for number in numbers) + " |")
    if not args.reads:
        lines += ["", "Records: wrong / expected from MAPQ; is it within a factor of 2?", "",
                  "| MAPQ | " + " | ".join(results) + " |", "|---|" + "---:|" * len(results)]
        for group in MAPQ_GROUPS[1:]:
            row(f"{group[0]}-{group[1]}", lambda r: "{0.records:,}: {0.wrong:,} / {0.expected:.1f}, {0.verdict}".format(
                r.groups[group]))
    programs = [f"{tool.name}: {output_of(tool.program, '--version')} ({tool.program})" for tool in comparison.mappers]
    return "\n".join([*lines, "", "Programs: " + "; ".join(programs)]) + "\n"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=genomes.reference, required=True, help="FASTA, plain or gzip")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--mappers", default="trawl,bwa-mem,minibwa",
                        help="names of mappers.py, or 'NAME=PATH OPTIONS' for a trawl; default: %(default)s")
    parser.add_argument("--reads", help="given reads, one file, or two with a comma between; default: of dwgsim")
    parser.add_argument("--library", nargs="?", const="", metavar="OPTIONS",
                        help="reads of trawl-simulate library, with these of its options (--library='--short 0.2')")
    parser.add_argument("--single", action="store_true", help="of the library: the first mates only")
    parser.add_argument("--pairs", type=int, default=100_000, help="how many are made; default: %(default)s")
    parser.add_argument("--seed", type=int, default=5, help="of what makes them; default: %(default)s")
    parser.add_argument("--error-rate", type=float, default=0.005, help="of dwgsim; default: %(default)s")
    parser.add_argument("--mutation-rate", type=float, default=0.001, help="of dwgsim; default: %(default)s")
    parser.add_argument("--read-length", type=int, default=150)
    parser.add_argument("--slack", type=int, default=60, help="bases from the true place; default: %(default)s")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    for option, program in ("--simulate", "trawl-simulate"), ("--check", "trawl-check"):
        parser.add_argument(option, default=str(ROOT / "build/release/bench" / program),
                            help=f"{program}, for --library; default: %(default)s")
    parser.add_argument("-o", "--output", help="write OUTPUT.md and OUTPUT.json")
    args = parser.parse_args()
    if args.reads and args.library is not None:
        parser.error("--reads are given, --library makes reads")
    if args.single and args.library is None:
        parser.error("--single goes with --library")
    for name in "simulate", "check":  # they run in the workdir
        if os.sep in getattr(args, name):
            setattr(args, name, str(pathlib.Path(getattr(args, name)).resolve()))
    return args


def main():
    args = parse_arguments()
    try:
        comparison = Comparison(args)
        results = comparison.compare()
    except RuntimeError as error:
        sys.exit(f"places.py: {error}")
    report = markdown(comparison, results)
    print(report)
    if args.output:
        pathlib.Path(args.output + ".md").write_text(report)
        data = {name: dataclasses.asdict(result) | {"groups": [{"mapq": group, **dataclasses.asdict(counts)}
                                                               for group, counts in result.groups.items()]}
                for name, result in results.items()}
        pathlib.Path(args.output + ".json").write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
