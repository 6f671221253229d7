#!/usr/bin/env bash
# The records: tags, the three reports, the statistics, and checks by samtools.
. "$(dirname "$0")/lib.sh"
make_input 80000 1500
printf '@tiny\nAC\n+\nII\n@none\n%s\n+\n%s\n' "$(head -c 40 /dev/zero | tr '\0' N)" "$(head -c 40 /dev/zero | tr '\0' I)" >> reads.fq
reads=1502

run -e 5% --min-length 1 --report all ref.fa reads.fq -o out/all.bam --stats out/all.json
expect_success
cp stderr all.summary
run -e 5% --min-length 1 --report all ref.fa reads.fq -o out/all.bed
run -e 5% --min-length 1 ref.fa reads.fq -o out/best.bam --stats out/best.json
expect_success
for strata in 0 1 2; do
  run -e 5% --min-length 1 --report strata --strata $strata ref.fa reads.fq -o out/strata$strata.bam
  expect_success
done

# --- order: after the primary record by distance, place and strand ---
# Copies with gaps of several lengths, on both strands: places that begin in another order than they end.
python3 - <<'PYTHON'
import random
random.seed(4)
tandem = "".join(random.choice(5 * ("ACGT",) + ("ACGTT", "ACT", "AGT")) for _ in range(3000))
with open("near.fa", "w") as out:
    out.write(">a\n%s\n>b\n%s\n" % (tandem[:6000], tandem[6000:]))
with open("near.fq", "w") as out:
    for i in range(40):
        out.write("@r%d\n%s\n+\n%s\n" % (i, tandem[71 * i + 3:71 * i + 53], "I" * 50))
PYTHON
for input in "ref.fa reads.fq" "near.fa near.fq" "--clip 30% --clip-when always near.fa near.fq"; do
  # shellcheck disable=SC2086
  run -e 8 --report all $input
  expect_success
  ok "the order of $input" python3 - stdout <<'PYTHON'
import collections, sys
contigs, reads, secondary = [], collections.defaultdict(list), 0
for line in open(sys.argv[1]):
    fields = line.rstrip("\n").split("\t")
    if line.startswith("@"):
        contigs += [fields[1]] if fields[0] == "@SQ" else []
    elif int(fields[1]) & 256:
        score = int(next(f for f in fields if f.startswith("AS:i:"))[5:])
        reads[fields[0]].append((-score, contigs.index("SN:" + fields[2]), int(fields[3]), int(fields[1]) & 16))
        secondary += 1
assert secondary > 100, secondary
for name, places in reads.items():
    assert places == sorted(places), name
PYTHON
done

