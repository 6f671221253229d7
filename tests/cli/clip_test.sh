#!/usr/bin/env bash
# Clipped ends: --clip, --clip-when, --split and --hard-clip, on a random genome where the right place is known. The
# piece of each read is compared with plain dynamic programming.
. "$(dirname "$0")/lib.sh"

# --- a random genome, and reads of it ---

# pieces.py: the best piece of a read near a place, by the rule alone.
cat > pieces.py << 'PYTHON'
import random, re
complement = str.maketrans('ACGTN', 'TGCAN')
def reverse(bases):
    return bases[::-1].translate(complement)
def read_fasta(path):
    contigs = {}
    for line in open(path):
        if line[0] == '>':
            name = line[1:].split()[0]
            contigs[name] = ''
        else:
            contigs[name] += line.strip()
    return contigs
def letters(n):
    return ''.join(random.choice('ACGT') for _ in range(n))
# "30%" or "40" of a length.
def of(number, length):
    return int(float(number[:-1]) / 100 * length + 1e-9) if number.endswith('%') else int(number)
def most_clipped(clip, length):
    return min(of(clip, length), (length - 1) // 2, 32767)
# The best piece (penalty, begin, end, edits) of a read whose first base would lie at text[at]; None: no piece. Only
# gaps of up to 8 bases are looked at. `whole`: only the whole read counts.
def best_piece(read, text, at, clip, edits='5%', whole=False):
    n, band, most = len(read), 8, of(edits, len(read))
    limit = 0 if whole else most_clipped(clip, n)
    none, best = 10**9, None
    rows = []  # rows[i][x][d]: the smallest begin of an alignment with x edits to the node (i, at + i + d - band)
    for i in range(n + 1):
        row = [[none] * (2 * band + 1) for _ in range(most + 1)]
        for x in range(most + 1):
            for d in range(2 * band + 1):
                j = at + i + d - band
                if not 0 <= j <= len(text):
                    continue
                begin = i if x == 0 and i <= limit else none
                if i > 0 and j > 0:
                    same = read[i - 1] == text[j - 1] and read[i - 1] in 'ACGT'
                    begin = min(begin, rows[-1][x][d] if same else rows[-1][x - 1][d] if x > 0 else none)
                if i > 0 and x > 0 and d < 2 * band:
                    begin = min(begin, rows[-1][x - 1][d + 1])
                if x > 0 and d > 0 and j > 0:
                    begin = min(begin, row[x - 1][d - 1])
                row[x][d] = begin
                length = i - begin
                if length > x and n - length <= limit and x <= of(edits, length):
                    key = (n - length + 5 * x, -length, begin, x)
                    best = key if best is None or key < best else best
        rows.append(row)
    return best and (best[0], best[2], best[2] - best[1], best[3])
def operations(cigar):
    return [(int(n), o) for n, o in re.findall(r'(\d+)([MIDNSHP=X])', cigar)]
def records(path):
    for line in open(path):
        if line[0] != '@':
            fields = line.rstrip('\n').split('\t')
            yield fields[:11], {t[:2]: t[5:] for t in fields[11:]}
PYTHON

cat > make_reads.py << 'PYTHON'
import random
from pieces import *
random.seed(13)
contigs = {'a': letters(30000), 'b': letters(20000)}
contigs['c'] = letters(1000) + contigs['a'][5000:7000] + letters(1000)  # a second copy of a part of a
with open('ref.fa', 'w') as file:
    for name, bases in contigs.items():
        print(f'>{name}', *[bases[i:i + 60] for i in range(0, len(bases), 60)], sep='\n', file=file)
# A place outside of the copies.
def place(length):
    contig = random.choice('ab')
    return contig, random.randint(8000, len(contigs[contig]) - length - 100)
def with_errors(bases, errors):
    bases = list(bases)
    for i in random.sample(range(len(bases)), errors):
        kind = random.random()
        bases[i] = random.choice('ACGT'.replace(bases[i], '')) if kind < 0.6 else '' if kind < 0.8 else \
            bases[i] + random.choice('ACGT')
    return ''.join(bases)
def write(file, name, bases):
    qualities = ''.join(chr(33 + random.randint(20, 40)) for _ in bases)
    print(f'@{name}\n{bases}\n+\n{qualities}', file=file)
# Adapters on the left, on the right or on both sides; names have the place of the first base on the forward strand.
with open('adapters.fq', 'w') as file:
    for i in range(400):
        left = random.choice([0, 0, random.randint(1, 20)])
        right = random.choice([0, random.randint(1, 32)])
        length = random.choice([100, 100, 75, 150])
        contig, begin = place(length)
        core = with_errors(contigs[contig][begin + left:begin + length - right], random.choice([0, 0, 0, 1, 2]))
        bases = letters(left) + core + letters(right)
        strand = random.choice('+-')
        write(file, f'r{i}_{contig}_{begin}_{strand}', bases if strand == '+' else reverse(bases))
# Two parts that lie apart. Only junctions where the best pieces are just the parts.
cases = []
def part(contig, begin, length, strand):
    bases = contigs[contig][begin:begin + length]
    return bases if strand == '+' else reverse(bases)
def fits(bases, begin_in_read, contig, begin, length, strand):
    where = begin_in_read if strand == '+' else len(bases) - begin_in_read - length
    piece = best_piece(bases if strand == '+' else reverse(bases), contigs[contig], begin - where, '49.9%')
    return piece is None or piece[1:] == (where, where + length, 0)
def sam_cigar(before, length, after, strand, clip='S'):
    before, after = (before, after) if strand == '+' else (after, before)
    return (f'{before}{clip}' if before else '') + f'{length}M' + (f'{after}{clip}' if after else '')
with open('split.fq', 'w') as file, open('split.expected', 'w') as expected:
    for i in range(60):
        strands = random.choice(['++', '+-', '-+', '--'])
        first, second = random.choice([(80, 60), (60, 80), (90, 35), (30, 70)])
        while True:
            (c1, b1), (c2, b2) = place(first), place(second)
            if i % 3 == 0:  # a long deletion
                c2, b2, strands = c1, b1 + first + 2000, '++'
                if b2 + second > len(contigs[c2]):
                    continue
            bases = part(c1, b1, first, strands[0]) + part(c2, b2, second, strands[1])
            if fits(bases, 0, c1, b1, first, strands[0]) and fits(bases, first, c2, b2, second, strands[1]):
                break
        write(file, f's{i}', bases)
        ends = [(c1, b1, strands[0], sam_cigar(0, first, second, strands[0])),
                (c2, b2, strands[1], sam_cigar(first, second, 0, strands[1]))]
        for flag, (contig, begin, strand, cigar) in zip((0, 2048), ends if first > second else ends[::-1]):
            print(f's{i}', flag + (16 if strand == '-' else 0), contig, begin + 1, cigar, sep='\t', file=expected)
# Three parts: both ends are supplementary.
with open('three.fq', 'w') as file:
    for i in range(5):
        parts = [contigs['b'][4000 + 600 * i:4040 + 600 * i], contigs['a'][9000 + 500 * i:9080 + 500 * i],
                 reverse(contigs['a'][20000 + 500 * i:20036 + 500 * i])]
        write(file, f't{i}', ''.join(parts))
# Long gaps, with and without a mismatch near them. Reads of which one part is more than half.
with open('gaps.fq', 'w') as file, open('gaps.expected', 'w') as expected:
    for i in range(200):
        contig, begin = place(250)
        text, gap, mismatch = contigs[contig], random.randint(10, 50), i % 4 == 0
        left = random.choice([random.randint(30, 60), random.randint(80, 120)]) if i % 2 == 0 else random.randint(76, 84)
        if i % 2 == 0:
            bases = text[begin:begin + left] + text[begin + left + gap:begin + 150 + gap]
            at = begin + left
            while text[at - 1] == text[at + gap - 1]:
                at -= 1
            at -= begin
            cigar, score = f'{at}M{gap}D{150 - at}M', 150 - 15
        else:
            gap = min(gap, 40)
            bases = text[begin:begin + left] + letters(gap) + text[begin + left:begin + 150 - gap]
            at = left
            while bases[at - 1] == bases[at + gap - 1]:
                at -= 1
            cigar, score = f'{at}M{gap}I{150 - gap - at}M', 150 - gap - 15
        if mismatch:  # 1 to 4 bases before the gap
            m = at - random.randint(1, 4)
            bases = bases[:m] + random.choice('ACGT'.replace(bases[m], '')) + bases[m + 1:]
        strand = random.choice('+-')
        write(file, f'g{i}', bases if strand == '+' else reverse(bases))
        print(f'g{i}', contig, begin + 1, cigar, gap, score, int(mismatch), sep='\t', file=expected)
# Pairs: whole, with adapters at the 3' end, with a chimeric mate, with a foreign mate.
with open('1.fq', 'w') as first, open('2.fq', 'w') as second:
    for i in range(600):
        insert = random.randint(180, 420)
        contig, begin = place(insert)
        fragment = part(contig, begin, insert, '+')
        mates = [fragment[:100], reverse(fragment[-100:])]
        kind = 'whole' if i % 2 == 0 else random.choice(['adapter', 'both', 'chimera', 'foreign'])
        changed = random.randint(0, 1)
        if kind in ('adapter', 'both'):
            for m in (0, 1):
                if m == changed or kind == 'both':
                    cut = random.randint(6, 28)
                    mates[m] = mates[m][:-cut] + letters(cut)
        if kind == 'chimera':
            other, at = place(40)
            mates[changed] = mates[changed][:60] + part(other, at, 40, random.choice('+-'))
        if kind == 'foreign':
            mates[changed] = letters(100)
        if random.random() < 0.5:
            mates.reverse()
        write(first, f'p{i}_{kind}/1', mates[0])
        write(second, f'p{i}_{kind}/2', mates[1])
# Breakpoints in the middle or near it. No part can be longer: beyond it the score of the bases is never above 0.
def gains(bases, begin_in_read, length, contig, begin, strand):
    text = contigs[contig] if strand == '+' else reverse(contigs[contig])
    at = (begin if strand == '+' else len(text) - begin - length) - begin_in_read
    for way in (range(begin_in_read - 1, -1, -1), range(begin_in_read + length, len(bases))):
        score = 0
        for i in way:
            score += 1 if bases[i] == text[at + i] else -4
            if score > 0:
                return True
    return False
def half_parts(first, second, between=''):
    while True:
        strands = random.choice(['++', '+-', '-+', '--'])
        (c1, b1), (c2, b2) = place(first), place(second)
        bases = part(c1, b1, first, strands[0]) + between + part(c2, b2, second, strands[1])
        if not gains(bases, 0, first, c1, b1, strands[0]) and \
           not gains(bases, first + len(between), second, c2, b2, strands[1]):
            return bases, (c1, b1, strands[0], sam_cigar(0, first, len(bases) - first, strands[0])), \
                (c2, b2, strands[1], sam_cigar(len(bases) - second, second, 0, strands[1]))
with open('halves.fq', 'w') as file, open('halves.expected', 'w') as expected:
    for i in range(60):
        first = random.choice([75, 75, 72, 79])
        bases, *ends = half_parts(first, 150 - first)
        write(file, f'h{i}', bases)
        for flag, (contig, begin, strand, cigar) in zip((0, 2048), ends if first >= 75 else ends[::-1]):
            print(f'h{i}', flag + (16 if strand == '-' else 0), contig, begin + 1, cigar, sep='\t', file=expected)
# An insertion in the middle: neither the read nor a half fits as a whole.
with open('inserted.fq', 'w') as file, open('inserted.expected', 'w') as expected:
    for i in range(20):
        contig, begin = place(160)
        text = contigs[contig][begin:begin + 160]
        while True:
            bases = text[:80] + letters(40) + text[80:]
            if not gains(bases, 0, 80, contig, begin, '+') and not gains(bases, 120, 80, contig, begin + 80, '+'):
                break
        strand = random.choice('+-')
        write(file, f'i{i}', bases if strand == '+' else reverse(bases))
        print(f'i{i}', 16 if strand == '-' else 0, contig, begin + 1, '80M40I80M', 'NM:i:40', 'AS:i:145', sep='\t',
              file=expected)
# Pairs of which one mate is a whole read, and the other one has such a breakpoint.
def write_pairs(prefix, near, expected):
    with open(f'{prefix}1.fq', 'w') as first, open(f'{prefix}2.fq', 'w') as second, open(expected, 'w') as expected:
        for i in range(20):
            while True:
                bases, *ends = half_parts(75, 75)
                contig, begin, strand, _ = ends[0]
                if begin + 300 <= len(contigs[contig]):
                    break
            if near:  # 300 bases from end to end
                begin, strand = (begin + 200, '-') if strand == '+' else (begin - 225, '+')
            else:
                strand = '+'
                while True:
                    contig, begin = place(100)
                    if contig != ends[0][0] or abs(begin - ends[0][1]) > 2000:
                        break
            mates = [part(contig, begin, 100, strand), bases]
            records = [(contig, begin, strand, '100M'), ends[0]]
            if i % 2 == 0:
                mates.reverse()
                records.reverse()
            write(first, f'p{i}/1', mates[0])
            write(second, f'p{i}/2', mates[1])
            for own, other, number in ((0, 1, 64), (1, 0, 128)):
                contig, begin, strand, cigar = records[own]
                flag = 1 + number + (2 if near else 0) + (16 if strand == '-' else 0) + \
                    (32 if records[other][2] == '-' else 0)
                print(f'p{i}', flag, contig, begin + 1, cigar, sep='\t', file=expected)
write_pairs('h', False, 'half_pairs.expected')
write_pairs('n', True, 'near_pairs.expected')
PYTHON
ok "the inputs" python3 make_reads.py
samtools faidx ref.fa
"$TRAWL" index ref.fa -o ref.trawl > stdout 2> stderr
equal "the index" $? 0

# --- wrong usage ---

usage() {
  local text=$1
  shift
  run "$@" ref.fa adapters.fq -o out/x.bam
  expect_failure 2 "$text" out/x.bam
}
for value in "" % x 5x +5 -1 0x5 5.5 4294967301 99999999999999999999 -1% 5%% inf% nan% "5 " 50% 50.0% 51% 100%; do
  usage "--clip $value: give a number of bases, for example 40, or a share of the read's length below 50%" --clip "$value"
done
usage "--clip 32768: at most 32767 bases can be left out" --clip 32768
usage "--clip-when" --clip 30% --clip-when sometimes
for option in "--clip-when always" --split --hard-clip "--join 20"; do
  for off in "" "--clip 0" "--clip 0%"; do
    # shellcheck disable=SC2086
    usage "${option% *} needs --clip" $off $option
  done
done
for value in "" x -1 1.5 10% 1001; do
  usage "--join" --clip 30% --join "$value"
done
usage "given more than once" --clip 3 --clip 4
"$TRAWL" map --help > help
for text in "Clipped ends:" "--clip N|N%" "--clip-when unmapped|always" --split --join --hard-clip "trawl map --clip 30% --split"; do
  contains "map --help" help "$text"
done

# --- what @PG says ---

command_line() {
  run "$@" ref.fa adapters.fq --unmapped drop
  expect_success
  equal "@PG for $*" "$(sed -n 's/^@PG.*CL://p' stdout)" "trawl map --max-edits 5%$expected --report best --unmapped drop ref.fa"
}
expected="" command_line --clip 0
expected="" command_line --clip 0% --clip-when unmapped
expected=" --clip 30%" command_line --clip 30% --clip-when unmapped -t 1
expected=" --clip 20 --clip-when always --split --join 30 --hard-clip" \
  command_line --hard-clip --join 30 --split --clip-when always --clip 20

# --- adapters: the piece, the place and the tags of each read ---

cat > check_pieces.py << 'PYTHON'
import sys
from pieces import *
path, clip, when = sys.argv[1:]
contigs = read_fasta('ref.fa')
counts = {'whole': 0, 'clipped': 0, 'both ends': 0, 'unmapped': 0}
for fields, tags in records(path):
    name, flag, contig, position, mapq, cigar, _, _, _, bases, qualities = fields
    _, true_contig, begin, strand = name.split('_')
    text, at = contigs[true_contig], int(begin)
    read = bases if not int(flag) & 4 or strand == '+' else reverse(bases)
    piece = best_piece(read, text, at, clip, whole=when == 'unmapped')
    piece = piece or best_piece(read, text, at, clip)
    what = f'{name} {flag} {contig} {position} {cigar} {tags}, expected (penalty, begin, end, edits) {piece}'
    if piece is None:
        counts['unmapped'] += 1
        assert int(flag) == 4 and cigar == '*', what
        continue
    penalty, a, b, edits = piece
    assert int(flag) == (16 if strand == '-' else 0) and contig == true_contig, what
    steps = operations(cigar)
    left = steps[0][0] if steps[0][1] == 'S' else 0
    right = steps[-1][0] if steps[-1][1] == 'S' else 0
    assert (left, len(read) - right) == (a, b), what
    assert int(tags['NM']) == edits and int(tags['AS']) == len(read) - penalty, what
    assert tags['NH'] == tags['HI'] == '1' and abs(int(position) - 1 - (at + a)) <= 8, what
    assert 'S' not in cigar or tags['X0'] == '1' and int(mapq) > 0, what
    # The CIGAR has as many edits as NM says.
    i, j, found = 0, int(position) - 1, 0
    for n, operation in steps:
        if operation == 'M':
            found += sum(read[i + k] != text[j + k] for k in range(n))
        found += n if operation in 'ID' else 0
        i += n if operation in 'MIS' else 0
        j += n if operation in 'MD' else 0
    assert i == len(read) and found == edits, what
    counts['both ends' if left and right else 'clipped' if left or right else 'whole'] += 1
print(counts)
assert all(n >= m for n, m in zip(counts.values(), [15, 60, 15, 1])), counts
PYTHON

for clip in 30% 20 12.5%; do
  for when in unmapped always; do
    run --clip $clip --clip-when $when ref.fa adapters.fq -o out/x.sam
    expect_success
    ok "the pieces, --clip $clip --clip-when $when" python3 check_pieces.py out/x.sam $clip $when
    samtools calmd out/x.sam ref.fa 2> calmd.err > calmd.sam
    equal "calmd finds no other NM or MD" "$(grep -c 'different NM\|different MD' calmd.err)" 0
    ok "quickcheck" samtools quickcheck -v out/x.sam
  done
done

# Of reads that fit as a whole, only AS is another: the length minus 5 for each edit.
run ref.fa adapters.fq -o out/plain.sam
run --clip 30% ref.fa adapters.fq -o out/clip.sam
records -F 4 out/plain.sam | column 1 > whole.txt
ok "there are whole reads" test "$(wc -l < whole.txt)" -gt 15
without_as() { sed 's/\tAS:i:[-0-9]*//'; }
records -F 4 out/plain.sam | without_as > expected.txt
records -N whole.txt out/clip.sam | without_as > found.txt
same "reads that fit as a whole" expected.txt found.txt
equal "none of them is clipped" "$(column 6 < found.txt | grep -c S)" 0
records -N whole.txt out/clip.sam | awk '{
  match($0, /NM:i:[0-9]+/); edits = substr($0, RSTART + 5, RLENGTH - 5)
  print length($10) - 5 * edits }' > expected.txt
