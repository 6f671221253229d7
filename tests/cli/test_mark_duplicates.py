"""--mark-duplicates: the flags are those of samtools fixmate -m, sort and markdup; the bytes do not depend on how the work
is done."""

import random
from collections import Counter
from pathlib import Path

import pytest

from tools import (assert_same, read_json, records, reverse_complement, run, sam_lines, samtools, random_bases,
                   write_fasta, write_fastq)

DUPLICATE = 0x400
NOT_JUDGED = 0x4 | 0x100 | 0x800  # unmapped, secondary, supplementary
LENGTH = 100


def piece(contigs, contig, start, length, reverse):
    bases = contigs[contig][start:start + length]
    return reverse_complement(bases) if reverse else bases


def with_errors(bases, count):
    for at in random.sample(range(len(bases)), count):
        bases = bases[:at] + random.choice("ACGT") + bases[at + 1:]
    return bases


def with_bad_end(bases, size):
    """Its last bases fit nowhere: they are clipped, on the left of a reverse read. Negative: its first bases."""
    return bases[:len(bases) - size] + random_bases(size) if size >= 0 else random_bases(-size) + bases[-size:]


def qualities(length):
    """Few sums, so that many scores are equal; some are below 15."""
    return random.choice(["I", "5", "I", "+"]) * (length - 20) + random.choice(["I", "!", "/", "0"]) * 20


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa; r1.fq and r2.fq: fragments with copies, among them mates on other contigs, on one strand, and with one
    mate unmapped; reads.fq: the same as single reads; bare.fa: without qualities."""
    random.seed(11)
    contigs = {name: random_bases(length) for name, length in (("a", 4000), ("b", 3000), ("c", 2500))}
    write_fasta("ref.fa", *contigs.items())
    fragments = []  # (contig, start, reverse) of both mates; None: unmapped
    for kind in ["usual"] * 120 + ["outward", "same strand", "same place", "other contig", "one end"] * 25 + ["none"]:
        contig, other = random.sample(sorted(contigs), 2)
        start, insert = random.randrange(300, 1500), random.randrange(150, 400)
        left, right = (contig, start), (contig, start + insert - LENGTH)
        mates = {"usual": ((*left, False), (*right, True)), "outward": ((*left, True), (*right, False)),
                 "same strand": ((*left, start % 2 == 0), (*right, start % 2 == 0)),
                 "same place": ((*left, False), (*left, random.random() < 0.5)),
                 "other contig": ((*left, random.random() < 0.5), (other, start + insert, random.random() < 0.5)),
                 "one end": ((*left, random.random() < 0.5), None), "none": (None, None)}[kind]
        fragments.append(mates)
        if random.random() < 0.3:  # another one that shares a mate's place
            fragments.append((mates[0], None) if kind != "none" else mates)
            if kind != "one end" and kind != "none":
                fragments.append((None, mates[1]))
                fragments.append((mates[0], (mates[1][0], mates[1][1] + 7, mates[1][2])))
    # Ends of contigs: a clipped read begins before the contig, or ends after it.
    fragments += [(("a", 0, False), ("a", 200, True)), (("a", 3700, False), ("a", 3900, True))] * 2
    templates = []
    for mates in fragments:
        for _ in range(random.choice([1, 1, 2, 3, 5])):
            reads = []
            for mate in random.choice([mates, mates[::-1]]):
                if mate is None:
                    bases = random_bases(LENGTH)
                else:
                    contig, start, reverse = mate
                    length = random.choice([LENGTH, LENGTH, 90])
                    # What is sequenced first stays where it is.
                    begin = start + LENGTH - length if reverse else start
                    bases = piece(contigs, contig, begin, length, reverse)
                    bases = with_errors(bases, random.choice([0, 0, 1, 2]))
                    bases = with_bad_end(bases, random.choice([0, 0, 0, 15, 25, -12, -20]))
                reads.append((bases, qualities(len(bases))))
            templates.append(reads)
    random.shuffle(templates)
    # Names in no order: 10 comes before 9.
    names = [f"r{n}" for n in random.sample(range(len(templates) * 3), len(templates))]
    for mate in range(2):
        write_fastq(f"r{mate + 1}.fq", *((name, *reads[mate]) for name, reads in zip(names, templates)))
    singles = [(f"{name}.{mate}", *reads[mate]) for name, reads in zip(names, templates) for mate in range(2)]
    random.shuffle(singles)
    write_fastq("reads.fq", *singles)
    write_fasta("bare.fa", *((name, bases) for name, bases, _ in singles))


PAIRS = ["ref.fa", "r1.fq", "r2.fq"]
CLIP = ["--clip", "30%", "--insert", "100-600"]
READS = ["ref.fa", "reads.fq"]
SORT = ["--sort", "--mark-duplicates"]


def marked_by_samtools(*arguments):
    run("map", *arguments, "-o", "out/plain.bam").ok()
    samtools("fixmate", "-m", "out/plain.bam", "out/fixed.bam")
    samtools("sort", "-o", "out/fixed_sorted.bam", "out/fixed.bam")
    samtools("markdup", "-f", "out/markdup.txt", "-s", "out/fixed_sorted.bam", "out/marked.bam")
    counts = dict(line.split(": ", 1) for line in Path("out/markdup.txt").read_text().splitlines() if ": " in line)
    return "out/marked.bam", {name: int(value) for name, value in counts.items() if name.startswith("DUPLICATE")}


def flags(path, *options):
    """In the order of the file. fixmate judges flag 0x2 by itself."""
    return [(record.name, record.contig, record.position, record.cigar, record.flag & ~2)
            for record in records(path, *options)]


# --- samtools agrees ---


@pytest.mark.parametrize("arguments", [
    pytest.param([*CLIP, *PAIRS], id="pairs"),
    pytest.param(["-e", 2, "--insert", "100-600", *PAIRS], id="pairs, many with one mate unmapped"),
    pytest.param([*CLIP, "--clip-when", "always", *PAIRS], id="pairs, all clipped"),
    pytest.param([*CLIP, "--split", *PAIRS], id="pairs, with supplementary records"),
    pytest.param([*CLIP, "--hard-clip", "--split", *PAIRS], id="pairs, with hard clips"),
    pytest.param([*CLIP, "--report", "all", "--discordant", "always", *PAIRS], id="pairs, with secondary records"),
    pytest.param([*CLIP, "--unmapped", "drop", *PAIRS], id="pairs, without unmapped ones"),
    pytest.param([*CLIP, "--orientation", "ff", *PAIRS], id="pairs on one strand"),
    pytest.param([*CLIP, "--discordant", "never", *PAIRS], id="concordant pairs only"),
    pytest.param(["--clip", "30%", *READS], id="reads"),
    pytest.param(["--clip", "30%", "--split", "--report", "all", *READS], id="reads, all records"),
    pytest.param(["--clip", "30%", "ref.fa", "bare.fa"], id="reads without qualities")])
def test_flags_are_those_of_samtools(arguments):
    expected, counts = marked_by_samtools(*arguments)
    run("map", "-t", 2, *SORT, *arguments, "-o", "out/x.bam", "--stats", "out/x.json").ok()
    found = flags("out/x.bam")
    assert found == flags(expected)
    marked = [flag for *_, flag in found if flag & DUPLICATE]
    assert len(marked) > 100
    assert not any(flag & NOT_JUDGED for flag in marked)
    duplicates = read_json("out/x.json")["duplicates"]
    assert duplicates == {"reads": len(marked), "reads_of_pairs": counts["DUPLICATE PAIR"],
                          "single_reads": counts["DUPLICATE SINGLE"]}


def test_the_data_have_all_cases():
    """Marked reads of all kinds, and clipped ones."""
    run("map", *SORT, *CLIP, *PAIRS, "-o", "out/x.bam").ok()
    kinds = Counter()
    for record in records("out/x.bam"):
        if record.flag & DUPLICATE:
            kinds["one end" if record.flag & 8 else "contigs" if record.mate_contig != "=" else
                  "one strand" if bool(record.flag & 16) == bool(record.flag & 32) else "concordant"] += 1
            kinds["clipped"] += "S" in record.cigar
            kinds["before the contig"] += record.position == 1 and "S" in record.cigar
    assert all(kinds[kind] >= 10 for kind in ("one end", "contigs", "one strand", "concordant", "clipped")), kinds


def test_only_the_flag_differs():
    """From the file without --mark-duplicates, also in the index."""
    run("map", "--sort", *CLIP, *PAIRS, "-o", "out/plain.bam").ok()
    run("map", *SORT, *CLIP, *PAIRS, "-o", "out/x.bam").ok()

    def without_flag(path):
        lines = [line.split("\t") for line in sam_lines(path)]
        return [[columns[0], int(columns[1]) & ~DUPLICATE, *columns[2:]] for columns in lines]

    assert without_flag("out/x.bam") == without_flag("out/plain.bam")
    samtools("index", "out/x.bam", "out/expected.bai")
    assert_same("out/expected.bai", "out/x.bam.bai")
    samtools("quickcheck", "-v", "out/x.bam")
    assert " --mark-duplicates" in samtools("view", "-H", "--no-PG", "out/x.bam").splitlines()[-1], "@PG"


def test_cram():
    expected, _ = marked_by_samtools(*CLIP, *PAIRS)
    run("map", *SORT, *CLIP, *PAIRS, "-o", "out/x.cram").ok()
    assert flags("out/x.cram", "-T", "ref.fa") == flags(expected)


def test_equal_names():
    """The same files twice: a copy of a pair cannot be told apart by its name."""
    run("map", *SORT, *CLIP, "ref.fa", "r1.fq,r1.fq", "r2.fq,r2.fq", "-o", "out/x.bam").ok()
    run("map", *SORT, *CLIP, *PAIRS, "-o", "out/once.bam").ok()
    judged = [sum(1 for *_, flag in flags(path) if not flag & (NOT_JUDGED | DUPLICATE))
              for path in ("out/x.bam", "out/once.bam")]
    assert judged[0] == judged[1], "as many are left"


# --- the same bytes ---


@pytest.fixture(scope="module")
def many(inputs):
    """m1.fq and m2.fq: more pairs than fit into 1M."""
    pairs = [list(zip(*[iter(Path(f"r{mate}.fq").read_text().splitlines())] * 4)) for mate in (1, 2)]
    for mate in range(2):
        with open(f"m{mate + 1}.fq", "w") as file:
            for copy in range(8):
                for name, *lines in pairs[mate]:
                    file.write("\n".join([f"{name}x{copy * 7 % 8}", *lines]) + "\n")
    run("map", "-t", 1, *SORT, *CLIP, "ref.fa", "m1.fq", "m2.fq", "-o", "one.bam", "--stats", "one.json").ok()
    run("map", "-t", 1, *SORT, *CLIP, "ref.fa", "m1.fq", "m2.fq", "-o", "one.cram").ok()


@pytest.mark.parametrize("how, spills", [
    ("-t 4", False), ("-t 2 --tune batch-size=77", False), ("-t 1 --sort-memory 1M", True),
    ("-t 4 --sort-memory 1M --tune batch-size=100", True)])
def test_the_bytes_do_not_depend_on_threads_batches_and_memory(many, how, spills):
    for format in "bam", "cram":
        run("map", *how.split(), *SORT, *CLIP, "ref.fa", "m1.fq", "m2.fq", "-o", f"out/y.{format}",
            "--stats", "y.json").ok()
        assert_same(f"one.{format}", f"out/y.{format}")
        one, other = read_json("one.json"), read_json("y.json")
        assert one["duplicates"] == other["duplicates"]
        assert (other["sort"]["spilled_bytes"] > 0) == spills and one["sort"]["spilled_bytes"] == 0


def test_spilled_flags_are_those_of_samtools(many):
    expected, _ = marked_by_samtools(*CLIP, "ref.fa", "m1.fq", "m2.fq")
    assert flags("one.bam") == flags(expected)


# --- what is said ---


def test_the_summary_counts_them():
    result = run("map", *SORT, *CLIP, *PAIRS, "-o", "out/x.bam").ok()
    marked = sum(1 for *_, flag in flags("out/x.bam") if flag & DUPLICATE)
    assert f"; {marked} duplicates (" in result.stderr
    assert "duplicate" not in run("map", "--sort", *PAIRS, "-o", "out/x.bam", "--stats", "out/x.json").ok().stderr
    assert "duplicates" not in read_json("out/x.json")


def test_without_sort():
    run("map", "--mark-duplicates", *PAIRS, "-o", "out/x.bam").fails(2, "--mark-duplicates needs --sort", "out/x.bam")


def test_no_reads():
    Path("empty.fq").touch()
    run("map", *SORT, "ref.fa", "empty.fq", "-o", "out/x.bam").ok()
    assert sam_lines("out/x.bam") == []
