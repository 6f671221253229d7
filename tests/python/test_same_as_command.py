"""What Python gives is what the command line writes."""

import gzip

import pytest
import trawl
from conftest import GENOME, GUIDES, MATES, READS, command, sam_fields


def as_sam(table):
    """The columns of a table that are fields of SAM, row by row."""
    contig = ["*" if name is None else name for name in table["contig"]]
    cigar = [text or "*" for text in table["cigar"]]
    columns = [table["name"], table["flag"], contig, table["start"] + 1, table["mapq"], cigar]
    return [list(map(str, row)) for row in zip(*columns)]


def tags(fields, name):
    return [next((tag[5:] for tag in line[11:] if tag.startswith(name)), None) for line in fields]


CASES = [((), {}), (("--report", "all", "-e", "5%"), {"report": "all", "edits": "5%"}),
         (("--report", "strata", "--strata", "1", "-e", "4"), {"report": "strata", "strata": 1, "edits": 4}),
         (("--report", "all", "-e", "3", "-k", "2"), {"report": "all", "max_edits": 3, "max_hits": 2}),
         (("--end-to-end", "--eqx"), {"end_to_end": True, "eqx": True})]


@pytest.mark.parametrize("words, options", CASES, ids=[" ".join(words) or "default" for words, _ in CASES])
def test_single_reads(genome, words, options):
    expected = sam_fields(*words, GENOME, READS)
    found = genome.map(READS, **options)
    assert as_sam(found) == [line[:6] for line in expected]
    is_found = [int(line[1]) & 4 == 0 for line in expected]
    for tag, column in ("NM", "edits"), ("MD", "md"), ("AS", "score"), ("NH", "count"):
        mine = [str(value) for value, ok in zip(found[column], is_found) if ok]
        assert mine == [value for value, ok in zip(tags(expected, tag), is_found) if ok], tag


@pytest.mark.parametrize("words, options", [((), {}), (("--report", "all", "-e", "5", "--insert", "100-600"),
                                                       {"report": "all", "edits": 5, "insert": "100-600"})])
def test_pairs(genome, words, options):
    expected = sam_fields(*words, GENOME, *MATES)
    found = genome.map(*MATES, **options)
    assert as_sam(found) == [line[:6] for line in expected]
    assert found["template_length"].tolist() == [int(line[8]) for line in expected]
    assert (found["mate_start"] + 1).tolist() == [int(line[7]) for line in expected]


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
