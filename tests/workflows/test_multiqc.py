"""MultiQC shows what --multiqc writes."""

import json
import os
from pathlib import Path

import pytest

from flows import cell, make_samples, needs
from tools import count, execute, files_in, records, rows, run

needs("multiqc")
DATA = "report/multiqc_data"
SCAN = ["scan", "-k", 4, "--pam", "NGG", "genome.fa", "guides.tsv"]


@pytest.fixture(scope="module", autouse=True)
def report(settings):
    make_samples()
    os.mkdir("custom")
    run("map", "genome.fa", "reads/liver_L1_R1.fq.gz", "reads/liver_L1_R2.fq.gz", "-o", "liver.bam", "--multiqc",
        "custom/liver_mqc.json").ok()
    # The last file of MultiQC's search has single reads: it must not hide the columns of pairs.
    run("map", "--report", "all", "-e", 5, "genome.fa", "reads/heart.fq.gz", "-o", "z_heart.sam", "--multiqc",
        "custom/z_heart_mqc.json").ok()
    run(*SCAN, "-o", "guides.tsv.bed", "--multiqc", "custom/guides_mqc.json").ok()
    execute("multiqc", "--strict", "--quiet", "custom", "-o", "report").ok()


def test_files():
    expected = {"liver": ["distance_", "insert_", "loci_", "mapq_", "", "pairs_"],
                "z_heart": ["distance_", "loci_", "mapq_", ""], "guides": ["distance_", ""]}
    assert files_in("custom") == sorted(f"{name}_{part}mqc.json" for name, parts in expected.items() for part in parts)


def test_the_general_table():
    """What the records say, counted without Trawl's own counters."""
    def value(name, sample="liver"):
        return float(cell(name, sample, f"{DATA}/multiqc_general_stats.txt"))

    primary = records("liver.bam", "-F", "0x904")
    assert value("map_reads") == 800
    assert value("map_mapped") == pytest.approx(100 * len(primary) / 800)
    assert value("map_concordant") == pytest.approx(100 * count("liver.bam", "-f", "0x42", "-F", "0x900") / 400)
    assert 380 < value("map_insert") < 420, "of pairs of 400"
    assert value("map_edits") == pytest.approx(sum(one.tags["NM"] for one in primary) / len(primary), abs=1e-4)
    assert cell("map_insert", "z_heart", f"{DATA}/multiqc_general_stats.txt") == ""
    assert value("map_records", "z_heart") == pytest.approx(
        count("z_heart.sam", "-F", 4) / count("z_heart.sam", "-F", "0x904"), abs=1e-4)
    assert value("scan_records", "guides") == len(rows("guides.tsv.bed"))


def test_plots():
    primary = records("liver.bam", "-F", "0x904")
    for loci in 1, 2:
        expected = len([one for one in primary if one.tags.get("X0") == loci])
        assert float(cell(str(loci), "liver", f"{DATA}/multiqc_trawl_map_loci_plot.txt")) == expected > 0
    assert float(cell("concordant", "liver", f"{DATA}/multiqc_trawl_map_pairs_plot.txt")) == count(
        "liver.bam", "-f", "0x42", "-F", "0x900")
    lines = {}
    for section in "distance", "mapq", "insert":
        (lines[section],) = [row for row in rows(f"{DATA}/multiqc_trawl_map_{section}_plot.txt") if row[0] == "liver"]
    points = dict(map(json.loads, lines["mapq"][1:]))
    assert points[0] == pytest.approx(100 * len([one for one in primary if one.mapq == 0]) / len(primary))
    assert sum(points.values()) == pytest.approx(100)
    page = Path("report/multiqc_report.html").read_text()
    for section in "Edit distance", "Loci per read", "Mapping quality", "Insert sizes", "Pairs":
        assert section in page


@pytest.mark.parametrize("status, message, words", [
    (2, "name it NAME_mqc.json", "map genome.fa reads/heart.fq.gz -o out/x.sam --multiqc x.json"),
    (2, "name it NAME_mqc.json", "scan -k 1 genome.fa guides.tsv -o out/x.sam --multiqc _mqc.json"),
    (2, "are the same file",
     "map genome.fa reads/heart.fq.gz -o out/x.sam --multiqc x_mqc.json --stats x_distance_mqc.json"),
    (1, "missing/x_mqc.json", "map genome.fa reads/heart.fq.gz -o out/x.sam --multiqc missing/x_mqc.json")])
def test_names_and_files_that_would_be_lost(status, message, words):
    run(*words.split()).fails(status, message, "out/x.sam")
