#!/usr/bin/env python3
"""Searches guides with a PAM in a reference with `trawl scan`, and the same guides in a part of it with Sassy: times,
and equal ends.

    python3 -m pip install sassy-rs
    bench/guides.py --workdir work --reference genome.fa --threads 16 -o work/guides

First Trawl on the whole reference, with and without bulges. Then both on the first bases of the reference, without
ambiguous letters, in two tasks that each can do:

  PAM  the guides and an exact PAM, both strands. Sassy has no exact PAM: it searches guide and PAM together as IUPAC
       patterns (search_all), and those of its ends that have the PAM are compared. Its time includes the other ends.
  any  guide and PAM as one IUPAC pattern with edits anywhere, forward strand: all ends of both are compared.

The seconds of Sassy are those of its searches in memory; each thread is a process with its share of the patterns. Those
of Trawl are whole commands, from reading the FASTA to writing the records. In brackets: CPU seconds, of all threads.
Both align every end. search_many is Sassy's own way to use threads. It gives fewer, other matches (one for each local
minimum), so they are not compared. Exit status 1: ends differ.
"""
import argparse
import collections
import dataclasses
import datetime
import json
import multiprocessing
import os
import pathlib
import random
import re
import sys
import time

import genomes
from compare_report import ROOT, commit, processor
from machine_load import disturbed, run_measured

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


@dataclasses.dataclass
class Ends:
    """A set of ends: (guide, strand, place, distance). Two sets are equal if both fields are."""
    by_distance: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    total: int = 0  # of the hashes

    def add(self, guide: int, strand: int, place: int, distance: int) -> None:
        self.by_distance[distance] += 1
        self.total = (self.total + hash((guide, strand, place, distance))) & (1 << 64) - 1

    def join(self, other: "Ends") -> None:
        self.by_distance += other.by_distance
        self.total = (self.total + other.total) & (1 << 64) - 1


# ---- Sassy. The text and the patterns are inherited by its processes.

class Sassy:
    text, patterns, pam = b"", [], None

    @staticmethod
    def search(task):
        """One pattern, at most k edits: (wall, CPU) seconds of the search, number of ends, and those to compare: with
        a PAM, of both strands, those that have it."""
        import sassy
        number, k = task
        searcher = sassy.Searcher("iupac", rc=Sassy.pam is not None)
        begin, cpu = time.monotonic(), time.process_time()
        matches = searcher.search_all(Sassy.patterns[number], Sassy.text, k)
        seconds = (time.monotonic() - begin, time.process_time() - cpu)
        ends = Ends()
        if Sassy.pam is None:
            for match in matches:
                ends.add(number, 0, match.text_end, match.cost)
        else:
            after = re.compile(expression(Sassy.pam))
            before = re.compile(expression(Sassy.pam[::-1].translate(COMPLEMENT)))
            width = len(Sassy.pam)
            for match in matches:
                if match.strand == "+":
                    if match.text_end >= width and after.match(Sassy.text, match.text_end - width):
                        ends.add(number, 0, match.text_end, match.cost)
                elif before.match(Sassy.text, match.text_start):
                    ends.add(number, 1, match.text_start, match.cost)
        return os.getpid(), seconds, len(matches), ends

    @staticmethod
    def search_all(k: int, threads: int):
        """(Wall seconds of the process that took longest, CPU seconds), number of all ends, ends to compare."""
        tasks = [(number, k) for number in range(len(Sassy.patterns))]
        seconds, cpu, count, ends = collections.Counter(), 0.0, 0, Ends()
        with multiprocessing.get_context("fork").Pool(threads) as pool:
            for process, spent, matches, found in pool.imap_unordered(Sassy.search, tasks):
                seconds[process] += spent[0]
                cpu += spent[1]
                count += matches
                ends.join(found)
        return (max(seconds.values()), cpu), count, ends

    @staticmethod
    def search_many(k: int, threads: int):
        """(Wall, CPU) seconds and number of matches of the faster mode for one text."""
        import sassy
        best = None
        for mode in ("batch_patterns", "single"):
            searcher = sassy.Searcher("iupac", rc=Sassy.pam is not None)
            begin, cpu = time.monotonic(), time.process_time()
            count = len(searcher.search_many(Sassy.patterns, [Sassy.text], k=k, threads=threads, mode=mode))
            seconds = (time.monotonic() - begin, time.process_time() - cpu)
            best = min(best or (seconds, count, mode), (seconds, count, mode))
        return best


# ---- Trawl.

