"""The programs of bench/ and clipped ends: right output passes, and every kind of fault is found."""

import random
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import (TRAWL_SIMULATE, assert_same, bench_program, counts, execute, random_bases, read_fasta, read_fastq,
                   reverse_complement, rows, simulate, write_fasta, write_fastq)

CHECK, ORACLE = map(bench_program, ("trawl-check", "trawl-oracle"))


def check(*arguments):
    return execute(CHECK, *arguments)


def check_clips(reads, sam, *options):
    return check("records", "ref.fa", reads, sam, "--clip", *options)


# --- the oracle ---


class Locus(NamedTuple):
    """A line of trawl-oracle. begin to end: the piece, on the forward strand of the reference."""
    name: str
    number: int
    strand: str
    contig: str
    reference_end: int
    distance: int
    run_begin: int
    run_end: int
    begin: int = 0
    end: int = 100
    penalty: int = 0


def oracle(*options):
    result = execute(ORACLE, "-e", 2, *options, "ref.fa", "reads.fq").ok()
    return [Locus(*(int(value) if value.isdigit() else value for value in row))
            for row in rows(result) if not row[0].startswith("#")]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """A reference with a repeat, and reads of it without indels: whole, with an adapter at either end or both, with
    errors."""
    random.seed(8)
    repeat = random_bases(300)
    contig = random_bases(2000) + repeat + random_bases(500) + reverse_complement(repeat) + random_bases(1000)
    write_fasta("ref.fa", ("c", contig))
    reads = []
    for n in range(120):
        begin = random.choice([random.randrange(3900), 2000 + random.randrange(200)])
        left, right = random.choice([(0, 0), (20, 0), (0, 25), (9, 17), (45, 45)])
        read = list(contig[begin:begin + 100])
        read[:left] = random_bases(left)
        read[100 - right:] = random_bases(right)
        for _ in range(random.randrange(3)):
            read[random.randrange(100)] = random.choice("ACGTN")
        read = "".join(read)
        if random.random() < 0.5:
            read = reverse_complement(read)
        reads.append((f"r{n}", read, "".join(random.choice("!5I") for _ in read)))
    write_fastq("reads.fq", *reads)


def write_lines(path, lines):
    Path(path).write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))


def write_records(name, loci):
    """NAME.tsv: the loci without the few that have gaps; NAME.sam: their records."""
    contig = read_fasta("ref.fa")["c"]
    reads = read_fastq("reads.fq")
    without_gaps, records = [], [[] for _ in reads]
    for locus in sorted(loci, key=lambda locus: (locus.number, locus.penalty, locus.reference_end, locus.strand)):
        name_of_read, bases, qualities = reads[locus.number]
        if locus.strand == "-":
            bases, qualities = reverse_complement(bases), qualities[::-1]
        left, length, right = locus.begin, locus.end - locus.begin, len(bases) - locus.end
        start = locus.reference_end - length
        md, mismatches = compare(bases[left:locus.end], contig[start:])
        if mismatches == locus.distance:
            without_gaps.append(locus)
            cigar = f"{left}S" * (left > 0) + f"{length}M" + f"{right}S" * (right > 0)
            records[locus.number].append([
                name_of_read, 16 * (locus.strand == "-"), "c", start + 1, 9, cigar, "*", 0, 0, bases, qualities,
                f"NM:i:{mismatches}", f"MD:Z:{md}", f"AS:i:{len(bases) - locus.penalty}"])
    lines = [["@SQ", "SN:c", f"LN:{len(contig)}"]]
    for (name_of_read, *read), of_read in zip(reads, records):
        for n, fields in enumerate(of_read):
            if n > 0:
                fields[1] += 256
                fields[9:11] = "**"
            fields += [f"NH:i:{len(of_read)}", f"HI:i:{n + 1}"]
        lines += of_read or [[name_of_read, 4, "*", 0, 0, "*", "*", 0, 0, *read]]
    write_lines(f"{name}.tsv", without_gaps)
    write_lines(f"{name}.sam", lines)


def compare(bases, expected):
    """The tag MD, and the number of mismatches."""
    md, run, mismatches = "", 0, 0
    for base, other in zip(bases, expected):
        if base == other:
            run += 1
        else:
            md, run, mismatches = f"{md}{run}{other}", 0, mismatches + 1
    return f"{md}{run}", mismatches


@pytest.fixture(scope="module")
def clipped(inputs):
    """always.tsv, always.sam, unmapped.tsv, unmapped.sam. All loci of the oracle."""
    loci = {}
    for when in "unmapped", "always":
        loci[when] = oracle("--clip", "30%", "--clip-when", when, "-t", 2)
        write_records(when, loci[when])
    return loci


