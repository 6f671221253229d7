"""trawl scan: pattern files as people have them, and the genes of sites."""

import gzip
import random
import re
import shutil
from pathlib import Path

import pytest

from tools import (assert_same, bgzip, execute, make_input, read_fasta, read_json, records, reverse_complement, rows,
                   run, samtools, table, write_lines)


@pytest.fixture(scope="module", autouse=True)
def guides():
    """12 guides of ref.fa; names.tsv has them as g0, g1, ... and guides.txt without names."""
    make_input(60000, 10)
    random.seed(5)
    text = "".join(read_fasta("ref.fa").values()).upper()
    found = []
    while len(found) < 12:
        at = random.randrange(len(text) - 23)
        if text[at + 21:at + 23] == "GG" and "N" not in text[at:at + 23]:
            found.append(text[at:at + 20])
    write_lines("names.tsv", "# a comment", "", *(f"g{n}\t{guide}\textra" for n, guide in enumerate(found)))
    write_lines("guides.txt", *found)
    return found


def scan(patterns, output, *options, **how):
    return run("scan", *options, "ref.fa", patterns, "-o", output, **how).ok()


@pytest.fixture(scope="module")
def expected(guides):
    """expected.tsv: the places of the guides. own_names.tsv: the same if the sequence is the name."""
    scan("names.tsv", "expected.tsv", "-k", 2)
    names, *lines = rows("expected.tsv")
    assert len(lines) > 11
    own = [[*row[:3], guides[int(row[3][1:])], *row[4:]] for row in lines]
    write_lines("own_names.tsv", *("\t".join(row) for row in [names, *own]))


# --- kinds of files ---


def test_kinds_of_files(guides, expected):
    named = [(f"g{n}", guide) for n, guide in enumerate(guides)]
    for kind, lines in {
            "names.csv": [f"{name},{guide},extra" for name, guide in named],
            "semicolons.csv": [f"{name};{guide}" for name, guide in named],
            "quoted.csv": ['"sgRNA ID","Target gene","sgRNA Target Sequence","GC"',
                           *(f'{name},"a, b","{guide}",40' for name, guide in named)],
            "header.tsv": ["guide_id\tstrand\tsequence", *(f"{name}\t+\t{guide.lower()}" for name, guide in named)],
            "sequence_first.csv": ["sgRNA,name", *(f"{guide},{name}" for name, guide in named)],
            "fasta.fa": [f">{name} of a gene\n{guide[:9]}\n{guide[9:]}" for name, guide in named]}.items():
        write_lines(kind, *([] if kind == "fasta.fa" else ["# a comment", ""]), *lines)
        # With a byte order mark, and no newline at the end. CR CR LF: converted twice.
        for name, end in ("crlf_", "\r\n"), ("crcrlf_", "\r\r\n"):
            Path(name + kind).write_bytes(("\ufeff" + "\n".join(lines).replace("\n", end)).encode())
        for file in kind, "crlf_" + kind, "crcrlf_" + kind:
            scan(file, f"out/{file}.tsv", "-k", 2)
            assert_same("expected.tsv", f"out/{file}.tsv")
        if kind == "quoted.csv":
            Path("quoted.csv.gz").write_bytes(gzip.compress(Path(kind).read_bytes()))
            scan("quoted.csv.gz", "out/x.tsv", "-k", 2)
            scan("-", "out/y.tsv", "-k", 2, stdin="crlf_quoted.csv")
            assert_same("expected.tsv", "out/x.tsv", "out/y.tsv")


def test_the_sequence_is_the_name(guides, expected):
    write_lines("header_only.csv", "Sequence", *guides)
    for file in "guides.txt", "header_only.csv":
        scan(file, f"out/{file}.tsv", "-k", 2)
        assert_same("own_names.tsv", f"out/{file}.tsv")


def test_the_name_of_a_long_sequence(guides):
    Path("long.txt").write_text("\n".join([*guides, "A" * 70]))
    scan("long.txt", "out/x.bed", "--stats", "out/x.json")
    assert read_json("out/x.json")["records"]["by_pattern"][-1]["name"] == "pattern13"


