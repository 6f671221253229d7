"""--circular: places and products over the origin of a circular sequence, against the same sequence turned round."""

import random
from pathlib import Path

import pytest

from tools import assert_same, mutated, random_bases, reverse_complement, run, table, write_fasta, write_lines


LENGTHS = {"plasmid": 900, "linear": 700, "small": 150}


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa: circular sequences and a linear one; turned.fa: the circular ones from their middle on."""
    random.seed(21)
    contigs = {name: random_bases(length) for name, length in LENGTHS.items()}
    write_fasta("ref.fa", *contigs.items())
    write_fasta("turned.fa", *((name, text if name == "linear" else text[len(text) // 2:] + text[:len(text) // 2])
                               for name, text in contigs.items()))
    patterns, primers = [], []
    for n in range(60):
        name, text = random.choice(list(contigs.items()))
        at = random.choice([random.randrange(-24, 1), random.randrange(len(text))])
        site = (text + text)[at % len(text):][:24]
        site = mutated(site if n % 2 else reverse_complement(site), random.randint(0, 3))
        patterns.append((f"p{n}", site))
    write_lines("patterns.tsv", *("\t".join(pattern) for pattern in patterns))
    for n in range(25):
        name, text = random.choice([one for one in contigs.items() if one[0] != "small"])
        left, size = random.choice([len(text) - random.randint(1, 250), random.randrange(len(text))]), 300
        product = (text + text)[left:left + size]
        primers.append((f"q{n}", mutated(product[:20], n % 3), mutated(reverse_complement(product[-20:]), n % 2)))
    write_lines("primers.tsv", *("\t".join(primer) for primer in primers))
    write_fasta("guides.fa", *((f"g{n}", (contigs["plasmid"] * 2)[at:at + 20]) for n, at in enumerate(range(850, 925, 4))))


CIRCULAR = ["--circular", "plasmid", "--circular", "small"]


def turned_back(row, columns=("start", "end")):
    """A place in turned.fa, as it would be in ref.fa."""
    length = LENGTHS[row["contig"]]
    start, end = (int(row[column]) for column in columns)
    if row["contig"] != "linear":
        start, end = start + length // 2, end + length // 2
        if start >= length:
            start, end = start - length, end - length
    return row | {columns[0]: str(start), columns[1]: str(end)}


def in_order(found):
    return sorted(tuple(row.items()) for row in found)


@pytest.mark.parametrize("options", ["-e 0", "-e 2", "-e 4", "--metric hamming -e 3", "-e 3 --report ends",
                                     "-e 3 --tune chunk-size=64", "-e 3 --strand -"])
def test_places_do_not_depend_on_the_origin(options):
    command = ["scan", *options.split(), *CIRCULAR]
    message = run(*command, "ref.fa", "patterns.tsv", "-o", "out/x.tsv").ok().stderr
    assert "1750 bases" in message
    run(*command, "turned.fa", "patterns.tsv", "-o", "out/turned.tsv").ok()
    found = table("out/x.tsv")
    assert in_order(found) == in_order(turned_back(row) for row in table("out/turned.tsv"))
    order = [(list(LENGTHS).index(row["contig"]), int(row["start"])) for row in found]
    assert order == sorted(order) and all(start < LENGTHS[row["contig"]] for row, (_, start) in zip(found, order))
    over = [row for row in found if int(row["end"]) > LENGTHS[row["contig"]]]
    assert len(over) > 3 and "linear" not in {row["contig"] for row in over}
    # What does not touch the origin is as before.
    run("scan", *options.split(), "ref.fa", "patterns.tsv", "-o", "out/linear.tsv").ok()
    inside = [row for row in found if row not in over and int(row["start"]) > 30]
    assert [row for row in inside if int(row["end"]) < LENGTHS[row["contig"]] - 30] == [
        row for row in table("out/linear.tsv")
        if int(row["start"]) > 30 and int(row["end"]) < LENGTHS[row["contig"]] - 30]


def test_guides_over_the_origin():
    command = ["scan", "-e", 3, "--max-bulges", 1, "--pam", "NNN", *CIRCULAR[:2]]
    run(*command, "ref.fa", "guides.fa", "-o", "out/x.tsv").ok()
    run(*command, "turned.fa", "guides.fa", "-o", "out/turned.tsv").ok()
    columns = ["contig", "start", "end", "pattern", "strand", "distance", "cigar", "text"]
    some = lambda found: sorted([row[column] for column in columns] for row in found if row["contig"] == "plasmid")
    assert some(table("out/x.tsv")) == some(turned_back(row) for row in table("out/turned.tsv"))
    assert any(int(row["end"]) > 900 for row in table("out/x.tsv"))


@pytest.mark.parametrize("options", ["-e 0", "-e 2 --size 50-800", "-e 2 --size 100-5000 --combine all"])
def test_products_do_not_depend_on_the_origin(options):
    command = ["primers", *options.split(), *CIRCULAR]
    run(*command, "ref.fa", "primers.tsv", "-o", "out/x.tsv").ok()
    run(*command, "turned.fa", "primers.tsv", "-o", "out/turned.tsv").ok()
    found = table("out/x.tsv")
    assert in_order(found) == in_order(turned_back(row) for row in table("out/turned.tsv"))
    over = [row for row in found if int(row["end"]) > LENGTHS[row["contig"]]]
    assert len(over) > 3 or options == "-e 0"
    assert all(int(row["size"]) <= LENGTHS[row["contig"]] for row in found if row["contig"] != "linear")
    run("primers", *options.split(), "ref.fa", "primers.tsv", "-o", "out/linear.tsv").ok()
    linear = [row for row in found if int(row["end"]) <= LENGTHS[row["contig"]]]
    # A product of the linear sequence may be one of other edits on the circle, but only at its ends.
    inside = lambda rows_: [row for row in rows_ if int(row["start"]) > 30
                            and int(row["end"]) < LENGTHS[row["contig"]] - 30]
    assert inside(linear) == inside(table("out/linear.tsv"))


def test_a_saved_index_gives_the_same():
    run("index", "ref.fa").ok()
    assert_same(run("scan", "-e", 2, *CIRCULAR, "ref.fa", "patterns.tsv").ok().bytes,
                run("scan", "-e", 2, *CIRCULAR, "ref.fa.trawl", "patterns.tsv").ok().bytes,
                run("scan", "-e", 2, *CIRCULAR, "-", "patterns.tsv", stdin="ref.fa").ok().bytes)


def test_a_circle_that_is_shorter_than_the_pattern():
    write_fasta("out/tiny.fa", ("tiny", "ACGGTCATTG"))
    run("scan", "-p", "TTGACGGTCATTGACGG", "--circular", "tiny", "out/tiny.fa", "-o", "out/x.tsv").ok()
    assert [(row["start"], row["end"]) for row in table("out/x.tsv")] == [("7", "24")]


@pytest.mark.parametrize("options, message", [
    ("--circular chrM", "--circular chrM: the reference has no sequence with this name"),
    ("--circular plasmid -o out/x.sam", "--circular cannot be used with a file named .sam"),
    ("--circular plasmid --per-read best", "--circular cannot be used with --per-read best"),
    ("--circular plasmid --report-html out/x.html -o out/x.tsv", "--circular cannot be used with --report-html")])
def test_bad_options(options, message):
    run("scan", *options.split(), "ref.fa", "patterns.tsv").fails(2, message)
    assert list(Path("out").iterdir()) == []
