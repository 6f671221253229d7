#!/usr/bin/env python3
"""Checks whether `trawl map --search auto` chooses the faster search. Runs seeds, scan and auto for several numbers,
lengths and edits of reads.

    bench/search_choice.py --workdir work --engine cuda -o work/choice

Every run uses --report all; its time is its whole run time. The three must give the same records. Exit status 1:
records differ, or auto took longer than the faster of the two by more than the tolerance.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import genomes
from compare_report import ROOT, commit, processor

SEARCHES = ("seeds", "scan", "auto")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"))
    parser.add_argument("--build", default=str(ROOT / "build/release/bench"), help="folder of trawl-simulate")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--reference", type=genomes.reference, help="use this FASTA instead of a simulated chromosome")
    parser.add_argument("--genome-length", type=int, default=100_000_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--engine", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--reads", default="10,100,1000")
    parser.add_argument("--lengths", default="36,100")
    parser.add_argument("--edits", default="2,5")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60, help="stop a run after this many seconds")
    parser.add_argument("--tolerance", default="0.15,0.1",
                        help="how much longer than the faster search auto may take: share of that time, seconds")
    parser.add_argument("-o", "--output", help="write OUTPUT.md and OUTPUT.json")
    return parser.parse_args()


class Bench:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.workdir).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.reference = pathlib.Path(args.reference or self.work / f"genome.{args.genome_length}.{args.seed}.fa")
        if not self.reference.exists():
            self.simulate("genome", args.genome_length, args.seed, self.reference)

    def simulate(self, *words, output=None):
        with open(output or os.devnull, "wb") as out:
            subprocess.run([f"{self.args.build}/trawl-simulate", *map(str, words)], stdout=out,
                           stderr=subprocess.DEVNULL, check=True)

    def run(self, search: str, reads: pathlib.Path, edits: int):
        """Wall seconds, seconds of the search and checksum of the records; None if it took too long."""
        stats = self.work / "stats.json"
        command = [self.args.trawl, "map", "--engine", self.args.engine, "-t", self.args.threads, "-e", edits,
                   "--report", "all", "--search", search, "--progress", "off", "--stats", stats, self.reference, reads]
        begin = time.monotonic()
        with open(self.work / "records.sam", "wb") as out:
            try:
                subprocess.run(list(map(str, command)), stdout=out, stderr=subprocess.PIPE, check=True,
                               timeout=self.args.limit)
            except subprocess.TimeoutExpired:
                return None
        wall = time.monotonic() - begin
        seconds = json.loads(stats.read_text())["seconds"]
        records = hashlib.md5()
        with open(self.work / "records.sam", "rb") as lines:
            for line in lines:
                if not line.startswith(b"@"):
                    records.update(line)
        return wall, sum(seconds[stage] for stage in ("seed", "verify", "scan")), records.hexdigest()

    def row(self, count: int, length: int, edits: int) -> dict:
        reads = self.work / "reads.fq"
        self.simulate("reads", self.reference, count, length, self.args.seed, output=reads)
        runs = {search: [] for search in SEARCHES}
        for _ in range(self.args.repeats):
            for search in SEARCHES:
                if None not in runs[search]:
                    runs[search].append(self.run(search, reads, edits))
        found = {search: of for search, of in runs.items() if None not in of}
        row = {"reads": count, "length": length, "edits": edits,
               "same": len({run[2] for of in found.values() for run in of}) == 1}
        for search in SEARCHES:
            row[search] = statistics.median(run[0] for run in runs[search]) if search in found else None
            row[search + " search"] = statistics.median(run[1] for run in runs[search]) if search in found else None
        share, seconds = map(float, self.args.tolerance.split(","))
        cheaper = min((row[search] for search in ("seeds", "scan") if search in found), default=self.args.limit)
        row["good"] = row["auto"] is not None and row["auto"] <= cheaper * (1 + share) + seconds
        return row


def main() -> int:
    args = parse_arguments()
    bench = Bench(args)
    rows = []
    for length in map(int, args.lengths.split(",")):
        for edits in map(int, args.edits.split(",")):
            for count in map(int, args.reads.split(",")):
                rows.append(bench.row(count, length, edits))
                print(rows[-1], file=sys.stderr)

    def cell(row, search):
        if row[search] is None:
            return f"over {args.limit:g}"
        return f"{row[search]:.2f} ({row[search + ' search']:.3f})"

    lines = [f"{bench.reference.name}, --report all, engine {args.engine}, {args.threads} threads; wall seconds, in brackets "
             f"those of the search, summed over threads; medians of {args.repeats}; {processor()}; "
             f"{datetime.date.today().isoformat()}; trawl {commit()}", "",
             "| length | e | reads | seeds | scan | auto | auto is good | same records |", "|---" * 8 + "|"]
    lines += [f"| {r['length']} | {r['edits']} | {r['reads']:,} | {cell(r, 'seeds')} | {cell(r, 'scan')} | "
              f"{cell(r, 'auto')} | {'yes' if r['good'] else 'NO'} | {'yes' if r['same'] else 'NO'} |" for r in rows]
    print("\n".join(lines))
    if args.output:
        pathlib.Path(args.output + ".md").write_text("\n".join(lines) + "\n")
        pathlib.Path(args.output + ".json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if all(r["good"] and r["same"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
