"""--secondary-seq: SEQ and QUAL in secondary records, and nothing else changes. samtools calmd and picard agree."""

import re
import shutil

import pytest

from tools import (execute, make_input, read_fastq, records, run, sam_lines, samtools, simulate, sorted_tags,
                   write_fastq)

MODES = ["-e 5 --report all ref.fa reads.fq", "-e 7 --metric hamming --report all ref.fa reads.fq",
         "-e 4 --report strata --strata 1 --unmapped drop ref.fa reads.fq",
         "--report all --clip 49% --split ref.fa chimeras.fq",
         "--report all --clip 49% --split --hard-clip ref.fa chimeras.fq",
         "--report all ref.fa m1.fq m2.fq",
         "--report all --mate-fields primary --discordant always ref.fa m1.fq m2.fq",
         "--report all --clip 40% --split --hard-clip --discordant always ref.fa m1.fq m2.fq"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """Single reads, pairs, and chimeras.fq with reads of two pieces."""
    make_input(60000, 400)
    simulate("pairs", "ref.fa", 200, 75, 5, "m1.fq", "m2.fq", "--qualities", "--error-rate", 0.01)
    reads = read_fastq("reads.fq")
    joined = [(name, before[:len(bases) // 2] + bases[len(bases) // 2:], qualities)
              for (_, before, _), (name, bases, qualities) in zip(reads, reads[1:])]
    write_fastq("chimeras.fq", *(read for read in joined if len(read[1]) == len(read[2])))
    samtools("faidx", "ref.fa")


def run_map(mode, output, *options):
    run("map", "-R", r"@RG\tID:lane\tSM:sample\tPL:ILLUMINA", *options, *mode.split(), "-o", output).ok()


@pytest.mark.parametrize("mode", MODES)
def test_bases_of_secondary_records(mode):
    for output in "out/x.sam", "out/x.bam", "out/x.cram":
        run_map(mode, output, "--secondary-seq")
    expected = sorted_tags("out/x.sam")
    for output in "out/x.bam", "out/x.cram":
        assert sorted_tags(output, "-T", "ref.fa") == expected
    found = records("out/x.sam")
    assert len([record for record in found if record.flag & 256]) > 20
    assert [record for record in found if "*" in (record.bases, record.qualities)] == []
    run_map(mode, "out/plain.bam")
    without = []
    for line in sam_lines("out/x.sam"):
        columns = line.split("\t")
        if int(columns[1]) & 256:
            columns[9:11] = "*", "*"
        without.append("\t".join(columns))
    assert without == sam_lines("out/plain.bam"), "nothing else changes"
    calmd = execute("samtools", "calmd", "out/x.bam", "ref.fa").ok()
    assert sam_lines(calmd) == sam_lines("out/x.sam"), "also in secondary records"
    assert re.findall(".*different (?:NM|MD).*", calmd.stderr) == []


def picard(path, *options):
    """The lines that picard writes; among them are warnings of its own libraries."""
    result = execute("PicardCommandLine", "ValidateSamFile", f"I={path}", "MODE=SUMMARY", "QUIET=true",
                     "VERBOSITY=ERROR", *options)
    return result.stdout.splitlines() + result.stderr.splitlines()


def those_with(lines, pattern):
    return [line for line in lines if re.match(pattern, line)]


PICARD = pytest.mark.skipif(not shutil.which("PicardCommandLine"), reason="no picard here (Debian: picard-tools)")


@PICARD
@pytest.mark.parametrize("mode", [MODES[0], MODES[4], MODES[6], MODES[7]])
def test_picard_finds_no_error(mode):
    """It walks along the reference, so with R= the records must be sorted. Each run takes most of a second."""
    run_map(mode, "out/x.bam", "--secondary-seq", "--sort")
    lines = picard("out/x.bam", "R=ref.fa")
    assert those_with(lines, "No errors found") and not those_with(lines, "ERROR"), lines


@PICARD
def test_picard_without_the_reference():
    """A quality "*" of one base is one to picard."""
    run_map(MODES[7], "out/x.bam")
    lines = picard("out/x.bam")
    assert those_with(lines, "No errors found|WARNING:QUALITY_NOT_STORED"), lines
    assert not those_with(lines, "ERROR|Exception"), lines