@pytest.mark.parametrize("file", ["named.csv", "named.tsv"])
def test_names_with_blanks_and_letters_beyond_ascii(guides, file):
    """UTF-8 and Windows-1252. Tables have them as they are, BED and SAM have '_'."""
    names, plain = ["EMX1 site 2", "ä, € 3", "\udce4b c"], {"EMX1_site_2", "_,___3", "_b_c"}
    separator = "," if file == "named.csv" else "\t"
    cells = [f'"{name}"' if separator in name else name for name in names]
    write_lines(file, f"name{separator}sequence", *(f"{name}{separator}{guide}" for name, guide in zip(cells, guides)))
    options = ["--pam", "NGG", "--max-mismatches", 1]
    scan(file, "out/n.tsv", *options, "--summary", "out/s.tsv", "--stats", "out/n.json", "--report-html", "out/n.html")
    assert {row[3] for row in rows("out/n.tsv")[1:]} == set(names)
    assert [row[0] for row in rows("out/s.tsv")[1:]] == names
    assert read_json("out/n.json")["records"]["by_pattern"][1]["name"] == "ä, € 3"
    for format in "csv", "bed", "sam":
        scan(file, f"out/n.{format}", *options)
    csv = Path("out/n.csv").read_text(encoding="utf-8", errors="surrogateescape")
    assert ',"ä, € 3",' in csv and ",EMX1 site 2," in csv
    assert {row[3] for row in rows("out/n.bed")} == plain
    assert {record.name for record in records("out/n.sam")} == plain
    samtools("quickcheck", "out/n.sam")


def test_the_name_of_a_pair_in_bed():
    text = read_fasta("ref.fa")["chr1"]
    write_lines("pair.tsv", f"a pair\t{text[1000:1020]}\t{reverse_complement(text[1500:1520])}")
    run("primers", "--size", "20-60000", "-k", 4, "ref.fa", "pair.tsv", "-o", "out/p.bed").ok()
    assert {row[3] for row in rows("out/p.bed")} == {"a_pair"}


# --- Cas-OFFinder: PAM and limits are in the file, unless they are given ---


@pytest.fixture(scope="module")
def cas(guides):
    write_lines("cas.txt", "/data/hg38 genome", "NNNNNNNNNNNNNNNNNNNNNRG 0 1",
                *(f"{guide}NNN 2 g{n}" for n, guide in enumerate(guides)))


def test_cas_offinder(cas):
    message = scan("cas.txt", "out/x.tsv").stderr
    assert ('cas.txt is an input of Cas-OFFinder, which gives --pam "NRG" --max-mismatches 2 --max-bulges 0,1; '
            "the genome in its first line is not read") in message
    scan("names.tsv", "out/y.tsv", "--pam", "NRG", "--max-mismatches", 2, "--max-bulges", "0,1")
    assert_same("out/x.tsv", "out/y.tsv")
    assert {row["dna_bulges"] for row in table("out/x.tsv")} == {"0"}
    scan("cas.txt", "out/x.sam")
    header, = re.findall("^@PG.*", Path("out/x.sam").read_text(), flags=re.M)
    assert "--pam NRG --max-mismatches 2 --max-bulges 0,1" in header


def test_cas_offinder_without_names(guides):
    lines = ["genome.2bit", "NNNNNNNNNNNNNNNNNNNNNGG", *(f"{guide}NNN 3" for guide in guides)]
    write_lines("cas_plain.txt", *(line + "\r" for line in lines))
    scan("cas_plain.txt", "out/x.tsv", "--summary", "out/s.tsv")
    scan("guides.txt", "out/y.tsv", "--pam", "NGG", "--max-mismatches", 3, "--summary", "out/t.tsv")
    assert_same("out/x.tsv", "out/y.tsv")
    assert_same("out/s.tsv", "out/t.tsv")


def test_cas_offinder_with_a_pam_before_the_guide(guides):
    write_lines("cas_five.txt", "genome", "TTTVNNNNNNNNNNNNNNNNNNNN", *(f"NNNN{guide} 4" for guide in guides))
    scan("cas_five.txt", "out/x.tsv")
    scan("guides.txt", "out/y.tsv", "--pam", "TTTV:5'", "--max-mismatches", 4)
    assert_same("out/x.tsv", "out/y.tsv")


def sites_of_cas_offinder(pattern, queries, most):
    """By its definition: each letter of the pattern matches, and the query has at most so many mismatches."""
    codes = dict(zip("ACGTRYSWKMBDHVN", ("A C G T AG CT CG AT GT AC CGT AGT ACT ACG ACGT").split()))
    found = []
    for contig, text in read_fasta("ref.fa").items():
        for strand, letters in ("+", text.upper()), ("-", reverse_complement(text.upper())):
            for at in range(len(letters) - len(pattern) + 1):
                if all(letters[at + i] in codes[one] for i, one in enumerate(pattern) if one != "N"):
                    start = at if strand == "+" else len(letters) - at - len(pattern)
                    for query in queries:
                        wrong = 0
                        for i, one in enumerate(query):
                            wrong += letters[at + i] not in codes[one]
                            if wrong > most:
                                break
                        else:
                            found.append([contig, str(start), str(start + len(pattern)), strand, str(wrong)])
    return sorted(found)


