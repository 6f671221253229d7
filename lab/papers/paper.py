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


def call(command, **how):
    """Runs a program; if it fails, its own message stands above the one that ends this program."""
    try:
        return subprocess.run(command, check=True, **how)
    except FileNotFoundError:
        sys.exit(f"paper.py: there is no program {command[0]}")
    except PermissionError:
        sys.exit(f"paper.py: {command[0]} cannot be started")
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


def has_device(options):
    """Whether --engine auto means cuda here."""
    return works(options.program, "gbpr", "--engine", "cuda")


def has_mpi(options):
    """Whether there is a launcher, and this program has MPI."""
    return works(*options.mpirun.split(), "-n", "2", options.program, "multi", "--engine", "cpu", "--ranks", "1,2")


def text_args(args, options):
    """{english} and {genome} become options of trawl-bench exact. The name of a file may have spaces."""
    texts = {"{english}": ["--text", options.english] if options.english else ["--made", "english"],
             "{genome}": ["--fasta", options.genome] if options.genome else ["--made", "dna"]}
    return [word for arg in args.split() for word in texts.get(arg, [arg])]


def run(config, options):
    options.results.mkdir(parents=True, exist_ok=True)
    engine = options.engine
    if engine == "auto" and any("engines" in experiment for experiment in config["run"]):
        engine = "cuda" if has_device(options) else "cpu"
    for experiment in config["run"]:
        if engine not in experiment.get("engines", [engine]):
            print(f"left out: {experiment['name']}, which is for {', '.join(experiment['engines'])}", flush=True)
            continue
        args = experiment["args"]
        if options.quick:
            args = experiment.get("quick_args", args)
        command = [options.program, experiment["algorithm"], *text_args(args, options)]
        if "mpi_ranks" in experiment:
            if not has_mpi(options):
                print(f"left out: {experiment['name']}, which needs {options.mpirun} and MPI", flush=True)
                continue
            command = [*options.mpirun.split(), "-n", str(experiment["mpi_ranks"]), *command]
        length = experiment.get("quick_n" if options.quick else "n", "")
        if length and not {"--text", "--fasta"} & set(command):
            command += ["-n", length]
        command += ["--engine", experiment.get("engine", engine)]  # some are for one engine beside the other
        if options.quick:
            if "--repeats" in command:
                at = command.index("--repeats")
                del command[at:at + 2]
            command += ["--repeats", "1"]
        command += ["-o", str(options.results / (experiment["name"] + ".tsv"))]
        print("+", " ".join(map(str, command)), flush=True)
        call(command)
        if options.quick:
            quick_mark(options, experiment["name"]).touch()
        else:
            quick_mark(options, experiment["name"]).unlink(missing_ok=True)


def quick_mark(options, name):
    """This file says that a table was made with --quick."""
    return options.results / (name + ".quick")


def read(options, name):
    path = options.results / (name + ".tsv")
    if not path.exists():
        sys.exit(f"{path} is missing; make it with lab/papers/paper.py --only run")
    with open(path) as file:
        return list(csv.DictReader(file, delimiter="\t"))


@functools.cache  # once for a figure and its table
def warn(message):
    print(message, file=sys.stderr)


def present(config, options, kind):
    """The tables or figures of a kind whose data are there. Those of experiments for one engine, or for several ranks,
    may be missing."""
    special = {experiment["name"] for experiment in config["run"] if {"engines", "mpi_ranks"} & set(experiment)}
    for item in config.get(kind, []):
        names = [item["of"], item["to"]] if kind == "ratio" else item["data"]
        names = [names] if isinstance(names, str) else names
        lacking = [n for n in names if n in special and not (options.results / (n + ".tsv")).exists()]
        if lacking:
            warn(f"left out: {item['title']} (not run: {', '.join(lacking)})")
        elif any(quick_mark(options, n).exists() for n in names):
            yield {**item, "title": item["title"] + " (quick: one run, small texts)"}
        else:
            yield item


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


