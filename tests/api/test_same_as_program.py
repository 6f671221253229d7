"""The columns of the library are what `trawl map` and `trawl scan` write."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "test_data"
TRAWL = os.environ["TRAWL"]
COLUMNS = os.environ["TRAWL_API_COLUMNS"]
REFERENCE = str(DATA / "repeats.fa.gz")
READS = [str(DATA / "repeats_reads.fq.gz")]
PAIRS = [str(DATA / "repeats_1.fq.gz"), str(DATA / "repeats_2.fq.gz")]
ENGINES = ["cpu"] + (["cuda"] if os.environ.get("TRAWL_CUDA_PLUGIN") else [])


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def command_line(options):
    """{"report": "all", "eqx": "true"} as the program takes it."""
    words = []
    for name, value in options.items():
        words += [f"--{name}"] + ([] if value == "true" else [value])
    return words


def library(what, files, options):
    return output(COLUMNS, what, *files, *(f"{name}={value}" for name, value in options.items()))


def end_of(position, cigar):
    length, end = "", position - 1
    for letter in cigar:
        if letter.isdigit():
            length += letter
        else:
            end += int(length) if letter in "MD=XN" else 0
            length = ""
    return end


def sam_columns(line):
    """Those that the library has, as api_columns prints them."""
    name, flag, contig, position, mapq, cigar, mate, mate_position, length, _, _, *tags = line.split("\t")
    values = {tag[:2]: tag[5:] for tag in tags}
    found = not int(flag) & 0x4
    mate_contig = contig if mate == "=" else mate
    columns = [name, flag, contig if found else "*", position if found else "0"]
    columns += [str(end_of(int(position), cigar)) if found else "-1", mapq, cigar, mate_contig, mate_position, length]
    if found:
        columns += [values[tag] for tag in ("NM", "AS", "MD")] + [values.get(tag, "0") for tag in ("NH", "ZD")]
    return "\t".join(columns)


MAP_CASES = {
    "default": {},
    "whole": {"end-to-end": "true", "max-edits": "4%"},
    "all": {"report": "all", "max-edits": "5"},
    "strata": {"report": "strata", "strata": "1", "max-edits": "4%", "max-hits": "3"},
    "clipped": {"clip": "30%", "clip-when": "always", "split": "true", "hard-clip": "true"},
    "eqx": {"report": "all", "max-edits": "3", "eqx": "true", "unmapped": "drop"},
    "hamming": {"metric": "hamming", "report": "all", "max-edits": "3"},
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("reads", ["single", "pairs"])
@pytest.mark.parametrize("case", MAP_CASES)
def test_map(case, reads, engine):
    if engine == "cuda" and case == "hamming":
        pytest.skip("only the CPU computes hamming")
    options = MAP_CASES[case]
    files = [REFERENCE] + (READS if reads == "single" else PAIRS)
    if reads == "pairs" and case == "strata":
        options = options | {"insert": "100-600", "discordant": "always"}
    lines = output(TRAWL, "map", *command_line(options), "--quiet", *files)
    expected = [sam_columns(line) for line in lines if not line.startswith("@")]
    assert len(expected) > 500
    for what in ("map", "memory"):
        assert library(what, files, options | {"engine": engine}) == expected, what


def test_map_with_a_saved_index(tmp_path):
    index = str(tmp_path / "repeats.trawl")
    subprocess.run([TRAWL, "index", "--quiet", REFERENCE, "-o", index], check=True)
    assert library("map", [index] + READS, {}) == library("map", [REFERENCE] + READS, {"threads": "1"})


SCAN_CASES = {
    "guides": {"max-edits": "4", "max-bulges": "1", "pam": "NGG"},
    "patterns": {"max-edits": "3"},
    "exact": {},
    "hamming": {"max-edits": "3", "metric": "hamming", "strand": "+"},
    "ends": {"max-edits": "3", "report": "ends"},
    "cas12": {"max-edits": "4", "pam": "TTN:5'", "max-bulges": "2"},
    "ambiguous": {"max-edits": "2", "ambiguous": "match"},
}


def bed_columns(line):
    contig, start, end, name, _, strand, distance, cigar, *rest = line.split("\t")
    return "\t".join([contig, start, end, name, strand, distance, cigar])


def without_letters(lines):
    return [line.rsplit("\t", 1)[0] for line in lines]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", SCAN_CASES)
def test_scan(case, engine):
    options = SCAN_CASES[case]
    files = [REFERENCE, str(DATA / "guides.tsv")]
    lines = output(TRAWL, "scan", *command_line(options), "--quiet", *files)
    expected = [bed_columns(line) for line in lines]
    if case != "exact":
        assert len(expected) > (1 if case == "cas12" else 10)
    for what in ("scan", "scan_file", "scan_stream", "scan_text"):
        assert without_letters(library(what, files, options | {"engine": engine})) == expected, what


def test_scan_of_short_texts_is_that_of_a_reference(tmp_path):
    """Short texts and few patterns go another way; they have the same hits."""
    fasta = tmp_path / "short.fa"
    letters = "".join(line for line in output("zcat", REFERENCE) if not line.startswith(">"))
    patterns = tmp_path / "patterns.txt"
    with fasta.open("w") as text:
        for i in range(300):
            piece = letters[997 * i : 997 * i + 40 + i]
            text.write(f">t{i}\n{piece if i % 7 else piece[:20] + 'NNRY' + piece[20:].lower()}\n")
    cut = [letters[997 * i + 5 : 997 * i + 25 + i % 30] for i in range(0, 300, 12)]
    changed = [piece[:8] + "ACGT"[i % 4] + piece[8 + i % 3 :] for i, piece in enumerate(cut)]
    patterns.write_text("\n".join(changed) + "\n")
    for options, least in (({"max-edits": "3"}, 10), ({"max-edits": "2", "metric": "hamming"}, 5), ({}, 1),
                           ({"max-edits": "4", "report": "ends"}, 50), ({"max-edits": "5", "strand": "-"}, 0)):
        files = [str(fasta), str(patterns)]
        expected = library("scan", files, options)
        assert len(expected) >= least
        assert library("scan_text", files, options) == expected
