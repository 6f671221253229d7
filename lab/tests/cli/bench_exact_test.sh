#!/usr/bin/env bash
# trawl-bench exact: its list, its table, its texts, what it recommends, and what it refuses.
. "$(dirname "$0")/lib.sh"

# exact OPTIONS...: sets $status; writes the files stdout and stderr.
exact() {
  bench exact --engine cpu --repeats 1 "$@"
}

# The list. Codes are unique, and so are names.
"$TRAWL_BENCH" exact --list > list
equal "--list, status" "$?" 0
equal "--list, five columns" "$(awk -F '\t' 'NF != 5 || $5 == ""' list)" ""
equal "--list, the 64 and those that the help names" "$(cut -f 1 list | grep -vcxE 'epsm|memmem|qgram|rare|words')" 64
equal "--list, a code is there once" "$(cut -f 1 list | sort | uniq -d)" ""
equal "--list, a name is there once" "$(cut -f 2 list | sort | uniq -d)" ""
equal "--list, Shift-Or" "$(awk -F '\t' '$1 == "so" {print $2, $3, ($4 ~ /m > 64/)}' list)" "shift-or 1992 1"
equal "--list, every build has the one that runs on a GPU only, and says so" \
  "$(grep -c '(GPU only' list) $(grep -P '^words\tword-compare\t' list | grep -c '(GPU only')" "1 1"

# All algorithms, each result checked, in one table of TSV.
exact -n 20000 -m 1,2,7,70 --made english
equal "all, status" "$status" 0
equal "all, columns" "$(head -n 1 stdout | tr '\t' ' ')" "algorithm m engine threads matches prepare_ms search_ms GB/s text text_bytes letters memory stretch streams pinned output patterns min_ms"
equal "all, each line has all columns" "$(awk -F '\t' 'NF != 18' stdout)" ""
equal "all, rows" "$(cells m | tr ' ' '\n' | sort -n | uniq -c | awk '{print $1}' | sort -u | wc -l)" 1
equal "all, every code of the CPU" "$(cells algorithm | tr ' ' '\n' | sort -u)" \
  "$(cut -f 1 list | grep -vx words | sort -u)"
equal "all, the algorithms agree about each length" "$(awk -F '\t' 'NR > 1 {print $2, $5}' stdout | sort -u | wc -l)" 4
equal "all, times" "$(awk -F '\t' 'NR > 1 && !($7 > 0 && $8 > 0)' stdout)" ""
exact -n 20000 -m 20 --made dna
equal "DNA: all find the same" "$(cells matches | tr ' ' '\n' | sort -u | wc -l)" 1

# Codes and names; each once, in the order given.
exact -a so,brute-force,shift-or -n 3000 -m 5
equal "codes and names" "$(cells algorithm)" "so bf"
exact -a bf -n 3000,5000 -m 5,6
equal "two texts and two lengths" "$(cells text_bytes) $(cells m)" "3000 3000 5000 5000 5 6 5 6"
exact -a bf --sigma 2,256 -n 30000 -m 3
equal "--sigma" "$(cells text) $(cells letters)" "random random 2 256"
exact -a bf -n 1000 -m 4,4096
equal "a pattern longer than the text" "$status" 2
contains "a pattern longer than the text" stderr "-n 1000: the text is shorter than a pattern of 4096 characters"
exact -a bf,so -n 30000 -m 4 --patterns 20
equal "--patterns" "$(cells patterns) $(($(cells matches | cut -d ' ' -f 1) > 20 * 60))" "20 20 1"
exact -a bf -n 3000 -m 5 --output list,bits
equal "two forms of the result" "$(cells output)" "list bits"
for output in list count bytes bits; do
  exact -a bf,so -n 30000 -m 2 --output $output --threads 1,2 --stride 1000
  equal "--output $output, status" "$status" 0
  equal "--output $output" "$(cells threads), $(cells output), $(cells stretch)" \
    "1 1 2 2, $output $output $output $output, 1000 1000 1000 1000"
done
exact -a bf -n 3000 -m 5 -o out/table.tsv
same "-o" stdout out/table.tsv

