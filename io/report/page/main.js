// Fills the page from its data.

function whatRan(data) {
  const {stats, files} = data;
  const section = addSection("run", "What ran");
  const seconds = Object.entries(stats.seconds).map(([stage, value]) => [stage, secondsText(value)]);
  section.append(
      element("pre", {class: "command", tabindex: "0", id: "command-line", "aria-label": "Command line"},
              stats.command_line),
      facts([
        ["Version", stats.version],
        ["Reference", element("span", {class: "name"}, files.reference), "reference"],
        ["", `${counted(stats.reference.contigs, "contig")}, ${number(stats.reference.bases)} bases`, "reference-size"],
        [data.command === "map" ? "Reads" : "Patterns", element("span", {class: "name"}, files.inputs.join(" ")),
         "inputs"],
        ["Output", element("span", {class: "name"}, files.output === "-" ? "standard output" : files.output), "output"],
        ["Engine", stats.engine],
        ["Threads", String(stats.threads) + (stats.ranks === undefined ? "" : ` on each of ${stats.ranks.length} ranks`)],
        ["Wall time", secondsText(stats.wall_seconds)],
        ["Peak memory", bytesText(stats.peak_resident_bytes)]
      ]),
      folded("Seconds by stage", note("Stages overlap, or are sums over threads."),
             table("Seconds by stage", ["stage", "time"], seconds)));
  if (stats.ranks !== undefined) {
    section.append(folded("Ranks", table("Ranks", ["rank", "host", "engine", "threads", "done"],
        stats.ranks.map((rank) => [String(rank.rank), rank.host, rank.engine, rank.threads, rank.done]))));
  }
}

// All folded parts are open in print, and as before afterwards.
function openForPrint() {
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((one) => one.open = true);
  });
  window.addEventListener("afterprint", () => closed.forEach((one) => one.open = false));
}

function fillPage(data) {
  const isMap = data.command === "map";
  const name = data.files.output === "-" ? data.files.reference : data.files.output;
  document.title = `trawl ${data.command}: ${name}`;
  document.getElementById("title").textContent = `trawl ${data.command}: ${name}`;
  document.getElementById("summary").textContent = isMap ? mapSummary(data) : scanSummary(data);
  if (isMap) {
    mapResults(data);
    mapCharts(data);
    mapCoverage(data);
    mapBrowser(data);
  } else {
    scanResults(data);
    // The table comes first, but its buttons open the browser.
    const opened = {site: null};
    scanPatterns(data, data.browser.windows.length === 0 ? null : (site) => opened.site(site));
    opened.site = scanBrowser(data);
    scanCoverage(data);
  }
  whatRan(data);
  document.getElementById("footer").append(element("p", {}, `Made by Trawl ${data.stats.version}. This page is one ` +
      "file: it needs no network and sends nothing."));
  openForPrint();
}

fillPage(JSON.parse(document.getElementById("data").textContent));
