"""trawl-simulate library: what its names and its VCF say is true of the reads, counted here from them alone; and
trawl-simulate mosaic."""

import os
import sys
from pathlib import Path

import pytest

from tools import (ROOT, TRAWL_SIMULATE, assert_same, bench_program, counts, execute, random_bases, read_fasta, read_fastq,
                   reverse_complement, rows, simulate, write_fasta, write_lines)

TRUSEQ = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG"
TRUSEQ_SECOND = "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATT"
FAULTLESS = ["--error-rate", 0, "--tails", 0, "--unknown", 0]
NO_VARIANTS = ["--variant-rate", 0, "--str-changes", 0]


@pytest.fixture(scope="module", autouse=True)
def reference():
    # Two contigs, one with an underscore and a gap of N, both with short tandem repeats.
    repeats = ["A" * 14, "CA" * 12, "TTTC" * 9, "CAG" * 8]
    parts = [[random_bases(300) + repeats[(i + c) % 4] for i in range(60)] for c in range(2)]
    write_fasta("two.fa", ("one_a", "".join(parts[0][:30]) + "N" * 500 + "".join(parts[0][30:])),
                ("two", "".join(parts[1])))


def library(*options, count=2000, length=100, seed=3):
    """[(name, mate 1, mate 2)] with (bases, qualities) of the mates."""
    simulate("library", "two.fa", count, length, seed, "1.fq", "2.fq", "--vcf", "donor.vcf", *options)
    pairs = []
    for (name, *first), (other, *second) in zip(read_fastq("1.fq"), read_fastq("2.fq"), strict=True):
        assert name == other
        pairs.append((name, first, second))
    return pairs


def kind_of(name):
    return name.split("_", 1)[0].rstrip("0123456789.")


def places_of(name):
    """Of each mate: [(contig, start, end, strand, edits, before)]."""
    mates = name.split("_", 1)[1].split("~")
    return [[(place.rsplit("_", 5)[0], *map(int, place.rsplit("_", 5)[1:3]), place.rsplit("_", 5)[3],
              *map(int, place.rsplit("_", 5)[4:])) for place in mate.split("&")] for mate in mates]


def test_reads_without_faults_are_the_reference_and_the_adapter():
    genome = read_fasta("two.fa")
    kinds = set()
    for name, *mates in library(*FAULTLESS, *NO_VARIANTS, "--short", 0.4, "--chimeras", 0.2, "--duplicates", 0):
        kinds.add(kind_of(name))
        for places, (bases, qualities), adapter in zip(places_of(name), mates, (TRUSEQ, TRUSEQ_SECOND), strict=True):
            assert len(bases) == len(qualities) == 100
            expected = ""
            for contig, start, end, strand, edits, before in places:
                part = genome[contig][start:end]
                part = part if strand == "+" else reverse_complement(part)
                assert before == (len(expected) if strand == "+" else 100 - len(expected) - len(part))
                assert edits == 0
                expected += part
            assert bases == (expected + adapter + 100 * "G")[:100]
        first, second = places_of(name)
        if kind_of(name) in ("short", "tiny"):  # both mates are the whole fragment
            assert first[0][1:3] == second[0][1:3] and first[0][3] != second[0][3]
            assert (first[0][2] - first[0][1] < 70) == (kind_of(name) == "tiny")
        assert (len(first), len(second)) == (2 if kind_of(name) == "chimera" else 1, 1)
    assert kinds == {"long", "short", "tiny", "chimera"}
    assert not [row for row in rows("donor.vcf") if row[0][0] != "#"]


def haplotypes():
    """The contigs of both haplotypes, by the VCF alone."""
    made = []
    for haplotype in (0, 1):
        contigs = {}
        for contig, bases in read_fasta("two.fa").items():
            parts, done = [], 0
            for row in rows("donor.vcf"):
                if row[0] == contig and row[9].split("|")[haplotype] == "1":
                    start, ref, alt = int(row[1]) - 1, row[3], row[4]
                    assert start >= done and bases[start:start + len(ref)] == ref and ref != alt
                    parts += [bases[done:start], alt]
                    done = start + len(ref)
            contigs[contig] = "".join(parts) + bases[done:]
        made.append(contigs)
    return made


