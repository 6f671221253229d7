"""The variant callers that variants.py can run: where each comes from, and its command lines."""

import dataclasses
from typing import Callable


@dataclasses.dataclass(frozen=True)
class Caller:
    """`call` returns a pipeline of argument lists that writes VCF; reads are sorted and indexed."""
    name: str
    packages: dict[str, str]  # program: Debian package
    call: Callable[[str, str, str], list[list]]  # reference, BAM, region (empty: everything)
    atomize: bool = False  # it calls neighbouring variants as one


def bcftools(reference: str, reads: str, region: str) -> list[list]:
    return [["bcftools", "mpileup", *(["-r", region] if region else []), "-f", reference, reads],
            ["bcftools", "call", "-mv"]]


def freebayes(reference: str, reads: str, region: str) -> list[list]:
    # It also writes alleles that it does not find in the sample's genotype: they are taken away.
    return [["freebayes", *(["-r", region] if region else []), "-f", reference, reads],
            ["bcftools", "view", "--trim-alt-alleles", "--min-ac", 1]]


CALLERS = {caller.name: caller for caller in (
    Caller("bcftools", {"bcftools": "bcftools"}, bcftools),
    Caller("freebayes", {"freebayes": "freebayes"}, freebayes, atomize=True))}


def regions(lengths: dict[str, int], piece: int) -> list[str]:
    """Regions that are called side by side: [""] if one piece has it all.

       regions({"a": 25}, 10) == ["a:1-10", "a:11-20", "a:21-25"]
    """
    if sum(lengths.values()) <= piece:
        return [""]
    return [f"{contig}:{start + 1}-{min(start + piece, length)}"
            for contig, length in lengths.items() for start in range(0, length, piece)]
