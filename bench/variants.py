#!/usr/bin/env python3
"""Calls variants from the alignments of Trawl and other mappers. Counts the indels and SNPs found, false and missed.

    bench/variants.py --reference chr20_1-2M.fa --workdir WORK --seeds 1,2 -o WORK/variants
    bench/variants.py --reference chr20_1-2M.fa --workdir WORK --pairs
    bench/variants.py --reference ref.fa --workdir WORK --mappers trawl=build/release/trawl,old=../old/trawl,bwa-mem
    bench/variants.py --reference chr20_1-2M.fa --workdir WORK --artefacts --mappers 'whole=trawl --end-to-end,bwa-mem'

For each seed: dwgsim puts variants into the reference and makes single reads, or pairs; each mapper maps them;
samtools sorts; bcftools calls. Calls and true variants are normalised in the same way (one allele per line,
left-aligned). A call is right if contig, position, REF and ALT are those of a true variant. Genotypes are not compared.
With --artefacts
the donor has indels of up to 40 bases, counted by their length, and reads have adapters, chimeric ends and bad tails.
See bench/README.md.
"""

import argparse
import dataclasses
import datetime
import gzip
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import donor
from compare_report import ROOT, commit, package_versions, processor
from mappers import Setting, Tool, make_tools

REFERENCE = "reference.fa"
READS_PER_MBP = 240_000
HELPERS = {"dwgsim": "dwgsim", "samtools": "samtools", "bcftools": "bcftools"}  # program: Debian package
INDEL, SNP = "indel", "SNP"
# Of reads, as in the issue of most real samples: trawl-simulate's options.
ARTEFACTS = ["--adapters", "0.1,0-45", "--chimeras", "0.01", "--tails", "0.02"]

Variant = tuple[str, int, str, str]  # contig, position, REF, ALT


@dataclasses.dataclass
class Count:
    found: int = 0
    false: int = 0
    missed: int = 0

    def __add__(self, other):
        return Count(self.found + other.found, self.false + other.false, self.missed + other.missed)


def kinds(by_size: bool) -> list[str]:
    return [*(f"{INDEL} {first}-{last}" for first, last in donor.SIZE_CLASSES), f"longer {INDEL}", SNP] if by_size \
        else [INDEL, SNP]


def kind_of(variant: Variant, by_size: bool) -> str:
    _, _, ref, alt = variant
    length = abs(len(ref) - len(alt))
    if length == 0:
        return SNP
    if not by_size:
        return INDEL
    return next((f"{INDEL} {first}-{last}" for first, last in donor.SIZE_CLASSES if length <= last),
                f"longer {INDEL}")


def read_variants(path: pathlib.Path, min_quality: float = 0) -> set[Variant]:
    variants = set()
    with open(path) as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            contig, position, _, ref, alt, quality = line.split("\t")[:6]
            if alt != "." and (quality == "." or float(quality) >= min_quality):
                variants.add((contig, int(position), ref.upper(), alt.upper()))
    return variants


