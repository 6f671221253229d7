"""The read mappers that compare.py and places.py can run: where each comes from, and its command lines.

To add one, add its entries to make_tools(): one for each mode that it has.
"""

import dataclasses
import math
import os
import pathlib
import shlex
import shutil
import sys
import zlib
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent

MODES = ("all", "best")
LAYOUTS = ("single", "pairs")
START_UP_READS = 100  # few, so that they cost nothing; razers3 3.5.8 aborts on a file with one read


@dataclasses.dataclass(frozen=True)
class Setting:
    """Values for all command lines. Paths are relative to the workdir."""
    reference: str
    read_length: int
    max_edits: int
    insert: tuple[int, int] | None = None  # of pairs: smallest and largest outer distance; None: up to the mapper
    trawl_default: bool = False  # Trawl gets no -e
    threads: int = os.cpu_count() or 1  # of programs that make an index with as many as one says

    @property
    def percent(self) -> float:
        return 100 * self.max_edits / self.read_length

    @property
    def share(self) -> float:
        return self.max_edits / self.read_length

    @property
    def slack(self) -> int:
        return 5 + self.max_edits

    def link(self, program: str) -> str:
        """A link to the reference, for programs that write their index beside the FASTA; whoever runs them makes it."""
        return f"index/{program}.fa"


@dataclasses.dataclass(frozen=True)
class Tool:
    """A mapper in one mode. `index` and `map` return argument lists; `program` must be installed. `map` writes SAM with
    the distance in NM; a tool that has no such output needs a script around it."""
    name: str
    mode: str
    program: str
    package: str  # of Debian; empty: see `source`
    index: Callable[[Setting], list] | None
    map: Callable[[Setting, list, str, int], list]  # setting, files of reads (two: mates), output, threads
    pairs: bool = False  # map takes two files as mates
    interleaved: bool = False  # mates are given to map as one file, in turn
    source: str = ""
    distance: str = "edits"  # what at most e of are allowed, and what NM counts
    index_memory: float = 6  # bytes for each base of the reference, while its index is made
    suffix: str = "sam"  # of its output
    shares: str = ""  # the program whose index it takes

    @property
    def key(self) -> str:
        """What its index is called."""
        name = os.path.basename(self.program)
        if self.shares or name == self.program:
            return self.shares or name
        return f"{name}.{zlib.crc32(self.program.encode()):08x}"

    @property
    def origin(self) -> str:
        return f"Debian package {self.package}" if self.package else self.source or "build it, or say where it is"


def mates(reads: list, single: list, first: str, second: str) -> list:
    """The options for one file of reads, or for two files of mates."""
    return [*single, *reads] if len(reads) == 1 else [first, reads[0], second, reads[1]]


def insert_options(s: Setting, shortest: str, longest: str) -> list:
    return [shortest, s.insert[0], longest, s.insert[1]] if s.insert else []


def make_tools(trawl: str, trawl_options: tuple | list = ()) -> list[Tool]:
    *trawls, _ = trawl_tools("trawl", trawl, trawl_options)
    return [*trawls, *complete_tools(), *best_tools()]


def trawl_tools(name: str, trawl: str, trawl_options: tuple | list = ()) -> list[Tool]:
    """The last one is the best place from a saved index."""
    def trawl_as(report, *more, reference=None):
        # Options of the caller may have an e of their own.
        return lambda s, reads, out, t: [trawl, "map",
                                         *([] if s.trawl_default or "-e" in trawl_options else ["-e", s.max_edits]),
                                         *(["--insert", "{}-{}".format(*s.insert)] if s.insert else []),
                                         "--report", report, *more, *trawl_options, "-t", t, "-o", out,
                                         reference or s.reference, *reads]

    saved = f"index/{Tool('', '', trawl, '', None, None).key}.trawl"
    suffix = "bam" if "--sort" in trawl_options else "sam"
    return [
        Tool("trawl", "all", trawl, "", None, trawl_as("all"), pairs=True),
        Tool("trawl-hamming", "all", trawl, "", None, trawl_as("all", "--metric", "hamming"), pairs=True,
             distance="mismatches"),
        Tool(name, "best", trawl, "", None, trawl_as("best"), pairs=True, suffix=suffix),
        Tool(name + "-saved", "best", trawl, "",
             lambda s: [trawl, "index", "-t", s.threads, "-o", saved, s.reference],
             trawl_as("best", reference=saved), pairs=True, suffix=suffix)]


def chosen_mappers(text: str) -> list[Tool]:
    """The mappers of the best place in a list like `trawl,clip=PATH --clip 30%,clip-saved,bwa-mem`. NAME=PATH OPTIONS: the
    Trawl at PATH with these options, called NAME; NAME-saved is then the same from a saved index."""
    tools = {tool.name: tool for tool in [*trawl_tools("trawl", str(ROOT / "build/release/trawl")), *complete_tools(),
                                          *best_tools(), *fasta_tools()] if tool.mode == "best"}
    chosen = []
    for word in text.split(","):
        name, _, path = word.partition("=")
        if path:
            program, *options = shlex.split(path)
            made = trawl_tools(name, os.path.abspath(shutil.which(program) or program), options)
            tools.update((tool.name, tool) for tool in made if tool.mode == "best")
        if name not in tools:
            sys.exit(f"no such mapper: {name} (known: {', '.join(tools)}, or NAME=PATH of a trawl)")
        chosen.append(tools[name])
    return chosen


