#!/usr/bin/env bash
# The command line: help, version, and every option with wrong values (status 2, nothing written).
. "$(dirname "$0")/lib.sh"
make_input 30000 20

"$TRAWL" --version > stdout 2> stderr
equal "--version status" $? 0
ok "--version" grep -Eqx 'trawl [0-9]+\.[0-9]+\.[0-9]+' stdout
equal "--version on stderr" "$(cat stderr)" ""

"$TRAWL" > stdout 2> stderr
equal "no command, status" $? 2
equal "no command, on stdout" "$(cat stdout)" ""
for text in "Usage: trawl COMMAND" "Commands:" "  map " "  scan " "--version"; do
  contains "no command" stderr "$text"
done

"$TRAWL" --help > stdout 2> stderr
equal "--help status" $? 0
contains "--help" stdout "map"
contains "--help" stdout "info"
equal "--help on stderr" "$(cat stderr)" ""

"$TRAWL" map --help > stdout 2> stderr
equal "map --help status" $? 0
for option in '-e, --max-edits' --metric --ambiguous --secondary-seq --one-end --for --search '-o, --output' --report --strata \
  '-k, --max-hits' --eqx '-R, --read-group' --unmapped '-t, --threads' --engine --devices --device-memory --batch-size --stats \
  --progress Examples:; do
  contains "map --help" stdout "$option"
done

"$TRAWL" scan --help > stdout 2> stderr
equal "scan --help status" $? 0
for option in '-e, --max-edits' '-k means' --metric --strand --ambiguous --pam --pam-mismatches --max-mismatches --max-bulges \
  --seed-length --summary --annotate --order '-o, --output' --report '-t, --threads' --engine --devices --device-memory \
  --chunk-size --stats --progress Examples:; do
  contains "scan --help" stdout "$option"
done
equal "scan --help does not speak of BAM" "$(grep -c "\.bam" stdout)" 0

"$TRAWL" info > stdout 2> stderr
equal "info status" $? 0
for word in trawl engines cpu usable htslib oneTBB Highway; do
  contains "info" stdout "$word"
done

"$TRAWL" fish > stdout 2> stderr
equal "an unknown command, status" $? 2
contains "an unknown command" stderr "there is no command 'fish'"
"$TRAWL" map --fish all ref.fa reads.fq > stdout 2> stderr
equal "a mistyped option, status" $? 2
contains "a mistyped option" stderr "there is no option --fish"
equal "an option that is like none" "$(grep -c 'did you mean' stderr)" 0
# mistyped TEXT WORD...: what the message says of a mistyped word.
mistyped() {
  local text=$1
  shift
  "$TRAWL" "$@" > stdout 2> stderr
  equal "$*, status" $? 2
  contains "$*" stderr "$text"
}
mistyped "there is no command 'mpa'; did you mean map?" mpa ref.fa reads.fq
mistyped "there is no option --max-edit; did you mean --max-edits?" map --max-edit 3 ref.fa reads.fq
mistyped "there is no option --max-edit=3; did you mean --max-edits?" map --max-edit=3 ref.fa reads.fq
mistyped "there is no option --ouptut; did you mean --output?" map --ouptut x.bam ref.fa reads.fq
mistyped "there is no option --anotate; did you mean --annotate?" scan --anotate x.gff -p ACGT ref.fa
mistyped "there is no option --threds; did you mean --threads?" index --threds 2 ref.fa
mistyped "there is no option --verzion; did you mean --version?" --verzion
"$TRAWL" map -o "" ref.fa reads.fq > stdout 2> stderr
equal "an empty output, status" $? 2
contains "an empty output" stderr "the output has no name"
# The end of a name tells the format, in large or small letters.
run ref.fa reads.fq --sort -o out/LARGE.BAM --report-html out/r.html --igv-session out/s.xml
expect_success
ok "LARGE.BAM is BAM" samtools quickcheck out/LARGE.BAM
run_scan -p ACGTACG ref.fa -o out/LARGE.TSV
expect_success
contains "LARGE.TSV is a table" out/LARGE.TSV "mismatches"
"$TRAWL" mappability ref.fa -l 30 -e 0 -o out/LARGE.BedGraph 2> stderr
equal "LARGE.BedGraph" $? 0
for option in --read-group --devices --device-memory --stats; do
  "$TRAWL" map $option "" ref.fa reads.fq > stdout 2> stderr
  equal "$option without a value" $? 2
  contains "$option without a value" stderr "$option: is empty"
