#!/usr/bin/env bash
# trawl bench: the papers' algorithms by their twins, checked by themselves against plain dynamic programming.
. "$(dirname "$0")/lib.sh"

# bench NAME OPTIONS...: leaves $status, stdout, stderr.
bench() {
  "$TRAWL" bench "$@" > stdout 2> stderr
  status=$?
}

# rows WHAT NUMBER: the table on stdout has so many rows below its header.
rows() { equal "$1, rows" "$(($(wc -l < stdout) - 1))" "$2"; }

bench cushiftor --engine cpu --repeats 1 -n 3000,20000 -m 1,17,33,64 -k 0,2
equal "cushiftor status" "$status" 0
rows cushiftor 16
bench cushiftor --engine cpu --repeats 1 -n 5000 -m 16 -k 0,1,3 --alpha 4,16 --segments disjoint,overlapping,streamed
equal "cushiftor, segments, status" "$status" 0
rows "cushiftor, segments" 18
bench gbpr --engine cpu --repeats 1 -n 20000 -m 5,40 -k 0,3 --sigma 2,200
equal "gbpr status" "$status" 0
rows gbpr 8
bench wspasm --engine cpu --repeats 1 -n 5000 -m 30 -k 3 --variant pasm,wspasm,wspasm-shared --sequential -o out/w.tsv
equal "wspasm status" "$status" 0
rows wspasm 3
equal "wspasm, TSV lines" "$(wc -l < out/w.tsv)" 4
equal "wspasm, TSV header" "$(head -n 1 out/w.tsv | cut -f 1-6 | tr '\t' ' ')" "n sigma m k variant output"
bench asm-hmm --engine cpu --repeats 1 -n 5000 -m 20,100 --parts 1,3
equal "asm-hmm status" "$status" 0
rows asm-hmm 4
printf 'xxGATTACAxxGATTTACAxxx' > text
bench wspasm --engine cpu --repeats 1 --text text --pattern GATTACA -k 1
equal "a file, status" "$status" 0
equal "a file, matches" "$(awk 'NR == 2 {print $8}' stdout)" 4

# An algorithm takes its own options only, and refuses what cannot be.
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

finish
