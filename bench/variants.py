#!/usr/bin/env python3
"""Calls variants from the alignments of Trawl and other mappers. Counts the indels and SNPs found, false and missed.

    bench/variants.py --reference chr20_1-2M --workdir WORK --seeds 1,2 -o WORK/variants
    bench/variants.py --reference chr20_1-2M --workdir WORK --pairs
    bench/variants.py --reference ref.fa --workdir WORK --mappers trawl=build/release/trawl,old=../old/trawl,bwa-mem
    bench/variants.py --reference chr20_1-2M --workdir WORK --artefacts --mappers 'whole=trawl --end-to-end,bwa-mem'
    bench/variants.py --reference chr20_1-2M --workdir WORK --library --sizes 1-5,6-20,21-50 --mappers trawl,bwa-mem
    bench/variants.py --reference chr20 --workdir WORK --pairs --coverage 20 --indel-extension 0.75 \\
        --sizes 1-3,4-7,8-15,16-30 --mappers trawl,bwa-mem,minibwa --callers bcftools,freebayes

For each seed: dwgsim (with --library: trawl-simulate) puts variants into the reference and makes single reads, or pairs; each mapper maps them;
samtools sorts; bcftools or freebayes calls. Calls and true variants are normalised in the same way (one allele per line,
left-aligned). A call is right if contig, position, REF and ALT are those of a true variant. Genotypes are not compared.
With --artefacts
the donor has indels of up to 40 bases, counted by their length, and reads have adapters, chimeric ends and bad tails.
See bench/README.md.
"""

import argparse
import concurrent.futures
import dataclasses
import gzip
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import callers
import donor
import genomes
from callers import CALLERS, Caller
from compare_report import ROOT
from mappers import Setting, Tool, make_tools
from variants_report import Count, markdown

REFERENCE = "reference.fa"
READS_PER_MBP = 240_000
PAIRS_AT_ONCE = 250_000  # of dwgsim, which has one thread: more are made side by side
HELPERS = {"dwgsim": "dwgsim", "samtools": "samtools", "bcftools": "bcftools"}  # program: Debian package
INDEL, SNP = "indel", "SNP"
# Of reads, as in the issue of most real samples: trawl-simulate's options.
ARTEFACTS = ["--adapters", "0.1,0-45", "--chimeras", "0.01", "--tails", "0.02"]

Variant = tuple[str, int, str, str]  # contig, position, REF, ALT


def kinds(sizes: tuple) -> list[str]:
    return [*(f"{INDEL} {first}-{last}" for first, last in sizes), f"longer {INDEL}", SNP] if sizes else [INDEL, SNP]


def kind_of(variant: Variant, sizes: tuple) -> str:
    _, _, ref, alt = variant
    length = abs(len(ref) - len(alt))
    if length == 0:
        return SNP
    if not sizes:
        return INDEL
    return next((f"{INDEL} {first}-{last}" for first, last in sizes if length <= last), f"longer {INDEL}")


def read_variants(path: pathlib.Path, min_quality: float = 0) -> set[Variant]:
    variants = set()
    with open(path) as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            contig, position, _, ref, alt, quality = line.split("\t")[:6]
            if alt not in (".", "*") and (quality == "." or float(quality) >= min_quality):
                variants.add((contig, int(position), ref.upper(), alt.upper()))
    return variants


