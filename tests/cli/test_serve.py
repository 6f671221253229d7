"""trawl serve: the same answers as the command line, limits and errors."""

import concurrent.futures
import contextlib
import gzip
import http.client
import json
import os
import random
import re
import signal
import socket
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest

from serving import GUIDES, PAIRS, READS, REF, TIMEOUT, Server, UnixConnection, connect, server, wait_until_answers
from tools import (IS_SANITIZED, assert_same, fastq, files_in, info, make_input, random_bases, read_fasta, read_fastq,
                   records, reverse_complement, rows, run, start, table, write_fasta, write_fastq, write_lines)

if "for trawl serve" not in info():
    pytest.skip("this build has no trawl serve", allow_module_level=True)


@pytest.fixture(scope="module")
def shared():
    with server("-t", 2) as one:
        yield one


def both_ways(server, *arguments, output):
    """The command with --server writes the same file, and says the same, but for times."""
    expected = run(*arguments, "-o", f"out/plain.{output}").ok()
    found = run(*arguments, "--server", server.path, "-o", f"out/server.{output}").ok()
    assert_same(f"out/plain.{output}", f"out/server.{output}")

    def last(result):
        return re.sub(r"\d+\.\d s", "T s", result.stderr.splitlines()[-1])

    assert last(expected) == last(found)
    return found


# --- the same bytes ---


BED, TSV, SAM = ["bed", "bed.gz"], ["tsv"], ["sam"]
GUIDE_FORMATS = ["bed", "tsv", "csv", "sam", "tsv.gz"]
COMMANDS = [
    *(("map", options, [READS], SAM) for options in (
        [], ["--report", "all", "-e", 5], ["--report", "strata", "--strata", 1, "-k", 2],
        ["--end-to-end", "--eqx", "--unmapped", "drop"], ["-R", "@RG\\tID:x\\tSM:a b"], ["--report", "all", "--xa", "5"],
        ["--report", "all", "--max-loci", "1,one"],
        ["--clip", "30%", "--report", "all", "--hard-clip"], ["--metric", "hamming"])),
    ("map", [], [READS], BED),
    *(("map", options, PAIRS, SAM) for options in (
        [], ["--report", "all", "--discordant", "always"],
        ["--insert", "100-600", "--mate-fields", "primary", "--one-end", "never"])),
    ("scan", ["-e", 4, "--max-bulges", 2, "--pam", "NGG"], [GUIDES], GUIDE_FORMATS),
    ("scan", ["-e", 3, "-p", "GGTAYACTTACCAGC", "-p", "ACGTTGCATT", "--strand", "-"], [GUIDES], GUIDE_FORMATS),
    *(("scan", options, [GUIDES], TSV) for options in (
        ["-e", 2, "--report", "ends"], ["--metric", "hamming", "-e", 5],
        ["--pam", "NGG,NAG", "--max-mismatches", 3, "--tune", "seed-length=5"]))]


@pytest.mark.parametrize("command, options, files, outputs", COMMANDS, ids=range(len(COMMANDS)))
def test_the_same_bytes(shared, command, options, files, outputs):
    for output in outputs:
        both_ways(shared, command, *options, REF, *files, output=output)


def test_collapsed_reads(shared):
    reads = read_fastq_gz(READS)
    write_fasta("collapsed.fa", *((f"seq_{n}_x{n % 5 + 1}", bases[:22]) for n, (_, bases, _) in enumerate(reads)))
    assert f"reads of {len(reads)} sequences" in both_ways(shared, "map", "--for", "smallrna", REF, "collapsed.fa",
                                                           output="sam").stderr


def test_interleaved_pairs(shared):
    one, two = (read_fastq_gz(path) for path in PAIRS)
    write_fastq("mixed.fq", *(mate for pair in zip(one, two) for mate in pair))
    both_ways(shared, "map", "--interleaved", REF, "mixed.fq", output="sam")
    assert_same("out/plain.sam", shared.ask("pairs", Path("mixed.fq").read_bytes(),
                                            headers={"Trawl-Reference": str(REF)}))


def read_fastq_gz(path):
    Path("plain.fq").write_bytes(gzip.decompress(path.read_bytes()))
    return read_fastq("plain.fq")


def test_standard_streams_and_several_files(shared):
    """The first half of the reads comes from stdin or another file; the output goes to stdout."""
    reads = read_fastq_gz(READS)
    write_fastq("a,b.fq", *reads[:500])
    write_fastq("one.fq", *reads[:500])
    write_fastq("two.fq", *reads[500:])
    expected = run("map", REF, READS).ok()
    assert_same(expected, run("map", "--server", shared.path, REF, "one.fq,two.fq").ok())
    stdin = Path("a,b.fq").read_bytes()
    assert_same(run("map", REF, "-", stdin=stdin).ok(), run("map", "--server", shared.path, REF, "-", stdin=stdin).ok())


