"""Fragments that are shorter than their reads, adapters and bad tails, with the default options."""

import random

import pytest

from clip_genome import GENOME, mapped, other_base, random_part, write_reads
from tools import (calmd, operations, random_bases, read_fasta, read_fastq, records, reverse_complement, sam_lines,
                   start, write_fasta, write_fastq)


@pytest.fixture(scope="module", autouse=True)
def reference(work):
    write_fasta("ref.fa", *GENOME.items())


ADAPTERS = ("AGATCGGAAGAGCACACGTCTGAACTCCAGTCAC", "CTGTCTCTTATACACATCTGACGCTGCCGACGA")


def left_out(record):
    """The numbers of bases at both ends."""
    steps = operations(record.cigar)
    return [length if op == "S" else 0 for length, op in (steps[0], steps[-1])]


def write_pairs(path, fragments, length=150, errors=0.0):
    """(name, bases of the fragment). What a mate lacks is adapter, and then random."""
    mates = [], []
    for name, bases in fragments:
        for m, mate in enumerate((bases, reverse_complement(bases))):
            mate = (mate + ADAPTERS[m] + random_bases(length))[:length]
            mate = "".join(other_base(base) if random.random() < errors else base for base in mate)
            mates[m].append((name, mate))
    for m, reads in enumerate(mates):
        write_reads(f"{path}_{m + 1}.fq", reads)


@pytest.mark.parametrize("errors", [0, 0.01])
def test_short_fragments(errors):
    """Pairs of every length, with the adapters of both mates: all are concordant, at their place, and no base of an
    adapter is aligned."""
    parts = {f"{length}.{k}": random_part(length, "+-") for length in range(30, 151) for k in range(3)}
    write_pairs("out/pairs", [(name, part.bases) for name, part in parts.items()], errors=errors)
    mapped("-o out/x.sam ref.fa out/pairs_1.fq out/pairs_2.fq")
    differ = 0  # of mates that differ very much by chance, some bases of adapter may be aligned
    for record in records("out/x.sam"):
        part = parts[record.name]
        behind = 150 - part.length
        if errors and (part.length < 60 or behind < 6):
            continue  # of 30 bases two may be wrong; a few bases behind mates that differ show nothing
        assert record.flag & 2 and record.contig == part.contig, record
        differ += left_out(record)[0 if record.flag & 16 else 1] < behind
        if not errors:
            adapter = f"{behind}S" if behind else ""
            whole = f"{adapter}{part.length}M" if record.flag & 16 else f"{part.length}M{adapter}"
            assert (record.position, record.cigar, abs(record.insert)) == (part.begin + 1, whole, part.length)
            assert record.mapq >= 30
    assert differ <= (12 if errors else 0)
    for words in ("-t 1", "-t 4 --tune batch-size=6", "-t 2 --tune batch-size=100"):
        mapped(f"{words} -o out/y.sam ref.fa out/pairs_1.fq out/pairs_2.fq")
        assert [l for l in sam_lines("out/x.sam") if l[0] != "@"] == [l for l in sam_lines("out/y.sam") if l[0] != "@"]


def test_short_fragments_with_gaps():
    """A gap is one event for their MAPQ, whatever its length."""
    random.seed(53)
    contig = random_bases(30000)
    write_fasta("out/rule.fa", ("r", contig))
    fragments, begins = [], {}
    for size in range(2, 61, 2):
        at = random.randrange(len(contig) - 300)
        fragments.append((f"d{size}", contig[at:at + 60] + contig[at + 60 + size:at + 110 + size]))
        fragments.append((f"i{size}", contig[at:at + 50] + random_bases(min(size, 40)) + contig[at + 50:at + 100]))
        begins[f"d{size}"] = begins[f"i{size}"] = at + 1
    write_pairs("out/gaps", fragments)
    found = records(mapped("--insert 50-500 out/rule.fa out/gaps_1.fq out/gaps_2.fq"), "-F", 2048)
    for record in found:
        assert record.flag & 2 and record.position == begins[record.name] and record.mapq >= 50, record


