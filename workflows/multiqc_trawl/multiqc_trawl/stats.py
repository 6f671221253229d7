"""What a report shows of a --stats file, as plain dictionaries. Needs no MultiQC.

    stats = json.load(open("liver.trawl.json"))
    kind_of(stats)                                  # "map"
    percent_by_number(stats["alignments"]["primary_by_distance"])   # {0: 61.5, 1: 38.5}
"""


def kind_of(stats):
    """The command that wrote the file: "map", "scan", or None if the file is of another program."""
    if isinstance(stats, dict):
        if "reads" in stats and "alignments" in stats:
            return "map"
        if "patterns" in stats and "records" in stats:
            return "scan"
    return None


def share(part, whole):
    return part / whole if whole else 0.0


def by_number(counts):
    """{0: 5, 1: 2} of [5, 2]. A run without reads has an empty list; its line is one point."""
    return dict(enumerate(counts)) or {0: 0}


def percent_by_number(counts):
    whole = sum(counts)
    return {number: 100 * share(count, whole) for number, count in by_number(counts).items()}


def map_summary(stats):
    reads, alignments = stats["reads"], stats["alignments"]
    edits = sum(d * count for d, count in enumerate(alignments["primary_by_distance"]))
    summary = {
        "map_reads": reads["total"],
        "map_mapped": 100 * share(reads["mapped"], reads["total"]),
        "map_edits": share(edits, reads["mapped"]),
        "map_records": share(alignments["total"], reads["mapped"]),
    }
    if stats.get("pairs", {}).get("total"):
        summary["map_concordant"] = 100 * share(stats["pairs"]["concordant"], stats["pairs"]["total"])
        summary["map_insert"] = stats["insert"]["mean"]
    return summary


def mapped_reads(stats):
    reads = stats["reads"]
    return {
        "mapped": reads["mapped"],
        "discordant": reads.get("unmapped_discordant", 0),
        "no_locus": reads["unmapped_no_locus"],
        "too_short": reads["unmapped_too_short"],
    }


def insert_sizes(stats):
    """Counts of the primary concordant pairs, by the size in the middle of each bin."""
    histogram = stats["insert"]["concordant_histogram"]
    middle = histogram["first"] + (histogram["bin"] - 1) / 2
    return {middle + i * histogram["bin"]: count for i, count in enumerate(histogram["counts"])}


def scan_summary(stats):
    return {
        "scan_patterns": stats["patterns"]["total"] - stats["patterns"]["not_searched"],
        "scan_records": stats["records"]["total"],
    }


def pattern_rows(stats):
    """{name: {"d0": 1, "d1": 7}}: records of each pattern by distance; without those that were not searched."""
    rows = {}
    for pattern in stats["records"]["by_pattern"]:
        if pattern["by_distance"] is not None:
            rows[pattern["name"]] = {f"d{d}": count for d, count in enumerate(pattern["by_distance"])}
    return rows
