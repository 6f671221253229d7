#!/usr/bin/env bash
# The Nextflow modules and the workflow do what trawl does by hand. Nextflow itself is in no package registry: if it is
# not on PATH, nextflow_twin.groovy runs them.
. "$(dirname "$0")/lib.sh"
need groovy multiqc
export JAVA_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"  # starts sooner
make_samples
cp "$root/workflows/nextflow/samples.csv" .
flow=$root/workflows/nextflow

# twin FOLDER ARGUMENT...: leaves $status, stdout (a line of JSON for each task) and stderr.
twin() {
  groovy "$root/tests/workflows/nextflow_twin.groovy" "$flow" "$@" > stdout 2> stderr
  status=$?
}
# The processes that ran, in order.
ran() { grep -o '"process":"[A-Z_]*"' stdout | cut -d '"' -f 4 | tr '\n' ' '; }

twin work --input samples.csv --fasta genome.fa --patterns guides.tsv --outdir results
expect_success
equal "the tasks" "$(ran)" "TRAWL_INDEX TRAWL_MAP TRAWL_MAP TRAWL_SCAN MULTIQC "
"$TRAWL" map --sort -R '@RG\tID:liver\tSM:liver' genome.fa reads/liver_L1_R1.fq.gz,reads/liver_L2_R1.fq.gz \
  reads/liver_L1_R2.fq.gz,reads/liver_L2_R2.fq.gz -o liver.bam 2> /dev/null
equal "liver: both lanes" "$(records work/TRAWL_MAP_2/liver.bam)" "$(records liver.bam)"
contains "liver: the read group of the config" <(samtools view -H work/TRAWL_MAP_2/liver.bam) "SM:liver"
"$TRAWL" map --sort -R '@RG\tID:heart\tSM:heart' genome.fa reads/heart.fq.gz -o heart.bam 2> /dev/null
equal "heart: single reads" "$(records work/TRAWL_MAP_3/heart.bam)" "$(records heart.bam)"
"$TRAWL" scan -k 4 --pam NGG genome.fa guides.tsv -o sites.tsv 2> /dev/null
same "sites" sites.tsv work/TRAWL_SCAN_4/sites.tsv
table=work/MULTIQC_5/multiqc_report_data/multiqc_general_stats.txt
equal "report: reads of liver" "$(column map_reads liver $table)" 1600
equal "report: reads of heart" "$(column map_reads heart $table)" 300
equal "report: patterns" "$(column scan_patterns sites $table)" 3
equal "versions" "$(cat results/versions.yml)" "multiqc: $(multiqc --version | grep -oE '[0-9][0-9.]*')
trawl: $("$TRAWL" --version | cut -d ' ' -f 2)"

# The stubs make the same outputs, but for what depends on the data. Without patterns there is no scan.
outputs() { grep -o '"outputs":.*' stdout | grep -o '"[a-z_]*":\[' | sort | uniq -c; }
outputs > real
twin stubs --stub --input samples.csv --fasta genome.fa --patterns guides.tsv --outdir stub_results
expect_success
outputs > stub
same "the stubs have the outputs of the real tasks" real stub
ok "a stub runs no trawl" test ! -s stubs/TRAWL_MAP_2/liver.bam
twin less --stub --input samples.csv --fasta genome.fa --outdir less_results
equal "without patterns" "$(ran)" "TRAWL_INDEX TRAWL_MAP TRAWL_MAP MULTIQC "

# Every format of the modules, real and stub, in a workflow of one's own.
mkdir own
cat > own/main.nf << EOF
include { TRAWL_MAP } from '$flow/modules/nf-core/trawl/map/main'
include { TRAWL_SCAN } from '$flow/modules/nf-core/trawl/scan/main'
workflow {
    def reads = channel.value([[id: 'heart', single_end: true], file('reads/heart.fq.gz')])
    def fasta = channel.value([[id: 'genome'], file('genome.fa')])
    params.map_formats.tokenize().each { format -> TRAWL_MAP(reads, fasta, format, format in ['bam', 'cram']) }
    params.scan_formats.tokenize().each { format ->
        TRAWL_SCAN(channel.value([[id: 'guides'], file('guides.tsv')]), fasta, format)
    }
    if (params.odd_pairs) {
        TRAWL_MAP(channel.value([[id: 'odd', single_end: false], file('reads/heart.fq.gz')]), fasta, 'bam', false)
    }
}
EOF
echo "params { map_formats = ''; scan_formats = ''; odd_pairs = null }" > own/nextflow.config
flow=$work/own
for stub in real --stub; do
  twin "formats$stub" ${stub#real} --map_formats "bam cram sam bed bed.gz" --scan_formats "bed bed.gz tsv sam"
  expect_success
  equal "$stub: the files" "$(cd "formats$stub" && find . -type f -name '*.*' ! -name 'command.*' ! -name 'eval.*' ! -name '*_mqc.json' | sort -V | tr '\n' ' ')" \
    "./TRAWL_MAP_1/heart.bam ./TRAWL_MAP_1/heart.bam.bai ./TRAWL_MAP_1/heart.trawl.json \
./TRAWL_MAP_2/heart.cram ./TRAWL_MAP_2/heart.cram.crai ./TRAWL_MAP_2/heart.trawl.json \
./TRAWL_MAP_3/heart.sam ./TRAWL_MAP_3/heart.trawl.json ./TRAWL_MAP_4/heart.bed ./TRAWL_MAP_4/heart.trawl.json \
./TRAWL_MAP_5/heart.bed.gz ./TRAWL_MAP_5/heart.trawl.json ./TRAWL_SCAN_6/guides.bed ./TRAWL_SCAN_6/guides.trawl.json \
./TRAWL_SCAN_7/guides.bed.gz ./TRAWL_SCAN_7/guides.trawl.json ./TRAWL_SCAN_8/guides.trawl.json ./TRAWL_SCAN_8/guides.tsv \
./TRAWL_SCAN_9/guides.sam ./TRAWL_SCAN_9/guides.trawl.json "
done
ok "a stub's .gz is a gzip file" gzip -t formats--stub/TRAWL_MAP_5/heart.bed.gz

twin wrong --map_formats paf
equal "an unknown format: status" "$status" 1
contains "an unknown format" stderr "writes bam, cram, sam, bed or bed.gz, not 'paf'"
twin odd --odd_pairs 1
equal "a pair of one file: status" "$status" 1
contains "a pair of one file" stderr "odd has pairs, so it needs an even number of files"

# The twin itself: a task that fails, and one that does not write its output, are errors.
mkdir -p bad/modules
cat > bad/modules/main.nf << 'EOF'
process BAD {
    input:
    val command

    output:
    path("out.txt"), emit: text

    script:
    """
    ${command}
    """
}
EOF
printf "include { BAD } from './modules/main'\nworkflow {\n    BAD(params.command)\n}\n" > bad/main.nf
echo "params { command = null }" > bad/nextflow.config
flow=$work/bad
twin bad_work --command 'echo x > out.txt'
expect_success
twin bad_work2 --command 'echo why >&2; exit 3'
contains "the twin: a task that fails" stderr "BAD ended with 3: why"
twin bad_work3 --command 'true'
contains "the twin: no output" stderr "no file for output text"

finish