# --- samtools accepts them ---
for file in out/*.bam; do
  ok "quickcheck $file" samtools quickcheck -v "$file"
done
samtools faidx ref.fa
# Secondary records have no bases, so calmd cannot check them: give each the bases of its primary record.
samtools view -h out/all.bam | awk -F '\t' -v OFS='\t' '
  function reverse(s,   out, i) { for (i = length(s); i > 0; --i) out = out substr(s, i, 1); return out }
  function complement(s,   i, out, c) {
    for (i = 1; i <= length(s); ++i) { c = substr(s, i, 1); out = out substr("TGCAN", index("ACGTN", c), 1) }
    return out
  }
  /^@/ { print; next }
  { strand = int($2 / 16) % 2 }
  int($2 / 256) % 2 == 0 { bases = $10; qualities = $11; first = strand }
  int($2 / 256) % 2 == 1 {
    $10 = strand == first ? bases : reverse(complement(bases))
    $11 = strand == first ? qualities : reverse(qualities)
  }
  { print }' > full.sam
samtools calmd full.sam ref.fa 2> calmd.err > calmd.sam
equal "calmd finds no other NM or MD" "$(grep -c 'different NM\|different MD' calmd.err)" 0
equal "calmd changes nothing" "$(records calmd.sam | md5sum)" "$(records full.sam | md5sum)"
ok "sort" samtools sort -o out/sorted.bam out/all.bam
ok "index" samtools index out/sorted.bam
ok "flagstat" samtools flagstat out/sorted.bam

# --- each read has its records, in input order ---
equal "a primary or unmapped record for each read" "$(records -F 256 -c out/all.bam)" $reads
equal "in input order" "$(records -F 256 out/all.bam | column 1)" "$(awk 'NR % 4 == 1 { print substr($1, 2) }' reads.fq)"
records out/all.bam > all.txt
ok "NH, HI, AS and flags agree" awk -F '\t' '
  function tag(name,   i) { for (i = 12; i <= NF; ++i) if (index($i, name ":i:") == 1) return substr($i, 6) + 0; return "none" }
  function wrong(what) { print "line " NR ": " what > "/dev/stderr"; exit 1 }
  int($2 / 4) % 2 { if (left > 0) wrong("records missing"); if ($5 != 0 || NF > 11) wrong("unmapped"); next }
  {
    secondary = int($2 / 256) % 2
    if (!secondary) {
      if (left > 0) wrong("records missing")
      left = tag("NH"); hi = 0; name = $1; best = tag("NM"); in_best = 0; in_next = 0; before = 0
      x0 = tag("X0"); x1 = tag("X1"); bases = $10
      if ($10 == "*" || $11 == "*") wrong("no bases")
    } else if ($10 != "*" || $11 != "*" || $5 != 0) wrong("a secondary record with bases or a mapping quality")
    if ($1 != name || tag("HI") != ++hi || tag("X0") != x0 || tag("X1") != x1) wrong("tags of one read differ")
    if (tag("AS") != -tag("NM")) wrong("AS")
    if (tag("NM") < best || (hi > 2 && tag("NM") < before)) wrong("order")
    if ($5 > 0 && x0 > 1) wrong("a mapping quality among equals")
    before = tag("NM"); in_best += before == best; in_next += before == best + 1
    edits = int(length(bases) * 5 / 100)
    if (--left == 0 && (in_best != x0 || x1 != (best < edits ? in_next : "none"))) wrong("X0 or X1")
  }
  END { if (left > 0) wrong("records missing") }' all.txt
for x1 in "with" "without"; do
  count=$(records -F 260 out/all.bam | grep -c $([[ $x1 == without ]] && echo -v) X1:i:)
  equal "there are reads $x1 X1" "$((count > 20))" 1
done
equal "some reads have several records" "$(($(records -c -f 256 out/all.bam) > 100))" 1

# --- reports ---
without_nh() { sed 's/\tNH:i:[0-9]*\tHI:i:[0-9]*//'; }
records -F 256 out/all.bam | without_nh > primaries.txt
for file in best strata0 strata1 strata2; do
  records -F 256 out/$file.bam | without_nh > other.txt
  same "primary records of $file and all" primaries.txt other.txt
done
equal "best has no secondary records" "$(records -c -f 256 out/best.bam)" 0
records out/all.bam | without_nh > all_records.txt
for strata in 0 1 2; do
  # The expected records of strata: all that have at most a few edits more than the primary one.
  awk -F '\t' -v strata=$strata '
    int($2 / 4) % 2 { print; next }
    { match($0, /NM:i:[0-9]+/); edits = substr($0, RSTART + 5, RLENGTH - 5) + 0 }
    int($2 / 256) % 2 == 0 { best = edits }
    edits <= best + strata' all_records.txt > expected.txt
  records out/strata$strata.bam | without_nh > found.txt
  same "--strata $strata is the right part of all" expected.txt found.txt
done

