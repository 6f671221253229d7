#!/usr/bin/env bash
# Programs that read Trawl's output, run for real: RSEM, salmon, eXpress and featureCounts on simulated reads. Each of them
# is skipped if it is not installed. What they estimate is compared with what they make of bowtie2 -a, or with the truth.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
python3 "$here/make_transcripts.py" 12000 1 || exit 1
threads=$(nproc)

# have PROGRAM PACKAGE
have() { command -v "$1" > /dev/null || { echo "skipped: $1, which is not installed (Debian: $2)"; return 1; }; }

# estimates FILE NAME VALUE: name and value, from columns of a table with one line of column names.
estimates() { tail -n +2 "$1" | awk -F '\t' -v OFS='\t' -v n="$2" -v v="$3" '!/^#/ && $v ~ /^[0-9]/ { print $n, $v }' | sort; }

# agree WHAT FILE FILE: two tables of names and values correlate above 0.99 (Pearson), with the same sum within 2%.
agree() {
  checks=$((checks + 1))
  python3 - "$2" "$3" > agree.txt << 'END' || wrong "$1: $(cat agree.txt)"
import statistics, sys
a, b = ({name: float(value) for name, value in (line.split("\t") for line in open(path))} for path in sys.argv[1:])
names = sorted(a.keys() | b.keys())
x, y = ([table.get(name, 0) for name in names] for table in (a, b))
r = statistics.correlation(x, y)
print(f"{len(names)} values, correlation {r:.5f}, sums {sum(x):.1f} and {sum(y):.1f}")
sys.exit(not (len(names) >= 80 and r > 0.99 and abs(sum(x) / sum(y) - 1) < 0.02))
END
  echo "$1: $(cat agree.txt)"
}

bowtie2=$(command -v bowtie2) || echo "skipped: bowtie2, which is not installed; estimates are compared with the truth"
if [[ -n $bowtie2 ]]; then
  # As RSEM calls it, but with all alignments.
  bowtie2-build -q transcripts.fa transcripts > /dev/null 2>&1
  bowtie2 -q --quiet -p "$threads" --dpad 0 --gbar 99999999 --mp 1,1 --np 1 --score-min L,0,-0.1 -I 1 -X 1000 --no-mixed \
    --no-discordant -a -x transcripts -1 1.fq -2 2.fq 2> /dev/null | samtools view -b -o bowtie2.bam -
fi
cut -f 1,2 truth.tsv | sort > truth.counts

# --- RSEM ---
if have rsem-calculate-expression rsem; then
  mkdir rsem
  rsem-prepare-reference --transcript-to-gene-map genes.tsv transcripts.fa rsem/ref > rsem.log 2>&1
  # by_rsem NAME BAM OPTION...
  by_rsem() {
    local name=$1 bam=$2
    shift 2
    ok "RSEM reads $bam" rsem-calculate-expression --alignments "$@" --no-bam-output -p "$threads" "$bam" rsem/ref "rsem/$name"
    estimates "rsem/$name.isoforms.results" 1 5 > "$name.counts"
  }
  run --for rsem transcripts.fa 1.fq 2.fq -o out/rsem.bam
  expect_success
  contains "what --for rsem sets is in @PG" <(samtools view -H out/rsem.bam) \
    "--metric hamming --report all --secondary-seq --insert 1-1000 --discordant never --one-end never transcripts.fa"
  ok "rsem-sam-validator" rsem-sam-validator out/rsem.bam
  contains "rsem-sam-validator" <(rsem-sam-validator out/rsem.bam 2>&1) "The input file is valid!"
  equal "no gaps" "$(samtools view out/rsem.bam | cut -f 6 | grep -c '[IDSH]')" 0
  equal "both mates or none" "$(samtools view -c -f 4 -F 8 out/rsem.bam) $(samtools view -c -f 8 -F 4 out/rsem.bam)" "0 0"
  by_rsem trawl out/rsem.bam --paired-end
  if [[ -n $bowtie2 ]]; then
    by_rsem bowtie2 bowtie2.bam --paired-end
    agree "RSEM, pairs, against bowtie2" trawl.counts bowtie2.counts
  fi
  agree "RSEM, pairs, against the truth" trawl.counts truth.counts
  # Single reads: the first mates alone.
  run --for rsem transcripts.fa 1.fq -o out/single.bam
  expect_success
  by_rsem single out/single.bam --fragment-length-mean 200 --fragment-length-sd 25
  if [[ -n $bowtie2 ]]; then
    bowtie2 -q --quiet -p "$threads" --dpad 0 --gbar 99999999 --mp 1,1 --np 1 --score-min L,0,-0.1 -a -x transcripts -U 1.fq \
      2> /dev/null | samtools view -b -o bowtie2_single.bam -
    by_rsem bowtie2_single bowtie2_single.bam --fragment-length-mean 200 --fragment-length-sd 25
    agree "RSEM, single reads, against bowtie2" single.counts bowtie2_single.counts
  fi
