"""Trawl finds every place where a short sequence matches a reference.

>>> import trawl
>>> ref = trawl.Reference({"chr1": "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"})
>>> hits = ref.map(["GATTACAGGCATGAGCCACC"], edits="5%", report="all")
>>> hits["start"], hits["end"], hits["cigar"]
(array([4]), array([24]), array(['20M'], dtype=object))
"""

from importlib.metadata import version
from typing import Any, NamedTuple

from trawl import _native
from trawl._alignments import Alignments
from trawl._errors import Cancelled, Error, InputError, IoError, UsageError
from trawl._options import option_table
from trawl._reference import Mapper, Reference
from trawl._sites import Scanner, Sites, scan
from trawl._table import Table

distance = _native.distance


class PairAlignment(NamedTuple):
    """An alignment of two strings. start and end: of the aligned part of the target, 0-based, end not included."""

    distance: int
    start: int
    end: int
    cigar: str


def align(query: Any, target: Any, mode: str = "global", most: int = -1, eqx: bool = False) -> PairAlignment:
    """The distance of two strings (str or bytes), and an alignment that has it. `mode` and `most`: as of `distance`. The
    CIGAR has M, I (only in the query), D (only in the target); with `eqx` = and X for M.

    >>> import trawl
    >>> trawl.align("GATTACA", "CCCGATTCACC", mode="infix")
    PairAlignment(distance=1, start=3, end=9, cigar='4M1I2M')
    """
    return PairAlignment(*_native.align(query, target, mode, most, eqx))


__version__ = version("trawl-bio")
__all__ = ["Alignments", "Cancelled", "Error", "InputError", "IoError", "Mapper", "PairAlignment", "Reference", "Scanner",
           "Sites", "Table", "UsageError", "align", "distance", "option_table", "scan"]
