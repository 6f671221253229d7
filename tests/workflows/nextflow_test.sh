#!/usr/bin/env bash
# The Nextflow modules do what trawl does by hand, and the workflow gives them what they take. Nextflow itself is in no
# package registry: nextflow_parts.groovy evaluates the blocks of the modules, and this test runs the commands.
. "$(dirname "$0")/lib.sh"
need groovy multiqc
export JAVA_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"  # starts sooner
make_samples
flow=$root/workflows/nextflow
modules=$flow/modules/nf-core/trawl

# part FILE PART FOLDER VARIABLES: a line for nextflow_parts.groovy. The inputs of a task are in its folder.
part() {
  [[ $3 ]] && mkdir -p "$3" && ln -sf "$work"/{genome.fa,guides.tsv,reads} "$3"
  echo "{\"file\": \"$1\", \"part\": \"$2\", \"folder\": \"$3\", $4}"
}
pairs='"meta": {"id": "liver"}, "reads": ["reads/liver_L1_R1.fq.gz", "reads/liver_L1_R2.fq.gz", "reads/liver_L2_R1.fq.gz", "reads/liver_L2_R2.fq.gz"]'
single='"meta": {"id": "heart", "single_end": true}, "reads": "reads/heart.fq.gz"'
guides='"meta": {"id": "sites"}, "patterns": "guides.tsv", "reference": "genome.fa"'
for block in script stub; do
  part "$modules/index/main.nf" $block $block/index '"meta": {"id": "genome"}, "fasta": "genome.fa"'
  part "$modules/map/main.nf" $block $block/liver "$pairs, \"reference\": \"genome.fa\", \"format\": \"bam\", \"sort\": true, \"args\": \"-R @RG\\\\\\\\tID:liver\""
  for format in bam cram sam bed bed.gz; do
    sort=$([[ $format == *am && $format != sam ]] && echo true || echo false)
    part "$modules/map/main.nf" $block $block/map_$format "$single, \"reference\": \"genome.fa\", \"format\": \"$format\", \"sort\": $sort"
  done
  for format in bed bed.gz tsv sam; do
    part "$modules/scan/main.nf" $block $block/scan_$format "$guides, \"format\": \"$format\", \"args\": \"-e 4 --pam NGG\""
  done
  part "$flow/modules/local/multiqc/main.nf" $block $block/multiqc '"files": []'
done > parts
{
  part "$modules/map/main.nf" script wrong "$single, \"reference\": \"genome.fa\", \"format\": \"paf\", \"sort\": false"
  part "$modules/scan/main.nf" script wrong "$guides, \"format\": \"paf\""
  part "$modules/map/main.nf" script wrong '"meta": {"id": "odd"}, "reads": "x.fq", "reference": "genome.fa", "format": "bam", "sort": true'
  for row in '{"sample": "liver", "fastq_1": "1.fq", "fastq_2": "2.fq"}' '{"sample": "heart", "fastq_1": "1.fq", "fastq_2": ""}' '{"sample": "x"}'; do
    part "$flow/main.nf" read_row "" "\"arguments\": [$row]"
  done
  for lanes in '[["1.fq", "2.fq"], ["3.fq", "4.fq"]], [true, true]' '[["1.fq"]], [false]' '[["1.fq", "2.fq"], ["3.fq"]], [true, false]'; do
    part "$flow/main.nf" join_lanes "" "\"arguments\": [\"liver\", $lanes]"
  done
} >> parts
groovy "$root/tests/workflows/nextflow_parts.groovy" < parts > found 2> stderr
equal "groovy: status ($(head -c 500 stderr))" $? 0
cat > expected << 'END'
TRAWL_MAP writes bam, cram, sam, bed or bed.gz, not 'paf'
TRAWL_SCAN writes bed, bed.gz, tsv or sam, not 'paf'
TRAWL_MAP: odd has pairs, so it needs an even number of files
["liver",["1.fq","2.fq"],true]
["heart",["1.fq"],false]
The sheet of samples: a line has a sample and its fastq_1, with a comma between them: [sample:x]
[{"id":"liver","single_end":false},["1.fq","2.fq","3.fq","4.fq"]]
[{"id":"liver","single_end":true},["1.fq"]]
The sheet of samples: liver has lanes with and without fastq_2; give them two names
END
same "what is wrong, and the functions of the workflow" expected found