def test_reads_are_of_the_haplotypes_of_the_vcf():
    pairs = library(*FAULTLESS, "--variant-rate", 0.02, "--indel-share", 0.5, "--longest-indel", 20, "--str-changes", 0.5,
                    "--short", 0, "--chimeras", 0, "--insert", "150,20", count=3000)
    variants = [row for row in rows("donor.vcf") if row[0][0] != "#"]
    assert {row[9] for row in variants} == {"0|1", "1|0", "1|1"}
    sizes = [len(row[4]) - len(row[3]) for row in variants]
    assert min(sizes) < -5 and max(sizes) > 5 and sizes.count(0) > 100
    donor = haplotypes()
    found = [0, 0]
    for name, *mates in pairs:
        texts = [bases if places[0][3] == "+" else reverse_complement(bases)
                 for places, (bases, _) in zip(places_of(name), mates)]
        contig = places_of(name)[0][0][0]
        on = [all(text in haplotype[contig] for text in texts) for haplotype in donor]
        assert any(on), name
        found = [found[h] + (on[h] and not on[1 - h]) for h in (0, 1)]
    assert min(found) > 500
    assert max(places_of(name)[0][0][4] for name, *_ in pairs) > 5


def test_changes_of_tandem_repeats():
    """Units come or go at the first letter of a repeat: as bcftools norm would write it."""
    library("--variant-rate", 0, "--str-changes", 1, count=1)
    variants = [row for row in rows("donor.vcf") if row[0][0] != "#"]
    assert len(variants) > 80
    genome = read_fasta("two.fa")
    for contig, position, _, ref, alt, *_ in variants:
        units = max(ref, alt, key=len)[1:]
        assert (ref[0], min(len(ref), len(alt))) == (alt[0], 1)
        after = genome[contig][int(position):int(position) + len(units)]
        assert after == units and ref[0] != units[-1]
        assert any(units == (unit * 40)[:len(units)] and len(units) % len(unit) == 0
                   for size in range(1, 7) for unit in [units[:size]])


def test_faults():
    pairs = library("--duplicates", 0.3, "--error-rate", 0.02, *NO_VARIANTS)
    first = {}
    for name, *mates in pairs:
        number, _, original = name.split("_", 1)[0].lstrip("abcdefghijklmnopqrstuvwxyz").partition(".")
        places = [[place[:4] for place in mate] for mate in places_of(name)]
        if original:
            assert first[original] == places  # sequenced again, with other errors
        else:
            first[number] = places
    assert 0.6 * len(pairs) < len(first) < 0.8 * len(pairs)
    mates = [mate for _, *both in pairs for mate in both]
    tails = [qualities for _, qualities in mates if qualities.endswith("#" * 10)]
    assert 0.03 < len(tails) / len(mates) < 0.12
    assert 0.003 < sum("N" in bases for bases, _ in mates) / len(mates) < 0.03
    assert sum(place[4] for name, *_ in pairs for mate in places_of(name) for place in mate) > len(mates)


def test_same_seed_same_bytes_and_first_mates_alone():
    library(seed=5)
    simulate("library", "two.fa", 2000, 100, 5, "alone.fq", "--vcf", "again.vcf")
    assert_same("1.fq", "alone.fq")
    assert_same("donor.vcf", "again.vcf")
    simulate("library", "two.fa", 2000, 100, 6, "other.fq")
    assert Path("other.fq").read_bytes() != Path("alone.fq").read_bytes()


def test_region_lengths_and_adapters():
    pairs = library(*FAULTLESS, *NO_VARIANTS, "--region", "two:5001-6000", "--short", "1,40-45", "--adapters", "ACGT,TTTT",
                    "--beyond", "C", "--duplicates", 0, count=200)
    for name, (first, _), (second, _) in pairs:
        (contig, start, end, _, _, _), = places_of(name)[0]
        assert contig == "two" and 5000 <= start < 6000 and 40 <= end - start <= 45
        assert first[end - start:] == "ACGT" + "C" * (96 - (end - start))
        assert second[end - start:] == "TTTT" + "C" * (96 - (end - start))


@pytest.mark.parametrize("options, status, message", [
    (["--short", "0.1,100-100"], 2, "--short"), (["--tails", 2], 2, "--tails"), (["--adapters", "x,y"], 2, "--adapters"),
    (["--beyond", "N"], 2, "--beyond"), (["--longest-indel", 0], 2, "--longest-indel"),
    (["--region", "three"], 1, "no such contig"), (["--region", "two:5-100000"], 1, "the contig has"),
    (["--insert", "50,0"], 1, "no window")])
def test_wrong_options(options, status, message):
    result = execute(TRAWL_SIMULATE, "library", "two.fa", 10, 100, 1, "1.fq", "2.fq", "--short", 0, *options)
    assert result.status == status and message in result.stderr


