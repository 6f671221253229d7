"""trawl scan --vcf: the sites on alternative alleles are those that scanning each haplotype finds, as bcftools
consensus makes it."""

import itertools
import os
import random
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import (assert_same, bgzip, execute, random_bases, read_fasta, reverse_complement, rows, run, table,
                   write_fasta, write_lines)


def write_vcf(path, records, samples=(), contigs=["c,length=56", "d"], format="GT"):
    """Each record: (contig, position, REF, ALT, genotypes of the samples)."""
    heads = ["##fileformat=VCFv4.2", *(f"##contig=<ID={contig}>" for contig in contigs),
             f'##FORMAT=<ID={format},Number=1,Type=String,Description="x">', '##ALT=<ID=DEL,Description="x">',
             '##INFO=<ID=END,Number=1,Type=Integer,Description="x">']
    names = ["FORMAT", *samples] if samples else []
    lines = [["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", *names]]
    for contig, position, ref, alts, *genotypes in records:
        lines.append([contig, str(position), ".", ref, alts, ".", ".", ".", *[format][:len(genotypes)], *genotypes])
    write_lines(path, *heads, *("\t".join(line) for line in lines))


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """v.fa with sites of guides.tsv; v.vcf and v.vcf.gz with four samples."""
    random.seed(23)
    guides = [random_bases(20), random_bases(20), random_bases(12)]
    contigs = {}
    for contig, sites in ("one", 40), ("two", 40), ("none", 10), ("overlaps", 250):
        text = random_bases(30)
        for n in range(sites):
            site = list(random.choice(guides) + "TGG")
            for _ in range(random.randrange(5)):
                at = random.randrange(len(site))
                site[at:at + 1] = random.choice([random_bases(1), random_bases(1), random_bases(1), "",
                                                 site[at] + random_bases(1)])
            site = "".join(site)
            text += (reverse_complement(site) if n % 2 else site) + random_bases(random.randrange(20))
        contigs[contig] = text + random_bases(4)
    write_fasta("v.fa", *contigs.items())
    write_lines("guides.tsv", *(f"g{n}\t{guide}" for n, guide in enumerate(guides)))

    def genotypes(choices):
        return ["|".join(str(random.choice(choices)) for _ in range(2)) for _ in range(4)]

    records = []
    for contig in "one", "two":
        at = 3
        while at < len(contigs[contig]) - 12:
            kind = random.randrange(5)
            ref = contigs[contig][at:at + (random.randrange(2, 6) if kind == 1 else 1)]
            if kind == 0:
                alts = [ref + random_bases(random.randrange(1, 5))]
            elif kind == 1:
                alts = [ref[0]]
            else:
                alts = random.sample([base for base in "ACGT" if base != ref], 2 if kind == 2 else 1)
            gts = genotypes([0, 0, *range(len(alts) + 1)])
            if contig == "two":
                gts[3] = gts[3][0]  # one allele
            records.append((contig, at + 1, ref, ",".join(alts), *gts))
            at += len(ref) + random.randrange(1, 14)
    # Records that overlap and are not normalised, several at a position among them.
    at, text = 3, contigs["overlaps"]
    while at < len(text) - 12:
        ref = text[at:at + random.choice([1, 1, 2, 3, 5])]
        alts = set()
        for _ in range(random.choice([1, 1, 2, 3])):
            alts.add(random.choice([ref[0] + random_bases(2), ref[0], random_bases(len(ref)),
                                    ref[:-1] + random_bases(1), random_bases(1) + ref[1:], ref + random_bases(1)]))
        alts -= {ref}
        if alts:
            gts = genotypes([0, 0, 0, *range(len(alts) + 1)])
            records.append(("overlaps", at + 1, ref, ",".join(sorted(alts)), *gts))
        at += random.choice([0, 1, 1, 2, 3, 8])
    write_vcf("v.vcf", records, "ABCD", [f"{name},length={len(text)}" for name, text in contigs.items()])
    Path("v.vcf.gz").write_bytes(bgzip("-c", "v.vcf"))


# --- every haplotype, as bcftools consensus makes it ---


class Allele(NamedTuple):
    """Where it lies in the consensus and in the reference, without what REF and ALT share at their ends."""
    begin: int
    end: int
    ref_begin: int
    ref_end: int
    name: str