@pytest.mark.parametrize("pattern, query", [
    ("N" * 20 + "NRG", "{}NRG"), ("N" * 20 + "NGG", "{}NGG"), ("N" * 20 + "NGG", "{}NNN"), ("N" * 20 + "NGG", "{}NRG"),
    ("TTTV" + "N" * 20, "TTTV{}"), ("TTTV" + "N" * 20, "NNNN{}"), ("TTTV" + "N" * 20, "TTTN{}"), ("N" * 24, "{}NNGA"),
    ("N" * 20, "{}"), ("N" * 20 + "NGG", "N{:.19}NGG")])
def test_the_sites_are_those_of_cas_offinder(guides, pattern, query):
    queries = [query.format(guide) for guide in guides[:4]]
    queries[1] = queries[1].lower()
    write_lines("cas_form.txt", "/var/chromosomes/human_hg19", pattern, *(f"{one} 6" for one in queries))
    run("scan", "ref.fa", "cas_form.txt", "-o", "out/x.bed").ok()
    found = sorted([*row[:3], row[5], row[6]] for row in rows("out/x.bed"))
    assert found == sites_of_cas_offinder(pattern, [one.upper() for one in queries], 6) and len(found) > 0


def test_which_side_a_pam_is_searched_on():
    for pam in "TTTV", "TTTV,TYCV":
        said = run("scan", "-e", 1, "--pam", pam, "ref.fa", "names.tsv").ok().stderr
        assert f"warning: --pam {pam} is searched after the guide (3'), as NGG is" in said and f'--pam "{pam}:5\'"' in said
    for pam in "TTTV:5'", "TTTV:3", "NGG", "NNGRRT":
        assert "is searched after" not in run("scan", "-e", 1, "--pam", pam, "ref.fa", "names.tsv").ok().stderr
    run("scan", "-p", "GATTACAIG", "ref.fa").fails(2, "-p GATTACAIG: 'I' is not an IUPAC letter; for inosine, which")


def test_options_instead_of_those_of_cas_offinder(cas):
    for file, output in ("cas.txt", "out/x.tsv"), ("names.tsv", "out/y.tsv"):
        scan(file, output, "-k", 1, "--pam", "NGG")
    assert_same("out/x.tsv", "out/y.tsv")


# --- mistakes, primers, formats ---


@pytest.mark.parametrize("text, message", [
    ("GATTACAGATT\nGATTAC!\n",
     ":2: '!' in the line is not an IUPAC letter; give FASTA, lines with a name and a sequence"),
    ("GATTACAGATT\na\tGATTACA\n", ":2: several columns, but the lines before have a sequence only"),
    ("name,sequence\na\n", ":2: has 1 columns; by the header, the sequence is in column 2"),
    ("name,sequence\n", ": has no patterns"),
    ("name,sequence\na,\n", ":2: the pattern a has no letters"),
    ("name,other\na,ACGT\n", ":1: 'o' in the pattern name is not an IUPAC letter (if this is a header line, call the "
                             "column of the sequences sequence)"),
    ("genome\nNNNNNNNNGG\nGATTACAGNN two\n", ":3: not a line of Cas-OFFinder's input"),
    ("genome\nNNNNNNNNGG\nGATTACAGN 2\n", ":3: the guide has letters other than IUPAC codes, or not as many"),
    ("genome\nNNNNNNNNGG\nGATTACAGNN 2\nGATTACAGNN 3\n", ":4: another number of mismatches"),
    ("genome\nNNNNNNNNGG\nGATTACAGTT 2\n", ":3: the pattern in the second line has letters other than N beside the"),
    ("genome\nNNNNNNNNRG\nGATTACAGGG 2\n", ":3: the pattern in the second line has letters other than N beside the"),
    ("genome\nNNNNNNNNNN 1 0\nGATTACAGTT 2\n", ":3: bulges need a PAM"),
    ("GATTACAI\nGATTACA\n", ":1: 'I' in the line is not an IUPAC letter; for inosine, which pairs with any base, write N"),
    ("a\tGATTACAI\n", ":1: 'I' in the pattern a is not an IUPAC letter; for inosine, which pairs with any base, write N")])
def test_wrong_pattern_files(text, message):
    Path("bad.txt").write_text(text)
    run("scan", "-k", 1, "ref.fa", "bad.txt", "-o", "out/bad.tsv").fails(1, "bad.txt" + message, output="out/bad.tsv")