def test_truth():
    """trawl-check judges each mate by its own places, and single reads as mate 1."""
    alignments = """
        long0_a_b_100_200_+_0_0~a_b_400_500_-_1_0                 99   a_b 101 60 100M
        long0_a_b_100_200_+_0_0~a_b_400_500_-_1_0                 147  a_b 401 40 100M
        long1_a_b_100_200_+_0_0~a_b_400_500_-_1_0                 97   a_b 401 60 100M
        long1_a_b_100_200_+_0_0~a_b_400_500_-_1_0                 141  *   0   0  *
        short2.1_a_b_100_180_-_0_20~a_b_100_180_+_0_0             83   a_b 101 60 20S80M
        short2.1_a_b_100_180_-_0_20~a_b_100_180_+_0_0             163  a_b 101 20 80M20S
        chimera3_a_b_100_170_+_0_0&c_500_530_-_1_0~a_b_400_500_-_1_0 81  c 501 30 30M70S
        chimera3_a_b_100_170_+_0_0&c_500_530_-_1_0~a_b_400_500_-_1_0 145 c 501 20 100M
        tiny4_a_b_100_130_+_0_0~a_b_100_130_-_0_70                0    a_b 101 39 30M70S"""
    write_lines("truth.sam", *("\t".join([*line.split(), "*", "0", "0", "*", "*"])
                               for line in alignments.strip().splitlines()))
    result = execute(bench_program("trawl-check"), "truth", "truth.sam").ok()
    assert counts(result)["reads"] == 9
    assert [row for row in rows(result) if len(row) == 9] == [
        ["kind", "reads", "mapped", "proper", "right", "MAPQ >= 20", "wrong of them", "MAPQ >= 40",
         "wrong with 60 and more"],
        ["chimera", "2", "2", "0", "1", "2", "1", "0", "0"], ["long", "4", "3", "2", "2", "3", "1", "3", "1"],
        ["short", "2", "2", "2", "2", "2", "0", "1", "0"], ["tiny", "1", "1", "0", "1", "1", "0", "0", "0"]]
    table = rows(execute(bench_program("trawl-check"), "truth", "truth.sam", "--counts").ok())
    assert table[0] == ["kind", "MAPQ", "reads", "proper", "wrong"]
    assert [row for row in table if row[0] == "long"] == [["long", "-", "1", "0", "0"], ["long", "40", "1", "1", "0"],
                                                          ["long", "60", "2", "1", "1"]]


# --- mosaic ---


def test_a_mosaic():
    """Of eight copies of an element between unique sequence, and a gap of N: the first copy is the reference, the others have
    other unique sequence and elements like its own. The number of threads does not matter, the seed does."""
    element, unique = random_bases(512), [random_bases(1024) for _ in range(8)]
    first = "".join(part + element for part in unique[:4]) + "N" * 192
    write_fasta("elements.fa", ("a_1", first), ("b", "".join(part + element for part in unique[4:])))
    for output, seed, threads in ("mosaic.fa", 1, 1), ("same.fa", 1, 5), ("other.fa", 2, 2):
        simulate("mosaic", "elements.fa", 3, seed, output, "--threads", threads)
    assert_same("mosaic.fa", "same.fa")
    made, source, other = (dict(read_fasta(name)) for name in ("mosaic.fa", "elements.fa", "other.fa"))
    assert list(made) == ["a_1", "b", "a_1_1", "b_1", "a_1_2", "b_2"]
    assert made["b_1"] != made["b_2"] != other["b_2"]

    def share_changed(one, two, first, last):
        return sum(a != b for a, b in zip(one[first:last], two[first:last])) / (last - first)

    for name, bases in source.items():
        assert made[name] == bases
        for copy in made[f"{name}_1"], made[f"{name}_2"]:
            assert len(copy) == len(bases) and [base == "N" for base in copy] == [base == "N" for base in bases]
            for at in range(0, 4 * 1536, 1536):
                assert 0.25 < share_changed(copy, bases, at, at + 1024) < 0.43, "a third of what is unique"
                assert share_changed(copy, bases, at + 1024, at + 1536) < 0.1, "at most 2% drawn anew, and its ends"


def test_the_genome_of_human_size():
    """bench/genomes.py makes it of human133, here of a stand-in, and then has it."""
    write_fasta("human133.fa", ("20", random_bases(300)), ("X", random_bases(200)))
    path = {"TRAWL_GENOMES": os.getcwd(), "PATH": f"{Path(TRAWL_SIMULATE).parent}:{os.environ['PATH']}"}
    for _ in range(2):
        result = execute(sys.executable, ROOT / "bench/genomes.py", "human3g", env=path).ok()
        assert result.stdout == f"{os.getcwd()}/human3g.fa\n"
    made = read_fasta("human3g.fa")
    assert len(made) == 46 and list(made)[-1] == "X_22" and sum(map(len, made.values())) == 23 * 500
    assert "fetching" not in result.stderr
