#!/usr/bin/env bash
# The records of pairs as other tools read them, and the files for discordant and one-end-anchored pairs.
. "$(dirname "$0")/lib.sh"
make_input 300000 10

# 3,000 pairs: most concordant, others on two contigs, dovetailing, one inside the other, with one or two foreign mates.
cat > make_pairs.py << 'END'
import random, sys
orientation = sys.argv[1]
random.seed(5)
contigs, name = {}, None
for line in open('ref.fa'):
    if line[0] == '>':
        name = line[1:].split()[0]
        contigs[name] = ''
    else:
        contigs[name] += line.strip().upper()
complement = str.maketrans('ACGTN', 'TGCAN')
def piece(contig, begin, length, reverse):
    text = contigs[contig][begin:begin + length]
    text = text[::-1].translate(complement) if reverse else text
    return ''.join(random.choice('ACGT') if random.random() < 0.01 else c for c in text)
def foreign(length):
    return ''.join(random.choice('ACGT') for _ in range(length))
with open('1.fq', 'w') as first, open('2.fq', 'w') as second:
    for i in range(3000):
        a, b = random.randint(50, 100), random.randint(50, 100)
        contig = random.choice(list(contigs))
        begin = random.randint(100, len(contigs[contig]) - 1000)
        kind = random.random()
        if kind < 0.8:
            insert = max(a, b, int(random.gauss(220, 40)))
            left, right = {'fr': (0, 1), 'rf': (1, 0), 'ff': (0, 0)}[orientation]
            mates = [piece(contig, begin, a, left), piece(contig, begin + insert - b, b, right)]
            if orientation != 'ff' and random.random() < 0.5:
                mates.reverse()
        elif kind < 0.9:
            other = random.choice(list(contigs))
            mates = [piece(contig, begin, a, random.random() < 0.5),
                     piece(other, random.randint(0, len(contigs[other]) - 200), b, random.random() < 0.5)]
        elif kind < 0.95:
            mates = [piece(contig, begin, a, random.random() < 0.5), foreign(b)]
            random.shuffle(mates)
        elif kind < 0.97:
            mates = [foreign(a), foreign(b)]
        else:
            mates = [piece(contig, begin, a, 0), piece(contig, begin + random.randint(-60, 60), b, 1)]
        for number, file, mate in (1, first, mates[0]), (2, second, mates[1]):
            qualities = ''.join(chr(33 + random.randint(2, 40)) for _ in mate)
            file.write(f'@r{i}/{number}\n{mate}\n+\n{qualities}\n')
END

# The records with their tags sorted. samtools 1.16 gives a mapped read MC:Z:* if its mate is unmapped, but picard says
# that is an error.
sorted_tags() {
  samtools view "$@" | python3 -c '
import sys
for line in sys.stdin:
    fields = line.rstrip("\n").split("\t")
    print(*fields[:11], *sorted(t for t in fields[11:] if t != "MC:Z:*"), sep="\t")'
}

for orientation in fr rf ff; do
  python3 make_pairs.py $orientation
  check_proper=
  [[ $orientation == fr ]] || check_proper=-p
  for report in "best" "all" "strata --strata 2 --discordant always --mate-fields primary" "all --discordant never" \
    "all --unmapped drop --discordant always -k 3"; do
    # shellcheck disable=SC2086
    run --orientation $orientation --report $report ref.fa 1.fq 2.fq -o out/x.bam
    expect_success
    ok "fixmate" samtools fixmate --no-PG $check_proper out/x.bam fixed.bam
    sorted_tags out/x.bam > before.txt
    sorted_tags fixed.bam > after.txt
    same "samtools fixmate changes nothing: $orientation $report" before.txt after.txt
    equal "there are records" "$(($(wc -l < before.txt) >= 5000))" 1
  done
done
ok "pairs of ff are concordant" test "$(samtools view -c -f 2 -F 256 out/x.bam)" -gt 4000

# markdup finds the pairs that are given twice, except for a few from repeats: their names choose the copy.
python3 make_pairs.py fr
head -n 400 1.fq | sed 's/^@r\([0-9]*\)\/1$/@again\1\/1/' >> 1.fq
head -n 400 2.fq | sed 's/^@r\([0-9]*\)\/2$/@again\1\/2/' >> 2.fq
run ref.fa 1.fq 2.fq -o out/x.bam
expect_success
concordant=$(samtools view -f 66 out/x.bam | cut -f 1 | grep -c again)
samtools fixmate -m out/x.bam - | samtools sort -o sorted.bam - 2> /dev/null
ok "markdup" samtools markdup sorted.bam marked.bam
marked=$(samtools view -c -f 1090 marked.bam)
equal "pairs given twice are marked" "$((10 * marked >= 9 * concordant && concordant > 50))" 1

