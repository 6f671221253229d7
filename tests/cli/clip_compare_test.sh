#!/usr/bin/env bash
# bench/clip_compare.py on tiny data. Exit status 77 (skipped) if one of its tools is missing.
bench=$(dirname "${TRAWL_SIMULATE:?the path of trawl-simulate}")
if ! command -v bwa > /dev/null || [[ ! -x $bench/trawl-check ]]; then
  echo "skipped: no bwa (Debian package bwa), or no trawl-check beside trawl-simulate"
  exit 77
fi
script=$(cd "$(dirname "$0")/../../bench" && pwd)/clip_compare.py
. "$(dirname "$0")/lib.sh"

# compare WHAT OPTIONS...: sets $status; writes the files stdout and stderr.
compare() {
  python3 "$script" "$1" --reference ref.fa --workdir work --build "$bench" --threads 1 "${@:2}" > stdout 2> stderr
  status=$?
}

"$TRAWL_SIMULATE" genome 40000 7 ref.fa 2> /dev/null
"$TRAWL_SIMULATE" reads ref.fa 200 100 3 --qualities > reads.fq
bwa index -p bwa ref.fa 2> /dev/null
bwa mem bwa reads.fq 2> /dev/null > bwa.sam

# A mapper that is called like trawl, and gives bwa mem's records with the changes of change.awk.
cat > changed.sh << END
#!/usr/bin/env bash
while [[ \$1 != -o ]]; do shift; done
awk -F '\t' -v OFS='\t' -f "$work/change.awk" "$work/bwa.sam" > "\$2"
END
chmod +x changed.sh
# Of the sure reads, all with CIGAR 100M: places 21 and 20 bases away, the other strand, unmapped, a clip, no MAPQ.
cat > change.awk << 'END'
/^@/ { print; next }
$5 >= 20 && $6 == "100M" {
  n++
  if (n == 1) $4 += 21
  if (n == 2) $4 += 20
  if (n == 3) $2 = 16 - $2
  if (n == 4 || n == 5) { $2 = 4; $4 = $5 = 0; $3 = $6 = "*" }
  if (n == 6) { $4 += 30; $6 = "30S70M" }
  if (n == 7) $5 = 0
  if (n == 8) { $4 += 50; $5 = 0 }
  if (n == 9) { $4 += 30; $6 = "30H70M" }
}
{ print }
END
compare real --reads reads.fq --trawl ./changed.sh --sample 3 -o out/real
equal "real, status" "$status" 0
equal "real, differences" "$(python3 -c 'import json; print(json.load(open("out/real.json"))["differ"])')" \
  "{'other places, both sure': 2, \"only bwa-mem maps it: bwa-mem's piece is allowed, but not found\": 2, 'other places, bwa-mem sure': 1}"
equal "all differences" "$(wc -l < out/real.tsv)" 5
equal "a sample of them" "$(grep -c '^    trawl: sim' stdout)" 3
equal "mapped" "$(awk -F ' *[|] *' '$2 == "trawl" || $2 == "bwa-mem" { print $4 }' stdout | xargs)" "198 200"
# Why a read is not mapped: the records of a second mapper, with clips and edits.
cat > explain.py << 'END'
import sys
sys.path.insert(0, sys.argv[1])
from clip_compare import Record, of_length, reason
def why(cigar, edits, max_edits="5%", clip="30%"):
    text = "\t".join(["r", "0", "c", "1", "60", cigar, "*", "0", "0", "*", "*", f"NM:i:{edits}"])
    return reason(Record(text, 0, "c", 1, 60), max_edits, clip, "x")
print(of_length("2.5%", 119), of_length("2.5%", 120), of_length("7", 1))
for case in (("70M30S", 3), ("69M31S", 3), ("70M30S", 4), ("31H69M", 9), ("40M20I40M", 5), ("40M20I40M", 6),
             ("60M40S", 3, "3", "50"), ("50M50S", 3, "3", "50"), ("100M", 0)):
    print(why(*case))
END
equal "reasons" "$(python3 explain.py "$(dirname "$script")")" "2 3 7
x's piece is allowed, but not found
x leaves out more than N bases
x has more than e edits
x leaves out more than N bases and x has more than e edits
x's piece is allowed, but not found
x has more than e edits
x's piece is allowed, but not found
x leaves out more than N bases
x's piece is allowed, but not found"
echo '{ print }' > change.awk
compare real --reads reads.fq --trawl ./changed.sh
equal "no differences" "$status $(grep -c '^    trawl: sim' stdout)" "0 0"
echo '!/^@/ && !cut { cut = 1; next } { print }' > change.awk
compare real --reads reads.fq --trawl ./changed.sh
equal "a read is missing, status" "$status" 1
contains "a read is missing" stderr "the two outputs do not have the same reads"
compare real
equal "no reads, status" "$status" 2

compare places --count 2000 --trawl "$TRAWL" --clip-options "" -o out/places
equal "places, status" "$status" 0
equal "places, kinds" "$(awk -F ' *[|] *' '$3 == "trawl" { print $2 }' stdout | xargs)" "all adapter chimera indel sim"
equal "places, sums" "$(awk -F ' *[|] *' '$3 == "trawl" { gsub(",", ""); n[$2 == "all"] += $4 } END { print n[0], n[1] }' stdout)" \
  "2000 2000"
compare cost --count 2000 --repeats 3 --trawl "$TRAWL" --clip-options=--eqx -o out/cost
equal "cost, status" "$status" 0
contains "cost, with the options" stdout "--report best --eqx"
contains "cost, without" stdout "--report best -t"
equal "cost, runs" "$(python3 -c 'import json
for what, of in json.load(open("out/cost.json")).items():
    print(what, len(of["walls"]["with"]), of["unmapped"]["without"] > 50, of["reads"] > 1900)')" \
  "some need clipping 3 True True
all map from end to end 3 False True"
finish
