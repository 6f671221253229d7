"""Checks the data in a page of --report-html against the output of the same run."""

import collections
import itertools
import json
import re
from pathlib import Path

from tools import operations, read_fasta, read_json, records, reverse_complement, rows

CHANGING = {"seconds", "wall_seconds", "reads_per_second", "peak_resident_bytes", "command_line", "threads", "ranks",
            "engine", "sort"}
WINDOW, SHOWN_RECORDS, FLANK, SITES, LONGEST = 500, 100, 50, 20, 400


def check(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: found {str(found)[:600]}, expected {str(expected)[:600]}")


def data_of(path):
    (json_text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', Path(path).read_text(), re.S)
    for mark in "<>&":
        check(f"{mark} in the data", json_text.count(mark), 0)
    return json.loads(json_text)


def steady(stats):
    return {key: value for key, value in stats.items() if key not in CHANGING}


def contigs_of(path):
    return {name: letters.upper() for name, letters in read_fasta(path).items()}


# --- coverage ---

def check_bins(coverage, key, lengths, counts):
    """`counts`: by contig, a list of what each base has."""
    width = coverage["bin"]
    bins = sum(-(-length // width) for length in lengths.values())
    assert bins <= 16384 + len(lengths), bins
    smaller = sum(-(-length // (width // 2)) for length in lengths.values()) if width > 1 else None
    assert smaller is None or smaller > 16384 + len(lengths), "bins are wider than needed"
    check("contigs", [(one["name"], one["length"]) for one in coverage["contigs"]],
          [(name, length) for name, length in lengths.items()])
    for one in coverage["contigs"]:
        of_bases = counts[one["name"]]
        check(f"{key} of {one['name']}", one[key],
              [sum(of_bases[at:at + width]) for at in range(0, one["length"], width)])


# --- map ---

Record = collections.namedtuple("Record", "read order name flag contig start cigar seq mapq edits")


def read_sam(path):
    """Mapped records; secondary ones take the bases of their read from its primary record."""
    found, reads, seen, names = [], {}, collections.Counter(), {}
    for one in records(path):
        number = names.setdefault(one.name, len(names)) * (2 if one.flag & 1 else 1) + (one.flag >> 7 & 1)
        if one.flag & 4:
            continue
        if not one.flag & 0x900:
            reads[number] = reverse_complement(one.bases) if one.flag & 16 else one.bases
        found.append(Record(number, seen[number], one.name, one.flag, one.contig, one.position - 1, one.cigar, None, one.mapq,
                            one.tags["NM"]))
        seen[number] += 1
    return [one._replace(seq=reverse_complement(reads[one.read]) if one.flag & 16 else reads[one.read]) for one in found]


def columns(record):
    """(position, letter, operation) of each column, clipped ones as if they were aligned; an insertion lies before its
    position."""
    at, base = record.start, 0
    for length, op in operations(record.cigar):
        if op == "S" and base == 0:
            at -= length
        for _ in range(length):
            if op in "M=XS":
                yield at, record.seq[base], op
                at, base = at + 1, base + 1
            elif op == "I":
                yield at, record.seq[base], op
                base += 1
            elif op == "D":
                yield at, "", op
                at += 1


def span(record):
    return sum(length for length, op in operations(record.cigar) if op in "MDN=X")


def in_window(record, begin, end):
    kept = [(at, letter, op) for at, letter, op in columns(record)
            if (begin < at < end if op == "I" else begin <= at < end)]
    cigar = "".join(f"{len(list(group))}{op}" for op, group in itertools.groupby(op for _, _, op in kept))
    return [record.name, next(at for at, _, op in kept if op not in "IS"), cigar, "".join(letter for _, letter, _ in kept),
            record.flag, record.mapq, record.edits]


def check_map(page, stats_path, sam, fasta):
    data = data_of(page)
    check("statistics", steady(data["stats"]), steady(read_json(stats_path)))
    reference = contigs_of(fasta)
    lengths = {name: len(letters) for name, letters in reference.items()}
    found = read_sam(sam)
    plain = [one for one in found if not one.flag & 0x800]

    by_read = collections.defaultdict(list)
    for one in plain:
        by_read[one.read].append(one.edits)
    strata = collections.Counter(edits - min(of_read) for of_read in by_read.values() for edits in of_read)
    check("strata", data["records_by_stratum"], [strata[d] for d in range(max(strata) + 1)])
    numbers = collections.Counter(len(of_read) for of_read in by_read.values())
    for name, count in data["records_by_read"].items():
        first, last = (int(name[:-1]), 10 ** 9) if name.endswith("+") else (int(part) for part in
                                                                           (name.split("-") * 2)[:2])
        check(f"reads with {name} records", count, sum(numbers[n] for n in numbers if first <= n <= last))

    depth = {key: {name: [0] * (length + 1) for name, length in lengths.items()} for key in ("all", "primary")}
    for one in found:
        for key in ("all", "primary"):
            if key == "all" or not one.flag & 0x100:
                depth[key][one.contig][one.start] += 1
                depth[key][one.contig][one.start + span(one)] -= 1
    depth = {key: {name: list(itertools.accumulate(changes))[:-1] for name, changes in contigs.items()}
             for key, contigs in depth.items()}
    for key in ("all", "primary"):
        check_bins(data["coverage"], key, lengths, depth[key])

    windows = data["browser"]["windows"]
    overlapping = collections.Counter(
        (one.contig, index * WINDOW) for one in found
        for index in range(one.start // WINDOW, (one.start + span(one) - 1) // WINDOW + 1))
    check("how many windows", len(windows), min(24, len(overlapping)))
    if len(overlapping) <= 200:  # all are taken
        shown = sorted(overlapping[(one["contig"], one["begin"])] for one in windows)
        check("the windows with the most records", shown[-12:], sorted(overlapping.values())[-12:])
    for window in windows:
        contig, begin, end = window["contig"], window["begin"], window["end"]
        place = f"{contig}:{begin}-{end}: "
        inside = [one for one in found if one.contig == contig and one.start < end and one.start + span(one) > begin]
        check(place + "letters", window["letters"], reference[contig][begin:end])
        check(place + "records", window["records"], len(inside))
        check(place + "depth", window["depth"], depth["all"][contig][begin:end])
        check(place + "depth of primary records", window["primary_depth"], depth["primary"][contig][begin:end])
        inside.sort(key=lambda one: (one.flag & 0x100, one.read, one.order))
        most = SHOWN_RECORDS * -(-(end - begin) // WINDOW)
        check(place + "alignments", window["alignments"], [in_window(one, begin, end) for one in inside[:most]])


# --- scan ---

def check_scan(page, stats_path, bed, fasta):
    data = data_of(page)
    stats = read_json(stats_path)
    of_patterns = stats["records"].pop("by_pattern")
    check("statistics", steady(data["stats"]), steady(stats))
    reference = contigs_of(fasta)
    number = {name: n for n, name in enumerate(reference)}
    sites = collections.defaultdict(list)
    starts = {name: [0] * len(letters) for name, letters in reference.items()}
    for contig, start, end, name, _, strand, distance, cigar, *_ in rows(bed):
        sites[name].append((int(distance), number[contig], int(start), strand == "-", int(end), contig, cigar))
        starts[contig][int(start)] += 1
    check_bins(data["coverage"], "all", {name: len(letters) for name, letters in reference.items()}, starts)
    check("patterns", [(one["name"], one["by_distance"]) for one in data["patterns"]],
          [(one["name"], one["by_distance"]) for one in of_patterns][:10000])
    for pattern in data["patterns"][:500]:
        check("letters of a pattern that can be drawn", "letters" in pattern, pattern["length"] <= LONGEST)
        closest = sorted(sites[pattern["name"]])[:SITES]
        check(f"sites of {pattern['name']}",
              [(contig, start, end, strand, distance) for contig, start, end, strand, distance, *_ in pattern["sites"]],
              [(contig, start, end, int(strand), distance) for distance, _, start, strand, end, contig, _ in closest])
        for (contig, start, end, strand, distance, mismatches, dna, rna, cigar, text), one in zip(pattern["sites"], closest):
            if "letters" not in pattern or (cigar == "" and distance == 0):
                continue
            check("the letters of a site", text, (reverse_complement if strand else str)(reference[contig][start:end]))
            check("the CIGAR of a site", cigar, one[6])
            check("the edits of a site", mismatches + dna + rna, distance)
    for window in data["browser"]["windows"]:
        check("the letters of a window", window["letters"], reference[window["contig"]][window["begin"]:window["end"]])
    held = {(window["contig"], at) for window in data["browser"]["windows"]
            for at in range(window["begin"], window["end"])}
    if data["browser"]["windows"]:
        for pattern in data["patterns"][:500]:
            for contig, start, end, *_ in pattern["sites"]:
                if end - start > LONGEST:
                    continue
                for at in (max(0, start - FLANK), min(end + FLANK, len(reference[contig])) - 1):
                    check("a window around each site", (contig, at) in held, True)


def check_same(first, *others):
    def without_times(path):
        data = data_of(path)
        return {**data, "stats": steady(data["stats"]), "files": {**data["files"], "output": None}}
    for other in others:
        check(f"{other}, as {first}", without_times(other), without_times(first))