class Haplotype(NamedTuple):
    sample: str
    number: str
    fasta: str
    alleles: dict  # by contig, in order
    skipped: set

    def in_reference(self, contig, begin, end):
        """Where the letters from begin to end of the consensus lie in the reference, and their alleles."""
        has, ref_begin, ref_end, moved = [], None, None, 0
        for allele in self.alleles.get(contig, []):
            x, y = allele.begin, allele.end
            if begin < x and ref_begin is None:
                ref_begin = begin - moved
            if end <= x and ref_end is None:
                ref_end = end - moved
            if begin < y and end > x if y > x else begin < x < end:
                has.append(allele.name)
            if begin < y and ref_begin is None:
                ref_begin = allele.ref_begin + min(begin - x, allele.ref_end - allele.ref_begin)
            if end <= y and ref_end is None:
                inside = allele.ref_begin + min(end - x, allele.ref_end - allele.ref_begin)
                ref_end = allele.ref_end if end == y else inside
            moved = y - allele.ref_end
        ref_begin = begin - moved if ref_begin is None else ref_begin
        ref_end = end - moved if ref_end is None else ref_end
        return ref_begin, ref_end, ",".join(has)


def haplotype(reference, records, s, sample, number):
    """Its alleles by the rule of bcftools consensus, which skips some that overlap. Its consensus proves it."""
    alleles, skipped = {}, set()
    last, grows, shift, done = {}, {}, dict.fromkeys(reference, 0), dict.fromkeys(reference, 0)
    text = dict.fromkeys(reference, "")
    for n, (contig, position, _, ref, alts, _, _, _, _, *genotypes) in enumerate(records):
        position, genotype = int(position) - 1, genotypes[s].split("|")
        if len(genotype) < number or genotype[number - 1] == "0":
            continue
        alt = alts.split(",")[int(genotype[number - 1]) - 1]
        name = f"{contig}:{position + 1}:{ref}>{alt}"
        same = len(os.path.commonprefix([ref, alt]))
        old, new = ref[same:], alt[same:]
        while old and new and old[-1] == new[-1]:
            old, new = old[:-1], new[:-1]
        is_behind = position == last.get(contig) and same and not (old and new) and not grows[contig]
        if position <= last.get(contig, -1) and not is_behind:
            skipped.add((n, name))
            continue
        last[contig], grows[contig] = position + len(ref) - 1, len(alt) > len(ref)
        begin, end, moved = position + same, position + same + len(old), shift[contig]
        text[contig] += reference[contig][done[contig]:begin] + new
        done[contig] = end
        alleles.setdefault(contig, []).append(Allele(begin + moved, begin + moved + len(new), begin, end, name))
        shift[contig] += len(new) - len(old)
    fasta = f"{sample}{number}.fa"
    consensus = execute("bcftools", "consensus", "-f", "v.fa", "-s", sample, "-H", number, "v.vcf.gz").ok()
    Path(fasta).write_bytes(consensus.bytes)
    assert read_fasta(fasta) == {contig: text[contig] + reference[contig][done[contig]:] for contig in reference}
    return Haplotype(sample, str(number), fasta, alleles, skipped)


def need_bcftools():
    if not shutil.which("bcftools"):
        pytest.skip("bcftools is missing")


@pytest.fixture(scope="module")
def haplotypes(inputs):
    need_bcftools()
    execute("bcftools", "index", "v.vcf.gz").ok()
    records = [row for row in rows("v.vcf") if row[0][0] != "#"]
    reference = read_fasta("v.fa")
    return [haplotype(reference, records, s, sample, number) for s, sample in enumerate("ABCD") for number in (1, 2)]


def sites_with_alleles(haplotype, path):
    """Of the table of its consensus."""
    found = set()
    for row in table(path):
        contig = row["contig"]
        begin, end, alleles = haplotype.in_reference(contig, int(row["start"]), int(row["end"]))
        if alleles:
            found.add((contig, begin, end, row["pattern"], row["strand"], row["text"], row["cigar"], row["distance"],
                       row["pam"], alleles))
        if row.get("ungapped_start", ".") == "." or row["dna_bulges"] == row["rna_bulges"] == "0":
            continue
        # The alignment without bulges has its own line if it has other alleles.
        text, start = row["ungapped_text"].upper(), int(row["ungapped_start"])
        begin, end, other = haplotype.in_reference(contig, start, start + len(text))
        if other and other != alleles:
            found.add((contig, begin, end, row["pattern"], row["strand"], text, f"{len(text)}M",
                       row["ungapped_mismatches"], row["pam"], other))
    return found


