// The page of trawl scan.

function complement(letters) {
  const pairs = {A: "T", C: "G", G: "C", T: "A", R: "Y", Y: "R", K: "M", M: "K", B: "V", V: "B", D: "H", H: "D"};
  return [...letters].reverse().map((letter) => pairs[letter] || letter).join("");
}

// A letter of a pattern matches if it stands for all that the letter of the reference stands for.
function patternMatches(data) {
  return (letter, other) => data.ambiguous_matches ? (iupac(letter) & iupac(other)) !== 0
      : iupac(other) !== 0 && (iupac(letter) & iupac(other)) === iupac(other);
}

function siteOf([contig, start, end, reverse, distance, mismatches, dnaBulges, rnaBulges, cigar, text], pattern) {
  const isSame = cigar === "" && distance === 0;
  const site = {contig, start, end, reverse: reverse !== 0, distance, mismatches, dnaBulges, rnaBulges};
  if (pattern.letters !== undefined && (cigar !== "" || isSame)) {
    site.cigar = cigar === "" ? pattern.letters.length + "M" : cigar;
    site.text = cigar === "" ? pattern.letters : text;
  }
  return site;
}

// The three lines of an alignment, on the strand of the pattern: pattern, bars, reference.
function alignmentLines(pattern, site, same) {
  const lines = ["", "", ""];
  const steps = [...site.cigar.matchAll(/(\d+)([MID=X])/g)];
  let i = 0;
  let j = 0;
  for (const [, length, operation] of site.reverse ? steps.reverse() : steps) {
    for (let n = 0; n < Number(length); ++n) {
      const letter = operation === "D" ? "-" : pattern.letters[i++];
      const other = operation === "I" ? "-" : site.text[j++];
      lines[0] += letter;
      lines[1] += letter === "-" || other === "-" ? " " : same(letter, other) ? "|" : "*";
      lines[2] += other;
    }
  }
  return lines;
}

function siteText(site) {
  const parts = [];
  for (const [count, name] of [[site.mismatches, "mismatch"], [site.dnaBulges, "DNA bulge base"],
                               [site.rnaBulges, "RNA bulge base"]]) {
    if (count > 0) {
      parts.push(count + " " + name + (count === 1 ? "" : name === "mismatch" ? "es" : "s"));
    }
  }
  return counted(site.distance, "edit") + (parts.length > 0 ? ": " + parts.join(", ") : "");
}

// An alignment drawn base by base, in lines of 60 columns.
function drawnAlignment(pattern, site, same) {
  const lines = alignmentLines(pattern, site, same);
  const made = element("pre", {class: "letters", tabindex: "0", "aria-label": "Alignment: pattern, bars, reference"});
  for (let from = 0; from < lines[0].length; from += 60) {
    ["pattern   ", "          ", "reference "].forEach((head, n) => {
      made.append(head);
      const part = lines[n].slice(from, from + 60);
      for (let c = 0; c < part.length; ++c) {
        const differs = n !== 1 && lines[1][from + c] !== "|";
        made.append(differs ? element("span", {class: "differs " + baseClass(part[c])}, part[c]) : part[c]);
      }
      made.append("\n");
    });
  }
  return made;
}

function scanSummary(data) {
  const {patterns, records, reference} = data.stats;
  return `${counted(patterns.total, "pattern")}, ${number(reference.bases)} bases, ${number(records.total)} sites`;
}

function scanResults(data) {
  const {patterns, records} = data.stats;
  const section = addSection("results", "Results");
  section.append(tiles([
    [number(patterns.total), "patterns", "patterns-total"],
    ...(patterns.not_searched > 0 ? [[number(patterns.not_searched), "not searched: they would match everywhere",
                                      "patterns-not-searched"]] : []),
    [number(records.total), "sites", "sites-total"],
    [number(records.by_distance[0] || 0), "without edits", "sites-exact"]
  ]));
  section.append(...barCharts({id: "distances", title: "Sites by edits", series: ["sites"], x: "edits",
                               bars: indexed(records.by_distance)}));
  if (data.leaves_out_alleles) {
    section.append(element("p", {class: "note", id: "alleles"}, "Sites with alternative alleles (--vcf) are in the " +
                           "output, not on this page."));
  }
}