def test_the_oracle_against_paths_one_by_one():
    execute(ORACLE, "--self-test", 150).ok()


@pytest.mark.parametrize("when", ["unmapped", "always"])
def test_right_records(clipped, when):
    assert len([locus for locus in clipped[when] if locus.end - locus.begin < 100]) > 60, "some pieces are clipped"
    loci = len(rows(f"{when}.tsv"))
    assert loci > 120, "most loci are without gaps"
    found = counts(check("loci", f"{when}.sam", f"{when}.tsv").ok())
    assert (found["loci"], found["missing"]) == (loci, 0)
    mapped = [row for row in rows(f"{when}.sam") if row[1] != "4" and row[0][0] != "@"]
    assert counts(check_clips("reads.fq", f"{when}.sam").ok())["alignments"] == len(mapped)


def test_whole_reads_first(clipped):
    whole = oracle()
    found = clipped["unmapped"]
    assert [locus[:8] for locus in found if locus.end - locus.begin == 100] == [locus[:8] for locus in whole]
    others = {locus.name for locus in found if locus.end - locus.begin < 100}
    assert others & {locus.name for locus in whole} == set(), "only other reads are clipped"


def test_clips_without_the_option(clipped):
    assert check("records", "ref.fa", "reads.fq", "unmapped.sam").status == 1


# --- faults ---


def spoil(sam, record, pattern, replacement):
    """Changes the first line that begins with a pattern."""
    lines = Path(sam).read_text().splitlines(keepends=True)
    n = next(n for n, line in enumerate(lines) if re.match(record, line))
    before, lines[n] = lines[n], re.sub(pattern, replacement, lines[n], count=1)
    assert lines[n] != before
    Path("out/spoilt.sam").write_text("".join(lines))
    return "out/spoilt.sam"


PRIMARY = r"r\d+\t(0|16)\tc\t\d+\t9\t\d+M\d+S\t"
SECONDARY = r"r\d+\t(256|272)\t"


@pytest.mark.parametrize("record, pattern, replacement, message", [
    pytest.param(SECONDARY, r".*\n", "", "missing: read", id="a locus is left out"),
    pytest.param(PRIMARY, r"(\d+)M(\d+)S(.*)MD:Z:\S*",
                 lambda m: f"{int(m[1]) - 1}M{int(m[2]) + 1}S{m[3]}MD:Z:{int(m[1]) - 1}", "missing: read",
                 id="another piece"),
    pytest.param(PRIMARY, "AS:i:", "AS:i:1", "AS should be", id="AS"),
    pytest.param(PRIMARY, r"\tAS:i:\d*", "", "AS should be", id="no AS"),
    pytest.param(PRIMARY, "NM:i:", "NM:i:1", "NM should be", id="NM"),
    pytest.param(PRIMARY, r"\d+M\d+S", "60S60S", "the clips are as long as the read", id="clips longer than the read"),
    pytest.param(PRIMARY, r"(\d+M\d+)S", r"\g<1>1S", "fault", id="a longer clip"),
    pytest.param(PRIMARY, r"(\d+M\d+)S", r"\1H", "the primary record is hard-clipped",
                 id="a hard clip of the primary record"),
    pytest.param(PRIMARY, r"\n", r"\tSA:Z:c,1,+,50S50M,9,0;\n", "SA should be missing", id="SA of a single record"),
    pytest.param(SECONDARY, r"\n", r"\tSA:Z:c,1,+,50S50M,9,0;\n", "a secondary record has SA",
                 id="SA of a secondary record")])
def test_a_fault(clipped, record, pattern, replacement, message):
    spoilt = spoil("always.sam", record, pattern, replacement)
    found = [check("loci", spoilt, "always.tsv"), check_clips("reads.fq", spoilt)]
    assert max(result.status for result in found) == 1
    assert message in found[0].stdout + found[1].stdout


# --- a split read ---


@pytest.fixture(scope="module")
def split(inputs):
    """60 bases at 101 of c, 40 of its other strand at 501: split.fq, soft.sam and hard.sam."""
    contig = read_fasta("ref.fa")["c"]
    read = contig[100:160] + reverse_complement(contig[500:540])
    write_fastq("split.fq", ("s", read, "I" * 60 + "5" * 40))
    first = (f"s\t0\tc\t101\t60\t60M40S\t*\t0\t0\t{read}\t{'I' * 60 + '5' * 40}\t"
             "NM:i:0\tMD:Z:60\tAS:i:60\tNH:i:1\tHI:i:1\tSA:Z:c,501,-,40M60S,30,0;\n")
    turned = reverse_complement(read)
    for name, cigar, bases, qualities in (("soft", "40M60S", turned, "5" * 40 + "I" * 60),
                                          ("hard", "40M60H", turned[:40], "5" * 40)):
        Path(f"{name}.sam").write_text(f"{first}s\t2064\tc\t501\t30\t{cigar}\t*\t0\t0\t{bases}\t{qualities}\t"
                                       "NM:i:0\tMD:Z:40\tAS:i:40\tSA:Z:c,101,+,60M40S,60,0;\n")


