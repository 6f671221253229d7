#!/usr/bin/env python3
"""Commands of bowtie 1, razers3 and bwa aln beside those of Trawl that take their place: the same records? CPU time, memory.

    bench/replaced.py --reference human133 --workdir WORK          # prints the table of docs/record/peers.md
    bench/replaced.py --reference x.fa --workdir WORK --reads 200 --lengths 15-50 --repeats 1

Old and new run in turn, with one thread and saved indexes (razers3 and `trawl scan` have none); the smallest CPU time of all
repetitions is shown. `same` and `only`: places (read, strand, contig, begin, edits) that both
have, and that one has; with gaps, begins may differ by as many bases as there are edits. Exit status 1 if only one has some.
"""

import argparse
import collections
import pathlib
import random
import re
import shutil
import sys

import genomes
from workdir import Workdir

COMPLEMENT = str.maketrans("ACGTN", "TGCAN")
OTHER = {"A": "C", "C": "G", "G": "T", "T": "A"}


def reverse_complement(bases: str) -> str:
    return bases.translate(COMPLEMENT)[::-1]


def contigs_of(path) -> dict[str, str]:
    found = {}
    for entry in pathlib.Path(path).read_text().split(">")[1:]:
        name, _, bases = entry.partition("\n")
        found[name.split()[0]] = bases.replace("\n", "").upper()
    return found


def write_reads(path, contigs, count, lengths, edits, ends_with=""):
    """Reads from either strand, with up to so many substitutions."""
    names = list(contigs)
    weights = [len(contigs[name]) for name in names]
    with open(path, "w") as out:
        done = 0
        while done < count:
            contig = contigs[random.choices(names, weights)[0]]
            length = random.choice(lengths) + len(ends_with)
            at = random.randrange(max(1, len(contig) - length))
            bases = contig[at:at + length]
            bases = bases if random.random() < 0.5 else reverse_complement(bases)
            if len(bases) == length and set(bases) <= set("ACGT") and bases.endswith(ends_with[1:]):
                bases = list(bases[:length - len(ends_with)])
                for i in random.sample(range(len(bases)), random.randint(0, edits)):
                    bases[i] = OTHER[bases[i]]
                out.write(f">r{done}\n{''.join(bases)}\n")
                done += 1


def write_alleles(path, genes=6, alleles=300, length=1100):
    """Like the reference of OptiType: many alleles of few genes, which differ in some of 40 places, or by a gap."""
    with open(path, "w") as out:
        for g in range(genes):
            gene = "".join(random.choices("ACGT", k=length))
            places = random.sample(range(length), 40)
            for a in range(alleles):
                allele = list(gene)
                for i in random.sample(places, random.randint(0, 12)):
                    allele[i] = "" if i % 8 == 0 else OTHER[gene[i]]
                out.write(f">HLA{g:02}{a:03}\n{''.join(allele)}\n")


def sam_places(path):
    """Those of its records, and of their tags XA."""
    for line in open(path):
        if line[0] == "@":
            continue
        read, flag, contig, begin, *_ = fields = line.split("\t")
        if not int(flag) & 4:
            tags = "\t".join(fields[11:])
            yield read, bool(int(flag) & 16), contig, int(begin), int(re.search(r"NM:i:(\d+)", tags)[1])
            for other in re.findall(r"[^;]+", "".join(re.findall(r"XA:Z:(\S+)", tags))):
                contig, place, _, edits = other.rsplit(",", 3)
                yield read, place[0] == "-", contig, int(place[1:]), int(edits)


def guide_places(path, contigs):
    """Of guides that bwa has found, those with NGG behind them, as CRISPOR filters them."""
    for read, reverse, contig, begin, edits in sam_places(path):
        bases = contigs[contig]
        pam = reverse_complement(bases[begin - 4:begin - 1]) if reverse else bases[begin + 19:begin + 22]
        if len(pam) == 3 and pam.endswith("GG"):
            yield read, reverse, contig, begin, edits


def bed_places(path):
    for line in open(path):
        contig, begin, _, read, _, strand, edits, *_ = line.split("\t")
        yield read, strand == "-", contig, int(begin) + (4 if strand == "-" else 1), int(edits)


def compared(old, new, slack) -> tuple[int, int, int]:
    """How many places both have; only the old one; only the new one."""
    def missing(places, others):
        begins = collections.defaultdict(set)
        for read, reverse, contig, begin, edits in others:
            begins[read, reverse, contig, edits].add(begin)
        return sum(begins[read, reverse, contig, edits].isdisjoint(range(begin - slack, begin + slack + 1))
                   for read, reverse, contig, begin, edits in places)
    old, new = set(old), set(new)
    only_new = missing(new, old)
    return len(new) - only_new, missing(old, new), only_new


