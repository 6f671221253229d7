process TRAWL_INDEX {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/trawl:0.2.0'
        : 'quay.io/biocontainers/trawl:0.2.0'}"

    input:
    tuple val(meta), path(fasta)

    output:
    tuple val(meta), path("*.trawl"), emit: index
    tuple val("${task.process}"), val('trawl'), eval("trawl --version | sed 's/^trawl //'"), topic: versions, emit: versions_trawl

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    trawl index \\
        --progress off \\
        --threads ${task.cpus} \\
        ${args} \\
        --output ${prefix}.trawl \\
        ${fasta}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.trawl
    """
}
