"""The page of --report-html in a real browser: what it shows, no error, no request, keyboard, mouse, widths, print, and
names that look like HTML."""

import contextlib
import json
import math
import os
import xml.etree.ElementTree
from pathlib import Path

import pytest

import chromium
from tools import (make_input, read_fastq, read_json, rows, run, simulate, write_fasta, write_fastq, write_lines)

if chromium.program() is None:
    pytest.skip("there is no chromium (Debian: chromium)", allow_module_level=True)

# Names that would be read as HTML or JavaScript if they were not escaped.
EVIL = ('"><!--<script></script/x></script><script>document.title="x";window.hacked=1</script>'
        "<img/src=x/onerror=window.hacked=1>&amp;`${1}`'")


@pytest.fixture(scope="module")
def browser(pages):
    """Its own temporary files are there for longer than a test."""
    os.mkdir("of_chromium")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", os.path.abspath("of_chromium"))
        started = contextlib.ExitStack()
        one = started.enter_context(chromium.Chromium())
    with started:
        yield one


@pytest.fixture(scope="module")
def pages(work):
    """map.html, scan.html, clip.html, and those with names that look like HTML."""
    make_input(60000, 300)
    simulate("pairs", "ref.fa", 1000, 100, 5, "one.fq", "two.fq", "--qualities", "--error-rate", 0.012,
             "--indel-share", 0.4)
    run("map", "--report", "all", "--sort", "ref.fa", "one.fq", "two.fq", "-o", "p.bam", "--stats", "map.json",
        "--report-html", "map.html").ok()
    lines = Path("ref.fa").read_text().splitlines()
    write_lines("patterns.tsv", *(f"site{n}\t{line[2:22].upper()}" for n, line in enumerate(lines, 1)
                                  if n % 197 == 0 and line[0] != ">"))
    run("scan", "-k", 6, "ref.fa", "patterns.tsv", "-o", "s.bed", "--stats", "scan.json", "--report-html",
        "scan.html").ok()
    # Clipped ends, and reads that fit nowhere.
    clipped = []
    for n, (name, bases, qualities) in enumerate(read_fastq("one.fq")):
        bases = bases[:80] + "ACGTTGCAAGGCTTACGATC" if n % 3 == 1 else bases
        clipped.append((name, bases.replace("A", "C") if n % 5 == 0 else bases, qualities))
    write_fastq("clip.fq", *clipped)
    run("map", "--clip", "40%", "ref.fa", "clip.fq", "-o", "c.bam", "--stats", "clip.json", "--report-html",
        "clip.html").ok()

    os.makedirs(os.path.dirname(EVIL))
    Path(f"{EVIL}.fa").write_text(Path("ref.fa").read_text().replace(">chr1 contig 1\n", ">chr&lt;/b&gt;$!\n"))
    write_fastq(f"{EVIL}.fq", *((name.split()[0] + EVIL, *read) for name, *read in read_fastq("reads.fq")))
    write_fasta(f"{EVIL}.patterns", (EVIL, rows("patterns.tsv")[0][1]))
    run("map", f"{EVIL}.fa", f"{EVIL}.fq", "-o", f"{EVIL}.bed", "--report-html", "evil_map.html", "--igv-session",
        "evil.xml").ok()
    run("scan", "-k", 3, f"{EVIL}.fa", f"{EVIL}.patterns", "-o", f"{EVIL}.bed.gz", "--report-html",
        "evil_scan.html").ok()


def table(page, selector):
    return page.eval(f"""[...document.querySelectorAll({json.dumps(selector + ' tbody tr')})].map((row) =>
                         [...row.cells].map((cell) => cell.textContent.replaceAll(',', '')))""")


def numbers(counts):
    return [[str(i), str(count)] for i, count in enumerate(counts)]


def view(page):
    return page.eval("[document.getElementById('browser-status').dataset.from, "
                     "document.getElementById('browser-status').dataset.to].map(Number)")