# Texts of files. The matches are those that are there.
printf 'banana\0bananas\n' > text
exact -a bf,so --text text -p ana
equal "--text, matches" "$(cells matches) $(cells text_bytes) $(cells letters)" "4 4 15 15 6 6"
exact -a so --text text -p ana -n 8
equal "--text -n, matches" "$(cells matches) $(cells text_bytes)" "2 8"
exact -a so --text text -p "$(printf 's\n.')"
equal "a pattern with a line feed that is not there" "$(cells matches)" 0
printf '>a\nACGTNNACGT\n>b\nACGTAC\n>c\nGTACGT\n' > few.fa
exact -a bf,so --fasta few.fa -p ACGT
equal "--fasta, no match crosses a border" "$(cells matches)" "4 4"
equal "--fasta, characters" "$(cells text_bytes)" "24 24"
exact -a so --fasta few.fa -p acgt
equal "--fasta, a pattern in lower case" "$(cells matches)" "4"
gzip -c text > text.gz
exact -a so --text text.gz -p ana
equal "--text, gzip" "$(cells matches) $(cells text_bytes)" "4 15"
exact -a so --fasta few.fa -p ACGTAC -n 16
equal "--fasta -n" "$(cells matches)" "0"
exact -a so --fasta few.fa -p ACGTAC -n 17
equal "--fasta -n, one more" "$(cells matches)" "1"

# What is recommended: a line for each length, then the fastest first.
exact --recommend --made protein -n 5000000 -m 6,30 -o out/best.tsv
equal "--recommend, status" "$status" 0
equal "--recommend, a paragraph for each length" "$(grep -cE '^m = (6|30), protein \(5000000 bytes\), 1 thread:$' stdout)" 2
equal "--recommend, the fastest" "$(grep -cE '^  fastest  [a-z0-9_]+  [0-9.e+]+ GB/s  ' stdout)" 2
equal "--recommend, sorted" "$(awk '/^m/ {last = 1e9; next} {s = $1 == "fastest" || $1 == "tie" ? $3 : $2; if (s > last) print; last = s}' stdout)" ""
equal "--recommend, ties are within 5%, others are not" \
  "$(awk '/^m/ {next} $1 == "fastest" {best = $3; next} ($1 == "tie") != (best / ($1 == "tie" ? $3 : $2) <= 1.05)' stdout)" ""
equal "--recommend, runners-up" "$(awk -F '\t' 'NR > 1 {print $2}' out/best.tsv | sort | uniq -c | xargs)" "5 30 5 6"
exact --recommend -a so,bf --made dna -n 5000 -m 6
equal "--recommend among two" "$(grep -cE ' (so|bf)  ' stdout)" 2

# The fastest run is no slower than the median.
exact --repeats 5 -n 300000 -m 8 --made english
equal "min_ms" "$(awk -F '\t' 'NR > 1 && !($18 > 0 && $18 <= $7)' stdout)" ""
# Runs that differ much are reported: this one is stopped for a while.
"$TRAWL_BENCH" exact --engine cpu -a bf -n 30000000 -m 8 --repeats 60 > stdout 2> stderr &
stopped=$!
sleep 0.8
kill -STOP $stopped
sleep 0.5
kill -CONT $stopped
wait $stopped
equal "stopped for a while, status" "$?" 0
contains "stopped for a while" stderr "disturbed: the runs of bf, m = 8 took"

# A value that is given twice counts once; '-o -' does not print twice.
exact -a bf -n 3000,3000 -m 8,8,9,8 --threads 1,1
equal "values given twice" "$(cells m)" "8 9"
exact -a bf -n 3000 -m 8 -o -
equal "-o -" "$(wc -l < stdout)" 2

