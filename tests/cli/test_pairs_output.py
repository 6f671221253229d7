"""The records of pairs as other tools read them, and the files that workflows/divet_oea.py makes of them."""

import json
import random
import re
import resource
import runpy
import shutil
from pathlib import Path

import pytest

from tools import (ROOT, assert_same, count, execute, fastq, files_in, make_input, random_bases, read_fasta, read_fastq,
                   records, reverse_complement, rows, run, sam_lines, samtools, sorted_tags, write_fastq)

PAIRS = ["ref.fa", "1.fq", "2.fq"]
BOTH_REPORTS = pytest.mark.parametrize("report", ["best", "all"])
ORIENTATIONS = {"fr": (False, True), "rf": (True, False), "ff": (False, False)}  # which mate is reversed


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """Pairs in fr_N.fq, rf_N.fq, ff_N.fq. N.fq is fr_N.fq and, again, its first 100 pairs with other names."""
    make_input(300000, 10)
    contigs = read_fasta("ref.fa")
    for orientation in ORIENTATIONS:
        make_pairs(contigs, orientation)
    for n in 1, 2:
        text = Path(f"fr_{n}.fq").read_text()
        again = [fastq(name.replace("r", "again"), *read) for name, *read in read_fastq(f"fr_{n}.fq")[:100]]
        Path(f"{n}.fq").write_text(text + "".join(again))


def make_pairs(contigs, orientation):
    """3,000: most concordant, others on two contigs, dovetailing, one inside the other, with foreign mates."""
    random.seed(5)

    def either():
        return random.random() < 0.5

    def piece(contig, begin, length, reverse):
        text = contigs[contig][begin:begin + length]
        text = reverse_complement(text) if reverse else text
        return "".join(random.choice("ACGT") if random.random() < 0.01 else letter for letter in text)

    pairs = []
    for _ in range(3000):
        a, b = random.randint(50, 100), random.randint(50, 100)
        contig = random.choice(list(contigs))
        begin = random.randint(100, len(contigs[contig]) - 1000)
        kind = random.random()
        if kind < 0.8:
            insert = max(a, b, int(random.gauss(220, 40)))
            left, right = ORIENTATIONS[orientation]
            mates = [piece(contig, begin, a, left), piece(contig, begin + insert - b, b, right)]
            if orientation != "ff" and either():
                mates.reverse()
        elif kind < 0.9:
            other = random.choice(list(contigs))
            mates = [piece(contig, begin, a, either()),
                     piece(other, random.randint(0, len(contigs[other]) - 200), b, either())]
        elif kind < 0.95:
            mates = [piece(contig, begin, a, either()), random_bases(b)]
            random.shuffle(mates)
        elif kind < 0.97:
            mates = [random_bases(a), random_bases(b)]
        else:
            mates = [piece(contig, begin, a, False), piece(contig, begin + random.randint(-60, 60), b, True)]
        pairs.append([(mate, "".join(chr(33 + random.randint(2, 40)) for _ in mate)) for mate in mates])
    for n in 1, 2:
        write_fastq(f"{orientation}_{n}.fq", *((f"r{i}/{n}", *pair[n - 1]) for i, pair in enumerate(pairs)))


@pytest.fixture(scope="module", autouse=True)
def pairs_with_one_mate_mapped(inputs):
    """best.bam, all.bam; for each of them, how many such pairs."""
    numbers = {}
    for report in "best", "all":
        message = run("map", "--report", report, *PAIRS, "-o", f"{report}.bam").ok().stderr
        numbers[report] = int(re.search("([0-9]+) with one mate mapped", message)[1])
    return numbers


# --- samtools ---


