#!/usr/bin/env python3
"""The figures of docs/performance.md: measures them again, says how far the result is from the page, and draws them.

    bench/figures.py measure --workdir WORK                 # all that the machine has programs for; about an hour
    bench/figures.py measure --workdir WORK --only all,best
    bench/figures.py compare WORK/figures.tsv               # beside docs/record/figures.tsv, from which the page is drawn
    bench/figures.py draw                                   # docs/images/peers.svg and growth.svg (Python: matplotlib)

Parts of `measure`:

  all          all loci, real human sequence: compare.py, one thread. Reads of 36, 50, 100 and 150 bases
  best         pairs without options, real human sequence: places.py, all threads
  library      the same with reads as people have them: trawl-simulate library
  human        clean pairs and a library on a genome of human size, whole commands, from the FASTA and from saved indexes:
               places.py, all threads; its table is WORK/places.md. Takes 60 GB of memory for minibwa's index; what does not
               fit is left out. Not part of the default
  off_targets  312 guides with NGG beside Sassy, real human sequence, one thread (Python: sassy-rs)
  growth       Trawl alone on simulated genomes: time by genome, edits, reads, threads and guides, on each --engine
  guides       only the guides of growth

Mappers that are not installed are left out. Values are CPU seconds without those of the first few reads (the start:
an index is loaded, or built), wall seconds of the whole command for `growth`. A row of the table is one value.
"""

import argparse
import collections
import csv
import datetime
import io
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

import genomes
import guides
from compare_report import ROOT, commit, processor
from workdir import run_measured

COLUMNS = ("figure", "tool", "setting", "amount", "seconds", "start", "found", "mib", "machine", "date", "commit")
RECORDED = ROOT / "docs/record/figures.tsv"
IMAGES = ROOT / "docs/images"
READS = ((100, 5), (50, 3), (36, 2), (150, 7))  # length, edits
ALL_LOCI_READS = 5_000
PAIRS = 100_000
EDITS = (3, 4)  # of guides
GUIDES = 312
OFF_TARGET_BASES = 30_000_000
BEST_MAPPERS = "trawl,bwa-mem,bwa-mem2,minibwa,minimap2,strobealign,snap,bowtie2"
HUMAN_MAPPERS = "trawl,trawl-saved,{gpu}minibwa,strobealign,strobealign-fasta,minimap2-fasta,bwa-mem2,bwa-mem3,bwa-mem"
GPU_MAPPERS = "cuda={0} --engine cuda,cuda-saved,cuda-sorted={0} --engine cuda --sort --mark-duplicates,"
HUMAN_PAIRS = 500_000
ALL_MAPPERS = "trawl,columba,yara,razers3,gem3,fem,mrfast"
COMPLETE_MAPPERS = "trawl,columba,razers3"  # at the lengths that have no figure
BASE = {"genome": 100_000_000, "edits": 5, "reads": 1_000_000, "threads": os.cpu_count()}
POINTS = {"edits": range(0, 9), "reads": (10_000, 100_000, 1_000_000, 10_000_000),
          "guides": (1, 10, 100, 1_000, 10_000, 100_000)}


def number(text: str) -> int:
    """number("3.1G") == 3_100_000_000"""
    units = {"k": 10**3, "M": 10**6, "G": 10**9}
    return round(float(text[:-1]) * units[text[-1]]) if text[-1] in units else int(text)


