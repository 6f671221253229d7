"""trawl primers with pools: every primer with every other, against pairs one by one; the forms of the files; what is
expected; melting temperatures; dimers; what is wrong with a file."""

import math
import random
import shutil
from itertools import combinations, product, takewhile
from pathlib import Path

import pytest

from tools import (assert_same, execute, mutated, random_bases, read_fasta, read_json, reverse_complement, rows, run, table,
                   write_fasta, write_lines)

SITE = ("contig", "start", "end", "left", "left_edits", "left_cigar", "left_text", "right", "right_edits",
        "right_cigar", "right_text", "size")


@pytest.fixture(scope="module", autouse=True)
def inputs():
    """virus.fa: a tiled virus of 3000 bases; scheme.bed: its scheme, with two pools and an alternative primer; the same
    primers as plain.bed (no sequences), list.tsv, scheme.fa. noisy.fa: primers at many places, with edits."""
    random.seed(7)
    virus = random_bases(3000)
    write_fasta("virus.fa", ("virus", virus), ("other", random_bases(500)))
    primers = []
    for n in range(6):
        left, right = 20 + 450 * n, 480 + 450 * n
        pool = n % 2 + 1
        primers.append((f"v_{n}_LEFT", left, left + 22, pool, "+"))
        if n == 2:
            primers.append((f"v_{n}_LEFT_alt1", left + 7, left + 30, pool, "+"))
        primers.append((f"v_{n}_RIGHT", right, right + 24, pool, "-"))
    lines, listed = [], []
    for name, start, end, pool, strand in primers:
        text = virus[start:end] if strand == "+" else reverse_complement(virus[start:end])
        lines.append(("virus", start, end, name, pool, strand, text))
        listed.append((name, pool, text))
    write_lines("scheme.bed", "# a scheme", *("\t".join(map(str, line)) for line in lines))
    write_lines("turned.bed", *("\t".join(map(str, line if line[5] == "+" else (line[0], line[2], line[1], *line[3:])))
                                for line in lines))
    write_lines("plain.bed", *("\t".join(map(str, line[:6])) for line in lines))
    write_lines("v3.bed", *("\t".join(map(str, (*line, "pc=7"))) for line in lines))
    write_lines("list.tsv", "name\tpool\tseq\tlength", *(f"{n}\t{p}\t{s}\t{len(s)}" for n, p, s in listed))
    write_lines("list.csv", "Primer Name,Sequence,Pool", *(f'"{n}",{s},{p}' for n, p, s in listed))
    write_fasta("scheme.fa", *((name, text) for name, _, text in listed))
    # Places with edits, also of primers in other orientations.
    text = random_bases(4000)
    for _ in range(60):
        left, right = mutated(random.choice(listed)[2], random.randint(0, 2)), random.choice(listed)[2]
        at = random.randrange(len(text))
        text = text[:at] + left + random_bases(random.randint(0, 200)) + reverse_complement(right) + text[at:]
    half = len(text) // 2
    write_fasta("noisy.fa", ("a", text[:half]), ("b", text[half:]))


def products(path, name=lambda row, side: row[side]):
    return sorted(tuple(name(row, column) if column in ("left", "right") else row[column] for column in SITE)
                  for row in table(path))


@pytest.mark.parametrize("options", ["-e 0", "-e 2", "--metric hamming -e 3 --three-prime 4 --size 30-900"])
def test_the_products_of_a_pool_are_those_of_all_pairs(options):
    primers = list(read_fasta("scheme.fa").items())
    write_lines("out/pairs.tsv", *(f"{a} {b}\t{x}\t{y}" for (a, x), (b, y) in combinations(primers, 2)))
    command = ["primers", *options.split(), "noisy.fa"]
    run(*command, "out/pairs.tsv", "-o", "out/of_pairs.tsv").ok()
    run(*command, "scheme.fa", "-o", "out/of_pool.tsv").ok()
    run(*command, "--combine", "all", "list.tsv", "-o", "out/all.tsv").ok()
    expected = sorted(set(products("out/of_pairs.tsv", lambda row, side: row["pair"].split()[row[side] == "reverse"])))
    found = products("out/of_pool.tsv")
    assert len(found) > 10
    assert found == expected
    assert products("out/all.tsv") == expected


