"""trawl scan: valid and invalid input of all kinds, and wrong usage."""

import contextlib
import gzip
import os
from collections import Counter
from pathlib import Path

import pytest

from tools import TRAWL, assert_same, execute, rows, run, simulate, start_program, table, write_fasta

REFERENCE = ">chr1 first\nACGTACGTTTGATTACAGG\nCCTGTAATCAAAA\n>chr2\nNNNNGATTACANNN\n"
FASTA = ">p1 some text\nGATTACA\n>p2\nTTGRTT\nACA\n"
TABLE = "p1\tGATTACA\np2\tTTGRTTACA\n"

MARK = "\N{BYTE ORDER MARK}"
LOWER = str.maketrans("ACGT", "acgt")


def write(path, text):
    """Text is compressed if the name says so. Returns the path."""
    if isinstance(text, str):
        text = gzip.compress(text.encode()) if path.endswith(".gz") else text.encode()
    Path(path).write_bytes(text)
    return path


def scan(*arguments, **how):
    return run("scan", *arguments, **how).ok()


def columns(result, *numbers):
    """Some columns of BED, counted from 0: "chr1 8"."""
    return [" ".join(row[number] for number in numbers) for row in rows(result)]


@pytest.fixture(scope="module", autouse=True)
def expected():
    """What is found on the forward strand."""
    write("ref.fa", REFERENCE)
    write("patterns.fa", FASTA)
    return scan("--strand", "+", "ref.fa", "patterns.fa")


# --- kinds of patterns and references ---


def test_places(expected):
    assert columns(expected, *range(6)) == ["chr1 8 17 p2 1000 +", "chr1 10 17 p1 1000 +", "chr2 4 11 p1 1000 +"]


PATTERNS = {
    "patterns.tsv": TABLE, "mark.fa": MARK + FASTA, "mark.tsv.gz": MARK + TABLE, "crlf.fa": FASTA.replace("\n", "\r\n"),
    "crlf.tsv": TABLE.replace("\n", "\r\n"), "lower.tsv": TABLE.translate(LOWER),
    "blank.tsv": "# guides\n\n" + TABLE.replace("\n", "\n\n"), "no_end.tsv": "p1\tGATUACA\tmore\np2\tTTGRTTACA",
    "patterns.fa.gz": FASTA}


@pytest.mark.parametrize("file", PATTERNS)
def test_patterns(expected, file):
    assert_same(expected, scan("--strand", "+", "ref.fa", write(file, PATTERNS[file])))


def test_patterns_in_bgzf(expected):
    Path("bgzf.tsv.gz").write_bytes(execute("bgzip", "-c", stdin=TABLE.encode()).ok().bytes)
    assert_same(expected, scan("--strand", "+", "ref.fa", "bgzf.tsv.gz"))


def test_patterns_from_the_standard_input(expected):
    assert_same(expected, scan("--strand", "+", "ref.fa", "-", stdin=write("patterns.tsv", TABLE)))


REFERENCES = {"mark_ref.fa": MARK + REFERENCE, "crlf_ref.fa": REFERENCE.replace("\n", "\r\n"),
              "lower_ref.fa": REFERENCE.translate(LOWER), "ref.fa.gz": REFERENCE}


@pytest.mark.parametrize("file", REFERENCES)
def test_references(expected, file):
    assert_same(expected, scan("--strand", "+", write(file, REFERENCES[file]), "patterns.fa"))


def test_a_reference_from_the_standard_input(expected):
    assert_same(expected, scan("--strand", "+", "-", "patterns.fa", stdin=write("ref.fa.gz", REFERENCE)))


def test_patterns_of_p_are_their_own_names():
    found = scan("ref.fa", "-p", "GATTACA", "-p", "TTGRTTACA")
    assert Counter(columns(found, 3, 5)) == {"GATTACA +": 2, "GATTACA -": 1, "TTGRTTACA +": 1, "TTGRTTACA -": 1}


def test_patterns_of_p_and_of_a_file():
    assert set(columns(scan("-p", "GATTACA", "ref.fa", write("patterns.tsv", TABLE)), 3)) == {"GATTACA", "p1", "p2"}


def test_patterns_with_the_same_name_are_reported_each():
    write_fasta("twice.fa", ("d", "GATTACA"), ("d", "GATTACA"), ("e", "GATTACA"))
    found = scan("--strand", "+", "ref.fa", "twice.fa")
    assert Counter(columns(found, 3)) == {"d": 4, "e": 2}
    assert ("trawl scan: warning: several patterns have the same name, so that their records cannot be told apart: d"
            in found.stderr)


# --- nothing is found, or would be everywhere ---


def test_a_pattern_longer_than_the_reference():
    assert scan("-p", "A" * 200, "ref.fa", "-k", 3).bytes == b""


