"""bench/places.py on tiny data."""

import gzip
import shutil
import sys
from pathlib import Path

import pytest

from tools import ROOT, TRAWL, TRAWL_SIMULATE, bench_program, execute, read_json, simulate

for program in "dwgsim", "bwa":
    if not shutil.which(program):
        pytest.skip(f"no {program} here (Debian packages dwgsim, bwa)", allow_module_level=True)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    simulate("genome", 40000, 7, "ref.fa")
    Path("ref.fa.gz").write_bytes(gzip.compress(Path("ref.fa").read_bytes()))


def places(*options, mappers=f"trawl={TRAWL},bwa-mem", **how):
    return execute(sys.executable, ROOT / "bench/places.py", "--reference", "ref.fa.gz", "--workdir", "work", "--mappers",
                   mappers, "--repeats", 1, "--threads", 1, *options, **how)


def test_pairs():
    """Most pairs of a plain reference are at their places."""
    places("--pairs", 500, "-o", "out/places").ok()
    for mapper, result in read_json("out/places.json").items():
        assert (result["primary"], result["mapped"]) == (1000, 1000), mapper
        assert sum(group["records"] for group in result["groups"]) == 1000
        assert sum(group["wrong"] for group in result["groups"]) < 100
        assert result["start"] > 0 and len(result["cpu"]) == 1


def test_a_library():
    """The kinds of fragments add up, and bwa mem has most of each at their places."""
    places("--pairs", 1500, "--library=--short 0.5 --chimeras 0.1", "--simulate", TRAWL_SIMULATE, "--check",
           bench_program("trawl-check"), "-o", "out/library").ok()
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


@pytest.mark.parametrize("mappers, message", [
    ("other", "no such mapper: other"), ("trawl=./no_such_trawl", "no_such_trawl")])
def test_wrong_usage(mappers, message):
    result = places(mappers=mappers)
    assert result.status == 1
    assert message in result.stderr
