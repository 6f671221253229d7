"""trawl scan on reads of several samples, and --counts: the table that a screen gives to mageck test."""

import gzip
import random
from collections import Counter
from pathlib import Path

import pytest

from tools import assert_same, bgzip, fastq, mutated, random_bases, read_json, rows, run, write_lines

GUIDES = {"g1": "GATTACAGGCATCCGATTGC", "g2": "CCATTGACGTTACGGACTAC", "g3": "TTGCAGGACCATTAGCGTAA"}
HEADER = "sgRNA\tsequence\tGene"
GENES = ["TP53", "MYC", "MYC"]


NONE = "ACGTACGTACGTACGTACGT"


def write_reads(path, *guides):
    text = "".join(fastq(f"{path[0]}{n}", f"AC{'G' * n}CACCG{GUIDES.get(guide, guide)}GTTT") for n, guide in enumerate(guides)).encode()
    Path(path).write_bytes(gzip.compress(text) if path.endswith(".gz") else text)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    write_reads("a.fq", "g1", "g1", "g2")
    write_reads("b.fq.gz", "g2", NONE, NONE)
    write_reads("c.fq", "g1", "g3")
    write_reads("a,c.fq", "g1", "g3")
    write_reads("x=1.fq", "g3")
    Path("d.fa").write_text(f">d\n{GUIDES['g3']}\n")
    Path("empty.fq").touch()
    write_lines("lib.tsv", "sgRNA\tsequence\tGene", *(f"{name}\t{bases}\t{'TP53' if name == 'g1' else 'MYC'}" for name, bases in GUIDES.items()))
    write_lines("plain.tsv", "#", "a.fq", "c.fq")
    write_lines("sheet.tsv", "# two lanes", "T0\ta.fq,c.fq", "", "T1\tb.fq.gz")
    Path("crlf.tsv").write_text("Sample\tfiles\tnote\r\nT0\ta.fq\tx\r\nT1\tb.fq.gz\r\nT0\tc.fq\r\n")
    write_lines("nf.csv", "sample,fastq_1,fastq_2,strandedness", "T0,a.fq,,auto", '"T1",b.fq.gz,,auto', "T0,c.fq,,auto")


def counts(reads, *options, patterns="lib.tsv", output="out/counts.tsv", **how):
    result = run("scan", "-e", 1, reads, patterns, "--counts", output, *options, **how).ok()
    return Path(output).read_text(), result


BOTH = "sgRNA\tGene\tT0\tT1\ng1\tTP53\t3\t0\ng2\tMYC\t1\t1\ng3\tMYC\t1\t0\n"


@pytest.mark.parametrize("reads", ["T0=a.fq,c.fq,T1=b.fq.gz", "T0=a.fq,T1=b.fq.gz,T0=c.fq", "@sheet.tsv", "@crlf.tsv",
                                   "@nf.csv"])
def test_forms_of_samples(reads):
    table, result = counts(reads)
    assert table == BOTH and result.stdout == ""


@pytest.mark.parametrize("reads, names, all_counts", [
    ("a.fq,c.fq", "a", "3 1 1"), ("@plain.tsv", "a", "3 1 1"), ("b.fq.gz", "b", "0 1 0"), ("a,c.fq", "a,c", "1 0 1"),
    ("x=1.fq", "x=1", "0 0 1"), ("T=x=1.fq", "T", "0 0 1"), ("d.fa", "d", "0 0 1")])
def test_one_sample(reads, names, all_counts):
    """A file that exists is that file, whatever its name; files without a name are one sample."""
    assert " ".join(row[2] for row in rows(counts(reads)[0].encode())) == f"{names} {all_counts}"


def test_a_pipe_is_a_sample():
    assert counts("T0=-,c.fq,T1=b.fq.gz", stdin="a.fq")[0] == BOTH
    assert counts("-", stdin="a.fq")[0].startswith("sgRNA\tGene\treads\n")


def test_the_last_line_and_the_statistics():
    _, result = counts("T0=a.fq,c.fq,T1=b.fq.gz", "--stats", "out/x.json")
    last = result.stderr.strip().splitlines()[-1]
    assert "6 assigned, 0 ambiguous, 2 unassigned, assigned by sample: T0 5 of 5 reads (100%), T1 1 of 3 reads (33%), " in last
    assert last.endswith("; 1 warning above")
    assert "warning: sample T1 1 of 3 reads (33%) assigned; look at --strand, -e and --within" in result.stderr
    assert read_json("out/x.json")["samples"] == [{"name": "T0", "reads": 5, "assigned": 5}, {"name": "T1", "reads": 3, "assigned": 1}]
    assert "by sample" not in counts("a.fq,c.fq")[1].stderr and "warning" not in counts("a.fq,empty.fq")[1].stderr


