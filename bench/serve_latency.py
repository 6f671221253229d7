#!/usr/bin/env python3
"""How long `trawl serve` takes for small queries, beside a start of `trawl` for each.

    bench/serve_latency.py genome.fa --trawl build/release/trawl --queries 5000 --files 1000

Starts a server on a Unix socket in a temporary folder and asks, one query at a time over one connection: one read of
100 bases for each, and one guide. Then it maps small FASTQ files: each by a start of `trawl map` on a saved index, each
by `trawl map --server`, and each by a POST. All answers are compared with those of the command line before a time is
printed. Times are in milliseconds; besides those of the clock, the CPU time of the server for a query, which says more
where the machine has other work. Only Python's standard library is used, whose own time is told: that of GET /health.
"""

import argparse
import http.client
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def ask(connection, method, path, body=None):
    connection.request(method, path, body)
    response = connection.getresponse()
    answer = response.read()
    if response.status != 200:
        sys.exit(f"{path}: {response.status} {answer[:300]!r}")
    return answer


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(share * len(times)))] * 1000


def cpu_seconds(process):
    columns = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")


class Clock:
    """Asks one query at a time, and prints how long it took."""

    def __init__(self, server, connection):
        self._server, self._connection = server, connection

    def ask(self, method, path, body=None):
        return ask(self._connection, method, path, body)

    def run(self, name, method, path, bodies, check=lambda answers: None):
        """`check` ends the program if the answers are wrong; then nothing is printed."""
        times, answers = [], []
        cpu = cpu_seconds(self._server)
        for body in bodies:
            begin = time.perf_counter()
            answers.append(self.ask(method, path, body))
            times.append(time.perf_counter() - begin)
        cpu = 1000 * (cpu_seconds(self._server) - cpu) / len(bodies)
        check(answers)
        print(f"{name}\t{len(times)}\t{percentile(times, 0.5):.2f}\t{percentile(times, 0.99):.2f}\t"
              f"{1000 * max(times):.2f}\t{cpu:.2f}", flush=True)


def read_contigs(path):
    contigs, lines = [], []
    with open(path) as file:
        for line in file:
            if line[0] == ">":
                contigs.append("".join(lines))
                lines = []
            else:
                lines.append(line.strip().upper())
    return [text for text in contigs + ["".join(lines)] if len(text) > 1000]


def pieces(contigs, count, length, suits=lambda text: True):
    """Random pieces without N."""
    found = []
    while len(found) < count:
        contig = random.choice(contigs)
        at = random.randrange(len(contig) - length)
        text = contig[at:at + length]
        if "N" not in text and suits(text):
            found.append(text)
    return found


def mutated(text, changes):
    letters = list(text)
    for at in random.sample(range(len(letters)), changes):
        letters[at] = random.choice("ACGT".replace(letters[at], ""))
    return "".join(letters)


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, check=False)
    if result.returncode:
        sys.exit(f"{command}: {result.stderr.decode()}")
    return result.stdout


def records(sam):
    return [line for line in sam.decode().splitlines() if not line.startswith("@")]


def check(what, expected, found):
    if expected != found:
        sys.exit(f"{what}: the server's records are not those of the command line")


def measure_reads(trawl, index, clock, contigs, count):
    reads = [mutated(text, random.randrange(4)) for text in pieces(contigs, count, 100)]
    bodies = [f"@r{n}\n{read}\n+\n{'I' * 100}\n".encode() for n, read in enumerate(reads)]
    for name, options in {"one read": {}, "one read, --report all -e 2": {"report": "all", "max-edits": 2}}.items():
        path = "/map?" + urlencode(options)
        words = [word for key, value in options.items() for word in (f"--{key}", value)]
        Path("reads.fq").write_bytes(b"".join(bodies))
        expected = records(run(trawl, "map", "--quiet", *words, index, "reads.fq"))
        clock.ask("POST", path, bodies[0])  # makes the engine for these options
        clock.run(name, "POST", path, bodies, lambda answers: check(
            name, expected, [line for answer in answers for line in records(answer)]))