SAMSE = "bwa aln -N {aln} index/bwa {reads} > out/{name}.sai && bwa samse -n 100000 index/bwa out/{name}.sai {reads} > {out}"
CASES = [  # name, old command, new command, reads
    ("smallrna", "bowtie -v 1 -a --best --strata -S -f -x index/bowtie {reads} {out}", "map --for smallrna", "small.fa"),
    ("one place", "bowtie -v 2 -m 1 -S -f -x index/bowtie {reads} {out}",
     "map -e 2 --metric hamming --report all --max-loci 1", "36.fa"),
    ("all", "bowtie -v 3 -a -S -f -x index/bowtie {reads} {out}", "map -e 3 --metric hamming --report all", "36.fa"),
    ("bwa aln", SAMSE.replace("{aln}", "-n 2 -o 0 -k 2 -m 2000000"), "map -e 2 --metric hamming --report all", "36.fa"),
    ("CRISPOR", SAMSE.replace("{aln}", "-n 4 -o 0 -k 4 -m 2000000 -l 20"), "scan -e 4 --metric hamming --pam NGG", "guides.fa"),
    ("OptiType", "razers3 -i 97 -m 99999 --distance-range 0 -pa -tc 1 -o {out} alleles.fa {reads}", "map --for hla", "100.fa"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="a FASTA that is not compressed, or a name of bench/genomes.py")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--trawl", default="build/release/trawl")
    parser.add_argument("--reads", type=int, default=10_000, help="a fifth for razers3, 1 in 200 as guides")
    parser.add_argument("--lengths", default="18-30", help="of small RNAs")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="bowtie, bwa or razers3")
    args = parser.parse_args()
    random.seed(7)
    trawl = pathlib.Path(args.trawl).resolve()
    reference = pathlib.Path(genomes.reference(args.reference)).resolve()
    workdir = Workdir(args.workdir)
    work = workdir.path
    low, high = map(int, args.lengths.split("-"))
    write_alleles(work / "alleles.fa")
    for name, of, *how in (("small.fa", reference, args.reads, range(low, high + 1), 1), ("36.fa", reference, args.reads, [36], 2),
                           ("guides.fa", reference, max(10, args.reads // 200), [20], 0, "NGG"),
                           ("100.fa", work / "alleles.fa", max(10, args.reads // 5), [100], 2)):
        write_reads(work / name, contigs_of(of), *how)
    for program, words, made in (("bowtie", ["bowtie-build", "-q", reference, "index/bowtie"], "bowtie.1.ebwt"),
                                 ("bwa", ["bwa", "index", "-p", "index/bwa", reference], "bwa.bwt"),
                                 (trawl, [trawl, "index", reference, "-o", "index/trawl.trawl"], "trawl.trawl")):
        if shutil.which(program) and not (work / "index" / made).exists():
            workdir.run(words, f"index.{pathlib.Path(program).name}.log")
    measured = []
    for name, old, new, reads in CASES:
        if args.only not in old:
            continue
        if not all(shutil.which(word) for word in re.findall(r"(?:^|&& )(\w+)", old)):
            print(f"note: not installed: {old.split()[0]}", file=sys.stderr)
            continue
        command, *options = new.split()
        out = {tool: f"out/{name.replace(' ', '_')}.{tool}.{'bed' if (tool, command) == ('new', 'scan') else 'sam'}"
               for tool in ("old", "new")}
        target = "alleles.fa" if "alleles" in old else reference if command == "scan" else "index/trawl.trawl"
        commands = {"old": ["bash", "-c", old.format(reads=reads, out=out["old"], name=name.replace(" ", "_"))],
                    "new": [trawl, command, *options, "-t", 1, "-o", out["new"], target, reads]}
        usages = {tool: [] for tool in commands}
        for _ in range(args.repeats):
            for tool, words in commands.items():
                usages[tool].append(workdir.run(words, f"{name}.{tool}.log"))
        measured.append((old, new, out, {tool: min(usage.cpu for usage in usages[tool]) for tool in usages},
                         {tool: max(usage.peak_mib for usage in usages[tool]) for tool in usages}))
    # Not between the runs: the memory of this program would be counted as theirs.
    print("| old | new | places | only old | only new | CPU s, old | Trawl | times | MiB, old | Trawl |\n" + "|---" * 10 + "|")
    differs = False
    for old, new, out, cpu, mib in measured:
        if new.startswith("scan"):
            both, only_old, only_new = compared(guide_places(work / out["old"], contigs_of(reference)), bed_places(work / out["new"]), 0)
        else:
            both, only_old, only_new = compared(sam_places(work / out["old"]), sam_places(work / out["new"]), 3 if "razers3" in old else 0)
        differs |= only_old + only_new > 0
        shown = re.sub(r" ?(-S|-f|-x|-tc 1|-o \{out\}|\{\w+\}|index/\w+|alleles.fa|[>]|out/\S+)", "", old)
        print(f"| `{' '.join(shown.split())}` | `trawl {new}` | {both:,} | {only_old:,} | {only_new:,} | {cpu['old']:.2f} | "
              f"{cpu['new']:.2f} | {cpu['old'] / cpu['new']:.1f} | {mib['old']:,.0f} | {mib['new']:,.0f} |", flush=True)
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    main()
