"""Small inputs for scripts/check_same: a reference with repeats, reads, pairs, patterns, guides, primers, variants.

The same bytes on every machine. With reads and a reference of your own, the rest is made from them."""

import gzip
import random
import re
import shutil

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def turned(text):
    return text.translate(COMPLEMENT)[::-1]


def bases(rng, length):
    return "".join(rng.choices("ACGT", k=length))


def mutated(rng, text, rate, indel_share=0.3):
    """The text with substitutions, insertions and deletions of one base."""
    letters = []
    for letter in text:
        if rng.random() >= rate:
            letters.append(letter)
        elif rng.random() >= indel_share:
            letters.append(rng.choice("ACGT"))
        elif rng.random() < 0.5:
            letters += [letter, rng.choice("ACGT")]
    return "".join(letters)


# --- reference and reads ---


def make_reference(rng):
    """Contigs with diverged repeats on both strands, tandem repeats, a copied piece, N, IUPAC codes, lower case."""
    families = [bases(rng, length) for length in (90, 300, 700)]

    def contig(pieces):
        text = ""
        for _ in range(pieces):
            copy = mutated(rng, rng.choice(families), rng.choice((0, 0.01, 0.05, 0.15)))
            text += bases(rng, rng.randrange(100, 700)) + rng.choice((copy, turned(copy)))
            if rng.random() < 0.2:
                text += bases(rng, rng.choice((1, 2, 3, 17))) * rng.randrange(8, 30)
        return text

    first, second = contig(36), contig(20)
    first = first[:9000] + "N" * 60 + first[9060:]
    with_codes = "".join(rng.choice("RYN") if rng.random() < 0.1 else base for base in first[12000:12200])
    first = first[:12000] + with_codes + first[12200:]
    second = second[:3000] + second[3000:5000].lower() + second[5000:]
    return {"chr1": first, "chr2": second, "copy": mutated(rng, first[:6000], 0.002), "short": bases(rng, 45)}


def clean_piece(rng, contigs, length):
    """A piece of the reference without ambiguous letters."""
    long_enough = [text for text in contigs.values() if len(text) >= length]
    while True:
        text = rng.choice(long_enough)
        start = rng.randrange(len(text) - length + 1)
        piece = text[start:start + length].upper()
        if set(piece) <= set("ACGT"):
            return piece


def qualities(rng, length):
    return "".join(chr(33 + rng.choice((2, 12, 25, 37, 40))) for _ in range(length))


