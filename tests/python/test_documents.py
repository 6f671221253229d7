"""Examples in docstrings, in docs/python.md and in the notebooks; the stub; the types."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import runpy
import subprocess
import sys
import tarfile

import pytest
import trawl
from conftest import DATA, ROOT

MODULES = sorted(name for _, name, _ in pkgutil.iter_modules(trawl.__path__, "trawl.") if name != "trawl._native")


@pytest.mark.parametrize("name", ["trawl", *MODULES])
def test_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_docstring_of_compiled_functions():
    example = doctest.DocTestParser().get_doctest(trawl.distance.__doc__, {"trawl": trawl}, "distance", None, 0)
    assert example.examples and doctest.DocTestRunner().run(example).failed == 0


def test_page(monkeypatch):
    monkeypatch.chdir(DATA)
    failed, tried = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False,
                                     optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert tried > 10 and failed == 0


@pytest.mark.parametrize("path", sorted(set((ROOT / "python/notebooks").glob("*.py")) - {ROOT / "python/notebooks/draw_svg.py"}), ids=lambda path: path.stem)
def test_notebook(path, monkeypatch):
    """The pictures of the page are what the notebooks draw; with TRAWL_UPDATE_PICTURES=1 they are written."""
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(path.parent)
    picture = runpy.run_path(str(path))["picture"]
    kept = ROOT / "docs/images" / f"{path.stem}.svg"
    if os.environ.get("TRAWL_UPDATE_PICTURES") == "1":
        kept.write_text(picture)
    assert kept.read_text() == picture


def test_everything_public_has_a_docstring():
    for name in trawl.__all__:
        thing = getattr(trawl, name)
        assert thing.__doc__, name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            if callable(value) and not member.startswith("_"):
                assert value.__doc__, f"{name}.{member}"


def test_the_stub_is_that_of_the_module():
    from pathlib import Path

    stub = Path(trawl.__file__).with_name("_native.pyi").read_text()
    for name in vars(trawl._native):
        if not name.startswith("_"):
            assert re.search(rf"^(class|def) {name}\b", stub, re.M), name
    assert Path(trawl.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize("command, functions", [
    ("map", (trawl.Mapper, trawl.Reference.mapper, trawl.Reference.map, trawl.Reference.map_file, trawl.Reference.map_to_file)),
    ("scan", (trawl.Scanner, trawl.scan))])
def test_signatures_have_the_options(command, functions):
    names = {option["name"].replace("-", "_") for option in trawl.option_table(command)} - {"for"} | {"edits", "device"}
    for function in functions:
        parameters = inspect.signature(function).parameters
        assert names <= parameters.keys() and "options" not in parameters, function


TYPED = {
    'ref.map(["A"], reprot="all")': "reprot",
    'ref.map(["A"], report="every")': "report",
    'list(ref.map_file("x.fq", insert_size="1-2"))': "insert_size",
    'trawl.Mapper(ref, eqx="x")': "eqx",
    'trawl.scan("A", "A", pams="NGG")': "pams",
    'trawl.Scanner("A", max_hits=1)': "max_hits",
    'ref.map(["A"], report="all", edits="5%", max_hits=3, eqx=True, devices=[0, 1], insert="1-9", threads=None)': None,
    'trawl.scan("A", ["A"], edits=1, pam="NGG", strand="+", max_bulges=1, device="cpu")': None,
    'ref.map(["A"])[1:2].to_pandas(), trawl.scan("A", "A").to_polars()': None,
    'trawl.distance("A", "C") + trawl.align("A", "C").start': None,
}


def test_types(tmp_path):
    pytest.importorskip("mypy")
    lines = ["import trawl", 'ref = trawl.Reference({"a": "A"})', *TYPED]
    (tmp_path / "typed.py").write_text("\n".join(lines))
    ended = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "typed.py"],
                           cwd=tmp_path, capture_output=True, text=True)
    found = {int(number): text for number, text in re.findall(r"^typed.py:(\d+): error: (.*)$", ended.stdout, re.M)}
    for number, wrong in enumerate(TYPED.values(), 3):
        assert (wrong in found.pop(number)) if wrong else number not in found, (lines[number - 1], ended.stdout)
    assert not found, ended.stdout + ended.stderr


def test_the_archive_of_the_sources_has_all_that_a_build_needs(tmp_path, monkeypatch):
    backend = pytest.importorskip("scikit_build_core.build")
    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / backend.build_sdist(str(tmp_path))) as archive:
        archive.extractall(tmp_path)
    made, = tmp_path.glob("trawl_bio-*/")
    for folder in "include", "src", "io", "gpu", "python/module", "python/trawl":
        files = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
        assert {path for path in files if "__pycache__" not in path.parts and not (made / path).exists()} == set()
    nanobind = pytest.importorskip("nanobind").cmake_dir()
    subprocess.run(["cmake", "-S", made / "python", "-B", tmp_path / "build", f"-Dnanobind_DIR={nanobind}",
                    f"-DPython_EXECUTABLE={sys.executable}"], check=True, stdout=subprocess.DEVNULL)
