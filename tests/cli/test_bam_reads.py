"""trawl map and scan of reads in SAM, BAM and CRAM; pairs and single reads in one input; other ways of packing; Phred+64."""

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools import (assert_same, execute, fastq, header, make_input, random_bases, read_fastq, records,
                   reverse_complement, run, sam_lines, samtools, simulate, write_fasta, write_fastq)

PAIRED, REVERSE, FIRST, SECOND, FAILED = 0x1, 0x10, 0x40, 0x80, 0x200
HD, SORTED = "@HD\tVN:1.6", "@HD\tVN:1.6\tSO:coordinate"
GROUPS = "@RG\tID:a\tSM:s\tPL:ILLUMINA\n@RG\tID:b\tSM:s\tPL:ILLUMINA\n"


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """2000 pairs in m1.fq and m2.fq."""
    make_input(40000, 400)
    simulate("pairs", "ref.fa", 2000, 75, 5, "m1.fq", "m2.fq", "--qualities", "--error-rate", 0.01)


def line(name, flag, bases="", qualities=None, *tags, place="*\t0"):
    """A record of SAM, without an alignment unless it has a place."""
    return "\t".join([name, str(flag), place, "0", f"{len(bases)}M" if place[0] != "*" else "*", "*", "0", "0", bases or "*",
                      qualities or "I" * len(bases) or "*", *tags])


random.seed(5)
A, B, C = (random_bases(50 + n) for n in range(3))
FIRST_A, SECOND_A = line("a", PAIRED | FIRST, A), line("a", PAIRED | SECOND, B)
PAIR = [FIRST_A, SECOND_A]
ALIGNED = [line("a", PAIRED | FIRST, A, place="c\t5"), line("a", PAIRED | SECOND, B, place="c\t300")]
LINES = {
    "header only": (HD, [], []),
    "no header line but @CO": ("@CO\tx", PAIR, [("a", 0x41, A), ("a", 0x81, B)]),
    "second mate first": (HD, PAIR[::-1], [("a", 0x41, A), ("a", 0x81, B)]),
    "mates without their numbers": (HD, [line("a", PAIRED, A), line("a", PAIRED, B)], [("a", 0x41, A), ("a", 0x81, B)]),
    "only one with a number": (HD, [line("a", PAIRED, A), line("a", 0x41, B)], [("a", 0x41, B), ("a", 0x81, A)]),
    "a lone mate": (HD, [FIRST_A, line("b", 0, C)], [("a", 0, A), ("b", 0, C)]),
    "a lone mate at the end": (HD, [line("b", 0, C), SECOND_A], [("b", 0, C), ("a", 0, B)]),
    "single reads of one name": (HD, [line("a", 0, A), line("a", 0, B), line("a", 0, C)],
                                 [("a", 0, A), ("a", 0, B), ("a", 0, C)]),
    "three mates": (HD, PAIR + [FIRST_A], "the read 'a' has 3 records, 3 of them with the flag of pairs"),
    "a mate and a single read": (HD, [FIRST_A, line("a", 0, B)], "the read 'a' has 2 records, 1 of them with the flag"),
    "two first mates": (HD, [FIRST_A, FIRST_A], "the read 'a' has two first mates"),
    "two second mates": (HD, [SECOND_A, SECOND_A], "the read 'a' has two second mates"),
    "sorted pairs": (SORTED, ALIGNED, "sorted by coordinate; group them by name: samtools collate -u -O"),
    "sorted pairs without a place": (SORTED, PAIR, [("a", 0x41, A), ("a", 0x81, B)]),
    "sorted single reads": (SORTED, [line("a", 0, A, place="c\t5")], [("a", 0, A)]),
    "mates apart": (HD, [FIRST_A, line("b", 0, C), SECOND_A], "the read 'a' and its mate do not follow each other"),
    "no bases": (HD, [line("a", 0), line("b", 0, C)], [("a", 0, ""), ("b", 0, C)]),
    "no qualities": (HD, [line("a", 0, A, "*"), line("b", 0, C)], [("a", 0, A), ("b", 0, C)]),
    "reverse strand": (HD, [line("a", REVERSE, reverse_complement(A), place="c\t5")], [("a", 0, A)]),
    "other records of a read": (HD, [FIRST_A, line("a", 0x141, place="c\t9"), line("a", 0x841, A[:20], place="c\t9"), SECOND_A],
                                [("a", 0x41, A), ("a", 0x81, B)]),
    "failed": (HD, [line("a", FAILED, A), line("b", 0, C)], [("a", 0x200, A), ("b", 0, C)]),
    "failed second mate": (HD, [FIRST_A, line("a", 0x281, B)], [("a", 0x41, A), ("a", 0x281, B)]),
    "tags that are not copied": (HD, [line("a", 0, A, None, "XX:Z:\u007f", "NM:i:7")], [("a", 0, A)]),
    "a known group": (HD + "\n" + GROUPS.strip(), [line("a", 0, A, None, "RG:Z:a")], [("a", 0, A)]),
    "an unknown group": (HD, [line("a", 0, A, None, "RG:Z:x")], "the read 'a' has the read group 'x', which the header"),
    "two groups of one ID": (HD + "\n@RG\tID:a\tSM:x\n@RG\tID:a\tSM:y", [line("a", 0, A)], "ID a"),
    "no name": (HD, [line("*", 0, A)], "the read name * has another meaning in SAM"),
    "a base =": (HD, [line("a", 0, "ACG=")], "the sequence contains '='"),
}


