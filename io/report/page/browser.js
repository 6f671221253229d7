// The genome browser: windows of the reference with their letters, and what is aligned there.
//
//   new GenomeBrowser(section, windows, {nameOfOne: "site", same: (letter, referenceLetter) => ...})
//
// A window: {contig, begin, end, letters, depth, primaryDepth, alignments, title}; both depths may be missing.
// An alignment: {name, start, cigar, letters, reverse, secondary, about}.

// Letters are drawn if each base has so many pixels.
const LETTER_WIDTH = 7;
// At most so many bases are shown at a time: more would be slow to draw.
const MOST_BASES = 5000;

// Walks along a CIGAR: blocks, deletions and insertions on the reference, and where letters differ from it. `first` and
// `last`: with the clipped ends, which lie as if they were aligned.
function laidOut(alignment, window, same) {
  const laid = {...alignment, deletions: [], insertions: [], different: [], clips: [], end: alignment.start};
  let base = 0;
  for (const [, length, operation] of alignment.cigar.matchAll(/(\d+)([MIDNS=X])/g)) {
    const count = Number(length);
    if (operation === "S") {
      laid.clips.push({from: base === 0 ? alignment.start - count : laid.end, letters: alignment.letters.substr(base, count)});
      base += count;
    } else if (operation === "I") {
      laid.insertions.push({at: laid.end, letters: alignment.letters.substr(base, count)});
      base += count;
    } else if (operation === "D" || operation === "N") {
      laid.deletions.push({from: laid.end, to: laid.end + count});
      laid.end += count;
    } else {
      for (let i = 0; i < count; ++i) {
        const letter = alignment.letters[base + i];
        if (!same(letter, window.letters[laid.end + i - window.begin])) {
          laid.different.push({at: laid.end + i, letter});
        }
      }
      laid.end += count;
      base += count;
    }
  }
  laid.first = Math.min(laid.start, ...laid.clips.map((clip) => clip.from));
  laid.last = Math.max(laid.end, ...laid.clips.map((clip) => clip.from + clip.letters.length));
  return laid;
}

// Puts alignments into rows, so that none lies over another: {rows: [[alignment, ...], ...]}.
function packed(alignments) {
  const rows = [];
  for (const one of [...alignments].sort((a, b) => a.first - b.first)) {
    const row = rows.find((other) => other[other.length - 1].last + 2 <= one.first);
    if (row === undefined) {
      rows.push([one]);
    } else {
      row.push(one);
    }
  }
  return rows;
}

// The letters of an alignment between two positions, as they lie on the reference: . where it is the same; clipped ones
// in lower case.
function textRow(alignment, window, from, to) {
  const row = new Array(to - from).fill(" ");
  for (let at = Math.max(from, alignment.start); at < Math.min(to, alignment.end); ++at) {
    row[at - from] = alignment.reverse ? "," : ".";
  }
  for (const {from: first, to: last} of alignment.deletions) {
    for (let at = Math.max(from, first); at < Math.min(to, last); ++at) {
      row[at - from] = "-";
    }
  }
  for (const {at, letter} of alignment.different) {
    if (at >= from && at < to) {
      row[at - from] = letter;
    }
  }
  for (const {from: first, letters} of alignment.clips) {
    for (let at = Math.max(from, first); at < Math.min(to, first + letters.length); ++at) {
      row[at - from] = letters[at - first].toLowerCase();
    }
  }
  return row.join("");
}