def test_a_saved_index_and_many_contigs():
    make_input(40000, 300)
    run("index", "ref.fa", "-o", "ref.trawl").ok()
    with server(reference="ref.trawl", path="index.sock") as indexed:
        for reference in "ref.trawl", "ref.fa", os.path.abspath("ref.fa"):
            both_ways(indexed, "map", "-e", 4, "--report", "all", reference, "reads.fq", output="sam")
            both_ways(indexed, "scan", "-e", 2, "-p", "ACGTTGCATTAC", reference, output="sam")
        run("map", "--server", "index.sock", REF, "reads.fq").fails(1, "the server has the reference ref.trawl, not ")


def test_patterns_that_the_seed_index_finds():
    """Few patterns without gaps are not searched by a scan; the records are the same, at the ends of contigs, too."""
    make_input(400000, 1)
    contigs = [text for text in read_fasta("ref.fa").values() if len(text) > 100]
    random.seed(3)
    places = [(random.choice(contigs), random.random()) for _ in range(12)]
    cut = [text[int(at * (len(text) - 24)):][:20].upper() for text, at in places]
    cut += [contigs[0][:20].upper(), contigs[-1][-20:].upper(), "ACACACACACACACACACAC", "ACGTTGCANNTTGCAACGTT"]
    write_lines("patterns.tsv", *(f"p{n}\t{text}" for n, text in enumerate(cut)))
    write_lines("long.tsv", *(f"p{n}\t{text[:40]}" for n, text in enumerate(contigs)))
    # An ambiguous letter is one of the mismatches, in the half of a pattern that has few of them.
    site = contigs[0][500:520].upper()
    near = "".join("N" if n in (3, 17) else "ACGT"["CGTA".index(base)] if n in (12, 15) else base
                   for n, base in enumerate(site))
    with open("ref.fa", "a") as file:
        file.write(f">ambiguous\n{contigs[0][:300]}{near}{contigs[0][300:600]}{'N' * 40}{site[2:]}{contigs[0][600:900]}\n")
    cut.insert(0, site)
    write_lines("patterns.tsv", *(f"p{n}\t{text}" for n, text in enumerate(cut)))
    with server(reference="ref.fa", path="seeds.sock") as one:
        for edits in 0, 2, 3, 4, 5:
            for patterns in "patterns.tsv", "long.tsv":
                for options in (["--metric", "hamming"], ["--max-bulges", 0, "--pam", "NGG"],
                                ["--max-bulges", 0, "--pam", "TTTV:5'", "--pam-mismatches", 1]):
                    both_ways(one, "scan", *options, "-e", edits, "ref.fa", patterns, output="tsv")
        for pattern in cut[0], cut[-4], cut[-3], cut[-2]:  # one alone, whose words have more neighbours
            both_ways(one, "scan", "--metric", "hamming", "-e", 5, "ref.fa", "-p", pattern, output="tsv")
        both_ways(one, "scan", "ref.fa", "patterns.tsv", output="bed")
        both_ways(one, "scan", "--pam", "NRG", "--max-mismatches", 3, "--strand", "-", "ref.fa", "patterns.tsv",
                  output="sam")


def test_small_files_of_many_clients(shared):
    """Each file is mapped as if it were alone, however many arrive together."""
    reads = read_fastq_gz(READS)
    files = [reads[n:n + 1 + n % 7] for n in range(120)]
    options = [{"report": "all", "max-edits": 4}, {}, {"report": "all", "max-edits": 4, "format": "bed"}]

    def ask(n):
        return shared.ask("map", "".join(fastq(*read) for read in files[n]).encode(), **options[n % 3])

    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(ask, range(len(files))))
    for kind, given in enumerate(options):
        words = [word for name, value in given.items() if name != "format" for word in (f"--{name}", value)]
        words += ["--output-format", given.get("format", "sam")]
        numbers = range(kind, len(files), 3)
        write_fastq("some.fq", *(read for n in numbers for read in files[n]))
        expected = [line for line in run("map", *words, REF, "some.fq").ok().stdout.splitlines() if line[0] != "@"]
        found = [line for n in numbers for line in answers[n].decode().splitlines() if line[0] != "@"]
        assert found == expected