# refused STATUS MESSAGE OPTIONS...: nothing on stdout.
refused() {
  local expected=$1 message=$2
  shift 2
  "$TRAWL_BENCH" exact "$@" > stdout 2> stderr
  equal "$*, status" "$?" "$expected"
  contains "$*" stderr "trawl-bench exact: "
  contains "$*" stderr "$message"
  equal "$*, stdout" "$(wc -c < stdout)" 0
}
refused 2 "there is no 'sho'; --list shows all" --engine cpu -n 1000 -a sho
refused 2 "there is no 'brute-farce'; --list shows all" --engine cpu -n 1000 -a bf,brute-farce
refused 2 "exclude each other: the list goes to standard output; use '> FILE'" --list -o list.tsv
refused 2 "there is no 'gbpr'" --engine cpu -n 1000 -a gbpr
refused 2 "exclude each other: the pattern is given" -p ACGT -m 4
refused 2 "--patterns is how many pieces" -p ACGT --patterns 4
refused 2 "-p: the pattern is empty" -p ''
refused 2 "the pattern has 4097 characters; at most 4096" -p "$(printf 'A%.0s' {1..4097})"
refused 2 "--threads: '1025' is not a whole number from 0 to 1024" --threads 1,1025
refused 2 "--stride: 'x' is not a whole number" --stride x
refused 2 "--repeats: '0' is not a whole number from 1 to 1000000" --repeats 0
refused 2 "'4097' is not a whole number from 1 to 4096" -m 5,4097
refused 2 "'0' is not a whole number from 1 to 4096" -m 0
refused 2 "-p: the pattern of 20 characters is longer than the text, text of 15" --engine cpu --text text -p 12345678901234567890
refused 2 "-m 20: the pattern is longer than the text, text of 15 characters" --engine cpu --text text -m 2,20
refused 2 "-n 16: text has only 15 characters" --engine cpu --text text -n 16 -m 2
refused 2 "exclude each other: there is one text" --text text --fasta few.fa
refused 2 "exclude each other: there is one text" --text text --made dna
refused 2 "the number of letters is for random text" --text text --sigma 4
refused 2 "--sigma is for --made random" --made protein --sigma 4
refused 2 "'257' is not a whole number from 1 to 256" --sigma 4,257
refused 2 "--memory is for --engine cuda; the engine is cpu here" --engine cpu --memory shared
refused 2 "--streams is for --engine cuda" --engine cpu --streams 2
refused 2 "--pinned is for --engine cuda" --engine cpu --pinned
refused 2 "--threads is for --engine cpu" --engine cuda --threads 2
refused 2 "--output: 'lists' is none of list, count, bytes, bits" --output lists
refused 2 "'1e6' is not a whole number" -n 1e6
refused 2 "there is no option --alpha" --alpha 2
refused 2 "-o text is the input text" --engine cpu --text text -o text -m 2
refused 1 "-n 999999999999999: the text does not fit into the memory of this machine" --engine cpu -n 999999999999999
refused 1 "--fasta takes a text in FASTA, --text any file" --engine cpu --fasta text
refused 1 "no_file: cannot open" --engine cpu --text no_file
refused 1 "nowhere/x.tsv" --engine cpu -n 1000 -o nowhere/x.tsv
: > empty
refused 1 "the file is empty" --engine cpu --text empty
if has_no_cuda_code; then
  refused 1 "--engine cuda cannot be used here: this build has no CUDA code" --engine cuda -n 1000
  refused 2 "--memory is for --engine cuda; the engine is cpu here" --memory shared -n 1000
  refused 2 "--algorithm words: it runs on the GPU only, and this build has no CUDA code" -a words -n 1000
fi

# An exact matcher is not a command, but its name was meant.
no_command() {
  "$TRAWL_BENCH" "$1" -n 1000 > stdout 2> stderr
  equal "bench $1, status" "$?" 2
  contains "bench $1" stderr "trawl-bench: there is no experiment '$1'; $2"
}
no_command hor "it is an exact matcher: 'trawl-bench exact -a hor'"
no_command shift-or "it is an exact matcher: 'trawl-bench exact -a shift-or'"
no_command exat "'trawl-bench --help' names them"

# An interrupt.
"$TRAWL_BENCH" exact --engine cpu -a bf -n 30000000 -m 8 --repeats 100000 -o out/interrupted.tsv > stdout 2> stderr &
interrupted=$!
sleep 1
kill -TERM $interrupted
wait $interrupted
equal "interrupted, status" "$?" 143
equal "interrupted, no file" "$(ls out | grep -c interrupted)" 0

