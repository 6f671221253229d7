"""scripts/check_same: a program gives the same as itself; one that changes a record is found out."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAWL = os.environ.get("TRAWL", "")

WRAPPER = """#!{python}
import pathlib
import subprocess
import sys

words = sys.argv[1:]
output = pathlib.Path("x.sam")
def refuse(what):
    print(f"trawl: there is no {{what}}", file=sys.stderr)
    sys.exit(2)
if "--version" not in words:
{before}
run = subprocess.run([{trawl!r}, *words], stderr=subprocess.PIPE, text=True)
message = run.stderr
if "--version" not in words:
{after}
sys.stderr.write(message)
sys.exit(run.returncode)
"""


@pytest.fixture
def program(tmp_path):
    """program(BEFORE, AFTER): trawl with some lines of Python before and after its run."""
    def make(before="", after=""):
        path = tmp_path / f"wrapper{len(list(tmp_path.glob('wrapper*')))}"
        before, after = (textwrap.indent(lines or "pass", "    ") for lines in (before, after))
        trawl = str(pathlib.Path(TRAWL).resolve())
        path.write_text(WRAPPER.format(python=sys.executable, trawl=trawl, before=before, after=after))
        path.chmod(0o755)
        return path
    return make


def check_same(*arguments):
    return subprocess.run([ROOT / "scripts/check_same", *map(str, arguments)], capture_output=True, text=True)


def test_a_program_and_itself(tmp_path):
    """Every command gives records, so none of them has become wrong."""
    result = check_same(TRAWL, TRAWL, "--keep", tmp_path / "kept")
    known = "" if shutil.which("samtools") else "samtools is missing"
    unexpected = [line for line in result.stdout.splitlines()[:-1] if not known or known not in line]
    assert (unexpected, result.stderr, result.returncode) == ([], "", 0)
    commands = int(re.search(r"^same: (\d+) commands, 0 different", result.stdout, re.M)[1])
    folders = sorted((tmp_path / "kept/new").iterdir())
    assert len(folders) == commands >= 40
    assert [folder.name for folder in folders if "error" not in folder.name and not any(folder.iterdir())] == []
    for folder in folders:
        for output in folder.glob("*.sam"):
            assert sum(not line.startswith("@") for line in output.open()) > 3, output


CHANGE_RECORDS = """
lines = output.read_text().splitlines(keepends=True)
first = next(number for number, line in enumerate(lines) if not line.startswith("@"))
{}
output.write_text("".join(lines))
"""


def test_a_changed_record_is_shown(program):
    change = CHANGE_RECORDS.format('lines[first + 9] = lines[first + 9].replace("\\t", "\\t9", 1)')
    result = check_same(TRAWL, program(after=change), "--only", "map strata")
    assert result.returncode == 1, result.stdout + result.stderr
    head, told, old, new, end = result.stdout.splitlines()
    assert head.startswith("different: map strata: trawl map ")
    assert re.search(r"x\.sam: records: 1 of \d+ of OLD are not in NEW, 1 of \d+ of NEW are not in OLD; "
                     r"first: number 10, column 2$", told)
    assert old.split()[0] == "OLD" and new.split()[0] == "NEW"
    assert new.split("\t")[1] == "9" + old.split("\t")[1]
    assert old.split("\t")[2:] == new.split("\t")[2:]
    assert end == "different: 1 commands, 1 different, 0 not compared"


def test_records_in_another_order(program):
    change = CHANGE_RECORDS.format("lines += [lines.pop(first)]")
    result = check_same(program(after=change), TRAWL, "--only", "map hamming")
    assert result.returncode == 1
    assert re.search(r"x\.sam: records: the same \d+, in another order; first: number 1, column", result.stdout)


def test_pg_lines_may_differ(program):
    change = 'output.write_text(output.read_text().replace("@PG\\t", "@PG\\tDS:x\\t").replace("@SQ\\tSN:", "@SQ\\t{}SN:"))'
    assert check_same(TRAWL, program(after=change.format("")), "--only", "map best").returncode == 0
    result = check_same(TRAWL, program(after=change.format("AS:x\\t")), "--only", "map best")
    assert result.returncode == 1
    assert "x.sam: header: " in result.stdout


def test_messages_and_status(program):
    other = program(after='message = message.replace("no_such_reads", "some")')
    result = check_same(TRAWL, other, "--only", "no such file")
    assert result.returncode == 1
    assert re.search(r"OLD  status 1: trawl map: .*no_such_reads.fq.*\n.*NEW  status 1: trawl map: .*some.fq", result.stdout)
    assert check_same(TRAWL, program(before="sys.exit(1)"), "--only", "wrong word").returncode == 1
    assert check_same(TRAWL, program(before="sys.exit(1)"), "--only", "scan -p").returncode == 1


def test_what_only_one_program_knows(program):
    refuses = program(before='if "--vcf" in words: refuse("option --vcf")')
    result = check_same(refuses, TRAWL, "--only", "alleles")
    assert result.returncode == 0
    assert "not compared: guides, alleles: OLD does not take it: trawl: there is no option --vcf\n" in result.stdout
    assert "1 not compared" in result.stdout
    assert check_same(TRAWL, refuses, "--only", "alleles").returncode == 1


def test_older_spelling(program):
    old = program(before="""
if words[0] == "primers":
    refuse("command primers")
if "--amplicons" in words:
    words[0] = "primers"
    words[words.index("--amplicons")] = "--size"
""")
    result = check_same(old, TRAWL, "--only", "primers")
    assert (result.returncode, result.stdout) == (0, "same: 2 commands, 0 different, 0 not compared\n")


def test_own_data(tmp_path):
    assert check_same(TRAWL, TRAWL, "--keep", tmp_path / "kept", "--only", "map best").returncode == 0
    data = tmp_path / "kept/data"
    files = [data / "packed_ref.fa.gz", data / "first.fq", data / "mates.fq"]
    for only in "pairs best", "map gzip", "guides, one PAM":
        result = check_same(TRAWL, TRAWL, "--only", only, "--data", *files)
        assert (result.returncode, result.stdout) == (0, "same: 1 commands, 0 different, 0 not compared\n")
    result = check_same(TRAWL, TRAWL, "--only", "pairs best", "--data", *files[:2])
    assert "not compared: pairs best: --data has no second mates" in result.stdout


def test_wrong_usage(tmp_path):
    (tmp_path / "file").write_text("x")
    file, missing = tmp_path / "file", tmp_path / "missing"
    both = [TRAWL, TRAWL]
    for words in ([], [missing], [*both, "--keep", tmp_path], [*both, "--only", "nothing like it"],
                  [*both, "--data", file], [*both, "--data", file, missing]):
        result = check_same(*words)
        assert (result.returncode, result.stdout) == (2, ""), words
        assert "check_same: error: " in result.stderr
