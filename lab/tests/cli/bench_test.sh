#!/usr/bin/env bash
# trawl-bench, whose path is in TRAWL_BENCH: every experiment on the CPU, under mpirun and on a GPU, if there are; its
# tables, its texts, what it refuses, and the papers' tables. The program itself checks each result. It works in a
# temporary directory, which is deleted at the end.
set -u -o pipefail
export LC_ALL=C
paper=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../papers" && pwd)/paper.py
checks=0 failures=0 status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" && mkdir out || exit 1

wrong() {
  failures=$((failures + 1))
  echo "FAILED line ${BASH_LINENO[1]}: $*" >&2
}
# ok WHAT COMMAND...: checks that the command succeeds.
ok() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" > /dev/null 2> ok.err || wrong "$what ($(head -c 300 ok.err))"
}
# equal WHAT FOUND EXPECTED
equal() {
  checks=$((checks + 1))
  [[ $2 == "$3" ]] || wrong "$1: found '$2', expected '$3'"
}
# contains WHAT FILE TEXT
contains() {
  checks=$((checks + 1))
  grep -qF -- "$3" "$2" || wrong "$1: no '$3' in: $(head -c 400 "$2")"
}
# bench NAME OPTIONS...: sets $status; writes the files stdout and stderr.
bench() {
  "$TRAWL_BENCH" "$@" > stdout 2> stderr
  status=$?
}
# cells NAME: the values of a column of the table in stdout, in one line.
cells() { awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' stdout | xargs; }
# Whether --engine cuda can be used here; if not, says so. `stderr` says why.
has_cuda() {
  bench gbpr --engine cuda --repeats 1 -n 1000
  [[ $status == 0 ]] || { echo "skipped: the engine cuda, which cannot be used here"; return 1; }
}
has_no_cuda_code() { ! has_cuda > /dev/null && grep -q 'this build has no CUDA code' stderr; }

# runs OPTIONS...: a run on the CPU that must succeed; writes the files stdout and stderr.
runs() {
  bench "$@" --engine cpu --repeats 1
  equal "$*, status" "$status" 0
}
# table ROWS OPTIONS...: the same, with so many rows, which have all columns and times above 0.
table() {
  local rows=$1
  shift
  runs "$@"
  equal "$*, rows" "$(($(wc -l < stdout) - 1))" "$rows"
  equal "$*, columns" "$(awk -F '\t' 'NR == 1 {n = NF} NF != n' stdout)" ""
  for column in $(head -n 1 stdout | tr '\t' '\n' | grep -xE '(search_|min_)?ms|G.*/s'); do
    equal "$*, $column" "$(cells "$column" | tr ' ' '\n' | awk 'NF && !($1 > 0)')" ""
  done
}
# different NAME...: how many different combinations of the values of these columns there are.
different() {
  rm -f column.*
  for name in "$@"; do cells "$name" | tr ' ' '\n' > "column.$name"; done
  paste column.* | sort -u | wc -l
}

# --- the helps and lists ---

names=$("$TRAWL_BENCH" --help | awk '/^Experiments:/ {on = 1; next} /^[^ ]/ {on = 0} on && /^  [a-z]/ {print $1}')
equal "the help names all" "$(echo $names)" "exact multi gbpr cushiftor wspasm asm-hmm"
for name in $names; do
  "$TRAWL_BENCH" "$name" --help > help
  ok "$name --help has an example" grep -q "^  trawl-bench $name " help
  equal "$name --help, long lines" "$(awk 'length > 110' help)" ""
  table "$([[ $name == exact ]] && echo 68 || { [[ $name == multi ]] && echo 5 || echo 1; })" "$name" -n 3000 -m 16
  [[ $name =~ ^(exact|multi)$ ]] || continue
  for column in $(head -n 1 stdout); do
    ok "$name --help explains $column" grep -qE "(^|[ ,])$column([ ,:]|$)" help
  done
  "$TRAWL_BENCH" "$name" --list > "list.$name"
  equal "$name --list, five columns" "$(awk -F '\t' 'NF != 5 || $5 == ""' "list.$name")" ""
  equal "$name --list, a code is there once" "$(cut -f 1 "list.$name" | sort | uniq -d)" ""
done
equal "exact --list, the 64 and those that the help names" "$(cut -f 1 list.exact | grep -vcxE 'epsm|memmem|qgram|rare|words')" 64
equal "exact --list, Shift-Or" "$(awk -F '\t' '$1 == "so" {print $2, $3, ($4 ~ /m > 64/)}' list.exact)" "shift-or 1992 1"
equal "exact --list, what runs on a GPU only" "$(grep '(GPU only' list.exact | cut -f 1,2)" "$(printf 'words\tword-compare')"
equal "multi --list, names" "$(cut -f 1,3 list.multi | xargs)" \
  "aho-corasick 1975 aho-corasick-full 1975 aho-corasick-lanes 1975 wu-manber 1994 wu-manber-long 1994"

# --- all algorithms, each result checked, and all combinations of values ---

table 272 exact -n 20000 -m 1,2,7,70 --made english
equal "exact, every code of the CPU" "$(cells algorithm | tr ' ' '\n' | sort -u)" "$(cut -f 1 list.exact | grep -vx words | sort -u)"
equal "exact, the algorithms agree about each length" "$(different m matches)" 4
table 2 exact -a so,brute-force,shift-or -n 3000 -m 5 -o out/table.tsv
equal "codes and names, each once, in the order given" "$(cells algorithm)" "so bf"
ok "-o" cmp stdout out/table.tsv
table 4 exact -a bf -n 3000,5000,3000 -m 5,6,5
equal "texts and lengths" "$(cells n) $(cells m)" "3000 3000 5000 5000 5 6 5 6"
table 2 exact -a bf --sigma 2,256 -n 30000 -m 3
equal "--sigma" "$(cells text) $(cells letters)" "random random 2 256"
table 4 exact -a bf,so -n 30000 -m 2 --threads 1,2
equal "exact, threads" "$(different threads matches)" 2

table 30 multi -n 50000 --patterns 1,300 -m 1,8,5-40
equal "multi, the algorithms agree about each set" "$(different patterns m matches)" 6
equal "four letters make four different patterns" "$(awk -F '\t' '$2 == 300 && $4 == 1 {print $3, $7}' stdout | sort -u)" "4 50000"
table 30 multi -n 30000 --patterns 50 -m 3-6 --made protein --output count,stretches,patterns --threads 1,2
equal "multi, forms" "$(different output threads matches)" 6
table 16 multi -a wu-manber -n 3000,5000 --patterns 5,6 -m 4,7 --sigma 2,256
printf '>a\n%s\n' "$(printf 'NNNNNACGTACCAGT%.0s' {1..200})" > gaps.fa
table 1 multi --fasta gaps.fa --patterns 100 -m 8 -a wu-manber
equal "--fasta, pieces of plain bases" "$(cells different)" 3

table 16 cushiftor -n 3000,20000 -m 1,17,33,64 -k 0,2
table 18 cushiftor -n 5000 -m 16 -k 0,1,2 --alpha 4,16 --segments disjoint,overlapping,streamed
table 1 cushiftor -n 2000000 -m 32 -k 1
equal "cushiftor, a long text, has matches" "$(($(cells matches) > 100))" 1
table 16 gbpr -n 20000 -m 5,40 -k 0,3 --sigma 2,200 --alpha 1,8
equal "gbpr, alphas" "$(cells alpha | tr ' ' '\n' | sort | uniq -c | xargs)" "8 1 8 8"
table 4 gbpr -n 300000 -m 8,64 --sigma 2,256
table 3 wspasm -n 5000 -m 30 -k 3 --variant pasm,wspasm,wspasm-shared --sequential
table 3 wspasm -n 5000 -m 30 -k 3 --variant pasm,wspasm-shared --columns 1,16
equal "wspasm, columns" "$(cells columns)" "1 1 16"
table 16 asm-hmm -n 5000 -m 20,100 --parts 1,3 --rows 1,2,4,8
equal "asm-hmm, one result a pattern" "$(different m distance begin end)" 2

# --- texts of files: the pattern is the whole text, or all matches are known ---

# finds WHAT EXPECTED COLUMN,.. OPTIONS...: the values of these columns.
finds() {
  local what=$1 expected=$2 columns=$3 found=""
  shift 3
  runs "$@"
  for column in ${columns//,/ }; do found+="$(cells "$column") "; done
  equal "$what" "${found% }" "$expected"
}
printf 'bananabanana' > text
gzip -c text > text.gz
printf '>a\nACGTACGT\n>b\nacgt\n' > few.fa
finds "--text" "2 2 12 12 3 3" matches,n,letters exact -a bf,so --text text -m 6
finds "--text -n" "1 7" matches,n exact -a so --text text -m 6 -n 7
finds "--text, gzip" "2 12" matches,n exact -a so --text text.gz -m 6
finds "--fasta, no match crosses a border" "3 13" matches,n exact -a so --fasta few.fa -m 4 --seed 4
finds "--fasta -n" "1 11" matches,n exact -a so --fasta few.fa -m 8 -n 11
finds "edits" "12 text" n,text gbpr --text text -m 6 -k 1
finds "the name of a made text" english text wspasm --made english -n 5000 -m 12 -k 2

# --- what is refused: STATUS | OPTIONS | a part of the message; nothing on stdout, and nothing has run ---

: > empty
while IFS='|' read -r expected options message; do
  eval "bench $options --engine cpu"
  equal "$options: status" "$status" "$expected"
  contains "$options" stderr "trawl-bench ${options%% *}: "
  contains "$options" stderr "$message"
  equal "$options: stdout" "$(wc -c < stdout)" 0
done << CASES
2|exact -n 1000 -a sho|there is no 'sho'; --list shows all
2|exact -n 1000 -a bf,brute-farce|there is no 'brute-farce'; --list shows all
2|exact -n 1000 -a gbpr|there is no 'gbpr'
2|exact -n 1000 -a words|it runs on the GPU only
2|exact --list -o list.tsv|exclude each other: the list goes to standard output; use '> FILE'
2|exact --threads 1,1025|--threads: '1025' is not a whole number from 0 to 1024
2|exact --repeats 0|--repeats: '0' is not a whole number from 1 to 1000000
2|exact -m 5,4097|-m 4097: a length is a number from 1 to 4096
2|exact -m 8-32|-m 8-32: a length is a number from 1 to 4096
2|exact --text text -m 2,20|-m 20: the pattern is longer than the text, text of 12 characters
2|exact --text text -n 16 -m 2|-n 16: text has only 12 characters
2|exact -n 1000 -m 4,4096|-n 1000: the text is shorter than a pattern of 4096 characters
2|exact --text text --fasta few.fa|exclude each other: there is one text
2|exact --text text --made dna|exclude each other: there is one text
2|exact --text text --sigma 4|the number of letters is for random text
2|exact --made protein --sigma 4|--sigma is for --made random
2|exact --sigma 4,257|'257' is not a whole number from 1 to 256
2|exact --memory shared|--memory is for --engine cuda; the engine is cpu here
2|exact --streams 2|--streams is for --engine cuda
2|exact --pinned|--pinned is for --engine cuda
2|multi --output lists|--output: 'lists' is none of count, stretches, patterns
2|exact --output list|there is no option --output
2|exact -n 1e6|'1e6' is not a whole number
2|exact --alpha 2|there is no option --alpha
2|exact --text text -o text -m 2|-o text is the input text
1|exact -n 999999999999999|-n 999999999999999: the text does not fit into the memory of this machine
1|exact --fasta text|--fasta takes a text in FASTA, --text any file
1|exact --text no_file|no_file: cannot open
1|exact -n 1000 -o nowhere/x.tsv|nowhere/x.tsv
1|exact --text empty|the file is empty
2|multi -n 1000 -a wu|there is no 'wu'; --list shows all
2|multi -m 8,0|-m 0: a length is a number from 1 to 4096, or two of them, such as 8-32
2|multi -m 9-8|-m 9-8: a length is
2|multi -m 5-4097|-m 5-4097: a length is
2|multi -m 3-|-m 3-: a length is
2|multi -m 4x|-m 4x: a length is
2|multi --text text -m 5-20|-m 5-20: the pattern is longer than the text, text of 12 characters
2|multi --patterns 5,0|--patterns: '0' is not a whole number from 1 to 100000000
2|multi -n 1000 --ranks 2|--ranks is for several ranks; start them with mpirun
2|multi -n 1000 --stage r16|--stage is for --engine cuda
2|cushiftor -n 1000 -m 24,65|1 to 64
2|cushiftor -n 1000 -m 24 --alpha 4,1 --segments overlapping|
2|cushiftor -n 1000 --output bytes,bits|--output: on the CPU the result is bytes
2|gbpr -n 1000 --parts 4|there is no option --parts
2|gbpr -n 1000 --alpha 1,3|takes 1, 4, 8
2|exact --patterns 4|there is no option --patterns
2|wspasm -n 1000 -m 766 -k 3|
2|wspasm -n 100000 -m 700 --sigma 256|
2|wspasm -n 1000 --columns 16,2|
2|asm-hmm -n 1000 --rows 1,3|
2|asm-hmm -n 5000 -m 20,2049|
CASES
bench exact --engine cuda --threads 2
contains "--threads on a GPU" stderr "--threads is for --engine cpu"
bench exat -n 1000
contains "no such command" stderr "trawl-bench: there is no experiment 'exat'; 'trawl-bench --help' names them"
bench cushiftor --engine cpu --repeats 1 -n 5000 -m 40 -k 5 --alpha 8
contains "cushiftor --alpha 8 -k 5" stderr "is not built: take alpha = 16"
if has_no_cuda_code; then
  bench gbpr --engine cuda -n 1000
  contains "--engine cuda" stderr "trawl-bench gbpr: --engine cuda cannot be used here: this build has no CUDA code; use --engine cpu"
  bench gbpr --repeats 1 -n 1000
  contains "--engine auto" stderr "trawl-bench: on the CPU"
fi

# --- the machine: too little memory, runs that are disturbed, an interrupt ---

# Texts that do not fit: the message says what helps. (A program with sanitizers needs more than any limit here.)
limited() {
  (ulimit -v 300000 && exec "$TRAWL_BENCH" "$@" --engine cpu --repeats 1 > stdout 2> stderr)
  status=$?
}
limited gbpr -n 1000
if [[ $status == 0 ]]; then
  for name in gbpr multi; do
    limited "$name" -n 400000000
    contains "$name, too long a text" stderr "trawl-bench $name: not enough memory for the text, the tables and the result: give a smaller -n"
  done
fi
# Runs that differ much are reported: this one is stopped for a while.
"$TRAWL_BENCH" exact --engine cpu -a bf -n 3000000 -m 8 --repeats 800 > stdout 2> stderr &
stopped=$!
sleep 0.8
kill -STOP $stopped
sleep 0.5
kill -CONT $stopped
wait $stopped
equal "stopped for a while, status" "$?" 0
contains "stopped for a while" stderr "disturbed: the runs of bf, m = 8"
"$TRAWL_BENCH" exact --engine cpu -a bf -n 30000000 -m 8 --repeats 100000 -o out/interrupted.tsv > stdout 2> stderr &
interrupted=$!
sleep 1
kill -TERM $interrupted
wait $interrupted
equal "interrupted, status" "$?" 143
equal "interrupted, no file" "$(ls out | grep -c interrupted)" 0

# --- on a GPU: the same matches, wherever the table and the text lie ---

if has_cuda; then
  cuda() {
    bench "$@" --engine cuda --repeats 1
    equal "cuda, $*, status" "$status" 0
  }
  runs exact -a so -n 300000 -m 1,8,70 --made english
  right=$(cells matches)
  cuda exact -a all -n 300000 -m 1,8,70 --made english
  equal "cuda, matches" "$(different m matches)" 3
  cuda exact -a hor -n 300000 -m 1,8,70 --made english
  equal "cuda, matches as on the CPU" "$(cells matches)" "$right"
  cuda exact -a hor,so -n 300000 -m 1,8,70 --made english --streams 1,3 --pinned
  equal "cuda, copies" "$(cells streams | tr ' ' '\n' | sort | uniq -c | xargs) $(different pinned)" "6 1 6 3 1"
  cuda exact -a hor,so -n 300000 -m 8 --memory constant,shared,global
  equal "cuda, --memory" "$(cells memory)" "constant constant shared shared global global"
  for output in count stretches patterns; do
    cuda multi -n 30000 --patterns 50,500 -m 3-6 --output $output --stage all
    equal "cuda, --output $output" "$(cells stage | tr ' ' '\n' | sort | uniq -c | xargs)" "8 cr 8 cw 8 r16 8 st 8 tc 8 u"
  done
  cuda multi --fasta few.fa --patterns 3 -m 4 --stage r16,st,r16
  equal "--stage, each once" "$(cells stage)" "r16 st r16 st r16 st r16 st"
  for name in gbpr cushiftor wspasm asm-hmm; do
    cuda "$name" -n 30000 -m 16
    [[ $name == asm-hmm ]] || cuda "$name" -n 30000 -m 16 -k 0,2 --output bytes,bits,list
  done
fi

# --- several ranks ---

# The launcher must be that of the library which trawl-bench was built with.
case $(ldd "$TRAWL_BENCH" | grep -o 'libmpi.*=>') in
  *mpich*) launchers="${TRAWL_MPIRUN:-} mpirun.mpich mpiexec.mpich mpirun" ;;
  *libmpi*) launchers="${TRAWL_MPIRUN:-} mpirun.openmpi mpirun" ;;
  *) launchers="" ;;
