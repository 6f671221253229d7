"""bench/compare.py and bench/places.py. The former with stand-ins for the other mappers: how they are called, and how their output is read."""

import gzip
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import (ROOT, TRAWL, TRAWL_SIMULATE, bench_program, count, execute, read_json, records, rows, run, simulate,
                   write_lines)

CHECK = bench_program("trawl-check")
SCRIPT = [sys.executable, ROOT / "bench/compare.py"]


def write_program(path, *parts):
    Path(path).write_text(f"#!{sys.executable}\n" + "".join(parts))
    Path(path).chmod(0o755)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """bin/ has the stand-ins. What is right is in single.sam and pairs.sam, from Trawl's own records."""
    os.symlink(TRAWL, "trawl")
    os.mkdir("bin")
    stand_in = (ROOT / "tests/cli/stand_in.py").read_text()
    for name in "mrfast mrsfast FEM gem-indexer gem-mapper razers3 bwa-mem2 strobealign bitmapperBS".split():
        write_program(f"bin/{name}", stand_in)
    simulate("genome", 40000, 7, "ref.fa")
    simulate("reads", "ref.fa", 400, 100, 7, "--qualities", output="reads.fq")
    simulate("pairs", "ref.fa", 200, 100, 7, "1.fq", "2.fq", "--qualities")
    run("map", "-e", 5, "--report", "all", "-o", "single.sam", "ref.fa", "reads.fq").ok()
    run("map", "-e", 5, "--insert", "200-600", "--report", "all", "-o", "pairs.sam", "ref.fa", "1.fq", "2.fq").ok()


def compare(*options):
    """No other programs than the stand-ins are found. The file calls has their calls."""
    Path("calls").write_text("")
    return execute(*SCRIPT, "--trawl", TRAWL, "--build", CHECK.parent, "--reference", "ref.fa", "--repeats", 1,
                   *options, env={"PATH": os.path.abspath("bin")})


class Report(NamedTuple):
    text: str
    calls: str
    values: dict  # by tool, mode and layout: {column: value}


@pytest.fixture(scope="module")
def report(inputs):
    """Of all mappers, with single reads and pairs. The record is in report.json."""
    text = compare("--workdir", "work", "--layouts", "single,pairs", "--reads-all", 400, "--reads-peers-all", 400,
                   "--reads-best", 400, "-o", "report").ok().stdout
    assert os.listdir("work/out") == [], "no outputs are left"
    values = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if line.startswith("###"):
            title, names = line.strip("# ").split(", "), None
        elif cells[:1] == ["tool"]:
            names = cells
        elif cells and names:
            values[cells[0], *title] = dict(zip(names, cells))
    return Report(text, Path("calls").read_text(), values)


# --- the table ---


def even(records):
    """The percentage of records of reads with an even number."""
    numbers = [int(record.name.split("_")[0][-1]) for record in records]
    return f"{100 * sum(number % 2 == 0 for number in numbers) / len(numbers):.3f}"


def test_half_of_the_reads(report):
    single, pairs = report.values["mrfast", "all", "single"], report.values["mrfast", "all", "pairs"]
    assert single["mapped %"] == "50.00"
    assert single["% of Trawl's"] == even(records("single.sam"))
    assert pairs["% of Trawl's"] == even(records("pairs.sam", "-f", 2))


@pytest.mark.parametrize("tool, layout, column, value", [
    ("fem", "single", "% of Trawl's", "100.000"), ("fem", "single", "% of razers3's", "100.000"),
    pytest.param("gem3", "single", "% of Trawl's", "0.000", id="more edits than Trawl"),
    pytest.param("gem3", "pairs", "% of Trawl's", "0.000", id="the other mate elsewhere"),
    pytest.param("mrsfast", "single", "% of razers3's", "100.000", id="all of the loci without gaps"),
    ("mrsfast", "pairs", "% of Trawl's", "100.000"),
    pytest.param("trawl", "single", "% of razers3's", "100.000", id="Trawl is complete"),
    ("trawl", "pairs", "% of razers3's", "100.000"),
    ("mrsfast", "single", "distance", "mismatches"),
    ("gem3", "single", "distance", "edits; NM lacks gaps at the ends")])
def test_values_of_all(report, tool, layout, column, value):
    assert report.values[tool, "all", layout][column] == value


def test_a_mapper_without_pairs(report):
    assert ("fem", "all", "pairs") not in report.values


def test_alignments(report):
    trawl, mrsfast = (int(report.values[tool, "all", "single"]["alignments"].replace(",", ""))
                      for tool in ("trawl", "mrsfast"))
    assert mrsfast < trawl == count("single.sam", "-F", 4), "fewer without gaps"


