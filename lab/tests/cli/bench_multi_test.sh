#!/usr/bin/env bash
# trawl-bench multi: its list, its table, its texts and sets, and what it refuses.
. "$(dirname "$0")/lib.sh"

# multi OPTIONS...: sets $status; writes the files stdout and stderr.
multi() {
  bench multi --engine cpu --repeats 1 "$@"
}

"$TRAWL_BENCH" multi --list > list
equal "--list, status" "$?" 0
equal "--list, three columns" "$(awk -F '\t' 'NF != 3' list)" ""
equal "--list, names" "$(cut -f 1,2 list | xargs)" \
  "aho-corasick 1975 aho-corasick-full 1975 aho-corasick-lanes 1975 wu-manber 1994 wu-manber-long 1994"

# All algorithms, each result checked, in one table of TSV.
multi -n 50000 --patterns 1,300 -m 1,8,5-40
equal "all, status" "$status" 0
equal "all, columns" "$(head -n 1 stdout | tr '\t' ' ')" "algorithm patterns different m engine stage threads stretch matches prepare_ms search_ms Gchar/s table_bytes text text_bytes letters output"
equal "all, rows" "$(wc -l < stdout)" 31
equal "all, each line has all columns" "$(awk -F '\t' 'NF != 17' stdout)" ""
equal "all, the algorithms agree about each set" "$(awk -F '\t' 'NR > 1 {print $2, $4, $9}' stdout | sort -u | wc -l)" 6
equal "all, times" "$(awk -F '\t' 'NR > 1 && !($11 > 0 && $12 > 0 && $13 > 0)' stdout)" ""
equal "all, four letters make four different patterns" "$(awk -F '\t' '$2 == 300 && $4 == 1 {print $3, $9}' stdout | sort -u)" "4 50000"
for output in count stretches patterns positions; do
  multi -n 30000 --patterns 50 -m 3-6 --made protein --output $output --threads 1,2 --stride 1000
  equal "--output $output, status" "$status" 0
  equal "--output $output" "$(cells output | tr ' ' '\n' | sort | uniq -c | xargs), $(cells stretch | tr ' ' '\n' | sort -u)" "10 $output, 1000"
done
multi -a wu-manber,aho-corasick,wu-manber -n 3000 --patterns 5
equal "names, each once, in the order given" "$(cells algorithm)" "wu-manber aho-corasick"
multi -a wu-manber -n 3000,5000 --patterns 5,6 -m 4,7 --sigma 2,256
equal "all combinations" "$(wc -l < stdout)" 17
multi -a aho-corasick-full -n 3000 --patterns 5 -o out/table.tsv
same "-o" stdout out/table.tsv

# Sets from files. The matches are those that are there.
printf 'ushers, his she\n' > text
printf 'he\nshe\nhis\r\nhers\nhe\n' > words
multi --text text --pattern-file words
equal "--pattern-file, matches" "$(cells matches)" "6 6 6 6 6"
equal "--pattern-file, the set" "$(cells patterns) $(cells different) $(cells m)" "5 5 5 5 5 4 4 4 4 4 2-4 2-4 2-4 2-4 2-4"
printf '>a\nACGTNNACGT\n>b\nACGTAC\n>c\nGTACGT\n' > few.fa
printf 'ACGT\nGTAC\nTAC' > words
multi --fasta few.fa --pattern-file words
equal "--fasta, no match crosses a border" "$(cells matches)" "8 8 8 8 8"
printf '>a\n%s\n' "$(printf 'NNNNNACGTACCAGT%.0s' {1..200})" > gaps.fa
multi --fasta gaps.fa --patterns 100 -m 8 -a wu-manber
equal "--fasta, pieces of plain bases" "$(cells different)" 3

