"""Examples in docstrings, in docs/python.md and in the notebooks; the stub; the types."""

import doctest
import importlib
import os
import pkgutil
import re
import runpy

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