def fixmate_changes_nothing(path, *options):
    samtools("fixmate", "--no-PG", *options, path, "out/fixed.bam")
    expected = sorted_tags(path)
    assert len(expected) >= 5000
    # samtools 1.16 gives a mapped read MC:Z:* if its mate is unmapped, but picard says that is an error.
    assert [[column for column in record if column != "MC:Z:*"] for record in sorted_tags("out/fixed.bam")] == expected


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("options", [
    "best", "all", "strata --strata 2 --discordant always --mate-fields primary", "all --discordant never",
    "all --unmapped drop --discordant always -k 3"])
def test_fixmate_changes_nothing(orientation, options):
    run("map", "--orientation", orientation, "--report", *options.split(), "ref.fa", f"{orientation}_1.fq",
        f"{orientation}_2.fq", "-o", "out/x.bam").ok()
    fixmate_changes_nothing("out/x.bam", *([] if orientation == "fr" else ["-p"]))
    if "always" in options:
        assert count("out/x.bam", "-f", 2, "-F", 256) > 4000, "concordant mates"


# --- formats ---


@pytest.mark.parametrize("options", ["all", "all --discordant always", "strata --strata 2 --discordant always -k 2"])
def test_max_loci(options):
    """A mate with more than N records is unmapped. The other one keeps its places."""
    command = ["map", "--report", *options.split(), *PAIRS]
    run(*command, "-o", "out/every.bam").ok()
    before = by_mate("out/every.bam")
    result = run(*command, "--max-loci", 2, "-o", "out/x.bam", "--stats", "out/x.json").ok()
    after = by_mate("out/x.bam")
    many = {mate for mate, found in before.items() if len(found) + found[0].tags.get("ZD", 0) > 2}
    lost = {(name, 192 - of) for name, of in many} - many  # their mates
    kept = {mate for mate in lost if not before[mate][0].flag & 4}
    assert len(many) > 20 and kept
    assert [mate for mate, found in after.items() if "XM" in found[0].tags] == [m for m in before if m in many]
    for mate in many:
        assert (len(after[mate]), after[mate][0].flag & 4, after[mate][0].tags["XM"]) == (1, 4, 3)
    for mate in kept:
        assert places(after[mate][:1]) == places(before[mate][:1])
        assert places(after[mate]) == places(before[mate])
        assert {record.flag & 10 for record in after[mate]} == {8}
    of_others = [name for name, of in before if not {(name, 64), (name, 128)} & many]
    assert [after[name, of] for name in of_others for of in (64, 128)] == [
        before[name, of] for name in of_others for of in (64, 128)]
    assert f"; {len(many)} reads left unmapped: more than 2 loci (--max-loci)" in result.stderr
    stats = json.loads(Path("out/x.json").read_text())
    assert stats["reads"]["unmapped_many_loci"] == len(many)
    assert stats["pairs"]["one_end"] == count("out/x.bam", "-F", 260, "-f", 8)
    fixmate_changes_nothing("out/x.bam")
    run(*command, "--max-loci", 2, "--one-end", "never", "-o", "out/x.bam").ok()
    assert count("out/x.bam", "-F", 4, "-f", 8) == 0


@pytest.mark.parametrize("options", ["all", "all --discordant always", "strata --strata 2 --discordant always -k 2"])
def test_one_of_many_loci(options):
    """The primary record of such a mate is its only one; what its mate has stays."""
    command = ["map", "--report", *options.split(), *PAIRS]
    run(*command, "-o", "out/every.bam").ok()
    before = by_mate("out/every.bam")
    run(*command, "--max-loci", "2,one", "-o", "out/x.bam", "--stats", "out/x.json").ok()
    after = by_mate("out/x.bam")
    many = {mate for mate, found in before.items() if len(found) + found[0].tags.get("ZD", 0) > 2}
    assert len(many) > 20
    assert {mate for mate, found in after.items() if "XM" in found[0].tags} == many
    for mate, found in before.items():
        primary = after[mate][0]
        assert (primary.flag, primary.contig, primary.position, primary.cigar) == (
            found[0].flag, found[0].contig, found[0].position, found[0].cigar)
        if mate in many:
            assert (len(after[mate]), primary.mapq, primary.tags["NH"], primary.tags["XM"]) == (1, 0, 1, 3)
        else:
            assert places(after[mate]) == places(found) and primary.mapq == found[0].mapq
    assert json.loads(Path("out/x.json").read_text())["reads"]["one_of_many_loci"] == len(many)
    fixmate_changes_nothing("out/x.bam")


