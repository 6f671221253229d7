#!/usr/bin/env bash
# bench/compare.py with stand-ins for the other mappers: how they are called, and how their output is read. Exit status 77
# (skipped) if trawl-check is missing.
bench=$(dirname "${TRAWL_SIMULATE:?the path of trawl-simulate}")
if [[ ! -x $bench/trawl-check ]]; then
  echo "skipped: no trawl-check beside trawl-simulate"
  exit 77
fi
script=$(cd "$(dirname "$0")/../../bench" && pwd)/compare.py
trawl=$(realpath "$TRAWL")
. "$(dirname "$0")/lib.sh"

# A stand-in knows the options of one program, no others. It maps with trawl what its options name, and then makes the
# program's faults.
mkdir bin
python=$(python3 -c "import sys; print(sys.executable)")
cat > bin/stand_in << END
#!$python
import os, subprocess, sys
FILE, FLAG, FILES = "file", "flag", "files"
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
name = os.path.basename(sys.argv[0])
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
with open("$work/calls", "a") as log:
    print(name, *sys.argv[1:], file=log)

def built(path):  # an index: says what of
    return open(path).read()

def build(path, reference):
    open(path, "w").write(os.path.realpath(reference))

def option(*names):
    return next((given[n] for n in names if n in given), None)

if name == "gem-indexer":
    sys.exit(build(given["-o"] + ".gem", given["-i"]))
if name == "FEM" and given["command"] == "index":
    sys.exit(build(given["built"], given["reference"]))
if name == "bwa-mem2" and given["command"] == "index":
    sys.exit(build(given["-p"] + ".bwt", given["index"]))
if "--create-index" in given:
    sys.exit(build(given["reference"] + f".r{given['-r']}.sti", given["reference"]))
if name in ("mrfast", "mrsfast", "bitmapperBS") and "--index" in given:
    sys.exit(build(given["--index"] + ".index", given["--index"]))

reference = (given["reference"] if name == "razers3" else built(given["--index"]) if name == "FEM"
             else built(given["-I"]) if name == "gem-mapper" else built(given["index"] + ".bwt") if name == "bwa-mem2"
             else built(given["reference"] + f".r{given['-r']}.sti") if name == "strobealign"
             else built(given["--search"] + ".index"))
reads = [option("--seq1", "-1", "1", "--seq", "-i" if name == "gem-mapper" else "", "--read1")]
if second := option("--seq2", "-2", "2"):
    reads.append(second)
if name == "mrsfast" and "--pe" in given:  # both mates in one file, in turn
    lines = open(reads[0]).read().splitlines()
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
edits = (100 - float(given["-i"]) if name == "razers3" else float(given.get("-e", 5)))
edits = round(edits * 100) if edits < 1 else round(edits)
best = (name in ("strobealign", "bwa-mem2", "bitmapperBS") or "--best" in given or given.get("-m") == "1"
        or name == "gem-mapper" and "-M" not in given)
subprocess.run(["$trawl", "map", "--progress", "off", "-e", str(edits), *options, "--report", "best" if best else "all",
                "-o", given["-o"] + ".all.sam", reference, *reads], check=True)
if name == "mrsfast" and best:
    sys.exit("mrsfast: no memory")
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
        if name == "razers3" and os.path.exists("more") and len(reads) == 1:  # a place that is none, of the last read
            last = f"{fields[0]}\t{int(fields[1]) & 16}\tsynth1\t{int(fields[3]) // 2 + 1}\t255\t100M\t*\t0\t0\t*\t*\tNM:i:5\n"
    if name == "razers3" and os.path.exists("more") and len(reads) == 1:
        out.write(last)
END
chmod +x bin/stand_in
for name in mrfast mrsfast FEM gem-indexer gem-mapper razers3 bwa-mem2 strobealign bitmapperBS; do
  ln -s stand_in "bin/$name"
done

# compare OPTIONS...: no other programs than the stand-ins are found. Sets $status; writes the files stdout and stderr.
compare() {
  PATH=$work/bin "$python" "$script" --trawl "$trawl" --build "$bench" --reference ref.fa --repeats 1 "$@" > stdout 2> stderr
  status=$?
}

# value TOOL MODE LAYOUT COLUMN: from the table of results.
value() {
  awk -F ' *[|] *' -v tool="$1" -v head="### $2, $3" -v column="$4" '
    /^###/ { inside = $0 == head; columns = 0 }
    inside && /^\| tool/ { for (i = 2; i < NF; ++i) if ($i == column) columns = i }
    inside && columns && $2 == tool { print $columns }' stdout
}

"$TRAWL_SIMULATE" genome 40000 7 ref.fa 2> /dev/null
compare --workdir work --layouts single,pairs --reads-all 400 --reads-peers-all 400 --reads-best 400 -o out/report
equal "status" "$status" 0