def test_patterns_not_longer_than_k():
    found = scan("-k", 3, "-p", "ACG", "-p", "GATTACA", "-p", "NNNNN", "-p", "ANNNC", "ref.fa")
    assert "3 pattern(s) not searched, because with 3 edits they would match everywhere" in found.stderr
    assert "trawl scan: 4 patterns, 3 not searched, 46 bases, " in found.stderr
    assert "ACG, NNNNN, ANNNC" in found.stderr
    assert set(columns(found, 3)) == {"GATTACA"}


@pytest.mark.parametrize("output", ["out/none.tsv", "out/none.bed"])
def test_no_pattern_longer_than_k(output):
    run("scan", "-k", 3, "-p", "ACG", "-p", "NNNN", "ref.fa", "-o", output).fails(
        2, "no pattern can be searched, because with 3 edits they would match everywhere", output)


SHORT_GUIDE = ["--pam", "NGG", "-p", "ACG", "short_guide.fa"]


@pytest.fixture
def short_guide():
    write_fasta("short_guide.fa", ("g", "TTTTACGTGGTTTT"))


def test_with_a_pam_mismatches_and_bulges_together_limit_the_edits(short_guide):
    found = scan("-k", 9, "--max-mismatches", 1, "--max-bulges", 1, "--strand", "+", *SHORT_GUIDE)
    assert columns(found, 1, 2, 6) == ["4 10 0"]
    run("scan", "-k", 9, "--max-mismatches", 2, "--max-bulges", 1, *SHORT_GUIDE, "-o", "out/none.bed").fails(
        2, "no pattern can be searched, because with 3 edits", "out/none.bed")


def test_with_a_pam_hamming_is_no_bulges(short_guide):
    assert_same(scan("-k", 2, "--metric", "hamming", "--strand", "+", *SHORT_GUIDE),
                scan("-k", 2, "--max-bulges", 0, "--strand", "+", *SHORT_GUIDE))


# --- ambiguous letters ---


def test_n_matches_nothing():
    write_fasta("n.fa", ("n", "N" * 20))
    assert scan("-k", 1, "-p", "GATTACA", "-p", "RYN", "n.fa").bytes == b""


def test_ambiguous_letters_match_nothing_or_what_they_may_stand_for():
    write_fasta("iupac.fa", ("a", "GATNACA"), ("r", "GARTACA"))
    search = ["-p", "GATTACA", "-p", "GAATACA", "--strand", "+", "iupac.fa"]
    assert scan(*search).bytes == b""
    assert columns(scan(*search, "-p", "GACTACA", "--ambiguous", "match"), 0, 3) == ["a GATTACA", "r GAATACA"]


@pytest.mark.parametrize("options", [
    "", "--metric hamming", "--report ends", "--pam NGG", "--pam TTTV:5' --max-bulges 2", "--pam N"])
def test_n_alone_never_matches(options):
    """N and other letters match if the number of those other letters is larger than the allowed edits."""
    write_fasta("n.fa", ("c", "NNN"), ("n", "N" * 30), ("m", "N" * 6))
    for k in range(4):
        assert scan("-k", k, "-p", "GATTACA", "-p", "ACGTTGCATCC", "--ambiguous", "match", *options.split(),
                    "n.fa").bytes == b"", k


MATCH = ["--ambiguous", "match:100%"]


@pytest.mark.parametrize("options, ends", [
    ([], ["3 10 1", "5 11 1", "5 12 0", "5 13 1"]), (["--metric", "hamming"], ["3 10 1", "5 12 0"])], ids=str)
def test_at_most_five_of_the_seven_letters_up_to_an_end_are_n(options, ends):
    write_fasta("n.fa", ("a", "CCNNNNNNTACACC"))
    found = scan("-k", 1, "-p", "GATTACA", "--strand", "+", "--report", "ends", *options, *MATCH, "n.fa")
    assert columns(found, 1, 2, 6) == ends


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_n_and_a_pam_at_the_begin_of_a_contig(size):
    """Before the PAM's end there are fewer letters than the pattern has. The 7 N there are too few to match alone."""
    write_fasta("begin.fa", ("c", "TNNNNNNNNN"))
    found = scan("-k", 2, "--pam", "NGG", *MATCH, "--strand", "+", "--report", "ends", "--tune", f"chunk-size={size}",
                 "-p", "GCTATTT", "begin.fa")
    assert columns(found, 0, 1, 2, 5) == ["c 0 8 +"]


