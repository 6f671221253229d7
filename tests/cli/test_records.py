"""The records: the three reports, the statistics, and checks by samtools. tests/conformance/records_test.cpp compares
them with an oracle, letter by letter."""

import random
import re
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from tools import (TRAWL, assert_same, execute, fastq, header, make_input, operations, random_bases, read_fasta,
                   read_fastq, read_json, records, reverse_complement, rows, run, sam_lines, samtools, write_fastq)

READS = 1502
MAP = ["map", "-e", "5%", "--min-length", 1]
MAP_ALL = [*MAP, "--report", "all"]
BOTH = ["ref.fa", "reads.fq"]


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """all.bam, all.json, the message of this run in all.txt; best.bam, best.json, end to end; clipped.bam,
    clipped.json, of --clip auto; strata0.bam to strata2.bam."""
    make_input(80000, 1500)
    with open("reads.fq", "a") as file:
        file.write(fastq("tiny", "AC") + fastq("none", "N" * 40))
    run(*MAP, "--end-to-end", *BOTH, "-o", "best.bam", "--stats", "best.json").ok()
    run(*MAP, *BOTH, "-o", "clipped.bam", "--stats", "clipped.json").ok()
    for strata in range(3):
        run(*MAP, "--report", "strata", "--strata", strata, *BOTH, "-o", f"strata{strata}.bam").ok()
    result = run(*MAP_ALL, *BOTH, "-o", "all.bam", "--stats", "all.json").ok()
    Path("all.txt").write_text(result.stderr)


@pytest.fixture(scope="module")
def every(inputs):
    """The records of --report all."""
    return records("all.bam")


# --- samtools accepts them ---


@pytest.mark.parametrize("name", ["all", "best", "clipped", "strata0", "strata1", "strata2"])
def test_quickcheck(name):
    samtools("quickcheck", "-v", f"{name}.bam")


def test_sort_index_and_flagstat():
    samtools("sort", "-o", "out/sorted.bam", "all.bam")
    samtools("index", "out/sorted.bam")
    samtools("flagstat", "out/sorted.bam")


# --- each read has its records ---


def test_in_input_order(every):
    names = [record.name for record in every if not record.flag & 256]
    assert names == [name.split()[0] for name, _, _ in read_fastq("reads.fq")]
    assert len(names) == READS


# --- reports ---


def without_nh(lines):
    return [re.sub(r"\tNH:i:\d*\tHI:i:\d*", "", line) for line in lines]


@pytest.mark.parametrize("name", ["best", "clipped"])
def test_best_has_no_secondary_records(name):
    found = records(f"{name}.bam")
    assert [record for record in found if record.flag & 256] == []
    assert [record for record in found if "ZD" in record.tags] == []


@pytest.mark.parametrize("strata", [0, 1, 2])
def test_strata_has_at_most_a_few_edits_more_than_the_primary_record(every, strata):
    expected = []
    for line, record in zip(sam_lines("all.bam"), every):
        distance = record.tags.get("NM", 0)
        if not record.flag & 256:
            best = distance
        if distance <= best + strata:
            expected.append(line)
    assert without_nh(sam_lines(f"strata{strata}.bam")) == without_nh(expected)


def test_max_hits(every):
    """ZD says how many are missing."""
    result = run(*MAP_ALL, "-k", 3, *BOTH, "-o", "out/x.sam", "--stats", "out/x.json").ok()
    counts = Counter(record.name for record in every if not record.flag & 4)
    left = [record for record in records("out/x.sam") if not record.flag & 4]
    assert Counter(record.name for record in left) == {name: min(3, count) for name, count in counts.items()}
    assert {(r.name, r.tags["ZD"]) for r in left if "ZD" in r.tags} == {
        (name, count - 3) for name, count in counts.items() if count > 3}
    assert "dropped by --max-hits" in result.stderr
    stats = read_json("out/x.json")["alignments"]
    assert stats["total"] + stats["dropped_by_max_hits"] == read_json("all.json")["alignments"]["total"]
    assert 0 < stats["reads_with_dropped"] < stats["dropped_by_max_hits"]