@pytest.fixture(scope="module", params=["-k 3 --max-bulges 1 --pam NGG", "-k 7 --metric hamming --pam CCN:5'",
                                        "-k 2 --max-bulges 2 --pam NGG,NAG --pam-mismatches 1"])
def scan(request, inputs):
    """The arguments. x.tsv and stderr are of a scan with v.vcf.gz."""
    arguments = ["scan", *request.param.split()]
    result = run(*arguments, "--vcf", "v.vcf.gz", "v.fa", "guides.tsv", "-o", "x.tsv").ok()
    Path("stderr").write_text(result.stderr)
    return arguments


def test_the_sites_are_those_of_each_haplotype(haplotypes, scan):
    found = table("x.tsv")
    checked = 0
    for one in haplotypes:
        run(*scan, "--report", "ends", one.fasta, "guides.tsv", "-o", "out/consensus.tsv").ok()
        own = [(row["contig"], int(row["start"]), int(row["end"]), row["pattern"], row["strand"], row["text"],
                row["cigar"], row["distance"], row["pam"], row["alleles"])
               for row in found for sample in row["samples"].split(",")
               if sample.split(":")[0] == one.sample and one.number in sample.split(":")[1].split("|")]
        assert len(set(own)) == len(own), one.fasta
        assert set(own) ^ sites_with_alleles(one, "out/consensus.tsv") == set(), one.fasta
        checked += len(own)
    assert checked > 500
    assert sum("," in row["alleles"] for row in found) > 5
    # A sample with one allele.
    assert any(row["contig"] == "two" and "D:1" in row["samples"].split(",") for row in found)
    skipped = len(set().union(*(one.skipped for one in haplotypes)))
    assert skipped > 500
    line, = re.findall(".*skipped.*", Path("stderr").read_text())  # told once
    assert f"v.vcf.gz: {skipped} alleles skipped on haplotypes where an allele before overlaps it" in line


def test_the_sites_of_the_reference_stay(scan):
    run(*scan, "v.fa", "guides.tsv", "-o", "out/x.tsv").ok()
    assert [row[:22] + row[24:] for row in rows("x.tsv") if row[23] in ("samples", ".")] == rows("out/x.tsv")


def test_the_order(scan):
    contigs, found = list(read_fasta("v.fa")), rows("x.tsv")[1:]
    assert found == sorted(found, key=lambda row: (
        contigs.index(row[0]), int(row[1]), row[3], row[4] == "-", int(row[2])))


def test_the_bytes_do_not_depend_on_threads_chunks_and_format(scan):
    for how in "-t 1 --tune chunk-size=100", "-t 3 --tune search=pieces", "--tune search=rows":
        run(*scan, *how.split(), "--vcf", "v.vcf", "v.fa", "guides.tsv", "-o", "out/x.tsv").ok()
        assert_same("x.tsv", "out/x.tsv")


def test_bcf(scan):
    need_bcftools()
    execute("bcftools", "view", "-Ob", "-o", "v.bcf", "v.vcf").ok()
    run(*scan, "--vcf", "v.bcf", "v.fa", "guides.tsv", "-o", "out/x.tsv").ok()
    assert_same("x.tsv", "out/x.tsv")


# --- without phase: every combination of what the genotypes may give a haplotype, with a question mark ---

GUIDE = ["scan", "--pam", "NGG", "-p", "GATTACAGCTTAGCATGCAT"]


@pytest.fixture(scope="module", autouse=True)
def u():
    write_fasta("u.fa", ("c", "AAAAAAAAAAGATTACAGCTTAGCATGCATTGGAAAAAAAAAAAAAAAAAAAAAAA"))


