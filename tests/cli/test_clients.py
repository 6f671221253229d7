"""Programs that read Trawl's output, run for real: RSEM, salmon, eXpress and featureCounts on simulated reads. What
they estimate is compared with what they make of bowtie2 -a, or with the truth."""

import os
import random
import shutil
import statistics
from collections import defaultdict

import pytest

from tools import count, execute, header, records, reverse_complement, rows, run, samtools, table

THREADS = len(os.sched_getaffinity(0))
PAIRS = ["transcripts.fa", "1.fq", "2.fq"]


def needs(program, package):
    return pytest.mark.skipif(not shutil.which(program), reason=f"no {program} here (Debian: {package})")


HAS_BOWTIE2 = shutil.which("bowtie2") is not None


# --- inputs ---

READ = 75
ERRORS = 0.005


def bases(length):
    return "".join(random.choice("ACGT") for _ in range(length))


def diverged(sequence, rate):
    return "".join(random.choice("ACGT") if random.random() < rate else c for c in sequence)


class Pairs:
    """Writes read pairs of fragments."""

    def __init__(self, prefix):
        self.files = [open(f"{prefix}{mate}.fq", "w") for mate in (1, 2)]
        self.count = 0

    def add(self, sequence, begin, end):
        mates = [sequence[begin:end][:READ], reverse_complement(sequence[begin:end])[:READ]]
        if random.random() < 0.5:
            mates.reverse()
        for file, mate in zip(self.files, mates):
            file.write(f"@p{self.count}\n{diverged(mate, ERRORS)}\n+\n{'I' * READ}\n")
        self.count += 1

    def close(self):
        for file in self.files:
            file.close()


def fragment(length):
    size = min(length, max(READ, int(random.gauss(200, 25))))
    begin = random.randint(0, length - size)
    return begin, begin + size


def make_transcripts():
    """A small transcriptome with isoforms and paralogs, read pairs of it, and the truth: transcripts.fa, genes.tsv (gene,
    transcript), truth.tsv (transcript, pairs, share of all molecules), 1.fq and 2.fq."""
    transcripts = []  # gene, name, sequence
    genes = []
    for g in range(50):
        if g % 5 == 4:  # a paralog of the gene before
            exons = [diverged(exon, 0.02) for exon in genes[-1]]
        else:
            exons = [bases(random.randint(120, 350)) for _ in range(random.randint(2, 6))]
        genes.append(exons)
        kept = {tuple(range(len(exons)))}
        for _ in range(random.randint(0, 3)):
            some = [i for i in range(len(exons)) if random.random() < 0.7]
            if sum(len(exons[i]) for i in some) >= 300:
                kept.add(tuple(some))
        for t, chosen in enumerate(sorted(kept)):
            transcripts.append((f"gene{g}", f"gene{g}_t{t}", "".join(exons[i] for i in chosen)))

    molecules = [random.lognormvariate(0, 1.5) for _ in transcripts]
    weights = [m * max(1, len(t[2]) - 200) for m, t in zip(molecules, transcripts)]
    counts = [0] * len(transcripts)
    out = Pairs("")
    for t in random.choices(range(len(transcripts)), weights, k=12000):
        counts[t] += 1
        out.add(transcripts[t][2], *fragment(len(transcripts[t][2])))
    out.close()
    with open("transcripts.fa", "w") as fasta, open("genes.tsv", "w") as names, open("truth.tsv", "w") as truth:
        for (gene, name, sequence), count, share in zip(transcripts, counts, molecules):
            fasta.write(f">{name}\n{sequence}\n")
            names.write(f"{gene}\t{name}\n")
            truth.write(f"{name}\t{count}\t{share}\n")


