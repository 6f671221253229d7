"""Reads and where they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from trawl import _native
from trawl._drawing import cigar_parts, draw, reverse_complement
from trawl._errors import UsageError
from trawl._options import counted, window_size
from trawl._table import Table


class Alignments(Table):
    """A row for each record that `trawl map` would write, in the same order.

    | column | type | what it is |
    |---|---|---|
    | read | uint32 | index of the read in the call or batch; of pair i the mates are 2 i and 2 i + 1 |
    | name | str | of the read; only where reads have names |
    | contig | str, as labels | None: not found |
    | start, end | int64 | 0-based, end not included; -1 (Arrow: null): not found |
    | strand | str, as labels | "+" or "-"; None: not found |
    | distance | uint16 | edits; of the aligned part, if ends are clipped |
    | mapq | uint8 | 0 to 60: -10 log10 of the probability that the place is wrong |
    | cigar | str | along the reference, as in SAM |
    | flag | uint16 | as in SAM |
    | edits, score | uint16, int32 | SAM: NM and AS |
    | count, dropped | uint32 | SAM: NH and ZD: places of this read, and those that `max_hits` has left out |
    | mate_contig, mate_start, template_length | | of pairs; SAM: RNEXT, PNEXT (but 0-based), TLEN |
    | md | str | SAM: MD |
    """

    _native: _native.AlignmentTable

    def __init__(self, native: _native.AlignmentTable, contigs: Sequence[tuple[str, int]]) -> None:
        super().__init__(native)
        self.contigs = contigs
        """Names and lengths (bases) of the contigs of the reference."""

    def depth(
        self, window: int, *, primary: bool = False, out: npt.NDArray[np.float64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Mean depth of each window of `window` bases: float64, one entry for each row of `Reference.windows(window)`.

        All rows that are found count, from start to end, deletions included; with `primary` only one of each read.
        Depths of batches add up. With `out`, an array of float64, they are added to it, and only the windows that change
        are touched.

        >>> import trawl
        >>> ref = trawl.Reference({"chr1": "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"})
        >>> ref.map(["GATTACAGGCATGAGCCACC"], report="all").depth(window=10)
        array([0.6, 1. , 0.4, 0. ])
        """
        window = window_size(window)
        lengths = np.array([length for _, length in self.contigs], dtype=np.int64)
        first_of = np.concatenate([[0], np.cumsum(-(-lengths // window))])
        if out is None:
            out = np.zeros(first_of[-1])
        elif not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != (first_of[-1],):
            given = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
            raise UsageError(f"out is an array of float64 with {counted(int(first_of[-1]), 'entry', 'entries')}, one for each "
                             f"window, as numpy.zeros({first_of[-1]}) makes it, not {given}")
        flag = self["flag"]
        chosen = np.flatnonzero((flag & (0x904 if primary else 0x4)) == 0)
        contig, start, end = (a[chosen] for a in (self.codes("contig"), self["start"], self["end"]))
        first, last = start // window, (end - 1) // window
        for step in range(int((last - first).max(initial=-1)) + 1):
            here = np.flatnonzero(first + step <= last)
            number = first[here] + step
            begin = number * window
            size = np.minimum(window, lengths[contig[here]] - begin)
            covered = np.minimum(end[here], begin + window) - np.maximum(start[here], begin)
            np.add.at(out, first_of[contig[here]] + number, covered / size)
        return out

    def explain(self, i: int) -> str:
        """The alignment of a row, drawn: the read above, the reference below, a bar where they match.

        >>> import trawl
        >>> ref = trawl.Reference({"chr1": "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"})
        >>> print(ref.map(["GATTACAGGCTTGAGCCACC"], report="all", edits=2).explain(0))
        read 0 +   GATTACAGGCTTGAGCCACC
                   |||||||||| |||||||||
        chr1:5-24  GATTACAGGCATGAGCCACC
        distance 1, mapq 60, 20M
        """
        row = self.row(i)
        read = row.get("name") or f"read {row['read']}"
        if row["contig"] is None:
            return f"{read}: not found"
        bases = self._bases_of(row)
        target = _from_md(bases, row["cigar"], row["md"])
        place = f"{row['contig']}:{row['start'] + 1}-{row['end']}"
        drawn = draw(bases, target, cigar_parts(row["cigar"]), (f"{read} {row['strand']}", place))
        return f"{drawn}\ndistance {row['distance']}, mapq {row['mapq']}, {row['cigar']}"

    def _bases_of(self, row: dict[str, Any]) -> str:
        """As SAM has them: along the reference, without hard clipped ends."""
        bases = self._native.bases(row["read"]).upper()
        return _without_hard_clips(reverse_complement(bases) if row["flag"] & 0x10 else bases, row["cigar"])

    def write_bed(self, path: str | os.PathLike[str]) -> None:
        """Rows that are found as BED: contig, start, end, name, mapq, strand, distance, CIGAR, as of `trawl map -o x.bed`.
        Reads without a name have their number in place of it."""
        columns = [self[name] for name in ("contig", "start", "end", "strand", "mapq", "distance", "cigar", "flag")]
        names = self["name"] if "name" in self else self["read"]
        with open(path, "w", encoding="utf-8") as file:
            for name, contig, start, end, strand, mapq, distance, cigar, flag in zip(names, *columns):
                if contig is not None:
                    mate = "" if not flag & 1 else "/1" if flag & 0x40 else "/2"
                    file.write(f"{contig}\t{start}\t{end}\t{name}{mate}\t{mapq}\t{strand}\t{distance}\t{cigar}\n")

    def to_pysam(self, header: Any = None) -> Iterator[Any]:
        """The rows as `pysam.AlignedSegment`, one by one. `header`: of pysam; by default one with the contigs."""
        from trawl._pysam import segments

        return segments(self, header)


def _without_hard_clips(letters: str, cigar: str) -> str:
    parts = cigar_parts(cigar)
    front = parts[0][0] if parts and parts[0][1] == "H" else 0
    back = parts[-1][0] if len(parts) > 1 and parts[-1][1] == "H" else 0
    return letters[front : len(letters) - back]


def _from_md(bases: str, cigar: str, md: str) -> str:
    """The aligned part of the reference, of a read and its MD.

    >>> _from_md("GATTCA", "4M1D2M", "2C1^A2")
    'GACTACA'
    """
    import re

    aligned, q = [], 0
    for length, operation in cigar_parts(cigar):
        if operation in "M=X":
            aligned.append(bases[q : q + length])
        q += length if operation in "M=XIS" else 0
    matched = "".join(aligned)
    made, at = [], 0
    for number, deleted, letter in re.findall(r"(\d+)|\^([A-Z]+)|([A-Z])", md):
        if number:
            made.append(matched[at : at + int(number)])
            at += int(number)
        else:
            made.append(deleted or letter)
            at += len(letter)
    return "".join(made)
