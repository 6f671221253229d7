// Maps the samples of a sheet with Trawl, and makes one MultiQC report. docs/workflows.md says how to use it.
//
//   nextflow run workflows/nextflow --input samples.csv --fasta genome.fa -profile docker

include { TRAWL_INDEX } from './modules/nf-core/trawl/index/main'
include { TRAWL_MAP   } from './modules/nf-core/trawl/map/main'
include { TRAWL_SCAN  } from './modules/nf-core/trawl/scan/main'
include { MULTIQC     } from './modules/local/multiqc/main'

// [sample, files, has R2] of a line of the sheet. Relative paths are relative to where Nextflow was started.
def read_row(row) {
    if (!row.sample || !row.fastq_1) {
        error("The sheet of samples: a line has a sample and its fastq_1, with a comma between them: ${row}")
    }
    def names = row.fastq_2 ? [row.fastq_1, row.fastq_2] : [row.fastq_1]
    return [row.sample, names.collect { name -> file(name, checkIfExists: true) }, names.size() == 2]
}

// [meta, files] of all lines of a sample: its lanes.
def join_lanes(sample, lanes, paired) {
    if (paired.unique(false).size() > 1) {
        error("The sheet of samples: ${sample} has lanes with and without fastq_2; give them two names")
    }
    return [[id: sample, single_end: !paired[0]], lanes.flatten()]
}

workflow {
    if (!params.input || !params.fasta) {
        error("Give the sheet of samples and the reference: --input samples.csv --fasta genome.fa")
    }
    def fasta = file(params.fasta, checkIfExists: true)
    TRAWL_INDEX(channel.value([[id: 'reference'], fasta]))

    def samples = channel.fromPath(params.input, checkIfExists: true)
        .splitCsv(header: true, strip: true)
        .map { row -> read_row(row) }
        .groupTuple()
        .map { sample, lanes, paired -> join_lanes(sample, lanes, paired) }
    TRAWL_MAP(samples, TRAWL_INDEX.out.index, 'bam', true)
    def reports = TRAWL_MAP.out.multiqc

    if (params.patterns) {
        def patterns = channel.value([[id: 'sites'], file(params.patterns, checkIfExists: true)])
        TRAWL_SCAN(patterns, TRAWL_INDEX.out.index, 'tsv')
        reports = reports.mix(TRAWL_SCAN.out.multiqc)
    }

    MULTIQC(reports.map { _meta, files -> files }.collect())

    channel.topic('versions')
        .map { _process, tool, version -> "${tool}: ${version}" }
        .unique()
        .collectFile(name: 'versions.yml', storeDir: params.outdir, newLine: true, sort: true)
}