def test_the_table_of_calls_has_a_column_of_samples():
    command = ["scan", "-e", 1, "--per-read", "best", "-o", "-"]
    calls = rows(run(*command, "T0=a.fq,T 1=b.fq.gz", "lib.tsv").ok())
    assert [(row[0], row[2], row[-1]) for row in calls] == [
        ("read", "pattern", "sample"), ("a0", "g1", "T0"), ("a1", "g1", "T0"), ("a2", "g2", "T0"), ("b0", "g2", "T 1"),
        ("b1", ".", "T 1"), ("b2", ".", "T 1")]
    assert rows(run(*command, "a.fq,b.fq.gz", "lib.tsv").ok()) == [row[:-1] for row in calls]
    assert counts("T0=a.fq", "-o", "out/calls.csv")[0] and Path("out/calls.csv").read_text().splitlines()[1].endswith(",T0")


def test_places_in_several_files_of_reads():
    """As of several references; the files may have reads of one name."""
    for options in [], ["--tune", "chunk-size=20"], ["--within", "5p:40"]:
        run("scan", *options, "a.fq,b.fq.gz,c.fq", "lib.tsv", "-o", "out/x.tsv").ok()
        assert [(row[0], row[3], row[-1]) for row in rows("out/x.tsv")] == [
            ("contig", "pattern", "file"),
            ("a0", "g1", "a.fq"), ("a1", "g1", "a.fq"), ("a2", "g2", "a.fq"), ("b0", "g2", "b.fq.gz"), ("c0", "g1", "c.fq"),
            ("c1", "g3", "c.fq")]


@pytest.mark.parametrize("lines, expected", [
    (["g1\tGATTACAGGCATCCGATTGC\tTP53"], ["sgRNA\tGene\ta", "g1\tTP53\t2"]),
    (["id,gene,sequence", "g1,TP53,GATTACAGGCATCCGATTGC", "g2,,CCATTGACGTTACGGACTAC"], ["sgRNA\tGene\ta", "g1\tTP53\t2", "g2\t\t1"]),
    (["GATTACAGGCATCCGATTGC"], ["pattern\ta", "GATTACAGGCATCCGATTGC\t2"]),
    ([">g1 TP53", "GATTACAGGCATCCGATTGC"], ["pattern\ta", "g1\t2"]),
    (["name\tsequence", "g1\tGATTACAGGCATCCGATTGC"], ["pattern\ta", "g1\t2"]),
    (["name\tchrom\tsequence\tgene_symbol\texon", "g1\tchr1\tGATTACAGGCATCCGATTGC\tTP53", "g2\tchr2\tCCATTGACGTTACGGACTAC\tMYC\t3\t4"],
     ["sgRNA\tGene\tchrom\texon\ta", "g1\tTP53\tchr1\t\t2", "g2\tMYC\tchr2\t3\t1"]),
    (["name\tsequence\t\twell", "g1\tGATTACAGGCATCCGATTGC\tx\tA1"], ["pattern\tcolumn3\twell\ta", "g1\tx\tA1\t2"]),
    (["g1\tGATTACAGGCATCCGATTGC\tTP53\t5"], ["sgRNA\tGene\tcolumn4\ta", "g1\tTP53\t5\t2"])])
def test_columns_of_the_table_of_patterns(lines, expected):
    write_lines("out/patterns.txt", *lines)
    assert counts("a.fq", patterns="out/patterns.txt")[0].splitlines() == expected


def test_forms_of_the_table():
    """Patterns of -p come first, and have no other columns."""
    assert counts("c.fq", "-p", NONE)[0].splitlines()[:3] == ["sgRNA\tGene\tc", f"{NONE}\t\t0", "g1\tTP53\t1"]
    counts("T0=a.fq,c.fq,T1=b.fq.gz", output="out/x.csv")
    assert Path("out/x.csv").read_text() == BOTH.replace("\t", ",")
    run("scan", "-e", 1, "@sheet.tsv", "lib.tsv", "--counts", "out/x.tsv.gz", "--compression-level", 9).ok()
    assert_same(bgzip("-dc", "out/x.tsv.gz"), BOTH.encode())
    run("scan", "-e", 1, "@sheet.tsv", "lib.tsv", "--counts", "out/y.tsv", "--extract", "out/reads").ok()
    assert Path("out/y.tsv").read_text() == BOTH and Path("out/reads/g1.fq.gz").exists()


# --- against a count by brute force ---


def distance(pattern, text):
    """The smallest edit distance of the pattern and a piece of the text."""
    row = list(range(len(pattern) + 1))
    best = row[-1]
    for letter in text:
        above, row = row, [0]
        for i, expected in enumerate(pattern):
            row.append(min(above[i] + (letter != expected), above[i + 1] + 1, row[i] + 1))
        best = min(best, row[-1])
    return best