// The table of patterns: sorted by a column, filtered by name, a part at a time.
class PatternTable {
  constructor(data, onSite) {
    this.data = data;
    this.onSite = onSite;
    this.same = patternMatches(data);
    this.edits = largest(data.patterns.map((pattern) => (pattern.by_distance || []).length), 1);
    this.most = 100;
    this.sorted = {column: null, up: true};
    this.shown = new Set(data.patterns.length === 1 ? [data.patterns[0]] : []);
    const total = (pattern) => pattern.by_distance === null ? -1 : sum(pattern.by_distance);
    this.columns = [
      {title: "pattern", value: (pattern) => pattern.name},
      {title: "letters", value: (pattern) => pattern.length},
      {title: "sites", value: total},
      ...Array.from({length: this.edits}, (_, d) => ({
        title: counted(d, "edit"),
        value: (pattern) => pattern.by_distance === null ? -1 : pattern.by_distance[d] || 0
      }))
    ];
    this.filter = element("input", {type: "search", id: "pattern-filter", autocomplete: "off"});
    this.filter.addEventListener("input", () => this.fill());
    this.count = element("span", {"aria-live": "polite", id: "pattern-count"});
    this.more = element("button", {type: "button"}, "Show more");
    this.more.addEventListener("click", () => {
      this.most *= 10;
      this.fill();
    });
    this.heads = this.columns.map((column) => {
      const button = element("button", {type: "button"}, column.title);
      button.addEventListener("click", () => this.sortBy(column));
      return element("th", {scope: "col", "aria-sort": "none"}, button);
    });
    this.body = element("tbody");
    this.element = element("div", {},
        element("div", {class: "controls"},
                element("label", {for: "pattern-filter"}, "Names with ", this.filter), this.count),
        scrolling("Table of patterns",
                  element("table", {id: "patterns-table"},
                          element("caption", {}, "Sites of each pattern, by edits"),
                          element("thead", {}, element("tr", {}, this.heads[0],
                                                       element("th", {scope: "col"}, "closest sites"),
                                                       ...this.heads.slice(1))),
                          this.body)),
        this.more);
    this.fill();
  }

  sortBy(column) {
    const up = this.sorted.column === column ? !this.sorted.up : column === this.columns[0];
    this.sorted = {column, up};
    this.heads.forEach((head, i) => head.setAttribute("aria-sort",
        this.columns[i] !== column ? "none" : up ? "ascending" : "descending"));
    this.fill();
  }

  // The patterns to show, in order.
  chosen() {
    const wanted = this.filter.value.toLowerCase();
    const chosen = this.data.patterns.filter((pattern) => pattern.name.toLowerCase().includes(wanted));
    const {column, up} = this.sorted;
    if (column !== null) {
      const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
      chosen.sort((a, b) => (up ? 1 : -1) * compare(column.value(a), column.value(b)));
    }
    return chosen;
  }

  fill() {
    const chosen = this.chosen();
    const rows = [];
    for (const pattern of chosen.slice(0, this.most)) {
      rows.push(this.row(pattern));
      if (this.shown.has(pattern)) {
        rows.push(element("tr", {class: "sites-of"}, element("td", {class: "full", colspan: this.columns.length + 1},
                                                             this.sites(pattern))));
      }
    }
    this.body.replaceChildren(...rows);
    this.count.textContent = `${number(Math.min(chosen.length, this.most))} of ${number(chosen.length)} patterns`;
    this.more.hidden = chosen.length <= this.most;
  }

  row(pattern) {
    const cells = this.columns.map((column, i) => i === 0
        ? element("th", {scope: "row", class: "name"}, pattern.name)
        : element("td", {}, column.value(pattern) < 0 ? "–" : number(column.value(pattern))));
    const last = element("td");
    if (pattern.sites !== undefined && pattern.sites.length > 0) {
      const isShown = this.shown.has(pattern);
      const button = element("button", {type: "button", "aria-expanded": isShown,
                                        "aria-label": (isShown ? "Hide" : "Show") + " the closest sites of " +
                                                      pattern.name}, isShown ? "Hide" : "Show");
      button.addEventListener("click", () => {
        if (!this.shown.delete(pattern)) {
          this.shown.add(pattern);
        }
        this.fill();
        this.body.querySelector(`[data-name="${CSS.escape(pattern.name)}"] button`)?.focus();
      });
      last.append(button);
    }
    return element("tr", {"data-name": pattern.name}, cells[0], last, ...cells.slice(1));
  }

