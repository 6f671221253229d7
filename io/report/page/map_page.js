// The page of trawl map.

// [[0, 12], [1, 3], ...]: what occurs how often.
function indexed(counts) {
  return counts.map((count, i) => [i, count]);
}

function named(counts) {
  return Object.entries(counts);
}

// Pairs of two lists of counts by distance, of which one may be longer.
function together(first, second) {
  return Array.from({length: Math.max(first.length, second.length)}, (_, i) => [i, first[i] || 0, second[i] || 0]);
}

function insertBars(histogram) {
  const bars = histogram.counts.map((count, i) => [histogram.first + i * histogram.bin, count]);
  return histogram.smaller + histogram.larger > 0
      ? [["smaller", histogram.smaller], ...bars, ["larger", histogram.larger]] : bars;
}

function mapSummary(data) {
  const {reads} = data.stats;
  return `${number(reads.total)} reads, ${percent(reads.mapped, reads.total)} mapped`;
}

// Of reads that are unmapped because their mates do not fit, it is not known how many have one best locus.
function readShares(reads) {
  const one = reads.by_best_loci["1"];
  const mapped = reads.unmapped_discordant > 0
      ? [["mapped", reads.mapped], ["mates do not fit", reads.unmapped_discordant]]
      : [["one best locus", one], ["several best loci", reads.mapped - one]];
  return [...mapped, ["no locus", reads.unmapped_no_locus], ["too short", reads.unmapped_too_short]];
}

// What to try for the reads that are not mapped; empty if all are.
function adviceForUnmapped(stats) {
  const {reads} = stats;
  const clips = stats.seconds.clip !== undefined;
  const advice = [];
  if (reads.unmapped_no_locus > 0) {
    advice.push(`Reads that fit nowhere within the edits allowed: ${number(reads.unmapped_no_locus)}. To map more, try a ` +
                `larger -e${clips ? "" : ", --clip 30% if the ends may be adapters or bad"}, or another reference if ` +
                "they may be of another species.");
  }
  if (reads.unmapped_too_short > 0) {
    advice.push(`Reads that are too short, so that they fit at very many places by chance: ` +
                `${number(reads.unmapped_too_short)}. A smaller -e, or --min-length 1, maps them.`);
  }
  if (reads.unmapped_discordant > 0) {
    advice.push(`Reads that fit, but not together with their mates: ${number(reads.unmapped_discordant)}. Leave out ` +
                "--discordant never and --one-end never to see them.");
  }
  return advice.join(" ");
}

function mapResults(data) {
  const {reads, alignments, pairs, clipped} = data.stats;
  const section = addSection("results", "Results");
  section.append(tiles([
    [number(reads.total), "reads", "reads-total"],
    [percent(reads.mapped, reads.total), "mapped", "reads-mapped"],
    [number(alignments.total), "records of mapped reads", "records-total"],
    ...(pairs === undefined ? [] : [[number(pairs.total), "pairs", "pairs-total"],
                                    [percent(pairs.concordant, pairs.total), "concordant", "pairs-concordant"]]),
    ...(clipped.reads === 0 ? [] : [[number(clipped.reads), "reads clipped", "reads-clipped"]]),
    [secondsText(data.stats.wall_seconds), "wall time", null]
  ]));
  section.append(element("div", {class: "charts"},
      shareBar("reads-shares", "Reads", readShares(reads)),
      pairs === undefined || pairs.total === 0 ? null : shareBar("pairs-shares", "Pairs", [
        ["concordant", pairs.concordant], ["discordant", pairs.discordant],
        ["one mate mapped", pairs.one_end], ["unmapped", pairs.unmapped]
      ])));
  const advice = adviceForUnmapped(data.stats);
  if (advice !== "") {
    section.append(element("p", {class: "note", id: "unmapped-advice"}, advice));
  }
  if (alignments.dropped_by_max_hits > 0) {
    section.append(note(`--max-hits left out ${number(alignments.dropped_by_max_hits)} records of ` +
                        `${number(alignments.reads_with_dropped)} reads.`));
  }
}

