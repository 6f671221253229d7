#!/usr/bin/env python3
"""Makes two files of mrFAST from what trawl map has written: discordant pairs for VariationHunter and TARDIS (DIVET), and
pairs with one mapped mate (OEA). Takes SAM in the order of the reads. docs/pairs.md says what is in the files.

    trawl map --report all --discordant always --stats run.json ref.fa 1.fq 2.fq -o pairs.bam
    samtools view -h --no-PG pairs.bam | divet_oea.py run.json discordant.vh one_end.sam
"""

import itertools
import json
import math
import re
import sys

MOST_LINES, MOST_RECORDS = 300, 100  # of a pair: in DIVET, as mrFAST's --maxdis; in OEA
ASSUMED_QUALITY = 30  # of reads without qualities
PAIRED, PROPER, UNMAPPED, REVERSE, FIRST, SUPPLEMENTARY = 1, 2, 4, 16, 64, 2048


class Record:
    def __init__(self, line):
        self.line = line
        self.name, flag, self.contig, position, _, cigar, _, _, _, self.bases, self.letters, *tags = line.split("\t")
        self.flag, self.is_reverse = int(flag), bool(int(flag) & REVERSE)
        qualities = [ord(letter) - 33 for letter in self.letters] if self.letters != "*" else []
        self.qualities = qualities[::-1] if self.is_reverse else qualities  # as in the input
        self.tags = {tag[:2]: tag[5:] for tag in tags}
        self.cigar = [(int(length), op) for length, op in re.findall(r"(\d+)([MIDNSH=X])", cigar)]
        self.begin = int(position) - 1
        self.end = self.begin + sum(length for length, op in self.cigar if op in "MDN=X")

    def probability(self, qualities):
        """0.001 + 10^(-Q / 10) for each mismatch, times 0.0003 for each inserted or deleted base."""
        product = math.prod(0.0003**length for length, op in self.cigar if op in "ID")
        read = "".join(length * op for length, op in self.cigar if op not in "DN")
        aligned, at = [base for base, op in enumerate(read) if op in "M=X"], 0
        for matches, mismatch in re.findall(r"(\d+)|\^[A-Z]+|([A-Z])", self.tags["MD"]):
            if mismatch:
                base = -1 - aligned[at] if self.is_reverse else aligned[at]
                product *= 0.001 + 10 ** (-(qualities[base] if qualities else ASSUMED_QUALITY) / 10)
            at += int(matches or 0) + len(mismatch)
        return product


def event(orientation, sizes, first, second):
    """The letter of DIVET; none for mates that overlap and dovetail, or that lie like a concordant pair."""
    if first.contig != second.contig:
        return "T"
    if (first.is_reverse == second.is_reverse) != (orientation == "ff"):
        return "V"
    left, right = (first, second) if first.is_reverse == (orientation == "rf") else (second, first)
    if right.begin < left.begin and right.end < left.end:
        return "E" if right.end <= left.begin else None
    size = max(left.end, right.end) - min(left.begin, right.begin)
    return "D" if size > sizes["max"] else "I" if size < sizes["min"] else None


def divet_lines(mates, orientation, sizes):
    of_first, of_second = mates[0][0].qualities, mates[1][0].qualities
    both = of_first + of_second or [ASSUMED_QUALITY]
    average = (2 * sum(both) + len(both)) // (2 * len(both))
    # Those with the highest scores. The loci of a mate are in that order: (i, j) has (i + 1) (j + 1) - 1 before it.
    pairs = [(a, b) for i, a in enumerate(mates[0][:MOST_LINES]) for b in mates[1][: MOST_LINES // (i + 1)]]
    pairs.sort(key=lambda pair: -sum(int(record.tags["AS"]) for record in pair))
    for a, b in pairs[:MOST_LINES]:
        if letter := event(orientation, sizes, a, b):
            places = [(record.begin + 1, record.end, "FR"[record.is_reverse]) for record in (a, b)]
            columns = [a.name, a.contig, *places[0], b.contig if letter == "T" else "=", *places[1], letter]
            probability = a.probability(of_first) * b.probability(of_second)
            columns += [int(a.tags["NM"]) + int(b.tags["NM"]), average, f"{probability:.6e}"]
            yield "\t".join(map(str, columns)) + "\n"


def main(stats, divet, oea):
    sizes = json.load(open(stats))["insert"]
    with open(divet, "w") as vh, open(oea, "w") as sam:
        for name, group in itertools.groupby(sys.stdin, lambda line: line[0] != "@" and line.split("\t")[0]):
            if not name:
                header = "".join(group)
                if "SO:coordinate" in header:
                    sys.exit("divet_oea.py: the records are sorted by place; give them in the order of the reads")
                orientation = re.search(r"--orientation[ =](\w+)|$", header)[1] or "fr"
                sam.write(header)
                continue
            records = [Record(line.rstrip("\n")) for line in group]
            if not records[0].flag & PAIRED:
                sys.exit(f"divet_oea.py: {name} has no mate; give the records of pairs")
            mapped = [record for record in records if not record.flag & UNMAPPED]
            loci = [record for record in mapped if not record.flag & SUPPLEMENTARY]
            mates = [[record for record in loci if record.flag & FIRST == first] for first in (FIRST, 0)]
            if all(mates) and not loci[0].flag & PROPER:
                vh.writelines(divet_lines(mates, orientation, sizes))
            elif mapped and not all(mates):
                other = next(record for record in records if record.flag & UNMAPPED)
                tags = f"\tNS:Z:{other.bases}" + (f"\tNQ:Z:{other.letters}" if other.letters != "*" else "")
                sam.writelines(record.line + tags + "\n" for record in mapped[:MOST_RECORDS])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 4 else __doc__)
