"""The command line: help, version, and every option with wrong values (status 2, nothing written)."""

import os
import re
from pathlib import Path

import pytest

from tools import (assert_same, has_cuda, info, make_input, read_fastq, run, samtools, simulate, write_fastq)


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """ref.fa, reads.fq; pairs in m1.fq and m2.fq, and in both.fq, one after the other."""
    make_input(30000, 20)
    simulate("pairs", "ref.fa", 50, 75, 5, "m1.fq", "m2.fq", "--qualities")
    write_fastq("both.fq", *(mate for pair in zip(read_fastq("m1.fq"), read_fastq("m2.fq")) for mate in pair))


# --- help and version ---


def test_no_command():
    result = run()
    assert (result.status, result.stdout) == (2, "")
    for text in "Usage: trawl COMMAND", "Commands:", "  map ", "  scan ", "--version":
        assert text in result.stderr


def test_info():
    for word in "trawl", "engines", "cpu", "usable", "htslib", "oneTBB", "Highway":
        assert word in info()


# --- mistyped words ---


@pytest.mark.parametrize("arguments, message", [
    ("mpa ref.fa reads.fq", "there is no command 'mpa'; did you mean map?"),
    ("map --max-edit 3 ref.fa reads.fq", "there is no option --max-edit; did you mean --max-edits?"),
    ("map --max-edit=3 ref.fa reads.fq", "there is no option --max-edit=3; did you mean --max-edits?"),
    ("map --ouptut x.bam ref.fa reads.fq", "there is no option --ouptut; did you mean --output?"),
    ("scan --anotate x.gff -p ACGT ref.fa", "there is no option --anotate; did you mean --annotate?"),
    ("index --threds 2 ref.fa", "there is no option --threds; did you mean --threads?"),
    ("--verzion", "there is no option --verzion; did you mean --version?"),
    ("fish", "there is no command 'fish'"),
    ("--fish", "")])
def test_a_mistyped_word(arguments, message):
    run(*arguments.split()).fails(2, message)


def test_an_option_that_is_like_none():
    result = run("map", "--fish", "all", "ref.fa", "reads.fq").fails(2, "there is no option --fish")
    assert "did you mean" not in result.stderr


@pytest.mark.parametrize("option, message", [
    ("-o", "the output has no name"),
    *((option, f"{option}: is empty") for option in ("--read-group", "--devices", "--stats"))])
def test_an_empty_value(option, message):
    run("map", option, "", "ref.fa", "reads.fq").fails(2, message)


# --- wrong values ---


