"""Clipped ends: the default, --end-to-end, --clip, --clip-when, --split, --join and --hard-clip, on a random genome
where the right place is known. tests/conformance compares all of it with plain dynamic programming."""

import random
import re

import pytest

from clip_genome import GENOME, mapped, on_strand, other_base, random_part
from tools import (assert_same, calmd, has_cuda, operations, random_bases, read_fastq, records, reverse_complement, run,
                   sam_lines, samtools, simulate, sorted_tags, write_fasta, write_fastq)


# --- the inputs of several tests ---

B = GENOME["b"]
# N at the ends, no piece, very short reads; and where --clip 30% places them.
ODD = {
    "tail30": (B[9000:9070] + 30 * "N", "b", 9001, "70M30S"),
    "tail31": (B[9100:9169] + 31 * "N", "b", 9101, "70M30S"),  # one N is an edit
    "tail45": [B[9200:9255] + 45 * "N"],
    "head20": (20 * "N" + B[9320:9400], "b", 9321, "20S80M"),
    "short": (B[9400:9412] + "NNNN", "b", 9401, "12M4S"),
    "noise": [random_bases(100)], "only_n": [100 * "N"], "adapter": [("AGATCGGAAGAGCACACGTCTGAACTCCAGTCA" * 4)[:100]],
    "poly": [100 * "G"], "one": ["A"], "one_n": ["N"], "two": ["AC"], "three": ["ACG"], "five_n": ["NNNNN"]}


@pytest.fixture(scope="module", autouse=True)
def files(work):
    """ref.fa, ref.trawl. kinds.fq: reads with adapters, bad tails, long gaps or of two places, some as they are; pairs of
    such mates in 1.fq and 2.fq, some of them foreign. parts.fq: reads of two places or with a long gap, without errors;
    none of them fits as a whole."""
    write_fasta("ref.fa", *GENOME.items())
    write_fasta("donor.fa", *GENOME.items(), ("foreign", random_bases(20000)))
    run("index", "ref.fa", "-o", "ref.trawl").ok()
    simulate("reads", "ref.fa", 300, 120, 20, "--qualities", "--lengths", "70-150", "--adapters", "0.4,0-32", "--chimeras",
             0.2, "--indels", "0.2,10-50", "--tails", 0.1, output="kinds.fq")
    simulate("library", "donor.fa", 400, 100, 18, "1.fq", "2.fq", "--chimeras", 0.2, "--short", "0.2,70-99", "--tails", 0.2)
    simulate("reads", "ref.fa", 240, 150, 15, "--error-rate", 0, "--variant-rate", 0, "--qualities", "--chimeras", 0.5,
             "--indels", "0.5,12-50", output="all.fq")
    nowhere = {record.name for record in records(mapped("--end-to-end ref.fa all.fq"), "-f", 4)}
    write_fastq("parts.fq", *(read for read in read_fastq("all.fq") if read[0] in nowhere))
    write_fastq("odd.fq", *((name, bases) for name, (bases, *_) in ODD.items()))


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
    run("map", *options, "ref.fa", "kinds.fq", "-o", "out/x.bam").fails(2, message, output="out/x.bam")


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
    result = mapped(f"{options} ref.fa kinds.fq --unmapped drop")
    assert re.search("^@PG.*CL:(.*)", result.stdout, flags=re.M)[1] == (
        f"trawl map --max-edits 5%{expected} --unmapped drop ref.fa")


# --- the default ---

# What it searches for pieces, where a whole read fits nowhere or badly.
ALWAYS = "--clip 49% --clip-when always --split --join 120"


def primaries(result):
    return {record.name: record for record in records(result, "-F", 2048)}


def test_the_default_places_by_words_what_fits_nowhere():
    """As if all its options were given; also without some of them."""
    default = mapped("ref.fa parts.fq")
    assert sam_lines(mapped("--clip auto --split --join 120 ref.fa parts.fq")) == sam_lines(default)
    write_fastq("out/chimeras.fq", *(read for read in read_fastq("parts.fq") if read[0].startswith("chimera")))
    always = mapped(f"{ALWAYS} ref.fa out/chimeras.fq")
    for options in "--clip-when unmapped", "--clip-when always":
        assert sam_lines(mapped(f"{options} ref.fa out/chimeras.fq")) == sam_lines(always), options


def parts_of(name):
    """What the name of a simulated read tells: (contig, begin, end, strand) of each part."""
    for place in re.fullmatch(r"[a-z]+\d+_(.*)", name)[1].split("&"):
        contig, begin, end, strand, *_ = place.split("_")
        yield contig, int(begin), int(end), strand


