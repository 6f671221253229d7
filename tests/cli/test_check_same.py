"""scripts/check_same: a program gives the same as itself; one that changes a record is found out."""

import re
import shutil
import sys
import textwrap
from pathlib import Path

import pytest

from tools import ROOT, TRAWL, execute

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


def program(before="", after=""):
    """trawl with some lines of Python before and after its run."""
    path = Path("out/wrapper")
    before, after = (textwrap.indent(lines or "pass", "    ") for lines in (before, after))
    path.write_text(WRAPPER.format(python=sys.executable, trawl=TRAWL, before=before, after=after))
    path.chmod(0o755)
    return path


def check_same(*arguments):
    return execute(ROOT / "scripts/check_same", *arguments)


def check_one(old, new, only, status):
    """What is said of the commands with these words, after a run with this status."""
    result = check_same(old, new, "--only", only)
    assert (result.status, result.stderr) == (status, ""), result
    return result.stdout


SAME = "same: {} commands, 0 different, 0 not compared\n"


def test_a_program_and_itself():
    """Every command gives records, so none of them has become wrong."""
    said = check_same(TRAWL, TRAWL, "--keep", "out/kept").ok().stdout
    missing = None if shutil.which("samtools") else "samtools is missing"
    assert [line for line in said.splitlines()[:-1] if not (missing and missing in line)] == []
    commands = int(re.search(r"^same: (\d+) commands, 0 different", said, re.M)[1])
    folders = sorted(Path("out/kept/new").iterdir())
    assert len(folders) == commands >= 40
    assert [folder.name for folder in folders if "error" not in folder.name and not any(folder.iterdir())] == []
    for output in Path("out/kept/new").glob("*/*.sam"):
        assert sum(not line.startswith("@") for line in output.open()) > 3, output


CHANGE_RECORDS = """
lines = output.read_text().splitlines(keepends=True)
first = next(number for number, line in enumerate(lines) if not line.startswith("@"))
{}
output.write_text("".join(lines))
"""


def test_a_changed_record_is_shown():
    change = CHANGE_RECORDS.format('lines[first + 9] = lines[first + 9].replace("\\t", "\\t9", 1)')
    head, told, old, new, end = check_one(TRAWL, program(after=change), "map strata", 1).splitlines()
    assert head.startswith("different: map strata: trawl map ")
    assert re.search(r"x\.sam: records: 1 of \d+ of OLD are not in NEW, 1 of \d+ of NEW are not in OLD; "
                     r"first: number 10, column 2$", told)
    assert old.split()[0] == "OLD" and new.split()[0] == "NEW"
    assert new.split("\t")[1] == "9" + old.split("\t")[1]
    assert old.split("\t")[2:] == new.split("\t")[2:]
    assert end == "different: 1 commands, 1 different, 0 not compared"


def test_records_in_another_order():
    said = check_one(program(after=CHANGE_RECORDS.format("lines += [lines.pop(first)]")), TRAWL, "map hamming", 1)
    assert re.search(r"x\.sam: records: the same \d+, in another order; first: number 1, column", said)


def test_pg_lines_may_differ():
    change = 'output.write_text(output.read_text().replace("@{0}\\t", "@{0}\\tDS:x\\t"))'
    assert check_one(TRAWL, program(after=change.format("PG")), "map best", 0) == SAME.format(1)
    assert "x.sam: header: " in check_one(TRAWL, program(after=change.format("SQ")), "map best", 1)


@pytest.mark.skipif(not shutil.which("samtools"), reason="samtools is missing")
def test_binary_records():
    change = 'if words[0] == "map": words[words.index("{}")] = "{}"'
    for only in "map BAM", "map sorted BAM":
        said = check_one(TRAWL, program(before=change.format("5", "4")), only, 1)
        assert "x.bam: records: " in said
        assert ("x.bam.bai: records of chr2: " in said) == ("sorted" in only)


def test_messages_and_status():
    said = check_one(TRAWL, program(after='message = message.replace("no_such_reads", "some")'), "no such file", 1)
    assert re.search(r"OLD  status 1: trawl map: .*no_such_reads.fq.*\n.*NEW  status 1: trawl map: .*some.fq", said)
    for only in "wrong word", "scan -p":
        check_one(TRAWL, program(before="sys.exit(1)"), only, 1)


def test_what_only_one_program_knows():
    refuses = program(before='if "--vcf" in words: refuse("option --vcf")')
    said = check_one(refuses, TRAWL, "alleles", 0)
    assert "not compared: guides, alleles: OLD does not take it: trawl: there is no option --vcf\n" in said
    assert said.endswith("same: 1 commands, 0 different, 1 not compared\n")
    check_one(TRAWL, refuses, "alleles", 1)


def test_older_spelling():
    old = program(before="""
if words[0] == "primers":
    refuse("command primers")
if "--amplicons" in words:
    words[0] = "primers"
    words[words.index("--amplicons")] = "--size"
""")
    assert check_one(old, TRAWL, "primers", 0) == SAME.format(2)


def test_own_data():
    check_same(TRAWL, TRAWL, "--keep", "out/kept", "--only", "map best").ok()
    files = [f"out/kept/data/{name}" for name in ("packed_ref.fa.gz", "first.fq", "mates.fq")]
    for only in "pairs best", "map gzip", "guides, one PAM":
        assert check_same(TRAWL, TRAWL, "--only", only, "--data", *files).ok().stdout == SAME.format(1)
    said = check_same(TRAWL, TRAWL, "--only", "pairs best", "--data", *files[:2]).ok().stdout
    assert "not compared: pairs best: --data has no second mates" in said


def test_wrong_usage():
    Path("out/file").write_text("x")
    both = [TRAWL, TRAWL]
    for words in ([], ["out/missing"], [*both, "--keep", "out"], [*both, "--only", "nothing like it"],
                  [*both, "--data", "out/file"], [*both, "--data", "out/file", "out/missing"]):
        result = check_same(*words)
        assert (result.status, result.stdout) == (2, ""), words
        assert "check_same: error: " in result.stderr