CLIPS = pytest.mark.parametrize("clips", ["soft", "hard"])


@CLIPS
def test_a_split_read(split, clips):
    assert counts(check_clips("split.fq", f"{clips}.sam").ok())["alignments"] == 2


@CLIPS
@pytest.mark.parametrize("pattern, replacement, message", [
    pytest.param(r"\tSA:.*", "", "SA should be c,101,+,60M40S,60,0;, and is missing", id="no SA"),
    pytest.param("SA:Z:c,101", "SA:Z:c,102", "SA should be", id="SA to another place"),
    pytest.param(r"\t30\t", r"\t31\t", "SA should be c,501,-,40M60S,31,0;", id="another MAPQ than in SA"),
    pytest.param(r"\n", r"\tNH:i:1\n", "a supplementary record has NH, HI, X0 or X1", id="NH"),
    pytest.param(r"\t[ACGT]{40,}\t", r"\t*\t", "SEQ is not the read", id="no bases")])
def test_a_fault_of_a_supplementary_record(split, clips, pattern, replacement, message):
    result = check_clips("split.fq", spoil(f"{clips}.sam", r"s\t2064\t", pattern, replacement))
    assert result.status == 1
    assert message in result.stdout


def test_bases_of_the_piece_with_s(split):
    spoilt = spoil("hard.sam", r"s\t2064\t", "60H", "60S")
    assert "SEQ is not the read" in check_clips("split.fq", spoilt).stdout


def test_common_bases_of_both_records(split):
    """The bases 55 to 60."""
    text = Path("soft.sam").read_text()
    for before, after in (("\t501\t", "\t496\t"), ("\t40M60S", "\t45M55S"), ("MD:Z:40", "MD:Z:45"),
                          ("AS:i:40", "AS:i:45"), ("SA:Z:c,501,-,40M60S", "SA:Z:c,496,-,45M55S")):
        assert text.count(before) == 1
        text = text.replace(before, after)
    Path("out/spoilt.sam").write_text(text)
    assert "a supplementary record has bases of the primary one" in check_clips("split.fq", "out/spoilt.sam").stdout


def test_a_long_deletion_that_joins_a_clipped_end():
    """It costs 15 points."""
    contig = read_fasta("ref.fa")["c"]
    begin = next(k for k in range(600, 900) if contig[k + 59] != contig[k + 79])
    read = contig[begin:begin + 60] + contig[begin + 80:begin + 120]
    write_fastq("join.fq", ("j", read))
    Path("join.sam").write_text(f"j\t0\tc\t{begin + 1}\t60\t60M20D40M\t*\t0\t0\t{read}\t{'I' * 100}\tNM:i:20\t"
                                f"MD:Z:60^{contig[begin + 60:begin + 80]}40\tAS:i:85\tNH:i:1\tHI:i:1\n")
    assert counts(check_clips("join.fq", "join.sam", "--join").ok())["joined by a long gap"] == 1
    assert "AS should be 0" in check_clips("join.fq", "join.sam").stdout
    spoilt = spoil("join.sam", "j", "AS:i:85", "AS:i:84")
    assert "AS should be 0" in check_clips("join.fq", spoilt, "--join").stdout


# --- simulated reads with artefacts ---


@pytest.fixture(scope="module")
def two():
    """Two contigs, of which one has _ in its name."""
    simulate("genome", 30000, 7, "genome.fa")
    bases, = read_fasta("genome.fa").values()
    write_fasta("two.fa", ("a_b", bases[:12000]), ("c", bases[12000:]))


