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

// The pattern of series 1 is hatched one way, of series 2 the other way; the others are plain.
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

// Where an axis has its labels, and how high a value is drawn, as a share of the height. The logarithmic scale begins
// at a half, so that a bar of 1 is seen.
function valueScale(most, logarithmic) {
  if (!logarithmic) {
    const top = niceTop(most);
    return {ticks: [0, top / 2, top], share: (value) => value / top};
  }
  const tens = Math.max(1, Math.ceil(Math.log10(most) - 1e-9));
  const every = Math.ceil(tens / 4);
  const ticks = Array.from({length: tens + 1}, (_, i) => 10 ** i).filter((_, i) => (tens - i) % every === 0);
  return {ticks, share: (value) => value === 0 ? 0 : Math.log(2 * value) / Math.log(2 * 10 ** tens)};
}

// How the labels below bars are written: side by side; upright, where that is too wide; every n-th one, where there is no
// room for that either.
function labelLayout(labels, step) {
  const longest = largest(labels.map((label) => label.length), 1) * 6.5;
  const upright = longest + 4 > step;
  const every = upright ? Math.ceil(12 / step) : 1;
  return {upright, every, height: upright ? longest + 4 : 12};
}

// The only bar of a chart: [label, value of each series]; nothing if there are more, or none.
function onlyBar(chart) {
  const bars = chart.bars.filter((one) => one.slice(1).some((value) => value > 0));
  return bars.length === 1 ? bars[0] : undefined;
}

// Bar charts. Those with one bar become a line of text.
function barCharts(...charts) {
  const lines = charts.filter((chart) => onlyBar(chart) !== undefined).map((chart) => {
    const [label, ...values] = onlyBar(chart);
    return `${chart.title}: ${label} (${chart.series.map((name, s) => number(values[s]) + " " + name).join(", ")})`;
  });
  const figures = charts.filter((chart) => onlyBar(chart) === undefined).map(barChart);
  const parts = figures.length === 0 ? [] : [element("div", {class: "charts"}, ...figures)];
  return lines.length === 0 ? parts
      : [...parts, element("p", {class: "note", id: "one-value"}, "Always the same: " + lines.join("; ") + ".")];
}

// {id, title, note, x, logarithmic, round, series: [names], bars: [[label, value of each series], ...]}
function barChart(chart) {
  const {bars} = chart;
  const many = 30;  // more bars need the whole width
  const sizes = bars.map((one) => one[0]).filter((label) => typeof label === "number");
  const {ticks, share} = valueScale(largest(bars.flatMap((one) => one.slice(1)), 1), chart.logarithmic);
  const left = 44;
  const right = 10;
  const base = 160;
  const draw = (width) => {
    const step = (width - left - right) / Math.max(1, bars.length);
    const texts = bars.map((one) => String(one[0]));
    // Bars that are sizes are labelled at round ones, a few apart.
    const every = chart.round && sizes.length > 1
        ? niceTop(Math.max(1, (sizes[1] - sizes[0]) * 44 / step), [1, 2, 5, 10]) : null;
    const labels = every === null ? labelLayout(texts, step) : {upright: false, every: 1, height: 12};
    const isLabelled = (label, b) => every === null ? b % labels.every === 0
        : typeof label !== "number" || label % every === 0;
    const height = base + labels.height + 18;
    const made = svgElement("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chart.title + ". " +
        "The table below has the numbers."});
    for (const tick of ticks) {
      const y = base - share(tick) * (base - 16);
      made.append(svgElement("line", {x1: left, x2: width - right, y1: y, y2: y, class: "axis"}),
                  svgElement("text", {x: left - 5, y: y + 4, "text-anchor": "end"}, shortNumber(tick)));
    }
    made.append(svgElement("line", {x1: left, x2: width - right, y1: base, y2: base, class: "axis"}));
    const each = Math.min(60, step * 0.86) / chart.series.length;
    bars.forEach((one, b) => {
      const middle = left + (b + 0.5) * step;
      one.slice(1).forEach((value, s) => {
        const tall = value === 0 ? 0 : Math.max(1.5, share(value) * (base - 16));
        made.append(bar(s, middle + (s - chart.series.length / 2) * each, base - tall, each, tall,
                        `${one[0]}: ${number(value)} (${chart.series[s]})`));
      });
      if (isLabelled(one[0], b)) {
        made.append(labels.upright
            ? svgElement("text", {x: 0, y: 0, "text-anchor": "end", class: "label",
                                  transform: `translate(${(middle + 4).toFixed(1)} ${base + 5}) rotate(-90)`}, String(one[0]))
            : svgElement("text", {x: middle, y: base + 14, "text-anchor": "middle", class: "label"}, String(one[0])));
      }
    });
    made.append(svgElement("text", {x: left + (width - left) / 2, y: height - 2, "text-anchor": "middle",
                                    class: "track-name"}, chart.x));
    return made;
  };
  // The parts of a row of figures lie on common lines (see .bars).
  return element("figure", {id: chart.id, class: "bars" + (bars.length > many ? " whole-width" : "")},
      element("h3", {}, chart.title),
      element("figcaption", {}, chart.note || ""),
      chart.series.length > 1 ? legend(chart.series) : element("div"),
      drawn(element("div"), draw),
      folded("Numbers", table(chart.title, [chart.x, ...chart.series], bars)));
}

// Parts of a whole: [[name, count], ...], at most five.
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
