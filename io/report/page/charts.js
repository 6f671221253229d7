// Charts as SVG. Each series has a colour and a pattern of its own, so that it can be told apart without colours.

// Draws now, and again when the width of the element changes.
function drawn(container, draw) {
  let width = 0;
  const update = () => {
    const now = Math.round(container.clientWidth) || 600;
    if (now !== width) {
      width = now;
      container.replaceChildren(draw(width));
    }
  };
  new ResizeObserver(update).observe(container);
  return container;
}

// The pattern of series 1 is hatched one way, of series 2 the other way; 0 and 3 are plain.
let patterns = 0;
function hatch(series) {
  if (series !== 1 && series !== 2) {
    return null;
  }
  const id = "hatch-" + (++patterns);
  return [svgElement("pattern", {id, width: 5, height: 5, patternUnits: "userSpaceOnUse",
                                 patternTransform: "rotate(" + (series === 1 ? 45 : -45) + ")"},
                     svgElement("line", {x1: 0, y1: 0, x2: 0, y2: 5, class: "hatch"})), "url(#" + id + ")"];
}

// A rectangle of a series, with its pattern on it.
function bar(series, x, y, width, height, title) {
  const group = svgElement("g", {}, svgElement("title", {}, title));
  const pattern = hatch(series);
  const box = {x: x.toFixed(2), y: y.toFixed(2), width: Math.max(0, width).toFixed(2),
               height: Math.max(0, height).toFixed(2)};
  group.append(svgElement("rect", {...box, class: "series-" + series, stroke: "var(--edge)", "stroke-width": 0.5}));
  if (pattern !== null) {
    group.append(pattern[0], svgElement("rect", {...box, fill: pattern[1]}));
  }
  return group;
}

// `classes`: of areas without patterns.
function legend(series, classes) {
  const sample = (i) => classes === undefined ? bar(i, 1, 1, 12, 12, "")
                                              : svgElement("rect", {x: 1, y: 1, width: 12, height: 12, class: classes[i]});
  return element("ul", {class: "legend"}, ...series.map((name, i) => element("li", {},
      svgElement("svg", {viewBox: "0 0 14 14", "aria-hidden": "true"}, sample(i)), name)));
}

// A round number that is not less than `value`, for the end of an axis.
function niceTop(value, steps = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10]) {
  let ten = 1;
  while (ten * 10 <= value) {
    ten *= 10;
  }
  return steps.map((times) => times * ten).find((top) => top >= value);
}

function shortNumber(value) {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (value >= size) {
      return +(value / size).toPrecision(3) + unit;
    }
  }
  return String(+value.toPrecision(3));
}

// {id, title, note, x, y, series: [names], bars: [[label, value of each series], ...]}
function barChart(chart) {
  const {bars} = chart;
  const top = niceTop(largest(bars.flatMap((one) => one.slice(1)), 1));
  const left = 44;
  const right = 10;
  const height = 190;
  const base = 160;
  const draw = (width) => {
    const made = svgElement("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chart.title + ". " +
        "The table below has the numbers."});
    for (const share of [0, 0.5, 1]) {
      const y = base - share * (base - 16);
      made.append(svgElement("line", {x1: left, x2: width - right, y1: y, y2: y, class: "axis"}),
                  svgElement("text", {x: left - 5, y: y + 4, "text-anchor": "end"}, shortNumber(share * top)));
    }
    const step = (width - left - right) / Math.max(1, bars.length);
    const longest = largest(bars.map((one) => String(one[0]).length), 1);
    const every = Math.ceil((longest * 6 + 6) / step);
    const each = Math.min(60, step * 0.86) / chart.series.length;
    bars.forEach((one, b) => {
      const middle = left + (b + 0.5) * step;
      one.slice(1).forEach((value, s) => {
        const tall = value === 0 ? 0 : Math.max(1.5, value / top * (base - 16));
        made.append(bar(s, middle + (s - chart.series.length / 2) * each, base - tall, each, tall,
                        `${one[0]}: ${number(value)} (${chart.series[s]})`));
      });
      if (b % every === 0) {
        made.append(svgElement("text", {x: middle, y: base + 14, "text-anchor": "middle"}, String(one[0])));
      }
    });
    made.append(svgElement("text", {x: left + (width - left) / 2, y: height - 2, "text-anchor": "middle",
                                    class: "track-name"}, chart.x));
    return made;
  };
  return element("figure", {id: chart.id},
      element("h3", {}, chart.title),
      element("figcaption", {}, chart.note || ""),
      chart.series.length > 1 ? legend(chart.series) : null,
      drawn(element("div"), draw),
      folded("Numbers", table(chart.title, [chart.x, ...chart.series], bars)));
}