# --- --max-hits: a prefix of the records, and ZD says how many are missing ---
for limit in 1 3; do
  run -e 5% --min-length 1 --report all -k $limit ref.fa reads.fq -o out/limit.sam --stats out/limit.json
  expect_success
  awk -F '\t' -v limit=$limit '
    int($2 / 4) % 2 { print $1 "\t" $3 "\t" $4 "\t" $6; next }
    match($0, /HI:i:[0-9]+/) && substr($0, RSTART + 5, RLENGTH - 5) + 0 <= limit {
      hi = substr($0, RSTART + 5, RLENGTH - 5) + 0
      match($0, /NH:i:[0-9]+/); nh = substr($0, RSTART + 5, RLENGTH - 5) + 0
      print $1 "\t" $3 "\t" $4 "\t" $6 "\tNH:i:" (nh < limit ? nh : limit) "\tHI:i:" hi (nh > limit ? "\tZD:i:" nh - limit : "")
    }' all.txt > expected.txt
  records out/limit.sam | awk -F '\t' '{
    line = $1 "\t" $3 "\t" $4 "\t" $6
    for (i = 12; i <= NF; ++i) if ($i ~ /^(NH|HI|ZD):/) line = line "\t" $i
    print line }' > found.txt
  same "-k $limit" expected.txt found.txt
  equal "-k $limit drops something" "$(($(grep -c ZD:i: found.txt) > 10))" 1
  contains "the summary says what was dropped" stderr "dropped by --max-hits"
done
equal "--report best drops nothing" "$(records out/best.bam | grep -c ZD:i:)" 0

# --- --eqx, --unmapped, -R ---
run -e 5% --min-length 1 --report all --eqx ref.fa reads.fq -o out/eqx.bam
records out/eqx.bam | column 6 > eqx.txt
equal "--eqx has no M" "$(grep -c M eqx.txt)" 0
equal "--eqx has X" "$(($(grep -c X eqx.txt) > 100))" 1
# = and X together are M; X, I and D together are NM.
records out/eqx.bam | awk -F '\t' '!(int($2 / 4) % 2) {
  cigar = $6; run = 0; edits = 0; out = ""
  while (match(cigar, /^[0-9]+./)) {
    n = substr(cigar, 1, RLENGTH - 1) + 0; op = substr(cigar, RLENGTH, 1); cigar = substr(cigar, RLENGTH + 1)
    if (op != "=") edits += n
    if (op == "=" || op == "X") { run += n } else { out = out (run ? run "M" : "") n op; run = 0 }
  }
  print out (run ? run "M" : "") "\tNM:i:" edits }' > found.txt
awk -F '\t' '!(int($2 / 4) % 2) { print $6 "\t" $12 }' all.txt > expected.txt
same "--eqx is the same alignment" expected.txt found.txt
run -e 5% --min-length 1 --report all --unmapped drop ref.fa reads.fq -o out/mapped.bam
equal "--unmapped drop" "$(records out/mapped.bam | md5sum)" "$(records -F 4 out/all.bam | md5sum)"
equal "some reads are unmapped" "$(($(records -c -f 4 out/all.bam) >= 2))" 1
run -e 5% --min-length 1 --report all -R '@RG\tID:lane1\tSM:sample' ref.fa reads.fq -o out/group.bam
expect_success
contains "the read group's line" <(samtools view -H out/group.bam) "$(printf '@RG\tID:lane1\tSM:sample')"
equal "each record has the read group" "$(records -c -r lane1 out/group.bam)" "$(records -c out/all.bam)"
run -e 5% --min-length 1 -R "$(printf '@RG\tID:a b:c\tDS:tabs as such')" ref.fa reads.fq
expect_success
contains "a read group with tabs" stdout "$(printf 'RG:Z:a b:c')"

# --- the header ---
samtools view -H out/all.bam > header.txt
equal "sequences" "$(grep '^@SQ' header.txt | cut -f 2,3)" "$(cut -f 1,2 ref.fa.fai | sed 's/^/SN:/; s/\t/\tLN:/')"
equal "M5" "$(grep '^@SQ' header.txt | cut -f 4)" \
  "$(samtools dict ref.fa | grep '^@SQ' | grep -o 'M5:[0-9a-f]*')"
