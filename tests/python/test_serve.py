"""Arrow from `trawl serve`: the columns of the package."""

import gzip
import http.client
import json
import socket
import subprocess
import time
from urllib.parse import urlencode

import pytest
import trawl
from conftest import GENOME, GUIDES, MATES, READS, TRAWL, command

pa = pytest.importorskip("pyarrow")
NOWHERE = "ACGTACGTACGTGGTACCAGTACGTACGAGATTTAC"  # a read without a place
ARROW = "application/vnd.apache.arrow.stream"
if b"for trawl serve" not in command("info"):
    pytest.skip("this build has no trawl serve", allow_module_level=True)


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """ask(end point, body, options): the body of the answer."""
    path = str(tmp_path_factory.mktemp("serve") / "s")
    job = subprocess.Popen([TRAWL, "serve", GENOME, "--socket", path, "--quiet", "-t", "2"])

    def connection():
        made = http.client.HTTPConnection("localhost")
        made.sock = socket.socket(socket.AF_UNIX)
        made.sock.settimeout(60)
        made.sock.connect(path)
        return made

    def asked(end_point, body, accept=ARROW, **options):
        one = connection()
        query = urlencode({name.replace("_", "-"): value for name, value in options.items()})
        one.request("POST", f"/{end_point}?{query}", body, {"Accept": accept})
        response = one.getresponse()
        answer = response.read()
        assert response.status == 200, answer
        assert response.getheader("Content-Type") == ARROW and response.getheader("Trawl-Message")
        return answer

    for _ in range(1200):
        try:
            connection().close()
            break
        except OSError:
            assert job.poll() is None
            time.sleep(0.05)
    yield asked
    job.terminate()
    assert job.wait(60) == 0


def same(answer, table):
    expected = pa.table(table)
    with pa.ipc.open_stream(answer) as reader:
        found = reader.read_all()
    found.validate(full=True)
    assert found.schema.equals(expected.schema)
    assert found.equals(expected)
    return found.num_rows


@pytest.mark.parametrize("options", [{}, {"report": "all", "edits": 5}, {"report": "all", "max_edits": 3, "max_hits": 2},
                                     {"end_to_end": True, "eqx": True, "unmapped": "drop"}, {"ambiguous": "match"}])
def test_reads(ask, genome, options):
    parameters = {name.replace("edits", "max_edits") if name == "edits" else name: str(value).lower()
                  for name, value in options.items()}
    body = READS.read_bytes()
    assert same(ask("map", body, **parameters), genome.map(READS, **options)) > 500
    # More than is mapped together with others.
    assert same(ask("map", b"\n" * 300_000 + gzip.decompress(body), **parameters), genome.map(READS, **options)) > 500


def test_reads_that_are_not_found(ask, genome):
    found = ask("map", json.dumps([NOWHERE, genome.letters(0, 500, 600)]).encode())
    table = pa.ipc.open_stream(found).read_all()
    assert table["name"].to_pylist() == ["read1", "read2"]
    assert table["contig"].to_pylist() == [None, "synth1"] and table["strand"].to_pylist() == [None, "+"]
    assert table["start"].to_pylist() == [None, 500] and table["cigar"].to_pylist() == ["", "100M"]


@pytest.mark.parametrize("options", [{}, {"report": "all", "insert": "100-600"}])
def test_pairs(ask, genome, options):
    texts = [gzip.decompress(path.read_bytes()).splitlines(keepends=True) for path in MATES]
    body = b"".join(b"".join(text[at:at + 4]) for at in range(0, len(texts[0]), 4) for text in texts)
    assert same(ask("pairs", body, **options), genome.map(*MATES, **options)) > 500


@pytest.mark.parametrize("options", [{"max_edits": 4, "max_bulges": 2, "pam": "NGG"}, {"max_edits": 3, "metric": "hamming"},
                                     {"max_edits": 2, "strand": "-"}, {"max_edits": 3, "report": "ends"}])
def test_patterns(ask, genome, options):
    assert same(ask("scan", GUIDES.read_bytes(), **options), trawl.scan(genome, GUIDES, **options)) > 0


def test_no_row(ask, genome):
    assert same(ask("scan", b'["ACGTTGCATTACGGT"]', max_edits=0),
                trawl.scan(genome, "ACGTTGCATTACGGT", edits=0)) == 0
    assert same(ask("map", f">x\n{NOWHERE}\n".encode(), unmapped="drop"),
                genome.map([NOWHERE], names=["x"], unmapped="drop")) == 0


def test_polars(ask):
    polars = pytest.importorskip("polars")
    table = polars.read_ipc_stream(ask("scan", GUIDES.read_bytes(), accept="*/*", format="arrow", max_edits=4, pam="NGG"))
    assert table["start"].to_list() == pa.table(trawl.scan(GENOME, GUIDES, edits=4, pam="NGG"))["start"].to_pylist()
    assert set(table["strand"].cast(polars.String)) == {"+", "-"}


def test_json(ask, genome):
    """A body of JSON has the same rows."""
    guides = [line.split("\t") for line in GUIDES.read_text().splitlines()]
    body = json.dumps({"patterns": [{"name": name, "sequence": letters} for name, letters in guides]}).encode()
    same(ask("scan", body, max_edits=4, pam="NGG"), trawl.scan(genome, GUIDES, edits=4, pam="NGG"))