def test_each_part_of_a_read_with_artefacts(two):
    """Without errors and variants, each part that a name tells is an exact part of the reference."""
    contigs = read_fasta("two.fa")
    for output in "kinds.fq", "again.fq":
        simulate("reads", "two.fa", 2000, 120, 3, "--error-rate", 0, "--variant-rate", 0, "--qualities",
                 "--adapters", "0.3,0-40", "--chimeras", 0.2, "--indels", "0.2,12-30", "--tails", 0.2, output=output)
    assert_same("kinds.fq", "again.fq")
    kinds, foreign = Counter(), Counter()
    for name, read, _ in read_fastq("kinds.fq"):
        kind, places = re.fullmatch(r"([a-z]+)\d+_(.*)", name).groups()
        kinds[kind] += 1
        parts = []
        for place in places.split("&"):
            contig, start, end, strand, edits, before = (place if kind != "sim" else f"{place}_0").rsplit("_", 5)
            start, end, before = int(start), int(end), int(before)
            forward = reverse_complement(read) if strand == "-" else read
            assert edits == "0", name
            assert forward[before:before + end - start] == contigs[contig][start:end], name
            parts.append((contig, start, end, strand))
        assert len(read) == 120, name
        assert len(parts) == (2 if kind in ("chimera", "indel") else 1), name
        copied = sum(end - start for _, start, end, _ in parts)
        if kind == "indel":
            (contig, _, first_end, strand), (other_contig, second_start, _, other_strand) = sorted(parts)
            assert (contig, strand) == (other_contig, other_strand), name
            assert 12 <= (120 - copied or second_start - first_end) <= 30, name
            assert second_start == first_end or copied == 120, name
        if kind == "adapter":
            assert copied >= 80, name
            before_copy = before if strand == "+" else 120 - before - copied
            foreign["5'" if before_copy == 120 - copied else "3'" if before_copy == 0 else "both"] += 1
            foreign["real"] += before_copy == 0 and "AGATCGGAAGAGC" in read[copied:copied + 13]
        if kind == "tail":
            assert 60 <= copied <= 110, name
            foreign["N"] += read.count("N")
            foreign["bases of tails"] += 120 - copied
    assert min(foreign[end] for end in ("5'", "3'", "both", "real")) > 60
    assert round(foreign["N"] / foreign["bases of tails"], 1) == 0.3
    assert 500 <= kinds["adapter"] < 700
    assert kinds["sim"] >= 50
    for kind in "chimera", "indel", "tail":
        assert 300 <= kinds[kind] < 500, kind


@pytest.mark.parametrize("options", [
    pytest.param("--adapters 0.6 --tails 0.6", id="shares of more than all"),
    pytest.param("--indels 0.1,20-10", id="indels from 20 to 10"),
    pytest.param("--adapters 0.1,45", id="one length of adapters")])
def test_wrong_options_of_artefacts(two, options):
    assert execute(TRAWL_SIMULATE, "reads", "two.fa", 9, 120, 3, *options.split()).status == 2


def test_adapters_of_one_length(two):
    simulate("reads", "two.fa", 20, 120, 3, "--adapters", "1,30-30", "--variant-rate", 0, output="adapters.fq")
    places = [name.split("_")[-5:-3] for name, _, _ in read_fastq("adapters.fq") if name.startswith("adapter")]
    assert {int(end) - int(start) for start, end in places} == {90}


def test_truth():
    """Either part of a read counts, at the place where its first base would be."""
    alignments = """
        adapter0_a_b_100_180_+_0_20                  0    a_b 101 60 20S80M
        adapter1_a_b_100_180_-_0_20                  16   a_b 99  60 18S82M
        adapter2_a_b_100_180_+_0_20                  0    a_b 101 60 80M20S
        chimera3_a_b_100_170_+_0_0&c_d_500_530_-_1_0 0    a_b 101 60 70M30S
        chimera4_a_b_100_170_+_0_0&c_d_500_530_-_1_0 16   c_d 501 9  30M70S
        chimera5_a_b_100_170_+_0_0&c_d_500_530_-_1_0 0    c_d 501 60 30M70S
        indel6_a_b_100_140_+_0_0&a_b_170_230_+_0_40  0    a_b 171 30 40S60M
        indel6_a_b_100_140_+_0_0&a_b_170_230_+_0_40  0    a_b 101 30 40M30D60M
        indel6_a_b_100_140_+_0_0&a_b_170_230_+_0_40  2048 a_b 901 30 40M60H
        tail7_a_b_100_170_-_0_30                     4    *   0   0  *
        sim8_a_b_100_200_+_0                         0    a_b 111 20 100M"""
    write_lines("out/truth.sam", [["@SQ", "SN:a_b", "LN:1000"], *([*line.split(), "*", 0, 0, "*", "*"]
                                                                  for line in alignments.strip().splitlines())])
    result = check("truth", "out/truth.sam").ok()
    found = counts(result)
    assert [found[name] for name in ("reads", "mapped", "right", "MAPQ >= 20", "wrong of them")] == [10, 9, 7, 8, 2]
    of_kinds = [row for row in rows(result) if len(row) == 9 and row[0] != "kind"]
    assert [row[:3] + row[4:7] for row in of_kinds] == [
        ["adapter", "3", "3", "2", "3", "1"], ["chimera", "3", "3", "2", "2", "1"], ["indel", "2", "2", "2", "2", "0"],
        ["sim", "1", "1", "1", "1", "0"], ["tail", "1", "0", "0", "0", "0"]]