records -N whole.txt out/clip.sam | grep -o 'AS:i:[-0-9]*' | cut -d : -f 3 > found.txt
same "AS where clipping is on" expected.txt found.txt
for off in 0 0%; do
  run --clip $off ref.fa adapters.fq -o out/off.sam
  same "--clip $off is no clipping" out/plain.sam out/off.sam
done

# --- odd reads ---

python3 - << 'PYTHON'
import random
from pieces import *
random.seed(17)
contigs = read_fasta('ref.fa')
b = contigs['b']
reads = {
    'tail30': b[9000:9070] + 30 * 'N',
    'tail31': b[9100:9169] + 31 * 'N',
    'tail45': b[9200:9255] + 45 * 'N',
    'head20': 20 * 'N' + b[9320:9400],
    'noise': letters(100),
    'only_n': 100 * 'N',
    'adapter': ('AGATCGGAAGAGCACACGTCTGAACTCCAGTCA' * 4)[:100],
    'poly': 100 * 'G',
    'one': 'A', 'one_n': 'N', 'two': 'AC', 'three': 'ACG', 'five_n': 'NNNNN',
    'short': b[9400:9412] + 'NNNN',
}
with open('odd.fq', 'w') as file, open('lower.fq', 'w') as lower, open('crlf.fq', 'w', newline='\r\n') as crlf:
    for name, bases in reads.items():
        for out, text in (file, bases), (lower, bases.lower()), (crlf, bases):
            print(f'@{name}', text, '+', len(bases) * 'I', sep='\n', file=out)
