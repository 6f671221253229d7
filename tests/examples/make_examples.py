"""Writes a C++ program from the examples in the comments of the headers: one function an example.

    make_examples.py ROOT OUT.cpp ROOM...    for the headers of these rooms, such as io/write

An example is a paragraph of code in a comment, three spaces in; several that follow each other are one example:

    // Letters of many short sequences, kept together.
    //
    //   LetterStore store;
    //   store.keep("GATTACA") == "GATTACA"     a line that does not end in ; holds: it becomes a check
    //   while (more()) { ... }                 the dots are left out

What it needs stands above its code. With a value the example runs, without one it is only compiled:

    //   with: const Reference reference = reference_of("GATTACA")
    //   with: const ReadBatch& reads, int threads

Paragraphs that look like no code are left alone: none of their lines ends in ; or {, has a ==, or is a call with words
after //.
"""

import pathlib
import re
import sys

MOST_LINES = 8
NO_EXAMPLES = pathlib.Path(__file__).parent / "no_examples.txt"
COMMENT = re.compile(r"^\s*///?(.*)$")
KEYWORD = re.compile(r"(for|while|if|else|do|switch|case|struct|class|public|private|enum)\b")
CALL = re.compile(r"\w[^ ]*\(.*\)\S* +// ")
RELATION = re.compile(r" (==|!=|<|>|<=|>=) ")
OPENERS, CLOSERS = "([{", ")]}"


def without_comment(line):
    """The code of a line, without the words after // (unless they are in a string)."""
    quoted = ""
    for i, letter in enumerate(line):
        if quoted:
            if letter == quoted and line[i - 1] != "\\":
                quoted = ""
        elif letter == '"' or (letter == "'" and not line[i - 1 : i].isdigit()):
            quoted = letter
        elif line.startswith("//", i):
            return line[:i].rstrip()
    return line.rstrip()


def without_strings(code):
    return re.sub(r'"(\\.|[^"\\])*"|(?<!\d)\'(\\.|[^\'\\])+\'', '""', code)


def looks_like_code(paragraph):
    codes = [without_strings(without_comment(text)) for _, text in paragraph]
    return any(code.endswith((";", "{")) or " == " in code for code in codes) or any(
        text.startswith("with: ") or CALL.match(text) for _, text in paragraph
    )


def examples(text):
    """The examples of a header: lists of (line number, code)."""
    found, paragraphs, paragraph = [], [], []

    def end_paragraph():
        if paragraph and looks_like_code(paragraph):
            paragraphs.append(paragraph[:])
        paragraph.clear()

    def end_example():
        end_paragraph()
        if paragraphs:
            found.append([line for one in paragraphs for line in one])
        paragraphs.clear()

    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        if comment and comment[1].startswith("   "):
            paragraph.append((number, comment[1][3:]))
        elif comment and not comment[1].strip():
            end_paragraph()
        else:
            end_example()
    end_example()
    return found


def is_check(code):
    """Whether a line is a whole expression that must hold."""
    balanced = all(code.count(opener) == code.count(closer) for opener, closer in zip(OPENERS, CLOSERS))
    is_list = code.endswith("}") and RELATION.search(code)
    return balanced and (is_list or code[-1] not in ";{},=?:&|+-<") and not KEYWORD.match(code)


def check(code):
    """`a == b` becomes two arguments, so that b can be a list in braces."""
    left, _, right = code.rpartition(" == ")
    if " == " in without_strings(left) and "," in left:
        sys.exit(f"one check a line, please: {code}")
    if left and right.count("(") == right.count(")") and not re.search(r" (&&|\|\|) ", code):
        return f"TRAWL_EQUAL(({left}), {right});"
    return f"TRAWL_TRUE({code});"


def body(example, path):
    """(what it needs, its code, whether it can run)."""
    needs, lines, runs = [], [], True
    goes_on = False  # the statement of the line before
    for number, text in example:
        if text.startswith("with: "):
            wish = without_comment(text[len("with: ") :])
            if " = " in wish:
                lines.append(f'#line {number} "{path}"\n  {wish};')
            else:
                needs.append(wish)
                runs = False
            continue
        code = without_comment(text)
        if not code.strip():
            continue
        code = code.replace("{ ... }", "{}")
        bare = without_strings(code).strip()
        if not goes_on and is_check(bare):
            code = check(code.strip())
            bare = ";"
        goes_on = bare[-1] not in ";{}:"
        lines.append(f'#line {number} "{path}"\n  {code}')
    return ", ".join(needs), lines, runs


def namespace_of(text):
    """That in which a header declares its own names: the last one."""
    names = re.findall(r"^namespace (trawl[\w:]*) \{", text, re.MULTILINE)
    return names[-1] if names else "trawl"


def without_examples():
    """{header: why it has none}"""
    lines = [line for line in NO_EXAMPLES.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(None, 1) for line in lines)


def program(root, rooms):
    exempt = without_examples()
    includes, functions, calls = [], [], []
    for header in (header for room in rooms for header in sorted((root / room).glob("*.hpp"))):
        path = header.relative_to(root).as_posix()
        text = header.read_text()
        found = examples(text)
        if bool(found) == (path in exempt):
            problem = "has an example, but no_examples.txt names it" if found else "has no example"
            calls.append(f'fail("{path}", 1, "{problem}");')
        if not found:
            continue
        includes.append(f'#include "{path.removeprefix("src/")}"\n')
        namespace = namespace_of(text)
        for example in found:
            number = example[0][0]
            if sum(not text.startswith("with: ") for _, text in example) > MOST_LINES:
                calls.append(f'fail("{path}", {number}, "an example has at most {MOST_LINES} lines");')
            name = re.sub(r"\W", "_", path) + f"_{number}"
            needs, lines, runs = body(example, path)
            code = "\n".join(lines)
            functions.append(f"namespace {namespace} {{\nstatic void {name}({needs}) {{\n{code}\n}}\n}}\n")
            if runs:
                calls.append(f'run("{path}", {number}, {namespace}::{name});')
    return (
        '#include "tests/examples/checks.hpp"\n'
        + "".join(includes)
        + "\nusing trawl::examples::read_of;\nusing trawl::examples::reference_of;\n\n"
        + "\n".join(functions)
        + "\nvoid trawl::examples::run_all() {\n  "
        + "\n  ".join(calls)
        + "\n}\n"
    )


def main():
    root, out, rooms = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    gone = [path for path in without_examples() if not (root / path).is_file()]
    if gone:
        sys.exit(f"{NO_EXAMPLES.name} names what is not there: {' '.join(gone)}")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(program(root, rooms))


if __name__ == "__main__":
    main()
