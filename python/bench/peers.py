"""trawl.Scanner and trawl.distance beside sassy-rs and edlib (PyPI), in memory, on one core. All places are compared
before a time is printed. Runs alternate; the ratio is the median of those of neighbours, by the CPU time of the process.

    python python/bench/peers.py [--runs 7] [--fasta genome.fa]
"""

import argparse
import random
import re
import statistics
import sys
import time

import edlib
import numpy as np
import sassy
import trawl

chance = random.Random(17)
COMPLEMENT = str.maketrans("ACGT", "TGCA")
ONE_CORE = {"threads": 1, "device": "cpu"}


def letters(count):
    return np.random.default_rng(chance.randrange(1 << 32)).choice(np.frombuffer(b"ACGT", np.uint8), count).tobytes().decode()


def text_of(fasta, count):
    """The first letters A, C, G and T of a file, or random ones."""
    if fasta is None:
        return letters(count)
    with open(fasta) as file:
        text = "".join("".join(c for c in line.upper() if c in "ACGT") for line in file if line[0] != ">")
    return text[:count]


def complement(text):
    return text.translate(COMPLEMENT)[::-1]


def changed(pattern, edits):
    for _ in range(edits):
        at = chance.randrange(len(pattern))
        pattern = pattern[:at] + chance.choice(["", *"ACGT"]) + pattern[at + chance.randrange(2):]
    return pattern