def make_reads(rng, contigs, count):
    """Of all kinds: clean, with a bad end, of two places, with a long deletion or insertion, with N, short, foreign."""
    for number in range(count):
        length = rng.randrange(36, 151)
        kind = rng.choices(("clean", "end", "two", "deletion", "insertion", "N", "short", "foreign"),
                           (10, 3, 2, 2, 1, 1, 1, 1))[0]
        text = clean_piece(rng, contigs, length + 40)
        if kind == "end":
            text = text[:length - 20] + bases(rng, 20)
        elif kind == "two":
            text = text[:length // 2] + clean_piece(rng, contigs, 70)
        elif kind == "deletion":
            text = text[:length // 2] + text[length // 2 + rng.randrange(5, 40):]
        elif kind == "insertion":
            text = text[:length // 2] + bases(rng, rng.randrange(5, 25)) + text[length // 2:length]
        elif kind == "N":
            text = text[:20] + "N" * rng.randrange(1, 6) + text[25:length]
        elif kind == "short":
            text = text[:rng.randrange(1, 24)]
        elif kind == "foreign":
            text = bases(rng, length)
        else:
            text = text[:length]
        text = mutated(rng, text, rng.choice((0, 0.01, 0.03))) or "A"
        yield f"{kind}{number}", rng.choice((text, turned(text))), qualities(rng, len(text))


def make_pairs(rng, contigs, count):
    """Most have an insert of about 350; some lie far apart, on one strand, or have a foreign mate."""
    for number in range(count):
        fragment = clean_piece(rng, contigs, max(160, int(rng.gauss(350, 40))))
        first, second = fragment[:rng.randrange(50, 120)], turned(fragment)[:rng.randrange(50, 120)]
        kind = rng.choices(("pair", "far", "strand", "foreign", "end"), (12, 1, 1, 1, 2))[0]
        if kind == "far":
            second = clean_piece(rng, contigs, 100)
        elif kind == "strand":
            second = turned(second)
        elif kind == "foreign":
            second = bases(rng, 90)
        elif kind == "end":
            first = first[:-20] + bases(rng, 20)
        mates = [mutated(rng, mate, 0.01) for mate in (first, second)]
        if rng.random() < 0.5:
            mates.reverse()
        yield [(f"{kind}{number}", mate, qualities(rng, len(mate))) for mate in mates]


# --- patterns ---


def guides_of(rng, contigs, count, pam_is_after):
    """Pieces of 20 bases beside a GG (or, before the guide, a TTT) of the reference, most of them with some edits."""
    guides = []
    while len(guides) < count:
        site = rng.choice((turned, str))(clean_piece(rng, contigs, 24))
        if site[21:23] == "GG" if pam_is_after else site[:3] == "TTT":
            guide = mutated(rng, site[:20] if pam_is_after else site[4:], rng.choice((0, 0.1)))
            guides.append((guide + bases(rng, 20))[:20])
    return guides


def primer_pairs(rng, contigs, count):
    for _ in range(count):
        product = clean_piece(rng, contigs, rng.randrange(80, 500))
        yield mutated(rng, product[:20], 0.03), mutated(rng, turned(product)[:20], 0.03)


def vcf_lines(rng, contigs, count):
    """Substitutions, insertions and deletions with phased and unphased genotypes of three samples."""
    yield "##fileformat=VCFv4.2"
    yield '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">'
    for name, text in contigs.items():
        yield f"##contig=<ID={name},length={len(text)}>"
    yield "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT S1 S2 S3".replace(" ", "\t")
    for name, text in contigs.items():
        share = count * len(text) // sum(map(len, contigs.values()))
        for start in sorted(rng.sample(range(len(text)), min(share, len(text)))):
            ref = text[start:start + rng.choice((1, 1, 1, 3))].upper()
            if set(ref) <= set("ACGT"):
                alt = ref[0] + bases(rng, rng.randrange(1, 4)) if len(ref) == 1 and rng.random() < 0.2 else ref[0]
                if alt == ref:
                    alt = rng.choice([base for base in "ACGT" if base != ref])
                genotypes = [rng.choice(("0|0", "0|1", "1|0", "1|1", "0/1")) for _ in range(3)]
                yield "\t".join([name, str(start + 1), ".", ref, alt, ".", ".", ".", "GT", *genotypes])


def gene_lines(rng, contigs):
    yield "##gff-version 3"
    for name, text in contigs.items():
        for number, start in enumerate(range(500, len(text) - 2500, 3000)):
            gene = f"{name}_gene{number}"
            for kind, begin, end, tags in (("gene", 0, 2000, f"ID={gene};Name={gene}"),
                                           ("mRNA", 0, 2000, f"ID={gene}.t;Parent={gene}"),
                                           ("exon", 0, 400, f"Parent={gene}.t"), ("CDS", 100, 400, f"Parent={gene}.t"),
                                           ("exon", 1500, 2000, f"Parent={gene}.t")):
                phase = "0" if kind == "CDS" else "."
                yield "\t".join([name, "x", kind, str(start + begin + 1), str(start + end), ".", rng.choice("+-"), phase,
                                 tags])


# --- files ---


def open_text(path):
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rt") if packed else open(path)


def read_contigs(path):
    pieces = {}
    with open_text(path) as file:
        for line in file:
            if line.startswith(">"):
                name = line[1:].split()[0]
                pieces[name] = []
            else:
                pieces[name].append(line.strip())
    return {name: "".join(text) for name, text in pieces.items()}


def read_reads(path):
    """(name, letters, qualities) of each read of a FASTA or FASTQ with one line a sequence."""
    with open_text(path) as file:
        for line in file:
            letters = next(file).strip()
            if line.startswith("@"):
                next(file)
                quality = next(file).strip()
            else:
                quality = "I" * len(letters)
            yield line[1:].split()[0], letters, quality


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def fastq(reads, comment=""):
    return (f"@{name}{comment}\n{letters}\n+\n{quality}" for name, letters, quality in reads)


def table(sequences):
    return (f"p{number}\t" + "\t".join([sequence] if isinstance(sequence, str) else sequence)
            for number, sequence in enumerate(sequences))


def make_data(folder, own=()):
    """Writes all inputs into the folder. Returns the path of each by the name that the commands use.

    own: paths of a reference, reads and, if there are, second mates. Without mates of its own, it has no pairs."""
    rng = random.Random(20)
    files = {}

    def write(name, lines):
        files[name.replace(".", "_")] = write_lines(folder / name, lines)

    def link(name, path):
        files[name] = folder / f"own_{name}_{path.name}"
        files[name].symlink_to(path.resolve())

    if own:
        for name, path in zip(("ref", "reads", "mates"), own):
            link(name, path)
        contigs, reads = read_contigs(files["ref"]), list(read_reads(files["reads"]))
        pairs = list(zip(reads, read_reads(files["mates"]))) if "mates" in files else []
        if pairs:
            files["first"] = files["reads"]
    else:
        contigs = make_reference(rng)
        reads, pairs = list(make_reads(rng, contigs, 700)), list(make_pairs(rng, contigs, 300))
        lines = (line for name, text in contigs.items() for line in [f">{name} made", *re.findall(".{1,70}", text)])
        files["ref"] = write_lines(folder / "ref.fa", lines)
        files["reads"] = write_lines(folder / "reads.fq", fastq(reads))
        for name, mates in zip(("first", "mates"), zip(*pairs)):
            files[name] = write_lines(folder / f"{name}.fq", fastq(mates))
    if pairs:
        write("interleaved.fq", fastq(mate for pair in pairs for mate in pair))
        write("fewer.fq", fastq(mates[1] for mates in pairs[:-1]))

    for name, packed_name in ("ref", "packed_ref.fa.gz"), ("reads", "packed_reads.fq.gz"):
        with open_text(files[name]) as text, gzip.open(folder / packed_name, "wt", compresslevel=1) as packed:
            shutil.copyfileobj(text, packed)
        files[name + "_gz"] = folder / packed_name
    write("reads.fa", (f">{name}\n{letters}" for name, letters, _ in reads))
    write("tagged.fq", fastq(reads, "\tBC:Z:ACGT-TT\tXN:i:7"))

    write("patterns.tsv", table([clean_piece(rng, contigs, length) for length in (12, 16, 23, 36, 70)] +
                                ["GATRYTACNNTTAGC", "ACACACACAC"]))
    write("set20.tsv", table(mutated(rng, clean_piece(rng, contigs, 20), 0.03) for _ in range(1000)))
    write("set_mixed.tsv", table(mutated(rng, clean_piece(rng, contigs, rng.randrange(14, 60)), 0.02) for _ in range(1000)))
    write("guides.tsv", table(guides_of(rng, contigs, 40, True)))
    write("guides5.tsv", table(guides_of(rng, contigs, 20, False)))
    write("primers.tsv", table(primer_pairs(rng, contigs, 30)))
    write("samples.vcf", vcf_lines(rng, contigs, 2000))
    write("genes.gff3", gene_lines(rng, contigs))
    write("cas_offinder.txt", ["/data/genome", "N" * 20 + "NRG 0 1",
                               *(guide + "NNN 3" for guide in guides_of(rng, contigs, 3, True))])

    # Inputs with an error.
    damaged = list(fastq(reads[:40]))
    write("short_qualities.fq", damaged[:9] + [damaged[9][:-1]] + damaged[10:])
    write("bad_letter.fa", [">c", "ACGTACGTAC", "ACGT!CGTAC"])
    write("bad_pattern.tsv", ["p0\tACGTACGTACGT", "p1\tACGT-CGT"])
    files["cut_gz"] = folder / "cut.fq.gz"
    files["cut_gz"].write_bytes(files["reads_gz"].read_bytes()[:-40])
    return files