def test_max_loci(every):
    """A read with more is unmapped, and XM says so; all others have the same records."""
    counts = Counter(record.name for record in every if not record.flag & 4)
    bases = {name.split()[0]: f"{bases}\t{qualities}" for name, bases, qualities in read_fastq("reads.fq")}
    expected, seen = [], set()
    for line in sam_lines("all.bam"):
        name = line.split("\t")[0]
        if counts[name] <= 1:
            expected.append(line)
        elif name not in seen:
            seen.add(name)
            expected.append(f"{name}\t4\t*\t0\t0\t*\t*\t0\t0\t{bases[name]}\tXM:i:2")
    assert 20 < len(seen) < READS / 2
    for more in [], ["-k", 1], ["-k", 3], ["--tune", "search=scan"]:
        result = run(*MAP_ALL, "--max-loci", 1, *more, *BOTH, "-o", "out/x.bam", "--stats", "out/x.json",
                     "--report-html", "out/x.html").ok()
        assert sam_lines("out/x.bam") == expected
        assert f"; {len(seen)} reads left unmapped: more than 1 locus (--max-loci)" in result.stderr
        stats = read_json("out/x.json")
        assert stats["reads"]["unmapped_many_loci"] == len(seen)
        assert stats["reads"]["by_best_loci"]["0"] == stats["reads"]["total"] - stats["reads"]["mapped"]
        assert stats["alignments"]["dropped_by_max_hits"] == 0
        assert f'"unmapped_many_loci":{len(seen)}' in re.sub(r"\s", "", Path("out/x.html").read_text())


def test_one_of_many_loci(every):
    """The primary record stays, with MAPQ 0."""
    counts = Counter(record.name for record in every if not record.flag & 4)
    expected = []
    for line in sam_lines("all.bam"):
        fields = line.split("\t")
        if counts[fields[0]] <= 1:
            expected.append(line)
        elif not int(fields[1]) & 256:
            fields[4] = "0"
            expected.append(re.sub("NH:i:[0-9]*", "NH:i:1", "\t".join(fields)) + "\tXM:i:2")
    many = sum(count > 1 for count in counts.values())
    for more in [], ["-k", 1], ["-t", 1, "--tune", "batch-size=7"]:
        result = run(*MAP_ALL, "--max-loci", "1,one", *more, *BOTH, "-o", "out/x.bam", "--stats", "out/x.json").ok()
        assert sam_lines("out/x.bam") == expected
        assert f"; {many} reads at one of their places: more than 1 locus (--max-loci)" in result.stderr
        reads = read_json("out/x.json")["reads"]
        assert (reads["one_of_many_loci"], reads["unmapped_many_loci"]) == (many, 0)


# --- --xa ---


@pytest.mark.parametrize("most", [1, 3, 1000])
@pytest.mark.parametrize("format", ["sam", "bam", "cram"])
def test_other_places_in_one_tag(every, format, most):
    """As in bwa, a read with more places has none in its tag."""
    others = {}
    for record in every:
        if record.flag & 256:
            place = f"{record.contig},{'+-'[record.flag >> 4 & 1]}{record.position},{record.cigar},{record.tags['NM']};"
            others.setdefault(record.name, []).append(place)
    expected = [(record.name, record.tags.get("NH"), record.tags.get("X0"), record.tags.get("X1"),
                 "".join(others.get(record.name, [])) if len(others.get(record.name, [])) <= most else "")
                for record in every if not record.flag & 256]
    run(*MAP_ALL, "--xa", most, *BOTH, "-o", f"out/x.{format}").ok()
    assert expected == [(r.name, *(r.tags.get(tag) for tag in ("NH", "X0", "X1")), r.tags.get("XA", ""))
                        for r in records(f"out/x.{format}", "-T", "ref.fa")]
    assert any(place for *_, place in expected)
    run(*MAP_ALL, "--xa", most, *BOTH, "-o", "out/x.bed").fails(2, "--xa: BED has no tags", output="out/x.bed")


