#!/usr/bin/env bash
# trawl scan: pattern files as people have them, and the genes of sites.
. "$(dirname "$0")/lib.sh"
make_input 60000 10
python3 - > guides.txt <<'PYTHON'
import random
random.seed(5)
text = "".join(line.strip().upper() for line in open("ref.fa") if line[0] != ">")
n = 0
while n < 12:
    at = random.randrange(len(text) - 23)
    if text[at + 21:at + 23] == "GG" and "N" not in text[at:at + 23]:
        print(text[at:at + 20])
        n += 1
PYTHON
python3 - <<'PYTHON'
guides = open("guides.txt").read().split()
files = {
    "names.tsv": [f"g{n}\t{g}\textra" for n, g in enumerate(guides)],
    "names.csv": [f"g{n},{g},extra" for n, g in enumerate(guides)],
    "semicolons.csv": [f"g{n};{g}" for n, g in enumerate(guides)],
    "quoted.csv": ['"sgRNA ID","Target gene","sgRNA Target Sequence","GC"'] + [f'g{n},"a, b","{g}",40' for n, g in enumerate(guides)],
    "header.tsv": ["guide_id\tstrand\tsequence", *[f"g{n}\t+\t{g.lower()}" for n, g in enumerate(guides)]],
    "sequence_first.csv": ["sgRNA,name", *[f"{g},g{n}" for n, g in enumerate(guides)]],
    "fasta.fa": [f">g{n} of a gene\n{g[:9]}\n{g[9:]}" for n, g in enumerate(guides)],
}
for name, lines in files.items():
    open(name, "w").write("# a comment\n\n" * (name != "fasta.fa") + "\n".join(lines) + "\n")
    open("crlf_" + name, "w", newline="").write("\ufeff" + "\r\n".join(lines).replace("\n", "\r\n"))
open("header_only.csv", "w").write("Sequence\n" + "\n".join(guides) + "\n")
open("cas.txt", "w").write("/data/hg38 genome\nNNNNNNNNNNNNNNNNNNNNNRG 0 1\n" + "".join(f"{g}NNN 2 g{n}\n" for n, g in enumerate(guides)))
open("cas_plain.txt", "w", newline="").write("genome.2bit\r\nNNNNNNNNNNNNNNNNNNNNNGG\r\n" + "".join(f"{g}NNN 3\r\n" for g in guides))
open("cas_five.txt", "w").write("genome\nTTTVNNNNNNNNNNNNNNNNNNNN\n" + "".join(f"NNNN{g} 4\n" for g in guides))
PYTHON
run_scan -k 2 ref.fa names.tsv -o out/expected.tsv
expect_success
ok "something is found" test "$(wc -l < out/expected.tsv)" -gt 12
for file in names.csv semicolons.csv quoted.csv header.tsv sequence_first.csv fasta.fa; do
  for file in $file crlf_$file; do
    run_scan -k 2 ref.fa $file -o out/x.tsv
    expect_success
    same "$file" out/expected.tsv out/x.tsv
    rm -f out/x.tsv
  done
done
gzip -c quoted.csv > quoted.csv.gz
run_scan -k 2 ref.fa quoted.csv.gz -o out/x.tsv
same "quoted.csv.gz" out/expected.tsv out/x.tsv
run_scan -k 2 ref.fa - -o out/x.tsv < crlf_quoted.csv
same "standard input" out/expected.tsv out/x.tsv
# Bare lines: the sequence is the name.
awk -F '\t' -v OFS='\t' 'NR == FNR { s[$1] = $2; next } FNR > 1 { $4 = s[$4] } 1' names.tsv out/expected.tsv > own_names.tsv
for file in guides.txt header_only.csv; do
  run_scan -k 2 ref.fa $file -o out/x.tsv
  same "$file" own_names.tsv out/x.tsv
done
{ cat guides.txt; head -c 70 /dev/zero | tr '\0' A; } > long.txt
run_scan ref.fa long.txt -o out/x.bed --stats out/x.json
equal "the name of a long one" "$(python3 -c '
import json
print(json.load(open("out/x.json"))["records"]["by_pattern"][-1]["name"])')" pattern13

