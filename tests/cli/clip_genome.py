"""The genome of the tests of clipped reads, and reads of it whose right places are known."""

import random
from typing import NamedTuple

from tools import random_bases, reverse_complement, run, write_fastq

random.seed(13)
GENOME = {"a": random_bases(30000), "b": random_bases(20000)}
GENOME["c"] = random_bases(1000) + GENOME["a"][5000:7000] + random_bases(1000)  # a second copy of a part of a


def mapped(words):
    return run("map", *words.split()).ok()


# --- parts of the genome, and reads of them ---


def on_strand(strand, bases):
    return bases if strand == "+" else reverse_complement(bases)


class Part(NamedTuple):
    """A part of the genome, as a read has it."""
    contig: str
    begin: int
    length: int
    strand: str = "+"

    @property
    def bases(self):
        return on_strand(self.strand, GENOME[self.contig][self.begin:self.begin + self.length])


def random_part(length, strands="+"):
    """Outside of the copies."""
    contig = random.choice("ab")
    return Part(contig, random.randint(8000, len(GENOME[contig]) - length - 100), length, random.choice(strands))


def other_base(base):
    return random.choice("ACGT".replace(base, ""))


def write_reads(path, reads):
    """(name, bases), which get random qualities."""
    write_fastq(path, *((name, bases, "".join(chr(random.randint(53, 73)) for _ in bases)) for name, bases in reads))
