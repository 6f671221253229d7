"""Pairs as input: all ways to give them are the same, and unusable pairs get a message that says where and why."""

import gzip
import itertools
import os
import random
import re
import subprocess
import threading
from pathlib import Path
from signal import SIGTERM

import pytest

from tools import (TRAWL, assert_same, bgzip, count, execute, files_in, has_cuda, header, make_input,
                   random_bases, read_fasta, read_fastq, read_json, records, reverse_complement, run, start,
                   write_fasta, write_fastq)

BOTH = ["reads_1.fq", "reads_2.fq"]


def lines(path):
    return Path(path).read_text().splitlines(keepends=True)


def write(path, lines):
    Path(path).write_text("".join(lines))


def map_reads(*arguments, **how):
    return run("map", *arguments, "-o", "out/x.sam", **how)


def messages(result, word):
    return [line for line in result.stderr.splitlines() if word in line]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """12,000 pairs of a library with inserts of 250 to 450: reads_N.fq, .fa; reads_1.gz, reads_2.bgz; in_turn.fq, .gz.
    Some mates have errors, some pairs are lost. a_N.fq has the first 1,000, b_N.fq the others; few_N.fq has 24."""
    make_input(60000, 1)
    contigs = list(read_fasta("ref.fa").values())
    random.seed(11)
    first, second = [], []
    for pair in range(12000):
        contig = random.choice(contigs)
        insert = random.randint(250, 450)
        at = random.randrange(len(contig) - insert)
        piece = contig[at:at + insert]
        if random.random() < 0.5:
            piece = reverse_complement(piece)
        a, b = random.choice([70, 100, 36]), random.choice([70, 100, 36])
        mate = mutated(reverse_complement(piece)[:b], pair % 3 // 2) if pair % 50 else random_bases(b)
        first.append((f"p{pair}/1 x", mutated(piece[:a], pair % 2), "I" * a))
        second.append((f"p{pair}/2", mate, "H" * b))
    for n, mates in (1, first), (2, second):
        write_fastq(f"reads_{n}.fq", *mates)
        write_fasta(f"reads_{n}.fa", *(mate[:2] for mate in mates))
        write_fastq(f"a_{n}.fq", *mates[:1000])
        write_fastq(f"b_{n}.fq", *mates[1000:])
        write_fastq(f"few_{n}.fq", *mates[:24])
        write_fastq(f"empty_{n}.fq")
    write_fastq("in_turn.fq", *itertools.chain(*zip(first, second)))
    compress("reads_1.fq", "reads_1.gz")
    compress("in_turn.fq", "in_turn.gz")
    Path("reads_2.bgz").write_bytes(bgzip("-c", "reads_2.fq"))


def mutated(bases, times):
    letters = list(bases)
    for _ in range(times):
        letters[random.randrange(len(letters))] = random.choice("ACGT")
    return "".join(letters)


def compress(path, output):
    Path(output).write_bytes(gzip.compress(Path(path).read_bytes(), 6))


# --- all ways to give the same pairs ---


@pytest.fixture(scope="module", autouse=True)
def estimate(inputs):
    """What is said of insert sizes. best.sam, best.json, all.sam, all.json."""
    best, every = (run("map", "--engine", "cpu", "--report", report, "-t", 2, "ref.fa", *BOTH, "-o", f"{report}.sam",
                       "--stats", f"{report}.json").ok() for report in ("best", "all"))
    assert messages(best, "insert sizes") == messages(every, "insert sizes")
    return messages(best, "insert sizes")


def test_records_of_pairs():
    mates = records("best.sam", "-F", "0x900")
    assert [sum(bool(record.flag & mate) for record in mates) for mate in (0x40, 0x80)] == [12000, 12000]
    assert not any("/" in record.name for record in mates), "names without /1 and /2"
    assert len([record for record in mates if record.flag & 0x42 == 0x42]) > 11000, "concordant pairs"


@pytest.fixture(scope="module")
def other_files(inputs):
    for n in 1, 2:
        reads = lines(f"reads_{n}.fq")
        write(f"d_{n}.fq", reads[10000:])
        Path(f"c_{n}.gz").write_bytes(gzip.compress("".join(reads[:10000]).encode(), 6))
        write_fastq(f"plain_{n}.fq", *((name.split("/")[0], *read) for name, *read in read_fastq(f"reads_{n}.fq")))
    write("crlf_2.fq", [line.replace("\n", "\r\n") for line in lines("reads_2.fq")])


@pytest.mark.parametrize("arguments, stdin", [
    ("--interleaved ref.fa in_turn.fq", None),
    ("-t 2 --interleaved ref.fa in_turn.gz", None),
    ("--interleaved ref.fa -", "in_turn.gz"),
    ("-t 2 ref.fa reads_1.gz reads_2.bgz", None),
    ("ref.fa - reads_2.fq", "reads_1.gz"),
    ("ref.fa reads_1.gz -", "reads_2.fq"),
    ("ref.fa reads_1.fq crlf_2.fq", None),
    ("ref.fa plain_1.fq reads_2.fq", None),
    ("ref.fa plain_1.fq plain_2.fq", None),
    ("ref.fa a_1.fq,b_1.fq a_2.fq,b_2.fq", None),
    ("ref.fa a_1.fq,b_1.fq c_2.gz,d_2.fq", None),
    ("ref.fa c_1.gz,d_1.fq reads_2.fq", None),
    *((f"-t 2 --tune batch-size={size} ref.fa reads_1.fq reads_2.fq", None) for size in (1, 2, 3, 64, 999, 50000)),
    *((f"-t 1 --tune batch-size={size} --interleaved ref.fa in_turn.fq", None) for size in (1, 2, 3, 64, 999, 50000)),
    ("-t 5 ref.fa reads_1.fq reads_2.fq", None)])
def test_all_ways_to_give_pairs_are_the_same(other_files, estimate, arguments, stdin):
    for report in "best", "all":
        result = map_reads("--engine", "cpu", "--report", report, *arguments.split(), "--stats", "out/x.json",
                           stdin=stdin).ok()
        assert_same(f"{report}.sam", "out/x.sam")
        assert messages(result, "insert sizes") == estimate
        found, wanted = read_json("out/x.json"), read_json(f"{report}.json")
        for part in "reads", "alignments", "clipped", "pairs", "insert":
            assert found[part] == wanted[part]


@pytest.mark.parametrize("report", ["best", "all"])
def test_the_engine_cuda(estimate, report):
    if not has_cuda():
        pytest.skip("the engine cuda cannot be used here")
    result = map_reads("--engine", "cuda", "--report", report, "ref.fa", *BOTH).ok()
    assert_same(f"{report}.sam", "out/x.sam")
    assert messages(result, "insert sizes") == estimate


def test_two_pipes():
    execute("bash", "-c", "$0 map --engine cpu ref.fa <(cat reads_1.fq) <(zcat reads_2.bgz) -o out/x.sam", TRAWL).ok()
    assert_same("best.sam", "out/x.sam")


def test_fasta():
    map_reads("ref.fa", "reads_1.fa", "reads_2.fa").ok()
    assert count("out/x.sam", "-F", "0x900") == 24000
    map_reads("ref.fa", "reads_1.fa", "reads_2.fq").ok()


# --- two FIFOs ---


@pytest.fixture
def fifos():
    names = ["out/mates_1", "out/mates_2"]
    for name in names:
        os.mkfifo(name)
    return names


@pytest.fixture(scope="module")
def twice(inputs):
    """Twice all pairs; in short.* the first mates have 12 bases."""
    for n in 1, 2:
        write(f"twice_{n}.fq", 2 * lines(f"reads_{n}.fq"))
    write_fastq("short_1.fq", *((name, *(text[:12] for text in read)) for name, *read in read_fastq("twice_1.fq")))
    for name in "twice", "short":
        run("map", "--engine", "cpu", "-t", 2, "ref.fa", f"{name}_1.fq", "twice_2.fq", "-o", f"{name}.sam")


@pytest.mark.parametrize("threads, name, reads_at_a_time", [
    *((threads, name, 1) for threads in (1, 2, 5) for name in ("twice", "short")), (1, "twice", 100000)])
def test_one_writer_of_two_fifos(twice, fifos, threads, name, reads_at_a_time):
    """It waits until both are open, and when one of them is full."""
    def feed():
        with open(fifos[0], "w") as one, open(fifos[1], "w") as two:
            files = [(lines(f"{name}_1.fq"), one), (lines("twice_2.fq"), two)]
            for at in range(0, 4 * 24000, 4 * reads_at_a_time):
                for mates, fifo in files:
                    fifo.write("".join(mates[at:at + 4 * reads_at_a_time]))

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    with start("map", "--engine", "cpu", "-t", threads, "ref.fa", *fifos) as job:
        result = job.wait(timeout=60).ok()
    writer.join()
    assert_same(f"{name}.sam", result)


@pytest.mark.parametrize("first_is_open", [False, True])
def test_a_fifo_without_a_writer_can_be_interrupted(fifos, first_is_open):
    writer = os.open(fifos[0], os.O_RDWR) if first_is_open else None
    with start("map", "ref.fa", *fifos) as job:
        with pytest.raises(subprocess.TimeoutExpired):
            job.wait(timeout=1)
        job.send_signal(SIGTERM)
        assert job.wait(timeout=20).status == 128 + SIGTERM
    if writer:
        os.close(writer)


# --- insert sizes ---


def test_statistics_of_pairs(estimate):
    assert "of the first 10000 pairs)" in estimate[0]
    stats = read_json("best.json")
    pairs, inserts = stats["pairs"], stats["insert"]
    assert pairs["total"] == 12000
    assert pairs["concordant"] + pairs["discordant"] + pairs["one_end"] + pairs["unmapped"] == 12000
    assert pairs["one_end"] > 100 and pairs["concordant"] > 11000
    assert inserts["source"] == "estimated" and inserts["pairs_examined"] == 10000
    assert 340 <= inserts["mean"] <= 360 and 50 <= inserts["standard_deviation"] <= 65
    assert inserts["min"] <= 250 and inserts["max"] >= 450
    for name, total in ("histogram", inserts["pairs_used"]), ("concordant_histogram", pairs["concordant"]):
        histogram = inserts[name]
        assert sum(histogram["counts"]) + histogram["smaller"] + histogram["larger"] == total, name
        used = [histogram["first"] + n * histogram["bin"] for n, pairs_here in enumerate(histogram["counts"])
                if pairs_here > 20]
        assert 230 <= used[0] and used[-1] <= 460, name
    assert stats["reads"]["total"] == 24000 and stats["reads"]["mapped"] == stats["alignments"]["total"]


def test_the_estimate_is_of_the_first_10000_pairs(estimate):
    for n in 1, 2:
        write(f"first_{n}.fq", lines(f"reads_{n}.fq")[:40000])
    assert messages(map_reads("ref.fa", "first_1.fq", "first_2.fq"), "insert sizes") == estimate


FEW = ["ref.fa", "few_1.fq", "few_2.fq"]


def test_too_few_pairs():
    result = map_reads(*FEW, "--stats", "out/x.json").ok()
    assert "insert sizes: 1-1000 (default; too few of the first 24 pairs" in result.stderr
    assert read_json("out/x.json")["insert"]["source"] == "default"
    message = map_reads("--insert", "300-400", *FEW).stderr
    assert "insert sizes: 300-400 (given; too few of the first 24 pairs" in message


@pytest.mark.parametrize("clip", [["--end-to-end"], []], ids=["end to end", "clipped"])
def test_a_given_range(clip):
    """It holds for whole mates before their ends are trimmed, and for pieces of the others."""
    result = map_reads(*clip, "--insert", "300-400", "ref.fa", *BOTH, "--stats", "out/x.json").ok()
    assert "insert sizes: 300-400 (given; mean 3" in result.stderr
    assert read_json("out/x.json")["insert"]["source"] == "given"
    forward = [record for record in records("out/x.sam", "-f", 2, "-F", "0x800") if record.insert > 0]
    left_out = [re.findall(r"^(\d+)S", r.cigar) + re.findall(r"(\d+)S$", r.tags["MC"]) for r in forward]
    assert any(left_out) == (clip == [])
    allowed = set(range(300, 401))
    assert len(forward) > 4000
    for record, clips in zip(forward, left_out):
        assert allowed & {record.insert, record.insert + sum(map(int, clips))}, record
    assert "--insert 300-400" in header("out/x.sam")


def test_no_pairs():
    result = run("map", "ref.fa", "empty_1.fq", "empty_2.fq", "-o", "out/x.bam", "--stats", "out/x.json").ok()
    assert count("out/x.bam") == 0
    assert "trawl map: 0 pairs; 0 reads" in result.stderr
    assert messages(result, "insert sizes") == []


# --- warnings for a library that does not fit the options ---


def test_no_warning_for_pairs_that_fit():
    assert messages(map_reads("ref.fa", *BOTH), "warning") == []


def test_the_wrong_orientation():
    for n in 1, 2:
        turned = [(name, reverse_complement(bases), *rest) for name, bases, *rest in read_fastq(f"reads_{n}.fq")]
        write_fastq(f"turned_{n}.fq", *turned)
        write_fastq(f"few_turned_{n}.fq", *turned[:24])
    result = map_reads("ref.fa", "turned_1.fq", "turned_2.fq").ok()
    assert len(messages(result, "warning")) == 2
    assert "trawl map: warning: most pairs lie as rf (" in result.stderr
    assert "not as fr; give --orientation rf" in result.stderr
    assert "trawl map: warning: only 0." in result.stderr
    assert ("% of the pairs with both mates mapped are concordant; are the files mates of each other, "
            "and is --orientation right?") in result.stderr
    assert messages(map_reads("--orientation", "rf", "ref.fa", "turned_1.fq", "turned_2.fq"), "warning") == []
    assert "not as ff; give --orientation fr" in map_reads("--orientation", "ff", "ref.fa", *BOTH).stderr
    assert messages(map_reads("ref.fa", "few_turned_1.fq", "few_turned_2.fq"), "warning") == [], "too few pairs"


@pytest.mark.parametrize("sizes", ["1-200", "1000-20000"])
def test_a_range_that_leaves_out_the_library(sizes):
    message = map_reads("--insert", sizes, "ref.fa", "few_1.fq,b_1.fq", "few_2.fq,b_2.fq").stderr
    assert f"warning: --insert {sizes} leaves out most pairs: their sizes have mean 3" in message
    assert "; leave --insert out, or give --insert " in message


def test_discordant_pairs_are_left_out():
    message = map_reads("--discordant", "never", "--insert", "1-200", "ref.fa", *BOTH).stderr
    assert " discordant (left unmapped), " in message


# --- wrong usage ---

ONE_STREAM = "only one of the files can be the standard input (-)"
LISTS = "give them as two files, trawl map REF R1 R2, or as one file with --interleaved"


@pytest.mark.parametrize("message, arguments", [
    *(("for example 100-600", ["--insert", value, "ref.fa", *BOTH]) for value in (
        "0-0", "0-500", "500-100", "500", "x", "1-", "-5", "-", "5-7x", "1 -2", "1-99999999999", "100,200")),
    ("--insert: is empty", ["--insert", "", "ref.fa", *BOTH]),
    *((f"{option.split()[0]} is for pairs; {LISTS}", [*option.split(), "ref.fa", "reads_1.fq"]) for option in (
        "--insert 1-5", "--orientation rf", "--discordant never", "--mate-fields primary")),
    ("--orientation", ["--orientation", "fx", "ref.fa", *BOTH]),
    ("trawl map: --interleaved: takes no value, but 'in_turn.fq' was given", ["--interleaved=in_turn.fq", "ref.fa"]),
    ("--interleaved: the mates are in READS, so give no MATES", ["--interleaved", "ref.fa", *BOTH]),
    (ONE_STREAM, ["ref.fa", "-", "-"]),
    (ONE_STREAM, ["-", "-", "reads_2.fq"]),
    ("are the same file", ["ref.fa", "-", "reads_1.fq"]),
    ("MATES 'reads_2.fq,': an empty file name between commas", ["ref.fa", "reads_1.fq", "reads_2.fq,"]),
    ("MATES: is empty", ["ref.fa", "reads_1.fq", ""])], ids=repr)
def test_wrong_usage(message, arguments):
    map_reads(*arguments, stdin="reads_1.fq").fails(2, message, output="out/x.sam")


@pytest.mark.parametrize("arguments", [
    "-1 reads_1.fq -2 reads_2.fq ref.fa", "ref.fa -1 reads_1.fq -2 reads_2.fq", "-x ref.fa -1 reads_1.fq -2 reads_2.fq",
    "ref.fa -1 reads_1.fq", "ref.fa reads_1.fq -2 reads_2.fq"])
def test_options_for_pairs_of_other_programs(arguments):
    result = map_reads(*arguments.split()).fails(
        2, "there is no such option; give pairs as two files, trawl map REF R1 R2", "out/x.sam")
    assert len(re.findall("^trawl map: -[12]: ", result.stderr, flags=re.M)) == 1, "the option is named"


@pytest.mark.parametrize("reads, mates", [
    *(("a_1.fq,reads_1.fq", mates) for mates in ("reads_1.fq", "./reads_1.fq", "out/hard.fq", "out/soft.fq",
                                                 "reads_2.fq,out/soft.fq", "out/pipe,out/hard.fq")),
    ("out/pipe", "out/pipe")])
def test_mates_in_the_file_of_the_reads(reads, mates):
    os.link("reads_1.fq", "out/hard.fq")
    os.symlink("../reads_1.fq", "out/soft.fq")
    os.mkfifo("out/pipe")
    map_reads("ref.fa", reads, mates).fails(
        2, "are the same file; the second mates need a file of their own", "out/x.sam")


def test_an_input_is_not_overwritten():
    os.link("reads_2.fq", "out/second.sam")
    run("map", "ref.fa", *BOTH, "-o", "out/second.sam").fails(2, "-o out/second.sam is the input reads_2.fq")
    assert len(lines("reads_2.fq")) == 48000


@pytest.mark.parametrize("message, arguments", [
    ("none.fq: cannot open", ["ref.fa", "reads_1.fq", "none.fq"]),
    ("the reference comes first: trawl map REF R1 R2", ["reads_1.fa", "reads_2.fa", "ref.fa"])])
def test_wrong_files(message, arguments):
    map_reads(*arguments).fails(1, message, output="out/x.sam")


def test_no_output_is_left():
    write("short_2.fq", lines("few_2.fq")[:40])
    map_reads("ref.fa", "few_1.fq", "short_2.fq").fails(1, "")
    assert files_in("out") == []


# --- unusable pairs, whatever the threads and batches, and in whatever format (more of them: io_read_input_test) ---


def fails(message, *arguments):
    for options in ("-t 1 -o out/x.sam", "-t 2 --tune batch-size=7 -o out/x.bam", "-t 2 -o out/x.cram",
                    "-t 1 --tune batch-size=1 -o out/x.bed.gz", "-t 2 --tune batch-size=100000 -o out/x.sam"):
        run("map", *options.split(), "ref.fa", *arguments).fails(1, message, output=options.split()[-1])


@pytest.mark.parametrize("line", [4001, 44001])
def test_errors_among_the_first_10000_pairs_and_after_them(line):
    pair = line // 4
    one, two = map(lines, BOTH)
    write("short_2.fq", two[:line - 1])
    no_mate = f":{line}: the read 'p{pair}/%d' has no mate: short_%d.fq ends after {pair} reads"
    fails("reads_1.fq" + no_mate % (1, 2), "reads_1.fq", "short_2.fq")
    write("missing_2.fq", two[:line - 1] + two[line + 3:])
    fails(f"missing_2.fq:{line}: the read 'p{pair + 1}/2' is not the mate of 'p{pair}/1' (reads_1.fq:{line}); "
          "the files are not in the same order, or a read is missing", "reads_1.fq", "missing_2.fq")
    write("letter_2.fq", two[:line] + ["!" + two[line][1:]] + two[line + 1:])
    wrong_letter = f"letter_2.fq:{line + 1}: the sequence contains '!'"
    fails(wrong_letter, "reads_1.fq", "letter_2.fq")
    # Errors in both files: the first one in the order of the pairs.
    write("later_1.fq", one[:line + 39])
    fails(wrong_letter, "later_1.fq", "letter_2.fq")


# --- mates that are mapped as single reads ---


def test_mates_in_a_list():
    result = map_reads("ref.fa", "reads_1.fq,reads_2.fq").ok()
    assert ("trawl map: warning: reads_1.fq and reads_2.fq both begin with a read named p0, so they look like "
            "mates") in result.stderr
    assert "for pairs: trawl map REF reads_1.fq reads_2.fq" in result.stderr
    assert count("out/x.sam", "-f", 1) == 0, "flags of pairs"
    assert "warning: a_1.fq is given more than once" in map_reads("ref.fa", "a_1.fq,a_1.fq").stderr
    assert "a_1.fq and reads_2.bgz both begin" in map_reads("ref.fa", "a_1.fq,reads_2.bgz,b_1.fq").stderr


def test_mates_in_turn():
    result = map_reads("ref.fa", "in_turn.gz").ok()
    assert "the first two reads of in_turn.gz are both named p0" in result.stderr
    assert "for pairs: trawl map --interleaved REF in_turn.gz" in result.stderr
    map_reads("ref.fa", "-", stdin="in_turn.fq").ok()
    assert count("out/x.sam", "-F", "0x900") == 24000


@pytest.mark.parametrize("files", ["reads_1.fq", "a_1.fq,b_1.fq", "empty_1.fq,empty_2.fq"])
def test_no_warning_for_single_reads(files):
    result = map_reads("ref.fa", files, "--stats", "out/x.json").ok()
    assert [line for line in messages(result, "warning") if "the input has no reads" not in line] == []
    stats = Path("out/x.json").read_text()
    assert '"pairs"' not in stats and '"insert"' not in stats