@pytest.mark.parametrize("message, options", [
    ("fish", ["--fish"]),
    ("-z", ["-z"]),
    *((f"-e {value}: ", ["-e", value]) for value in (
        "", "%", "x", "5x", "+5", "-1", "0x5", "5.5", "256", "4294967301", "99999999999999999999", "51%", "-1%", "5%%",
        "inf%", "nan%", "5 ")),
    ("ambiguous", ["--ambiguous", "maybe"]),
    ("metric", ["--metric", "edits"]),
    ("--clip needs alignments with gaps", ["--metric", "hamming", "--clip", "10%"]),
    ("--one-end is for pairs", ["--one-end", "never"]),
    ("--for", ["--for", "bwa"]),
    ("--for: its program needs the records of a read together", ["--for", "rsem", "--sort"]),
    ("--for hla: OptiType reads the mates from two files", ["--for", "hla", "--interleaved"]),
    ("--tune: search: 'bwt' is none of auto, seeds, scan", ["--tune", "search=bwt"]),
    ("--tune: 'x=1' is none of search=auto|seeds|scan, batch-size=N", ["--tune", "batch-size=7,x=1"]),
    ("--device-memory: it follows the devices: --devices 0:8G", ["--device-memory", "8G"]),
    ("report", ["--report", "some"]),
    *((message, [*options, value]) for value in ("x", "-1", "1e3", "1.5", "99999999999999999999", "", "3 x")
      for message, options in [("--strata", ["--report", "strata", "--strata"]), ("--max-hits", ["-k"]),
                               ("--max-hits", ["--max-hits"]), ("--threads", ["-t"]),
                               ("--threads", ["--threads"])]),
    ("--strata needs --report strata", ["--strata", "1"]),
    ("--strata needs --report strata", ["--strata", "1", "--report", "all"]),
    ("--max-hits: --report best writes one record for each read anyway", ["-k", "3"]),
    ("or -e if you mean edits", ["--report", "best", "--max-hits", "1"]),
    ("--max-loci: --report best writes one record for each read anyway", ["--max-loci", "1"]),
    *(("--devices are CUDA devices, which --engine cpu does not use", ["--engine", "cpu", "--devices", value])
      for value in ("0", "all", ":1G")),
    ("--threads", ["-t", "4294967295"]),
    ("--threads", ["-t", "100000"]),
    *(("--devices", ["--devices", value]) for value in ("x", "0,,1", ",0", "0,", "0,0", "1.5", "-1", "0-1")),
    *(("--devices", ["--devices", "all:" + value]) for value in (
        "", "x", "0", "-1", "8T", "1.5G", "G", "8 G", "8GG", "99999999999999999999", "99999999999G")),
    ("--unmapped lose: a file that gets reads must end in .fq, .fastq, .fa or .fasta, or these with .gz; otherwise type "
     "keep or drop", ["--unmapped", "lose"]),
    *((f"--{option} {value}: a file that gets reads must end in .fq", [f"--{option}", value]) for option, value in [
        ("mapped", "-"), ("mapped", "x.bam"), ("unmapped", "x.fq.bz2"), ("unmapped", "-")]),
    ("--unmapped : a file that gets reads", ["--unmapped", "drop,"]),
    ("--unmapped out/x.fq and --mapped ./out/x.fq are the same file", ["--unmapped", "out/x.fq", "--mapped", "./out/x.fq"]),
    ("--unmapped reads.fq is the input reads.fq", ["--unmapped", "drop,reads.fq"]),
    *((f"--max-loci {value}: give a number, for example 10, or 10,one", ["--report", "all", "--max-loci", value])
      for value in ("x", "-1", "5,two", ",one", "0,one", "5,")),
    ("--xa: --report best writes one record for each read anyway", ["--xa", "5"]),
    ("--engine abacus: this build has: ", ["--engine", "abacus"]),
    ("progress", ["--progress", "loud"]),
    ("eqx", ["--eqx=maybe"]),
    ("trawl map: -e,--max-edits: given more than once", ["-e", "1", "-e", "2"]),
    # Read groups.
    *(("-R fish: no file has this name, and a header line begins with @RG and a tab: '@RG\\tID:x\\tSM:y'", ["-R", "fish"]),
      ("must begin with @RG and a tab", ["-R", "@RG ID:x"]),
      ("has no ID", ["-R", r"@RG\tSM:x"]),
      ("has no ID", ["-R", "@RG\tSM:x"]),
      ("which is not TAG:VALUE", ["-R", r"@RG\tID"]),
      ("which is not TAG:VALUE", ["-R", r"@RG\tID:x\t"]),
      ("which is not TAG:VALUE", ["-R", r"@RG\tID:"]),
      ("has the tag SM twice", ["-R", r"@RG\tID:x\tSM:a\tSM:b"]),
      ("the header line (-R) b must begin with @RG and a tab, or @CO, @PG and so on", ["-R", "@RG\tID:x\tSM:a\nb"]),
      ("not printable ASCII", ["-R", "@RG\tID:x\tSM:a\rb"]),
      ("@SQ SN:x is one that Trawl writes itself", ["-R", r"@SQ\tSN:x"]),
      ("@HD VN:1.6 is one that Trawl writes itself", ["-R", r"@HD\tVN:1.6"]),
      ("has the ID trawl, which another line has", ["-R", r"@PG\tID:trawl"]),
      ("has the ID x, which another line has", ["-R", r"@RG\tID:x", "-R", r"@RG\tID:x\tSM:b"]),
      ("has no ID", ["-R", r"@PG\tPN:cutadapt"]),
      ("not printable ASCII", ["-R", "@RG\tID:x\tSM:\N{LATIN SMALL LETTER A WITH DIAERESIS}"])),
], ids=repr)
def test_wrong_usage(message, options):
    result = run("map", *options, "ref.fa", "reads.fq", "-o", "out/x.bam").fails(2, message, output="out/x.bam")
    assert result.stdout == ""
    assert "trawl map: " in result.stderr