def test_primers_with_commas_and_a_header():
    write_lines("primers.tsv", "p\tACGTTGCA\tGGTTAACC")
    write_lines("primers.csv", "pair,Forward primer,Reverse primer\r", "p,ACGTTGCA,GGTTAACC\r")
    command = ["primers", "-k", 1, "--size", "20-4000", "ref.fa"]
    for file in "primers.tsv", "primers.csv":
        run(*command, file, "-o", f"out/{file}.tsv").ok()
    assert_same("out/primers.tsv.tsv", "out/primers.csv.tsv")
    assert len(table("out/primers.tsv.tsv")) > 0
    run(*command, "primers.tsv", "-o", "out/z.csv").fails(
        2, "use .tsv, .tsv.gz, .bed or .bed.gz, or -", output="out/z.csv")


def test_letters_of_iupac_codes_at_the_begin_of_a_file_are_not_a_format():
    write_lines("cram.txt", "CRAMTTGGATTACA")
    run("scan", "-k", 0, "ref.fa", "cram.txt").ok()


# --- genes ---


def annotated(genes, output, *options):
    """By site: the feature, and its genes, which are in the order of the file."""
    scan("names.tsv", output, "-k", 5, "--pam", "NGG", "--annotate", genes, *options)
    return [(row["feature"], sorted(row["gene"].split(","))) for row in table(output)]


@pytest.fixture(scope="module")
def genes(guides):
    """sites.tsv. Nested, overlapping and neighbouring genes: the same ones in genes.gff3, genes.gtf and genes.bed;
    simple.bed; parts.bed with introns, exons and CDS. found.tsv: sites with genes."""
    scan("names.tsv", "sites.tsv", "-k", 5, "--pam", "NGG")
    random.seed(9)
    lengths = {name: len(text) for name, text in read_fasta("ref.fa").items()}
    gff, gtf, bed, parts = [], [], [], []
    places = [(contig, int(begin), int(end)) for contig, begin, end, *_ in rows("sites.tsv")[1:]]
    for n in range(80):
        contig, at, after = random.choice(places)
        begin = max(0, at - random.randrange(300)) if n % 8 else after  # some begin where a site ends
        end = min(lengths[contig], begin + random.randrange(80, 700))
        if n % 8 == 1 and at > 100:  # or end where it begins
            begin, end = at - 100, at
        cuts = sorted(random.sample(range(begin, end), 6))
        exons = [(begin, cuts[0]), (cuts[1], cuts[2]), (cuts[3], cuts[4]), (cuts[5], end)]
        exons = [(b, e) for b, e in exons if b < e]
        thick = (cuts[0] - 5, cuts[4] - 3) if n % 3 else (begin, begin)
        cds = [(max(b, thick[0]), min(e, thick[1])) for b, e in exons]
        cds = [(b, e) for b, e in cds if b < e]
        strand = "+-"[n % 2]
        gene = f"GENE{n % 70}"  # some names twice

        def lines(kind, ranges, rest):
            return [f"{contig}\tmade\t{kind}\t{b + 1}\t{e}\t.\t{strand}\t.\t{rest}" for b, e in ranges]

        whole = [(begin, end)]
        own = lines("gene", whole, f"ID=gene{n};Name={gene};biotype=x")
        own += lines("mRNA", whole, f"ID=t{n};Parent=gene{n};Name={gene}-1")
        children = lines("exon", exons, f"Parent=t{n}") + lines("CDS", cds, f"ID=c{n};Parent=t{n}")
        gff += children + own if n % 2 else own + children  # in either order
        info = f'gene_id "gene{n}"; transcript_id "t{n}"; note "a; b"; gene_name "{gene}";'
        gtf += lines("exon", exons, info) + lines("CDS", cds, info)
        if n % 4:
            gtf += lines("gene", whole, f'gene_id "gene{n}"; gene_name "{gene}";')
        sizes, starts = ("".join(f"{x}," for x in column) for column in zip(*((e - b, b - begin) for b, e in exons)))
        bed.append([contig, begin, end, gene, 0, strand, *thick, 0, len(exons), sizes, starts])
        parts += [(contig, b, e, gene, kind) for kind, ranges in (("intron", whole), ("exon", exons), ("CDS", cds))
                  for b, e in ranges]
    write_lines("genes.gff3", "##gff-version 3", *gff, "##FASTA", ">x", "ACGT")
    write_lines("genes.gtf", "#!made", *gtf)
    write_lines("genes.bed", "track name=x", *("\t".join(map(str, row)) for row in bed))
    write_lines("simple.bed", *("\t".join(map(str, row[:4])) for row in bed))
    write_lines("parts.bed", *("\t".join(map(str, part)) for part in parts))
    return annotated("genes.gff3", "found.tsv")


