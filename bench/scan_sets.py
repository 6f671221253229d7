#!/usr/bin/env python3
"""Sets of many patterns in `trawl scan`: whether every hit is found, and what time and memory large sets take.

    bench/scan_sets.py check --reference chr22.fa --workdir work
    bench/scan_sets.py measure --reference chromosome.fa --workdir work -o work/scan_sets
    bench/scan_sets.py draw -o work/scan_sets

check    counts again, with trawl-set-check: all 8-mers; 10^5 random 12-mers; 10^6 32-mers, half of them from the
         reference (k = 0); 10^4 20-mers of which a quarter is exact, a half mutated and a quarter random (k = 1 and 2,
         both metrics). Exit status 1 if an end is missing or false.
measure  --sizes patterns of --length bases, half of them cut from the reference, both strands, one thread: wall time,
         processor time and memory of the whole command, medians of --repeats, as OUTPUT.tsv; also the limit that
         --memory states. Exit status 1 if a run took more memory than that.
draw     OUTPUT.svg from OUTPUT.tsv: the processor time, which other work on the machine changes least, and the memory;
         needs matplotlib.
"""
import argparse
import csv
import itertools
import multiprocessing
import pathlib
import random
import re
import statistics
import subprocess
import sys

import genomes
from compare_report import ROOT, commit, processor
from machine_load import disturbed, run_measured

COMPLEMENT = str.maketrans("ACGT", "TGCA")
COLUMNS = ("patterns", "k", "records", "wall_s", "cpu_s", "peak_mib", "limit_mib")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=("check", "measure", "draw"))
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"))
    parser.add_argument("--build", default=str(ROOT / "build/release/bench"), help="folder of trawl-set-check")
    parser.add_argument("--reference", type=genomes.reference)
    parser.add_argument("--workdir", type=pathlib.Path, default="work")
    parser.add_argument("--sizes", default="1000,10000,100000,1000000,10000000")
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--edits", default="0", help="values of -k")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--enough", type=float, default=40, help="no repeat after so many seconds of processor time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", default="sets", help="OUTPUT.tsv, OUTPUT.svg")
    args = parser.parse_args()
    if args.work != "draw" and args.reference is None:
        parser.error("--reference is needed")
    return args


def read_contigs(path):
    contigs, parts = [], []
    with open(path) as lines:
        for line in lines:
            if line.startswith(">"):
                contigs.append("".join(parts).upper())
                parts = []
            else:
                parts.append(line.strip())
    contigs.append("".join(parts).upper())
    return [contig for contig in contigs if contig]


class Patterns:
    """Made and cut patterns. Those of the reference come from either strand, and have no ambiguous letters."""

    def __init__(self, reference):
        self.contigs = read_contigs(reference)
        self.random = random.Random()

    def made(self, length):
        bits = self.random.getrandbits(2 * length)
        return "".join("ACGT"[bits >> 2 * i & 3] for i in range(length))

    def cut(self, length):
        weights = [len(contig) for contig in self.contigs]
        while True:
            contig = self.random.choices(self.contigs, weights)[0] if len(weights) > 1 else self.contigs[0]
            if len(contig) < length:
                continue
            at = self.random.randrange(len(contig) - length + 1)
            piece = contig[at:at + length]
            if not piece.strip("ACGT") and set(piece) <= set("ACGT"):
                return piece if self.random.random() < 0.5 else piece.translate(COMPLEMENT)[::-1]

    def mutated(self, length, edits):
        """The length may change by insertions and deletions."""
        letters = list(self.cut(length))
        for _ in range(edits):
            at = self.random.randrange(len(letters))
            letters[at:at + self.random.randrange(2)] = self.random.choices("ACGT", k=self.random.randrange(1, 3))
        return "".join(letters)[:length].ljust(length, "A")


def write_set(source, path, patterns):
    """The file is made once. Its name is the seed, so that it does not matter which others are there."""
    if not path.exists():
        source.random.seed(path.name)
        part = path.with_suffix(".part")
        with open(part, "w") as out:
            for p, pattern in enumerate(patterns):
                out.write(f">p{p}\n{pattern}\n")
        part.rename(path)
    return path