class Measuring:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.workdir).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.rows = []

    def program(self, name: str, *words) -> dict:
        """Runs a program of this folder. Returns the results that it writes as JSON."""
        output = self.work / pathlib.Path(name).stem
        command = [sys.executable, ROOT / "bench" / name, *words, "-o", output]
        print(" ".join(map(str, command)), file=sys.stderr)
        subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, check=True)
        return json.loads(output.with_suffix(".json").read_text())

    def add(self, figure, tool, setting, amount, seconds, start, found, mib):
        found = "" if found is None else f"{found:.4f}"
        self.rows.append(dict(zip(COLUMNS, (
            figure, tool, setting, amount, f"{seconds:.4g}", f"{start:.3g}", found, round(mib), self.args.machine,
            datetime.date.today().isoformat(), commit()))))
        with open(self.work / "figures.tsv", "w", newline="") as out:
            table = csv.DictWriter(out, COLUMNS, delimiter="\t", lineterminator="\n")
            table.writeheader()
            table.writerows(self.rows)
        print("\t".join(map(str, self.rows[-1].values())), file=sys.stderr)

    def all(self):
        for length, edits in READS:
            report = self.program(
                "compare.py", "--reference", self.args.reference, "--workdir", self.work / "all", "--modes", "all",
                "--tools", self.args.tools or (ALL_MAPPERS if length == 100 else COMPLETE_MAPPERS),
                "--read-length", length, "--max-edits", edits, "--reads-peers-all", ALL_LOCI_READS,
                "--reads-all", 10 * ALL_LOCI_READS, "--repeats", self.args.repeats)
            for row in report["results"]:
                if row["tool"] == "trawl" and row["reads"] == ALL_LOCI_READS:
                    continue  # too short beside its start; it has a row with more reads
                seconds = statistics.median(row["cpu_s"]) - row["start_up_cpu_s"]
                found = 100 if row["tool"] == "trawl" else row["checks"]["of_trawl"]
                self.add("all", row["tool"], f"{length} bases, e = {edits}", row["reads"], seconds, row["start_up_cpu_s"],
                         found, row["peak_mib"])

    def library(self):
        self.best("library", "--library")

    def best(self, figure="best", *words):
        report, = self.program(
            "places.py", "--reference", self.args.reference, "--workdir", self.work / figure, "--pairs", PAIRS,
            "--mappers", self.args.tools or BEST_MAPPERS, "--repeats", self.args.repeats, *words).values()
        for tool, row in report.items():
            wrong = sum(group["wrong"] for group in row["groups"])
            self.add(figure, tool, "pairs of 2 x 150", PAIRS, statistics.median(row["cpu"]) - row["start"], row["start"],
                     100 * (row["mapped"] - wrong) / row["primary"], row["mib"])

    def human(self):
        reference = "human3g" if self.args.reference == "human133" else self.args.reference
        gpu = GPU_MAPPERS.format(self.args.trawl) if "cuda" in self.args.engine else ""
        report = self.program(
            "places.py", "--reference", reference, "--workdir", self.work / "human", "--pairs", HUMAN_PAIRS, "--clean",
            "--library", "--mappers", self.args.tools or HUMAN_MAPPERS.format(gpu=gpu), "--repeats", self.args.repeats)
        for reads, rows in report.items():
            for tool, row in rows.items():
                right = 100 * row["kinds"]["all"]["right"] / row["primary"] if row["primary"] else None
                self.add(f"human, {reads}", tool, "pairs of 2 x 150, whole command, CPU s", HUMAN_PAIRS,
                         statistics.median(row["cpu"]), row["start"], right, row["mib"])

    def off_targets(self):
        try:
            import sassy  # noqa: F401
        except ImportError:
            print("off_targets: left out, Python has no module sassy (pip install sassy-rs)", file=sys.stderr)
            return
        reference = genomes.reference(self.args.reference)
        drawn = guides.draw_guides(reference, "NGG", GUIDES, 20, 15)
        for k in EDITS:
            times = guides.beside_sassy(self.args.trawl, reference, OFF_TARGET_BASES, drawn, "NGG", k, self.args.repeats,
                                        self.work)
            for tool, seconds in times.items():
                self.add("off_targets", tool, f"k = {k}", GUIDES, seconds, 0, 100, 0)

    # Trawl alone.

    def genome(self, bases: int) -> pathlib.Path:
        path = self.work / f"genome.{bases}.fa"
        if not path.exists():
            subprocess.run([self.args.build / "trawl-simulate", "genome", str(bases), "7", path], check=True)
        return path

    def reads(self, genome: pathlib.Path, count: int) -> pathlib.Path:
        path = self.work / f"{genome.stem}.{count}.fq"
        if not path.exists():
            with open(path, "wb") as out:
                subprocess.run([self.args.build / "trawl-simulate", "reads", genome, str(count), "100", "1", "--qualities"],
                               stdout=out, check=True)
        return path

    def grow(self, figure: str, amount: int, **changed):
        setting = BASE | changed
        genome = self.genome(setting["genome"])
        reads = self.reads(genome, setting["reads"])
        report = "best" if figure in ("reads", "threads") else "all"
        for engine in self.args.engine.split(","):
            if figure == "threads" and engine == "cuda":
                continue
            self.time(figure, amount, engine, f"--report {report}", 1 if setting["genome"] >= 10**9 else self.args.repeats,
                      ["map", "-e", setting["edits"], "--report", report, "-t", setting["threads"], "-o", "/dev/null",
                       genome, reads])
        if figure in ("genome", "reads"):
            self.read_once(figure, amount, [genome, reads] if figure == "genome" else [reads])

    def time(self, figure: str, amount: int, engine: str, setting: str, repeats: int, words: list):
        command = [str(word) for word in (self.args.trawl, *words, "--engine", engine, "--progress", "off")]
        runs = [run_measured(command, stderr=subprocess.DEVNULL) for _ in range(repeats)]
        if any(run.status for run in runs):
            print(f"failed: {' '.join(command)}", file=sys.stderr)
            return
        self.add(figure, f"trawl, {engine}", setting, amount, statistics.median(run.wall for run in runs), 0, None,
                 max(run.peak_mib for run in runs))

    def read_once(self, figure: str, amount: int, files: list):
        run = run_measured(["cat", *map(str, files)], stdout=subprocess.DEVNULL)
        self.add(figure, "cat", "input and output, read once" if figure == "guides" else "the input, read once", amount,
                 run.wall, 0, None, 0)

    def guides(self):
        genome = self.genome(BASE["genome"])
        drawn = guides.draw_guides(genome, "NGG", max(POINTS["guides"]), 20, 15)
        sites = self.work / "sites.bed"
        for count in POINTS["guides"]:
            patterns = guides.write_patterns(self.work / f"{count}.txt", drawn[:count])
            for engine in self.args.engine.split(","):
                self.time("guides", count, engine, "-k 3 --pam NGG", self.args.repeats,
                          ["scan", "-k", 3, "--pam", "NGG", "-t", BASE["threads"], "-o", sites, genome, patterns])
            self.read_once("guides", count, [genome, sites])

    def growth(self):
        for bases in map(number, self.args.genomes.split(",")):
            self.grow("genome", bases, genome=bases, reads=100_000)
            if bases != BASE["genome"]:
                self.genome(bases).unlink()
        for edits in POINTS["edits"]:
            self.grow("edits", edits, edits=edits, reads=100_000)
        for reads in POINTS["reads"]:
            self.grow("reads", reads, reads=reads)
        threads = 1
        while threads <= BASE["threads"]:
            self.grow("threads", threads, threads=threads)
            threads *= 2
        self.guides()


