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
  const {"1": one, unknown} = reads.by_best_loci;
  const mapped = reads.unmapped_discordant > 0
      ? [["mapped", reads.mapped], ["mates do not fit", reads.unmapped_discordant]]
      : [["one best locus", one], ["several best loci", reads.mapped - one - unknown],
         ...(unknown > 0 ? [["other loci not searched", unknown]] : [])];
  return [...mapped, ["no locus", reads.unmapped_no_locus], ["too short", reads.unmapped_too_short],
          ...(reads.unmapped_many_loci > 0 ? [["too many loci", reads.unmapped_many_loci]] : [])];
}

// A sentence about discordant pairs; empty if there are none with two records.
function whyDiscordant(pairs, insert) {
  const reasons = [
    [pairs.discordant_on_two_contigs, "have their mates on two contigs"],
    [pairs.discordant_turned, "lie in another orientation"],
    [pairs.discordant_other_sizes, `have an insert size that is not from ${number(insert.min)} to ${number(insert.max)}`]
  ].filter(([count]) => count > 0).sort((a, b) => b[0] - a[0]);
  return reasons.length === 0 ? "" : "Of the discordant pairs " + reasons.map(([count, what]) =>
      `${number(count)} ${what}`).join(", ") + ", by their primary records. Many such pairs can mean a wrong --insert or " +
      "--orientation, joined fragments, or a sample that differs from the reference there.";
}

// Bars by edits: single ones, and from the first gap of three empty ones on in classes, where they are joined gaps.
function editBars(bars) {
  const isEmpty = (bar) => bar === undefined || bar.slice(1).every((value) => value === 0);
  const sparse = bars.findIndex((bar, i) => i > 0 && [0, 1, 2].every((n) => isEmpty(bars[i + n])));
  if (sparse < 0 || bars.length - sparse < 8) {
    return bars;
  }
  const classes = [10, 20, 50, 100, 1000, Infinity].filter((last) => last >= sparse);
  const ends = classes.map((last) => Math.min(last, bars.length - 1));
  const joined = ends.map((last, i) => {
    const first = i === 0 ? sparse : ends[i - 1] + 1;
    const part = bars.slice(first, last + 1);
    return [first === last ? String(first) : `${first}-${last}`,
            ...bars[0].slice(1).map((_, s) => sum(part.map((bar) => bar[s + 1])))];
  });
  return [...bars.slice(0, sparse), ...joined.filter((bar, i) => i === 0 || ends[i] > ends[i - 1])];
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
  if (reads.unmapped_many_loci > 0) {
    advice.push(`Reads with more loci than --max-loci allows: ${number(reads.unmapped_many_loci)}. A larger number maps ` +
                "them; -k in its place keeps some of their records.");
  }
  if (reads.unmapped_discordant > 0) {
    advice.push(`Reads that fit, but not together with their mates: ${number(reads.unmapped_discordant)}. Leave out ` +
                "--discordant never and --one-end never to see them.");
  }
  return advice.join(" ");
}

