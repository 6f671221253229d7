#!/usr/bin/env bash
# Whether an installed trawl works: run in the source folder, or with test_data/ beside this folder. Used by the bioconda
# recipe, the containers and packaging/check_packages.sh. Needs nothing but trawl.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
reference=test_data/repeats.fa.gz

trawl --version
trawl info
trawl help map > "$work/help"
grep -q -- --max-edits "$work/help"
trawl map -e 5 --report all "$reference" test_data/repeats_reads.fq.gz -o "$work/all.sam"
trawl map --sort "$reference" test_data/repeats_1.fq.gz test_data/repeats_2.fq.gz -o "$work/pairs.bam"
trawl scan -k 4 --max-bulges 2 --pam NGG "$reference" test_data/guides.tsv -o "$work/sites.tsv"
trawl index "$reference" -o "$work/index.trawl"
trawl map -e 5 --report all "$work/index.trawl" test_data/repeats_reads.fq.gz | grep -v '^@PG' > "$work/again.sam"
grep -v '^@PG' "$work/all.sam" | cmp - "$work/again.sam"
test -s "$work/pairs.bam.bai"
[ "$(wc -l < "$work/sites.tsv")" -gt 1 ]
echo "trawl works"