# Both mates or none: the other records stay as they are.
for report in best all; do
  run --report $report ref.fa 1.fq 2.fq -o out/x.bam
  expect_success
  one_end=$(grep -oE '[0-9]+ with one mate mapped' stderr | cut -d ' ' -f 1)
  ok "there are pairs with one mapped mate" test "$one_end" -gt 50
  run --report $report --one-end never ref.fa 1.fq 2.fq -o out/never.bam
  expect_success
  contains "--one-end never: the summary" stderr "$one_end with one mate mapped (left unmapped); "
  equal "no mate is mapped alone" "$(samtools view -c -e '(flag.unmap && !flag.munmap) || (!flag.unmap && flag.munmap)' out/never.bam)" 0
  equal "their mates are unmapped" "$(($(samtools view -c -f 12 out/never.bam) - $(samtools view -c -f 12 out/x.bam)))" \
    $((2 * one_end))
  samtools view -F 12 out/x.bam > before.txt
  samtools view -F 12 out/never.bam > after.txt
  same "--one-end never leaves the other pairs" before.txt after.txt
  ok "fixmate" samtools fixmate --no-PG out/never.bam fixed.bam
  sorted_tags out/never.bam > before.txt
  sorted_tags fixed.bam > after.txt
  same "samtools fixmate changes nothing: --one-end never" before.txt after.txt
done
run --one-end never --oea out/oea.sam ref.fa 1.fq 2.fq -o out/none.bam
expect_failure 2 "--oea writes the pairs with one mate mapped" out/none.bam

# The same records in every format.
for report in best all; do
  for format in sam bam cram; do
    run --report $report ref.fa 1.fq 2.fq -o out/x.$format
    expect_success
    sorted_tags -T ref.fa out/x.$format > $format.txt
  done
  same "the formats have the same records" sam.txt bam.txt cram.txt
  run --report $report ref.fa 1.fq 2.fq -o out/x.bed
  if command -v bedtools > /dev/null; then
    bedtools bamtobed -i out/x.bam > expected.bed
    cut -f 1-6 out/x.bed > found.bed
    same "BED is what bedtools makes of BAM" found.bed expected.bed
  fi
done

