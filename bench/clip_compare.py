#!/usr/bin/env python3
"""Trawl with clipped ends beside bwa mem: real reads, right places of simulated ones, and what clipping costs.

    bench/clip_compare.py real --reference lambda.fa --reads 1.fq,2.fq --workdir WORK -o WORK/real
    bench/clip_compare.py places --reference chr1.fa --workdir WORK -o WORK/places
    bench/clip_compare.py cost --reference chr1.fa --workdir WORK -o WORK/cost

real: the share of reads that each maps, and the reads on which they differ while one of them is sure (MAPQ >= 20): one
does not map the read, or the places are more than 20 bases apart. A sample of these is printed, with both records. If
only bwa mem maps a read, its record says why: it leaves out more bases than N, or has more edits than e.
places: reads of trawl-simulate with adapters, chimeras, indels and bad tails; trawl-check truth of both mappers.
cost: `best` with and without clipped ends, in alternating runs: of reads of which some need clipping, and of reads that
all map from end to end. See bench/README.md.
"""

import argparse
import dataclasses
import datetime
import fractions
import json
import math
import os
import pathlib
import random
import re
import shlex
import statistics
import subprocess
import sys

import genomes
from compare_report import ROOT, commit, package_versions, processor
from machine_load import disturbed, run_measured
from mappers import Setting, Tool, make_tools

GOOD_MAPQ = 20
SLACK = 20  # bases between two places that count as one
# Shares of reads: 10% adapters, 1% chimeras, 0.5% indels of 10 to 40 bases.
ARTEFACTS = ["--adapters", "0.1,0-45", "--chimeras", "0.01", "--indels", "0.005,10-40"]
NEED_CLIPPING = ["--adapters", "0.08,10-45"]
FLAG_UNMAPPED, FLAG_REVERSE, FLAG_SECOND, FLAG_NOT_PRIMARY = 0x4, 0x10, 0x80, 0x900


@dataclasses.dataclass
class Record:
    """The primary record of a read."""
    text: str  # the line
    flag: int
    contig: str
    start: int  # where the read would begin if its clipped bases were aligned, too
    mapq: int

    @property
    def mapped(self) -> bool:
        return not self.flag & FLAG_UNMAPPED

    @property
    def sure(self) -> bool:
        return self.mapped and self.mapq >= GOOD_MAPQ

    def is_near(self, other: "Record") -> bool:
        return (self.contig == other.contig and abs(self.start - other.start) <= SLACK
                and (self.flag ^ other.flag) & FLAG_REVERSE == 0)


def read_sam(path: pathlib.Path) -> dict[tuple[str, bool], Record]:
    """The primary records by name, and whether it is the second mate."""
    records = {}
    with open(path) as lines:
        for line in lines:
            if line.startswith("@"):
                continue
            fields = line.rstrip("\n").split("\t")
            flag = int(fields[1])
            if flag & FLAG_NOT_PRIMARY:
                continue
            clip = re.match(r"(\d+)[SH]", fields[5])
            records[fields[0], bool(flag & FLAG_SECOND)] = Record(
                "\t".join(fields), flag, fields[2], int(fields[3]) - (int(clip[1]) if clip else 0), int(fields[4]))
    return records


def unmapped_names(path: pathlib.Path) -> set[str]:
    with open(path) as lines:
        fields = (line.split("\t", 2) for line in lines if not line.startswith("@"))
        return {name for name, flag, _ in fields if int(flag) & FLAG_UNMAPPED}


def difference(trawl: Record, other: Record, name: str) -> str:
    """How two records of a read differ; empty if they do not, or if neither is sure."""
    if trawl.sure and not other.mapped:
        return "only Trawl maps it"
    if other.sure and not trawl.mapped:
        return f"only {name} maps it"
    if trawl.mapped and other.mapped and (trawl.sure or other.sure) and not trawl.is_near(other):
        who = "both" if trawl.sure and other.sure else "Trawl" if trawl.sure else name
        return f"other places, {who} sure"
    return ""