PYTHON
run --clip 30% --min-length 1 ref.fa odd.fq -o out/odd.sam
expect_success
place_of() { records out/odd.sam | awk -v name="$1" '$1 == name { print $2, $3, $4, $6 }'; }
equal "30 N at the end" "$(place_of tail30)" "0 b 9001 70M30S"
equal "31 N: one of them is an edit" "$(place_of tail31)" "0 b 9101 70M30S"
equal "45 N are too many" "$(place_of tail45)" "4 * 0 *"
equal "20 N at the begin" "$(place_of head20)" "0 b 9321 20S80M"
for name in noise only_n adapter poly one_n five_n; do
  equal "$name is unmapped" "$(place_of $name)" "4 * 0 *"
done
equal "one base fits as a whole" "$(place_of one | cut -d ' ' -f 4)" 1M
equal "a short read" "$(place_of short)" "0 b 9401 12M4S"
equal "a record for each read" "$(records -c out/odd.sam)" 14
for clip in 49.9% 5 40 32767; do
  for e in 5% 3 0; do
    run --clip $clip -e $e --clip-when always --split ref.fa odd.fq -o out/more.sam
    expect_success
    equal "a record for each read: --clip $clip -e $e" "$(records -F 0x900 -c out/more.sam)" 14
    ok "quickcheck" samtools quickcheck -v out/more.sam
  done
