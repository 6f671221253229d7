"""The same records give the same file, for any number of threads, batches, search method and kind of input. All formats
contain the same."""

import gzip
import hashlib
import os
import re
import shutil
from pathlib import Path

import pytest

from tools import assert_same, execute, has_cuda, header, make_input, read_fasta, run, sam_lines, samtools

FORMATS = ["sam", "bam", "cram", "bed", "bed.gz"]
ALL = "--report all -e 5%"


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """The reads as they are, compressed, and in two files."""
    make_input(60000, 2500)
    reads = Path("reads.fq").read_bytes()
    Path("reads.fq.gz").write_bytes(gzip.compress(reads))
    Path("reads.bgz").write_bytes(execute("bgzip", "-c", "reads.fq").ok().bytes)
    lines = reads.splitlines(keepends=True)
    Path("part1.fq").write_bytes(b"".join(lines[:4000]))
    Path("part2.fq.gz").write_bytes(gzip.compress(b"".join(lines[4000:])))


def write_all(folder, arguments, formats):
    """Nothing but the engine and the summary is said."""
    os.mkdir(folder)
    for format in formats:
        result = run("map", *arguments.split(), "-o", f"{folder}/x.{format}").ok()
        said = [line for line in result.stderr.splitlines()
                if not re.match("trawl map: ([0-9]* reads, |engine )", line)]
        assert said == [], result


def check_the_bytes(expected, arguments, formats):
    write_all("out/x", arguments, formats)
    for format in formats:
        assert_same(f"{expected}/x.{format}", f"out/x/x.{format}")
    shutil.rmtree("out/x")


# --- the same bytes ---


@pytest.fixture(scope="module", autouse=True)
def one(inputs):
    """one/: what one thread writes."""
    write_all("one", f"{ALL} -t 1 ref.fa reads.fq", FORMATS)


@pytest.mark.parametrize("how", [
    "-t 2 ref.fa reads.fq", *["-t 4 ref.fa reads.fq"] * 2, "-t 2 --tune batch-size=1 ref.fa reads.fq",
    "-t 4 --tune batch-size=7 ref.fa reads.fq", "-t 2 ref.fa reads.fq.gz", "-t 4 ref.fa reads.bgz",
    "-t 2 ref.fa part1.fq,part2.fq.gz", "-t 2 --tune search=seeds ref.fa reads.fq", "-t 2 --tune search=scan ref.fa reads.fq",
    "-t 2 --engine cpu ref.fa reads.fq"])
def test_threads_batches_searches_and_inputs(how):
    check_the_bytes("one", f"{ALL} {how}", FORMATS)


@pytest.mark.parametrize("reads", ["reads.fq", "reads.fq.gz", "reads.bgz"])
def test_reads_from_the_standard_input(reads):
    for format in "sam", "cram":
        run("map", *ALL.split(), "-t", 2, "ref.fa", "-", "-o", f"out/x.{format}", stdin=reads).ok()
        assert_same(f"one/x.{format}", f"out/x.{format}")


def test_threads_and_searches_with_ambiguous_letters():
    strata = "--report strata --strata 1 -e 4 -k 5 --ambiguous match"
    write_all("out/one", f"{strata} -t 1 --tune search=seeds ref.fa reads.fq", ["sam", "cram"])
    check_the_bytes("out/one", f"{strata} -t 4 --tune search=scan --tune batch-size=3 ref.fa reads.bgz", ["sam", "cram"])


# One batch or several at once, large and small batches, little memory, one device and all devices.
CUDA = [f"--engine cuda {how}" for how in (
    "-t 1 ref.fa reads.fq", "-t 4 --devices 0 ref.fa reads.bgz", "-t 4 --tune batch-size=7 ref.fa reads.fq",
    "-t 2 --devices all --tune batch-size=500 ref.fa reads.fq", "-t 2 --devices :4M ref.fa reads.fq",
    "-t 2 --tune search=seeds ref.fa reads.fq", "-t 2 --tune search=scan --devices :4M --tune batch-size=900 ref.fa reads.fq")]


@pytest.mark.parametrize("how", CUDA)
def test_the_engine_cuda(how):
    if not has_cuda():
        pytest.skip("the engine cuda cannot be used here")
    check_the_bytes("one", f"{ALL} {how}", FORMATS)


@pytest.mark.parametrize("report", ["--report best -e 4", "--report strata --strata 1 -e 6% -k 5 --eqx"])
def test_other_reports(report):
    """The engine cuda, too, if there is one."""
    write_all("out/cpu", f"{report} -t 2 --engine cpu ref.fa reads.fq", ["sam"])
    for how in CUDA if has_cuda() else []:
        check_the_bytes("out/cpu", f"{report} {how}", ["sam"])


def plain_sam(source):
    """Without @PG, which names the reference."""
    return [line for line in source.decode().splitlines() if not line.startswith("@PG")]


