"""What differs between two outputs of the same command: the records, without @PG lines, not the bytes."""

import collections
import gzip
import itertools
import shutil
import subprocess

INDEXES = (".bai", ".csi", ".crai")
HAS_SAMTOOLS = shutil.which("samtools") is not None


class CannotRead(Exception):
    """Why the records of a file cannot be compared."""


def samtools_view(*arguments):
    if not HAS_SAMTOOLS:
        raise CannotRead("samtools is missing (Debian: samtools)")
    run = subprocess.run(["samtools", "view", *map(str, arguments)], capture_output=True, text=True)
    return run.stdout.splitlines() + ([f"samtools: {run.stderr.strip()}"] if run.returncode else [])


def parts_of(path, reference, contig):
    """{what: lines} of an output. Of an index, the records that it finds on the contig."""
    if path.suffix == ".trawl":
        return {}
    if path.suffix in INDEXES:
        return {"records of " + contig: samtools_view("-T", reference, path.with_suffix(""), contig)}
    if path.suffix in (".bam", ".cram"):
        lines = samtools_view("-h", "-T", reference, path)
    elif path.suffix == ".gz":
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    else:
        lines = path.read_text().splitlines()
    is_sam = path.suffix in (".sam", ".bam", ".cram") or (lines and lines[0].startswith("@HD\t"))
    if not is_sam:
        return {"lines": lines}
    header = list(itertools.takewhile(lambda line: line.startswith("@"), lines))
    return {"header": [line for line in header if not line.startswith("@PG\t")], "records": lines[len(header):]}


def columns_that_differ(old, new):
    pairs = list(itertools.zip_longest(old.split("\t"), new.split("\t")))
    numbers = [number for number, (one, other) in enumerate(pairs, 1) if one != other]
    return f", column {', '.join(map(str, numbers))}" if 1 < len(pairs) and len(numbers) < len(pairs) else ""


def difference(what, old, new):
    """Lines that say how many of the old and new lines differ, and show the first; empty if none does."""
    if old == new:
        return []
    old_counts, new_counts = collections.Counter(old), collections.Counter(new)
    lost, added = (old_counts - new_counts).total(), (new_counts - old_counts).total()
    if lost or added:
        told = f"{what}: {lost} of {len(old)} of OLD are not in NEW, {added} of {len(new)} of NEW are not in OLD"
    else:
        told = f"{what}: the same {len(old)}, in another order"
    missing = "(no more)"
    number, one, other = next((number, one, other) for number, (one, other) in
                              enumerate(itertools.zip_longest(old, new, fillvalue=missing), 1) if one != other)
    columns = "" if missing in (one, other) else columns_that_differ(one, other)
    return [f"{told}; first: number {number}{columns}", f"  OLD  {one}", f"  NEW  {other}"]


def difference_of_files(old, new, reference, contig):
    """The same of all outputs in two folders."""
    names = sorted({path.name for folder in (old, new) for path in folder.iterdir()})
    told = []
    for name in names:
        if not (old / name).exists() or not (new / name).exists():
            told.append(f"{name}: only {'NEW' if (new / name).exists() else 'OLD'} wrote it")
            continue
        old_parts, new_parts = (parts_of(folder / name, reference, contig) for folder in (old, new))
        for what in sorted({*old_parts, *new_parts}):
            told += difference(f"{name}: {what}", old_parts.get(what, []), new_parts.get(what, []))
    return told