def test_values_of_best(report):
    mapped = float(report.values["trawl", "best", "single"]["mapped %"])
    assert report.values["bwa-mem2", "best", "single"]["mapped %"] == f"{mapped:.2f}"
    assert report.values["strobealign", "best", "single"]["mapped %"] == f"{mapped * 0.75:.2f}"
    for layout in "single", "pairs":
        assert report.values["bitmapper-bs", "best", layout]["right place %"] == "0.00"


def test_mappers_without_results(report):
    for text in ("mrsfast (best, pairs, 1 threads, 100 reads) failed: exit status 1",
                 "razers3 (best, single, 1 threads, 400 reads) left out, its output cannot be checked",
                 "yara (all) skipped: no yara_mapper here (Debian package seqan-apps)"):
        assert text in report.text


def test_the_record(report):
    jobs = [(job["tool"], job["layout"], job["reads"], len(job["cpu_s"]), list(job["trawl_cpu_ratio"]))
            for job in read_json("report.json")["results"]
            if job["tool"] in ("trawl", "mrfast") and job["mode"] == "all"]
    assert jobs == [("trawl", "single", 400, 1, []), ("mrfast", "single", 400, 1, ["400"]),
                    ("trawl", "pairs", 400, 1, []), ("mrfast", "pairs", 400, 1, ["400"])]


# --- calls ---


@pytest.mark.parametrize("text", [
    "mrfast --search index/mrfast.fa --seq single.400.fq -e 5 -o out/all.single.mrfast.400.t1.sam -u /dev/null",
    "mrfast --search index/mrfast.fa --pe --min 200 --max 600 --seq1 pairs.400.1.fq --seq2 pairs.400.2.fq",
    pytest.param("mrsfast --search index/mrsfast.fa --pe --min 200 --max 600 --seq pairs.400.both.fq",
                 id="both mates in one file"),
    pytest.param("-E 0.05 -e 0.05 -s 0.05 -t 1", id="a share"),
    pytest.param("razers3 -i 95 -rr 100 -m 1000000 -ll 400 -le 200 -tc 1", id="percent")])
def test_calls(report, text):
    assert text in report.calls


def test_one_index_for_all_modes_and_layouts(report):
    assert [line.endswith("--index index/mrfast.fa") for line in report.calls.splitlines()].count(True) == 1


def test_an_index_is_used_again(report):
    """With other edits and inserts."""
    compare("--workdir", "work", "--modes", "all", "--tools", "mrfast,trawl", "--layouts", "pairs", "--reads-all", 200,
            "--reads-peers-all", 200, "--insert", "300-500", "--max-edits", 3).ok()
    calls = Path("calls").read_text()
    assert "--index" not in calls
    assert "--pe --min 300 --max 500 --seq1 pairs.200.1.fq --seq2 pairs.200.2.fq -e 3" in calls


def test_where_a_mapper_comes_from():
    assert "github.com/ksahlin/strobealign" in execute(*SCRIPT, "--commands").ok().stdout


@pytest.mark.parametrize("options", [
    pytest.param("--workdir work --layouts triples", id="no such layout"),
    pytest.param("--modes all", id="no folder to work in")])
def test_wrong_usage(options):
    assert compare(*options.split()).status == 2


# --- razers3 has a place that Trawl lacks: trawl-oracle decides who is right ---

FEW = "--workdir work --modes all --reads-all 200 --reads-peers-all 200 --tools trawl,razers3".split()


def test_razers3_is_wrong(report):
    Path("work/more").touch()
    result = compare(*FEW).ok()
    os.remove("work/more")
    assert "% of razers3's; trawl-oracle finds no locus without a record in the 1 of these reads" in result.stdout


def test_trawl_lacks_loci(report):
    """Its secondary records are left out."""
    write_program("broken", "import subprocess, sys\n", f"trawl = {TRAWL!r}\n", """
words = sys.argv[1:]
at = words.index("-o") + 1
subprocess.run([trawl, *words[:at], "whole.sam", *words[at + 1:]], check=True)
with open("whole.sam") as whole, open(words[at], "w") as output:
    output.writelines(line for line in whole if line.startswith("@") or int(line.split("\\t")[1]) < 256)
""")
    result = compare(*FEW, "--trawl", "./broken")
    assert result.status == 1
    assert "TRAWL IS NOT COMPLETE" in result.stdout


def test_the_mates_of_a_pair_do_not_stand_for_each_other():
    lines = rows("pairs.sam")
    for columns in lines:
        if not columns[0].startswith("@"):
            columns[1] = str(int(columns[1]) ^ 192)
    write_lines("out/swapped.sam", *("\t".join(columns) for columns in lines))
    for options, percent in (["--pairs"], "0.0000"), ([], "100.0000"):
        assert ["percent", percent] in rows(execute(CHECK, "covers", "out/swapped.sam", "pairs.sam", *options))