def test_map(browser):
    stats = read_json("map.json")
    reads, alignments = stats["reads"], stats["alignments"]
    page = browser.open("map.html")
    assert page.eval("document.title") == "trawl map: p.bam", "title"
    assert page.text("#reads-total") == f"{reads['total']:,}", "reads"
    assert page.text("#reads-mapped") == f"{100 * reads['mapped'] / reads['total']:.2f}%", "mapped"
    assert page.text("#records-total") == f"{alignments['total']:,}", "records"
    assert page.text("#pairs-total") == f"{stats['pairs']['total']:,}", "pairs"
    assert page.text("#command-line") == stats["command_line"], "command line"
    primary, every = alignments["primary_by_distance"], alignments["all_by_distance"]
    assert table(page, "#distances") == (
        [[str(d), str(primary[d] if d < len(primary) else 0), str(count)] for d, count in enumerate(every)])
    assert table(page, "#loci") == [[name, str(count)] for name, count in reads["by_best_loci"].items()], "loci"
    assert table(page, "#mapq") == numbers(alignments["primary_by_mapq"]), "qualities"
    inserts = stats["insert"]["concordant_histogram"]
    assert sum(int(row[1]) for row in table(page, "#inserts")) == (
        sum(inserts["counts"]) + inserts["smaller"] + inserts["larger"]), "inserts"
    assert page.eval("document.querySelectorAll('#distances svg title').length") == (
        2 * len(every) + 2), "bars of distances"  # with those of the legend

    # The genome browser, by keys.
    first = page.eval("JSON.parse(document.getElementById('data').textContent).browser.windows[0]")
    assert view(page) == [first["begin"], first["end"]], "the whole window"
    assert page.eval("document.querySelectorAll('#browser-tracks polygon').length") == (
        len(first["alignments"])), "alignments drawn"
    page.eval("document.getElementById('browser-tracks').focus()")
    page.key("+")
    page.key("+")
    start, end = view(page)
    assert end - start == (first["end"] - first["begin"]) // 4, "zoomed in twice"
    page.key("ArrowRight")
    assert view(page)[0] > start, "moved right"
    page.key("ArrowLeft")
    assert view(page) == [start, end], "moved back"
    page.key("End")
    assert view(page)[1] == first["end"], "the window's end"
    page.key("ArrowRight", shift=True)
    assert view(page)[1] == first["end"], "not beyond the end"
    page.key("-")
    assert view(page)[1] - view(page)[0] > end - start, "zoomed out"
    page.key("0")
    assert view(page) == [first["begin"], first["end"]], "the whole window again"
    page.key("PageDown")
    assert view(page)[0] != first["begin"] or page.eval("document.getElementById('browser-window').value") == "1"
    page.key("PageUp")

    # Every letter that differs from the reference is drawn, at a zoom where there are letters, and in the text.
    for _ in range(3):
        page.key("+")
    start, end = view(page)
    letters = page.eval("[...document.querySelectorAll('#browser-tracks text.letter:not(.on-base):not(.insertion-text):not(.clip-base)')]"
                        ".map((one) => one.textContent).join('')")
    assert letters == first["letters"][start - first["begin"]:end - first["begin"]], "letters of the reference"
    text = page.text("#browser pre.text-view").split("\n")
    assert text[1] == letters, "letters in the text"
    differing = sum(letter in "ACGTN" for line in text[2:] for letter in line[:end - start])
    assert page.eval("document.querySelectorAll('#browser-tracks rect.mismatch').length") == (
        differing), "letters that differ"
    assert differing > 0, "some letters differ in a part of the window"

    # By mouse: drag, and the wheel after a click.
    x, y = page.eval("""(() => { const tracks = document.getElementById('browser-tracks');
        tracks.scrollIntoView({block: 'center'}); const box = tracks.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + 40]; })()""")
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x - 200, y, button="left", buttons=1)
    page.mouse("mouseReleased", x - 200, y, button="left", clickCount=1)
    page.settle()
    assert view(page)[0] > start, "dragged to the left, the view moves right"
    before = view(page)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100)
    page.eval("new Promise((done) => setTimeout(done, 200))")
    assert view(page)[1] - view(page)[0] < before[1] - before[0], "the wheel zooms in"


