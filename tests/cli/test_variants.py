"""bench/variants.py on tiny data."""

import gzip
import os
import shutil
import sys
from pathlib import Path

import pytest

from tools import (ROOT, TRAWL, TRAWL_SIMULATE, assert_same, bench_program, bgzip, execute, read_fasta, read_json, rows, samtools,
                   simulate)

for program in "dwgsim", "bcftools", "bwa":
    if not shutil.which(program):
        pytest.skip(f"no {program} here (Debian packages dwgsim, bcftools, bwa)", allow_module_level=True)

VARIANTS = [sys.executable, ROOT / "bench/variants.py"]


def variants(*options, **how):
    return execute(*VARIANTS, "--reference", "ref.fa.gz", "--workdir", "work", "--threads", 1, *options, **how)


def calls(mapper, kind):
    """(found, false, missed) with seed 4."""
    row, = (row for row in read_json("out/v.json") if (row["mapper"], row["seed"], row["kind"]) == (mapper, 4, kind))
    return row["found"], row["false"], row["missed"]


def good_calls(mapper, kind, true_ones):
    """The reference has no N: good mappers miss only few variants, at its ends and in repeats."""
    found, false, missed = calls(mapper, kind)
    assert found + missed == true_ones
    assert found > 0.7 * true_ones and false < 0.3 * true_ones


def vcf_rows(path):
    return [row for row in rows(path) if not row[0].startswith("#")]


def true_variants():
    """How many there are in the last seed, from dwgsim's own list."""
    snps = [len(ref) == len(alt) for _, _, _, ref, alt, *_ in vcf_rows("work/out/sim.mutations.vcf")]
    return {"SNP": snps.count(True), "indel": snps.count(False)}


def write_mapper(name, *lines):
    """A program that is called like trawl, and always writes these records."""
    Path(f"{name}.sam").write_text("".join(f"{line}\n" for line in lines))
    Path(f"{name}.sh").write_text(f"""#!/usr/bin/env bash
[[ $1 == map ]] || exit 0
while [[ $1 != -o ]]; do shift; done
cp {os.path.abspath(name)}.sam "$2"
""")
    os.chmod(f"{name}.sh", 0o755)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """Mappers that find nothing, and one that reports a false deletion."""
    simulate("genome", 40000, 7, "ref.fa")
    Path("ref.fa.gz").write_bytes(gzip.compress(Path("ref.fa").read_bytes()))
    (contig, text), = read_fasta("ref.fa").items()
    header = f"@SQ\tSN:{contig}\tLN:40000"
    invented = []
    for n in range(40):
        begin = 20000 - 60 - n % 20
        bases = text[begin:20000] + text[20005:begin + 155]
        cigar = f"{20000 - begin}M5D{begin + 150 - 20000}M"
        invented.append(f"r{n}\t0\t{contig}\t{begin + 1}\t60\t{cigar}\t*\t0\t0\t{bases}\t{'I' * 150}")
    write_mapper("nothing", header)
    write_mapper("invents", header, *invented)


def test_mappers():
    result = variants("--mappers", f"trawl={TRAWL},bwa-mem,nothing=./nothing.sh", "--seeds", "3,4",
                      "--mutation-rate", 0.005, "-o", "out/v").ok()
    for kind, number in true_variants().items():
        assert calls("nothing", kind) == (0, 0, number)
        for mapper in "trawl", "bwa-mem":
            good_calls(mapper, kind, number)
    mappers = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("| ")]
    assert [mappers.count(mapper) for mapper in ("trawl", "bwa-mem", "nothing")] == [3, 3, 3], "rows of the table"
    assert "dwgsim -z 3" in result.stdout, "the seed is said"
    wrong = [row for row in rows("out/v.tsv") if row[:2] == ["nothing", "4"]]
    assert len(wrong) == sum(true_variants().values())


def test_a_mapper_that_invents_variants():
    variants("--mappers", "invents=./invents.sh", "--seeds", 4, "--mutation-rate", 0.005, "-o", "out/v",
             "--max-missed", 100000).ok()
    assert calls("invents", "indel") == (0, 1, true_variants()["indel"])