class Check:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.workdir).resolve()
        for folder in ("index", "out", "log"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)
        self.mappers = chosen_mappers(args.mappers)
        require_programs(self.mappers, args)
        self.kinds = kinds(args.artefacts)
        single = [mapper.name for mapper in self.mappers if args.pairs and not mapper.pairs]
        if single:
            sys.exit(f"variants.py: --pairs: not known how {', '.join(single)} takes pairs")
        self.files = ["out/reads_1.fq", "out/reads_2.fq"] if args.pairs else ["out/reads.fq"]
        self.commands = []  # of the first seed, for the report
        bases = self.copy_reference()
        self.reads = args.reads or max(1, bases * READS_PER_MBP // 1_000_000)
        max_edits = args.read_length // 20 if args.max_edits is None else args.max_edits
        self.setting = Setting(REFERENCE, args.read_length, max_edits)

    def copy_reference(self) -> int:
        """Makes a plain copy, so that no index is written next to the given file; returns its number of bases."""
        given = pathlib.Path(self.args.reference)
        with open(given, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        bases = 0
        with (gzip.open if packed else open)(given, "rb") as lines, open(self.work / REFERENCE, "wb") as out:
            for line in lines:
                out.write(line)
                bases += 0 if line.startswith(b">") else len(line.strip())
        # Without this, an index of another reference in the same workdir would be used.
        (self.work / (REFERENCE + ".fai")).unlink(missing_ok=True)
        return bases

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

    def simulate(self, seed: int, show: bool) -> set[Variant]:
        """Writes the files of reads; returns the true variants."""
        args = self.args
        if args.artefacts:
            donor.write_donor(self.work / REFERENCE, seed, args.mutation_rate, args.indel_share,
                              self.work / "out/donor.fa", self.work / "out/donor.vcf")
            self.run([args.simulate, "reads", "out/donor.fa", self.reads, args.read_length, seed, "--qualities",
                      "--error-rate", args.error_rate, "--variant-rate", 0, *ARTEFACTS], output=self.files[0], show=show)
            self.run(self.normalise("out/donor.vcf"), output="out/true.vcf", show=show)
            return read_variants(self.work / "out/true.vcf")
        # Without -o 1 dwgsim writes the reads a second time, as pairs. -2 0 makes single reads.
        mates = ["-2", args.read_length, "-E", args.error_rate, "-d", args.insert, "-s", args.insert_deviation]
        self.run(["dwgsim", "-z", seed, "-r", args.mutation_rate, "-R", args.indel_share, "-X", args.indel_extension,
                  "-e", args.error_rate, "-y", args.random_share, "-N", self.reads // len(self.files),
                  "-1", args.read_length, *(mates if args.pairs else ["-2", 0]), "-o", 1, REFERENCE, "out/sim"],
                 show=show)
        for n, file in enumerate(self.files, 1):
            self.run(["gzip", "-dc", f"out/sim.bwa.read{n}.fastq.gz"], output=file, show=show)
        self.run(self.normalise("out/sim.mutations.vcf"), output="out/true.vcf", show=show)
        return read_variants(self.work / "out/true.vcf")

    def normalise(self, source: str) -> list:
        return ["bcftools", "norm", "-f", REFERENCE, "-m", "-any", source]

    def call(self, mapper: Tool, show: bool) -> set[Variant]:
        base = f"out/{mapper.name}"
        self.run(mapper.map(self.setting, self.files, f"{base}.sam", self.args.threads), show=show)
        self.run(["samtools", "sort", "-@", self.args.threads, "-o", f"{base}.bam", f"{base}.sam"], show=show)
        (self.work / f"{base}.sam").unlink()
        self.run(["bcftools", "mpileup", "-f", REFERENCE, f"{base}.bam"], ["bcftools", "call", "-mv"],
                 self.normalise("-"), output=f"{base}.vcf", show=show)
        return read_variants(self.work / f"{base}.vcf", self.args.min_quality)

    def compare(self) -> tuple[dict, list]:
        """Counts by (mapper, seed, kind), and every false and missed variant."""
        (self.work / "log" / "commands.log").unlink(missing_ok=True)
        self.run(["samtools", "faidx", REFERENCE])
        for index in {mapper.program: mapper.index for mapper in self.mappers if mapper.index}.values():
            self.run(index(self.setting))
        counts, wrong = {}, []
        for seed in self.args.seeds:
            show = seed == self.args.seeds[0]
            truth = self.simulate(seed, show)
            for mapper in self.mappers:
                calls = self.call(mapper, show)
                for kind in self.kinds:
                    true, called = ({v for v in variants if kind_of(v, self.args.artefacts) == kind}
                                    for variants in (truth, calls))
                    counts[mapper.name, seed, kind] = Count(len(true & called), len(called - true), len(true - called))
                    for what, variants in (("false", called - true), ("missed", true - called)):
                        wrong += [(mapper.name, seed, kind, what, *variant) for variant in sorted(variants)]
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


def require_programs(mappers: list[Tool], args):
    missing = [f"{program} (Debian package {package})" for program, package in HELPERS.items()
               if shutil.which(program) is None]
    if args.artefacts and shutil.which(args.simulate) is None:
        missing.append(f"{args.simulate} (build it, or name it with --simulate)")
    for mapper in mappers:
        if shutil.which(mapper.program) is None:
            missing.append(f"{mapper.program} ({mapper.origin})")
    if missing:
        sys.exit("variants.py: not found: " + "; ".join(missing))


def trawl_version(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    return f"{done.stdout.strip() or 'trawl of unknown version'} ({program})"


def rows_of(check: Check, counts: dict, mapper: Tool):
    """(seed, counts by kind), then of all seeds if there are several."""
    rows = [(seed, {kind: counts[mapper.name, seed, kind] for kind in check.kinds}) for seed in check.args.seeds]
    total = {kind: sum((by_kind[kind] for _, by_kind in rows), Count()) for kind in check.kinds}
    return rows + [("all", total)] if len(rows) > 1 else rows


def kind_table(check: Check, counts: dict) -> list[str]:
    lines = ["| mapper | seed | indels found | indels false | indels missed | SNPs found | SNPs false | SNPs missed |",
             "|---|" + "---:|" * 7]
    for mapper in check.mappers:
        for seed, by_kind in rows_of(check, counts, mapper):
            cells = [f"{n:,}" for kind in check.kinds for n in dataclasses.astuple(by_kind[kind])]
            lines.append(f"| {mapper.name} | {seed} | " + " | ".join(cells) + " |")
    return lines


def size_table(check: Check, counts: dict) -> list[str]:
    lines = ["Found / false / missed, by the length of the indel:", "",
             f"| mapper | seed | {' | '.join(check.kinds)} |", "|---|---|" + "---:|" * len(check.kinds)]
    for mapper in check.mappers:
        for seed, by_kind in rows_of(check, counts, mapper):
            cells = [" / ".join(f"{n:,}" for n in dataclasses.astuple(by_kind[kind])) for kind in check.kinds]
            lines.append(f"| {mapper.name} | {seed} | " + " | ".join(cells) + " |")
    return lines


def markdown(check: Check, counts: dict) -> str:
    args = check.args
    kind = f"reads in pairs ({args.insert} +- {args.insert_deviation})" if args.pairs else "single reads"
    kind += f" with artefacts ({' '.join(ARTEFACTS)})" if args.artefacts else ""
    packages = {mapper.package for mapper in check.mappers if mapper.package} | set(HELPERS.values())
    versions = [f"{name} {version}" for name, version in package_versions(packages).items()]
    versions += [f"{mapper.name}: {trawl_version(mapper.program)}" for mapper in check.mappers if not mapper.package]
    setting = (f"{pathlib.Path(args.reference).name}, {check.reads:,} {kind} of {args.read_length}, QUAL at least "
               f"{args.min_quality:g}; {processor()}; {datetime.date.today().isoformat()}; bench of {commit()}")
    lines = [setting, "", *(size_table if args.artefacts else kind_table)(check, counts)]
    lines += ["", "Programs: " + "; ".join(versions), "", "Commands (of the first seed):", "",
              *(f"    {command}" for command in check.commands)]
    return "\n".join(lines) + "\n"


def over_limit(args, counts: dict) -> list[str]:
    """A sentence if the first mapper has more false or missed indels than --max-false and --max-missed allow."""
    name = chosen_mappers(args.mappers)[0].name
    total = sum((counts[name, seed, kind] for seed in args.seeds for kind in kinds(args.artefacts) if kind != SNP),
                Count())
    limits = (("false", total.false, args.max_false), ("missed", total.missed, args.max_missed))
    return [f"{name}: {n} indels {what}, at most {limit} allowed" for what, n, limit in limits
            if limit is not None and n > limit]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="FASTA, plain or gzip; best a part of a real chromosome")
    parser.add_argument("--workdir", required=True)
    parser.add_argument("--mappers", default="trawl,bwa-mem,bowtie2",
                        help="names of bench/mappers.py, or 'NAME=PATH OPTIONS' for a trawl; default: %(default)s, where "
                             "trawl is build/release/trawl")
    parser.add_argument("--seeds", default="5", help="seeds of dwgsim, for example 1,2,3; default: %(default)s")
    parser.add_argument("--reads", type=int,
                        help=f"number of reads; default: {READS_PER_MBP:,} for each Mbp of the reference")
    parser.add_argument("--pairs", action="store_true", help="make and map pairs; --reads still counts reads")
    parser.add_argument("--artefacts", action="store_true",
                        help="a donor with indels of up to 40 bases, and reads with adapters, chimeric ends and bad tails")
    parser.add_argument("--simulate", default=str(ROOT / "build/release/bench/trawl-simulate"),
                        help="trawl-simulate, for --artefacts; default: %(default)s")
    parser.add_argument("--insert", type=int, default=500, help="of pairs: dwgsim -d; default: %(default)s")
    parser.add_argument("--insert-deviation", type=int, default=50, help="of pairs: dwgsim -s; default: %(default)s")
    parser.add_argument("--read-length", type=int, default=150)
    parser.add_argument("--max-edits", type=int, help="Trawl's -e; default: 5%% of the read length")
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
    if args.artefacts and args.pairs:
        parser.error("--artefacts makes single reads, not --pairs")
    if os.sep in args.simulate:
        args.simulate = str(pathlib.Path(args.simulate).resolve())
    if min(args.seeds) < 0:
        parser.error("--seeds: dwgsim takes a negative seed for the clock's")
    if not pathlib.Path(args.reference).is_file():
        parser.error(f"--reference: {args.reference} is not a file")
    return args


def main() -> int:
    args = parse_arguments()
    check = Check(args)
    counts, wrong = check.compare()
    report = markdown(check, counts)
    print(report)
    if args.output:
        pathlib.Path(args.output + ".md").write_text(report)
        results = [{"mapper": mapper, "seed": seed, "kind": kind, **dataclasses.asdict(count)}
                   for (mapper, seed, kind), count in counts.items()]
        pathlib.Path(args.output + ".json").write_text(json.dumps(results, indent=1) + "\n")
        rows = [("mapper", "seed", "kind", "what", "contig", "position", "ref", "alt"), *wrong]
        pathlib.Path(args.output + ".tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    failures = over_limit(args, counts)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
