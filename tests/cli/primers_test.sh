#!/usr/bin/env bash
# trawl primers: all products of primer pairs, against an oracle and against EMBOSS primersearch.
oracle=$(cd "$(dirname "$0")" && pwd)/amplicons_oracle.py
. "$(dirname "$0")/lib.sh"

# Primers and places where they match, with mismatches and indels, on both strands; also N near them, and primers whose
# products overlap.
python3 - << 'END'
import random
random.seed(4)
complement = str.maketrans('ACGT', 'TGCA')
bases = lambda length: ''.join(random.choice('ACGT') for _ in range(length))
turned = lambda text: text.translate(complement)[::-1]
def mutated(text, edits, indels):
    text = list(text)
    for _ in range(edits):
        at, kind = random.randrange(len(text)), random.random()
        if indels and kind < 0.2:
            del text[at]
        elif indels and kind < 0.4:
            text.insert(at, random.choice('ACGT'))
        else:
            text[at] = random.choice('ACGT')
    return ''.join(text)
primers = [(bases(random.randint(18, 24)), bases(random.randint(18, 24))) for _ in range(4)]
primers.append((primers[0][0], bases(20)))  # two pairs share a primer
primers.append((primers[1][1], primers[1][1]))  # a pair of two equal primers
text = bases(5000)
for n in range(70):
    left, right = random.choice(primers)
    if random.random() < 0.3:
        left, right = right, left
    if random.random() < 0.15:
        right = left
    middle = ''.join(random.choice('ACGTN' if n % 9 == 0 else 'ACGT') for _ in range(random.randint(0, 300)))
    piece = mutated(left, random.randint(0, 3), n % 2) + middle + turned(mutated(right, random.randint(0, 3), n % 2))
    at = random.randrange(len(text))
    text = text[:at] + piece + text[at:]
half = len(text) // 2
open('ref.fa', 'w').write('>a first\n%s\n>b\n%s\n' % (text[:half], text[half:].lower()))
table = ['p%d\t%s\t%s\n' % (n, left, right) for n, (left, right) in enumerate(primers)]
open('primers.tsv', 'w').write('# name forward reverse\n' + ''.join(table))
open('table.tsv', 'w').write(''.join(table[:-1]))
END

# --- the oracle ---

for case in "hamming 0 0 1-3000" "hamming 2 0 60-1000" "hamming 3 6 50-2000" "levenshtein 1 0 40-400" \
  "levenshtein 3 0 50-1000" "levenshtein 3 4 50-1000" "levenshtein 2 1 1-3000"; do
  read -r metric edits exact sizes <<< "$case"
  options="--metric $metric -k $edits --three-prime $exact --size $sizes"
  # shellcheck disable=SC2086
  run_primers --engine cpu $options ref.fa primers.tsv -o products.tsv
  expect_success
  checks=$((checks + 1))
  count=$(python3 "$oracle" ref.fa primers.tsv products.tsv "$metric" "$edits" "$exact" "${sizes%-*}" "${sizes#*-}" \
    2> oracle.err) || wrong "$options: $(tail -n 1 oracle.err | head -c 600)"
  ok "$options: there are products" test "${count:-0}" -ge $((edits == 0 ? 1 : 20))
  for more in "-t 1" "-t 3" "--chunk-size 100"; do
    # shellcheck disable=SC2086
    run_primers --engine cpu $options $more ref.fa primers.tsv -o again.tsv
    expect_success
    same "$options $more" products.tsv again.tsv
  done
  if has_cuda > /dev/null; then
    # shellcheck disable=SC2086
    run_primers --engine cuda $options ref.fa primers.tsv -o again.tsv
    expect_success
    same "$options, the engine cuda" products.tsv again.tsv
  fi
done

# --- another program ---

if command -v primersearch > /dev/null; then
  # It counts N as a match, so compare without N.
  tr N A < ref.fa > clear.fa
  # 10% of 18 to 24 letters: at most 1 mismatch below 20 letters, otherwise 2.
  primersearch -seqall clear.fa -infile table.tsv -mismatchpercent 10 -outfile other.txt > /dev/null 2>&1
  run_primers --engine cpu --metric hamming -k 2 --size 1-100000 clear.fa table.tsv -o products.tsv
  expect_success
  python3 - << 'END' > other.sorted
import re
pair = contig = ''
for line in open('other.txt'):
    line = line.strip()
    if line.startswith('Primer name'):
        pair = line.split()[2]
    elif line.startswith('Sequence:'):
        contig = line.split()[1]
    elif match := re.search(r'hits forward strand at (\d+) with (\d+)', line):
        start, left = int(match[1]) - 1, match[2]
    elif match := re.search(r'hits reverse strand at \[\d+\] with (\d+)', line):
        right = match[1]
    elif match := re.search(r'Amplimer length: (\d+)', line):
        print(pair, contig, start, match[1], left, right)