# What is right, from Trawl's own records.
read_options=(400 100 7 --qualities)
"$TRAWL_SIMULATE" reads ref.fa "${read_options[@]}" > reads.fq
"$TRAWL_SIMULATE" pairs ref.fa 200 "${read_options[@]:1:2}" 1.fq 2.fq --qualities
"$TRAWL" map --progress off -e 5 --report all -o single.sam ref.fa reads.fq 2> /dev/null
"$TRAWL" map --progress off -e 5 --insert 200-600 --report all -o pairs.sam ref.fa 1.fq 2.fq 2> /dev/null
share() { awk '!/^@/ && '"$2"' { split($1, name, "_"); n = substr(name[1], length(name[1])); ++all; even += n % 2 == 0 }
  END { printf "%.3f", 100 * even / all }' "$1"; }
equal "mrfast, half of the reads: mapped" "$(value mrfast all single "mapped %")" 50.00
equal "mrfast, their loci" "$(value mrfast all single "% of Trawl's")" "$(share single.sam 1)"
equal "mrfast, their pairs" "$(value mrfast all pairs "% of Trawl's")" "$(share pairs.sam 'int($2 / 2) % 2')"
equal "fem, all loci" "$(value fem all single "% of Trawl's") $(value fem all single "% of razers3's")" "100.000 100.000"
equal "fem has no pairs" "$(value fem all pairs reads)" ""
equal "more edits than Trawl" "$(value gem3 all single "% of Trawl's")" 0.000
equal "the other mate elsewhere" "$(value gem3 all pairs "% of Trawl's")" 0.000
equal "all of the loci without gaps" "$(value mrsfast all single "% of razers3's") $(value mrsfast all pairs "% of Trawl's")" \
  "100.000 100.000"
ok "fewer than with gaps" test "$(value mrsfast all single alignments | tr -d ,)" -lt "$(samtools view -c -F 4 single.sam)"
equal "Trawl is complete" "$(value trawl all single "% of razers3's") $(value trawl all pairs "% of razers3's")" \
  "100.000 100.000"
equal "alignments" "$(value trawl all single alignments)" "$(samtools view -c -F 4 single.sam)"
equal "best" "$(value bwa-mem2 best single "mapped %") $(value strobealign best single "mapped %")" \
  "$(value trawl best single "mapped %") $(awk -v all="$(value trawl best single "mapped %")" 'BEGIN { printf "%.2f", all * 0.75 }')"
equal "at the wrong place" "$(value bitmapper-bs best single "right place %") $(value bitmapper-bs best pairs "right place %")" \
  "0.00 0.00"
equal "distance" "$(value mrsfast all single distance); $(value gem3 all single distance)" \
  "mismatches; edits; NM lacks gaps at the ends"
contains "a mapper that fails" stdout "mrsfast (best, pairs, 1 threads, 100 reads) failed: exit status 1"
contains "records that cannot be read" stdout "razers3 (best, single, 1 threads, 400 reads) left out, its output cannot be checked"
contains "a mapper that is missing" stdout "yara (all) skipped: no yara_mapper here (Debian package seqan-apps)"
contains "one without a package" <("$python" "$script" --commands) "github.com/ksahlin/strobealign"

# How they were called.
# $work is also the folder in which the reference lies.
contains "e" calls "mrfast --search index/mrfast.fa --seq single.400.fq -e 5 -o out/all.single.mrfast.400.t1.sam -u /dev/null"
contains "pairs" calls "mrfast --search index/mrfast.fa --pe --min 200 --max 600 --seq1 pairs.400.1.fq --seq2 pairs.400.2.fq"
contains "both mates in one file" calls "mrsfast --search index/mrsfast.fa --pe --min 200 --max 600 --seq pairs.400.both.fq"
contains "a share" calls "-E 0.05 -e 0.05 -s 0.05 -t 1"
contains "percent" calls "razers3 -i 95 -rr 100 -m 1000000 -ll 400 -le 200 -tc 1"
equal "one index for all modes and layouts" "$(grep -c -- '--index index/mrfast.fa$' calls)" 1
equal "no outputs are left" "$(ls work/out)" ""
equal "the record" "$("$python" -c 'import json
for job in json.load(open("out/report.json"))["results"]:
    if job["tool"] in ("trawl", "mrfast") and job["mode"] == "all":
        print(job["tool"], job["layout"], job["reads"], len(job["cpu_s"]), list(job["trawl_cpu_ratio"]))')" \
  "trawl single 400 1 []
mrfast single 400 1 ['400']
trawl pairs 400 1 []
mrfast pairs 400 1 ['400']"

# An index is used again; other e, other inserts.
: > calls
compare --workdir work --modes all --tools mrfast,trawl --layouts pairs --insert 300-500 --max-edits 3 --reads-all 200 \
  --reads-peers-all 200
equal "again, status" "$status" 0
equal "again, no index" "$(grep -c -- '--index' calls)" 0
contains "other e and inserts" calls "--pe --min 300 --max 500 --seq1 pairs.200.1.fq --seq2 pairs.200.2.fq -e 3"
compare --workdir work --layouts triples
equal "no such layout" "$status" 2
compare --modes all
equal "no folder to work in" "$status" 2

# If razers3 has a place that Trawl lacks, trawl-oracle decides who is right.
touch work/more
few=(--workdir work --modes all --reads-all 200 --reads-peers-all 200 --tools)
compare "${few[@]}" trawl,razers3
equal "razers3 is wrong, status" "$status" 0
contains "razers3 is wrong" stdout "% of razers3's; trawl-oracle finds no locus without a record in the 1 of these reads"
rm work/more
cat > broken.sh << END
#!$BASH
while [[ \$1 != -o ]]; do options+=("\$1"); shift; done
"$trawl" "\${options[@]}" -o whole.sam "\${@:3}" && "$(command -v awk)" '/^@/ || \$2 < 256' whole.sam > "\$2"
END
chmod +x broken.sh
compare "${few[@]}" trawl,razers3 --trawl ./broken.sh
equal "Trawl lacks loci, status" "$status" 1
contains "Trawl lacks loci" stdout "TRAWL IS NOT COMPLETE"

# The mates of a pair do not stand for each other.
awk -v OFS='\t' '!/^@/ { $2 = $2 + ($2 % 256 < 128 ? 64 : -64) } { print }' pairs.sam > swapped.sam
equal "swapped mates" "$("$bench/trawl-check" covers swapped.sam pairs.sam --pairs | awk '$1 == "percent" { print $2 }')" 0.0000
equal "the same without --pairs" "$("$bench/trawl-check" covers swapped.sam pairs.sam | awk '$1 == "percent" { print $2 }')" 100.0000
finish