@pytest.mark.parametrize("options, least", [
    ("", 40), ("--clip 49.9% --split --join 50", 40), ("--clip 30% --clip-when always --split --join 50", 60)])
def test_breakpoints(options, least):
    """Both parts of a chimera have a record, and a long gap is in one; some bases beyond may fit by chance. Reads of which
    a part is shorter than `least` may lack it."""
    result = mapped(f"{options} ref.fa parts.fq -o out/x.sam")
    calmd("out/x.sam", "ref.fa")
    samtools("quickcheck", "-v", "out/x.sam")
    found = {name: [] for name, *_ in read_fastq("parts.fq")}
    for r in records("out/x.sam", "-F", 4):
        end = r.position - 1 + sum(length for length, operation in operations(r.cigar) if operation in "MD")
        found[r.name].append((r.contig, r.position - 1, end, "-" if r.flag & 16 else "+", r.flag, r.tags["AS"], r.cigar))
    seen = {"chimera": 0, "indel": 0}
    for name, own in found.items():
        parts = sorted(parts_of(name))
        is_chimera = name.startswith("chimera")
        has_copies = any(contig == "c" or contig == "a" and begin < 7200 and end > 4800 for contig, begin, end, _ in parts)
        if has_copies or min(end - begin for _, begin, end, _ in parts) < least:
            continue
        seen["chimera" if is_chimera else "indel"] += 1
        if not is_chimera:
            (contig, begin, middle, strand), (_, _, end, _) = parts
            parts = [(contig, begin, end, strand)]
            inserted = max(0, 150 - (end - begin))
            assert re.search(r"\d\d[DI]", own[0][6]) and own[0][5] >= 150 - inserted - 15 - 5, (name, own)
        assert [record[4] & 2048 for record in own] == [0, 2048][:len(parts)], (name, own)
        for (contig, begin, end, strand), record in zip(parts, sorted(own)):
            assert (record[0], record[3]) == (contig, strand), (name, own)
            assert max(abs(record[1] - begin), abs(record[2] - end)) <= 8, (name, own)
    assert min(seen.values()) > 15
    primary = [record.cigar for record in records("out/x.sam", "-F", "0x804")]
    clipped = sum("S" in cigar for cigar in primary)
    assert f"; {clipped} reads clipped ({100 * clipped / len(found):.2f}%), " in result.stderr
    assert f", {len(records('out/x.sam', '-f', 2048))} supplementary records" in result.stderr


def test_split_changes_nothing_else():
    """But that the part elsewhere is no rival: MAPQ may be higher."""
    whole = records(mapped("--clip 49.9% ref.fa parts.fq"), "-F", 4)
    assert [record for record in whole if record.flag & 2048 or "SA" in record.tags] == []
    found = {record.name: record for record in records(mapped("--clip 49.9% --split ref.fa parts.fq"), "-F", 2048)}
    for record in whole:
        split = found[record.name]
        tags = {name: value for name, value in split.tags.items() if name != "SA"}
        assert split.mapq >= record.mapq and split._replace(mapq=record.mapq, tags=tags) == record


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


def test_end_to_end():
    """As --clip 0: no clips, no supplementary records, AS is minus the edits. Also what other reports do."""
    for inputs in "parts.fq,kinds.fq,odd.fq", "1.fq 2.fq":
        whole = mapped(f"--end-to-end ref.fa {inputs}")
        for clip in "0", "0%":
            assert_same(whole, mapped(f"--clip {clip} ref.fa {inputs}"))
        assert_same(mapped(f"--report all ref.fa {inputs}"), mapped(f"--report all --end-to-end ref.fa {inputs}"))
        found = records(whole, "-F", 4)
        assert len(found) > 50
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


def test_odd_reads():
    found = {r.name: (r.contig, r.position, r.cigar) for r in records(mapped("--clip 30% --min-length 1 ref.fa odd.fq"))}
    assert len(found) == len(ODD)
    for name, (_, *expected) in ODD.items():
        assert found[name] == (tuple(expected) or ("*", 0, "*")) or name in ("one", "two", "three"), name
    assert found["one"][2] == "1M", "it fits as a whole"


@pytest.mark.parametrize("clip", ["49.9%", "5", "40", "32767"])
@pytest.mark.parametrize("edits", ["5%", "3", "0"])
def test_a_record_for_each_odd_read(clip, edits):
    mapped(f"--clip {clip} -e {edits} --clip-when always --split ref.fa odd.fq -o out/x.sam")
    assert len(records("out/x.sam", "-F", "0x900")) == len(ODD)
    samtools("quickcheck", "-v", "out/x.sam")


