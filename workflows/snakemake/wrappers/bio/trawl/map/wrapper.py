"""Snakemake wrapper for trawl map"""

__author__ = "Trawl developers"
__copyright__ = "Copyright 2026, Trawl developers"
__license__ = "MIT"

import shlex

from snakemake.shell import shell


def as_list(files):
    return [files] if isinstance(files, str) else list(files)


def quoted(word):
    return shlex.quote(str(word))


extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

# One file is of single reads, two are mates of each other. r1 and r2 may be lists: the lanes of a sample.
reads = snakemake.input.get("reads", "")
if reads:
    reads = as_list(reads)
else:
    lanes = [as_list(snakemake.input.get(mate, [])) for mate in ("r1", "r2")]
    if lanes[1] and len(lanes[0]) != len(lanes[1]):
        raise ValueError("r1 and r2 must have the same number of files")
    reads = [",".join(files) for files in lanes if files]
if len(reads) not in (1, 2):
    raise ValueError(
        "name the reads: input 'reads' with 1 file (single reads) or 2 files (pairs), or 'r1' and 'r2' for several lanes"
    )

options = ["--threads", snakemake.threads]
index = snakemake.output.get("idx", "")
if index or snakemake.params.get("sort", False):
    options.append("--sort")
stats = snakemake.output.get("stats", "")
if stats:
    options += ["--stats", stats]
multiqc = snakemake.output.get("multiqc", "")
if multiqc:
    # The other files of --multiqc have names that follow from that of the first.
    options += ["--multiqc", as_list(multiqc)[0]]

output = snakemake.output.get("alignments", snakemake.output[0])
command = " ".join(
    ["trawl map --progress off"]
    + [quoted(word) for word in options]
    + [extra]
    + [quoted(word) for word in ["--output", output, snakemake.input.ref, *reads]]
)
shell(f"{command} {log}")
