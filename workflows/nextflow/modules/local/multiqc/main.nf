process MULTIQC {
    label 'process_single'

    conda "${moduleDir}/environment.yml"
    container 'community.wave.seqera.io/library/multiqc:1.35--c17fb751507e9dfc'

    input:
    path(files, stageAs: 'input/*')

    output:
    path("multiqc_report.html"), emit: report
    path("multiqc_report_data"), emit: data
    tuple val("${task.process}"), val('multiqc'), eval("multiqc --version | sed 's/.* //'"), topic: versions, emit: versions_multiqc

    script:
    def args = task.ext.args ?: ''
    """
    multiqc --force ${args} --filename multiqc_report.html input
    """

    stub:
    """
    touch multiqc_report.html
    mkdir multiqc_report_data
    """
}