# --- --eqx, --unmapped, -R ---


def test_eqx_is_the_same_alignment(every):
    """= and X together are M; X, I and D together are NM."""
    run(*MAP_ALL, "--eqx", *BOTH, "-o", "out/x.bam").ok()
    cigars = [record.cigar for record in records("out/x.bam", "-F", 4)]
    assert [cigar for cigar in cigars if "M" in cigar] == []
    assert len([cigar for cigar in cigars if "X" in cigar]) > 100
    found = []
    for cigar in cigars:
        joined = groupby(operations(cigar), key=lambda step: "M" if step[1] in "=X" else step[1])
        found.append(("".join(f"{sum(n for n, _ in steps)}{operation}" for operation, steps in joined),
                      sum(n for n, operation in operations(cigar) if operation != "=")))
    assert found == [(record.cigar, record.tags["NM"]) for record in every if not record.flag & 4]


@pytest.mark.parametrize("strand, flag", [("+", 0), ("-", 16)])
def test_one_strand(every, strand, flag):
    def places(of):
        return sorted((record.name, record.position, record.cigar) for record in of if record.flag & 20 == flag)
    run(*MAP_ALL, "--strand", strand, *BOTH, "-o", "out/x.bam").ok()
    assert places(records("out/x.bam")) == places(every)
    # The best place of the strand, for reads that fit better on the other one, too.
    run(*MAP, "--end-to-end", "--strand", strand, *BOTH, "-o", "out/x.bam").ok()
    best = {}
    for record in every:
        if record.flag & 20 == flag:
            best[record.name] = min(record.tags["NM"], best.get(record.name, 99))
    found = {record.name: record.tags["NM"] for record in records("out/x.bam") if not record.flag & 4}
    assert found == best
    run(*MAP, "--strand", strand, *BOTH, "-o", "out/x.bam").ok()
    assert {record.flag & 16 for record in records("out/x.bam") if not record.flag & 4} == {flag}


def test_unmapped_drop():
    run(*MAP_ALL, "--unmapped", "drop", *BOTH, "-o", "out/x.bam").ok()
    assert sam_lines("out/x.bam") == sam_lines("all.bam", "-F", 4)
    assert len(sam_lines("all.bam", "-f", 4)) >= 2


def test_read_group(every):
    run(*MAP_ALL, "-R", r"@RG\tID:lane1\tSM:sample", *BOTH, "-o", "out/x.bam").ok()
    assert "@RG\tID:lane1\tSM:sample\n" in header("out/x.bam")
    assert [record.tags["RG"] for record in records("out/x.bam")] == ["lane1"] * len(every)
    assert "RG:Z:a b:c" in run(*MAP, "-R", "@RG\tID:a b:c\tDS:tabs as such", *BOTH).ok().stdout


def test_header_lines(every):
    """-R takes lines and files of lines. The first @RG is that of the reads."""
    Path("lines.txt").write_text("@CO\tfrom caf\u00e9\n@RG\tID:lane2\tSM:b\n\n@PG\tID:cut\tPN:cutadapt\n")
    text = run(*MAP_ALL, "-R", r"@RG\tID:lane1\tSM:a", "-R", "lines.txt", "-R", "@CO\tend", *BOTH, "-o", "out/x.bam").ok()
    assert header("out/x.bam").split("@SQ")[-1].split("\n", 1)[1].startswith(
        "@RG\tID:lane1\tSM:a\n@CO\tfrom caf\u00e9\n@RG\tID:lane2\tSM:b\n@PG\tID:cut\tPN:cutadapt\n@CO\tend\n"
        "@PG\tID:trawl\t")
    assert {record.tags["RG"] for record in records("out/x.bam")} == {"lane1"}
    assert "hint: -R has no PL" in text.stderr
    Path("lines.txt").write_text("@CO\tonly\n")
    run(*MAP_ALL, "-R", "lines.txt", *BOTH, "-o", "out/x.bam").ok()
    assert sam_lines("out/x.bam") == sam_lines("all.bam")


