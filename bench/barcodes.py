#!/usr/bin/env python3
"""Assigns simulated nanopore-like reads to their barcodes with `trawl scan --per-read best`, and with cutadapt and Sassy
if they are there: right and wrong calls, and CPU seconds, each with one thread.

    python3 -m pip install cutadapt sassy-rs
    bench/barcodes.py --workdir work --reads 100000 --peer-reads 10000

The true barcode of a read is in its name (trawl-simulate barcoded). cutadapt and Sassy take the first --peer-reads reads,
and Trawl takes these as well. cutadapt searches barcodes anywhere in both strands (-g, --revcomp), and takes the one with
the most matching bases. Of Sassy's matches (search_many, in memory; its seconds have no reading and no writing) the
smallest distance decides, as in Trawl; exit status 1 if the two assign a read differently.
"""
import argparse
import collections
import csv
import pathlib
import random
import subprocess
import sys
import time

from machine_load import run_measured

ROOT = pathlib.Path(__file__).resolve().parents[1]


def distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        diagonal, row[0] = i, i + 1
        for j, y in enumerate(b):
            diagonal, row[j + 1] = row[j + 1], min(diagonal + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[-1]


def make_barcodes(path: pathlib.Path, count: int, length: int, apart: int) -> dict[str, str]:
    """Random ones, each at least so many edits from the others."""
    chance = random.Random(5)
    barcodes: list[str] = []
    while len(barcodes) < count:
        one = "".join(chance.choices("ACGT", k=length))
        if all(distance(one, other) >= apart for other in barcodes):
            barcodes.append(one)
    named = {f"bc{number:02}": bases for number, bases in enumerate(barcodes, 1)}
    path.write_text("".join(f">{name}\n{bases}\n" for name, bases in named.items()))
    return named


def say_distances(barcodes: dict[str, str]) -> None:
    """How far each barcode is from the nearest other one. Fewer than 2 e + 1 edits: a read may be within e of both."""
    nearest = collections.Counter(min(distance(one, other) for other in barcodes.values() if other != one)
                                  for one in barcodes.values())
    print(f"{len(barcodes)} barcodes; edits to the nearest other one: "
          + ", ".join(f"{edits} ({count} barcodes)" for edits, count in sorted(nearest.items())))


def first_reads(source: pathlib.Path, count: int, path: pathlib.Path) -> pathlib.Path:
    with open(source) as reads, open(path, "w") as part:
        for _, line in zip(range(4 * count), reads):
            part.write(line)
    return path


def headers(path: pathlib.Path) -> list[str]:
    with open(path) as reads:
        return [line[1:].split()[0] for number, line in enumerate(reads) if number % 4 == 0]


class Calls:
    """Reads by name: their barcode, "ambiguous" or "unassigned"."""

    def __init__(self, what: str, cpu: float, calls: dict[str, str]):
        self.what, self.cpu, self.calls = what, cpu, calls

    def row(self) -> str:
        count = collections.Counter()
        for name, call in self.calls.items():
            truth = name.split("_")[2]
            count[call if call in ("ambiguous", "unassigned") else "right" if call == truth
                  else "no barcode" if truth == "none" else "wrong"] += 1
        numbers = [count[kind] for kind in ("right", "wrong", "no barcode", "ambiguous", "unassigned")]
        return f"| {self.what} | {len(self.calls)} | {' | '.join(map(str, numbers))} | {self.cpu:.2f} |"


def run_trawl(options, reads: pathlib.Path, *more: str) -> Calls:
    table = options.workdir / "calls.tsv"
    usage = run_measured([options.trawl, "scan", "-t", "1", "-e", str(options.edits), "--per-read", "best", *more, "--quiet",
                          str(reads), str(options.workdir / "barcodes.fa"), "-o", str(table)])
    if usage.status != 0:
        raise SystemExit("trawl failed")
    with open(table) as file:
        calls = {row["read"]: row["pattern"] if row["call"] == "assigned" else row["call"]
                 for row in csv.DictReader(file, delimiter="\t")}
    return Calls(" ".join(["trawl", *more]), usage.cpu, calls)


def run_cutadapt(options, reads: pathlib.Path) -> Calls:
    named = options.workdir / "cutadapt.fq"
    usage = run_measured([options.cutadapt, "-j", "1", "-e", str(options.edits), "-O", str(options.length - options.edits),
                          "--revcomp", "-g", f"file:{options.workdir / 'barcodes.fa'}", "--rename", "{id} {adapter_name}",
                          "-o", str(named), str(reads)], stdout=subprocess.DEVNULL)
    with open(named) as file:
        words = [line[1:].split() for number, line in enumerate(file) if number % 4 == 0]
    return Calls("cutadapt", usage.cpu, {name: "unassigned" if call == "no_adapter" else call for name, call in words})


def run_sassy(options, reads: pathlib.Path, barcodes: dict[str, str]) -> Calls:
    import sassy
    with open(reads) as file:
        texts = [line.strip().encode() for number, line in enumerate(file) if number % 4 == 1]
    searcher = sassy.Searcher("dna", rc=True)
    begin = time.process_time()
    matches = searcher.search_many([bases.encode() for bases in barcodes.values()], texts, options.edits, 1, "single")
    cpu = time.process_time() - begin
    best = collections.defaultdict(dict)  # read: {barcode: distance}
    for match in matches:
        found = best[match.text_idx]
        found[match.pattern_idx] = min(match.cost, found.get(match.pattern_idx, match.cost))
    names, calls = list(barcodes), {}
    for number, read in enumerate(headers(reads)):
        found = best.get(number, {})
        closest = [barcode for barcode, cost in found.items() if cost == min(found.values())]
        calls[read] = "unassigned" if not found else names[closest[0]] if len(closest) == 1 else "ambiguous"
    return Calls("sassy", cpu, calls)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workdir", type=pathlib.Path, required=True)
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"))
    parser.add_argument("--simulate", default=str(ROOT / "build/release/bench/trawl-simulate"))
    parser.add_argument("--cutadapt", default="cutadapt")
    parser.add_argument("--reads", type=int, default=100_000)
    parser.add_argument("--peer-reads", type=int, default=10_000)
    parser.add_argument("--barcodes", type=int, default=96)
    parser.add_argument("--length", type=int, default=24)
    parser.add_argument("--apart", type=int, default=9, help="edits between two barcodes, at least")
    parser.add_argument("--error-rate", type=float, default=0.05)
    parser.add_argument("-e", "--edits", type=int, default=5)
    options = parser.parse_args()
    options.workdir.mkdir(parents=True, exist_ok=True)
    barcodes = make_barcodes(options.workdir / "barcodes.fa", options.barcodes, options.length, options.apart)
    say_distances(barcodes)
    reads = options.workdir / "reads.fq"
    with open(reads, "w") as file:
        subprocess.run([options.simulate, "barcoded", options.workdir / "barcodes.fa", str(options.reads), "3",
                        "--error-rate", str(options.error_rate)], stdout=file, check=True)
    part = first_reads(reads, options.peer_reads, options.workdir / "part.fq")
    print("| program | reads | right | wrong | without barcode, but assigned | ambiguous | unassigned | CPU seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for more in [], ["--within", "5p:120,3p:120"], ["--margin", "2"]:
        print(run_trawl(options, reads, *more).row(), flush=True)
    trawl = run_trawl(options, part)
    print(trawl.row(), flush=True)
    try:
        sassy = run_sassy(options, part, barcodes)
        print(sassy.row(), flush=True)
    except ImportError:
        sassy = None
        print("no sassy-rs here", file=sys.stderr)
    try:
        print(run_cutadapt(options, part).row(), flush=True)
    except FileNotFoundError:
        print("no cutadapt here", file=sys.stderr)
    return 1 if sassy is not None and sassy.calls != trawl.calls else 0


if __name__ == "__main__":
    sys.exit(main())
