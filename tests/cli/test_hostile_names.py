"""Names that want to be more than names, in every text output: no line, cell, string or tag is broken by them."""

import csv
import io
import json
import os
import re
import xml.dom.minidom
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tools import (files_in, make_input, read_fasta, read_json, records, reverse_complement, rows, run, samtools,
                   table, write_fasta, write_lines)

CONTIG = "c|;&$!#%~^?/.@:=+-_1"  # the letters that SAM allows
READS = ['"><script>alert(1)</script>', "&lt;b&gt;", "{{data}}", "%0A%09", "$(touch,out/owned)", "`id`", "../../x", "'--;",
         "\\n\\t\\x1b[31m"]
PATTERNS = ['</script><script>alert(1)</script>', 'a "quoted", cell', "=1+1", "../../out", "&amp;<!--", "Grün 日本", "-rf",
            "{{script}}"]
CONTROLS = ["\x1b[31mred", "a\tb", "bell\x07", "\x7f"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    make_input(30000, 50)
    text = next(iter(read_fasta("ref.fa").values()))
    write_fasta("names.fa", (CONTIG, text))
    Path("reads.fq").write_text("".join(f"@{name}\n{text[at:at + 60]}\n+\n{'I' * 60}\n"
                                        for at, name in enumerate(READS, 100)))
    write_lines("patterns.tsv", *(f"{name}\t{text[at:at + 23]}" for at, name in enumerate(PATTERNS, 200)))
    write_lines("primers.tsv", *(f"{name}\t{text[at:at + 20]}\t{reverse_complement(text[at + 100:at + 120])}"
                                 for at, name in enumerate(PATTERNS, 300)))
    write_lines("genes.bed", *(f"{CONTIG}\t{n}\t{n + 400}\t{name}" for n, name in enumerate(PATTERNS)))


class Page(HTMLParser):
    """The scripts of a page, and what else has text that could come from a name."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.data, self._is_data = [], "", False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._is_data = ("id", "data") in attributes

    def handle_endtag(self, tag):
        self._is_data = False

    def handle_data(self, data):
        self.data += data if self._is_data else ""


def check_page(path):
    page = Page(Path(path).read_text())
    assert page.tags.count("script") == 2
    return json.loads(page.data)


@pytest.mark.parametrize("format", ["sam", "bam", "cram"])
def test_records_of_reads(format):
    run("map", "-e", 2, "names.fa", "reads.fq", "-o", f"out/x.{format}").ok()
    found = records(f"out/x.{format}", "-T", "names.fa")
    assert [record.name for record in found] == READS
    assert {record.contig for record in found} == {CONTIG}


def test_bed_json_and_page_of_reads():
    run("map", "-e", 2, "names.fa", "reads.fq", "-o", "out/x.bed", "--stats", "out/s.json", "--report-html", "out/r.html",
        "--multiqc", "out/q_mqc.json").ok()
    assert [row[3] for row in rows("out/x.bed")] == READS
    read_json("out/s.json")
    check_page("out/r.html")
    for name in files_in("out"):
        if name.endswith("_mqc.json"):
            read_json(f"out/{name}")


def test_the_session_for_igv():
    os.mkdir("out/a&b")
    run("map", "--sort", "names.fa", "reads.fq", "-o", "out/a&b/x.bam", "--igv-session", "out/x.xml", "--report-html",
        "out/r.html").ok()
    session = xml.dom.minidom.parse("out/x.xml")
    assert session.getElementsByTagName("Region")[0].getAttribute("chromosome") == CONTIG
    check_page("out/r.html")


def test_the_command_line_in_the_header():
    """What is typed is one field of @PG."""
    name = "a\tSM:b\n@SQ\tSN:x\tLN:1.fa"
    Path(name).write_bytes(Path("names.fa").read_bytes())
    run("map", name, "reads.fq", "-o", "out/x.bam").ok()
    assert [line[:3] for line in samtools("view", "-H", "--no-PG", "out/x.bam").splitlines()] == ["@HD", "@SQ", "@PG"]
    run("map", "-R", "@RG\\tID:a\nb", "names.fa", "reads.fq").fails(2, "the header line (-R) b must begin with @RG")
    os.remove(name)


def test_tables_of_patterns():
    run("scan", "-e", 0, "names.fa", "patterns.tsv", "--annotate", "genes.bed", "-o", "out/x.tsv", "--report-html",
        "out/r.html").ok()
    assert [row["pattern"] for row in table("out/x.tsv")] == PATTERNS
    assert {len(row) for row in rows("out/x.tsv")} == {13}
    check_page("out/r.html")
    run("scan", "-e", 0, "names.fa", "patterns.tsv", "--annotate", "genes.bed", "-o", "out/x.csv").ok()
    cells = list(csv.reader(io.StringIO(Path("out/x.csv").read_text())))
    assert {len(row) for row in cells} == {13} and [row[3] for row in cells[1:]] == PATTERNS
    run("scan", "-e", 0, "names.fa", "patterns.tsv", "-o", "out/x.sam").ok()
    assert len(records("out/x.sam")) == len(PATTERNS)
    run("scan", "-e", 0, "names.fa", "patterns.tsv", "-o", "out/x.bed").ok()
    assert {len(row) for row in rows("out/x.bed")} == {len(rows("out/x.bed")[0])}


def test_all_guides():
    run("guides", "names.fa", "-o", "out/x.tsv").ok()
    assert len({len(row) for row in rows("out/x.tsv")}) == 1 and len(rows("out/x.tsv")) > 10
    run("guides", "names.fa", "-o", "out/x.csv").ok()
    assert list(csv.reader(io.StringIO(Path("out/x.csv").read_text()))) == rows("out/x.tsv")


def test_products_of_primers():
    run("primers", "-e", 0, "names.fa", "primers.tsv", "-o", "out/x.tsv").ok()
    assert len(table("out/x.tsv")) >= len(PATTERNS)
    assert len({len(row) for row in rows("out/x.tsv")}) == 1


def test_folders_of_reads():
    """A file for each pattern stays in its folder."""
    run("scan", "-e", 0, "--per-read", "best", "--extract", "out/folder", "reads.fq", "patterns.tsv", "-o",
        "out/x.tsv").ok()
    assert not Path("out/owned").exists()
    assert all(path.parent == Path("out/folder") for path in Path("out").rglob("*.fq.gz"))


@pytest.mark.parametrize("name", CONTROLS)
def test_control_characters(name):
    """They are refused, or replaced: they could be commands to a terminal."""
    write_fasta("bad.fa", (f"c{name}", "ACGTACGTTTGACCATGCATG"))
    Path("bad.tsv").write_text(f"{name}\tACGTACGTTTGACCATGCATG\n")
    Path("bad.bed").write_text(f"{CONTIG}\t0\t1000\tg{name}\n")
    Path("bad.gff3").write_text(f"{CONTIG}\tx\tgene\t1\t1000\t.\t+\t.\tID=g{name}\n")
    results = [run("map", "bad.fa", "reads.fq"), run("map", "names.fa", "bad.fa"), run("scan", "names.fa", "bad.tsv"),
               run("scan", "-e", 0, "names.fa", "patterns.tsv", "--annotate", "bad.bed", "-o", "out/x.tsv")]
    tables = Path("out/x.tsv").read_text()
    results.append(run("scan", "-e", 0, "names.fa", "patterns.tsv", "--annotate", "bad.gff3", "-o", "out/x.tsv"))
    tables += Path("out/x.tsv").read_text()
    for result in results:
        written = result.stdout + result.stderr + tables
        assert re.search(r"[\x00-\x08\x0b-\x1f\x7f]", written) is None, result


def test_samples_with_control_characters():
    text = next(iter(read_fasta("names.fa").values()))
    Path("bad.vcf").write_text("##fileformat=VCFv4.2\n##contig=<ID=" + CONTIG + ">\n"
                               '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
                               "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\x1b[31m\n"
                               f"{CONTIG}\t50\t.\t{text[49]}\t{'A' if text[49] != 'A' else 'C'}\t.\t.\t.\tGT\t0|1\n")
    run("scan", "-e", 0, "--pam", "NGG", "--vcf", "bad.vcf", "names.fa", "patterns.tsv", "-o", "out/x.tsv").fails(
        1, "sample 1 has a control character")