class GenomeBrowser {
  constructor(container, windows, options) {
    this.windows = windows;
    this.same = options.same;
    this.nameOfOne = options.nameOfOne;
    this.rows = new Map();
    this.choice = element("select", {id: "browser-window"}, ...windows.map((window, i) =>
        element("option", {value: i}, window.title || placeText(window.contig, window.begin, window.end))));
    this.choice.addEventListener("change", () => this.open(Number(this.choice.value)));
    const button = (text, label, action) => {
      const made = element("button", {type: "button", "aria-label": label, title: label}, text);
      made.addEventListener("click", action);
      return made;
    };
    this.status = element("div", {class: "status", id: "browser-status", "aria-live": "polite"});
    this.tracks = element("div", {class: "tracks", id: "browser-tracks", tabindex: "0", role: "application",
                                  "aria-label": "Genome browser", "aria-describedby": "browser-help browser-status"});
    this.text = element("pre", {class: "text-view", tabindex: "0", "aria-label": "The view as text"});
    container.append(
        element("div", {class: "controls"},
                element("label", {for: "browser-window"}, "Window ", this.choice),
                button("◀", "Move left", () => this.move(-0.25)), button("▶", "Move right", () => this.move(0.25)),
                button("+", "Zoom in", () => this.zoom(0.5)), button("−", "Zoom out", () => this.zoom(2)),
                button("Whole window", "Show the whole window", () => this.showAll())),
        element("div", {class: "browser"}, this.status, this.tracks),
        element("p", {class: "note screen", id: "browser-help"}, "Keys: arrows move (with Shift by a whole view), + " +
            "and − zoom, 0 shows the whole window, Page Up and Page Down change the window. Mouse: drag to move; the " +
            "wheel zooms after a click, or with Ctrl."),
        folded("This view as text", this.text));
    this.tracks.addEventListener("keydown", (event) => this.onKey(event));
    this.tracks.addEventListener("wheel", (event) => this.onWheel(event), {passive: false});
    this.tracks.addEventListener("pointerdown", (event) => this.onDown(event));
    new ResizeObserver(() => this.draw()).observe(this.tracks);
    this.open(0);
  }

  get window() {
    return this.windows[this.index];
  }

  open(index) {
    this.index = Math.max(0, Math.min(this.windows.length - 1, index));
    this.choice.value = this.index;
    this.showAll();
  }

  showAll() {
    this.show(this.window.begin, this.window.end);
  }

  // Shows a place with some bases on each side, in the first window that has it.
  goTo(contig, begin, end) {
    const index = this.windows.findIndex((one) => one.contig === contig && one.begin <= begin && end <= one.end);
    if (index >= 0) {
      this.open(index);
      this.show(begin - 20, end + 20);
      this.tracks.scrollIntoView({block: "center"});
      this.tracks.focus();
    }
  }

  // Shows [from, to) or, at the ends of the window, as many bases beside it.
  show(from, to) {
    const {begin, end} = this.window;
    const size = Math.max(Math.min(20, end - begin), Math.min(end - begin, MOST_BASES, Math.round(to - from)));
    this.from = Math.round(Math.max(begin, Math.min(end - size, from)));
    this.to = this.from + size;
    this.draw();
  }

  move(share) {
    const step = Math.sign(share) * Math.max(1, Math.round(Math.abs(share) * (this.to - this.from)));
    this.show(this.from + step, this.to + step);
  }

  // `at`: the position that stays where it is.
  zoom(factor, at = (this.from + this.to) / 2) {
    const size = (this.to - this.from) * factor;
    const from = at - (at - this.from) * factor;
    this.show(from, from + size);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const actions = {
      ArrowLeft: () => this.move(event.shiftKey ? -1 : -0.25),
      ArrowRight: () => this.move(event.shiftKey ? 1 : 0.25),
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      "0": () => this.showAll(),
      Home: () => this.show(this.window.begin, this.window.begin + this.to - this.from),
      End: () => this.show(this.window.end - (this.to - this.from), this.window.end),
      PageUp: () => this.open(this.index - 1),
      PageDown: () => this.open(this.index + 1)
    };
    if (actions[event.key] !== undefined) {
      event.preventDefault();
      actions[event.key]();
    }
  }

