#!/usr/bin/env bash
# The page of --report-html in a real browser: what it shows, no error, no request, keyboard, mouse, widths, print, and
# names that look like HTML.
tools=$(cd "$(dirname "$0")" && pwd)
. "$tools/lib.sh"
if ! python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import chromium; sys.exit(chromium.program() is None)' "$tools"; then
  echo "skipped: there is no chromium (Debian: chromium)" >&2
  exit 77
fi

make_input 60000 300
"$TRAWL_SIMULATE" pairs ref.fa 1000 100 5 one.fq two.fq --qualities --error-rate 0.012 --indel-share 0.4 2> /dev/null
run --report all --sort ref.fa one.fq two.fq -o out/p.bam --stats map.json --report-html map.html
expect_success
awk '!/>/ && NR % 197 == 0 { print "site" NR "\t" toupper(substr($0, 3, 20)) }' ref.fa > patterns.tsv
run_scan -k 6 ref.fa patterns.tsv -o out/s.bed --stats scan.json --report-html scan.html
expect_success
# Clipped ends, and reads that fit nowhere.
awk 'NR % 4 == 2 && NR % 3 == 0 { $0 = substr($0, 1, 80) "ACGTTGCAAGGCTTACGATC" } NR % 4 == 2 && NR % 20 == 2 { gsub(/A/, "C") } 1' \
  one.fq > clip.fq
run --clip 40% ref.fa clip.fq -o out/c.bam --stats clip.json --report-html clip.html
expect_success

# Names that would be read as HTML or JavaScript if they were not escaped.
evil='"><!--<script></script/x></script><script>document.title="x";window.hacked=1</script><img/src=x/onerror=window.hacked=1>&amp;`${1}`'\'
folder=$(dirname "$evil")
mkdir -p "$folder"
sed 's|^>chr1 .*|>chr\&lt;/b\&gt;$!|' ref.fa > "$evil.fa"
awk -v evil="${evil//\\/}" 'NR % 4 == 1 { gsub(/ .*/, ""); $0 = $0 evil } 1' reads.fq > "$evil.fq"
printf '>%s\n%s\n' "$evil" "$(cut -f 2 patterns.tsv | head -n 1)" > "$evil.patterns"
run "$evil.fa" "$evil.fq" -o "$evil.bed" --report-html evil_map.html --igv-session evil.xml
expect_success
run_scan -k 3 "$evil.fa" "$evil.patterns" -o "$evil.bed.gz" --report-html evil_scan.html
expect_success

ok "the page in chromium" python3 "$tools/report_browser.py" "$evil"
[[ $failures == 0 ]] || cat ok.err >&2
ok "the session of names like these" python3 -c 'import sys, xml.etree.ElementTree as t
root = t.parse("evil.xml").getroot()
assert root.get("genome") == sys.argv[1] + ".fa" and root.find("Resources/Resource").get("path") == sys.argv[1] + ".bed", root.attrib' "$evil"

finish
