#!/usr/bin/env bash
# trawl mappability: the loci of every position are those of its read, mapped; formats, threads, and what is wrong.
. "$(dirname "$0")/lib.sh"

run_mappability() {
  "$TRAWL" mappability --progress off "$@" > stdout 2> stderr
  status=$?
}

# Contigs with repeats, a run of N, other ambiguous letters, and one that is shorter than a read.
"$TRAWL_SIMULATE" genome 40000 7 genome.fa 2> /dev/null
python3 - << 'END' > ref.fa
import random
random.seed(17)
text = ''.join(line.strip() for line in open('genome.fa') if line[0] != '>')
unit = text[2000:2400]
other = {'A': 'T', 'C': 'G', 'G': 'C', 'T': 'A'}
copies = ''
for n in range(12):
    copy = list(unit)
    for _ in range(n % 4):
        copy[random.randrange(len(copy))] = random.choice('ACGT')
    if n % 3 == 0:
        del copy[random.randrange(len(copy))]
    copies += ''.join(copy) if n % 2 else ''.join(other[c] for c in reversed(copy))
print('>chr1 some words\n%s' % text)
print('>chr2\n%sNNNNNNNNNNNN%sRNacgtY%s' % (text[:3000], copies, text[100:900].lower()))
print('>short\nACGTACGTAC\n>chr3\n%s' % ('CA' * 120))
END

# all_reads LENGTH: every read of ref.fa, named by its contig and position.
all_reads() {
  python3 - "$1" << 'END'
import sys
length = int(sys.argv[1])
texts = open('ref.fa').read().split('>')[1:]
for text in texts:
    name, *lines = text.split('\n')
    bases = ''.join(lines)
    for i in range(len(bases) - length + 1):
        print('>%s:%d\n%s' % (name.split()[0], i, bases[i:i + length]))
END
}

# The loci that trawl map found: name:position and NH of every read, in their order.
loci_mapped() {
  python3 -c '
import sys
for line in sys.stdin:
    fields = line.rstrip().split("\t")
    if line[0] != "@" and not int(fields[1]) & 256:
        print(fields[0], next((tag[5:] for tag in fields[11:] if tag.startswith("NH:i:")), 0))'
}

# The same from a bedGraph.
loci_of_bedgraph() { awk -F'\t' '{ for (i = $2; i < $3; ++i) print $1 ":" i, $4 }' "$1"; }

for case in "100 2" "100 0" "36 1" "25 3" "150 5%" "12 2"; do
  read -r length edits <<< "$case"
  all_reads "$length" > reads.fa
  run --engine cpu -t 2 -e "$edits" --report all ref.fa reads.fa -o mapped.sam
  expect_success
  loci_mapped < mapped.sam > expected.txt
  ok "-l $length: there are reads" test -s expected.txt
  run_mappability --engine cpu -t 2 -l "$length" -e "$edits" ref.fa -o loci.bedgraph
  expect_success
  loci_of_bedgraph loci.bedgraph > found.txt
  same "-l $length -e $edits: the loci of the mapped reads" expected.txt found.txt
  ok "-l $length: neighbours with the same number are one line" awk -F'\t' '
    $1 == c && $2 == e && $4 == n { exit 1 } { c = $1; e = $3; n = $4 }' loci.bedgraph
  for options in "-t 1" "-t 5" "-t 2 --batch-size 33"; do
    # shellcheck disable=SC2086
    run_mappability --engine cpu $options -l "$length" -e "$edits" ref.fa -o again.bedgraph
    expect_success
    same "$options" loci.bedgraph again.bedgraph
  done
  if has_cuda > /dev/null; then
    run_mappability --engine cuda -l "$length" -e "$edits" ref.fa -o again.bedgraph
    expect_success
    same "the engine cuda" loci.bedgraph again.bedgraph
  fi
done
equal "a read with several loci was in the test" "$(awk '$2 > 10' found.txt | wc -l | awk '{ print ($1 > 100) }')" 1

# --- formats ---

run_mappability --engine cpu -l 100 -e 2 ref.fa -o loci.bedgraph --stats stats.json
expect_success
contains "the summary" stderr " positions, "
run_mappability --engine cpu -l 100 -e 2 ref.fa
same "to the standard output" loci.bedgraph stdout
run_mappability --engine cpu -l 100 -e 2 - < ref.fa
same "from the standard input" loci.bedgraph stdout
run_mappability --engine cpu -l 100 -e 2 ref.fa -o loci.bg.gz
expect_success
gzip -dc loci.bg.gz > plain
same "compressed" loci.bedgraph plain
"$TRAWL" index ref.fa 2> /dev/null
run_mappability --engine cpu -l 100 -e 2 ref.fa.trawl
same "from a saved index" loci.bedgraph stdout
ok "the statistics agree with the output" python3 - << 'END'
import json
stats = json.load(open('stats.json'))
counts = []
lines = [line.split('\t') for line in open('loci.bedgraph')]
for contig, begin, end, value in lines:
    counts += [int(value)] * (int(end) - int(begin))
