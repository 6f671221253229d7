"""The documents agree with the program: recipes run, tables name every option, examples give the output shown,
figures stand in the record, and links lead somewhere."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tools import ROOT, TRAWL, execute, run

PAGES = sorted(path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md"),
                                 *(ROOT / "lab/docs").glob("*.md"), *(ROOT / "workflows").rglob("README.md"), ROOT / "tests/fuzz/README.md"]
               if "build" not in path.relative_to(ROOT).parts)
RECIPES = ROOT / "docs/recipes.md"


def name(page):
    return str(page.relative_to(ROOT))


def code_blocks(page):
    return re.findall(r"^```\w*\n(.*?)^```$", page.read_text(), flags=re.M | re.S)


def prose(page):
    """The text without code, in which # and [] mean something else."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", lambda code: "`" + re.sub(r"[\[\]]", "", code[0][1:-1]) + "`", text)


def anchors(page):
    """The anchors that GitHub gives to headings."""
    found = {}
    for heading in re.findall(r"^#{1,6} +(.*)$", prose(page), flags=re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
    return {anchor if number == 0 else f"{anchor}-{number}"
            for anchor, last in found.items() for number in range(last + 1)}


def links(page):
    """(file, anchor) of each link to a file of the repository."""
    text = prose(page)
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'<img src="([^"]+)"', text):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


# --- links ---


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_exist(page):
    wrong = []
    for path, anchor in links(page):
        if not path.exists():
            wrong.append(f"{path}: no such file")
        elif anchor and anchor not in anchors(path):
            wrong.append(f"{name(path)}#{anchor}: no such heading")
    assert not wrong


def test_every_page_is_reachable_from_the_readme():
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        todo += [path for path, _ in links(page)]
    assert [name(page) for page in (ROOT / "docs").rglob("*.md") if page not in reached] == []


def test_documents_that_other_files_name_exist():
    folders = [ROOT / folder for folder in ("src", "io", "gpu", "bench", "tests", "workflows", "packaging")]
    assert all(folder.is_dir() for folder in folders)
    wrong = []
    for path in [ROOT / "CMakeLists.txt", *(path for folder in folders for path in folder.rglob("*"))]:
        if path.suffix in (".hpp", ".cpp", ".cu", ".cuh", ".sh", ".py", ".txt", ".md", ".yaml") and path.is_file():
            for page in re.findall(r"\bdocs/[\w/]+\.md\b", path.read_text()):
                if not (ROOT / page).exists():
                    wrong.append(f"{name(path)}: {page}")
    assert not wrong


def test_source_files_that_documents_name_exist():
    wrong = []
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for path in re.findall(r"`(\w+/[\w/]+\.(?:hpp|cpp|cuh|cu|txt|sh|py|groovy))`", page.read_text()):
            if not (ROOT / path).exists() and not (ROOT / "src" / path).exists():
                wrong.append(f"{name(page)}: {path}")
    assert not wrong


# --- options ---


def commands_with_a_page():
    return [page.stem for page in sorted((ROOT / "docs").glob("*.md"))
            if f"<!-- options of trawl {page.stem} -->" in page.read_text()]


def test_commands_have_a_page():
    assert {"map", "scan", "primers", "mappability", "index"} <= set(commands_with_a_page())


@pytest.mark.parametrize("command", commands_with_a_page())
def test_option_table_is_that_of_the_program(command):
    """scripts/update_option_tables TRAWL writes it."""
    made = run("help", command, "--table").ok().stdout
    assert made.count("\n| `--") > 3
    text = (ROOT / f"docs/{command}.md").read_text()
    assert f"<!-- options of trawl {command} -->\n{made}<!-- end of options -->" in text


def test_options_in_the_text_exist():
    """An option that a page of a command gives to trawl in an example is one of that command."""
    known = {command: set(re.findall(r"(?<![\w-])(--?[a-zA-Z][a-z-]*)", run(command, "--help").ok().stdout))
             for command in commands_with_a_page()}
    wrong = []
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for block in code_blocks(page):
            for command, rest in re.findall(r"(?<![\w/-])trawl (\w+) ([^|#\n]*)", block.replace("\\\n", " ")):
                if command in known:
                    for option in re.findall(r"(?<!\S)(--[a-z-]+|-[a-zA-Z])\b", rest.split(">")[0]):
                        if option not in known[command]:
                            wrong.append(f"{name(page)}: trawl {command} {option}")
    assert not wrong


# --- figures ---


FILE_OPTIONS = {"-o", "--output", "--summary", "--mispriming", "--dimers", "--stats"}


