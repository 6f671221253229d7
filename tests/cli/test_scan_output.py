"""trawl scan: the same bytes for any threads and chunks; formats that other programs accept; guides."""

import os
import random
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tools import (ROOT, assert_same, bgzip, execute, has_cuda, header, make_input, read_fasta, read_json, records,
                   rows, run, sam_lines, samtools, table, write_fasta)

PATTERNS = ["ref.fa", "patterns.tsv"]
FORMATS = ["bed", "bed.gz", "tsv", "sam"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """Some parts of ref.fa become patterns of several lengths: unchanged, changed, from the other strand."""
    make_input(60000, 10)
    contigs = [text.upper() for text in read_fasta("ref.fa").values()]
    random.seed(7)
    with open("patterns.tsv", "w") as file:
        for n in range(25):
            contig = random.choice(contigs)
            length = random.choice([12, 20, 23, 36, 70, 200])
            at = random.randrange(len(contig) - length)
            letters = list(contig[at:at + length].replace("N", "A"))
            for _ in range(random.randrange(3)):
                letters[random.randrange(length)] = random.choice("ACGTRYN")
            pattern = "".join(letters)
            if n % 2 == 0:
                pattern = pattern[::-1].translate(str.maketrans("ACGTNRY", "TGCAAAC"))
            file.write(f"p{n}\t{pattern}\n")


# --- the same bytes ---


def write_all(folder, *options):
    """In all formats."""
    os.mkdir(folder)
    for format in FORMATS:
        run("scan", *options, *PATTERNS, "-o", f"{folder}/x.{format}").ok()


@pytest.fixture(scope="module", params=["-k 2", "-k 3 --report ends --ambiguous match", "-k 4 --metric hamming",
                                        "-k 3 --pam NGG --max-bulges 2"])
def common(request, inputs):
    """Options. one/ has what one thread writes with them."""
    options = request.param.split()
    write_all("one", "-t", 1, *options)
    yield options
    shutil.rmtree("one")


def check_the_bytes(common, how):
    write_all("out/x", *how.split(), *common)
    for format in FORMATS:
        assert_same(f"one/x.{format}", f"out/x/x.{format}")


@pytest.mark.parametrize("how", ["-t 2", "-t 4", "-t 2 --tune chunk-size=1009", "-t 3 --tune chunk-size=211"])
def test_the_bytes_do_not_depend_on_threads_and_chunks(common, how):
    check_the_bytes(common, how)


@pytest.mark.parametrize("how", ["-t 2", "-t 2 --devices all", "-t 2 --devices :3M", "-t 1 --tune chunk-size=1009"])
def test_the_bytes_of_the_engine_cuda(common, how):
    if not has_cuda():
        pytest.skip("the engine cuda cannot be used here")
    check_the_bytes(common, "--engine cuda " + how)


def test_standard_input_and_output(common):
    for format in "bed", "sam":
        run("scan", *common, "-t", 2, "--tune", "chunk-size=5000", "-", "patterns.tsv", "-o", f"out/x.{format}",
            stdin="ref.fa").ok()
        # @PG names the reference.
        texts = [Path(folder, f"x.{format}").read_bytes() for folder in ("one", "out")]
        assert_same(*(re.sub(b"(?m)^@PG.*", b"", text) for text in texts))
    assert_same("one/x.bed", run("scan", *common, *PATTERNS))


def test_all_formats_have_the_same_records_in_order(common):
    found = [(row[0], row[1], row[3]) for row in rows("one/x.bed")]
    assert len(found) > 20
    contigs = list(read_fasta("ref.fa"))
    assert found == sorted(found, key=lambda place: (contigs.index(place[0]), int(place[1]), int(place[2][1:])))
    assert [row[:4] for row in rows("one/x.tsv")[1:]] == [row[:4] for row in rows("one/x.bed")]
    assert [(r.contig, str(r.position - 1), r.name) for r in records("one/x.sam")] == found
    assert_same("one/x.bed", bgzip("-dc", "one/x.bed.gz"))


# --- formats that other programs accept ---


@pytest.fixture(scope="module")
def formats(inputs):
    """x.sam and x.bed."""
    for format in "sam", "bed":
        run("scan", "-k", 3, *PATTERNS, "-o", f"x.{format}").ok()
    samtools("faidx", "ref.fa")


def test_samtools_accepts_sam(formats):
    """It is sorted, so it can be indexed; it has the reference's checksums, and NM and MD as in calmd."""
    samtools("quickcheck", "x.sam")
    samtools("view", "-b", "-o", "out/x.bam", "x.sam")
    samtools("index", "out/x.bam")
    assert re.findall("M5:[0-9a-f]*", header("x.sam")) == re.findall("M5:[0-9a-f]*", samtools("dict", "ref.fa"))
    lines = [line.split("\t") for line in sam_lines("x.sam")]
    lines = [columns[:13] for columns in lines if not re.search("[RYN]", columns[9])]
    plain = header("x.sam") + "".join("\t".join(columns[:11]) + "\n" for columns in lines)
    assert rows(execute("samtools", "calmd", "-", "ref.fa", stdin=plain.encode()).ok())[-len(lines):] == lines


def test_bed(formats):
    """Never 12 columns, which other programs read as BED12."""
    lengths = {name: len(pattern) for name, pattern in rows("patterns.tsv")}
    expected = []
    for record in records("x.sam"):
        begin, distance = record.position - 1, -record.tags["AS"]
        end = begin + sum(int(length) for length in re.findall("([0-9]+)[MD]", record.cigar))
        score = 1000 - 1000 * distance // lengths[record.name]
        expected.append([record.contig, begin, end, record.name, score, "-" if record.flag == 16 else "+", distance,
                         record.cigar])
    run("scan", "-k", 3, *PATTERNS, "-o", "out/x.tsv").ok()
    for columns, row in zip(expected, table("out/x.tsv")):
        columns += [row["text"], row["mismatches"], int(row["dna_bulges"]) + int(row["rna_bulges"])]
    assert rows("x.bed") == [[str(column) for column in columns] for columns in expected]


def test_bedtools_accepts_bed(formats):
    if not shutil.which("bedtools"):
        pytest.skip("bedtools is missing")
    bed = rows("x.bed")
    assert rows(execute("bedtools", "bed12tobed6", "-i", "x.bed").ok()) == [row[:6] for row in bed]
    texts = rows(execute("bedtools", "getfasta", "-split", "-s", "-tab", "-fi", "ref.fa", "-bed", "x.bed").ok())
    assert [text for _, text in texts] == [row[8] for row in bed]


def test_the_extension_gives_the_format_also_for_devices(g):
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("/dev/shm cannot be written")
    with tempfile.TemporaryDirectory(prefix="trawl.", dir="/dev/shm") as shared:
        for format in FORMATS:
            for folder in shared, "out":
                run("scan", "-k", 1, "-p", "GATTACA", "g.fa", "-o", f"{folder}/x.{format}").ok()
            assert_same(f"{shared}/x.{format}", f"out/x.{format}")


# --- guides ---

GUIDE = ["--pam", "NGG", "-p", "GACGCATAAAGATGAGACGC", "g.fa"]


@pytest.fixture(scope="module", autouse=True)
def g(inputs):
    write_fasta("g.fa", ("g", "TTTTTGACGCATAAAGATGAGACGCTGGTTTTTGACGCATAAGATGAGACGCAGG"
                              "TTTTTTCCAGCGTCTCATCATTTATGCGTCTTTT"))


def test_columns_of_mismatches_and_bulges():
    run("scan", "-k", 2, *GUIDE, "-o", "out/g.tsv").ok()
    assert [" ".join(row[1:3] + row[4:11]) for row in rows("out/g.tsv")[1:]] == [
        "5 28 + 0 0 0 0 23M GACGCATAAAGATGAGACGCTGG",
        "33 55 + 1 0 0 1 9M1I13M GACGCATAAGATGAGACGCAGG",
        "61 85 - 1 0 1 0 13M1D10M GACGCATAAATGATGAGACGCTGG"]


@pytest.mark.parametrize("limits, starts", [
    ("-k 2 --max-bulges 0", [5]), ("--max-mismatches 2", [5]), ("--max-mismatches 2 --max-bulges 1", [5, 33, 61]),
    ("-k 0 --max-mismatches 2 --max-bulges 1", [5])])
def test_limits(limits, starts):
    run("scan", *limits.split(), *GUIDE, "-o", "out/g.tsv").ok()
    assert [int(row["start"]) for row in table("out/g.tsv")] == starts


def test_the_pam_before_the_guide():
    """It is the other strand's PAM behind the guide."""
    run("scan", "-k", 2, "--pam", "CCN:5'", "-p", "GCGTCTCATCTTTATGCGTC", "g.fa", "-o", "out/h.bed").ok()
    run("scan", "-k", 2, *GUIDE, "-o", "out/g.bed").ok()
    places = [[row[1:3] + row[6:7] for row in rows(f"out/{name}.bed")] for name in "hg"]
    assert places[0] == places[1] != []


BUNDLED = ["--pam", "NGG", ROOT / "test_data/repeats.fa.gz", ROOT / "test_data/guides.tsv"]


@pytest.mark.parametrize("limits, all_limits", [
    ("--max-mismatches 2", "-k 2 --max-mismatches 2 --max-bulges 0"),
    ("--max-mismatches 1 --max-bulges 1", "-k 2 --max-mismatches 1 --max-bulges 1"),
    ("--max-bulges 2", "-k 2 --max-mismatches 0 --max-bulges 2"),
    ("--max-mismatches 3 --metric hamming", "-k 3 --max-mismatches 3 --max-bulges 0")])
def test_without_k_the_limits_are_added_up(limits, all_limits):
    """A limit that is not given is 0."""
    run("scan", *all_limits.split(), *BUNDLED, "-o", "out/with_k.tsv").ok()
    run("scan", *limits.split(), *BUNDLED, "-o", "out/without_k.tsv").ok()
    assert_same("out/with_k.tsv", "out/without_k.tsv")
    assert table("out/with_k.tsv") != []


def command_line(path):
    """What @PG has, without trawl and the reference."""
    line, = re.findall("^@PG.*\tCL:trawl (.*) [^ ]*$", Path(path).read_text(), flags=re.M)
    return line.split()


def test_k_in_the_header():
    run("scan", "--max-mismatches", 1, "--max-bulges", 1, *GUIDE, "-o", "out/g.sam").ok()
    assert re.search("--max-edits 2 .*--max-mismatches 1 --max-bulges 1", " ".join(command_line("out/g.sam")))


@pytest.mark.parametrize("limits", ["--max-mismatches 2", "--max-bulges 1", "-k 2 --max-mismatches 1", "-k 2"])
def test_the_command_line_in_the_header_does_the_same_again(limits):
    run("scan", *limits.split(), *GUIDE, "-o", "out/once.sam").ok()
    run(*command_line("out/once.sam"), *GUIDE[2:], "-o", "out/again.sam").ok()
    assert_same("out/once.sam", "out/again.sam")


def test_the_example_of_the_readme():
    run("scan", "-k", 4, "--max-bulges", 2, *BUNDLED, "-o", "out/off_targets.tsv").ok()
    found = rows("out/off_targets.tsv")[1:]
    assert Counter(row[3] for row in found) == {"guide1": 11, "guide2": 14, "guide3": 4, "guide4": 8}
    assert " ".join(found[0][:11]) == "synth1 3775 3797 guide1 - 4 3 0 1 7M1I15M TCCTGGCCGCGATTTTGGCAGG"


# --- what is told ---


def test_the_engine_that_was_chosen():
    assert "trawl scan: engine c" in run("scan", "-p", "GATTACA", "g.fa").ok().stderr


def test_statistics():
    result = run("scan", "-k", 1, "-p", "GATTACA", "-p", "A", "g.fa", "--stats", "out/stats.json").ok()
    stats = read_json("out/stats.json")
    assert stats["reference"] == {"contigs": 1, "bases": 89}
    assert stats["patterns"] == {"total": 2, "not_searched": 1}
    assert stats["records"]["total"] == sum(stats["records"]["by_distance"])
    assert stats["records"]["by_pattern"][1] == {"name": "A", "by_distance": None}, "a pattern that is not searched"
    assert stats["command_line"] == " ".join(result.command)
    seconds = stats["seconds"]
    assert list(seconds) == "align check find patterns queries read tables write".split()
    assert 0 <= sum(seconds[key] for key in ("patterns", "check", "queries", "tables")) <= stats["wall_seconds"]


def test_statistics_of_each_pattern():
    write_fasta("counted.fa", ("a", "GACGCATAAAG"), ("none", "GGGGGCCCCCAAAA"), ("b", "TTTTTGACG"))
    run("scan", "-k", 1, "g.fa", "counted.fa", "-o", "out/x.tsv", "--stats", "out/stats.json").ok()
    counts = Counter((row["pattern"], row["distance"]) for row in table("out/x.tsv"))
    assert read_json("out/stats.json")["records"]["by_pattern"] == [
        {"name": name, "by_distance": [counts[name, "0"], counts[name, "1"]]} for name in ("a", "none", "b")]
