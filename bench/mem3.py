#!/usr/bin/env python3
"""mem3.py THREADS INDEX OUT.sam 1.fq 2.fq: pairs through the Python package bwa-mem3 (pip install bwa-mem3; PyPI has no
program of it), with an index of bwa-mem2. samtools writes the SAM."""

import collections
import concurrent.futures
import itertools
import subprocess
import sys

import bwa_mem3 as mem3

PAIRS = 10_000  # of a batch


def batches(first: str, second: str):
    with open(first, "rb") as one, open(second, "rb") as two:
        while lines := [(a.rstrip(b"\n"), b.rstrip(b"\n")) for a, b in itertools.islice(zip(one, two), 4 * PAIRS)]:
            yield [mem3.ReadPair(names[0][1:], bases[0], names[1][1:], bases[1], *qualities)
                   for names, bases, _, qualities in zip(*[iter(lines)] * 4)]


def main():
    threads, prefix, output, *reads = sys.argv[1:]
    index, options = mem3.BwaIndex(prefix), mem3.MemOpts()
    options.set_pe(True)
    contigs = index.contigs()
    with concurrent.futures.ThreadPoolExecutor(int(threads)) as pool, \
            subprocess.Popen(["samtools", "view", "-h", "-o", output, "-"], stdin=subprocess.PIPE) as sam:
        text = "".join(f"@SQ\tSN:{name}\tLN:{length}\n" for name, length in contigs).encode()
        sam.stdin.write(b"BAM\1" + len(text).to_bytes(4, "little") + text + len(contigs).to_bytes(4, "little"))
        for name, length in contigs:
            sam.stdin.write((len(name) + 1).to_bytes(4, "little") + name.encode() + b"\0" + length.to_bytes(4, "little"))
        running = collections.deque()
        for batch in itertools.chain(batches(*reads), [None] * 2 * int(threads)):  # at the end, only their results
            if batch:
                running.append(pool.submit(mem3.align_batch, index, options, batch))
            if running and (batch is None or len(running) == 2 * int(threads)):
                sam.stdin.writelines(record.bytes for record in running.popleft().result()[0])
    if sam.returncode != 0:
        sys.exit("mem3.py: samtools failed")


if __name__ == "__main__":
    main()
