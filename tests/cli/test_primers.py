"""trawl primers: all products of primer pairs, against an oracle."""

import functools
import random
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import (assert_same, execute, has_cuda, mutated, random_bases, read_fasta, read_json, reverse_complement, rows,
                   run, table, write_fasta, write_lines)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """Primers and places where they match, with mismatches and indels, on both strands; also N near them, and primers
    whose products overlap. ref.fa; primers.tsv; table.tsv without the last pair, which has two equal primers."""
    random.seed(4)
    primers = [tuple(random_bases(random.randint(18, 24)) for _ in range(2)) for _ in range(4)]
    primers.append((primers[0][0], random_bases(20)))  # two pairs share a primer
    primers.append((primers[1][1], primers[1][1]))
    text = random_bases(5000)
    for n in range(70):
        left, right = random.choice(primers)
        if random.random() < 0.3:
            left, right = right, left
        if random.random() < 0.15:
            right = left
        middle = random_bases(random.randint(0, 300), "ACGTN" if n % 9 == 0 else "ACGT")
        left, right = (mutated(primer, random.randint(0, 3), n % 2) for primer in (left, right))
        at = random.randrange(len(text))
        text = text[:at] + left + middle + reverse_complement(right) + text[at:]
    half = len(text) // 2
    write_fasta("ref.fa", ("a first", text[:half]), ("b", text[half:].lower()))
    lines = [f"p{n}\t{forward}\t{reverse}" for n, (forward, reverse) in enumerate(primers)]
    write_lines("primers.tsv", "# name forward reverse", *lines)
    write_lines("table.tsv", *lines[:-1])


FILES = ["ref.fa", "primers.tsv"]
PRIMERS_CPU = ["primers", "--engine", "cpu"]


# --- the oracle: plain dynamic programming, which finds loci, not alignments ---
#
# With edits, an end of a product may be any of the places where an alignment of the locus can begin. So sizes near the
# smallest and the largest one are not certain: such a product may be in the table or not.


def hamming_distances(pattern, text):
    """By end in the text: the distance to the letters before it, and the lengths that have it, as bits."""
    m = len(pattern)
    return [(sum(a != b or b == "N" for a, b in zip(pattern, text[end - m:end])) if end >= m else m + 1, 1 << m)
            for end in range(len(text) + 1)]


def edit_distances(pattern, text, most):
    """By end in the text: the smallest distance to a substring that ends there, and the lengths of such substrings, as
    bits. A distance above `most` is only known to be above it."""
    column = [(i, 1) for i in range(min(len(pattern), most) + 1)]
    columns = [column]
    for letter in text:
        before, column = [*column, (most + 1, 0)], [(0, 1)]
        # Behind the last distance of at most `most` the next column has one more at the most: on a diagonal, distances
        # never fall.
        for wanted, (diagonal, shorter), (left, longer) in zip(pattern, before, before[1:]):
            above, same = column[-1]
            diagonal, left, above = diagonal + (wanted != letter or letter == "N"), left + 1, above + 1
            best = min(diagonal, left, above)
            column.append((best, (diagonal == best and shorter << 1) | (left == best and longer << 1)
                           | (above == best and same)))
        while column[-1][0] > most:
            column.pop()
        columns.append(column)
    return [column[-1] if len(column) > len(pattern) else (most + 1, 0) for column in columns]


class Locus(NamedTuple):
    """The smallest distance, and the places where an alignment with it may begin and end."""
    distance: int
    begins: set
    ends: set


@functools.lru_cache(maxsize=None)
def loci(primer, text, metric, most, exact):
    """Runs of ends next to each other; with mismatches only, single ones. The last `exact` letters match without an
    edit."""
    body, tail = primer[:len(primer) - exact], primer[len(primer) - exact:]
    distances = hamming_distances(body, text) if metric == "hamming" else edit_distances(body, text, most)
    found, is_open = [], False
    for end in range(exact, len(text) + 1):
        distance, lengths = distances[end - exact]
        if distance > most or text[end - exact:end] != tail:
            is_open = False
            continue
        if not is_open or metric == "hamming":
            found.append(Locus(distance, set(), set()))
        is_open = True
        if distance < found[-1].distance:
            found[-1] = Locus(distance, set(), set())
        if distance == found[-1].distance:
            found[-1].begins.update(end - exact - n for n in range(lengths.bit_length()) if lengths >> n & 1)
            found[-1].ends.add(end)
    return found


