#!/usr/bin/env bash
# Installs what tests/workflows needs: Groovy from the distribution, and Snakemake, MultiQC and nf-core from PyPI into
# build/workflow_tools. Does nothing if they are there. Takes about a minute and 1.5 GB.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=build/workflow_tools
wanted=tests/workflows/requirements.txt
scripts/install_dependencies.sh groovy python3-venv
cmp -s "$wanted" "$tools/installed.txt" && exit 0
echo "Installing Snakemake, MultiQC and nf-core into $tools"
rm -rf "$tools"
/usr/bin/python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
cp "$wanted" "$tools/installed.txt"
