#!/usr/bin/env bash
# The programs of bench/ and clipped ends: right output passes, and every kind of fault is found.
bench=$(dirname "${TRAWL_SIMULATE:?the path of trawl-simulate}")
if [[ ! -x $bench/trawl-check || ! -x $bench/trawl-oracle ]]; then
  echo "skipped: no trawl-check and trawl-oracle beside trawl-simulate"
  exit 77
fi
. "$(dirname "$0")/lib.sh"

# check ARGS...: sets $status; writes the files stdout and stderr.
check() {
  "$bench/trawl-check" "$@" > stdout 2> stderr
  status=$?
}

# count NAME: a number that trawl-check printed.
count() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' stdout; }

ok "the oracle against paths one by one" "$bench/trawl-oracle" --self-test 150

# A reference with a repeat, and reads of it without indels: whole, with an adapter at either end or both, with errors.
cat > make.py << 'END'
import random
random.seed(8)
dna = lambda n: "".join(random.choice("ACGT") for _ in range(n))
turn = lambda text: text[::-1].translate(str.maketrans("ACGTN", "TGCAN"))
repeat = dna(300)
ref = dna(2000) + repeat + dna(500) + turn(repeat) + dna(1000)
open("ref.fa", "w").write(">c\n" + ref + "\n")
with open("reads.fq", "w") as out:
    for n in range(120):
        begin = random.choice([random.randrange(3900), 2000 + random.randrange(200)])
        left, right = random.choice([(0, 0), (20, 0), (0, 25), (9, 17), (45, 45)])
        read = list(ref[begin:begin + 100])
        read[:left] = dna(left)
        read[100 - right:] = dna(right)
        for _ in range(random.randrange(3)):
            read[random.randrange(100)] = random.choice("ACGTN")
        read = "".join(read)
        read = turn(read) if random.random() < 0.5 else read
        out.write(f"@r{n}\n{read}\n+\n{''.join(random.choice('!5I') for _ in read)}\n")
END
# Cuts the few loci with gaps out of a table, and makes the records that the others ask for.
cat > to_sam.py << 'END'
import sys
turn = lambda text: text[::-1].translate(str.maketrans("ACGTN", "TGCAN"))
ref = open("ref.fa").read().split("\n")[1]
lines = open("reads.fq").read().split("\n")
loci = {}
table = list(open(sys.argv[1]))
with open(sys.argv[1], "w") as out:
    for line in table:
        if line.startswith("#"):
            continue
        f = line.split("\t")
        bases = lines[4 * int(f[1]) + 1]
        piece = (turn(bases) if f[2] == "-" else bases)[int(f[8]):int(f[9])]
        if sum(x != y for x, y in zip(piece, ref[int(f[4]) - len(piece):])) != int(f[5]):
            continue
        out.write(line)
        loci.setdefault(int(f[1]), []).append((int(f[10]), int(f[4]), f[2], int(f[8]), int(f[9]), int(f[5])))
