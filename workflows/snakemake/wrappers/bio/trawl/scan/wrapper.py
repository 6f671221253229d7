"""Snakemake wrapper for trawl scan"""

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

inputs = [snakemake.input.ref]
patterns = snakemake.input.get("patterns", "")
if patterns:
    inputs.append(patterns)

options = ["--threads", snakemake.threads]
for pattern in as_list(snakemake.params.get("patterns", [])):
    options += ["--pattern", pattern]
stats = snakemake.output.get("stats", "")
if stats:
    options += ["--stats", stats]
multiqc = snakemake.output.get("multiqc", "")
if multiqc:
    # The other files of --multiqc have names that follow from that of the first.
    options += ["--multiqc", as_list(multiqc)[0]]

output = snakemake.output.get("sites", snakemake.output[0])
command = " ".join(
    ["trawl scan --progress off"]
    + [quoted(word) for word in options]
    + [extra]
    + [quoted(word) for word in ["--output", output, *inputs]]
)
shell(f"{command} {log}")
