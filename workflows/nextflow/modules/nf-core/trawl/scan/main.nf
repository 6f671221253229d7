process TRAWL_SCAN {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/trawl:0.2.0'
        : 'quay.io/biocontainers/trawl:0.2.0'}"

    input:
    tuple val(meta), path(patterns, stageAs: 'patterns/*')
    tuple val(meta2), path(reference)
    val format

    output:
    tuple val(meta), path("${prefix}.{bed,bed.gz,tsv,sam}"), emit: sites
    tuple val(meta), path("${prefix}.trawl.json"), emit: stats
    tuple val(meta), path("*_mqc.json"), emit: multiqc
    tuple val("${task.process}"), val('trawl'), eval("trawl --version | sed 's/^trawl //'"), topic: versions, emit: versions_trawl

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    if (!(format in ['bed', 'bed.gz', 'tsv', 'sam'])) {
        error("TRAWL_SCAN writes bed, bed.gz, tsv or sam, not '${format}'")
    }
    """
    trawl scan \\
        --progress off \\
        --threads ${task.cpus} \\
        ${args} \\
        --stats ${prefix}.trawl.json \\
        --multiqc ${prefix}_mqc.json \\
        --output ${prefix}.${format} \\
        ${reference} \\
        ${patterns}
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    def output = format == 'bed.gz' ? "echo \"\" | gzip > ${prefix}.bed.gz" : "touch ${prefix}.${format}"
    """
    ${output}
    touch ${prefix}.trawl.json
    touch ${prefix}_mqc.json
    """
}
