"""option_types.py FOLDER FILE: writes the types of the options, from the table of the compiled module in FOLDER, for type
checkers: with them, map(reads, reprot="x") is an error."""

import keyword
import sys

sys.path.insert(0, sys.argv[1])
import _native  # noqa: E402


def type_of(value: str, words: list[str]) -> str:
    if not value:
        return "bool"
    if words:
        return f"Literal[{', '.join(map(repr, words))}]"
    return "int" if value == "N" else "str | int | float | PathLike[str] | Sequence[str | int]"


lines = ["from collections.abc import Sequence", "from os import PathLike", "from typing import Literal, TypedDict", "",
         "from typing_extensions import Unpack as Unpack"]
for command in "map", "scan":
    table = [(name.replace("-", "_"), type_of(value, words)) for name, value, _, _, words in _native.option_table(command)]
    others = {"edits": "max_edits", "device": "engine"}
    table += [(other, dict(table)[name]) for other, name in others.items()]
    lines += ["", f"class {command.title()}Options(TypedDict, total=False):"]
    lines += [f"    {name}: {kind} | None" for name, kind in table if not keyword.iskeyword(name)]
with open(sys.argv[2], "w") as file:
    file.write("\n".join(lines) + "\n")