def found(source):
    return [(r.name, r.flag & 0x2c1, (reverse_complement(r.bases) if r.flag & REVERSE else r.bases).strip("*"))
            for r in records(source)]


def write_sam(path, head, lines, end="\n"):
    text = "".join(one + end for one in [*head.split("\n"), *(["@SQ\tSN:c\tLN:1000"]), *lines])
    Path(path).write_bytes(text.encode())


@pytest.mark.parametrize("name", LINES)
def test_records(name):
    """Nothing is lost, or a message says what is wrong and no file is left; as SAM, BAM, with CRLF, and from a pipe."""
    head, lines, expected = LINES[name]
    write_sam("out/x.sam", head, lines)
    write_sam("out/crlf.sam", head, lines, "\r\n")
    inputs = ["out/x.sam", "out/crlf.sam"]
    if subprocess.run(["samtools", "view", "-b", "--no-PG", "-o", "out/x.bam", "out/x.sam"], stderr=subprocess.DEVNULL).returncode == 0:
        inputs.append("out/x.bam")
    for path in inputs:
        for how in ({}, {"stdin": Path(path).read_bytes()}):
            result = run("map", "ref.fa", "-" if how else path, "-o", "out/y.sam", **how)
            if isinstance(expected, str):
                result.fails(1 if "ID a" not in expected else result.status, expected, "out/y.sam")
                assert result.status
            else:
                result.ok()
                assert found("out/y.sam") == expected, path
                samtools("quickcheck", "out/y.sam")


def test_qualities():
    """Those of a read without them are not known; others stay."""
    write_sam("out/x.sam", HD, [line("a", 0, A, "*"), line("b", 0, "A", "*"), line("c", 0, "A", "5"), line("d", REVERSE, "AC", "5!", place="c\t5")])
    samtools("view", "-b", "-o", "out/x.bam", "out/x.sam")
    assert [r.qualities for r in records(run("map", "ref.fa", "out/x.bam").ok())] == ["*", "*", "5", "!5"]