// Parts of a whole: [[name, count], ...], at most four.
function shareBar(id, title, parts) {
  const all = sum(parts.map((part) => part[1]));
  const draw = (width) => {
    const made = svgElement("svg", {viewBox: `0 0 ${width} 30`, role: "img", "aria-label": title + ": " +
        parts.map(([name, count]) => name + " " + percent(count, all)).join(", ")});
    let x = 0.5;
    parts.forEach(([name, count], i) => {
      const wide = all === 0 ? 0 : count / all * (width - 1);
      made.append(bar(i, x, 1, wide, 28, name + ": " + number(count) + ", " + percent(count, all)));
      x += wide;
    });
    return made;
  };
  return element("figure", {id},
      element("h3", {}, title),
      drawn(element("div"), draw),
      legend(parts.map(([name, count]) => `${name}: ${number(count)} (${percent(count, all)})`)));
}

// Coverage along contigs: {bin, contigs: [{name, length, all: [...], primary: [...]}], others}. `perBase`: the bins
// count bases, and depth is drawn; otherwise they count sites.
// A few repeats are often far deeper than all the rest. So the scale ends at three times what 98% of the bins have, and
// higher columns are cut.
function coverageRows(coverage, series, perBase) {
  const widthOf = (contig, b) => Math.min(coverage.bin, contig.length - b * coverage.bin);
  const valueOf = (contig, key, b) => contig[key][b] / (perBase ? widthOf(contig, b) : 1);
  const values = coverage.contigs.flatMap((contig) => contig[series[0].key].map((_, b) => valueOf(contig, series[0].key, b)))
      .filter((value) => value > 0).sort((a, b) => a - b);
  const highest = values.length === 0 ? 0 : values[values.length - 1];
  const most = values.length === 0 ? 0 : 3 * values[Math.floor(0.98 * (values.length - 1))];
  const linearTop = Math.min(highest, niceTop(Math.max(1, most)));
  const rows = element("div", {role: "list"});
  const longest = largest(coverage.contigs.map((contig) => contig.length), 1);
  const draw = (contig, logarithmic) => (width) => {
    const height = 44;
    const scaled = (value) => highest === 0 ? 0 : logarithmic ? Math.log1p(value) / Math.log1p(highest)
                                                              : Math.min(1, value / linearTop);
    const made = svgElement("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
                                    "aria-label": "Along " + contig.name + "; the table below has the sums"});
    const full = Math.max(4, contig.length / longest * width);
    for (const {key, className} of series) {
      const columns = Math.max(1, Math.min(contig[key].length, Math.floor(full / 2)));
      let path = `M0 ${height}`;
      let cut = "";
      for (let c = 0; c < columns; ++c) {
        const from = Math.floor(c * contig[key].length / columns);
        const to = Math.floor((c + 1) * contig[key].length / columns);
        let value = 0;
        for (let b = from; b < to; ++b) {
          value = Math.max(value, valueOf(contig, key, b));
        }
        const y = height - scaled(value) * (height - 6);
        if (!logarithmic && value > linearTop && className === series[0].className) {
          cut += `M${(c * full / columns).toFixed(1)} 2H${((c + 1) * full / columns).toFixed(1)}`;
        }
        path += `L${(c * full / columns).toFixed(1)} ${y.toFixed(1)}H${((c + 1) * full / columns).toFixed(1)}`;
      }
      made.append(svgElement("path", {d: path + `L${full.toFixed(1)} ${height}Z`, class: className}),
                  svgElement("path", {d: cut, class: "cut"}));
    }
    made.append(svgElement("line", {x1: 0, x2: full, y1: height - 0.5, y2: height - 0.5, class: "axis"}));
    return made;
  };
  const fill = (logarithmic) => rows.replaceChildren(...coverage.contigs.map((contig) => {
    const all = sum(contig[series[0].key]);
    return element("div", {class: "contig", role: "listitem"},
        element("div", {}, element("span", {class: "name"}, contig.name),
                element("small", {}, basesText(contig.length) + ", " +
                        (perBase ? "depth " + (all / contig.length).toPrecision(3) : number(all)))),
        drawn(element("div"), draw(contig, logarithmic)));
  }));
  fill(false);
  const box = element("input", {type: "checkbox", id: "logarithmic"});
  box.addEventListener("change", () => fill(box.checked));
  return {
    scale: `All contigs have the same scale, up to ${shortNumber(linearTop)}.` + (linearTop < highest
        ? ` Higher columns, up to ${shortNumber(highest)}, are cut and have a mark above them.` : ""),
    controls: element("div", {class: "controls"},
                      element("label", {for: "logarithmic"}, box, "Logarithmic scale")),
    rows
  };
}
