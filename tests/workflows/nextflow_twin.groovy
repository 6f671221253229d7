// Runs a small Nextflow workflow without Nextflow, which no package registry has as a program: the files are read as the
// Groovy that they are, channels are lists, and every task runs in a folder of its own, as bash -euo pipefail.
//
//   groovy nextflow_twin.groovy WORKFLOW_FOLDER WORK_FOLDER [--stub] [--NAME VALUE ...]     // a parameter of the workflow
//   groovy nextflow_twin.groovy WORKFLOW_FOLDER --container docker|singularity MODULE/main.nf
//
// It knows only what main.nf, nextflow.config and the modules here use. It checks what Nextflow checks of a task: its
// inputs by number and shape, its exit status, and that every output that is not optional exists. It then prints a line
// of JSON for each task.
import groovy.json.JsonOutput
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.Paths
import org.codehaus.groovy.control.CompilerConfiguration

class Failure extends RuntimeException {
    Failure(String text) { super(text) }
}

// Names that are not variables stand for themselves, as `bam` in `emit: bam`.
class NameBinding extends Binding {
    NameBinding(Map variables) { super(new LinkedHashMap(variables)) }
    Object getVariable(String name) { hasVariable(name) ? super.getVariable(name) : name }
}

class Part {
    String kind
    Object value
    Map options = [:]
}

abstract class Declarations extends Script {
    Part val(value) { new Part(kind: 'val', value: value) }
    Part path(Map options = [:], value) { new Part(kind: 'path', value: value, options: options) }
    Part eval(value) { new Part(kind: 'eval', value: value) }
    Map tuple(Map options = [:], Part... parts) {
        def declared = [parts: parts.toList(), options: options]
        getBinding().getVariable('declared') << declared
        declared
    }
}

// What a workflow may call besides its processes.
abstract class WorkflowScript extends Script {
    def error(text) { throw new Failure(text.toString()) }
    Path file(Map options = [:], name) {
        def found = Paths.get(name.toString()).toAbsolutePath()
        if (options.checkIfExists && !Files.exists(found)) { throw new Failure("no such file: ${name}") }
        found
    }
    void workflow(Closure body) { body.call() }
    def methodMissing(String name, arguments) { getBinding().getVariable('processes').run(name, arguments.toList()) }
}

class Channel {
    List items
    boolean isValue = false

    Channel(List items, boolean isValue = false) {
        this.items = items
        this.isValue = isValue
    }
    // A closure with several parameters takes a tuple apart.
    Channel map(Closure change) { new Channel(items.collect { it instanceof List ? change.call(*(change.maximumNumberOfParameters > 1 ? it : [it])) : change.call(it) }, isValue) }
    Channel mix(Channel other) { new Channel(items + other.items) }
    Channel unique() { new Channel(items.unique(false)) }
    // Takes lists apart, as Nextflow does.
    Channel collect() { new Channel([items.flatten()], true) }
    Channel groupTuple() {
        def groups = items.groupBy { it[0] }
        new Channel(groups.collect { key, rows -> [key] + rows.collect { it.drop(1) }.transpose() })
    }
    Channel splitCsv(Map options) {
        def rows = []
        items.each { sheet ->
            def lines = sheet.toFile().readLines().findAll { it.trim() }
            def names = lines[0].split(',', -1)*.trim()
            lines.drop(1).each { line ->
                def values = line.split(',', -1)*.trim()
                rows << [names, values].transpose().collectEntries { it }
            }
        }
        new Channel(rows)
    }
    Channel collectFile(Map options) {
        def folder = new File(options.storeDir.toString())
        folder.mkdirs()
        new File(folder, options.name).text = (options.sort ? items.sort(false) : items).collect { it + '\n' }.join('')
        this
    }
}

class Channels {
    Map<String, List> topics = [:]
    Channel value(item) { new Channel([item], true) }
    Channel fromPath(Map options = [:], name) {
        def found = Paths.get(name.toString()).toAbsolutePath()
        if (options.checkIfExists && !Files.exists(found)) { throw new Failure("no such file: ${name}") }
        new Channel([found])
    }
    Channel topic(String name) { new Channel(topics.get(name, [])) }
}

class Process {
    static final SECTIONS = ['input', 'output', 'when', 'script', 'stub']
    String name
    Path file
    Map<String, String> sections = [:].withDefault { '' }

