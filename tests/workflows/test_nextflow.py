"""The Nextflow modules do what trawl does by hand, and the workflow gives them what they take; `nf-core modules lint` passes
on them. Nextflow itself is in no package registry: nextflow_parts.groovy evaluates the blocks of the modules, and this test
runs the commands."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from flows import HEART, LIVER, PARTS, cell, make_samples, needs
from tools import ROOT, assert_same, execute, run, sam_lines

needs("groovy", "multiqc", "nf-core", "git")
FLOW = ROOT / "workflows/nextflow"
MODULES = FLOW / "modules/nf-core/trawl"
PAIRS = {"meta": {"id": "liver"}, "reads": [path for lane in zip(*(one.split(",") for one in LIVER[1:])) for path in lane]}
SINGLE = {"meta": {"id": "heart", "single_end": True}, "reads": HEART[1], "reference": "genome.fa"}
GUIDES = {"meta": {"id": "sites"}, "patterns": "guides.tsv", "reference": "genome.fa"}
WORDS = {"meta": {"id": "words"}, "reference": "genome.fa", "regions": [], "length": 50}
SORTED = "bam", "cram"
TASKS = {
    "index": (MODULES / "index", {"meta": {"id": "genome"}, "fasta": "genome.fa"}),
    "liver": (MODULES / "map", PAIRS | {"reference": "genome.fa", "format": "bam", "sort": True,
                                        "args": r"-R @RG\\tID:liver"}),
    **{f"map_{format}": (MODULES / "map", SINGLE | {"format": format, "sort": format in SORTED})
       for format in ("bam", "cram", "sam", "bed", "bed.gz")},
    **{f"scan_{format}": (MODULES / "scan", GUIDES | {"format": format, "args": "-e 4 --pam NGG"})
       for format in ("bed", "bed.gz", "tsv", "sam")},
    **{f"mappability_{format}": (MODULES / "mappability", WORDS | {"format": format, "args": "-e 1"})
       for format in ("bedgraph", "bedgraph.gz")},
    "multiqc": (FLOW / "modules/local/multiqc", {"files": []})}
FILES = {"index": "genome.trawl", "liver": "liver.bam liver.bam.bai liver.trawl.json",
         "map_bam": "heart.bam heart.bam.bai heart.trawl.json", "map_cram": "heart.cram heart.cram.crai heart.trawl.json",
         **{f"map_{format}": f"heart.{format} heart.trawl.json" for format in ("sam", "bed", "bed.gz")},
         **{f"scan_{format}": f"sites.{format} sites.trawl.json" for format in ("bed", "bed.gz", "tsv", "sam")},
         **{f"mappability_{format}": f"words.{format} words.trawl.json" for format in ("bedgraph", "bedgraph.gz")}}


def part(path, name, folder="", **variables):
    """A line for nextflow_parts.groovy. The inputs of a task are in its folder."""
    if folder:
        os.makedirs(folder, exist_ok=True)
        for file in "genome.fa", "guides.tsv", "reads":
            if not os.path.lexists(f"{folder}/{file}"):
                os.symlink(os.path.abspath(file), f"{folder}/{file}")
    return json.dumps({"file": str(path), "part": name, "folder": folder, **variables}) + "\n"


def evaluate(*parts):
    return execute("groovy", PARTS, stdin="".join(parts).encode()).ok().stdout.splitlines()


@pytest.fixture(scope="module")
def tasks(settings):
    """script/ and stub/ with a folder for each task."""
    make_samples()
    assert evaluate(*(part(folder / "main.nf", block, f"{block}/{name}", **variables) for block in ("script", "stub")
                      for name, (folder, variables) in TASKS.items())) == []


@pytest.mark.parametrize("block", ["script", "stub"])
def test_tasks(tasks, block):
    """As Nextflow runs them; MultiQC last, with the files of the others."""
    for name in TASKS:
        folder = Path(block, name)
        if name == "multiqc":
            os.mkdir(folder / "input")
            for path in (path for task in ("liver", "map_bam", "scan_tsv") for path in Path(block, task).glob("*_mqc.json")):
                shutil.copy(path, folder / "input")
        command = (folder / "command.sh").read_text()
        execute("bash", "-c", f"cd {folder} && exec bash -euo pipefail command.sh").ok()
        for pattern in (folder / "outputs").read_text().splitlines():
            assert execute("bash", "-c", f"cd {folder} && ls -d {pattern}").stdout, (command, pattern)
        if name in FILES:
            made = {path.name for path in folder.iterdir() if not path.is_symlink()}
            assert sorted(file for file in made - {"command.sh", "outputs"} if not file.endswith(("_mqc.json", ".err"))
                          ) == sorted(FILES[name].split()), name


def test_results(tasks):
    for path, words in (("liver/liver.bam", [*LIVER, "-R", r"@RG\tID:liver"]), ("map_bam/heart.bam", HEART)):
        run("map", "--sort", *words, "-o", "out/x.bam").ok()
        assert sam_lines(f"script/{path}") == sam_lines("out/x.bam")
    run("scan", "-e", 4, "--pam", "NGG", "genome.fa", "guides.tsv", "-o", "out/sites.tsv").ok()
    assert_same("out/sites.tsv", "script/scan_tsv/sites.tsv")
    run("mappability", "-l", 50, "-e", 1, "genome.fa", "-o", "out/words.bedgraph").ok()
    assert_same("out/words.bedgraph", "script/mappability_bedgraph/words.bedgraph")
    table = "script/multiqc/multiqc_report_data/multiqc_general_stats.txt"
    for name, sample, value in ("map_reads", "liver", 1600), ("map_reads", "heart", 300), ("scan_patterns", "sites", 3):
        assert float(cell(name, sample, table)) == value
    assert os.path.getsize("stub/liver/liver.bam") == 0, "a stub runs no trawl"
    execute("gzip", "-t", "stub/map_bed.gz/heart.bed.gz").ok()


def test_what_is_wrong_and_the_functions_of_the_workflow(tasks):
    def call(name, *arguments):
        return part(FLOW / "main.nf", name, arguments=arguments)

    assert evaluate(
        part(MODULES / "map/main.nf", "script", "wrong", **SINGLE, format="paf", sort=False),
        part(MODULES / "scan/main.nf", "script", "wrong", **GUIDES, format="paf"),
        part(MODULES / "mappability/main.nf", "script", "wrong", **WORDS, format="paf"),
        part(MODULES / "map/main.nf", "script", "wrong", meta={"id": "odd"}, reads="x.fq", reference="genome.fa",
             format="bam", sort=True),
        call("read_row", {"sample": "liver", "fastq_1": "1.fq", "fastq_2": "2.fq"}),
        call("read_row", {"sample": "heart", "fastq_1": "1.fq", "fastq_2": ""}),
        call("read_row", {"sample": "x"}),
        call("join_lanes", "liver", [["1.fq", "2.fq"], ["3.fq", "4.fq"]], [True, True]),
        call("join_lanes", "liver", [["1.fq"]], [False]),
        call("join_lanes", "liver", [["1.fq", "2.fq"], ["3.fq"]], [True, False])) == [
        "TRAWL_MAP writes bam, cram, sam, bed or bed.gz, not 'paf'",
        "TRAWL_SCAN writes bed, bed.gz, tsv or sam, not 'paf'",
        "TRAWL_MAPPABILITY writes bedgraph, bedgraph.gz or bw, not 'paf'",
        "TRAWL_MAP: odd has pairs, so it needs an even number of files",
        '["liver",["1.fq","2.fq"],true]',
        '["heart",["1.fq"],false]',
        "The sheet of samples: a line has a sample and its fastq_1, with a comma between them: [sample:x]",
        '[{"id":"liver","single_end":false},["1.fq","2.fq","3.fq","4.fq"]]',
        '[{"id":"liver","single_end":true},["1.fq"]]',
        "The sheet of samples: liver has lanes with and without fastq_2; give them two names"]


def test_calls_of_the_workflow():
    """Each process has all its inputs, and only outputs that it has are used."""
    main = (FLOW / "main.nf").read_text()
    modules = re.findall(r"include \{ (\w+)\s*\} from '(.*)'", main)
    assert len(modules) == 4
    for name, module in modules:
        text = (FLOW / f"{module}.nf").read_text()
        assert f"process {name} {{" in text, module
        calls = re.findall(rf"^ +{name}\((.*)\)$", main, flags=re.M)
        assert calls, name
        for arguments in calls:
            while (shorter := re.sub(r"[\[({][^\[\](){}]*[\])}]", "", arguments)) != arguments:
                arguments = shorter
            assert arguments.count(",") + 1 == len(re.search(r"    input:\n(.*?)\n\n", text, re.S)[1].splitlines()), name
        assert set(re.findall(rf"{name}\.out\.(\w+)", main)) <= set(re.findall(r"emit: (\w+)", text)), name


# --- nf-core modules lint ---
#
# It asks Nextflow for two things: what a module's container is, which nextflow_parts.groovy answers, and what the
# configuration is (nothing). The schemas of nf-core/modules are not here, so any meta.yml and environment.yml fits them; that
# meta.yml has the inputs, outputs and topics of main.nf is checked all the same.

NEXTFLOW = """#!/usr/bin/env bash
case $1 in
  -v) echo "nextflow version 25.10.2.10555" ;;
  config) echo '{}' ;;
  inspect)  # inspect [-profile PROFILE] -format json MODULE
    profile=none
    [[ $2 == -profile ]] && profile=$3
    given="{\\"file\\": \\"${@: -1}\\", \\"part\\": \\"container\\", "
    container=$(groovy PARTS <<< "$given\\"workflow\\": {\\"containerEngine\\": \\"$profile\\"}}") || exit 1
    echo "{\\"processes\\": [{\\"name\\": \\"module\\", \\"container\\": \\"$container\\"}]}"
    ;;
