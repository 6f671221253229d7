"""Options, progress and files, from what Python has to what the library takes."""

from __future__ import annotations

import inspect
import keyword
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from trawl import _native
from trawl._errors import UsageError


def option_pairs(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and texts of options. None leaves an option out; a list or a tuple is joined by commas.

    >>> option_pairs({"edits": "5%", "eqx": True, "devices": [0, 1], "max_hits": None})
    [('edits', '5%'), ('eqx', 'true'), ('devices', '0,1')]
    """
    return [(name, _text(value)) for name, value in options.items() if value is not None]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def option_table(command: str) -> list[dict[str, Any]]:
    """The options that mapping (`"map"`) or scanning (`"scan"`) takes: name, value, default, help, words.

    >>> import trawl
    >>> [option["default"] for option in trawl.option_table("scan") if option["name"] == "strand"]
    ['both']
    """
    keys = ("name", "value", "default", "help", "words")
    return [dict(zip(keys, option)) for option in _native.option_table(command)]


Function = TypeVar("Function", bound=Callable[..., Any])


def takes_options(command: str) -> Callable[[Function], Function]:
    """Names the options of a command in the signature of a function that takes them as **options."""
    names = [option["name"].replace("-", "_") for option in option_table(command)] + ["edits", "device"]
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names
             if not keyword.iskeyword(name)]

    def named(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=own + added)  # type: ignore[attr-defined]
        return function

    return named


def counted(number: int, one: str, many: str = "") -> str:
    """
    >>> counted(1, "contig"), counted(1200, "row")
    ('1 contig', '1,200 rows')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def window_size(given: Any) -> int:
    """A number of bases from 1 on."""
    if isinstance(given, bool) or not hasattr(given, "__index__") or operator.index(given) < 1:
        raise UsageError(f"a window is a whole number of bases from 1 on, not {given!r}")
    return operator.index(given)


def progress_callback(progress: Any) -> Any:
    """A callable of (done, total): the one given, or one that moves a bar of tqdm."""
    if progress is None or callable(progress):
        return progress
    if not (hasattr(progress, "update") and hasattr(progress, "n")):
        raise UsageError("progress is a callable of (done, total), or a bar of tqdm")

    def move(done: int, total: int) -> None:
        if total:
            progress.total = total
        progress.update(done - progress.n)

    return move


def is_path(given: Any) -> bool:
    """Whether `given` names a file. A str does if it has a dot or a slash, which no sequence has.

    >>> is_path("genome.fa"), is_path("data/genome"), is_path("GATTACA"), is_path(b"reads.fq")
    (True, True, False, False)
    """
    return isinstance(given, os.PathLike) or (isinstance(given, str) and ("." in given or "/" in given))


def file_list(given: Any) -> str:
    """The name of a file, or of several with commas between them.

    >>> file_list(["lane1.fq", "lane2.fq"])
    'lane1.fq,lane2.fq'
    """
    if given is None:
        return ""
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    if isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)):
        return ",".join(os.fspath(one) for one in given)
    raise UsageError(f"a file is a str, a path or a list of these, not {type(given).__name__}")
