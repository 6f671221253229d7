"""What the tests of the Python package share: the program to compare with, the small inputs."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "test_data"
GENOME, READS, GUIDES = DATA / "repeats.fa.gz", DATA / "repeats_reads.fq.gz", DATA / "guides.tsv"
MATES = DATA / "repeats_1.fq.gz", DATA / "repeats_2.fq.gz"
TRAWL = os.environ.get("TRAWL", str(ROOT / "build/release/trawl"))

TEXT = "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"
READ = "GATTACAGGCATGAGCCACC"


def command(*words):
    """The output of the program, as bytes."""
    return subprocess.run([TRAWL, *map(str, words)], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


@pytest.fixture(scope="session")
def genome():
    import trawl

    return trawl.Reference(GENOME)


@pytest.fixture(scope="session")
def small():
    import trawl

    return trawl.Reference({"chr1": TEXT})