done
for file in lower crlf; do
  run --clip 30% --min-length 1 ref.fa $file.fq -o out/$file.sam
  expect_success
  same "$file" out/odd.sam out/$file.sam
done
: > empty.fq
for format in sam bam bed; do
  run --clip 30% --split ref.fa empty.fq -o out/empty.$format
  expect_success
done
equal "no reads, no records" "$(records -c out/empty.bam)" 0
# N is one of the letters that match with --ambiguous match.
run --clip 30% --ambiguous match ref.fa odd.fq -o out/odd.sam
expect_success
equal "N matches" "$(place_of tail30)" "0 b 9001 100M"
equal "N matches" "$(place_of head20)" "0 b 9301 100M"

# --- N of half a read and more ---

awk 'NR % 4 == 1 { name = $0 } NR % 4 == 2 { bases = $0 } NR % 4 == 0 && length(bases) == 100 {
  print name; print bases; print "+"; print $0 }' adapters.fq > equal.fq
count=$(($(wc -l < equal.fq) / 4))
run --clip 49 --clip-when always ref.fa equal.fq -o out/49.sam
expect_success
equal "no warning below half" "$(grep -c warning stderr)" 0
for clip in 50 99 100 32767; do
  run --clip $clip --clip-when always ref.fa equal.fq -o out/x.sam
  expect_success
  contains "--clip $clip" stderr "warning: --clip $clip is half or more of $count of $count reads; of each of them less than half may be left out"
  same "--clip $clip is 49 of 100" <(records out/49.sam) <(records out/x.sam)
