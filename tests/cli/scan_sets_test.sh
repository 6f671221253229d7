#!/usr/bin/env bash
# trawl scan: sets of many exact patterns. Every record against a table of all words of the reference, and the limit of
# --memory.
. "$(dirname "$0")/lib.sh"

# Contigs with repeats, runs of one letter and N; sets of patterns; and for each set the expected records.
cat > words.py <<'PYTHON'
import collections, itertools, random, sys

random.seed(15)
bases = lambda n: "".join(random.choices("ACGT", k=n))
repeat = bases(900)
contigs = [bases(40000) + "A" * 300 + bases(5000) + repeat + "N" * 70 + bases(9000) + repeat[:500] + "T" * 40,
           bases(3000) + "ACACACAC" * 30 + repeat + bases(70) + "N", bases(11), bases(20000)]
with open("ref.fa", "w") as f:
    for c, text in enumerate(contigs):
        f.write(f">c{c}\n" + "\n".join(text[i:i + 70] for i in range(0, len(text), 70)) + "\n")

def from_text(m):
    while True:
        text = random.choice([c for c in contigs if len(c) > m])
        at = random.randrange(len(text) - m)
        if "N" not in text[at:at + m]:
            return text[at:at + m]

word = bases(30)
sets = {
    "all8": ["".join(w) for w in itertools.product("ACGT", repeat=8)],
    "some12": [bases(12) for _ in range(100000)],
    "half32": [from_text(32) if i % 2 else bases(32) for i in range(100000)],
    # Prefixes, rotations, runs of one letter, and the same pattern many times.
    "hostile": [word[:i] for i in range(1, 31)] + [word[i:] + word[:i] for i in range(30)] +
               ["A" * i for i in range(1, 60)] + ["AC" * i for i in range(1, 40)] + [from_text(20)] * 50 +
               [repeat[:i] for i in range(5, 400, 7)],
}
complement = str.maketrans("ACGT", "TGCA")
for name, patterns in sets.items():
    with open(name + ".tsv", "w") as f:
        f.writelines(f"p{i}\t{p}\n" for i, p in enumerate(patterns))
    ids = collections.defaultdict(list)
    for i, p in enumerate(patterns):
        ids[p].append((i, "+"))
        ids[p[::-1].translate(complement)].append((i, "-"))
    lengths = {len(p) for p in patterns}
    lines = []
    for c, text in enumerate(contigs):
        for m in lengths:
            for at in range(len(text) - m + 1):
                w = text[at:at + m]
                # Only a run of one letter can occur at two places that follow each other; they are one locus.
                if w in ids and not (at > 0 and text[at - 1] == w[0] and w.count(w[0]) == m):
                    lines += [(c, at, i, strand, at + m) for i, strand in ids[w]]
    with open(name + ".expected", "w") as f:
        f.writelines(f"c{c}\t{at}\t{end}\tp{i}\t1000\t{strand}\t0\t{end - at}M\n" for c, at, i, strand, end in sorted(lines))
PYTHON
python3 words.py

for set in all8 some12 half32 hostile; do
  run_scan --engine cpu -t 1 ref.fa $set.tsv -o out/$set.bed
  expect_success
  cut -f 1-8 out/$set.bed > out/found
  same "$set: the words of the reference" $set.expected out/found
  ok "$set: many records" test "$(wc -l < out/found)" -gt 500
  run_scan --engine cpu -t 4 --chunk-size 3000 --search pieces ref.fa $set.tsv -o out/again.bed
  same "$set: threads and chunks" out/$set.bed out/again.bed
  if has_cuda > /dev/null; then
    run_scan --engine cuda ref.fa $set.tsv -o out/cuda.bed
    same "$set: cuda" out/$set.bed out/cuda.bed
  fi
done
run_scan --engine cpu --search rows ref.fa hostile.tsv -o out/rows.bed --stats out/rows.json
same "by rows" out/hostile.bed out/rows.bed