def sites_of(records, *options, **samples_and_format):
    """Distance, alleles and samples of the sites, and the messages."""
    write_vcf("u.vcf", records, **samples_and_format)
    message = run(*GUIDE, "--max-mismatches", 2, "--strand", "+", "--vcf", "u.vcf", "u.fa", "-o", "out/u.tsv",
                  *options).ok().stderr
    return [" ".join((row["distance"], row["alleles"], row["samples"])) for row in table("out/u.tsv")], message


@pytest.mark.parametrize("first, second, expected", [
    ("0/1", "1/0", ["0 . .", "1 c:14:T>C S:?", "2 c:14:T>C,c:20:T>G S:?", "1 c:20:T>G S:?"]),
    ("0|1", "0|1", ["0 . .", "2 c:14:T>C,c:20:T>G S:2"]),
    ("0|1", "1|0", ["0 . .", "1 c:14:T>C S:2", "1 c:20:T>G S:1"]),
    ("1/1", "0/1", ["0 . .", "1 c:14:T>C S:1|2", "2 c:14:T>C,c:20:T>G S:?"])])
def test_phase(first, second, expected):
    assert sites_of([("c", 14, "T", "C", first), ("c", 20, "T", "G", second)], samples="S")[0] == expected


def test_two_alternative_alleles_are_never_together():
    """And there is never the reference."""
    assert sites_of([("c", 14, "T", "C,TA", "1/2"), ("c", 20, "T", "G", "0/1")], "--max-bulges", 1, samples="S")[0] == [
        "0 . .", "1 c:14:T>C S:?", "2 c:14:T>C,c:20:T>G S:?", "1 c:14:T>TA S:?", "2 c:14:T>TA,c:20:T>G S:?"]


@pytest.mark.parametrize("first, second, expected, skipped", [
    ("1|0", "1|1", ["0 . .", "1 c:13:TT>GT S:2", "1 c:13:TTA>TCA S:1"], ["1 allele skipped"]),
    ("0/1", "1/1", ["0 . .", "1 c:13:TT>GT S:?", "1 c:13:TTA>TCA S:?"], []),
    ("1/1", "1|1", ["0 . .", "1 c:13:TTA>TCA S:1|2"], ["1 allele skipped"])])
def test_of_two_records_that_overlap_a_haplotype_has_one(first, second, expected, skipped):
    found, message = sites_of([("c", 13, "TTA", "TCA", first), ("c", 13, "TT", "GT", second)], samples="S")
    assert found == expected
    assert re.findall("[0-9]+ alleles? skipped", message) == skipped


def test_too_many_to_combine():
    """Of 8 unphased genotypes in a row, the first one has 7 on its right, and the last one 7 on its left. So these two
    alone are not tried together, on each of the two haplotypes."""
    text = read_fasta("u.fa")["c"]
    found, message = sites_of([("c", at, text[at - 1], "G" if text[at - 1] == "C" else "C", "0/1")
                               for at in (12, 14, 15, 18, 21, 22, 27, 30)], samples="S")
    assert len([site for site in found if re.search("2 c:.*,c:.*?", site)]) == 27
    assert "u.vcf: around 4 alleles of samples too many others are unphased to search all their combinations" in message


def test_unphased_sites_are_those_of_all_ways_to_phase_them():
    """Many of the records overlap. phased.vcf has the sample phased in every way, each in a sample of its own."""
    random.seed(5)
    text = read_fasta("v.fa")["overlaps"]
    pieces = {str(n): text[100 * n:100 * n + 160] for n in range(60)}
    ways = list(itertools.product((0, 1), repeat=5))
    unphased, phased = [], []
    for name, piece in pieces.items():
        number = 0
        for at in sorted(random.choices(range(50, 90), k=5)):
            ref = piece[at:at + random.choice([1, 1, 2, 4, 12])]
            alts = {random.choice([ref[0], ref + "A", random_bases(len(ref)), "G" + ref[1:]]) for _ in range(2)}
            alts = sorted(alts - {ref})
            if alts:
                gt = random.choice([(0, 1), (0, 1), (0, len(alts)), (1, len(alts)), (1, 1)])
                record = name, at + 1, ref, ",".join(alts)
                unphased.append((*record, "{}/{}".format(*gt)))
                phased.append((*record, *(f"{gt[way[number]]}|{gt[way[number]]}" for way in ways)))
                number += 1
    write_fasta("phases.fa", *pieces.items())
    contigs = [f"{name},length={len(piece)}" for name, piece in pieces.items()]
    write_vcf("unphased.vcf", unphased, "S", contigs)
    write_vcf("phased.vcf", phased, [f"P{n}" for n in range(len(ways))], contigs)
    found = []
    for phase in "unphased", "phased":
        run("scan", "-k", 6, "--max-bulges", 2, "--pam", "NGG", "--vcf", f"{phase}.vcf", "phases.fa", "guides.tsv",
            "-o", "out/x.tsv").ok()
        found.append(sorted(row[:23] + row[24:] for row in rows("out/x.tsv")))
    assert found[0] == found[1]
    assert len([row for row in found[0] if ">" in row[22]]) > 100


