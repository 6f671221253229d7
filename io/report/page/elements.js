"use strict";
// Elements of the page. Texts of the input become text nodes, never HTML.

const SVG = "http://www.w3.org/2000/svg";

// element("p", {class: "note"}, "text", otherElement): attributes that are null are left out.
function element(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svgElement(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) {
      made.setAttribute(key, value);
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// 1234567 -> "1,234,567"
function number(value) {
  return value.toLocaleString("en-US", {maximumFractionDigits: 2});
}

// counted(1, "site") === "1 site", counted(2, "site") === "2 sites"
function counted(count, name) {
  return number(count) + " " + name + (count === 1 ? "" : "s");
}

function percent(part, all) {
  return (all === 0 ? 0 : 100 * part / all).toFixed(2) + "%";
}

function sum(values) {
  return values.reduce((all, value) => all + value, 0);
}

// The largest of the values, but at least `least`.
function largest(values, least) {
  return values.reduce((most, value) => Math.max(most, value), least);
}

// 46,944,323 -> "46.9 Mbp"
function basesText(bases) {
  for (const [unit, size] of [["Gbp", 1e9], ["Mbp", 1e6], ["kbp", 1e3]]) {
    if (bases >= size) {
      return (bases / size).toPrecision(3) + " " + unit;
    }
  }
  return bases + " bp";
}

function bytesText(bytes) {
  return bytes >= 2 ** 30 ? (bytes / 2 ** 30).toFixed(1) + " GiB" : (bytes / 2 ** 20).toFixed(0) + " MiB";
}

// 0.011 -> "11 ms"
function secondsText(seconds) {
  return seconds >= 100 ? Math.round(seconds) + " s" : seconds >= 1 ? seconds.toPrecision(3) + " s"
      : +(1000 * seconds).toPrecision(2) + " ms";
}

// "chr1:1,001-1,500" of a part counted from 0.
function placeText(contig, begin, end) {
  return contig + ":" + number(begin + 1) + "-" + number(end);
}

// A section of the page, with an entry in the list of sections. Returns the element to fill.
function addSection(id, title) {
  const section = element("section", {id, "aria-labelledby": id + "-title"},
                          element("h2", {id: id + "-title"}, title));
  document.getElementById("report").append(section);
  const contents = document.getElementById("contents");
  if (contents.firstChild === null) {
    contents.append(element("ul"));
  }
  contents.firstChild.append(element("li", {}, element("a", {href: "#" + id}, title)));
  return section;
}

// Rows of cells; the first cell of a row is its heading. Cells are texts, numbers or elements.
function table(caption, columns, rows) {
  const cellText = (cell) => typeof cell === "number" ? number(cell) : cell;
  return scrolling(caption, element("table", {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...columns.map((title) => element("th", {scope: "col"}, title)))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell, i) =>
          i === 0 ? element("th", {scope: "row"}, cellText(cell)) : element("td", {}, cellText(cell))))))));
}

// A table that scrolls sideways where it is too wide, and says so there.
function scrolling(label, inner) {
  const box = element("div", {class: "wide", tabindex: "0", role: "group", "aria-label": label}, inner);
  const hint = element("p", {class: "note screen scrolls", hidden: ""}, "Scroll the table sideways: it has more columns.");
  const watcher = new ResizeObserver(() => hint.hidden = box.scrollWidth <= box.clientWidth + 1);
  watcher.observe(box);
  watcher.observe(inner);
  return element("div", {}, hint, box);
}

// What opens when its title is chosen, and is open in print.
function folded(title, ...children) {
  return element("details", {}, element("summary", {}, title), ...children);
}

// Facts as a list of [name, text or element, id].
function facts(list) {
  const made = element("dl", {class: "facts"});
  for (const [name, value, id] of list) {
    made.append(element("dt", {}, name), element("dd", {id}, value));
  }
  return made;
}

// The large numbers: [[text, what it is, id], ...].
function tiles(list) {
  return element("ul", {class: "tiles"}, ...list.map(([text, what, id]) =>
      element("li", {}, element("strong", {id}, text), element("span", {}, what))));
}

function note(text, screenOnly) {
  return element("p", {class: screenOnly ? "note screen" : "note"}, text);
}

// The class that gives a letter its colour.
function baseClass(letter) {
  return "base-" + ("ACGT".includes(letter) ? letter : "N");
}

// The bases that a letter stands for, as bits.
function iupac(letter) {
  return {A: 1, C: 2, G: 4, T: 8, U: 8, R: 5, Y: 10, S: 6, W: 9, K: 12, M: 3, B: 14, D: 13, H: 11, V: 7, N: 15}[letter]
      || 0;
}
