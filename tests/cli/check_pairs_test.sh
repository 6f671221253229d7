#!/usr/bin/env bash
# trawl-check pairs and truth of bench/: right output passes, and every kind of fault is found.
check=$(dirname "${TRAWL_SIMULATE:?the path of trawl-simulate}")/trawl-check
if [[ ! -x $check ]]; then
  echo "skipped: no trawl-check beside trawl-simulate"
  exit 77
fi
. "$(dirname "$0")/lib.sh"

# check ARGS...: sets $status; writes the files stdout and stderr.
check() {
  "$check" "$@" > stdout 2> stderr
  status=$?
}

# count NAME: a number that trawl-check printed.
count() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' stdout; }

# Copies of one part near to each other, so that a pair has many concordant pairs.
"$TRAWL_SIMULATE" genome 20000 7 genome.fa 2> /dev/null
awk '!/>/' genome.fa | head -n 2 > part
awk '!/>/' genome.fa | tail -n 200 > rest
{ echo ">near"; for copy in 1 2 3 4 5 6 7 8 9; do cat part; done; cat rest; echo ">far"; cat part; } > ref.fa

for orientation in fr rf ff; do
  "$TRAWL_SIMULATE" pairs ref.fa 400 60 3 1.fq 2.fq --insert 300,60 --orientation $orientation \
    --error-rate 0.02 --indel-share 0.5 --qualities
  equal "names" "$(awk 'NR % 4 == 1' 1.fq | md5sum)" "$(awk 'NR % 4 == 1' 2.fq | md5sum)"
  for mate in 1 2; do
    run -e 3 --report all -o $mate.sam ref.fa $mate.fq
    expect_success
  done
  options=(-e 3 --insert 150-450 --orientation $orientation)
  run "${options[@]}" --report all -o all.sam ref.fa 1.fq 2.fq
  expect_success
  run "${options[@]}" -o best.sam ref.fa 1.fq 2.fq
  expect_success
  limits=(--insert 150-450 --orientation $orientation)
  check pairs 1.sam 2.sam all.sam "${limits[@]}" --best best.sam
  equal "$orientation, status" "$status" 0
  equal "$orientation, all pairs" "$(count "concordant pairs")" "$(count "combinations that fit")"
  equal "$orientation, many pairs" "$(($(count "concordant pairs") > $(count pairs)))" 1
  equal "$orientation, some pairs have none" "$(($(count "with concordant pairs") < 400))" 1
  equal "$orientation, best pairs" "$(count "best pairs")" "$(count "with concordant pairs")"
done
"$TRAWL_SIMULATE" pairs ref.fa 400 60 3 1.fq 2.fq --insert 300,60 --error-rate 0.02 --indel-share 0.5 --qualities
for mate in 1 2; do
  run -e 3 --report all -o $mate.sam ref.fa $mate.fq
done
run -e 3 --insert 150-450 --report all -o all.sam ref.fa 1.fq 2.fq
run -e 3 --insert 150-450 -o best.sam ref.fa 1.fq 2.fq

# Other limits: pairs are missing, or too many.
check pairs 1.sam 2.sam all.sam --insert 100-450
equal "wider limits, status" "$status" 1
equal "wider limits" "$(($(count missing) > 0)) $(count extra)" "1 0"
check pairs 1.sam 2.sam all.sam --insert 200-450
equal "narrower limits, status" "$status" 1
equal "narrower limits" "$(count missing) $(($(count extra) > 0))" "0 1"
check pairs 1.sam 2.sam all.sam --insert 150-450 --orientation rf
equal "other orientation, status" "$status" 1

# spoil WHAT AWK MESSAGE [COUNT]: changes one record of all.sam, and expects a fault that is said so.
spoil() {
  awk -F '\t' -v OFS='\t' '/^@/ { print; next } '"$2"' { print }' all.sam > spoilt.sam
  checks=$((checks + 1))
  ! cmp -s all.sam spoilt.sam || wrong "$1: nothing was changed"
  check pairs 1.sam 2.sam spoilt.sam --insert 150-450
  equal "$1, status" "$status" 1
  contains "$1" stdout "$3"
}
secondary='int($2 / 256) % 2 == 1 && int($2 / 2) % 2 == 1'  # of a concordant pair
spoil "a pair is left out" "!done && $secondary { if (++cut == 2) done = 1; next }" "missing: pair"
spoil "one mate is left out" "!done && $secondary { done = 1; next }" "has no mate after it"
spoil "a record is moved" "!done && $secondary { done = 1; \$4 += 1 }" "missing: pair"
spoil "another strand" "!done && $secondary { done = 1; \$2 += int(\$2 / 16) % 2 ? -16 : 16 }" "do not point at each other"
spoil "mate position" "!done && $secondary { done = 1; \$8 += 1 }" "do not point at each other"
spoil "not flagged proper" "!done && $secondary { if (++cut == 2) done = 1; \$2 -= 2 }" "missing: pair"
spoil "HI" "!done && $secondary { done = 1; sub(/HI:i:/, \"HI:i:9\") }" "NH or HI"
spoil "NH" "!done && $secondary { done = 1; sub(/NH:i:/, \"NH:i:9\") }" "NH or HI"
spoil "AS" "!done && $secondary { done = 1; sub(/AS:i:-?/, \"AS:i:-1\") }" "missing: pair"
spoil "YS" "!done && $secondary { done = 1; sub(/YS:i:-?/, \"YS:i:-7\") }" "do not point at each other"
spoil "MAPQ" "!done && $secondary { done = 1; \$5 = 3 }" "a secondary record has MAPQ 3"