# --stats says how patterns were searched.
searched_by() { run_scan --engine cpu "$@" -o out/by.bed --stats out/by.json; grep -o 'threads[^)]*)' out/by.json; }
ok "--stats, rows" grep -q 'threads, by rows)' out/rows.json
ok "--stats, pieces" grep -q 'by pieces)' <<< "$(searched_by ref.fa hostile.tsv)"
printf 'plain\tACGTTGCA\nmixed\tACGNTRCA\n' > mixed.tsv
ok "--stats, both" grep -q 'by rows and pieces)' <<< "$(searched_by --search pieces ref.fa mixed.tsv)"

# FASTA, and lines that end in CR and LF, give the same records as lines with a tab.
awk -F '\t' '{ print ">" $1 " more\r"; print substr($2, 1, 7) "\r"; if (length($2) > 7) print substr($2, 8) }' \
  hostile.tsv > hostile.fa
run_scan --engine cpu ref.fa hostile.fa -o out/fasta.bed
same "patterns as FASTA" out/hostile.bed out/fasta.bed

# The other formats.
run_scan --engine cpu ref.fa hostile.tsv -o out/x.tsv
equal "TSV" "$(tail -n +2 out/x.tsv | awk '{ print $1, $2, $3, $4, $5, $6, $10, $11 }' | sha256sum)" \
  "$(awk '{ print $1, $2, $3, $4, $6, $7, $8, $9 }' out/hostile.bed | sha256sum)"
run_scan --engine cpu ref.fa hostile.tsv -o out/x.sam
equal "SAM" "$(samtools view out/x.sam | awk '{ print $1, $3, $4 - 1, $6, $12, $13 }' | sha256sum)" \
  "$(awk '{ print $4, $1, $2, $8, "NM:i:0", "MD:Z:" $3 - $2 }' out/hostile.bed | sha256sum)"

# --memory: too little is said before the search, with a number that is enough.
run_scan --engine cpu -t 2 --memory 100M ref.fa half32.tsv -o out/m.bed
expect_failure 1 "of memory, and --memory allows 100M" out/m.bed
enough=$(grep -o 'give --memory [0-9]*M' stderr | grep -o '[0-9]*M')
run_scan --engine cpu -t 2 --memory "$((${enough%M} - 1))M" ref.fa half32.tsv -o out/m.bed
expect_failure 1 "or split the patterns into 2 files" out/m.bed
run_scan --engine cpu -t 2 --memory "$enough" ref.fa half32.tsv -o out/m.bed
expect_success
same "--memory" out/half32.bed out/m.bed
run_scan --engine cpu -t 2 --memory "$enough" --stats out/stats.json ref.fa some12.tsv -o out/m.bed
expect_success
ok "the memory used is less than --memory" python3 -c "
import json
assert json.load(open('out/stats.json'))['peak_resident_bytes'] <= ${enough%M} << 20"
run_scan --memory 0 ref.fa hostile.tsv -o out/m0.bed
expect_failure 2 "--memory 0: give bytes, for example 8G" out/m0.bed

# The statistics of each pattern of a large set.
ok "records of each pattern" python3 -c "
import collections, json
counts = collections.Counter(line.split('\t')[3] for line in open('out/some12.bed'))
stats = json.load(open('out/stats.json'))['records']
assert len(stats['by_pattern']) == 100000
assert all(p['by_distance'] == [counts[p['name']]] for p in stats['by_pattern'])
assert stats['total'] == sum(counts.values())"

# Names that occur more than once are told, the first five of them in the order in which they come again.
printf 'a\tACGTA\nb\tACGTT\nb\tAAGGT\na\tCCTTG\na\tCCTTGA\nc\tGGTTA\n' > names.tsv
run_scan --engine cpu ref.fa names.tsv -o out/names.bed
contains "names" stderr "several patterns have the same name, so that their records cannot be told apart: b, a"
ok "each once" test "$(grep -c 'told apart: b, a$' stderr)" = 1

finish