def test_of_guides_the_pam_counts():
    write_fasta("n.fa", ("a", "NNNNNNNG"), ("b", "NNNNACGG"), ("c", "CCNNACNN"), ("d", "CCGTNNNNNN"))
    found = scan("-k", 1, "--pam", "NGG", "-p", "GATAC", *MATCH, "n.fa")
    assert columns(found, 0, 1, 2, 5) == ["b 0 8 +", "d 0 8 -", "d 2 10 +"]


@pytest.mark.parametrize("letter", "NRYKV")
def test_ambiguous_letters_in_the_place_of_a_pam(letter):
    """They are no mismatches there either: --pam-mismatches allows none of them."""
    write_fasta("pam.fa", ("1", f"AAAAGATTACAGCTTAGCAT{letter}GGAACCA"), ("2", f"AAAAGATTACAGCTTAGCATT{letter}GAACCA"))
    first, second = ("1", f"{letter}GG", "0"), ("2", f"T{letter}G", "0")
    is_g = letter != "Y"  # Y stands for C or T
    for options, expected in {
            "": [], "--pam-mismatches 1": [], "--ambiguous match": [first, second] if is_g else [first],
            "--ambiguous match --pam-mismatches 1": [first, second if is_g else ("2", "TYG", "1")]}.items():
        for search in "rows", "pieces":
            scan("-k", 2, "--max-bulges", 0, "--pam", "NGG", "-p", "GATTACAGCTTAGCAT", "--strand", "+",
                 *options.split(), "--tune", f"search={search}", "pam.fa", "-o", "out/pam.tsv")
            found = [(row["contig"], row["pam"], row["pam_mismatches"]) for row in table("out/pam.tsv")]
            assert found == expected, (options, search)


# --- guides that seem to include their PAM ---

HINT = ", but --pam looks for these letters in addition; if they are the PAM, give the guides without them"


@pytest.mark.parametrize("pam, guides, message", [
    ("NGG", ["GACGCATAAAGATGAGACGCTGG"], "the pattern ends with NGG"),
    ("TTTV:5'", ["TTTACGACGCATAAAGATGAGA", "TTTCCGACGCATAAAGATGAGA"], "all patterns begin with TTTV"),
    ("NGG", ["GACGCATAAAGATGAGACGCTGG", "GACGCATAAAGATGAGACGC"], None),
    ("NNN", ["GACGCATAAAGATGAGACGCTGG"], None)])
def test_guides_with_their_pam(pam, guides, message):
    found = scan("--pam", pam, *(f"-p{guide}" for guide in guides), "ref.fa").stderr
    if message:
        assert message + HINT in found
    else:
        assert "in addition" not in found


# --- wrong input: no output of any kind ---


def fails(message, *arguments):
    for output in "out/x.bed", "out/x.bed.gz", "out/x.tsv", "out/x.sam":
        run("scan", *arguments, "-o", output).fails(1, message, output)


@pytest.mark.parametrize("file, text, message", [
    ("empty", "", ": has no patterns; give FASTA"),
    ("mark_only", MARK, ": has no patterns; give FASTA"),
    ("no_letters.fa", ">a\nACGT\n>b\n>c\nACGT\n", ":3: the pattern b has no letters"),
    ("no_letters.tsv", "a\tACGT\nb\t\n", ":2: one column only, but the lines before have a name and a sequence"),
    ("letter.tsv", "a\tAC!T\n", ":1: '!' in the pattern a is not an IUPAC letter"),
    ("letter.fa", ">a\nACGT\nAC-T\n", ":3: '-' in the pattern a is not an IUPAC letter"),
    ("plain.txt", "AC GT\n",
     ":1: the line has blanks, but no tab and no comma; give FASTA, lines with a name and a sequence"),
    ("reads.fq", "@r\nACGT\n+\nIIII\n", ":1: begins with '@' as a FASTQ file does"),
    ("no_name.fa", ">\nACGT\n", ":1: a pattern without a name"),
    ("control.tsv", "a\7b\tACGT\n", ":1: the pattern name contains the byte 0x07, which cannot be printed; rename it"),
    ("long.tsv", f"a\t{'A' * 16385}\n",
     ":1: the pattern a has more than 16384 letters, which is the most that is possible; give a part of it. (The "
     "reference comes first")], ids=lambda value: value[:20])
def test_wrong_patterns(file, text, message):
    fails(file + message, "ref.fa", write(file, text))


@pytest.mark.parametrize("file, text, message", [
    ("empty", "", ": has no sequences; a reference must be FASTA"),
    ("mark_only", MARK, ": has no sequences; a reference must be FASTA"),
    ("half.fa.gz", gzip.compress(REFERENCE.encode())[:53], ": the gzip data end in the middle"),
    ("dash.fa", ">a\nACGT\nAC-T\n", ":3: '-' in the sequence a is not an IUPAC letter")])
def test_wrong_references(file, text, message):
    fails(file + message, write(file, text), "patterns.fa")