def of_length(rule: str, bases: int) -> int:
    """What N or N% of so many bases is."""
    return math.floor(bases * fractions.Fraction(rule[:-1]) / 100) if rule.endswith("%") else int(rule)


def reason(other: Record, max_edits: str, clip: str, name: str) -> str:
    """Why a read that only the other mapper maps is not mapped, by the other's record."""
    fields = other.text.split("\t")
    bases = {operation: 0 for operation in "MIDNSHP=X"}
    for length, operation in re.findall(r"(\d+)([A-Z=])", fields[5]):
        bases[operation] += int(length)
    clipped = bases["S"] + bases["H"]
    aligned = bases["M"] + bases["I"] + bases["="] + bases["X"]
    edits = next((int(field[5:]) for field in fields[11:] if field.startswith("NM:i:")), 0)
    most_clipped = min(of_length(clip, clipped + aligned), (clipped + aligned - 1) // 2)
    reasons = [f"{name} leaves out more than N bases"] if clipped > most_clipped else []
    reasons += [f"{name} has more than e edits"] if edits > of_length(max_edits, aligned) else []
    return " and ".join(reasons) or f"{name}'s piece is allowed, but not found"


class Comparison:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.workdir).resolve()
        for folder in ("index", "out", "log"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)
        self.reference = str(pathlib.Path(args.reference).resolve())
        self.setting = Setting(self.reference, args.read_length, args.max_edits)
        self.commands = []
        options = shlex.split(args.clip_options)
        self.clip = "0" if "--end-to-end" in options else "49%"  # of --clip auto
        if "--clip" in options:
            self.clip = options[options.index("--clip") + 1]
        self.trawl = self.tool("trawl", options)
        self.other = self.tool("bwa-mem")

    def tool(self, name: str, options: list | None = None) -> Tool:
        return next(tool for tool in make_tools(self.args.trawl, options or [])
                    if (tool.name, tool.mode) == (name, "best"))

    def program(self, name: str) -> str:
        return str(pathlib.Path(self.args.build).resolve() / name)

    def run(self, command: list, log: str, output: str | None = None):
        """Runs a command in the workdir; its standard output goes to a file. Returns what it used."""
        words = [str(word) for word in command]
        text = shlex.join(words) + (f" > {output}" if output else "")
        if text not in self.commands:
            self.commands.append(text)
        print(text, file=sys.stderr)
        with open(self.work / "log" / log, "wb") as log_file, \
                open(self.work / output if output else os.devnull, "wb") as out:
            usage = run_measured(words, cwd=self.work, stdin=subprocess.DEVNULL, stdout=out, stderr=log_file)
        if usage.status != 0:
            tail = (self.work / "log" / log).read_text(errors="replace").strip().splitlines()[-3:]
            sys.exit(f"clip_compare.py: exit status {usage.status}: {text}\n" + "\n".join(tail))
        return usage

    def build_index(self):
        done = self.work / "index/bwa.done"
        if not done.exists() or done.read_text() != self.reference:
            self.run(self.other.index(self.setting), "index.log")
            done.write_text(self.reference)

    def map(self, tool: Tool, reads: list, output: str):
        return self.run(tool.map(self.setting, reads, output, self.args.threads), f"{tool.name}.log")

    def simulate(self, output: str, count: int, *options):
        self.run([self.program("trawl-simulate"), "reads", self.reference, count, self.args.read_length,
                  self.args.seed, "--qualities", *options], "simulate.log", output)

    # ---- real reads ----

    def real(self) -> tuple[list[str], dict]:
        self.build_index()
        reads = [str(pathlib.Path(path).resolve()) for path in self.args.reads.split(",")]
        records = []
        for tool in (self.trawl, self.other):
            self.map(tool, reads, f"out/real.{tool.name}.sam")
            records.append(read_sam(self.work / f"out/real.{tool.name}.sam"))
        ours, theirs = records
        if ours.keys() != theirs.keys():
            sys.exit("clip_compare.py: the two outputs do not have the same reads")
        kinds: dict[str, list] = {}
        for key in ours:
            if kind := difference(ours[key], theirs[key], self.other.name):
                if not ours[key].mapped:
                    kind += ": " + reason(theirs[key], self.args.max_edits, self.clip, self.other.name)
                kinds.setdefault(kind, []).append(key)
        counts = {"reads": len(ours), "mapped": {}, "sure": {}, "differ": {k: len(v) for k, v in kinds.items()}}
        lines = ["| mapper | reads | mapped | mapped % | MAPQ >= 20 |", "|---|---:|---:|---:|---:|"]
        for tool, of_tool in ((self.trawl, ours), (self.other, theirs)):
            mapped = sum(record.mapped for record in of_tool.values())
            sure = sum(record.sure for record in of_tool.values())
            counts["mapped"][tool.name], counts["sure"][tool.name] = mapped, sure
            lines.append(f"| {tool.name} | {len(of_tool):,} | {mapped:,} | {100 * mapped / max(1, len(of_tool)):.3f} | "
                         f"{sure:,} |")
        lines += ["", "| one of them is sure, and they differ | reads |", "|---|---:|"]
        lines += [f"| {kind} | {len(keys):,} |" for kind, keys in sorted(kinds.items())]
        differing = [(kind, key) for kind, keys in sorted(kinds.items()) for key in keys]
        sample = sorted(random.Random(self.args.seed).sample(differing, min(self.args.sample, len(differing))))
        lines += ["", f"{len(sample)} of them, by chance:", ""]
        for kind, key in sample:
            lines += [f"    {kind}", f"    trawl: {ours[key].text}", f"    {self.other.name}: {theirs[key].text}", ""]
        if self.args.output:
            rows = ("\t".join((kind, ours[key].text.replace("\t", " "), theirs[key].text.replace("\t", " "))) + "\n"
                    for kind, key in differing)
            pathlib.Path(self.args.output + ".tsv").write_text("".join(rows))
        return lines, counts

    # ---- right places ----

    def places(self) -> tuple[list[str], dict]:
        self.build_index()
        self.simulate("out/places.fq", self.args.count, *ARTEFACTS)
        tables = {}
        for tool in (self.trawl, self.other):
            self.map(tool, ["out/places.fq"], f"out/places.{tool.name}.sam")
            done = subprocess.run([self.program("trawl-check"), "truth", f"out/places.{tool.name}.sam", "--slack",
                                   str(SLACK)], cwd=self.work, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"clip_compare.py: trawl-check truth: {done.stderr}")
            rows = [line.split("\t") for line in done.stdout.splitlines()]
            head = next(row for row in rows if row[0] == "kind")
            kinds = {"all": dict(row for row in rows if len(row) == 2)}
            kinds |= {row[0]: dict(zip(head, row)) for row in rows if len(row) == len(head) and row != head}
            tables[tool.name] = {kind: [row[name] for name in ("reads", "mapped", "right", "MAPQ >= 20", "wrong of them")]
                                 for kind, row in kinds.items()}
        lines = ["| reads | mapper | reads | mapped | right | MAPQ >= 20 | wrong of these |", "|---|---|" + "---:|" * 5]
        for kind in tables[self.trawl.name]:
            for name, table in tables.items():
                lines.append(f"| {kind} | {name} | " + " | ".join(f"{int(n):,}" for n in table[kind]) + " |")
        return lines, tables

    # ---- cost ----

    def cost(self) -> tuple[list[str], dict]:
        whole = self.tool("trawl", ["--end-to-end"])
        results = {}
        notes = []
        lines = ["| reads | | unmapped | wall s, in order | reads/s (median) | times as fast as without clipping | "
                 "CPU s, in order | the same, by CPU |", "|---|---|---:|---|---:|---:|---|---:|"]
        for what, options in (("some need clipping", NEED_CLIPPING), ("all map from end to end", [])):
            reads = self.make_cost_reads(whole, options)
            count = sum(1 for _ in open(self.work / reads)) // 4
            walls = {"without": [], "with": []}
            cpus = {"without": [], "with": []}
            others = []
            unmapped = {}
            for round_number in range(self.args.repeats):
                order = [("without", whole), ("with", self.trawl)]
                for name, tool in order if round_number % 2 == 0 else reversed(order):
                    os.sync()
                    usage = self.map(tool, [reads], "out/cost.sam")
                    walls[name].append(usage.wall)
                    cpus[name].append(usage.cpu)
                    others.append((usage.others, usage.wall))
                    if round_number == 0:
                        unmapped[name] = len(unmapped_names(self.work / "out/cost.sam"))
            def times_as_fast(seconds: dict) -> str:
                ratios = [a / b for a, b in zip(seconds["without"], seconds["with"])]
                return f"{statistics.median(ratios):.3f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})"

            for name in walls:
                cells = [what if name == "without" else "", f"{name} {self.args.clip_options}", f"{unmapped[name]:,}",
                         ", ".join(f"{wall:.2f}" for wall in walls[name]),
                         f"{count / statistics.median(walls[name]):,.0f}",
                         "" if name == "without" else times_as_fast(walls),
                         ", ".join(f"{cpu:.2f}" for cpu in cpus[name]),
                         "" if name == "without" else times_as_fast(cpus)]
                lines.append("| " + " | ".join(cells) + " |")
            if sentence := disturbed([o for o, _ in others], [w for _, w in others]):
                notes.append(f"DISTURBED: {what}: {sentence}")
            results[what] = {"reads": count, "walls": walls, "cpus": cpus, "unmapped": unmapped}
        return lines + ["", *notes], results

    def make_cost_reads(self, whole: Tool, options: list) -> str:
        if options:
            self.simulate("out/cost.fq", self.args.count, *options)
            return "out/cost.fq"
        self.simulate("out/all.fq", self.args.count)
        self.map(whole, ["out/all.fq"], "out/cost.sam")
        unmapped = unmapped_names(self.work / "out/cost.sam")
        with open(self.work / "out/all.fq") as lines, open(self.work / "out/whole.fq", "w") as out:
            for record in zip(lines, lines, lines, lines):
                if record[0][1:].split()[0] not in unmapped:
                    out.writelines(record)
        return "out/whole.fq"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("real", "places", "cost"))
    parser.add_argument("--reference", type=genomes.reference, required=True)
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"))
    parser.add_argument("--build", default=str(ROOT / "build/release/bench"),
                        help="folder of trawl-simulate and trawl-check")
    parser.add_argument("--clip-options", default="--clip 30%", help="of Trawl; default: %(default)s")
    parser.add_argument("--reads", help="real: FASTQ, or two with a comma between: pairs")
    parser.add_argument("--sample", type=int, default=30, help="real: how many reads are printed")
    parser.add_argument("--count", type=int, default=500_000, help="places, cost: simulated reads")
    parser.add_argument("--read-length", type=int, default=150)
    parser.add_argument("--max-edits", default="5%", help="Trawl's -e; default: %(default)s")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--repeats", type=int, default=5, help="cost: runs of each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-o", "--output", help="write OUTPUT.md and OUTPUT.json; real: also OUTPUT.tsv, every difference")
    args = parser.parse_args()
    if args.what == "real" and not args.reads:
        parser.error("real needs --reads")
    if os.sep in args.trawl:
        args.trawl = str(pathlib.Path(args.trawl).resolve())
    return args


def main() -> int:
    args = parse_arguments()
    comparison = Comparison(args)
    lines, results = getattr(comparison, args.what)()
    versions = ", ".join(f"{name} {version}" for name, version in package_versions({comparison.other.package}).items())
    head = (f"{pathlib.Path(args.reference).name}, {args.what}, {args.threads} threads, {versions}; {processor()}; "
            f"{datetime.date.today().isoformat()}; trawl {commit()}")
    report = "\n".join([head, "", *lines, "", "Commands:", "", *(f"    {text}" for text in comparison.commands)]) + "\n"
    print(report)
    if args.output:
        pathlib.Path(args.output + ".md").write_text(report)
        pathlib.Path(args.output + ".json").write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