def loci_of_other_strand(primer, text, metric, most, exact):
    if metric == "levenshtein" and exact == 0:  # a locus is a run of ends on the reference
        return loci(reverse_complement(primer), text, metric, most, 0)
    n = len(text)
    return [Locus(distance, {n - end for end in ends}, {n - begin for begin in begins})
            for distance, begins, ends in loci(primer, reverse_complement(text), metric, most, exact)]


def products(contigs, primers, smallest, largest, how):
    """All pairs of loci: {(contig, pair, left, right): [(locus, locus, whether it is certain)]}"""
    found = {}
    for contig, text in contigs.items():
        for pair, sides in primers.items():
            for left_side, left_primer in sides.items():
                for right_side, right_primer in sides.items():
                    own = found[contig, pair, left_side, right_side] = []
                    for left in loci(left_primer, text, *how):
                        for right in loci_of_other_strand(right_primer, text, *how):
                            fits = [smallest <= end - begin <= largest for begin in left.begins for end in right.ends]
                            if not any(fits):
                                continue
                            inside = [begin <= other and end <= stop for begin in left.begins for other in right.begins
                                      for end in left.ends for stop in right.ends]
                            if any(inside):
                                own.append((left, right, all(fits) and all(inside)))
    return found


def check_products(path, smallest, largest, metric, most, exact):
    """Against the oracle. How many there are."""
    contigs = {name: text.upper() for name, text in read_fasta("ref.fa").items()}
    # Of two equal primers there is one.
    primers = {name: {"forward": forward} | ({"reverse": reverse} if reverse != forward else {})
               for name, forward, reverse in rows("primers.tsv")[1:]}
    expected = products(contigs, primers, smallest, largest, (metric, most, exact))
    found = table(path)
    order = [(list(contigs).index(row["contig"]), int(row["start"]), int(row["end"])) for row in found]
    assert order == sorted(order)
    missing = {key: list(own) for key, own in expected.items()}
    for row in found:
        start, end = int(row["start"]), int(row["end"])
        product = contigs[row["contig"]][start:end]
        assert int(row["size"]) == end - start and smallest <= end - start <= largest, row
        strand = "." if row["left"] == row["right"] else "+" if row["left"] == "forward" else "-"
        assert row["strand"] == strand, row
        assert row["sequence"] == (reverse_complement(product) if strand == "-" else product), row
        assert product.startswith(row["left_text"]) and reverse_complement(product).startswith(row["right_text"]), row
        for side in "left", "right":
            primer, site = primers[row["pair"]][row[side]], row[side + "_text"]
            assert exact == 0 or site.endswith(primer[-exact:]), row
            assert edit_distances(primer, site, most)[-1][0] <= int(row[side + "_edits"]) <= most, row
        key = row["contig"], row["pair"], row["left"], row["right"]
        one, = [(left, right, certain) for left, right, certain in expected[key]
                if start in left.begins and start + len(row["left_text"]) in left.ends
                and end - len(row["right_text"]) in right.begins and end in right.ends
                and (int(row["left_edits"]), int(row["right_edits"])) == (left.distance, right.distance)]
        missing[key].remove(one)  # each is there once
    assert [(key, one) for key, own in missing.items() for one in own if one[2]] == []
    return len(found)


@pytest.mark.parametrize("metric, most, exact, smallest, largest", [
    ("hamming", 0, 0, 1, 3000), ("hamming", 2, 0, 60, 1000), ("hamming", 3, 6, 50, 2000),
    ("levenshtein", 1, 0, 40, 400), ("levenshtein", 3, 0, 50, 1000), ("levenshtein", 3, 4, 50, 1000),
    ("levenshtein", 2, 1, 1, 3000)])