@pytest.mark.parametrize("option", [
    "--devices x", "--devices 0,,1", "--devices 0,0", "--devices 0: 0", "--devices : 8T"])
def test_wrong_devices_of_scan(option):
    run("scan", "-p", "ACGT", "ref.fa", "--devices", option[len("--devices "):].replace(": ", ":"), "-o",
        "out/x.bed").fails(2, f"trawl scan: {option}: give ", output="out/x.bed")


DEVICE_OPTIONS = pytest.mark.parametrize("option", ["--devices 0", "--devices all", "--devices 0:1G"])


@DEVICE_OPTIONS
def test_devices_of_scan_and_the_cpu(option):
    run("scan", "--engine", "cpu", *option.split(), "-p", "ACGT", "ref.fa", "-o", "out/x.bed").fails(
        2, "--devices are CUDA devices, which --engine cpu does not use", output="out/x.bed")


def test_cram_does_not_keep_eqx():
    run("map", "--eqx", "ref.fa", "reads.fq", "-o", "out/x.cram").fails(2, "CRAM does not keep = and X", output="out/x.cram")


def test_a_missing_value():
    run("map", "ref.fa", "reads.fq", "-o").fails(2, "trawl map: -o,--output: a value is missing after it")


@pytest.mark.parametrize("status, message, arguments", [
    (2, "-R fish: no file has this name", "-R fish nowhere.fa reads.fq"),
    (2, "--engine abacus: this build has: ", "--engine abacus nowhere.fa reads.fq"),
    (1, "nowhere/x.bam: cannot create a file in its directory", "nowhere.fa reads.fq -o nowhere/x.bam"),
    (1, "nowhere/x.json: cannot create a file in its directory", "nowhere.fa reads.fq -o out/x.bam --stats nowhere/x.json")])
def test_mistakes_are_reported_before_the_reference_is_read(status, message, arguments):
    run("map", *arguments.split()).fails(status, message, output="out/x.bam")


@pytest.mark.parametrize("output", ["out/x", "out/x.txt", "out/x.sam.gz", "out/xbam", "out/x.bed.bz2"])
def test_an_output_without_a_known_extension(output):
    run("map", "ref.fa", "reads.fq", "-o", output).fails(2, f"the output {output} has no known extension", output)


@pytest.mark.parametrize("message, arguments", [
    ("REF is required", []),
    ("READS is required", ["ref.fa"]),
    ("lane2.fq; READS and MATES are one list each: to give several files, put commas between them: a.fq,b.fq",
     ["ref.fa", "reads.fq", "more.fq", "lane2.fq"]),
    ("x.bam; the output is named by -o: -o x.bam", ["ref.fa", "m1.fq", "m2.fq", "x.bam"]),
    ("MATES x.bam: mates are FASTQ or FASTA; if this is the output, type -o x.bam", ["ref.fa", "reads.fq", "x.bam"]),
    ("MATES x.bed.gz: mates are", ["ref.fa", "reads.fq", "x.bed.gz"]),
    ("an empty file name between commas", ["ref.fa", "reads.fq,,reads.fq"]),
    ("an empty file name between commas", ["ref.fa", "reads.fq,"]),
    ("only one of the files can be the standard input (-)", ["-", "-"]),
    ("only one of the files can be the standard input (-)", ["ref.fa", "reads.fq,-"])], ids=repr)
def test_wrong_files(message, arguments):
    run("map", *arguments, stdin="reads.fq").fails(2, message)


