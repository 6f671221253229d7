"""Results: named columns of one length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from trawl import _native


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

    `len(table)` is the number of rows, `table["start"]` a column, `table[3]` a row. Any library that knows the Arrow C
    stream takes a table as it is: `polars.from_arrow(table)`, `pyarrow.table(table)`, `duckdb`. For pandas:
    `pandas.DataFrame(dict(table))`.
    """

    _native: _native.Table

    def __init__(self, native: _native.Table, chosen: tuple[str, ...] | None = None) -> None:
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
        return (self.row(i) for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        """A column, by its name: an array with an entry for each row. Or a row, by its number: a dict."""
        if not isinstance(key, str):
            return self.row(key)
        try:
            kind = self._kinds[key]
        except KeyError:
            raise KeyError(f"there is no column {key!r}; there are {', '.join(self._kinds)}") from None
        if kind == "number":
            return _numbers(self._native, key)
        if kind == "label":
            # The last entry is for -1: no value.
            return np.array([*self._native.labels(key), None], dtype=object)[_numbers(self._native, key)]
        made = np.empty(len(self), dtype=object)
        made[:] = self._native.texts(key)
        return made

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
        made: dict[str, Any] = {}
        kinds = self._kinds
        for name in self._chosen:
            kind = kinds[name]
            if kind == "text":
                made[name] = self._native.text_at(name, i)
            elif kind == "label":
                code = int(_numbers(self._native, name)[i])
                made[name] = self._native.labels(name)[code] if code >= 0 else None
            else:
                made[name] = _numbers(self._native, name)[i].item()
        return made

    def select(self, *names: str) -> Table:
        """The same rows with these columns only, for what reads all of them, such as polars."""
        for name in names:
            if name not in self:
                raise KeyError(f"there is no column {name!r}; there are {', '.join(self._kinds)}")
        return Table(self._native, names)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow C stream. Numbers, labels and texts are not copied; CIGARs become strings."""
        return self._native.stream(list(self._chosen))

    def __arrow_c_schema__(self) -> object:
        return self._native.schema(list(self._chosen))

    def __repr__(self) -> str:
        shown = [self.row(i) for i in range(min(len(self), 10))]
        cells = [list(self._chosen)] + [[_cell(row[name]) for name in self._chosen] for row in shown]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
        more = [f"... {len(self):,} rows"] if len(self) > len(shown) else []
        return "\n".join([f"{type(self).__name__}: {len(self):,} rows", *lines, *more])


def _cell(value: Any) -> str:
    text = "." if value is None else str(value)
    return text if len(text) <= 30 else text[:27] + "..."