class Check:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.workdir).resolve()
        for folder in ("index", "out", "log"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)
        self.mappers = chosen_mappers(args.mappers)
        self.callers = chosen_callers(args.callers)
        require_programs(self.mappers, self.callers, args)
        self.sizes = args.sizes or (donor.SIZE_CLASSES if args.artefacts else ())
        self.kinds = kinds(self.sizes)
        single = [mapper.name for mapper in self.mappers if args.pairs and not mapper.pairs]
        if single:
            sys.exit(f"variants.py: --pairs: not known how {', '.join(single)} takes pairs")
        self.files = ["out/reads_1.fq", "out/reads_2.fq"] if args.pairs else ["out/reads.fq"]
        self.commands = []  # of the first seed, for the report
        self.lengths = self.copy_reference()
        bases = sum(self.lengths.values())
        self.reads = args.reads or max(1, int(bases * args.coverage / args.read_length) if args.coverage
                                       else bases * READS_PER_MBP // 1_000_000)
        max_edits = args.read_length // 20 if args.max_edits is None else args.max_edits
        self.setting = Setting(REFERENCE, args.read_length, max_edits, trawl_default=args.max_edits is None)
        self.regions = callers.regions(self.lengths, args.piece)

    def copy_reference(self) -> dict[str, int]:
        """Makes a plain copy, so that no index is written next to the given file; returns the contigs' lengths."""
        given = pathlib.Path(self.args.reference)
        with open(given, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        lengths, contig = {}, ""
        with (gzip.open if packed else open)(given, "rb") as lines, open(self.work / REFERENCE, "wb") as out:
            for line in lines:
                out.write(line)
                if line.startswith(b">"):
                    contig = line[1:].split()[0].decode()
                    lengths[contig] = 0
                else:
                    lengths[contig] += len(line.strip())
        # Without this, an index of another reference in the same workdir would be used.
        (self.work / (REFERENCE + ".fai")).unlink(missing_ok=True)
        return lengths

    def run(self, *commands: list, output: str | None = None, show: bool = True):
        """Runs commands in the workdir as a pipeline; the output of the last one goes to a file."""
        words = [[str(word) for word in command] for command in commands]
        text = " | ".join(shlex.join(command) for command in words) + (f" > {output}" if output else "")
        if show:
            self.commands.append(text)
        print(text, file=sys.stderr)
        processes = []
        with open(self.work / "log" / "commands.log", "ab") as log, \
                open(self.work / output if output else os.devnull, "wb") as out:
            log.write((text + "\n").encode())
            log.flush()
            for i, command in enumerate(words):
                processes.append(subprocess.Popen(
                    command, cwd=self.work, stderr=log,
                    stdin=processes[-1].stdout if processes else subprocess.DEVNULL,
                    stdout=out if i + 1 == len(words) else subprocess.PIPE))
                if i:
                    processes[-2].stdout.close()  # so that the writer notices when its reader has ended
            statuses = [process.wait() for process in processes]
        if any(statuses):
            tail = (self.work / "log" / "commands.log").read_text(errors="replace").strip().splitlines()[-5:]
            sys.exit(f"variants.py: exit status {statuses}: {text}\n" + "\n".join(tail))

    def side_by_side(self, work, items: list) -> list:
        """work(item) of each item, in the order of the items; they run in as many threads as --threads says."""
        with concurrent.futures.ThreadPoolExecutor(self.args.threads) as pool:
            return list(pool.map(work, items))

    def simulate(self, seed: int, show: bool) -> set[Variant]:
        """Writes the files of reads; returns the true variants."""
        args = self.args
        if args.library is not None:
            self.run([args.simulate, "library", REFERENCE, self.reads // 2, args.read_length, seed, *self.files, "--vcf",
                      "out/donor.vcf", *shlex.split(args.library)], show=show)
            self.run(self.normalise("out/donor.vcf"), output="out/true.vcf", show=show)
            return read_variants(self.work / "out/true.vcf")
        if args.artefacts:
            donor.write_donor(self.work / REFERENCE, seed, args.mutation_rate, args.indel_share,
                              self.work / "out/donor.fa", self.work / "out/donor.vcf")
            self.run([args.simulate, "reads", "out/donor.fa", self.reads, args.read_length, seed, "--qualities",
                      "--error-rate", args.error_rate, "--variant-rate", 0, *ARTEFACTS], output=self.files[0], show=show)
            self.run(self.normalise("out/donor.vcf"), output="out/true.vcf", show=show)
            return read_variants(self.work / "out/true.vcf")
        self.simulate_plain(seed, show)
        self.run(self.normalise("out/sim.mutations.vcf"), output="out/true.vcf", show=show)
        return read_variants(self.work / "out/true.vcf")

    def simulate_plain(self, seed: int, show: bool):
        """With dwgsim. Many reads are made in parts, all with the variants of the seed."""
        args = self.args
        pairs = self.reads // len(self.files)
        # Without -o 1 dwgsim writes the reads a second time, as pairs. -2 0 makes single reads.
        mates = ["-2", args.read_length, "-E", args.error_rate, "-d", args.insert, "-s", args.insert_deviation]
        options = ["-r", args.mutation_rate, "-R", args.indel_share, "-X", args.indel_extension,
                   "-e", args.error_rate, "-y", args.random_share, "-1", args.read_length,
                   *(mates if args.pairs else ["-2", 0]), "-o", 1]
        parts = -(-pairs // PAIRS_AT_ONCE)

        def one_part(part: int):
            prefix = f"out/part{part}"
            number = pairs * (part + 1) // parts - pairs * part // parts
            self.run(["dwgsim", "-z", 1000 * seed + part, "-m", "out/sim.mutations.txt", "-P", part, "-N", number,
                      *options, REFERENCE, prefix], show=show and part == 0)
            for n in range(1, len(self.files) + 1):
                self.run(["gzip", "-dc", f"{prefix}.bwa.read{n}.fastq.gz"], output=f"{prefix}.{n}.fq", show=False)

        if parts <= 1:
            self.run(["dwgsim", "-z", seed, "-N", pairs, *options, REFERENCE, "out/sim"], show=show)
        else:
            self.run(["dwgsim", "-z", seed, "-M", "-N", 1, *options, REFERENCE, "out/sim"], show=show)
            self.side_by_side(one_part, list(range(parts)))
        for n, file in enumerate(self.files, 1):
            if parts <= 1:
                self.run(["gzip", "-dc", f"out/sim.bwa.read{n}.fastq.gz"], output=file, show=show)
            else:
                self.run(["cat", *(f"out/part{part}.{n}.fq" for part in range(parts))], output=file, show=False)
        for path in (self.work / "out").glob("part*"):
            path.unlink()

    def normalise(self, source: str, atomize: bool = False) -> list:
        return ["bcftools", "norm", "-f", REFERENCE, "-m", "-any", *(["-a"] if atomize else []), source]

    def map(self, mapper: Tool, show: bool):
        base = f"out/{mapper.name}"
        self.run(mapper.map(self.setting, self.files, f"{base}.sam", self.args.threads), show=show)
        self.run(["samtools", "sort", "-@", self.args.threads, "-o", f"{base}.bam", f"{base}.sam"], show=show)
        self.run(["samtools", "index", f"{base}.bam"], show=show)
        (self.work / f"{base}.sam").unlink()

    def call(self, mapper: Tool, caller: Caller, region: str, show: bool) -> set[Variant]:
        output = f"out/{mapper.name}.{caller.name}.{region or 'all'}.vcf"
        self.run(*caller.call(REFERENCE, f"out/{mapper.name}.bam", region), self.normalise("-", caller.atomize),
                 output=output, show=show)
        return read_variants(self.work / output, self.args.min_quality)

    def call_all(self, show: bool) -> dict:
        """The calls by (mapper, caller); regions are called side by side."""
        calls = {(mapper.name, caller.name): set() for mapper in self.mappers for caller in self.callers}
        tasks = [(mapper, caller, region, show and region == self.regions[0])
                 for caller in reversed(self.callers) for mapper in self.mappers for region in self.regions]
        for (mapper, caller, *_), found in zip(tasks, self.side_by_side(lambda task: self.call(*task), tasks)):
            calls[mapper.name, caller.name] |= found
        return calls

    def compare(self) -> tuple[dict, list]:
        """Counts by (mapper, caller, seed, kind), and every false and missed variant."""
        (self.work / "log" / "commands.log").unlink(missing_ok=True)
        self.run(["samtools", "faidx", REFERENCE])
        indexes = {mapper.program: mapper.index for mapper in self.mappers if mapper.index}
        self.side_by_side(lambda index: self.run(index(self.setting)), list(indexes.values()))
        counts, wrong = {}, []
        for seed in self.args.seeds:
            show = seed == self.args.seeds[0]
            truth = self.simulate(seed, show)
            for mapper in self.mappers:
                self.map(mapper, show)
            for (mapper, caller), calls in self.call_all(show).items():
                for kind in self.kinds:
                    true, called = ({v for v in variants if kind_of(v, self.sizes) == kind}
                                    for variants in (truth, calls))
                    counts[mapper, caller, seed, kind] = Count(len(true & called), len(called - true),
                                                               len(true - called))
                    for what, variants in (("false", called - true), ("missed", true - called)):
                        wrong += [(mapper, seed, kind, what, *variant, caller) for variant in sorted(variants)]
        return counts, wrong


def chosen_mappers(text: str) -> list[Tool]:
    """The tools of a list like `trawl,clip=PATH --clip 30%,bwa-mem`. NAME=PATH OPTIONS: the Trawl at PATH with these
    options, called NAME."""
    default = str(ROOT / "build/release/trawl")
    tools = {tool.name: tool for tool in make_tools(default) if tool.mode == "best"}
    chosen = {}
    for word in text.split(","):
        name, _, path = word.partition("=")
        if path:
            program, *options = shlex.split(path)
            found = shutil.which(program) or program
            trawl = next(tool for tool in make_tools(os.path.abspath(found), options)
                         if (tool.name, tool.mode) == ("trawl", "best"))
            chosen[name] = dataclasses.replace(trawl, name=name)
        elif name in tools:
            chosen[name] = tools[name]
        else:
            sys.exit(f"variants.py: no such mapper: {name} (known: {', '.join(tools)}, or NAME=PATH of a trawl)")
    return list(chosen.values())


def chosen_callers(text: str) -> list[Caller]:
    names = list(dict.fromkeys(text.split(",")))
    if unknown := [name for name in names if name not in CALLERS]:
        sys.exit(f"variants.py: no such caller: {unknown[0]} (known: {', '.join(CALLERS)})")
    return [CALLERS[name] for name in names]


def helpers(chosen: list[Caller]) -> dict[str, str]:
    """program: Debian package."""
    return HELPERS | {program: package for caller in chosen for program, package in caller.packages.items()}


def require_programs(mappers: list[Tool], chosen: list[Caller], args):
    missing = [f"{program} (Debian package {package})" for program, package in helpers(chosen).items()
               if shutil.which(program) is None]
    if (args.artefacts or args.library is not None) and shutil.which(args.simulate) is None:
        missing.append(f"{args.simulate} (build it, or name it with --simulate)")
    for mapper in mappers:
        if shutil.which(mapper.program) is None:
            missing.append(f"{mapper.program} ({mapper.origin})")
    if missing:
        sys.exit("variants.py: not found: " + "; ".join(missing))


def kind_of_reads(args) -> str:
    if args.library is not None:
        return "reads of a library" + (f" ({args.library})" if args.library else "")
    kind = f"reads in pairs ({args.insert} +- {args.insert_deviation})" if args.pairs else "single reads"
    return kind + (f" with artefacts ({' '.join(ARTEFACTS)})" if args.artefacts else "")


def over_limit(check: Check, counts: dict) -> list[str]:
    """A sentence if the first mapper has more false or missed indels than --max-false and --max-missed allow."""
    name = check.mappers[0].name
    total = sum((count for (mapper, _, _, kind), count in counts.items() if mapper == name and kind != SNP), Count())
    limits = (("false", total.false, check.args.max_false), ("missed", total.missed, check.args.max_missed))
    return [f"{name}: {n} indels {what}, at most {limit} allowed" for what, n, limit in limits
            if limit is not None and n > limit]


def size_classes(text: str) -> tuple[tuple[int, int], ...]:
    """size_classes("1-3,4-7") == ((1, 3), (4, 7))"""
    sizes = tuple(tuple(int(number) for number in word.split("-")) for word in text.split(","))
    if any(len(size) != 2 for size in sizes):
        raise ValueError(text)
    return sizes


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=genomes.reference, required=True,
                        help="FASTA, plain or gzip; best a part of a real chromosome")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--mappers", default="trawl,bwa-mem,bowtie2",
                        help="names of bench/mappers.py, or 'NAME=PATH OPTIONS' for a trawl; default: %(default)s, where "
                             "trawl is build/release/trawl")
    parser.add_argument("--callers", default="bcftools",
                        help=f"of {', '.join(CALLERS)}, with commas between; default: %(default)s")
    parser.add_argument("--sizes", type=size_classes, metavar="1-3,4-7,...",
                        help="count indels by these lengths; default with --artefacts: those of its donor")
    parser.add_argument("--piece", type=int, default=2_000_000,
                        help="longer references are called in pieces of so many bases, side by side; default: %(default)s")
    parser.add_argument("--seeds", default="5", help="seeds of dwgsim, for example 1,2,3; default: %(default)s")
    parser.add_argument("--reads", type=int,
                        help=f"number of reads; default: {READS_PER_MBP:,} for each Mbp of the reference")
    parser.add_argument("--coverage", type=float, help="so many bases of reads for each of the reference")
    parser.add_argument("--pairs", action="store_true", help="make and map pairs; --reads still counts reads")
    parser.add_argument("--library", nargs="?", const="", metavar="OPTIONS",
                        help="donor and pairs of trawl-simulate library, with these of its options")
    parser.add_argument("--artefacts", action="store_true",
                        help="a donor with indels of up to 40 bases, and reads with adapters, chimeric ends and bad tails")
    parser.add_argument("--simulate", default=str(ROOT / "build/release/bench/trawl-simulate"),
                        help="trawl-simulate, for --artefacts and --library; default: %(default)s")
    parser.add_argument("--insert", type=int, default=500, help="of pairs: dwgsim -d; default: %(default)s")
    parser.add_argument("--insert-deviation", type=int, default=50, help="of pairs: dwgsim -s; default: %(default)s")
    parser.add_argument("--read-length", type=int, default=150)
    parser.add_argument("--max-edits", type=int, help="Trawl's -e; default: Trawl's own")
    parser.add_argument("--mutation-rate", type=float, default=0.002, help="dwgsim -r; default: %(default)s")
    parser.add_argument("--indel-share", type=float, default=0.2, help="dwgsim -R; default: %(default)s")
    parser.add_argument("--indel-extension", type=float, default=0.3, help="dwgsim -X; default: %(default)s")
    parser.add_argument("--error-rate", type=float, default=0.005, help="dwgsim -e; default: %(default)s")
    parser.add_argument("--random-share", type=float, default=0, help="dwgsim -y; default: %(default)s")
    parser.add_argument("--min-quality", type=float, default=20, help="smallest QUAL of a call; default: %(default)s")
    parser.add_argument("--max-false", type=int, help="exit status 1 if the first mapper has more false indels")
    parser.add_argument("--max-missed", type=int, help="exit status 1 if the first mapper misses more indels")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output",
                        help="write OUTPUT.md, OUTPUT.json and OUTPUT.tsv (every false and missed variant)")
    args = parser.parse_args()
    try:
        args.seeds = list(dict.fromkeys(int(seed) for seed in args.seeds.split(",")))
    except ValueError:
        parser.error("--seeds takes whole numbers with commas between")
    if args.artefacts and (args.pairs or args.library is not None):
        parser.error("--artefacts makes single reads, not --pairs or a --library")
    args.pairs |= args.library is not None
    if os.sep in args.simulate:
        args.simulate = str(pathlib.Path(args.simulate).resolve())
    if min(args.seeds) < 0:
        parser.error("--seeds: dwgsim takes a negative seed for the clock's")
    return args


def main() -> int:
    args = parse_arguments()
    check = Check(args)
    counts, wrong = check.compare()
    packages = {mapper.package for mapper in check.mappers if mapper.package} | set(helpers(check.callers).values())
    report = markdown(check, counts, kind_of_reads(args), packages)
    print(report)
    if args.output:
        pathlib.Path(args.output + ".md").write_text(report)
        results = [{"mapper": mapper, "caller": caller, "seed": seed, "kind": kind, **dataclasses.asdict(count)}
                   for (mapper, caller, seed, kind), count in counts.items()]
        pathlib.Path(args.output + ".json").write_text(json.dumps(results, indent=1) + "\n")
        rows = [("mapper", "seed", "kind", "what", "contig", "position", "ref", "alt", "caller"), *wrong]
        pathlib.Path(args.output + ".tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    failures = over_limit(check, counts)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