@pytest.mark.parametrize("message, options", [
    ("--norc: there is no such option; reads on the forward strand: --strand +", "--norc"),
    ("-m: there is no such option; bowtie's -m N is --report all --max-loci N here", "-m 1"),
    ("-v: there is no such option; bowtie's -v N is -e N --metric hamming here, its -a is --report all",
     "-v 1 -a --best --strata"),
    ("-a: there is no such option; every place of a read: --report all", "-a"),
    ("-a: there is no such option; every place of a read: --report all", "-a --best --strata"),
    ("--best: one of the best places of each read is the default; all of the best ones: --report strata", "--best --strata"),
    ("-x: there is no such option; the reference is the first word", "-x index"),
    ("-U: there is no such option; reads are a word after the reference", "-U"),
    ("-1: there is no such option; give pairs as two files", "-1 m1.fq -2 m2.fq"),
    ("-X: there is no such option; insert sizes are --insert MIN-MAX", "-X 400"),
    ("--local: ends that do not belong are left out by default", "--local"),
    ("--very-sensitive: there is no such option; every place", "--very-sensitive"),
    ("--no-unal: there is no such option; --unmapped drop", "--no-unal"),
    ("-S: there is no such option; the output is -o", "-S out/x.sam"), ("-p: there is no such option; threads are -t", "-p 4"),
    ("-tc: there is no such option; threads are -t", "-tc 4"), ("-n: there is no such option; bwa aln's -n 0.04 is -e bwa:0.04", "-n 2 -l 28"),
    ("-i: there is no such option; razers3's -i 97 is -e 3% here", "-i 97"), ("-rr: there is no such option; every", "-rr 100"),
    ("-dr: there is no such option; razers3's -dr N is --report strata --strata N", "-dr 0"),
    ("-pa: there is no such option; razers3's -m N -dr 0 -pa is --report strata --max-loci N", "-pa"),
    ("--fr: there is no such option; how mates lie is --orientation fr", "--fr"),
    ("-ng: there is no such option; mismatches without gaps: --metric hamming", "-ng"),
    ("-N: there is no such option; every place of a read: --report all", "-N"),
    ("-M: there is no such option; by default a read with several best places gets one of them, with MAPQ 0", "-M 1"),
    ("--un: there is no such option; reads that fit nowhere", "--un x.fq"), ("--al: there is no such option", "--al x.fq"),
    ("--max: there is no such option; with --max-loci N", "--max x.fq"), ("-q: there is no such option; FASTQ", "-q"),
    ("-3: there is no such option; cutadapt -u", "-3 5"), ("-o 1: the output is -o FILE.bam; gaps", "-o 1")])
def test_options_of_other_programs(message, options):
    run("map", *options.split(), "ref.fa", "reads.fq").fails(2, f"trawl map: {message}")
    run("map", "ref.fa", "reads.fq", *options.split()).fails(2, f"trawl map: {message}")
    assert not re.search(r"^ +(-v|--norc|--best)\b", run("map", "--help").ok().stdout, flags=re.M)


@pytest.mark.parametrize("option", ["-v", "-n"])
def test_options_of_other_programs_for_scan(option):
    run("scan", option, 3, "-p", "ACGT", "ref.fa").fails(
        2, f"trawl scan: {option}: there is no such option; -v N of bowtie and -n N -o 0 of bwa aln are -e N --metric hamming here")


@pytest.mark.parametrize("group, hint", [("@RG\\tID:x\\tSM:y", True), ("@RG\\tID:x\\tPL:ILLUMINA\\tSM:y", False)])
def test_a_read_group_without_a_platform(group, hint):
    result = run("map", "ref.fa", "reads.fq", "-R", group, "-o", "out/x.sam").ok()
    assert ("hint: -R has no PL (the sequencer); GATK and picard want it: add \\tPL:ILLUMINA" in result.stderr) == hint


# --- right values ---