# refused STATUS MESSAGE OPTIONS...: nothing on stdout.
refused() {
  local expected=$1 message=$2
  shift 2
  "$TRAWL_BENCH" multi "$@" > stdout 2> stderr
  equal "$*, status" "$?" "$expected"
  contains "$*" stderr "trawl-bench multi: "
  contains "$*" stderr "$message"
  equal "$*, stdout" "$(wc -c < stdout)" 0
}
refused 2 "there is no 'wu'; --list shows all" --engine cpu -n 1000 -a wu
refused 2 "-m 0: a length is a number from 1 to 4096, or two of them, such as 8-32" -m 8,0
refused 2 "-m 9-8: a length is" -m 9-8
refused 2 "-m 5-4097: a length is" -m 5-4097
refused 2 "-m 3-: a length is" -m 3-
refused 2 "-m 4x: a length is" -m 4x
refused 2 "-m 5-20: the pattern is longer than the text, text of 16 characters" --engine cpu --text text -m 5-20
refused 2 "--patterns: '0' is not a whole number from 1 to 100000000" --patterns 5,0
refused 2 "exclude each other: the patterns are those of the file" --pattern-file words -m 4
refused 2 "exclude each other: the patterns are those of the file" --pattern-file words --patterns 4
refused 2 "exclude each other: there is one text" --text text --fasta few.fa
refused 2 "--sigma is for --made random" --made protein --sigma 4
refused 2 "--ranks is for several ranks; start them with mpirun" --engine cpu -n 1000 --ranks 2
refused 2 "--stage is for --engine cuda" --engine cpu -n 1000 --stage r16
refused 2 "--threads: '1025' is not a whole number from 0 to 1024" --threads 1,1025
refused 2 "--stride: 'x' is not a whole number" --stride x
refused 2 "--repeats: '0' is not a whole number from 1 to 1000000" --repeats 0
refused 2 "--threads is for --engine cpu" --engine cuda -n 1000 --threads 2
refused 2 "-o words is the input" --engine cpu -n 1000 --pattern-file words -o words
refused 1 "no_file: cannot open" --engine cpu -n 1000 --pattern-file no_file
printf 'a\n\nb\n' > hole
refused 1 "hole:2: the line is empty; each line is a pattern" --engine cpu -n 1000 --pattern-file hole
: > empty
refused 1 "empty: the file is empty" --engine cpu -n 1000 --pattern-file empty

# The help says what each column is.
"$TRAWL_BENCH" multi --help > help
for column in $(head -n 1 out/table.tsv); do
  ok "the help explains $column" grep -qE "(^|[ ,])$column([ ,:]|$)" help
done

# On a GPU, if there is one.
if has_cuda; then
  multi_on_gpu() {
    bench multi --engine cuda --repeats 1 "$@"
  }
  for output in count stretches patterns positions; do
    multi_on_gpu -n 30000 --patterns 50,500 -m 3-6 --output $output --stage all
    equal "--engine cuda --output $output, status" "$status" 0
    equal "--engine cuda --output $output" "$(cells stage | tr ' ' '\n' | sort | uniq -c | xargs)" "8 cr 8 cw 8 r16 8 st 8 tc 8 u"
    equal "--engine cuda --output $output, engine" "$(cells engine | tr ' ' '\n' | sort -u)" cuda
  done
  multi_on_gpu --fasta few.fa --patterns 3 -m 4 --stage r16,st,r16 --stride 4
  equal "--stage, each once" "$(cells stage), $(cells stretch | tr ' ' '\n' | sort -u)" "r16 st r16 st r16 st r16 st, 4"
fi

# The experiments of Kouzinopoulos et al. with small texts, and the tables made from their results.
if has_tomllib; then
  python3 "$paper" kouzinopoulos --program "$TRAWL_BENCH" --mpirun no_mpirun --engine cpu --quick --results results --only run > paper.log 2>&1
  equal "paper.py, status" "$?" 0
  contains "paper.py, what is for several ranks" paper.log "left out: kouzinopoulos_ranks, which needs no_mpirun"
  contains "paper.py, what is for a GPU" paper.log "left out: kouzinopoulos_stages, which is for cuda"
  python3 "$paper" kouzinopoulos --results results --only tables > tables.md 2> left_out
  equal "paper.py tables, status" "$?" 0
  contains "paper.py tables" tables.md "| wu-manber | 16000 |"
  contains "paper.py, what was not run" left_out "not run: kouzinopoulos_stages"
fi

finish