def test_genes_of_all_formats_are_the_same(genes):
    Path("genes.gff3.gz").write_bytes(bgzip("-c", "genes.gff3"))
    for file in "genes.gtf", "genes.bed", "genes.gff3.gz":
        assert annotated(file, f"out/{file}.tsv") == genes, file
    for path in "found.tsv", *Path("out").iterdir():
        assert [row[:22] + row[24:] for row in rows(path)] == rows("sites.tsv"), path
    assert {feature for feature, _ in genes} == {"CDS", "exon", "intergenic", "intron"}
    assert any(len(names) > 1 for _, names in genes)


def test_plain_bed_has_genes_only(genes):
    assert {feature for feature, _ in annotated("simple.bed", "out/x.tsv")} == {"gene", "intergenic"}


def test_genes_of_small_chunks(genes):
    annotated("genes.gff3", "out/x.tsv", "--tune", "chunk-size=997", "-t", 3)
    assert_same("found.tsv", "out/x.tsv")


def test_genes_are_those_of_bedtools_intersect(genes):
    if not shutil.which("bedtools"):
        pytest.skip("bedtools is missing")
    write_lines("sites.bed", *(f"{contig}\t{begin}\t{end}\t{n}"
                               for n, (contig, begin, end, *_) in enumerate(rows("sites.tsv")[1:])))
    rank = ["intergenic", "intron", "exon", "CDS"]
    expected = [("intergenic", set()) for _ in genes]
    result = execute("bedtools", "intersect", "-nonamecheck", "-wao", "-a", "sites.bed", "-b", "parts.bed").ok()
    for *_, site, _, _, _, gene, kind, _ in rows(result):
        best, names = expected[int(site)]
        expected[int(site)] = max(best, "intergenic" if gene == "." else kind, key=rank.index), names | {gene}
    assert genes == [(feature, sorted(names)) for feature, names in expected]


def test_escaped_names(genes):
    """Letters that end a column or a name stay escaped."""
    write_lines("escaped.gff3", "chr1\tx\tgene\t1\t60000\t.\t+\t.\tID=g1;Name=A%09B%2CC%20D")
    annotated("escaped.gff3", "out/x.tsv")
    assert "A%09B%2CC D" in Path("out/x.tsv").read_text()
    assert len({len(row) for row in rows("out/x.tsv")}) == 1


def test_genes_of_another_reference(genes):
    Path("other.gtf").write_text(re.sub("^(?=[^#])", "x", Path("genes.gtf").read_text(), flags=re.M))
    message = scan("names.tsv", "out/x.csv", "-k", 1, "--pam", "NGG", "--annotate", "other.gtf").stderr
    assert "no sequence of the reference has a gene in other.gtf: their names differ" in message


def test_genes_without_a_pam(genes):
    scan("names.tsv", "out/x.csv", "-k", 1, "--annotate", "genes.gtf")
    assert Path("out/x.csv").read_text().splitlines()[0].split(",")[10:] == ["text", "gene", "feature"]


def test_genes_are_for_tables(genes):
    run("scan", "-k", 1, "ref.fa", "names.tsv", "--annotate", "genes.gtf", "-o", "out/x.bed").fails(
        2, "--annotate adds columns to a table; give -o a file named .tsv, .csv or .gff3", output="out/x.bed")


def test_genes_below_names_of_columns(genes):
    Path("named.bed").write_text("chrom\tstart\tend\tname\n" + Path("simple.bed").read_text())
    assert annotated("named.bed", "named.tsv") == annotated("simple.bed", "simple.tsv")


@pytest.mark.parametrize("text, message", [
    ("", ": has no genes; give GFF3, GTF or BED"),
    ("a b c\n", ":1: neither GFF3, GTF nor BED"),
    ("c\tx\tgene\t9\t5\t.\t+\t.\tID=a\n", ":1: the start and the end of a feature are positions from 1"),
    ("c\t9\t5\ta\n", ":1: the end of a gene is before its start"),
    ("c\t1\t5\ta\nc\tx\n", ":2: not a line of BED")])
def test_wrong_files_of_genes(text, message):
    Path("bad.gff").write_text(text)
    run("scan", "-k", 1, "ref.fa", "names.tsv", "--annotate", "bad.gff", "-o", "out/bad.tsv").fails(
        1, "bad.gff" + message, output="out/bad.tsv")