contains "@HD" header.txt "$(printf '@HD\tVN:1.6')"
contains "@PG" header.txt "$(printf '@PG\tID:trawl\tPN:trawl\tVN:')"
contains "@PG has the command" header.txt "--max-edits 5% --min-length 1 --report all"

# --- BED is the same as BAM ---
awk -F '\t' -v OFS='\t' '!(int($2 / 4) % 2) {
  span = 0; cigar = $6
  while (match(cigar, /^[0-9]+./)) {
    if (substr(cigar, RLENGTH, 1) ~ /[MD]/) span += substr(cigar, 1, RLENGTH - 1)
    cigar = substr(cigar, RLENGTH + 1)
  }
  print $3, $4 - 1, $4 - 1 + span, $1, $5, int($2 / 16) % 2 ? "-" : "+", substr($12, 6), $6 }' all.txt > expected.bed
same "BED agrees with BAM" expected.bed out/all.bed
run -e 5% --min-length 1 --report all ref.fa reads.fq -o out/all.bed.gz
gzip -dc out/all.bed.gz > unpacked.bed
same "BED.gz holds BED" unpacked.bed out/all.bed
ok "BED.gz is BGZF" bgzip -t out/all.bed.gz
ok "BED.gz is gzip" gzip -t out/all.bed.gz

# --- the statistics and the summary agree with the records ---
for report in all best; do
  ok "JSON" python3 -m json.tool out/$report.json
  records out/$report.bam > records.txt
  ok "statistics of $report" python3 - out/$report.json records.txt <<'PYTHON'
import collections, json, sys
stats = json.load(open(sys.argv[1]))
primary, every, counts = collections.Counter(), collections.Counter(), collections.Counter()
for line in open(sys.argv[2]):
    fields = line.rstrip("\n").split("\t")
    flag = int(fields[1])
    counts["reads"] += not flag & 256
    counts["bases"] += len(fields[9]) if not flag & 256 else 0
    if flag & 4:
        counts["unmapped"] += 1
        continue
    distance = -int(next(f for f in fields if f.startswith("AS:i:"))[5:])
    every[distance] += 1
    if not flag & 256:
        primary[distance] += 1
listed = lambda counter: [counter[d] for d in range(max(counter) + 1)]
reads, alignments = stats["reads"], stats["alignments"]
assert reads["total"] == counts["reads"]
assert reads["bases"] == counts["bases"]
assert reads["mapped"] == sum(primary.values())
assert reads["unmapped_no_locus"] + reads["unmapped_too_short"] == counts["unmapped"]
assert reads["mapped"] + counts["unmapped"] == reads["total"]
assert alignments["total"] == sum(every.values())
assert alignments["primary_by_distance"] == listed(primary)
assert alignments["all_by_distance"] == listed(every)
assert alignments["dropped_by_max_hits"] == 0 == alignments["reads_with_dropped"]
assert stats["reference"]["bases"] == sum(int(l.split("\t")[1]) for l in open("ref.fa.fai"))
assert stats["reference"]["contigs"] == sum(1 for _ in open("ref.fa.fai"))
assert stats["threads"] >= 1 and stats["wall_seconds"] >= 0 and stats["peak_resident_bytes"] > 0
PYTHON
done
equal "the command line in the statistics" \
  "$(python3 -c 'import json; print(json.load(open("out/all.json"))["command_line"])')" \
  "$TRAWL map --progress off -e 5% --min-length 1 --report all ref.fa reads.fq -o out/all.bam --stats out/all.json"
mapped=$(records -c -F 260 out/all.bam)
contains "summary" all.summary "trawl map: $reads reads, $mapped mapped ("
contains "summary" all.summary ", $(records -c -F 4 out/all.bam) alignments, "
ok "what -k dropped" python3 - <<'PYTHON'
import json
limit, every = json.load(open("out/limit.json"))["alignments"], json.load(open("out/all.json"))["alignments"]
assert limit["total"] + limit["dropped_by_max_hits"] == every["total"]
assert 0 < limit["reads_with_dropped"] < limit["dropped_by_max_hits"]
PYTHON

finish
