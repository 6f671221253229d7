#!/usr/bin/env python3
"""Reads with the damage of ancient DNA: trawl map --for adna beside bwa aln -n 0.01 -o 2 -l 16500.

    bench/ancient_dna.py --reference human133 --workdir WORK [--reads 100000] [--seed 51] [--trawl '...' ...]

A read is a fragment of 40 to 70 bases from either strand: 0.1 to 0.5% of its bases differ (one difference in ten is a gap
of one base), C is read as T with a probability of 1% + 29% * 0.7^i at base i from the 5' end, G as A likewise from the 3'
end, and 0.2% of the bases are errors, of quality 2 to 25; others have 37. A place is right if it begins at most 5 bases
from the true one. All commands run with one thread, in turns; CPU seconds are those of the whole commands: bwa aln and
samse together, without its index, and trawl from the FASTA.
"""

import argparse
import pathlib
import random
import sys

from genomes import reference
from workdir import run_measured

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def read_contigs(fasta: pathlib.Path) -> dict[str, str]:
    contigs: dict[str, list[str]] = {}
    for line in fasta.read_text().splitlines():
        if line.startswith(">"):
            contigs[line[1:].split()[0]] = lines = []
        else:
            lines.append(line)
    return {name: "".join(lines).upper() for name, lines in contigs.items()}


def differing(bases: str, rate: float, rng: random.Random) -> str:
    out = []
    for base in bases:
        kind = rng.random() / rate
        if kind >= 1:
            out.append(base)
        elif kind >= 0.1:
            out.append(rng.choice([b for b in "ACGT" if b != base]))
        elif kind >= 0.05:
            out.append(base + rng.choice("ACGT"))
    return "".join(out)


def damaged(bases: str, rng: random.Random) -> str:
    last = len(bases) - 1

    def base(i: int) -> str:
        end = {"C": i, "G": last - i}.get(bases[i])
        is_damaged = end is not None and rng.random() < 0.01 + 0.29 * 0.7 ** end
        return {"C": "T", "G": "A"}[bases[i]] if is_damaged else bases[i]

    return "".join(base(i) for i in range(len(bases)))


def with_errors(bases: str, rng: random.Random) -> tuple[str, str]:
    out, qualities = [], []
    for base in bases:
        wrong = rng.random() < 0.002
        out.append(rng.choice([b for b in "ACGT" if b != base]) if wrong else base)
        qualities.append(chr(33 + (rng.randint(2, 25) if wrong else 37)))
    return "".join(out), "".join(qualities)


def make_reads(contigs: dict[str, str], count: int, seed: int, path: pathlib.Path) -> None:
    """The name of a read is its truth: N_contig_start_strand; the start is that of its leftmost base, 1-based."""
    rng = random.Random(seed)
    names, sizes = list(contigs), [len(bases) for bases in contigs.values()]
    with path.open("w") as out:
        made = 0
        while made < count:
            name = rng.choices(names, sizes)[0]
            length = rng.randint(40, 70)
            start = rng.randrange(len(contigs[name]) - length)
            bases = contigs[name][start:start + length]
            if set(bases) - set("ACGT"):
                continue
            reverse = rng.random() < 0.5
            bases = bases.translate(COMPLEMENT)[::-1] if reverse else bases
            read, qualities = with_errors(damaged(differing(bases, rng.uniform(0.001, 0.005), rng), rng), rng)
            out.write(f"@{made}_{name}_{start + 1}_{'-' if reverse else '+'}\n{read}\n+\n{qualities}\n")
            made += 1


def judge(sam: pathlib.Path) -> dict[str, int]:
    counts = dict.fromkeys(["reads", "mapped", "right", "wrong at MAPQ 25+", "right at MAPQ 25+"], 0)
    with sam.open() as lines:
        for line in lines:
            if line.startswith("@") or int(line.split("\t", 2)[1]) & 0x900:
                continue
            name, flag, contig, position, mapq = line.split("\t", 5)[:5]
            _, true_contig, start, strand = name.split("_")
            counts["reads"] += 1
            if int(flag) & 4:
                continue
            right = (contig == true_contig and abs(int(position) - int(start)) <= 5
                     and (int(flag) & 16 != 0) == (strand == "-"))
            counts["mapped"] += 1
            counts["right"] += right
            counts[("right" if right else "wrong") + " at MAPQ 25+"] += int(mapq) >= 25
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=reference, required=True, help="a FASTA, or a name of bench/genomes.py")
    parser.add_argument("--workdir", type=pathlib.Path, required=True)
    parser.add_argument("--reads", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=51)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--trawl", nargs="+", default=["build/release/trawl map --for adna"], help="commands to compare")
    args = parser.parse_args()
    fasta = args.reference
    args.workdir.mkdir(parents=True, exist_ok=True)
    reads, index, sai = args.workdir / "reads.fq", args.workdir / "index", args.workdir / "reads.sai"
    make_reads(read_contigs(fasta), args.reads, args.seed, reads)
    if not index.with_suffix(".sa").exists():
        run_measured(["bwa", "index", "-p", str(index), str(fasta)])
    tools = {"bwa aln -n 0.01 -o 2 -l 16500": f"bwa aln -n 0.01 -o 2 -l 16500 -f {sai} {index} {reads} && "
                                              f"bwa samse -f OUT {index} {sai} {reads}"}
    tools |= {command: f"{command} -t 1 {fasta} {reads} -o OUT" for command in args.trawl}
    seconds: dict[str, list[float]] = {name: [] for name in tools}
    counts = {}
    for _ in range(args.rounds):
        for number, (name, command) in enumerate(tools.items()):
            out = args.workdir / f"{number}.sam"
            usage = run_measured(["sh", "-c", command.replace("OUT", str(out))])
            if usage.status != 0:
                return usage.status
            seconds[name].append(usage.cpu)
            counts[name] = judge(out)
    for name in tools:
        print(name, *(f"{what} {count}" for what, count in counts[name].items()),
              "CPU s " + " ".join(f"{s:.1f}" for s in seconds[name]), sep="; ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
