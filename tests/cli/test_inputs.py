"""Unusual but valid input: the records must be right, too. What texts FASTQ and FASTA may be: tests/unit (io_read_source_test,
io_fasta_test)."""

import gzip
import os
import random
import re
from pathlib import Path

import pytest

from tools import (assert_same, bgzip, execute, fastq, feeding, header, operations, random_bases, read_fasta, read_json,
                   records, rows, run, sam_lines, samtools, simulate, write_fasta, write_fastq)

BASES = "ACGTTGCAACGGTACCATGTTTACCAGGACTTGACCATTGACGGATACCAT"
CONTIG = BASES + "GGGATCCATTAGACCGGATTACAGATTACATTTACG"
READ = BASES[5:35]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa; reads.fq with a read of it, and plain.sam, its record."""
    Path("ref.fa").write_text(f">c1 some comment\n{BASES}\n{CONTIG[len(BASES):]}\n")
    write_fastq("reads.fq", ("r1", READ))
    Path("plain.sam").write_bytes(run("map", "-e", 1, "ref.fa", "reads.fq").ok().bytes)


def test_a_plain_read():
    assert [record[:6] for record in records("plain.sam")] == [("r1", 0, "c1", 6, 60, "30M")]


def test_reads_in_fasta_have_no_qualities():
    write_fasta("reads.fa", ("r1 comment", READ))
    assert [(r.bases, r.qualities) for r in records(run("map", "-e", 1, "ref.fa", "reads.fa").ok())] == [(READ, "*")]


# --- IUPAC codes and N: each is an edit, or matches what it may stand for. MD has the reference's letter ---


def mapped(*arguments):
    """The record of the only read."""
    record, = records(run("map", *arguments))
    return record


def first_tags(record, *names):
    assert list(record.tags)[:len(names)] == list(names)
    return [record.tags[name] for name in names]


def test_n_in_a_read():
    write_fastq("n.fq", ("n", f"{BASES[5:15]}N{BASES[16:35]}"))
    md = f"10{BASES[15]}19"
    assert first_tags(mapped("-e", 1, "ref.fa", "n.fq"), "NM", "MD") == [1, md]
    assert mapped("-e", 0, "ref.fa", "n.fq").flag == 4
    match = ["-e", 0, "--ambiguous", "match"]
    assert first_tags(mapped(*match, "--end-to-end", "ref.fa", "n.fq"), "NM", "MD", "AS") == [1, md, 0]
    assert first_tags(mapped(*match, "ref.fa", "n.fq"), "NM", "MD", "AS") == [1, md, 30]


@pytest.fixture(scope="module")
def iupac():
    """A reference with R for A or G."""
    write_fasta("iupac.fa", ("c1", f"{BASES[:20]}r{BASES[21:]}"))
    return "iupac.fa"


def test_iupac_in_the_reference(iupac):
    assert first_tags(mapped("-e", 1, iupac, "reads.fq"), "NM", "MD") == [1, "15R14"]


@pytest.mark.parametrize("search", ["seeds", "scan"])
def test_iupac_in_the_reference_without_edits(iupac, search):
    assert mapped("-e", 0, "--ambiguous", "mismatch", "--tune", f"search={search}", iupac, "reads.fq").flag == 4
    write_fastq("g.fq", ("r", f"{BASES[5:20]}G{BASES[21:35]}"))
    record = mapped("-e", 0, "--ambiguous", "match", "--tune", f"search={search}", iupac, "g.fq")
    assert (record.flag, record.position) == (0, 6), "R matches G"
    write_fastq("c.fq", ("r", f"{BASES[5:20]}C{BASES[21:35]}"))
    assert mapped("-e", 0, "--ambiguous", "match", "--tune", f"search={search}", iupac, "c.fq").flag == 4, "R does not match C"


# --- contigs of length 0 and 1, contigs shorter than the read, reads longer than all contigs ---


@pytest.fixture(scope="module")
def small():
    write_fasta("small.fa", ("empty", ""), ("one", "A"), ("two", "AC"), ("c1", BASES))
    with open("small.fa", "a") as file:
        file.write(">last\n")
    return "small.fa"


def test_contigs_of_length_0_are_left_out(small):
    result = run("map", "-e", 2, small, "reads.fq").ok()
    assert "2 sequence(s) of length 0 left out" in result.stderr
    assert "empty, last" in result.stderr
    assert len(re.findall("^@SQ", result.stdout, flags=re.M)) == 3
    assert [(r.contig, r.position) for r in records(result)] == [("c1", 6)]


@pytest.mark.parametrize("output", ["out/small.bam", "out/small.cram"])
def test_small_contigs_in_binary_files(small, output):
    run("map", "-e", 2, small, "reads.fq", "-o", output)
    samtools("quickcheck", output)


def test_a_read_longer_than_the_reference():
    write_fasta("shorter.fa", ("c1", BASES[5:30]))
    for options, cigar, edits in ([], "25M5S", 0), (["--end-to-end"], "22M5I3M", 5):
        record = mapped("-e", 5, *options, "shorter.fa", "reads.fq")
        assert (record.flag, record.position, record.cigar, first_tags(record, "NM")) == (0, 1, cigar, [edits])
    assert mapped("-e", 4, "shorter.fa", "reads.fq").flag == 4, "too few edits"
    write_fasta("one.fa", ("one", "A"))
    assert mapped("-e", 0, "one.fa", "reads.fq").flag == 4, "a reference of one base"


# --- short and long reads ---


def test_reads_with_at_most_e_bases_are_unmapped_and_counted():
    write_fastq("tiny.fq", ("three", "ACG"), ("four", "ACGT"))
    result = run("map", "-e", 3, "--min-length", 1, "--report", "all", "--stats", "out/tiny.json", "ref.fa", "tiny.fq").ok()
    found = records(result)
    assert [(r.flag, r.contig, r.position) for r in found if r.name == "three"] == [(4, "*", 0)]
    assert next(r.contig for r in found if r.name == "four") == "c1"
    assert "1 read left unmapped: too short for these edits (see --min-length)" in result.stderr
    assert read_json("out/tiny.json")["reads"]["unmapped_too_short"] == 1
    assert {r.flag for r in records(run("map", "-e", 255, "--report", "all", "ref.fa", "tiny.fq").ok())} == {4}


@pytest.fixture(scope="module")
def long_reads():
    simulate("genome", 60000, 3, "large.fa")
    letters = "".join(line for line in Path("large.fa").read_text().splitlines() if line[0] != ">")
    write_fasta("long.fa", *((name, letters[45000:45000 + length])
                             for name, length in [("short", 5100), ("long", 5120), ("longer", 9000)]))


@pytest.mark.parametrize("options", [[], ["--clip", "30%"], ["--tune", "batch-size=1"]], ids=str)
def test_a_share_of_a_long_read_is_at_most_255_edits(long_reads, options):
    """It is searched with 255, counted, and named once."""
    result = run("map", "-e", "5%", *options, "--stats", "out/long.json", "large.fa", "long.fa").ok()
    assert len(records(result, "-F", 4)) == 3
    assert "; 2 reads searched with 255 edits only" in result.stderr
    assert len([line for line in result.stderr.splitlines() if "warning" in line]) == 1
    assert ("-e 5% is more than 255 edits, the most that are possible, for 2 of 3 reads; "
            "the first is 'long' of 5120 bases;") in result.stderr
    assert read_json("out/long.json")["reads"]["edits_limited"] == 2


# --- no reads, reads of no bases, names ---


@pytest.fixture(scope="module", autouse=True)
def empty(inputs):
    Path("empty.fq").touch()
    Path("empty.fq.gz").write_bytes(gzip.compress(b""))
    Path("empty.bgz").write_bytes(bgzip("-c", "empty.fq"))


@pytest.mark.parametrize("output", ["out/empty.sam", "out/empty.bam", "out/empty.cram", "out/empty.bed", "out/empty.bed.gz"])
def test_no_reads_give_only_a_header(output):
    result = run("map", "ref.fa", "empty.fq", "-o", output).ok()
    assert "0 reads, 0 mapped (0.00%)" in result.stderr
    if output.endswith(".bed"):
        assert Path(output).read_bytes() == b""
    elif output.endswith(".gz"):
        execute("gzip", "-t", output).ok()
    else:
        samtools("quickcheck", output)
        assert sam_lines(output) == []
        assert header(output).count("@SQ") == 1


@pytest.mark.parametrize("reads", ["empty.fq.gz", "empty.bgz", "/dev/null"])
def test_no_reads_in_compressed_files(reads):
    assert sam_lines(run("map", "ref.fa", reads).ok()) == []


def test_a_read_of_no_bases():
    Path("empty_read.fq").write_text("@nothing\n\n+\n\n" + fastq("r1", READ))
    run("map", "ref.fa", "empty_read.fq", "-o", "out/x.bam").ok()
    first = records("out/x.bam")[0]
    assert (first.name, first.flag, first.bases, first.qualities) == ("nothing", 4, "*", "*")


# --- several files of any kind, and the standard input ---


@pytest.fixture(scope="module")
def two(inputs, empty):
    """Two files, and two.sam, the records of both."""
    write_fastq("second.fq", ("r2", BASES[:25]))
    Path("reads.fq.gz").write_bytes(gzip.compress(Path("reads.fq").read_bytes()))
    Path("second.bgz").write_bytes(bgzip("-c", "second.fq"))
    result = run("map", "ref.fa", "reads.fq,second.fq")
    assert [record.name for record in records(result)] == ["r1", "r2"]
    Path("two.sam").write_bytes(result.bytes)


@pytest.mark.parametrize("reads", ["reads.fq.gz,second.bgz", "empty.fq,reads.fq,empty.fq.gz,second.fq"])
def test_several_files(two, reads):
    assert_same("two.sam", run("map", "ref.fa", reads))


@pytest.mark.parametrize("files", [("reads.fq", "second.fq"), ("reads.fq.gz", "second.bgz")], ids=",".join)
def test_reads_from_the_standard_input(two, files):
    assert_same("two.sam", run("map", "ref.fa", "-", stdin=b"".join(Path(file).read_bytes() for file in files)))


def test_a_compressed_reference(two):
    """gzip from the standard input, and BGZF."""
    expected = sam_lines("two.sam")
    found = run("map", "-", "reads.fq,second.fq", stdin=gzip.compress(Path("ref.fa").read_bytes())).ok()
    assert sam_lines(found) == expected
    Path("ref.fa.bgz").write_bytes(bgzip("-c", "ref.fa"))
    assert sam_lines(run("map", "ref.fa.bgz", "reads.fq,second.fq")) == expected


def test_fasta_and_fastq(two):
    write_fasta("reads.fa", ("r1 comment", READ))
    found = records(run("map", "ref.fa", "reads.fa,second.fq"))
    assert [record[:10] for record in found] == [record[:10] for record in records("two.sam")]


def test_reads_and_reference_from_a_fifo(two):
    os.mkfifo("fifo")
    with feeding("fifo", Path("reads.fq").read_bytes() + Path("second.fq").read_bytes()):
        assert_same("two.sam", run("map", "ref.fa", "fifo"))
    with feeding("fifo", Path("ref.fa").read_bytes()):
        run("map", "fifo", "reads.fq,second.fq", "-o", "out/fifo.cram").ok()
    assert [r[:11] for r in records("out/fifo.cram", "-T", "ref.fa")] == [r[:11] for r in records("two.sam")]


def test_text_of_which_nothing_is_a_read_does_not_stay_in_memory(two):
    with gzip.open("blank.fq.gz", "wb", compresslevel=1) as file:
        file.write(Path("reads.fq").read_bytes())
        for _ in range(300):
            file.write(b"\n" * 1_000_000)
        file.write(Path("second.fq").read_bytes())
    assert_same("two.sam", run("map", "ref.fa", "blank.fq.gz", "-t", 1, "--stats", "out/stats.json"))
    assert read_json("out/stats.json")["peak_resident_bytes"] <= 150_000_000


# --- runs of N ---


@pytest.fixture(scope="module")
def runs_of_n():
    """With --ambiguous match every read would fit a run of N. A place may lean on a quarter of ambiguous letters.

    n.fa; n.fq with reads plain_AT of its ends, edgeN_AT with N letters beside the run of 5,000, overN_AT over a run of N
    letters, and one of only N; n_patterns.fa is the same without the last one."""
    random.seed(25)
    left, right = random_bases(20000), random_bases(20000)
    # Runs of N inside the read: 1, 25 and 26 of 100 letters; and IUPAC codes.
    inside = "".join(random_bases(300) + run + random_bases(300)
                     for run in ("N", "N" * 25, "N" * 26, "RYKMNSW"))
    text = left + "N" * 5000 + right + inside
    write_fasta("n.fa", ("c", text))
    filled = text.translate(str.maketrans("RYKMSWN", "ACGCGTA"))
    starts = [("plain", random.randrange(19800) + random.choice([0, 25000])) for _ in range(400)]
    at = 45000
    for n, length in (1, 601), (25, 625), (26, 626), (7, 607):
        starts.append((f"over{n}", at + 300 - 40))
        at += length
    starts += [("edge25", 20000 - 75), ("edge40", 20000 - 60)]
    reads = [(f"{name}_{start + 1}", filled[start:start + 100]) for name, start in starts]
    write_fasta("n_patterns.fa", *reads)
    write_fastq("n.fq", *reads, ("n_1", "N" * 96 + "ACGT"))


def unmapped(source):
    return sorted(record.name for record in records(source) if record.flag == 4)


@pytest.mark.parametrize("options", [
    ["--end-to-end"], ["--end-to-end", "--tune", "search=scan"], ["--end-to-end", "--tune", "search=seeds", "--tune", "batch-size=7"],
    ["--report", "all"]], ids=str)
def test_reads_at_runs_of_n(runs_of_n, options):
    run("map", "-e", 2, "--ambiguous", "match", *options, "n.fa", "n.fq", "-o", "out/n.sam").ok()
    found = records("out/n.sam")
    at_their_places = [r for r in found if r.mapq == 60 and r.position == int(r.name.split("_")[1])]
    assert len(at_their_places) == 404
    assert sorted(r.name for r in found if r.flag == 4) == ["edge40_19941", "n_1", "over26_46487"]


@pytest.mark.parametrize("share", [25, 0])
@pytest.mark.parametrize("options", [[], ["--clip", "49%"], ["--clip", "49%", "--clip-when", "always", "--split"]], ids=str)
def test_pieces_at_runs_of_n(runs_of_n, options, share):
    """No record leans on more ambiguous letters than allowed."""
    match = ["--ambiguous", f"match:{share}%"]
    found = records(run("map", "-e", 2, *match, *options, "n.fa", "n.fq").ok(), "-F", 4)
    assert len([record for record in found if record.name.startswith("plain")]) == 400
    text, = read_fasta("n.fa").values()
    for record in found:
        letters = sum(length for length, operation in operations(record.cigar) if operation in "MD")
        piece = text[record.position - 1:record.position - 1 + letters]
        leans_on = letters - sum(map(piece.count, "ACGT"))
        assert 100 * leans_on <= share * letters, record


def test_scan_and_map_find_the_same_places_over_n(runs_of_n):
    run("map", "-e", 2, "--ambiguous", "match", "--report", "all", "n.fa", "n.fq", "-o", "out/n.bed")
    run("scan", "-k", 2, "--ambiguous", "match", "n.fa", "n_patterns.fa", "-o", "out/scan.bed").ok()
    of_map, of_scan = (sorted(row[:4] + row[5:6] for row in rows(f"out/{name}.bed")) for name in ("n", "scan"))
    assert of_map == of_scan


def test_max_ambiguous(runs_of_n):
    run("map", "-e", 2, "--ambiguous", "match:26", "--end-to-end", "n.fa", "n.fq", "-o", "out/n.sam")
    assert unmapped("out/n.sam") == ["edge40_19941", "n_1"]
    run("map", "-e", 2, "--ambiguous", "match:0%", "--end-to-end", "n.fa", "n.fq", "-o", "out/n.sam")
    assert len(records("out/n.sam", "-f", 4)) == 7
    run("scan", "-k", 2, "--ambiguous", "match:26", "n.fa", "n_patterns.fa", "-o", "out/scan.bed")
    assert len([line for line in Path("out/scan.bed").read_text().splitlines() if "over26" in line]) == 1
    run("map", "--ambiguous", "mismatch:5", "n.fa", "n.fq").fails(2, "--ambiguous mismatch:5: give mismatch or match")
    run("map", "--ambiguous", "match:x", "n.fa", "n.fq").fails(2, "--ambiguous match: x: give a number of letters")


def test_reads_that_fit_by_chance(runs_of_n):
    """On 40,000 bases, 5 bases are expected at 78 places, 3 at 1,250."""
    text = Path("n.fa").read_text().splitlines()[1]
    write_fastq("chance.fq", *((f"s{n}", text[100:100 + n]) for n in range(1, 13)))
    result = run("map", "--stats", "out/chance.json", "n.fa", "chance.fq").ok()
    assert unmapped(result) == ["s1", "s2", "s3"]
    assert "3 reads left unmapped: too short for these edits (see --min-length)" in result.stderr
    assert len(records(run("map", "--min-length", 1, "n.fa", "chance.fq"), "-f", 4)) == 0
    assert len(records(run("map", "--min-length", 10, "n.fa", "chance.fq"), "-f", 4)) == 9