def complete_tools() -> list[Tool]:
    """Mappers that can report all loci, with their entries for the best one."""
    def yara(*options):
        return lambda s, reads, out, t: ["yara_mapper", "-e", math.ceil(s.percent), *options, "-t", t, "-o", out,
                                         "index/yara", *reads]

    def yara_index(s):
        return ["yara_indexer", "-o", "index/yara", s.reference]

    def yara_complete(s, reads, out, t):
        return yara("-s", math.ceil(s.percent), "-y", "full", "-sa", "record")(s, reads, out, t)

    def razers3(*options):
        def command(s, reads, out, t):
            library = ["-ll", sum(s.insert) // 2, "-le", (s.insert[1] - s.insert[0]) // 2] if s.insert else []
            return ["razers3", "-i", f"{100 - s.percent:g}", "-rr", 100, *options, *library, "-tc", t, "-o", out,
                    s.reference, *reads]
        return command

    # One thread only. Unmapped reads go into a file of their own.
    def mrfast(*options):
        def command(s, reads, out, t):
            pair = ["--pe", *insert_options(s, "--min", "--max")] if len(reads) == 2 else []
            return ["mrfast", "--search", s.link("mrfast"), *pair, *mates(reads, ["--seq"], "--seq1", "--seq2"),
                    "-e", s.max_edits, *options, "-o", out, "-u", "/dev/null"]
        return Tool("mrfast", "best" if options else "all", "mrfast", "",
                    lambda s: ["mrfast", "--index", s.link("mrfast")], command, pairs=True,
                    source="github.com/BilkentCompGen/mrfast", distance="edits, gaps of up to 4")

    # Two files of mates crash version 3.4.2 (it reads a length that was never set), one file with both does not.
    def mrsfast(*options):
        def command(s, reads, out, t):
            pair = ["--pe", *insert_options(s, "--min", "--max")] if s.insert else []
            return ["mrsfast", "--search", s.link("mrsfast"), *pair, "--seq", *reads, "-e", s.max_edits, *options,
                    "--threads", t, "--disable-nohits", "-o", out]
        return Tool("mrsfast", "best" if options else "all", "mrsfast", "",
                    lambda s: ["mrsfast", "--index", s.link("mrsfast")], command, pairs=True, interleaved=True,
                    source="github.com/sfu-compbio/mrsfast", distance="mismatches")

    def gem3(mode, *options):
        def command(s, reads, out, t):
            return ["gem-mapper", "-I", "index/gem3.gem", *mates(reads, ["-i"], "-1", "-2"),
                    *insert_options(s, "-l", "-L"), *options,
                    *([] if mode == "best" else ["-E", s.share, "-e", s.share, "-s", s.share]), "-t", t, "-o", out]
        return Tool("gem3", mode, "gem-mapper", "", lambda s: ["gem-indexer", "-i", s.reference, "-o", "index/gem3"],
                    command, pairs=True, source="github.com/smarco/gem3-mapper",
                    distance="edits; NM lacks gaps at the ends")

    # Its program for indexes has another name, and lies beside it.
    def columba(mode):
        def command(s, reads, out, t):
            return ["columba", "-r", "index/columba", "-t", t, "-o", out,
                    *(["-a", "all", "-e", s.max_edits] if mode == "all" else ["-I", math.floor(100 - s.percent)]),
                    *mates(reads, ["-f"], "-f", "-F"),
                    *(["-nI", "-O", "FR", *insert_options(s, "-N", "-X")] if s.insert else [])]
        return Tool("columba", mode, "columba", "",
                    lambda s: ["columba_build", "-r", "index/columba", "-f", s.reference], command, pairs=True,
                    source="github.com/biointec/columba")

    return [
        Tool("yara", "all", "yara_mapper", "seqan-apps", yara_index, yara_complete),
        Tool("razers3", "all", "razers3", "seqan-apps", None, razers3("-m", 1000000), pairs=True),
        Tool("razers3-ng", "all", "razers3", "seqan-apps", None, razers3("-ng", "-m", 1000000), pairs=True,
             distance="mismatches"),
        mrfast(), mrsfast(),
        Tool("fem", "all", "FEM", "", lambda s: ["FEM", "index", 12, 1, s.reference, "index/fem"],
             lambda s, reads, out, t: ["FEM", "map", "-e", s.max_edits, "-t", t, "--ref", s.reference,
                                       "--index", "index/fem", "--read1", *reads, "-o", out],
             source="github.com/haowenz/FEM"),
        columba("all"),
        # The mode that its own help calls customed is the complete one.
        gem3("all", "--mapping-mode", "customed", "--alignment-model", "edit", "--alignment-local", "never",
             "--discordant-pair-search", "never", "-M", "all", "--sam-compact=false"),
        Tool("yara", "best", "yara_mapper", "seqan-apps", yara_index, yara()),
        Tool("razers3", "best", "razers3", "seqan-apps", None, razers3("-m", 1), pairs=True),
        mrfast("--best"), mrsfast("--best"), gem3("best"), columba("best"),
    ]


def best_tools() -> list[Tool]:
    """Mappers that report the best locus only."""
    def bwa(program, index_memory, package="", source=""):
        name = "bwa-mem" if program == "bwa" else program
        return Tool(name, "best", program, package,
                    lambda s: [program, "index", "-p", f"index/{program}", s.reference],
                    lambda s, reads, out, t: [program, "mem", "-t", t, "-o", out, f"index/{program}", *reads],
                    pairs=True, source=source, distance="a score", index_memory=index_memory)

    return [
        Tool("snap", "best", "snap-aligner", "snap-aligner",
             lambda s: ["snap-aligner", "index", s.reference, "index/snap"],
             lambda s, reads, out, t: ["snap-aligner", "single" if len(reads) == 1 else "paired", "index/snap", *reads,
                                       *(["-s", *s.insert] if s.insert else []), "-t", t, "-o", out], pairs=True),
        Tool("hisat2", "best", "hisat2", "hisat2",
             lambda s: ["hisat2-build", "-q", s.reference, "index/hisat2"],
             lambda s, reads, out, t: ["hisat2", "--no-spliced-alignment", "-p", t, "-x", "index/hisat2",
                                       *mates(reads, ["-U"], "-1", "-2"), "-S", out], pairs=True, distance="a score"),
        bwa("bwa", 2, package="bwa"),
        bwa("bwa-mem2", 28, source="github.com/bwa-mem2/bwa-mem2"),
        Tool("bowtie2", "best", "bowtie2", "bowtie2",
             lambda s: ["bowtie2-build", "-q", s.reference, "index/bowtie2"],
             lambda s, reads, out, t: ["bowtie2", "-p", t, "-x", "index/bowtie2", *mates(reads, ["-U"], "-1", "-2"),
                                       "-S", out], pairs=True, distance="a score"),
        Tool("minimap2", "best", "minimap2", "minimap2",
             lambda s: ["minimap2", "-x", "sr", "-t", s.threads, "-d", "index/minimap2.mmi", s.reference],
             lambda s, reads, out, t: ["minimap2", "-ax", "sr", "-t", t, "-o", out, "index/minimap2.mmi", *reads],
             pairs=True, distance="a score"),
        Tool("minibwa", "best", "minibwa", "",
             lambda s: ["minibwa", "index", "-t", s.threads, s.reference, "index/minibwa"],
             lambda s, reads, out, t: ["minibwa", "map", "-t", t, "-o", out, "index/minibwa", *reads],
             pairs=True, source="github.com/lh3/minibwa", distance="a score", index_memory=18),
        # It finds its index by the read length.
        Tool("strobealign", "best", "strobealign", "",
             lambda s: ["strobealign", "--create-index", "-t", s.threads, "-r", s.read_length, s.link("strobealign")],
             lambda s, reads, out, t: ["strobealign", "--use-index", "-r", s.read_length, "-t", t, "-o", out,
                                       s.link("strobealign"), *reads],
             pairs=True, source="github.com/ksahlin/strobealign", distance="a score", index_memory=12),
        # For reads after bisulfite: a T of a read on a C of the reference costs nothing.
        Tool("bitmapper-bs", "best", "bitmapperBS", "",
             lambda s: ["bitmapperBS", "--index", s.link("bitmapperBS")],
             lambda s, reads, out, t: ["bitmapperBS", "--search", s.link("bitmapperBS"),
                                       *mates(reads, ["--seq"], "--seq1", "--seq2"),
                                       *insert_options(s, "--min", "--max"), "-e", s.share, "-t", t,
                                       "--ambiguous_out", "-o", out],
             pairs=True, source="github.com/chhylp123/BitMapperBS", distance="edits, but not T on C"),
    ]


def fasta_tools() -> list[Tool]:
    """Those of best_tools() that can do without a saved index, as Trawl does, and bwa-mem3, which has one of bwa-mem2."""
    def from_fasta(name, *options):
        return Tool(f"{name}-fasta", "best", name, "", None,
                    lambda s, reads, out, t: [name, *options, "-t", t, "-o", out, s.reference, *reads], pairs=True,
                    distance="a score")

    mem2 = next(tool for tool in best_tools() if tool.name == "bwa-mem2")
    mem3 = dataclasses.replace(
        mem2, name="bwa-mem3", program=str(ROOT / "bench/mem3.py"), shares="bwa-mem2", source="pip install bwa-mem3",
        map=lambda s, reads, out, t: [str(ROOT / "bench/mem3.py"), t, "index/bwa-mem2", out, *reads])
    return [from_fasta("strobealign"), from_fasta("minimap2", "-ax", "sr"), mem3]