def draw(config, options):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "trawl"  # so that the same data give the same bytes
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text, so that files are small
    from matplotlib import pyplot

    options.figures.mkdir(parents=True, exist_ok=True)
    for figure in present(config, options, "figure"):
        lines = {}
        for name in figure["data"]:
            for row in chosen(read(options, name), figure.get("only", {})):
                row["run"] = name
                points = lines.setdefault(label(row, figure["series"]), {})
                points.setdefault(float(row[figure["x"]]), []).append(float(row[figure["y"]]))
        fig, axes = pyplot.subplots(figsize=(7, 4.5))
        best = min if figure.get("best") == "min" else max  # if a line has several rows with the same x
        if "lines" in figure:  # only so many, those with the largest values
            peaks = sorted(lines, key=lambda name: max(map(max, lines[name].values())), reverse=True)
            lines = {name: lines[name] for name in peaks[:figure["lines"]]}
        for marker, (name, points) in zip("osv^D<>*phXdPH8+x1234|_" * 3, lines.items()):
            line = sorted((x, best(ys)) for x, ys in points.items())
            axes.plot(*zip(*line), marker=marker, markersize=4, linewidth=1, label=name)
        if figure.get("log_x"):
            axes.set_xscale("log", base=2)
        if figure.get("log_y"):
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        axes.set(title=figure["title"], xlabel=figure["x"], ylabel=figure["y"])
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
        fig.savefig(options.figures / figure["file"], bbox_inches="tight", metadata={"Date": None})
        pyplot.close(fig)
    draw_bars(config, options, pyplot)
    draw_rankings(config, options, pyplot)


def draw_bars(config, options, pyplot):
    """A group of bars for each `category`, one bar for each value of `series`."""
    for figure in present(config, options, "bars"):
        groups, kinds = {}, {}
        for name in figure["data"]:
            for row in chosen(read(options, name), figure.get("only", {})):
                kind = label(row, figure["series"])
                kinds[kind] = None
                groups.setdefault(row[figure["category"]], {})[kind] = float(row[figure["y"]])
        fig, axes = pyplot.subplots(figsize=(max(6, 0.22 * len(groups)), 4.5))
        width = 0.8 / len(kinds)
        for k, kind in enumerate(kinds):
            axes.bar([g + k * width for g in range(len(groups))], [group.get(kind, 0) for group in groups.values()],
                     width, label=kind)
        axes.set_xticks([g + 0.4 for g in range(len(groups))], groups, rotation=90, fontsize=7)
        axes.set(title=figure["title"], ylabel=figure["y"], yscale="log" if figure.get("log_y") else "linear")
        axes.grid(alpha=0.3, axis="y")
        axes.legend(fontsize=7)
        fig.savefig(options.figures / figure["file"], bbox_inches="tight", metadata={"Date": None})
        pyplot.close(fig)


def draw_rankings(config, options, pyplot):
    """The first and the last rows of each ranking, one plot for each value of `by`."""
    for table in present(config, options, "ranking"):
        ranked = rankings(table, options)
        fig, all_axes = pyplot.subplots(1, len(ranked), figsize=(3.2 * len(ranked), 3), squeeze=False)
        for axes, (by, rows) in zip(all_axes[0], ranked.items()):
            ends = rows[:table["first"]] + rows[len(rows) - table["last"]:]
            colors = ["tab:blue"] * table["first"] + ["tab:orange"] * table["last"]
            axes.barh([row[table["name"]] for row in ends], [float(row[table["value"]]) for row in ends], color=colors)
            axes.invert_yaxis()
            axes.tick_params(labelsize=7)
            axes.set(title=f"{table['by']} = {by}", xlabel=table["value"])
        fig.suptitle(table["title"])
        fig.tight_layout()
        fig.savefig(options.figures / table["file"], bbox_inches="tight", metadata={"Date": None})
        pyplot.close(fig)


def print_table(title, heads, lines):
    print(f"\n{title}\n\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")


def chosen(rows, only):
    """The rows whose columns have the wanted values: one value, or one of a list."""
    def has(row, column, wanted):
        return row[column] in wanted if isinstance(wanted, list) else row[column] == wanted

    return [row for row in rows if all(has(row, column, wanted) for column, wanted in only.items())]


def ratios(config, options):
    """`value` of each row of `of`, divided by that of the row of `to` with the same `match` columns."""
    for table in present(config, options, "ratio"):
        base = {}
        for row in chosen(read(options, table["to"]), table.get("to_only", {})):
            kind = row[table["columns"]] if "columns" in table else ""
            base.setdefault(tuple(row[c] for c in table["match"]), {})[kind] = float(row[table["value"]])
        kinds = sorted({kind for of_key in base.values() for kind in of_key}, key=lambda k: (len(k), k))
        names = table["match"] + table.get("rows", [])
        heads = names + [table["value"]] + [f"ratio, {table['columns']} = {k}" if k else "ratio" for k in kinds]
        lines = []
        for row in read(options, table["of"]):
            to = base.get(tuple(row[c] for c in table["match"]), {})
            ratio = [f"{float(row[table['value']]) / to[k]:.2f}" if k in to else "" for k in kinds]
            lines.append([row[c] for c in names] + [row[table["value"]]] + ratio)
        print_table(table["title"], heads, lines)