# Every task, as Nextflow runs it; MultiQC last, with the files of the others.
for block in script stub; do
  for task in index liver map_{bam,cram,sam,bed,bed.gz} scan_{bed,bed.gz,tsv,sam} multiqc; do
    cd "$work/$block/$task" || exit 1
    [[ $task == multiqc ]] && mkdir input && cp ../{liver,map_bam,scan_tsv}/*_mqc.json input
    ok "$block $task: $(cat command.sh)" bash -euo pipefail command.sh
    while read -r pattern; do
      ok "$block $task: $pattern" test -n "$(eval "ls -d $pattern" 2> /dev/null)"
    done < outputs
  done
  cd "$work" || exit 1
  equal "$block: the files" "$(cd $block && find . -type f ! -name command.sh ! -name outputs ! -name '*.err' ! -name '*_mqc.json' ! -path './multiqc/*' | sort | tr '\n' ' ')" \
    "./index/genome.trawl ./liver/liver.bam ./liver/liver.bam.bai ./liver/liver.trawl.json ./map_bam/heart.bam \
./map_bam/heart.bam.bai ./map_bam/heart.trawl.json ./map_bed.gz/heart.bed.gz ./map_bed.gz/heart.trawl.json \
./map_bed/heart.bed ./map_bed/heart.trawl.json ./map_cram/heart.cram ./map_cram/heart.cram.crai \
./map_cram/heart.trawl.json ./map_sam/heart.sam ./map_sam/heart.trawl.json ./scan_bed.gz/sites.bed.gz \
./scan_bed.gz/sites.trawl.json ./scan_bed/sites.bed ./scan_bed/sites.trawl.json ./scan_sam/sites.sam \
./scan_sam/sites.trawl.json ./scan_tsv/sites.trawl.json ./scan_tsv/sites.tsv "
done
ok "a stub runs no trawl" test ! -s stub/liver/liver.bam
ok "a stub's .gz is a gzip file" gzip -t stub/map_bed.gz/heart.bed.gz
"$TRAWL" map --sort genome.fa reads/liver_L1_R1.fq.gz,reads/liver_L2_R1.fq.gz reads/liver_L1_R2.fq.gz,reads/liver_L2_R2.fq.gz \
  -R '@RG\tID:liver' -o liver.bam 2> /dev/null
equal "liver: both lanes" "$(records script/liver/liver.bam)" "$(records liver.bam)"
"$TRAWL" map --sort genome.fa reads/heart.fq.gz -o heart.bam 2> /dev/null
equal "heart: single reads" "$(records script/map_bam/heart.bam)" "$(records heart.bam)"
"$TRAWL" scan -e 4 --pam NGG genome.fa guides.tsv -o sites.tsv 2> /dev/null
same "sites" sites.tsv script/scan_tsv/sites.tsv
table=script/multiqc/multiqc_report_data/multiqc_general_stats.txt
equal "report: reads of liver" "$(column map_reads liver $table)" 1600
equal "report: reads of heart" "$(column map_reads heart $table)" 300
equal "report: patterns" "$(column scan_patterns sites $table)" 3

# The workflow calls each process with all its inputs, and uses only outputs that it has.
ok "the calls of the workflow" python3 - "$flow" << 'END'
import re, sys
from pathlib import Path
flow = Path(sys.argv[1])
main = (flow / "main.nf").read_text()
modules = re.findall(r"include \{ (\w+)\s*\} from '(.*)'", main)
assert len(modules) == 4
for name, module in modules:
    text = (flow / f"{module}.nf").read_text()
    assert f"process {name} {{" in text, module
    calls = re.findall(rf"^ +{name}\((.*)\)$", main, flags=re.M)
    assert calls, name
    for arguments in calls:
        while (shorter := re.sub(r"[\[({][^\[\](){}]*[\])}]", "", arguments)) != arguments:
            arguments = shorter
        assert arguments.count(",") + 1 == len(re.search(r"    input:\n(.*?)\n\n", text, re.S)[1].splitlines()), name
    assert set(re.findall(rf"{name}\.out\.(\w+)", main)) <= set(re.findall(r"emit: (\w+)", text)), name
END

finish