def make_genes():
    """The same for a genome with genes of 1 to 4 equal copies: genome.fa, genes.gtf, gene_truth.tsv (copy, pairs if each is
    shared equally among the copies), g1.fq and g2.fq."""
    families = [(f"family{f}", bases(random.randint(600, 1500)), f % 4 + 1) for f in range(40)]
    placed = [(f"{name}_{c}", sequence) for name, sequence, copies in families for c in range(copies)]
    random.shuffle(placed)
    genome, at = [bases(500)], {}
    position = 500
    for name, sequence in placed:
        at[name] = (position, position + len(sequence))
        gap = bases(random.randint(300, 600))
        genome += [sequence, gap]
        position += len(sequence) + len(gap)
    with open("genome.fa", "w") as fasta:
        fasta.write(">chr1\n" + "".join(genome) + "\n")
    with open("genes.gtf", "w") as gtf:
        for name, (begin, end) in sorted(at.items()):
            gtf.write(f'chr1\tmade\texon\t{begin + 1}\t{end}\t.\t+\t.\tgene_id "{name}"; transcript_id "{name}";\n')
    shares = [random.lognormvariate(0, 1) for _ in families]
    of_family = [0] * len(families)
    out = Pairs("g")
    for f in random.choices(range(len(families)), shares, k=6000):
        of_family[f] += 1
        out.add(families[f][1], *fragment(len(families[f][1])))
    out.close()
    with open("gene_truth.tsv", "w") as truth:
        for (name, _, copies), count in zip(families, of_family):
            for c in range(copies):
                truth.write(f"{name}_{c}\t{count / copies}\n")


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """Transcripts and a genome with genes, with reads of both."""
    random.seed(1)
    make_transcripts()
    make_genes()


@pytest.fixture(scope="module")
def bowtie2(inputs):
    """All alignments, else as RSEM calls it: bowtie2.bam, single.bam."""
    if not HAS_BOWTIE2:
        return
    execute("bowtie2-build", "-q", "transcripts.fa", "transcripts").ok()
    options = "-q --quiet --dpad 0 --gbar 99999999 --mp 1,1 --np 1 --score-min L,0,-0.1 -a -x transcripts".split()
    for output, reads in (("bowtie2.bam", "-I 1 -X 1000 --no-mixed --no-discordant -1 1.fq -2 2.fq"),
                          ("single.bam", "-U 1.fq")):
        found = execute("bowtie2", "-p", THREADS, *options, *reads.split()).ok()
        samtools("view", "-b", "-o", output, "-", stdin=found.bytes)


def truth(path):
    return {row[0]: float(row[1]) for row in rows(path)}


def estimates(path, name, value):
    return {row[name]: float(row[value]) for row in table(path)}


def assert_agree(found, expected):
    """They correlate (Pearson), with about the same sum."""
    names = sorted(found.keys() | expected.keys())
    assert len(names) >= 80
    x, y = ([values.get(name, 0) for name in names] for values in (found, expected))
    assert statistics.correlation(x, y) > 0.99
    assert abs(sum(x) / sum(y) - 1) < 0.02


# --- RSEM ---

RSEM = needs("rsem-calculate-expression", "rsem")


@pytest.fixture(scope="module")
def rsem(inputs):
    os.mkdir("rsem")
    execute("rsem-prepare-reference", "--transcript-to-gene-map", "genes.tsv", "transcripts.fa", "rsem/ref").ok()


def by_rsem(bam, *options):
    execute("rsem-calculate-expression", "--alignments", *options, "--no-bam-output", "-p", THREADS, bam, "rsem/ref",
            "rsem/x").ok()
    return estimates("rsem/x.isoforms.results", "transcript_id", "expected_count")


