"""The folder that each test module works in, and what ctest is told. How tests are written: tools.py."""

import os
import resource
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tools")
import tools

# Also if the caller ignores them: what ignores a signal starts programs that ignore it.
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
# Tests kill programs.
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


@pytest.fixture(scope="module", autouse=True)
def work():
    """A folder for the module, which is the current one. It is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="trawl_test_") as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        os.mkdir("tmp")
        patch.setenv("TMPDIR", f"{folder}/tmp")
        patch.setenv("LC_ALL", "C")
        # So that -t 4 means four threads also on a machine with two cores.
        patch.setenv("TRAWL_MAX_THREADS", "1024")
        yield Path(folder)


@pytest.fixture(autouse=True)
def out(work):
    """out/ is empty when a test begins. No test leaves a temporary file."""
    tools.Result.last = None
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    yield Path("out")
    left = tools.left_behind()
    shutil.rmtree("tmp")
    os.mkdir("tmp")
    assert left == [], "left behind"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """A failure shows the last program that has run."""
    report = (yield).get_result()
    if report.failed and tools.Result.last:
        report.sections.append(("the last program", repr(tools.Result.last)))


def pytest_sessionfinish(session, exitstatus):
    """77, as for the shell, if all tests were skipped: ctest shows them as skipped."""
    counts = session.config.pluginmanager.get_plugin("terminalreporter").stats
    nothing_failed = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    if nothing_failed and "skipped" in counts and "passed" not in counts:
        session.exitstatus = 77