# --- samples, letters and alleles that are left out; mistakes ---


def test_without_samples():
    found, message = sites_of([("c", 14, "T", "C,<DEL>,*"), ("d", 20, "T", "G")])
    assert found == ["0 . .", "1 c:14:T>C ."]
    assert "u.vcf: 2 alleles left out" in message


def test_without_genotypes():
    message = sites_of([("c", 14, "T", "C,G", "7")], samples="S", format="DP")[1]
    assert "u.vcf: 2 alleles without genotypes (GT) not searched" in message


def test_n_in_vcf_is_any_ambiguous_letter_of_the_reference():
    write_fasta("m.fa", ("c", read_fasta("u.fa")["c"].replace("GATTACAG", "GATTAMAG")))
    write_vcf("m.vcf", [("c", 15, "AN", "AC")])
    run(*GUIDE, "--max-mismatches", 0, "--vcf", "m.vcf", "m.fa", "-o", "out/m.tsv").ok()
    assert [row["distance"] for row in table("out/m.tsv")] == ["0"]


def test_codes_of_the_reference_stand_for_the_bases_of_ref():
    write_fasta("m.fa", ("c", read_fasta("u.fa")["c"].replace("GATTACAG", "GATTRNAG")))
    write_vcf("m.vcf", [("c", 15, "A", "AA"), ("c", 15, "C", "A"), ("c", 16, "T", "C"), ("c", 20, "T", "A")])
    message = run(*GUIDE, "--max-mismatches", 4, "--vcf", "m.vcf", "m.fa", "-o", "out/m.tsv").ok().stderr
    assert "m.vcf: 2 records taken where the reference has an IUPAC code that can stand for REF" in message
    assert "m.vcf: 1 record left out; the first: c:15: REF is C, but the reference has R" in message
    assert {row["alleles"] for row in table("out/m.tsv")} >= {"c:16:T>C", "c:20:T>A"}


def test_one_odd_record_stops_nothing():
    good = [("c", 14, "T", "C", "0|1"), ("c", 20, "T", "G", "0|1"), ("c", 24, "C", "A", "1|0"), ("c", 26, "T", "C", "1|0")]
    expected, message = sites_of(good, samples="S")
    assert len(expected) > 2 and "left out" not in message
    for odd, why in [(("c", 18, "A", "C", "1|1"), "c:18: REF is A, but the reference has G"),
                     (("c", 18, "G", "A", "1|1|1"), "c:18: the sample S has more than two alleles"),
                     (("c", "9" * 20, "G", "A", "1|1"), "line 9: is not a record of VCF")]:
        sites, message = sites_of([good[0], odd, *good[1:]], samples="S")
        assert f"u.vcf: 1 record left out; the first: {why}" in message, message
        assert sites == expected
    for contig, alt, position in ("c", "R", 18), ("c", "<*>", 18), ("c", "A", 0), ("d", "A", 18):
        odd = (contig, position, "G", alt, "1|1")
        sites, message = sites_of(sorted([*good, odd], key=lambda record: record[1]), samples="S")
        assert sites == expected and "u.vcf: 1 allele left out, which are not only A, C, G, T and N" in message