  sites(pattern) {
    const list = element("ul", {class: "sites"});
    for (const packedSite of pattern.sites) {
      const site = siteOf(packedSite, pattern);
      const place = placeText(site.contig, site.start, site.end);
      const head = element("div", {}, element("span", {class: "name"}, place), " strand " +
                           (site.reverse ? "−" : "+") + ", " + siteText(site) + " ");
      if (this.onSite !== null) {
        const button = element("button", {type: "button", "aria-label": "Open " + place +
                                          " in the browser"}, "Browse");
        button.addEventListener("click", () => this.onSite(site));
        head.append(button);
      }
      list.append(element("li", {}, head, site.cigar === undefined ? note("Too long to be drawn.")
                                                                   : drawnAlignment(pattern, site, this.same)));
    }
    const all = sum(pattern.by_distance);
    return element("div", {class: "sites-view"}, note(`The ${number(pattern.sites.length)} closest of ${number(all)} sites.`), list);
  }

  // Opens the sites of the first patterns, for print.
  showForPrint() {
    this.before = {shown: this.shown, most: this.most};
    this.most = Math.max(this.most, 1000);
    this.shown = new Set(this.chosen().filter((pattern) => (pattern.sites || []).length > 0).slice(0, 25));
    this.fill();
  }

  afterPrint() {
    Object.assign(this, this.before);
    this.fill();
  }
}

function scanPatterns(data, onSite) {
  const section = addSection("patterns", "Patterns");
  const made = new PatternTable(data, onSite);
  section.append(
      note("Choose a heading to sort. " + (data.patterns_left_out > 0
          ? `The first ${number(data.patterns.length)} patterns; ${number(data.patterns_left_out)} more were searched. `
          : "") + (data.patterns.length > data.patterns_with_sites
          ? `Sites are kept of the first ${number(data.patterns_with_sites)} patterns.` : "")),
      made.element);
  window.addEventListener("beforeprint", () => made.showForPrint());
  window.addEventListener("afterprint", () => made.afterPrint());
}

function scanCoverage(data) {
  const section = addSection("coverage", "Sites along the contigs");
  const {coverage} = data;
  const shown = coverageRows(coverage, [{key: "all", className: "depth-primary"}], false);
  section.append(
      note(`Sites that begin in bins of ${number(coverage.bin)} bases. ${shown.scale} A column stands for its fullest ` +
           "bin." +
           (coverage.others.contigs > 0 ? ` The ${coverage.contigs.length} longest contigs; the other ` +
           `${number(coverage.others.contigs)} have ${number(coverage.others.all)} sites.` : "")),
      shown.controls, shown.rows,
      folded("Numbers", table("Sites by contig", ["contig", "length", "sites"],
                              coverage.contigs.map((contig) => [contig.name, contig.length, sum(contig.all)]))));
}

// The windows with the sites that lie in them.
function scanWindows(data) {
  const windows = data.browser.windows.map((window) => ({...window, alignments: []}));
  const ofContig = new Map();
  windows.forEach((window) => ofContig.set(window.contig, [...(ofContig.get(window.contig) || []), window]));
  for (const pattern of data.patterns) {
    for (const packedSite of pattern.sites || []) {
      const site = siteOf(packedSite, pattern);
      const home = (ofContig.get(site.contig) || []).find((one) => one.begin <= site.start && site.end <= one.end);
      if (home !== undefined && site.cigar !== undefined) {
        home.alignments.push({
          name: pattern.name, start: site.start, cigar: site.cigar, reverse: site.reverse, secondary: false,
          letters: site.reverse ? complement(pattern.letters) : pattern.letters,
          about: `${pattern.name}, strand ${site.reverse ? "−" : "+"}, ${siteText(site)}`
        });
      }
    }
  }
  windows.forEach((one) => one.title = placeText(one.contig, one.begin, one.end) + ", " +
      counted(one.alignments.length, "site"));
  return windows;
}

// Returns the function that opens a site, or null.
function scanBrowser(data) {
  const windows = scanWindows(data);
  if (windows.length === 0) {
    return null;
  }
  const section = addSection("browser", "Genome browser");
  section.append(note("The closest sites of the patterns, with 50 bases on each side. A bar points to the pattern's " +
                      "end. Coloured letters are those of the pattern where they do not match, a thin line is a DNA " +
                      "bulge (a deletion), I is an RNA bulge (an insertion)."));
  const browser = new GenomeBrowser(section, windows, {same: patternMatches(data), nameOfOne: "site"});
  return (site) => browser.goTo(site.contig, site.start, site.end);
}
