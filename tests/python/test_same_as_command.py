"""What Python gives is what the command line writes."""

import gzip

import pytest
import trawl
from conftest import GENOME, GUIDES, MATES, READS, command


def as_sam(table):
    """The columns of a table that are fields of SAM, row by row."""
    contig = ["*" if name is None else name for name in table["contig"]]
    cigar = [text or "*" for text in table["cigar"]]
    columns = [table["name"], table["flag"], contig, table["start"] + 1, table["mapq"], cigar]
    return [list(map(str, row)) for row in zip(*columns)]


CASES = [((READS,), {}), (MATES, {}), ((READS,), {"report": "strata", "strata": 1, "edits": "4%", "max_hits": 2}),
         ((READS,), {"end_to_end": True, "eqx": True}), (MATES, {"report": "all", "edits": 5, "insert": "100-600"})]


@pytest.mark.parametrize("files, options", CASES, ids=lambda value: " ".join(map(str, value)) if value else "default")
def test_records(genome, tmp_path, files, options):
    """The table, and the records of pysam that it makes."""
    pysam = pytest.importorskip("pysam")
    words = [word for name, value in options.items()
             for word in [f"--{name.replace('_', '-')}".replace("--edits", "-e")] + [str(value)] * (value is not True)]
    command("map", *words, GENOME, *files, "-o", tmp_path / "x.sam")
    with pysam.AlignmentFile(tmp_path / "x.sam") as file:
        expected = list(file)
    found = genome.map(*files, **options)
    made = list(found.to_pysam())
    assert len(made) == len(expected) == len(found)
    assert as_sam(found) == [record.to_string().split("\t")[:6] for record in expected]
    for mine, other in zip(made, expected):
        fields, wanted = mine.to_string().split("\t"), other.to_string().split("\t")
        assert fields[:9] == wanted[:9]
        assert other.is_secondary or fields[9:11] == wanted[9:11]
        for tag in "NM", "MD", "AS", "NH":
            if other.has_tag(tag):
                assert mine.get_tag(tag) == other.get_tag(tag)
    for tag, column in ("NM", "edits"), ("MD", "md"), ("AS", "score"), ("NH", "count"):
        assert [value for value, other in zip(found[column], expected) if not other.is_unmapped] == [
            other.get_tag(tag) for other in expected if not other.is_unmapped], tag


def test_reads_in_memory_are_those_of_the_file(genome):
    lines = gzip.open(READS, "rt").read().splitlines()
    bases, qualities = lines[1::4], lines[3::4]
    names = [line[1:].split()[0] for line in lines[::4]]
    of_file = genome.map(READS, report="all", edits=4)
    in_memory = genome.map(bases, names=names, qualities=qualities, report="all", edits=4)
    assert as_sam(in_memory) == as_sam(of_file)


def test_batches_are_the_whole(genome):
    whole = genome.map(READS)
    rows = []
    for batch in genome.map_file(READS):
        rows += as_sam(batch)
    assert rows == as_sam(whole)


@pytest.mark.parametrize("suffix", ["sam", "bam", "bed"])
def test_files_have_the_same_bytes(genome, tmp_path, suffix):
    mine, other = tmp_path / f"mine.{suffix}", tmp_path / f"other.{suffix}"
    genome.map_to_file(*MATES, output=mine, sort=suffix == "bam")
    command("map", *(["--sort"] if suffix == "bam" else []), GENOME, *MATES, "-o", other)
    if suffix == "bed":
        assert mine.read_bytes() == other.read_bytes()
    else:
        pysam = pytest.importorskip("pysam")
        records = [[str(record) for record in pysam.AlignmentFile(path)] for path in (mine, other)]
        assert records[0] == records[1] != []


def test_bed_of_a_table(genome, tmp_path):
    genome.map(*MATES).write_bed(tmp_path / "mine.bed")
    command("map", GENOME, *MATES, "-o", tmp_path / "other.bed")
    assert (tmp_path / "mine.bed").read_bytes() == (tmp_path / "other.bed").read_bytes()


SCANS = [(("-e", "4", "--max-bulges", "2", "--pam", "NGG"), {"edits": 4, "max_bulges": 2, "pam": "NGG"}),
         (("-e", "3", "--metric", "hamming"), {"edits": 3, "metric": "hamming"}),
         (("-e", "2", "--strand", "+"), {"edits": 2, "strand": "+"}), (("-e", "3", "--report", "ends"), {"edits": 3, "report": "ends"})]


@pytest.mark.parametrize("words, options", SCANS, ids=[" ".join(words) for words, _ in SCANS])
@pytest.mark.parametrize("source", ["reference", "file", "text"])
def test_scan(genome, tmp_path, words, options, source):
    expected = command("scan", *words, GENOME, GUIDES).decode().splitlines()
    target = {"reference": genome, "file": GENOME, "text": genome.letters(0, 0, genome.bases)}[source]
    trawl.scan(target, GUIDES, **options).write_bed(tmp_path / "mine.bed")
    mine = (tmp_path / "mine.bed").read_text().splitlines()
    if source == "text":
        expected = [line[line.index("\t"):] for line in expected]
        mine = [line[line.index("\t"):] for line in mine]
    assert mine == expected