fi

# --- salmon ---
if have salmon salmon; then
  by_salmon() { # NAME BAM
    ok "salmon reads $2" salmon quant -t transcripts.fa -l IU -a "$2" -o "salmon.$1" -p "$threads"
    cp ok.err "salmon.$1.err"
    estimates "salmon.$1/quant.sf" 1 5 > "salmon.$1.counts"
  }
  run --for salmon transcripts.fa 1.fq 2.fq -o out/salmon.bam
  expect_success
  by_salmon trawl out/salmon.bam
  equal "salmon warns of nothing but the few reads" "$(grep '\[warning\]' salmon.trawl.err | grep -vc 'burn-in')" 0
  if [[ -n $bowtie2 ]]; then
    by_salmon bowtie2 bowtie2.bam
    agree "salmon, against bowtie2" salmon.trawl.counts salmon.bowtie2.counts
  else
    agree "salmon, against the truth" salmon.trawl.counts truth.counts
  fi
fi

# --- eXpress ---
if have berkeley-express berkeley-express; then
  by_express() { # NAME BAM
    ok "eXpress reads $2" berkeley-express --no-update-check --no-bias-correct -o "express.$1" transcripts.fa "$2"
    estimates "express.$1/results.xprs" 2 7 > "express.$1.counts"
  }
  run --for express transcripts.fa 1.fq 2.fq -o out/express.bam
  expect_success
  by_express trawl out/express.bam
  if [[ -n $bowtie2 ]]; then
    by_express bowtie2 bowtie2.bam
    agree "eXpress, against bowtie2" express.trawl.counts express.bowtie2.counts
  else
    agree "eXpress, against the truth" express.trawl.counts truth.counts
  fi
fi

# --- featureCounts ---
if have featureCounts subread; then
  run --for featurecounts genome.fa g1.fq g2.fq -o out/genes.bam
  expect_success
  ok "featureCounts" featureCounts -p --countReadPairs -M --fraction -a genes.gtf -o counts.txt out/genes.bam
  awk -F '\t' -v OFS='\t' '!/^#/ && $1 != "Geneid" { print $1, $7 }' counts.txt | sort > featurecounts.counts
  sort gene_truth.tsv > genes.counts
  agree "featureCounts -M --fraction, against the truth" featurecounts.counts genes.counts
  # NH is the number of records. With --report best it is 1 for all reads; those of equal copies have MAPQ 0.
  in_one_copy=$(awk -F '[\t_]' '{ copies[$1]++; sum[$1] += $3 } END { for (f in copies) if (copies[f] == 1) n += sum[f]; print n }' \
    gene_truth.tsv)
  run genome.fa g1.fq g2.fq -o out/best.bam
  expect_success
  for option in "" "-Q 1"; do
    # shellcheck disable=SC2086
    ok "featureCounts of the best places" featureCounts -p --countReadPairs $option -a genes.gtf -o best.txt out/best.bam
    found=$(awk -F '\t' '!/^#/ { n += $7 } END { print n }' best.txt)
    expected=$([[ -n $option ]] && echo "$in_one_copy" || echo 6000)
    equal "pairs that featureCounts $option counts are near $expected" \
      "$((found >= expected - 30 && found <= expected + 30))" 1
  done
fi

finish