# Names with blanks and letters beyond ASCII (UTF-8; Windows-1252): tables have them as they are, BED and SAM have '_'.
{ echo "name,sequence"; sed '1s/^/EMX1 site 2,/; 2s/^/"\xc3\xa4, \xe2\x82\xac 3",/; 3s/^/\xe4b c,/; 4,$d' guides.txt; } > named.csv
tr ',' '\t' < named.csv | sed $'s/"\xc3\xa4\\t /\xc3\xa4, /; s/"//g' > named.tsv
names=$'EMX1 site 2|\xc3\xa4, \xe2\x82\xac 3|\xe4b c|'
plain="EMX1_site_2|_,___3|_b_c|"
for file in named.csv named.tsv; do
  run_scan --pam NGG --max-mismatches 1 ref.fa $file -o out/n.tsv --summary out/s.tsv --stats out/n.json --report-html out/n.html
  expect_success
  equal "$file: the names in .tsv" "$(tail -n +2 out/n.tsv | cut -f 4 | awk '!seen[$0]++' | sort -r | tr '\n' '|')" "$(tr '|' '\n' <<< "$names" | sed '/^$/d' | sort -r | tr '\n' '|')"
  equal "$file: the names in --summary" "$(tail -n +2 out/s.tsv | cut -f 1 | tr '\n' '|')" "$names"
  ok "$file: --stats is JSON" python3 -c 'import json; assert json.load(open("out/n.json"))["records"]["by_pattern"][1]["name"] == "ä, € 3"'
  run_scan --pam NGG --max-mismatches 1 ref.fa $file -o out/n.csv
  contains "$file: the names in .csv" out/n.csv $',"\xc3\xa4, \xe2\x82\xac 3",'
  contains "$file: the names in .csv" out/n.csv ',EMX1 site 2,'
  for output in bed sam; do
    run_scan --pam NGG --max-mismatches 1 ref.fa $file -o out/n.$output
    expect_success
    equal "$file: the names in .$output" "$(grep -av '^@' out/n.$output | cut -f $([[ $output == bed ]] && echo 4 || echo 1) | sort -u | tr '\n' '|')" \
      "$(tr '|' '\n' <<< "$plain" | sed '/^$/d' | sort | tr '\n' '|')"
  done
  ok "$file: SAM" samtools quickcheck out/n.sam
done
printf 'a pair\t%s\t%s\n' "$(head -n 1 guides.txt)" "$(head -n 1 guides.txt)" > pair.tsv
run_primers --size 20-60000 -k 4 ref.fa pair.tsv -o out/p.bed
equal "a pair's name in .bed" "$(cut -f 4 out/p.bed | sort -u)" "$([[ -s out/p.bed ]] && echo a_pair)"

# Cas-OFFinder: PAM and limits are in the file, unless they are given.
run_scan ref.fa cas.txt -o out/x.tsv
expect_success
contains "what the file gives" stderr \
  'cas.txt is an input of Cas-OFFinder, which gives --pam "NRG" --max-mismatches 2 --max-bulges 1; the genome in its first line is not read'
run_scan --pam NRG --max-mismatches 2 --max-bulges 1 ref.fa names.tsv -o out/y.tsv
same "Cas-OFFinder, with names and bulges" out/x.tsv out/y.tsv
run_scan ref.fa cas.txt -o out/x.sam
equal "its options are in the header" "$(grep -c '^@PG.*--pam NRG --max-mismatches 2 --max-bulges 1' out/x.sam)" 1
run_scan ref.fa cas_plain.txt -o out/x.tsv --summary out/s.tsv
run_scan --pam NGG --max-mismatches 3 ref.fa guides.txt -o out/y.tsv --summary out/t.tsv
same "Cas-OFFinder, plain" out/x.tsv out/y.tsv
same "Cas-OFFinder, the summary" out/s.tsv out/t.tsv
run_scan ref.fa cas_five.txt -o out/x.tsv
run_scan --pam "TTTV:5'" --max-mismatches 4 ref.fa guides.txt -o out/y.tsv
same "Cas-OFFinder, a PAM before the guide" out/x.tsv out/y.tsv
run_scan -k 1 --pam NGG ref.fa cas.txt -o out/x.tsv
run_scan -k 1 --pam NGG ref.fa names.tsv -o out/y.tsv
same "Cas-OFFinder, other options" out/x.tsv out/y.tsv

# fails LINES MESSAGE
fails() {
  printf "$1" > bad.txt
  run_scan -k 1 ref.fa bad.txt -o out/bad.tsv
  expect_failure 1 "bad.txt$2" out/bad.tsv
}
fails 'GATTACAGATT\nGATTAC!\n' ":2: '!' in the line is not an IUPAC letter; give FASTA, lines with a name and a sequence"
fails 'GATTACAGATT\na\tGATTACA\n' ":2: several columns, but the lines before have a sequence only"
fails 'name,sequence\na\n' ":2: has 1 columns; by the header, the sequence is in column 2"
fails 'name,sequence\n' ": has no patterns"
fails 'name,sequence\na,\n' ":2: the pattern a has no letters"
fails 'name,other\na,ACGT\n' ":1: 'o' in the pattern name is not an IUPAC letter (if this is a header line, call the column of the sequences sequence)"
fails 'genome\nNNNNNNNNGG\nGATTACAGNN two\n' ":3: not a line of Cas-OFFinder's input"
fails 'genome\nNNNNNNNNGG\nGATTACAGN 2\n' ":3: the guide has other letters than IUPAC codes, or not as many"
fails 'genome\nNNNNNNNNGG\nGATTACAGNN 2\nGATTACAGNN 3\n' ":4: another number of mismatches"
fails 'genome\nNNNNNNNNGG\nGATTACAGTT 2\n' ":3: the letters of the PAM are not N in the guide"

