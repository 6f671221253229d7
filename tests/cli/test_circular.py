"""--circular: places, products and reads over the origin of a circular sequence, against the same sequences turned round.
Of reads, tests/conformance compares the places with an oracle, and pairs with those of the turned sequences."""

import random
from pathlib import Path

import pytest

from tools import (assert_same, calmd, header, mutated, operations, random_bases, read_fasta, records, reverse_complement,
                   run, samtools, table, write_fasta, write_fastq, write_lines)

LENGTHS = {"chrM": 3000, "linear": 2000, "plasmid": 700, "small": 150}
CIRCULAR = ["--circular", "chrM", "--circular", "plasmid", "--circular", "small"]
PAIRS = ["--insert", "150-320", "ref.fa", "1.fq", "2.fq"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa: circular sequences and a linear one; marked.fa: the same with marks; turned.fa: the circular ones from their
    middle on. reads.fq, and pairs in 1.fq and 2.fq, often over the origin."""
    random.seed(21)
    contigs = {name: random_bases(length) for name, length in LENGTHS.items()}
    # A place over the origin that is there twice.
    contigs["linear"] = contigs["linear"][:900] + contigs["chrM"][-120:] + contigs["chrM"][:120] + contigs["linear"][1140:]
    write_fasta("ref.fa", *contigs.items())
    write_fasta("marked.fa", *((name + ("" if name == "linear" else " a circle TP:circular"), text)
                               for name, text in contigs.items()))
    write_fasta("turned.fa", *((name, text if name == "linear" else text[len(text) // 2:] + text[:len(text) // 2])
                               for name, text in contigs.items()))

    def piece(length, name):
        """Of a circle."""
        at = random.choice([LENGTHS[name] - random.randrange(1, length), random.randrange(LENGTHS[name])])
        return at, (contigs[name] * 2)[at:at + length]

    patterns, primers, reads, mates = [], [], [], ([], [])
    for n in range(60):
        _, site = piece(24, random.choice(list(contigs)))
        patterns.append((f"p{n}", mutated(site if n % 2 else reverse_complement(site), random.randint(0, 3))))
    for n in range(25):
        _, product = piece(300, random.choice(["chrM", "plasmid", "linear"]))
        primers.append((f"q{n}", mutated(product[:20], n % 3), mutated(reverse_complement(product[-20:]), n % 2)))
    for n in range(200):
        name = random.choice(["chrM", "plasmid"])
        at, bases = piece(100, name)
        bases = mutated(bases, n % 5)
        reads.append((f"{n}_{name}_{at}", bases if n % 2 else reverse_complement(bases)))
        size = random.randrange(180, 300)
        at, bases = piece(size, name)
        pair = [mutated(bases[:80], n % 3), mutated(reverse_complement(bases)[:80], n % 2)]
        for file, mate in zip(mates, pair if n % 4 < 2 else pair[::-1]):
            file.append((f"{n}_{name}_{at}_{size}", mate))
    write_lines("patterns.tsv", *map("\t".join, patterns))
    write_lines("primers.tsv", *map("\t".join, primers))
    write_fasta("guides.fa", *((f"g{n}", (contigs["plasmid"] * 2)[at:at + 20]) for n, at in enumerate(range(650, 725, 4))))
    write_fastq("reads.fq", *reads)
    for m in 0, 1:
        write_fastq(f"{m + 1}.fq", *mates[m])


# --- scan and primers ---


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
    assert "5850 bases" in message
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
    command = ["scan", "-e", 3, "--max-bulges", 1, "--pam", "NNN", *CIRCULAR[2:4]]
    run(*command, "ref.fa", "guides.fa", "-o", "out/x.tsv").ok()
    run(*command, "turned.fa", "guides.fa", "-o", "out/turned.tsv").ok()
    columns = ["contig", "start", "end", "pattern", "strand", "distance", "cigar", "text"]
    some = lambda found: sorted([row[column] for column in columns] for row in found if row["contig"] == "plasmid")
    assert some(table("out/x.tsv")) == some(turned_back(row) for row in table("out/turned.tsv"))
    assert any(int(row["end"]) > 700 for row in table("out/x.tsv"))


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


# --- map ---


@pytest.mark.parametrize("options", ["-e 4 --report all", "-e 4 --end-to-end", "", "-e 4 --report all --metric hamming"])
def test_records_end_with_their_sequence(options):
    over = 0
    for words in ["ref.fa", "reads.fq"], PAIRS:
        run("map", *options.split(), *CIRCULAR, *words, "-o", "out/x.bam").ok()
        calmd("out/x.bam", "ref.fa")
        for record in records("out/x.bam", "-F", 4):
            end = record.position - 1 + sum(count for count, operation in operations(record.cigar) if operation in "MD")
            assert end <= LENGTHS[record.contig], record
            over += bool(record.flag & 0x800)
    assert over > 60


def test_a_read_over_the_origin_by_hand():
    text = random_bases(500)
    write_fasta("out/c.fa", ("c", text))
    bases = text[-60:] + text[:40]
    write_fastq("out/r.fq", ("long_part_first", bases), ("reverse", reverse_complement(text[-30:] + text[:70])),
                ("ends_at_the_end", text[-100:]), ("begins_at_the_begin", text[:100]))
    run("map", "-e", 2, "--circular", "c", "out/c.fa", "out/r.fq", "-o", "out/x.sam").ok()
    assert header("out/x.sam").splitlines()[1].endswith("\tTP:circular")
    facts = [(record.name, record.flag, record.position, record.cigar, record.tags["NM"], record.tags["MD"],
              record.tags["AS"], record.tags.get("SA")) for record in records("out/x.sam")]
    assert facts == [
        ("long_part_first", 0, 441, "60M40S", 0, "60", 100, "c,1,+,60S40M,60,0;"),
        ("long_part_first", 0x800, 1, "60S40M", 0, "40", 100, "c,441,+,60M40S,60,0;"),
        ("reverse", 16, 1, "30S70M", 0, "70", 100, "c,471,-,30M70S,60,0;"),
        ("reverse", 0x810, 471, "30M70S", 0, "30", 100, "c,1,-,30S70M,60,0;"),
        ("ends_at_the_end", 0, 401, "100M", 0, "100", 100, None),
        ("begins_at_the_begin", 0, 1, "100M", 0, "100", 100, None)]


def test_pairs_over_the_origin():
    run("map", *CIRCULAR, *PAIRS, "-o", "out/x.bam").ok()
    over = 0
    for record in records("out/x.bam", "-F", 0x900):
        _, contig, at, size = record.name.split("_")
        if int(at) + int(size) > LENGTHS[contig] and record.contig == contig:
            assert record.flag & 2, record
            over += 1
    assert over > 100


def test_marked_sequences_need_no_option():
    run("map", *CIRCULAR, "ref.fa", "1.fq", "2.fq", "-o", "out/named.sam").ok()
    run("map", "marked.fa", "1.fq", "2.fq", "-o", "out/marked.sam").ok()
    without_program = lambda path: [line for line in open(path) if not line.startswith("@PG")]
    assert without_program("out/named.sam") == without_program("out/marked.sam")
    assert samtools("view", "-H", "out/marked.sam").count("TP:circular") == 3
    for command, pattern in (("scan -e 2", "patterns.tsv"), ("primers -e 2 --size 20-800", "primers.tsv")):
        text = read_fasta("ref.fa")["chrM"]
        write_lines("out/patterns.tsv", "p\t" + text[-12:] + text[:12])
        write_lines("out/primers.tsv", "q\t" + text[-30:-10] + "\t" + reverse_complement(text[200:220]))
        command = command.split()
        named = run(*command, *CIRCULAR, "ref.fa", f"out/{pattern}").ok()
        assert named.bytes
        assert_same(named, run(*command, "marked.fa", f"out/{pattern}").ok())


def test_saved_indexes():
    run("index", *CIRCULAR, "ref.fa", "-o", "out/named.trawl").ok()
    run("index", "marked.fa", "-o", "out/marked.trawl").ok()
    run("index", "ref.fa", "-o", "out/plain.trawl").ok()
    run("index", "--check", "out/named.trawl").ok()
    expected = run("map", *CIRCULAR, "ref.fa", "reads.fq").ok()
    assert_same(expected, run("map", *CIRCULAR, "out/named.trawl", "reads.fq").ok())
    records_of = lambda result: [line for line in result.stdout.splitlines() if not line.startswith("@PG")]
    for index in "out/named.trawl", "out/marked.trawl":
        assert records_of(run("map", index, "reads.fq").ok()) == records_of(expected)
    run("map", *CIRCULAR, "out/plain.trawl", "reads.fq", "-o", "out/x.sam").fails(
        1, "was made without --circular chrM; give the FASTA, or make the index again", "out/x.sam")
    run("mappability", "--length", 50, "out/named.trawl", "-o", "out/x.bedgraph").fails(
        1, "was made for reads over the origin of chrM", "out/x.bedgraph")
    write_lines("out/patterns.tsv", "p\tACGTACGTACG")
    assert_same(run("scan", "-e", 2, *CIRCULAR, "ref.fa", "out/patterns.tsv").ok(),
                run("scan", "-e", 2, "out/named.trawl", "out/patterns.tsv").ok())


def test_threads_and_batches_change_nothing():
    assert_same(run("map", *CIRCULAR, *PAIRS).ok(), run("map", *CIRCULAR, "-t", 1, "--tune", "batch-size=7", *PAIRS).ok())


def test_reads_that_are_longer_than_a_circle():
    text = read_fasta("ref.fa")["plasmid"]
    write_fastq("out/r.fq", ("long", (text * 3)[100:900]), ("short", text[:100]))
    message = run("map", *CIRCULAR[:4], "ref.fa", "out/r.fq", "-o", "out/x.sam").ok().stderr
    assert "warning: 1 read of more than 700 bases: places over the origin" in message
    samtools("quickcheck", "out/x.sam")


def test_tables_of_marked_sequences_that_cannot_have_places_over_the_origin():
    write_lines("out/patterns.tsv", "p\tACGTACGTACG")
    message = run("scan", "marked.fa", "out/patterns.tsv", "-o", "out/x.sam").ok().stderr
    assert "sequences with TP:circular in their headers were taken as linear" in message


# --- wrong usage ---


@pytest.mark.parametrize("options, message", [
    ("--circular chrN", "--circular chrN: the reference has no sequence with this name"),
    ("--circular plasmid -o out/x.sam", "--circular cannot be used with a file named .sam"),
    ("--circular plasmid --per-read best", "--circular cannot be used with --per-read best"),
    ("--circular plasmid --report-html out/x.html -o out/x.tsv", "--circular cannot be used with --report-html")])
def test_bad_options(options, message):
    if "chrN" in options:
        run("map", *options.split(), "ref.fa", "reads.fq", "-o", "out/x.sam").fails(2, message)
    run("scan", *options.split(), "ref.fa", "patterns.tsv").fails(2, message)
    assert list(Path("out").iterdir()) == []