def with_copies(text, patterns, edits):
    """Each pattern or its complement stands in the text some times, with up to so many edits."""
    parts = list(text[at:at + 1000] for at in range(0, len(text), 1000))
    for n in chance.sample(range(len(parts)), min(len(parts) // 2, 5 * len(patterns))):
        copy = changed(patterns[n % len(patterns)], n % (edits + 1))
        copy = copy if n % 2 else complement(copy)
        parts[n] = parts[n][:500 - len(copy)] + copy + parts[n][500:]
    return "".join(parts)


def seconds(work):
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def compare(name, runs, mine, theirs, places):
    """Prints a row; ends the program if the places differ."""
    times = []
    for _ in range(runs):
        (a, of_mine), (b, of_theirs) = seconds(mine), seconds(theirs)
        times.append((a, b))
    expected, found = places(of_mine, of_theirs)
    if expected != found:
        sys.exit(f"{name}: the places differ: trawl {len(expected)}, the other {len(found)}")
    ratios = sorted(b / a for a, b in times)
    a, b = (statistics.median(column) * 1e3 for column in zip(*times))
    print(f"| {name} | {len(expected):,} | {a:.2f} | {b:.2f} | {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) |",
          flush=True)


def beside_sassy(fasta, runs):
    """On the reverse strand the ends of Trawl are where an alignment ends in the text, those of sassy are where the
    pattern ends. So each is compared with the other's search of the complement, which is not timed."""
    patterns = [letters(20) for _ in range(100)]
    text = with_copies(text_of(fasta, 6_000_000), patterns, 3)
    raw, held = text.encode(), trawl.Reference({"c": text})
    both, forward = sassy.Searcher("dna", rc=True), sassy.Searcher("dna", rc=False)

    def scanner(searched, **options):
        return trawl.Scanner(searched, edits=3, report="ends", **ONE_CORE, **options)

    def by_sassy():
        return [both.search_all(pattern.encode(), raw, 3) for pattern in patterns]

    def ends(site, number=0):
        return {(int(p) + number, s, int(e), int(d)) for p, s, e, d in
                zip(site["pattern"], site["strand"], site["end"], site["distance"])}

    of_complement = scanner(patterns, strand="+").scan(complement(text).encode())
    trawl_reverse = {(p, "reverse", len(text) - e, d) for p, _, e, d in ends(of_complement)}
    sassy_reverse = {(n, "-", m.text_end, m.cost) for n, pattern in enumerate(patterns)
                     for m in forward.search_all(complement(pattern).encode(), raw, 3)}

    def places(mine, theirs):
        found = set().union(*(ends(table, n) for n, table in enumerate(mine))) | trawl_reverse
        return found, sassy_reverse | {(n, "+", m.text_end, m.cost) if m.strand == "+" else
                                       (n, "reverse", m.text_start, m.cost)
                                       for n, matches in enumerate(theirs) for m in matches}

    what = f"of 100 patterns of 20, k = 3, {len(text) / 1e6:.1f} Mbp, both strands"
    compare(f"sassy, {what}; a Scanner for each, the text as it is", runs,
            lambda: [scanner(pattern).scan(raw) for pattern in patterns], by_sassy, places)
    compare("the same; in a Reference", runs,
            lambda: [scanner(pattern).scan(held) for pattern in patterns], by_sassy, places)
    compare("the same; one Scanner for all", runs, lambda: [scanner(patterns).scan(held)], by_sassy, places)


def beside_edlib(fasta, runs):
    """edlib gives the best ends. A Scanner is timed as it is by default, with an alignment for each locus; its best ends
    are compared."""
    pattern = letters(100)
    for size, edits in (100_000, 5), (100_000, 10), (10_000_000, 5), (10_000_000, 10):
        text = with_copies(text_of(fasta, size), [pattern], 4)
        again = max(1, 20_000_000 // size)  # calls in a run, so that it takes long enough to be measured
        what = f"edlib HW, 100 in {size:,}"

        def by_edlib(most):
            return lambda: [edlib.align(pattern, text, mode="HW", task="distance", k=most) for _ in range(again)][0]

        options = {"edits": edits, "strand": "+", **ONE_CORE}
        all_ends, scanner = (trawl.Scanner(pattern, report=report, **options) for report in ("ends", "loci"))

        def best_ends(_, theirs):
            sites = all_ends.scan(text)
            best = sites["distance"].min()
            return ({(int(best), int(e)) for e, d in zip(sites["end"], sites["distance"]) if d == best},
                    {(theirs["editDistance"], end + 1) for _, end in theirs["locations"]})

        compare(f"{what}, k = {edits}; Scanner", runs, lambda: [scanner.scan(text) for _ in range(again)][0], by_edlib(edits),
                best_ends)
        if edits == 5:
            compare(f"{what}, no k; distance()", runs,
                    lambda: [trawl.distance(pattern, text, mode="infix") for _ in range(again)][0], by_edlib(-1),
                    lambda mine, theirs: ([mine], [theirs["editDistance"]]))


def beside_edlib_long(runs):
    """Two long strings as wholes: the distance, and an alignment, whose CIGAR is compared by its edits."""
    for length in 10_000, 100_000, 300_000:
        for part in 0.01, 0.05, 0.2, None:
            query = letters(length)
            target = letters(length) if part is None else "".join(
                chance.choice(["", chance.choice("ACGT"), letter + chance.choice("ACGT")]) if chance.random() < part
                else letter for letter in query)
            what = f"edlib NW, {length:,} letters, " + ("unrelated" if part is None else f"{part:.0%} changed")
            compare(f"{what}; distance()", runs, lambda: trawl.distance(query, target),
                    lambda: edlib.align(query, target, task="distance"),
                    lambda mine, theirs: ([mine], [theirs["editDistance"]]))
            compare(f"{what}; align()", runs, lambda: trawl.align(query, target, eqx=True),
                    lambda: edlib.align(query, target, task="path"),
                    lambda mine, theirs: ([edits_of(mine.cigar)], [edits_of(theirs["cigar"])]))


def edits_of(cigar):
    return sum(int(length) for length, kind in re.findall(r"(\d+)(.)", cigar) if kind != "=")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--fasta", help="the first letters A, C, G and T of this file; by default random ones")
    given = parser.parse_args()
    print("| what | places | Trawl, ms of CPU time | the other | ratio (least to most) |\n|---|---|---|---|---|")
    beside_sassy(given.fasta, given.runs)
    beside_edlib(given.fasta, given.runs)
    beside_edlib_long(given.runs)


if __name__ == "__main__":
    main()
