import json
import logging

from multiqc.base_module import BaseMultiqcModule, ModuleNoSamplesFound
from multiqc.plots import bargraph, linegraph, table

from . import stats as trawl_stats

log = logging.getLogger(__name__)

MOST_PATTERNS = 500  # rows of the table; with more, the report would be slow to open


class MultiqcModule(BaseMultiqcModule):
    """Files of `trawl map --stats` and `trawl scan --stats` whose names end in `.trawl.json`."""

    def __init__(self):
        super().__init__(
            name="Trawl",
            anchor="trawl",
            info="finds every place where a read or a pattern occurs within an edit distance.",
        )
        runs = {"map": {}, "scan": {}}
        for f in self.find_log_files("trawl"):
            try:
                stats = json.loads(f["f"])
            except ValueError as error:
                log.warning(f"{f['fn']} is not JSON: {error}")
                continue
            kind = trawl_stats.kind_of(stats)
            if kind is None:
                log.warning(f"{f['fn']} is not of trawl map --stats or trawl scan --stats")
                continue
            sample = self.clean_s_name(f["fn"].removesuffix(".trawl.json"), f)
            if sample in runs[kind]:
                log.debug(f"Duplicate sample name found! Overwriting: {sample}")
            runs[kind][sample] = stats
            self.add_data_source(f, sample, section=kind)
            self.add_software_version(stats.get("version"), sample)
        self.maps = self.ignore_samples(runs["map"])
        self.scans = self.ignore_samples(runs["scan"])
        if not self.maps and not self.scans:
            raise ModuleNoSamplesFound
        log.info(f"Found {len(self.maps)} of trawl map, {len(self.scans)} of trawl scan")
        if self.maps:
            self.add_map_columns()
            self.add_mapped_reads()
            self.add_distances()
            self.add_loci()
            self.add_mapping_qualities()
            self.add_pairs()
        if self.scans:
            self.add_scan_columns()
            self.add_scan_distances()
            self.add_patterns()

    def of_each(self, runs, function):
        return {sample: function(stats) for sample, stats in runs.items()}

    def add_map_columns(self):
        data = self.of_each(self.maps, trawl_stats.map_summary)
        percent = {"min": 0, "max": 100, "suffix": "%", "scale": "RdYlGn"}
        self.general_stats_addcols(
            data,
            {
                "map_reads": {
                    "title": "Reads",
                    "description": "Reads; a pair has two",
                    "format": "{:,.0f}",
                    "scale": "Blues",
                },
                "map_mapped": {"title": "Mapped", "description": "Reads with at least one record", **percent},
                "map_concordant": {"title": "Concordant", "description": "Pairs whose mates fit together", **percent},
                "map_insert": {
                    "title": "Insert",
                    "description": "Mean insert size, from the first pairs",
                    "suffix": " bp",
                    "format": "{:,.0f}",
                    "scale": "Purples",
                    "hidden": True,
                },
                "map_edits": {
                    "title": "Edits",
                    "description": "Mean edits of the primary records",
                    "format": "{:,.2f}",
                    "scale": "Oranges",
                },
                "map_records": {
                    "title": "Records",
                    "description": "Records of each mapped read, with the secondary ones",
                    "format": "{:,.2f}",
                    "scale": "Greens",
                },
            },
        )
        self.write_data_file(data, "multiqc_trawl_map")

    def add_mapped_reads(self):
        self.add_section(
            name="Mapped reads",
            anchor="trawl-mapped",
            description="Reads with at least one record, and why others have none.",
            plot=bargraph.plot(
                self.of_each(self.maps, trawl_stats.mapped_reads),
                {
                    "mapped": {"name": "Mapped", "color": "#437bb1"},
                    "discordant": {"name": "Discordant, left out by --discordant never", "color": "#e4b84b"},
                    "no_locus": {"name": "No locus within the allowed edits", "color": "#b1084c"},
                    "too_short": {"name": "Too short", "color": "#7f0000"},
                },
                {"id": "trawl_mapped_plot", "title": "Trawl: Mapped reads", "ylab": "Reads"},
            ),
        )

    def add_distances(self):
        def counts(stats):
            return stats["alignments"]["primary_by_distance"]

        self.add_counts_by_number("distance", "Edit distance", "Edits", counts, "Edits of the primary record")

    def add_mapping_qualities(self):
        def counts(stats):
            return stats["alignments"]["primary_by_mapq"]

        self.add_counts_by_number(
            "mapq", "Mapping quality", "MAPQ", counts, "MAPQ, computed from all loci of the read, of the primary record"
        )

    def add_counts_by_number(self, what, name, axis, counts, description):
        percents = self.of_each(self.maps, lambda stats: trawl_stats.percent_by_number(counts(stats)))
        numbers = self.of_each(self.maps, lambda stats: trawl_stats.by_number(counts(stats)))
        self.add_section(
            name=name,
            anchor=f"trawl-{what}",
            description=f"{description} of each mapped read.",
            plot=linegraph.plot(
                [percents, numbers],
                {
                    "id": f"trawl_{what}_plot",
                    "title": f"Trawl: {name}",
                    "xlab": axis,
                    "ylab": "% of mapped reads",
                    "ymin": 0,
                    "data_labels": [
                        {"name": "Percent", "ylab": "% of mapped reads"},
                        {"name": "Reads", "ylab": "Reads"},
                    ],
                },
            ),
        )

    def add_loci(self):
        reads = self.of_each(self.maps, lambda stats: stats["reads"]["by_best_loci"])
        bins = next(iter(reads.values()))
        self.add_section(
            name="Loci per read",
            anchor="trawl-loci",
            description="How many loci each read has with the smallest number of edits. 0: the read is not mapped; "
            "unknown: it was found near its mate or by words of it only.",
            helptext="These are the `X0` of the records; unknown ones have `XT:Z:M` or `XT:Z:A`. They do not depend on "
            "`--report`. A mate counts as a read of its own.",
            plot=bargraph.plot(
                reads, list(bins), {"id": "trawl_loci_plot", "title": "Trawl: Loci per read", "ylab": "Reads"}
            ),
        )

    def add_pairs(self):
        paired = {sample: stats for sample, stats in self.maps.items() if stats.get("pairs", {}).get("total")}
        if not paired:
            return
        self.add_section(
            name="Pairs",
            anchor="trawl-pairs",
            description="Concordant pairs fit together in orientation and insert size. Of discordant ones both mates "
            "have loci, but no two of them fit together.",
            plot=bargraph.plot(
                self.of_each(paired, lambda stats: stats["pairs"]),
                {
                    "concordant": {"name": "Concordant", "color": "#437bb1"},
                    "discordant": {"name": "Discordant", "color": "#e4b84b"},
                    "one_end": {"name": "One mate mapped", "color": "#f28e2b"},
                    "unmapped": {"name": "Not mapped", "color": "#b1084c"},
                },
                {"id": "trawl_pairs_plot", "title": "Trawl: Pairs", "ylab": "Pairs"},
            ),
        )
        self.add_section(
            name="Insert sizes",
            anchor="trawl-insert",
            description="Bases from the outer end of one mate to that of the other, of the primary concordant pairs.",
            plot=linegraph.plot(
                self.of_each(paired, trawl_stats.insert_sizes),
                {
                    "id": "trawl_insert_plot",
                    "title": "Trawl: Insert sizes",
                    "xlab": "Insert size",
                    "ylab": "Pairs",
                    "ymin": 0,
                },
            ),
        )

    def add_scan_columns(self):
        data = self.of_each(self.scans, trawl_stats.scan_summary)
        self.general_stats_addcols(
            data,
            {
                "scan_patterns": {
                    "title": "Patterns",
                    "description": "Patterns searched",
                    "format": "{:,.0f}",
                    "scale": "Blues",
                },
                "scan_records": {
                    "title": "Sites",
                    "description": "Records of all patterns",
                    "format": "{:,.0f}",
                    "scale": "Greens",
                },
            },
        )
        self.write_data_file(data, "multiqc_trawl_scan")

    def add_scan_distances(self):
        self.add_section(
            name="Distance of sites",
            anchor="trawl-scan-distance",
            description="Records of all patterns, by their distance from the pattern.",
            plot=linegraph.plot(
                self.of_each(self.scans, lambda stats: trawl_stats.by_number(stats["records"]["by_distance"])),
                {
                    "id": "trawl_scan_distance_plot",
                    "title": "Trawl: Distance of sites",
                    "xlab": "Distance",
                    "ylab": "Records",
                    "ymin": 0,
                },
            ),
        )

    def add_patterns(self):
        rows = {}
        for sample, stats in self.scans.items():
            for name, counts in trawl_stats.pattern_rows(stats).items():
                rows[f"{sample} {name}" if len(self.scans) > 1 else name] = counts
        if not rows:
            return
        distances = max(len(counts) for counts in rows.values())
        note = f" The first {MOST_PATTERNS} of {len(rows):,} patterns." if len(rows) > MOST_PATTERNS else ""
        self.add_section(
            name="Patterns",
            anchor="trawl-patterns",
            description="Records of each pattern, by their distance from it." + note,
            plot=table.plot(
                dict(list(rows.items())[:MOST_PATTERNS]),
                {
                    f"d{d}": {
                        "title": f"{d}",
                        "description": f"Records with distance {d}",
                        "format": "{:,.0f}",
                        "scale": "Reds",
                    }
                    for d in range(distances)
                },
                {"id": "trawl_patterns_table", "title": "Trawl: Patterns", "col1_header": "Pattern"},
            ),
        )
