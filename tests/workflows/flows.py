"""For the tests of the workflows."""

import gzip
import os
import re
import shutil
from pathlib import Path

import pytest

from tools import ROOT, read_fasta, rows, simulate, write_lines

TOOLS = os.environ.get("TRAWL_WORKFLOW_TOOLS", f"{ROOT}/build/workflow_tools")
PARTS = ROOT / "tests/workflows/nextflow_parts.groovy"


def needs(*names):
    """Without them the module is skipped. In CI they must be there."""
    for name in names:
        if not shutil.which(name, path=f"{TOOLS}/bin:{os.environ['PATH']}"):
            assert os.environ.get("CI") != "true", f"{name} is missing"
            pytest.skip(f"{name} is missing; scripts/install_workflow_tools.sh installs it", allow_module_level=True)


# trawl map of the samples by hand.
LIVER = "genome.fa reads/liver_L1_R1.fq.gz,reads/liver_L2_R1.fq.gz reads/liver_L1_R2.fq.gz,reads/liver_L2_R2.fq.gz".split()
HEART = "genome.fa reads/heart.fq.gz".split()


def make_samples():
    """genome.fa, guides.tsv, reads/: liver with two lanes of pairs, heart with single reads."""
    simulate("genome", 60000, 7, "genome.fa")
    os.mkdir("reads")

    def compress(path, output):
        Path(f"reads/{output}.fq.gz").write_bytes(gzip.compress(Path(path).read_bytes()))

    for lane in 1, 2:
        simulate("pairs", "genome.fa", 400, 100, lane, "one.fq", "two.fq", "--qualities")
        compress("one.fq", f"liver_L{lane}_R1")
        compress("two.fq", f"liver_L{lane}_R2")
    simulate("reads", "genome.fa", 300, 100, 3, "--qualities", output="heart.fq")
    compress("heart.fq", "heart")
    (text,) = read_fasta("genome.fa").values()
    write_lines("guides.tsv", *(f"guide{n}\t{site[:20]}" for n, site in enumerate(re.findall("[ACGT]{21}GG", text)[:3], 1)))


def cell(name, sample, path):
    """Of a table of MultiQC, which may put the module and - before the name; it leaves out columns in which all is 0."""
    names, *lines = rows(path)
    (column,) = [n for n, found in enumerate(names) if found == name or found.endswith(f"-{name}")]
    return next((line[column] for line in lines if line[0] == sample), "")
