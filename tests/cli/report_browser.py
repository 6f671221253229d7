# For report_browser_test.sh: looks at its pages in Chromium. The argument is the name that looks like HTML.
import json
import math
import sys

from chromium import Chromium

failures = []


def equal(what, found, expected):
    if found != expected:
        failures.append(f"{what}: found {found!r:.500}, expected {expected!r:.500}")


def true(what, found):
    equal(what, bool(found), True)


def table(page, selector):
    return page.eval(f"""[...document.querySelectorAll({json.dumps(selector + ' tbody tr')})].map((row) =>
                         [...row.cells].map((cell) => cell.textContent.replaceAll(',', '')))""")


def numbers(counts):
    return [[str(i), str(count)] for i, count in enumerate(counts)]


def view(page):
    return page.eval("[document.getElementById('browser-status').dataset.from, "
                     "document.getElementById('browser-status').dataset.to].map(Number)")


def look_at_map(browser):
    with open("map.json", encoding="utf-8") as file:
        stats = json.load(file)
    reads, alignments = stats["reads"], stats["alignments"]
    page = browser.open("map.html")
    equal("title", page.eval("document.title"), "trawl map: out/p.bam")
    equal("reads", page.text("#reads-total"), f"{reads['total']:,}")
    equal("mapped", page.text("#reads-mapped"), f"{100 * reads['mapped'] / reads['total']:.2f}%")
    equal("records", page.text("#records-total"), f"{alignments['total']:,}")
    equal("pairs", page.text("#pairs-total"), f"{stats['pairs']['total']:,}")
    equal("command line", page.text("#command-line"), stats["command_line"])
    primary, every = alignments["primary_by_distance"], alignments["all_by_distance"]
    equal("distances", table(page, "#distances"),
          [[str(d), str(primary[d] if d < len(primary) else 0), str(count)] for d, count in enumerate(every)])
    equal("loci", table(page, "#loci"), [[name, str(count)] for name, count in reads["by_best_loci"].items()])
    equal("qualities", table(page, "#mapq"), numbers(alignments["primary_by_mapq"]))
    inserts = stats["insert"]["concordant_histogram"]
    equal("inserts", sum(int(row[1]) for row in table(page, "#inserts")),
          sum(inserts["counts"]) + inserts["smaller"] + inserts["larger"])
    equal("bars of distances", page.eval("document.querySelectorAll('#distances svg title').length"),
          2 * len(every) + 2)  # with those of the legend

    # The genome browser, by keys.
    first = page.eval("JSON.parse(document.getElementById('data').textContent).browser.windows[0]")
    equal("the whole window", view(page), [first["begin"], first["end"]])
    equal("alignments drawn", page.eval("document.querySelectorAll('#browser-tracks polygon').length"),
          len(first["alignments"]))
    page.eval("document.getElementById('browser-tracks').focus()")
    page.key("+")
    page.key("+")
    start, end = view(page)
    equal("zoomed in twice", end - start, (first["end"] - first["begin"]) // 4)
    page.key("ArrowRight")
    true("moved right", view(page)[0] > start)
    page.key("ArrowLeft")
    equal("moved back", view(page), [start, end])
    page.key("End")
    equal("the window's end", view(page)[1], first["end"])
    page.key("ArrowRight", shift=True)
    equal("not beyond the end", view(page)[1], first["end"])
    page.key("-")
    true("zoomed out", view(page)[1] - view(page)[0] > end - start)
    page.key("0")
    equal("the whole window again", view(page), [first["begin"], first["end"]])
    page.key("PageDown")
    true("the next window", view(page)[0] != first["begin"] or page.eval("document.getElementById('browser-window').value") == "1")
    page.key("PageUp")

    # Every letter that differs from the reference is drawn, at a zoom where there are letters, and in the text.
    for _ in range(3):
        page.key("+")
    start, end = view(page)
    letters = page.eval("[...document.querySelectorAll('#browser-tracks text.letter:not(.on-base):not(.insertion-text):not(.clip-base)')]"
                        ".map((one) => one.textContent).join('')")
    equal("letters of the reference", letters, first["letters"][start - first["begin"]:end - first["begin"]])
    text = page.text("#browser pre.text-view").split("\n")
    equal("letters in the text", text[1], letters)
    differing = sum(letter in "ACGTN" for line in text[2:] for letter in line[:end - start])
    equal("letters that differ", page.eval("document.querySelectorAll('#browser-tracks rect.mismatch').length"), differing)
    true("some letters differ in a part of the window", differing > 0)

    # By mouse: drag, and the wheel after a click.
    x, y = page.eval("""(() => { const tracks = document.getElementById('browser-tracks');
        tracks.scrollIntoView({block: 'center'}); const box = tracks.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + 40]; })()""")
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x - 200, y, button="left", buttons=1)
    page.mouse("mouseReleased", x - 200, y, button="left", clickCount=1)
    page.settle()
    true("dragged to the left, the view moves right", view(page)[0] > start)
    before = view(page)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100)
    page.eval("new Promise((done) => setTimeout(done, 200))")
    true("the wheel zooms in", view(page)[1] - view(page)[0] < before[1] - before[0])
    return page


