"""Clipped ends: the default, --end-to-end, --clip, --clip-when, --split, --join and --hard-clip, on a random genome
where the right place is known. tests/conformance compares all of it with plain dynamic programming."""

import random
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import (assert_same, calmd, has_cuda, operations, random_bases, read_fasta, read_fastq,
                   read_json, records, reverse_complement, rows, run, sam_lines, samtools, start, write_fasta, write_fastq)

random.seed(13)
GENOME = {"a": random_bases(30000), "b": random_bases(20000)}
GENOME["c"] = random_bases(1000) + GENOME["a"][5000:7000] + random_bases(1000)  # a second copy of a part of a


def mapped(words):
    return run("map", *words.split()).ok()


def columns(source, *options):
    return [(r.name, r.flag, r.contig, r.position, r.cigar) for r in records(source, *options)]


# --- parts of the genome, and reads of them ---


def on_strand(strand, bases):
    return bases if strand == "+" else reverse_complement(bases)


class Part(NamedTuple):
    """A part of the genome, as a read has it."""
    contig: str
    begin: int
    length: int
    strand: str = "+"

    @property
    def bases(self):
        return on_strand(self.strand, GENOME[self.contig][self.begin:self.begin + self.length])

    def columns(self, name, flag, before=0, after=0):
        """The first columns of the record of a read that has bases before and after the part."""
        if self.strand == "-":
            flag, before, after = flag + 16, after, before
        clips = [f"{length}S" if length else "" for length in (before, after)]
        return name, flag, self.contig, self.begin + 1, f"{clips[0]}{self.length}M{clips[1]}"


def random_part(length, strands="+"):
    """Outside of the copies."""
    contig = random.choice("ab")
    return Part(contig, random.randint(8000, len(GENOME[contig]) - length - 100), length, random.choice(strands))


def columns_of_parts(name, first, second):
    """Of a read of two parts. The longer one is the primary record."""
    flags = (0, 2048) if first.length >= second.length else (2048, 0)
    return sorted([first.columns(name, flags[0], 0, second.length), second.columns(name, flags[1], first.length, 0)])


def other_base(base):
    return random.choice("ACGT".replace(base, ""))


def write_reads(path, reads):
    """(name, bases), which get random qualities."""
    write_fastq(path, *((name, bases, "".join(chr(random.randint(53, 73)) for _ in bases)) for name, bases in reads))


BAND = 8  # places that differ by so much are the same


# --- the inputs of several tests ---


@pytest.fixture(scope="module", autouse=True)
def adapters(work):
    """ref.fa, ref.trawl; adapters.fq with adapters on the left, on the right or on both sides."""
    write_fasta("ref.fa", *GENOME.items())
    run("index", "ref.fa", "-o", "ref.trawl").ok()
    random.seed(20)
    reads = []
    for _ in range(400):
        left = random.choice([0, 0, random.randint(1, 20)])
        right = random.choice([0, random.randint(1, 32)])
        part = random_part(random.choice([100, 100, 75, 150]))
        core = with_errors(part.bases[left:part.length - right], random.choice([0, 0, 0, 1, 2]))
        reads.append(on_strand(random.choice("+-"), random_bases(left) + core + random_bases(right)))
    write_reads("adapters.fq", ((f"r{n}", bases) for n, bases in enumerate(reads)))


def with_errors(bases, errors):
    bases = list(bases)
    for i in random.sample(range(len(bases)), errors):
        kind = random.random()
        bases[i] = other_base(bases[i]) if kind < 0.6 else "" if kind < 0.8 else bases[i] + random.choice("ACGT")
    return "".join(bases)


@pytest.fixture(scope="module")
def split():
    """split.fq: two parts that lie apart, and are the best pieces; the expected records. three.fq: three parts; both
    ends are supplementary."""
    random.seed(15)
    reads, expected = [], []
    for n in range(60):
        first, second = random.choice([(80, 60), (60, 80), (90, 35), (30, 70)])
        while True:
            parts = [random_part(first, "+-"), random_part(second, "+-")]
            if n % 3 == 0:  # a long deletion
                contig, begin, *_ = parts[0]
                parts = [Part(contig, begin, first), Part(contig, begin + first + 2000, second)]
                if parts[1].begin + second + first > len(GENOME[contig]):
                    continue
            read = parts[0].bases + parts[1].bases
            if not gains(read, 0, parts[0]) and not gains(read, first, parts[1]):
                break
        reads.append((f"s{n}", read))
        expected += columns_of_parts(f"s{n}", *parts)
    write_reads("split.fq", reads)
    threes = [[Part("b", 4000 + 600 * n, 40), Part("a", 9000 + 500 * n, 80), Part("a", 20000 + 500 * n, 36, "-")]
              for n in range(5)]
    write_reads("three.fq", ((f"t{n}", "".join(part.bases for part in parts)) for n, parts in enumerate(threes)))
    return expected


@pytest.fixture(scope="module")
def gaps():
    """gaps.fq: a long gap, which costs 15, and in some reads a mismatch near it; one part of a read is more than half.
    The expected records."""
    random.seed(16)
    reads, expected = [], {}
    for n in range(200):
        part = random_part(250)
        text, gap = part.bases, random.randint(10, 50)
        if n % 2 == 0:
            at = left = random.choice([random.randint(30, 60), random.randint(80, 120)])
            read = text[:left] + text[left + gap:150 + gap]
            while text[at - 1] == text[at + gap - 1]:
                at -= 1
            cigar, score = f"{at}M{gap}D{150 - at}M", 150 - 15
        else:
            at = left = random.randint(76, 84)
            gap = min(gap, 40)
            read = text[:left] + random_bases(gap) + text[left:150 - gap]
            while read[at - 1] == read[at + gap - 1]:
                at -= 1
            cigar, score = f"{at}M{gap}I{150 - gap - at}M", 150 - gap - 15
        name = f"exact{n}"
        if n % 4 == 0:
            name = f"mismatch{n}"
            m = at - random.randint(1, 4)  # before the gap
            read = read[:m] + other_base(read[m]) + read[m + 1:]
        reads.append((name, on_strand(random.choice("+-"), read)))
        expected[name] = (part.contig, part.begin + 1, cigar, gap, score)
    write_reads("gaps.fq", reads)
    return expected


