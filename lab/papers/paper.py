#!/usr/bin/env python3
"""Runs a paper's experiments with trawl-bench and draws its figures.

  lab/papers/paper.py cushiftor                    run, tabulate and draw
  lab/papers/paper.py asm_hmm wspasm --only run    only the TSV files, on a machine without matplotlib
  lab/papers/paper.py cushiftor --only draw        figures and tables from existing TSV files
  lab/papers/paper.py cushiftor --only tables      only the tables, which do not need matplotlib
  lab/papers/paper.py cushiftor --only counters    what limits the kernels, with Nsight Compute (ncu)
  lab/papers/paper.py cushiftor --quick            small texts, for a trial or for the CPU
  lab/papers/paper.py cusmart --english book.txt --genome hs13.fa     with these texts in place of made ones

NAME.toml beside it says what to run. Each run gives one TSV file; figures and tables are made from these files.
"""
import argparse
import csv
import functools
import importlib.util
import pathlib
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
BUILT = HERE.parents[1] / "build/lab/trawl-bench"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="+", choices=sorted(p.stem for p in HERE.glob("*.toml")))
    parser.add_argument("--program", default=BUILT, type=pathlib.Path, help="default: build/lab/trawl-bench")
    parser.add_argument("--engine", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--ncu", default="ncu", help="path of Nsight Compute")
    parser.add_argument("--mpirun", default="mpirun", help="launcher for several ranks, and its options")
    parser.add_argument("--english", help="file of English text (cusmart); default: a made text")
    parser.add_argument("--genome", help="FASTA file (cusmart); default: made DNA")
    parser.add_argument("--results", default="results", type=pathlib.Path, help="folder of the TSV files")
    parser.add_argument("--figures", default="figures", type=pathlib.Path, help="folder of the figures")
    parser.add_argument("--only", choices=["run", "draw", "tables", "counters"])
    parser.add_argument("--quick", action="store_true", help="small texts and short lists of the TOML file, one run")
    return parser.parse_args()


# --- running ---


def call(command, **how):
    """Runs a program; if it fails, its own message stands above the one that ends this program."""
    try:
        return subprocess.run(command, check=True, **how)
    except OSError as error:
        sys.exit(f"paper.py: {command[0]} cannot be started: {error.strerror}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"paper.py: this run failed with status {error.returncode}: {' '.join(map(str, command))}")
    except KeyboardInterrupt:
        sys.exit("paper.py: interrupted; the tables of the runs before this one are kept")


def works(*command):
    """Whether a trial on a short text succeeds."""
    try:
        return subprocess.run([*command, "-n", "1000", "--repeats", "1"], capture_output=True).returncode == 0
    except OSError:
        return False


def text_args(args, options):
    """{english} and {genome} become options of trawl-bench exact. The name of a file may have spaces."""
    texts = {"{english}": ["--text", options.english] if options.english else ["--made", "english"],
             "{genome}": ["--fasta", options.genome] if options.genome else ["--made", "dna"]}
    return [word for arg in args.split() for word in texts.get(arg, [arg])]


def run(config, options):
    options.results.mkdir(parents=True, exist_ok=True)
    engine = options.engine
    if engine == "auto" and any("engines" in experiment for experiment in config["run"]):
        engine = "cuda" if works(options.program, "gbpr", "--engine", "cuda") else "cpu"
    for experiment in config["run"]:
        name = experiment["name"]
        if engine not in experiment.get("engines", [engine]):
            print(f"left out: {name}, which is for {', '.join(experiment['engines'])}", flush=True)
            continue
        args = experiment["args"]
        if options.quick:
            args = experiment.get("quick_args", args)
        command = [options.program, *text_args(args, options)]
        if "mpi_ranks" in experiment:
            launch = [*options.mpirun.split(), "-n"]
            if not works(*launch, "2", options.program, "multi", "--engine", "cpu", "--ranks", "1,2"):
                print(f"left out: {name}, which needs {options.mpirun} and MPI", flush=True)
                continue
            command = [*launch, str(experiment["mpi_ranks"]), *command]
        length = experiment.get("quick_n" if options.quick else "n", "")
        if length and not {"--text", "--fasta"} & set(command):
            command += ["-n", length]
        command += ["--engine", experiment.get("engine", engine)]  # some are for one engine beside the other
        if options.quick:
            if "--repeats" in command:
                at = command.index("--repeats")
                del command[at:at + 2]
            command += ["--repeats", "1"]
        command += ["-o", str(options.results / (name + ".tsv"))]
        print("+", " ".join(map(str, command)), flush=True)
        call(command)
        mark = options.results / (name + ".quick")  # this file says that a table was made with --quick
        mark.touch() if options.quick else mark.unlink(missing_ok=True)


# --- what is in the tables ---


@functools.cache  # once for a figure and its table
def warn(message):
    print(message, file=sys.stderr)


def names_of(item):
    return [item["of"], item["to"]] if "of" in item else item["data"]


def present(config, options, kind):
    """The tables or figures of a kind whose data are there. Those of experiments for one engine, or for several ranks,
    may be missing."""
    special = {experiment["name"] for experiment in config["run"] if {"engines", "mpi_ranks"} & set(experiment)}
    for item in config.get(kind, []):
        lacking = [n for n in names_of(item) if n in special and not (options.results / (n + ".tsv")).exists()]
        if lacking:
            warn(f"left out: {item['title']} (not run: {', '.join(lacking)})")
        elif any((options.results / (n + ".quick")).exists() for n in names_of(item)):
            yield {**item, "title": item["title"] + " (quick: one run, small texts)"}
        else:
            yield item


def read(options, name):
    path = options.results / (name + ".tsv")
    if not path.exists():
        sys.exit(f"{path} is missing; make it with lab/papers/paper.py --only run")
    with open(path) as file:
        return [{**row, "run": name} for row in csv.DictReader(file, delimiter="\t")]


def rows_of(item, options, only="only"):
    """The rows of its data whose columns have the wanted values: one value, or one of a list."""
    wanted = {column: value if isinstance(value, list) else [value] for column, value in item.get(only, {}).items()}
    return [row for name in item["data"] for row in read(options, name)
            if all(row[column] in values for column, values in wanted.items())]


def label(row, columns):
    parts = []
    for column in columns:
        if column == "run":
            parts.append(row["run"].split("_")[0])
        elif column == "alpha" and row["run"].startswith("cushiftor"):
            continue  # the program chose the best value
        else:
            value = row[column]
            plain = not value.isdigit() and value not in ("yes", "no")
            parts.append(value if plain else f"{column} = {value}")
    return ", ".join(parts)


def rankings(item, options):
    """For each value of `by`: the rows without those named in `without`, sorted by `value`, the largest first."""
    rows = [row for row in rows_of(item, options) if row[item["name"]] not in item.get("without", [])]
    return {by: sorted((row for row in rows if row[item["by"]] == by),
                       key=lambda row: float(row[item["value"]]), reverse=True)
            for by in dict.fromkeys(row[item["by"]] for row in rows)}


# --- figures ---


def draw(config, options):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "trawl"  # so that the same data give the same bytes
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text, so that files are small
    from matplotlib import pyplot

    options.figures.mkdir(parents=True, exist_ok=True)
    for kind, draw_one in (("figure", draw_lines), ("ranking", draw_ranking)):
        for item in present(config, options, kind):
            if "file" in item:
                fig = draw_one(item, options, pyplot)
                fig.savefig(options.figures / item["file"], bbox_inches="tight", metadata={"Date": None})
                pyplot.close(fig)


def draw_lines(item, options, pyplot):
    """y over x, which is a number or a word, with a line for each value of the `series`."""
    def place(x):
        return float(x) if x[0].isdigit() else x

    lines = {}
    for row in rows_of(item, options):
        points = lines.setdefault(label(row, item["series"]), {})
        points.setdefault(place(row[item["x"]]), []).append(float(row[item["y"]]))
    fig, axes = pyplot.subplots(figsize=(7, 4.5))
    best = min if item.get("best") == "min" else max  # if a line has several rows with the same x
    if "lines" in item:  # only so many, those with the largest values
        peaks = sorted(lines, key=lambda name: max(map(max, lines[name].values())), reverse=True)
        lines = {name: lines[name] for name in peaks[:item["lines"]]}
    for marker, (name, points) in zip("osv^D<>*phXdPH8+x1234|_" * 3, lines.items()):
        line = [(x, best(ys)) for x, ys in points.items()]
        line = line if isinstance(line[0][0], str) else sorted(line)
        axes.plot(*zip(*line), marker=marker, markersize=4, linewidth=1, label=name)
    if item.get("log_x"):
        axes.set_xscale("log", base=2)
    if item.get("log_y"):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set(title=item["title"], xlabel=item["x"], ylabel=item["y"])
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def draw_ranking(item, options, pyplot):
    """The first and the last rows of each ranking, one plot for each value of `by`."""
    ranked = rankings(item, options)
    fig, all_axes = pyplot.subplots(1, len(ranked), figsize=(3.2 * len(ranked), 3), squeeze=False)
    for axes, (by, rows) in zip(all_axes[0], ranked.items()):
        ends = rows[:item["first"]] + rows[len(rows) - item["last"]:]
        axes.barh([row[item["name"]] for row in ends], [float(row[item["value"]]) for row in ends],
                  color=["tab:blue"] * item["first"] + ["tab:orange"] * item["last"])
        axes.invert_yaxis()
        axes.tick_params(labelsize=7)
        axes.set(title=f"{item['by']} = {by}", xlabel=item["value"])
    fig.suptitle(item["title"])
    fig.tight_layout()
    return fig


# --- tables: their heads and lines ---


def ratio(item, options):
    """`value` of each row of `of`, divided by that of the row of `to` with the same `match` columns."""
    base = {}
    for row in rows_of({**item, "data": [item["to"]]}, options, "to_only"):
        kind = row[item["columns"]] if "columns" in item else ""
        base.setdefault(tuple(row[c] for c in item["match"]), {})[kind] = float(row[item["value"]])
    kinds = sorted({kind for of_key in base.values() for kind in of_key}, key=lambda k: (len(k), k))
    names = item["match"] + item.get("rows", [])
    lines = []
    for row in read(options, item["of"]):
        to = base.get(tuple(row[c] for c in item["match"]), {})
        lines.append([*(row[c] for c in names), row[item["value"]],
                      *(f"{float(row[item['value']]) / to[k]:.2f}" if k in to else "" for k in kinds)])
    return [*names, item["value"], *(f"ratio, {item['columns']} = {k}" if k else "ratio" for k in kinds)], lines


def table(item, options):
    """`value`: lines by `rows`, one column for each value of `columns`. Without a value, the columns `rows` of all."""
    if "value" not in item:
        return item["rows"], [[row[c] for c in item["rows"]] for row in rows_of(item, options)]
    cells = {}
    for row in rows_of(item, options):
        cells.setdefault(tuple(row[c] for c in item["rows"]), {})[label(row, item["columns"])] = row[item["value"]]
    kinds = list(dict.fromkeys(kind for line in cells.values() for kind in line))
    return item["rows"] + kinds, [[*key, *(line.get(kind, "") for kind in kinds)] for key, line in cells.items()]


def ranking(item, options):
    """The first and the last of each ranking: one column for each value of `by`."""
    ranked = rankings(item, options)
    size = min(map(len, ranked.values()))
    places = [*range(min(item["first"], size)), *range(-min(item["last"], size), 0)]
    lines = [[str(place + 1) if place >= 0 else "last" if place == -1 else f"last {place + 1}",
              *(f"{rows[place][item['name']]} {rows[place][item['value']]}" for rows in ranked.values())]
             for place in places]
    return ["place", *(f"{item['by']} = {by}" for by in ranked)], lines


def best(item, options):
    """For each value of `by`: the columns `show` of the row with the smallest `value`, for each of the `groups`."""
    lines = []
    for by in dict.fromkeys(row[item["by"]] for row in rows_of(item, options)):
        line = [by]
        for group in item["groups"]:
            rows = rows_of({**item, "only": {**group.get("only", {}), item["by"]: by}}, options)
            row = min(rows, key=lambda row: float(row[item["value"]]))
            line += [row[c] for c in group["show"]]
        lines.append(line)
    return [item["by"], *(f"{group['name']}: {c}" for group in item["groups"] for c in group["show"])], lines


# Names of the counters in Nsight Compute, and their column titles in a table.
METRICS = {
    "issue": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "ALU": "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active",
    "load/store": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
    "DRAM": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "L1 hits": "l1tex__t_sector_hit_rate.pct",
    "sectors a load": "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
    "instructions a character": "smsp__inst_executed.sum",
}


def counters(item, options):
    """One launch of each kernel: percent of the peak rates, sectors of 32 bytes per load of a warp, and instructions per
    thread and character."""
    def cell(name, value):
        try:
            number = float(value.replace(",", ""))
        except ValueError:  # a kernel without such instructions
            return value
        if name == "instructions a character":
            return f"{32 * number / int(item['n']):.1f}"
        return f"{number:.1f}" if name == "sectors a load" else f"{number:.0f}%"

    lines = []
    for kernel, args in item["rows"]:
        command = [options.ncu, "--csv", "--page", "raw", "--print-units", "base", "--metrics",
                   ",".join(METRICS.values()), "--kernel-name-base", "function", "--kernel-name", kernel,
                   "--launch-skip", "2", "--launch-count", "1", options.program, *args.split(),
                   "-n", item["n"], "--engine", "cuda", "--repeats", "3"]
        print("+", " ".join(map(str, command)), file=sys.stderr, flush=True)
        output = call(command, stdout=subprocess.PIPE, text=True).stdout
        # The header of the CSV, its units, then the launch. Before them are messages of the two programs.
        report = output[output.index('"ID"'):].splitlines()
        values = next(csv.DictReader([report[0], *report[2:]]))
        lines.append([args, *(cell(name, values[metric]) for name, metric in METRICS.items())])
    return ["kernel", *METRICS], lines


def print_table(title, heads, lines):
    print(f"\n{title}\n\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")


def main():
    options = arguments()
    options.program = options.program.absolute()
    if options.only in (None, "run", "counters") and not options.program.is_file():
        sys.exit(f"paper.py: there is no {options.program}: build it with 'scripts/build.sh trawl-bench', or name it with "
                 "--program")
    can_draw = importlib.util.find_spec("matplotlib") is not None
    if not can_draw and options.only == "draw":
        sys.exit("paper.py: Python's matplotlib is not installed, so figures cannot be drawn; --only tables does not "
                 "need it")
    if not can_draw and options.only is None:
        warn("paper.py: Python's matplotlib is not installed, so no figures are drawn; the tables are printed")
    for paper in options.papers:
        config = tomllib.loads((HERE / (paper + ".toml")).read_text())
        if options.only == "counters":
            for item in config.get("counters", []):
                print_table(item["title"], *counters(item, options))
        if options.only in (None, "run"):
            run(config, options)
        if options.only in (None, "draw") and can_draw:
            draw(config, options)
        if options.only in (None, "draw", "tables"):
            for kind, made in (("ratio", ratio), ("ranking", ranking), ("table", table), ("best", best)):
                for item in present(config, options, kind):
                    print_table(item["title"] + (f", {item['value']}" if kind == "ranking" else ""), *made(item, options))


if __name__ == "__main__":
    main()