def test_guides_of_many_clients(shared):
    guides = rows(GUIDES)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: shared.ask("scan", "\t".join(guides[n % len(guides)]).encode(), pam="NGG",
                                                     max_edits=4, format="tsv"), range(48)))
    for n, guide in enumerate(guides):
        write_lines("guide.tsv", "\t".join(guide))
        run("scan", "--pam", "NGG", "-e", 4, REF, "guide.tsv", "-o", "out/one.tsv").ok()
        assert all(answer == Path("out/one.tsv").read_bytes() for answer in answers[n::len(guides)])


# --- over HTTP ---


def test_json_of_reads(shared):
    answer = json.loads(shared.ask("map", READS.read_bytes(), report="all", max_edits=5, format="json"))
    expected = records(run("map", "--report", "all", "-e", 5, REF, READS).ok())
    assert [(one["read"], one["flag"], one["contig"], one["start"], one["cigar"], one["mapq"], one["tags"])
            for one in answer] == [(r.name, r.flag, r.contig, r.position - 1, r.cigar, r.mapq, r.tags)
                                   for r in expected]
    assert all(one["distance"] == one["tags"]["NM"] and one["strand"] == "+-"[one["flag"] >> 4 & 1] for one in answer)
    one = answer[0]
    assert one["end"] - one["start"] == 100 and one["mate_contig"] is None
    unmapped = json.loads(shared.ask("map", b">x\n" + b"ACGT" * 20, format="json"))
    assert [unmapped[0][key] for key in ("read", "flag", "contig", "start", "end", "strand", "cigar", "distance")] == [
        "x", 4, None, None, None, None, None, None]


def test_json_of_pairs(shared):
    one, two = (read_fastq_gz(path) for path in PAIRS)
    body = {"reads": [{"name": name, "sequence": bases, "qualities": qualities} for name, bases, qualities in one],
            "mates": [{"name": name, "sequence": bases, "qualities": qualities} for name, bases, qualities in two]}
    headers = {"Trawl-Reference": str(REF)}
    expected = run("map", REF, *PAIRS).ok()
    assert_same(expected, shared.ask("pairs", json.dumps(body).encode(), headers))
    answer = json.loads(shared.ask("pairs", json.dumps(body).encode(), format="json"))
    assert [(r["mate_start"], r["insert"]) for r in answer] == [(r.mate_position - 1, r.insert)
                                                                for r in records(expected)]


def test_json_of_guides(shared):
    names = [name for name, _ in rows(GUIDES)]
    body = json.dumps({"patterns": [{"name": name, "sequence": guide} for name, guide in rows(GUIDES)]}).encode()
    answer = json.loads(shared.ask("scan", body, {"Accept": "application/json"}, pam="NGG", max_edits=4,
                                   max_bulges=1))
    run("scan", "--pam", "NGG", "-e", 4, "--max-bulges", 1, REF, GUIDES, "-o", "out/a.tsv").ok()
    expected = table("out/a.tsv")
    assert len(answer) == len(expected) > 10 and {one["pattern"] for one in answer} <= set(names)
    for found, row in zip(answer, expected):
        assert list(found) == list(row)
        assert {key: "" if value is None else str(value) for key, value in found.items()
                if key not in ("cfd", "mit")} == {key: "" if value == "." else value for key, value in row.items()
                                                  if key not in ("cfd", "mit")}
        assert found["cfd"] is None or abs(found["cfd"] - float(row["cfd"])) < 1e-9
    assert json.loads(shared.ask("scan", b'["ACGTTGCATTACGGT"]', format="json", max_edits=0)) == []


def test_accept_header_and_port(shared):
    connection = http.client.HTTPConnection("127.0.0.1", shared.port, timeout=TIMEOUT)
    for accept, begin in (("application/json", b"["), ("*/*", b"synth1\t"), ("text/tab-separated-values", b"contig\t"),
                          ("application/vnd.apache.arrow.stream", b"\xff\xff\xff\xff")):
        connection.request("POST", "/scan?e=4&pam=NGG", GUIDES.read_bytes(), {"Accept": accept})
        response = connection.getresponse()
        assert response.status == 200 and response.read().startswith(begin)
    connection.request("GET", "/info")
    told = json.loads(connection.getresponse().read())
    assert told["bases"] == 200000 and told["contigs"] == {"synth1": 200000} and told["limits"]["max_reads"] == 100000
    for header, value in ("Host", "trawl.example.org"), ("Origin", "https://trawl.example.org"), ("Origin", "null"):
        connection.request("GET", "/info", headers={header: value})
        response = connection.getresponse()
        assert response.status == 403 and header in json.loads(response.read())["error"]
    connection.request("GET", "/health", headers={"Origin": f"http://localhost:{shared.port}"})
    assert connection.getresponse().status == 200


