// Evaluates parts of Nextflow files, which are Groovy, without Nextflow, which no package registry has as a program. Each
// line of the standard input is one part, as JSON:
//
//   {"file": "map/main.nf", "part": "script", "folder": "work/1", "args": "-e 5", "meta": {"id": "liver"}, "format": "bam"}
//       the command of a task, to work/1/command.sh, and patterns of the files that it must make, to work/1/outputs
//   {"file": "map/main.nf", "part": "container", "workflow": {"containerEngine": "docker"}}     a directive: is printed
//   {"file": "main.nf", "part": "join_lanes", "arguments": ["liver", [["a.fq"]], [false]]}      a function: the same
//
// Other names are variables. What the part calls error() with is printed.
import groovy.json.JsonOutput
import groovy.json.JsonSlurper

class Failure extends RuntimeException {
    Failure(String text) { super(text) }
}

System.in.eachLine { line ->
    def given = new JsonSlurper().parseText(line)
    // Groovy 2.4 has no line ends within "${ }".
    def text = new File(given.file).text.replaceAll(/\n\s+([?:] ')/, ' $1').replaceAll(/(?m)^include .*$/, '')
    def shell = new GroovyShell(new Binding(given + [
        task: [cpus: 2, ext: [args: given.args]],
        error: { message -> throw new Failure(message.toString()) },
        file: { Map options, name -> name }
    ]))
    def section = { name -> (text =~ /(?ms)^    $name:\n(.*?)(?=^    \w+:\n|^\}$)/)[0][1] }
    try {
        if (given.arguments != null) {
            println JsonOutput.toJson(shell.parse(text).invokeMethod(given.part, given.arguments as Object[]))
        } else if (!given.folder) {
            println shell.evaluate((text =~ /(?m)^    ${given.part} (.*)$/)[0][1])
        } else {
            new File(given.folder).mkdirs()
            new File(given.folder, 'command.sh').text = shell.evaluate(section(given.part))
            new File(given.folder, 'outputs').text = section('output').readLines()
                .findAll { it.contains('path(') && !it.contains('optional: true') }
                .collect { shell.evaluate((it =~ /path\((".*?")\)/)[0][1]) + '\n' }.join()
        }
    } catch (Failure failure) {
        println failure.message
    }
}