@pytest.mark.parametrize("reference", ["ref.bgz", "ref.fa.gz", "plain.fa"])
def test_a_compressed_reference(reference):
    text = Path("ref.fa").read_bytes()
    Path(reference).write_bytes({"ref.bgz": lambda: execute("bgzip", "-c", "ref.fa").ok().bytes,
                                 "ref.fa.gz": lambda: gzip.compress(text), "plain.fa": lambda: text}[reference]())
    found = run("map", *ALL.split(), reference, "reads.fq").ok()
    assert plain_sam(found.bytes) == plain_sam(Path("one/x.sam").read_bytes())


# --- SAM = BAM = CRAM ---


def lines_of(path, *options):
    """Header and records. samtools adds a @PG of its own."""
    return [line for line in sam_lines(path, "-h", *options) if not line.startswith("@PG")]


def normal(lines):
    """With the tags in order; CRAM has its own."""
    columns = [line.split("\t") for line in lines]
    return [record[:11] + sorted(record[11:]) for record in columns]


def normal_cram(path, *options):
    """Without the path of the reference."""
    return normal(re.sub("\tUR:[^\t]*", "", line) if line.startswith("@SQ") else line
                  for line in lines_of(path, *options))


@pytest.fixture(scope="module")
def iupac(inputs):
    """iupac.fa and iupac.fq: some lines have ambiguous letters."""
    for path, output, changes in (("ref.fa", "iupac.fa", [(9, 0, "[ACGT]..A", "RyKN"), (31, 0, "ACG", "NNN")]),
                                  ("reads.fq", "iupac.fq", [(8, 2, "ACT", "NRT"), (28, 2, "TTG", "YKN")])):
        lines = Path(path).read_text().splitlines(keepends=True)
        for n, line in enumerate(lines, 1):
            for every, rest, pattern, letters in changes:
                if n % every == rest and line[0] != ">":
                    lines[n - 1] = re.sub(pattern, letters, lines[n - 1], count=1)
        Path(output).write_text("".join(lines))


def check_formats(folder, reference):
    for format in "sam", "bam", "cram":
        samtools("quickcheck", "-v", f"{folder}/x.{format}")
    expected = lines_of(f"{folder}/x.sam")
    assert lines_of(f"{folder}/x.bam") == expected
    assert normal_cram(f"{folder}/x.cram", "-T", reference) == normal(expected)


def test_the_formats_hold_the_same():
    check_formats("one", "ref.fa")


@pytest.mark.parametrize("arguments", [
    "iupac.fa iupac.fq", "ref.fa reads.fq --ambiguous match", "iupac.fa iupac.fq --ambiguous match"])
def test_the_formats_hold_the_same_with_ambiguous_letters(iupac, arguments):
    for format in "sam", "bam", "cram":
        run("map", *ALL.split(), *arguments.split(), "-o", f"out/x.{format}").ok()
    check_formats("out", arguments.split()[0])


# --- how CRAM finds its reference, which it does not contain ---


def test_by_the_checksums_in_its_header(work, monkeypatch):
    """In a cache. The file of the reference is gone."""
    shutil.copy("ref.fa", "gone.fa")
    run("map", *ALL.split(), "gone.fa", "reads.fq", "-o", "out/x.cram").ok()
    os.remove("gone.fa")
    os.mkdir("cache")
    for bases in read_fasta("ref.fa").values():
        data = bases.upper().encode()
        Path("cache", hashlib.md5(data).hexdigest()).write_bytes(data)
    for name in "REF_CACHE", "REF_PATH":
        monkeypatch.setenv(name, f"{work}/cache/%s")
    assert normal_cram("out/x.cram") == normal(lines_of("one/x.sam"))


def test_by_the_path_in_its_header(work):
    """It is not the scratch file that htslib read."""
    sequences = [line for line in header("one/x.cram").splitlines() if line.startswith("@SQ")]
    assert len(sequences) == len(read_fasta("ref.fa"))
    assert [line for line in sequences if not line.endswith(f"\tUR:{work}/ref.fa")] == []
    expected = normal(lines_of("one/x.sam"))
    with pytest.MonkeyPatch.context() as patch:
        for name in "REF_CACHE", "REF_PATH":
            patch.setenv(name, f"{work}/none/%s")
        os.mkdir("elsewhere")
        patch.chdir("elsewhere")
        assert normal_cram("../one/x.cram") == expected


def test_the_path_does_not_depend_on_the_folder(work):
    os.makedirs("linked/a")
    shutil.copy("ref.fa", "linked")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("linked/a")
        run("map", "-e", "5%", "../ref.fa", "../../reads.fq", "-o", "../x.cram").ok()
    assert set(re.findall("UR:.*", header("linked/x.cram"))) == {f"UR:{work}/linked/ref.fa"}


@pytest.mark.parametrize("reference", ["plain.fa.gz", "-"])
def test_a_reference_that_htslib_cannot_read_is_not_named(reference):
    Path("plain.fa.gz").write_bytes(gzip.compress(Path("ref.fa").read_bytes()))
    run("map", reference, "reads.fq", "-o", "out/x.cram", stdin="ref.fa").ok()
    assert "UR:" not in header("out/x.cram")