done
run --clip 38 ref.fa adapters.fq
short=$(awk 'NR % 4 == 2 && length($0) <= 76' adapters.fq | wc -l)
contains "reads of several lengths" stderr "warning: --clip 38 is half or more of $short of 400 reads"
run --clip 49.9% ref.fa odd.fq
equal "no warning for a share" "$(grep -c warning stderr)" 0

# --- --split ---

run --clip 49.9% --split ref.fa split.fq -o out/split.sam
expect_success
records out/split.sam | cut -f 1-4,6 > found.txt
same "both parts of split reads" split.expected found.txt
run --clip 49.9% --split ref.fa split.fq,three.fq -o out/split.sam
cat > check_split.py << 'PYTHON'
import sys
from pieces import *
hard = sys.argv[2] == 'hard'
reads, by_name = {}, {}
for path in 'split.fq', 'three.fq':
    lines = open(path).read().split('\n')
    for i in range(0, len(lines) - 1, 4):
        reads[lines[i][1:]] = lines[i + 1], lines[i + 3]
for fields, tags in records(sys.argv[1]):
    by_name.setdefault(fields[0], []).append((fields, tags))
assert list(by_name) == list(reads), 'order of the reads'
def entry(fields, tags):
    cigar = fields[5].replace('H', 'S')
    return ','.join([fields[2], fields[3], '-' if int(fields[1]) & 16 else '+', cigar, fields[4], tags['NM']])
for name, group in by_name.items():
    bases, qualities = reads[name]
    assert len(group) == (3 if name[0] == 't' else 2), name
    covered = []
    for n, (fields, tags) in enumerate(group):
        flag, steps = int(fields[1]), operations(fields[5])
        assert flag & ~16 == (2048 if n else 0), f'{name}: flag {flag}'
        clip = 'H' if hard and n else 'S'
        assert sum(k for k, o in steps if o in 'MIS=X' or o == clip) == len(bases), f'{name}: {fields[5]}'
        assert {o for k, o in steps if o in 'SH'} == {clip}, f'{name}: {fields[5]}'
        begin, end = [step[0] if step[1] == clip else 0 for step in (steps[0], steps[-1])]
        seq, qual = (reverse(bases), qualities[::-1]) if flag & 16 else (bases, qualities)
        if hard and n:
            seq, qual = seq[begin:len(seq) - end], qual[begin:len(qual) - end]
        assert (fields[9], fields[10]) == (seq, qual), f'{name}: SEQ or QUAL of record {n}'
        covered.append((end, len(bases) - begin) if flag & 16 else (begin, len(bases) - end))
        others = [entry(*r) for k, r in enumerate(group) if k != n]
        found = tags['SA'].rstrip(';').split(';')
        assert tags['SA'].endswith(';') and sorted(found) == sorted(others), f'{name}: {tags["SA"]} is not {others}'
        assert n == 0 or found[0] == others[0], f'{name}: the primary record is not first in SA'
        assert int(fields[4]) > 0, f'{name}: MAPQ'
        assert n == 0 or not {'NH', 'HI', 'X0', 'X1'} & set(tags), f'{name}: tags of a supplementary record'
    assert group[0][1]['NH'] == '1', f'{name}: NH'
    covered.sort()
    assert all(p[1] <= q[0] for p, q in zip(covered, covered[1:])), f'{name}: pieces overlap'
PYTHON
ok "records of split reads" python3 check_split.py out/split.sam soft
run --clip 49.9% --split --hard-clip ref.fa split.fq,three.fq -o out/hard.sam
expect_success
ok "records of split reads, --hard-clip" python3 check_split.py out/hard.sam hard
for file in split hard; do
  ok "quickcheck" samtools quickcheck -v out/$file.sam
  samtools calmd out/$file.sam ref.fa 2> calmd.err > calmd.sam
  equal "calmd finds no other NM or MD" "$(grep -c 'different NM\|different MD' calmd.err)" 0
done
run --clip 49.9% ref.fa split.fq,three.fq -o out/whole.sam
expect_success
equal "without --split no supplementary records" "$(records -c -f 2048 out/whole.sam)" 0
equal "without --split no SA" "$(records out/whole.sam | grep -c SA:Z:)" 0
same "--split changes nothing else" <(records out/whole.sam) <(records -F 2048 out/split.sam | sed 's/\tSA:Z:[^\t]*//')

# The two halves of a read, none of which is more than 70% of it.
run --clip 30% ref.fa halves.fq -o out/x.sam
expect_success
equal "without --split they are unmapped" "$(records -c -F 4 out/x.sam)" 0
run --clip 30% --split ref.fa halves.fq -o out/halves.sam
expect_success
records out/halves.sam | cut -f 1-4,6 > found.txt
same "both halves of reads" halves.expected found.txt
records -F 2048 out/halves.sam | grep -c "AS:i:7[5-9].*NH:i:1.HI:i:1.X0:i:1.*SA:Z:" > found.txt
equal "their tags" "$(cat found.txt)" 60
run --clip 30% --clip-when always --split ref.fa halves.fq -o out/x.sam
same "--clip-when always" <(records out/halves.sam) <(records out/x.sam)

# --- --join ---

run --clip 49.9% --join 50 ref.fa gaps.fq -o out/gaps.sam
expect_success
ok "long gaps" python3 - << 'PYTHON'
from pieces import *
expected = dict((f[0], f[1:]) for f in (line.split() for line in open('gaps.expected')))
exact = 0
for fields, tags in records('out/gaps.sam'):
    contig, position, cigar, gap, score, mismatch = expected[fields[0]]
    what = f'{fields[:6]} {tags}, expected {expected[fields[0]]}'
    assert int(fields[4]) > 0, what
    if mismatch == '0':
        found = [fields[2], fields[3], fields[5], tags['NM'], tags['AS']]
        assert found == [contig, position, cigar, gap, score], what
        exact += 1
    else:  # another alignment may be better by chance
        assert fields[2] == contig and int(tags['AS']) >= int(score) - 5, what
        assert [n for n, o in operations(fields[5]) if o in 'ID' and n >= 10] != [], what
