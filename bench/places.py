#!/usr/bin/env python3
"""Mapped reads, right places, MAPQ, times and memory of Trawl, bwa mem and minibwa on the same reads, default options.

    bench/places.py --reference chr20 --workdir WORK --pairs 100000 --error-rate 0.02 -o WORK/places
    bench/places.py --reference human133 --workdir WORK --library --mappers trawl,bwa-mem,minibwa,strobealign
    bench/places.py --reference chr20 --workdir WORK --library='--short 1,142-149 --adapters nextera' --single
    bench/places.py --reference chrM.fa --workdir WORK --reads real_1.fq.gz,real_2.fq.gz
    bench/places.py --reference ref.fa --workdir WORK --mappers trawl,whole='build/release/trawl --end-to-end',bwa-mem
    bench/places.py --reference human3g --workdir WORK --clean --library --pairs 1000000 \\
        --mappers trawl,trawl-saved,sorted='build/release/trawl --sort --mark-duplicates',minibwa,strobealign-fasta

Pairs are made by dwgsim, or by trawl-simulate: --clean ones, or those of a --library (faults of real libraries; the table
has a part for each kind of fragment), or both in turn. Or they are given; then no places are known. The mappers run in
turn, --repeats times, and once with few reads: their start. A primary record is right if its first base, clipped ones
counted, is at most --slack bases from the true place. What is missing or fails is left out, and named. WORK/runs.tsv has a
line for each run. See bench/README.md.
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
import time

import genomes
from compare_report import commit, output_of, processor, table
from mappers import ROOT, START_UP_READS, Setting, Tool, chosen_mappers
from workdir import Usage, Workdir

MAPQ_GROUPS = ((0, 0), (1, 9), (10, 19), (20, 29), (30, 39), (40, 49), (50, 59), (60, 255))
FLAG_UNMAPPED, FLAG_SECOND, FLAG_NOT_PRIMARY = 0x4, 0x80, 0x900
JUDGED = 10  # so many wrong records must be expected in a group, or found, before it is called right or not
REFERENCE = "reference.fa"
UNKNOWN = 60  # seconds that the first run of a mapper may take, where there is a --limit
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
    start: float = 0  # CPU and wall seconds with few reads
    start_wall: float = 0
    mib: float = 0
    index: tuple | None = None  # Workdir.index_cost()
    primary: int = 0
    mapped: int = 0
    groups: dict = dataclasses.field(default_factory=lambda: {group: Group() for group in MAPQ_GROUPS})
    kinds: dict = dataclasses.field(default_factory=dict)  # of a library

    @property
    def wrong(self) -> int:
        return sum(group.wrong for group in self.groups.values())

    @property
    def sure(self) -> int:
        return sum(group.records for (first, _), group in self.groups.items() if first >= 20)

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

    def count_table(self, table: str):
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


@dataclasses.dataclass
class Input:
    """Reads, and what each mapper made of them."""
    name: str  # clean, library, dwgsim or given
    what: str
    files: list[str]
    results: dict[str, Result] = dataclasses.field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """By trawl-simulate, so that trawl-check knows the places."""
        return self.name in ("clean", "library")


class Comparison:
    def __init__(self, args):
        self.args = args
        self.end = time.monotonic() + args.limit if args.limit else None
        self.workdir = Workdir(args.workdir)
        self.work = self.workdir.path
        self.left_out = {}
        self.expected = {}  # seconds of the last run of a tool
        self.setting = Setting(REFERENCE, args.read_length, args.read_length // 20, trawl_default=True, threads=args.threads)
        self.copy(args.reference, REFERENCE)
        tools = chosen_mappers(args.mappers)
        self.simulating = []  # while indexes are made
        self.inputs = self.make_inputs()
        self.mappers = [tool for tool in tools if self.prepare(tool)]
        for process, done, identity in self.simulating:
            if process.wait() != 0:
                raise RuntimeError(f"trawl-simulate failed: see log/simulate.log in {self.work}")
            done.write_text(identity)
        self.few = []
        for n, file in enumerate(self.inputs[0].files, 1):
            self.few.append(f"out/few_{n}.fq")
            with open(self.work / file) as lines, open(self.work / self.few[-1], "w") as out:
                out.writelines(itertools.islice(lines, 4 * START_UP_READS))

    def copy(self, given: str, name: str):
        """Plain, for all mappers."""
        with open(given, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        (self.work / name).unlink(missing_ok=True)
        if packed:
            with gzip.open(given, "rb") as file, open(self.work / name, "wb") as out:
                shutil.copyfileobj(file, out)
        else:
            (self.work / name).symlink_to(pathlib.Path(given).resolve())

    def make_inputs(self) -> list[Input]:
        args = self.args
        if args.reads:
            given = args.reads.split(",")
            for n, file in enumerate(given, 1):
                self.copy(file, f"out/reads_{n}.fq")
            return [Input("given", f"reads {args.reads}", [f"out/reads_{n}.fq" for n in range(1, len(given) + 1)])]
        amount = f"{args.pairs:,} {'reads' if args.single else 'pairs'}"
        inputs = []
        if args.clean:
            inputs.append(Input("clean", f"{amount} of trawl-simulate pairs", ["out/clean_1.fq", "out/clean_2.fq"]))
            self.simulate("pairs", inputs[-1], "--qualities")
        if args.library is not None:
            files = ["out/reads_1.fq"] if args.single else ["out/reads_1.fq", "out/reads_2.fq"]
            inputs.append(Input("library", f"{amount} of a library{args.library and ' (' + args.library + ')'}", files))
            self.simulate("library", inputs[-1], "--vcf", "out/donor.vcf", *shlex.split(args.library))
        if not inputs:
            inputs.append(Input("dwgsim", f"{amount} with {100 * args.error_rate:g}% errors", ["out/reads_1.fq", "out/reads_2.fq"]))
            self.run(["dwgsim", "-z", args.seed, "-N", args.pairs, "-e", args.error_rate, "-E", args.error_rate,
                      "-r", args.mutation_rate, "-y", 0, "-1", args.read_length, "-2", args.read_length, "-d", 500,
                      "-s", 50, "-o", 1, REFERENCE, "out/sim"], "simulate.log")
            for n, file in enumerate(inputs[0].files, 1):
                self.copy(str(self.work / f"out/sim.bwa.read{n}.fastq.gz"), file)
        return inputs

    def simulate(self, mode: str, made: Input, *options):
        """Unless the same reads are here."""
        args = self.args
        command = [args.simulate, mode, REFERENCE, args.pairs, args.read_length, args.seed, *made.files, *options]
        done = self.work / f"out/{made.name}.done"
        identity = f"{args.reference}\n{' '.join(map(str, command))}\n"
        if not done.exists() or done.read_text() != identity:
            print(*command, file=sys.stderr)
            with open(self.work / "log/simulate.log", "ab") as log:
                process = subprocess.Popen(list(map(str, command)), cwd=self.work, stdout=log, stderr=log)
            self.simulating.append((process, done, identity))

    def run(self, command: list, log: str, limit: float | None = None) -> Usage:
        print(*command, file=sys.stderr)
        return self.workdir.run(command, log, limit)

    def prepare(self, tool: Tool) -> bool:
        """Whether its program is here and its index is, or can be, made."""
        memory = tool.index_memory * (self.work / REFERENCE).stat().st_size / 1e9
        if shutil.which(tool.program) is None:
            self.leave_out(tool, f"no {tool.program} here ({tool.origin})")
        elif tool.index is not None and memory > self.args.memory and \
                not self.workdir.has_index(tool, self.setting, self.args.reference):
            self.leave_out(tool, f"to make its index takes about {memory:.0f} GB of memory")
        else:
            limit = min(self.args.index_limit, max(1, self.end - time.monotonic()) if self.end else self.args.index_limit)
            try:
                self.workdir.build_index(tool, self.setting, self.args.reference, limit)
            except (OSError, RuntimeError) as error:
                self.leave_out(tool, f"its index was not made within {limit:.0f} s: {error}")
        return tool.name not in self.left_out

    def leave_out(self, tool: Tool, reason: str):
        self.left_out[tool.name] = reason
        print(f"{tool.name} left out: {reason}", file=sys.stderr)

    def compare(self):
        for made in self.inputs:
            made.results = {tool.name: Result(index=self.workdir.index_cost(tool)) for tool in self.mappers}
        for _ in range(self.args.repeats):
            for made in self.inputs:
                for tool in self.mappers:
                    if usage := self.map(tool, made.name, made.files):
                        result = made.results[tool.name]
                        result.cpu.append(usage.cpu)
                        result.wall.append(usage.wall)
                        result.mib = max(result.mib, usage.peak_mib)
        for tool in self.mappers:
            if usage := self.map(tool, "few", self.few):
                for made in self.inputs:
                    made.results[tool.name].start, made.results[tool.name].start_wall = usage.cpu, usage.wall
        for made in self.inputs:
            made.results = {name: result for name, result in made.results.items() if result.cpu}
        self.count()

    def map(self, tool: Tool, reads: str, files: list[str]) -> Usage | None:
        """None if it failed before, or if no time is left."""
        others = [seconds for (name, _), seconds in self.expected.items() if name == tool.name]
        longest = self.expected.get((tool.name, reads), max(others, default=UNKNOWN))
        if tool.name in self.left_out or (self.end and time.monotonic() + longest > self.end):
            return None
        command = tool.map(self.setting, files, str(self.output(tool, reads)), self.args.threads)
        try:
            usage = self.run(command, f"{tool.name}.log")
        except RuntimeError as error:
            self.leave_out(tool, str(error))
            return None
        self.expected[tool.name, reads] = usage.wall
        with open(self.work / "runs.tsv", "a") as out:
            out.write(f"{tool.name}\t{reads}\t{usage.wall:.3f}\t{usage.cpu:.2f}\t{usage.peak_mib:.0f}\t{usage.others:.2f}\n")
        return usage

    def output(self, tool: Tool, reads: str) -> pathlib.Path:
        return self.work / f"out/{reads}.{tool.name}.{tool.suffix}"

    def count(self):
        """The records of all: with trawl-check at the same time."""
        checks = []
        for made in self.inputs:
            for tool in self.mappers:
                if tool.suffix != "sam" or tool.name not in made.results:
                    continue
                if made.simulated:
                    judge = [self.args.check, "truth", self.output(tool, made.name), "--counts", "--slack", str(self.args.slack)]
                    checks.append((made.results[tool.name], subprocess.Popen(judge, stdout=subprocess.PIPE, text=True)))
                else:
                    made.results[tool.name].count(self.output(tool, made.name),
                                                  None if made.name == "given" else self.args.slack)
        for result, check in checks:
            result.count_table(check.communicate()[0])
            if check.returncode != 0:
                raise RuntimeError("trawl-check truth failed")


def markdown(comparison: Comparison) -> str:
    args = comparison.args
    lines = [f"{pathlib.Path(args.reference).name}; {args.threads} threads, {processor()}; "
             f"{datetime.date.today().isoformat()}; bench of {commit()}"]
    for made in comparison.inputs:
        if made.results:
            lines += ["", f"## {made.what}, 2 x {args.read_length} bases, seed {args.seed}" if not args.reads else made.what, "",
                      *times_table(made), *([] if made.name == "given" else places_tables(made))]
    lines += [""] + [f"{name} left out: {reason}" for name, reason in comparison.left_out.items()]
    programs = [f"{tool.name}: {output_of(tool.program, '--version')} ({tool.program})" for tool in comparison.mappers]
    return "\n".join([*lines, "", "Programs: " + "; ".join(programs)]) + "\n"


def times_table(made: Input) -> list[str]:
    """Whole commands, from the FASTA or from a saved index; the median of the runs."""
    first = statistics.median(next(iter(made.results.values())).cpu)
    rows = []

    def share(result: Result, count: int, digits: int) -> str:
        return f"{100 * count / result.primary:.{digits}f}" if result.primary else ""

    for name, result in made.results.items():
        wall, cpu, mib, size = result.index or (0, 0, 0, 0)
        rows.append([name, f"index: {wall:.0f} s, {cpu:.0f} CPU s, {mib:,} MiB; {size / 1e9:.2f} GB" if result.index else "FASTA",
                     f"{result.start_wall:.2f}; {result.start:.2f}" if result.start_wall else "", f"{statistics.median(result.wall):.2f}",
                     f"{statistics.median(result.cpu):.2f}", f"{statistics.median(result.cpu) / first:.2f}",
                     f"{result.mib:,.0f}", share(result, result.mapped, 3), *(
                         ["", "", "", ""] if made.name == "given" or not result.primary else
                         [share(result, result.mapped - result.wrong, 4), f"{result.wrong:,}", share(result, result.sure, 3),
                          f"{result.sure_wrong:,}"]), str(len(result.cpu))])
    return table(["", "start", f"{START_UP_READS} reads: wall; CPU s", "wall s", "CPU s", "times the first one's", "MiB", "mapped %",
                  "right %", "wrong", "MAPQ >= 20 %", "wrong there", "runs"], rows)


def places_tables(made: Input) -> list[str]:
    counted = {name: result for name, result in made.results.items() if result.primary}
    lines = []
    if made.name == "library":
        rows = [[kind, name, *(f"{number:,}" for number in dataclasses.astuple(result.kinds.get(kind, Kind())))]
                for kind in (*KINDS, "all") for name, result in counted.items()]
        lines += ["", *table(["kind", "", "reads", "mapped", "proper", "right", "MAPQ >= 40", "wrong at MAPQ >= 20", "at 60"],
                             rows)]
    rows = [[f"{first}-{last}", *("{0.records:,}: {0.wrong:,} / {0.expected:.1f}, {0.verdict}".format(result.groups[first, last])
                                  for result in counted.values())] for first, last in MAPQ_GROUPS[1:]]
    return [*lines, "", "Records: wrong / expected from MAPQ; is it within a factor of 2?", "",
            *table(["MAPQ", *counted], rows)]


def memory_gb() -> float:
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) / 1e6


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=genomes.reference, required=True, help="FASTA, plain or gzip")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--mappers", default="trawl,bwa-mem,minibwa",
                        help="names of mappers.py, or 'NAME=PATH OPTIONS' for a trawl, and then NAME-saved for the same from a "
                             "saved index; strobealign-fasta and minimap2-fasta have no saved one, bwa-mem3 "
                             "is the Python package; default: %(default)s")
    parser.add_argument("--reads", help="given reads, one file, or two with a comma between; default: of dwgsim")
    parser.add_argument("--clean", action="store_true", help="pairs of trawl-simulate pairs")
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
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="start no run that would end after so many; a mapper's first one may take 60")
    parser.add_argument("--index-limit", type=float, metavar="SECONDS", default=7200, help="for one index; default: %(default)g")
    parser.add_argument("--memory", type=float, metavar="GB", default=memory_gb(),
                        help="leave out a mapper whose index takes more to make; default: what is free, %(default).0f")
    for option, program in ("--simulate", "trawl-simulate"), ("--check", "trawl-check"):
        parser.add_argument(option, default=str(ROOT / "build/release/bench" / program),
                            help=f"{program}, for --clean and --library; default: %(default)s")
    parser.add_argument("-o", "--output", help="write OUTPUT.md and OUTPUT.json")
    args = parser.parse_args()
    if args.reads and (args.clean or args.library is not None):
        parser.error("--reads are given, --clean and --library make reads")
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
        comparison.compare()
    except (OSError, RuntimeError) as error:
        sys.exit(f"places.py: {error}")
    report = markdown(comparison)
    print(report)
    if args.output:
        pathlib.Path(args.output + ".md").write_text(report)
        data = {made.name: {name: dataclasses.asdict(result) | {
            "groups": [{"mapq": group, **dataclasses.asdict(counts)} for group, counts in result.groups.items()]}
            for name, result in made.results.items()} for made in comparison.inputs}
        pathlib.Path(args.output + ".json").write_text(json.dumps(data, indent=1) + "\n")
    if not any(made.results for made in comparison.inputs):
        sys.exit("places.py: nothing was run, for --limit is too short, or all are left out: " + "; ".join(comparison.left_out))


if __name__ == "__main__":
    main()