@pytest.fixture(scope="module")
def odd():
    """odd.fq: N at the ends, no piece, very short reads."""
    random.seed(17)
    b = GENOME["b"]
    write_fastq("odd.fq", *{
        "tail30": b[9000:9070] + 30 * "N",
        "tail31": b[9100:9169] + 31 * "N",
        "tail45": b[9200:9255] + 45 * "N",
        "head20": 20 * "N" + b[9320:9400],
        "noise": random_bases(100),
        "only_n": 100 * "N",
        "adapter": ("AGATCGGAAGAGCACACGTCTGAACTCCAGTCA" * 4)[:100],
        "poly": 100 * "G",
        "one": "A", "one_n": "N", "two": "AC", "three": "ACG", "five_n": "NNNNN",
        "short": b[9400:9412] + "NNNN"}.items())


@pytest.fixture(scope="module")
def pairs():
    """1.fq, 2.fq: whole pairs, mates with adapters at the 3' end, a chimeric mate, a foreign mate."""
    random.seed(18)
    files = [], []
    for n in range(600):
        insert = random.randint(180, 420)
        fragment = random_part(insert).bases
        mates = [fragment[:100], reverse_complement(fragment[-100:])]
        kind = "whole" if n % 2 == 0 else random.choice(["adapter", "both", "chimera", "foreign"])
        changed = random.randint(0, 1)
        if kind in ("adapter", "both"):
            for m in 0, 1:
                if m == changed or kind == "both":
                    cut = random.randint(6, 28)
                    mates[m] = mates[m][:-cut] + random_bases(cut)
        if kind == "chimera":
            mates[changed] = mates[changed][:60] + random_part(40, "+-").bases
        if kind == "foreign":
            mates[changed] = random_bases(100)
        if random.random() < 0.5:
            mates.reverse()
        for number, (file, bases) in enumerate(zip(files, mates), 1):
            file.append((f"p{n}_{kind}/{number}", bases))
    for number, file in enumerate(files, 1):
        write_reads(f"{number}.fq", file)


# --- wrong usage ---


@pytest.mark.parametrize("message, options", [
    *((f"--clip {value}: give a number of bases, for example 40, or a share of the read's length below 50%",
       ["--clip", value])
      for value in ("", "%", "x", "5x", "+5", "-1", "0x5", "5.5", "4294967301", "99999999999999999999", "-1%", "5%%",
                    "inf%", "nan%", "5 ", "50%", "50.0%", "51%", "100%")),
    ("--clip 32768: at most 32767 bases can be left out", ["--clip", "32768"]),
    ("--clip-when", ["--clip", "30%", "--clip-when", "sometimes"]),
    *((f"{option[0]} needs --clip", off + option)
      for option in (["--clip-when", "always"], ["--split"], ["--hard-clip"], ["--join", "20"])
      for off in (["--report", "all"], ["--report", "strata"], ["--metric", "hamming"], ["--end-to-end"],
                  ["--clip", "0"], ["--clip", "0%"])),
    *(("--end-to-end: the whole read must fit, but --clip leaves bases out", ["--end-to-end", "--clip", clip, *report])
      for clip in ("30%", "5") for report in ([], ["--report", "all"])),
    *(("--join", ["--clip", "30%", "--join", value]) for value in ("", "x", "-1", "1.5", "10%", "1001")),
    ("given more than once", ["--clip", "3", "--clip", "4"])], ids=repr)
def test_wrong_usage(message, options):
    run("map", *options, "ref.fa", "adapters.fq", "-o", "out/x.bam").fails(2, message, output="out/x.bam")


@pytest.mark.parametrize("options, expected", [
    ("", " --report best"),
    ("--clip auto --clip-when auto", " --report best"),
    ("--clip 0", " --end-to-end --report best"),
    ("--clip 0% --clip-when auto", " --end-to-end --report best"),
    ("--end-to-end", " --end-to-end --report best"),
    ("--end-to-end --report all", " --report all"),
    ("--clip 0 --report all", " --report all"),
    ("--end-to-end --metric hamming", " --metric hamming --report best"),
    ("--clip 30% --clip-when unmapped -t 1", " --clip 30% --report best"),
    ("--clip 30% --clip-when unmapped --report all", " --clip 30% --report all"),
    ("--clip-when unmapped", " --clip-when unmapped --report best"),
    ("--clip-when always --hard-clip", " --clip-when always --hard-clip --report best"),
    ("--hard-clip --join 30 --split --clip-when always --clip 20",
     " --clip 20 --clip-when always --split --join 30 --hard-clip --report best")])
def test_command_line_in_pg(options, expected):
    """What is the default anyway is not in it."""
    result = mapped(f"{options} ref.fa adapters.fq --unmapped drop")
    assert re.search("^@PG.*CL:(.*)", result.stdout, flags=re.M)[1] == (
        f"trawl map --max-edits 5%{expected} --unmapped drop ref.fa")


def without(tags, lines):
    return [re.sub(f"\t{tags}", "", line) for line in lines]


# --- the default ---

# What it searches for pieces, where a whole read fits nowhere or badly.
ALWAYS = "--clip 49% --clip-when always --split --join 120"


