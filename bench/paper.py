#!/usr/bin/env python3
"""Runs a paper's experiments with trawl bench and draws its figures.

  bench/paper.py cushiftor                    run, tabulate and draw
  bench/paper.py asm_hmm wspasm --only run    on a machine without matplotlib: the TSV files
  bench/paper.py cushiftor --only draw        from TSV files that are there
  bench/paper.py cushiftor --quick            small texts: a trial, also on the CPU

What is run is in bench/papers/NAME.toml. Each run is one TSV file; figures and ratio tables are made from these.
"""
import argparse
import csv
import pathlib
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="+", choices=sorted(p.stem for p in (HERE / "papers").glob("*.toml")))
    parser.add_argument("--trawl", default=str(HERE.parent / "build/cuda/trawl"), help="the program")
    parser.add_argument("--engine", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--results", default="results", type=pathlib.Path, help="folder of the TSV files")
    parser.add_argument("--figures", default="figures", type=pathlib.Path, help="folder of the figures")
    parser.add_argument("--only", choices=["run", "draw"])
    parser.add_argument("--quick", action="store_true", help="the config's small texts, one repetition")
    return parser.parse_args()


def run(config, options):
    options.results.mkdir(parents=True, exist_ok=True)
    for experiment in config["run"]:
        command = [options.trawl, "bench", experiment["algorithm"], *experiment["args"].split()]
        command += ["-n", experiment["quick_n" if options.quick else "n"], "--engine", options.engine]
        if options.quick:
            if "--repeats" in command:
                at = command.index("--repeats")
                del command[at:at + 2]
            command += ["--repeats", "1"]
        command += ["-o", str(options.results / (experiment["name"] + ".tsv"))]
        print("+", " ".join(command), flush=True)
        subprocess.run(command, check=True)


def read(options, name):
    path = options.results / (name + ".tsv")
    if not path.exists():
        sys.exit(f"{path} is missing; make it with bench/paper.py --only run")
    with open(path) as file:
        return list(csv.DictReader(file, delimiter="\t"))


def label(row, columns):
    parts = []
    for column in columns:
        if column == "run":
            parts.append(row["run"].split("_")[0])
        elif column == "alpha" and row["run"].startswith("cushiftor"):
            continue  # the best, chosen by the program
        else:
            parts.append(f"{column} = {row[column]}" if row[column].isdigit() else row[column])
    return ", ".join(parts)


def draw(config, options):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "trawl"  # the same data, the same bytes
    matplotlib.rcParams["svg.fonttype"] = "none"  # text as text: small files
    from matplotlib import pyplot

    options.figures.mkdir(parents=True, exist_ok=True)
    for figure in config["figure"]:
        lines = {}
        for name in figure["data"]:
            for row in read(options, name):
                row["run"] = name
                if all(row[column] == wanted for column, wanted in figure.get("only", {}).items()):
                    points = lines.setdefault(label(row, figure["series"]), {})
                    points.setdefault(float(row[figure["x"]]), []).append(float(row[figure["y"]]))
        fig, axes = pyplot.subplots(figsize=(7, 4.5))
        best = min if figure.get("best") == "min" else max  # of several rows of one line at one place
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


def ratios(config, options):
    """Prints Markdown: `value` of each row of `of` over that of the row of `to` with the same `match` columns."""
    for table in config.get("ratio", []):
        base = {}
        for row in read(options, table["to"]):
            if all(row[column] == wanted for column, wanted in table.get("to_only", {}).items()):
                kind = row[table["columns"]] if "columns" in table else ""
                base.setdefault(tuple(row[c] for c in table["match"]), {})[kind] = float(row[table["value"]])
        kinds = sorted({kind for of_key in base.values() for kind in of_key}, key=lambda k: (len(k), k))
        names = table["match"] + table.get("rows", [])
        heads = names + [table["value"]] + [f"ratio, {table['columns']} = {k}" if k else "ratio" for k in kinds]
        print(f"\n{table['title']}\n\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
        for row in read(options, table["of"]):
            to = base.get(tuple(row[c] for c in table["match"]), {})
            cells = [row[c] for c in names] + [row[table["value"]]]
            cells += [f"{float(row[table['value']]) / to[k]:.2f}" if k in to else "" for k in kinds]
            print("| " + " | ".join(cells) + " |")


def main():
    options = arguments()
    for paper in options.papers:
        config = tomllib.loads((HERE / "papers" / (paper + ".toml")).read_text())
        if options.only != "draw":
            run(config, options)
        if options.only != "run":
            draw(config, options)
            ratios(config, options)


if __name__ == "__main__":
    main()
