"""trawl scan in reads: FASTQ is searched like a FASTA of the same sequences."""

import gzip
import os
import random
import resource
from pathlib import Path

import pytest

from tools import (assert_same, bgzip, feeding, files_in, header, mutated, random_bases, read_json, records,
                   reverse_complement, rows, run, sam_lines, samtools, sorted_tags, write_lines)

def random_read(patterns):
    """Of 0 to 300 letters, with and without a pattern; some are shorter than one, or have other letters."""
    if random.random() < 0.05:
        return random_bases(random.randrange(12))
    pattern = mutated(random.choice(patterns), random.randrange(4))
    if random.random() < 0.5:
        pattern = reverse_complement(pattern)
    read = random_bases(random.randrange(120)) + (pattern if random.random() < 0.8 else "") + random_bases(random.randrange(150))
    if random.random() < 0.1:
        read = "".join(random.choice("NRYK") if random.random() < 0.03 else letter for letter in read)
    return read.lower() if random.random() < 0.1 else read


def fastq(reads, end="\n"):
    """Every other name has a comment."""
    return "".join(f"@{name}{' some 1:N:0:ACGT' if n % 2 else ''}{end}{read}{end}+{end}{'I' * len(read)}{end}"
                   for n, (name, read) in enumerate(reads))


def fasta(reads):
    return "".join(f">{name}\n{read}\n" for name, read in reads if read)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    random.seed(21)
    patterns = [random_bases(random.choice([8, 16, 24, 40])) for _ in range(12)]
    Path("patterns.fa").write_text("".join(f">p{n}\n{pattern}\n" for n, pattern in enumerate(patterns)))
    reads = [(f"read{n}/{n % 3}", random_read(patterns)) for n in range(10_000)]
    assert {"", "A"} & {read for _, read in reads}
    Path("reads.fa").write_text(fasta(reads))
    text = fastq(reads).encode()
    Path("reads.fq").write_bytes(text)
    Path("crlf.fq").write_bytes(fastq(reads, "\r\n").encode())
    Path("reads.fq.gz").write_bytes(gzip.compress(text, 1))
    Path("members.fq.gz").write_bytes(b"".join(gzip.compress(part) for part in (b"", text[:99], text[99:])))
    Path("reads.fq.bgz").write_bytes(bgzip("-c", "reads.fq"))
    Path("mark.fq").write_bytes(b"\xef\xbb\xbf\r\n\n" + text)


FILES = ["reads.fq", "crlf.fq", "reads.fq.gz", "members.fq.gz", "reads.fq.bgz", "mark.fq"]


def scan(reads, output, *options, **how):
    run("scan", *options, reads, "patterns.fa", "-o", output, **how).ok()
    return output


# --- the same bytes as a FASTA ---


@pytest.mark.parametrize("options", ["-e 3", "-e 2 --report ends --strand +", "-e 3 --ambiguous match",
                                     "-e 2 --metric hamming", "-e 1 --tune search=pieces", "-e 3 --tune search=rows",
                                     "-e 2 --pam NGG --max-bulges 1", "-e 2 --pam TTN:5'"])
def test_the_records_of_fasta(options):
    options = options.split()
    for format in "bed", "tsv", "csv.gz":
        expected = scan("reads.fa", f"out/fa.{format}", *options)
        assert_same(expected, scan("reads.fq", f"out/fq.{format}", *options))
    assert len(rows("out/fq.bed")) > 1000


@pytest.mark.parametrize("file", FILES)
def test_kinds_of_files(file):
    expected = scan("reads.fa", "out/fa.bed", "-e", 2)
    assert_same(expected, scan(file, "out/file.bed", "-e", 2, "-t", 2))
    assert_same(expected, scan("-", "out/pipe.bed", "-e", 2, stdin=Path(file).read_bytes()))


def test_a_fifo():
    expected = scan("reads.fa", "out/fa.bed", "-e", 2)
    os.mkfifo("fifo")
    with feeding("fifo", Path("reads.fq.gz").read_bytes()):
        assert_same(expected, scan("fifo", "out/fifo.bed", "-e", 2))


@pytest.mark.parametrize("how", ["-t 1", "-t 2", "-t 4 --tune chunk-size=1000", "-t 3 --tune chunk-size=1", "-t 2 --tune chunk-size=99"])
def test_the_bytes_do_not_depend_on_threads_and_chunks(how):
    expected = scan("reads.fq", "out/one.tsv", "-e", 3, "-t", 1)
    for file in "reads.fq", "reads.fq.gz":
        assert_same(expected, scan(file, "out/other.tsv", "-e", 3, *how.split()))


def test_wrapped_reads():
    Path("wrapped.fq").write_text("@r1 x\nACGTGATT\nACATT\n+\nIIIIIIII\nIIIII\n@r2\nGATTACA\n+r2\nIIIIIII\n")
    assert rows(run("scan", "-p", "GATTACA", "--strand", "+", "wrapped.fq").ok())[0][:3] == ["r1", "4", "11"]


# --- names ---


def test_names():
    """A name ends at the first blank. Reads may have the same name, and one that no reference may have."""
    Path("names.fq").write_text("".join(f"@{name}\nGATTACA\n+\nIIIIIII\n" for name in ("a b", "a\tc", "a", "x,(y)", "=")))
    found = run("scan", "-p", "GATTACA", "--strand", "+", "names.fq").ok()
    assert [row[0] for row in rows(found)] == ["a", "a", "a", "x,(y)", "="]
    run("scan", "-p", "GATTACA", "--strand", "+", "names.fq", "-o", "out/x.csv").ok()
    assert Path("out/x.csv").read_text().splitlines()[4].startswith('"x,(y)",0,7,')


def test_the_summary_counts_reads():
    assert "1 pattern, 5 reads, 35 bases, 5 loci, " in run("scan", "-p", "GATTACA", "--strand", "+", "names.fq").ok().stderr


