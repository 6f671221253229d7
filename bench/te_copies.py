#!/usr/bin/env python3
"""A genome with transposable elements, read pairs of them, and whether counts are recovered (docs/record/clients.md).

  bench/te_copies.py make                     writes ref.fa, te.gtf, genes.gtf, 1.fq, 2.fq, truth.tsv
  bench/te_copies.py check TABLE locus|family compares a table (name, count) with truth.tsv

12 families of 3, 5 or 8 copies that differ by 2% from their ancestor, 20 genes, and 30,000 pairs of 100 bases with 0.5%
errors.
"""

import random
import statistics
import sys


def bases(length):
    return "".join(random.choice("ACGT") for _ in range(length))


def diverged(sequence, rate):
    return "".join(random.choice("ACGT") if random.random() < rate else c for c in sequence)


def reverse_complement(sequence):
    return sequence[::-1].translate(str.maketrans("ACGT", "TGCA"))


def make():
    random.seed(5)
    items = [("", f"gene{g}", bases(1500)) for g in range(20)]
    for f in range(12):
        ancestor = bases(random.randint(900, 2500))
        for copy in range(random.choice((3, 5, 8))):
            items.append((f"TE{f}", f"TE{f}_{copy}", diverged(ancestor, 0.02)))
    random.shuffle(items)
    genome, at = [bases(2000)], 2000
    with open("te.gtf", "w") as elements, open("genes.gtf", "w") as genes:
        for family, name, sequence in items:
            place = f"chr1\tmade\texon\t{at + 1}\t{at + len(sequence)}\t.\t+\t.\t"
            if family:
                elements.write(f'{place}gene_id "{family}"; transcript_id "{name}"; family_id "{family}"; '
                               f'class_id "LTR"; locus "{name}";\n')
            else:
                genes.write(f'{place}gene_id "{name}"; transcript_id "{name}";\n')
            genome += [sequence, bases(1500)]
            at += len(sequence) + 1500
    with open("ref.fa", "w") as fasta:
        fasta.write(">chr1\n" + "".join(genome) + "\n")
    weights = [random.lognormvariate(0, 1.3) * len(sequence) for _, _, sequence in items]
    counts = [0] * len(items)
    with open("1.fq", "w") as first, open("2.fq", "w") as second:
        for number, i in enumerate(random.choices(range(len(items)), weights, k=30_000)):
            counts[i] += 1
            sequence = items[i][2]
            size = min(len(sequence), max(100, int(random.gauss(250, 30))))
            begin = random.randint(0, len(sequence) - size)
            mates = [sequence[begin : begin + size][:100], reverse_complement(sequence[begin : begin + size])[:100]]
            if random.random() < 0.5:
                mates.reverse()
            for out, mate in zip((first, second), mates):
                out.write(f"@f{number}\n{diverged(mate, 0.005)}\n+\n{'I' * len(mate)}\n")
    with open("truth.tsv", "w") as truth:
        for (family, name, _), count in zip(items, counts):
            truth.write(f"{family}\t{name}\t{count}\n")


def check(path, level):
    truth, found = {}, {}
    with open("truth.tsv") as lines:
        for family, name, count in (line.rstrip("\n").split("\t") for line in lines):
            if family:
                key = family if level == "family" else name
                truth[key] = truth.get(key, 0) + int(count)
    with open(path) as lines:
        next(lines)
        for name, count in (line.rstrip("\n").split("\t")[:2] for line in lines):
            found[name.strip('"').split(":")[0]] = float(count)
    names = sorted(truth)
    x, y = [truth[n] for n in names], [found.get(n, 0) for n in names]
    print(f"{len(names)} values, correlation {statistics.correlation(x, y):.5f}, sums {sum(x)} and {sum(y):.0f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["make"]:
        make()
    elif len(sys.argv) == 4 and sys.argv[1] == "check" and sys.argv[3] in ("locus", "family"):
        check(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
