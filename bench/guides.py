"""Guides with a PAM for figures.py: draws them, and searches them with Trawl and Sassy, whose ends must be the same."""

import pathlib
import random
import re
import statistics
import subprocess
import time

from workdir import run_measured

IUPAC = {"A": "A", "C": "C", "G": "G", "T": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC",
         "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG", "N": "ACGT"}
COMPLEMENT = str.maketrans("ACGTRYSWKMBDHVN", "TGCAYRSWMKVHDBN")


def expression(motif: str) -> bytes:
    return "".join(f"[{IUPAC[letter]}]" for letter in motif).encode()


def draw_guides(fasta: pathlib.Path, pam: str, count: int, length: int, seed: int) -> list[str]:
    """Guides beside the PAM at random places of the forward strand."""
    chance = random.Random(seed)
    site = re.compile(b"([ACGT]{%d})" % length + expression(pam))
    guides = []
    with open(fasta, "rb") as file:
        for _ in range(1000 * count):
            file.seek(chance.randrange(fasta.stat().st_size))
            part = file.read(2000)
            found = None if b">" in part else site.search(part.replace(b"\n", b"").upper())
            if found:
                guides.append(found[1].decode())
                if len(guides) == count:
                    return guides
    raise SystemExit(f"{fasta}: not enough places with the PAM {pam}")


def write_patterns(path: pathlib.Path, patterns: list[str]) -> pathlib.Path:
    path.write_text("".join(f"g{i}\t{pattern}\n" for i, pattern in enumerate(patterns)))
    return path


def write_text(fasta: pathlib.Path, bases: int, path: pathlib.Path) -> bytes:
    """The first bases A, C, G and T of the FASTA as one contig. Other letters are left out: Sassy lets N match."""
    keep, size = [], 0
    delete = bytes(set(range(256)) - set(b"ACGT"))
    upper = bytes.maketrans(b"acgt", b"ACGT")
    with open(fasta, "rb") as file:
        for line in file:
            if not line.startswith(b">"):
                keep.append(line.translate(upper, delete=delete + b"\r\n"))
                size += len(keep[-1])
                if size >= bases:
                    break
    text = b"".join(keep)[:bases]
    path.write_bytes(b">text\n" + text + b"\n")
    return text


def search_with_sassy(text: bytes, guides: list[str], pam: str, k: int) -> tuple[float, set]:
    """CPU seconds of the searches in memory, and the ends (guide, strand, place, edits) that have the PAM. Sassy has no
    exact PAM: it searches guide and PAM together as IUPAC patterns, and its time includes the other ends."""
    import sassy

    after, before = (re.compile(expression(motif)) for motif in (pam, pam[::-1].translate(COMPLEMENT)))
    seconds, ends = 0.0, set()
    for number, guide in enumerate(guides):
        searcher = sassy.Searcher("iupac", rc=True)
        started = time.process_time()
        matches = searcher.search_all((guide + pam).encode(), text, k)
        seconds += time.process_time() - started
        for match in matches:
            if match.strand == "-":
                if before.match(text, match.text_start):
                    ends.add((number, "-", match.text_start, match.cost))
            elif match.text_end >= len(pam) and after.match(text, match.text_end - len(pam)):
                ends.add((number, "+", match.text_end, match.cost))
    return seconds, ends


def search_with_trawl(trawl, fasta: pathlib.Path, patterns: pathlib.Path, pam: str, k: int) -> tuple[float, set]:
    """CPU seconds of the whole command, from reading the FASTA to writing the ends."""
    output = fasta.with_suffix(".bed")
    usage = run_measured([str(word) for word in (trawl, "scan", "--engine", "cpu", "--progress", "off", "-t", 1, "-k", k,
                                                 "--pam", pam, "--report", "ends", "-o", output, fasta, patterns)],
                         stderr=subprocess.DEVNULL)
    if usage.status:
        raise SystemExit(f"{trawl} scan ended with status {usage.status}")
    ends = set()
    with open(output) as lines:
        for line in lines:
            _, begin, end, name, _, strand, edits, *_ = line.rstrip("\n").split("\t")
            ends.add((int(name[1:]), strand, int(begin if strand == "-" else end), int(edits)))
    return usage.cpu, ends


def beside_sassy(trawl, reference: pathlib.Path, bases: int, guides: list[str], pam: str, k: int, repeats: int,
                 work: pathlib.Path) -> dict[str, float]:
    """The median CPU seconds of each on the first bases of the reference, one thread."""
    fasta = work / "text.fa"
    text = write_text(reference, bases, fasta)
    patterns = write_patterns(work / "guides.tsv", guides)
    times = {"trawl": [], "sassy": []}
    for _ in range(repeats):
        of_trawl, ends = search_with_trawl(trawl, fasta, patterns, pam, k)
        of_sassy, known = search_with_sassy(text, guides, pam, k)
        if ends != known:
            raise SystemExit(f"k = {k}: the ends differ: {sorted(ends ^ known)[:5]}")
        times["trawl"].append(of_trawl)
        times["sassy"].append(of_sassy)
    return {tool: statistics.median(seconds) for tool, seconds in times.items()}