def test_limits_of_the_first_mapper():
    result = variants("--mappers", "invents=./invents.sh", "--seeds", 4, "--mutation-rate", 0.005, "--max-false", 0)
    assert result.status == 1
    assert "invents: 1 indels false, at most 0 allowed" in result.stderr
    result = variants("--mappers", "nothing=./nothing.sh", "--seeds", 4, "--mutation-rate", 0.005, "--max-false", 0,
                      "--max-missed", 0)
    assert result.status == 1


def test_pairs():
    """As good, and each mapper takes both files."""
    result = variants("--mappers", f"trawl={TRAWL},bwa-mem", "--seeds", 4, "--mutation-rate", 0.005, "--pairs",
                      "-o", "out/v").ok()
    for reference in "reference.fa", "index/bwa":
        assert f"{reference} out/reads_1.fq out/reads_2.fq" in result.stdout
    assert "reads in pairs (500 +- 50)" in result.stdout
    first, second = (Path(f"work/out/reads_{n}.fq").read_text().count("\n") for n in (1, 2))
    assert first == second
    for kind, number in true_variants().items():
        for mapper in "trawl", "bwa-mem":
            good_calls(mapper, kind, number)


def test_artefacts():
    """Indels are counted by their length."""
    result = variants("--mappers", f"trawl={TRAWL} --eqx,bwa-mem,nothing=./nothing.sh", "--seeds", 4,
                      "--mutation-rate", 0.004, "--indel-share", 0.6, "--artefacts", "--simulate", TRAWL_SIMULATE,
                      "-o", "out/v").ok()
    assert "--report best --eqx" in result.stdout, "options of a trawl"
    assert "with artefacts (--adapters 0.1,0-45" in result.stdout
    for kind in "indel 1-5", "indel 6-10", "indel 11-20", "indel 21-30", "indel 31-40", "SNP":
        _, _, number = calls("nothing", kind)
        assert number > 5, kind
        good_calls("bwa-mem", kind, number)
    found, _, missed = calls("trawl", "indel 1-5")
    assert found > missed
    longest = max(abs(len(ref) - len(alt)) for _, _, _, ref, alt, *_ in vcf_rows("work/out/donor.vcf"))
    assert 36 < longest <= 40
    samtools("faidx", "work/reference.fa")
    Path("donor.vcf.gz").write_bytes(bgzip("-c", "work/out/donor.vcf"))
    execute("bcftools", "index", "-f", "donor.vcf.gz").ok()
    one, other = map(bases, Path("work/out/donor.fa").read_bytes().split(b">")[1:])
    assert one != other
    for n, haplotype in (1, one), (2, other):
        consensus = execute("bcftools", "consensus", "-H", n, "-f", "work/reference.fa", "donor.vcf.gz").ok()
        assert_same(bases(consensus.bytes), haplotype)


@pytest.mark.skipif(not shutil.which("freebayes"), reason="no freebayes here (Debian package freebayes)")
def test_callers_and_pieces():
    """Each caller counts by the sizes that are given; Trawl gets no -e."""
    result = variants("--mappers", f"trawl={TRAWL},nothing=./nothing.sh", "--seeds", 4, "--mutation-rate", 0.004, "--pairs",
                      "--coverage", 30, "--callers", "bcftools,freebayes", "--sizes", "1-3,4-30", "--piece", 15000,
                      "-o", "out/v").ok()
    assert "map --report best -t" in result.stdout
    assert "freebayes -r synth1:1-15000 -f reference.fa" in result.stdout
    for caller in "bcftools", "freebayes":
        snps, = (row for row in read_json("out/v.json")
                 if (row["mapper"], row["caller"], row["kind"]) == ("trawl", caller, "SNP"))
        assert snps["found"] > 0.7 * true_variants()["SNP"] and snps["false"] < 0.1 * snps["found"]
        assert f"| nothing, {caller} | 4 | 0 / 0 / " in result.stdout


