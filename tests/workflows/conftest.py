"""As in tests/cli, whose conftest.py and tools.py are used. `trawl` is on PATH, with the tools of
scripts/install_workflow_tools.sh; nothing of the user's own settings is read, and nothing is left in the home folder."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

CLI = Path(__file__).resolve().parents[1] / "cli"
sys.path.insert(0, str(CLI))
_specification = importlib.util.spec_from_file_location("conftest_of_cli", CLI / "conftest.py")
_cli = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(_cli)
work, out = _cli.work, _cli.out
pytest_runtest_makereport, pytest_sessionfinish = _cli.pytest_runtest_makereport, _cli.pytest_sessionfinish

from flows import TOOLS
from tools import TRAWL


@pytest.fixture(scope="module", autouse=True)
def settings(work):
    for folder in "bin", "home":
        os.mkdir(folder)
    os.symlink(TRAWL, "bin/trawl")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{work}/bin:{TOOLS}/bin:{os.environ['PATH']}")
        patch.setenv("HOME", f"{work}/home")
        patch.setenv("XDG_CACHE_HOME", f"{work}/home/.cache")
        patch.setenv("JAVA_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto")  # starts sooner
        if java := shutil.which("java"):
            patch.setenv("JAVA_HOME", str(Path(java).resolve().parents[1]))
        yield