done
"$TRAWL" --fish > stdout 2> stderr
equal "an unknown option, status" $? 2

# usage MESSAGE OPTION...: wrong usage.
usage() {
  local text=$1
  shift
  run "$@" ref.fa reads.fq -o out/x.bam
  checks=$((checks + 1))
  [[ $status == 2 ]] || wrong "$*: status $status, expected 2: $(head -c 300 stderr)"
  [[ ! -e out/x.bam ]] || wrong "$*: out/x.bam was left"
  rm -f out/x.bam
  equal "$*: nothing on stdout" "$(wc -c < stdout)" 0
  contains "$*" stderr "$text"
  contains "$*" stderr "trawl map: "
}

usage "fish" --fish
usage "-z" -z
for value in "" % x 5x +5 -1 0x5 5.5 256 4294967301 99999999999999999999 51% -1% 5%% inf% nan% "5 "; do
  usage "-e $value: " -e "$value"
done
usage "ambiguous" --ambiguous maybe
usage "metric" --metric edits
usage "--clip needs alignments with gaps" --metric hamming --clip 10%
usage "--one-end is for pairs" --one-end never
usage "--for" --for bwa
usage "--for rsem: it needs the records of a read together" --for rsem --sort

# --for sets what the user has not given; options of pairs only if there are pairs.
"$TRAWL_SIMULATE" pairs ref.fa 50 75 5 m1.fq m2.fq --qualities 2> /dev/null
paste -d '\n' <(paste - - - - < m1.fq) <(paste - - - - < m2.fq) | tr '\t' '\n' > both.fq
# sets EXPECTED WORD...: the options in @PG.
sets() {
  local expected=$1
  shift
  run "$@"
  expect_success
  equal "$*" "$(grep '^@PG' stdout | grep -o 'CL:.*')" "CL:trawl map $expected ref.fa"
}
sets "--max-edits 5% --metric hamming --report all --secondary-seq" --for rsem ref.fa reads.fq
pairs_of_rsem="--insert 1-1000 --discordant never --one-end never"
sets "--max-edits 5% --metric hamming --report all --secondary-seq $pairs_of_rsem" --for rsem ref.fa m1.fq m2.fq
sets "--max-edits 5% --metric hamming --report all --secondary-seq $pairs_of_rsem" --for rsem --interleaved ref.fa both.fq
sets "--max-edits 3 --report strata --strata 2 --secondary-seq --insert 50-700 --discordant never" \
  --for salmon ref.fa m1.fq m2.fq --insert 50-700 -e 3 --report strata --strata 2
sets "--max-edits 2 --metric hamming --report all --unmapped drop" --for fastcn ref.fa reads.fq
sets "--max-edits 5% --report all --unmapped drop" ref.fa reads.fq --for mrcanavar
sets "--max-edits 5% --clip 10% --report all" ref.fa reads.fq --for telescope
sets "--max-edits 5% --report strata --strata 0" ref.fa reads.fq --for featurecounts
"$TRAWL" map --help > stdout
contains "--help tells what --for sets" stdout "rsem           --report all  --metric hamming  --secondary-seq"
usage "search" --search bwt
usage "report" --report some
for value in x -1 1e3 1.5 99999999999999999999 "" "3 x"; do
  usage "--strata" --report strata --strata "$value"
  usage "--max-hits" -k "$value"
  usage "--max-hits" --max-hits "$value"
  usage "--batch-size" --batch-size "$value"
  usage "--threads" -t "$value"
  usage "--threads" --threads "$value"
done
usage "--strata needs --report strata" --strata 1
usage "--strata needs --report strata" --strata 1 --report all
usage "--max-hits: --report best writes one record for each read anyway" -k 3
usage "or -e if you mean edits" --report best --max-hits 1
for option in "--devices 0" "--devices all" "--device-memory 1G"; do
  usage "--devices and --device-memory are for CUDA devices, which --engine cpu does not use" --engine cpu $option
done
usage "--threads" -t 4294967295
usage "--threads" -t 100000
for value in x 0,,1 ,0 0, 0,0 1.5 -1 0-1; do
  usage "--devices" --devices "$value"