def test_stats_have_all_reads():
    scan("reads.fq", "out/x.bed", "--stats", "out/x.json")
    assert read_json("out/x.json")["reference"]["contigs"] == 10_000


# --- errors ---


def reads_fail(content, message, *options):
    path = Path("bad.fq.gz" if content.startswith(b"\x1f\x8b") else "bad.fq")
    path.write_bytes(content)
    run("scan", "-p", "GATTACA", path, "-o", "out/x.bed", *options).fails(1, message, "out/x.bed")


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_error_is_told(threads):
    text = Path("reads.fq").read_bytes().split(b"\n")
    text[4001] = text[8001] = b"AC!T"
    text[4003] = text[8003] = b"IIII"
    reads_fail(b"\n".join(text), "bad.fq:4002: the sequence contains '!', which is not an IUPAC letter", "-t", threads)


def test_a_bam():
    """Its reads with their tags, as samtools fastq gives them; also of an aligned one, whose reads may be turned round."""
    lines = Path("reads.fq").read_text().split("\n")
    some = "".join(f"{lines[n].split()[0].replace('/', '_')}\tRG:Z:a\tXX:i:{n}\n{lines[n + 1]}\n+\n{lines[n + 3]}\n"
                   for n in range(0, 4000, 4) if set(lines[n + 1]) <= set("ACGT") and lines[n + 1])
    Path("out/tags.fq").write_text(some)
    samtools("import", "-T", "*", "-0", "out/tags.fq", "-o", "out/tags.bam")
    command = ["scan", "-e", 2, "--per-read", "best"]
    run(*command, "out/tags.fq", "patterns.fa", "-o", "out/fq.tsv", "--extract", "out/fq").ok()
    run(*command, "out/tags.bam", "patterns.fa", "-o", "out/bam.tsv", "--extract", "out/bam").ok()
    assert_same("out/fq.tsv", "out/bam.tsv")
    for path in Path("out/fq").iterdir():
        assert_same(path, Path("out/bam") / path.name)
    with gzip.open("out/bam/unassigned.fq.gz", "rt") as file:
        assert "RG:Z:a\tXX:i:" in file.readline()
    assert_same(run("scan", "-e", 1, "out/tags.fq", "patterns.fa").ok(), run("scan", "-e", 1, "out/tags.bam", "patterns.fa").ok())
    Path("out/ref.fa").write_text(f">ref\n{''.join(text for text in some.split() if set(text) <= set('ACGT'))[:30000]}\n")
    run("map", "out/ref.fa", "out/tags.fq", "-o", "out/mapped.bam").ok()
    samtools("fastq", "-T", "*", "out/mapped.bam", "-0", "out/mapped.fq")
    assert_same(run(*command, "out/mapped.fq", "patterns.fa").ok(), run(*command, "out/mapped.bam", "patterns.fa").ok())