@pytest.mark.parametrize("options", [
    "-e 0", "-e 255", "-e 0%", "-e 50%", "-e 2.5%", "--max-edits=3", "-e3", "--strata 0", "-k 0", "--threads=1",
    "--tune batch-size=0", "--report strata --strata 255", "--tune search=scan", "--engine auto", "--engine cpu", "--eqx"])
def test_smallest_and_largest_values(options):
    run("map", *options.split(), "ref.fa", "reads.fq").ok()


def test_options_may_come_after_the_files():
    before = run("map", "-e", 2, "--report", "all", "ref.fa", "reads.fq")
    assert_same(before, run("map", "ref.fa", "reads.fq", "-e", 2, "--report", "all"))


def test_the_end_of_a_name_tells_the_format_in_large_or_small_letters():
    run("map", "ref.fa", "reads.fq", "--sort", "-o", "out/LARGE.BAM", "--report-html", "out/r.html",
        "--igv-session", "out/s.xml").ok()
    samtools("quickcheck", "out/LARGE.BAM")
    run("scan", "-p", "ACGTACG", "ref.fa", "-o", "out/LARGE.TSV").ok()
    assert "mismatches" in Path("out/LARGE.TSV").read_text()
    run("mappability", "ref.fa", "-l", 30, "-e", 0, "-o", "out/LARGE.BedGraph").ok()


PAIRS_OF_RSEM = "--insert 1-1000 --discordant never --one-end never"


@pytest.mark.parametrize("arguments, expected", [
    ("--for rsem ref.fa reads.fq", "--max-edits 5% --metric hamming --report all --secondary-seq"),
    ("--for rsem ref.fa m1.fq m2.fq", f"--max-edits 5% --metric hamming --report all --secondary-seq {PAIRS_OF_RSEM}"),
    ("--for rsem --interleaved ref.fa both.fq",
     f"--max-edits 5% --metric hamming --report all --secondary-seq {PAIRS_OF_RSEM}"),
    ("--for salmon ref.fa m1.fq m2.fq --insert 50-700 -e 3 --report strata --strata 2",
     "--max-edits 3 --report strata --strata 2 --secondary-seq --insert 50-700 --discordant never"),
    ("--for fastcn ref.fa reads.fq", "--max-edits 2 --metric hamming --report all --unmapped drop"),
    ("--for hla ref.fa reads.fq", "--max-edits 3% --report strata --strata 0 --unmapped drop"),
    ("--for smallrna ref.fa reads.fq", "--max-edits 1 --min-length 15 --metric hamming --report strata --strata 0"),
    ("ref.fa reads.fq --for mrcanavar", "--max-edits 5% --report all --unmapped drop"),
    ("ref.fa reads.fq --for telescope", "--max-edits 5% --clip 10% --report all"),
    ("ref.fa reads.fq --for featurecounts", "--max-edits 5% --report strata --strata 0")])
def test_for_sets_what_the_user_has_not_given(arguments, expected):
    """Options of pairs only if there are pairs. @PG has them."""
    header, = re.findall("^@PG.*", run("map", *arguments.split()).ok().stdout, flags=re.M)
    assert header[header.index("CL:"):] == f"CL:trawl map {expected} ref.fa"


@pytest.mark.parametrize("purpose", ["variants", "sv"])
def test_for_a_purpose(purpose):
    run("map", "--for", purpose, "ref.fa", "m1.fq", "m2.fq", "-o", "out/x.bam").ok()
    run("map", "--sort", "--mark-duplicates", "ref.fa", "m1.fq", "m2.fq", "-o", "out/y.bam").ok()
    assert_same("out/x.bam", "out/y.bam")
    assert_same("out/x.bam.bai", "out/y.bam.bai")
    run("map", "--for", purpose, "ref.fa", "m1.fq", "m2.fq").fails(
        2, f"--for {purpose} writes BAM or CRAM with an index beside it, but the standard output has no name; "
           f"name a file with -o, or leave --for {purpose} out")


# --- CUDA ---