# Bars that stand side by side stand on one line; sizes are labelled at round numbers; why pairs are discordant.
def test_rows(browser):
    pairs = read_json("map.json")["pairs"]
    page = browser.open("map.html", width=1200)
    lines = page.eval("""[...document.querySelectorAll('figure.bars')].map((one) => {
        const svg = one.querySelector('svg[role=img]').getBoundingClientRect();
        return [Math.round(one.getBoundingClientRect().top), Math.round(svg.top)]; })""")
    assert len(set(map(tuple, lines))) == len({top for top, _ in lines}), "bars of a row begin at one height"
    assert len({top for top, _ in lines}) < len(lines), "some stand side by side"
    sizes = page.eval("[...document.querySelectorAll('#inserts text.label')].map((one) => Number(one.textContent))")
    assert len(sizes) > 2 and all(size % 10 == 0 for size in sizes if size == size), "round insert sizes"
    reasons = [pairs["discordant_" + name] for name in ("on_two_contigs", "turned", "other_sizes")]
    assert sum(reasons) == pairs["discordant"], "every discordant pair has a reason"
    text = page.text("#why-discordant") if pairs["discordant"] else ""
    assert [f"{count:,} " in text for count in reasons if count] == (
        [True] * sum(count > 0 for count in reasons)), "the reasons"
    assert page.eval("[0.011, 0.5, 1.5, 250].map(secondsText)") == (
        ["11 ms", "500 ms", "1.50 s", "250 s"]), "milliseconds"
    for width, hidden in ((360, False), (1200, True)):
        page = browser.open("scan.html", width=width)
        assert page.eval("""
            document.querySelector('#patterns .scrolls').hidden""") == hidden, width


def test_scan(browser):
    stats = read_json("scan.json")
    page = browser.open("scan.html")
    assert page.text("#sites-total") == f"{stats['records']['total']:,}", "sites"
    assert table(page, "#distances") == numbers(stats["records"]["by_distance"]), "sites by edits"
    rows = [[one["name"], str(sum(one["by_distance"])), *map(str, one["by_distance"])]
            for one in stats["records"]["by_pattern"]]

    def shown():
        return [row[:1] + row[3:] for row in table(page, "#patterns-table")]

    assert shown() == rows, "patterns"
    page.eval("document.querySelectorAll('#patterns-table thead button')[2].click()")
    assert [int(row[1]) for row in shown()] == sorted((int(row[1]) for row in rows), reverse=True), "sorted by sites"
    page.eval("document.querySelectorAll('#patterns-table thead button')[2].click()")
    assert [int(row[1]) for row in shown()] == sorted(int(row[1]) for row in rows), "the other way"
    assert page.eval("document.querySelectorAll('[aria-sort=ascending]').length") == 1, "said to readers of the screen"
    wanted = rows[1][0]
    page.eval(f"""(() => {{ const filter = document.getElementById('pattern-filter'); filter.value = '{wanted}';
                  filter.dispatchEvent(new Event('input')); }})()""")
    assert [row[0] for row in shown()] == [row[0] for row in rows if wanted in row[0]], "filtered"

    # The closest sites, base by base: the bars are right, and their edits are those of the record.
    page.eval("document.querySelector('#patterns-table tbody button').click()")
    pattern = page.eval("JSON.parse(document.getElementById('data').textContent).patterns[1]")
    drawn = page.eval("[...document.querySelectorAll('.sites pre')].map((one) => one.textContent)")
    assert len(drawn) == len(pattern["sites"]), "sites drawn"
    for text, site in zip(drawn, pattern["sites"]):
        top, bars, bottom = (line[10:] for line in text.split("\n")[:3])
        assert top.replace("-", "") == pattern["letters"], "the pattern"
        assert bottom.replace("-", "") == (site[9] or pattern["letters"]), "the reference"
        assert bars == (
            "".join("|" if a == b else " " if "-" in (a, b) else "*" for a, b in zip(top, bottom))), "the bars"
        assert len(bars) - bars.count("|") == site[4], "the edits"
    page.eval("document.querySelector('.sites button').click()")
    page.settle()
    assert view(page) == [max(0, pattern["sites"][0][1] - 20), pattern["sites"][0][2] + 20], "opened in the browser"
    assert page.eval("document.querySelectorAll('#browser-tracks polygon').length") > 0, "with its letters"

    # Print: the sites are there without a click, and what is on the screen comes back afterwards.
    page.eval("document.querySelector('.sites-of').previousElementSibling.querySelector('button').click()")
    page.call("Page.printToPDF")
    assert page.eval("[document.querySelectorAll('.sites').length, "
                                       "document.querySelectorAll('details[open]').length]") == [0, 0]
    page.eval("window.dispatchEvent(new Event('beforeprint'))")
    assert page.eval("document.querySelectorAll('.sites').length") > 0, "sites in print"
    assert page.eval("document.querySelectorAll('details:not([open])').length") == 0, "folded parts in print"