function mapResults(data) {
  const {reads, alignments, pairs, clipped, insert} = data.stats;
  const duplicates = data.stats.duplicates?.reads;
  const section = addSection("results", "Results");
  section.append(tiles([
    [number(reads.total), "reads", "reads-total"],
    ...(reads.sequences === undefined ? [] : [[number(reads.sequences), "different sequences", "reads-sequences"]]),
    [percent(reads.mapped, reads.total), "mapped", "reads-mapped"],
    [number(alignments.total), "records of mapped reads", "records-total"],
    ...(pairs === undefined ? [] : [[number(pairs.total), "pairs", "pairs-total"],
                                    [percent(pairs.concordant, pairs.total), "concordant", "pairs-concordant"]]),
    ...(clipped.reads === 0 ? [] : [[number(clipped.reads), "reads clipped", "reads-clipped"]]),
    ...(duplicates === undefined ? [] : [[percent(duplicates, reads.mapped), "duplicates", "reads-duplicates"]])
  ]));
  section.append(element("div", {class: "charts"},
      shareBar("reads-shares", "Reads", readShares(reads)),
      pairs === undefined || pairs.total === 0 ? null : shareBar("pairs-shares", "Pairs", [
        ["concordant", pairs.concordant], ["discordant", pairs.discordant],
        ["one mate mapped", pairs.one_end], ["unmapped", pairs.unmapped]
      ])));
  const discordant = pairs === undefined ? "" : whyDiscordant(pairs, insert);
  if (discordant !== "") {
    section.append(element("p", {class: "note", id: "why-discordant"}, discordant));
  }
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
  const {reads, alignments, clipped, insert, damage} = data.stats;
  const section = addSection("figures", "Figures");
  const {primary_by_distance: primary, all_by_distance: all} = alignments;
  const gaps = named(alignments.primary_by_longest_gap).slice(1);
  const areOne = primary.length === all.length && primary.every((count, i) => count === all[i]);
  section.append(...barCharts(
      {id: "distances", title: "Edit distances", series: areOne ? ["records"] : ["primary records", "all records"],
       x: "edits", bars: editBars(areOne ? indexed(all) : together(primary, all))},
      ...(gaps.every(([, count]) => count === 0) ? [] : [{
        id: "gaps", title: "Longest gaps", series: ["primary records"], x: "bases",
        note: "The longest insertion or deletion of a record that has one; joined ones can be longer than -e.", bars: gaps}]),
      {id: "loci", title: "Best loci of a read", series: ["reads"], x: "loci",
       note: "Loci with the fewest edits (SAM tag X0); 0: unmapped; unknown: found near the mate, or by words of the " +
             "read (XT).", bars: named(reads.by_best_loci)},
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
      ...(insert === undefined ? [] : [insertChart(insert)]),
      ...(damage === undefined ? [] : damageCharts(damage))));
}

// As mapDamage draws it: near the 5' end and, in the order of the read, near the 3' end.
function damageCharts(damage) {
  const shares = (all, damaged) => all.map((count, i) => [i + 1, count === 0 ? 0 : 100 * damaged[i] / count]);
  const three = damage.library === "single-stranded" ? "C read as T" : "G read as A";
  return [
    {id: "damage-5p", title: "Damage near the 5' end", series: ["% of C read as T"], x: "base from the 5' end",
     note: `Of primary records. MAPQ takes ${damage.first} at the first base, ${damage.interior} inside ` +
           `(${damage.source}).`, bars: shares(damage.five_prime, damage.five_prime_damaged)},
    {id: "damage-3p", title: "Damage near the 3' end", series: ["% of " + three], x: "base from the 3' end",
     note: "The last base is at the right.", bars: shares(damage.three_prime, damage.three_prime_damaged).reverse()}];
}

function insertChart(insert) {
  const numbers = insert.mean === undefined ? "" : ` Mean ${insert.mean}, standard deviation ` +
      `${insert.standard_deviation}` + (insert.other_standard_deviation === 0 ? "" : "; others have mean " +
      `${insert.other_mean}, standard deviation ${insert.other_standard_deviation}`) +
      `; from ${number(insert.pairs_used)} of the first pairs.`;
  return {id: "inserts", title: "Insert sizes", series: ["pairs"], x: "outer distance of the mates",
          note: "Of the primary concordant pairs." + numbers, round: true, bars: insertBars(insert.concordant_histogram)};
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
      note(`Windows of ${windowBases} bases. Of up to ${taken} windows with records, chosen at random, these are the ` +
          `${deepest} with the most records, and ${shown - deepest} others; of a small reference all are taken.`),
      note(`Of each ${windowBases} bases up to ${data.browser.most_alignments} records are drawn, primary ones first; the ` +
           "depth counts all. A bar points to the read's end; dashed bars are secondary records. Coloured letters differ " +
           "from the reference, a thin line is a deletion, I is an insertion. Clipped ends are faint, with a dotted " +
           "edge: many that begin at one place are adapters, or a breakpoint."));
  const bases = "ACGT";
  const same = data.ambiguous_matches ? (a, b) => (iupac(a) & iupac(b)) !== 0 : (a, b) => a === b && bases.includes(a);
  new GenomeBrowser(section, windows, {nameOfOne: "alignment", same});
}
