#!/usr/bin/env bash
# trawl-bench: runs the published algorithms on the CPU; each checks its result with plain dynamic programming.
. "$(dirname "$0")/lib.sh"

# rows WHAT NUMBER: the table in stdout has this many rows below its header.
rows() { equal "$1, rows" "$(($(wc -l < stdout) - 1))" "$2"; }

bench cushiftor --engine cpu --repeats 1 -n 3000,20000 -m 1,17,33,64 -k 0,2
equal "cushiftor status" "$status" 0
rows cushiftor 16
bench cushiftor --engine cpu --repeats 1 -n 5000 -m 16 -k 0,1,2 --alpha 4,16 --segments disjoint,overlapping,streamed
equal "cushiftor, segments, status" "$status" 0
rows "cushiftor, segments" 18
bench cushiftor --engine cpu --repeats 1 -n 2000000 -m 32 -k 1
equal "cushiftor, a long text, status" "$status" 0
equal "cushiftor, a long text, has matches" "$(awk 'NR == 2 {print ($11 > 100)}' stdout)" 1
bench gbpr --engine cpu --repeats 1 -n 20000 -m 5,40 -k 0,3 --sigma 2,200 --alpha 1,8
equal "gbpr status" "$status" 0
rows gbpr 16
equal "gbpr, alphas" "$(awk 'NR > 1 {print $5}' stdout | sort | uniq -c | xargs)" "8 1 8 8"
# Every algorithm named in the help runs.
names=$("$TRAWL_BENCH" --help | awk '/^Experiments:/ {on = 1; next} /^[^ ]/ {on = 0} on && /^  [a-z]/ {print $1}')
equal "the help names all" "$(echo $names)" "exact multi wu-manber gbpr cushiftor wspasm asm-hmm"
for name in $names; do
  ok "$name --help has an example" grep -q "^  trawl-bench $name " <("$TRAWL_BENCH" "$name" --help)
  equal "$name --help, long lines" "$("$TRAWL_BENCH" "$name" --help | awk 'length > 110')" ""
  [[ $name =~ ^(exact|multi)$ ]] && continue  # bench_exact_test.sh, bench_multi_test.sh
  bench "$name" --engine cpu --repeats 1 -n 3000 -m 16
  equal "$name, status" "$status" 0
  rows "$name" 1
done
bench gbpr --engine cpu --repeats 1 -n 300000 -m 8,64 --threads 0 --sigma 2,256
equal "gbpr, all threads, status" "$status" 0
rows "gbpr, all threads" 4
bench wspasm --engine cpu --repeats 1 -n 5000 -m 30 -k 3 --variant pasm,wspasm,wspasm-shared --sequential -o out/w.tsv
equal "wspasm status" "$status" 0
rows wspasm 3
equal "wspasm, TSV lines" "$(wc -l < out/w.tsv)" 4
equal "wspasm, TSV header" "$(head -n 1 out/w.tsv | cut -f 1-7 | tr '\t' ' ')" "n sigma m k variant columns output"
bench wspasm --engine cpu --repeats 1 -n 5000 -m 30 -k 3 --columns 1,16
equal "wspasm, columns, status" "$status" 0
equal "wspasm, columns" "$(awk 'NR > 1 {print $6}' stdout | xargs)" "1 16"
bench asm-hmm --engine cpu --repeats 2 -n 5000 -m 20,100 --parts 1,3 --rows 1,2,4,8
equal "asm-hmm status" "$status" 0
rows asm-hmm 16
equal "asm-hmm, rows" "$(awk 'NR > 1 && NR < 6 {print $4}' stdout | xargs)" "1 2 4 8"
equal "asm-hmm, one result a pattern" "$(awk 'NR > 1 {print $2, $6, $7, $8}' stdout | sort -u | wc -l)" 2
printf 'xxGATTACAxxGATTTACAxxx' > text
bench wspasm --engine cpu --repeats 1 --text text --pattern GATTACA -k 1
equal "a file, status" "$status" 0
equal "a file, matches" "$(awk 'NR == 2 {print $9}' stdout)" 4
bench asm-hmm --engine cpu --text text --pattern TTTT --sequential
equal "asm-hmm, a file" "$(awk 'NR == 2 {print $6, $7, $8}' stdout)" "1 12 16"
# All experiments have the same texts.
bench gbpr --engine cpu --repeats 1 --text text --pattern TTTA -n 17
equal "the first letters of a file" "$(awk 'NR == 2 {print $1, $2, $8}' stdout)" "17 file 1"
printf '>a\nGATTACA\n>b\ngattaca\n' > few.fa
bench asm-hmm --engine cpu --fasta few.fa --pattern gattacag
equal "asm-hmm, FASTA" "$(awk 'NR == 2 {print $1, $6, $7, $8}' stdout)" "15 1 0 7"
bench wspasm --engine cpu --repeats 1 --made english -n 5000 -m 12 -k 2
equal "wspasm, English" "$(awk 'NR == 2 {print $2, ($9 > 0)}' stdout)" "english 1"

