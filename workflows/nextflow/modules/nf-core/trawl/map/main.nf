process TRAWL_MAP {
    tag "${meta.id}"
    label 'process_high'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/trawl:0.2.0'
        : 'quay.io/biocontainers/trawl:0.2.0'}"

    input:
    tuple val(meta), path(reads)
    tuple val(meta2), path(reference)
    val format
    val sort

    output:
    tuple val(meta), path("${prefix}.bam"), emit: bam, optional: true
    tuple val(meta), path("${prefix}.cram"), emit: cram, optional: true
    tuple val(meta), path("${prefix}.sam"), emit: sam, optional: true
    tuple val(meta), path("${prefix}.bed{,.gz}"), emit: bed, optional: true
    tuple val(meta), path("${prefix}.{bam.bai,bam.csi,cram.crai}"), emit: index, optional: true
    tuple val(meta), path("${prefix}.trawl.json"), emit: stats
    tuple val(meta), path("*_mqc.json"), emit: multiqc
    tuple val("${task.process}"), val('trawl'), eval("trawl --version | sed 's/^trawl //'"), topic: versions, emit: versions_trawl

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    if (!(format in ['bam', 'cram', 'sam', 'bed', 'bed.gz'])) {
        error("TRAWL_MAP writes bam, cram, sam, bed or bed.gz, not '${format}'")
    }
    // Lanes of a sample: single reads one after the other; pairs as R1, R2, R1, R2, ...
    def files = reads instanceof List ? reads : [reads]
    def mates = meta.single_end ? [files] : files.collate(2).transpose()
    if (!meta.single_end && files.size() % 2 != 0) {
        error("TRAWL_MAP: ${meta.id} has pairs, so it needs an even number of files")
    }
    def input = mates.collect { lanes -> lanes.join(',') }.join(' ')
    def sorted = sort ? '--sort' : ''
    """
    trawl map \\
        --progress off \\
        --threads ${task.cpus} \\
        ${args} \\
        ${sorted} \\
        --stats ${prefix}.trawl.json \\
        --multiqc ${prefix}_mqc.json \\
        --output ${prefix}.${format} \\
        ${reference} \\
        ${input}
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    def index_of = [bam: 'bam.bai', cram: 'cram.crai']
    def index = sort ? "touch ${prefix}.${index_of[format]}" : ''
    def output = format == 'bed.gz' ? "echo \"\" | gzip > ${prefix}.bed.gz" : "touch ${prefix}.${format}"
    """
    ${output}
    ${index}
    touch ${prefix}.trawl.json
    touch ${prefix}_mqc.json
    """
}