def test_pools_are_tubes():
    run("primers", "-e", 2, "--combine", "all", "noisy.fa", "list.tsv", "-o", "out/all.tsv").ok()
    run("primers", "-e", 2, "noisy.fa", "list.tsv", "-o", "out/pools.tsv").ok()
    run("primers", "-e", 2, "--combine", "pair", "noisy.fa", "list.tsv", "-o", "out/pairs.tsv").ok()
    pool = {row["name"]: row["pool"] for row in table("list.tsv")}
    amplicon = {name: name.rpartition("_LEFT")[0] or name.rpartition("_RIGHT")[0] for name in pool}
    every = table("out/all.tsv")
    for path, group in ("out/pools.tsv", pool), ("out/pairs.tsv", amplicon):
        own = [row for row in every if group[row["left"]] == group[row["right"]]]
        assert 0 < len(own) < len(every)
        assert rows(path)[1:] == [list(row.values()) for row in own]
    for row in every:
        assert row["pool"] == (pool[row["left"]] if pool[row["left"]] == pool[row["right"]] else ".")
        assert row["pair"] == (amplicon[row["left"]] if amplicon[row["left"]] == amplicon[row["right"]] else ".")


SCHEME = ["primers", "--size", "50-800"]  # no products from one amplicon to the next of its pool


def test_the_forms_of_a_scheme():
    """All have the same primers; pools only where the file has them."""
    message = run(*SCHEME, "virus.fa", "scheme.bed", "-o", "out/x.tsv").ok().stderr
    assert "scheme.bed is a BED of primers: 13 primers, 6 amplicons, 2 pools" in message
    assert "7 products (7 expected)" in message and "warning" not in message
    for path in "plain.bed", "turned.bed", "v3.bed", "list.tsv", "list.csv":
        run(*SCHEME, "virus.fa", path, "-o", "out/again.tsv").ok()
        assert_same("out/x.tsv", "out/again.tsv")
    run(*SCHEME, "virus.fa", "-", "-o", "out/again.tsv", stdin="scheme.bed").ok()
    assert_same("out/x.tsv", "out/again.tsv")
    run(*SCHEME, "virus.fa", "scheme.fa", "-o", "out/fasta.tsv").ok()
    every = table("out/fasta.tsv")
    assert [row for row in every if row["expected"] == "yes"] == [
        row | {"pool": "."} for row in table("out/x.tsv")]
    assert all(row["pair"] == "." for row in every if row["expected"] == "no")
    # The last primer of the forms without the sequence in its usual place.
    bare = [text for text in read_fasta("scheme.fa").values()]
    write_lines("out/bare.txt", *bare)
    run(*SCHEME, "virus.fa", "out/bare.txt", "-o", "out/bare.tsv").ok()
    assert [row["start"] for row in table("out/bare.tsv")] == [row["start"] for row in every]
    assert {row["expected"] for row in table("out/bare.tsv")} == {"no"}


def test_primer3():
    """Its pairs are alternatives: each is for itself."""
    text = list(read_fasta("scheme.fa").values())
    write_lines("out/p3.txt", "SEQUENCE_ID=exon1", "SEQUENCE_TEMPLATE=ACGT", "PRIMER_PAIR_NUM_RETURNED=2",
                "PRIMER_PAIR_0_PENALTY=0.1", f"PRIMER_LEFT_0_SEQUENCE={text[0]}", f"PRIMER_RIGHT_0_SEQUENCE={text[1]}",
                "PRIMER_INTERNAL_0_SEQUENCE=ACGTACGTAGCTAGT", "PRIMER_LEFT_0=20,22", "PRIMER_LEFT_0_TM=60.1",
                f"PRIMER_LEFT_1_SEQUENCE={text[2]}", f"PRIMER_RIGHT_1_SEQUENCE={text[3]}", "=", "SEQUENCE_ID=exon2",
                f"PRIMER_LEFT_0_SEQUENCE={text[0]}", f"PRIMER_RIGHT_0_SEQUENCE={text[3]}", "=")
    message = run("primers", "virus.fa", "out/p3.txt", "-o", "out/x.tsv").ok().stderr
    assert "is primer3's output: 6 primers, 3 amplicons; 1 probe left out" in message
    assert [(row["pair"], row["left"], row["right"], row["expected"]) for row in table("out/x.tsv")] == [
        ("exon1_0", "exon1_0_LEFT", "exon1_0_RIGHT", "yes"), ("exon2_0", "exon2_0_LEFT", "exon2_0_RIGHT", "yes"),
        ("exon1_1", "exon1_1_LEFT", "exon1_1_RIGHT", "yes")]


