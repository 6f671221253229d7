"""cmake --install: the program, man pages, completions, licence and documents; and the release tarball."""

import hashlib
import os
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from tools import ROOT, TRAWL, assert_same, execute, run

BUILD = Path(TRAWL).parent
if not shutil.which("cmake") or not (BUILD / "cmake_install.cmake").exists():
    pytest.skip("no cmake, or trawl lies in no build folder", allow_module_level=True)

SHARE = Path("there/share")


@pytest.fixture(scope="module", autouse=True)
def there(work):
    execute("cmake", "--install", BUILD, "--prefix", work / "there").ok()


def test_the_installed_program():
    assert_same(run("--version").ok(), execute("there/bin/trawl", "--version").ok())


def test_installed_files():
    pages = ["trawl", *(f"trawl-{command}" for command in ("map", "scan", "mappability", "index", "info", "help"))]
    documents = "map scan guides genome_guides primers mappability index recipes files performance".split()
    for file in (*(f"man/man1/{page}.1" for page in pages), "bash-completion/completions/trawl",
                 "zsh/site-functions/_trawl", "fish/vendor_completions.d/trawl.fish",
                 *(f"doc/trawl/{file}" for file in ("LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "SECURITY.md")),
                 *(f"doc/trawl/docs/{document}.md" for document in documents)):
        assert (SHARE / file).stat().st_size > 0, file


def test_pages_and_completions_are_of_this_program():
    for command in "map", "scan":
        assert_same(SHARE / f"man/man1/trawl-{command}.1", run("help", "--man", command).ok())
    assert_same(SHARE / "bash-completion/completions/trawl", run("help", "--completion", "bash").ok())


def test_links_of_the_documents_lead_to_documents():
    folder = SHARE / "doc/trawl/docs"
    text = "".join(path.read_text("utf-8") for path in folder.glob("*.md"))
    assert [link for link in re.findall(r"\]\(([a-z_/]+\.md)", text) if not (folder / link).exists()] == []


def test_the_tarball_of_a_commit_is_always_the_same():
    """And has all that a build needs."""
    changes = shutil.which("git") and execute("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no")
    if not changes or changes.status != 0 or changes.stdout:
        pytest.skip("this is no checkout of git without changes")
    for folder in "first", "second":
        execute(ROOT / "scripts/make_release.sh", Path("out", folder).absolute()).ok()
    first, = Path("out/first").glob("trawl-*.tar.gz")
    second, = Path("out/second").glob("trawl-*.tar.gz")
    assert_same(first, second)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(first.parent)
        execute("sha256sum", "-c", f"{first.name}.sha256").ok()
    with tarfile.open(first) as tar:
        files = {name.split("/", 1)[-1] for name in tar.getnames()}
    assert {"CMakeLists.txt", "LICENSE", "CITATION.cff", "packaging/bioconda/build.sh", "packaging/smoke_test.sh",
            "test_data/repeats.fa.gz", "src/cli/main.cpp"} <= files
    for recipe in "trawl", "trawl-gpu":
        text = Path(f"out/first/recipes/{recipe}/meta.yaml").read_text()
        assert "@" not in text
        assert f'name = "{recipe}"' in text and f'sha256 = "{hashlib.sha256(first.read_bytes()).hexdigest()}"' in text


def test_the_test_that_all_packages_run(work):
    result = execute("bash", ROOT / "packaging/smoke_test.sh", env={"PATH": f"{work}/there/bin:{os.environ['PATH']}"})
    assert "trawl works" in result.ok().stdout
