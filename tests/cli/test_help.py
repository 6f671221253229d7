"""Help, man pages and completions, all from one source; how to cite; --quiet and --verbose."""

import os
import pty
import re
import select
import shutil
import time
from pathlib import Path

import pytest

from tools import ROOT, TRAWL, assert_same, execute, files_in, make_input, run


def show(*words):
    result = execute(TRAWL, *words).ok()
    assert result.stderr == ""
    return result


def commands(help):
    listed = re.search("^Commands:\n(.*?)(^$|\\Z)", help, flags=re.M | re.S)[1]
    return re.findall("^  ([a-z-]+)", listed, flags=re.M)


def options(help):
    """["-e, --max-edits", ...]"""
    return re.findall("^ {2,6}((?:-., )?--[a-z-]+)", help, flags=re.M)


# --- help ---


def test_help_of_the_program():
    result = show("--help")
    assert set("map scan primers mappability index serve info help".split()) <= set(commands(result.stdout))
    for word in "-h", "help":
        assert_same(result, show(word))


def test_help_of_all_commands():
    for command in commands(show("--help").stdout):
        result = show(command, "--help")
        assert [line for line in result.bytes.splitlines() if len(line) > 100] == [], command
        assert_same(result, show("help", command))
        names = [option.split()[-1] for option in options(result.stdout)]
        assert len(names) == len(set(names)), command
        assert command == "info" or "Examples:" in result.stdout, command


@pytest.mark.parametrize("command", ["map", "scan"])
def test_short_help(command):
    """It has the ten most used options, which come first in --help."""
    short, all_options = show(command, "-h").stdout, options(show(command, "--help").stdout)
    assert len(options(short)) == 10
    assert options(short) == all_options[:10]
    assert f"--help shows {len(all_options) - 11} more options." in short
    assert "Examples:" in short


def test_help_about_an_unknown_command():
    run("help", "fish").fails(2, "trawl help: COMMAND: 'fish' is none of map, scan")


def test_version():
    assert re.fullmatch(r"trawl [0-9]+\.[0-9]+\.[0-9]+\n", show("--version").stdout)
    assert_same(show("--version"), show("-v"))


def test_cite():
    """As in CITATION.cff."""
    citation = dict(re.findall('^([a-z-]+): "?(.*?)"?$', (ROOT / "CITATION.cff").read_text(), flags=re.M))
    text = show("--cite").stdout
    assert f"title   = {{{{{citation['title']}}}}}" in text
    assert f"version = {{{show('--version').stdout.split()[-1]}}}" in text
    assert f"year    = {{{citation['date-released'][:4]}}}" in text


# --- man pages ---


@pytest.fixture(scope="module")
def made():
    show("help", "--write-all", "made")
    return Path("made")


COMMANDS = ["guides", "help", "index", "info", "map", "mappability", "primers", "scan", "serve"]
EACH_PAGE = pytest.mark.parametrize("page, words", [("trawl.1", []), *((f"trawl-{c}.1", [c]) for c in COMMANDS)])


def test_there_is_a_page_of_each_command(made):
    assert files_in(made / "man") == sorted(["trawl.1", *(f"trawl-{command}.1" for command in COMMANDS)])


@EACH_PAGE
def test_man_pages(made, page, words):
    assert_same(made / "man" / page, show("help", "--man", *words))


def needs(program):
    if not shutil.which(program):
        pytest.skip(f"{program} is missing")


@EACH_PAGE
def test_groff_and_the_man_pages(made, page, words):
    needs("groff")
    result = execute("groff", "-man", "-ww", "-Tutf8", "-z", made / "man" / page)
    assert result.stdout + result.stderr == ""


@EACH_PAGE
def test_mandoc_and_the_man_pages(made, page, words):
    needs("mandoc")
    result = execute("mandoc", "-Tlint", made / "man" / page)
    assert result.stdout + result.stderr == ""
    plain = re.sub(".\b", "", execute("mandoc", "-Tascii", made / "man" / page).stdout)
    assert [option for option in options(run(*words, "--help").stdout) if option.split()[-1] not in plain] == []


# --- completions, in the shells that are there ---

PROMPT = "PROMPT> "


