"""Reads and patterns of each kind give the same result."""

import numpy as np
import pytest
import trawl
from conftest import READ, TEXT

READS = [READ, "TGATTACAGGCATGAGGCACC", "AAAAAAAAAAAAAAAAAAAAAAAAAAAA"]


def places(table):
    return list(zip(table["read"].tolist(), table["start"].tolist(), table["cigar"]))


@pytest.fixture(scope="module")
def expected(small):
    return places(small.map(READS, report="all", edits=1))


KINDS = {
    "tuple": tuple, "bytes": lambda reads: [read.encode() for read in reads], "generator": iter,
    "mixed": lambda reads: [reads[0].encode(), *reads[1:]], "numpy U": np.array,
    "numpy S": lambda reads: np.array(reads, dtype="S"), "numpy object": lambda reads: np.array(reads, dtype=object),
    "numpy strided": lambda reads: np.array([word for read in reads for word in (read, "A")])[::2],
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(small, expected, kind):
    assert places(small.map(KINDS[kind](READS), report="all", edits=1)) == expected


@pytest.mark.parametrize("name", ["string", "large_string", "binary", "large_binary", "string_view", "dictionary"])
def test_arrow_arrays(small, expected, name):
    pa = pytest.importorskip("pyarrow")
    if name == "dictionary":
        array = pa.array(READS).dictionary_encode()
    else:
        array = pa.array(READS, type=getattr(pa, name)())
    assert places(small.map(array, report="all", edits=1)) == expected
    more = pa.concat_arrays([array.slice(2), array]) if name != "string_view" else array
    assert places(small.map(more[len(more) - 3:], report="all", edits=1)) == expected
    chunks = pa.chunked_array([array[:1], array[1:]])
    assert places(small.map(chunks, report="all", edits=1)) == expected


def test_polars_column(small, expected):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"sequence": READS})
    assert places(small.map(frame["sequence"], report="all", edits=1)) == expected
    assert places(small.map(frame["sequence"].cast(pl.Categorical), report="all", edits=1)) == expected


def test_one_read(small):
    for read in READ, READ.encode(), READ.lower():
        assert small.map(read, report="all")["start"].tolist() == [4]


def test_no_reads(small):
    assert len(small.map([])) == 0
    assert len(small.map(np.array([], dtype="U5"))) == 0


def test_patterns():
    for patterns in "GATTACA", b"GATTACA", ["GATTACA"], {"one": "GATTACA"}, np.array(["GATTACA"]):
        assert trawl.scan(TEXT, patterns, strand="+")["start"].tolist() == [4]
    assert trawl.scan(TEXT, {"one": "GATTACA"})["name"].tolist() == ["one"]


def test_what_is_scanned():
    for target in TEXT, TEXT.encode(), {"chr1": TEXT}, trawl.Reference({"chr1": TEXT}):
        assert trawl.scan(target, "GATTACA")["start"].tolist() == [4]


def test_pairs_in_memory(small):
    first, second = ["GATTACAGGCATG"], [trawl._drawing.reverse_complement("CCGCGCCCGGCC")]
    found = small.map(first, second, report="all", edits=0, insert="10-100", names=["p"])
    assert found["start"].tolist() == [4, 22]
    assert found["name"].tolist() == ["p", "p"]
    assert found.explain(1).splitlines()[0].endswith("CCGCGCCCGGCC")


def test_a_dict_of_reads(small):
    first, second = "GATTACAGGCATG", trawl._drawing.reverse_complement("CCGCGCCCGGCC")
    found = small.map({"b": READ, "a": READ.encode()}, report="all")
    assert found["name"].tolist() == ["b", "a"] and found["start"].tolist() == [4, 4]
    assert small.map({"x": READ}, qualities={"x": "J" * 20})._native.qualities(0) == "J" * 20
    # Mates are those of the same name.
    pairs = small.map({"p": first, "q": first}, {"q": second, "p": second}, report="all", edits=0, insert="10-100")
    assert pairs["name"].tolist() == ["p", "p", "q", "q"] and pairs["start"].tolist() == [4, 22] * 2
    assert len(small.map({})) == 0


def test_several_files(genome):
    from conftest import READS as FILE

    assert len(list(genome.map_file([FILE, FILE]))) >= 2