class Trawl:
    def __init__(self, args, work: pathlib.Path):
        self.program, self.work = args.trawl, work
        self.records, self.stats = work / "guides.bed", work / "guides.json"

    def scan(self, reference, patterns, threads: int, options: list[str]):
        """Usage and statistics of one run."""
        command = [self.program, "scan", "--engine", "cpu", "--progress", "off", "-t", str(threads), *options, "--stats",
                   str(self.stats), "-o", str(self.records), str(reference), str(patterns)]
        with open(self.work / "guides.err", "wb") as errors:
            usage = run_measured(command, stderr=errors)
        if usage.status != 0:
            raise RuntimeError(f"{' '.join(command)}: {(self.work / 'guides.err').read_text()[:300]}")
        return usage, json.loads(self.stats.read_text())

    def ends(self, names: dict) -> Ends:
        ends = Ends()
        with open(self.records) as lines:
            for line in lines:
                field = line.split("\t", 7)
                reverse = field[5] == "-"
                ends.add(names[field[3]], int(reverse), int(field[1 if reverse else 2]), int(field[6]))
        return ends


def searching(stats: dict) -> float:
    """Seconds of everything but reading, which goes on meanwhile if there is more than one thread."""
    return sum(stats["seconds"][stage] for stage in ("find", "align", "write"))


def write_patterns(path: pathlib.Path, patterns: list[str]) -> pathlib.Path:
    path.write_text("".join(f"g{i}\t{pattern}\n" for i, pattern in enumerate(patterns)))
    return path


