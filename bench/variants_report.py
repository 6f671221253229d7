"""The results of variants.py, as tables."""

import dataclasses
import datetime
import pathlib
import subprocess

from compare_report import commit, package_versions, processor


@dataclasses.dataclass
class Count:
    found: int = 0
    false: int = 0
    missed: int = 0

    def __add__(self, other):
        return Count(self.found + other.found, self.false + other.false, self.missed + other.missed)

    @property
    def recall(self) -> str:
        return share(self.found, self.found + self.missed)

    @property
    def precision(self) -> str:
        return share(self.found, self.found + self.false)


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else "-"


def rows_of(check, counts: dict):
    """(mapper, seed, counts by kind) of each mapper, and of all seeds together if there are several. With several
    callers, "mapper, caller"."""
    for mapper in check.mappers:
        for caller in check.callers:
            name = f"{mapper.name}, {caller.name}" if len(check.callers) > 1 else mapper.name
            rows = [(name, seed, {kind: counts[mapper.name, caller.name, seed, kind] for kind in check.kinds})
                    for seed in check.args.seeds]
            yield from rows
            if len(rows) > 1:
                yield name, "all", {kind: sum((by_kind[kind] for _, _, by_kind in rows), Count())
                                    for kind in check.kinds}


def kind_table(check, counts: dict) -> list[str]:
    lines = ["| mapper | seed | indels found | indels false | indels missed | SNPs found | SNPs false | SNPs missed |",
             "|---|" + "---:|" * 7]
    for name, seed, by_kind in rows_of(check, counts):
        cells = [f"{n:,}" for kind in check.kinds for n in dataclasses.astuple(by_kind[kind])]
        lines.append(f"| {name} | {seed} | " + " | ".join(cells) + " |")
    return lines


def size_tables(check, counts: dict) -> list[str]:
    lines = []
    head = [f"| mapper | seed | {' | '.join(check.kinds)} |", "|---|---|" + "---:|" * len(check.kinds)]
    for title, text in (("Found / false / missed", lambda n: f"{n.found:,} / {n.false:,} / {n.missed:,}"),
                        ("Recall, precision in %", lambda n: f"{n.recall}, {n.precision}")):
        lines += ([""] if lines else []) + [f"{title}, by the length of the indel:", "", *head]
        lines += [f"| {name} | {seed} | " + " | ".join(text(by_kind[kind]) for kind in check.kinds) + " |"
                  for name, seed, by_kind in rows_of(check, counts)]
    return lines


def trawl_version(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    return f"{done.stdout.strip() or 'unknown version'} ({program})"


def markdown(check, counts: dict, kind_of_reads: str, packages: set[str]) -> str:
    args = check.args
    versions = [f"{name} {version}" for name, version in package_versions(packages).items()]
    versions += [f"{mapper.name}: {trawl_version(mapper.program)}" for mapper in check.mappers if not mapper.package]
    setting = (f"{pathlib.Path(args.reference).name}, {check.reads:,} {kind_of_reads} of {args.read_length}, QUAL at least "
               f"{args.min_quality:g}; {processor()}; {datetime.date.today().isoformat()}; bench of {commit()}")
    lines = [setting, "", *(size_tables if check.sizes else kind_table)(check, counts)]
    lines += ["", "Programs: " + "; ".join(versions), "", "Commands (of the first seed):", "",
              *(f"    {command}" for command in check.commands)]
    return "\n".join(lines) + "\n"