function mapCharts(data) {
  const {reads, alignments, clipped, insert} = data.stats;
  const section = addSection("figures", "Figures");
  section.append(...barCharts(
      {id: "distances", title: "Edit distances", series: ["primary records", "all records"], x: "edits",
       bars: together(alignments.primary_by_distance, alignments.all_by_distance)},
      {id: "loci", title: "Best loci of a read", series: ["reads"], x: "loci",
       note: "Loci with the fewest edits (SAM tag X0); 0: unmapped.", bars: named(reads.by_best_loci)},
      {id: "records-by-read", title: "Records of a read", series: ["reads"], x: "records",
       note: "What was reported (SAM tag NH), of mapped reads.", bars: named(data.records_by_read).slice(1)},
      {id: "strata", title: "Edits more than the best record", series: ["records"], x: "edits",
       note: "How much worse each record is than the best one of its read.", bars: indexed(data.records_by_stratum)},
      ...(clipped.reads === 0 ? [] : [{
        id: "clipped", title: "Clipped lengths", series: ["reads"], x: "bases",
        note: "Bases that the primary record leaves out at both ends together, of clipped reads.",
        bars: named(clipped.reads_by_bases).slice(1)}]),
      {id: "mapq", title: "Mapping qualities", series: ["primary records"], x: "MAPQ", logarithmic: true,
       note: "The scale is logarithmic.", bars: indexed(alignments.primary_by_mapq)},
      ...(insert === undefined ? [] : [insertChart(insert)])));
}

function insertChart(insert) {
  const numbers = insert.mean === undefined ? "" : ` Mean ${insert.mean}, standard deviation ` +
      `${insert.standard_deviation}` + (insert.other_standard_deviation === 0 ? "" : "; others have mean " +
      `${insert.other_mean}, standard deviation ${insert.other_standard_deviation}`) +
      `; from ${number(insert.pairs_used)} of the first pairs.`;
  return {id: "inserts", title: "Insert sizes", series: ["pairs"], x: "outer distance of the mates",
          note: "Of the primary concordant pairs." + numbers, bars: insertBars(insert.concordant_histogram)};
}

function mapCoverage(data) {
  const section = addSection("coverage", "Coverage along the contigs");
  const {coverage} = data;
  const shown = coverageRows(coverage, [{key: "all", className: "depth-all"},
                                        {key: "primary", className: "depth-primary"}], true);
  section.append(
      note(`Mean depth in bins of ${number(coverage.bin)} bases. ${shown.scale} A column stands for its deepest bin.` +
           (coverage.others.contigs > 0 ? ` The ${coverage.contigs.length} longest contigs; the other ` +
           `${number(coverage.others.contigs)} have ${basesText(coverage.others.length)} and a mean depth of ` +
           `${(coverage.others.all / Math.max(1, coverage.others.length)).toPrecision(3)}.` : "")),
      legend(["primary records", "all records"], ["depth-primary", "depth-all"]), shown.controls, shown.rows,
      folded("Numbers", table("Bases covered by records", ["contig", "length", "by primary records", "by all records",
                                                           "mean depth of all"],
          coverage.contigs.map((contig) => [contig.name, contig.length, sum(contig.primary), sum(contig.all),
                                            sum(contig.all) / contig.length]))));
}

function mapWindows(data) {
  return data.browser.windows.map((window) => ({
    ...window,
    primaryDepth: window.primary_depth,
    title: placeText(window.contig, window.begin, window.end) + ", " + number(window.records) + " records",
    alignments: window.alignments.map(([name, start, cigar, letters, flag, mapq, edits]) => ({
      name, start, cigar, letters, reverse: (flag & 16) !== 0, secondary: (flag & 256) !== 0,
      about: `${name}, ${flag & 16 ? "reverse" : "forward"}, ${flag & 256 ? "secondary" : flag & 2048
          ? "supplementary" : "primary"} record, ${edits} edits` + (flag & 256 ? "" : `, MAPQ ${mapq}`)
    }))
  }));
}

function mapBrowser(data) {
  const section = addSection("browser", "Genome browser");
  const windows = mapWindows(data);
  const {window_bases: windowBases, taken, deepest, shown} = data.browser;
  if (windows.length === 0) {
    section.append(note("No read was mapped."));
    return;
  }
  section.append(
      note(data.browser.chosen === "regions" ? "The regions of --report-regions."
          : `Windows of ${windowBases} bases. Of up to ${taken} windows with records that were taken by chance, these ` +
            `are the ${deepest} with the most records, and ${shown - deepest} others; of a small reference all are ` +
            "taken. --report-regions shows other places."),
      note(`Of each ${windowBases} bases up to ${data.browser.most_alignments} records are drawn, primary ones first; the ` +
           "depth counts all. A bar points to the read's end; dashed bars are secondary records. Coloured letters differ " +
           "from the reference, a thin line is a deletion, I is an insertion. Clipped ends are not drawn."));
  const bases = "ACGT";
  const same = data.ambiguous_matches ? (a, b) => (iupac(a) & iupac(b)) !== 0 : (a, b) => a === b && bases.includes(a);
  new GenomeBrowser(section, windows, {nameOfOne: "alignment", same});
}
