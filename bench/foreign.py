#!/usr/bin/env python3
"""Runs Trawl on the test suites of other mappers, whose folders are given: none of their files are in this repository.

    bench/foreign.py seqan/apps/rabema/tests seqan/apps/razers3/tests seqan/apps/yara/tests bowtie bowtie2

A suite is known by its files. rabema: an end of a record lies in each interval of its gold standard. razers3 and yara: each of their records, single ones and concordant pairs, is covered by one of Trawl
(trawl-check covers). bowtie and bowtie2: each place that a case of scripts/test/simple_tests.pl expects has a record, and
input that is refused there is refused (needs perl). Cases that trim or clip reads, and formats that Trawl does not read, are
counted, not run. Sources:
github.com/seqan/seqan, github.com/BenLangmead/bowtie, github.com/BenLangmead/bowtie2. Exit status 1 if anything is not
found.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PERL = r"""use JSON::PP; local $/; open(my $file, "<", $ARGV[0]); my $text = <$file>;
my ($cases) = $text =~ /^my \@cases = (\(.*?^\));/ms; my @cases = eval $cases; die $@ if $@;
print JSON::PP->new->encode(\@cases);"""


class Suites:
    def __init__(self, args, work: pathlib.Path):
        self.args, self.work = args, work
        self.wrong = 0

    def map(self, reference, reads, *options) -> pathlib.Path | None:
        """The SAM of --report all; None if Trawl refuses."""
        output = self.work / "out.sam"
        done = subprocess.run([self.args.trawl, "map", "--quiet", "--min-length", "1", "--report", "all", *options, "-o",
                               output, reference, *reads], capture_output=True, text=True)
        return output if done.returncode == 0 else None

    def report(self, suite: str, what: str, found: int, expected: int, missing: list):
        print(f"{suite}\t{what}\t{found:,} of {expected:,}")
        for one in missing[:5]:
            print(f"  missing: {one}")
        self.wrong += found != expected

    def covered(self, ours, theirs, *options) -> tuple[int, int, list]:
        """How many of their records a record of ours covers."""
        done = subprocess.run([self.args.check, "covers", ours, theirs, *options], capture_output=True, text=True)
        counts = dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
        return int(counts["covered"]), int(counts["other"]), re.findall("not covered: (.*)", done.stdout + done.stderr)

    # --- rabema ---

    def rabema(self, folder: pathlib.Path):
        for gold in sorted(folder.glob("gold-*.gsi")):
            metric, percent = re.search(r"-(edit|hamming)-(\d+)\.gsi", gold.name).groups()
            metric = "levenshtein" if metric == "edit" else metric
            ours = self.map(folder / "adeno-genome.fa", [folder / "reads.fasta"], "-e", f"{int(percent)}%", "--metric", metric)
            length = sum(len(line) for line in (folder / "adeno-genome.fa").read_text().splitlines()[1:])
            ends = collections.defaultdict(set)  # by (read, contig, strand): the last base from 0, on that strand
            for name, flag, contig, position, cigar in records(ours):
                span = sum(int(count) for count, op in re.findall(r"(\d+)([MDN=X])", cigar))
                ends[name, contig, "R" if flag & 16 else "F"].add(
                    length - position if flag & 16 else position + span - 2)
            # A locus is a run of ends with at most e edits: an interval of the largest percentage.
            intervals = [line.split("\t") for line in gold.read_text().splitlines()
                         if line[0] not in "@#" and line.split("\t")[1] == str(int(percent))]
            missing = [" ".join(row) for row in intervals
                       if not any(int(row[4]) <= end <= int(row[5]) for end in ends[row[0], row[2], row[3]])]
            intervals = len(intervals)
            self.report("rabema", gold.name, intervals - len(missing), intervals, missing)

    # --- razers3 and yara ---

    def razers3(self, folder: pathlib.Path):
        for layout, kind in ("se", "single records"), ("pe", "records of pairs"):
            found = expected = 0
            missing = []
            for path in sorted(folder.glob(f"{layout}-*-tc1.razers")):
                length, way = re.match(r"..-adeno-reads(\d+)_\d(.*)-tc1", path.name).groups()
                identity = int(way[2:]) if way.startswith("-i") else 95
                reads = [folder / f"adeno-reads{length}_{n}.fa" for n in (1, 2)][:1 if layout == "se" else 2]
                options = ["-e", f"{100 - identity}%", *(["--metric", "hamming"] if way == "-ng" else [])]
                pairs = [] if layout == "se" else ["--insert", "170-270"]
                ours = self.map(folder / "adeno-genome.fa", reads, *options, *pairs)
                theirs = self.work / "theirs.sam"
                theirs.write_text("".join(razers_records(path.read_text().splitlines())))
                counts = self.covered(ours, theirs, *(["--pairs"] if pairs else []))
                found, expected, missing = found + counts[0], expected + counts[1], missing + counts[2]
            self.report("razers3", kind, found, expected, missing)

    def yara(self, folder: pathlib.Path):
        ours = self.map(folder / "input/adeno-genome.fa", [folder / "input/adeno-reads_1.fa"], "-e", "5%")
        for path in sorted((folder / "gold").glob("*.sam")):
            self.report("yara", path.name, *self.covered(ours, path, "-e", "5%"))

    # --- bowtie and bowtie2 ---

    def bowtie(self, script: pathlib.Path, gaps: bool):
        cases = json.loads(subprocess.run(["perl", "-e", PERL, script], check=True, capture_output=True).stdout)
        found, expected, missing = 0, 0, []
        for number, case in enumerate(cases):
            given = files_of(case)
            hits = [hit for hit in case.get("pairhits" if len(given) == 2 else "hits", []) if hit and "*" not in str(hit)]
            if not given or not (hits or case.get("should_abort")):
                continue
            reference = self.work / "case.fa"
            reference.write_text("".join(f">{n}\n{bases}\n" for n, bases in enumerate(case["ref"])))
            files = [self.work / f"case_{n}.reads" for n in range(len(given))]
            for file, text in zip(files, given):
                file.write_text(text)
            options = ["--insert", "1-1000"] if len(files) == 2 else []
            # With few edits and with more: of short reads with many edits several places are one locus.
            ways = [("hamming", edits) for edits in range(6)] + [("levenshtein", edits) for edits in (1, 3, 9) if gaps]
            found_with = [self.map(reference, files, *options, "--metric", metric, "-e", str(edits)) and
                          self.places(len(files) == 2) for metric, edits in ways]
            expected += 1
            if case.get("should_abort"):
                is_right = found_with[0] is None
            else:
                places = set().union(*filter(None, found_with))
                is_right = all(place in places for hit in hits for place in hit)
            found += is_right
            missing += [] if is_right else [f"{number} {case.get('name', '')}"]
        self.report(script.parent.parent.parent.name, f"cases of {script.name}, {len(cases) - expected} of which are left out",
                    found, expected, missing)

    def places(self, pairs: bool) -> set[str]:
        """The places of the records from 0, of pairs as "left,right"."""
        begins = [position - 1 for *_, position, _ in records(self.work / "out.sam")]
        return ({f"{min(pair)},{max(pair)}" for pair in zip(begins[::2], begins[1::2])} if pairs else set(map(str, begins)))

    def run(self, folder: pathlib.Path):
        script = next((path for path in (folder / "simple_tests.pl", folder / "scripts/test/simple_tests.pl")
                       if path.exists()), None)
        if next(folder.glob("gold-*.gsi"), None):
            self.rabema(folder)
        elif next(folder.glob("*.razers"), None):
            self.razers3(folder)
        elif (folder / "gold").is_dir():
            self.yara(folder)
        elif script:
            self.bowtie(script.resolve(), "bowtie2" in script.read_text())
        else:
            sys.exit(f"foreign.py: {folder}: no suite that is known here")


def records(sam: pathlib.Path):
    """(name, flag, contig, position, CIGAR) of mapped records."""
    for line in sam.read_text().splitlines():
        fields = line.split("\t")
        if line[0] != "@" and not int(fields[1]) & 4:
            yield fields[0], int(fields[1]), fields[2], int(fields[3]), fields[5]


def razers_records(lines: list[str]):
    """SAM of razers3's own format. Mates have names that end in /L and /R, and the number of their pair."""
    rows = [line.split("\t") for line in lines]
    begins = {(row[0], row[8]): row[5] for row in rows if len(row) > 8}
    for (name, _, length, strand, contig, begin, end, identity, *of_pair) in rows:
        length, span = int(length), int(end) - int(begin)
        edits = round((100 - float(identity)) * length / 100)
        gap = f"{abs(span - length)}{'D' if span > length else 'I'}" if span != length else ""
        flag = 16 if strand == "R" else 0
        mate = "0"
        if of_pair:
            flag |= 0x3 | (0x40 if name.endswith("/L") else 0x80)
            mate = str(int(begins[name[:-1] + ("R" if name.endswith("/L") else "L"), of_pair[0]]) + 1)
            name = name[:-2]
        yield "\t".join([name, str(flag), contig, str(int(begin) + 1), "255", f"{min(length, span)}M{gap}",
                         "=" if of_pair else "*", mate, "0", "*", "*", f"NM:i:{edits}"]) + "\n"