assert stats['read_length'] == 100 and stats['max_edits'] == 2, stats
assert stats['positions'] == {'total': len(counts), 'no_locus': counts.count(0), 'one_locus': counts.count(1),
                              'more_loci': sum(count > 1 for count in counts)}, stats
assert stats['loci'] == {'total': sum(counts), 'most': max(counts)}, stats
assert stats['intervals'] == len(lines), stats
END

run_mappability --engine cpu -l 100 -e 2 ref.fa -o loci.bw
if [[ $status == 0 ]]; then
  for threads in 1 3; do
    run_mappability --engine cpu -t $threads -l 100 -e 2 ref.fa -o again.bigwig
    expect_success
    same "bigWig, $threads threads" loci.bw again.bigwig
  done
  # The values, read by another program, if it is there.
  if /usr/bin/python3 -c 'import pyBigWig' 2> /dev/null; then
    /usr/bin/python3 - << 'END' > bigwig.bedgraph
import pyBigWig
track = pyBigWig.open('loci.bw')
assert track.chroms() == {'chr1': 40000, 'chr2': track.chroms('chr2'), 'short': 10, 'chr3': 240}, track.chroms()
for contig in ['chr1', 'chr2', 'chr3']:
    for begin, end, value in track.intervals(contig):
        print(contig, begin, end, '%d' % value, sep='\t')
END
    same "the values in the bigWig" loci.bedgraph bigwig.bedgraph
    # Many blocks of intervals: of all, and of some stretches, which are found by the file's index.
    run_mappability --engine cpu -t 2 -l 8 -e 0 genome.fa -o many.bedgraph
    run_mappability --engine cpu -t 2 -l 8 -e 0 genome.fa -o many.bw
    expect_success
    ok "many intervals" test "$(wc -l < many.bedgraph)" -gt 6000
    ok "stretches of a bigWig with many blocks" /usr/bin/python3 - << 'END'
import pyBigWig
lines = [line.split('\t') for line in open('many.bedgraph')]
expected = [(int(begin), int(end), float(value)) for _, begin, end, value in lines]
track, contig = pyBigWig.open('many.bw'), lines[0][0]
assert list(track.intervals(contig)) == expected
for begin in range(0, 39000, 371):
    found = list(track.intervals(contig, begin, begin + 500) or [])
    assert found == [line for line in expected if line[1] > begin and line[0] < begin + 500], begin
END
  else
    echo "skipped: reading the bigWig (Debian: python3-pybigwig)"
  fi
  (ulimit -f 1 && "$TRAWL" mappability -l 8 -e 0 genome.fa -o out/full.bw > stdout 2> stderr)
  status=$?
  expect_failure 1 "cannot be written as bigWig" out/full.bw
  (ulimit -f 1 && "$TRAWL" mappability -l 100 -e 2 ref.fa -o out/full.bw > stdout 2> stderr)
  status=$?
  expect_failure 1 "cannot be written as bigWig" out/full.bw
else
  contains "without libBigWig" stderr "this build cannot write bigWig"
  echo "skipped: bigWig, which this build cannot write"
fi

# --- what is wrong ---

run_mappability ref.fa
expect_failure 2 "--length"
run_mappability -l 0 ref.fa
expect_failure 2 "is not a whole number from 1 to 100000"
run_mappability -l 20 -e 20 ref.fa -o out/x.bedgraph
expect_failure 2 "a read that is not longer matches everywhere" out/x.bedgraph
run_mappability -l 2000 -e 50% ref.fa -o out/x.bedgraph
expect_failure 2 "at most 255 are possible" out/x.bedgraph
run_mappability -l 20 -e x ref.fa
expect_failure 2 "-e x: give a number of edits"
run_mappability -l 20 ref.fa -o out/x.sam
expect_failure 2 "has no known extension; use .bedgraph" out/x.sam
run_mappability -l 20 ref.fa --compression-level 3 -o out/x.bedgraph
expect_failure 2 "--compression-level is for" out/x.bedgraph
run_mappability -l 20 none.fa -o out/x.bedgraph
expect_failure 1 "none.fa" out/x.bedgraph
run_mappability -l 20 ref.fa -o ref.fa
expect_failure 2 "ref.fa"
run_mappability --engine cpu -l 50000 -e 2 ref.fa -o none.bedgraph
expect_success
contains "reads that are longer than all contigs" stderr "no contig has 50000 bases"
ok "an empty track" test -f none.bedgraph -a ! -s none.bedgraph
"$TRAWL" mappability --help > help.txt
contains "the help has examples" help.txt "trawl mappability -l 100 -e 2 genome.fa -o loci.bedgraph"
finish