def whole_reference(args, trawl: Trawl, guides: list[str], lines: list[str], notes: list[str]) -> list[dict]:
    """Trawl on the whole reference."""
    rows = []
    patterns = write_patterns(trawl.work / "guides.tsv", guides)
    lines += ["", "| k | bulges | threads | records | find s | align s | write s | together s | read s | wall s | MiB |",
              "|---|" + "---|" * 10]
    for k in args.edits:
        for bulges in ["all", "0"] if args.bulges == "both" else [args.bulges]:
            for threads in args.threads:
                options = ["--pam", args.pam, "-k", str(k)] + (["--max-bulges", bulges] if bulges != "all" else [])
                runs = [trawl.scan(args.index or args.reference, patterns, threads, options)
                        for _ in range(args.repeats)]
                if what := disturbed([usage.others for usage, _ in runs], [usage.wall for usage, _ in runs]):
                    notes.append(f"DISTURBED: k = {k}, bulges {bulges}, {threads} threads: {what}")
                usage, stats = sorted(runs, key=lambda run: searching(run[1]))[len(runs) // 2]
                row = {"k": k, "bulges": bulges, "threads": threads, "records": stats["records"]["total"],
                       **stats["seconds"], "together": searching(stats), "wall": usage.wall, "mib": usage.peak_mib}
                rows.append(row)
                lines.append(f"| {k} | {bulges} | {threads} | {row['records']:,} | {row['find']:.2f} | "
                             f"{row['align']:.2f} | {row['write']:.2f} | {row['together']:.2f} | {row['read']:.2f} | "
                             f"{row['wall']:.2f} | {row['mib']:.0f} |")
                print(lines[-1], flush=True)
    return rows


def beside_sassy(args, trawl: Trawl, guides: list[str], lines: list[str], notes: list[str]) -> list[dict]:
    """Both on a part of the reference."""
    rows = []
    with_pam = [guide + args.pam for guide in guides]
    names = {f"g{i}": i for i in range(len(guides))}
    Sassy.patterns = [pattern.encode() for pattern in with_pam]
    lines += ["", "| task | bases | k | threads | ends | same | Sassy finds | search_all s | search_many s, matches | "
              "Trawl s | without reading | times as fast as search_all | as search_many |", "|---|" + "---|" * 12]
    for task, bases in (("PAM", args.peer_bases), ("any", args.any_bases)):
        if bases == 0:
            continue
        fasta = trawl.work / f"{task}.fa"
        Sassy.text = write_text(args.reference, bases, fasta)
        Sassy.pam = args.pam if task == "PAM" else None
        if task == "PAM":
            patterns, options = write_patterns(trawl.work / "PAM.tsv", guides), ["--pam", args.pam]
        else:
            patterns, options = write_patterns(trawl.work / "any.tsv", with_pam), ["--strand", "+"]
        for k in args.edits:
            for threads in args.threads:
                all_s, many_s, trawl_s, search_s, others = [], [], [], [], []
                for _ in range(args.repeats):
                    seconds, count, sassy_ends = Sassy.search_all(k, threads)
                    all_s.append(seconds)
                    many_s.append(Sassy.search_many(k, threads))
                    usage, stats = trawl.scan(fasta, patterns, threads, ["-k", str(k), "--report", "ends", *options])
                    trawl_s.append((usage.wall, usage.cpu))
                    others.append(usage.others)
                    search_s.append(searching(stats))
                if what := disturbed(others, [wall for wall, _ in trawl_s]):
                    notes.append(f"DISTURBED: {task}, k = {k}, {threads} threads: {what}")
                ends = trawl.ends(names)
                middle = args.repeats // 2
                by_all, by_trawl = sorted(all_s)[middle], sorted(trawl_s)[middle]
                by_many, many, mode = sorted(many_s)[middle]
                row = {"task": task, "bases": len(Sassy.text), "k": k, "threads": threads,
                       "ends": sum(ends.by_distance.values()), "same": ends == sassy_ends, "sassy_ends": count,
                       "search_all_s": by_all, "search_many_s": by_many, "search_many": many, "search_many_mode": mode,
                       "trawl_s": by_trawl, "trawl_search_s": sorted(search_s)[middle]}
                rows.append(row)

                def faster(peer):
                    return f"{peer[0] / by_trawl[0]:.1f} ({peer[1] / by_trawl[1]:.1f})"

                lines.append(f"| {task} | {row['bases']:,} | {k} | {threads} | {row['ends']:,} | "
                             f"{'yes' if row['same'] else 'NO'} | {count:,} | {by_all[0]:.2f} ({by_all[1]:.2f}) | "
                             f"{by_many[0]:.2f} ({by_many[1]:.2f}), {many:,} | {by_trawl[0]:.2f} ({by_trawl[1]:.2f}) | "
                             f"{row['trawl_search_s']:.2f} | {faster(by_all)} | {faster(by_many)} |")
                print(lines[-1], flush=True)
                if not row["same"]:
                    print(f"  ends by distance: Trawl {sorted(ends.by_distance.items())}, "
                          f"Sassy {sorted(sassy_ends.by_distance.items())}", file=sys.stderr)
    return rows


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"))
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--reference", type=genomes.reference, required=True, help="FASTA, not compressed")
    parser.add_argument("--index", help="of the reference (trawl index): Trawl reads this instead")
    parser.add_argument("--guides", default="312", help="how many are drawn from the reference, or a file: name TAB guide")
    parser.add_argument("--length", type=int, default=20, help="of the guides that are drawn")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--pam", default="NGG")
    parser.add_argument("--edits", type=numbers, default=[3, 4, 5])
    parser.add_argument("--threads", type=numbers, default=[os.cpu_count()])
    parser.add_argument("--bulges", default="both", choices=("all", "0", "both"),
                        help="on the whole reference: as many as edits, none, or both in turn")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-whole", action="store_true", help="leave out the runs on the whole reference")
    parser.add_argument("--peer-bases", type=int, default=100_000_000, help="bases of the task PAM; 0: leave it out")
    parser.add_argument("--any-bases", type=int, default=5_000_000, help="bases of the task any; 0: leave it out")
    parser.add_argument("-o", "--output", help="write OUTPUT.md and OUTPUT.json")
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    work = pathlib.Path(args.workdir).resolve()
    work.mkdir(parents=True, exist_ok=True)
    if args.guides.isdigit():
        guides = draw_guides(args.reference, args.pam, int(args.guides), args.length, args.seed)
    else:
        guides = [line.split("\t")[1].strip().upper() for line in open(args.guides)]
    trawl = Trawl(args, work)
    notes: list[str] = []
    lines = [f"{len(guides)} guides of {len(guides[0])} and {args.pam}; {args.reference.name}; medians of {args.repeats}; "
             f"{processor()}; {datetime.date.today().isoformat()}; trawl {commit()}"]
    result = {"whole": [], "sassy": []}
    if not args.no_whole:
        result["whole"] = whole_reference(args, trawl, guides, lines, notes)
    if args.peer_bases or args.any_bases:
        try:
            import sassy  # noqa: F401
            result["sassy"] = beside_sassy(args, trawl, guides, lines, notes)
        except ImportError:
            print("Sassy: left out, since Python has no module sassy (pip install sassy-rs)", file=sys.stderr)
    lines += [f"\n{note}" for note in notes]
    print("\n" + "\n".join(lines))
    if args.output:
        pathlib.Path(args.output + ".md").write_text("\n".join(lines) + "\n")
        pathlib.Path(args.output + ".json").write_text(json.dumps(result, indent=1) + "\n")
    trawl.records.unlink(missing_ok=True)
    return 0 if all(row["same"] for row in result["sassy"]) else 1


if __name__ == "__main__":
    sys.exit(main())