assert exact == 150, exact
PYTHON
samtools calmd out/gaps.sam ref.fa 2> calmd.err > calmd.sam
equal "calmd finds no other NM or MD" "$(grep -c 'different NM\|different MD' calmd.err)" 0
ok "quickcheck" samtools quickcheck -v out/gaps.sam
run --clip 49.9% --join 9 ref.fa gaps.fq -o out/x.sam
run --clip 49.9% ref.fa gaps.fq -o out/y.sam
same "no gap is so short" <(records out/y.sam) <(records out/x.sam)
equal "without --join they are clipped" "$(records out/y.sam | column 6 | grep -vc S)" 0
# A half can be joined, too.
run --clip 30% --join 50 ref.fa inserted.fq -o out/x.sam
equal "without --split they are unmapped" "$(records -c -F 4 out/x.sam)" 0
run --clip 30% --join 50 --split ref.fa inserted.fq -o out/x.sam
expect_success
records out/x.sam | python3 -c '
import sys
for line in sys.stdin:
    f = line.rstrip("\n").split("\t")
    print(*f[:4], f[5], *(t for t in f[11:] if t[:2] in ("NM", "AS")), sep="\t")' > found.txt
same "an insertion in the middle" inserted.expected found.txt
samtools calmd out/x.sam ref.fa 2> calmd.err > calmd.sam
equal "calmd finds no other NM or MD" "$(grep -c 'different NM\|different MD' calmd.err)" 0
# Adapters hardly ever fit after a long gap by chance.
run --clip 30% --join 50 ref.fa adapters.fq -o out/x.sam
ok "adapters are not joined" test "$(records out/x.sam | column 6 | grep -c '[0-9][0-9][ID]')" -le 1

# --- all places: the copies of a part ---

python3 - << 'PYTHON'
import random
from pieces import *
random.seed(19)
contigs = read_fasta('ref.fa')
with open('copies.fq', 'w') as file:
    for i in range(20):
        bases = contigs['a'][5200 + 60 * i:5270 + 60 * i] + letters(30)
        print(f'@c{i}', bases if i % 2 else reverse(bases), '+', 100 * 'I', sep='\n', file=file)
PYTHON
run --clip 30% --report all --hard-clip ref.fa copies.fq -o out/x.sam
expect_success
equal "both copies of each" "$(records -c out/x.sam)" 40
equal "the second is secondary" "$(records -c -f 256 out/x.sam)" 20
equal "secondary records have H" "$(records -f 256 out/x.sam | column 6 | grep -c '^[0-9]*M[0-9]*H$\|^[0-9]*H[0-9]*M$')" 20
equal "primary records have S" "$(records -F 256 out/x.sam | column 6 | grep -c '^[0-9]*M[0-9]*S$\|^[0-9]*S[0-9]*M$')" 20
equal "no certain place" "$(records out/x.sam | awk '$5 != 0' | wc -l)" 0
equal "NH and X0" "$(records out/x.sam | grep -c 'NH:i:2.*X0:i:2')" 40
run --clip 30% --report all -k 1 ref.fa copies.fq -o out/y.sam
expect_success
equal "-k" "$(records out/y.sam | grep -c 'NH:i:1.*ZD:i:1')" 20
run --clip 30% --report all --eqx ref.fa copies.fq -o out/y.sam
equal "--eqx" "$(records out/y.sam | column 6 | grep -c '^[0-9]*=[0-9]*S$\|^[0-9]*S[0-9]*=$')" 40

# --- a reference with repeats: the reports agree, the records are those of a full search ---

mkdir repeats
(cd repeats && make_input 60000 500 && "$TRAWL_SIMULATE" pairs ref.fa 300 80 5 r1.fq r2.fq --qualities --error-rate 0.02 2> /dev/null)
python3 - << 'PYTHON'
import random
from pieces import *
random.seed(23)
# In place of up to 30% of a read's bases, at either end: random bases, N, or a run of one base.
for name in 'reads', 'r1', 'r2':
    lines = open(f'repeats/{name}.fq').read().split('\n')
    for i in range(1, len(lines), 4):
        left, right = [random.choice([0, 0, int(random.random() * 0.15 * len(lines[i]))]) for _ in (0, 1)]
        kind = random.choice([letters, letters, lambda n: n * 'A', lambda n: n * 'N'])
        bases = lines[i]
        lines[i] = kind(left) + bases[left:len(bases) - right] + kind(right)
    open(f'repeats/{name}.fq', 'w').write('\n'.join(lines))
PYTHON
without_nh() { sed 's/\tNH:i:[0-9]*\tHI:i:[0-9]*//'; }
for when in unmapped always; do
  common="--clip 30% --clip-when $when repeats/ref.fa repeats/reads.fq"
  # shellcheck disable=SC2086
  run --report all $common -o out/all.sam
  expect_success
  records out/all.sam > all.txt
  ok "there are clipped secondary records" test "$(records -f 256 out/all.sam | column 6 | grep -c S)" -gt 50
  ok "there are reads with X1" test "$(records -F 256 out/all.sam | grep S | grep -vc X1:i:0)" -gt 10
  # NH, HI, X0, X1, the order by AS, and the mapping quality of ties.
  ok "the tags agree: $when" python3 - << 'PYTHON'
from pieces import *
groups = {}
for fields, tags in records('out/all.sam'):
    if not int(fields[1]) & 4:
        groups.setdefault(fields[0], []).append((fields, tags))