# Primers, with commas and a header.
printf 'p\tACGTTGCA\tGGTTAACC\n' > primers.tsv
printf 'pair,Forward primer,Reverse primer\r\np,ACGTTGCA,GGTTAACC\r\n' > primers.csv
run_primers -k 1 --size 20-4000 ref.fa primers.tsv -o out/x.tsv
run_primers -k 1 --size 20-4000 ref.fa primers.csv -o out/y.tsv
same "primers with commas" out/x.tsv out/y.tsv
ok "products" test "$(wc -l < out/x.tsv)" -gt 1
run_primers -k 1 --size 20-4000 ref.fa primers.tsv -o out/z.csv
expect_failure 2 "products are written as .tsv or .bed, not as CSV" out/z.csv

# Genes: made with nested, overlapping and neighbouring genes; the same genes in three formats.
run_scan -k 5 --pam NGG ref.fa names.tsv -o out/sites.tsv
python3 - <<'PYTHON'
import random
random.seed(9)
lengths = {}
for line in open("ref.fa"):
    if line[0] == ">":
        name = line[1:].split()[0]
        lengths[name] = 0
    else:
        lengths[name] += len(line.strip())
sites = [line.split("\t") for line in open("out/sites.tsv")][1:]
gff, gtf, bed, parts = ["##gff-version 3"], [], [], []
places = [(s[0], int(s[1]), int(s[2])) for s in sites]
for n in range(80):
    contig, at, after = random.choice(places)
    begin = max(0, at - random.randrange(300)) if n % 8 else after  # some begin where a site ends
    end = min(lengths[contig], begin + random.randrange(80, 700))
    if n % 8 == 1 and at > 100:  # or end where it begins
        begin, end = at - 100, at
    cuts = sorted(random.sample(range(begin, end), 6))
    exons = [(begin, cuts[0]), (cuts[1], cuts[2]), (cuts[3], cuts[4]), (cuts[5], end)]
    exons = [e for e in exons if e[0] < e[1]]
    thick = (cuts[0] - 5, cuts[4] - 3) if n % 3 else (begin, begin)
    cds = [(max(b, thick[0]), min(e, thick[1])) for b, e in exons]
    cds = [c for c in cds if c[0] < c[1]]
    strand = "+-"[n % 2]
    gene = f"GENE{n % 70}"  # some names twice
    row = lambda kind, b, e, rest: "\t".join([contig, "made", kind, str(b + 1), str(e), ".", strand, ".", rest])
    children = [row("exon", b, e, f"Parent=t{n}") for b, e in exons] + [row("CDS", b, e, f"ID=c{n};Parent=t{n}") for b, e in cds]
    own = [row("gene", begin, end, f"ID=gene{n};Name={gene};biotype=x"), row("mRNA", begin, end, f"ID=t{n};Parent=gene{n};Name={gene}-1")]
    gff += children + own if n % 2 else own + children  # in either order
    info = f'gene_id "gene{n}"; transcript_id "t{n}"; note "a; b"; gene_name "{gene}";'
    gtf += [row(k, b, e, info) for k, l in (("exon", exons), ("CDS", cds)) for b, e in l]
    if n % 4:
        gtf.append(row("gene", begin, end, f'gene_id "gene{n}"; gene_name "{gene}";'))
    sizes = ",".join(str(e - b) for b, e in exons) + ","
    starts = ",".join(str(b - begin) for b, e in exons) + ","
    bed.append("\t".join(map(str, [contig, begin, end, gene, 0, strand, *thick, 0, len(exons), sizes, starts])))
    parts += [(contig, begin, end, gene, "intron")] + [(contig, *e, gene, "exon") for e in exons] + [(contig, *c, gene, "CDS") for c in cds]
open("genes.gff3", "w").write("\n".join(gff) + "\n##FASTA\n>x\nACGT\n")
open("genes.gtf", "w").write("#!made\n" + "\n".join(gtf) + "\n")
open("genes.bed", "w").write("track name=x\n" + "\n".join(bed) + "\n")
open("simple.bed", "w").write("\n".join("\t".join(b.split("\t")[:4]) for b in bed) + "\n")
open("parts.bed", "w").write("".join("\t".join(map(str, p)) + "\n" for p in parts))
PYTHON
bgzip -c genes.gff3 > genes.gff3.gz
for genes in genes.gff3 genes.gtf genes.bed genes.gff3.gz; do
  run_scan -k 5 --pam NGG ref.fa names.tsv --annotate $genes -o out/${genes/genes./}.tsv
  expect_success
  same "the sites, with genes of $genes" out/sites.tsv <(cut -f 1-22,25- out/${genes/genes./}.tsv)