# The best pair must be one of the smallest sum.
run -e 3 --insert 150-450 --discordant never -o never.sam ref.fa 1.fq 2.fq
check pairs 1.sam 2.sam never.sam --insert 150-450
equal "mates alone are left out" "$status" 1
run -e 3 --insert 150-350 -o other.sam ref.fa 1.fq 2.fq
check pairs 1.sam 2.sam all.sam --insert 150-450 --best other.sam
equal "another best, status" "$status" 1
contains "another best" stdout "best: "

# Files of different pairs.
head -n 1200 2.fq > fewer.fq
run -e 3 --report all -o fewer.sam ref.fa fewer.fq
check pairs 1.sam fewer.sam all.sam --insert 150-450
equal "fewer reads, status" "$status" 1
contains "fewer reads" stderr "the same pairs in the same order"
check pairs 1.sam 2.sam all.sam
equal "no limits, status" "$status" 2

# Split mates: their supplementary records are no part of the concordant pairs, come last, and point to the mate.
single=$'p\t0\tc\t101\t60\t60M40S\t*\t0\t0\t*\t*\tNM:i:0\tAS:i:60\tNH:i:1\tHI:i:1'
echo "$single" > 1.sam
sed 's/\t0\tc\t101\t60\t60M40S/\t16\tc\t301\t60\t100M/; s/AS:i:60/AS:i:100/' 1.sam > 2.sam
{
  sed 's/\t0\tc/\t99\tc/; s/\*\t0\t0/=\t301\t300/; s/$/\tYS:i:100/' 1.sam
  sed 's/\t16\tc/\t147\tc/; s/\*\t0\t0/=\t101\t-300/; s/$/\tYS:i:60/' 2.sam
  printf 'p\t2145\tc\t701\t9\t60S40M\t=\t301\t0\t*\t*\tNM:i:0\tAS:i:40\n'
} > split.sam
check pairs 1.sam 2.sam split.sam --insert 100-400 --best split.sam
equal "split, status" "$status $(count "concordant pairs")" "0 1"
sed 's/60M40S/60M40H/' split.sam > hard.sam
check pairs 1.sam 2.sam hard.sam --insert 100-400
equal "hard clips, status" "$status" 0
split_fault() {
  sed "$2" split.sam > spoilt.sam
  checks=$((checks + 1))
  ! cmp -s split.sam spoilt.sam || wrong "$1: nothing was changed"
  check pairs 1.sam 2.sam spoilt.sam --insert 100-400
  equal "$1, status" "$status" 1
  contains "$1" stdout "$3"
}
split_fault "a supplementary record points elsewhere" '3 s/\t301\t/\t302\t/' "does not point to the primary record"
split_fault "NH of a supplementary record" '3 s/$/\tNH:i:1/' "or NH or HI"
split_fault "a supplementary record that is secondary" '3 s/2145/2401/' "a supplementary record has flag 2401"
split_fault "a supplementary record of the first mate after one of the second" \
  '3 { p; s/2145/2209/; s/\t301\t/\t101\t/; s/2209/2193/; p; s/2193/2145/; s/\t101\t/\t301\t/ }' "not in order"
split_fault "a supplementary record before the second mate" '2 { h; d }; 3 G' "not in order"

# truth: the mates of one pair have different places, and a moved record is wrong.
cat > small.sam << END
@SQ	SN:a_b	LN:1000
pair0_a_b_100_200_+_0_400_500_-_3	99	a_b	101	60	100M	=	401	400	*	*
pair0_a_b_100_200_+_0_400_500_-_3	147	a_b	401	60	100M	=	101	-400	*	*
pair1_a_b_100_200_-_0_400_500_+_3	83	a_b	101	10	100M	=	401	400	*	*
pair1_a_b_100_200_-_0_400_500_+_3	163	a_b	391	10	5S95M	=	101	-400	*	*
pair1_a_b_100_200_-_0_400_500_+_3	419	a_b	401	10	100M	=	101	-400	*	*
pair2_a_b_100_200_-_0_400_500_+_3	83	a_b	111	20	100M	=	412	400	*	*
pair2_a_b_100_200_-_0_400_500_+_3	163	a_b	412	20	100M	=	111	-400	*	*
pair3_a_b_100_200_-_0_400_500_+_3	77	*	0	0	*	*	0	0	*	*
pair3_a_b_100_200_-_0_400_500_+_3	141	*	0	0	*	*	0	0	*	*
END
check truth small.sam
equal "truth" "$(count reads) $(count mapped) $(count right) $(count "MAPQ >= 20") $(count "right of them")" "8 6 4 4 3"
check truth small.sam --slack 15
equal "truth, slack" "$(count right)" 6
grep -v '^@' small.sam | cut -f 1 | head -n 1 | awk '{ print $0 "\t0\ta_b\t101\t60\t100M\t*\t0\t0\t*\t*" }' > alone.sam
check truth alone.sam
equal "a mate of unknown number, status" "$status" 1

# Calibration: 2,000 records of MAPQ 10, of which 1 in 10 is wrong, then 1 in 50; too few of MAPQ 30.
for every in 10 50; do
  awk -v every=$every 'BEGIN { for (i = 0; i < 2100; ++i)
    printf "sim%d_c_100_200_+_0\t0\tc\t%d\t%d\t100M\t*\t0\t0\t*\t*\n", i, i % every ? 101 : 501, i < 2000 ? 10 : 30 }' > c.sam
  check truth c.sam --calibration
  equal "calibration, 1 in $every" "$(awk -F '\t' '$1 ~ /-10$/ { print $2, $3, $6 }' stdout)" \
    "$([[ $every == 10 ]] && echo "2000 200 yes" || echo "2000 40 no")"
done
finish