@pytest.mark.parametrize("report", ["all", "all --discordant always"])
def test_other_places_of_mates_in_one_tag(report):
    """Each place of a mate once, however many pairs it is in."""
    run("map", "--report", *report.split(), *PAIRS, "-o", "out/every.bam").ok()
    run("map", "--report", *report.split(), "--xa", 9, *PAIRS, "-o", "out/x.bam").ok()
    every = by_mate("out/every.bam")
    seen = 0
    for mate, (record, *others) in by_mate("out/x.bam").items():
        first = every[mate][0]
        assert not others and record[:9] == first[:9] and record.tags.get("NH") == first.tags.get("NH")
        expected = places(every[mate]) - places([first])
        found = set()
        for place in record.tags.get("XA", "").split(";")[:-1]:
            contig, position, cigar, _ = place.split(",")
            found.add((contig, abs(int(position)), 16 * position.startswith("-"), cigar))
        assert found == (expected if len(expected) <= 9 else set())
        seen += len(found)
    assert seen > 20


@pytest.mark.parametrize("strand", ["+", "-"])
@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_strand_of_pairs(orientation, strand):
    """That of the first mate; the second one lies on the other strand, but with ff on the same."""
    def is_right(record):
        reverse = bool(record.flag & 16) != (bool(record.flag & 128) and orientation != "ff")
        return record.flag & 4 or reverse == (strand == "-")

    files = ["ref.fa", f"{orientation}_1.fq", f"{orientation}_2.fq"]
    command = ["map", "--orientation", orientation, "--insert", "50-600", "--discordant", "always", "--report"]
    run(*command, "all", *files, "-o", "out/every.bam").ok()
    run(*command, "all", "--strand", strand, *files, "-o", "out/x.bam").ok()
    expected = {mate: places(filter(is_right, found)) for mate, found in by_mate("out/every.bam").items()}
    found = {mate: places(found) for mate, found in by_mate("out/x.bam").items()}
    mapped = {mate for mate, of in expected.items() if {cigar for *_, cigar in of} - {"*"}}
    assert len(mapped) > 900
    assert {mate: found[mate] for mate in mapped} == {mate: expected[mate] for mate in mapped}
    assert {cigar for mate, of in found.items() if mate not in mapped for *_, cigar in of} == {"*"}
    # Mates near mates, words, clipped and split ends, short fragments.
    for more in [], ["--clip", "30%", "--split"]:
        run("map", "--orientation", orientation, "--strand", strand, *more, *files, "-o", "out/x.bam").ok()
        best = records("out/x.bam")
        assert all(map(is_right, best)) and sum(not record.flag & 4 for record in best) > 900


def by_mate(path):
    found = {}
    for record in records(path):
        found.setdefault((record.name, record.flag & 192), []).append(record)
    return found


def places(of):
    return {(record.contig, record.position, record.flag & 16, record.cigar) for record in of}


@BOTH_REPORTS
def test_both_mates_or_none(pairs_with_one_mate_mapped, report):
    one_end = pairs_with_one_mate_mapped[report]
    assert one_end > 50
    result = run("map", "--report", report, "--one-end", "never", *PAIRS, "-o", "out/never.bam").ok()
    assert f"{one_end} with one mate mapped (left unmapped); " in result.stderr
    assert count("out/never.bam", "-e", "(flag.unmap && !flag.munmap) || (!flag.unmap && flag.munmap)") == 0
    assert count("out/never.bam", "-f", 12) == count(f"{report}.bam", "-f", 12) + 2 * one_end
    assert sam_lines("out/never.bam", "-F", 12) == sam_lines(f"{report}.bam", "-F", 12), "the other pairs"
    fixmate_changes_nothing("out/never.bam")