def test_a_damaged_bam():
    Path("out/x.sam").write_text("@HD\tVN:1.6\n" + "".join(
        f"r{n}\t4\t*\t0\t0\t*\t*\t0\t0\t{random_bases(100)}\t{'I' * 100}\n" for n in range(5000)))
    samtools("view", "-b", "out/x.sam", "-o", "out/x.bam")
    whole = Path("out/x.bam").read_bytes()
    Path("bad.bam").write_bytes(whole[:len(whole) // 2])
    run("scan", "-p", "GATTACA", "bad.bam", "-o", "out/x.bed").fails(
        1, "bad.bam: this BAM is damaged or not complete; check it with samtools quickcheck", "out/x.bed")
    run("scan", "-p", "GATTACA", "-", "-o", "out/x.bed", stdin="bad.bam").fails(
        1, "standard input: this BAM is damaged or not complete", "out/x.bed")


@pytest.mark.parametrize("option, message", [
    (["-o", "out/x.sam"], "SAM is for places in a reference; give -o a file named .tsv, .csv or .bed"),
    (["--report-html", "out/x.html"], "--report-html shows places in a reference, and reads.fq has reads"),
    (["-o", "out/x.bed", "--igv-session", "out/x.xml"], "--igv-session")])
def test_outputs_for_a_reference(option, message):
    run("scan", "-p", "GATTACA", "reads.fq", *option).fails(2, message, option[-1])


# --- --per-read best ---

CALLS = ("@first x\nTTTTGATTACAGGCATTTTT\n+\nIIIIIIIIIIIIIIIIIIII\n"  # p1 without an edit
         "@second\nTTTTTGCCTGTATTCTTTTT\n+\nIIIIIIIIIIIIIIIIIIII\n"  # p1 on the other strand, with one edit
         "@none\nACACACACAC\n+\nIIIIIIIIII\n"
         "@empty\n\n+\n\n"
         "@tie\nCCCCGATTACAGGCTTCCCC\n+\nIIIIIIIIIIIIIIIIIIII\n"  # between p1 and p2
         "@twice\nGATTACAGGCATGATTACAGGCA\n+\nIIIIIIIIIIIIIIIIIIIIIII\n")
CALL_PATTERNS = ">p1\nGATTACAGGCA\n>p2\nGATTACAGGCG\n>far\nCGCGCGCGCGCGCG\n"


def call(*options, output="-", **how):
    Path("calls.fq").write_text(CALLS)
    Path("call.fa").write_text(CALL_PATTERNS)
    return run("scan", "--per-read", "best", *options, "calls.fq", "call.fa", "-o", output, **how).ok()


def by_read(table):
    header, *lines = [line.split("\t") for line in table.splitlines()]
    return {line[0]: dict(zip(header, line)) for line in lines}


def test_a_row_for_each_read():
    result = call("-e", 2)
    assert result.stdout.splitlines() == [
        "read\tcall\tpattern\tdistance\tstrand\tstart\tend\tplaces\tnext_pattern\tnext_distance\tcigar\ttext",
        "first\tassigned\tp1\t0\t+\t4\t15\t1\tp2\t1\t11M\tGATTACAGGCA",
        "second\tassigned\tp1\t1\t-\t4\t15\t1\tp2\t2\t11M\tGAATACAGGCA",
        "none\tunassigned\t.\t.\t.\t.\t.\t0\t.\t.\t.\t.",
        "empty\tunassigned\t.\t.\t.\t.\t.\t0\t.\t.\t.\t.",
        "tie\tambiguous\tp1,p2\t1\t+\t4\t15\t2\t.\t.\t11M\tGATTACAGGCT",
        "twice\tassigned\tp1\t0\t+\t0\t11\t2\tp2\t1\t11M\tGATTACAGGCA"]
    assert "3 patterns, 6 reads, 93 bases, 3 assigned, 1 ambiguous, 2 unassigned, " in result.stderr


def test_margin():
    """p2 is one edit further away: with a margin of 2 nothing is clear, also where p2 is beyond -e."""
    assert {row["call"] for row in by_read(call("-e", 2, "--margin", 2).stdout).values()} == {"ambiguous", "unassigned"}
    rows_ = by_read(call("-e", 0, "--margin", 2).stdout)
    assert (rows_["first"]["call"], rows_["first"]["next_distance"]) == ("ambiguous", "1")
    assert rows_["second"]["call"] == "unassigned"
    assert by_read(call("-e", 0).stdout)["first"]["next_pattern"] == "."


def test_a_margin_that_would_leave_no_reads():
    """With 8 edits a pattern of 8 letters is not searched."""
    write_lines("eight.tsv", "p1\tGATTACAG", "p2\tCCGTTCAA")
    write_lines("eight.fq", "@a", "TTGATTACAGTT", "+", "I" * 12)
    run("scan", "--per-read", "best", "-e", 1, "--margin", 8, "eight.fq", "eight.tsv").fails(
        2, "--margin 8: p1 is so short that with -e 1 no read would get it; give at most --margin 7")
    for margin in 1, 3, 7:
        row = by_read(run("scan", "--per-read", "best", "-e", 1, "--margin", margin, "eight.fq", "eight.tsv").ok().stdout)
        assert row["a"]["call"] in ("assigned", "ambiguous") and row["a"]["distance"] == "0"


def test_tables_of_calls():
    expected = call("-e", 2)
    assert_same(call("-e", 2, output="out/x.tsv") and "out/x.tsv", expected)
    call("-e", 2, output="out/x.tsv.gz")
    assert_same(bgzip("-dc", "out/x.tsv.gz"), expected)
    call("-e", 2, output="out/x.csv")
    assert Path("out/x.csv").read_text().splitlines()[5].startswith('tie,ambiguous,"p1,p2",1,+,')


def test_reads_in_fasta_have_calls():
    """Also reads with one name, and empty ones."""
    Path("calls.fa").write_text(">a\nTTTTGATTACAGGCA\n>a\n\n>b\nTTTTGATT\nACAGGCG\n")
    call()
    found = run("scan", "--per-read", "best", "calls.fa", "call.fa").ok()
    assert [line.split("\t")[:3] for line in found.stdout.splitlines()[1:]] == [
        ["a", "assigned", "p1"], ["a", "unassigned", "."], ["b", "assigned", "p2"]]


def test_no_reads():
    Path("none.fq").write_text("")
    assert len(run("scan", "--per-read", "best", "none.fq", "patterns.fa").ok().stdout.splitlines()) == 1


@pytest.mark.parametrize("how", ["-t 2", "-t 3 --tune chunk-size=1", "-t 4 --tune chunk-size=777", "-t 1 --tune search=rows"])
def test_the_calls_do_not_depend_on_threads_and_chunks(how):
    expected = run("scan", "-e", 3, "-t", 1, "--per-read", "best", "reads.fq", "patterns.fa").ok()
    assert_same(expected, run("scan", "-e", 3, "--per-read", "best", *how.split(), "reads.fq.gz", "patterns.fa").ok())


def test_stats_count_assigned_reads():
    call("-e", 2, "--stats", "out/x.json", output="out/x.tsv")
    stats = read_json("out/x.json")
    assert stats["reads"] == {"assigned": 3, "ambiguous": 1, "unassigned": 2, "several_places": 1}
    assert stats["records"]["by_pattern"][0] == {"name": "p1", "by_distance": [2, 1, 0]}


@pytest.mark.parametrize("options, message", [
    (["-o", "out/x.bed"], "use .tsv, .tsv.gz, .csv or .csv.gz, or - for TSV"),
    (["--pam", "NGG"], "leave out --pam"),
    (["--report", "ends"], "leave out --report ends"), (["-e", 64, "--margin", 2], "--margin 2: patterns are searched"),
    (["--margin", 0], "--margin")])
def test_wrong_usage_of_per_read(options, message):
    run("scan", "--per-read", "best", "reads.fq", "patterns.fa", *options).fails(2, message, "out/x.bed")


def test_an_index_has_no_reads():
    Path("ref.fa").write_text(">chr1\n" + "ACGTTGCA" * 20 + "\n")
    run("index", "ref.fa", "-o", "ref.trawl").ok()
    for options in ["--per-read", "best"], ["--within", "5p:9"]:
        run("scan", *options, "ref.trawl", "patterns.fa").fails(2, "ref.trawl is a saved index")
    run("scan", "--margin", 2, "reads.fq", "patterns.fa").fails(2, "--margin needs --per-read best")


def test_a_server_has_a_reference():
    for options in ["--per-read", "best"], ["--within", "5p:9"], ["--extract", "out/x"]:
        run("scan", "--server", "no", *options, "reads.fq", "patterns.fa").fails(2, "cannot be used with --server", "out/x")


# --- --ties and --partial ---


def called(reads, patterns, *options):
    """[call, pattern, distance, start, end, cigar, text, next_pattern] of each (sequence, qualities)."""
    write_lines("some.fq", *(line for n, (read, q) in enumerate(reads) for line in (f"@r{n}", read, "+", q or "I" * len(read))))
    write_lines("some.fa", *(line for name, bases in patterns.items() for line in (f">{name}", bases)))
    output = run("scan", "--per-read", "best", "--strand", "+", *options, "some.fq", "some.fa").ok().stdout
    return [[row[c] for c in (1, 2, 3, 5, 6, 10, 11, 8)] for row in map(lambda line: line.split("\t"), output.splitlines()[1:])]


def test_the_longest_of_nested_patterns():
    patterns = {"short": "GATTACA", "long": "GATTACAGGC", "same": "CCTTACCTTA"}
    reads = ["TTGATTACAGGCTT", "TTGATTACATTTTT", "GATTACAGGCTTCCTTACCTTA", "GATTACATTGATTACAGGC"]
    found = called([(read, "") for read in reads], patterns, "--ties", "longest")
    assert [row[:2] + row[-1:] for row in found] == [["assigned", "long", "short"], ["assigned", "short", "."],
                                                     ["ambiguous", "short,long,same", "."], ["ambiguous", "short,long", "."]]


@pytest.mark.parametrize("quality, reads_of_b, pattern", [
    ("II", 1, "a,b"), ("I+", 1, "a"), ("5I", 1, "a,b"), ("+I", 1, "b"), ("II", 196, "b"), ("II", 194, "a,b"), ("II", 0, "a")])
def test_the_posterior(quality, reads_of_b, pattern):
    """Of 5 reads with a, and of those with b: 0.975 of the sum decides. So b needs more than 195."""
    a, b = "ACGTACGTAAGG", "ACGTACGTCCGG"
    reads = [(a, "")] * 5 + [(b, "")] * reads_of_b + [("ACGTACGTACGG", "IIIIIIII" + quality + "II")]
    assert called(reads, {"a": a, "b": b}, "-e", 1, "--ties", "posterior")[-1][:2] == [
        "ambiguous" if "," in pattern else "assigned", pattern]


def test_the_posterior_of_gaps():
    """A letter too many has its own quality, a missing one the worse of its neighbours."""
    a, b = "ACGTTGCATCAG", "ACGTTGCCATCAGT"
    for quality, call in ("I" * 13, "ambiguous"), ("IIIIII++IIIII", "assigned"):
        found = called([(a, ""), (b, ""), (b[:-1], quality)], {"a": a, "b": b}, "-e", 1, "--ties", "posterior")
        assert [row[0] for row in found] == ["assigned", "assigned", call]


def test_partial_patterns():
    pattern = {"p": "GATTACAGGCATCG"}
    reads = [("TTACAGGCATCGTTTTTT", ""), ("TTTTTTGATTACAGGC", ""), ("TTTTGATTACAGGCATCG", ""), ("GGCATCGTTTTTTT", ""), ("", "")]
    assert [row[:7] for row in called(reads, pattern, "-e", 2, "--partial", 4)] == [
        ["assigned", "p", "1", "0", "12", "2S12M", "TTACAGGCATCG"],
        ["assigned", "p", "2", "6", "16", "10M4S", "GATTACAGGC"],
        ["assigned", "p", "0", "4", "18", "14M", "GATTACAGGCATCG"],
        ["unassigned"] + ["."] * 6, ["unassigned"] + ["."] * 6]
    assert [row[0] for row in called(reads, pattern, "-e", 2, "--partial", 4, "--within", "3p:12")] == [
        "unassigned", "assigned", "assigned", "unassigned", "unassigned"]
    run("scan", "-e", 2, "--partial", 4, "--extract", "out/partial", "--trim", "before", "--strand", "+", "some.fq", "some.fa").ok()
    assert reads_in("out/partial")["p"][0] == ["r0", "TTTTTT", "IIIIII"]


@pytest.mark.parametrize("options, message", [
    (["--ties", "first"], "--ties"), (["--partial", 1], "so N is at most 2 e"),
    (["-e", 2, "--partial", 5], "--partial: two letters beyond an end cost one edit"), (["-e", 2, "--partial", -1], "--partial"),
    (["-e", 2, "--partial", 4, "--metric", "hamming"], "--partial cannot be used with --metric hamming"),
    (["-e", 2, "--partial", 4, "--ambiguous", "match"], "--partial cannot be used with --metric hamming and --ambiguous match"),
    (["-e", 4, "--partial", 8, "-p", "ACGTACG"], "--partial 8: ACGTACG would match at every end of a read"),
    (["-e", 2, "--partial", 4, "-p", "ACGTC" * 13], "has more than 64 letters")])
def test_wrong_usage_of_ties_and_partial(options, message):
    run("scan", "--per-read", "best", "calls.fq", "call.fa", *options).fails(2, message)


def test_ties_and_partial_need_calls():
    run("scan", "--ties", "longest", "calls.fq", "call.fa").fails(2, "--ties needs --per-read best")
    run("scan", "--partial", 2, "-e", 1, "calls.fq", "call.fa").fails(2, "--partial needs --per-read best")
    run("scan", "--per-read", "best", "--ties", "posterior", "-", "call.fa", stdin=b"@r\nA\n+\nI\n").fails(
        2, "posterior reads the reads twice, which a pipe does not allow; give a file as REF")


# --- --within ---


def test_within():
    """What is found in the parts alone."""
    reads = [line.split("\n") for line in Path("reads.fa").read_text().split(">")[1:]]
    parts = []
    for name, read, _ in reads:
        parts += [(f"{name}:0", read[:40]), (f"{name}:{len(read) - 60}", read[-60:])] if len(read) > 100 else [(f"{name}:0", read)]
    Path("parts.fa").write_text(fasta(parts))
    expected = []
    for row in rows(run("scan", "-e", 3, "parts.fa", "patterns.fa").ok()):
        name, begin = row[0].rsplit(":", 1)
        expected.append([name, str(int(row[1]) + int(begin)), str(int(row[2]) + int(begin)), *row[3:]])
    for file in "reads.fq", "reads.fa":
        found = rows(run("scan", "-e", 3, "--within", "5p:40,3p:60", file, "patterns.fa").ok())
        assert found == expected
    assert len(found) < len(rows(run("scan", "-e", 3, "reads.fq", "patterns.fa").ok()))


@pytest.mark.parametrize("within, places", [("5p:11", [["first", "0"]]), ("3p:11", [["first", "9"]]), ("3p:10", []),
                                            ("3p:11,5p:11", [["first", "0"], ["first", "9"]]), ("5p:19", [["first", "0"]]),
                                            ("5p:10,3p:10", [["first", "0"], ["first", "9"]])])
def test_ends_of_a_read(within, places):
    Path("ends.fq").write_text("@first\nGATTACAGGGATTACAGGCA\n+\nIIIIIIIIIIIIIIIIIIII\n")
    Path("ends.txt").write_text("GATTACAGGGA\nGATTACAGGCA\n")
    assert [row[:2] for row in rows(run("scan", "--within", within, "ends.fq", "ends.txt").ok())] == places


@pytest.mark.parametrize("within", ["150", "5p", "5p:0", "5p:x", "7p:3", "5p:3,5p:4", "5p:3,", "5p:-1"])
def test_wrong_usage_of_within(within):
    run("scan", "--within", within, "reads.fq", "patterns.fa").fails(2, "as 5p:150, 3p:150 or 5p:150,3p:150")


# --- --extract ---


def reads_in(path):
    """{file without extension: [[header, bases, qualities]]}."""
    found = {}
    for file in Path(path).iterdir():
        lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        assert file.name.endswith(".fq.gz") and len(lines) % 4 == 0
        found[file.name[:-6]] = [[lines[at][1:], lines[at + 1], lines[at + 3]] for at in range(0, len(lines), 4)]
    return found


def test_extract():
    call("-e", 2, "--extract", "out/reads", output="out/calls.tsv")
    found = reads_in("out/reads")
    assert {name: [read[0] for read in reads] for name, reads in found.items()} == {
        "p1": ["first x", "second", "twice"], "p2": [], "far": [], "ambiguous": ["tie"], "unassigned": ["none", "empty"]}
    assert found["p1"][0][1:] == ["TTTTGATTACAGGCATTTTT", "I" * 20]
    assert len(Path("out/calls.tsv").read_text().splitlines()) == 7


def test_extract_alone_writes_no_table():
    call()
    result = run("scan", "-e", 2, "--extract", "out/reads", "calls.fq", "call.fa").ok()
    assert result.stdout == "" and "3 assigned, 1 ambiguous, 2 unassigned" in result.stderr
    assert_same(run("scan", "-e", 2, "--extract", "out/more", "calls.fq", "call.fa", "-o", "-").ok(), call("-e", 2))


@pytest.mark.parametrize("trim, first, second", [("before", "TTTTT", "TTTT"), ("after", "TTTT", "TTTTT"),
                                                 ("none", "TTTTGATTACAGGCATTTTT", "TTTTTGCCTGTATTCTTTTT")])
def test_trim(trim, first, second):
    """In the direction of the pattern; second has it on the other strand. Reads without a pattern stay whole."""
    call("-e", 2, "--extract", "out/reads", "--trim", trim, output="out/calls.tsv")
    found = reads_in("out/reads")
    assert [read[1] for read in found["p1"][:2]] == [first, second]
    assert all(len(read[1]) == len(read[2]) for reads in found.values() for read in reads)
    assert found["ambiguous"][0][1] == "CCCCGATTACAGGCTTCCCC"


def test_the_place_that_is_cut():
    """Of two places as good as the other, the leftmost; a warning counts them, and the last line the warnings."""
    result = call("-e", 2, "--extract", "out/reads", "--trim", "after", output="out/calls.tsv")
    assert "warning: 1 read with several places as good as the best one: --trim cuts at the leftmost" in result.stderr
    assert result.stderr.strip().splitlines()[-1].endswith("; 2 warnings above")
    with gzip.open("out/reads/p1.fq.gz", "rt") as file:
        text = file.read()
    assert "@twice\n\n+\n\n" in text


def test_patterns_that_are_near():
    Path("out/near.fa").write_text(">a\nACGTACGGTTAACCAGTTAG\n>b\nACGTACGCTTAACCAGTTAG\n>c\nTTTTTTTTTTGGGGGGGGGG\n")
    message = ("warning: 1 pair of patterns is fewer than 5 edits apart (2 e + 1), the nearest a and b (1): reads between "
               "them may be ambiguous, or called wrong; -e 0 avoids it")
    assert message in run("scan", "-e", 2, "--per-read", "best", "reads.fq", "out/near.fa", "-o", "out/x.tsv").ok().stderr
    Path("out/turned.fa").write_text(">a\nACGTACGGTTAACCAGTTAG\n>b\nCTAACTGGTTAACCGTACCA\n")
    command = ["scan", "-e", 1, "--per-read", "best", "reads.fq", "out/turned.fa", "-o", "out/x.tsv"]
    assert "the nearest a and the reverse complement of b (2)" in run(*command).ok().stderr
    assert "the nearest" not in run(*command, "--strand", "+").ok().stderr
    assert "the nearest" not in run("scan", "-e", 1, "reads.fq", "out/near.fa", "-o", "out/x.tsv").ok().stderr


def test_all_reads_are_extracted_once():
    run("scan", "-e", 3, "-t", 3, "--extract", "out/one", "reads.fq.bgz", "patterns.fa", "-o", "out/calls.tsv").ok()
    run("scan", "-e", 3, "-t", 1, "--extract", "out/two", "--tune", "chunk-size=999", "crlf.fq", "patterns.fa").ok()
    assert sorted(os.listdir("out/one")) == sorted(os.listdir("out/two"))
    for file in os.listdir("out/one"):
        assert_same(f"out/one/{file}", f"out/two/{file}")
    found = reads_in("out/one")
    lines = Path("reads.fq").read_text().splitlines()
    whole = [[lines[at][1:], lines[at + 1].upper(), lines[at + 3]] for at in range(0, len(lines), 4)]
    assert sorted(read for reads in found.values() for read in reads) == sorted(whole)
    calls = by_read(Path("out/calls.tsv").read_text())
    for name, reads in found.items():
        for title, *_ in reads:
            row = calls[title.split()[0]]
            assert name == (row["pattern"] if row["call"] == "assigned" else row["call"])


def test_reads_of_fasta_are_extracted_as_fasta():
    run("scan", "-e", 2, "--extract", "out/reads", "reads.fa", "patterns.fa").ok()
    assert sorted(os.listdir("out/reads")) == sorted([f"p{n}.fa.gz" for n in range(12)] + ["ambiguous.fa.gz", "unassigned.fa.gz"])
    assert sum(gzip.decompress(path.read_bytes()).count(b">") for path in Path("out/reads").iterdir()) == 10_000 - Path("reads.fq").read_text().count("\n\n+")


def test_thousands_of_patterns_with_few_open_files():
    random.seed(3)
    patterns = [random_bases(20) for _ in range(3000)]
    Path("many.txt").write_text("\n".join(patterns))
    Path("many.fq").write_text(fastq([(f"r{n}", random_bases(30) + random.choice(patterns) + random_bases(40)) for n in range(20_000)]))
    result = run("scan", "-t", 2, "--extract", "out/many", "many.fq", "many.txt", limits={resource.RLIMIT_NOFILE: 64}).ok()
    assert "20000 assigned, 0 ambiguous, 0 unassigned" in result.stderr
    files = os.listdir("out/many")
    assert len(files) == 3002
    assert sum(gzip.decompress(Path("out/many", file).read_bytes()).count(b"\n") for file in files) == 80_000


def test_a_folder_with_files_is_not_touched():
    os.mkdir("out/old")
    Path("out/old/x.fq.gz").write_text("old")
    run("scan", "--extract", "out/old", "reads.fq", "patterns.fa").fails(1, "out/old: has files already, such as x.fq.gz; remove")
    assert os.listdir("out/old") == ["x.fq.gz"]


def test_nothing_is_left_after_an_error():
    Path("cut.fq").write_bytes(Path("reads.fq").read_bytes()[:-20])
    run("scan", "-e", 2, "--extract", "out/reads", "--tune", "chunk-size=5000", "cut.fq", "patterns.fa", "-o", "out/x.tsv").fails(
        1, "the last record is not complete", "out/reads")
    assert os.listdir("out") == []


@pytest.mark.parametrize("options, message", [
    (["--trim", "before"], "--trim needs --extract FOLDER, or -o with a name of reads"),
    (["--extract", "out/x", "--pam", "NGG"], "leave out --pam"),
    (["--extract", "out/x", "--per-read", "all"], "--extract needs --per-read best")])
def test_wrong_usage_of_extract(options, message):
    run("scan", "reads.fq", "patterns.fa", *options).fails(2, message, "out/x")


def test_patterns_that_would_share_a_file():
    Path("same.tsv").write_text("a b\tGATTACAGGC\na/b\tGATTACAGGG\na_b\tTTTTTTTTTT\n")
    run("scan", "--extract", "out/x", "reads.fq", "same.tsv").fails(
        2, "--extract: the file a_b would be that of the pattern a_b and of the pattern a/b; rename the pattern", "out/x")


# --- pairs ---

MATES = "".join(f"@{name}\n{'ACGTT' * (n + 1)}\n+\n{'#' * 5 * (n + 1)}\n"
                for n, name in enumerate(("first", "second", "none", "empty", "tie", "twice")))


@pytest.fixture
def pairs():
    """The options that name the pairs, by kind of input: call.fa in the first mates."""
    call()
    Path("mates.fq").write_text(MATES)
    both = [text.splitlines(keepends=True) for text in (CALLS, MATES)]
    Path("both.fq").write_text("".join("".join(lines[n:n + 4]) for n in range(0, 24, 4) for lines in both))
    samtools("import", "-1", "calls.fq", "-2", "mates.fq", "-o", "pairs.bam")
    for name, lines in zip(("one", "two"), both):
        Path(f"{name}_a.fq").write_text("".join(lines[:8]))
        Path(f"{name}_b.fq").write_text("".join(lines[8:]))
    return {"files": ["calls.fq", "--mates", "mates.fq"], "lists": ["one_a.fq,one_b.fq", "--mates", "two_a.fq,two_b.fq"],
            "interleaved": ["both.fq", "--interleaved"], "bam": ["pairs.bam", "--interleaved"]}


def test_both_mates_go_the_same_way(pairs):
    expected = call("-e", 2, "--extract", "out/single", "--trim", "before", output="out/calls.tsv")
    first = reads_in("out/single")
    for kind, reads in pairs.items():
        result = run("scan", "-e", 2, "--trim", "before", "--extract", f"out/{kind}", *reads, "call.fa", "-o", f"out/{kind}.tsv").ok()
        assert_same("out/calls.tsv", f"out/{kind}.tsv")
        assert "3 patterns, 6 reads, 93 bases, 3 assigned" in result.stderr and "3 assigned" in expected.stderr
        found = reads_in(f"out/{kind}")
        assert sorted(found) == sorted(f"{name}_R{mate}" for name in first for mate in (1, 2))
        for name, reads_ in first.items():
            mine = [[read[0].split()[0], *read[1:]] for read in found[f"{name}_R1"]]
            assert mine == [[read[0].split()[0], *read[1:]] for read in reads_]
            mates = [line for read in mine for line in MATES.split("@")[1:] if line.startswith(read[0])]
            assert ["\n".join([name_, bases, "+", qualities, ""]) for name_, bases, qualities in found[f"{name}_R2"]] == mates
    assert found["p1_R1"][0][0] == "first" and reads_in("out/files")["p1_R1"][0][0] == "first x"


def test_pairs_do_not_depend_on_threads_and_chunks():
    for name in "1.fq", "2.fq":
        Path(name).write_text(Path("reads.fq").read_text().replace("/", "_").replace(" some 1:N:0:ACGT", ""))
    for n, how in enumerate(("-t 1", "-t 3 --tune chunk-size=1", "-t 2 --tune chunk-size=5000")):
        run("scan", "-e", 2, *how.split(), "--extract", f"out/{n}", "1.fq", "--mates", "2.fq", "patterns.fa", "-o", f"out/{n}.bam").ok()
    assert_same(*(f"out/{n}.bam" for n in range(3)))
    run("scan", "-e", 2, "--extract", "out/single", "1.fq", "patterns.fa").ok()
    for name in os.listdir("out/single"):
        mates = [f"out/{n}/{name.replace('.', f'_R{mate}.', 1)}" for n in range(3) for mate in (1, 2)]
        assert_same(f"out/single/{name}", *mates)


SINGLES = ("@HD\tVN:1.6\n@RG\tID:g\n" + "a\t77\t*\t0\t0\t*\t*\t0\t0\tTTGATTACAGGCA\tIIIIIIIIIIIII\tRG:Z:g\tNM:i:1\n"
           "a\t141\t*\t0\t0\t*\t*\t0\t0\tACGT\t*\n" "b\t516\t*\t0\t0\t*\t*\t0\t0\tGATTACAGGCGTT\t!!IIIIIIIIIII\tCB:Z:old\tXX:i:3\n")


def test_single_reads_among_pairs(pairs):
    """A BAM keeps its tags, and its read groups."""
    Path("singles.sam").write_text(SINGLES)
    command = ["scan", "-e", 1, "singles.sam", "--interleaved", "call.fa"]
    run(*command, "-o", "out/x.bam").ok()
    found = sorted_tags("out/x.bam")
    assert [[read[n] for n in (0, 1, 9)] for read in found] == [
        ["a", "77", "TTGATTACAGGCA"], ["a", "141", "ACGT"], ["b", "516", "GATTACAGGCGTT"]]
    assert found[0][11:] == ["CB:Z:GATTACAGGCA", "CR:Z:GATTACAGGCA", "CY:Z:IIIIIIIIIII", "RG:Z:g"]
    assert found[2][11:] == ["CB:Z:GATTACAGGCG", "CR:Z:GATTACAGGCG", "CY:Z:!!IIIIIIIII", "XX:i:3"]
    assert "@RG\tID:g" in header("out/x.bam")
    run("scan", "-e", 1, "singles.sam", "call.fa", "-o", "out/y.bam").ok()  # each read by itself
    assert [(read[1], *read[14:]) for read in sorted_tags("out/y.bam")] == [("4", "RG:Z:g"), ("4",), ("4", "XX:i:3")]
    run(*command, "-o", "out/x.fq").fails(1, "the read 'a' has no qualities, which out/x.fq needs; name a file that ends in .fa", "out/x.fq")
    Path("singles.sam").write_text(SINGLES.replace("ACGT\t*", "ACGT\tIIII"))
    for output in ["-o", "out/x_%.fq"], ["--extract", "out/x"]:
        run(*command, *output).fails(1, "the read 'b' has no mate", "out/x_1.fq")
    run(*command, "-o", "out/x.fa").ok()
    assert Path("out/x.fa").read_text().count(">a\tCB:Z:GATTACAGGCA\t") == 2


# --- reads with tags ---


TAGGED = [("first", "CB:Z:GATTACAGGCA\tCR:Z:GATTACAGGCA\tCY:Z:IIIIIIIIIII"), ("second", "CB:Z:GATTACAGGCA\tCR:Z:GAATACAGGCA\tCY:Z:IIIIIIIIIII"),
          ("none", ""), ("empty", ""), ("tie", "CR:Z:GATTACAGGCT\tCY:Z:IIIIIIIIIII"),
          ("twice", "CB:Z:GATTACAGGCA\tCR:Z:GATTACAGGCA\tCY:Z:IIIIIIIIIII")]


def test_reads_with_tags():
    for name in "x.fq", "x.fq.gz", "x.fa.gz":
        call("-e", 2, output=f"out/{name}")
    lines = Path("out/x.fq").read_text().splitlines()
    assert lines[::4] == [f"@{name}\t{tags}".strip() for name, tags in TAGGED]
    assert [line for n, line in enumerate(lines) if n % 4] == [line for n, line in enumerate(CALLS.splitlines()) if n % 4]
    assert_same("out/x.fq", bgzip("-dc", "out/x.fq.gz"))
    assert bgzip("-dc", "out/x.fa.gz").decode().splitlines() == [line for n in range(0, 24, 4) for line in (">" + lines[n][1:], lines[n + 1])]


@pytest.mark.parametrize("format", ["sam", "bam", "cram"])
def test_records_with_tags(format, pairs):
    call("-e", 2, "--trim", "before", output=f"out/x.{format}")
    samtools("quickcheck", "-u", f"out/x.{format}")
    found = sorted_tags(f"out/x.{format}")
    assert [(read[0], "\t".join(read[11:]), read[1]) for read in found] == [(*read, "4") for read in TAGGED]
    assert [read[9] for read in found][:4] == ["TTTTT", "TTTT", "ACACACACAC", "*"]
    assert "trawl scan --max-edits 2" in header(f"out/x.{format}") and "--trim before" in header(f"out/x.{format}")
    run("scan", "-e", 2, "--per-read", "best", *pairs["files"], "call.fa", "-o", f"out/pairs.{format}").ok()
    found = sorted_tags(f"out/pairs.{format}")
    assert [(read[0], "\t".join(read[11:])) for read in found] == [read for read in TAGGED for _ in range(2)]
    assert [read[1] for read in found] == ["77", "141"] * 6
    samtools("fastq", "-n", "-1", "out/1.fq", "-2", "out/2.fq", f"out/pairs.{format}")
    assert Path("out/2.fq").read_text() == MATES


def test_a_mapper_takes_the_tags(pairs):
    """Also where comments begin with Illumina's mark."""
    random.seed(4)
    genome = random_bases(3000)
    Path("genome.fa").write_text(f">chr1\n{genome}\n")
    Path("r1.fq").write_text("".join(f"@c{n} 1:N:0:ACGT\n{'GATTACAGGCA' if n % 2 else 'GATTACAGGCG'}TTTT\n+\n{'F' * 15}\n" for n in range(50)))
    Path("r2.fq").write_text("".join(f"@c{n} 2:N:0:ACGT\n{genome[20 * n:20 * n + 60]}\n+\n{'F' * 60}\n" for n in range(50)))
    run("scan", "r1.fq", "--mates", "r2.fq", "call.fa", "-o", "out/x_%.fq.gz").ok()
    assert files_in("out") == ["x_1.fq.gz", "x_2.fq.gz"]
    run("map", "-C", "genome.fa", "out/x_2.fq.gz", "-o", "out/x.bam").ok()
    assert [(r.flag, r.tags["CB"], r.tags["CY"]) for r in records("out/x.bam")] == [
        (0, "GATTACAGGCA" if n % 2 else "GATTACAGGCG", "F" * 11) for n in range(50)]


@pytest.mark.parametrize("tags, expected", [("BC,,QT", "BC:Z:GATTACAGGCA\tQT:Z:IIIIIIIIIII"), (".,RX,.", "RX:Z:GAATACAGGCA")])
def test_names_of_tags(tags, expected):
    call("-e", 2, "--tags", tags, "--extract", "out/reads", output="out/x.sam")
    assert sam_lines("out/x.sam")[1].split("\t", 11)[11] == expected
    assert reads_in("out/reads")["p1"][1][0] == "second\t" + expected


def test_orient():
    """Qualities are turned, too; --trim cuts in the direction of the pattern."""
    call("-e", 2, "--orient", "--trim", "before", "--extract", "out/reads", output="out/x.sam")
    assert [r.bases for r in records("out/x.sam")][:2] == [read[1] for read in reads_in("out/reads")["p1"]][:2] == ["TTTTT", "AAAA"]
    write_lines("turn.fq", "@a", "TGCCTGTAATC", "+", "ABCDEFGHIJK")
    run("scan", "--orient", "turn.fq", "call.fa", "-o", "out/turn.fq").ok()
    assert Path("out/turn.fq").read_text().splitlines() == [
        "@a\tCB:Z:GATTACAGGCA\tCR:Z:GATTACAGGCA\tCY:Z:KJIHGFEDCBA", "GATTACAGGCA", "+", "KJIHGFEDCBA"]


BAD = [
    ("calls.fq --mates less.fq", 1, "calls.fq:21: the read 'twice' has no mate: less.fq ends after 5 reads"),
    ("calls.fq --mates none.fq", 1, "the read 'first' has no mate: none.fq has no reads"),
    ("calls.fq --mates other.fq", 1, "'first'"),
    ("less.fq --interleaved", 1, "less.fq:"),
    ("calls.fq --mates calls.fq", 2, "calls.fq and calls.fq are the same file; --mates names that of the second mates"),
    ("both.fq --interleaved --mates mates.fq", 2, "--mates: with --interleaved, REF has both mates; leave one out"),
    ("calls.fq --mates pairs.bam", 1, "give it alone: trawl map REF pairs.bam, trawl scan --interleaved pairs.bam PATTERNS"),
    ("- --mates -", 2, "only one of the files can be the standard input"),
    ("calls.fq -o out/x_%.fq.gz", 2, "% stands for the mate of a pair; name one file, or give --mates or --interleaved"),
    ("calls.fa.txt --per-read best -o out/x.fq.gz", 1, "the read 'a' has no qualities, which out/x.fq.gz needs; name a file that ends in .fa"),
    ("calls.fq --mates mates.fq --orient", 2, "--orient is for single reads; leave it out with pairs"),
    ("calls.fq -o out/x.tsv --orient", 2, "--orient needs --extract FOLDER, or -o with a name of reads, such as x.bam or x.fq.gz"),
    ("calls.fq -o out/x.bam --tags CB,CRX", 2, "--tags CB,CRX: 'CRX' is no tag, or has a meaning of its own; give tags of two"),
    ("calls.fq -o out/x.bam --tags NM", 2, "'NM' is no tag, or has a meaning of its own"),
    ("calls.fq -o out/x.bam --tags CB,CR,CY,UB,UR,UY,XX", 2, "there are more than six"),
    ("calls.fq -o out/x.bam --tags CB,CB", 2, "CB comes twice"),
    ("calls.fq -o out/x.bam --tags .,.", 2, "there is no tag"),
    ("calls.fq -o out/x.tsv --tags BC", 2, "--tags needs --extract FOLDER"),
    ("calls.fq -o out/x.bam --per-read all", 2, "has no known extension"),
    ("calls.fq -o out/x.sam --compression-level 3 --per-read best", 2, "--compression-level is for"),
    ("calls.fq -o out/x.sam", 2, "--per-read best for the reads with tags")]


@pytest.mark.parametrize("words, status, message", BAD, ids=[words for words, *_ in BAD])
def test_bad_pairs_and_tags(words, status, message, pairs):
    Path("less.fq").write_text("".join(CALLS.splitlines(keepends=True)[:20]))
    Path("other.fq").write_text(MATES.replace("@first", "@fist"))
    Path("none.fq").write_text("")
    Path("calls.fa.txt").write_text(">a\nTTTTGATTACAGGCA\n")
    words = words.split()
    output = [] if "-o" in words else ["-o", "out/x.bam"]
    run("scan", *words, "call.fa", *output, stdin="calls.fq").fails(status, message, (words + output)[(words + output).index("-o") + 1])
    assert os.listdir("out") == []