@pytest.mark.parametrize("strand", "+-")
@pytest.mark.parametrize("from_end, left_out, penalty", [
    ([1], 0, 5), ([4], 0, 5), ([4, 1], 4, 4), ([5, 2], 0, 10), ([9, 5, 2], 9, 9), ([9, 3, 1], 3, 8), ([10, 5, 2], 0, 15),
    ([60, 3, 2], 3, 8), ([60, 30, 20, 9, 5], 0, 25)])
def test_mismatches_near_an_end(from_end, left_out, penalty, strand):
    """1 is the last base. The last read has a penalty of more than a fifth: its place is searched, and found again."""
    part = Part("b", 9000, 100)
    bases = list(part.bases)
    for n in from_end:
        bases[-n] = "ACGT"["CGTA".index(bases[-n])]
    write_fastq("out/near.fq", ("near", on_strand(strand, "".join(bases))))
    (found,), (whole,) = (records(mapped(f"{options} ref.fa out/near.fq")) for options in ("", "--end-to-end"))
    assert (whole.position, whole.cigar, whole.tags["NM"]) == (9001, "100M", len(from_end))
    assert (found.name, found.flag, found.contig, found.position, found.cigar) == part._replace(
        length=100 - left_out, strand=strand).columns("near", 0, *((0, left_out) if strand == "+" else (left_out, 0)))
    assert found.tags["AS"] == 100 - penalty
    assert found.tags["NM"] == len([n for n in from_end if n > left_out])
    if penalty <= 100 / 5:
        assert [found.mapq, found.tags["X0"], found.tags.get("X1")] == [
            whole.mapq, whole.tags["X0"], whole.tags.get("X1")]


def primaries(result):
    return {record.name: record for record in records(result, "-F", 2048)}


@pytest.mark.parametrize("reads", ["split", "three", "halves", "gaps"])
def test_the_default_places_by_words_what_fits_nowhere(split, halves, gaps, reads):
    """As if all its options were given; also without some of them."""
    assert records(mapped(f"--end-to-end ref.fa {reads}.fq"), "-F", 4) == []
    default = mapped(f"ref.fa {reads}.fq")
    assert sam_lines(mapped(f"--clip auto --split --join 120 ref.fa {reads}.fq")) == sam_lines(default)
    always = mapped(f"{ALWAYS} ref.fa {reads}.fq")
    for options in "--clip-when unmapped", "--clip-when always":
        assert sam_lines(mapped(f"{options} ref.fa {reads}.fq")) == sam_lines(always), options


def test_breakpoints_without_an_option(split, halves):
    assert columns(mapped("ref.fa split.fq")) == split
    # A piece of 76 bases with an edit may be found near a half.
    found = sorted(columns(mapped("ref.fa halves.fq")), key=lambda line: (line[0], line[2:]))
    expected = sorted(halves, key=lambda line: (line[0], line[2:]))
    assert [(name, contig) for name, _, contig, *_ in found] == [(name, contig) for name, _, contig, *_ in expected]
    assert [one for one, other in zip(found, expected) if abs(one[3] - other[3]) > BAND] == []


@pytest.mark.parametrize("length, edits, cigar", [(30, 0, "30M25S"), (29, 0, "*"), (35, 1, "35M20S"), (34, 1, "*")])
def test_pieces_with_a_score_of_30_and_more(length, edits, cigar):
    """Bases minus 5 for each edit. No other base of the read fits, and its halves are too short."""
    random.seed(37)
    contig, begin, *_ = random_part(60)
    text = GENOME[contig][begin:begin + 55 - (cigar == "*")]
    bases = [*text[:length], *map(other_base, text[length:])]
    if edits:
        bases[8] = other_base(bases[8])  # a word of 20 bases is left
    write_fastq("out/short.fq", ("short", "".join(bases)))
    assert [record.cigar for record in records(mapped("ref.fa out/short.fq"))] == [cigar]


def test_end_to_end(all_inputs, halves):
    """As --clip 0: no clips, no supplementary records, AS is minus the edits. Also what other reports do."""
    for inputs in "split.fq,three.fq,adapters.fq,odd.fq,gaps.fq,halves.fq", "1.fq 2.fq":
        whole = mapped(f"--end-to-end ref.fa {inputs}")
        for clip in "0", "0%":
            assert_same(whole, mapped(f"--clip {clip} ref.fa {inputs}"))
        assert_same(mapped(f"--report all ref.fa {inputs}"), mapped(f"--report all --end-to-end ref.fa {inputs}"))
        found = records(whole, "-F", 4)
        assert len(found) > 100
        for record in found:
            assert (record.flag & 2048, record.cigar.count("S"), record.tags["AS"]) == (0, 0, -record.tags["NM"]), record


# --- the best alignment by the rule of penalties ---


def primaries_of(contig, *reads, options=""):
    """Of reads (name, bases) on a contig, and on the other strand: {name: record} for each."""
    write_fasta("out/rule.fa", ("r", contig))
    for strand in "+-":
        write_fastq("out/rule.fq", *((name, on_strand(strand, bases)) for name, bases in reads))
        yield primaries(mapped(f"{options} out/rule.fa out/rule.fq"))