def test_what_the_header_does_not_declare():
    records = [("c", 14, "T", "C", "0|1"), ("c", 20, "T", "G", "1|1")]
    expected, message = sites_of(records, samples="S")
    assert "declare" not in message
    text = Path("u.vcf").read_text().replace(".\t.\t.\tGT", "99\tLowQual\tAC=1\tGT:PL", 1)
    for left_out in "contig", "FORMAT", "contig|FORMAT":
        Path("u.vcf").write_text(re.sub(f"##(?:{left_out})=.*\n", "", text))
        message = run(*GUIDE, "--max-mismatches", 2, "--strand", "+", "--vcf", "u.vcf", "u.fa", "-o", "out/x.tsv").ok().stderr
        assert message.count("the header does not declare each contig, INFO, FILTER or FORMAT of the records (the first "
                             "at c:14)") == 1
        assert_same("out/x.tsv", "out/u.tsv")


@pytest.mark.parametrize("message, records", [
    ("c:14: REF is G, but the reference has T; give the VCF of this reference", [("c", 14, "G", "C", "0|1")]),
    ("c:99: REF is G, but the reference has no such position", [("c", 99, "G", "C", "0|1")]),
    ("c:14: the VCF is not sorted by position", [("c", 20, "T", "C", "0|1"), ("c", 14, "T", "C", "0|1")]),
    ("the reference has none of its sequences (the first one is d)", [("d", 14, "T", "C", "0|1")]),
    ("c:14: the sample S has more than two alleles", [("c", 14, "T", "C", "0|1|1")])])
def test_wrong_vcf(message, records):
    write_vcf("bad.vcf", records, "S")
    run(*GUIDE, "-k", 1, "--vcf", "bad.vcf", "u.fa", "-o", "out/bad.tsv").fails(1, f"bad.vcf: {message}", "out/bad.tsv")


def test_wrong_usage():
    write_vcf("u.vcf", [("c", 14, "T", "C")])
    run(*GUIDE, "-k", 1, "--vcf", "u.fa", "u.fa", "-o", "out/x.tsv").fails(1, "u.fa: is not VCF or BCF", "out/x.tsv")
    run(*GUIDE, "-k", 1, "--vcf", "u.vcf", "u.fa", "-o", "out/x.bed").fails(
        2, "--vcf adds columns to a table", "out/x.bed")
    run("scan", "-k", 1, "-p", "GATTACAGCTTAGCATGCAT", "--vcf", "u.vcf", "u.fa", "-o", "out/x.tsv").fails(
        2, "--vcf is for guides; give --pam", "out/x.tsv")


# --- the alignment without bulges ---

BESIDE = ["scan", "--max-bulges", 1, "-p", "ATTTGCGTTTAACGCAGGCG", "--vcf", "beside.vcf", "beside.fa",
          "-o", "out/beside.tsv"]


def test_an_allele_that_only_the_alignment_without_bulges_has():
    """The best alignment has a bulge and ends beside the allele. The one without bulges has it, and its own line."""
    write_fasta("beside.fa", ("c", "CCCCCCCCCCCTATTGCATTTAACGCAAGCGAGGTTTTTTTTTTTTT"))
    write_vcf("beside.vcf", [("c", 12, "T", "G")])
    run(*BESIDE, "-k", 4, "--pam", "NGG", "--strand", "+").ok()
    assert [" ".join([row[1], row[5], *row[9:11], row[22], *row[24:]]) for row in rows("out/beside.tsv")[1:]] == [
        "11 4 23M GATTGCATTTAACGCAAGCGAGG c:12:T>G 11 4 gaTTGCaTTTAACGCAaGCGAGG",
        "12 3 1M1I21M ATTGCATTTAACGCAAGCGAGG . 11 4 taTTGCaTTTAACGCAaGCGAGG"]


@pytest.mark.parametrize("of_second_sample", ["0|0", "1|1"])
def test_it_stays_beside_the_record_whatever_further_samples_have(of_second_sample):
    write_fasta("beside.fa", ("c", "AAAAAAAAAAAAACCTCGCTTGCGTTAAATGCAATAGGGGGGGGGGG"))
    write_vcf("beside.vcf", [("c", 27, "A", "G", "1|1", "1|1"), ("c", 36, "A", "C", "0|0", of_second_sample)],
              ["S1", "S2"])
    run(*BESIDE, "-k", 5, "--pam", "NGG,NAG", "--strand", "-").ok()
    assert [" ".join([row["distance"], row["samples"], row["ungapped_start"], row["ungapped_mismatches"]])
            for row in table("out/beside.tsv") if row["alleles"] == "c:27:A>G"] == ["4 S1:1|2,S2:1|2 13 5"]