def completed(shell, script, lines):
    """What stands in an interactive shell on a terminal after each line and Tab."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", PS1=PROMPT, INPUTRC="/dev/null", COLUMNS="500")
        os.execvp(shell, [shell] + {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}[shell])

    def write(text):
        os.write(terminal, text.encode())

    def read_until(wanted):
        text = ""
        end = time.monotonic() + 10
        while time.monotonic() < end and not re.search(wanted, text):
            if select.select([terminal], [], [], 0.1)[0]:
                text += os.read(terminal, 4096).decode(errors="replace")
        return text.replace("\r", "")

    write("stty cols 500\n")
    if shell == "bash":
        write(f"bind 'set bell-style none'; source '{script}'; echo rea''dy\n")
    else:
        write(f"PS1='{PROMPT}'; unsetopt zle_bracketed_paste beep; fpath=('{script.parent.resolve()}' $fpath); "
              "autoload -U compinit; compinit -u -D; echo rea''dy\n")
    read_until(r"ready\r?\n(.*\n)*.*" + PROMPT)
    found = []
    for typed in lines:
        write(typed + "\t")
        time.sleep(0.05)
        # The line becomes an argument of echo, so that it is written once more.
        write("END\x01echo :\x05\n")
        shown = read_until(r"\n:.*END(.*\n)*.*" + PROMPT)
        found.append((re.findall("^:(.*)END", shown, flags=re.M) or [f"nothing: {shown!r}"])[-1].rstrip())
    os.close(terminal)  # which ends the shell
    os.waitpid(pid, 0)
    return found


@pytest.mark.parametrize("shell, script, after_option", [("bash", "bash/trawl", ""), ("zsh", "zsh/_trawl", "=")])
def test_completion(made, shell, script, after_option):
    needs(shell)
    Path("reads_of_lane1.fq").touch()
    expected = {"trawl mapp": "trawl mappability",
                "trawl map --unm": f"trawl map --unmapped{after_option}",
                "trawl map --report st": "trawl map --report strata",
                "trawl map --report=st": "trawl map --report=strata",
                "trawl map ref.fa reads_of": "trawl map ref.fa reads_of_lane1.fq",
                "trawl map -e reads_of": "trawl map -e reads_of",
                "trawl help --completion f": "trawl help --completion fish",
                "trawl help ind": "trawl help index"}
    assert dict(zip(expected, completed(shell, made / script, expected))) == expected


@pytest.mark.parametrize("typed, expected", [
    ("trawl mapp", ["mappability"]), ("trawl map --unm", ["--unmapped"]), ("trawl map --report st", ["strata"]),
    ("trawl map ref.fa reads_of", ["reads_of_lane1.fq"]), ("trawl map -e reads_of", []),
    ("trawl help map", ["map", "mappability"])])
def test_completion_in_fish(made, work, typed, expected):
    needs("fish")
    Path("reads_of_lane1.fq").touch()
    result = execute("fish", "--no-config", "-c", f"source made/fish/trawl.fish; complete -C '{typed}'",
                     env={"HOME": str(work)})
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == expected


# --- --quiet: nothing but errors; --verbose: more; the records stay the same ---


def test_quiet_and_verbose():
    make_input(30000, 50)
    usual, quiet, verbose = (run("map", *option, "ref.fa", "reads.fq").ok()
                             for option in ([], ["--quiet"], ["--verbose"]))
    for text in "version ", "input ref.fa 0.0 MB", "input reads.fq", "times: ", "peak memory ", "engine cpu":
        assert text in verbose.stderr
    assert len(verbose.stderr.splitlines()) > len(usual.stderr.splitlines())
    assert quiet.stderr == ""
    assert_same(usual, quiet, verbose)
    assert run("scan", "--quiet", "-p", "GATTACA", "ref.fa", "-o", "out/x.bed").ok().stderr == ""
    run("map", "--quiet", "nowhere.fa", "reads.fq", "-o", "out/x.sam").fails(
        1, "nowhere.fa: cannot open", "out/x.sam")
    run("map", "--quiet", "--verbose", "ref.fa", "reads.fq").fails(2, "--verbose and --quiet exclude each other")