# --- bench/replaced.py ---


@pytest.mark.parametrize("program", ["bowtie", "bwa", "razers3"])
def test_commands_that_trawl_replaces_have_the_same_records(program):
    """Small RNAs of all lengths from 15 to 50."""
    if not shutil.which(program):
        pytest.skip(f"no {program} here (Debian: bowtie, bwa, seqan-apps)")
    found = execute(sys.executable, ROOT / "bench/replaced.py", "--reference", "ref.fa", "--workdir", "replaced", "--trawl",
                    TRAWL, "--reads", 3000, "--lengths", "15-50", "--repeats", 1, "--only", program).ok().stdout
    table = [[cell.strip() for cell in line.split("|")] for line in found.splitlines()[2:]]
    assert len(table) == {"bowtie": 3, "bwa": 2, "razers3": 1}[program]
    for _, _, _, both, only_old, only_new, *_ in table:
        assert int(both.replace(",", "")) > 0 and (only_old, only_new) == ("0", "0")


# --- bench/places.py ---

PLACES = pytest.mark.skipif(not shutil.which("dwgsim") or not shutil.which("bwa"),
                            reason="no dwgsim or bwa here (Debian packages of these names)")


PROGRAMS = "--simulate", TRAWL_SIMULATE, "--check", CHECK


def places(*options, mappers=f"trawl={TRAWL},bwa-mem", **how):
    Path("ref.fa.gz").write_bytes(gzip.compress(Path("ref.fa").read_bytes()))
    return execute(sys.executable, ROOT / "bench/places.py", "--reference", "ref.fa.gz", "--workdir", "places", "--mappers",
                   mappers, "--repeats", 1, "--threads", 1, *options, **how)


@PLACES
def test_places_of_pairs():
    """Most pairs of a plain reference are at their places."""
    places("--pairs", 500, "-o", "out/places").ok()
    for mapper, result in read_json("out/places.json")["dwgsim"].items():
        assert (result["primary"], result["mapped"]) == (1000, 1000), mapper
        assert sum(group["records"] for group in result["groups"]) == 1000
        assert sum(group["wrong"] for group in result["groups"]) < 100
        assert result["start"] > 0 and len(result["cpu"]) == 1


@PLACES
def test_places_of_a_library():
    """The kinds of fragments add up, and bwa mem has most of each at their places."""
    places("--pairs", 1500, "--library=--short 0.5 --chimeras 0.1", *PROGRAMS, "-o", "out/library").ok()
    for mapper, result in read_json("out/library.json")["library"].items():
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


def test_clean_pairs_and_a_library_from_a_fasta_and_an_index():
    """The same records from both; what is not there, or has no index yet and too little memory for one, is named."""
    mappers = f"here={TRAWL},here-saved,sorted={TRAWL} --sort,gone=./no_such_trawl"
    words = ["--pairs", 500, "--clean", "--library", *PROGRAMS, "-o", "out/both"]
    text = places(*words, "--memory", 1e-4, mappers=mappers).ok().stdout
    assert "gone left out: no " in text
    assert "here-saved left out: to make its index takes about 0 GB" in text
    places(*words, mappers=mappers).ok()
    report = read_json("out/both.json")
    assert list(report) == ["clean", "library"]
    for results in report.values():
        assert list(results) == ["here", "here-saved", "sorted"]
        fasta, saved, to_bam = results.values()
        assert fasta["groups"] == saved["groups"] and fasta["kinds"] == saved["kinds"] and fasta["primary"] == 1000
        assert fasta["index"] is None and saved["index"][3] == sum(
            file.stat().st_size for file in Path("places/index").glob("trawl.*.trawl"))
        assert to_bam["primary"] == 0 and len(to_bam["cpu"]) == 1
    runs = [line.split("\t")[:2] for line in Path("places/runs.tsv").read_text().splitlines()][-9:]
    assert runs == [[name, reads] for reads in ("clean", "library", "few") for name in ("here", "here-saved", "sorted")]


@pytest.mark.parametrize("options, mappers, message", [
    ([], "other", "no such mapper: other"), (["--clean"], "trawl=./no_such_trawl", "no_such_trawl"),
    (["--clean", "--limit", 1], f"trawl={TRAWL}", "--limit is too short"),
    (["--clean", "--reads", "1.fq"], "trawl", "--clean and --library make reads")])
def test_wrong_usage_of_places(options, mappers, message):
    result = places(*options, *PROGRAMS, "--pairs", 10, mappers=mappers)
    assert result.status in (1, 2)
    assert message in result.stderr