@pytest.mark.parametrize("edits", [0, 1, 2])
def test_a_screen(edits):
    """Staggered reads with substitutions, insertions, deletions and N; guides that are twice there, and nested ones."""
    random.seed(40 + edits)
    library = [(f"s{n}", random_bases(20), f"gene{n // 4}") for n in range(40)]
    library += [("twin", library[0][1], "gene0"), ("nested", library[5][1][1:], "gene1"), ("near", mutated(library[9][1], 1), "gene2")]
    write_lines("out/screen.txt", *("\t".join(row) for row in library))
    expected = Counter()
    for sample in "T0", "T1", "T2":
        text = ""
        for n in range(150):
            read = random_bases(random.randrange(9)) + "CACCG" + mutated(random.choice(library)[1], random.choice([0, 0, 0, 1, 1, 2])) + "GTTTTAG"
            if n % 10 == 0:
                read = read[:9 + n % 20] + "N" + read[10 + n % 20:]
            text += fastq(f"r{n}", read)
            distances = [distance(bases, read) for _, bases, _ in library]
            if min(distances) <= edits and distances.count(min(distances)) == 1:
                expected[library[distances.index(min(distances))][0], sample] += 1
        Path(f"{sample}.fq").write_text(text)
    result = run("scan", "-e", edits, "--strand", "+", "T0=T0.fq,T1=T1.fq,T2=T2.fq", "out/screen.txt", "--counts", "out/counts.tsv",
                 "--tune", f"chunk-size={random.choice([100, 3000, 100000])}", "-t", 2).ok()
    assert Path("out/counts.tsv").read_text().splitlines() == ["sgRNA\tGene\tT0\tT1\tT2"] + [
        "\t".join([name, gene, *(str(expected[name, sample]) for sample in ("T0", "T1", "T2"))]) for name, _, gene in library]
    assert sum(expected.values()) > 150 and f"{sum(expected.values())} assigned" in result.stderr
    assert "the nearest s0 and twin (0)" in result.stderr


# --- wrong usage ---


@pytest.mark.parametrize("reads, status, message", [
    ("T0=none.fq", 1, "none.fq: there is no such file; it is a part of the reference T0=none.fq"),
    ("T0=", 2, "T0=: the sample T0 has an empty name of a file"),
    ("T0=a.fq,,c.fq", 2, "the sample T0 has an empty name of a file"),
    ("=a.fq", 2, "=a.fq: the name of a sample is empty, or has a tab or another control character; change it"),
    ("T\t0=a.fq", 2, "the name of a sample is empty, or has a tab"),
    ("a.fq,T1=c.fq", 2, "a.fq comes before the first name of a sample; name its sample, too"),
    ("T0=a.fq,T1=a.fq", 2, "a.fq is there twice, so its reads would be counted twice; leave it out once"),
    ("T0=a.fq,T1=d.fa", 1, "d.fa:1: the files of a list must all be FASTQ, or all FASTA; search them in two runs"),
    ("@none.tsv", 1, "none.tsv: cannot open"),
    (["sample\tfiles"], 1, "bad.tsv: has no names of files; give one in each line, or a sample, a tab and its files"),
    (["T0\ta.fq", "T1"], 1, "bad.tsv:2: the sample T1 has no files; a tab, and the files with commas, follow its name"),
    (["T0\tnone.fq"], 1, "bad.tsv:1: there is no file none.fq"),
    (["T0,a.fq"], 1, "bad.tsv:1: there is no file T0,a.fq; in a sheet, a tab follows the sample"),
    (["#", "\ta.fq"], 1, "bad.tsv:2: the name of a sample is empty"),
    (["sample,fastq_1,fastq_2", "T0,a.fq,", "T1,c.fq,c.fq"], 1, "bad.tsv:3: the sample T1 or one before has not as many second mates"),
    (["T0\ta.fq,a.fq"], 1, "bad.tsv:1: a.fq is there twice"), (["# nothing"], 1, "bad.tsv: has no names of files")])
def test_wrong_samples(reads, status, message):
    if isinstance(reads, list):
        write_lines("bad.tsv", *reads)
        reads = "@bad.tsv"
    run("scan", reads, "lib.tsv", "--counts", "out/x.tsv").fails(status, message, "out/x.tsv")


@pytest.mark.parametrize("options, message", [
    (["--counts", "out/x.bam"], "--counts out/x.bam: give a file named .tsv, .csv, .tsv.gz or .csv.gz"),
    (["--counts", "out/x.tsv", "--pam", "NGG"], "leave out --pam"),
    (["--counts", "out/x.tsv", "--per-read", "all"], "--counts needs --per-read best"),
    (["--counts", "out/x.tsv", "-o", "out/x.tsv"], "are the same file; give each its own"),
    (["--counts", "sheet.tsv"], "--counts sheet.tsv is the input sheet.tsv, which would be lost"),
    (["--counts", "out/x.tsv", "-o", "out/y.bed"], "use .tsv, .tsv.gz, .csv or .csv.gz"),
    (["--counts", "out/x.tsv", "--server", "no"], "cannot be used with --server")])
def test_wrong_usage_of_counts(options, message):
    run("scan", "@sheet.tsv", "lib.tsv", *options).fails(2, message, "out/x.tsv")
    assert Path("sheet.tsv").read_text().startswith("# two lanes")


def test_what_has_no_reads():
    Path("ref.fa").write_text(">chr1\n" + "ACGTTGCA" * 20 + "\n")
    run("index", "ref.fa", "-o", "ref.trawl").ok()
    run("scan", "ref.trawl", "lib.tsv", "--counts", "out/x.tsv").fails(2, "ref.trawl is a saved index", "out/x.tsv")
    run("scan", "T0=-", "-", "--counts", "out/x.tsv", stdin=b"").fails(2, "only one of the files can be the standard input")