def check(args):
    source = Patterns(args.reference)
    sets = {
        "all8": (map("".join, itertools.product("ACGT", repeat=8)), [("levenshtein", 0)]),
        "random12": ((source.made(12) for _ in range(100_000)), [("levenshtein", 0)]),
        "half32": ((source.cut(32) if p % 2 else source.made(32) for p in range(1_000_000)), [("levenshtein", 0)]),
        "edits20": ((source.cut(20) if p % 4 == 0 else source.made(20) if p % 4 == 1 else
                     source.mutated(20, source.random.randrange(1, 4)) for p in range(10_000)),
                    [(metric, k) for metric in ("levenshtein", "hamming") for k in (1, 2)]),
    }
    wrong = 0
    for name, (patterns, searches) in sets.items():
        path = write_set(source, args.workdir / f"{args.reference.stem}.{name}.{args.seed}.fa", patterns)
        for metric, k in searches:
            records = args.workdir / "ends.bed"
            options = ["-k", str(k), "--metric", metric]
            subprocess.run([args.trawl, "scan", *options, "--report", "ends", "-t", str(args.threads), "--progress", "off",
                            "-o", records, args.reference, path], check=True, stderr=subprocess.DEVNULL)
            print(f"{args.reference.name}, {name}: ", end="", flush=True)
            wrong += subprocess.run([f"{args.build}/trawl-set-check", *options, "-t", str(args.threads), args.reference,
                                     path, records]).returncode != 0
            records.unlink()
    return 1 if wrong else 0


def limit_mib(command):
    """What --memory says that a scan needs at most."""
    done = subprocess.run([*command, "--memory", "1M"], capture_output=True, text=True)
    return int(re.search(r"takes up to (\d+)M of memory", done.stderr)[1])


def measured_sets(args):
    return {size: args.workdir / f"{args.reference.stem}.{args.length}.{size}.{args.seed}.fa"
            for size in map(int, args.sizes.split(","))}


def make_measured_sets(args):
    source = Patterns(args.reference)
    for size, path in measured_sets(args).items():
        write_set(source, path, (source.cut(args.length) if p % 2 else source.made(args.length) for p in range(size)))


def measure(args):
    # In a process of its own: a command counts the memory of the process that starts it as its own.
    maker = multiprocessing.Process(target=make_measured_sets, args=(args,))
    maker.start()
    maker.join()
    rows, status = [], maker.exitcode
    for size, path in measured_sets(args).items():
        for k in map(int, args.edits.split(",")):
            records = args.workdir / "measured.bed"
            command = [args.trawl, "scan", "-k", str(k), "-t", str(args.threads), "--engine", "cpu", "--progress", "off",
                       "-o", str(records), str(args.reference), str(path)]
            runs = []
            while len(runs) < args.repeats and sum(run.cpu for run in runs) < args.enough:
                runs.append(run_measured(command, stderr=subprocess.DEVNULL))
            if any(run.status != 0 for run in runs):
                sys.exit(f"scan_sets.py: failed: {' '.join(command)}")
            with open(records, "rb") as lines:
                found = sum(1 for _ in lines)
            records.unlink()
            row = dict(zip(COLUMNS, (size, k, found, *(f"{statistics.median(values):.3g}" for values in
                                                      ([run.wall for run in runs], [run.cpu for run in runs])),
                                     round(max(run.peak_mib for run in runs)), limit_mib(command))))
            print("\t".join(f"{name} {value}" for name, value in row.items()),
                  disturbed([run.others for run in runs], [run.wall for run in runs]), sep="\t", flush=True)
            if row["peak_mib"] > row["limit_mib"]:
                print("more memory than --memory states", flush=True)
                status = 1
            rows.append(row)
    with open(f"{args.output}.tsv", "w", newline="") as out:
        table = csv.DictWriter(out, COLUMNS, delimiter="\t", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(f"{processor()}, {args.threads} thread(s), commit {commit()}")
    return status


def draw(args):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "trawl"  # so that the same data give the same bytes
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text, so that files are small
    from matplotlib import pyplot

    with open(f"{args.output}.tsv", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    fig, (time, memory) = pyplot.subplots(1, 2, figsize=(9, 3.6))
    for k in sorted({row["k"] for row in rows}, key=int):
        of_k = [row for row in rows if row["k"] == k]
        sizes = [int(row["patterns"]) for row in of_k]
        for axes, column, name in ((time, "cpu_s", "one thread"), (memory, "peak_mib", "used"),
                                   (memory, "limit_mib", "limit that --memory states")):
            axes.plot(sizes, [float(row[column]) for row in of_k], marker="o", markersize=4, linewidth=1,
                      linestyle="--" if column == "limit_mib" else "-", label=f"{name}, k = {k}")
    time.set(ylabel="processor time, seconds")
    memory.set(ylabel="MiB")
    for axes in (time, memory):
        axes.set(xlabel="patterns", xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
    fig.tight_layout()
    fig.savefig(f"{args.output}.svg", bbox_inches="tight", metadata={"Date": None})
    return 0


def main():
    args = parse_arguments()
    args.workdir.mkdir(parents=True, exist_ok=True)
    return {"check": check, "measure": measure, "draw": draw}[args.work](args)


if __name__ == "__main__":
    sys.exit(main())
