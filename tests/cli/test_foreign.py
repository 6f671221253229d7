"""bench/foreign.py on small suites of its formats, made here: what Trawl finds, and that a wrong expectation is seen."""

import shutil
from pathlib import Path

import pytest

from tools import ROOT, TRAWL, bench_program, execute, random_bases, reverse_complement, rows, write_fasta, write_lines

GENOME = "adeno-genome.fa"


@pytest.fixture(scope="module", autouse=True)
def genome():
    bases = random_bases(3000)
    Path("made").mkdir()
    write_fasta(f"made/{GENOME}", ("c", bases))
    return bases


def suite(name):
    Path(name).mkdir()
    shutil.copy(f"made/{GENOME}", name)
    return Path(name)


def foreign(*folders):
    return execute(ROOT / "bench/foreign.py", "--trawl", TRAWL, "--check", bench_program("trawl-check"), *folders)


def outcome(result):
    return [row[2] for row in rows(result) if len(row) == 3]


def test_rabema(genome):
    folder = suite("out/rabema")
    write_fasta(folder / "reads.fasta", ("f", genome[100:200]), ("r", reverse_complement(genome[500:600])))
    # The last base, from 0; on the reverse strand counted there.
    right = ["f\t8\tc\tF\t195\t203", "r\t8\tc\tR\t2496\t2503", "r\t0\tc\tR\t0\t0"]
    write_lines(folder / "gold-x-edit-08.gsi", "@GSI\tVN:1.1", "#QNAME", *right)
    assert outcome(foreign(folder).ok()) == ["2 of 2"]
    write_lines(folder / "gold-x-edit-08.gsi", "@GSI\tVN:1.1", *right, "f\t8\tc\tR\t195\t203")
    result = foreign(folder)
    assert (result.status, outcome(result)) == (1, ["2 of 3"]) and "missing: f 8 c R" in result.stdout


def test_razers3(genome):
    folder = suite("out/razers3")
    changed = "A" if genome[150] != "A" else "C"
    write_fasta(folder / "adeno-reads100_1.fa", ("x", genome[100:150] + changed + genome[151:200]))
    write_fasta(folder / "adeno-reads100_2.fa", ("x", reverse_complement(genome[220:320])))
    first = "0\t100\tF\tc\t100\t200\t99"
    second = "0\t100\tR\tc\t220\t320\t100"
    write_lines(folder / "se-adeno-reads100_1-i98-tc1.razers", f"x\t{first}")
    write_lines(folder / "pe-adeno-reads100_2-tc1.razers", f"x/R\t{second}\t7\t0\t-220", f"x/L\t{first}\t7\t0\t220")
    assert outcome(foreign(folder).ok()) == ["1 of 1", "2 of 2"]
    write_lines(folder / "se-adeno-reads100_1-ng-tc1.razers", "x\t0\t100\tF\tc\t1100\t1200\t100")
    result = foreign(folder)
    assert (result.status, outcome(result)) == (1, ["1 of 2", "2 of 2"])


def test_yara(genome):
    folder = Path("out/yara")
    for name in "input", "gold":
        (folder / name).mkdir(parents=True)
    shutil.copy(f"made/{GENOME}", folder / "input")
    write_fasta(folder / "input/adeno-reads_1.fa", ("x", genome[100:200]))
    for position, status, found in (101, 0, "1 of 1"), (1101, 1, "0 of 1"):
        write_lines(folder / "gold/x.sam", "@SQ\tSN:c\tLN:3000", f"x\t0\tc\t{position}\t60\t100M\t*\t0\t0\t*\t*\tNM:i:0")
        result = foreign(folder)
        assert (result.status, outcome(result)) == (status, [found])


@pytest.mark.skipif(not shutil.which("perl"), reason="perl is missing")
def test_bowtie():
    Path("out/scripts/test").mkdir(parents=True)
    script = """my @cases = (
        { name => "reads", ref => ["AGCATCGATCAGTATCTGA"], reads => ["CATCGATCAGTATCTG"], hits => [{ 2 => 1 }] },
        { name => "tabbed", ref => ["AGCATCGATCAGTATCTGA"], tabbed => "r\\tCATCGATCAGTATCTG\\tIIIIIIIIIIIIIIII\\n",
          hits => [{ %d => 1 }] },
        { name => "pair", ref => ["AGCATCGATCAAAAACTGA"], mate1s => ["AGCATCGATC"], mate2s => ["TCAGTTTTTGA"],
          pairhits => [{ "0,8" => 1 }] },
        { name => "damaged", ref => ["AGCATCGATC"], fastq => "\\@r\\nACGT\\n+\\nII\\n", should_abort => 1 },
        { name => "trimmed", ref => ["AGCATCGATC"], args => "--trim3 4", reads => ["AGCA"], hits => [{ 0 => 1 }] },
    );
    foreach my $case (@cases) { die; }
    """.replace("\n    );", "\n);").replace("\n        ", "\n\t")
    for place, status, found in (2, 0, "4 of 4"), (3, 1, "3 of 4"):
        Path("out/scripts/test/simple_tests.pl").write_text(script % place)
        result = foreign("out")
        assert (result.status, outcome(result)) == (status, [found])
        assert "1 of which are left out" in result.stdout


def test_no_suite():
    Path("out/none").mkdir()
    assert "no suite that is known here" in foreign("out/none").stderr