def files_of_command(words):
    """The files that a command of trawl reads, and those that it writes, without saved indexes."""
    written = {file for option, file in zip(words, words[1:]) if option in FILE_OPTIONS}
    read = {word for word in words if "." in word and not word.startswith("-")} - written
    return read, {file for file in written if not file.endswith(".trawl")}


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=name)
def test_no_command_of_a_page_writes_what_another_reads(page):
    """Who tries the commands one after the other keeps the guides and the primers."""
    text = page.read_text().replace("\\\n", " ")
    commands = re.findall(r"^(?:\$ )?(?:\S*/)?trawl [a-z]+ (.*)$|`trawl [a-z]+ ([^`]*)`", text, flags=re.M)
    commands = [in_block or in_text for in_block, in_text in commands]
    files = [files_of_command(re.split(r" [|#>]", command)[0].split()) for command in commands]
    read, written = (set().union(*(pair[k] for pair in files)) for k in (0, 1))
    assert read & written == set()


def test_figures_stand_in_the_record():
    """Each number of docs/performance.md stands on the page of the record that its row names."""
    wrong = []
    for row in re.findall(r"^\|.*\|$", (ROOT / "docs/performance.md").read_text(), flags=re.M):
        *cells, details = [cell.strip() for cell in row.strip("|").split("|")]
        page = re.search(r"\]\((record/\w+\.md)", details)
        if page:
            text = (ROOT / "docs" / page[1]).read_text()
            for number in re.findall(r"\d(?:[\d,]*\d)?(?:\.\d+)?", " ".join(cells[1:])):
                if not re.search(rf"(?<![\d.,]){re.escape(number)}(?![.,]?\d)", text):
                    wrong.append(f"{page[1]}: {number} of {row}")
    assert not wrong


# --- what can be run ---


@pytest.fixture(scope="module")
def shell(work):
    """shell(SCRIPT) runs a script with trawl on the PATH and the test data below the current folder."""
    os.mkdir("bin")
    os.symlink(TRAWL, "bin/trawl")
    shutil.copytree(ROOT / "test_data", "test_data")
    os.symlink(ROOT / "workflows", "workflows")
    path = {"PATH": f"{work}/bin:{os.environ['PATH']}"}
    return lambda script: execute("bash", "-c", "set -o pipefail\n" + script, env=path)


@pytest.fixture(scope="module")
def recipes(shell):
    """All recipes have run in the folder, one after the other."""
    settings, *blocks = code_blocks(RECIPES)
    assert len(blocks) >= 18
    for block in blocks:
        missing = [tool for tool in ("samtools", "bcftools", "bedtools", "jq") if tool in block and not shutil.which(tool)]
        if missing:
            print("skipped a recipe that needs", missing)
            continue
        shell(settings + "set -e\n" + block).ok()
        for file in re.findall(r"(?:-o (?!sum)|> |markdup - )([\w.]+)", block):
            assert os.path.getsize(file) > 0, f"{file} is empty: {block}"


def test_recipes(recipes, shell):
    def count(options):
        return int(shell(f"samtools view -c {options}").stdout)

    assert shell("samtools view unique.bam | cut -f 1 | sort | uniq -d").stdout == ""
    assert count("-f 256 all.bam") > 0
    assert count("-f 1 pairs.bam") == 600
    assert shell("jq '.reads.total, .reads.sequences' small.json").stdout.split() == ["1000", "1000"]
    assert Path("specific.txt").read_text() == "synth1:5001-5040\n"
    assert abs(sum(float(line.split()[3]) for line in Path("chip.bedgraph").read_text().splitlines()) - 1000) < 0.1
    assert count("-f 258 all_pairs.bam") > 0
    assert os.path.exists("discordant.vh")
    assert os.path.getsize("one_end.sam") > 0


@pytest.mark.parametrize("file, column", [("guides_sites.tsv", "aligned_text"), ("guides_summary.tsv", "mit_specificity")])
def test_examples_of_guides(recipes, file, column):
    """The lines of tables that docs/guides.md shows are those of the recipe."""
    block = next(block for block in code_blocks(ROOT / "docs/guides.md") if column in block)
    names, *rows = [line.split() for line in block.splitlines()]
    header, *lines = [line.split("\t") for line in Path(file).read_text().splitlines()]
    places = [header.index(name) for name in names]
    found = [[line[place] for place in places] for line in lines]
    assert [row for row in rows if row not in found] == []


@pytest.mark.parametrize("page, examples", [("README.md", 1), ("docs/map.md", 1), ("docs/newcomer.md", 2), ("docs/reads.md", 2)])
def test_examples_with_their_output(shell, page, examples):
    blocks = [block for block in code_blocks(ROOT / page) if block.startswith("$ ")]
    assert len(blocks) == examples
    for block in blocks:
        commands = [line[2:].replace("build/release/trawl", "trawl") for line in block.splitlines() if line.startswith("$ ")]
        expected = [line.split() for line in block.splitlines() if not line.startswith("$ ")]
        # `head` ends before trawl has written all.
        result = shell("set +o pipefail -e\n" + "\n".join(commands))
        assert [line.split("\t") for line in result.stdout.splitlines()] == expected, result.stderr