@BOTH_REPORTS
def test_the_formats_have_the_same_records(report):
    expected = sorted_tags(f"{report}.bam")
    for output in "out/x.sam", "out/x.cram":
        run("map", "--report", report, *PAIRS, "-o", output).ok()
        assert sorted_tags(output, "-T", "ref.fa") == expected, output


@BOTH_REPORTS
@pytest.mark.skipif(not shutil.which("bedtools"), reason="no bedtools here")
def test_bed_is_what_bedtools_makes_of_bam(report):
    run("map", "--report", report, *PAIRS, "-o", "out/x.bed")
    expected = execute("bedtools", "bamtobed", "-i", f"{report}.bam").ok()
    assert [row[:6] for row in rows("out/x.bed")] == rows(expected)


# --- DIVET and OEA ---

MOST = 400
SCRIPT = ROOT / "workflows/divet_oea.py"
SMALL = ROOT / "tests/cli/divet_oea"  # records, and the files of trawl 0.1, which had options for them


def divet_and_oea(records, *sizes):
    """Makes out/x.vh and out/oea.sam of a SAM file."""
    Path("out/stats.json").write_text(json.dumps({"insert": dict(zip(["min", "max"], sizes))}))
    return execute(SCRIPT, "out/stats.json", "out/x.vh", "out/oea.sam", stdin=records)


def test_small_files():
    divet_and_oea(SMALL / "pairs.sam", 150, 250).ok()
    assert_same("out/x.vh", SMALL / "discordant.vh")
    assert_same("out/oea.sam", SMALL / "one_end.sam")


@pytest.mark.parametrize("orientation, first, second, letter", [
    ("fr", (1000, 1100, 0), (1301, 1401, 1), "D"), ("fr", (1301, 1401, 1), (1000, 1100, 0), "D"),
    ("fr", (1000, 1100, 0), (1099, 1199, 1), "I"), ("fr", (1000, 1100, 0), (990, 1110, 1), "I"),
    ("fr", (1000, 1100, 0), (1300, 1400, 1), None), ("fr", (1000, 1100, 0), (1100, 1200, 1), None),
    ("fr", (1000, 1100, 0), (1200, 1300, 0), "V"), ("ff", (1000, 1100, 0), (1301, 1401, 1), "V"),
    ("fr", (1000, 1100, 0), (500, 600, 1), "E"), ("fr", (500, 600, 1), (1000, 1100, 0), "E"),
    ("fr", (1000, 1100, 0), (900, 1000, 1), "E"), ("fr", (1000, 1100, 0), (901, 1001, 1), None),
    ("fr", (990, 1090, 1), (1000, 1100, 0), None), ("rf", (1010, 1110, 1), (1000, 1100, 0), None),
    ("ff", (1000, 1100, 0), (990, 1090, 0), None), ("rf", (1000, 1100, 0), (500, 600, 1), "D"),
    ("rf", (1000, 1100, 0), (1301, 1401, 1), "E"), ("ff", (1000, 1100, 0), (1301, 1401, 0), "D"),
    ("ff", (1000, 1100, 0), (500, 600, 0), "E")])
def test_events(orientation, first, second, letter):
    mates = ["\t".join(map(str, ["r", 1 + 16 * reverse, "c", begin + 1, 0, f"{end - begin}M", "*", 0, 0, "*", "*"]))
             for begin, end, reverse in (first, second)]
    script = runpy.run_path(str(SCRIPT))
    assert script["event"](orientation, {"min": 200, "max": 400}, *map(script["Record"], mates)) == letter