def test_short_fragments_with_unknown_adapters():
    """And many A behind them, which would fit in many places, and take long to search."""
    random.seed(54)
    contig = "".join(random_bases(200) + "A" * random.randint(10, 60) for _ in range(1000))
    write_fasta("out/rule.fa", ("r", contig))
    mates = [], []
    for n in range(200):
        at, length = random.randrange(len(contig) - 200), random.randint(50, 140)
        bases = contig[at:at + length]
        for m, mate in enumerate((bases, reverse_complement(bases))):
            adapter = ("GCTTACAGGTCATTGACCGTATTGC", "TTGCCATGGACTTGCAACGGTTACA")[m]
            mates[m].append((f"{at + 1}_{length}", (mate + adapter + "A" * 150)[:150]))
    for m in (0, 1):
        write_fastq(f"out/unknown_{m + 1}.fq", *mates[m])
    found = records(mapped("--insert 30-500 out/rule.fa out/unknown_1.fq out/unknown_2.fq"))
    assert len(found) == 400, "no record of an adapter"
    for record in found:
        position, length = map(int, record.name.split("_"))
        clear = contig[position - 1:position - 1 + length].count("A" * 10) == 0
        assert not clear or (record.flag & 2 and record.position == position and record.mapq >= 40), record


@pytest.mark.parametrize("unit", ["AC", "GGAAT", "A"])
def test_short_fragments_of_a_tandem_repeat(unit):
    """Their mates overlap in many ways; the adapters say in which one."""
    random.seed(55)
    contig = random_bases(2000) + (unit * 60)[:60] + random_bases(2000)
    write_fasta("out/rule.fa", ("r", contig))
    write_pairs("out/tandem", [(f"t{length}", contig[2005:2005 + length]) for length in range(26, 52)])
    found = records(mapped("--insert 20-500 out/rule.fa out/tandem_1.fq out/tandem_2.fq"), "-F", 2048)
    for record in found:
        length = int(record.name[1:])
        assert record.flag & 2 and f"{length}M" in record.cigar and abs(record.insert) == length, record
        assert record.mapq == 0 and 2000 < record.position <= 2060


def test_mates_in_two_copies_are_no_short_fragment():
    """A fragment of 300 over a tandem repeat of two copies of 170: the mates look as if they showed one fragment of 130."""
    copy = random_bases(170)
    write_fasta("out/copies.fa", ("x", random_bases(3000) + copy + copy + random_bases(3000)))
    sequence = read_fasta("out/copies.fa")["x"]
    fragments = [(f"other{k}", sequence[k * 8:k * 8 + 280 + k % 40]) for k in range(60)]
    fragments += [(f"over{k}", sequence[3010 + k:3310 + k]) for k in range(10)]
    write_pairs("out/copies", fragments)
    mapped("-o out/x.sam out/copies.fa out/copies_1.fq out/copies_2.fq")
    over = [r for r in records("out/x.sam") if r.name.startswith("over")]
    assert len(over) == 20
    assert {(r.cigar, abs(r.insert)) for r in over} == {("150M", 300)}
    # Also where other pairs of the same places in a batch have bad tails.
    for m in (1, 2):
        reads = list(read_fastq(f"out/copies_{m}.fq"))
        write_fastq(f"out/tails_{m}.fq", *((name, bases, "I" * 100 + "#" * 50 if name.startswith("other") else quality)
                                           for name, bases, quality in reads))
    for words in ("-t 1", "-t 1 --tune batch-size=20", "-t 2 --tune batch-size=6"):
        mapped(f"{words} -o out/y.sam out/copies.fa out/tails_1.fq out/tails_2.fq")
        assert {(r.cigar, abs(r.insert)) for r in records("out/y.sam") if r.name.startswith("over")} == {("150M", 300)}


