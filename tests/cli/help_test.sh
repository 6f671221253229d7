#!/usr/bin/env bash
# Help, man pages and completions, all from one source; how to cite; --quiet and --verbose.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"

# help WORD...: leaves stdout, stderr and $status.
show() {
  "$TRAWL" "$@" > stdout 2> stderr
  status=$?
  expect_success
  equal "$*: nothing on stderr" "$(cat stderr)" ""
}

show --help
cp stdout program
commands=$(awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }' program)
for command in map scan primers mappability index bench info help; do
  ok "--help names $command" grep -qw "$command" <<< "$commands"
done
for words in -h help; do
  show $words
  same "trawl $words" program stdout
done

# Lines of at most 100 columns, for all commands, those of the laboratory too if it is there.
programs=("$TRAWL")
if [[ -x $(dirname "$TRAWL")/trawl-bench ]]; then
  programs+=("$(dirname "$TRAWL")/trawl-bench")
fi
for program in "${programs[@]}"; do
  for command in $("$program" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }'); do
    [[ $program == "$TRAWL" && $command == bench && ${#programs[@]} == 1 ]] && continue
    "$program" "$command" --help > long 2> stderr || wrong "$command --help: $(cat stderr)"
    equal "$program $command --help: lines over 100 columns" "$(awk 'length > 100' long)" ""
    "$program" help "$command" > stdout
    same "help $command" long stdout
    ok "$command --help shows its options once" test -z "$(grep -oE '^ {2,6}(-., )?--[a-z-]+' long | grep -oE -- '--.*' | sort | uniq -d)"
  done
done

# -h has the ten most used options, which come first in --help.
for command in map scan; do
  show $command -h
  cp stdout short
  show $command --help
  grep -oE '^ {2,6}(-., )?--[a-z-]+' short | tr -d ' ' > first
  grep -oE '^ {2,6}(-., )?--[a-z-]+' stdout | tr -d ' ' > all
  equal "$command -h: ten options" "$(wc -l < first)" 10
  head -n 10 all > top
  same "$command --help: the same ten first" first top
  contains "$command -h" short "--help shows $(($(wc -l < all) - 11)) more options."
  contains "$command -h" short "Examples:"
done
"$TRAWL" help fish > stdout 2> stderr
equal "help about an unknown command: status" $? 2
contains "help about an unknown command" stderr "trawl help: COMMAND: fish not in {map,scan"

# Versions and how to cite.
show --version
cp stdout version
show -v
same "-v" version stdout
show --cite
cited=$(sed -n 's/^title: "\(.*\)"$/\1/p' "$root/CITATION.cff")
contains "--cite: the title of CITATION.cff" stdout "title   = {{${cited:?}}}"
contains "--cite: its version" stdout "version = {$(sed -n 's/^version: //p' "$root/CITATION.cff")}"
contains "--cite: its year" stdout "year    = {$(sed -n 's/^date-released: "\(....\).*/\1/p' "$root/CITATION.cff")}"

# Man pages.
show help --write-all made
equal "man pages" "$(ls made/man | tr '\n' ' ')" \
  "trawl-help.1 trawl-index.1 trawl-info.1 trawl-map.1 trawl-mappability.1 trawl-primers.1 trawl-scan.1 trawl.1 "
for page in made/man/*; do
  name=$(basename "$page" .1)
  command=${name#trawl}
  show help --man ${command#-}
  same "$page" "$page" stdout
  if command -v groff > /dev/null; then
    equal "groff on $page" "$(groff -man -ww -Tutf8 -z "$page" 2>&1)" ""
  fi
  if command -v mandoc > /dev/null; then
    equal "mandoc on $page" "$(mandoc -Tlint "$page" 2>&1)" ""
    mandoc -Tascii "$page" | col -b > plain
    for option in $("$TRAWL" ${command#-} --help | grep -oE '^ {2,6}(-., )?--[a-z-]+' | grep -oE -- '--.*'); do
      contains "$page" plain "$option"
    done
  fi
done
command -v mandoc > /dev/null || echo "skipped: mandoc on the man pages, which is missing"

# Completions, in the shells that are there.
touch reads_of_lane1.fq
typed_lines=("trawl mapp" "trawl map --unm" "trawl map --report st" "trawl map --report=st" "trawl map ref.fa reads_of"
  "trawl map -e reads_of" "trawl help --completion f" "trawl help ind")
for shell in bash zsh; do
  [[ $shell == bash ]] && script=made/bash/trawl || script=made/zsh/_trawl
  if ! command -v $shell > /dev/null; then
    echo "skipped: completion in $shell, which is missing"
    continue
  fi
  cat > expected << LINES
trawl mappability
trawl map --unmapped$([[ $shell == zsh ]] && echo =)
trawl map --report strata
trawl map --report=strata
trawl map ref.fa reads_of_lane1.fq
trawl map -e reads_of
trawl help --completion fish
trawl help index
LINES
  timeout 60 python3 "$root/tests/cli/complete.py" $shell "$work/$script" "${typed_lines[@]}" > found
  equal "completion in $shell" "$(diff expected found)" ""
done
if command -v fish > /dev/null; then
  while IFS=: read -r typed expected; do
    equal "fish completes '$typed'" "$(HOME=$work fish --no-config -c "source made/fish/trawl.fish; complete -C '$typed'" |
      cut -f 1 | paste -sd ' ')" "$expected"
  done << 'LINES'
trawl mapp:mappability
trawl map --unm:--unmapped
trawl map --report st:strata
trawl map ref.fa reads_of:reads_of_lane1.fq
trawl map -e reads_of:
trawl help map:map mappability
LINES
else
  echo "skipped: completion in fish, which is missing"
fi

# --quiet: nothing but errors; --verbose: more; the records stay the same.
make_input 30000 50
run ref.fa reads.fq -o out/x.sam
expect_success
cp stderr usual
run --verbose ref.fa reads.fq -o out/verbose.sam
expect_success
for text in "version " "input ref.fa 0.0 MB" "input reads.fq" "times: " "peak memory " "engine cpu"; do
  contains "--verbose" stderr "$text"
done
ok "--verbose says more" test "$(wc -l < stderr)" -gt "$(wc -l < usual)"
run --quiet ref.fa reads.fq -o out/quiet.sam
expect_success
equal "--quiet says nothing" "$(cat stderr)" ""
same "the records" out/x.sam out/quiet.sam out/verbose.sam
run_scan --quiet -p GATTACA ref.fa -o out/x.bed
expect_success
equal "scan --quiet says nothing" "$(cat stderr)" ""
run --quiet nowhere.fa reads.fq -o out/none.sam
expect_failure 1 "nowhere.fa: cannot open" out/none.sam
run --quiet --verbose ref.fa reads.fq
expect_failure 2 "--verbose and --quiet exclude each other"

finish