# --- the header ---


def test_header():
    text = header("all.bam")
    sums = re.findall("M5:([0-9a-f]*)", samtools("dict", "ref.fa"))
    assert re.findall("^@SQ\tSN:(.*?)\tLN:(.*?)\tM5:([0-9a-f]*)", text, flags=re.M) == [
        (name, str(len(bases)), md5) for (name, bases), md5 in zip(read_fasta("ref.fa").items(), sums)]
    for part in "@HD\tVN:1.6", "@PG\tID:trawl\tPN:trawl\tVN:", "--max-edits 5% --min-length 1 --report all":
        assert part in text


# --- BED ---


def test_bed_agrees_with_bam(every):
    expected = []
    for r in every:
        if not r.flag & 4:
            end = r.position - 1 + sum(n for n, operation in operations(r.cigar) if operation in "MD")
            strand = "-" if r.flag & 16 else "+"
            expected.append([r.contig, r.position - 1, end, r.name, r.mapq, strand, r.tags["NM"], r.cigar])
    run(*MAP_ALL, *BOTH, "-o", "out/x.bed").ok()
    assert rows("out/x.bed") == [[str(value) for value in row] for row in expected]
    run(*MAP_ALL, *BOTH, "-o", "out/x.bed.gz").ok()
    assert_same("out/x.bed", execute("gzip", "-dc", "out/x.bed.gz").ok())
    execute("bgzip", "-t", "out/x.bed.gz").ok()


# --- the statistics and the summary agree with the records ---


@pytest.mark.parametrize("report", ["all", "best", "clipped"])
def test_statistics(report):
    found = records(f"{report}.bam", "-F", 2048)
    mapped = [record for record in found if not record.flag & 4]
    primary = [record for record in found if not record.flag & 256]
    unmapped = len(found) - len(mapped)
    stats = read_json(f"{report}.json")
    reads, alignments = stats["reads"], stats["alignments"]
    assert reads["total"] == len(primary)
    assert reads["bases"] == sum(len(record.bases) for record in primary)
    assert reads["mapped"] == len(primary) - unmapped
    assert reads["unmapped_no_locus"] + reads["unmapped_too_short"] == unmapped
    assert reads["unmapped_many_loci"] == 0
    assert alignments["total"] == len(mapped)
    assert alignments["primary_by_distance"] == by_distance(record for record in mapped if not record.flag & 256)
    assert alignments["all_by_distance"] == by_distance(mapped)
    assert alignments["dropped_by_max_hits"] == alignments["reads_with_dropped"] == 0
    lengths = [len(bases) for bases in read_fasta("ref.fa").values()]
    assert (stats["reference"]["bases"], stats["reference"]["contigs"]) == (sum(lengths), len(lengths))
    assert stats["threads"] >= 1 and stats["wall_seconds"] >= 0 and stats["peak_resident_bytes"] > 0


# --- damage of ancient DNA ---


def damaged_reads(count, single_stranded):
    contigs = read_fasta("ref.fa")
    for n in range(count):
        contig = random.choice(list(contigs.values())).upper()
        start, length = random.randrange(len(contig) - 70), random.randint(40, 70)
        bases = list(contig[start:start + length])
        bases = list(reverse_complement("".join(bases))) if n % 2 else bases
        bases[20:20 + n % 3] = random_bases(1 if n % 8 else n % 3)
        length = len(bases)
        for i, base in enumerate(bases):
            ends = {"C": min(i, length - 1 - i) if single_stranded else i}
            ends |= {} if single_stranded else {"G": length - 1 - i}
            if base in ends and random.random() < 0.01 + 0.4 * 0.6 ** ends[base]:
                bases[i] = {"C": "T", "G": "A"}[base]
        yield f"r{n}", "".join(bases)