# On a GPU: the same matches, wherever the table and the text lie.
if has_cuda; then
  cuda() {
    bench exact --engine cuda --repeats 1 "$@"
  }
  exact -a so -n 300000 -m 1,8,70 --made english
  right=$(awk -F '\t' 'NR > 1 {print $2, $5}' stdout)
  for output in list count bytes bits; do
    cuda -a all -n 300000 -m 1,8,70 --made english --output $output
    equal "cuda, --output $output, status" "$status" 0
    equal "cuda, --output $output, matches" "$(awk -F '\t' 'NR > 1 {print $2, $5}' stdout | sort -un)" "$(sort -n <<< "$right")"
    cuda -a hor,so -n 300000 -m 1,8,70 --made english --output $output --streams 1,3 --pinned
    equal "cuda, copies, --output $output, status" "$status" 0
    equal "cuda, copies, --output $output" "$(cells streams | tr ' ' '\n' | sort | uniq -c | xargs) $(cells pinned | tr ' ' '\n' | sort -u)" "6 1 6 3 yes"
  done
  cuda -a hor,so -n 300000 -m 8 --memory constant,shared,global --stride 64
  equal "cuda, --memory" "$(cells memory) $(cells stretch | tr ' ' '\n' | sort -u)" "constant constant shared shared global global 64"
  cuda --recommend -m 8 -n 300000
  equal "cuda, --recommend" "$(grep -c fastest stdout)" 1
fi

# The help says what each column is, and its examples begin with the program's name.
"$TRAWL_BENCH" exact --help > help
for column in $(head -n 1 out/table.tsv); do
  ok "the help explains $column" grep -qE "(^|[ ,])$column([ ,:]|$)" help
done

# The paper's experiments with small texts, and the tables made from their results.
if has_tomllib; then
  python3 "$paper" cusmart --program "$TRAWL_BENCH" --engine cpu --quick --results results --only run > paper.log 2>&1
  equal "paper.py, status" "$?" 0
  contains "paper.py, what is for a GPU" paper.log "left out: cusmart_memory, which is for cuda"
  python3 "$paper" cusmart --results results --only tables > tables.md 2> left_out
  equal "paper.py tables, status" "$?" 0
  equal "paper.py, rankings of five and five" "$(awk '/^RQ2, RQ3.*DNA/ {on = 1} /^The five/ {on = 0} on && /^\| (last|[1-9])/' tables.md | wc -l)" 10
  equal "paper.py, a peer is not ranked" "$(grep -E '^\| (last|[1-5]) ' tables.md | grep -c memmem)" 0
  contains "paper.py, what was not run" left_out "not run: cusmart_memory"
  equal "paper.py, titles of quick tables" "$(grep -cE '^RQ.*\(quick: one run, small texts\)' tables.md)" "$(grep -cE '^RQ' tables.md)"
  ok "paper.py, there are titles" grep -q '^RQ' tables.md
  rm results/*.quick
  python3 "$paper" cusmart --results results --only tables > tables.md 2> left_out
  equal "paper.py, titles of the others" "$(grep -c 'quick' tables.md)" 0
  python3 "$paper" cusmart --program ./no_program --only run > paper.log 2>&1
  equal "paper.py, nothing was built" "$? $(grep -c "there is no $work/no_program: build it with" paper.log)" "1 1"
  printf '#!/bin/sh\necho "$0 says no" >&2; exit 3\n' > fails
  chmod +x fails
  python3 "$paper" cusmart --program fails --engine cpu --only run > paper.log 2>&1
  equal "paper.py, the program fails" "$? $(grep -c Traceback paper.log)" "1 0"
  contains "paper.py, its message" paper.log "fails says no"
  contains "paper.py, the run" paper.log "this run failed with status 3: "
  if ! python3 -c 'import matplotlib' 2> /dev/null; then
    python3 "$paper" cusmart --results results --only draw > paper.log 2>&1
    equal "paper.py draw without matplotlib" "$? $(grep -c Traceback paper.log)" "1 0"
    contains "paper.py draw without matplotlib" paper.log "--only tables does not need it"
  fi
  python3 "$paper" cusmart --program "$TRAWL_BENCH" --engine cpu --quick --english text --genome few.fa --results own --only run > paper.log 2>&1
  equal "paper.py, texts that are too short for the patterns" "$?" 1
  contains "paper.py, texts of files" paper.log "trawl-bench exact --text text -a all"
  # A program in place of trawl-bench prints what it gets: on a machine with a GPU, and with a file name that has a space.
  printf '%s\n' '#!/usr/bin/env bash' 'printf "<%s>" "$@"' > gpu_machine
  chmod +x gpu_machine
  python3 "$paper" cusmart --program ./gpu_machine --english "a book" --results none --only run > paper.log 2>&1
  equal "paper.py, a GPU, status" "$?" 0
  contains "paper.py, a GPU is used if there is one" paper.log "<--memory><constant,shared,global><--engine><cuda>"
  contains "paper.py, a file name with a space" paper.log "<exact><--text><a book><-a><all>"
fi

finish
