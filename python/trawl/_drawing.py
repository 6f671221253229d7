"""An alignment, drawn in three lines."""

from __future__ import annotations

import re

COMPLEMENT = str.maketrans("ACGTUNRYSWKMBDHVacgtunryswkmbdhv", "TGCAANYRSWMKVHDBtgcaanyrswmkvhdb")
IUPAC = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC",
         "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG", "N": "ACGT"}


def reverse_complement(letters: str) -> str:
    """
    >>> reverse_complement("GATTACAN")
    'NTGTAATC'
    """
    return letters.translate(COMPLEMENT)[::-1]


def cigar_parts(cigar: str) -> list[tuple[int, str]]:
    """
    >>> cigar_parts("7M1I2M")
    [(7, 'M'), (1, 'I'), (2, 'M')]
    """
    return [(int(length), operation) for length, operation in re.findall(r"(\d+)([MIDNSHP=X])", cigar)]


def draw(query: str, target: str, parts: list[tuple[int, str]], names: tuple[str, str] = ("", "")) -> str:
    """The query above, the target below, and a bar where they match.

    >>> print(draw("GATTCA", "GACTACA", [(4, "M"), (1, "D"), (2, "M")], ("read", "chr1:11")))
    read     GATT-CA
             || | ||
    chr1:11  GACTACA
    """
    above, between, below = [], [], []
    q = t = 0
    for length, operation in parts:
        for _ in range(length):
            if operation in "HP":
                continue
            has_query, has_target = operation in "M=XIS", operation in "M=XDN"
            above.append(query[q] if has_query else "-")
            below.append(target[t] if has_target else " " if operation == "S" else "-")
            matches = has_query and has_target and target[t].upper() in IUPAC.get(query[q].upper(), "")
            between.append("|" if matches else " ")
            q += has_query
            t += has_target
    width = max(map(len, names))
    lines = [(names[0], above), ("", between), (names[1], below)]
    return "\n".join(f"{name:<{width}}  {''.join(letters)}".rstrip() for name, letters in lines)