@RSEM
def test_rsem_and_pairs(rsem, bowtie2):
    run("map", "--for", "rsem", *PAIRS, "-o", "out/x.bam").ok()
    assert ("--metric hamming --report all --secondary-seq --insert 1-1000 --discordant never --one-end never "
            "transcripts.fa") in header("out/x.bam"), "@PG has what --for rsem sets"
    validator = execute("rsem-sam-validator", "out/x.bam").ok()
    assert "The input file is valid!" in validator.stdout + validator.stderr
    assert [record.cigar for record in records("out/x.bam") if set(record.cigar) & set("IDSH")] == []
    assert (count("out/x.bam", "-f", 4, "-F", 8), count("out/x.bam", "-f", 8, "-F", 4)) == (0, 0), "both mates or none"
    found = by_rsem("out/x.bam", "--paired-end")
    if HAS_BOWTIE2:
        assert_agree(found, by_rsem("bowtie2.bam", "--paired-end"))
    assert_agree(found, truth("truth.tsv"))


@RSEM
def test_rsem_and_single_reads(rsem, bowtie2):
    options = "--fragment-length-mean 200 --fragment-length-sd 25".split()
    run("map", "--for", "rsem", "transcripts.fa", "1.fq", "-o", "out/x.bam").ok()
    found = by_rsem("out/x.bam", *options)
    if not HAS_BOWTIE2:
        pytest.skip("no bowtie2 here: RSEM reads the records, but its estimates are compared with nothing")
    assert_agree(found, by_rsem("single.bam", *options))


# --- salmon, eXpress ---


@needs("salmon", "salmon")
def test_salmon(bowtie2):
    def by_salmon(bam):
        result = execute("salmon", "quant", "-t", "transcripts.fa", "-l", "IU", "-a", bam, "-o", "out/salmon",
                         "-p", THREADS).ok()
        return result, estimates("out/salmon/quant.sf", "Name", "NumReads")

    run("map", "--for", "salmon", *PAIRS, "-o", "out/x.bam").ok()
    result, found = by_salmon("out/x.bam")
    warnings = [line for line in result.stderr.splitlines() if "[warning]" in line]
    assert [line for line in warnings if "burn-in" not in line] == [], "of nothing but the few reads"
    assert_agree(found, by_salmon("bowtie2.bam")[1] if HAS_BOWTIE2 else truth("truth.tsv"))


@needs("berkeley-express", "berkeley-express")
def test_express(bowtie2):
    def by_express(bam):
        execute("berkeley-express", "--no-update-check", "--no-bias-correct", "-o", "out/express", "transcripts.fa",
                bam).ok()
        return estimates("out/express/results.xprs", "target_id", "est_counts")

    run("map", "--for", "express", *PAIRS, "-o", "out/x.bam").ok()
    assert_agree(by_express("out/x.bam"), by_express("bowtie2.bam") if HAS_BOWTIE2 else truth("truth.tsv"))


# --- featureCounts ---

FEATURE_COUNTS = needs("featureCounts", "subread")


def feature_counts(bam, *options):
    execute("featureCounts", "-p", "--countReadPairs", *options, "-a", "genes.gtf", "-o", "out/counts.txt", bam).ok()
    comment, names, *lines = rows("out/counts.txt")
    return {row[0]: float(row[6]) for row in lines}


@FEATURE_COUNTS
def test_feature_counts_of_all_places():
    run("map", "--for", "featurecounts", "genome.fa", "g1.fq", "g2.fq", "-o", "out/x.bam").ok()
    assert_agree(feature_counts("out/x.bam", "-M", "--fraction"), truth("gene_truth.tsv"))


@FEATURE_COUNTS
def test_feature_counts_of_the_best_places():
    """NH is the number of records, so it is 1 for all reads; those of equal copies have MAPQ 0."""
    run("map", "genome.fa", "g1.fq", "g2.fq", "-o", "out/x.bam").ok()
    assert abs(sum(feature_counts("out/x.bam").values()) - 6000) <= 30
    copies = defaultdict(list)
    for name, pairs in truth("gene_truth.tsv").items():
        copies[name.split("_")[0]].append(pairs)
    in_one_copy = sum(pairs[0] for pairs in copies.values() if len(pairs) == 1)
    assert abs(sum(feature_counts("out/x.bam", "-Q", 1).values()) - in_one_copy) <= 30
