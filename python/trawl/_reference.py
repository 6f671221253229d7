"""References, and reads mapped to them."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from trawl import _native
from trawl._alignments import Alignments
from trawl._errors import UsageError
from trawl._options import counted, file_list, is_path, option_pairs, progress_callback, takes_options, window_size

if TYPE_CHECKING:
    from trawl._option_types import MapOptions, Unpack


def names_and_letters(given: Any) -> tuple[list[Any], list[Any]]:
    pairs = list(given.items() if isinstance(given, Mapping) else given)
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise UsageError("contigs are a dict of names and letters, or pairs of these")
    return [name for name, _ in pairs], [letters for _, letters in pairs]


class Reference:
    """What is searched: contigs in memory. It does not change; any number of threads may use it.

    `source`: the path of a FASTA (plain, gzip, BGZF) or of an index that `trawl index` has saved, which is
    memory-mapped, so processes share it; or a dict of names and IUPAC letters. `threads`: 0: all cores.

    A pickled Reference of a file holds its path only.

    >>> import trawl
    >>> ref = trawl.Reference({"chr1": "GATTACAGATTACA", "chr2": "ACGTN"})
    >>> ref.contigs
    [('chr1', 14), ('chr2', 5)]
    >>> ref.letters("chr1", 0, 7)
    'GATTACA'
    """

    def __init__(self, source: Any, *, threads: int = 0) -> None:
        self._path = None
        if isinstance(source, (str, os.PathLike)):
            self._path = os.path.abspath(source)
            self._native = _native.Reference.open(os.fspath(source), threads)
        else:
            names, letters = names_and_letters(source)
            self._native = _native.Reference.of(_native.Texts(names, "name"), _native.Texts(letters, "contig"))
        self._threads = threads
        self._contigs = self._native.contigs
        self._mappers: dict[tuple[tuple[str, str], ...], Mapper] = {}
        self._lock = threading.Lock()

    @property
    def contigs(self) -> list[tuple[str, int]]:
        """Names and lengths in bases."""
        return self._contigs

    @property
    def bases(self) -> int:
        """Of all contigs together."""
        return self._native.bases

    @property
    def warnings(self) -> list[str]:
        """What you should know about the file, for example that the FASTA is newer than its index."""
        return self._native.warnings

    def letters(self, contig: str | int, start: int, end: int) -> str:
        """The letters [start, end) of a contig (its name or index), in upper case; 0-based."""
        if isinstance(contig, str):
            names = [name for name, _ in self._contigs]
            if contig not in names:
                raise UsageError(f"the reference has no contig {contig!r}")
            contig = names.index(contig)
        return self._native.letters(contig, start, end)

    def windows(self, window: int) -> dict[str, Any]:
        """Windows of `window` bases, one after the other; the last one of a contig may be shorter. Columns contig (str),
        start and end (int64); `Alignments.depth(window)` has an entry for each.

        >>> import trawl
        >>> trawl.Reference({"chr1": "GATTACA"}).windows(5)["end"]
        array([5, 7])
        """
        window = window_size(window)
        starts = [np.arange(0, length, window, dtype=np.int64) for _, length in self._contigs]
        ends = [np.minimum(start + window, length) for start, (_, length) in zip(starts, self._contigs)]
        names = np.array([name for name, _ in self._contigs], dtype=object)
        return {"contig": np.repeat(names, [len(start) for start in starts]), "start": np.concatenate(starts),
                "end": np.concatenate(ends)}

    @takes_options("map")
    def mapper(self, **options: Unpack[MapOptions]) -> Mapper:
        """A Mapper with these options. The latest four are kept, so their index is built once."""
        key = tuple(sorted(option_pairs(options)))
        with self._lock:
            mapper = self._mappers.pop(key, None) or Mapper(self, **options)
            self._mappers[key] = mapper
            while len(self._mappers) > 4:
                self._mappers.pop(next(iter(self._mappers)))
        return mapper

    @takes_options("map")
    def map(self, reads: Any, mates: Any = None, *, qualities: Any = None, names: Any = None, progress: Any = None,
            **options: Unpack[MapOptions]) -> Alignments:
        """`Mapper.map()` with the options of `trawl map`."""
        return self.mapper(**options).map(reads, mates, qualities=qualities, names=names, progress=progress)

    @takes_options("map")
    def map_file(self, reads: Any, mates: Any = None, *, interleaved: bool = False, progress: Any = None,
                 **options: Unpack[MapOptions]) -> Iterator[Alignments]:
        """`Mapper.map_file()` with the options of `trawl map`."""
        return self.mapper(**options).map_file(reads, mates, interleaved=interleaved, progress=progress)

    @takes_options("map")
    def map_to_file(self, reads: Any, mates: Any = None, *, output: Any, interleaved: bool = False, progress: Any = None,
                    **options: Unpack[MapOptions]) -> None:
        """`Mapper.map_to_file()` with the options of `trawl map`."""
        self.mapper(**options).map_to_file(reads, mates, output=output, interleaved=interleaved, progress=progress)

    def __copy__(self) -> Reference:
        """Without the mappers, which keep it."""
        made = object.__new__(Reference)
        made.__dict__.update(self.__dict__, _mappers={}, _lock=threading.Lock())
        return made

    def __reduce__(self) -> Any:
        if self._path is not None:
            return _open, (self._path, self._threads)
        return Reference, ({name: self.letters(i, 0, length) for i, (name, length) in enumerate(self._contigs)},)

    def __repr__(self) -> str:
        return f"<trawl.Reference: {counted(len(self._contigs), 'contig')}, {counted(self.bases, 'base')}>"


def _by_name(reads: Mapping[Any, Any], mates: Any, qualities: Any, names: Any) -> tuple[Any, ...]:
    """Reads that are a dict, and what belongs to them, as lists."""
    if names is not None:
        raise UsageError("the keys of a dict of reads are their names; leave out names=, or give the reads as a list")
    for what, more in ("mates", mates), ("qualities", qualities):
        if more is not None and not (isinstance(more, Mapping) and more.keys() == reads.keys()):
            raise UsageError(f"with a dict of reads, the {what} are a dict with the same keys, their names")
    names = list(reads)
    of_reads = [None if more is None else [more[name] for name in names] for more in (reads, mates, qualities)]
    return (*of_reads, names)


def _open(path: str, threads: int) -> Reference:
    return Reference(path, threads=threads)


def _made_again(kind: Any, source: Any, options: list[tuple[str, str]]) -> Any:
    return kind(source, **dict(options))


class Mapper:
    """Reads to alignments, as `trawl map` finds them. Options are those of `trawl map`, with `_` for `-`;
    `edits` is `max_edits`, `device` is `engine`. Any number of threads may use one; each call uses the Mapper's
    threads, too.

    >>> import trawl
    >>> ref = trawl.Reference({"chr1": "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"})
    >>> mapper = trawl.Mapper(ref, report="all", edits=1)
    >>> mapper.map(["GATTACAGGCATGAGCCACC", "TGATTACAGGCATGAGGCACC"])["start"]
    array([4, 3])
    """

    @takes_options("map")
    def __init__(self, reference: Reference, **options: Unpack[MapOptions]) -> None:
        if not isinstance(reference, Reference):
            raise UsageError(f"a Mapper needs a trawl.Reference, not {type(reference).__name__}")
        self._options = option_pairs(options)
        self._native = _native.Mapper.of(reference._native, self._options)
        self._contigs = reference.contigs
        self._reference = copy.copy(reference)

    def __reduce__(self) -> Any:
        return _made_again, (Mapper, self._reference, self._options)

    @property
    def engine(self) -> str:
        """What computes: "cpu" or "cuda"."""
        return self._native.engine

    @property
    def why_engine(self) -> str:
        """Why device="auto" has not taken a GPU; "" if it has, or if there is none."""
        return self._native.why_engine

    def map(self, reads: Any, mates: Any = None, *, qualities: Any = None, names: Any = None,
            progress: Any = None) -> Alignments:
        """Single reads, or pairs with `mates`.

        `reads`: one read (str or bytes), a list, a NumPy array of strings or bytes, an Arrow array or column of
        strings; a dict of names and reads; or the path of a FASTA or FASTQ. `qualities`: as in FASTQ, one character from "!" on for each base.
        `names`: of the reads. `progress`: a callable of (done, total), in reads (of files: bytes), or a bar of tqdm.
        The insert sizes of pairs are estimated from the pairs of this call, unless the option `insert` is given.
        """
        progress = progress_callback(progress)
        if is_path(reads):
            if qualities is not None or names is not None:
                raise UsageError("a file has its own names and qualities")
            return self._made(self._native.map_files(file_list(reads), file_list(mates), False, progress))
        if isinstance(reads, Mapping):
            reads, mates, qualities, names = _by_name(reads, mates, qualities, names)
        bases = _native.Texts(reads, "read")
        native_names = None if names is None else _native.Texts(names, "name")
        if mates is not None:
            if qualities is not None:
                raise UsageError("qualities of pairs in memory are not taken; give files, or leave them out")
            return self._made(self._native.map_pairs(bases, _native.Texts(mates, "mate"), native_names, progress))
        native_qualities = None if qualities is None else _native.Texts(qualities, "quality")
        return self._made(self._native.map(bases, native_qualities, native_names, progress))

    def map_file(self, reads: Any, mates: Any = None, *, interleaved: bool = False,
                 progress: Any = None) -> Iterator[Alignments]:
        """Batches of alignments of files, in the order of the input; memory does not grow with the files. Each file is
        the path of a FASTA or FASTQ (plain, gzip, BGZF), or a list of these. Other threads work ahead. `progress`: a
        callable of (done, total), in bytes of the files, or a bar of tqdm; it is called before each batch."""
        tell = progress_callback(progress)
        stream = self._native.stream(file_list(reads), file_list(mates), interleaved)
        return self._batches(stream, tell)

    def _batches(self, stream: _native.AlignmentStream, tell: Any) -> Iterator[Alignments]:
        while (batch := stream.next()) is not None:
            if tell is not None:
                tell(*stream.progress())
            yield self._made(batch)

    def map_to_file(self, reads: Any, mates: Any = None, *, output: Any, interleaved: bool = False,
                    progress: Any = None) -> None:
        """Writes all records to `output`: .sam, .bam, .cram, .bed or .bed.gz, with the bytes of `trawl map`. The file
        appears when it is complete."""
        self._native.map_to_file(file_list(reads), file_list(mates), interleaved, os.fspath(output),
                                 progress_callback(progress))

    def _made(self, native: Any) -> Alignments:
        return Alignments(native, self._contigs)