def pivots(config, options):
    """A table of `value`: lines by `rows`, one column for each value of `columns`."""
    for table in present(config, options, "table"):
        cells = {}
        names = table["data"] if isinstance(table["data"], list) else [table["data"]]
        for row in chosen([row for name in names for row in read(options, name)], table.get("only", {})):
            kind = label(row, table["columns"]) if isinstance(table["columns"], list) else row[table["columns"]]
            cells.setdefault(tuple(row[c] for c in table["rows"]), {})[kind] = row[table["value"]]
        kinds = list(dict.fromkeys(kind for line in cells.values() for kind in line))
        print_table(table["title"], table["rows"] + kinds,
                    [[*key, *(line.get(kind, "") for kind in kinds)] for key, line in cells.items()])


def plain_rows(config, options):
    """Some columns of all rows."""
    for table in present(config, options, "rows"):
        lines = [[row[c] for c in table["columns"]] for row in read(options, table["data"])]
        print_table(table["title"], table["columns"], lines)


def rankings(table, options):
    """For each value of `by`: the rows without those named in `without`, sorted by `value`, the largest first."""
    rows = [row for row in read(options, table["data"]) if row[table["name"]] not in table.get("without", [])]
    return {by: sorted((row for row in rows if row[table["by"]] == by),
                       key=lambda row: float(row[table["value"]]), reverse=True)
            for by in dict.fromkeys(row[table["by"]] for row in rows)}


def print_rankings(config, options):
    """The first and the last of each ranking: one column for each value of `by`."""
    for table in present(config, options, "ranking"):
        ranked = rankings(table, options)
        size = min(map(len, ranked.values()))
        places = [*range(min(table["first"], size)), *range(-min(table["last"], size), 0)]
        lines = [[str(place + 1) if place >= 0 else "last" if place == -1 else f"last {place + 1}",
                  *(f"{rows[place][table['name']]} {rows[place][table['value']]}" for rows in ranked.values())]
                 for place in places]
        print_table(f"{table['title']}, {table['value']}", ["place", *(f"{table['by']} = {by}" for by in ranked)],
                    lines)


def bests(config, options):
    """For each value of `by`: the columns `show` of the row with the smallest `value`, for each of the `groups`."""
    for table in present(config, options, "best"):
        data = read(options, table["data"])
        heads = [table["by"]] + [f"{group['name']}: {c}" for group in table["groups"] for c in group["show"]]
        lines = []
        for by in dict.fromkeys(row[table["by"]] for row in data):
            line = [by]
            for group in table["groups"]:
                rows = chosen(data, {**group.get("only", {}), table["by"]: by})
                best = min(rows, key=lambda row: float(row[table["value"]]))
                line += [best[c] for c in group["show"]]
            lines.append(line)
        print_table(table["title"], heads, lines)


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


def counters(config, options):
    """One launch of each kernel: percent of the peak rates, sectors of 32 bytes per load of a warp, and instructions per
    thread and character."""
    for table in config.get("counters", []):
        lines = []
        for kernel, args in table["rows"]:
            command = [options.ncu, "--csv", "--page", "raw", "--print-units", "base", "--metrics",
                       ",".join(METRICS.values()), "--kernel-name-base", "function", "--kernel-name", kernel,
                       "--launch-skip", "2", "--launch-count", "1", options.program, *args.split(),
                       "-n", table["n"], "--engine", "cuda", "--repeats", "3"]
            print("+", " ".join(map(str, command)), file=sys.stderr, flush=True)
            output = call(command, stdout=subprocess.PIPE, text=True).stdout
            # The header of the CSV, its units, then the launch. Before them are messages of the two programs.
            report = output[output.index('"ID"'):].splitlines()
            values = next(csv.DictReader([report[0], *report[2:]]))
            line = [args]
            for name, metric in METRICS.items():
                try:
                    value = float(values[metric].replace(",", ""))
                except ValueError:  # a kernel without such instructions
                    line.append(values[metric])
                    continue
                if name == "instructions a character":
                    line.append(f"{32 * value / int(table['n']):.1f}")
                elif name == "sectors a load":
                    line.append(f"{value:.1f}")
                else:
                    line.append(f"{value:.0f}%")
            lines.append(line)
        print_table(table["title"], ["kernel", *METRICS], lines)


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
            counters(config, options)
        if options.only in (None, "run"):
            run(config, options)
        if options.only in (None, "draw") and can_draw:
            draw(config, options)
        if options.only in (None, "draw", "tables"):
            ratios(config, options)
            print_rankings(config, options)
            pivots(config, options)
            bests(config, options)
            plain_rows(config, options)


if __name__ == "__main__":
    main()