def test_messages(shared):
    _, _, response = shared.request("POST", "/map", b">x\nACGTACGTACGTGGTACCAGTACGTACGAGATTTAC\n")
    assert response.getheader("Trawl-Message").startswith("1 read, 0 mapped (0.00%)")
    assert run("map", "--quiet", "--server", shared.path, REF, READS).ok().stderr == ""


# --- errors and limits ---


def test_a_value_with_the_next_parameter_in_it(shared):
    """Queries are known again by their parameters: one with a line end in a value is another one."""
    reads = fastq("r", "ACGTACGTACGTACGTACGTACGT").encode()
    shared.ask("map", reads, max_edits=2, report="all")
    for value in "2\nreport=all", "2 --report all", "2\0", "-2", "2e1", "0x2", "2,3", "99999999999999999999":
        shared.refuses(400, "", "POST", "/map?" + urlencode({"max-edits": value}), reads)
    shared.is_well()


def test_wrong_requests(shared):
    post = ("POST", "/map")
    shared.refuses(404, "there is no /nothing", "GET", "/nothing")
    shared.refuses(405, "with POST", "GET", "/map")
    shared.refuses(405, "with GET", "POST", "/info", b"x")
    shared.refuses(405, "DELETE", "DELETE", "/map")
    shared.refuses(422, "the body", *post, b"what is this?")
    shared.refuses(422, "the body:2", *post, b"@r\nAC!T\n+\nIIII\n")
    shared.refuses(422, "it is not JSON", *post, b"{'reads': 1}")
    shared.refuses(422, "nested", *post, b"[" * 100000)
    shared.refuses(422, 'give {"reads"', *post, b"{}")
    shared.refuses(422, "reads[1]", *post, b'["ACGT", "AC\\nGT"]')
    shared.refuses(422, "reads[0]", *post, b'[{"name": "x\\n>y", "sequence": "ACGT"}]')
    shared.refuses(400, "mates are for POST /pairs", *post, b'{"reads": ["ACGT"], "mates": ["ACGT"]}')
    shared.refuses(400, "nothing to search", "POST", "/scan")
    shared.refuses(400, "-e x: give a number", "POST", "/map?e=x", b">r\nACGT\n")
    shared.refuses(400, "there is no parameter edits", "POST", "/map?edits=2", b">r\nACGT\n")
    shared.refuses(400, "--strata needs --report strata", "POST", "/map?strata=2", b">r\nACGT\n")
    shared.refuses(400, "sam, bed, json or arrow", "POST", "/map?format=bam", b">r\nACGT\n")
    shared.refuses(400, "is for pairs", "POST", "/map?insert=1-5", b">r\nACGT\n")
    shared.refuses(400, "Trawl-Files", *post, b"@r\nACGT\n+\nIIII\n", {"Trawl-Files": "reads:7:x"})
    shared.is_well()


def test_long_addresses(shared):
    """Refused at once: the library would never answer."""
    many, more = ("&".join("e=2" for _ in range(count)) for count in (4096, 4097))
    shared.refuses(400, "given more than once", "POST", f"/scan?{many}", b"ACGT")
    assert shared.ask("scan", pattern=4000 * "ACGT") == b""
    for address in f"/scan?{more}", f"/scan?pattern={66000 * 'A'}", f"/{66000 * 'a'}", 20000 * "&":
        with at_most(2):
            shared.refuses(414, "more than 65536 characters or 4096 parameters; send reads and patterns in the body",
                           "POST", address, b"ACGT")
    shared.is_well()


@pytest.mark.parametrize("host", ["localhost:x.evil.com", "127.0.0.1:8080@evil.com", "localhost.evil.com", "evil.com", "",
                                  "localhost:80:80"])
def test_hosts_of_other_sites(shared, host):
    for headers in {"Host": host}, {"Host": "localhost", "Origin": f"http://{host}"}:
        connection = http.client.HTTPConnection("127.0.0.1", shared.port, timeout=TIMEOUT)
        connection.request("GET", "/health", headers=headers)
        response = connection.getresponse()
        answer = response.read().decode()
        assert response.status == 403 and ("another site" if "Origin" in headers else "must be 127.0.0.1") in answer