  // Without a click the wheel scrolls the page, as everywhere else.
  onWheel(event) {
    if (event.deltaY === 0 || !(event.ctrlKey || document.activeElement === this.tracks)) {
      return;
    }
    event.preventDefault();
    const share = (event.clientX - this.tracks.getBoundingClientRect().left) / this.tracks.clientWidth;
    this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.from + share * (this.to - this.from));
  }

  onDown(event) {
    if (event.button !== 0) {
      return;
    }
    const start = {x: event.clientX, from: this.from, to: this.to};
    const drag = (move) => {
      const bases = Math.round((start.x - move.clientX) / this.tracks.clientWidth * (start.to - start.from));
      this.show(start.from + bases, start.to + bases);
    };
    const stop = () => {
      window.removeEventListener("pointermove", drag);
      window.removeEventListener("pointerup", stop);
      window.removeEventListener("pointercancel", stop);
    };
    window.addEventListener("pointermove", drag);
    window.addEventListener("pointerup", stop);
    window.addEventListener("pointercancel", stop);
  }

  rowsOf(index) {
    if (!this.rows.has(index)) {
      const one = this.windows[index];
      this.rows.set(index, packed(one.alignments.map((alignment) => laidOut(alignment, one, this.same))));
    }
    return this.rows.get(index);
  }

  draw() {
    const width = this.tracks.clientWidth;
    if (width === 0) {
      return;
    }
    const shown = this.rowsOf(this.index).map((row) => row.filter((one) => one.last > this.from && one.first < this.to))
        .filter((row) => row.length > 0);
    const count = sum(shown.map((row) => row.length));
    const all = this.window.alignments.length;
    const more = this.window.records > all ? `; ${number(all)} of the window's ${number(this.window.records)} records are kept` : "";
    this.status.textContent = placeText(this.window.contig, this.from, this.to) + ": " + number(this.to - this.from) +
        " bases, " + counted(count, this.nameOfOne) + more;
    this.status.dataset.from = this.from;
    this.status.dataset.to = this.to;
    const drawing = new Drawing(this, width);
    drawing.ruler();
    if (this.window.depth !== undefined) {
      drawing.depth();
    }
    drawing.letters();
    shown.forEach((row) => drawing.row(row));
    this.tracks.replaceChildren(drawing.finished());
    this.writeText(shown);
  }

  writeText(shown) {
    const most = 120;
    const to = Math.min(this.to, this.from + most);
    const lines = [placeText(this.window.contig, this.from, to) +
                   (to < this.to ? ` (the first ${most} bases of the view)` : ""),
                   this.window.letters.slice(this.from - this.window.begin, to - this.window.begin)];
    for (const one of shown.flat().filter((alignment) => alignment.first < to)) {
      lines.push(textRow(one, this.window, this.from, to).padEnd(to - this.from) + "  " + one.name + " " +
                 (one.reverse ? "-" : "+") +
                 one.insertions.map(({at, letters}) => ` +${letters} before ${number(at + 1)}`).join(""));
    }
    this.text.textContent = lines.join("\n");
  }
}

// One picture of the browser, made track by track from the top.
class Drawing {
  constructor(browser, width) {
    this.view = browser;
    this.width = width;
    this.scale = width / (browser.to - browser.from);
    this.y = 0;
    this.parts = [];
  }

  x(position) {
    return (position - this.view.from) * this.scale;
  }

  add(name, attributes, ...children) {
    const made = svgElement(name, attributes, ...children);
    this.parts.push(made);
    return made;
  }

  ruler() {
    const bases = this.view.to - this.view.from;
    const step = niceTop(Math.max(1, bases * 90 / this.width), [1, 2, 5, 10]);
    for (let at = Math.ceil((this.view.from + 1) / step) * step; at <= this.view.to; at += step) {
      const x = this.x(at - 0.5);
      this.add("line", {x1: x, x2: x, y1: 16, y2: 22, stroke: "var(--edge)"});
      if (x > 28 && x < this.width - 28) {
        this.add("text", {x, y: 12, "text-anchor": "middle"}, number(at));
      }
    }
    this.y = 24;
  }

  depth() {
    const {window, from, to} = this.view;
    const height = 60;
    const base = this.y + height;
    const top = largest(window.depth.slice(from - window.begin, to - window.begin), 1);
    for (const [depth, name] of [[window.depth, "depth-all"], [window.primaryDepth, "depth-primary"]]) {
      let path = `M${this.x(from)} ${base}`;
      for (let at = from; at < to; ++at) {
        const y = base - depth[at - window.begin] / top * (height - 14);
        path += `L${this.x(at).toFixed(1)} ${y.toFixed(1)}H${this.x(at + 1).toFixed(1)}`;
      }
      this.add("path", {d: path + `L${this.width} ${base}Z`, class: name});
    }
    this.add("line", {x1: 0, x2: this.width, y1: base, y2: base, class: "axis"});
    this.add("text", {x: 4, y: this.y + 10, class: "track-name"}, "depth, at most " + number(top));
    this.y = base + 4;
  }

  letters() {
    const {window, from, to} = this.view;
    if (this.scale < 0.5) {
      return;
    }
    for (let at = from; at < to; ++at) {
      const letter = window.letters[at - window.begin];
      const base = baseClass(letter);
      if (this.scale >= LETTER_WIDTH) {
        this.add("text", {x: this.x(at + 0.5).toFixed(1), y: this.y + 11, class: "letter " + base}, letter);
      } else {
        this.add("rect", {x: this.x(at).toFixed(2), y: this.y + 2, width: this.scale.toFixed(2), height: 8,
                          class: "strip " + base});
      }
    }
    this.y += 18;
  }