for name, group in groups.items():
    scores = [int(tags['AS']) for fields, tags in group]
    what = f'{name}: {scores} {group[0][1]}'
    assert scores[0] == max(scores) and scores[1:] == sorted(scores[1:], reverse=True), what
    for n, (fields, tags) in enumerate(group):
        assert tags['NH'] == str(len(group)) and tags['HI'] == str(n + 1), what
        assert tags['X0'] == str(scores.count(scores[0])), what
        if 'X1' in tags:
            assert tags['X1'] == str(sum(scores[0] - 5 <= s < scores[0] for s in scores)), what
        steps = operations(fields[5])
        left_out = sum(k for k, o in steps if o == 'S')
        length = sum(k for k, o in steps if o in 'MIS')
        assert int(tags['AS']) == length - left_out - 5 * int(tags['NM']), what
    assert len(group) == 1 or scores[0] > scores[1] or group[0][0][4] == '0', what
PYTHON
  records -F 256 out/all.sam | without_nh > primaries.txt
  for report in best "strata --strata 0" "strata --strata 1" "strata --strata 3"; do
    for search in auto scan; do
      # shellcheck disable=SC2086
      run --report $report --search $search $common -o out/x.sam
      expect_success
      same "primary records of $report and all, $when, $search" primaries.txt <(records -F 256 out/x.sam | without_nh)
    done
    [[ $report == best ]] && continue
    awk -F '\t' -v strata="${report##* }" '
      int($2 / 4) % 2 { print; next }
      { match($0, /AS:i:[-0-9]+/); score = substr($0, RSTART + 5, RLENGTH - 5) + 0 }
      int($2 / 256) % 2 == 0 { best = score }
      score >= best - 5 * strata' all.txt | without_nh > expected.txt
    same "$report is the right part of all, $when" expected.txt <(records out/x.sam | without_nh)
  done
  # Pairs: MAPQ, X0 and X1 of the primary records do not depend on what is reported.
  common="--clip 30% --clip-when $when --insert 50-1000 repeats/ref.fa repeats/r1.fq repeats/r2.fq"
  # shellcheck disable=SC2086
  run --report all $common -o out/all.sam
  expect_success
  records -F 256 out/all.sam | without_nh > primaries.txt
  ok "there are clipped pairs" test "$(records -f 2 -F 256 out/all.sam | column 6 | grep -c S)" -gt 50
  for report in best "strata --strata 1"; do
    # shellcheck disable=SC2086
    run --report $report $common -o out/x.sam
    expect_success
    same "primary records of pairs, $report and all, $when" primaries.txt <(records -F 256 out/x.sam | without_nh)
  done
done

# --- pairs ---

# The records with their tags sorted. samtools 1.16 gives a mapped read MC:Z:* if its mate is unmapped, but picard says
# that is an error.
sorted_tags() {
  samtools view "$@" | python3 -c '
import sys
for line in sys.stdin:
    fields = line.rstrip("\n").split("\t")
    print(*fields[:11], *sorted(t for t in fields[11:] if t != "MC:Z:*"), sep="\t")'
}
run ref.fa 1.fq 2.fq -o out/x.bam
expect_success
proper=$(samtools view -c -f 2 -F 0x904 out/x.bam)
for options in "" "--clip-when always" "--split" "--split --join 60" "--split --hard-clip --report all" "--report all --discordant always" \
  "--report strata --strata 2 --split --mate-fields primary" "--unmapped drop --split" "--discordant never"; do
  # shellcheck disable=SC2086
  run --clip 45% $options ref.fa 1.fq 2.fq -o out/x.bam
  expect_success
  ok "fixmate" samtools fixmate --no-PG out/x.bam fixed.bam
  sorted_tags out/x.bam > before.txt
  sorted_tags fixed.bam > after.txt
  same "samtools fixmate changes nothing: $options" before.txt after.txt
  ok "quickcheck" samtools quickcheck -v out/x.bam
  ok "more pairs than without clipping: $options" test "$(samtools view -c -f 2 -F 0x904 out/x.bam)" -gt "$proper"
done
run --clip 45% --split ref.fa 1.fq 2.fq -o out/x.bam
for kind in whole adapter both; do
  equal "pairs of one fragment are proper: $kind" "$(records -F 0x902 out/x.bam | grep -c "_$kind")" 0
done
equal "foreign mates are unmapped" "$(records -f 4 out/x.bam | column 1 | grep -vc _foreign)" 0
# The pieces of a chimeric mate: the supplementary record is placed by itself, and points to the mate's primary record.
ok "supplementary records of mates" test "$(records -c -f 2049 out/x.bam)" -gt 10
records out/x.bam > pairs.txt
ok "mate fields of supplementary records" python3 - << 'PYTHON'
primary, count = {}, 0
lines = [line.rstrip('\n').split('\t') for line in open('pairs.txt')]
for f in lines:
    if not int(f[1]) & 0x900:
        primary[f[0], int(f[1]) & 192] = f
for n, f in enumerate(lines):
    flag = int(f[1])
    if flag & 2048:
        count += 1
        mate = primary[f[0], 192 - (flag & 192)]
        contig = f[6] if f[6] != '=' else f[2]
        if not int(mate[1]) & 4:
            assert (contig, f[7]) == (mate[2], mate[3]), f
            assert bool(flag & 32) == bool(int(mate[1]) & 16) and not flag & 8, f
        # After all other records of the pair, mate 1's first.
        later = [int(g[1]) for g in lines[n + 1:n + 6] if g[0] == f[0]]
        assert all(g & 2048 for g in later), f
        assert flag & 64 or not any(g & 64 for g in later), f
assert count > 10
PYTHON