def test_files_that_are_missing():
    fails("nowhere.fa: cannot open: No such file or directory", "ref.fa", "nowhere.fa")
    fails("nowhere.fa: cannot open: No such file or directory", "nowhere.fa", "patterns.fa")


@pytest.mark.parametrize("option, output", [("-o", "out/nowhere/x.bed"), ("--stats", "out/nowhere/x.json")])
def test_no_directory_for_the_output(option, output):
    run("scan", "ref.fa", "patterns.fa", option, output).fails(1, f"{output}: cannot create a file in its directory")


def test_no_directory_for_temporary_files(work):
    """SAM records wait in one."""
    run("scan", "ref.fa", "patterns.fa", "-o", "out/x.sam", env={"TMPDIR": f"{work}/nowhere"}).fails(
        1, f"{work}/nowhere: cannot create a temporary file for SAM records: No such file or directory; set TMPDIR",
        "out/x.sam")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_the_run_ends_if_its_output_cannot_be_written():
    """Even if more input may come."""
    simulate("genome", 3000000, 7, "big.fa")
    os.mkfifo("endless")
    with start_program("sh", "-c", 'exec "$@" < endless > /dev/full', "-", TRAWL, "scan", "-t", 2, "-p", "ACGTA",
                       "--tune", "chunk-size=100000", "-") as job, open("endless", "wb", buffering=0) as endless:
        with contextlib.suppress(BrokenPipeError):
            endless.write(Path("big.fa").read_bytes())
        job.wait(timeout=30).fails(1, "standard output: cannot write: No space left on device")


# --- wrong usage ---

BOTH = ["ref.fa", "patterns.fa"]


@pytest.mark.parametrize("message, arguments", [
    ("REF is required", []),
    ("nothing to search: give a file of patterns after the reference, or -p SEQ", ["ref.fa"]),
    ("only one of the files can be the standard input (-)", ["-", "-"]),
    ("-p GAT!: '!' is not an IUPAC letter", ["ref.fa", "-p", "GAT!"]),
    ("-p: a pattern has at least one letter", ["ref.fa", "-p", ""]),
    ("--pam: is empty", [*BOTH, "--pam", ""]),
    ("--stats: is empty", [*BOTH, "--stats", ""]),
    ("PATTERNS: is empty", ["-p", "ACGT", "ref.fa", ""]),
    *((f"trawl scan: -e,-k,--max-edits: '{value}' is not a whole number from 0 to 64", [*BOTH, "-k", value])
      for value in ("65", "-1", "5%", "1e1", "+1", "", " 1", "0x1", "18446744073709551616")),
    ("-e,-k,--max-edits: '-1' is not a whole number", [*BOTH, "--max-edits=-1"]),
    ("--metric", [*BOTH, "--metric", "edit"]),
    ("--strand", [*BOTH, "--strand", "forward"]),
    ("--report", [*BOTH, "--report", "best"]),
    ("--engine gpu: this build has: ", [*BOTH, "--engine", "gpu"]),
    ("--pam NGG:4: give the PAM and its side of the guide", [*BOTH, "--pam", "NGG:4"]),
    ("--pam :3: give the PAM and its side of the guide", [*BOTH, "--pam", ":3"]),
    ("--pam N!G: '!' is not an IUPAC letter", [*BOTH, "--pam", "N!G"]),
    ("--max-mismatches and --max-bulges need --pam", [*BOTH, "--max-bulges", "0"]),
    ("--max-mismatches and --max-bulges need --pam", [*BOTH, "--max-mismatches", "65"]),
    ("--max-mismatches and --max-bulges allow 66 edits; at most 64 are possible, fewer with -k",
     [*BOTH, "--pam", "NGG", "--max-mismatches", "60", "--max-bulges", "6"]),
    ("--metric hamming allows no bulges", [*BOTH, "--pam", "NGG", "--metric", "hamming", "--max-bulges", "1"]),
    ("--threads 5000: at most 1024 are possible", [*BOTH, "-t", "5000"])], ids=repr)
def test_wrong_usage(message, arguments):
    run("scan", *arguments, "-o", "out/x.bed").fails(2, message, "out/x.bed")


@pytest.mark.parametrize("output, message", [
    ("out/x.bam", "-o out/x.bam gets reads, and ref.fa is a reference; for its places, name a file .bed, .tsv or .sam"),
    ("out/x.txt",
     "the output out/x.txt has no known extension; use .bed, .bed.gz, .tsv, .tsv.gz, .csv, .csv.gz, .gff3, .gff3.gz or .sam"),
    ("", "the output has no name; give a file, or - for BED")])
def test_wrong_outputs(output, message):
    run("scan", *BOTH, "-o", output).fails(2, message, "out/x.bam")
