"""The data of --report-html against the output of the same run; the session of --igv-session.
What the page makes of the data: test_report_browser.py."""

import os
import random
import re
import xml.etree.ElementTree
from pathlib import Path

import pytest

from report_data import check_map, check_same, check_scan, data_of, steady
from tools import (assert_same, make_input, mutated, read_fasta, read_fastq, run, simulate, write_fasta, write_fastq,
                   write_lines)

PAGE = ["--report-html", "out/x.html"]
STATS = ["--stats", "out/x.json"]
SCAN = ["scan", "-k", 6, "ref.fa", "patterns.tsv"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa, reads.fq, pairs in one.fq and two.fq; patterns.tsv."""
    make_input(60000, 1500)
    simulate("pairs", "ref.fa", 1500, 100, 5, "one.fq", "two.fq", "--qualities", "--error-rate", 0.012,
             "--indel-share", 0.4)
    lines = Path("ref.fa").read_text().splitlines()
    sites = [f"site{n + 1}\t{lines[n][2:22].upper()}" for n in range(96, len(lines), 97) if lines[n][0] != ">"]
    write_lines("patterns.tsv", "g1\tGAGTCCGAGCAGAAGAAGAA", "g2\tTTTAAATTNTAAACCCAAAT", "g3\tGGGTGGGGGGAGTTTGCTCC",
                f"long\t{''.join(Path('genome.fa').read_text().splitlines()[4:13])}", *sites)


# --- map ---


def map_and_check(ref, *arguments):
    """With all records in out/x.sam; the page is out/x.html."""
    run("map", ref, *arguments, "-o", "out/x.sam", *STATS, *PAGE).ok()
    check_map("out/x.html", "out/x.json", "out/x.sam", ref)


def test_single_reads():
    """A small reference, so all windows are taken."""
    map_and_check("ref.fa", "reads.fq", "--report", "all")
    page = re.match('.*?id="data"[^\n]*', Path("out/x.html").read_text(), flags=re.S)[0]
    assert re.search('(src|href)="?(https?:|//)', page) is None, "nothing to load"


def test_pairs_with_clipped_ends_and_pieces():
    write_fastq("odd.fq", *((name, bases[:60] + "ACGTTGCAAGGCTTACGATC" + bases[80:], qualities)
                            for name, bases, qualities in read_fastq("one.fq")))
    map_and_check("ref.fa", "odd.fq", "two.fq", "--report", "strata", "--strata", 2, "--clip", "40%", "--split")


def test_more_windows_than_are_kept():
    """And deep ones. Which are kept does not depend on batches and threads."""
    simulate("genome", 400000, 9, "large.fa")
    simulate("reads", "large.fa", 6000, 100, 3, output="many.fq")
    map_and_check("large.fa", "many.fq", "--report", "all", "-t", 1)
    run("map", "--report", "all", "large.fa", "many.fq", "-t", 4, "--tune", "batch-size=7", "-o", "out/4.sam",
        "--report-html", "out/4.html").ok()
    check_same("out/x.html", "out/4.html")


def test_reads_at_the_ends_of_a_short_reference():
    write_lines("tiny.fa", *Path("genome.fa").read_text().splitlines()[:15])
    map_and_check("tiny.fa", "reads.fq")


@pytest.mark.parametrize("mates, options", [
    (1, "--for smallrna --max-loci 9"), (1, "--collapsed --metric hamming -e 2 --report all"),
    (2, "--collapsed --metric hamming --report all --insert 100-600")])
def test_collapsed_reads_count_as_those_they_stand_for(mates, options):
    random.seed(mates)
    sources = [[bases for _, bases, _ in read_fastq(name)] for name in (["reads.fq"] if mates == 1 else ["one.fq", "two.fq"])]
    collapsed, expanded = ([[] for _ in range(mates)] for _ in range(2))
    for n, fragment in enumerate(zip(*sources)):
        times, length = random.choice((1, 1, 2, 3, 17)), random.randint(12, 50) if mates == 1 else 100
        name = random.choice((f"seq_{n}_x{times}", f"{n}-{times}", f"r{n}_x{times}"))
        for mate, bases in enumerate(fragment):
            bases = mutated(bases[:length], random.randint(0, 1), indels=False)
            collapsed[mate].append((name, bases))
            expanded[mate] += [(f"{n}.{copy}", bases) for copy in range(times)]
    data = []
    for kind, reads, words in (("few", collapsed, options), ("many", expanded, options.replace("--collapsed ", ""))):
        files = [f"{kind}{mate}.fa" for mate in range(mates)]
        for file, entries in zip(files, reads):
            write_fasta(file, *entries)
        summary = run("map", *words.split(), "ref.fa", *files, "-o", "out/x.bam", *PAGE).ok().stderr
        data.append(data_of("out/x.html"))
        total = data[-1]["stats"]["reads"]["total"]
        assert f"{total} reads" + (f" of {len(reads[0]) * mates} sequences" if words == options else "") in summary
    few, many = data
    for one in data:  # estimated from the first pairs
        one["stats"].pop("insert", None)
    assert few["stats"]["reads"].pop("sequences") == mates * len(collapsed[0])
    many["stats"]["reads"].pop("sequences", 0)
    assert steady(few["stats"]) == steady(many["stats"])
    for key in "records_by_read", "records_by_stratum":
        assert few[key] == many[key]
    for one in data:  # which of equal places is the primary one depends on the names
        one["places"] = [[window[key] for key in ("contig", "begin", "records", "depth")] for window in one["browser"]["windows"]]
        one["bins"] = [contig["all"] for contig in one["coverage"]["contigs"]]
    assert few["places"] == many["places"] and few["bins"] == many["bins"]


def test_nothing_mapped():
    write_fasta("short.fa", ("r", "ACGT"))
    run("map", "-e", 0, "ref.fa", "short.fa", "-o", "out/x.bed", *PAGE).ok()


def test_wrong_use():
    def fails(status, message, *options):
        run("map", "ref.fa", "reads.fq", "-o", "out/x.sam", *options).fails(status, message, "out/x.sam")

    fails(2, "are the same file", "--report-html", "out/x.sam")
    fails(1, "none", "--report-html", "none/x.html")


# --- scan ---


def scan_and_check(*arguments, **how):
    run("scan", *arguments, "-o", "out/x.bed", *STATS, *PAGE, **how).ok()
    check_scan("out/x.html", "out/x.json", "out/x.bed", "ref.fa")


def test_scan():
    scan_and_check("-k", 6, "ref.fa", "patterns.tsv", "-t", 1)
    run(*SCAN, "-t", 3, "--tune", "chunk-size=1000", "-o", "out/y.bed", "--report-html", "out/y.html").ok()
    check_same("out/x.html", "out/y.html")
    assert_same("out/x.bed", "out/y.bed")


def test_scan_of_a_saved_index(saved_index):
    scan_and_check("-k", 6, saved_index, "patterns.tsv")


@pytest.fixture(scope="module")
def saved_index(inputs):
    run("index", "ref.fa", "-o", "ref.idx").ok()
    return "ref.idx"


def test_scan_of_the_standard_input():
    """It cannot be read again: no letters around the sites."""
    scan_and_check("-k", 6, "-", "patterns.tsv", stdin="ref.fa")


def test_guides_and_alleles():
    """The page says what it leaves out."""
    scan_and_check("-k", 5, "--max-bulges", 1, "--pam", "NRG", "ref.fa", "patterns.tsv")
    assert '"leaves_out_alleles": false' in Path("out/x.html").read_text()
    letter = read_fasta("ref.fa")["chr1"][499].upper()
    write_lines("alleles.vcf", "##fileformat=VCFv4.2", "##contig=<ID=chr1>",
                "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO",
                f"chr1\t500\t.\t{letter}\t{'C' if letter == 'A' else 'A'}\t.\t.\t.")
    run("scan", "-k", 5, "--pam", "NRG", "--vcf", "alleles.vcf", "ref.fa", "patterns.tsv", "-o", "out/v.tsv",
        *PAGE).ok()
    assert '"leaves_out_alleles": true' in Path("out/x.html").read_text()


def test_primers_has_no_page():
    run("primers", "--size", "50-500", "-k", 2, "ref.fa", "patterns.tsv", "-o", "out/x.tsv", *PAGE).fails(
        2, "there is no option --report-html", "out/x.tsv")


# --- the session for IGV ---

SORT = ["map", "--sort", "ref.fa", "reads.fq"]


def session(path):
    """(genome, locus, resource, number of regions)"""
    root = xml.etree.ElementTree.parse(path).getroot()
    return (root.get("genome"), root.get("locus"), root.find("Resources/Resource").get("path"),
            len(root.findall("Regions/Region")))


def test_paths_of_a_session():
    """From its folder; names may have any letters."""
    folder = 'out/a "b" <&>'
    os.makedirs(f"{folder}/sessions")
    run(*SORT, "-o", f"{folder}/x.bam", "--igv-session", f"{folder}/sessions/x.xml").ok()
    genome, _, resource, regions = session(f"{folder}/sessions/x.xml")
    assert (genome, resource, regions) == ("../../../ref.fa", "../x.bam", 24)
    run(*SORT, "-o", "out/x.cram", *PAGE, "--igv-session", f"{folder}/y.xml").ok()
    assert session(f"{folder}/y.xml")[2] == "../x.cram"


def test_a_session_of_scan():
    run(*SCAN, "-o", 'out/s"<>&.bed', "--igv-session", "out/s.xml").ok()
    assert session("out/s.xml")[2] == 's"<>&.bed'


def test_the_genome_of_a_session_is_the_fasta_of_an_index(saved_index, monkeypatch):
    monkeypatch.chdir("out")
    run("scan", "-k", 6, f"../{saved_index}", "../patterns.tsv", "-o", "s.bed", "--igv-session", "s.xml").ok()
    assert session("s.xml")[0] == "../ref.fa"


def test_outputs_that_igv_does_not_open():
    def fails(message, *arguments, output="out/x.bam", **how):
        run("map", *arguments, "-o", output, "--igv-session", "out/x.xml", **how).fails(2, message, output)

    run("index", "-", "-o", "stdin.idx", stdin="ref.fa").ok()
    fails("the standard input has none", "--sort", "stdin.idx", "reads.fq")
    fails("the standard input has none", "--sort", "-", "reads.fq", stdin="ref.fa")
    fails("give --sort, too", "ref.fa", "reads.fq")
    fails("IGV does not open out/x.sam", "ref.fa", "reads.fq", output="out/x.sam")
    run("map", "ref.fa", "reads.fq", "--igv-session", "out/x.xml").fails(2, "name a file with -o")