esac
"""


def commit(folder):
    for words in "init -q", "add -A", "commit -qm modules":
        execute("git", "-C", folder, *words.split()).ok()


def lint(work, *words):
    """It asks Bioconda for versions, which must be refused at once where there is no network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("repository")
        patch.setenv("https_proxy", "http://127.0.0.1:9")
        return execute("nf-core", "--hide-progress", "modules", "--git-remote", f"file://{work}/remote", "--branch", "master",
                       "--no-pull", "lint", *words, "--plain-text")


def test_lint(work):
    Path("home/.gitconfig").write_text("[user]\nname = test\nemail = test@example.org\n[init]\ndefaultBranch = master\n")
    Path("bin/nextflow").write_text(NEXTFLOW.replace("PARTS", f"'{PARTS}'"))
    os.chmod("bin/nextflow", 0o755)
    # A clone of a repository that has only what nf-core reads of nf-core/modules.
    for folder in "upstream/modules/nf-core/none", "upstream/subworkflows/nf-core", "repository/modules":
        os.makedirs(folder)
    for schema in "meta", "environment":
        Path(f"upstream/modules/{schema}-schema.json").write_text("{}")
    Path("upstream/modules/nf-core/none/main.nf").touch()
    shutil.copy(FLOW / ".nf-core.yml", "upstream")
    commit("upstream")
    execute("git", "clone", "-q", "upstream", "remote").ok()
    shutil.copytree(FLOW / "modules/nf-core", "repository/modules/nf-core")
    os.makedirs("repository/tests/config")
    shutil.copy(FLOW / ".nf-core.yml", "repository")
    Path("repository/main.nf").touch()
    commit("repository")

    found = lint(work, "--all").ok().stdout
    summary = found[found.index("LINT RESULTS SUMMARY"):]
    numbers = {what: int(number) for number, what in re.findall("([0-9]+) Tests? (Failed|Passed)", summary)}
    assert numbers["Failed"] == 0 and numbers["Passed"] >= 150
    warnings = re.findall("^trawl/[a-z]+ .*", found, flags=re.M)
    assert [line for line in warnings if "bioconda_version" not in line] == []

    # A module whose meta.yml lacks an output is found: so the lint really reads them.
    meta = Path("repository/modules/nf-core/trawl/map/meta.yml")
    text = re.sub(r"^  cram:.*?(?=^  sam:)", "", meta.read_text(), flags=re.M | re.S)
    assert text != meta.read_text()
    meta.write_text(text)
    result = lint(work, "trawl/map", "--key", "meta_yml")
    assert result.status == 1 and "meta_yml" in result.stdout