@pytest.mark.parametrize("message, arguments", [
    ("m1.fq: the files of a list must all be SAM, BAM or CRAM", ["reads.bam,m1.fq"]),
    ("reads.bam: the files of a list must all be SAM, BAM or CRAM", ["m1.fq,reads.bam"]),
    ("reads.bam: has alignments, so it has both mates of a pair itself; give it alone", ["reads.bam", "m2.fq"]),
    ("reads.bam: --phred64 is for FASTQ", ["--phred64", "reads.bam"]),
    ("half.bam: this BAM is damaged or not complete; check it with samtools quickcheck", ["half.bam"]),
    ("no_end.bam: this BAM is damaged or not complete", ["no_end.bam"]),
    ("head.bam: this BAM is damaged or not complete", ["head.bam"]),
    ("middle.bam: this BAM is damaged or not complete", ["middle.bam"]),
    ("half.sam: this SAM is damaged or not complete", ["half.sam"]),
    ("typed.sam: this SAM is damaged or not complete", ["typed.sam"]),
    ("twice.sam: -C: in the read's comment, 'XX:i:2' is not a SAM tag, or comes twice", ["-C", "twice.sam"]),
    ("reads.cram: this CRAM cannot be decoded: it is damaged, or its reference is not found", ["reads.cram"]),
])
def test_damaged_files(message, arguments):
    samtools("import", "-0", "m1.fq", "-o", "reads.bam")
    whole = Path("reads.bam").read_bytes()
    Path("half.bam").write_bytes(whole[:len(whole) // 2])
    Path("no_end.bam").write_bytes(whole[:-28])
    Path("head.bam").write_bytes(whole[:60])
    Path("middle.bam").write_bytes(whole[:50000] + b"\0" * 100 + whole[50100:])
    write_sam("half.sam", HD, [line("a", 0, A), line("b", 0, B)[:60]])
    write_sam("typed.sam", HD, [line("a", 0, A, None, "XX:q:1")])
    write_sam("twice.sam", HD, [line("a", 0, A, None, "XX:i:1", "XX:i:2")])
    write_fasta("own.fa", ("c", A + B + C))
    write_sam("placed.sam", HD, [line("a", 0, A, place="c\t1")])
    Path("placed.sam").write_text(Path("placed.sam").read_text().replace("LN:1000", f"LN:{len(A + B + C)}"))
    samtools("view", "-C", "-T", "own.fa", "-o", "reads.cram", "placed.sam")
    Path("own.fa").unlink()
    run("map", "ref.fa", *arguments, "-o", "out/x.bam", env={"REF_PATH": "/nowhere"}).fails(1, message, "out/x.bam")
    if arguments[-1] == arguments[0] and arguments[0].endswith("bam") and "," not in arguments[0]:
        run("map", "ref.fa", "-", "-o", "out/x.bam", stdin=arguments[0]).fails(1, "standard input: this BAM is damaged", "out/x.bam")
        run("map", "ref.fa", "-", "-o", "out/x.bam", stdin=Path(arguments[0]).read_bytes()).fails(1, "", "out/x.bam")


# --- the same as FASTQ ---


@pytest.fixture(scope="module")
def bam():
    """pairs.bam with two read groups and tags, of m1.fq and m2.fq."""
    lines = []
    for n, (one, other) in enumerate(zip(read_fastq("m1.fq"), read_fastq("m2.fq"))):
        tags = f"RG:Z:{'ab'[n % 2]}", f"BC:Z:ACGT-{n}", f"XI:i:{n - 99}", "XA:Z:c,+1,9M,0;", "NM:i:3"
        mates = [line(one[0].split()[0].split("/")[0], flag, mate[1], mate[2], *tags) for flag, mate in ((0x4d, one), (0x8d, other))]
        lines += mates[::-1] if n % 3 == 0 else mates
    programs = "@PG\tID:first\tPN:first\n@PG\tID:trawl\tPN:trawl\tPP:first\n@CO\tsome text"
    write_sam("pairs.sam", HD + "\n" + GROUPS + programs, lines)
    samtools("view", "-b", "--no-PG", "-o", "pairs.bam", "pairs.sam")
    samtools("view", "-C", "--no-PG", "-o", "pairs.cram", "pairs.sam")
    return "pairs.bam"


def without_tags(source):
    return [one.split("\tRG:Z:")[0] for one in sam_lines(source)]


@pytest.mark.parametrize("options", [[], ["--report", "all", "-e", 4], ["-t", 1], ["-t", 4, "--tune", "batch-size=3"]], ids=str)
def test_the_records_of_fastq(bam, options):
    run("map", *options, "ref.fa", "m1.fq", "m2.fq", "-o", "out/fq.sam").ok()
    for path in bam, "pairs.sam", "pairs.cram":
        run("map", *options, "ref.fa", path, "-o", "out/x.sam").ok()
        assert without_tags("out/fq.sam") == without_tags("out/x.sam")
        tags = {tuple(one.split("\t")[:1]) + tuple(re.findall(r"\t(RG:Z:.)$", one)) for one in sam_lines("out/x.sam")}
        assert len(tags) == 2000 and all(len(one) == 2 for one in tags)
    result = run("map", *options, "ref.fa", "-", stdin=Path(bam).read_bytes()).ok()
    assert without_tags("out/x.sam") == without_tags(result)


def test_pairs_of_an_aligned_file(bam):
    """Mapped, sorted and grouped again: the same as before, but for the order."""
    run("map", "--sort", "--copy-tags", "BC", "ref.fa", bam, "-o", "out/sorted.bam").ok()
    run("map", "ref.fa", "out/sorted.bam", "-o", "out/x.bam").fails(1, "samtools collate -u -O out/sorted.bam | trawl map REF -", "out/x.bam")
    samtools("collate", "-o", "out/grouped.bam", "out/sorted.bam")
    run("map", "--insert", "1-2000", "ref.fa", "out/grouped.bam", "-o", "out/x.sam").ok()
    run("map", "--insert", "1-2000", "ref.fa", bam, "-o", "out/y.sam").ok()
    assert sorted(sam_lines("out/x.sam")) == sorted(sam_lines("out/y.sam"))


@pytest.mark.parametrize("options, tags", [([], "RG"), (["-C"], "RG BC XI"), (["--copy-tags", "all"], "RG BC XI"),
                                           (["--copy-tags", "XI,BC"], "RG BC XI"),
                                           (["--copy-tags", "BC", "-R", r"@RG\tID:z\tSM:s"], "BC")])
def test_tags(bam, options, tags):
    run("map", *options, "ref.fa", bam, "-o", "out/x.sam").ok()
    for n, one in enumerate(sam_lines("out/x.sam")):
        found = re.findall(r"\t((?:RG|BC|XI|XA):\S*)", one)
        if "-R" in options:
            assert found.pop(0) == "RG:Z:z"
        values = {"RG": f"RG:Z:{'ab'[n // 2 % 2]}", "BC": f"BC:Z:ACGT-{n // 2}", "XI": f"XI:i:{n // 2 - 99}", "XA": "XA:Z:c,+1,9M,0;"}
        assert found == [values[tag] for tag in tags.split()]


def test_tags_of_comments():
    write_fastq("out/x.fq", ("r 1:N:0:ACGT RX:Z:AC\tBC:Z:GT\tno tag", A, "I" * len(A)))
    assert sam_lines(run("map", "--copy-tags", "BC", "ref.fa", "out/x.fq").ok())[0].endswith("\tBC:Z:GT")
    for tags, message in ("RX,B", "'B' is no tag"), ("NM", "Trawl writes NM itself"), ("RX,,BC", "'' is no tag"):
        run("map", "--copy-tags", tags, "ref.fa", "out/x.fq", "-o", "out/x.sam").fails(2, message, "out/x.sam")


@pytest.mark.parametrize("format", ["sam", "bam", "cram"])
def test_the_header(bam, format):
    """Read groups, programs and comments are taken over; programs that read it find no fault."""
    run("map", "ref.fa", bam, "-o", f"out/x.{format}").ok()
    head = samtools("view", "-H", "--no-PG", f"out/x.{format}")
    assert "".join(re.findall("@RG.*\n", head)) == GROUPS
    assert re.findall(r"@PG\tID:(\S*)(?:.*\tPP:(\S*))?", head) == [("first", ""), ("trawl", "first"), ("trawl.1", "trawl")]
    assert head.endswith("@CO\tsome text\n")
    samtools("quickcheck", "-v", f"out/x.{format}")
    if shutil.which("PicardCommandLine") and format == "bam":
        said = execute("PicardCommandLine", "ValidateSamFile", "I=out/x.bam", "MODE=SUMMARY", "QUIET=true").ok().stdout
        assert "No errors found" in said, said


def test_headers_of_several_files(bam):
    """A group of several files comes once. A program of another file with a known ID gets a new one."""
    write_sam("out/b.sam", f"{HD}\n{GROUPS}@RG\tID:c\tSM:s\n@PG\tID:first\tPN:other\n@PG\tID:next\tPN:next\tPP:first", [line("z", 0, A, None, "RG:Z:c")])
    head = run("map", "ref.fa", f"{bam},out/b.sam", "-o", "out/x.sam").ok() and header("out/x.sam")
    assert re.findall(r"@RG\tID:(.)", head) == ["a", "b", "c"]
    assert re.findall(r"@PG\tID:(\S*)(?:.*\tPP:(\S*))?", head) == [
        ("first", ""), ("trawl", "first"), ("first.1", ""), ("next", "first.1"), ("trawl.1", "next")]
    assert len(sam_lines("out/x.sam")) == 4001
    write_sam("out/b.sam", f"{HD}\n@RG\tID:a\tSM:other", [line("z", 0, A)])
    run("map", "ref.fa", f"{bam},out/b.sam", "-o", "out/y.sam").fails(2, "two read groups of the input have the ID a", "out/y.sam")


# --- pairs and single reads ---


def test_single_reads_only(bam):
    """A BAM of single reads is no library of pairs, for --damage and --for hla, from a file and from a pipe."""
    write_fastq("out/x.fq", *((f"r{n}", A, "I" * len(A)) for n in range(9)))
    execute("samtools", "import", "-0", "out/x.fq", "-o", "out/x.bam").ok()
    for options in ["--for", "adna"], ["--for", "hla"], ["--insert", "100-500"]:
        expected = run("map", *(options if options[0] == "--for" else []), "ref.fa", "out/x.fq").ok()
        for found in (run("map", *options, "ref.fa", "out/x.bam").ok(),
                      run("map", *options, "ref.fa", "-", stdin=Path("out/x.bam").read_bytes()).ok()):
            assert "pairs; " not in found.stderr and sam_lines(found) == sam_lines(expected)
    run("map", "--for", "adna", "ref.fa", bam, "-o", "out/x.sam").fails(2, "--damage is for single reads", "out/x.sam")


@pytest.fixture(scope="module")
def mixed():
    """mixed.fq: pairs and single reads by turns, some of them many times."""
    random.seed(9)
    text, pairs, alone = [], [], []
    mates = list(zip(read_fastq("m1.fq"), read_fastq("m2.fq")))
    for n, (one, other) in enumerate(mates):
        name = one[0].split()[0].split("/")[0]
        pairs += [(name + "/1", *one[1:]), (name + "/2", *other[1:])]
        text += pairs[-2:]
        for _ in range(random.choice([0, 1, 1, 1, 5])):
            bases, qualities = one[1], other[2]
            alone.append((f"single{len(alone)}", bases, qualities))
            text.append(alone[-1])
    for path, reads in ("mixed.fq", text), ("pairs.fq", pairs), ("alone.fq", alone):
        write_fastq(path, *reads)
    return "mixed.fq"


INTERLEAVED = ["map", "--interleaved", "--insert", "50-800", "ref.fa"]


def test_records_of_pairs_and_single_reads(mixed):
    """They are those of the two kinds alone, in the order of the input, for any threads and batches."""
    run(*INTERLEAVED, "--singles", mixed, "-t", 1, "-o", "out/mixed.sam").ok()
    run(*INTERLEAVED, "pairs.fq", "-o", "out/pairs.sam").ok()
    run("map", "ref.fa", "alone.fq", "-o", "out/alone.sam").ok()
    of_name = {}
    for one in sam_lines("out/pairs.sam") + sam_lines("out/alone.sam"):
        of_name.setdefault(one.split("\t")[0], []).append(one)
    names = dict.fromkeys(name.split("/")[0] for name, *_ in read_fastq(mixed))
    assert [one for name in names for one in of_name[name]] == sam_lines("out/mixed.sam")
    for how in "-t 2", "-t 4 --tune batch-size=1", "-t 3 --tune batch-size=2", "-t 2 --tune batch-size=7":
        run(*INTERLEAVED, "--singles", mixed, *how.split(), "-o", "out/x.sam").ok()
        assert_same("out/mixed.sam", "out/x.sam")
    alone = len(read_fastq("alone.fq"))
    for options in ["--report", "all", "-e", 3], ["--sort", "--mark-duplicates"]:
        for n, how in enumerate(("-t 1", "-t 4 --tune batch-size=5")):
            result = run(*INTERLEAVED, "--singles", mixed, *options, *how.split(), "-o", f"out/{n}.bam").ok()
        assert_same("out/0.bam", "out/1.bam")
    assert re.search(f"map: 2000 pairs, .*; {alone} single reads; {4000 + alone} reads, ", result.stderr), result


ONE, TWO = fastq("x/1", A), fastq("x/2", B)


@pytest.mark.parametrize("text, expected", [
    ("", []),
    (fastq("s", A), [("s", 0, A)]),
    (ONE + TWO + fastq("s", C), [("x", 0x41, A), ("x", 0x81, B), ("s", 0, C)]),
    (fastq("s", C) + ONE + TWO, [("s", 0, C), ("x", 0x41, A), ("x", 0x81, B)]),
    (ONE + fastq("s", C) + TWO, [("x/1", 0, A), ("s", 0, C), ("x/2", 0, B)]),
    (fastq("x 1:N:0:A", A) + fastq("x 2:N:0:A", B) + fastq("y", C), [("x", 0x41, A), ("x", 0x81, B), ("y", 0, C)]),
    ((ONE + TWO + fastq("s", C)).replace("\n", "\r\n"), [("x", 0x41, A), ("x", 0x81, B), ("s", 0, C)]),
    (ONE + TWO + TWO, "x.fq:9: this is the third read with the name 'x/2'"),
    (fastq("x", A) * 3, "x.fq:9: this is the third read with the name 'x'"),
    (TWO + ONE, "x.fq:5: the read 'x/1' is not the mate of 'x/2' (out/x.fq:1); the second mate (/2) comes first"),
    (ONE + ONE, "both are first mates"),
    (fastq("x 2:N:0:A", A) + fastq("x 1:N:0:A", B), "is marked as second mate (2:), but comes first"),
    (fastq("s", A) + ONE + "@y\nACGT\n", "x.fq:9: the last record is not complete"),
    (fastq("s", A) + ONE.replace("A", "!", 1) + "@y\nACGT\n", "x.fq:6: the sequence contains '!'"),
])
@pytest.mark.parametrize("batch", [0, 1, 2])
def test_single_reads(text, expected, batch):
    Path("out/x.fq").write_bytes(text.encode())
    result = run("map", "--interleaved", "--singles", "--tune", f"batch-size={batch}", "ref.fa", "out/x.fq", "-o", "out/x.sam")
    if isinstance(expected, str):
        result.fails(1, expected, "out/x.sam")
    else:
        result.ok()
        assert found("out/x.sam") == expected


def test_singles_is_for_interleaved():
    run("map", "--singles", "ref.fa", "m1.fq", "-o", "out/x.sam").fails(2, "--singles needs --interleaved", "out/x.sam")


# --- trawl scan ---


def test_scan(bam):
    """Of SAM, BAM and CRAM, from files and pipes, in the order of the file; the mates need not be grouped."""
    fields = [one.split("\t") for one in sam_lines("pairs.sam")]
    write_fastq("out/x.fq", *((one[0], one[9], one[10]) for one in fields))
    scan = ["scan", "-p", random_bases(8), "-e", 1]
    expected = run(*scan, "out/x.fq").ok()
    for path in bam, "pairs.sam", "pairs.cram":
        assert_same(expected, run(*scan, path).ok())
        assert_same(expected, run(*scan, "-", stdin=Path(path).read_bytes()).ok())
        assert_same(expected, run(*scan, "-", stdin=path).ok())


# --- packed files ---


PACKERS = [("bz2", "bzip2"), ("xz", "xz")]


@pytest.mark.parametrize("extension, program", PACKERS)
def test_packed_files(extension, program):
    """Reads, references and patterns; several streams; files that are cut off or damaged."""
    if not shutil.which(program) or program.strip("2") not in run("info").ok().stdout:
        pytest.skip(f"no {program} here, or not in this build")
    def pack(data):
        return subprocess.run([program, "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    text = Path("m1.fq").read_bytes()
    whole = pack(text)
    expected = run("map", "ref.fa", "m1.fq").ok()
    for data in whole, pack(text[:1000]) + pack(b"") + pack(text[1000:]):
        Path(f"m1.fq.{extension}").write_bytes(data)
        for how in ["-t", 1], ["-t", 3]:
            assert_same(expected, run("map", *how, "ref.fa", f"m1.fq.{extension}").ok())
        assert_same(expected, run("map", "ref.fa", "-", stdin=data).ok())
    Path(f"ref.fa.{extension}").write_bytes(pack(Path("ref.fa").read_bytes()))
    assert sam_lines(expected) == sam_lines(run("map", f"ref.fa.{extension}", "m1.fq").ok())
    write_fasta("p.fa", ("p", "ACGTACGT"))
    Path(f"p.fa.{extension}").write_bytes(pack(Path("p.fa").read_bytes()))
    scan = ["scan", "-e", 1]
    assert_same(run(*scan, "m1.fq", "p.fa").ok(), run(*scan, f"m1.fq.{extension}", f"p.fa.{extension}").ok())
    name = {"bz2": "bzip2"}.get(extension, extension)
    for data, message in ((whole[:-9], f"the {name} data end in the middle; the file is truncated"),
                          (whole[:20000] + b"\0" * 20 + whole[20020:], f"the {name} data are damaged"),
                          (whole + b"more than a header", f"the {name} data are damaged")):
        Path("out/x").write_bytes(data)
        for how in [], ["-t", 1]:
            run("map", *how, "ref.fa", "out/x", "-o", "out/x.sam").fails(1, f"out/x: {message}", "out/x.sam")


# --- Phred+64 ---


def test_phred64():
    reads = read_fastq("m1.fq")
    write_fastq("out/old.fq", *((name, bases, "".join(chr(ord(q) + 31) for q in qualities)) for name, bases, qualities in reads))
    expected = run("map", "ref.fa", "m1.fq").ok()
    old = run("map", "--phred64", "ref.fa", "out/old.fq").ok()
    assert sam_lines(expected) == sam_lines(old)
    assert " --phred64 " in old.stdout and "Phred+64" not in expected.stderr + old.stderr
    assert "warning: the qualities seem to be Phred+64" in run("map", "ref.fa", "out/old.fq", "-o", "out/x.sam").ok().stderr
    run("map", "--phred64", "ref.fa", "m1.fq", "-o", "out/y.sam").fails(1, "--phred64: the quality contains", "out/y.sam")
    write_fastq("out/solexa.fq", ("r", A, ";@" + "h" * (len(A) - 2)))
    assert records(run("map", "--phred64", "ref.fa", "out/solexa.fq").ok())[0].qualities == "!!" + "I" * (len(A) - 2)
