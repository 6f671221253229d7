"""Columns: NumPy views, Arrow, pandas, depth, drawings."""

import gc

import numpy as np
import pytest
import trawl
from conftest import READ, READS


@pytest.fixture(scope="module")
def hits(genome):
    return genome.map(READS, report="all", edits=4)


def test_numbers_are_views(hits):
    start = hits["start"]
    assert start.dtype == np.int64 and start.shape == (len(hits),)
    assert not start.flags.writeable and not start.flags.owndata
    assert np.shares_memory(start, hits["start"])
    assert hits["read"].dtype == np.uint32 and hits["mapq"].dtype == np.uint8 and hits["distance"].dtype == np.uint16


def test_a_view_keeps_the_result(small):
    start = small.map([READ] * 1000, report="all")["start"]
    gc.collect()
    assert (start == 4).all()


def test_rows(hits):
    row = hits[3]
    assert list(row) == hits.keys()
    assert row["start"] == hits["start"][3] and row["cigar"] == hits["cigar"][3] and row["contig"] == hits["contig"][3]
    assert hits[-1] == hits[len(hits) - 1]
    assert sum(1 for _ in hits) == len(hits)
    assert "start" in hits and "begin" not in hits
    assert repr(hits).startswith(f"Alignments: {len(hits):,} rows")


def test_not_found_is_null(small):
    found = small.map(["A" * 30, READ])
    assert found["contig"].tolist() == [None, "chr1"] and found["strand"].tolist() == [None, "+"]
    assert found["start"].tolist() == [-1, 4]
    pa = pytest.importorskip("pyarrow")
    table = pa.table(found)
    for column in "contig", "start", "end", "strand":
        assert table[column].null_count == 1, column
        assert not table[column][0].is_valid and table[column][1].is_valid
    assert found.explain(0) == "read 0: not found"


def test_pyarrow(hits):
    pa = pytest.importorskip("pyarrow")
    table = pa.table(hits)
    table.validate(full=True)
    assert table.num_rows == len(hits) and table.column_names == hits.keys()
    for name in hits.keys():
        absent = name in ("start", "end")
        assert table[name].to_pylist() == [None if absent and value < 0 else value for value in hits[name].tolist()], name
    # Numbers and MD lie where they lay.
    assert table["start"].chunk(0).buffers()[1].address == hits["start"].ctypes.data
    assert pa.schema(hits).names == hits.keys()
    assert pa.table(hits.select("start", "cigar")).column_names == ["start", "cigar"]


def test_arrow_outlives_the_result(small):
    pa = pytest.importorskip("pyarrow")
    table = pa.table(small.map([READ] * 100, report="all"))
    gc.collect()
    table.validate(full=True)
    assert table["md"].to_pylist() == ["20"] * 100


def test_unused_streams_are_freed(small):
    found = small.map([READ])
    for _ in range(1000):
        found.__arrow_c_stream__()
        found.__arrow_c_schema__()


def test_polars(hits):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(hits)
    assert frame.shape == (len(hits), len(hits.keys()))
    assert frame["cigar"].to_list() == hits["cigar"].tolist()
    assert frame["contig"].cast(pl.String).to_list() == hits["contig"].tolist()
    counted = frame.group_by("strand").len().sort("len")
    assert counted["len"].sum() == len(hits)


def test_dict_of_columns(hits):
    columns = dict(hits)
    assert list(columns) == hits.keys() and all(len(column) == len(hits) for column in columns.values())


def test_depth_is_a_sum_over_bases(genome, hits):
    per_base = np.zeros(genome.bases)
    for start, end in zip(hits["start"], hits["end"]):
        if start >= 0:
            per_base[start:end] += 1
    for window in 1, 7, 100, 1000, 10**9:
        windows = genome.windows(window)
        expected = [per_base[start:end].mean() for start, end in zip(windows["start"][:50], windows["end"])]
        assert np.allclose(hits.depth(window)[:50], expected)
    total = np.zeros(len(genome.windows(500)["start"]))
    for batch in genome.map_file(READS, report="all", edits=4):
        batch.depth(500, out=total)
    assert np.allclose(total, hits.depth(500))
    assert hits.depth(500, primary=True).sum() < total.sum()


def test_drawings_have_their_distance(genome, hits):
    sites = trawl.scan(genome, ["GATTACAGGCATGAGCCACC"], edits=3)
    for table in hits, sites:
        for i in range(0, len(table), max(1, len(table) // 50)):
            above, bars, below, last = table.explain(i).splitlines()
            assert f"distance {table['distance'][i]}," in last
            width = len(below) - len(below.split()[-1])
            edits = sum(bars[j : j + 1].strip() == "" for j in range(width, len(above)))
            assert edits == table["distance"][i], table.explain(i)


def test_distance_of_random_strings():
    rng = np.random.default_rng(7)
    for _ in range(200):
        a, b = ("".join(rng.choice(list("ACG"), rng.integers(0, 12))) for _ in range(2))
        row = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            left, row[0] = row[0], i
            for j, y in enumerate(b, 1):
                left, row[j] = row[j], min(left + (x != y), row[j] + 1, row[j - 1] + 1)
        assert trawl.distance(a, b) == trawl.align(a.encode(), b).distance == row[-1], (a, b)
