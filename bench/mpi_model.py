#!/usr/bin/env python3
"""How long trawl map and trawl scan take on N ranks: measures the parts, states the model, and compares it with runs.

  bench/mpi_model.py --reference genome.fa --reads reads.fq --patterns guides.tsv
  bench/mpi_model.py ... --repeats 5 --mpirun "mpirun --bind-to none --oversubscribe"

Each rank has one thread. The model, with N ranks on C cores:

  T(N) = S(N) + max((W F(N) + O(N)) / min(N, C) + L, D)

  S  start and end: the same command with an input of nearly nothing; seconds of the launcher, the reference, the index
  W  work: what 1 rank takes above S(1)
  F  how much longer the work of N processes takes that do the same side by side, without MPI: they share cores, caches
     and memory with each other and with what else runs; 1 for 1 rank
  O  what several ranks need besides: messages, and waiting for them; seconds of cores of all ranks, above those of 1
  L  the last batch or chunk, for which other ranks wait; 0 for 1 rank
  D  what rank 0 alone does for all: seconds of cores above those of rank 1, or the reading of the reference

Then it prints what this means for more ranks, for the measured machine and for one with the rates of --device.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time

import genomes

TICK = os.sysconf("SC_CLK_TCK")
RANK_NAMES = (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=")
RANKS = (1, 2, 4)
MANY_RANKS = (1, 2, 4, 16, 64, 1024)
LAST_READS = 8192
LAST_BASES = 1 << 20

# One host with four H200 (docs/record/mpi.md): trawl map, 10^8 reads, 24 GB of FASTQ, 20.4 GB of BAM; trawl scan,
# 3.1 Gbp and 10^4 guides. Start and work of a rank are the line through the measured times of 1 and 2 ranks.
H200_MAP = {"start": 5.6, "start_of_many": 5.6, "work": 25.0, "last": 0.1, "output": 20.4e9}
H200_MAP_INPUT = 24e9
H200_SCAN = {"start": 2.7, "start_of_many": 2.7, "work": 0.2, "last": 0, "output": 3222395 * 45}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trawl", default="build/release/trawl")
    parser.add_argument("--mpirun", default="mpirun --bind-to none --oversubscribe", help="with its options")
    parser.add_argument("--reference", type=genomes.reference, required=True, help="FASTA")
    parser.add_argument("--reads", required=True, type=pathlib.Path, help="FASTQ, plain")
    parser.add_argument("--patterns", required=True, type=pathlib.Path, help="for trawl scan")
    parser.add_argument("--only", choices=["map", "scan"])
    parser.add_argument("--repeats", type=int, default=3, help="the shortest of so many runs counts")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--disk", type=float, default=2e9, help="bytes that the file system takes in a second")
    return parser.parse_args()


class ThreadTimes:
    """Seconds of a core of each thread of each rank, as long as the run lasts."""

    def __init__(self, launcher):
        self.launcher = launcher
        self.seconds = {}  # of (rank, thread)
        self.ends = threading.Event()
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def ranks(self):
        found = {}
        for process in pathlib.Path("/proc").iterdir():
            if process.name.isdigit() and self.is_below(process.name):
                environment = (process / "environ").read_bytes().split(b"\0")
                for entry in environment:
                    if entry.startswith(RANK_NAMES) and (process / "comm").read_text() == "trawl\n":
                        found[int(entry.split(b"=")[1])] = process
        return found

    def is_below(self, number):
        while number not in ("0", "1"):
            if int(number) == self.launcher:
                return True
            number = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1]
        return False

    def watch(self):
        ranks = {}
        while not self.ends.wait(0.02):
            try:
                ranks = ranks or self.ranks()
                for rank, process in ranks.items():
                    for thread in (process / "task").iterdir():
                        fields = (thread / "stat").read_text().rpartition(")")[2].split()
                        self.seconds[rank, thread.name] = (int(fields[11]) + int(fields[12])) / TICK
            except (OSError, IndexError):
                pass  # it has just ended

    def stop(self):
        self.ends.set()
        self.watcher.join()

    def of_rank(self, rank):
        return sum(seconds for (of, _), seconds in self.seconds.items() if of == rank)


def launch(options, ranks, command, stats):
    return subprocess.Popen([*options.mpirun.split(), "-n", str(ranks), options.trawl, *map(str, command), "-t", "1",
                             "--progress", "off", "--stats", str(stats)], stderr=subprocess.PIPE, text=True)


def side_by_side(options, processes, command, folder):
    """Seconds until so many processes have ended that do the same."""
    seconds = []
    for _ in range(options.repeats):
        begin = time.monotonic()
        copies = [launch(options, 1, [*command[:-1], folder / f"{i}{command[-1].suffix}"], folder / f"stats{i}.json")
                  for i in range(processes)]
        for copy in copies:
            copy.communicate()
        seconds.append(time.monotonic() - begin)
    return min(seconds)


def run(options, ranks, command, folder):
    """The shortest run: seconds, what --stats says, seconds of cores of each rank."""
    best = None
    for _ in range(options.repeats):
        stats = folder / "stats.json"
        begin = time.monotonic()
        launcher = launch(options, ranks, command, stats)
        times = ThreadTimes(launcher.pid)
        message = launcher.communicate()[1]
        seconds = time.monotonic() - begin
        times.stop()
        if launcher.returncode != 0:
            raise SystemExit(f"mpi_model.py: {' '.join(map(str, command))}: {message}")
        if best is None or seconds < best["seconds"]:
            best = {"seconds": seconds, "stats": json.loads(stats.read_text()),
                    "cores": [times.of_rank(rank) for rank in range(ranks)]}
    return best


def print_table(heads, rows):
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) if isinstance(cell, (str, int)) else f"{cell:.3g}" for cell in row) + " |")
    print()


def model(options, name, command, nothing, output, last, folder):
    """Measures a command, and the same with an input of nearly nothing. `last`: share of the last batch."""
    nothings = {n: run(options, n, nothing, folder) for n in RANKS}
    runs = {n: run(options, n, command, folder) for n in RANKS}
    starts = {n: measured["seconds"] for n, measured in nothings.items()}
    work = runs[1]["seconds"] - starts[1]
    factors = {1: 1.0}
    for n in RANKS[1:]:
        seconds = side_by_side(options, n, command, folder) - starts[1]
        factors[n] = max(1, seconds / work * min(n, options.cores) / n)
    cores = {n: sum(runs[n]["cores"]) - sum(nothings[n]["cores"]) for n in RANKS}
    two = runs[2]
    of_first = (two["cores"][0] - nothings[2]["cores"][0]) - (two["cores"][1] - nothings[2]["cores"][1])
    share = [rank["done"] for rank in two["stats"]["ranks"]]
    of_first -= cores[1] * (share[0] - share[1]) / sum(share)  # it may have done more or less of the work
    serial = max(0, of_first, two["stats"]["ranks"][0]["seconds"]["read"] if command[0] == "scan" else 0)
    rows = []
    for n, measured in runs.items():
        more = max(0, cores[n] - cores[1])
        of_ranks = (work * factors[n] + more) / min(n, options.cores) + (work * last if n > 1 else 0)
        predicted = starts[n] + max(of_ranks, serial)
        sent = measured["stats"].get("ranks", [])
        rows.append((n, starts[n], factors[n], more, predicted, measured["seconds"],
                     f"{predicted / measured['seconds'] - 1:+.0%}",
                     sum(r["messages_sent"] for r in sent), sum(r["bytes_sent"] for r in sent)))
    print(f"{name}: W = {work:.2f} s, L = {work * last:.2f} s, D = {serial:.2f} s; {options.cores} cores\n")
    print_table(["ranks", "S, s", "F", "O, s", "predicted, s", "measured, s", "difference", "messages", "bytes"], rows)
    return {"start": starts[1], "start_of_many": starts[2], "work": work, "last": work * last, "serial": serial,
            "output": output.stat().st_size}


def many(options, name, found, larger=1):
    """Rows for many ranks, each on cores of its own, and an input that is `larger` than the measured one."""
    work, serial, output = found["work"] * larger, found["serial"] * larger, found["output"] * larger
    rows = []
    for n in MANY_RANKS:
        start = found["start"] if n == 1 else found["start_of_many"]
        parts = {"the work": work / n + (found["last"] if n > 1 else 0), "rank 0": serial if n > 1 else 0,
                 "the file system": output / options.disk}
        bound = max(parts, key=parts.get)
        total = start + parts[bound]
        rows.append((n, total, (found["start"] + work) / total,
                     bound if parts[bound] > start else f"the start, {bound}"))
    print(f"{name}: W {work:.3g} s, D {serial:.3g} s, {output / 1e9:.3g} GB written, at most {options.disk / 1e9:.3g} "
          "GB/s\n")
    print_table(["ranks", "T, s", "speedup", "bound by"], rows)


def map_model(options, folder):
    few, bam = folder / "few.fq", folder / "out.bam"
    with options.reads.open() as reads:
        few.write_text("".join(next(reads) for _ in range(400)))
        count = 100 + sum(1 for _ in reads) // 4
    command = ["map", "-e", "2", "--report", "all", options.reference]
    found = model(options, "trawl map --report all, plain FASTQ, BAM", [*command, options.reads, "-o", bam],
                  [*command, few, "-o", folder / "few.bam"], bam, LAST_READS / count, folder)
    of_byte = found["serial"] / options.reads.stat().st_size  # rank 0 finds where batches begin
    print(f"rank 0: {of_byte * 1e9:.2f} s for a GB of plain FASTQ\n")
    larger = 10e9 / options.reads.stat().st_size
    many(options, "Predicted: map, this machine's cores, 10 GB of FASTQ", found, larger)
    many(options, "Predicted: map, an H200 for each rank, 10^8 reads",
         {**H200_MAP, "serial": H200_MAP_INPUT * of_byte})


def scan_model(options, folder):
    small, bed = folder / "small.fa", folder / "out.bed"
    with options.reference.open() as lines:
        small.write_text("".join(next(lines) for _ in range(100)))
    command = ["scan", "-k", "3", "--pam", "NGG"]
    found = model(options, "trawl scan -k 3 --pam NGG, BED",
                  [*command, options.reference, options.patterns, "-o", bed],
                  [*command, small, options.patterns, "-o", folder / "few.bed"], bed,
                  LAST_BASES / options.reference.stat().st_size, folder)
    of_base = found["serial"] / options.reference.stat().st_size  # rank 0 reads the bases and sends them
    print(f"rank 0: {of_base * 1e9:.2f} s for 10^9 bases\n")
    larger = 3.1e9 / options.reference.stat().st_size
    many(options, "Predicted: scan, this machine's cores, 3.1 Gbp", found, larger)
    many(options, "Predicted: scan, an H200 for each rank, 3.1 Gbp", {**H200_SCAN, "serial": 3.1e9 * of_base})


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "scan":
            map_model(options, pathlib.Path(folder))
        if options.only != "map":
            scan_model(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