def damage_in(found, three_prime):
    """The table of --stats, from the records and the reference; as they were sequenced."""
    contigs = {name: bases.upper() for name, bases in read_fasta("ref.fa").items()}
    counts = {end: [[0] * 25, [0] * 25] for end in ("five_prime", "three_prime")}
    for record in found:
        pairs, place = [], record.position - 1
        for length, operation in operations(record.cigar):
            for _ in range(length):
                pairs += [(contigs[record.contig][place], record.bases[len(pairs)])] if operation == "M" else \
                    [("-", "-")] if operation == "I" else []
                place += operation in "MD"
        if record.flag & 16:
            pairs = [(reverse_complement(a), reverse_complement(b)) if a != "-" else (a, b) for a, b in pairs[::-1]]
        for end, (of, into), order in (("five_prime", "CT", pairs), ("three_prime", three_prime, pairs[::-1])):
            for i, (a, b) in enumerate(order[:25]):
                counts[end][0][i] += a == of
                counts[end][1][i] += (a, b) == (of, into)
    return {key: counts[end][k] for end in counts for k, key in enumerate((end, end + "_damaged"))}


@pytest.mark.parametrize("library, three_prime", [("", "GA"), ("ss:", "CT")])
def test_damage(library, three_prime):
    random.seed(51)
    write_fastq("out/old.fq", *damaged_reads(6000, library == "ss:"))
    adna = ["map", "--for", "adna", "--damage", library + "auto", "ref.fa", "out/old.fq"]
    result = run(*adna, "-o", "out/old.sam", "--stats", "out/old.json", "--report-html", "out/old.html").ok()
    found = records("out/old.sam", "-F", 4)
    assert {record.flag for record in found} == {0, 16} and any("I" in record.cigar for record in found)
    damage = read_json("out/old.json")["damage"]
    for key, counts in damage_in(found, three_prime).items():
        assert damage[key] == counts, key
    assert damage["library"] == ("single-stranded" if library else "double-stranded")
    assert damage["reads_examined"] == 6000 > damage["reads_used"] > 3000
    assert damage["source"] == "estimated"
    assert abs(damage["first"] - 0.41) < 0.05 and abs(damage["decay"] - 0.4) < 0.1 and damage["interior"] < 0.03
    # The same for any threads and batches, and if these rates are given.
    run(*adna, "-t", 3, "--tune", "batch-size=77", "-o", "out/b.sam", "--stats", "out/b.json").ok()
    assert_same("out/old.sam", "out/b.sam")
    assert read_json("out/b.json")["damage"] == damage
    rates = f"{library}{damage['first']},{damage['decay']},{damage['interior']}"
    assert f"damage: --damage {rates}, from {damage['reads_used']} of the first 6000 reads" in result.stderr
    run(*adna[:4], rates, *adna[5:], "-o", "out/c.sam", "--stats", "out/c.json").ok()
    assert sam_lines("out/old.sam") == sam_lines("out/c.sam")
    given = read_json("out/c.json")["damage"]
    assert (given["source"], given["five_prime"]) == ("given", damage["five_prime"])
    # Too few reads say nothing; other runs count nothing.
    run(*adna[:-1], "-", "-o", "out/d.sam", "--stats", "out/d.json", stdin=fastq("x", "A" * 40).encode()).ok()
    few = read_json("out/d.json")["damage"]
    assert (few["source"], few["first"], few["decay"], few["interior"]) == ("default", 0.3, 0.3, 0.01)
    assert "damage" not in read_json("best.json")
    run(*adna, "--server", "x").fails(2, "--damage auto reads ahead, which --server does not do")


def by_distance(alignments):
    counts = Counter(record.tags["NM"] for record in alignments)
    return [counts[distance] for distance in range(max(counts) + 1)]


def test_command_line_in_the_statistics():
    assert read_json("all.json")["command_line"] == (
        f"{TRAWL} map -e 5% --min-length 1 --report all ref.fa reads.fq -o all.bam --stats all.json")


def test_summary(every):
    mapped = [record for record in every if not record.flag & 4]
    primary = [record for record in mapped if not record.flag & 256]
    summary = Path("all.txt").read_text()
    assert f"trawl map: {READS} reads, {len(primary)} mapped (" in summary
    assert f", {len(mapped)} alignments, " in summary