def test_a_reference_that_has_changed():
    make_input(40000, 300)
    with server(reference="ref.fa", path="changed.sock") as one:
        command = ["map", "--server", "changed.sock", "ref.fa", "reads.fq"]
        run(*command).ok()
        with open("ref.fa", "a") as file:
            file.write(">new\nACGTTGCATTACCAGATTAC\n")
        run(*command, "-o", "out/x.sam").fails(
            1, f"ref.fa has another size or time than when the server read it; to read it again: kill -HUP {one.job.pid}",
            "out/x.sam")
        one.ask("map", b">r\nACGT\n")  # names no file
        one.job.send_signal(signal.SIGHUP)
        end = time.monotonic() + 60
        while run(*command).status != 0 and time.monotonic() < end:
            time.sleep(0.05)
        both_ways(one, "map", "ref.fa", "reads.fq", output="sam")
        os.rename("ref.fa", "away.fa")
        one.job.send_signal(signal.SIGHUP)
        while b"the reference stays as it was" not in one.job.messages() and time.monotonic() < end:
            time.sleep(0.05)
        one.ask("map", b">r\nACGT\n")


@pytest.mark.parametrize("name", ["output", "o", "threads", "t", "engine", "devices", "stats", "report-html", "annotate",
                                  "vcf", "summary", "server", "sort", "progress", "help"])
def test_options_that_a_query_cannot_have(shared, name):
    for end_point in "map", "scan":
        status, answer, _ = shared.request("POST", f"/{end_point}?{name}=out/file", b">r\nACGT\n")
        assert status == 400 and name in json.loads(answer)["error"]
    assert files_in("out") == []


def test_errors_of_the_client(shared):
    """As without --server: the message, the exit status, and no output."""
    write_lines("bad.fq", "@r", "AC!T", "+", "IIII")
    for arguments in (["map", REF, "bad.fq"], ["map", REF, "missing.fq"], ["map", "-e", "x", REF, READS],
                      ["scan", REF, "bad.fq"], ["map", REF, PAIRS[0], "bad.fq"]):
        plain = run(*arguments, "-o", "out/x.sam")
        found = run(*arguments, "--server", shared.path, "-o", "out/x.sam")
        assert (plain.status, plain.stderr.splitlines()[-1]) == (found.status, found.stderr.splitlines()[-1])
        assert files_in("out") == []
    run("map", "--server", shared.path, REF, READS, "-o", "out/x.bam").fails(2, "samtools view -b", "out/x.bam")
    run("map", "--server", shared.path, "-t", 4, REF, READS).fails(2, "--threads cannot be used with --server")
    run("map", "--server", shared.path, "--unmapped", "out/x.fq", REF, READS).fails(2, "--unmapped FILE and --mapped FILE")
    run("map", "--server", shared.path, "--mapped", "out/x.fq", REF, READS).fails(2, "--mapped cannot be used with")
    Path("out/lines.txt").write_text("@CO\tx\n@RG\tID:a\n")
    run("map", "--server", shared.path, "-R", "out/lines.txt", "-R", "@CO\ty", REF, READS, "-o", "out/z.sam").ok()
    run("map", "-R", "out/lines.txt", "-R", "@CO\ty", REF, READS, "-o", "out/y.sam").ok()
    assert_same("out/z.sam", "out/y.sam")
    shared.refuses(400, "a query names no files", "POST", "/map?read-group=/etc/passwd", b">x\nACGT\n")
    run("map", "--server", "none.sock", REF, READS, "-o", "out/x.sam").fails(1, "no server answers", "out/x.sam")
    write_lines("good.sam", "@r", "ACGT", "+", "IIII")
    run("map", "--server", shared.path, REF, "good.sam", "-o", "good.sam").fails(2, "is the input")


def test_limits():
    with server("--max-body", "100K", "--max-reads", 50, "--max-patterns", 3, "--max-records", 20, path="l.sock") as one:
        read = READS.read_bytes()
        one.refuses(413, "more than 50 reads", "POST", "/map", read)
        one.refuses(413, "more than 3 patterns", "POST", "/scan", GUIDES.read_bytes() + b"x\tACGTAACCTTGACTC\n")
        one.refuses(413, "more than 20 records", "POST", "/scan?e=3", b"ACGTACGT")
        one.refuses(413, "larger than", "POST", "/map", b"A" * 200000)
        one.refuses(413, "too many values", "POST", "/map", b"[1" + b",1" * 1000 + b"]")
        one.refuses(413, "too many values", "POST", "/scan", b"[1" + b",1" * 1000 + b"]")
        many = "".join(fastq(*read) for read in read_fastq_gz(READS)[:40]).encode()
        one.refuses(413, "more than 20 records", "POST", "/map", many)
        mates = zip(*(read_fastq_gz(path)[:30] for path in PAIRS))
        pairs = "".join(fastq(*mate) for pair in mates for mate in pair)
        one.refuses(413, "more than 50 reads", "POST", "/pairs", pairs.encode())
        # A body without its length.
        connection = UnixConnection("l.sock")
        connection.request("POST", "/map", iter([b"A" * 60000] * 3), encode_chunked=True)
        assert connection.getresponse().status == 413
        one.is_well()