def test_many_loci():
    """The combinations with the fewest edits, and not too many."""
    def line(flag, position, score):
        return f"r\t{flag}\tc\t{position}\t0\t4M\t=\t1\t0\tAAAA\t*\tNM:i:{-score}\tMD:Z:4\tAS:i:{score}\n"

    loci = [[(10 + k, -(k // 20)) for k in range(count)] for count in (40, 1000)]
    both = "".join(line(65 + 64 * mate + 256 * (k > 0), *locus) for mate in (0, 1) for k, locus in enumerate(loci[mate]))
    divet_and_oea(("@HD\tVN:1.6\n" + both).encode(), 200, 400).ok()
    every = sorted((-a[1] - b[1], a[0], b[0]) for a in loci[0] for b in loci[1])[:300]
    assert [(int(row[10]), int(row[2]), int(row[6])) for row in rows("out/x.vh")] == every
    one = "".join(line(73 + 256 * (k > 0), 10 + k, 0) for k in range(150))
    divet_and_oea(("@HD\tVN:1.6\n" + one + "r\t133\tc\t10\t0\t*\t=\t10\t0\tGG\t*\n").encode(), 200, 400).ok()
    assert Path("out/oea.sam").read_text().splitlines()[1:] == [f"{line}\tNS:Z:GG" for line in one.splitlines()[:100]]


@pytest.mark.parametrize("message, options", [("r0/1 has no mate", []), ("sorted by place", ["--sort", "2.fq"])])
def test_records_that_cannot_be(message, options):
    run("map", "ref.fa", "1.fq", *options, "-o", "out/x.bam").ok()
    samtools("view", "-h", "out/x.bam", "-o", "out/x.sam")
    result = divet_and_oea("out/x.sam", 200, 400)
    assert result.status == 1 and message in result.stderr


def test_records_of_trawl():
    everything = ["map", "--report", "all", "--discordant", "always", "--insert", f"100-{MOST}", *PAIRS]
    run(*everything, "-o", "out/x.sam").ok()
    divet_and_oea("out/x.sam", 100, MOST).ok()
    reads = [{name.split("/")[0]: read for name, *read in read_fastq(f"{n}.fq")} for n in (1, 2)]
    anchored = []
    for line in sam_lines("out/x.sam", "-f", 8, "-F", 4):
        name, flag, _ = line.split("\t", 2)
        bases, qualities = reads[1 if int(flag) & 64 else 0][name]
        anchored.append(f"{line}\tNS:Z:{bases}\tNQ:Z:{qualities}")
    assert len(anchored) > 50
    assert sam_lines("out/oea.sam") == anchored
    found = rows("out/x.vh")
    for name, _, _, _, _, _, _, _, _, _, edits, quality, probability in found:
        both = reads[0][name][1] + reads[1][name][1]
        assert abs(int(quality) - (sum(map(ord, both)) / len(both) - 33)) <= 0.5, name
        assert 0 < float(probability) <= 1 and (float(probability) == 1) == (edits == "0"), name
    assert {line[9] for line in found} >= set("TVED")
    discordant = {record.name: None for record in records("out/x.sam", "-F", 14)}
    names = list(dict.fromkeys(line[0] for line in found))
    assert len(names) > 200 and names == [name for name in discordant if name in set(names)], "in their order"
    # The bytes do not depend on how the work is done.
    run(*everything, "-t", "3", "--tune", "batch-size=7", "-o", "out/y.sam").ok()
    assert_same("out/x.sam", "out/y.sam")


# --- what cannot be ---


def test_the_output_fails_when_it_is_closed():
    """Only then: it is compressed, and one block long."""
    for n in 1, 2:
        write_fastq(f"few_{n}.fq", *read_fastq(f"{n}.fq")[:60])
    run("map", "-t", 1, "--insert", "1-1000", "ref.fa", "few_1.fq", "few_2.fq", "-o", "out/x.bed.gz",
        limits={resource.RLIMIT_FSIZE: 1024}).fails(1, "out/x.bed.gz: cannot write")
    assert files_in("out") == []