done
for value in x 0 -1 8T 1.5G G "8 G" 8GG 99999999999999999999 99999999999G; do
  usage "--device-memory" --device-memory "$value"
done
# The same for the options of scan.
for option in "--devices x" "--devices 0,,1" "--devices 0,0" "--device-memory 0" "--device-memory 8T"; do
  run_scan -p ACGT ref.fa $option -o out/x.bed
  expect_failure 2 "trawl scan: $option: give " out/x.bed
done
for option in "--devices 0" "--devices all" "--device-memory 1G"; do
  run_scan --engine cpu $option -p ACGT ref.fa -o out/x.bed
  expect_failure 2 "--devices and --device-memory are for CUDA devices, which --engine cpu does not use" out/x.bed
done
if "$TRAWL" info | grep -q '^ *cuda  not usable'; then
  reason="no NVIDIA driver here"
  "$TRAWL" info | grep -qF "$reason" || reason="no CUDA device can be used"
  if "$TRAWL" info | grep -q 'CUDA code'; then
    reason="this build has no CUDA code"
    contains "info" <("$TRAWL" info) "cuda  not usable: $reason; "
  fi
  # Reported before the reference is read.
  run --engine cuda nowhere.fa reads.fq -o out/x.sam
  expect_failure 1 "trawl map: --engine cuda cannot be used here: $reason" out/x.sam
  run_scan --engine cuda -p ACGT nowhere.fa -o out/x.bed
  expect_failure 1 "trawl scan: --engine cuda cannot be used here: $reason" out/x.bed
  for option in "--devices 0" "--devices all" "--device-memory 1G"; do
    run ref.fa reads.fq $option -o out/x.sam
    expect_success
    contains "$option: the engine taken, and why" stderr "trawl map: engine cpu ("
    contains "$option: the engine taken, and why" stderr "): $reason"
    run_scan -p ACGT ref.fa $option -o out/x.bed
    expect_success
    contains "scan, $option: the engine taken, and why" stderr "trawl scan: engine cpu ("
    contains "scan, $option: the engine taken, and why" stderr "): $reason"
  done
  rm -f out/x.sam out/x.bed
fi
# Who has no GPU reads nothing of one.
if [[ ! -e /dev/nvidiactl && ! -e /dev/dxg ]]; then
  run ref.fa reads.fq -o out/x.sam --verbose
  expect_success
  cp stderr messages
  run_scan -p ACGTACGT ref.fa -o out/x.bed --verbose
  cat stderr >> messages
  run_scan --pam NGG -p GATTACAGATTACAGATTAC -k 4 ref.fa -o out/x.bed
  cat stderr >> messages
  "$TRAWL" mappability -l 50 -e 1 ref.fa -o out/x.bedgraph 2>> messages
  contains "the engine is said" messages "trawl scan: engine cpu ("
  equal "no word about a GPU" "$(grep -iE 'gpu|cuda|nvidia|device' messages)" ""
  rm -f out/x.*
fi
if "$TRAWL" info | grep -q '^ *cuda  usable'; then
  for engine in auto cuda; do
    run --engine $engine --devices 0,999 nowhere.fa reads.fq -o out/x.sam
    expect_failure 2 "--devices 999: there is no such CUDA device; trawl info lists them" out/x.sam
    run_scan --engine $engine --devices 0,999 -p ACGT nowhere.fa -o out/x.bed
    expect_failure 2 "--devices 999: there is no such CUDA device; trawl info lists them" out/x.bed
  done
  # 1 MiB is not even enough for the index of this reference.
  run --engine cuda --device-memory 1M ref.fa reads.fq -o out/x.sam
  expect_failure 1 "--engine cuda cannot be used here: mapping to this reference takes at least" out/x.sam
  run --device-memory 1M ref.fa reads.fq -o out/x.sam
  expect_success
  contains "the engine taken, and why" stderr "trawl map: engine cpu ("
  contains "the engine taken, and why" stderr ": mapping to this reference takes at least"
  rm -f out/x.sam
  run_scan --engine cuda --device-memory 1M -p ACGT ref.fa -o out/x.bed
  expect_failure 1 "--engine cuda cannot be used here: searching these patterns takes at least 3 MiB" out/x.bed
  run_scan --device-memory 1M -p ACGT ref.fa -o out/x.bed
  expect_success
  contains "the engine taken, and why" stderr "trawl scan: engine cpu ("
  contains "the engine taken, and why" stderr ": searching these patterns takes at least 3 MiB"
  run_scan -p ACGT ref.fa -o out/x.bed
  expect_success
  contains "the engine taken, and why" stderr "): the search is too small to be faster on a GPU"
  run_scan --devices 0 -p ACGT ref.fa -o out/x.bed
  expect_success
  contains "a device that is named is taken" stderr "trawl scan: engine cuda ("
  rm -f out/x.bed