done
# Names are in the order of the file, which differs; so compare them sorted.
sorted_genes() { awk -F '\t' 'NR > 1 { n = split($23, g, ","); print NR, $24; for (i = 1; i <= n; i++) print NR, "gene", g[i] }' "$1" | sort; }
for genes in gtf bed gff3.gz; do
  equal "the same of $genes" "$(sorted_genes out/$genes.tsv | md5sum)" "$(sorted_genes out/gff3.tsv | md5sum)"
done
equal "all kinds" "$(awk -F '\t' 'NR > 1 { print $24 }' out/gff3.tsv | sort -u | tr '\n' ' ')" "CDS exon intergenic intron "
ok "several genes at once" grep -q 'GENE[0-9]*,GENE' out/gff3.tsv
run_scan -k 5 --pam NGG ref.fa names.tsv --annotate simple.bed -o out/simple.tsv
equal "plain BED has genes only" "$(awk -F '\t' 'NR > 1 { print $24 }' out/simple.tsv | sort -u | tr '\n' ' ')" "gene intergenic "
run_scan -k 5 --pam NGG --chunk-size 997 -t 3 ref.fa names.tsv --annotate genes.gff3 -o out/small.tsv
same "small chunks" out/gff3.tsv out/small.tsv
if command -v bedtools > /dev/null; then
  tail -n +2 out/sites.tsv | awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, NR + 1 }' > sites.bed
  bedtools intersect -nonamecheck -wao -a sites.bed -b parts.bed | awk -F '\t' '
    BEGIN { rank["intron"] = 1; rank["exon"] = 2; rank["CDS"] = 3 }
    { site = $4; if ($5 == ".") { best[site] = "intergenic"; genes[site, "."] = 1 } else { genes[site, $8] = 1
        if (rank[$9] > rank[best[site]]) best[site] = $9 } }
    END { for (s in best) print s, best[s]; for (g in genes) { split(g, two, SUBSEP); print two[1], "gene", two[2] } }' | sort > intersect
  equal "as bedtools intersect says" "$(sorted_genes out/gff3.tsv | md5sum)" "$(md5sum < intersect)"
else
  echo "skipped: bedtools, which is missing"
fi
sed 's/^[^#]/x&/' genes.gtf > other.gtf
printf 'chr1\tx\tgene\t1\t60000\t.\t+\t.\tID=g1;Name=A%%09B%%2CC%%20D\n' > escaped.gff3
run_scan -k 5 --pam NGG ref.fa names.tsv --annotate escaped.gff3 -o out/escaped.tsv
contains "letters that end a column or a name stay escaped" out/escaped.tsv "A%09B%2CC D"
equal "escaped names: columns" "$(awk -F '\t' '{ print NF }' out/escaped.tsv | sort -u | wc -l)" 1
run_scan -k 1 --pam NGG ref.fa names.tsv --annotate other.gtf -o out/x.csv
contains "other names" stderr "no sequence of the reference has a gene in other.gtf: their names differ"
run_scan -k 1 ref.fa names.tsv --annotate genes.gtf -o out/no_pam.csv
equal "without a PAM" "$(head -n 1 out/no_pam.csv | cut -d , -f 11-)" "text,gene,feature"
run_scan -k 1 ref.fa names.tsv --annotate genes.gtf -o out/genes.bed
expect_failure 2 "--annotate adds columns to a table; give -o a file named .tsv or .csv" out/genes.bed
# fails_genes LINES MESSAGE
fails_genes() {
  printf "$1" > bad.gff
  run_scan -k 1 ref.fa names.tsv --annotate bad.gff -o out/bad.tsv
  expect_failure 1 "bad.gff$2" out/bad.tsv
}
fails_genes '' ": has no genes; give GFF3, GTF or BED"
fails_genes 'a b c\n' ":1: neither GFF3, GTF nor BED"
fails_genes 'c\tx\tgene\t9\t5\t.\t+\t.\tID=a\n' ":1: the start and the end of a feature are positions from 1"
fails_genes 'c\t9\t5\ta\n' ":1: the end of a gene is before its start"
fails_genes 'c\t1\t5\ta\nc\tx\n' ":2: not a line of BED"


# Letters of IUPAC codes at the begin of a file are not a format.
printf 'CRAMTTGGATTACA\n' > cram.txt
run_scan -k 0 ref.fa cram.txt
expect_success

finish