def test_primer3_itself():
    if not shutil.which("primer3_core"):
        pytest.skip("primer3_core is missing (Debian: primer3)")
    virus = read_fasta("virus.fa")["virus"]
    write_lines("out/in.txt", "SEQUENCE_ID=v", f"SEQUENCE_TEMPLATE={virus[:1000]}", "PRIMER_NUM_RETURN=3",
                "PRIMER_PRODUCT_SIZE_RANGE=100-400", "=")
    execute("primer3_core", "--output=out/p3.txt", "out/in.txt").ok()
    found = dict(line.split("=", 1) for line in Path("out/p3.txt").read_text().splitlines() if "=" in line)
    run("primers", "virus.fa", "out/p3.txt", "-o", "out/x.tsv").ok()
    expected = {f"v_{n}": (found[f"PRIMER_LEFT_{n}"].split(",")[0], found[f"PRIMER_PAIR_{n}_PRODUCT_SIZE"])
                for n in range(3)}
    own = {row["pair"]: (row["start"], row["size"]) for row in table("out/x.tsv") if row["expected"] == "yes"}
    assert own == expected
    # Its melting temperatures are ours: the same model and the same salt.
    for row in table("out/x.tsv"):
        for side in "left", "right":
            name = f"PRIMER_{'LEFT' if row[side].endswith('LEFT') else 'RIGHT'}_{row[side].split('_')[1]}_TM"
            assert abs(float(row[side + "_tm"]) - float(found[name])) < 0.06


def test_what_is_expected():
    """With places: the products there. A copy of an amplicon elsewhere is not, and a missing one is told."""
    virus = read_fasta("virus.fa")["virus"]
    start = 20 + 450 * 3
    write_fasta("out/copies.fa", ("virus", virus[:2400] + random_bases(600)), ("copy", virus[start - 10:start + 600]))
    result = run(*SCHEME, "out/copies.fa", "scheme.bed", "-o", "out/x.tsv", "--mispriming", "out/places.tsv",
                 "--summary", "out/primers.tsv", "--stats", "out/stats.json").ok()
    assert "warning: 1 amplicon without an expected product of 50-800 bases: v_5" in result.stderr
    found = table("out/x.tsv")
    assert [(row["contig"], row["pair"]) for row in found if row["expected"] == "no"] == [("copy", "v_3")]
    assert [row["pair"] for row in found if row["expected"] == "yes"] == ["v_0", "v_1", "v_2", "v_2", "v_3", "v_4"]
    assert {(row["contig"], row["pattern"]) for row in table("out/places.tsv")} == {
        ("copy", "v_2_RIGHT"), ("copy", "v_3_LEFT"), ("copy", "v_3_RIGHT"), ("copy", "v_4_LEFT")}
    of_primers = {row["primer"]: row for row in table("out/primers.tsv")}
    assert len(of_primers) == 13
    assert (of_primers["v_3_LEFT"]["places"], of_primers["v_3_LEFT"]["own_places"]) == ("2", "1")
    assert (of_primers["v_3_LEFT"]["products"], of_primers["v_3_LEFT"]["expected_products"]) == ("2", "1")
    assert (of_primers["v_5_LEFT"]["side"], of_primers["v_5_RIGHT"]["own_places"]) == ("left", "0")
    stats = read_json("out/stats.json")
    assert (stats["amplicons"], stats["expected_amplicons"], stats["primers"]["other_places"]) == (7, 6, 4)


def test_bed_below_names_of_columns():
    """It is still a BED, whose places count, and not a list of names and sequences."""
    names = "chrom\tstart\tend\tname\tpool\tstrand\tsequence\n"
    Path("out/named.bed").write_text(names + Path("scheme.bed").read_text())
    run(*SCHEME, "noisy.fa", "scheme.bed", "-o", "out/x.tsv", "--summary", "out/x_primers.tsv").ok()
    run(*SCHEME, "noisy.fa", "out/named.bed", "-o", "out/y.tsv", "--summary", "out/y_primers.tsv").ok()
    assert_same("out/x.tsv", "out/y.tsv")
    assert_same("out/x_primers.tsv", "out/y_primers.tsv")


