"""trawl map --circular: reads over the origin, against the same sequences turned round."""

import random

import pytest

from tools import (assert_same, calmd, header, mutated, operations, random_bases, records, reverse_complement, run, samtools,
                   write_fasta, write_fastq, write_lines)

LENGTHS = {"chrM": 3000, "linear": 2000, "plasmid": 700}
CIRCULAR = ["--circular", "chrM", "--circular", "plasmid"]
INSERTS = range(180, 300)


def place(text):
    """A place in it for a read of 100 bases, often over the origin."""
    return random.choice([len(text) - random.randrange(1, 100), random.randrange(len(text))])


@pytest.fixture(scope="module", autouse=True)
def inputs():
    random.seed(5)
    contigs = {name: random_bases(length) for name, length in LENGTHS.items()}
    # A place over the origin that is there twice.
    contigs["linear"] = contigs["linear"][:900] + contigs["chrM"][-120:] + contigs["chrM"][:120] + contigs["linear"][1140:]
    write_fasta("ref.fa", *contigs.items())
    write_fasta("marked.fa", *((name + ("" if name == "linear" else " a circle TP:circular"), text)
                               for name, text in contigs.items()))
    write_fasta("turned.fa", *((name, text if name == "linear" else text[len(text) // 2:] + text[:len(text) // 2])
                               for name, text in contigs.items()))
    reads, mates = [], ([], [])
    for n in range(400):
        name, text = random.choice([one for one in contigs.items() if one[0] != "linear"])
        at = place(text)
        bases = mutated((text + text)[at:at + 100], n % 5)
        reads.append((f"{n}_{name}_{at}", bases if n % 2 else reverse_complement(bases)))
        size = random.choice(INSERTS)
        at = random.choice([len(text) - random.randrange(1, size), random.randrange(len(text))])
        piece = (text + text)[at:at + size]
        pair = [mutated(piece[:80], n % 3), mutated(reverse_complement(piece)[:80], n % 2)]
        for file, bases in zip(mates, pair if n % 4 < 2 else pair[::-1]):
            file.append((f"{n}_{name}_{at}_{size}", bases))
    write_fastq("reads.fq", *reads)
    write_fastq("1.fq", *mates[0])
    write_fastq("2.fq", *mates[1])


def covered(parts, turn=False):
    """The bases of the reference that records of one place align."""
    bases = set()
    for record in parts:
        at, length = record.position - 1, LENGTHS[record.contig]
        for count, operation in operations(record.cigar):
            if operation == "M":
                shift = length // 2 if turn and record.contig != "linear" else 0
                bases |= {(record.contig, (position + shift) % length) for position in range(at, at + count)}
            at += count if operation in "MD" else 0
    return bases


def by_read(source, of=lambda record: record.name):
    found = {}
    for record in records(source):
        found.setdefault(of(record), []).append(record)
    return found


@pytest.mark.parametrize("options", ["-e 4 --report all", "-e 4 --end-to-end", "", "-e 4 --report all --metric hamming",
                                     "-e 2 --report strata --strata 1"])
def test_places_do_not_depend_on_the_origin(options):
    run("map", *options.split(), *CIRCULAR, "ref.fa", "reads.fq", "-o", "out/x.bam").ok()
    run("map", *options.split(), *CIRCULAR, "turned.fa", "reads.fq", "-o", "out/turned.bam").ok()
    calmd("out/x.bam", "ref.fa")
    found, turned = by_read("out/x.bam"), by_read("out/turned.bam")
    assert found.keys() == turned.keys()
    over = 0
    for name, parts in found.items():
        others = turned[name]
        facts = [(record.tags.get("X0"), record.tags.get("X1"), record.tags.get("NH"), record.tags.get("AS"), record.mapq)
                 for record in (parts[0], others[0])]
        assert facts[0] == facts[1], name
        if parts[0].tags.get("NH") == 1:
            assert covered(parts) == covered(others, turn=True), name
            over += any(record.flag & 0x800 for record in parts)
        for record in (one for one in parts if not one.flag & 4):
            end = record.position - 1 + sum(count for count, operation in operations(record.cigar) if operation in "MD")
            assert end <= LENGTHS[record.contig], record
    assert over > 30
    mapped = sum(not parts[0].flag & 4 for parts in found.values())
    assert mapped > (370 if "hamming" not in options and "-e 2" not in options else 200)


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


@pytest.mark.parametrize("options", ["", "--end-to-end -e 4", "-e 4 --report all"])
def test_pairs(options):
    command = ["map", *options.split(), "--insert", "150-320"]
    run(*command, *CIRCULAR, "ref.fa", "1.fq", "2.fq", "-o", "out/x.bam").ok()
    run(*command, *CIRCULAR, "turned.fa", "1.fq", "2.fq", "-o", "out/turned.bam").ok()
    calmd("out/x.bam", "ref.fa")
    mate = lambda record: (record.name, record.flag & 0xc0)
    found, turned = by_read("out/x.bam", mate), by_read("out/turned.bam", mate)
    over = 0
    for (name, number), parts in found.items():
        primary, other = parts[0], turned[name, number][0]
        assert (primary.mapq, primary.flag & 6) == (other.mapq, other.flag & 6), name
        contig, at, size = name.split("_")[1:]
        if int(at) + int(size) > LENGTHS[contig] and primary.contig == contig:
            assert primary.flag & 2, name
            over += 1
            mates = [found[name, 0x40], found[name, 0x80]]
            if all(len(one) == 1 for one in mates):  # neither mate is cut
                assert abs(abs(primary.insert) - int(size)) < 8, name
                assert mates[0][0].insert == -mates[1][0].insert
    assert over > 150


def test_marked_sequences_need_no_option():
    run("map", *CIRCULAR, "ref.fa", "1.fq", "2.fq", "-o", "out/named.sam").ok()
    run("map", "marked.fa", "1.fq", "2.fq", "-o", "out/marked.sam").ok()
    without_program = lambda path: [line for line in open(path) if not line.startswith("@PG")]
    assert without_program("out/named.sam") == without_program("out/marked.sam")
    assert samtools("view", "-H", "out/marked.sam").count("TP:circular") == 2
    for command, pattern in (("scan -e 2", "patterns.tsv"), ("primers -e 2 --size 20-800", "primers.tsv")):
        text = open("ref.fa").read().split("\n")[1]
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
    expected = run("map", *CIRCULAR, "--insert", "150-320", "ref.fa", "1.fq", "2.fq").ok()
    assert_same(expected, run("map", *CIRCULAR, "--insert", "150-320", "-t", 1, "--tune", "batch-size=7", "ref.fa", "1.fq",
                              "2.fq").ok())


def test_reads_that_are_longer_than_a_circle():
    text = "".join(open("ref.fa").read().split("\n")[5])
    assert len(text) == LENGTHS["plasmid"]
    write_fastq("out/r.fq", ("long", (text * 3)[100:900]), ("short", text[:100]))
    message = run("map", *CIRCULAR, "ref.fa", "out/r.fq", "-o", "out/x.sam").ok().stderr
    assert "warning: 1 read of more than 700 bases: places over the origin" in message
    samtools("quickcheck", "out/x.sam")


def test_tables_of_marked_sequences_that_cannot_have_places_over_the_origin():
    write_lines("out/patterns.tsv", "p\tACGTACGTACG")
    message = run("scan", "marked.fa", "out/patterns.tsv", "-o", "out/x.sam").ok().stderr
    assert "sequences with TP:circular in their headers were taken as linear" in message


def test_no_such_sequence():
    run("map", "--circular", "chrN", "ref.fa", "reads.fq", "-o", "out/x.sam").fails(
        2, "--circular chrN: the reference has no sequence with this name", "out/x.sam")