def why_no_cuda():
    """A part of the message."""
    if has_cuda():
        pytest.skip("the engine cuda can be used here")
    if "CUDA code" in info():
        return "this build has no CUDA code"
    return "no NVIDIA driver here" if "no NVIDIA driver here" in info() else "no CUDA device can be used"


def test_info_without_cuda():
    reason = why_no_cuda()
    if reason == "this build has no CUDA code":
        assert f"cuda  not usable: {reason}; " in info()


def test_without_cuda_it_is_said_before_the_reference_is_read():
    reason = why_no_cuda()
    for command, arguments in ("map", ["nowhere.fa", "reads.fq"]), ("scan", ["-p", "ACGT", "nowhere.fa"]):
        run(command, "--engine", "cuda", *arguments, "-o", "out/x.sam").fails(
            1, f"trawl {command}: --engine cuda cannot be used here: {reason}", output="out/x.sam")


@DEVICE_OPTIONS
def test_without_cuda_the_engine_taken_is_said_and_why(option):
    reason = why_no_cuda()
    for command, arguments in (("map", ["ref.fa", "reads.fq", "-o", "out/x.sam"]),
                               ("scan", ["-p", "ACGT", "ref.fa", "-o", "out/x.bed"])):
        message = run(command, *arguments, *option.split()).ok().stderr
        assert f"trawl {command}: engine cpu (" in message
        assert f"): {reason}" in message


@pytest.mark.skipif(os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg"), reason="there is a GPU")
def test_who_has_no_gpu_reads_nothing_of_one():
    messages = run("map", "ref.fa", "reads.fq", "-o", "out/x.sam", "--verbose").ok().stderr
    messages += run("scan", "-p", "ACGTACGT", "ref.fa", "-o", "out/x.bed", "--verbose").stderr
    messages += run("scan", "--pam", "NGG", "-p", "GATTACAGATTACAGATTAC", "-k", 4, "ref.fa", "-o", "out/x.bed").stderr
    messages += run("mappability", "-l", 50, "-e", 1, "ref.fa", "-o", "out/x.bedgraph").stderr
    assert "trawl scan: engine cpu (" in messages
    assert [line for line in messages.splitlines() if re.search("gpu|cuda|nvidia|device", line, flags=re.I)] == []


@pytest.fixture
def cuda():
    if not has_cuda():
        pytest.skip("the engine cuda cannot be used here")


@pytest.mark.parametrize("engine", ["auto", "cuda"])
def test_a_device_that_is_not_there(cuda, engine):
    for command, arguments in ("map", ["nowhere.fa", "reads.fq"]), ("scan", ["-p", "ACGT", "nowhere.fa"]):
        run(command, "--engine", engine, "--devices", "0,999", *arguments, "-o", "out/x.sam").fails(
            2, "--devices 999: there is no such CUDA device; trawl info lists them", output="out/x.sam")


@pytest.mark.parametrize("command, arguments, reason", [
    # 1 MiB is not even enough for the index of this reference.
    ("map", ["ref.fa", "reads.fq", "-o", "out/x.sam"], "mapping to this reference takes at least"),
    ("scan", ["-p", "ACGT", "ref.fa", "-o", "out/x.bed"], "searching these patterns takes at least 3 MiB")])
def test_too_little_memory_of_devices(cuda, command, arguments, reason):
    run(command, "--engine", "cuda", "--devices", ":1M", *arguments).fails(
        1, f"--engine cuda cannot be used here: {reason}", output=arguments[-1])
    message = run(command, "--devices", ":1M", *arguments).ok().stderr
    assert f"trawl {command}: engine cpu (" in message
    assert f": {reason}" in message


def test_a_small_search_takes_no_device_that_is_not_named(cuda):
    message = run("scan", "-p", "ACGT", "ref.fa", "-o", "out/x.bed").ok().stderr
    assert "trawl scan: engine cpu (" in message
    assert "): the search is too small to be faster on a GPU" in message
    assert "trawl scan: engine cuda (" in run("scan", "--devices", 0, "-p", "ACGT", "ref.fa", "-o", "out/x.bed").ok().stderr