def test_places_of_other_tables_are_columns():
    """Only a first column of contigs makes it a BED."""
    write_lines("out/named.tsv", "primer\tstart\tend\tpool\tsequence",
                *(f"{row['name']}\t1\t9\t{row['pool']}\t{row['seq']}" for row in table("list.tsv")))
    run("primers", "-e", 1, "noisy.fa", "list.tsv", "-o", "out/x.tsv").ok()
    run("primers", "-e", 1, "noisy.fa", "out/named.tsv", "-o", "out/y.tsv").ok()
    assert_same("out/x.tsv", "out/y.tsv")


def test_bed_of_products():
    run("primers", "-e", 2, "noisy.fa", "list.tsv", "-o", "out/x.tsv").ok()
    run("primers", "-e", 2, "noisy.fa", "list.tsv", "-o", "out/x.bed.gz").ok()
    lines = execute("gzip", "-dc", "out/x.bed.gz").ok().stdout.splitlines()
    expected = [[row["contig"], row["start"], row["end"],
                 row["pair"] if row["expected"] == "yes" else f"{row['left']}/{row['right']}", row["strand"],
                 row["left_edits"], row["right_edits"]] for row in table("out/x.tsv")]
    assert [cells[:4] + cells[5:] for cells in (line.split("\t") for line in lines)] == expected


# --- melting temperatures ---


# SantaLucia 1998, table 2, written out by pairs as in the paper.
PAPER = {"AA/TT": (-7.9, -22.2), "AT/TA": (-7.2, -20.4), "TA/AT": (-7.2, -21.3), "CA/GT": (-8.5, -22.7),
         "GT/CA": (-8.4, -22.4), "CT/GA": (-7.8, -21.0), "GA/CT": (-8.2, -22.2), "CG/GC": (-10.6, -27.2),
         "GC/CG": (-9.8, -24.4), "GG/CC": (-8.0, -19.9)}


def heat(text):
    """Enthalpy and entropy at 1 M."""
    pairs = {key[:2]: value for key, value in PAPER.items()} | {key[:2:-1]: value for key, value in PAPER.items()}
    ends = [(0.1, -2.8) if letter in "GC" else (2.3, 4.1) for letter in (text[0], text[-1])]
    parts = [pairs[a + b] for a, b in zip(text, text[1:])] + ends
    return sum(h for h, _ in parts), sum(s for _, s in parts)


def melting(text, sodium, nanomolar):
    enthalpy, entropy = heat(text)
    symmetric = reverse_complement(text) == text
    entropy += 0.368 * (len(text) - 1) * math.log(sodium / 1000) - 1.4 * symmetric
    return 1000 * enthalpy / (entropy + 1.987 * math.log(nanomolar * 1e-9 / (1 if symmetric else 4))) - 273.15


@pytest.mark.parametrize("salt", ["50,1.5,0.6", "50", "50,0,0,250", "100,2,0", "1000,0,0,1000"])
def test_melting_temperatures(salt):
    random.seed(3)
    primers = [random_bases(random.randint(12, 35)) for _ in range(40)] + ["ACGTACGTACGT", "GGGGCCCCGGGGCCCC"]
    write_fasta("out/p.fa", *((f"p{n}", text) for n, text in enumerate(primers)))
    run("primers", "--salt", salt, "virus.fa", "out/p.fa", "-o", "out/x.tsv",
        "--summary", "out/p.tsv").ok()
    found = [float(row["tm"]) for row in table("out/p.tsv")]
    given = [float(number) for number in salt.split(",")]
    ions, magnesium, dntp, nanomolar = given + [0, 0, 0, 50][len(given):]
    sodium = ions + 120 * math.sqrt(max(magnesium - dntp, 0))
    for text, degrees in zip(primers, found):
        assert abs(degrees - melting(text, sodium, nanomolar)) < 0.06, text
        if shutil.which("oligotm"):  # of primer3
            other = execute("oligotm", "-tp", 1, "-sc", 1, "-mv", ions, "-dv", magnesium, "-n", dntp, "-d", nanomolar,
                            text).ok().stdout
            assert abs(degrees - float(other)) < 0.06, text


def test_the_filter():
    run("primers", "virus.fa", "scheme.bed", "-o", "out/x.tsv", "--summary", "out/p.tsv").ok()
    degrees = {row["primer"]: float(row["tm"]) for row in table("out/p.tsv")}
    least = sorted(degrees.values())[3]
    message = run("primers", "--tm", f"{least - 0.01}-100", "virus.fa", "scheme.bed", "-o", "out/y.tsv").ok().stderr
    assert "3 primers left out by --tm" in message
    warm = {name for name, value in degrees.items() if value > least - 0.05}
    assert table("out/y.tsv") == [row for row in table("out/x.tsv") if {row["left"], row["right"]} <= warm]
    run("primers", "--tm", "98-99", "virus.fa", "scheme.bed", "-o", "out/z.tsv").fails(2, "no primer has such a melting")


