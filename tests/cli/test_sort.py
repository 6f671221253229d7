"""--sort: the records, the order and the index are those of samtools; the bytes do not depend on how the work is done;
whatever stops the program, no half file is left."""

import gzip
import os
import resource
import shutil
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

import pytest

from tools import (TRAWL, assert_same, execute, files_in, header, make_input, records, run, sam_lines, samtools, simulate,
                   start, wait_for_output)

PAIRS = ["ref.fa", "r1.fq", "r2.fq"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    make_input(300000, 12000)
    simulate("pairs", "ref.fa", 5000, 100, 5, "r1.fq", "r2.fq", "--qualities", "--error-rate", 0.03)


# --- samtools agrees ---


@pytest.fixture(scope="module")
def other_reads(inputs):
    """other.fq, of which no read has a locus as a whole; empty.fq."""
    simulate("genome", 20000, 11, "other.fa")
    simulate("reads", "other.fa", 500, 80, 3, "--qualities", output="other.fq")
    assert {record.flag for record in records(run("map", "--end-to-end", "ref.fa", "other.fq"))} == {4}
    Path("empty.fq").touch()


@pytest.mark.parametrize("arguments", [
    pytest.param(["ref.fa", "reads.fq"], id="best"),
    pytest.param(["--report", "all", "-e", 4, "ref.fa", "reads.fq"], id="all"),
    pytest.param(PAIRS, id="pairs"),
    pytest.param(["--report", "all", "--discordant", "always", *PAIRS], id="all pairs"),
    pytest.param(["--unmapped", "drop", *PAIRS], id="no unmapped reads"),
    pytest.param(["--end-to-end", "ref.fa", "other.fq"], id="reads without a locus"),
    pytest.param(["ref.fa", "other.fq"], id="reads of which few have a piece"),
    pytest.param(["ref.fa", "empty.fq"], id="no reads")])
def test_order_and_index_are_those_of_samtools(other_reads, arguments):
    """Of the unsorted file."""
    run("map", "-t", 2, *arguments, "-o", "out/plain.bam").ok()
    samtools("sort", "-o", "out/expected.bam", "out/plain.bam")
    run("map", "-t", 2, "--sort", *arguments, "-o", "out/x.bam").ok()
    assert sam_lines("out/x.bam") == sam_lines("out/expected.bam")
    samtools("index", "out/x.bam", "out/expected.bai")
    assert_same("out/expected.bai", "out/x.bam.bai")
    samtools("quickcheck", "-v", "out/x.bam")
    execute("bgzip", "-t", "out/x.bam").ok()
    lines = header("out/x.bam").splitlines()
    assert lines[0] == "@HD\tVN:1.6\tSO:coordinate"
    assert " --sort" in lines[-1], "@PG"
    samtools("index", "out/expected.bam")
    assert samtools("idxstats", "out/x.bam") == samtools("idxstats", "out/expected.bam")
    for region in "chr1:1-100", "chr3:5000-9000", "copy":
        assert sam_lines("out/x.bam", region) == sam_lines("out/expected.bam", region), region


# --- the same bytes ---


INDEXES = {"bam": "bam.bai", "cram": "cram.crai"}
BOTH_FORMATS = pytest.mark.parametrize("format", INDEXES)


@pytest.fixture(scope="module")
def one(inputs):
    """one.bam and one.cram: what one thread writes, with memory enough."""
    for format in INDEXES:
        run("map", "-t", 1, "--sort", *PAIRS, "-o", f"one.{format}", "--stats", "one.json").ok()
        assert '"spilled_bytes": 0' in Path("one.json").read_text()


@BOTH_FORMATS
@pytest.mark.parametrize("how, spills", [
    ("-t 2", False), ("-t 4 --tune batch-size=77", False), ("-t 2 --sort-memory 1M", True),
    ("-t 3 --sort-memory 1M --tune batch-size=100", True), ("-t 1 --sort-memory 2M", True), ("-t 2 --sort-memory 64M", False)])
def test_the_bytes_do_not_depend_on_threads_batches_and_memory(one, how, spills, format):
    run("map", *how.split(), "--sort", *PAIRS, "-o", f"out/y.{format}", "--stats", "y.json").ok()
    assert_same(f"one.{format}", f"out/y.{format}")
    assert_same(f"one.{INDEXES[format]}", f"out/y.{INDEXES[format]}")
    if spills:
        assert '"spilled_bytes": 0' not in Path("y.json").read_text()


def test_cram_has_the_records_and_the_index_of_samtools(one):
    run("map", *PAIRS, "-o", "out/plain.bam")
    samtools("sort", "--write-index", "-o", "out/expected.bam", "out/plain.bam")
    for region in [], ["chr2:100-4000"]:
        found, expected = records("one.cram", "-T", "ref.fa", *region), records("out/expected.bam", *region)
        assert [record[:11] for record in found] == [record[:11] for record in expected]
    samtools("index", "one.cram", "out/expected.crai")
    assert gzip.decompress(Path("one.cram.crai").read_bytes()) == gzip.decompress(Path("out/expected.crai").read_bytes())
    samtools("quickcheck", "-v", "one.cram")


# --- links; old indexes ---

SORT_READS = ["map", "--sort", "ref.fa", "reads.fq"]


def test_no_old_index_is_left():
    for old in "x.bam", "x.bam.bai", "x.bam.csi", "x.bai":
        Path("out", old).write_text("old\n")
    run(*SORT_READS, "-o", "out/x.bam").ok()
    assert files_in("out") == ["x.bam", "x.bam.bai"]
    samtools("idxstats", "out/x.bam")


def test_links_are_followed():
    os.mkdir("out/elsewhere")
    os.symlink("elsewhere/y.bam", "out/x.bam")
    os.symlink("elsewhere/y.bai", "out/x.bam.bai")
    Path("out/elsewhere/y.bai").write_text("old\n")
    run(*SORT_READS, "-o", "out/x.bam").ok()
    assert files_in("out/elsewhere") == ["y.bai", "y.bam"]
    samtools("idxstats", "out/x.bam")


def test_an_index_of_an_older_file():
    """It is kept, with a warning."""
    assert "warning" not in run("map", "ref.fa", "reads.fq", "-o", "out/x.bam").stderr
    for name in "x.bam.csi", "x.bai", "x.cram.crai":
        Path("out", name).touch()
    message = run("map", "ref.fa", "reads.fq", "-o", "out/x.bam").ok().stderr
    assert "warning: out/x.bai and out/x.bam.csi are of an older file, not of out/x.bam" in message
    message = run("map", "ref.fa", "reads.fq", "-o", "out/x.cram").stderr
    assert "warning: out/x.cram.crai is of an older file, not of out/x.cram" in message
    assert files_in("out") == ["x.bai", "x.bam", "x.bam.csi", "x.cram", "x.cram.crai"]
    assert "warning" not in run("map", "ref.fa", "reads.fq", "-o", "out/x.sam").stderr, "SAM has no index"
    assert "warning" not in run(*SORT_READS, "-o", "out/x.bam").stderr, "a new index"


# --- wrong usage ---


def test_outputs_that_cannot_be_sorted():
    run(*SORT_READS).fails(2, "--sort writes BAM or CRAM with an index beside it, but the standard output has no name; "
                              "name a file with -o, or leave --sort out")
    for output in "out/x.sam", "out/x.bed", "out/x.bed.gz":
        run(*SORT_READS, "-o", output).fails(2, "--sort writes BAM or CRAM", output)
    os.mkfifo("out/pipe.bam")
    run(*SORT_READS, "-o", "out/pipe.bam").fails(
        2, "pipe.bam is a pipe or a device; name a file with -o, or leave --sort out: trawl map ... | samtools sort")


@pytest.mark.parametrize("options, message", [
    ("--sort-memory=1G", "--sort-memory needs --sort"),
    *((f"--sort --sort-memory={size}", f"--sort-memory {size}") for size in ("1X", "M", "-1G")),
    *((f"--sort --sort-memory={size}", f"--sort-memory {size}: at least 1M is needed")
      for size in ("100K", "100k", "0", "64"))])
def test_wrong_sort_memory(options, message):
    run("map", *options.split(), "ref.fa", "reads.fq", "-o", "out/x.bam").fails(2, message, output="out/x.bam")


@pytest.mark.parametrize("size", ["2000k", "1m", "1g"])
def test_sort_memory(size):
    run(*SORT_READS, f"--sort-memory={size}", "-o", "out/x.bam").ok()


def test_the_index_is_no_other_file_of_the_run():
    run(*SORT_READS, "-o", "out/x.bam", "--stats", "out/x.bam.bai").fails(
        2, "--stats out/x.bam.bai and --sort's index out/x.bam.bai are the same file; give each its own", "out/x.bam")
    shutil.copy("reads.fq", "out/x.bam.bai")
    run("map", "--sort", "ref.fa", "out/x.bam.bai", "-o", "out/x.bam").fails(2, "is the input out/x.bam.bai", "out/x.bam")
    assert_same("reads.fq", "out/x.bam.bai")


def test_the_index_cannot_be_written():
    os.mkdir("out/x.bam.bai")
    run(*SORT_READS, "-o", "out/x.bam").fails(1, "out/x.bam.bai", "out/x.bam")


# --- no room ---

SPILL = [*SORT_READS, "--sort-memory", "1M"]


def test_no_room_for_temporary_files():
    result = run(*SPILL, "-o", "out/x.bam", limits={resource.RLIMIT_FSIZE: 60 << 10})
    result.fails(1, f"{os.environ['TMPDIR']}: cannot write a temporary file for sorted records")
    assert "TMPDIR to a directory that takes one" in result.stderr
    assert files_in("out") == []


def test_no_room_for_the_output():
    run(*SPILL, "-o", "out/x.bam", limits={resource.RLIMIT_FSIZE: 500 << 10}).fails(1, "out/x.bam: cannot write")
    assert files_in("out") == []


def test_no_directory_for_temporary_files(work):
    missing = {"TMPDIR": f"{work}/missing"}
    # Also if all records fit into memory: else the error would come late.
    for command in SPILL, SORT_READS:
        run(*command, "-o", "out/x.bam", env=missing).fails(1, f"{work}/missing: cannot create a temporary file")
        assert files_in("out") == []
    run("map", "ref.fa", "reads.fq", "-o", "out/x.bam", env=missing).ok()


@pytest.fixture
def small_disk(work):
    folder = work / "small"
    folder.mkdir()
    if execute("mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder).status != 0:
        pytest.skip("no file system can be mounted here")
    yield folder
    execute("umount", folder).ok()


def test_a_full_file_system(small_disk):
    result = run(*SPILL, "-o", "out/x.bam", env={"TMPDIR": str(small_disk)})
    result.fails(1, f"{small_disk}: cannot write a temporary file")
    assert "No space left on device; make room there" in result.stderr
    run(*SPILL, "-o", "small/x.bam").fails(1, "small/x.bam: cannot write")
    assert files_in("out") + files_in("small") == []


# --- stopped ---

STOPPED = pytest.mark.parametrize("signal", [SIGINT, SIGTERM, SIGKILL], ids=lambda signal: signal.name)


@STOPPED
def test_stopped_while_it_reads(signal):
    os.mkfifo("out/fifo")
    with start("map", "-t", 2, "--tune", "batch-size=100", "--sort", "--sort-memory", "1M", "ref.fa", "out/fifo",
               "-o", "out/x.bam") as job, open("out/fifo", "wb") as fifo:
        fifo.write(Path("reads.fq").read_bytes())
        fifo.flush()
        assert wait_for_output(job, "tmp")
        assert files_in("tmp") == [], "temporary files have no names"
        job.send_signal(signal)
        result = job.wait()
    result.stopped(signal, "interrupted; no output file was kept")
    assert files_in("out") + files_in("tmp") == ["fifo"]


@pytest.fixture(scope="module")
def many_reads(inputs):
    simulate("reads", "ref.fa", 60000, 150, 9, "--qualities", output="many.fq")


def is_old(path):
    return path.read_bytes()[:3] == b"old"


@STOPPED
@pytest.mark.parametrize("memory", ["1M", "1G"])
@BOTH_FORMATS
def test_stopped_while_it_merges(many_reads, signal, memory, format):
    """The output begins to grow then."""
    output, index = Path(f"out/x.{format}"), Path(f"out/x.{INDEXES[format]}")
    for path in output, index:
        path.write_text("old\n")
    with start("map", "-t", 1, "--sort", "--sort-memory", memory, "ref.fa", "many.fq", "-o", output) as job:
        wait_for_output(job, "out", more_than=3584)
        job.send_signal(signal)
        result = job.wait()
    if is_old(output):
        assert result.status != 0, "success without an output"
        # The old index may be gone, but no other one is there.
        assert not index.exists() or is_old(index), "a new index, an old file"
    else:
        samtools("quickcheck", output)
        assert not index.exists() or not is_old(index), "an old index, a new file"
    if signal == SIGKILL and result.status != 0:
        result.killed()
    assert set(files_in("out")) <= {output.name, index.name}
    assert files_in("tmp") == []


@pytest.mark.parametrize("signal, link", [(SIGINT, 1), (SIGKILL, 2)])
def test_stopped_while_files_get_their_names(signal, link):
    """Between the file and its index. strace sends the signal there: SIGKILL comes before the link, others after it."""
    if not shutil.which("strace") or execute("strace", "-o", "/dev/null", "true").status != 0:
        pytest.skip("strace cannot be used here")
    result = execute("strace", "-f", "-o", "/dev/null", "-e", "trace=linkat",
                     "-e", f"inject=linkat:signal={signal.name}:when={link}", TRAWL, *SORT_READS, "-o", "out/x.bam")
    assert files_in("out") == ["x.bam"]
    samtools("quickcheck", "out/x.bam")
    if signal == SIGKILL:
        result.killed()
    else:
        result.fails(130, "trawl map: interrupted while the finished output files got their names")