# --- N of half a read and more ---


def test_clip_of_half_a_read_and_more():
    lengths = [len(bases) for _, bases, _ in read_fastq("parts.fq")]
    expected = mapped("--clip 74 --clip-when always ref.fa parts.fq")
    assert "warning" not in expected.stderr
    for clip in 75, 99, 32767:
        result = mapped(f"--clip {clip} --clip-when always ref.fa parts.fq")
        assert (f"warning: --clip {clip} is half or more of {len(lengths)} of {len(lengths)} reads; of each of them less "
                "than half may be left out") in result.stderr
        assert sam_lines(result) == sam_lines(expected), clip
    short = len([read for read in read_fastq("kinds.fq") if len(read[1]) <= 76])
    assert f"warning: --clip 38 is half or more of {short} of 300 reads" in mapped("--clip 38 ref.fa kinds.fq").stderr
    assert "warning" not in mapped("--clip 49.9% ref.fa odd.fq").stderr, "a share"


# --- --join ---


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


# --- pairs ---


def without_star(lines):
    """samtools 1.16 gives a mapped read MC:Z:* if its mate is unmapped, but picard says that is an error."""
    return [[column for column in line if column != "MC:Z:*"] for line in lines]


def proper_pairs(source):
    return len(sam_lines(source, "-f", 2, "-F", "0x904"))


@pytest.fixture(scope="module")
def without_clipping():
    """How many mates are in proper pairs."""
    return proper_pairs(mapped("--end-to-end ref.fa 1.fq 2.fq"))


@pytest.mark.parametrize("options", [
    "", "--hard-clip --discordant always", "--discordant never --unmapped drop", "--clip-when always",
    "--clip 30% --split", "--clip 30% --split --discordant never",  # mates without a piece are split in halves
    *(f"--clip 45% {more}" for more in (
        "", "--clip-when always", "--split", "--split --join 60", "--split --hard-clip --report all",
        "--report all --discordant always", "--report strata --strata 2 --split --mate-fields primary",
        "--unmapped drop --split", "--discordant never"))])
def test_mate_fields_are_those_of_fixmate(without_clipping, options):
    mapped(f"{options} ref.fa 1.fq 2.fq -o out/x.bam")
    samtools("fixmate", "--no-PG", "out/x.bam", "out/fixed.bam")
    assert without_star(sorted_tags("out/fixed.bam")) == without_star(sorted_tags("out/x.bam"))
    samtools("quickcheck", "-v", "out/x.bam")
    assert proper_pairs("out/x.bam") > without_clipping


# --- formats ---

INPUTS = pytest.mark.parametrize("inputs", ["parts.fq,kinds.fq,odd.fq", "1.fq 2.fq"])


@INPUTS
@pytest.mark.parametrize("options", ["", *(f"--clip 49.9% {more}" for more in (
    "--split --join 60", "--split --hard-clip --report all", "--clip-when always --split --report strata --strata 1"))])
def test_formats(inputs, options):
    arguments = f"{options} ref.fa {inputs}"
    for format in "sam", "bam", "cram":
        mapped(f"{arguments} -o out/x.{format}")
    samtools("quickcheck", "-v", "out/x.sam")
    calmd("out/x.sam", "ref.fa")
    expected = sorted_tags("out/x.sam")
    for format in "bam", "cram":
        assert sorted_tags(f"out/x.{format}", "-T", "ref.fa") == expected, format


# --- the same bytes ---


@INPUTS
@pytest.mark.parametrize("options", [
    "", "--clip-when always --ambiguous match", "--clip 30%", "--clip 49.9% --split --join 100 --report all",
    "--clip 40 --clip-when always --report strata --strata 1 --split --hard-clip", "--clip 30% --ambiguous match"])
@pytest.mark.parametrize("engine", ["cpu", "cuda"])
def test_the_bytes_do_not_depend_on_how_the_work_is_done(inputs, options, engine):
    if engine == "cuda" and not has_cuda():
        pytest.skip("the engine cuda cannot be used here")
    one = mapped(f"{options} -t 1 --engine cpu ref.fa {inputs}")
    for how in "-t 4", "-t 1 --tune batch-size=2", "-t 4 --tune batch-size=34", "--tune search=seeds", "--tune search=scan":
        assert_same(one, mapped(f"{options} {how} --engine {engine} ref.fa {inputs}"))
    assert_same(one, mapped(f"{options} -t 2 ref.trawl {inputs}"))  # a saved index