# Bars that stand side by side stand on one line; sizes are labelled at round numbers; why pairs are discordant.
def look_at_rows(browser):
    with open("map.json", encoding="utf-8") as file:
        pairs = json.load(file)["pairs"]
    page = browser.open("map.html", width=1200)
    lines = page.eval("""[...document.querySelectorAll('figure.bars')].map((one) => {
        const svg = one.querySelector('svg[role=img]').getBoundingClientRect();
        return [Math.round(one.getBoundingClientRect().top), Math.round(svg.top)]; })""")
    equal("bars of a row begin at one height", len(set(map(tuple, lines))), len({top for top, _ in lines}))
    true("some stand side by side", len({top for top, _ in lines}) < len(lines))
    sizes = page.eval("[...document.querySelectorAll('#inserts text.label')].map((one) => Number(one.textContent))")
    true("round insert sizes", len(sizes) > 2 and all(size % 10 == 0 for size in sizes if size == size))
    reasons = [pairs["discordant_" + name] for name in ("on_two_contigs", "turned", "other_sizes")]
    equal("every discordant pair has a reason", sum(reasons), pairs["discordant"])
    text = page.text("#why-discordant") if pairs["discordant"] else ""
    equal("the reasons", [f"{count:,} " in text for count in reasons if count], [True] * sum(count > 0 for count in reasons))
    equal("milliseconds", page.eval("[0.011, 0.5, 1.5, 250].map(secondsText)"), ["11 ms", "500 ms", "1.50 s", "250 s"])
    for width, hidden in ((360, False), (1200, True)):
        page = browser.open("scan.html", width=width)
        equal(f"a wide table says that it scrolls, {width} pixels", page.eval("""
            document.querySelector('#patterns .scrolls').hidden"""), hidden)


def look_at_scan(browser):
    with open("scan.json", encoding="utf-8") as file:
        stats = json.load(file)
    page = browser.open("scan.html")
    equal("sites", page.text("#sites-total"), f"{stats['records']['total']:,}")
    equal("sites by edits", table(page, "#distances"), numbers(stats["records"]["by_distance"]))
    rows = [[one["name"], str(sum(one["by_distance"])), *map(str, one["by_distance"])]
            for one in stats["records"]["by_pattern"]]

    def shown():
        return [row[:1] + row[3:] for row in table(page, "#patterns-table")]

    equal("patterns", shown(), rows)
    page.eval("document.querySelectorAll('#patterns-table thead button')[2].click()")
    equal("sorted by sites", [int(row[1]) for row in shown()], sorted((int(row[1]) for row in rows), reverse=True))
    page.eval("document.querySelectorAll('#patterns-table thead button')[2].click()")
    equal("the other way", [int(row[1]) for row in shown()], sorted(int(row[1]) for row in rows))
    equal("said to readers of the screen", page.eval("document.querySelectorAll('[aria-sort=ascending]').length"), 1)
    wanted = rows[1][0]
    page.eval(f"""(() => {{ const filter = document.getElementById('pattern-filter'); filter.value = '{wanted}';
                  filter.dispatchEvent(new Event('input')); }})()""")
    equal("filtered", [row[0] for row in shown()], [row[0] for row in rows if wanted in row[0]])

    # The closest sites, base by base: the bars are right, and their edits are those of the record.
    page.eval("document.querySelector('#patterns-table tbody button').click()")
    pattern = page.eval("JSON.parse(document.getElementById('data').textContent).patterns[1]")
    drawn = page.eval("[...document.querySelectorAll('.sites pre')].map((one) => one.textContent)")
    equal("sites drawn", len(drawn), len(pattern["sites"]))
    for text, site in zip(drawn, pattern["sites"]):
        top, bars, bottom = (line[10:] for line in text.split("\n")[:3])
        equal("the pattern", top.replace("-", ""), pattern["letters"])
        equal("the reference", bottom.replace("-", ""), site[9] or pattern["letters"])
        equal("the bars", bars, "".join("|" if a == b else " " if "-" in (a, b) else "*" for a, b in zip(top, bottom)))
        equal("the edits", len(bars) - bars.count("|"), site[4])
    page.eval("document.querySelector('.sites button').click()")
    page.settle()
    equal("opened in the browser", view(page), [max(0, pattern["sites"][0][1] - 20), pattern["sites"][0][2] + 20])
    equal("with its letters", page.eval("document.querySelectorAll('#browser-tracks polygon').length") > 0, True)

    # Print: the sites are there without a click, and what is on the screen comes back afterwards.
    page.eval("document.querySelector('.sites-of').previousElementSibling.querySelector('button').click()")
    page.call("Page.printToPDF")
    equal("as before print", page.eval("[document.querySelectorAll('.sites').length, "
                                       "document.querySelectorAll('details[open]').length]"), [0, 0])
    page.eval("window.dispatchEvent(new Event('beforeprint'))")
    true("sites in print", page.eval("document.querySelectorAll('.sites').length") > 0)
    equal("folded parts in print", page.eval("document.querySelectorAll('details:not([open])').length"), 0)