# An algorithm accepts only its own options, and rejects impossible values.
bench asm-hmm --alpha 4
equal "asm-hmm --alpha, status" "$status" 2
bench gbpr --parts 4
equal "gbpr --parts, status" "$status" 2
bench cushiftor --engine cpu -n 1000 -m 65
equal "cushiftor -m 65, status" "$status" 2
contains "cushiftor -m 65" stderr "1 to 64"
bench cushiftor --engine cpu -n 1000 -m 20 -k 1 --word 80
equal "cushiftor --word 80 -k 1, status" "$status" 2
bench cushiftor --engine cpu -n 1e6
equal "cushiftor -n 1e6, status" "$status" 2
# What this build does not contain is rejected, with the option that builds it.
bench cushiftor --engine cpu --repeats 1 -n 5000 -m 40 -k 5 --alpha 8
if [[ $status != 0 ]]; then
  equal "cushiftor --alpha 8 -k 5, status" "$status" 2
  contains "cushiftor --alpha 8 -k 5" stderr "-DTRAWL_ALL_VARIANTS=ON"
else
  rows "cushiftor --alpha 8 -k 5" 1
fi
# refused OPTIONS...: wrong usage, reported before anything runs.
refused() {
  bench "$@"
  equal "$*, status" "$status" 2
  equal "$*, rows" "$(wc -l < stdout)" 0
}
refused cushiftor --engine cpu -n 1000 -m 24,65
refused cushiftor --engine cpu -n 1000 -m 24 --alpha 4,1 --segments overlapping
refused cushiftor --engine cpu -n 1000 --output bytes,bits
refused cushiftor --engine cpu --text text -n 1000
refused cushiftor --engine cpu --text text --sigma 2
refused gbpr --engine cpu -n 1000 --alpha 1,3
refused gbpr --engine cpu -n 1000 --repeats 0
refused wu-manber --engine cpu -n 10000 -m 24,4097
refused wu-manber --engine cpu -n 1000 --alpha 1
refused wu-manber --engine cpu -n 1000 --threads 1,2
refused wspasm --engine cpu -n 1000 --threads 2
refused gbpr --engine cpu -n 1000,10 -m 11
refused gbpr --engine cpu -n 1000 --pattern ''
refused gbpr --engine cpu -n 1000 --pattern ACGT -m 4
refused wspasm --engine cpu -n 1000 -m 766 -k 3
refused wspasm --engine cpu -n 100000 -m 700 --sigma 4,256
refused wspasm --engine cpu -n 1000 --columns 16,2
refused asm-hmm --engine cpu -n 1000 --rows 1,3
refused asm-hmm --engine cpu -n 5000 -m 20,2049
refused asm-hmm --engine cpu --made dna --sigma 2
bench gbpr --engine cpu -n 1000 -o nowhere/x.tsv
equal "-o in no directory, status" "$status" 1
equal "-o in no directory, rows" "$(wc -l < stdout)" 0
bench gbpr --engine cpu --text text --pattern GATTACA -o text
equal "-o is the text, status" "$status" 2

# The papers' experiments with tiny inputs, and the tables made from their results.
if has_tomllib; then
  python3 "$paper" cushiftor wspasm asm_hmm --program "$TRAWL_BENCH" --engine cpu --quick \
    --results results --only run > paper.log 2>&1
  equal "paper.py, status" "$?" 0
  python3 "$paper" cushiftor wspasm asm_hmm --results results --only tables > tables.md
  equal "paper.py tables, status" "$?" 0
  contains "paper.py tables" tables.md "cuShiftOr over GBPR"
  contains "paper.py tables" tables.md "Over PASM"
  contains "paper.py tables" tables.md "The best D"
fi

# The same messages as in trawl map and trawl scan.
if has_no_cuda_code; then
  bench gbpr --engine cuda --repeats 1 -n 1000
  equal "--engine cuda, status" "$status" 1
  contains "--engine cuda" stderr "trawl-bench gbpr: --engine cuda cannot be used here: this build has no CUDA code; use --engine cpu"
  bench gbpr --repeats 1 -n 1000
  equal "--engine auto, status" "$status" 0
  contains "--engine auto" stderr "trawl-bench: on the CPU"
  [[ -e /dev/nvidiactl || -e /dev/dxg ]] || equal "no word about a GPU" "$(grep -iE 'gpu|cuda' stderr)" ""
fi

# Texts that do not fit: the message says what helps. (A program with sanitizers needs more than any limit here.)
limited() {
  (ulimit -v 300000 && exec "$TRAWL_BENCH" "$@" --engine cpu --repeats 1 > stdout 2> stderr)
  status=$?
}
limited gbpr -n 1000
if [[ $status == 0 ]]; then
  limited gbpr -n 400000000
  equal "gbpr, too long a text, status" "$status" 1
  contains "gbpr, too long a text" stderr "trawl-bench gbpr: not enough memory for the text, the tables and the result: give a smaller -n"
  limited multi -n 400000000
  equal "multi, too long a text, status" "$status" 1
  contains "multi, too long a text" stderr \
    "trawl-bench multi: not enough memory for the text, the tables and the result: give a smaller -n"
else
  echo "skipped: the program cannot run with limited memory"
fi

finish