esac
mpirun=$(for launcher in $launchers; do command -v "$launcher" && break; done)
# More ranks than cores, as root, and the launcher's own files where the test's files are.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_orte_tmpdir_base=$work
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
mpi() {
  local ranks=$1
  shift
  timeout -k 5 60 "$mpirun" -n "$ranks" "$TRAWL_BENCH" "$@" > stdout 2> stderr
  status=$?
}
if ! timeout -k 5 60 "$mpirun" -n 2 true > trial 2>&1; then
  echo "skipped: ranks; there is no MPI, or its launcher (Debian: openmpi-bin) does not work here"
else
  mpi 4 multi --repeats 1 -a aho-corasick-full,wu-manber -n 30011 --patterns 20,300 -m 3,5-40 --ranks 1,2,3,4 -o table.tsv
  equal "status" "$status" 0
  ok "-o" cmp stdout table.tsv
  equal "columns" "$(head -n 1 stdout | tr '\t' ' ')" \
    "algorithm patterns different m engine stage matches ranks threads prepare_ms load_ms search_ms reduce_ms total_ms speedup cpu_ms most_cpu_ms n text letters output"
  equal "rows" "$(wc -l < stdout)" 33
  equal "all agree about each set" "$(awk -F '\t' 'NR > 1 {print $2, $4, $7}' stdout | sort -u | wc -l)" 4
  equal "the speedup of one rank" "$(awk -F '\t' '$8 == 1 {print $15}' stdout | sort -u)" 1
  ok "times" awk -F '\t' 'NR > 1 && !($11 > 0 && $12 > 0 && $13 > 0 && $14 > 0) { exit 1 }' stdout
  ok "seconds of cores: one rank has all" awk -F '\t' 'NR > 1 && !($16 > 0 && ($8 == 1 ? $16 == $17 : $16 > $17)) { exit 1 }' stdout
  mpi 3 multi --repeats 1 --made dna -n 5000 --patterns 9 -m 4 --output patterns
  equal "status" "$status" 0
  equal "all ranks" "$(awk -F '\t' 'NR > 1 {print $8}' stdout | sort -u)" 3
  for word in --version --help "multi --help"; do
    mpi 3 $word
    equal "$word is printed once" "$(grep -cE '^(trawl-bench [0-9]|Usage:)' stdout)" 1
  done

  refused() {
    local message=$1
    shift
    mpi 2 multi "$@"
    equal "$*: status" "$status" 2
    equal "$*: said once" "$(grep -cF -- "$message" stderr)" 1
  }
  refused "--ranks 3: mpirun has started 2" -n 1000 --ranks 1,3
  refused "under mpirun --output is count or patterns" -n 1000 --output stretches