    Process(Path file) {
        this.file = file
        // Groovy 2.4 has no line ends within "${ }".
        def text = file.toFile().text.replaceAll(/\n\s+([?:] ')/, ' $1')
        name = (text =~ /(?m)^process\s+(\w+)\s*\{/)[0][1]
        def section = 'directives'
        text.readLines().findAll { !(it ==~ /process .*/) && it != '}' }.each { line ->
            def label = line =~ /^\s*(\w+):\s*$/
            if (label.matches() && label[0][1] in SECTIONS) {
                section = label[0][1]
            } else {
                sections[section] += line + '\n'
            }
        }
        // A syntax error is found wherever it is. input: and output: are not Groovy as they are: see declarations().
        sections.findAll { !(it.key in ['input', 'output']) }.values().each { new GroovyShell().parse(it) }
    }

    static evaluate(String text, Map variables, Class base = Script) {
        def settings = new CompilerConfiguration()
        settings.scriptBaseClass = base.name
        def shell = new GroovyShell(Process.classLoader, base == Declarations ? new NameBinding(variables) : new Binding(variables), settings)
        shell.evaluate(text)
    }

    // One for each channel. A line without tuple declares a single value, here a tuple of one.
    List declarations(String section, Map variables) {
        def declared = []
        sections[section].readLines().collect { it.trim() }.findAll { it && !it.startsWith('//') }.each { line ->
            def whole = line.replaceAll(/^(val|path)\s+(\w+)$/, '$1($2)')
            evaluate(whole.startsWith('tuple ') ? whole : "tuple ${whole}".toString(), variables + [declared: declared], Declarations)
        }
        declared
    }

    String container(String engine) {
        def text = sections.directives.readLines()*.trim().find { it.startsWith('container ') }.substring('container '.length())
        evaluate(text, [workflow: [containerEngine: engine], task: [ext: [:]], moduleDir: file.parent]).toString()
    }
}

// What TRAWL_MAP.out is asked of. The process may run again.
class Ran {
    Map out
    Processes processes
    String name
    def call(Object... arguments) { processes.run(name, arguments.toList()) }
}

class Processes {
    Map<String, Process> known = [:]
    Map config
    Map params
    Path work
    boolean stub
    Channels channels
    Binding results
    int tasks = 0

    def run(String name, List arguments) {
        def process = known[name]
        if (process == null) { throw new Failure("${name} is not a process") }
        def inputs = process.declarations('input', [:])
        if (inputs.size() != arguments.size()) { throw new Failure("${name} takes ${inputs.size()} inputs, not ${arguments.size()}") }
        def given = arguments.collect { it instanceof Channel ? it : new Channel([it], true) }
        def queues = given.findAll { !it.isValue }
        def count = queues ? queues*.items*.size().min() : 1
        def out = [:]
        (0..<count).each { i ->
            def values = given.collect { it.isValue ? it.items[0] : it.items[i] }
            runTask(process, inputs, values).each { emit, value -> out.get(emit, []) << value }
        }
        def channelsOut = process.declarations('output', [task: [process: name]].withDefault { '' }).collectEntries {
            [it.options.emit, new Channel(out.get(it.options.emit, []), queues.isEmpty())]
        }
        results.setVariable(name, new Ran(out: channelsOut, processes: this, name: name))
        channelsOut
    }

    Map runTask(Process process, List inputs, List values) {
        def folder = work.resolve("${process.name}_${++tasks}")
        Files.createDirectories(folder)
        def variables = [moduleDir: process.file.parent, params: params, workflow: [containerEngine: 'none']]
        [inputs, values].transpose().each { declared, value ->
            def parts = declared.parts.size() == 1 ? [value] : value
            if (!(parts instanceof List) || parts.size() != declared.parts.size()) {
                throw new Failure("${process.name}: ${declared.parts*.value} does not fit ${value}")
            }
            [declared.parts, parts].transpose().each { part, item -> variables[part.value] = part.kind == 'path' ? stage(item, folder, part) : item }
        }
        def task = [cpus: 2, process: process.name, ext: settings(process.name, variables)]
        variables.task = task
        variables.error = { text -> throw new Failure(text.toString()) }
        def binding = new Binding(variables)
        def shell = new GroovyShell(Process.classLoader, binding)
        if (process.sections.when.trim() && !shell.evaluate(process.sections.when)) { return [:] }
        def command = shell.evaluate(process.sections[stub ? 'stub' : 'script']).toString()
        def rc = bash(command, folder, 'command')
        if (rc != 0) { throw new Failure("${process.name} ended with ${rc}: ${folder.resolve('command.err').toFile().text}\n${command}") }
        def seen = [process: process.name, folder: folder.toString(), outputs: [:]]
        def out = [:]
        process.declarations('output', binding.variables).each { declared ->
            def parts = declared.parts.collect { output(it, folder, process.name) }
            if (parts.any { it == null }) {
                if (!declared.options.optional) { throw new Failure("${process.name}: no file for output ${declared.options.emit}") }
                return
            }
            def value = parts.size() == 1 ? parts[0] : parts
            out[declared.options.emit] = value
            seen.outputs[declared.options.emit] = parts.collect { it instanceof List ? it*.toString() : it.toString() }
            if (declared.options.topic) { channels.topics.get(declared.options.topic, []) << value }
        }
        println JsonOutput.toJson(seen)
        out
    }

    // Links the files into the task's folder. The script sees their names only.
    def stage(item, Path folder, Part part) {
        def names = (item instanceof List ? item : [item]).collect { source ->
            def name = (part.options.stageAs ?: '*').toString().replace('*', source.fileName.toString())
            def link = folder.resolve(name)
            Files.createDirectories(link.parent)
            if (Files.exists(link)) { throw new Failure("two inputs have the name ${name}") }
            Files.createSymbolicLink(link, source.toAbsolutePath())
            Paths.get(name)
        }
        item instanceof List ? names : names[0]
    }

    def output(Part part, Path folder, String name) {
        if (part.kind == 'val') { return part.value.toString() }
        if (part.kind == 'eval') {
            if (bash(part.value.toString(), folder, 'eval') != 0) { throw new Failure("${name}: ${part.value} failed") }
            return folder.resolve('eval.out').toFile().text.trim()
        }
        def matcher = FileSystems.default.getPathMatcher("glob:${part.value}")
        def found = folder.toFile().listFiles().findAll { !Files.isSymbolicLink(it.toPath()) && matcher.matches(Paths.get(it.name)) }.sort()*.toPath()
        found.isEmpty() ? null : found.size() == 1 ? found[0] : found
    }

    int bash(String command, Path folder, String name) {
        folder.resolve("${name}.sh").toFile().text = command
        new ProcessBuilder('bash', '-euo', 'pipefail', "${name}.sh").directory(folder.toFile())
            .redirectOutput(folder.resolve("${name}.out").toFile()).redirectError(folder.resolve("${name}.err").toFile())
            .start().waitFor()
    }

    Map settings(String name, Map variables) {
        def args = (config.process ?: [:])["withName:${name}"]?.ext?.args
        if (args instanceof Closure) {
            args = args.clone()
            args.delegate = variables
            args.resolveStrategy = Closure.DELEGATE_FIRST
            args = args.call()
        }
        [args: args?.toString()]
    }
}

// nextflow.config: params { }, process { withName: X { } }, profiles { } and manifest { }.
class ConfigPart {
    Map values
    Map params
    ConfigPart(Map values, Map params) {
        this.values = values
        this.params = params
    }
    void setProperty(String name, value) { name in ['values', 'params'] ? (this.@"${name}" = value) : values.put(name, value) }
    def getProperty(String name) { name in ['values', 'params'] ? this.@"${name}" : name == 'ext' ? new ConfigPart(values.get('ext', [:]), params) : name in ['docker', 'singularity', 'conda'] ? new ConfigPart([:], params) : values[name] }
    def methodMissing(String name, arguments) {
        if (arguments.length == 1 && arguments[0] instanceof Closure) {
            def inner = values.get(name, [:])
            def body = arguments[0].clone()
            body.delegate = new ConfigPart(inner, params)
            body.resolveStrategy = Closure.DELEGATE_FIRST
            body.call()
        } else {
            values["${name}:${arguments[0]}"] = arguments.length > 1 ? arguments[1] : arguments[0]
        }
    }
}

Map readConfig(Path file) {
    // `withName: X { }` is Nextflow's own; in Groovy it is a call with the name of the process.
    def text = file.toFile().text.replaceAll(/with(Name|Label):\s*(\w+)\s*\{/, "'with\$1:\$2' {").replaceAll(/\b\d+\.GB\b/, '0')
    def config = [:]
    def body = new GroovyShell().evaluate("{ -> ${text}\n}")
    body.delegate = new ConfigPart(config, config.get('params', [:]))
    body.resolveStrategy = Closure.DELEGATE_FIRST
    body.call()
    config
}

def arguments = args.toList()
def home = Paths.get(arguments.remove(0)).toAbsolutePath()
try {
    if (arguments[0] == '--container') {
        println new Process(Paths.get(arguments[2])).container(arguments[1])
        return
    }
    def work = Paths.get(arguments.remove(0)).toAbsolutePath()
    def config = readConfig(home.resolve('nextflow.config'))
    def params = config.params
    def stub = arguments.remove('--stub')
    arguments.collate(2).each { name, value -> params[name.substring(2)] = value }

    def text = home.resolve('main.nf').toFile().text
    def processes = new Processes(config: config, params: params, work: work, stub: stub, channels: new Channels())
    (text =~ /include \{ (\w+)\s*\} from '(.*)'/).each { all, name, module ->
        def process = new Process(home.resolve("${module}.nf"))
        if (process.name != name) { throw new Failure("${module} has ${process.name}, not ${name}") }
        processes.known[name] = process
    }
    def settings = new CompilerConfiguration()
    settings.scriptBaseClass = WorkflowScript.name
    def binding = new Binding(processes: processes, params: params, channel: processes.channels)
    processes.results = binding
    new GroovyShell(this.class.classLoader, binding, settings).evaluate(text.replaceAll(/(?m)^include .*$/, ''))
} catch (Failure failure) {
    System.err.println "nextflow_twin: ${failure.message}"
    System.exit(1)
}
