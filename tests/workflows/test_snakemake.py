"""The Snakemake wrappers run as those of snakemake-wrappers do, and the workflow makes of a sheet of samples what trawl makes
by hand."""

import os
import shutil
from pathlib import Path

import pytest

from flows import HEART, LIVER, cell, make_samples, needs
from tools import ROOT, assert_same, execute, read_json, run, sam_lines, write_lines

needs("snakemake", "multiqc")
WRAPPERS = ROOT / "workflows/snakemake/wrappers"
TABLE = "results/multiqc_report_data/multiqc_general_stats.txt"


def snake(*words):
    return execute("snakemake", "--cores", 2, "--nocolor", *words)


@pytest.fixture
def wrapper(request, work, monkeypatch):
    """In a copy of its test folder; Snakemake finds the wrappers under a prefix. A function that makes files."""
    if not os.path.exists("master"):
        os.symlink(WRAPPERS, "master")
    source = WRAPPERS / "bio/trawl" / request.param
    for file in "wrapper.py", "meta.yaml", "environment.yaml", "test/Snakefile":
        assert (source / file).stat().st_size
    meta = (source / "meta.yaml").read_text()
    assert execute("python3", "-c", "import sys, yaml; meta = yaml.safe_load(sys.stdin); "
                   "assert all(meta[key] for key in ('name', 'description', 'authors', 'input', 'output')), meta",
                   stdin=meta.encode()).ok()
    shutil.copytree(source / "test", request.param)
    monkeypatch.chdir(request.param)
    return lambda *files: snake("--wrapper-prefix", f"file://{work}/", *files)


@pytest.mark.parametrize("wrapper", ["map"], indirect=True)
def test_the_wrapper_of_map(wrapper):
    wrapper("mapped/a.bam", "lanes/a.sam").ok()
    run("map", "--report", "all", "--sort", "-R", r"@RG\tID:a\tSM:a", "genome.fasta", "reads/a.1.fastq", "reads/a.2.fastq",
        "-o", "by_hand.bam").ok()
    assert sam_lines("mapped/a.bam") == sam_lines("by_hand.bam")
    assert os.path.getsize("mapped/a.bam.bai")
    for path in "qc/a.trawl.json", "qc/a_mqc.json":
        read_json(path)
    assert "3 pairs" in Path("logs/map/a.log").read_text()
    run("map", "-e", "8%", "genome.fasta", "reads/a.1.fastq,reads/a.2.fastq", "-o", "by_hand.sam").ok()
    assert sam_lines("lanes/a.sam") == sam_lines("by_hand.sam")
    # What went wrong is in the log, and Snakemake knows it.
    shutil.copy("reads/a.1.fastq", "reads/broken.1.fastq")
    write_lines("reads/broken.2.fastq", "@x")
    assert wrapper("mapped/broken.bam").status != 0
    assert "reads/broken.2.fastq" in Path("logs/map/broken.log").read_text()


@pytest.mark.parametrize("wrapper", ["scan"], indirect=True)
def test_the_wrapper_of_scan(wrapper):
    wrapper("sites/guides.tsv", "motifs/enzymes.bed").ok()
    run("scan", "-k", 4, "--max-bulges", 1, "--pam", "NGG", "genome.fasta", "guides.tsv", "-o", "by_hand.tsv").ok()
    assert_same("by_hand.tsv", "sites/guides.tsv")
    assert len(Path("by_hand.tsv").read_text().splitlines()) >= 4
    run("scan", "-p", "GAATTC", "-p", "GGATCC", "genome.fasta", "-o", "by_hand.bed").ok()
    assert_same("by_hand.bed", "motifs/enzymes.bed")


def test_the_workflow(monkeypatch):
    os.mkdir("run")
    monkeypatch.chdir("run")
    make_samples()
    shutil.copytree(ROOT / "workflows/snakemake/config", "config")
    config = Path("config/config.yaml")
    config.write_text(config.read_text().replace('patterns: ""', "patterns: guides.tsv"))

    def flow(*words):
        return snake("--snakefile", ROOT / "workflows/snakemake/workflow/Snakefile", *words)

    flow().ok()
    for sample, files in ("liver", LIVER), ("heart", HEART):
        run("map", "--sort", "-R", rf"@RG\tID:{sample}\tSM:{sample}", *files, "-o", f"{sample}.bam").ok()
        assert sam_lines(f"results/mapped/{sample}.bam") == sam_lines(f"{sample}.bam")
        assert os.path.getsize(f"results/mapped/{sample}.bam.bai")
    run("scan", "-k", 4, "--pam", "NGG", "genome.fa", "guides.tsv", "-o", "sites.tsv").ok()
    assert_same("sites.tsv", "results/sites.tsv")
    value = {key: float(cell(key, "liver", TABLE)) for key in ("map_reads", "reads_mapped_percent", "map_mapped")}
    assert value["map_reads"] == 1600 and f"{value['reads_mapped_percent']:.1f}" == f"{value['map_mapped']:.1f}"
    assert float(cell("map_reads", "heart", TABLE)) == 300 and float(cell("scan_patterns", "sites", TABLE)) == 3
    assert os.path.getsize("results/multiqc_report.html")

    # A second run does nothing. A sample that is no longer in the sheet is no longer in the report.
    assert "Nothing to be done" in flow().ok().stderr
    sheet = Path("config/samples.tsv")
    lines = [line for line in sheet.read_text().splitlines() if "heart" not in line]
    write_lines(sheet, *lines)
    flow().ok()
    assert (cell("map_reads", "heart", TABLE), float(cell("map_reads", "liver", TABLE))) == ("", 1600)

    write_lines(sheet, *lines, "liver\treads/heart.fq.gz\t")
    result = flow("--dry-run")
    assert result.status != 0
    assert "sample liver has lanes with and without R2" in result.stdout + result.stderr