@pytest.mark.parametrize("unit, copies", [("A", 12), ("A", 20), ("CA", 12), ("CAG", 8)])
def test_reads_beyond_the_end_of_a_contig(unit, copies):
    """No insertion moves the bases beyond it into the repeat at its end."""
    random.seed(45)
    unique = random_bases(300)
    for before in "", other_base(unit[-1]):
        contig = unique + before + unit * copies
        length = 48 + len(unit) * copies
        reads = [(str(n), contig[-length:] + (unit * 5)[:n]) for n in range(1, 6)]
        for found in primaries_of(contig, *reads):
            assert {name: record.cigar for name, record in found.items()} == {
                str(n): f"{length}M{n}S" for n in range(1, 6)}
        for found in primaries_of(reverse_complement(contig), *reads):
            assert {name: record.cigar for name, record in found.items()} == {
                str(n): f"{n}S{length}M" for n in range(1, 6)}
    for found in primaries_of(unique, ("long", unique[-99:] + unique[-1]), ("short", unique[-20:] + unique[-1])):
        assert (found["long"].cigar, found["short"].cigar) == ("99M1S", "20M1S")


def test_an_end_that_does_not_belong_leaves_one_place():
    """The whole read may have two places, a base or two apart, with all its edits."""
    random.seed(46)
    contig = random_bases(20000)
    reads = []
    for n in range(200):
        length = random.randint(136, 140)
        begin = random.randrange(len(contig) - 200)
        reads.append((f"{begin + 1}_{n}", contig[begin:begin + length] + random_bases(150 - length)))
    for found in primaries_of(contig, *reads):
        unsure = [record for record in found.values() if record.mapq < 50]
        assert len(unsure) <= 2, unsure
        assert all(record.position == int(name.split("_")[0]) for name, record in found.items())