# --- dimers ---


BASES = dict(zip("ACGTRYSWKMBDHVN", "A C G T AG CT CG AT GT AC CGT AGT ACT ACG ACGT".split()))


@pytest.mark.parametrize("least, combine", [(7, "pool"), (4, "all"), (6, "pair")])
def test_dimers(least, combine):
    """All of them, by brute force with the paper's energies, which are means where a letter may be several bases."""
    random.seed(11)
    primers = [random_bases(random.randint(16, 26)) for _ in range(120)]
    for n in range(0, 120, 4):  # ends that bind others
        k = random.randint(7, 11)
        at = random.randint(1, len(primers[n + 1]) - k)
        primers[n] = primers[n][:-k] + reverse_complement(primers[n + 1][at:at + k])
    for n in range(2, 120, 8):  # ends that bind themselves
        half = random_bases(5)
        primers[n] = primers[n][:-10] + half + reverse_complement(half)
    for n in range(1, 120, 6):
        at = random.randrange(len(primers[n]))
        primers[n] = primers[n][:at] + random.choice("RYSWKMBDHVN") + primers[n][at + 1:]
    names = [f"p{n // 2}_{'LR'[n % 2]}" for n in range(120)]
    write_fasta("out/p.fa", *zip(names, primers))
    sodium = 50 + 120 * math.sqrt(0.9)
    expected = []
    for n, m in product(range(120), repeat=2):
        end, other, found = primers[n], primers[m], []
        for at in range(1, len(other) if combine != "pair" or n // 2 == m // 2 else 1):
            both = [sorted(set(BASES[a]) & set(map(reverse_complement, BASES[b]))) for a, b in zip(end[::-1], other[at:])]
            duplex = list(takewhile(bool, both))[::-1]
            if len(duplex) >= 4:
                heats = [heat(letters) for letters in product(*duplex)]
                enthalpy, entropy = (sum(values) / len(heats) for values in zip(*heats))
                entropy += 0.368 * (len(duplex) - 1) * math.log(sodium / 1000)
                entropy -= 1.4 if duplex == [sorted(map(reverse_complement, a)) for a in duplex[::-1]] else 0
                found.append((enthalpy - 0.31015 * entropy, len(duplex), at))
        if found and min(found)[0] <= -least:
            energy, k, at = min(found, key=lambda one: one[0])
            expected.append((names[n], names[m], f"{energy:.2f}", str(k), end[-k:], str(at)))
    run("primers", "--dimer-energy", least, "--combine", combine, "virus.fa", "out/p.fa", "-o", "out/x.tsv", "--dimers",
        "out/d.tsv").ok()
    found = table("out/d.tsv")
    assert len(found) >= 10
    assert sorted((row["primer"], row["copied_from"], row["energy"], row["bases"], row["end"], row["extension"])
                  for row in found) == sorted(expected)
    energies = [float(row["energy"]) for row in found]
    assert energies == sorted(energies)


# --- what is wrong ---

GOOD = "virus\t20\t42\tv_0_LEFT\t1\t+\tACGTACGTACGTACGTACGTAC\n"


@pytest.mark.parametrize("text, message", [
    ("", "has no primers; give a table of pairs"),
    ("# only a comment\n\n", "has no primers; give a table of pairs"),
    ("p\tACGTACGTACGTACG\tACGTTTGGGACCAGT\nq\tACGTACGTACGTACG\n", ":2: not a pair of primers, as the lines before"),
    ("p\tACGTACGTACGTACG\tACGTTTGGGACCAGT\nq\t\tACGTTTGGGACCAGT\n", ":2: not a pair of primers"),
    ("p\tACGTACJTACGTACG\tACGTTTGGGACCAGT\n", ":1: 'J' in the pattern p is not an IUPAC letter"),
    ("Name\tLeft primer 5-3\tRight primer 5-3\np\tACGT\tACGT\n", "if this is a header line, call its columns"),
    ("name\tseq\np\tACGTACGTACGTACG\nq\n", ":3: has 1 columns, but the lines before have 2"),
    ("name\tseq\np\tACGTACGTACGTACG\nq\tACGT-ACGT\n", ":3: '-' in the pattern q is not an IUPAC letter"),
    ("name\tseq\n", "has no primers; give a table of pairs"),
    ("\tACGTACGTACGTACG\n", "a pattern without a name"),
    (">p\nACGTACGTACGTACG\n>q\n>r\nACGT\n", ":3: the primer q has no letters; give its sequence, or remove it"),
    (">p\nACGT ACGX\n", "in the pattern p is not an IUPAC letter"),
    (">\nACGTACGTACGTACG\n", "a pattern without a name"),
    ("@read\nACGT\n+\nIIII\n", ":1: begins with '@' as a FASTQ file does; give a table of pairs"),
    (GOOD + "virus\t20\tx\tv_1_LEFT\t1\t+\tACGT\n", ":2: not a line of a BED of primers: contig, start, end, name"),
    (GOOD + "virus\t50\t50\tv_1_LEFT\t1\t+\tACGT\n", ":2: the primer v_1_LEFT starts and ends at 50; the end is one"),
    (GOOD + "virus\t50\t72\tv_1\t1\n", ":2: the primer v_1 has no strand: give + or - in column 6, or call it"),
    (GOOD + "virus\t50\t72\tv_1_LEFT\t1\t+\tACGTQ\n", ":2: 'Q' in the pattern v_1_LEFT is not an IUPAC letter"),
    (GOOD + "virus\t5000\t5022\tv_1_LEFT\t1\t+\n", "the primer v_1_LEFT ends at 5022, but virus has 3000 bases"),
    (GOOD + "chrX\t50\t72\tv_1_LEFT\t1\t+\n", "v_1_LEFT has no sequence in column 7, and its contig chrX is not in"),
    ("virus\t20\t42\n", ":1: looks like a BED, which needs at least contig, start, end, name and pool"),
    ("SEQUENCE_ID=x\nPRIMER_PAIR_NUM_RETURNED=0\n=\n", "primer3 found no primers: there is no line such as"),
    ("SEQUENCE_ID=x\nPRIMER_ERROR=Missing SEQUENCE tag\n=\n", ":2: primer3 says: Missing SEQUENCE tag"),
    ("SEQUENCE_ID=x\nPRIMER_LEFT_0_SEQUENCE=ACGTACGTACGTACGZ\n=\n", "in the pattern x_0_LEFT is not an IUPAC letter"),
    ("SEQUENCE_ID=x\nhello\n=\n", ":2: not a line of primer3's output, as the lines before: KEY=VALUE"),
    ("PRIMER PICKING RESULTS FOR x\n", "run primer3_core without -format_output"),
    ("p\t" + "ACGT" * 5000 + "\n", "more than 16384 letters; is it a reference? (The reference comes first"),
    ("PK\3\4 and more bytes\n", "data of a spreadsheet program"),
    ("p" * 300 + "\tACGTACGTACGTACG\n", "the pattern name has 300 characters"),
    ("a\7b\tACGTACGTACGTACG\n", "which cannot be printed; rename it")], ids=range(30))
def test_bad_files(text, message):
    Path("out/in").write_text(text)
    run("primers", "virus.fa", "out/in", "-o", "out/x.tsv").fails(1, message, "out/x.tsv")


@pytest.mark.parametrize("options, message", [
    ("--tm 60", "--tm 60: give the lowest and the highest temperature, as 55-65"),
    ("--tm 70-60", "--tm 70-60: give the lowest and the highest temperature"),
    ("--salt x", "--salt x: give mM of monovalent ions, magnesium and dNTPs, as 50,1.5,0.6"),
    ("--salt 0", "--salt 0: without any salt primers do not bind"),
    ("--combine tube", "--combine"),
    ("--summary out/p.bed", "--summary out/p.bed: give a file named .tsv, .csv"),
    ("--dimers out/d.txt", "--dimers"),
    ("--mispriming out/m.sam", "--mispriming out/m.sam: give a file named .tsv, .csv or .bed"),
    ("--summary out/x.tsv", "out/x.tsv"),
    ("-e 30", "so short that it would match everywhere"),
    ("--three-prime 22", "--three-prime 22: the primer v_0_LEFT has 22 letters")])
def test_bad_options(options, message):
    run("primers", *options.split(), "virus.fa", "scheme.bed", "-o", "out/x.tsv").fails(2, message, "out/x.tsv")


def test_warnings():
    write_lines("out/far.bed", "chrX\t20\t42\tv_0_LEFT\t1\t+\tACGTACGTACGTACGTACGTAC",
                "chrX\t120\t142\tw_1_RIGHT\t1\t-\tACGTACGTACGTACGTACGTAC")
    message = run("primers", "virus.fa", "out/far.bed", "-o", "out/x.tsv").ok().stderr
    assert "warning: 2 primers lie on a sequence that the reference does not have (chrX)" in message
    assert "warning: some primers are the same; each has its own products: w_1_RIGHT and v_0_LEFT" in message
    assert "warning: 2 amplicons with primers of one side only: v_0, w_1" in message


@pytest.mark.parametrize("left, right, amplicon", [
    ("a_L", "a_R", "a"), ("a_L1", "a_R1", "a"), ("E_Sarbeco_F1", "E_Sarbeco_R2", "E_Sarbeco"), ("M13F", "M13R", "M13"),
    ("x_U_1F", "x_U_1R", "x_U_1"), ("x_U", "x_L", "x"), ("x_upper", "x_lower", "x"), ("x-fwd2", "x-rev2", "x"),
    ("Lassa_L_LEFT", "Lassa_L_RIGHT", "Lassa_L")])
def test_names_of_partners(left, right, amplicon):
    """The strand in the BED helps."""
    text = read_fasta("virus.fa")["virus"]
    lines = [f"virus\t100\t122\t{left}\t1\t+\t{text[100:122]}",
             f"virus\t400\t422\t{right}\t1\t-\t{reverse_complement(text[400:422])}"]
    write_lines("out/p.bed", *lines)
    message = run("primers", "virus.fa", "out/p.bed", "-o", "out/x.tsv", "--summary", "out/s.tsv").ok().stderr
    assert "warning" not in message and "(1 expected)" in message
    assert {row["amplicon"] for row in table("out/s.tsv")} == {amplicon}
    write_lines("out/p.bed", lines[0], f"virus\t400\t422\twhat\t1\t-\t{reverse_complement(text[400:422])}")
    message = run("primers", "virus.fa", "out/p.bed", "-o", "out/x.tsv").ok().stderr
    assert "warning: 1 primer whose names say no partner: what; call them ..._LEFT and ..._RIGHT" in message
    assert f"warning: 1 amplicon with primers of one side only: {amplicon}" in message


def test_primers_beside_their_places():
    text = read_fasta("virus.fa")["virus"]
    changed = ("C" if text[900] == "A" else "A") + text[901:922]
    write_lines("out/p.bed", f"virus\t101\t123\ta_LEFT\t1\t+\t{text[100:122]}",
                f"virus\t400\t423\ta_RIGHT\t1\t-\t{reverse_complement(text[400:422])}",
                f"virus\t700\t723\tb_RIGHT\t1\t-\t{'ACGT' * 5}",
                f"virus\t600\t622\tb_LEFT\t1\t+\tN{text[601:622]}", f"virus\t900\t922\tc_LEFT\t1\t+\t{changed}",
                "virus\t1100\t1122\tc_RIGHT\t1\t-")
    message = run("primers", "virus.fa", "out/p.bed", "-o", "out/x.tsv").ok().stderr
    assert ("warning: 3 primers not at the place in the BED: a_LEFT (virus:101-123; its sequence is at virus:100-122), "
            "a_RIGHT (virus:400-423; its sequence is at virus:400-422), b_RIGHT (virus:700-723; its sequence is not "
            "nearby)\n") in message


def test_pairs_that_are_given_twice_and_the_sizes_of_ipcress():
    text = read_fasta("virus.fa")["virus"]
    one, other = text[100:122], reverse_complement(text[400:422])
    write_lines("out/p.txt", f"a {one} {other} 80 500", f"b {one} {reverse_complement(text[800:822])} 80 500",
                f"c {other} {one} 80 500")
    message = run("primers", "virus.fa", "out/p.txt", "-o", "out/x.tsv").ok().stderr
    assert "warning: some pairs are the same; each has its own products: c and a\n" in message
    assert "the sizes in the last two columns (MIN and MAX of ipcress) are not used; --size MIN-MAX is for all" in message
    write_lines("out/p.txt", f"a {one} {other}")
    assert "warning" not in run("primers", "virus.fa", "out/p.txt", "-o", "out/x.tsv").ok().stderr
