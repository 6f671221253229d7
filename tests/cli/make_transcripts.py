#!/usr/bin/env python3
"""make_transcripts.py PAIRS SEED: a small transcriptome with isoforms and paralogs, read pairs of it, and the truth.

Writes transcripts.fa, genes.tsv (gene, transcript), truth.tsv (transcript, pairs, share of all molecules), 1.fq and 2.fq.
Then the same for a genome with genes of 1 to 4 equal copies: genome.fa, genes.gtf, gene_truth.tsv (copy, pairs if each is
shared equally among the copies), g1.fq and g2.fq.
"""

import random
import sys

pairs, seed = int(sys.argv[1]), int(sys.argv[2])
random.seed(seed)
READ = 75
ERRORS = 0.005


def bases(length):
    return "".join(random.choice("ACGT") for _ in range(length))


def diverged(sequence, rate):
    return "".join(random.choice("ACGT") if random.random() < rate else c for c in sequence)


def reverse_complement(sequence):
    return sequence[::-1].translate(str.maketrans("ACGT", "TGCA"))


class Pairs:
    """Writes read pairs of fragments."""

    def __init__(self, prefix):
        self.files = [open(f"{prefix}{mate}.fq", "w") for mate in (1, 2)]
        self.count = 0

    def add(self, sequence, begin, end):
        mates = [sequence[begin:end][:READ], reverse_complement(sequence[begin:end])[:READ]]
        if random.random() < 0.5:
            mates.reverse()
        for file, mate in zip(self.files, mates):
            file.write(f"@p{self.count}\n{diverged(mate, ERRORS)}\n+\n{'I' * READ}\n")
        self.count += 1

    def close(self):
        for file in self.files:
            file.close()


def fragment(length):
    size = min(length, max(READ, int(random.gauss(200, 25))))
    begin = random.randint(0, length - size)
    return begin, begin + size


# --- transcripts ---
transcripts = []  # gene, name, sequence
genes = []
for g in range(50):
    if g % 5 == 4:  # a paralog of the gene before
        exons = [diverged(exon, 0.02) for exon in genes[-1]]
    else:
        exons = [bases(random.randint(120, 350)) for _ in range(random.randint(2, 6))]
    genes.append(exons)
    kept = {tuple(range(len(exons)))}
    for _ in range(random.randint(0, 3)):
        some = [i for i in range(len(exons)) if random.random() < 0.7]
        if sum(len(exons[i]) for i in some) >= 300:
            kept.add(tuple(some))
    for t, chosen in enumerate(sorted(kept)):
        transcripts.append((f"gene{g}", f"gene{g}_t{t}", "".join(exons[i] for i in chosen)))

molecules = [random.lognormvariate(0, 1.5) for _ in transcripts]
weights = [m * max(1, len(t[2]) - 200) for m, t in zip(molecules, transcripts)]
counts = [0] * len(transcripts)
out = Pairs("")
for t in random.choices(range(len(transcripts)), weights, k=pairs):
    counts[t] += 1
    out.add(transcripts[t][2], *fragment(len(transcripts[t][2])))
out.close()
with open("transcripts.fa", "w") as fasta, open("genes.tsv", "w") as table, open("truth.tsv", "w") as truth:
    for (gene, name, sequence), count, share in zip(transcripts, counts, molecules):
        fasta.write(f">{name}\n{sequence}\n")
        table.write(f"{gene}\t{name}\n")
        truth.write(f"{name}\t{count}\t{share}\n")

# --- a genome with copies of genes ---
families = [(f"family{f}", bases(random.randint(600, 1500)), f % 4 + 1) for f in range(40)]
placed = [(f"{name}_{c}", sequence) for name, sequence, copies in families for c in range(copies)]
random.shuffle(placed)
genome, at = [bases(500)], {}
position = 500
for name, sequence in placed:
    at[name] = (position, position + len(sequence))
    gap = bases(random.randint(300, 600))
    genome += [sequence, gap]
    position += len(sequence) + len(gap)
with open("genome.fa", "w") as fasta:
    fasta.write(">chr1\n" + "".join(genome) + "\n")
with open("genes.gtf", "w") as gtf:
    for name, (begin, end) in sorted(at.items()):
        gtf.write(f'chr1\tmade\texon\t{begin + 1}\t{end}\t.\t+\t.\tgene_id "{name}"; transcript_id "{name}";\n')
shares = [random.lognormvariate(0, 1) for _ in families]
of_family = [0] * len(families)
out = Pairs("g")
for f in random.choices(range(len(families)), shares, k=pairs // 2):
    of_family[f] += 1
    out.add(families[f][1], *fragment(len(families[f][1])))
out.close()
with open("gene_truth.tsv", "w") as truth:
    for (name, _, copies), count in zip(families, of_family):
        for c in range(copies):
            truth.write(f"{name}_{c}\t{count / copies}\n")