@pytest.fixture
def tandem():
    """tandem.fa: a unit 4,000 times, and other bases; reads of both in reads_1.fq and reads_2.fq, as pairs."""
    random.seed(5)
    unit, other = random_bases(50), random_bases(20000)
    text = other + 4000 * unit
    write_lines("tandem.fa", ">a", text)
    reads = []
    for n in range(300):
        at = 20000 + random.randrange(3000) if n % 50 == 7 else random.randrange(19000)
        reads.append((f"r{n}", text[at:at + 100], text[at + 200:at + 300]))
    write_fastq("reads_1.fq", *((name, read, "I" * 100) for name, read, _ in reads))
    write_fastq("reads_2.fq", *((name, reverse_complement(mate), "I" * 100) for name, _, mate in reads))
    return text[20000:20100]


@pytest.mark.parametrize("options", [[], ["-k", 3000], ["-k", 7], ["--max-loci", 7], ["--clip", "20%"]])
@pytest.mark.parametrize("files", [["reads_1.fq"], ["reads_1.fq", "reads_2.fq"]])
def test_reads_with_many_records(tandem, options, files):
    """Those are mapped apart from the others; the records are the same."""
    if len(files) == 2 and not options:
        options = ["--insert", "280-320"]
    with server("--max-records", 100000, "-t", 2, reference="tandem.fa", path="many.sock") as one:
        both_ways(one, "map", "--report", "all", "-e", 2, *options, "tandem.fa", *files, output="sam")


