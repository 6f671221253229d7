"""A trawl serve for tests, and its clients."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import time
from pathlib import Path
from urllib.parse import urlencode

from tools import IS_SANITIZED, ROOT, start

DATA = ROOT / "test_data"
REF = DATA / "repeats.fa.gz"
READS = DATA / "repeats_reads.fq.gz"
PAIRS = [DATA / "repeats_1.fq.gz", DATA / "repeats_2.fq.gz"]
GUIDES = DATA / "guides.tsv"
TIMEOUT = 120 if IS_SANITIZED else 20  # seconds, for every socket of these tests


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT)
        self._path = str(path)

    def connect(self):
        self.sock = connect(self._path)


def connect(path):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(TIMEOUT)
    one.connect(str(path))
    return one


class Server:
    """A server that runs. ask() takes parameters as keywords: max_edits=2."""

    def __init__(self, job, path, port):
        self.job, self.path, self.port = job, path, port

    def request(self, method, path, body=None, headers={}):
        connection = UnixConnection(self.path)
        try:
            connection.request(method, path, body, headers)
        except BrokenPipeError:
            pass  # the server has refused the body before its end: the answer is there
        response = connection.getresponse()
        return response.status, response.read(), response

    def ask(self, end_point, body=b"", headers={}, **parameters):
        query = urlencode({name.replace("_", "-"): value for name, value in parameters.items()})
        status, answer, _ = self.request("POST", f"/{end_point}?{query}", body, headers)
        assert status == 200, answer
        return answer

    def refuses(self, status, message, *request, **parameters):
        found, answer, response = self.request(*request, **parameters)
        assert found == status, answer
        assert response.getheader("Content-Type") == "application/json"
        assert message in json.loads(answer)["error"], answer

    def is_well(self):
        assert self.job.running()
        assert self.request("GET", "/health")[1] == b'{"status": "ok"}\n'


@contextlib.contextmanager
def server(*options, reference=REF, path="s.sock"):
    with start("serve", reference, "--socket", path, "--port", 0, *options) as job:
        port = wait_until_ready(job, path)
        yield Server(job, path, port)
        job.send_signal(signal.SIGTERM)
        result = job.wait(60).ok()
    assert not os.path.lexists(path), result
    assert "AddressSanitizer" not in result.stderr and "ThreadSanitizer" not in result.stderr, result


def wait_until_ready(job, path):
    end = time.monotonic() + 60
    while time.monotonic() < end and job.running():
        with contextlib.suppress(OSError):
            connect(path).close()
            if found := listening(job):  # it listens on the Unix socket first
                return found[0][1]
        time.sleep(0.02)
    raise AssertionError(f"no server: {job.wait(1)}")


def wait_until_answers(path):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            return connect(path).close()
        time.sleep(0.02)


def listening(job):
    """[(address, port)] of the TCP sockets on which a job listens; the address as in /proc."""
    inodes = set()
    for path in Path(f"/proc/{job.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            inodes.update(re.findall(r"^socket:\[(\d+)\]$", os.readlink(path)))
    found = []
    for kind in "tcp", "tcp6", "udp", "udp6":
        for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]:
            columns = line.split()
            if columns[9] in inodes and columns[3] in ("0A", "07"):
                address, port = columns[1].split(":")
                found.append((address, int(port, 16)))
    return found