def test_bad_tails():
    """Reads are mapped without a tail of low quality; then as much of it is aligned as fits."""
    reads, parts, tails = [], {}, {}
    for n in range(120):
        part = random_part(150, "+-")
        tail = random.randint(10, 70)
        kind = n % 3  # right, random, every fifth base is wrong
        bases = list(part.bases)
        for k in range(tail):
            if kind == 1 or (kind == 2 and k % 5 == 2):
                bases[149 - k] = random.choice("ACGT") if kind == 1 else other_base(bases[149 - k])
        parts[f"r{n}"], tails[f"r{n}"] = part, (kind, tail)
        reads.append((f"r{n}", "".join(bases), "I" * (150 - tail) + "#" * tail))
    write_fastq("out/tails.fq", *reads)
    mapped("-o out/x.sam ref.fa out/tails.fq")
    for record in records("out/x.sam"):
        part, (kind, tail) = parts[record.name], tails[record.name]
        left, right = left_out(record)
        behind = left if record.flag & 16 else right
        assert record.contig == part.contig and record.mapq >= 30
        assert (right if record.flag & 16 else left) == 0
        if record.flag & 16:
            assert record.position == part.begin + 1 + left
        else:
            assert record.position == part.begin + 1
        if kind == 0:
            assert record.cigar == "150M"
        if kind == 1:
            assert tail - 12 <= behind <= tail
    mapped("-t 3 --tune batch-size=7 -o out/y.sam ref.fa out/tails.fq")
    assert sam_lines("out/x.sam") == sam_lines("out/y.sam")


def test_adapters_of_single_reads():
    """Known adapters are cut before the search; a read of which the adapter's bases fit the reference is not."""
    genome = {"x": random_bases(4000) + "AGATCGGAAGAGCACACGTCTGAACTCCAGTCAC" + random_bases(4000)}
    write_fasta("out/adapter.fa", *genome.items())
    parts, reads = {}, []
    for length in range(25, 139):
        begin = random.randint(0, 3500)
        parts[f"r{length}"] = begin + 1, f"{length}M{150 - length}S"
        reads.append((f"r{length}", (genome["x"][begin:begin + length] + ADAPTERS[length % 2] + "A" * 150)[:150]))
    for k in range(20):
        parts[f"over{k}"] = 3901 + k, "150M"
        reads.append((f"over{k}", genome["x"][3900 + k:4050 + k]))
    write_reads("out/adapters.fq", reads)
    mapped("-o out/x.sam out/adapter.fa out/adapters.fq")
    for record in records("out/x.sam"):
        # The first bases of the adapter may fit by chance.
        (left, right), (position, cigar) = left_out(record), parts[record.name]
        assert record.position == position and left == 0 and record.mapq >= 30, record
        if record.name.startswith("over"):
            assert record.cigar == cigar
        else:
            assert 150 - int(record.name[1:]) - 9 <= right <= 150 - int(record.name[1:])
    mapped("-t 3 --tune batch-size=7 -o out/y.sam out/adapter.fa out/adapters.fq")
    assert sam_lines("out/x.sam") == sam_lines("out/y.sam")


@pytest.mark.parametrize("inserted", [0, 5])
def test_unknown_bases_of_reads_on_unknown_bases_of_the_reference(inserted):
    """The path of such a piece has an edit for each of them. Without these edits no path was found: the program failed,
    or did not end."""
    chance = random.Random(10)
    contig = "".join(chance.choices("ACGT", k=60)) + "N" * 30 + "".join(chance.choices("ACGT", k=400))
    write_fasta("out/unknown.fa", ("n", contig))
    begins, firsts, seconds = {}, [], []
    for n in range(200):
        begin = begins[f"r{n}"] = chance.randrange(40, 50) if inserted else chance.randrange(0, 85)
        bases = list(contig[begin:begin + 150 - inserted])
        if inserted:
            i = chance.randrange(95, 140) - begin
            bases[i] = chance.choice("ACGT".replace(bases[i], ""))
            bases[chance.randrange(60, 66) - begin] += "".join(chance.choices("ACGT", k=inserted))
        else:
            for i in chance.sample(range(150), 4):
                bases[i] = chance.choice(["", "N", bases[i] + "T", bases[i] + "GA"])
        firsts.append((f"r{n}", "".join(bases)))
        seconds.append((f"r{n}", reverse_complement(contig[begin + 200:begin + 350])))
    write_reads("out/u1.fq", firsts)
    write_reads("out/u2.fq", seconds)
    for inputs in "out/u1.fq", "out/u1.fq out/u2.fq":
        with start("map", *f"-o out/x.sam out/unknown.fa {inputs}".split()) as job:
            job.wait(60).ok()
        found = [r for r in records("out/x.sam") if not r.flag & (128 | 2048)]
        near = [r for r in found if r.contig == "n" and abs(r.position - 1 - left_out(r)[0] - begins[r.name]) <= 30]
        assert len(found) == 200 and len(near) >= 195
        calmd("out/x.sam", "out/unknown.fa")