def test_the_products_are_those_of_the_oracle(metric, most, exact, smallest, largest):
    options = ["--metric", metric, "-k", most, "--three-prime", exact, "--size", f"{smallest}-{largest}", *FILES]
    run(*PRIMERS_CPU, *options, "-o", "out/products.tsv").ok()
    assert check_products("out/products.tsv", smallest, largest, metric, most, exact) >= (1 if most == 0 else 20)
    for how in ["cpu -t 1", "cpu -t 3", "cpu --tune chunk-size=100", "cpu --tune search=rows",
                "cpu --tune search=pieces"] + ["cuda"] * has_cuda():
        result = run("primers", "--verbose", "--engine", *how.split(), *options, "-o", "out/again.tsv").ok()
        assert_same("out/products.tsv", "out/again.tsv")
        assert "search=" not in how or f", by {how[18:]})" in result.stderr


# --- formats ---


def test_formats():
    command = [*PRIMERS_CPU, "-k", 2, "--size", "50-1000"]
    message = run(*command, *FILES, "-o", "out/x.tsv", "--stats", "out/stats.json").ok().stderr
    assert "6 primer pairs, " in message
    run(*command, *FILES, "-o", "out/x.bed").ok()
    of_tsv = [[*row[:5], row[7], row[11]] for row in rows("out/x.tsv")[1:]]
    assert of_tsv == [row[:4] + row[5:8] for row in rows("out/x.bed")]
    assert read_json("out/stats.json")["amplicons"] == len(of_tsv)
    run(*command, *FILES, "-o", "out/x.bed.gz").ok()
    run("index", "ref.fa").ok()
    assert_same("out/x.bed", execute("gzip", "-dc", "out/x.bed.gz").ok(),
                run(*command, "-", "primers.tsv", stdin="ref.fa"), run(*command, "ref.fa.trawl", "primers.tsv"))


def test_the_default_of_size():
    run("primers", *FILES, "-o", "out/x.tsv").ok()
    run("primers", "--size", "50-2000", *FILES, "-o", "out/again.tsv").ok()
    assert_same("out/x.tsv", "out/again.tsv")


# --- what is wrong ---


@pytest.mark.parametrize("arguments, message", [
    ("scan --three-prime 3", "--three-prime: primers have a command of their own"),
    ("scan --amplicons 50-900", "--amplicons: primers have a command of their own: trawl primers REF PRIMERS"),
    ("primers --size 100 -o out/x.tsv", "--size 100: give the smallest and the largest size"),
    ("primers --size 0-5", "a product covers at least 1 base"),
    ("primers --size 50-900 -o out/x.sam", "use .tsv, .tsv.gz, .bed or .bed.gz, or -"),
    ("primers --size 50-900 -o out/x.txt", "use .tsv, .tsv.gz, .bed or .bed.gz, or -"),
    ("primers --pam NGG", "there is no option --pam"),
    ("primers --size 50-900 --three-prime 30", "a primer of the pair p0 has"),
    ("primers --size 50-900 --three-prime 17 -k 9", "would match everywhere")])
def test_wrong_usage(arguments, message):
    run(*arguments.split(), *FILES).fails(2, message)
    assert list(Path("out").iterdir()) == []


@pytest.mark.parametrize("file, text, message", [
    ("half.tsv", "p\tACGTACGTTGCA\tACGTTGCATTT\nq\tACGTACGTTGCA\n", "half.tsv:2: not a pair of primers"),
    ("letters.tsv", "p\tACGTACGT\tACJT\n", "is not an IUPAC letter")])
def test_wrong_files(file, text, message):
    Path(file).write_text(text)
    run("primers", "--size", "50-900", "ref.fa", file).fails(1, message)


def test_a_warning_if_pairs_are_given_to_scan():
    """But not for other third columns."""
    pairs = rows("table.tsv")
    write_lines("single.tsv", *(f"{name}\t{forward}" for name, forward, _ in pairs))
    write_lines("words.tsv", *(f"{name}\t{forward}\tGATTACA" for name, forward, _ in pairs))
    hint = "looks like a table of primer pairs, but only the first primer of each line is searched"
    for file in "primers.tsv", "table.tsv":
        message = run("scan", "-k", 1, "ref.fa", file, "-o", "out/x.bed").ok().stderr
        assert f"trawl scan: warning: {file} {hint}" in message
    for file in "single.tsv", "words.tsv":
        assert hint not in run("scan", "-k", 1, "ref.fa", file, "-o", "out/x.bed").ok().stderr, file
    assert hint not in run("primers", "-k", 1, "--size", "50-900", *FILES, "-o", "out/x.tsv").ok().stderr
