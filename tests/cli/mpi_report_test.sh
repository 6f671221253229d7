#!/usr/bin/env bash
# --report-html and --igv-session under mpirun: the same data as by one process, apart from times.
tools=$(cd "$(dirname "$0")" && pwd)
. "$tools/lib.sh"
. "$tools/mpi_lib.sh"
same_data() { ok "$*: the same data" python3 "$tools/report_data.py" same "$@"; }

# More windows with records than are kept, and deep ones.
"$TRAWL_SIMULATE" genome 500000 9 ref.fa 2> /dev/null
"$TRAWL_SIMULATE" pairs ref.fa 3000 100 5 one.fq two.fq --qualities --error-rate 0.012 --indel-share 0.4 2> /dev/null

run --report all --sort ref.fa one.fq two.fq -o out/1.bam --report-html 1.html --igv-session 1.xml
expect_success
mpi 3 map --progress off --report all --sort ref.fa one.fq two.fq --tune=batch-size=100 -o out/1.bam --stats 3.json --report-html 3.html --igv-session 3.xml
expect_success
equal "reads of each rank" "$(python3 -c 'import json; print(min(rank["done"] for rank in json.load(open("3.json"))["ranks"]) > 0)')" True
same_data 1.html 3.html
same "sessions" 1.xml 3.xml

awk '!/>/ && NR % 797 == 0 { print "site" NR "\t" toupper(substr($0, 3, 20)) }' ref.fa > patterns.tsv
run_scan -k 5 ref.fa patterns.tsv -o out/s.bed --report-html s1.html --igv-session s1.xml
expect_success
for ranks in 2 3; do
  mpi $ranks scan --progress off -k 5 ref.fa patterns.tsv --tune=chunk-size=20000 -o out/s.bed --stats s.json --report-html s$ranks.html --igv-session s$ranks.xml
  expect_success
  same_data s1.html s$ranks.html
  same "sessions of a scan" s1.xml s$ranks.xml
done

finish