def measure_guides(trawl, index, clock, contigs, count):
    guides = [text[:20] for text in pieces(contigs, count, 23, lambda text: text.endswith("GG"))]
    some = guides[:20]
    Path("guides.txt").write_text("".join(guide + "\n" for guide in some))
    for edits in 0, 2, 4:
        options = {"pam": "NGG", "max-mismatches": edits, "format": "tsv"}
        path = "/scan?" + urlencode(options)
        run(trawl, "scan", "--quiet", "--pam", "NGG", "--max-mismatches", edits, "--order", "pattern", index,
            "guides.txt", "-o", "guides.tsv")
        expected = Path("guides.tsv").read_text().splitlines()[1:]
        name = f"one guide, NGG, {edits} mismatches"
        clock.run(name, "POST", path, [guide.encode() for guide in guides], lambda answers: check(
            name, expected, [line for answer in answers[:len(some)] for line in answer.decode().splitlines()[1:]]))


def measure_files(trawl, index, server, contigs, count):
    os.mkdir("files")
    files = []
    for n in range(count):
        path = Path(f"files/{n}.fq")
        path.write_text("".join(f"@f{n}_{i}\n{mutated(read, 1)}\n+\n{'I' * 100}\n"
                                for i, read in enumerate(pieces(contigs, 20, 100))))
        files.append(path)
    seconds, outputs = {}, {}
    connection = UnixConnection(server)
    for name, one in {
            "a start for each": lambda path: run(trawl, "map", "--quiet", index, path),
            "trawl map --server": lambda path: run(trawl, "map", "--quiet", "--server", server, index, path),
            "POST": lambda path: ask(connection, "POST", "/map", path.read_bytes())}.items():
        begin = time.perf_counter()
        outputs[name] = [one(path) for path in files]
        seconds[name] = time.perf_counter() - begin
        check(name, outputs["a start for each"], outputs[name])
    first = seconds["a start for each"]
    print(f"\n{count} files of 20 reads\tseconds\tratio")
    for name, time_of in seconds.items():
        print(f"{name}\t{time_of:.2f}\t{first / time_of:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fasta", help="the reference, as plain FASTA")
    parser.add_argument("--trawl", default="trawl")
    parser.add_argument("--queries", type=int, default=2000, help="queries of one read")
    parser.add_argument("--guides", type=int, default=200, help="queries of one guide")
    parser.add_argument("--files", type=int, default=1000, help="small FASTQ files; 0: none")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    trawl = os.path.abspath(arguments.trawl) if os.sep in arguments.trawl else arguments.trawl
    fasta = os.path.abspath(arguments.fasta)
    contigs = read_contigs(fasta)
    with tempfile.TemporaryDirectory(prefix="trawl_serve_") as folder:
        os.chdir(folder)
        run(trawl, "index", "--quiet", fasta, "-o", "index")
        server = Path(folder, "socket")
        process = subprocess.Popen([trawl, "serve", "--quiet", "index", "--socket", server, "-t",
                                    str(arguments.threads)])
        try:
            while not server.exists():
                if process.poll() is not None:
                    sys.exit("the server ended")
                time.sleep(0.05)
            clock = Clock(process, UnixConnection(server))
            print("query\tqueries\tp50\tp99\tlargest\tCPU (ms)")
            clock.run("GET /health", "GET", "/health", [None] * 1000)
            measure_reads(trawl, "index", clock, contigs, arguments.queries)
            measure_guides(trawl, "index", clock, contigs, arguments.guides)
            if arguments.files:
                measure_files(trawl, "index", server, contigs, arguments.files)
        finally:
            process.terminate()
            process.wait()
            os.chdir("/")


if __name__ == "__main__":
    main()