def test_clipped(browser):
    stats = read_json("clip.json")
    page = browser.open("clip.html")
    assert table(page, "#clipped") == (
        [[name, str(count)] for name, count in stats["clipped"]["reads_by_bases"].items()][1:]), "clipped lengths"
    shares = {name: int(count) for name, count in page.eval("""[...document.querySelectorAll('#reads-shares .legend li')].map(
        (one) => one.textContent.match(/^(.*): ([0-9,]+) /).slice(1).map((text) => text.replaceAll(',', '')))""")}
    assert sum(shares.values()) == stats["reads"]["total"], "each read is in one class"
    assert shares.get("other loci not searched", 0) == stats["reads"]["by_best_loci"]["unknown"], "reads without X0"
    distances = stats["alignments"]["primary_by_distance"]
    assert [len(row) for row in table(page, "#distances")][0] == 2, "one series of edits"
    assert sum(int(row[1]) for row in table(page, "#distances")) == sum(distances), "all edits"
    assert table(page, "#gaps") == (
        [[name, str(count)] for name, count in stats["alignments"]["primary_by_longest_gap"].items()][1:]), "gaps"
    # Clipped ends are drawn, and stand in the text in lower case.
    first = page.eval("JSON.parse(document.getElementById('data').textContent).browser.windows[0]")
    assert page.eval("document.querySelectorAll('#browser-tracks rect.clip').length") == (
        sum(cigar.count("S") for _, _, cigar, *_ in first["alignments"])), "clipped ends"
    assert any("S" in cigar for _, _, cigar, *_ in first["alignments"]), "some"
    clipped = page.eval("""(() => {
        const window = mapWindows(JSON.parse(document.getElementById('data').textContent))[0];
        const one = window.alignments.map((each) => laidOut(each, window, (a, b) => a === b)).find((each) => each.clips.length);
        return [one.clips[0].letters.toLowerCase(), textRow(one, window, one.first, one.last)]; })()""")
    assert clipped[0] in clipped[1], "clipped letters in the text"
    mapped, none = stats["reads"]["mapped"], stats["reads"]["unmapped_no_locus"]
    assert none > 0, "some reads fit nowhere"
    assert (f"within the edits allowed: {none:,}. To map more, try a larger -e, or another reference"
         in page.text("#unmapped-advice")), "what to try"
    assert page.eval("document.getElementById('records-by-read')") is None, "no figure of one bar"
    assert page.text("#one-value") == (
        f"Always the same: Records of a read: 1 ({mapped:,} reads); "
        f"Edits more than the best record: 0 ({mapped:,} records).")
    # The scale of qualities begins at a half: a bar of 1 has the height of log 2, the highest one that of its count.
    heights = page.eval("""[...document.querySelectorAll('#mapq svg g')].map((one) =>
        [Number(one.querySelector('title').textContent.match(/: ([0-9,]+)/)[1].replaceAll(',', '')),
         Number(one.querySelector('rect').getAttribute('height'))])""")
    most, top = max(heights)
    for count, height in heights:
        if count > 0 and abs(height * math.log(2 * most) - top * math.log(2 * count)) > 0.02 * top * math.log(2 * most):
            raise AssertionError(f"the bar of {count} is {height} high, that of {most} is {top}")


