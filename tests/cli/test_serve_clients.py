"""trawl serve: requests that no client should send, sockets and signals."""

import contextlib
import gzip
import http.client
import os
import random
import signal
import socket
import stat
import time
from pathlib import Path

import pytest

from serving import GUIDES, PAIRS, READS, REF, Server, UnixConnection, connect, listening, server, wait_until_ready
from tools import info, run, sam_lines, start, write_lines

if "for trawl serve" not in info():
    pytest.skip("this build has no trawl serve", allow_module_level=True)


@pytest.fixture(scope="module")
def shared():
    with server("-t", 2) as one:
        yield one


# --- reads from a BAM ---


def test_a_bam(shared):
    """Pairs and single reads; the header and the read group come, too."""
    run("map", "-R", r"@RG\tID:x\tSM:y", REF, *PAIRS, "-o", "out/x.bam").ok()
    expected = run("map", REF, "out/x.bam").ok()
    found = run("map", "--server", shared.path, REF, "out/x.bam").ok()
    assert sam_lines(found) == sam_lines(expected) and "@RG\tID:x" in found.stdout
    shared.refuses(400, "send them to POST /pairs", "POST", "/map", Path("out/x.bam").read_bytes())


# --- hostile clients ---


def test_requests_that_are_no_http():
    random.seed(7)
    texts = [random.randbytes(random.randrange(1, 3000)) for _ in range(60)]
    texts += [b"GET", b"GET /info HTTP/1.1\r\n", b"POST /map HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n>r",
              b"POST /map HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
              b"POST /map HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
              b"POST /map HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
              b"POST /map HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"\0" * 5000,
              b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"GET /%00%ff%zz?%=%&&&=== HTTP/1.1\r\nHost: x\r\n\r\n",
              b"GET /info HTTP/1.1\r\n" + b"".join(b"X%d: y\r\n" % n for n in range(20000)) + b"\r\n",
              b"GET /info HTTP/1.1\r\nHost: " + b"h" * 200000 + b"\r\n\r\n",
              b"POST /map HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nhello"]
    with server("--timeout", 1, path="no_http.sock") as shared:
        for text in texts:
            with connect(shared.path) as one:
                with contextlib.suppress(ConnectionError):
                    one.sendall(text)
                    one.shutdown(socket.SHUT_WR)
                    while one.recv(1 << 16):
                        pass
        shared.is_well()


def test_clients_that_go_away(shared):
    body = gzip.decompress(READS.read_bytes())
    head = b"POST /map?report=all&max-edits=5 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
    for n in range(40):
        with connect(shared.path) as one:
            one.sendall(head + (body if n % 2 else body[:len(body) // 2]))
    shared.is_well()
    assert shared.ask("map", body, headers={"Trawl-Reference": str(REF)}) == run("map", REF, READS).ok().bytes


def test_random_bodies(shared):
    random.seed(11)
    good = [gzip.decompress(READS.read_bytes())[:4000], READS.read_bytes()[:3000], GUIDES.read_bytes(),
            b'{"reads": [{"name": "a", "sequence": "ACGTACGTAAGG", "qualities": "IIIIIIIIIIII"}]}']
    for n in range(200):
        body = bytearray(random.choice(good))
        for _ in range(random.randrange(1, 20)):
            body[random.randrange(len(body))] = random.randrange(256)
        path = random.choice(["/map", "/pairs", "/scan?e=2", "/map?format=json", "/scan?format=json&pam=NGG",
                              "/map?format=arrow", "/scan?format=arrow&pam=NGG"])
        status, answer, _ = shared.request("POST", path, bytes(body[:random.randrange(len(body) + 1)]))
        assert status in (200, 400, 413, 422), answer
    shared.is_well()


def test_slow_clients_stop_nobody():
    """More slow connections than are allowed: others are answered, and the slow ones are closed."""
    with server("--connections", 30, "--timeout", 2, path="slow.sock") as one, contextlib.ExitStack() as stack:
        slow = [stack.enter_context(connect("slow.sock")) for _ in range(60)]
        begin = time.monotonic()
        closed = set()
        while len(closed) < len(slow) and time.monotonic() < begin + 15:
            for n, client in enumerate(slow):
                with contextlib.suppress(ConnectionError):
                    client.sendall(b"POST /map HTTP/1.1\r\n"[:1] if n % 2 else b"GET /info HTTP/1.1\r\nX: y"[:1])
                    continue
                closed.add(n)
            one.is_well()
            time.sleep(0.2)
        assert len(closed) == len(slow)


# --- sockets and signals ---


def test_only_the_loopback_address(shared):
    assert listening(shared.job) == [("0100007F", shared.port)]
    status = os.stat(shared.path)
    assert stat.S_ISSOCK(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o600


def test_only_a_socket():
    with start("serve", REF, "--socket", "only.sock") as job:
        end = time.monotonic() + 60
        while not os.path.exists("only.sock") and time.monotonic() < end:
            time.sleep(0.02)
        assert listening(job) == []
        job.send_signal(signal.SIGINT)
        job.wait(60).ok()


def test_a_socket_that_is_there(shared):
    run("serve", REF, "--socket", shared.path).fails(1, "another server answers there")
    shared.is_well()
    write_lines("file", "mine")
    run("serve", REF, "--socket", "file").fails(1, "is not a socket")
    assert Path("file").read_text() == "mine\n"
    run("serve", REF, "--socket", "no/folder/s").fails(1, "--socket no/folder/s: No such file")
    run("serve", REF, "--socket", "x" * 200).fails(1, "shorter")
    run("serve", REF, "--port", shared.port).fails(1, "--port 0 takes a free one")
    run("serve", REF).fails(2, "nobody could ask")
    run("serve", "missing.fa", "--port", 0).fails(1, "missing.fa")


def test_a_socket_that_was_left():
    with start("serve", REF, "--socket", "left.sock", "--port", 0) as job:
        wait_until_ready(job, "left.sock")
        job.send_signal(signal.SIGKILL)
        job.wait(60).killed()
    assert os.path.exists("left.sock")
    with server(path="left.sock") as one:
        one.is_well()


def test_queries_are_finished_at_the_end():
    """SIGTERM while queries are under way: they are answered, and nobody is let in."""
    with start("serve", REF, "--socket", "end.sock", "--port", 0, "-t", 2) as job:
        one = Server(job, "end.sock", wait_until_ready(job, "end.sock"))
        expected = one.ask("map", READS.read_bytes())
        connections = [UnixConnection("end.sock") for _ in range(8)]
        for connection in connections:
            connection.request("POST", "/map", READS.read_bytes())
        time.sleep(0.02)
        job.send_signal(signal.SIGTERM)
        answered = 0
        for connection in connections:
            with contextlib.suppress(ConnectionError, http.client.HTTPException):
                assert connection.getresponse().read() == expected
                answered += 1
        assert answered > 0
        result = job.wait(60).ok()
    assert "ends; its queries have a second more" in result.stderr and not os.path.exists("end.sock")
