#!/usr/bin/env python3
"""Structural variants that delly finds in the alignments of Trawl and other mappers, of 40 that are planted.

    bench/structural.py --reference chr20_1-2M --workdir WORK --mappers trawl,bwa-mem

The donor has deletions, tandem duplications and inversions of 400 to 3,000 bases in turn, 20,000 bases apart; half of them
on one haplotype only. trawl-simulate makes the pairs, delly calls. An event is found if a PASS call of its kind has both
ends at most 20 bases away.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys

import genomes
from compare_report import ROOT
from donor import read_fasta
from mappers import Setting
from variants import chosen_mappers

EVENTS, DISTANCE, SLACK, KINDS = 40, 20_000, 20, ("DEL", "DUP", "INV")
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")


def plan(bases: str, seed: int) -> list[tuple[str, int, int, tuple[int, ...]]]:
    """(kind, begin, end, haplotypes)"""
    lot = random.Random(seed)
    events = []
    for n in range(EVENTS):
        begin = DISTANCE // 2 + n * DISTANCE + lot.randrange(2_000)
        events.append((KINDS[n % 3], begin, begin + lot.randint(400, 3_000), (0, 1) if n % 2 else (lot.randrange(2),)))
    if events[-1][2] + DISTANCE // 2 > len(bases):
        sys.exit(f"structural.py: the first contig has fewer than {(EVENTS + 1) * DISTANCE:,} bases")
    return events


def haplotype(bases: str, events: list, number: int) -> str:
    parts, done = [], 0
    for kind, begin, end, haplotypes in events:
        if number in haplotypes:
            piece = bases[begin:end]
            parts += [bases[done:begin], {"DEL": "", "DUP": piece + piece, "INV": piece.translate(COMPLEMENT)[::-1]}[kind]]
            done = end
    return "".join(parts) + bases[done:]


def calls(text: str) -> list[tuple[str, int, int]]:
    found = []
    for line in text.splitlines():
        if not line.startswith("#"):
            fields = line.split("\t")
            info = dict(word.split("=", 1) for word in fields[7].split(";") if "=" in word)
            if fields[6] == "PASS":
                found.append((info["SVTYPE"], int(fields[1]), int(info["END"])))
    return found


def near(event: tuple, call: tuple) -> bool:
    return event[0] == call[0] and abs(event[1] - call[1]) <= SLACK and abs(event[2] - call[2]) <= SLACK


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=genomes.reference, required=True, help="FASTA; its first contig is used")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--mappers", default="trawl,bwa-mem", help="as of variants.py; default: %(default)s")
    parser.add_argument("--simulate", default=str(ROOT / "build/release/bench/trawl-simulate"), help="trawl-simulate")
    parser.add_argument("--coverage", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    args = parser.parse_args()
    mappers = chosen_mappers(args.mappers)
    if missing := [name for name in ("delly", "samtools", "bcftools", *(mapper.program for mapper in mappers))
                   if shutil.which(name) is None]:
        sys.exit(f"structural.py: not found: {', '.join(missing)}")
    simulate = shutil.which(args.simulate)
    contigs = read_fasta(pathlib.Path(args.reference))
    work = pathlib.Path(args.workdir)
    (work / "index").mkdir(parents=True, exist_ok=True)
    os.chdir(work)
    contig, bases = next(iter(contigs.items()))
    events = plan(bases, args.seed)
    pathlib.Path("ref.fa").write_text(f">{contig}\n{bases}\n")
    pathlib.Path("donor.fa").write_text("".join(f">{contig}.{n}\n{haplotype(bases, events, n)}\n" for n in (0, 1)))

    def run(*command, **how):
        return subprocess.run([str(word) for word in command], check=True, text=True, stderr=open("log", "a"), **how)

    run(simulate, "pairs", "donor.fa", int(len(bases) * args.coverage / 300), 150, args.seed, "1.fq", "2.fq", "--insert",
        "400,50", "--qualities", stdout=subprocess.DEVNULL)
    run("samtools", "faidx", "ref.fa")
    setting = Setting("ref.fa", 150, 7, trawl_default=True)
    print("| mapper | found | of them DEL, DUP, INV | other PASS calls |\n|---|---:|---:|---:|")
    for mapper in mappers:
        if mapper.index:
            run(*mapper.index(setting), stdout=subprocess.DEVNULL)
        run(*mapper.map(setting, ["1.fq", "2.fq"], "out.sam", args.threads))
        run("samtools", "addreplacerg", "-r", "@RG\tID:a\tSM:donor", "-o", "rg.bam", "out.sam")
        run("samtools", "sort", "-o", "out.bam", "rg.bam")
        run("samtools", "index", "out.bam")
        run("delly", "call", "-g", "ref.fa", "-o", f"{mapper.name}.bcf", "out.bam", stdout=subprocess.DEVNULL)
        called = calls(run("bcftools", "view", f"{mapper.name}.bcf", stdout=subprocess.PIPE).stdout)
        found = [event for event in events if any(near(event, call) for call in called)]
        others = sum(not any(near(event, call) for event in events) for call in called)
        kinds = ", ".join(str(sum(event[0] == kind for event in found)) for kind in KINDS)
        print(f"| {mapper.name} | {len(found)} of {len(events)} | {kinds} | {others} |", flush=True)


if __name__ == "__main__":
    main()
