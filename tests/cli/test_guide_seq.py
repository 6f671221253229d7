"""Off-targets that a cell showed (GUIDE-seq) are found: the 17 sites of Tsai et al. 2015 (Nat Biotechnol 33, 187, table S2)
that lie on chr20 and on chrX 1-70 Mbp of GRCh37, with as many mismatches as they have.

bench/genomes.py has this reference: from Debian packages of 90 MB, so the test runs where it was fetched before, or where
TRAWL_GENOMES or CI is set."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import ROOT, run, write_lines

GUIDES = {"VEGFA_site2": "GACCCCCTCCACCCCGCCTC", "VEGFA_site3": "GGTGAGTGAGTGTGTGCGTG",
          "EMX1": "GAGTCCGAGCAGAAGAAGAA", "HEK293_sgRNA4": "GGCACTGCGGCTGGAGGTGG"}

# Contig, start (from 0), strand, guide, site with its PAM, mismatches of the guide.
SITES = [
    ("20", 10913954, "-", "VEGFA_site2", "CCACCCCCCCACCCCGCCCCTGG", 5),
    ("20", 35991126, "-", "VEGFA_site2", "AGACCCCCCCACCCCACCCCAGG", 6),
    ("20", 62575810, "-", "VEGFA_site2", "CCGCCCCCCCATCCCGCCCCAGG", 6),
    ("20", 20178277, "-", "VEGFA_site3", "AGTGTGTGAGTGTGTGCGTGTGG", 2),
    ("20", 50724387, "+", "VEGFA_site3", "CGTGAGTGAGTGTGTACCTGGGG", 3),
    ("X", 53467704, "-", "EMX1", "GAGTCCGGGAAGGAGAAGAAAGG", 3),
    ("20", 60010545, "+", "HEK293_sgRNA4", "TGCACTGCGGCCGGAGGAGGTGG", 3),
    ("20", 31349755, "+", "HEK293_sgRNA4", "GGCACTGCGGCTGGAGGTGGGGG", 0),  # where it should cut
    ("20", 45342993, "+", "HEK293_sgRNA4", "GGCACTGAGGGTGGAGGTGGGGG", 2),
    ("20", 1151847, "-", "HEK293_sgRNA4", "GGCACTGTGGCTGCAGGTGGAGG", 2),
    ("20", 60895664, "-", "HEK293_sgRNA4", "GGCACAGCAGCTGGAGGTGCTGG", 3),
    ("20", 37471336, "-", "HEK293_sgRNA4", "AGCACTGTGCCTGGGGGTGGGGG", 4),
    ("20", 60080536, "+", "HEK293_sgRNA4", "AGCACTGCAGATGGAGGAGGCGG", 4),
    ("20", 61810732, "-", "HEK293_sgRNA4", "GTCACTGCGGCTGCAGATGGCGG", 3),
    ("20", 24376039, "+", "HEK293_sgRNA4", "GGCACTGAGACCAGAGGTGGTGG", 4),
    ("20", 60174553, "+", "HEK293_sgRNA4", "CCCACTGTGGCTGGAGGTGTGGG", 4),
    ("20", 22805407, "-", "HEK293_sgRNA4", "AGCACTGTTACAGGAGGTGGGGG", 5),
]


@pytest.fixture(scope="module")
def reference():
    sys.path.insert(0, str(ROOT / "bench"))
    import genomes
    if not (genomes.cache() / "human133.fa").exists() and not {"TRAWL_GENOMES", "CI"} & os.environ.keys():
        pytest.skip("human133 is not here: bench/genomes.py human133 fetches it (Debian: vt-examples, smalt-examples)")
    try:
        return genomes.fetch("human133")
    except (OSError, RuntimeError, StopIteration, subprocess.CalledProcessError) as error:
        pytest.skip(f"human133 cannot be fetched: {error}")


def test_sites_of_guide_seq_are_found(reference):
    write_lines("guides.tsv", *("\t".join(guide) for guide in GUIDES.items()))
    run("scan", "--max-mismatches", 6, "--pam", "NGG", reference, "guides.tsv", "-o", "out/sites.tsv").ok()
    columns = Path("out/sites.tsv").read_text().split("\n", 1)[0].split("\t")
    at = [columns.index(name) for name in ("contig", "start", "strand", "pattern", "text", "mismatches", "dna_bulges",
                                           "rna_bulges")]
    wanted = {site[:4] for site in SITES}
    found = {}
    with open("out/sites.tsv") as file:
        next(file)
        for line in file:
            cells = line.rstrip("\n").split("\t")
            contig, start, strand, pattern, text, *numbers = (cells[column] for column in at)
            if (contig, int(start), strand, pattern) in wanted:
                found[contig, int(start), strand, pattern] = (text, *map(int, numbers))
    assert found == {site[:4]: (site[4], site[5], 0, 0) for site in SITES}
