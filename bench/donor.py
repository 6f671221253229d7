"""A donor genome for variants.py: SNPs and indels of every length up to a limit, on two haplotypes."""

import dataclasses
import pathlib
import random

LONGEST_INDEL = 40
SPACING = 300  # letters between two variants: no read of 150 has two indels
HOMOZYGOUS = 1 / 3

# The lengths of indels that are counted together: first and last one.
SIZE_CLASSES = ((1, 5), (6, 10), (11, 20), (21, 30), (31, LONGEST_INDEL))


@dataclasses.dataclass(frozen=True)
class DonorVariant:
    position: int  # 0-based, of the first letter of REF
    ref: str
    alt: str
    haplotypes: tuple[int, ...]


def read_fasta(path: pathlib.Path) -> dict[str, str]:
    contigs = {}
    for record in path.read_text().split(">")[1:]:
        header, _, bases = record.partition("\n")
        contigs[header.split()[0]] = bases.replace("\n", "").upper()
    return contigs


def draw_variant(lot: random.Random, bases: str, position: int, indel_share: float) -> DonorVariant | None:
    """A variant of which the first letter is at `position`; nothing where the letters around are not all A, C, G, T."""
    haplotypes = (0, 1) if lot.random() < HOMOZYGOUS else (lot.randrange(2),)
    if lot.random() >= indel_share:
        ref = bases[position]
        alt = lot.choice([base for base in "ACGT" if base != ref])
        variant = DonorVariant(position, ref, alt, haplotypes)
    else:
        # Each class has as many indels, and within it each length.
        length = lot.randint(*lot.choice(SIZE_CLASSES))
        first = bases[position]
        if lot.random() < 0.5:
            variant = DonorVariant(position, bases[position:position + 1 + length], first, haplotypes)
        else:
            inserted = "".join(lot.choice("ACGT") for _ in range(length))
            variant = DonorVariant(position, first, first + inserted, haplotypes)
    around = bases[max(0, position - 1):position + LONGEST_INDEL + 2]
    return variant if set(around) <= set("ACGT") else None


def draw_variants(bases: str, rate: float, indel_share: float, lot: random.Random) -> list[DonorVariant]:
    variants = []
    position = SPACING
    while True:
        position += SPACING + int(lot.expovariate(1) * max(1, 1 / rate - SPACING))
        if position + SPACING >= len(bases):
            return variants
        if variant := draw_variant(lot, bases, position, indel_share):
            variants.append(variant)


def with_variants(bases: str, variants: list[DonorVariant], haplotype: int) -> str:
    parts = []
    done = 0
    for variant in variants:
        if haplotype in variant.haplotypes:
            parts += [bases[done:variant.position], variant.alt]
            done = variant.position + len(variant.ref)
    return "".join(parts) + bases[done:]


def write_donor(reference: pathlib.Path, seed: int, rate: float, indel_share: float, fasta: pathlib.Path,
                vcf: pathlib.Path):
    """Writes both haplotypes, and the variants."""
    lot = random.Random(seed)
    contigs = read_fasta(reference)
    with open(fasta, "w") as haplotypes, open(vcf, "w") as out:
        out.write("##fileformat=VCFv4.2\n")
        out.writelines(f"##contig=<ID={name},length={len(bases)}>\n" for name, bases in contigs.items())
        out.write('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
                  "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tdonor\n")
        for name, bases in contigs.items():
            variants = draw_variants(bases, rate, indel_share, lot)
            for variant in variants:
                genotype = "|".join(str(int(haplotype in variant.haplotypes)) for haplotype in (0, 1))
                out.write(f"{name}\t{variant.position + 1}\t.\t{variant.ref}\t{variant.alt}\t100\tPASS\t.\tGT\t{genotype}\n")
            for haplotype in (0, 1):
                haplotypes.write(f">{name}.{haplotype + 1}\n{with_variants(bases, variants, haplotype)}\n")
