"""Rows as objects of pysam."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trawl._alignments import _without_hard_clips
from trawl._drawing import reverse_complement

if TYPE_CHECKING:
    from trawl._alignments import Alignments


def segments(table: Alignments, header: Any = None) -> Iterator[Any]:
    import pysam

    if header is None:
        header = pysam.AlignmentHeader.from_references([name for name, _ in table.contigs],
                                                       [length for _, length in table.contigs])
    contig = table.codes("contig")
    has_pairs = "mate_contig" in table
    mate_contig = table.codes("mate_contig") if has_pairs else None
    numbers = {name: table[name].tolist() for name in ("read", "flag", "start", "mapq", "edits", "score", "count")}
    cigars, mds = table["cigar"], table["md"]
    for i in range(len(table)):
        read, flag = numbers["read"][i], numbers["flag"][i]
        segment = pysam.AlignedSegment(header)
        segment.query_name = table._native.name(read) or str(read)
        segment.flag = flag
        segment.reference_id = int(contig[i])
        segment.reference_start = numbers["start"][i]
        segment.mapping_quality = numbers["mapq"][i]
        if cigars[i]:
            segment.cigarstring = cigars[i]
        if has_pairs:
            segment.next_reference_id = int(mate_contig[i])
            segment.next_reference_start = int(table["mate_start"][i])
            segment.template_length = int(table["template_length"][i])
        if not flag & 0x100:
            bases, qualities = table._native.bases(read).upper(), table._native.qualities(read)
            if flag & 0x10:
                bases, qualities = reverse_complement(bases), qualities[::-1]
            segment.query_sequence = _without_hard_clips(bases, cigars[i])
            if qualities:
                segment.query_qualities = pysam.qualitystring_to_array(_without_hard_clips(qualities, cigars[i]))
        if not flag & 0x4:
            segment.set_tags([("NM", numbers["edits"][i]), ("MD", mds[i]), ("AS", numbers["score"][i]),
                              ("NH", numbers["count"][i])])
        yield segment
