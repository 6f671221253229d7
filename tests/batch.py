"""batch.py OUT FILE...: makes one file of several tests, as the headers that they share are most of what a compiler reads.

    a_test.cpp:  #include "base/error.hpp"      OUT:  #include "base/error.hpp"
                 TEST_CASE("a") {}                    #include "base/packer.hpp"
    b_test.cpp:  #include "base/packer.hpp"           namespace a_test { TEST_CASE("a") {} }
                 TEST_CASE("b") {}                    namespace b_test { TEST_CASE("b") {} }

Each test has a namespace of its own, so two of them can give one name to different things. The lines of a test keep their
numbers and the name of their file.
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r"#include [<\"].*")


def main(out, files):
    includes = {}  # in their order, each once
    bodies = []
    for file in map(Path, files):
        lines = file.read_text().splitlines()
        places = [i for i, line in enumerate(lines) if INCLUDE.match(line)]
        includes.update((lines[i], None) for i in places)
        body = "\n".join("" if INCLUDE.match(line) else line for line in lines)
        bodies.append(f'namespace {file.stem} {{\n#line 1 "{file}"\n{body}\n}}\n')
    Path(out).write_text("\n".join(includes) + "\n" + "".join(bodies))


main(sys.argv[1], sys.argv[2:])
