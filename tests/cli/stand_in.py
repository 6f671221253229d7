"""For test_compare.py: stands in for a mapper, which its name says. It knows the options of that program, no others,
maps with ../trawl what they name, and then makes the program's faults. ../calls gets a line for each call."""

import os
import subprocess
import sys
from pathlib import Path

# Options with a value, options without, and how the arguments without a name are called.
OPTIONS = {
    "mrfast": ("--index --search --seq --seq1 --seq2 -e -o -u --min --max", "--pe --best", []),
    "mrsfast": ("--index --search --seq -e -o --threads --min --max", "--pe --best --disable-nohits", []),
    "FEM": ("-e -t --ref --index --read1 -o", "", ["command", "window", "step", "reference", "built"]),
    "gem-indexer": ("-i -o", "", []),
    "gem-mapper": ("-I -i -1 -2 -t -o -l -L -E -e -s -M --mapping-mode --alignment-model --alignment-local "
                   "--discordant-pair-search", "--sam-compact=false", []),
    "razers3": ("-i -rr -m -ll -le -tc -o", "-ng", ["reference", "1", "2"]),
    "bwa-mem2": ("-p -t -o", "", ["command", "index", "1", "2"]),
    "strobealign": ("-r -t -o", "--create-index --use-index", ["reference", "1", "2"]),
    "bitmapperBS": ("--index --search --seq --seq1 --seq2 -e -t -o --min --max", "--ambiguous_out", []),
}
program = Path(sys.argv[0])
name, work = program.name, program.parent.parent
with_value, flags, positional = OPTIONS[name]
given, words, rest = {}, sys.argv[1:], list(positional)
while words:
    word = words.pop(0)
    if word in with_value.split():
        given[word] = words.pop(0)
    elif word in flags.split():
        given[word] = True
    elif not word.startswith("-") and rest:
        given[rest.pop(0)] = word
    else:
        sys.exit(f"{name}: unknown: {word}")
with open(work / "calls", "a") as log:
    print(name, *sys.argv[1:], file=log)


def option(*names):
    return next((given[n] for n in names if n in given), None)


# --- an index says what of ---


def build(path, reference):
    Path(path).write_text(os.path.realpath(reference))
    sys.exit()


if name == "gem-indexer":
    build(given["-o"] + ".gem", given["-i"])
if name == "FEM" and given["command"] == "index":
    build(given["built"], given["reference"])
if name == "bwa-mem2" and given["command"] == "index":
    build(given["-p"] + ".bwt", given["index"])
if "--create-index" in given:
    build(given["reference"] + f".r{given['-r']}.sti", given["reference"])
if name in ("mrfast", "mrsfast", "bitmapperBS") and "--index" in given:
    build(given["--index"] + ".index", given["--index"])

# --- mapping ---

if name == "razers3":
    reference = given["reference"]
else:
    reference = Path(given["--index"] if name == "FEM" else given["-I"] if name == "gem-mapper"
                     else given["index"] + ".bwt" if name == "bwa-mem2"
                     else given["reference"] + f".r{given['-r']}.sti" if name == "strobealign"
                     else given["--search"] + ".index").read_text()
reads = [option("--seq1", "-1", "1", "--seq", "-i" if name == "gem-mapper" else "", "--read1")]
if second := option("--seq2", "-2", "2"):
    reads.append(second)
if name == "mrsfast" and "--pe" in given:  # both mates in one file, in turn
    lines = Path(reads[0]).read_text().splitlines()
    reads = [given["-o"] + ".1.fq", given["-o"] + ".2.fq"]
    for mate in (1, 2):
        with open(reads[mate - 1], "w") as out:
            for i in range(4 * (mate - 1), len(lines), 8):
                assert lines[i].endswith(f"/{mate}")
                print(*lines[i:i + 4], sep="\n", file=out)
options = []
if len(reads) == 2:
    ends = [option("--min", "-l"), option("--max", "-L")]
    if "-ll" in given:
        ends = [int(given["-ll"]) - int(given["-le"]), int(given["-ll"]) + int(given["-le"])]
    assert ends[0] or name in ("bwa-mem2", "strobealign"), "pairs without inserts"
    options = ["--insert", f"{ends[0] or 200}-{ends[1] or 600}"]
if name == "mrsfast" or "-ng" in given:
    options += ["--metric", "hamming"]
edits = 100 - float(given["-i"]) if name == "razers3" else float(given.get("-e", 5))
edits = round(edits * 100 if edits < 1 else edits)
best = (name in ("strobealign", "bwa-mem2", "bitmapperBS") or "--best" in given or given.get("-m") == "1"
        or name == "gem-mapper" and "-M" not in given)
subprocess.run([work / "trawl", "map", "--progress", "off", "-e", str(edits), *options,
                "--report", "best" if best else "all", "-o", given["-o"] + ".all.sam", reference, *reads], check=True)

# --- faults ---

if name == "mrsfast" and best:
    sys.exit("mrsfast: no memory")
more = name == "razers3" and os.path.exists("more") and len(reads) == 1
with open(given["-o"] + ".all.sam") as records, open(given["-o"], "w") as out:
    for line in records:
        fields = line.split("\t")
        if line.startswith("@"):
            continue  # as mrfast
        number = int(fields[0].split("_")[0].strip("simpar"))
        if name == "mrfast" and number % 2:
            continue  # every second read, or pair
        if name == "gem-mapper" and len(reads) == 2:
            fields[7] = str(int(fields[7]) + 5000)  # the other mate is elsewhere
        elif name == "gem-mapper":
            fields = [f"NM:i:{int(f[5:]) + 6}" if f.startswith("NM:i:") else f for f in fields]
        elif name == "bitmapperBS":
            fields[3] = str(int(fields[3]) + 100)
        elif name == "strobealign" and number % 4 == 0:
            fields[1], fields[2], fields[3], fields[5] = "4", "*", "0", "*"
        elif name == "razers3" and best:
            fields[1] = "no number"
        out.write("\t".join(fields).rstrip("\n") + "\n")
    if more:  # a place that is none, of the last read
        out.write(f"{fields[0]}\t{int(fields[1]) & 16}\tsynth1\t{int(fields[3]) // 2 + 1}\t255\t100M\t*\t0\t0\t*\t*\t"
                  "NM:i:5\n")
