"""The commands that scripts/check_same runs. A word in braces is a file of data.py. To add a command, add a line."""

import dataclasses


@dataclasses.dataclass
class Case:
    name: str
    # One command, or several one after the other with " ; " between them. `< FILE` at the end is its stdin.
    command: str
    # How older programs spell it. The first spelling that a program does not refuse with status 2 counts.
    older: tuple = ()
    # It must fail, and its message is compared.
    fails: bool = False

    @property
    def spellings(self):
        return (self.command, *self.older)


COMMANDS = [
    # Reads.
    Case("map, no option", "map {ref} {reads}"),
    Case("map best", "map -e 5% {ref} {reads} -o x.sam"),
    Case("map strata", "map -e 4 --report strata --strata 1 {ref} {reads} -o x.sam"),
    Case("map all", "map -e 5 --report all {ref} {reads} -o x.sam"),
    Case("map all, most hits", "map -e 6% --report all -k 3 --secondary-seq --eqx {ref} {reads} -o x.sam"),
    Case("map unmapped dropped", "map -e 3 --unmapped drop --min-length 15 --report strata {ref} {reads} -o x.sam"),
    Case("map hamming", "map -e 4 --metric hamming --report all {ref} {reads} -o x.sam"),
    Case("map ambiguous", "map -e 3 --ambiguous match --report all {ref} {reads} -o x.sam"),
    Case("map comments", "map -e 5% -C -R @RG\\tID:x\\tSM:y {ref} {tagged_fq} -o x.sam"),
    Case("map FASTA reads", "map -e 5% {ref} {reads_fa} -o x.sam"),
    Case("map gzip", "map -e 5% {ref_gz} {reads_gz} -o x.sam"),
    Case("map stdin", "map -e 5% {ref} - -o x.sam < {reads}"),
    Case("map several files", "map -e 5% {ref} {reads},{reads_gz} -o x.sam"),
    Case("map BAM", "map -e 5 --report all {ref} {reads} -o x.bam"),
    Case("map CRAM", "map -e 5% {ref} {reads} -o x.cram"),
    Case("map BED", "map -e 5 --report all {ref} {reads} -o x.bed.gz"),
    Case("map sorted BAM", "map -e 5 --report all --sort {ref} {reads} -o x.bam"),
    Case("map sorted CRAM", "map -e 5% --sort {ref} {reads} -o x.cram"),
    Case("map saved index", "index {ref} -o ref.trawl ; map -e 5 --report all ref.trawl {reads} -o x.sam"),
    # Clipped ends.
    Case("map clip", "map -e 5% --clip 30% {ref} {reads} -o x.sam"),
    Case("map clip all", "map -e 4 --clip 40% --clip-when always --report all {ref} {reads} -o x.sam"),
    Case("map split", "map -e 5% --clip 45% --split --hard-clip {ref} {reads} -o x.sam"),
    Case("map join", "map -e 5% --clip 40% --split --join 100 {ref} {reads} -o x.sam"),
    # Pairs.
    Case("pairs, no option", "map {ref} {first} {mates}"),
    Case("pairs best", "map -e 5% {ref} {first} {mates} -o x.sam"),
    Case("pairs all", "map -e 4 --report all {ref} {first} {mates} -o x.sam"),
    Case("pairs insert", "map -e 4 --insert 200-500 --discordant always --report strata {ref} {first} {mates} -o x.sam"),
    Case("pairs orientation", "map -e 4 --insert 100-600 --orientation rf --one-end never {ref} {first} {mates} -o x.sam"),
    Case("pairs interleaved", "map -e 5% --interleaved --mate-fields primary --report all {ref} {interleaved_fq} -o x.sam"),
    Case("pairs clip", "map -e 5% --clip 40% --split --join 100 {ref} {first} {mates} -o x.sam"),
    Case("pairs sorted BAM", "map -e 5% --sort {ref} {first} {mates} -o x.bam"),
    # Patterns.
    Case("scan -p", "scan -k 2 -p GATRYTACNNTTAGC -p ACACACACACAC {ref}"),
    Case("scan patterns", "scan -k 2 {ref} {patterns_tsv} -o x.tsv"),
    Case("scan ends", "scan -k 1 --report ends --strand - {ref} {patterns_tsv} -o x.bed"),
    Case("scan hamming", "scan -k 3 --metric hamming {ref} {patterns_tsv} -o x.csv.gz"),
    Case("scan ambiguous", "scan -k 1 --ambiguous match {ref} {patterns_tsv} -o x.tsv"),
    Case("scan SAM", "scan -k 2 {ref} {patterns_tsv} -o x.sam"),
    Case("scan stdin", "scan -k 2 -p ACGTTGCATT - < {ref_gz}"),
    Case("scan genes", "scan -k 1 --annotate {genes_gff3} {ref} {set20_tsv} -o x.csv"),
    Case("scan set, exact", "scan {ref} {set_mixed_tsv} -o x.bed"),
    Case("scan set, edits", "scan -k 2 {ref} {set20_tsv} -o x.tsv"),
    Case("scan set, mixed", "scan -k 1 {ref} {set_mixed_tsv} -o x.tsv"),
    Case("guides, one PAM", "scan -k 4 --metric hamming --pam NGG {ref} {guides_tsv} -o x.tsv --summary summary.tsv"),
    Case("guides, bulges", "scan -k 4 --max-bulges 1 --pam NGG,NAG {ref} {guides_tsv} -o x.tsv --summary summary.csv"),
    Case("guides, PAM mismatches", "scan -k 3 --pam NGG --pam-mismatches 1 --report ends {ref} {guides_tsv} -o x.tsv"),
    Case("guides, PAM before", "scan --max-mismatches 3 --max-bulges 1 --pam TTTV:5' {ref} {guides5_tsv} -o x.sam"),
    Case("guides, Cas-OFFinder", "scan {ref} {cas_offinder_txt} -o x.tsv"),
    Case("guides, alleles", "scan -k 3 --max-bulges 1 --pam NGG --vcf {samples_vcf} {ref} {guides_tsv} -o x.tsv"),
    # Primers and mappability.
    Case("primers", "primers -k 2 {ref} {primers_tsv} -o x.tsv",
         ("scan --amplicons 50-2000 -k 2 {ref} {primers_tsv} -o x.tsv",)),
    Case("primers, 3' ends", "primers -k 3 --metric hamming --three-prime 5 --size 60-400 {ref} {primers_tsv} -o x.bed",
         ("scan --amplicons 60-400 -k 3 --metric hamming --three-prime 5 {ref} {primers_tsv} -o x.bed",)),
    Case("mappability", "mappability -l 36 -e 1 {ref} -o x.bedgraph"),
    Case("mappability, mismatches", "mappability -l 30 -e 2 --metric hamming --value mappability {ref} -o x.bedgraph"),
    # Errors.
    Case("error: no such file", "map {ref} no_such_reads.fq -o x.sam", fails=True),
    Case("error: bad FASTQ", "map {ref} {short_qualities_fq} -o x.bam", fails=True),
    Case("error: cut gzip", "map {ref} {cut_gz} -o x.sam", fails=True),
    Case("error: fewer mates", "map {ref} {first} {fewer_fq} -o x.sam", fails=True),
    Case("error: bad reference", "scan -p ACGTACGT {bad_letter_fa} -o x.bed", fails=True),
    Case("error: bad pattern", "scan {ref} {bad_pattern_tsv} -o x.bed", fails=True),
    Case("error: wrong word", "map --report everything {ref} {reads} -o x.sam", fails=True),
    Case("error: no pattern", "scan {ref}", fails=True),
]
