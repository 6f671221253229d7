"""Patterns and where they are."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trawl import _native
from trawl._drawing import cigar_parts, draw
from trawl._errors import UsageError
from trawl._options import is_path, option_pairs, progress_callback, takes_options
from trawl._reference import Reference, _made_again, names_and_letters
from trawl._table import Table

if TYPE_CHECKING:
    from trawl._option_types import ScanOptions, Unpack


class Sites(Table):
    """A row for each record that `trawl scan` would write: by contig, start, pattern, strand and end.

    | column | type | what it is |
    |---|---|---|
    | pattern | uint32 | index of the pattern |
    | name | str, as labels | of the pattern; of one without a name its letters |
    | contig | str, as labels | "" if one text was searched |
    | start, end | int64 | 0-based, end not included; with a PAM, of both together |
    | strand | str, as labels | "+" or "-" |
    | distance | uint16 | edits |
    | mismatches, dna_bulges, rna_bulges | uint16 | bases of each kind of edit |
    | edits | uint16 | SAM: NM; more than the distance where an ambiguous letter matched |
    | cigar | str | along the reference |
    | sequence | str | the aligned part of the reference, on the strand of the pattern |
    """

    _native: _native.SiteTable

    def explain(self, i: int) -> str:
        """The alignment of a row, drawn: the pattern above, the reference below, a bar where they match.

        >>> import trawl
        >>> print(trawl.scan("CCCGATTCACC", "GATTACA", edits=1).explain(0))
        GATTACA  GATTACA
                 |||| ||
        :4-9 +   GATT-CA
        distance 1, 4M1I2M
        """
        row = self.row(i)
        pattern = self._native.pattern(row["pattern"])
        parts = cigar_parts(row["cigar"])
        if row["strand"] == "-":
            parts.reverse()
        place = f"{row['contig']}:{row['start'] + 1}-{row['end']} {row['strand']}"
        drawn = draw(pattern, row["sequence"], parts, (row["name"], place))
        return f"{drawn}\ndistance {row['distance']}, {row['cigar']}"

    def write_bed(self, path: str | os.PathLike[str]) -> None:
        """The rows as `trawl scan -o x.bed` writes them."""
        numbers = ("contig", "start", "end", "name", "strand", "distance", "cigar", "sequence", "mismatches",
                   "dna_bulges", "rna_bulges", "pattern")
        lengths: dict[int, int] = {}
        with open(path, "w", encoding="utf-8") as file:
            for (contig, start, end, name, strand, distance, cigar, text, mismatches, dna, rna,
                 pattern) in zip(*(self[column] for column in numbers)):
                length = lengths.setdefault(pattern, len(self._native.pattern(pattern)))
                shown = "".join(c if "!" <= c <= "~" else "_" for c in name)
                score = 1000 - 1000 * int(distance) // length
                file.write(f"{contig}\t{start}\t{end}\t{shown}\t{score}\t{strand}\t{distance}\t{cigar}\t{text}\t"
                           f"{mismatches}\t{dna + rna}\n")


class Scanner:
    """Patterns, ready to be searched again and again. Any number of threads may use one.

    `patterns`: one or a list of IUPAC letters (str, bytes, NumPy or Arrow arrays), a dict of names and letters, or the
    path of a file: FASTA, a table, or one sequence a line. Options are those of `trawl scan`, with `_` for `-`.

    >>> import trawl
    >>> scanner = trawl.Scanner("GATTACA", edits=1)
    >>> scanner.scan("CCCGATTACTCC")["start"]
    array([3])
    """

    @takes_options("scan")
    def __init__(self, patterns: Any, **options: Unpack[ScanOptions]) -> None:
        self._options = given = option_pairs(options)
        if is_path(patterns):
            self._made_of: Any = os.path.abspath(patterns)
            self._native = _native.Scanner.from_file(os.fspath(patterns), given)
            return
        patterns = list(patterns) if isinstance(patterns, Iterator) else patterns
        self._made_of = copy.copy(patterns)
        names = None
        if isinstance(patterns, Mapping):
            names, letters = names_and_letters(patterns)
        else:
            letters = patterns
        native_names = None if names is None else _native.Texts(names, "name")
        self._native = _native.Scanner.of(_native.Texts(letters, "pattern"), native_names, given)

    def __reduce__(self) -> Any:
        return _made_again, (Scanner, self._made_of, self._options)

    @property
    def patterns(self) -> list[tuple[str, str]]:
        """Names and letters, as they are searched: with the PAM, in upper case."""
        return self._native.patterns

    def scan(self, target: Any, *, progress: Any = None) -> Sites:
        """All places in a Reference, a FASTA or saved index (a path), or one text (str or bytes; a str with a dot or a
        slash is a path). `progress`: a callable of (done, total), in bases or bytes, or a bar of tqdm."""
        if isinstance(target, bytes) or (isinstance(target, str) and "." not in target and "/" not in target):
            return Sites(self._native.scan_text(target))
        if isinstance(target, Reference):
            return Sites(self._native.scan_reference(target._native, progress_callback(progress)))
        if is_path(target):
            return Sites(self._native.scan_file(os.fspath(target), progress_callback(progress)))
        if isinstance(target, Mapping):
            return self.scan(Reference(target), progress=progress)
        raise UsageError(f"what is scanned is a Reference, a path, a str, bytes, or a dict of contigs, not "
                         f"{type(target).__name__}")


@takes_options("scan")
def scan(target: Any, patterns: Any, *, progress: Any = None, **options: Unpack[ScanOptions]) -> Sites:
    """Every place of every pattern in a Reference, a file or a text, as `trawl scan` finds them.

    >>> import trawl
    >>> sites = trawl.scan("CCCGATTACTCCGATTACACC", ["GATTACA"], edits=1, strand="+")
    >>> sites["start"], sites["distance"]
    (array([ 3, 12]), array([1, 0], dtype=uint16))
    """
    return Scanner(patterns, **options).scan(target, progress=progress)
