#!/usr/bin/env python3
"""A genome with segmental duplications, and whether copy numbers are recovered from it (docs/record/clients.md).

  bench/copy_numbers.py make COVERAGE       writes ref.fa, reads.fq (100 bases), duplications.bed
  bench/copy_numbers.py check BED COLUMN    compares the column (from 1) of a BED file with duplications.bed

Ten duplications of 30,000 bases have 1 to 10 haploid copies in the sample, and 1 to 3 of them in the reference; the
others lie elsewhere. Copies differ from each other by 1%. The rest of the genome is unique. So a duplication with k copies
has the (diploid) copy number 2 k.
"""

import random
import statistics
import sys

LENGTH = 30_000
DIVERGENCE = 0.005  # of each copy from the sequence that it was copied from
READ = 100
COMPLEMENT = str.maketrans("ACGT", "TGCA")


def unique(length):
    """Stretches of 2,000 to 8,000 bases, each with its own share of G and C."""
    parts = []
    while length > 0:
        size = min(length, random.randint(2000, 8000))
        gc = random.uniform(0.36, 0.50)
        parts.append("".join(random.choices("ACGT", [(1 - gc) / 2, gc / 2, gc / 2, (1 - gc) / 2], k=size)))
        length -= size
    return "".join(parts)


def copy_of(sequence):
    return "".join(
        random.choice("ACGT".replace(c, "")) if random.random() < DIVERGENCE else c for c in sequence
    )


def read_of(sequence):
    begin = random.randrange(len(sequence) - READ)
    read = sequence[begin : begin + READ]
    if random.random() < 0.5:
        read = read[::-1].translate(COMPLEMENT)
    if random.random() < 0.4:  # 0.4% errors
        letters = list(read)
        for _ in range(random.choice((1, 1, 2))):
            letters[random.randrange(READ)] = random.choice("ACGT")
        read = "".join(letters)
    return read


def make(coverage):
    random.seed(11)
    in_reference, elsewhere = [], []
    for copies in range(1, 11):
        ancestor = unique(LENGTH)
        shown = min(copies, 1 + (copies - 1) % 3)
        in_reference += [(copies, copy_of(ancestor)) for _ in range(shown)]
        elsewhere += [copy_of(ancestor) + unique(300) for _ in range(copies - shown)]
    random.shuffle(in_reference)
    chromosomes = []
    with open("duplications.bed", "w") as bed, open("ref.fa", "w") as fasta:
        for number in range(3):
            parts = [unique(150_000)]
            at = len(parts[0])
            for copies, sequence in in_reference[number::3]:
                bed.write(f"chr{number + 1}\t{at}\t{at + LENGTH}\t{copies}\n")
                parts += [sequence, unique(400_000)]
                at += LENGTH + 400_000
            chromosomes.append("".join(parts))
            lines = (chromosomes[-1][at : at + 100] for at in range(0, at, 100))  # fastCN wants short lines
            fasta.write(f">chr{number + 1}\n" + "\n".join(lines) + "\n")
    sample = chromosomes + ["".join(elsewhere)]
    weights = [len(sequence) for sequence in sample]
    count = int(sum(weights) * coverage / READ)
    with open("reads.fq", "w") as out:
        for number, sequence in enumerate(random.choices(sample, weights, k=count)):
            out.write(f"@r{number}\n{read_of(sequence)}\n+\n{'I' * READ}\n")
    print(f"reference {sum(weights[:3])} bases, sample {sum(weights)} bases, {count} reads")


def check(path, column):
    duplications = []
    with open("duplications.bed") as bed:
        for contig, begin, end, copies in map(str.split, bed):
            duplications.append((contig, int(begin), int(end), int(copies)))
    found = {0: []}  # 0: windows away from all duplications
    with open(path) as bed:
        for fields in map(str.split, bed):
            if not fields or fields[0].startswith("#"):
                continue
            contig, begin, end = fields[0], int(fields[1]), int(fields[2])
            near = [d for d in duplications if d[0] == contig and begin < d[2] + READ and end > d[1] - READ]
            if not near or (begin >= near[0][1] + READ and end <= near[0][2] - READ):
                found.setdefault(near[0][3] if near else 0, []).append(float(fields[column - 1]))
    worst = 0
    for copies, values in sorted(found.items()):
        expected = 2 * max(copies, 1)
        mean = statistics.mean(values)
        worst = max(worst, abs(mean / expected - 1))
        name = f"{copies} copies" if copies > 0 else "unique"
        print(f"{name:>9}: {len(values):5} windows, copy number {mean:6.2f}, expected {expected:2}, "
              f"{100 * (mean / expected - 1):+.1f}%")
    print(f"largest difference {100 * worst:.1f}%")
    return 0 if worst <= 0.05 else 1


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "make":
        make(float(sys.argv[2]))
    elif len(sys.argv) == 4 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2], int(sys.argv[3])))
    else:
        sys.exit(__doc__)
