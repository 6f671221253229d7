"""Wrong calls and wrong inputs: the type of the error, and what its message says."""

import re

import numpy as np
import pytest
import trawl
from conftest import GENOME, READ, TEXT

U, I, F = trawl.UsageError, trawl.InputError, trawl.IoError
ref = trawl.Reference({"chr1": TEXT})
mapper = trawl.Mapper(ref)
hits = ref.map([READ])

CASES = {
    "unknown option": (lambda: ref.map([READ], reprot="all"), U, "did you mean report"),
    "unknown scan option": (lambda: trawl.scan(TEXT, "ACGT", pams="NGG"), U, "did you mean pam"),
    "option of the program": (lambda: ref.map([READ], output="x.sam"), U, "output"),
    "wrong word": (lambda: ref.map([READ], report="every"), U, "report"),
    "wrong number": (lambda: ref.map([READ], edits="many"), U, "many.*number of edits"),
    "negative": (lambda: ref.map([READ], edits=-1), U, "-1.*number of edits"),
    "not a flag": (lambda: ref.map([READ], eqx="perhaps"), U, "true or false"),
    "twice": (lambda: ref.map([READ], edits=1, max_edits=2), U, "more than once"),
    "wrong engine": (lambda: ref.map([READ], device="abacus"), U, "engine"),
    "not together": (lambda: trawl.scan(TEXT, "ACGT", max_bulges=1), U, "pam"),
    "read with a digit": (lambda: ref.map(["ACG7"]), I, "read 1: base 4 is '7'"),
    "read beyond ASCII": (lambda: ref.map(["ACGé"]), I, "read 1"),
    "read of a number": (lambda: ref.map([7]), U, "read 0 is not str or bytes, but int"),
    "no reads": (lambda: ref.map(7), U, "not int"),
    "None as reads": (lambda: ref.map(None), U, "not NoneType"),
    "array of numbers": (lambda: ref.map(np.arange(3)), U, "array of strings"),
    "two dimensions": (lambda: ref.map(np.array([["A"]])), U, "one dimension"),
    "too few qualities": (lambda: ref.map([READ], qualities=[]), U, "1 read and 0 strings of qualities"),
    "short qualities": (lambda: ref.map([READ], qualities=["III"]), I, "qualit"),
    "too many names": (lambda: ref.map([READ], names=["a", "b"]), U, "1 read and 2 names"),
    "one name": (lambda: ref.map([READ, READ], names=["a"]), U, "2 reads and 1 name$"),
    "names of a dict": (lambda: ref.map({"a": READ}, names=["b"]), U, "the keys of a dict of reads are their names"),
    "mates of a dict": (lambda: ref.map({"a": READ}, [READ]), U, "mates are a dict with the same keys"),
    "qualities of a dict": (lambda: ref.map({"a": READ}, qualities={"b": "I"}), U, "qualities are a dict with the same"),
    "a dict of mates": (lambda: ref.map([READ], {"a": READ}), U, r"of this dict give list\(x.values\(\)\)"),
    "a dict of files": (lambda: ref.map_file({"a": "x.fq"}), U, "not dict"),
    "fewer mates": (lambda: ref.map([READ], []), U, "pair|mate|second"),
    "qualities of pairs": (lambda: ref.map([READ], [READ], qualities=["I" * 20]), U, "qualities of pairs"),
    "names of a file": (lambda: ref.map("x.fq", names=["a"]), U, "its own names"),
    "no such reads": (lambda: ref.map("nothing.fq"), F, "nothing.fq"),
    "no such mates": (lambda: ref.map(GENOME, "nothing.fq"), F, "nothing.fq"),
    "no such reference": (lambda: trawl.Reference("nothing.fa"), F, "nothing.fa"),
    "a folder": (lambda: trawl.Reference("/"), trawl.Error, "/"),
    "not a FASTA": (lambda: trawl.Reference(__file__), I, "test_misuse.py"),
    "empty contig": (lambda: trawl.Reference({"chr1": ""}), I, "chr1|letters"),
    "contig without a name": (lambda: trawl.Reference({"": "ACGT"}), I, "name"),
    "wrong letters": (lambda: trawl.Reference({"chr1": "AC-T"}), I, "'-'"),
    "a name twice": (lambda: trawl.Reference([("a", "A"), ("a", "C")]), I, "a"),
    "not contigs": (lambda: trawl.Reference(["ACGT"]), U, "dict of names"),
    "letters outside": (lambda: ref.letters("chr1", 0, 999), U, "chr1|38|999"),
    "no such contig": (lambda: ref.letters("chr9", 0, 1), U, "chr9"),
    "pattern with ?": (lambda: trawl.scan(TEXT, "GATTAC?"), U, r"'\?'"),
    "no pattern": (lambda: trawl.scan(TEXT, []), U, "pattern"),
    "empty pattern": (lambda: trawl.scan(TEXT, [""]), U, "pattern"),
    "scan of a number": (lambda: trawl.scan(7, "ACGT"), U, "not int"),
    "text with a digit": (lambda: trawl.scan("ACG7", "ACGT"), I, "7"),
    "bytes and letters": (lambda: trawl.distance("é", b"e"), U, "both as str, or both as bytes"),
    "too many letters": (lambda: trawl.distance("".join(map(chr, range(1, 300))), ""), U, "256 different letters"),
    "window of 0": (lambda: ref.windows(0), U, "window is a whole number of bases from 1 on, not 0"),
    "window below 0": (lambda: hits.depth(-5), U, "not -5"),
    "window of a fraction": (lambda: hits.depth(2.5), U, "not 2.5"),
    "distance of a number": (lambda: trawl.distance("A", 7), U, "not int"),
    "wrong mode": (lambda: trawl.distance("A", "C", "local"), U, "'local'"),
    "mapper of a str": (lambda: trawl.Mapper("genome.fa"), U, "trawl.Reference"),
    "no such column": (lambda: hits["begin"], KeyError, "begin.*start"),
    "no such row": (lambda: hits[5], IndexError, "row 5 of 1"),
    "progress": (lambda: ref.map([READ], progress=3), U, "progress"),
    "unknown table": (lambda: trawl.option_table("fish"), U, "fish"),
    "output of no format": (lambda: ref.map_to_file(GENOME, output="x.doc"), U, "x.doc|format"),
    "output in no folder": (lambda: ref.map_to_file(GENOME, output="/no/x.sam"), trawl.Error, "/no"),
}


@pytest.mark.parametrize("case", CASES)
def test_misuse(case):
    call, kind, message = CASES[case]
    with pytest.raises(kind) as caught:
        call()
    assert re.search(message, str(caught.value)), str(caught.value)


def test_types():
    assert issubclass(U, ValueError) and issubclass(I, ValueError) and issubclass(F, OSError)
    assert all(issubclass(kind, trawl.Error) for kind in (U, I, F, trawl.Cancelled))


def test_arrow_nulls_and_types():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(U, match="read 1 is null"):
        ref.map(pa.array(["A", None]))
    with pytest.raises(U, match="not a string"):
        ref.map(pa.array([1, 2]))
    with pytest.raises(U, match="column of the table"):
        ref.map(pa.table({"a": ["A"]}))


def test_an_error_leaves_all_as_it_was():
    with pytest.raises(I):
        mapper.map(["ACG7"])
    assert mapper.map([READ], progress=lambda done, total: None)["start"].tolist() == [4]