@pytest.mark.parametrize("change", [-24, -12, 12, 24])
def test_joined_gaps_are_leftmost(change):
    """Every read over a gap in a tandem repeat shows it at one place."""
    random.seed(47)
    left, right = random_bases(299) + "G", "G" + random_bases(300)
    contig = left + "TTTC" * 15 + right
    sample = left + "TTTC" * (15 + change // 4) + right
    last = 300 + 60 + change
    reads = [(str(at), sample[at:at + 150]) for at in range(last + 30 - 150, 285, 5)]
    assert len(reads) >= 5
    for found in primaries_of(contig, *reads):
        for name, record in found.items():
            before = 300 - int(name)
            gap = f"{abs(change)}{'D' if change < 0 else 'I'}"
            assert record.cigar.startswith(f"{before}M{gap}") and record.cigar.count("M") == 2, (name, record)


@pytest.mark.parametrize("kind", "DI")
def test_no_false_mismatches_in_place_of_a_gap(kind):
    """A shifted alignment in an imperfect tandem repeat, within e or not, is no better than the gap."""
    random.seed(48)
    reads, true, contig = [], {}, random_bases(300)
    for n in range(150):
        unit = random_bases(random.randint(2, 9))
        size = random.randint(8, 41)
        repeat = "".join(base if random.random() > 0.04 else other_base(base) for base in (unit * 60)[:size + 40])
        at = random.randrange(len(repeat) - size)
        changed = repeat[:at] + repeat[at + size:] if kind == "D" else repeat[:at + size] + repeat[at:]
        after = random_bases(300)
        read = contig[-60:] + changed + after
        contig += repeat + after
        if len(changed) <= 80 or kind == "I":
            reads.append((str(n), read[:60 + len(changed) + 30]))
            true[str(n)] = len(reads[-1][1]) - 15 - (size if kind == "I" else 0)
    for found in primaries_of(contig, *reads):
        worse = [record for name, record in found.items() if record.tags["AS"] < true[name] - 5]
        assert worse == []


@pytest.mark.parametrize("size", [51, 60, 80, 100, 120])
def test_long_deletions_and_insertions(size):
    random.seed(49)
    contig = random_bases(2000)
    half = (150 - size) // 2
    for found in primaries_of(contig, ("d", contig[925:1000] + contig[1000 + size:1075 + size]),
                              ("i", contig[1000 - half:1000] + random_bases(size) + contig[1000:1000 + half])):
        assert re.fullmatch(rf"7\dM{size}D7\dM", found["d"].cigar) and found["d"].tags["AS"] == 135
        if half >= 30:
            assert f"M{size}I" in found["i"].cigar


def test_what_words_must_not_miss():
    """A tail of one letter or unit, of which the reference has runs; a deletion near an end, which as a whole is a second
    place; long reads."""
    random.seed(58)
    units = ["A", "T", "GA", "AAAG"]
    runs = [(unit * 40)[:40] for unit in units]
    contig = "".join(random_bases(3000) + run for run in runs for _ in range(3)) + random_bases(9000)
    reads = []
    for unit in units:
        for tail in 76, 80, 90:
            begin = len(contig) - random.randrange(4000, 8000)
            reads.append((f"{begin + 1}_tail_{unit}_{tail}", contig[begin:begin + 150 - tail] + (unit * 90)[:tail]))
    for size in 6, 7:
        for behind in range(9, 14):
            begin = len(contig) - random.randrange(4000, 8000)
            cut = begin + 150 - behind
            reads.append((f"{begin + 1}_deletion_{size}_{behind}", contig[begin:cut] + contig[cut + size:cut + size + behind]))
    for length in 1001, 2000, 3000:
        begin = len(contig) - 8000
        reads.append((f"{begin + 1}_long_{length}", contig[begin:begin + length] + random_bases(length // 5)))
    for found in primaries_of(contig, *reads):
        for name, record in found.items():
            assert record.position == int(name.split("_")[0]) and record.mapq >= 30, (name, record)


def test_words_beside_n():
    """With --ambiguous match every word lies in runs of N, too."""
    random.seed(59)
    contig = random_bases(2000) + "N" * 300 + random_bases(2000)
    reads = [(f"{begin + 1}_{n}", contig[begin:begin + 120] + random_bases(30))
             for n, begin in enumerate(range(100, 1800, 50))]
    for found in primaries_of(contig, *reads, options="--ambiguous match"):
        for name, record in found.items():
            assert record.position == int(name.split("_")[0]) and record.mapq >= 30, (name, record)


def test_reads_with_n():
    """An N of a read costs 2: it says nothing about its place."""
    random.seed(50)
    contig = random_bases(20000)
    reads = []
    for length, unknown in (50, 5), (100, 12), (150, 20):
        for n in range(20):
            begin = random.randrange(len(contig) - length)
            bases = list(contig[begin:begin + length])
            clear = random.randrange(1, length - 22)  # bwa has words of 19, too
            for at in random.sample([at for at in range(1, length - 1) if not clear <= at < clear + 20], unknown):
                bases[at] = "N"
            reads.append((f"{begin + 1}_{length}_{unknown}_{n}", "".join(bases)))
    for found in primaries_of(contig, *reads):
        for name, record in found.items():
            begin, length, unknown, _ = map(int, name.split("_"))
            assert (record.position, record.cigar, record.mapq) == (begin, f"{length}M", 60), (name, record)
            assert (record.tags["NM"], record.tags["AS"]) == (unknown, length - 2 * unknown)
    for found in primaries_of(contig, *reads, options="--end-to-end"):
        assert all(record.flag & 4 for record in found.values()), "each N is an edit"


@pytest.mark.parametrize("options", ["", "--end-to-end", "--report all", "--clip 30%"])
def test_no_deletion_at_an_end_of_a_read(options):
    random.seed(51)
    contig = ""
    for run_length in range(10, 45):
        contig += random_bases(150) + "N" * run_length
    contig += random_bases(150)
    bases = "".join(base if base != "N" else random.choice("ACGT") for base in contig)
    reads = [(str(at), bases[at:at + 100]) for at in range(0, len(bases) - 100, 3)]
    for found in primaries_of(contig, *reads, options=f"--ambiguous match {options}"):
        cigars = [record.cigar for record in found.values() if not record.flag & 4]
        assert len(cigars) > 500
        assert [cigar for cigar in cigars if re.search(r"^(\d+S)?\d+D|D(\d+S)?$", cigar)] == []


def test_mates_beside_an_inserted_repeat():
    """One lies in the repeat, of which the reference has copies elsewhere; the other one reaches into it."""
    random.seed(47)
    repeat = random_bases(300)
    contig = "".join(random_bases(3000) + repeat for _ in range(5)) + random_bases(3000)
    donor = contig[:1500] + repeat + contig[1500:]
    first, second, sizes = [], [], range(300, 382, 2)
    for size in sizes:
        fragment = donor[1420:1420 + size]  # 80 bases before the repeat
        first.append((f"p{size}", fragment[:150]))
        second.append((f"p{size}", reverse_complement(fragment[-150:])))
    write_fasta("out/rule.fa", ("r", contig))
    write_fastq("out/rule_1.fq", *first)
    write_fastq("out/rule_2.fq", *second)
    found = records(mapped("--insert 100-600 out/rule.fa out/rule_1.fq out/rule_2.fq"), "-F", 2048)
    inside = [record for record in found if record.flag & 0x80 and not record.flag & 2]
    assert len(inside) == len(sizes) and {record.mapq for record in inside} == {0}
    for record in found:
        if record.flag & 0x40:
            # Some bases of the repeat may match behind the 80 ones.
            assert re.fullmatch(r"8\dM\d\dS", record.cigar) and (record.position, record.mapq) == (1421, 60), record


def test_a_mate_is_not_found_in_a_worse_copy():
    """Where a gap is one event, the copy with a gap of 7 bases is better than one with 12 mismatches, for edits not."""
    random.seed(52)

    def with_mismatches(bases, count):
        bases = list(bases)
        for at in random.sample(range(5, len(bases) - 5), count):
            bases[at] = other_base(bases[at])
        return "".join(bases)

    contig, pairs = random_bases(500), []
    for n in range(20):
        copy = random_bases(157)
        read = with_mismatches(copy[:71] + copy[78:], 6)
        mate = random_bases(150)
        begin = len(contig) + 150 + 60
        contig += mate + random_bases(60) + copy + random_bases(40) + with_mismatches(read, 12) + random_bases(500)
        pairs.append((f"{begin + 1}", mate, reverse_complement(read)))
    write_fasta("out/copies.fa", ("r", contig))
    for m in 1, 2:
        write_fastq(f"out/copies_{m}.fq", *((pair[0], pair[m]) for pair in pairs))
    found = records(mapped("--insert 150-700 out/copies.fa out/copies_1.fq out/copies_2.fq"), "-f", 128, "-F", 2048)
    near = [abs(record.position - int(record.name)) <= 20 for record in found]
    assert near.count(True) >= 19, [record for record in found if abs(record.position - int(record.name)) > 20]


# --- odd reads ---


def test_odd_reads(odd):
    result = mapped("--clip 30% --min-length 1 ref.fa odd.fq")
    found = {line[0]: line[1:] for line in columns(result)}
    assert found["tail30"] == (0, "b", 9001, "70M30S")
    assert found["tail31"] == (0, "b", 9101, "70M30S"), "one N is an edit"
    assert found["tail45"] == (4, "*", 0, "*"), "too many N"
    assert found["head20"] == (0, "b", 9321, "20S80M")
    for name in "noise", "only_n", "adapter", "poly", "one_n", "five_n":
        assert found[name] == (4, "*", 0, "*"), name
    assert found["one"][3] == "1M", "it fits as a whole"
    assert found["short"] == (0, "b", 9401, "12M4S")
    assert len(records(result)) == 14
    write_fastq("lower.fq", *((name, bases.lower()) for name, bases, _ in read_fastq("odd.fq")))
    Path("crlf.fq").write_text(Path("odd.fq").read_text(), newline="\r\n")
    for other in "lower", "crlf":
        assert_same(result, mapped(f"--clip 30% --min-length 1 ref.fa {other}.fq"))


@pytest.mark.parametrize("clip", ["49.9%", "5", "40", "32767"])
@pytest.mark.parametrize("edits", ["5%", "3", "0"])
def test_a_record_for_each_odd_read(odd, clip, edits):
    mapped(f"--clip {clip} -e {edits} --clip-when always --split ref.fa odd.fq -o out/x.sam")
    assert len(records("out/x.sam", "-F", "0x900")) == 14
    samtools("quickcheck", "-v", "out/x.sam")


# --- N of half a read and more ---


def test_clip_of_half_a_read_and_more():
    write_fastq("equal.fq", *(read for read in read_fastq("adapters.fq") if len(read[1]) == 100))
    count = len(read_fastq("equal.fq"))
    expected = mapped("--clip 49 --clip-when always ref.fa equal.fq")
    assert "warning" not in expected.stderr
    for clip in 50, 99, 100, 32767:
        result = mapped(f"--clip {clip} --clip-when always ref.fa equal.fq")
        assert (f"warning: --clip {clip} is half or more of {count} of {count} reads; of each of them less than half "
                "may be left out") in result.stderr
        assert sam_lines(result) == sam_lines(expected), clip


def test_clip_of_half_of_some_reads(odd):
    short = len([read for read in read_fastq("adapters.fq") if len(read[1]) <= 76])
    message = mapped("--clip 38 ref.fa adapters.fq").stderr
    assert f"warning: --clip 38 is half or more of {short} of 400 reads" in message
    assert "warning" not in mapped("--clip 49.9% ref.fa odd.fq").stderr, "a share"


# --- --split ---


def test_both_parts_of_split_reads(split):
    assert columns(mapped("--clip 49.9% --split ref.fa split.fq")) == split


def test_split_changes_nothing_else(split):
    whole = sam_lines(mapped("--clip 49.9% ref.fa split.fq,three.fq"))
    assert [line for line in whole if int(line.split("\t")[1]) & 2048 or "SA:Z:" in line] == []
    found = sam_lines(mapped("--clip 49.9% --split ref.fa split.fq,three.fq"), "-F", 2048)
    assert without("SA:Z:[^\t]*", found) == whole


# --- breakpoints in the middle of a read ---


def half_parts(first, second):
    """Two parts, of which none can be longer: beyond it the score of the bases is never above 0."""
    while True:
        parts = [random_part(first, "+-"), random_part(second, "+-")]
        read = parts[0].bases + parts[1].bases
        if not gains(read, 0, parts[0]) and not gains(read, first, parts[1]):
            return parts


def gains(read, before, part):
    text = on_strand(part.strand, GENOME[part.contig])
    at = (part.begin if part.strand == "+" else len(text) - part.begin - part.length) - before
    for way in range(before - 1, -1, -1), range(before + part.length, len(read)):
        score = 0
        for i in way:
            score += 1 if read[i] == text[at + i] else -4
            if score > 0:
                return True
    return False


@pytest.fixture(scope="module")
def halves():
    """halves.fq: reads of two halves, none of which is more than 70%. The expected records."""
    random.seed(14)
    reads, expected = [], []
    for n in range(60):
        first = random.choice([75, 75, 72, 79])
        parts = half_parts(first, 150 - first)
        reads.append((f"h{n}", parts[0].bases + parts[1].bases))
        expected += columns_of_parts(f"h{n}", *parts)
    write_reads("halves.fq", reads)
    return expected


def test_halves_of_reads(halves):
    assert records(mapped("--clip 30% ref.fa halves.fq"), "-F", 4) == [], "unmapped without --split"
    result = mapped("--clip 30% --split ref.fa halves.fq")
    assert columns(result) == halves
    tags = [record.tags for record in records(result, "-F", 2048)]
    assert len(tags) == 60
    for of_read in tags:
        assert 75 <= of_read["AS"] <= 79 and of_read["NH"] == of_read["HI"] == of_read["X0"] == 1 and "SA" in of_read
    assert sam_lines(mapped("--clip 30% --clip-when always --split ref.fa halves.fq")) == sam_lines(result)


# --- --join ---


@pytest.mark.parametrize("options", ["", "--clip 49.9% --join 50"])
def test_join_long_gaps(gaps, options):
    mapped(f"{options} ref.fa gaps.fq -o out/x.sam")
    calmd("out/x.sam", "ref.fa")
    samtools("quickcheck", "-v", "out/x.sam")
    exact = 0
    for r in records("out/x.sam"):
        assert r.mapq > 0, r
        if r.name.startswith("exact"):
            assert (r.contig, r.position, r.cigar, r.tags["NM"], r.tags["AS"]) == gaps[r.name], r
            exact += 1
        else:  # another alignment may be better by chance
            contig, *_, score = gaps[r.name]
            assert r.contig == contig and r.tags["AS"] >= score - 5, r
            assert max(length for length, operation in operations(r.cigar) if operation in "ID") >= 10, r
    assert exact == 150


@pytest.mark.parametrize("gap", [8, 20, 45])
def test_parts_of_one_read_do_not_compete(gap):
    """Both parts of a read around a long gap, and of a chimera, have a place that is certain; in a repeat none has."""
    random.seed(41)
    unique, other, repeat = ("".join(random.choices("ACGT", k=3000)) for _ in range(3))
    write_fasta("out/parts.fa", ("unique", unique), ("other", other), ("copy1", repeat), ("copy2", repeat))
    reads = []
    for n in range(40):
        begin, part = random.randint(200, 2500), random.randint(50, 100)
        for kind, left, right in ("gap", unique, unique), ("chimera", unique, other), ("copies", repeat, repeat):
            at = begin + part + gap if kind != "chimera" else random.randint(200, 2500)
            reads.append((f"{kind}{n}", left[begin:begin + part] + right[at:at + 150 - part]))
    write_fastq("out/parts.fq", *reads)
    for record in records(mapped("out/parts.fa out/parts.fq"), "-F", 2048):
        if record.name.startswith("copies"):
            assert record.mapq == 0, record
        else:
            assert record.mapq >= 50, record
            assert (f"{gap}D" in record.cigar) == record.name.startswith("gap"), record


@pytest.mark.parametrize("lost", [10, 11, 12])
def test_trimming_keeps_joined_gaps(lost):
    """The part before the gap is worth about as much as the gap costs. If it stays, the score is that of all."""
    random.seed(lost)
    start, unit, end = ("".join(random.choices("ACGT", k=k)) for k in (23, 30, 16))
    around = ["".join(random.choices("ACGT", k=3000)) for _ in range(2)]
    write_fasta("out/gap.fa", ("c", around[0] + start + 2 * unit + unit[:10] + end + around[1]))
    write_fastq("out/gap.fq", ("r", "ACGTTGCA" + start[:lost] + start[lost + 1:] + unit + unit[:10] + end))
    (record,) = records(mapped("out/gap.fa out/gap.fq"))
    aligned = sum(length for length, operation in operations(record.cigar) if operation in "MI")
    assert 56 <= record.tags["AS"] <= aligned, record


def test_join_halves():
    """An insertion in the middle: neither the read nor a half fits as a whole."""
    random.seed(21)
    reads, expected = [], []
    for n in range(20):
        part = random_part(160)
        left, right = part._replace(length=80), part._replace(begin=part.begin + 80, length=80)
        read = left.bases + random_bases(40) + right.bases
        while gains(read, 0, left) or gains(read, 120, right):
            read = left.bases + random_bases(40) + right.bases
        strand = random.choice("+-")
        reads.append((f"i{n}", on_strand(strand, read)))
        expected.append((f"i{n}", 16 * (strand == "-"), part.contig, part.begin + 1, "80M40I80M", 40, 145))
    write_reads("inserted.fq", reads)
    assert records(mapped("--clip 30% --join 50 ref.fa inserted.fq"), "-F", 4) == [], "unmapped without --split"
    mapped("--clip 30% --join 50 --split ref.fa inserted.fq -o out/x.sam")
    tags = [(record.tags["NM"], record.tags["AS"]) for record in records("out/x.sam")]
    assert [line + of_line for line, of_line in zip(columns("out/x.sam"), tags)] == expected
    calmd("out/x.sam", "ref.fa")


# --- pairs ---


def sorted_tags(source, *options):
    """samtools 1.16 gives a mapped read MC:Z:* if its mate is unmapped, but picard says that is an error."""
    fields = [line.split("\t") for line in sam_lines(source, *options)]
    return [of_line[:11] + sorted(tag for tag in of_line[11:] if tag != "MC:Z:*") for of_line in fields]


def fixmate_changes_nothing(path):
    samtools("fixmate", "--no-PG", path, "out/fixed.bam")
    assert sorted_tags("out/fixed.bam") == sorted_tags(path)


def proper_pairs(source):
    return len(sam_lines(source, "-f", 2, "-F", "0x904"))


@pytest.fixture(scope="module")
def without_clipping(pairs):
    """How many mates are in proper pairs."""
    return proper_pairs(mapped("--end-to-end ref.fa 1.fq 2.fq"))


@pytest.mark.parametrize("options", [
    "", "--hard-clip --discordant always", "--discordant never --unmapped drop", "--clip-when always",
    *(f"--clip 45% {more}" for more in (
        "", "--clip-when always", "--split", "--split --join 60", "--split --hard-clip --report all",
        "--report all --discordant always", "--report strata --strata 2 --split --mate-fields primary",
        "--unmapped drop --split", "--discordant never"))])
def test_mate_fields_are_those_of_fixmate(without_clipping, options):
    mapped(f"{options} ref.fa 1.fq 2.fq -o out/x.bam")
    fixmate_changes_nothing("out/x.bam")
    samtools("quickcheck", "-v", "out/x.bam")
    assert proper_pairs("out/x.bam") > without_clipping


def write_half_pairs(near):
    """h1.fq and h2.fq, or n1.fq and n2.fq: a mate is whole, the other one is two halves. The expected records, without
    the second halves."""
    random.seed(22)
    files, expected = ([], []), []
    for n in range(20):
        while True:
            half, other_half = half_parts(75, 75)
            if half.begin + 300 <= len(GENOME[half.contig]):
                break
        if near:  # 300 bases from end to end
            begin, strand = (half.begin + 200, "-") if half.strand == "+" else (half.begin - 225, "+")
            whole = Part(half.contig, begin, 100, strand)
        else:
            while True:
                whole = random_part(100)
                if whole.contig != half.contig or abs(whole.begin - half.begin) > 2000:
                    break
        mates = [(whole, whole.bases, 0), (half, half.bases + other_half.bases, 75)]
        if n % 2 == 0:
            mates.reverse()
        for number, ((part, bases, after), (mate, _, _)) in enumerate(zip(mates, mates[::-1])):
            files[number].append((f"p{n}/{number + 1}", bases))
            flag = 1 + 64 * (number + 1) + 2 * near + 32 * (mate.strand == "-")
            expected.append(part.columns(f"p{n}", flag, 0, after))
    for number, file in enumerate(files, 1):
        write_reads(f"{'n' if near else 'h'}{number}.fq", file)
    return expected


def test_halves_of_mates():
    expected = write_half_pairs(near=False)
    mapped("--clip 30% --split ref.fa h1.fq h2.fq -o out/x.bam")
    assert columns("out/x.bam", "-F", 2048) == expected
    assert len(records("out/x.bam", "-f", 2048)) == 20, "both halves have a record"
    fixmate_changes_nothing("out/x.bam")
    found = records(mapped("--clip 30% --split --discordant never ref.fa h1.fq h2.fq"), "-F", 4)
    assert [record.cigar for record in found] == ["100M"] * 20, "the whole mates"


def test_halves_of_mates_that_lie_near_each_other():
    """As in a concordant pair."""
    expected = write_half_pairs(near=True)
    mapped("--clip 30% --split --discordant never ref.fa n1.fq n2.fq -o out/x.bam")
    assert columns("out/x.bam", "-F", 2048) == expected
    assert len(records("out/x.bam", "-f", 2048)) == 20, "a long end is mapped, too"
    fixmate_changes_nothing("out/x.bam")


# --- formats ---


@pytest.fixture(scope="module")
def all_inputs(split, odd, gaps, pairs):
    """The fixtures have written them."""


INPUTS = pytest.mark.parametrize("inputs", ["split.fq,three.fq,adapters.fq,odd.fq,gaps.fq", "1.fq 2.fq"])


@INPUTS
@pytest.mark.parametrize("options", ["", *(f"--clip 49.9% {more}" for more in (
    "--split --join 60", "--split --hard-clip --report all", "--clip-when always --split --report strata --strata 1"))])
def test_formats(all_inputs, inputs, options):
    arguments = f"{options} ref.fa {inputs}"
    for format in "sam", "bam", "cram", "bed":
        mapped(f"{arguments} -o out/x.{format}")
    samtools("quickcheck", "-v", "out/x.sam")
    calmd("out/x.sam", "ref.fa")
    expected = sorted_tags("out/x.sam")
    for format in "bam", "cram":
        assert sorted_tags(f"out/x.{format}", "-T", "ref.fa") == expected, format
    pieces = []
    for r in records("out/x.sam", "-F", 4):
        end = r.position - 1 + sum(length for length, operation in operations(r.cigar) if operation in "MD=X")
        mate = "/1" if r.flag & 64 else "/2" if r.flag & 128 else ""
        pieces.append([r.contig, r.position - 1, end, r.name + mate, r.mapq, "-" if r.flag & 16 else "+", r.tags["NM"],
                       r.cigar.replace("H", "S")])
    assert [row[:8] for row in rows("out/x.bed")] == [[str(value) for value in piece] for piece in pieces]
    mapped(f"{arguments} --sort -o out/sorted.bam")
    samtools("sort", "-o", "out/expected.bam", "out/x.bam")
    assert sam_lines("out/sorted.bam") == sam_lines("out/expected.bam")
    samtools("index", "out/sorted.bam", "out/expected.bai")
    assert_same("out/expected.bai", "out/sorted.bam.bai")


def test_unmapped_drop(odd):
    kept = mapped("--clip 30% ref.fa odd.fq,adapters.fq")
    assert len(sam_lines(kept, "-f", 4)) > 5
    assert sam_lines(mapped("--clip 30% --unmapped drop ref.fa odd.fq,adapters.fq")) == sam_lines(kept, "-F", 4)


def test_statistics(split, odd):
    result = mapped("--clip 30% --split ref.fa split.fq,adapters.fq,odd.fq --stats out/x.json")
    found = records(result, "-F", 4)
    primary = [record for record in found if not record.flag & 0x900]
    left_out = [sum(length for length, operation in operations(record.cigar) if operation == "S") for record in primary]
    clipped_reads = len([length for length in left_out if length > 0])
    supplementary = len([record for record in found if record.flag & 2048])
    stats = read_json("out/x.json")
    assert (stats["reads"]["total"], stats["reads"]["mapped"]) == (474, len(primary))
    clipped = stats["clipped"]
    assert clipped["reads"] == clipped_reads > 100
    assert clipped["bases"] == sum(left_out)
    assert sum(clipped["reads_by_bases"].values()) == clipped_reads
    assert clipped["reads_by_bases"]["11-20"] == len([length for length in left_out if 11 <= length <= 20]) > 0
    assert clipped["supplementary_records"] == supplementary > 10
    assert (f"; {clipped_reads} reads clipped ({100 * clipped_reads / 474:.2f}%), {supplementary} supplementary records"
            in result.stderr)


# --- the same bytes ---


@INPUTS
@pytest.mark.parametrize("options", [
    "", "--clip-when always --ambiguous match", "--clip 30%", "--clip 49.9% --split --join 100 --report all",
    "--clip 40 --clip-when always --report strata --strata 1 --split --hard-clip", "--clip 30% --ambiguous match"])
@pytest.mark.parametrize("engine", ["cpu", "cuda"])
def test_the_bytes_do_not_depend_on_how_the_work_is_done(all_inputs, inputs, options, engine):
    if engine == "cuda" and not has_cuda():
        pytest.skip("the engine cuda cannot be used here")
    one = mapped(f"{options} -t 1 --engine cpu ref.fa {inputs}")
    for how in "-t 4", "-t 1 --tune batch-size=2", "-t 4 --tune batch-size=34", "--tune search=seeds", "--tune search=scan":
        assert_same(one, mapped(f"{options} {how} --engine {engine} ref.fa {inputs}"))
    assert_same(one, mapped(f"{options} -t 2 ref.trawl {inputs}"))  # a saved index


# --- fragments shorter than the read ---

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