print(f"@SQ\tSN:c\tLN:{len(ref)}")
for n in range(len(lines) // 4):
    name, bases, _, qualities = lines[4 * n:4 * n + 4]
    if n not in loci:
        print(f"{name[1:]}\t4\t*\t0\t0\t*\t*\t0\t0\t{bases}\t{qualities}")
    for i, (penalty, end, strand, a, b, edits) in enumerate(sorted(loci.get(n, []))):
        seq, qual = (turn(bases), qualities[::-1]) if strand == "-" else (bases, qualities)
        start = end - (b - a)
        md, run = "", 0
        for k in range(b - a):
            run, md = (run + 1, md) if seq[a + k] == ref[start + k] else (0, f"{md}{run}{ref[start + k]}")
        clip = lambda size: f"{size}S" if size else ""
        flag = (16 if strand == "-" else 0) + (256 if i else 0)
        seq, qual = ("*", "*") if i else (seq, qual)
        print(f"{name[1:]}\t{flag}\tc\t{start + 1}\t9\t{clip(a)}{b - a}M{clip(len(bases) - b)}\t*\t0\t0\t{seq}\t{qual}\t"
              f"NM:i:{edits}\tMD:Z:{md}{run}\tAS:i:{len(bases) - penalty}\tNH:i:{len(loci[n])}\tHI:i:{i + 1}")
END
python3 make.py
for when in unmapped always; do
  "$bench/trawl-oracle" -e 2 --clip 30% --clip-when $when -t 2 ref.fa reads.fq > $when.tsv 2> /dev/null
  equal "$when: some pieces are clipped" "$(($(awk '$10 - $9 < 100 && !/^#/' $when.tsv | wc -l) > 60))" 1
  cp $when.tsv $when.all.tsv
  python3 to_sam.py $when.tsv > $when.sam
  equal "$when: most loci are without gaps" "$(($(wc -l < $when.tsv) > 120))" 1
  check loci $when.sam $when.tsv
  equal "$when: loci, status" "$status" 0
  equal "$when: all loci" "$(count loci) $(count missing)" "$(wc -l < $when.tsv) 0"
  check records ref.fa reads.fq $when.sam --clip
  equal "$when: records, status" "$status" 0
  equal "$when: all alignments" "$(count alignments)" "$(awk '!/^@/ && $2 != 4' $when.sam | wc -l)"
done
"$bench/trawl-oracle" -e 2 ref.fa reads.fq > whole.tsv 2> /dev/null
equal "whole reads first" "$(awk '$10 - $9 == 100' unmapped.all.tsv | cut -f 1-8)" "$(grep -v '^#' whole.tsv)"
equal "only other reads are clipped" "$(awk '!/^#/ && $10 - $9 < 100' unmapped.all.tsv | cut -f 1 | sort -u | grep -xFf <(cut -f 1 whole.tsv))" ""
check records ref.fa reads.fq unmapped.sam
equal "clips without --clip, status" "$status" 1

# spoil WHAT AWK MESSAGE: changes records of always.sam, and expects a fault of `loci` or `records` that is said so.
spoil() {
  awk -F '\t' -v OFS='\t' '/^@/ { print; next } '"$2"' { print }' always.sam > spoilt.sam
  checks=$((checks + 1))
  ! cmp -s always.sam spoilt.sam || wrong "$1: nothing was changed"
  check loci spoilt.sam always.tsv
  local loci=$status
  mv stdout loci.out
  check records ref.fa reads.fq spoilt.sam --clip
  equal "$1, status" "$((loci | status))" 1
  cat loci.out >> stdout
  contains "$1" stdout "$3"
}
clipped='!done && $2 < 256 && $6 ~ /^[0-9]+M[0-9]+S$/'
secondary='!done && int($2 / 256) % 2 == 1'
spoil "a locus is left out" "$secondary { done = 1; next }" "missing: read"
spoil "another piece" "$clipped { done = 1; split(\$6, n, /[MS]/); \$6 = n[1] - 1 \"M\" n[2] + 1 \"S\"; sub(/MD:Z:[^\t]*/, \"MD:Z:\" n[1] - 1) }" "missing: read"
spoil "AS" "$clipped { done = 1; sub(/AS:i:/, \"AS:i:1\") }" "AS should be"
spoil "no AS" "$clipped { done = 1; sub(/\tAS:i:[0-9]*/, \"\") }" "AS should be"
spoil "NM" "$clipped { done = 1; sub(/NM:i:/, \"NM:i:1\") }" "NM should be"
spoil "clips longer than the read" "$clipped { done = 1; \$6 = \"60S60S\" }" "the clips are as long as the read"
spoil "a longer clip" "$clipped { done = 1; sub(/S/, \"1S\", \$6) }" "fault"
spoil "a hard clip of the primary record" "$clipped { done = 1; sub(/S/, \"H\", \$6) }" "the primary record is hard-clipped"
spoil "SA of a single record" "$clipped { done = 1; \$0 = \$0 \"\tSA:Z:c,1,+,50S50M,9,0;\" }" "SA should be missing"
spoil "SA of a secondary record" "$secondary { done = 1; \$0 = \$0 \"\tSA:Z:c,1,+,50S50M,9,0;\" }" "a secondary record has SA"

# A split read: 60 bases at 101 of c, 40 of its other strand at 501.
python3 - << 'END'
turn = lambda text: text[::-1].translate(str.maketrans("ACGT", "TGCA"))
ref = open("ref.fa").read().split("\n")[1]
read = ref[100:160] + turn(ref[500:540])
open("split.fq", "w").write(f"@s\n{read}\n+\n{'I' * 60 + '5' * 40}\n")
first = f"s\t0\tc\t101\t60\t60M40S\t*\t0\t0\t{read}\t{'I' * 60 + '5' * 40}\tNM:i:0\tMD:Z:60\tAS:i:60\tNH:i:1\tHI:i:1\tSA:Z:c,501,-,40M60S,30,0;\n"
tags = "NM:i:0\tMD:Z:40\tAS:i:40\tSA:Z:c,101,+,60M40S,60,0;\n"
soft = f"s\t2064\tc\t501\t30\t40M60S\t*\t0\t0\t{turn(read)}\t{'5' * 40 + 'I' * 60}\t{tags}"
hard = f"s\t2064\tc\t501\t30\t40M60H\t*\t0\t0\t{turn(read)[:40]}\t{'5' * 40}\t{tags}"
open("soft.sam", "w").write(first + soft)
open("hard.sam", "w").write(first + hard)
END
for clips in soft hard; do
  check records ref.fa split.fq $clips.sam --clip
  equal "$clips: status" "$status $(count alignments)" "0 2"
  # split_fault WHAT SED MESSAGE: changes the supplementary record.
  split_fault() {
    sed "2 $2" $clips.sam > spoilt.sam
    checks=$((checks + 1))
    ! cmp -s $clips.sam spoilt.sam || wrong "$clips, $1: nothing was changed"
    check records ref.fa split.fq spoilt.sam --clip
    equal "$clips, $1: status" "$status" 1
    contains "$clips, $1" stdout "$3"
  }
  split_fault "no SA" 's/\tSA:.*//' "SA should be c,101,+,60M40S,60,0;, and is missing"
  split_fault "SA to another place" 's/SA:Z:c,101/SA:Z:c,102/' "SA should be"
  split_fault "another MAPQ than in SA" 's/\t30\t/\t31\t/' "SA should be c,501,-,40M60S,31,0;"
  split_fault "NH" 's/$/\tNH:i:1/' "a supplementary record has NH, HI, X0 or X1"
  split_fault "no bases" "s/\t[ACGT]\{40,\}\t/\t*\t/" "SEQ is not the read"
done
sed '2 s/60H/60S/' hard.sam > spoilt.sam
check records ref.fa split.fq spoilt.sam --clip
contains "bases of the piece with S" stdout "SEQ is not the read"
# Both records have the bases 55 to 60.
sed -e '2 { s/501/496/; s/40M60S/45M55S/; s/MD:Z:40/MD:Z:45/; s/AS:i:40/AS:i:45/ }' \
  -e '1 s/SA.*/SA:Z:c,496,-,45M55S,30,0;/' soft.sam > spoilt.sam
check records ref.fa split.fq spoilt.sam --clip
contains "common bases" stdout "a supplementary record has bases of the primary one"

# A clipped end that is joined by a long deletion: 15 points.
python3 - << 'END'
ref = open("ref.fa").read().split("\n")[1]
begin = next(k for k in range(600, 900) if ref[k + 59] != ref[k + 79])
read = ref[begin:begin + 60] + ref[begin + 80:begin + 120]
open("join.fq", "w").write(f"@j\n{read}\n+\n{'I' * 100}\n")
md = f"60^{ref[begin + 60:begin + 80]}40"
open("join.sam", "w").write(f"j\t0\tc\t{begin + 1}\t60\t60M20D40M\t*\t0\t0\t{read}\t{'I' * 100}\t"
                            f"NM:i:20\tMD:Z:{md}\tAS:i:85\tNH:i:1\tHI:i:1\n")
END
check records ref.fa join.fq join.sam --clip --join
equal "joined" "$status $(count "joined by a long gap")" "0 1"
check records ref.fa join.fq join.sam --clip
contains "joined without --join" stdout "AS should be 0"
sed 's/AS:i:85/AS:i:84/' join.sam > spoilt.sam
check records ref.fa join.fq spoilt.sam --clip --join
contains "joined, AS" stdout "AS should be 0"

# Reads with artefacts: without errors and variants each part of a name is an exact part of the reference.
"$TRAWL_SIMULATE" genome 30000 7 genome.fa 2> /dev/null
{ echo ">a_b"; awk '!/>/' genome.fa | head -n 200; echo ">c"; awk '!/>/' genome.fa | tail -n +201; } > two.fa
"$TRAWL_SIMULATE" reads two.fa 2000 120 3 --error-rate 0 --variant-rate 0 --qualities \
  --adapters 0.3,0-40 --chimeras 0.2 --indels 0.2,12-30 --tails 0.2 > kinds.fq
equal "the same bytes again" "$("$TRAWL_SIMULATE" reads two.fa 2000 120 3 --error-rate 0 --variant-rate 0 --qualities \
  --adapters 0.3,0-40 --chimeras 0.2 --indels 0.2,12-30 --tails 0.2 | md5sum)" "$(md5sum < kinds.fq)"
cat > parts.py << 'END'
import collections, re
turn = lambda text: text[::-1].translate(str.maketrans("ACGTN", "TGCAN"))
contigs = {part.split("\n")[0]: part.split("\n", 1)[1].replace("\n", "") for part in open("two.fa").read().split(">")[1:]}
lines = open("kinds.fq").read().split("\n")
kinds = collections.Counter()
foreign = collections.Counter()
for name, read in zip(lines[0::4], lines[1::4]):
    kind, places = re.fullmatch(r"@([a-z]+)\d+_(.*)", name).groups()
    kinds[kind] += 1
    parts = []
    for place in places.split("&"):
        contig, start, end, strand, edits, before = (place if kind != "sim" else place + "_0").rsplit("_", 5)
        start, end, before = int(start), int(end), int(before)
        bases = contigs[contig][start:end]
        assert edits == "0" and (turn(read) if strand == "-" else read)[before:before + end - start] == bases, name
        parts.append((contig, start, end, strand))
    assert len(read) == 120 and len(parts) == (2 if kind in ("chimera", "indel") else 1), name
    copied = sum(end - start for _, start, end, _ in parts)
    if kind == "indel":
        (c1, s1, e1, t1), (c2, s2, e2, t2) = sorted(parts)
        gap = 120 - copied or s2 - e1
        assert c1 == c2 and t1 == t2 and 12 <= gap <= 30 and (s2 == e1 or copied == 120), name
    if kind == "adapter":
        assert copied >= 80, name
        strand_before = before if strand == "+" else 120 - before - copied
        foreign["5'" if strand_before == 120 - copied else "3'" if strand_before == 0 else "both"] += 1
        if strand_before == 0 and "AGATCGGAAGAGC" in read[copied:copied + 13]:
            foreign["real"] += 1
    if kind == "tail":
        assert 60 <= copied <= 110, name
        foreign["N"] += read.count("N")
        foreign["bases of tails"] += 120 - copied
print(*(kinds[kind] // 50 for kind in ("adapter", "chimera", "indel", "sim", "tail")))
print(all(foreign[end] > 60 for end in ("5'", "3'", "both", "real")), round(foreign["N"] / foreign["bases of tails"], 1))
END
equal "parts" "$(python3 parts.py 2>&1)" "$(python3 parts.py 2>&1 | head -n 1)
True 0.3"
equal "shares" "$(python3 parts.py | head -n 1 | awk '{ print ($1 >= 10 && $1 <= 13), ($2 >= 6 && $2 <= 9), ($3 >= 6 && $3 <= 9), ($4 > 0), ($5 >= 6 && $5 <= 9) }')" "1 1 1 1 1"
"$TRAWL_SIMULATE" reads two.fa 9 120 3 --adapters 0.6 --tails 0.6 > stdout 2> stderr
equal "shares of more than all, status" "$?" 2
"$TRAWL_SIMULATE" reads two.fa 9 120 3 --indels 0.1,20-10 > stdout 2> stderr
equal "indels from 20 to 10, status" "$?" 2
"$TRAWL_SIMULATE" reads two.fa 9 120 3 --adapters 0.1,45 > stdout 2> stderr
equal "one length of adapters, status" "$?" 2
equal "adapters of one length" "$("$TRAWL_SIMULATE" reads two.fa 20 120 3 --adapters 1,30-30 --variant-rate 0 \
  | awk -F _ '/^@adapter/ { print $(NF - 3) - $(NF - 4) }' | sort -u)" 90

# truth: either part of a read counts, at the place where its first base would be.
cat > truth.sam << 'END'
@SQ	SN:a_b	LN:1000
adapter0_a_b_100_180_+_0_20	0	a_b	101	60	20S80M	*	0	0	*	*
adapter1_a_b_100_180_-_0_20	16	a_b	99	60	18S82M	*	0	0	*	*
adapter2_a_b_100_180_+_0_20	0	a_b	101	60	80M20S	*	0	0	*	*
chimera3_a_b_100_170_+_0_0&c_d_500_530_-_1_0	0	a_b	101	60	70M30S	*	0	0	*	*
chimera4_a_b_100_170_+_0_0&c_d_500_530_-_1_0	16	c_d	501	9	30M70S	*	0	0	*	*
chimera5_a_b_100_170_+_0_0&c_d_500_530_-_1_0	0	c_d	501	60	30M70S	*	0	0	*	*
indel6_a_b_100_140_+_0_0&a_b_170_230_+_0_40	0	a_b	171	30	40S60M	*	0	0	*	*
indel6_a_b_100_140_+_0_0&a_b_170_230_+_0_40	0	a_b	101	30	40M30D60M	*	0	0	*	*
indel6_a_b_100_140_+_0_0&a_b_170_230_+_0_40	2048	a_b	901	30	40M60H	*	0	0	*	*
tail7_a_b_100_170_-_0_30	4	*	0	0	*	*	0	0	*	*
sim8_a_b_100_200_+_0	0	a_b	111	20	100M	*	0	0	*	*
END
check truth truth.sam
equal "truth" "$(count reads) $(count mapped) $(count right) $(count "MAPQ >= 20") $(count "wrong of them")" "10 9 7 8 2"
equal "truth, kinds" "$(grep -A 9 '^kind' stdout | tail -n +2 | tr '\t\n' ' ;')" \
  "adapter 3 3 2 3 1;chimera 3 3 2 2 1;indel 2 2 2 2 0;sim 1 1 1 1 0;tail 1 0 0 0 0;"
finish