def look_at_clipped(browser):
    with open("clip.json", encoding="utf-8") as file:
        stats = json.load(file)
    page = browser.open("clip.html")
    equal("clipped lengths", table(page, "#clipped"),
          [[name, str(count)] for name, count in stats["clipped"]["reads_by_bases"].items()][1:])
    shares = {name: int(count) for name, count in page.eval("""[...document.querySelectorAll('#reads-shares .legend li')].map(
        (one) => one.textContent.match(/^(.*): ([0-9,]+) /).slice(1).map((text) => text.replaceAll(',', '')))""")}
    equal("each read is in one class", sum(shares.values()), stats["reads"]["total"])
    equal("reads without X0", shares.get("other loci not searched", 0), stats["reads"]["by_best_loci"]["unknown"])
    distances = stats["alignments"]["primary_by_distance"]
    equal("one series of edits", [len(row) for row in table(page, "#distances")][0], 2)
    equal("all edits", sum(int(row[1]) for row in table(page, "#distances")), sum(distances))
    equal("gaps", table(page, "#gaps"),
          [[name, str(count)] for name, count in stats["alignments"]["primary_by_longest_gap"].items()][1:])
    # Clipped ends are drawn, and stand in the text in lower case.
    first = page.eval("JSON.parse(document.getElementById('data').textContent).browser.windows[0]")
    equal("clipped ends", page.eval("document.querySelectorAll('#browser-tracks rect.clip').length"),
          sum(cigar.count("S") for _, _, cigar, *_ in first["alignments"]))
    true("some", any("S" in cigar for _, _, cigar, *_ in first["alignments"]))
    clipped = page.eval("""(() => {
        const window = mapWindows(JSON.parse(document.getElementById('data').textContent))[0];
        const one = window.alignments.map((each) => laidOut(each, window, (a, b) => a === b)).find((each) => each.clips.length);
        return [one.clips[0].letters.toLowerCase(), textRow(one, window, one.first, one.last)]; })()""")
    true("clipped letters in the text", clipped[0] in clipped[1])
    mapped, none = stats["reads"]["mapped"], stats["reads"]["unmapped_no_locus"]
    true("some reads fit nowhere", none > 0)
    true("what to try", f"within the edits allowed: {none:,}. To map more, try a larger -e, or another reference"
         in page.text("#unmapped-advice"))
    equal("no figure of one bar", page.eval("document.getElementById('records-by-read')"), None)
    equal("one line instead", page.text("#one-value"), f"Always the same: Records of a read: 1 ({mapped:,} reads); "
          f"Edits more than the best record: 0 ({mapped:,} records).")
    # The scale of qualities begins at a half: a bar of 1 has the height of log 2, the highest one that of its count.
    heights = page.eval("""[...document.querySelectorAll('#mapq svg g')].map((one) =>
        [Number(one.querySelector('title').textContent.match(/: ([0-9,]+)/)[1].replaceAll(',', '')),
         Number(one.querySelector('rect').getAttribute('height'))])""")
    most, top = max(heights)
    for count, height in heights:
        if count > 0 and abs(height * math.log(2 * most) - top * math.log(2 * count)) > 0.02 * top * math.log(2 * most):
            failures.append(f"the bar of {count} is {height} high, that of {most} is {top}")


