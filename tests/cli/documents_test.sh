#!/usr/bin/env bash
# The documents agree with the program: the recipes of the user guide run, its tables name every option, and the
# README's example gives the output shown there.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
guide=$root/docs/user_guide.md
mkdir bin
ln -s "$TRAWL" bin/trawl
PATH=$work/bin:$PATH
cp -r "$root/test_data" .

# section FILE FROM TO: the lines between two headings.
section() { awk -v from="# $2" -v to="# $3" '$0 == to { on = 0 } on; $0 == from { on = 1 }' "$1"; }
# The lines in code blocks, from stdin.
code() { awk '/^```/ { on = !on; next } on'; }

recipes=0
section "$guide" Recipes Limits | code > recipes
grep -E '^[A-Z0-9]+=' recipes > settings
while IFS= read -r line; do
  for tool in bcftools bedtools; do
    if grep -q "$tool" <<< "$line" && ! command -v "$tool" > /dev/null; then
      echo "skipped: a recipe that needs $tool, which is missing"
      continue 2
    fi
  done
  (. ./settings && eval "$line") > stdout 2> stderr < /dev/null
  equal "status of: $line" $? 0
  file=$(grep -oE '[a-z0-9_]+\.(bam|cram|bed|tsv|vcf)( -)?$' <<< "$line" | cut -d ' ' -f 1)
  if [[ -n $file ]]; then
    recipes=$((recipes + 1))
    ok "$line wrote something" test -s "$file"
  fi
done < <(grep -vE '^[A-Z0-9]+=|^export' recipes)
ok "most recipes were run" test "$recipes" -ge 6
equal "recipe 3: one record a read" "$(samtools view unique.bam | cut -f 1 | sort | uniq -d | wc -l)" 0
ok "recipe 2: secondary records" test "$(samtools view -c -f 256 all.bam)" -gt 0
equal "recipe 11: both mates of 300 pairs" "$(samtools view -c -f 1 pairs.bam)" 600
ok "recipe 12: secondary pairs" test "$(samtools view -c -f 258 all_pairs.bam)" -gt 0
ok "recipe 13: DIVET" test -e discordant.vh
ok "recipe 13: OEA" test -s one_end.sam

for command in map scan mappability; do
  if [[ $command == map ]]; then
    section "$guide" "trawl map" "trawl scan" > table
  elif [[ $command == scan ]]; then
    section "$guide" "trawl scan" "trawl mappability" > table
  else
    section "$guide" "trawl mappability" "trawl index" > table
  fi
  options=$("$TRAWL" $command --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | grep -v -- --help)
  ok "$command --help has options" test "$(wc -w <<< "$options")" -gt 10
  for option in $options; do
    checks=$((checks + 1))
    grep -qE -- "^\|.*$option[ \`]" table || wrong "the user guide's table lacks trawl $command $option"
  done
done

code < "$root/README.md" | sed -n 's/^\$ build\/release\///p' > example
ok "the README has an example" grep -q '^trawl scan' example
(eval "$(cat example)") > stdout 2> stderr
code < "$root/README.md" | grep -A 2 '^contig' | sed 's/  */\t/g' > expected
cut -f 1-11 off_targets.tsv | head -n 3 > found
same "the README's example" expected found

finish