fi
usage "unmapped" --unmapped lose
usage "--engine abacus: this build has: " --engine abacus
usage "progress" --progress loud
usage "eqx" --eqx=maybe
run --eqx ref.fa reads.fq -o out/x.cram
expect_failure 2 "CRAM does not keep = and X" out/x.cram
usage "trawl map: -e,--max-edits: given more than once" -e 1 -e 2
run ref.fa reads.fq -o
expect_failure 2 "trawl map: -o,--output: a value is missing after it"

# Read groups.
group="; write it as '@RG\tID:name\tSM:sample'"
usage "the read group (-R) must begin with @RG and a tab$group" -R fish
usage "must begin with @RG and a tab" -R '@RG ID:x'
usage "has no ID" -R '@RG\tSM:x'
usage "has no ID" -R "$(printf '@RG\tSM:x')"
usage "which is not TAG:VALUE" -R '@RG\tID'
usage "which is not TAG:VALUE" -R '@RG\tID:x\t'
usage "which is not TAG:VALUE" -R '@RG\tID:'
usage "has the tag SM twice" -R '@RG\tID:x\tSM:a\tSM:b'
usage "not printable ASCII" -R "$(printf '@RG\tID:x\tSM:a\nb')"
usage "not printable ASCII" -R "$(printf '@RG\tID:x\tSM:\303\244')"

# Wrong usage and an unwritable output are reported before the reference is read.
run -R fish nowhere.fa reads.fq
expect_failure 2 "the read group (-R) must begin with @RG"
run --engine abacus nowhere.fa reads.fq
expect_failure 2 "--engine abacus: this build has: "
run nowhere.fa reads.fq -o nowhere/x.bam
expect_failure 1 "nowhere/x.bam: cannot create a file in its directory"
run nowhere.fa reads.fq -o out/x.bam --stats nowhere/x.json
expect_failure 1 "nowhere/x.json: cannot create a file in its directory" out/x.bam

# Outputs with an unknown extension or none.
for output in out/x out/x.txt out/x.sam.gz out/xbam out/x.bed.bz2; do
  run ref.fa reads.fq -o $output
  expect_failure 2 "the output $output has no known extension" $output
done

# Positionals.
"$TRAWL" map > stdout 2> stderr
equal "no positionals, status" $? 2
contains "no positionals" stderr "REF is required"
run ref.fa
expect_failure 2 "READS is required"
run ref.fa reads.fq more.fq lane2.fq
expect_failure 2 "lane2.fq; READS and MATES are one list each: to give several files, put commas between them: a.fq,b.fq"
run ref.fa reads.fq,,reads.fq
expect_failure 2 "an empty file name between commas"
run ref.fa reads.fq,
expect_failure 2 "an empty file name between commas"
run - - < reads.fq
expect_failure 2 "only one of the files can be the standard input (-)"
run ref.fa reads.fq,- < reads.fq
expect_failure 2 "only one of the files can be the standard input (-)"

# Smallest and largest values; long and short names.
for options in "-e 0" "-e 255" "-e 0%" "-e 50%" "-e 2.5%" "--max-edits=3" "-e3" "--strata 0" "-k 0" "--threads=1" \
  "--batch-size 0" "--report strata --strata 255" "--search scan" "--engine auto" "--engine cpu" "--eqx"; do
  run $options ref.fa reads.fq
  expect_success
done
# Options may come after the files.
run ref.fa reads.fq -e 2 --report all
cp stdout behind.sam
run -e 2 --report all ref.fa reads.fq
same "options before and behind" stdout behind.sam

finish
