process TRAWL_MAPPABILITY {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/trawl:0.2.0'
        : 'quay.io/biocontainers/trawl:0.2.0'}"

    input:
    tuple val(meta), path(reference)
    tuple val(meta2), path(regions)
    val length
    val format

    output:
    tuple val(meta), path("${prefix}.{bedgraph,bedgraph.gz,bw}"), emit: mappability
    tuple val(meta), path("${prefix}.trawl.json"), emit: stats
    tuple val("${task.process}"), val('trawl'), eval("trawl --version | sed 's/^trawl //'"), topic: versions, emit: versions_trawl

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    if (!(format in ['bedgraph', 'bedgraph.gz', 'bw'])) {
        error("TRAWL_MAPPABILITY writes bedgraph, bedgraph.gz or bw, not '${format}'")
    }
    def regions_of = regions ? "--regions ${regions}" : ''
    """
    trawl mappability \\
        --progress off \\
        --threads ${task.cpus} \\
        --length ${length} \\
        ${args} \\
        ${regions_of} \\
        --stats ${prefix}.trawl.json \\
        --output ${prefix}.${format} \\
        ${reference}
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    def output = format == 'bedgraph.gz' ? "echo \"\" | gzip > ${prefix}.bedgraph.gz" : "touch ${prefix}.${format}"
    """
    ${output}
    touch ${prefix}.trawl.json
    """
}
