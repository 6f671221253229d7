#!/usr/bin/env python3
"""Compares trawl scan with tre-agrep, edlib-aligner, seqkit locate and fuzznuc: times and hit sets, in tasks that each
can do.

    bench/compare_scan.py --workdir work -o work/scan

The time of a command is its whole run time, with one thread (median of the repetitions; the commands take turns). Tools
that are not installed are left out (Debian packages: tre-agrep edlib-aligner seqkit emboss). Exit status 1: a hit set
differs.
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

import genomes
from compare_report import ROOT, commit, processor
from machine_load import Usage, disturbed, run_measured


def run(command: list[str], output: pathlib.Path, ok=(0,)) -> Usage:
    errors = output.with_suffix(".err")
    with open(output, "wb") as out, open(errors, "wb") as err:
        usage = run_measured(command, stdout=out, stderr=err, env=dict(os.environ, LC_ALL="C"))
    if usage.status not in ok:
        raise RuntimeError(f"{' '.join(command)}: status {usage.status}: {errors.read_text(errors='replace')[:300]}")
    return usage


class Data:
    """One contig in three forms: as FASTA; cut into lines of a fixed number of letters; each line as a contig."""

    def __init__(self, args):
        self.work = pathlib.Path(args.workdir).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.fasta = self.work / "one.fa"
        if args.random:
            letters = random.Random(args.seed).randbytes(args.genome_length)
            self.text = letters.translate(bytes(b"ACGT"[byte % 4] for byte in range(256))).decode()
        else:
            self.text = self.first_sequence(args.reference or self.simulated(args))
        with open(self.fasta, "w") as out:
            out.write(">contig\n")
            for at in range(0, len(self.text), 60):
                out.write(self.text[at:at + 60] + "\n")
        self.record = 10_000
        self.lines = self.work / "records.txt"
        self.records = self.work / "records.fa"
        with open(self.lines, "w") as plain, open(self.records, "w") as fasta:
            for n, at in enumerate(range(0, len(self.text), self.record)):
                plain.write(self.text[at:at + self.record] + "\n")
                fasta.write(f">{n + 1}\n{self.text[at:at + self.record]}\n")

    def simulated(self, args) -> pathlib.Path:
        path = self.work / "genome.fa"
        subprocess.run([f"{args.build}/trawl-simulate", "genome", str(args.genome_length), str(args.seed), path],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return path

    def first_sequence(self, path) -> str:
        letters = []
        with open(path) as lines:
            next(lines)
            for line in lines:
                if line[0] == ">":
                    break
                letters.append(line.strip().upper())
        return "".join(letters)

    def pattern(self, seed: int, length: int, k: int) -> str:
        """A random part of the text without N, with k letters changed."""
        chance = random.Random(seed)
        while True:
            at = chance.randrange(len(self.text) - length)
            piece = list(self.text[at:at + length])
            if set(piece) <= set("ACGT"):
                for i in chance.sample(range(length), k):
                    piece[i] = chance.choice("ACGT".replace(piece[i], ""))
                return "".join(piece)


def bed(path: pathlib.Path) -> list[list[str]]:
    return [line.rstrip("\n").split("\t") for line in open(path)]


# For each peer: its command, the equal command of Trawl, and how to read the hits of both. The hit sets must be equal.

def seqkit(data: Data, pattern: str, k: int):
    yield ["seqkit", "locate", "-j", "1", "-m", str(k), "-p", pattern, "--bed", str(data.fasta)]
    yield ["--metric", "hamming", "--report", "ends", str(data.fasta)]
    yield lambda path: {(int(f[1]), f[5]) for f in bed(path)}
    yield lambda path: {(int(f[1]), f[5]) for f in bed(path)}


def fuzznuc(data: Data, pattern: str, k: int):
    yield ["fuzznuc", "-sequence", str(data.fasta), "-pattern", pattern, "-pmismatch", str(k), "-complement", "Y",
           "-rformat2", "excel", "-outfile", "stdout"]
    yield ["--metric", "hamming", "--report", "ends", str(data.fasta)]
    yield lambda path: {(min(int(f[1]), int(f[2])) - 1, f[4]) for f in bed(path)[1:] if f[0] != "SeqName"}
    yield lambda path: {(int(f[1]), f[5]) for f in bed(path)}


def tre_agrep(data: Data, pattern: str, k: int):
    yield ["tre-agrep", "-E", str(k), "-n", pattern, str(data.lines)]
    yield ["--strand", "+", str(data.records)]
    yield lambda path: {line.split(":")[0] for line in open(path)}
    yield lambda path: {f[0] for f in bed(path)}


def edlib(data: Data, pattern: str, k: int):
    query = data.work / "query.fa"
    query.write_text(f">q\n{pattern}\n")

    def best_ends(path):
        line = next((line for line in open(path) if line.startswith("#0:")), "#0: -1 0 [ ]")
        score = int(line.split()[1])
        ends = line[line.index("[") + 1:line.index("]")].replace("(?,", "").replace(")", "").split()
        return {(score, int(end.strip(","))) for end in ends if end.strip(",")}

    def trawl_best(path):
        hits = [(int(f[6]), int(f[2]) - 1) for f in bed(path)]
        best = min((d for d, _ in hits), default=0)
        return {hit for hit in hits if hit[0] == best}

    yield ["edlib-aligner", "-m", "HW", "-k", str(k), str(query), str(data.fasta)]
    yield ["--strand", "+", "--report", "ends", str(data.fasta)]
    yield best_ends
    yield trawl_best


PEERS = [("seqkit locate -m", "seqkit", seqkit), ("fuzznuc -pmismatch", "fuzznuc", fuzznuc),
         ("tre-agrep -E", "tre-agrep", tre_agrep), ("edlib-aligner -m HW", "edlib-aligner", edlib)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"))
    parser.add_argument("--build", default=str(ROOT / "build/release/bench"), help="folder of trawl-simulate")
    parser.add_argument("--workdir", required=True)
    text = parser.add_mutually_exclusive_group()
    text.add_argument("--reference", type=genomes.reference,
                      help="use the first sequence of this FASTA instead of a simulated one")
    text.add_argument("--random", action="store_true", help="use uniform random DNA instead of a simulated chromosome")
    parser.add_argument("--genome-length", type=int, default=100_000_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--lengths", default="24", help="lengths of the patterns")
    parser.add_argument("--edits", default="0,1,2,3")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tools", help="comma-separated list of programs; default: all")
    parser.add_argument("-o", "--output", help="write OUTPUT.md and OUTPUT.json")
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    data = Data(args)
    rows, notes, failed = [], [], False
    for name, program, peer in PEERS:
        if (args.tools and program not in args.tools.split(",")) or shutil.which(program) is None:
            print(f"{name}: left out", file=sys.stderr)
            continue
        for length in map(int, args.lengths.split(",")):
            for k in map(int, args.edits.split(",")):
                pattern = data.pattern(args.seed + k, length, k)
                command, options, read_peer, read_trawl = peer(data, pattern, k)
                trawl = [args.trawl, "scan", "-t", "1", "--progress", "off", "-k", str(k), "-p", pattern, *options]
                found, runs = {}, {"peer": [], "trawl": []}
                for _ in range(args.repeats):
                    runs["peer"].append(run(command, data.work / "peer.out", ok=(0, 1)))
                    runs["trawl"].append(run(trawl, data.work / "trawl.out"))
                found["peer"], found["trawl"] = read_peer(data.work / "peer.out"), read_trawl(data.work / "trawl.out")
                times = {who: [usage.wall for usage in usages] for who, usages in runs.items()}
                for who, usages in runs.items():
                    if what := disturbed([usage.others for usage in usages], times[who]):
                        notes.append(f"DISTURBED: {who if who == 'trawl' else name} (m = {length}, k = {k}): {what}")
                        print(notes[-1], file=sys.stderr)
                same = found["peer"] == found["trawl"]
                failed |= not same
                row = {"peer": name, "m": length, "k": k, "hits": len(found["trawl"]), "same": same,
                       "peer_s": statistics.median(times["peer"]), "trawl_s": statistics.median(times["trawl"]),
                       "ratio": statistics.median(p / t for p, t in zip(times["peer"], times["trawl"]))}
                rows.append(row)
                print(row, file=sys.stderr)
                if not same:
                    print(f"  only {name}: {sorted(found['peer'] - found['trawl'])[:5]}; only trawl: "
                          f"{sorted(found['trawl'] - found['peer'])[:5]}; pattern {pattern}", file=sys.stderr)
    kind = "random" if args.random else pathlib.Path(args.reference).name if args.reference else "simulated"
    lines = [f"{len(data.text):,} bases ({kind}), one pattern, one thread, whole commands, medians of {args.repeats}; "
             f"{processor()}; {datetime.date.today().isoformat()}; trawl {commit()}", "",
             "| peer | m | k | hits | same hits | peer s | trawl s | Trawl is times as fast |", "|---|" + "---|" * 7]
    lines += [f"| {r['peer']} | {r['m']} | {r['k']} | {r['hits']:,} | {'yes' if r['same'] else 'NO'} | "
              f"{r['peer_s']:.2f} | {r['trawl_s']:.2f} | {r['ratio']:.1f} |" for r in rows]
    lines += [f"\n{note}" for note in notes]
    print("\n".join(lines))
    if args.output:
        pathlib.Path(args.output + ".md").write_text("\n".join(lines) + "\n")
        pathlib.Path(args.output + ".json").write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