def peak_memory(job):
    status = Path(f"/proc/{job.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


@pytest.mark.skipif(IS_SANITIZED, reason="a program with sanitizers needs more memory and time")
def test_memory_of_too_many_records(tandem):
    """10 million records, of which 20,000 are allowed."""
    reads = "".join(f">r{n}\n{tandem}\n" for n in range(2500)).encode()
    pairs = "".join(f">r{n}\n{tandem}\n" for n in range(2500) for _ in range(2)).encode()
    with server("--max-records", 20000, "-t", 2, reference="tandem.fa", path="many.sock") as one:
        before = peak_memory(one.job)
        for path, body in ("/map", reads), ("/map", reads + bytes(300000).replace(b"\0", b"\n")), ("/pairs", pairs):
            for options in "report=all&max-edits=2", "report=all&max-edits=2&max-hits=2000&format=json", "report=all&max-edits=2&format=arrow":
                one.refuses(413, "more than 20000 records", "POST", f"{path}?{options}", body)
        assert peak_memory(one.job) - before < 300
        one.is_well()


@pytest.mark.parametrize("text", [b">r\n" + b"A" * 40_000_000, b">" + b"r" * 40_000_000, b"\n" * 40_000_000,
                                  b"@r\nACGT\n+" + b"r" * 40_000_000, b">r\n" + b"A\n" * 20_000_000],
                         ids=["bases", "name", "lines", "plus", "wrapped"])
def test_gzip_that_becomes_large(text):
    body = gzip.compress(text, 1)
    with server("--max-body", "1M", "-t", 2, path="bomb.sock") as one:
        before = peak_memory(one.job)
        for path in "/map", "/pairs", "/scan?e=1":
            status, answer, _ = one.request("POST", path, body)
            assert (status == 413 and b"more than 4194304 bytes when they are decompressed" in answer or
                    status == 422 and path.startswith("/scan")), answer  # a pattern ends it earlier
        files = f"reads:{len(body)}:a,mates:{len(body)}:b"
        one.refuses(413, "decompressed", "POST", "/pairs", 2 * body, {"Trawl-Files": files})
        assert peak_memory(one.job) - before < 100
        one.is_well()


def test_a_long_read(shared):
    shared.refuses(413, "the read 'long' has 1000001 bases", "POST", "/map", b">long\n" + b"A" * 1000001)
    shared.is_well()


@pytest.mark.skipif(IS_SANITIZED, reason="a program with sanitizers needs more memory and time")
def test_memory_of_long_reads():
    random.seed(4)
    text = random_bases(1_000_000)
    write_lines("ref.fa", ">a", text)
    reads = "".join(f">r{n}\n{text[n * 50000:n * 50000 + 250000]}\n" for n in range(15)).encode()
    with server("-t", 2, reference="ref.fa", path="long.sock") as one:
        before = peak_memory(one.job)
        assert one.ask("map", reads).count(b"\t250000M\t") == 15
        assert peak_memory(one.job) - before < 2 * 1.5 * 250  # MB: 1 KB a base, in each thread


def test_many_files(shared):
    def ask(count):
        return ("POST", "/map", b">r\nACGT\n" * count, {"Trawl-Files": ",".join(["reads:8:x"] * count)})

    assert shared.request(*ask(64))[0] == 200
    shared.refuses(413, "more than 64 files", *ask(65))


@pytest.mark.parametrize("name", ['a"b.fq', "a\\b.fq", "a\nb.fq", "\x01.fq", "é.fq", '", "x": "'])
def test_names_in_errors(shared, name):
    encoded = "".join(f"%{byte:02X}" for byte in name.encode())
    for path, kind in ("/map", "reads"), ("/scan", "patterns"):
        shared.refuses(422, f"{name}:", "POST", path, b">r\nAC!T\n", {"Trawl-Files": f"{kind}:8:{encoded}"})


@contextlib.contextmanager
def fake_server(*answers):
    """Gives each of the answers to one request; yields the list of the times when they came."""
    times = []
    with socket.socket(socket.AF_UNIX) as listener, concurrent.futures.ThreadPoolExecutor(1) as pool:
        listener.bind("fake.sock")
        listener.listen()

        def serve():
            for answer in answers:
                with listener.accept()[0] as client:
                    times.append(time.monotonic())
                    while client.recv(1 << 16).find(b"ACGT") < 0:
                        pass
                    client.sendall(answer)

        served = pool.submit(serve)
        yield times
        served.result(TIMEOUT)
    os.remove("fake.sock")


BUSY = b'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 17\r\n\r\n{"error": "busy"}'


def test_the_client_asks_a_busy_server_again():
    write_lines("guide", "ACGT")
    with fake_server(BUSY, BUSY, BUSY, b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ndone\n") as times:
        assert run("scan", "--server", "fake.sock", REF, "guide").ok().stdout == "done\n"
    pauses = [after - before for before, after in zip(times, times[1:])]
    assert pauses[0] > 0.1 and pauses[1] > 0.2 and pauses[2] > 0.4


def test_the_client_gives_up(monkeypatch):
    """After TRAWL_SERVER_PATIENCE seconds: requests at 0, 0.1, 0.3 and 0.7 s, fewer on a slow machine."""
    write_lines("guide", "ACGT")
    monkeypatch.setenv("TRAWL_SERVER_PATIENCE", "1")
    begin = time.monotonic()
    with fake_server(*[BUSY] * 4) as times:
        run("scan", "--server", "fake.sock", REF, "guide", "-o", "out/x.bed").fails(
            1, "fake.sock: the server is busy: for 1 seconds it has not taken the request", "out/x.bed")
        assert 2 <= len(times) and time.monotonic() - begin < 10
        while len(times) < 4:  # what the client has not asked
            with connect("fake.sock") as one:
                one.sendall(b"ACGT")
                assert one.recv(1 << 16) == BUSY
    monkeypatch.setenv("TRAWL_SERVER_PATIENCE", "soon")
    run("scan", "--server", "fake.sock", REF, "guide", "-o", "out/x.bed").fails(
        2, "TRAWL_SERVER_PATIENCE in the environment: 'soon' is not a whole number from 1 to 86400", "out/x.bed")


@contextlib.contextmanager
def at_most(seconds):
    """A machine with sanitizers may take ten times as long."""
    begin = time.monotonic()
    yield
    took = time.monotonic() - begin
    assert took < seconds * (10 if IS_SANITIZED else 1), f"took {took:.2f} s"


def test_longest_time():
    make_input(400000, 1)
    reads = "".join(f">r{n}\n{random_bases(100)}\n" for n in range(2000)).encode()
    with server("--max-seconds", 1, "-t", 2, reference="ref.fa", path="time.sock") as one:
        for body in reads, b"\n" * 300000 + reads:  # with others, and alone
            with at_most(3):
                one.refuses(422, "more than 1 seconds", "POST", "/map?tune=search%3Dscan&max-edits=20&report=all", body)
        one.is_well()


def satellite(bases):
    """Copies of a unit of 171 bases that differ in one base of a hundred."""
    unit = random_bases(171)
    return "".join(base if random.random() > 0.01 else random.choice("ACGT") for base in unit * (bases // 171))


def test_longest_time_of_a_read():
    random.seed(3)
    text = satellite(8_000_000)
    write_lines("sat.fa", ">a", text)
    with server("--max-seconds", 1, "-t", 1, reference="sat.fa", path="time.sock") as one:
        for report in "best", "all":
            with at_most(3):
                one.refuses(422, "more than 1 seconds", "POST", f"/map?report={report}&max-edits=255", f">r\n{text[90000:110000]}\n".encode())
        one.is_well()


def test_longest_time_of_scans():
    """Patterns that need far more than a second; alone, then several queries that are one search."""
    make_input(2000000, 1)
    random.seed(13)
    body = "\n".join(random_bases(60) for _ in range(100 if IS_SANITIZED else 1000)).encode()
    with server("--max-seconds", 1, "-t", 1, reference="ref.fa", path="time.sock") as one:
        for path in "/scan?e=22", "/scan?e=22&format=json", "/scan?e=30&metric=hamming":
            with at_most(3):
                one.refuses(422, "more than 1 seconds, which --max-seconds of trawl serve allows; ask for fewer reads, edits "
                            "or patterns", "POST", path, body)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            assert set(pool.map(lambda n: one.request("POST", "/scan?e=22", body)[0], range(4))) == {422}
        guide = rows(GUIDES)[0][1].encode()
        one.ask("scan", guide, pam="NGG", max_edits=1)  # the next one has its own second
        one.is_well()


def seconds_of_work(job):
    return sum(map(int, Path(f"/proc/{job.pid}/stat").read_text().rsplit(")")[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def long_queries(one, path):
    """Queries that take minutes are under way, of reads and of patterns. Yields their connections."""
    random.seed(13)
    bodies = {"/scan?e=22": "\n".join(random_bases(60) for _ in range(900)),
              "/map?tune=search%3Dscan&max-edits=20&report=all": "".join(f">r{n}\n{random_bases(100)}\n" for n in range(20000))}
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(contextlib.closing(UnixConnection(path))) for _ in bodies]
        before = seconds_of_work(one.job)
        for connection, (query, body) in zip(connections, bodies.items()):
            connection.request("POST", query, body.encode())
        while seconds_of_work(one.job) < before + 0.5:
            time.sleep(0.02)
        yield connections


def test_clients_that_are_gone_cost_no_work():
    make_input(2000000, 1)
    with server("-t", 2, reference="ref.fa", path="gone.sock") as one:
        with long_queries(one, "gone.sock"):
            pass
        time.sleep(20 if IS_SANITIZED else 2)
        before = seconds_of_work(one.job)
        time.sleep(1)
        assert seconds_of_work(one.job) - before < 0.6  # 2 s if both still worked
        one.is_well()


def test_a_client_that_closes_its_sending_side():
    make_input(2000000, 1)
    with server("-t", 2, reference="ref.fa", path="half.sock") as one, long_queries(one, "half.sock") as connections:
        for connection in connections:
            connection.sock.shutdown(socket.SHUT_WR)
            response = connection.getresponse()
            assert response.status == 503 and b"the client closed its sending side" in response.read()


def wait_for_message(job, text, count=1):
    end = time.monotonic() + 60
    while job.messages().count(text) < count and time.monotonic() < end:
        time.sleep(0.01)
    assert job.messages().count(text) == count


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("twice, reloads", [(False, False), (True, False), (False, True)])
def test_a_signal_ends_long_queries(number, twice, reloads):
    """Also those that still wait for an answer from the reference before SIGHUP."""
    make_input(2000000, 1)
    with start("serve", "ref.fa", "--socket", "end.sock", "-t", 2) as job:
        wait_until_answers("end.sock")
        one = Server(job, "end.sock", None)
        kept = UnixConnection("end.sock")
        kept.request("GET", "/health")
        assert kept.getresponse().read()
        with long_queries(one, "end.sock") as connections:
            if reloads:
                job.send_signal(signal.SIGHUP)
                wait_for_message(job, b"contig", 2)
            with at_most(2 if twice else 4):
                job.send_signal(number)
                wait_for_message(job, b"ends; its queries")
                if twice:
                    job.send_signal(number)
                elif not reloads:  # all threads are busy with the queries before it
                    kept.request("POST", "/map", b">r\nACGT\n")
                    assert kept.getresponse().status == 503
                result = job.wait(60)
            assert result.status == (128 + number if twice else 0), result
            for connection in connections:
                if not twice:
                    response = connection.getresponse()
                    assert response.status == 503 and b"the server ends" in response.read()
    assert not os.path.exists("end.sock")


def test_a_full_queue():
    make_input(300000, 1)
    with server("--queue", 1, "-t", 1, reference="ref.fa", path="q.sock") as one:
        body = "\n".join(random.choices(["ACGTTGCATTACGGTACC", "TTGACCAGATTACAGGAC", "CCAGGTTAACCGGATATC"], k=60)).encode()

        def ask(n):
            return one.request("POST", f"/scan?e=5&ambiguous=match:{n}", body)[0]

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            statuses = set(pool.map(ask, range(12)))
        assert 503 in statuses and statuses <= {200, 413, 422, 503}
        one.is_well()