  row(alignments) {
    for (const one of alignments) {
      this.alignment(one);
    }
    this.y += 15;
  }

  // A bar whose point shows the strand; a dashed one is a secondary record.
  alignment(one) {
    const {from, to} = this.view;
    const top = this.y + 1;
    const bottom = this.y + 13;
    const middle = this.y + 7;
    const left = this.x(Math.max(from, one.start));
    const right = this.x(Math.min(to, one.end));
    const tip = Math.min(5, (right - left) / 3);
    const points = one.reverse && one.start >= from
        ? [[left, middle], [left + tip, top], [right, top], [right, bottom], [left + tip, bottom]]
        : !one.reverse && one.end <= to
        ? [[left, top], [right - tip, top], [right, middle], [right - tip, bottom], [left, bottom]]
        : [[left, top], [right, top], [right, bottom], [left, bottom]];
    const group = this.add("g", {}, svgElement("title", {}, one.about || one.name));
    const put = (name, attributes, ...children) => group.append(svgElement(name, attributes, ...children));
    one.clips.forEach((clip) => this.clip(clip, top, bottom, put));
    if (right <= left) {
      return;
    }
    put("polygon", {points: points.map((point) => point.map((value) => value.toFixed(1)).join(",")).join(" "),
                    class: "read" + (one.reverse ? " reverse" : "") + (one.secondary ? " secondary" : "")});
    for (const gap of one.deletions) {
      const x1 = Math.max(0, this.x(gap.from));
      const x2 = Math.min(this.width, this.x(gap.to));
      if (x1 < x2) {
        put("rect", {x: x1, y: top, width: x2 - x1, height: bottom - top, fill: "var(--paper)"});
        put("line", {x1, x2, y1: middle, y2: middle, class: "deletion"});
      }
    }
    for (const {at, letter} of one.different) {
      if (at < from || at >= to) {
        continue;
      }
      const wide = Math.max(1.5, this.scale);
      put("rect", {x: this.x(at).toFixed(2), y: top, width: wide.toFixed(2), height: bottom - top,
                   class: "mismatch " + baseClass(letter)});
      if (this.scale >= LETTER_WIDTH) {
        put("text", {x: this.x(at + 0.5).toFixed(1), y: bottom - 2, class: "letter on-base"}, letter);
      }
    }
    for (const {at, letters} of one.insertions) {
      if (at <= from || at >= to) {
        continue;
      }
      const x = this.x(at);
      put("path", {d: `M${x - 3} ${top}H${x + 3}M${x} ${top}V${bottom}M${x - 3} ${bottom}H${x + 3}`,
                   class: "insertion", fill: "none"});
      if (this.scale >= LETTER_WIDTH) {
        put("text", {x: x + 4, y: bottom - 2, class: "letter insertion-text", style: "text-anchor: start"}, letters);
      }
    }
  }

  // Clipped letters, faint, as if they were aligned.
  clip({from: first, letters}, top, bottom, put) {
    const {from, to} = this.view;
    const x1 = this.x(Math.max(from, first));
    const x2 = this.x(Math.min(to, first + letters.length));
    if (x1 >= x2) {
      return;
    }
    for (let at = Math.max(from, first); at < Math.min(to, first + letters.length); ++at) {
      const letter = letters[at - first];
      const base = "clip-base " + baseClass(letter);
      if (this.scale >= LETTER_WIDTH) {
        put("text", {x: this.x(at + 0.5).toFixed(1), y: bottom - 2, class: "letter " + base}, letter);
      } else {
        put("rect", {x: this.x(at).toFixed(2), y: top + 2, width: this.scale.toFixed(2), height: bottom - top - 4, class: base});
      }
    }
    put("rect", {x: x1.toFixed(1), y: top, width: (x2 - x1).toFixed(1), height: bottom - top, class: "clip"});
  }

  finished() {
    const height = Math.max(120, this.y + 6);
    return svgElement("svg", {viewBox: `0 0 ${this.width} ${height}`, "aria-hidden": "true"}, ...this.parts);
  }
}