# Mates of which a half is mapped: far from the other mate, or near it, as in a concordant pair.
run --clip 30% --split ref.fa h1.fq h2.fq -o out/halves.bam
expect_success
records -F 2048 out/halves.bam | cut -f 1-4,6 > found.txt
same "halves of mates" half_pairs.expected found.txt
equal "both halves have a record" "$(records -c -f 2048 out/halves.bam)" 20
ok "fixmate" samtools fixmate --no-PG out/halves.bam fixed.bam
sorted_tags out/halves.bam > before.txt
sorted_tags fixed.bam > after.txt
same "samtools fixmate changes nothing: halves" before.txt after.txt
run --clip 30% --split --discordant never ref.fa h1.fq h2.fq -o out/x.bam
expect_success
equal "--discordant never: the whole mates" "$(records -F 4 out/x.bam | column 6 | sort | uniq -c | xargs)" "20 100M"
run --clip 30% --split --discordant never ref.fa n1.fq n2.fq -o out/x.bam
expect_success
records -F 2048 out/x.bam | cut -f 1-4,6 > found.txt
same "halves of mates that lie near each other" near_pairs.expected found.txt
equal "a long end is mapped, too" "$(records -c -f 2048 out/x.bam)" 20
ok "fixmate" samtools fixmate --no-PG out/x.bam fixed.bam
sorted_tags out/x.bam > before.txt
sorted_tags fixed.bam > after.txt
same "samtools fixmate changes nothing: concordant halves" before.txt after.txt

# --- formats ---

for inputs in "split.fq,three.fq,adapters.fq,copies.fq,odd.fq,gaps.fq" "1.fq 2.fq"; do
  for options in "--split --join 60" "--split --hard-clip --report all" "--clip-when always --split --report strata --strata 1"; do
    common="--clip 49.9% $options ref.fa $inputs"
    for format in sam bam cram; do
      # shellcheck disable=SC2086
      run $common -o out/x.$format
      expect_success
      sorted_tags -T ref.fa out/x.$format > $format.txt
    done
    same "the formats have the same records: $options" sam.txt bam.txt cram.txt
    # shellcheck disable=SC2086
    run $common -o out/x.bed
    expect_success
    python3 - << 'PYTHON'
from pieces import *
with open('expected.bed', 'w') as file:
    for fields, tags in records('out/x.sam'):
        flag = int(fields[1])
        if not flag & 4:
            span = sum(n for n, o in operations(fields[5]) if o in 'MD=X')
            name = fields[0] + ('/1' if flag & 64 else '/2' if flag & 128 else '')
            begin = int(fields[3]) - 1
            print(fields[2], begin, begin + span, name, fields[4], '-' if flag & 16 else '+', sep='\t', file=file)
PYTHON
    cut -f 1-6 out/x.bed > found.bed
    same "BED has the pieces: $options" expected.bed found.bed
    # A distance and a CIGAR with S in every line.
    records -F 4 out/x.sam | awk -F '\t' '{ gsub("H", "S", $6); match($0, /NM:i:[0-9]+/); print substr($0, RSTART + 5, RLENGTH - 5) "\t" $6 }' > expected.txt
    cut -f 7,8 out/x.bed > found.txt
    same "BED has distance and CIGAR: $options" expected.txt found.txt
    # shellcheck disable=SC2086
    run $common --sort -o out/sorted.bam
    expect_success
    samtools sort -o expected.bam out/x.bam 2> /dev/null
    same "--sort: records and order: $options" <(records expected.bam) <(records out/sorted.bam)
    samtools index out/sorted.bam expected.bai
    same "--sort: the index: $options" expected.bai out/sorted.bam.bai
  done
done
run --clip 30% --unmapped drop ref.fa odd.fq,adapters.fq -o out/mapped.bam
run --clip 30% ref.fa odd.fq,adapters.fq -o out/kept.bam
same "--unmapped drop" <(records -F 4 out/kept.bam) <(records out/mapped.bam)
ok "some are dropped" test "$(records -c -f 4 out/kept.bam)" -gt 5
run --clip 30% --split ref.fa split.fq,adapters.fq,odd.fq -o out/x.sam --stats out/x.json
expect_success
ok "the statistics" python3 - << 'PYTHON'
import json
from pieces import *
stats = json.load(open('out/x.json'))
mapped = sum(not int(f[1]) & (4 | 0x900) for f, t in records('out/x.sam'))
assert stats['reads']['total'] == 474 and stats['reads']['mapped'] == mapped, stats['reads']
primary = [operations(f[5]) for f, t in records('out/x.sam') if not int(f[1]) & (4 | 0x900)]
left_out = [sum(n for n, o in steps if o == 'S') for steps in primary]
assert stats['clipped']['reads'] == sum(n > 0 for n in left_out) > 100, stats['clipped']
assert stats['clipped']['bases'] == sum(left_out), stats['clipped']
by_bases = stats['clipped']['reads_by_bases']
assert sum(by_bases.values()) == stats['clipped']['reads'], by_bases
assert by_bases['11-20'] == sum(11 <= n <= 20 for n in left_out) > 0, by_bases
supplementary = sum(bool(int(f[1]) & 2048) for f, t in records('out/x.sam'))
assert stats['clipped']['supplementary_records'] == supplementary > 10, stats['clipped']
text = f"; {stats['clipped']['reads']} reads clipped ({100 * stats['clipped']['reads'] / 474:.2f}%), {supplementary} supplementary records"
assert text in open('stderr').read(), text
PYTHON

# --- the same bytes ---

engines="cpu"
has_cuda && engines="cpu cuda"
for inputs in "split.fq,adapters.fq,three.fq,copies.fq,odd.fq,gaps.fq" "1.fq 2.fq"; do
  for options in "--clip 30%" "--clip 49.9% --split --join 100 --report all" "--clip 40 --clip-when always --report strata --strata 1 --split --hard-clip" \
    "--clip 30% --ambiguous match"; do
    # shellcheck disable=SC2086
    run $options -t 1 --engine cpu ref.fa $inputs -o out/one.sam
    expect_success
    for engine in $engines; do
      for how in "-t 4" "-t 1 --batch-size 2" "-t 4 --batch-size 34" "--search seeds" "--search scan"; do
        # shellcheck disable=SC2086
        run $options $how --engine $engine ref.fa $inputs -o out/x.sam
        expect_success
        same "$engine $options $how $inputs" out/one.sam out/x.sam
      done
    done
    # shellcheck disable=SC2086
    run $options -t 2 ref.trawl $inputs -o out/x.sam
    expect_success
    same "a saved index: $options $inputs" out/one.sam out/x.sam
  done
done

finish