END
  awk -F'\t' 'FNR == NR { size[$1 "forward"] = length($2); size[$1 "reverse"] = length($3); next }
    FNR > 1 && $7 != $11 && $8 <= int(size[$4 $7] / 10) && $12 <= int(size[$4 $11] / 10) {
      print $4, $1, $2, $6, $8, $12 }' table.tsv products.tsv | sort > ours.sorted
  sort -o other.sorted other.sorted
  ok "primersearch found products" test "$(wc -l < other.sorted)" -gt 20
  same "the products of primersearch" ours.sorted other.sorted
else
  echo "skipped: primersearch (Debian: emboss)"
fi

# --- formats ---

run_primers --engine cpu -k 2 --size 50-1000 ref.fa primers.tsv -o products.tsv --stats stats.json
expect_success
contains "the summary" stderr "6 primer pairs, "
run_primers --engine cpu -k 2 --size 50-1000 ref.fa primers.tsv -o products.bed
expect_success
awk -F'\t' 'NR > 1 { print $1, $2, $3, $4, $5, $8, $12 }' products.tsv > of_tsv
awk -F'\t' '{ print $1, $2, $3, $4, $6, $7, $8 }' products.bed > of_bed
same "the BED has the same products" of_tsv of_bed
run_primers --engine cpu -k 2 --size 50-1000 ref.fa primers.tsv -o products.bed.gz
expect_success
gzip -dc products.bed.gz > plain
same "compressed" products.bed plain
run_primers --engine cpu -k 2 --size 50-1000 - primers.tsv < ref.fa
same "from the standard input, to the standard output" products.bed stdout
"$TRAWL" index ref.fa 2> /dev/null
run_primers --engine cpu -k 2 --size 50-1000 ref.fa.trawl primers.tsv
same "from a saved index" products.bed stdout
equal "the statistics count the products" \
  "$(python3 -c 'import json; print(json.load(open("stats.json"))["amplicons"])')" "$(wc -l < products.bed)"

# --- what is wrong ---

run_scan --three-prime 3 ref.fa primers.tsv
expect_failure 2 "--three-prime: primers have a command of their own"
run_primers --size 100 ref.fa primers.tsv -o out/x.tsv
expect_failure 2 "--size 100: give the smallest and the largest size" out/x.tsv
run_primers --size 0-5 ref.fa primers.tsv
expect_failure 2 "a product covers at least 1 base"
run_primers --size 50-900 ref.fa primers.tsv -o out/x.sam
expect_failure 2 "not as SAM" out/x.sam
run_primers --pam NGG ref.fa primers.tsv
expect_failure 2 "there is no option --pam"
run_scan --amplicons 50-900 ref.fa primers.tsv
expect_failure 2 "--amplicons: primers have a command of their own: trawl primers REF PRIMERS"
run_primers ref.fa primers.tsv -o products.tsv
expect_success
run_primers --size 50-2000 ref.fa primers.tsv -o again.tsv
same "--size 50-2000 is the default" products.tsv again.tsv
run_primers --size 50-900 --three-prime 30 ref.fa primers.tsv
expect_failure 2 "a primer of the pair p0 has"
run_primers --size 50-900 --three-prime 17 -k 9 ref.fa primers.tsv
expect_failure 2 "would match everywhere"
printf 'p\tACGTACGTTGCA\n' > half.tsv
run_primers --size 50-900 ref.fa half.tsv
expect_failure 1 "half.tsv:1: not a pair of primers"
printf '>p\nACGTACGTTGCA\n' > primers.fa
run_primers --size 50-900 ref.fa primers.fa
expect_failure 1 "primers.fa:1: not a pair of primers"
printf 'p\tACGTACGT\tACJT\n' > letters.tsv
run_primers --size 50-900 ref.fa letters.tsv
expect_failure 1 "is not an IUPAC letter"

# Pairs that are given to trawl scan: a warning, but not for other third columns.
hint="looks like a table of primer pairs, but only the first primer of each line is searched"
for file in primers.tsv table.tsv; do
  run_scan -k 1 ref.fa $file -o out/x.bed
  expect_success
  contains "$file: trawl scan" stderr "trawl scan: warning: $file $hint"
done
cut -f 1,2 table.tsv > single.tsv
awk '{ print $1 "\t" $2 "\tGATTACA" }' table.tsv > words.tsv
for file in single.tsv words.tsv; do
  run_scan -k 1 ref.fa $file -o out/x.bed
  expect_success
  equal "$file: no such warning" "$(grep -c "$hint" stderr)" 0
done
run_primers -k 1 --size 50-900 ref.fa primers.tsv -o out/x.tsv
equal "no such warning of trawl primers" "$(grep -c "$hint" stderr)" 0
finish