# Every bar of a figure with few bars has its label, and no labels lie on each other.
def look_at_labels(browser):
    for name in ("map.html", "clip.html", "scan.html"):
        for width in (360, 700, 1200):
            page = browser.open(name, width=width)
            equal(f"{name}, {width}: figures with bars that have no label", page.eval("""
                [...document.querySelectorAll('figure:has(text.label)')].filter((one) => {
                  const bars = one.querySelectorAll('tbody tr').length;
                  return bars <= 13 && one.querySelectorAll('text.label').length !== bars;
                }).map((one) => one.id)"""), [])
            equal(f"{name}, {width}: labels that touch", page.eval("""
                [...document.querySelectorAll('figure svg')].flatMap((one) => {
                  const boxes = [...one.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
                  return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([b, q]) =>
                      Math.min(p.right, q.right) - Math.max(p.left, q.left) > 0.5 &&
                      Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 3).map(([b]) => [a, b]));
                }).slice(0, 5)"""), [])


def look_at_looks(browser):
    for name in ("map.html", "scan.html"):
        for width in (360, 1200):
            page = browser.open(name, width=width)
            true(f"{name} fits {width} pixels", page.eval("document.documentElement.scrollWidth") <= width)
        colours = []
        for dark in (False, True):
            page = browser.open(name, dark=dark)
            colours.append(page.eval("getComputedStyle(document.body).backgroundColor"))
        equal(f"{name}, light and dark", colours, ["rgb(255, 255, 255)", "rgb(20, 23, 27)"])
        equal(f"{name}: names for who does not see", page.eval(
            "[...document.querySelectorAll('button, select, input, svg:not([aria-hidden]), [tabindex=\"0\"]')]"
            ".filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length)).length"), 0)
        page.call("Emulation.setEmulatedMedia", media="print")
        equal(f"{name} in print", page.eval("[getComputedStyle(document.body).backgroundColor, "
                                            "getComputedStyle(document.querySelector('.series-0')).fill]"),
              ["rgb(255, 255, 255)", "rgb(0, 0, 0)"])


def look_at_evil(browser, evil):
    for name, what in (("evil_map.html", "map"), ("evil_scan.html", "scan")):
        page = browser.open(name)
        equal(f"{name}: scripts", page.eval("document.scripts.length"), 2)
        equal(f"{name}: images", page.eval("document.images.length"), 0)
        equal(f"{name}: hacked", page.eval("window.hacked"), None)
        output = evil + (".bed" if what == "map" else ".bed.gz")
        equal(f"{name}: title", page.eval("document.title"), f"trawl {what}: {output}")
        equal(f"{name}: heading", page.text("#title"), f"trawl {what}: {output}")
        equal(f"{name}: reference", page.text("#reference"), evil + ".fa")
        true(f"{name}: contig", "chr&lt;/b&gt;$!" in page.text("#coverage"))
        if what == "map":
            data = page.eval("JSON.parse(document.getElementById('data').textContent).browser.windows[0].alignments[0][0]")
            true("the name of a read", data.endswith(evil))
            true("the name of a read in the browser",
                 evil + "," in page.eval("document.querySelector('#browser-tracks g title').textContent"))
        else:
            equal("the name of a pattern", table(page, "#patterns-table")[0][0], evil)
        page.eval("[...document.querySelectorAll('button, summary')].forEach((one) => one.click())")
        page.settle()
        equal(f"{name}: hacked after clicks", page.eval("window.hacked"), None)


with Chromium() as chromium:
    last = look_at_map(chromium)
    look_at_rows(chromium)
    look_at_scan(chromium)
    look_at_clipped(chromium)
    look_at_labels(chromium)
    look_at_looks(chromium)
    look_at_evil(chromium, sys.argv[1])
    failures += ["in the page: " + problem for problem in last.problems]

if failures:
    sys.exit("\n".join(failures))
