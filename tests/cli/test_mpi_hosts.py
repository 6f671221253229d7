"""trawl map and trawl scan on two hosts that are made of namespaces of Linux: north, and south, which has processes of its
own, too. What they share is the network between them and the files."""

import os
import re
import shutil
from pathlib import Path
from signal import SIGKILL, SIGTERM

import pytest

from mpi import IS_MPICH, Ranks, until
from tools import assert_same, execute, files_in, make_input, read_json, run, start_program

if missing := [name for name in ("ip", "unshare", "nsenter", "setpriv", "pgrep") if not shutil.which(name)]:
    pytest.skip(f"no {missing[0]} (Debian: iproute2, util-linux, procps)", allow_module_level=True)
if IS_MPICH:
    # UCX, which it uses, knows a host by its kernel and a process by its number; here two hosts have both in common.
    pytest.skip("MPICH takes namespaces for one host", allow_module_level=True)
_trial = execute("unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--mount-proc", "bash", "-c",
                 "ip link add name eth0 type veth peer name eth1 && mount -t tmpfs none /mnt && hostname south")
if _trial.status != 0:
    pytest.skip(f"a network of two hosts cannot be made here: {_trial.stderr}", allow_module_level=True)

MAP = "map --progress off -t 1 -e 2 --tune=batch-size=100 ref.fa".split()
SCAN = "scan --progress off -t 1 -k 2 --tune=chunk-size=2000 -p ACGTACGTAC -p NRNACGT".split()
# South takes leave of orphans; its memory is its own, too.
HOST = """mount --bind hosts /etc/hosts && hostname {name} && ip link set lo up && {more} touch {name}.ready
while sleep 1000; do :; done"""
# In place of ssh: agent HOST COMMAND...
AGENT = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
shift
exec nsenter -t {south} -n -u -m -p bash -c "$*"
"""


class TwoHosts(Ranks):
    """Ranks 0 and 1 run on north, 2 and 3 on south, whose process numbers mean nothing here."""

    def __init__(self, north, south):
        self.south = south
        self.prefix = ["nsenter", "-t", north, "-n", "-u", "-m", f"--wd={os.getcwd()}"]
        self.environment = {
            "OMPI_MCA_orte_default_hostfile": os.path.abspath("openmpi"), "OMPI_MCA_plm_rsh_agent": os.path.abspath("agent"),
            "OMPI_MCA_oob_tcp_if_include": "eth0", "OMPI_MCA_btl_tcp_if_include": "eth0"}

    def _of_south(self):
        return list(map(int, execute("pgrep", "-x", "trawl", "--ns", self.south, "--nslist", "pid").stdout.split()))

    def left(self):
        return self._of_south() + super().left()

    def number(self, rank):
        if rank == "south":
            return self.south
        number = super().number(rank)
        if rank < 2 or not number:
            return number
        for pid in self._of_south():
            if re.search(rf"^NSpid:.*\t{number}$", Path(f"/proc/{pid}/status").read_text(), flags=re.M):
                return pid
        return None


@pytest.fixture(scope="module")
def hosts(work):
    make_input(60000, 1500)
    Path("hosts").write_text("127.0.0.1 localhost\n10.77.0.1 north\n10.77.0.2 south\n")
    Path("openmpi").write_text("north slots=2\nsouth slots=2\n")

    def start(name, *words, more=""):
        return start_program("setpriv", "--pdeathsig", "KILL", "unshare", *words, "--net", "--uts", "--mount", "bash", "-c",
                             HOST.format(name=name, more=more))

    with start("north") as north, start("south", "--kill-child", "--pid", "--fork", "--mount-proc",
                                        more="mount -t tmpfs none /dev/shm &&") as launcher:
        until(lambda: os.path.exists("north.ready") and os.path.exists("south.ready"))
        south = int(execute("pgrep", "-P", launcher.pid).stdout)
        execute("nsenter", "-t", north.pid, "-n", "ip", "link", "add", "name", "eth0", "type", "veth", "peer", "name", "eth0", "netns", south).ok()
        for number, pid in enumerate((north.pid, south), 1):
            for words in f"addr add 10.77.0.{number}/24 dev eth0", "link set eth0 up":
                execute("nsenter", "-t", pid, "-n", "ip", *words.split()).ok()
        Path("agent").write_text(AGENT.format(south=south))
        os.chmod("agent", 0o755)
        yield TwoHosts(north.pid, south)


@pytest.mark.parametrize("format, words", [
    ("sam", [*MAP, "reads.fq"]), ("bam", [*MAP, "reads.fq"]), ("bam", [*MAP, "--sort", "reads.fq"]),
    ("bed", [*SCAN, "ref.fa"]), ("bed.gz", [*SCAN, "ref.fa"])])
def test_the_same_bytes(hosts, format, words):
    """The records of both hosts."""
    run(*words, "-o", f"one.{format}").ok()
    result = hosts.run(4, *words, "-o", f"out/x.{format}", "--stats", "stats.json").ok()
    assert_same(f"one.{format}", f"out/x.{format}")
    assert [rank["host"] for rank in read_json("stats.json")["ranks"]] == ["north", "north", "south", "south"]
    assert "rank " not in result.stderr, "no rank has a warning"
    assert all(file.startswith("x.") for file in files_in("out"))


def test_a_stream(hosts):
    assert_same(run(*SCAN, "ref.fa").ok(), hosts.run(4, *SCAN, "ref.fa").ok())


@pytest.mark.parametrize("words", ["map -e 2 ref.fa reads.fq", "scan -k 1 -p ACGTACGTAC ref.fa"])
def test_the_ranks_of_a_host_share_its_cores(hosts, words):
    hosts.run(2, *words.split(), "-o", "out/x.bed", "--stats", "stats.json").ok()
    half = max(1, len(os.sched_getaffinity(0)) // 2)
    assert [rank["threads"] for rank in read_json("stats.json")["ranks"]] == [half, half]


def test_errors(hosts):
    lines = Path("reads.fq").read_text().splitlines(keepends=True)
    Path("broken.fq").write_text("".join(lines[:4000]) + "@last\nACGT\n+\nII\n")
    result = hosts.failed(hosts.run(4, *MAP, "broken.fq", "-o", "out/x.sam"))
    assert result.stderr.count("broken.fq") == 1
    os.mkdir("other")
    before, after = Path("ref.fa").read_text().split(">chr2")
    Path("other/ref.fa").write_text(f"{before}>chr2{after.replace('A', 'C')}")
    os.symlink("../reads.fq", "other/reads.fq")
    result = hosts.failed(hosts.run(4, *MAP, "reads.fq", "-o", os.path.abspath("out/x.bam"), before={2: "cd other"}))
    assert "rank 2 on south" in result.stderr


@pytest.mark.parametrize("signal, victim, format", [
    (SIGKILL, 0, "sam"), (SIGKILL, 2, "bam"), (SIGKILL, 3, "bed.gz"), (SIGTERM, "mpirun", "bed"),
    (SIGKILL, "south", "bam")])
def test_signals(hosts, signal, victim, format):
    """The last one takes south away."""
    words, source = (SCAN, "ref.fa") if "bed" in format else (MAP, "reads.fq")
    hosts.struck(4, signal, victim, source, *words, "fifo", "-o", f"out/x.{format}")