def files_of(case: dict) -> list[str]:
    """The text of a file of reads, or of two of mates; nothing if options change the reads (or clip them), or if it is a
    format that Trawl does not read."""
    if re.search(r"trim|-[su35] |-F |-p |local|overhang|--ff|--rf", json.dumps([case.get("args", ""), case.get("report", "")])):
        return []
    for single, mates in ("fastq", ("fastq1", "fastq2")), ("fasta", ("fasta1", "fasta2")):
        texts = [case[key] for key in (single, *mates) if key in case]
        if texts:
            return texts
    for single, mates in (("reads", ("mate1s", "mate2s")), ("cline_reads", ("cline_reads1", "cline_reads2")),
                          ("tabbed", ()), ("raw", ("raw1", "raw2"))):
        texts = [case[key] for key in (single, *mates) if key in case]
        if single == "tabbed" and texts and "\t" not in texts[0]:
            return texts  # FASTA or FASTQ
        if texts and not (single == "tabbed" and "pairhits" in case):
            return [fastq(text, single) for text in texts]
    return []


def fastq(reads: list | str, kind: str) -> str:
    if isinstance(reads, str):
        lines = re.split(r"[,\n]" if kind == "cline_reads" else r"\n", reads)
        lines = [line.strip() for line in lines if line.strip()]
        reads = [line.split("\t")[1:] if kind == "tabbed" else line.split(":") for line in lines]
    else:
        reads = [[read] for read in reads]
    return "".join(f"@r{n}\n{read[0]}\n+\n{read[1] if len(read) > 1 else 'I' * len(read[0])}\n"
                   for n, read in enumerate(reads) if read)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", type=pathlib.Path, metavar="SUITE", help="the folder of a suite")
    parser.add_argument("--trawl", default=str(ROOT / "build/release/trawl"), help="default: %(default)s")
    parser.add_argument("--check", default=str(ROOT / "build/release/bench/trawl-check"), help="default: %(default)s")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        suites = Suites(args, pathlib.Path(work))
        for folder in args.suites:
            suites.run(folder)
    return 1 if suites.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