def test_many_reads_are_made_in_parts(monkeypatch):
    """With the variants of the seed."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    import variants as module
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 500)
    monkeypatch.setattr(sys, "argv", ["variants.py", "--reference", "ref.fa", "--workdir", "parts", "--mappers",
                                      f"trawl={TRAWL}", "--pairs", "--reads", "2400", "--seeds", "4", "--threads", "1"])
    check = module.Check(module.parse_arguments())
    check.run(["samtools", "faidx", "reference.fa"])
    truth = check.simulate(4, show=True)
    names = Path("parts/out/reads_1.fq").read_text().splitlines()[::4]
    assert len(names) == 1200 and len(set(names)) == 1200
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 5000)
    assert check.simulate(4, show=True) == truth


def bases(contig):
    return b"".join(contig.splitlines()[1:])


def test_pairs_for_a_mapper_of_single_reads():
    Path("out/yara_mapper").symlink_to("/bin/true")
    result = variants("--mappers", f"trawl={TRAWL},yara", "--pairs", env={"PATH": f"out:{os.environ['PATH']}"})
    assert result.status == 1
    assert "--pairs: not known how yara takes pairs" in result.stderr


@pytest.mark.parametrize("status, message, options", [
    (2, "--artefacts makes single reads, not --pairs", ["--mappers", "bwa-mem", "--artefacts", "--pairs"]),
    (1, "no such mapper: other", ["--mappers", "other"]),
    (1, "no such caller: gatk", ["--mappers", "bwa-mem", "--callers", "gatk"]),
    (1, "no_such_trawl (build it", ["--mappers", "trawl=./no_such_trawl"])], ids=str)
def test_wrong_usage(status, message, options):
    result = variants(*options)
    assert result.status == status
    assert message in result.stderr


def test_no_tools():
    result = execute(*VARIANTS, "--reference", "ref.fa", "--workdir", "work", "--mappers", f"trawl={TRAWL}",
                     env={"PATH": "/none"})
    assert result.status == 1
    assert "dwgsim (Debian package dwgsim)" in result.stderr


def test_places():
    """bench/places.py: most pairs of a plain reference are at their places."""
    execute(sys.executable, ROOT / "bench/places.py", "--reference", "ref.fa.gz", "--workdir", "places", "--pairs", 500,
            "--mappers", f"trawl={TRAWL},bwa-mem", "--repeats", 1, "--threads", 1, "-o", "out/places").ok()
    for mapper, result in read_json("out/places.json").items():
        assert (result["primary"], result["mapped"]) == (1000, 1000), mapper
        assert sum(group["records"] for group in result["groups"]) == 1000
        assert sum(group["wrong"] for group in result["groups"]) < 100
        assert result["start"] > 0 and len(result["cpu"]) == 1


def test_places_of_a_library():
    """bench/places.py --library: the kinds of fragments add up, and bwa mem has most of each at their places."""
    execute(sys.executable, ROOT / "bench/places.py", "--reference", "ref.fa.gz", "--workdir", "places", "--pairs", 1500,
            "--library=--short 0.5 --chimeras 0.1", "--simulate", TRAWL_SIMULATE, "--check", bench_program("trawl-check"),
            "--mappers", f"trawl={TRAWL},bwa-mem", "--repeats", 1, "--threads", 1, "-o", "out/library").ok()
    for mapper, result in read_json("out/library.json").items():
        kinds = result["kinds"]
        assert set(kinds) == {"long", "short", "tiny", "chimera", "all"}
        for column, number in kinds["all"].items():
            assert number == sum(kinds[kind][column] for kind in kinds if kind != "all"), column
        assert kinds["all"]["reads"] == result["primary"] == 3000 and min(kind["reads"] for kind in kinds.values()) > 50
        assert result["mapped"] == kinds["all"]["mapped"]
        if mapper == "bwa-mem":
            for name, kind in kinds.items():
                assert kind["right"] > 0.7 * kind["reads"] and kind["sure"] > 0.6 * kind["reads"], name
                assert kind["proper"] > (0.3 if name == "chimera" else 0.7) * kind["reads"], name


def test_variants_of_a_library():
    """bench/variants.py --library: bcftools finds most of the donor in pairs with adapters and bad tails."""
    variants("--library=--str-changes 0", "--simulate", TRAWL_SIMULATE, "--mappers", "bwa-mem", "--seeds", 4, "-o",
             "out/v").ok()
    donor = [len(row[3]) == len(row[4]) for row in vcf_rows("work/out/donor.vcf")]
    good_calls("bwa-mem", "SNP", donor.count(True))