fi

# --- the papers' experiments with small texts, and the tables made from their results ---

if python3 -c 'import tomllib' 2> python_missing; then
  paper() { python3 "$paper" "$@" > paper.log 2>&1; }
  paper cushiftor wspasm asm_hmm cusmart kouzinopoulos --program "$TRAWL_BENCH" --mpirun no_mpirun --engine cpu --quick --results results --only run
  equal "paper.py, status" "$?" 0
  contains "paper.py, what is for a GPU" paper.log "left out: cusmart_memory, which is for cuda"
  contains "paper.py, what is for several ranks" paper.log "left out: kouzinopoulos_ranks, which needs no_mpirun"
  python3 "$paper" cushiftor wspasm asm_hmm cusmart kouzinopoulos --results results --only tables > tables.md 2> left_out
  equal "paper.py tables, status" "$?" 0
  for words in "cuShiftOr over GBPR" "Over PASM" "The best D" "| wu-manber | 16000 |"; do
    contains "paper.py tables" tables.md "$words"
  done
  equal "paper.py, rankings of five and five" "$(awk '/^RQ2, RQ3.*DNA/ {on = 1} /^The five/ {on = 0} on && /^\| (last|[1-9])/' tables.md | wc -l)" 10
  equal "paper.py, a peer is not ranked" "$(grep -E '^\| (last|[1-5]) ' tables.md | grep -c memmem)" 0
  contains "paper.py, what was not run" left_out "not run: cusmart_memory"
  equal "paper.py, titles of quick tables" "$(grep -cE '^RQ.*\(quick: one run, small texts\)' tables.md)" "$(grep -cE '^RQ' tables.md)"
  if [[ -f table.tsv ]]; then
    cp table.tsv results/kouzinopoulos_ranks.tsv
    paper kouzinopoulos --results results --only tables
    contains "paper.py: the tables of ranks" paper.log "| wu-manber | 300 | 4 | 1 |"
  fi
  rm results/*.quick
  paper cusmart --results results --only tables
  equal "paper.py, titles of the others" "$(grep -c RQ paper.log | xargs test 0 -lt && grep -c quick paper.log)" 0
  paper cusmart --program ./no_program --only run
  equal "paper.py, nothing was built" "$? $(grep -c "there is no $work/no_program: build it with" paper.log)" "1 1"
  printf '#!/bin/sh\necho "$0 says no" >&2; exit 3\n' > fails
  # In place of trawl-bench, one that prints what it gets: on a machine with a GPU.
  printf '%s\n' '#!/usr/bin/env bash' 'printf "<%s>" "$@"' > gpu_machine
  chmod +x fails gpu_machine
  paper cusmart --program fails --engine cpu --only run
  equal "paper.py, the program fails" "$? $(grep -c Traceback paper.log)" "1 0"
  contains "paper.py, its message" paper.log "fails says no"
  contains "paper.py, the run" paper.log "this run failed with status 3: "
  paper cusmart --program ./gpu_machine --english "a book" --results none --only run
  equal "paper.py, a GPU, status" "$?" 0
  contains "paper.py, a GPU is used if there is one" paper.log "<--memory><constant,shared,global><--engine><cuda>"
  contains "paper.py, a file name with a space" paper.log "<exact><--text><a book><-a><all>"
  if ! python3 -c 'import matplotlib' 2> /dev/null; then
    paper cusmart --results results --only draw
    equal "paper.py draw without matplotlib" "$? $(grep -c -- '--only tables does not need it' paper.log)" "1 1"
  fi
fi

echo "$failures of $checks checks failed"
exit $((failures > 0))