# DIVET and OEA come from the same run and agree with the records.
rm -f out/*
run --report all --insert 100-400 ref.fa 1.fq 2.fq -o out/x.sam --divet out/x.vh --oea out/oea.sam
expect_success
cat > check.py << 'END'
import itertools, math
MAX = 400
pairs, inputs = {}, {}
for number, path in (1, '1.fq'), (2, '2.fq'):
    lines = [line.rstrip('\n') for line in open(path)]
    for i in range(0, len(lines), 4):
        inputs[lines[i][1:].split('/')[0], number] = lines[i + 1], lines[i + 3]
records, anchored = {}, []
for line in open('out/x.sam'):
    if line[0] == '@':
        continue
    fields = line.rstrip('\n').split('\t')
    flag = int(fields[1])
    records.setdefault(fields[0], ([], []))[0 if flag & 64 else 1].append(fields)
    if flag & 8 and not flag & 4:
        bases, qualities = inputs[fields[0], 2 if flag & 64 else 1]
        anchored.append(line.rstrip('\n') + f'\tNS:Z:{bases}\tNQ:Z:{qualities}')
found = [line.rstrip('\n') for line in open('out/oea.sam') if line[0] != '@']
assert len(anchored) > 50
assert found == anchored, 'OEA'

def tag(fields, name):
    return next(t.split(':', 2)[2] for t in fields[11:] if t.startswith(name))
def span(fields):
    length = number = 0
    for c in fields[5]:
        if c.isdigit():
            number = 10 * number + int(c)
        else:
            length += number if c in 'MD' else 0
            number = 0
    return int(fields[3]), int(fields[3]) + length - 1
expected = {}
dovetails = 0
for name, (first, second) in records.items():
    if any(int(r[1]) & 6 for r in first + second):
        continue
    for a, b in itertools.product(first, second):
        reverse = [bool(int(r[1]) & 16) for r in (a, b)]
        places = [span(r) for r in (a, b)]
        (lb, le), (rb, re) = places if not reverse[0] else places[::-1]
        event = ('T' if a[2] != b[2] else 'V' if reverse[0] == reverse[1] else 'E' if rb < lb and re < le else
                 'D' if max(le, re) - min(lb, rb) + 1 > MAX else 'I')
        if event == 'E' and le >= rb and re >= lb:
            dovetails += 1
            continue
        edits = -int(tag(a, 'AS')) - int(tag(b, 'AS'))
        expected.setdefault(name, []).append((a[2], *places[0], 'FR'[reverse[0]], '=' if a[2] == b[2] else b[2],
                                              *places[1], 'FR'[reverse[1]], event, edits))
divet = {}
for line in open('out/x.vh'):
    fields = line.rstrip('\n').split('\t')
    assert len(fields) == 13, line
    name, c, s, e, d, c2, s2, e2, d2, event, edits, quality, probability = fields
    divet.setdefault(name, []).append((c, int(s), int(e), d, c2, int(s2), int(e2), d2, event, int(edits)))
    both = inputs[name, 1][1] + inputs[name, 2][1]
    assert abs(int(quality) - (sum(map(ord, both)) / len(both) - 33)) <= 0.5, line
    assert 0 < float(probability) <= 1 and (float(probability) == 1) == (edits == '0'), line
assert len(expected) > 200 and dovetails > 10
assert {line[8] for lines in divet.values() for line in lines} >= set('TVED')
assert list(expected) == list(divet), 'names and their order'
for name in expected:
    assert sorted(expected[name], key=lambda l: l[9])[:300] == divet[name], name
END
ok "DIVET and OEA agree with the records" python3 check.py
equal "only the outputs are there" "$(ls -A out | tr '\n' ' ')" "oea.sam x.sam x.vh "
for options in "-t 1" "-t 3 --batch-size 7"; do
  # shellcheck disable=SC2086
  run --report all --insert 100-400 $options ref.fa 1.fq 2.fq -o y.sam --divet y.vh --oea y_oea.sam
  expect_success
  same "same bytes: $options" out/x.sam y.sam
  same "same bytes: $options" out/x.vh y.vh
  same "same bytes: $options" out/oea.sam y_oea.sam
done
run --report all --insert 100-400 ref.fa 1.fq 2.fq -o y.sam
same "the records do not depend on the other outputs" out/x.sam y.sam
run ref.fa 1.fq 2.fq -o out/x.bed --oea out/oea.sam
expect_success
ok "OEA beside BED has a complete header" samtools view -c out/oea.sam

# What cannot be.
rm -f out/*
ln 2.fq second.vh
head -n 5 2.fq > cut.fq
run ref.fa 1.fq cut.fq -o out/x.sam --divet out/x.vh --oea out/oea.sam
expect_failure 1 "" out/x.vh
equal "no output is left" "$(ls -A out)" ""
# The main output fails only when it is closed: it is compressed, and one block long.
(
  ulimit -c 0 -f 1
  exec "$TRAWL" map --progress off -t 1 --insert 1-1000 ref.fa <(head -n 240 1.fq) <(head -n 240 2.fq) \
    -o out/x.bed.gz --divet out/x.vh > stdout 2> stderr
) 2> /dev/null
status=$?
expect_failure 1 "out/x.bed.gz: cannot write" out/x.bed.gz
equal "no output is left if the main one is too large" "$(ls -A out)" ""
run ref.fa 1.fq -o out/x.sam --divet out/x.vh
expect_failure 2 "--divet is for pairs" out/x.sam
run ref.fa 1.fq -o out/x.sam --oea out/x.sam
expect_failure 2 "--oea is for pairs" out/x.sam
run ref.fa 1.fq 2.fq -o out/x.sam --oea out/oea.bam
expect_failure 2 "the output out/oea.bam has no known extension; use .sam" out/x.sam
run ref.fa 1.fq 2.fq -o out/x.sam --oea out/x.sam
expect_failure 2 "-o out/x.sam and --oea out/x.sam are the same file; give each its own" out/x.sam
for name in out/x.bam out/y .vh.txt; do
  run ref.fa 1.fq 2.fq -o out/x.sam --divet $name
  expect_failure 2 "the output $name has no known extension; use .vh, or - for DIVET on the standard output" out/x.sam
done
run ref.fa 1.fq 2.fq -o out/x.sam --oea out/oea
expect_failure 2 "the output out/oea has no known extension; use .sam" out/x.sam
run ref.fa 1.fq 2.fq -o out/x.sam --divet out/y.vh --oea out/../out/y.sam --stats out/y.vh
expect_failure 2 "are the same file" out/x.sam
run ref.fa 1.fq 2.fq -o out/x.sam --divet second.vh
expect_failure 2 "--divet second.vh is the input 2.fq, which would be lost" out/x.sam
run ref.fa 1.fq 2.fq -o out/x.sam --divet nowhere/x.vh
expect_failure 1 "nowhere/x.vh: cannot create a file in its directory" out/x.sam

finish
