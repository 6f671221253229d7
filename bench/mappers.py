"""The read mappers that compare.py can run, and their command lines."""

import dataclasses
import math
from typing import Callable

MODES = ("all", "best")
START_UP_READS = 100  # few, so that they cost nothing; razers3 3.5.8 aborts on a file with one read


@dataclasses.dataclass(frozen=True)
class Setting:
    """Values for all command lines. Paths are relative to the workdir."""
    reference: str
    read_length: int
    max_edits: int

    @property
    def percent(self) -> float:
        return 100 * self.max_edits / self.read_length

    @property
    def slack(self) -> int:
        return 5 + self.max_edits


@dataclasses.dataclass(frozen=True)
class Tool:
    """A mapper in one mode. `index` and `map` return argument lists; `program` must be installed."""
    name: str
    mode: str
    program: str
    package: str
    index: Callable[[Setting], list] | None
    map: Callable[[Setting, list, str, int], list]  # setting, files of reads (two: mates), output, threads
    pairs: bool = False  # map takes two files as mates


def make_tools(trawl: str, trawl_options: tuple | list = ()) -> list[Tool]:
    def trawl_as(report):
        # Options of the caller may have an e of their own.
        return lambda s, reads, out, t: [trawl, "map", *([] if "-e" in trawl_options else ["-e", s.max_edits]),
                                         "--report", report, *trawl_options, "-t", t, "-o", out, s.reference, *reads]

    def yara(*options):
        return lambda s, reads, out, t: ["yara_mapper", "-e", math.ceil(s.percent), *options, "-t", t, "-o", out,
                                         "index/yara", *reads]

    def yara_index(s):
        return ["yara_indexer", "-o", "index/yara", s.reference]

    def yara_complete(s, reads, out, t):
        return yara("-s", math.ceil(s.percent), "-y", "full", "-sa", "record")(s, reads, out, t)

    return [
        Tool("trawl", "all", trawl, "", None, trawl_as("all"), pairs=True),
        Tool("yara", "all", "yara_mapper", "seqan-apps", yara_index, yara_complete),
        Tool("razers3", "all", "razers3", "seqan-apps", None,
             lambda s, reads, out, t: ["razers3", "-i", f"{100 - s.percent:g}", "-rr", 100, "-m", 1000000, "-tc", t,
                                       "-o", out, s.reference, *reads]),
        Tool("trawl", "best", trawl, "", None, trawl_as("best"), pairs=True),
        Tool("yara", "best", "yara_mapper", "seqan-apps", yara_index, yara()),
        Tool("snap", "best", "snap-aligner", "snap-aligner",
             lambda s: ["snap-aligner", "index", s.reference, "index/snap"],
             lambda s, reads, out, t: ["snap-aligner", "single", "index/snap", *reads, "-t", t, "-o", out]),
        Tool("hisat2", "best", "hisat2", "hisat2",
             lambda s: ["hisat2-build", "-q", s.reference, "index/hisat2"],
             lambda s, reads, out, t: ["hisat2", "--no-spliced-alignment", "-p", t, "-x", "index/hisat2", "-U", *reads,
                                       "-S", out]),
        Tool("bwa-mem", "best", "bwa", "bwa",
             lambda s: ["bwa", "index", "-p", "index/bwa", s.reference],
             lambda s, reads, out, t: ["bwa", "mem", "-t", t, "-o", out, "index/bwa", *reads], pairs=True),
        Tool("bowtie2", "best", "bowtie2", "bowtie2",
             lambda s: ["bowtie2-build", "-q", s.reference, "index/bowtie2"],
             lambda s, reads, out, t: ["bowtie2", "-p", t, "-x", "index/bowtie2",
                                       *(["-U", *reads] if len(reads) == 1 else ["-1", reads[0], "-2", reads[1]]),
                                       "-S", out], pairs=True),
        Tool("minimap2", "best", "minimap2", "minimap2",
             lambda s: ["minimap2", "-x", "sr", "-d", "index/minimap2.mmi", s.reference],
             lambda s, reads, out, t: ["minimap2", "-ax", "sr", "-t", t, "-o", out, "index/minimap2.mmi", *reads], pairs=True),
    ]
