"""Results: named columns of one length."""

from __future__ import annotations

import html
import importlib
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from trawl import _native
from trawl._errors import UsageError
from trawl._options import counted

if TYPE_CHECKING:
    import pandas
    import polars

_CHUNK = 4096  # rows of which dicts are made at once


class _View:
    """What NumPy looks through, and keeps."""

    __slots__ = ("__array_interface__", "table")


def _numbers(table: _native.Table, name: str) -> npt.NDArray[Any]:
    address, kind, rows = table.place(name)
    if rows == 0:
        return np.empty(0, dtype=kind)
    view = _View()
    view.table = table
    view.__array_interface__ = {"data": (address, True), "shape": (rows,), "typestr": kind, "version": 3}
    return np.asarray(view)


class Table:
    """Columns with a name. Numbers are NumPy views: nothing is copied, and a view keeps what it shows.

    `len(table)` is the number of rows, `table["start"]` a column, `table[3]` a row, `table[10:20]` and
    `table[table["distance"] == 0]` tables of some rows. Any library that knows the Arrow C stream takes a table as it is:
    `polars.from_arrow(table)`, `pyarrow.table(table)`, `duckdb`. A table can be pickled.
    """

    _native: Any

    def __init__(self, native: Any, chosen: tuple[str, ...] | None = None) -> None:
        self._native = native
        self._named = chosen

    @property
    def _kinds(self) -> dict[str, str]:
        return self._native.kinds()

    @property
    def _chosen(self) -> tuple[str, ...]:
        return self._named or tuple(self._kinds)

    def keys(self) -> list[str]:
        """The names of the columns, in their order."""
        return list(self._chosen)

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Row by row, as dicts."""
        names = self._chosen
        for first in range(0, len(self), _CHUNK):
            columns = [self._values(name, first, min(first + _CHUNK, len(self))) for name in names]
            yield from (dict(zip(names, values)) for values in zip(*columns))

    def __getitem__(self, key: Any) -> Any:
        """A column, by its name: an array with an entry for each row. A row, by its number: a dict. A table of some rows,
        by a slice, an array of their numbers, or an array that has True for them; reads and patterns keep their numbers."""
        if isinstance(key, str):
            return self._column(key)
        if hasattr(key, "__index__") and np.ndim(key) == 0:
            return self.row(operator.index(key))
        numbers = np.arange(len(self), dtype=np.int64)
        if not isinstance(key, slice):
            key = np.asarray(key)
            if key.ndim != 1 or (key.dtype.kind not in "biu" and len(key) > 0):
                raise UsageError("a key is the name of a column, the number of a row, a slice, or an array of numbers of rows "
                                 "or of True and False")
            key = key if len(key) > 0 else slice(0)
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, _native=self._native.chosen(np.ascontiguousarray(numbers[key])))
        return made

    def _column(self, name: str) -> npt.NDArray[Any]:
        try:
            kind = self._kinds[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._kinds)}") from None
        if kind == "number":
            return _numbers(self._native, name)
        if kind == "label":
            # The last entry is for -1: no value.
            return np.array([*self._native.labels(name), None], dtype=object)[_numbers(self._native, name)]
        made = np.empty(len(self), dtype=object)
        made[:] = self._native.texts(name, 0, len(self))
        return made

    def _values(self, name: str, first: int, last: int) -> list[Any]:
        """Of rows [first, last), as objects of Python."""
        kind = self._kinds[name]
        if kind == "text":
            return self._native.texts(name, first, last)
        numbers = _numbers(self._native, name)[first:last].tolist()
        if kind == "number":
            return numbers
        labels = [*self._native.labels(name), None]
        return [labels[code] for code in numbers]

    def codes(self, name: str) -> npt.NDArray[Any]:
        """The numbers behind a column of labels, as a view: `codes("contig")` are indices into `contigs`; -1: none."""
        if self._kinds.get(name) != "label":
            raise KeyError(f"{name!r} is not a column of labels")
        return _numbers(self._native, name)

    def row(self, i: int) -> dict[str, Any]:
        """All columns of one row. Texts of a row are made for it; columns as a whole are much faster."""
        rows = len(self)
        if not -rows <= i < rows:
            raise IndexError(f"there is no row {i} of {rows}")
        i = int(i) % rows
        return {name: self._values(name, i, i + 1)[0] for name in self._chosen}

    def select(self, *names: str) -> Table:
        """The same rows with these columns only, for what reads all of them, such as polars."""
        for name in names:
            if name not in self:
                raise KeyError(f"there is no column {name!r}; there are {', '.join(self._kinds)}")
        return Table(self._native, names)

    def to_pandas(self) -> pandas.DataFrame:
        """All columns as a pandas.DataFrame; needs pandas."""
        return _imported("pandas").DataFrame({name: self[name] for name in self._chosen})

    def to_polars(self) -> polars.DataFrame:
        """All columns as a polars.DataFrame, numbers and texts without a copy; needs polars."""
        return _imported("polars").DataFrame(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow C stream. Numbers, labels and texts are not copied; CIGARs become strings."""
        return self._native.stream(list(self._chosen))

    def __arrow_c_schema__(self) -> object:
        return self._native.schema(list(self._chosen))

    def _shown(self) -> list[list[str]]:
        """The names of the columns, then the cells of the first rows."""
        columns = [self._values(name, 0, min(len(self), 10)) for name in self._chosen]
        return [list(self._chosen), *([_cell(value) for value in row] for row in zip(*columns))]

    def __repr__(self) -> str:
        cells = self._shown()
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
        more = [f"... {len(self):,} rows"] if len(self) >= len(cells) else []
        return "\n".join([f"{type(self).__name__}: {counted(len(self), 'row')}", *lines, *more])

    def _repr_html_(self) -> str:
        """What Jupyter shows."""
        names, *rows = [[html.escape(cell) for cell in line] for line in self._shown()]
        head = "".join(f"<th>{name}</th>" for name in names)
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        more = f" (the first {len(rows)} are shown)" if len(self) > len(rows) else ""
        return (f"<p>{type(self).__name__}: {counted(len(self), 'row')}{more}</p>"
                f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"to_{name}() needs {name}; install it with: pip install {name}") from None


def _cell(value: Any) -> str:
    text = "." if value is None else str(value)
    return text if len(text) <= 30 else text[:27] + "..."