def measure(args) -> int:
    measuring = Measuring(args)
    for part in args.only.split(","):
        getattr(measuring, part)()
    print(f"{processor()}, commit {commit()}: {measuring.work / 'figures.tsv'}")
    return compare(argparse.Namespace(table=measuring.work / "figures.tsv"))


def read_table(path: pathlib.Path) -> list[dict]:
    with open(path, newline="") as table:
        return list(csv.DictReader(table, delimiter="\t"))


def point(row: dict) -> tuple:
    """What a row is compared by; the amount only where it is what the figure is about."""
    return row["figure"], row["setting"], "" if float(row["start"]) > 0 else row["amount"]


def times_trawl(rows: list[dict]) -> dict:
    """For each point of a tool: its seconds for the same amount, as a multiple of Trawl's."""
    each = [(point(row), row["tool"], float(row["seconds"]) / max(1, int(row["amount"]))) for row in rows]
    trawl = {where: seconds for where, tool, seconds in each if tool == "trawl"}
    return {(where, tool): seconds / trawl[where] for where, tool, seconds in each if where in trawl}


def compare(args) -> int:
    recorded, here = read_table(RECORDED), read_table(args.table)
    of_page, of_here = times_trawl(recorded), times_trawl(here)
    known = {(point(row), row["tool"], row["machine"]): row for row in recorded}
    any_machine = {(point(row), row["tool"]): row for row in recorded}
    print("| figure | tool | setting | seconds, page | here | times Trawl, page | here | found %, page | here |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for row in here:
        key = point(row), row["tool"]
        page = known.get((*key, row["machine"])) or any_machine.get(key)
        if page is None:
            continue
        ratio = [f"{of[key]:.2f}" if key in of else "" for of in (of_page, of_here)]
        print(f"| {row['figure']} | {row['tool']} | {row['setting']}, {int(row['amount']):,} | {page['seconds']} | "
              f"{row['seconds']} | {ratio[0]} | {ratio[1]} | {page['found']} | {row['found']} |")
    return 0


# Drawing.

TRAWL, OTHERS, LIMIT = "#1f6f8b", "#7a8790", "#c0392b"
NAMES = {"trawl": "Trawl", "columba": "Columba", "yara": "yara", "razers3": "RazerS 3", "gem3": "GEM3", "fem": "FEM",
         "mrfast": "mrFAST", "mrsfast": "mrsFAST", "bwa-mem": "bwa mem", "snap": "SNAP", "sassy": "Sassy"}


def bars(axes, rows: list[dict], title: str, found: str, digits: int):
    """What each tool does in a CPU second, and at the right what it found."""
    rates = {row["tool"]: int(row["amount"]) / float(row["seconds"]) for row in rows}
    rows = sorted(rows, key=lambda row: rates[row["tool"]])
    names = [NAMES.get(row["tool"], row["tool"]) for row in rows]
    axes.barh(names, [rates[row["tool"]] for row in rows], height=0.65,
              color=[TRAWL if row["tool"] == "trawl" else OTHERS for row in rows])
    most = max(rates.values())
    for y, row in enumerate(rows):
        axes.text(rates[row["tool"]] + most / 60, y, f"{rates[row['tool']]:,.0f}", va="center")
        axes.text(most * 1.45, y, f"{float(row['found']):.{digits}f}%", va="center", ha="right")
    axes.text(most * 1.45, len(rows) - 0.4, found, ha="right", va="bottom", color="#555555")
    axes.set(xlim=(0, most * 1.45), xticks=[])
    axes.set_title(title, loc="left", pad=20, fontsize=10.5)


def light(svg: str) -> str:
    """The same picture in fewer bytes: two decimals, no names of groups, and each style written once."""
    def number(found: re.Match) -> str:
        return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")

    svg = re.sub(r"<metadata>.*?</metadata>|<!-- .*? -->", "", svg, flags=re.S)
    svg = re.sub(r'(?<= )(d|x|y|width|height|viewBox|transform)="[^"]*"',
                 lambda found: re.sub(r"-?\d+\.\d+", number, found[0]), svg)
    svg = re.sub(r'(?<=[\dz]) *\n(?=[LCQMz"])', "", svg)
    svg = re.sub(r'(?<=<g) id="\w[\w.]*"', "", svg)
    styles = sorted(style for style, uses in collections.Counter(re.findall(r' style="[^"]*"', svg)).items() if uses > 1)
    for number_of_style, style in enumerate(styles):
        svg = svg.replace(style, f' class="s{number_of_style}"')
        svg = svg.replace("</style>", f".s{number_of_style}{{{style[8:-1]}}}</style>")
    return re.sub(r"\n\s*", "\n", svg)


def draw(_args) -> int:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "trawl"  # so that the same data give the same bytes
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text, so that files are small
    from matplotlib import pyplot

    rows = read_table(RECORDED)

    def of(figure, **more):
        return [row for row in rows if row["figure"] == figure and all(row[key] == value for key, value in more.items())]

    def save(fig, name):
        for axes in fig.axes:
            axes.grid(alpha=0.25)
            axes.minorticks_off()
            axes.spines[["top", "right"]].set_visible(False)
        fig.tight_layout()
        drawn = io.StringIO()
        fig.savefig(drawn, format="svg", bbox_inches="tight", metadata={"Date": None})
        (IMAGES / name).write_text(light(drawn.getvalue()))

    off_targets = of("off_targets")
    fig, panels = pyplot.subplots(1, 4 if off_targets else 3, figsize=(20 if off_targets else 17, 3.8))
    bars(panels[0], of("all", setting="100 bases, e = 5"), "Reads of 100 for each CPU second, all loci, e = 5",
         "of all loci found", 2)
    for axes, figure, title in ((panels[1], "best", "Clean pairs of 2 x 150 for each CPU second, best place"),
                                (panels[2], "library", "Pairs with adapters and bad tails, the same")):
        bars(axes, [row for row in of(figure) if row["tool"] != "trawl, cuda"], title, "mates at the right place", 3)
    if off_targets:
        for tool, colour in ("trawl", TRAWL), ("sassy", OTHERS):
            part = of("off_targets", tool=tool)
            panels[3].plot([row["setting"] for row in part], [float(row["seconds"]) for row in part], "o-", color=colour,
                           label=NAMES[tool])
        panels[3].legend()
        panels[3].set(ylabel="CPU seconds", ylim=(0, None))
        panels[3].set_title(f"{GUIDES} guides with NGG, 30 Mbp", loc="left", pad=20, fontsize=10.5)
    fig.suptitle("Real human sequence", x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    save(fig, "peers.svg")

    fig, panels = pyplot.subplots(1, 5, figsize=(20, 3.6))
    titles = {"genome": ("bases of the genome", "100,000 reads, all loci"), "edits": ("edits", "100,000 reads, all loci"),
              "reads": ("reads", "best place"), "threads": ("threads", "1 million reads, best place"),
              "guides": ("guides", "guides with NGG, up to 3 edits")}
    for axes, (figure, (label, title)) in zip(panels, titles.items()):
        for tool, style in (("trawl, cpu", "-"), ("trawl, cuda", "--"), ("cat", ":")):
            part = of(figure, tool=tool)
            if part:
                axes.plot([int(row["amount"]) for row in part], [float(row["seconds"]) for row in part], style,
                          marker="." if tool != "cat" else None, color=LIMIT if tool == "cat" else TRAWL,
                          label="reading the files once" if tool == "cat" else tool.split(", ")[1].upper())
        if figure == "threads" and (part := of(figure, tool="trawl, cpu")):
            one = float(part[0]["seconds"])
            axes.plot([int(row["amount"]) for row in part], [one / int(row["amount"]) for row in part], ":", color=LIMIT,
                      label="one thread's time, divided")
        axes.set(xlabel=label, ylabel="seconds", title=f"{title} (simulated)", yscale="log",
                 xscale="linear" if figure == "edits" else "log")
        if figure == "edits":
            axes.set_yscale("linear")
        axes.yaxis.set_major_formatter("{x:g}")
        if figure == "threads":
            axes.set_xticks([int(row["amount"]) for row in of(figure, tool="trawl, cpu")], minor=False)
            axes.xaxis.set_major_formatter("{x:g}")
        axes.legend(fontsize=8)
    save(fig, "growth.svg")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    works = parser.add_subparsers(dest="do", required=True)
    of_measure = works.add_parser("measure")
    of_measure.add_argument("--workdir", required=True)
    of_measure.add_argument("--only", default="all,best,library,off_targets,growth")
    of_measure.add_argument("--reference", default="human133", help="a name of genomes.py or a FASTA")
    of_measure.add_argument("--tools", help="comma-separated list; default: all")
    of_measure.add_argument("--repeats", type=int, default=3)
    of_measure.add_argument("--machine", default="here", help="its name in the table; default: %(default)s")
    of_measure.add_argument("--engine", default="cpu", help="of growth, human: cpu, cuda or both with a comma between")
    of_measure.add_argument("--genomes", default="1M,10M,100M", help="of growth; 3.1G takes 24 GB of memory")
    of_measure.add_argument("--trawl", default=ROOT / "build/release/trawl", type=pathlib.Path)
    of_measure.add_argument("--build", default=ROOT / "build/release/bench", type=pathlib.Path)
    works.add_parser("compare").add_argument("table", type=pathlib.Path)
    works.add_parser("draw")
    args = parser.parse_args()
    return {"measure": measure, "compare": compare, "draw": draw}[args.do](args)


if __name__ == "__main__":
    sys.exit(main())
