"""Speed of the Python package, beside the command line, edlib and mappy (PyPI) where they are. Results are compared first.

    TRAWL=build/release/trawl python python/bench/speed.py [BASES]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import trawl

rng = np.random.default_rng(3)


def letters(count):
    return "".join(np.array(list("ACGT"))[rng.integers(0, 4, count)])


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def microseconds(work, count=20_000):
    return min(seconds(lambda: [work() for _ in range(count // 10)]) for _ in range(10)) / (count // 10) * 1e6


def beside_the_command_line(folder, text):
    starts = rng.integers(0, len(text) - 100, 150_000).tolist()
    (folder / "g.fa").write_text(f">c\n{text}\n")
    (folder / "r.fq").write_text("".join(f"@{i}\n{text[s:s + 100]}\n+\n{'I' * 100}\n" for i, s in enumerate(starts)))
    command = [os.environ["TRAWL"], "map", "-e", "4", "--report", "all", folder / "g.fa", folder / "r.fq", "-o", folder / "o.sam"]

    def by_python():
        for _ in trawl.Reference(folder / "g.fa").map_file(folder / "r.fq", report="all", edits=4):
            pass

    ratios = [seconds(lambda: subprocess.run(command, check=True, stderr=subprocess.DEVNULL)) / seconds(by_python)
              for _ in range(7)]
    print(f"map: speed of Python / command line: median {statistics.median(ratios):.2f} of {sorted(round(r, 2) for r in ratios)}")
    try:
        import mappy
    except ImportError:
        return print("mappy is not here")
    reads = [text[s : s + 100] for s in starts[:20_000]]
    aligner = mappy.Aligner(str(folder / "g.fa"), preset="sr")
    mapper = trawl.Mapper(trawl.Reference(folder / "g.fa"), threads=1)
    found = {}
    theirs = seconds(lambda: found.update(mappy=[next((h.r_st for h in aligner.map(read)), -1) for read in reads]))
    mine = seconds(lambda: found.update(trawl=mapper.map(reads)["start"].tolist()))
    same = sum(a == b for a, b in zip(found["mappy"], found["trawl"]))
    print(f"mappy, one thread: same place of {same} of {len(reads)} reads; time of mappy / Trawl {theirs / mine:.2f}")


def beside_edlib(text):
    try:
        import edlib
    except ImportError:
        return print("edlib is not here")
    for size in 100_000, len(text):
        target = text[:size]
        read = target[size // 2 : size // 2 + 100]
        assert edlib.align(read, target, mode="HW")["editDistance"] == trawl.distance(read, target, mode="infix") == 0
        ratios = [seconds(lambda: edlib.align(read, target, mode="HW")) / seconds(lambda: trawl.distance(read, target, mode="infix"))
                  for _ in range(9)]
        print(f"edlib, infix, 100 in {size:,}: time of edlib / Trawl {statistics.median(ratios):.2f}")


def tables(text):
    sites = trawl.scan(trawl.Reference({"c": text}), ["NNA", "NC"], edits=0)
    eight = ("pattern", "contig", "start", "end", "strand", "distance", "mismatches", "cigar")
    for library, make in ("pyarrow", "table"), ("polars", "DataFrame"):
        try:
            made = getattr(__import__(library), make)
        except ImportError:
            continue
        for name, table in ("all", sites), ("eight", sites.select(*eight)):
            least = min(seconds(lambda: made(table)) for _ in range(5))
            print(f"{library}, {name} columns: {least * 1e7 / len(sites):.3f} s for 10^7 rows (of {len(sites):,})")


def main():
    text = letters(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
    scanner = trawl.Scanner("GATTACA", edits=1)
    print(f"distance: {microseconds(lambda: trawl.distance('GATTACA', 'GATACAT')):.2f} us")
    print(f"scan, no hit: {microseconds(lambda: scanner.scan('CCCCCCCCCCCC')):.2f} us; a hit: "
          f"{microseconds(lambda: scanner.scan('CCCGATTACTCC')):.2f} us")
    beside_edlib(text)
    tables(text)
    with tempfile.TemporaryDirectory() as folder:
        beside_the_command_line(Path(folder), text)


if __name__ == "__main__":
    main()