# Every bar of a figure with few bars has its label, and no labels lie on each other.
def test_labels(browser):
    for name in ("map.html", "clip.html", "scan.html"):
        for width in (360, 700, 1200):
            page = browser.open(name, width=width)
            assert page.eval("""
                [...document.querySelectorAll('figure:has(text.label)')].filter((one) => {
                  const bars = one.querySelectorAll('tbody tr').length;
                  return bars <= 13 && one.querySelectorAll('text.label').length !== bars;
                }).map((one) => one.id)""") == [], f"{name}, {width}: figures with bars that have no label"
            assert page.eval("""
                [...document.querySelectorAll('figure svg')].flatMap((one) => {
                  const boxes = [...one.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
                  return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([b, q]) =>
                      Math.min(p.right, q.right) - Math.max(p.left, q.left) > 0.5 &&
                      Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 3).map(([b]) => [a, b]));
                }).slice(0, 5)""") == [], f"{name}, {width}: labels that touch"


def test_looks(browser):
    for name in ("map.html", "scan.html"):
        for width in (360, 1200):
            page = browser.open(name, width=width)
            assert page.eval("document.documentElement.scrollWidth") <= width, f"{name} fits {width} pixels"
        colours = []
        for dark in (False, True):
            page = browser.open(name, dark=dark)
            colours.append(page.eval("getComputedStyle(document.body).backgroundColor"))
        assert colours == ["rgb(255, 255, 255)", "rgb(20, 23, 27)"], f"{name}, light and dark"
        assert page.eval(
            "[...document.querySelectorAll('button, select, input, svg:not([aria-hidden]), [tabindex=\"0\"]')]"
            ".filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length)).length") == 0, name
        page.call("Emulation.setEmulatedMedia", media="print")
        assert page.eval("[getComputedStyle(document.body).backgroundColor, "
                                            "getComputedStyle(document.querySelector('.series-0')).fill]") == [
                                                "rgb(255, 255, 255)", "rgb(0, 0, 0)"], f"{name} in print"


def test_names_that_look_like_html(browser):
    for name, what in (("evil_map.html", "map"), ("evil_scan.html", "scan")):
        page = browser.open(name)
        assert page.eval("document.scripts.length") == 2, f"{name}: scripts"
        assert page.eval("document.images.length") == 0, f"{name}: images"
        assert page.eval("window.hacked") is None, f"{name}: hacked"
        output = EVIL + (".bed" if what == "map" else ".bed.gz")
        assert page.eval("document.title") == f"trawl {what}: {output}", f"{name}: title"
        assert page.text("#title") == f"trawl {what}: {output}", f"{name}: heading"
        assert page.text("#reference") == EVIL + ".fa", f"{name}: reference"
        assert "chr&lt;/b&gt;$!" in page.text("#coverage"), f"{name}: contig"
        if what == "map":
            data = page.eval("JSON.parse(document.getElementById('data').textContent).browser.windows[0].alignments[0][0]")
            assert data.endswith(EVIL), "the name of a read"
            assert EVIL + "," in page.eval("document.querySelector('#browser-tracks g title').textContent")
        else:
            assert table(page, "#patterns-table")[0][0] == EVIL, "the name of a pattern"
        page.eval("[...document.querySelectorAll('button, summary')].forEach((one) => one.click())")
        page.settle()
        assert page.eval("window.hacked") is None, f"{name}: hacked after clicks"


def test_no_page_has_problems(browser):
    assert browser.open("map.html").problems == [], "of any page that was opened"


def test_a_session_with_such_names(pages):
    root = xml.etree.ElementTree.parse("evil.xml").getroot()
    assert root.get("genome") == f"{EVIL}.fa" and root.find("Resources/Resource").get("path") == f"{EVIL}.bed"
