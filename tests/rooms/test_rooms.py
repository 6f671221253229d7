"""The plans of the rooms, docs/rooms.txt and lab/rooms.txt, against the #include lines of the code."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANS = [ROOT / "docs" / "rooms.txt", ROOT / "lab" / "rooms.txt"]
SUFFIXES = {".hpp", ".h", ".cpp", ".cu", ".cuh"}


def read_plan():
    """{room: rooms that it may include}, in the order of the files."""
    plan = {}
    for line in "\n".join(plan.read_text() for plan in PLANS).splitlines():
        if line.startswith("  < "):
            plan[next(reversed(plan))].update(line[4:].split())
        elif line and not line.startswith("#"):
            plan[line.split()[0]] = set()
    return plan


def code():
    """All files of the rooms, as paths from the root."""
    return [
        path.relative_to(ROOT)
        for top in ("include", "src", "gpu", "io", "lab")
        for path in sorted((ROOT / top).rglob("*"))
        if path.suffix in SUFFIXES and not path.is_relative_to(ROOT / "lab" / "tests")
    ]


def room_of(path):
    return path.parent.as_posix()


def arrows():
    """{(room, other room): the files and includes that make this arrow}."""
    found = {}
    for path in code():
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', (ROOT / path).read_text(), re.MULTILINE):
            for target in (pathlib.Path(name), "src" / pathlib.Path(name), "include" / pathlib.Path(name)):
                if (ROOT / target).is_file() and room_of(target) != room_of(path):
                    found.setdefault((room_of(path), room_of(target)), []).append(f"{path} includes {target}")
    return found


def test_every_folder_with_code_is_a_room():
    assert {room_of(path) for path in code()} == set(read_plan())


def test_the_plan_goes_up():
    seen = []
    for room, below in read_plan().items():
        assert below <= set(seen), f"{room} includes a room that does not stand above it in the plan"
        seen.append(room)


def test_every_include_is_in_the_plan():
    plan = read_plan()
    wrong = [line for (room, other), lines in arrows().items() if other not in plan.get(room, ()) for line in lines]
    assert not wrong, "not in the plan:\n" + "\n".join(wrong)


def test_the_plan_has_no_arrow_that_the_code_lacks():
    planned = {(room, other) for room, below in read_plan().items() for other in below}
    assert planned <= set(arrows()), f"only in the plan: {sorted(planned - set(arrows()))}"


def test_only_the_gpu_and_the_kernels_include_cuda():
    cuda = re.compile(r"^\s*#\s*include\s+<(cuda|cub/|thrust/)", re.MULTILINE)
    outside = [str(p) for p in code() if not p.as_posix().startswith(("gpu/", "lab/kernels/"))]
    assert [name for name in outside if cuda.search((ROOT / name).read_text())] == []


def test_only_the_laboratory_includes_or_links_it():
    own = {"lab", "build", ".git"}
    text = re.compile(r'^\s*#\s*include\s+"lab/|\btrawl_(gpu_)?matchers\b|add_subdirectory\(lab', re.MULTILINE)
    files = [p for top in ROOT.iterdir() if top.is_dir() and top.name not in own for p in top.rglob("*")]
    named = [p for p in [ROOT / "CMakeLists.txt", *files] if p.suffix in SUFFIXES or p.name == "CMakeLists.txt"]
    assert [str(p.relative_to(ROOT)) for p in named if text.search(p.read_text())] == []


def test_what_judges_the_product_includes_none_of_it():
    """An oracle that shares code with what it judges would share its faults."""
    files = [path for path in sorted((ROOT / "bench").iterdir()) if path.suffix in SUFFIXES]
    includes = {(path.name, name) for path in files
                for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE)}
    assert includes and [f"{file} includes {name}" for file, name in sorted(includes) if not name.startswith("bench/")] == []
    links = re.findall(r"target_link_libraries\((.*?)\)", (ROOT / "bench/CMakeLists.txt").read_text(), re.DOTALL)
    linked = {word for line in links for word in line.split()[1:]} - {"PUBLIC", "PRIVATE"}
    assert linked <= {"trawl_flags", "trawl_bench_common", "ZLIB::ZLIB", "Threads::Threads"}


# What users of the library write, beside the types that it is made of.
TWO_NAMES = {"AlignmentStream", "Chunk", "Contig", "Mapper", "Option", "Pattern", "Progress", "Read", "Reference",
             "Scanner"}


def test_a_type_name_stands_once_in_the_product():
    declared = re.compile(r"^ {0,2}(?:class|struct|enum class)\s+(?:alignas\([^)]*\)\s*|TRAWL_API\s+)*(\w+)\b(?!::)"
                          r"(?!\s+\w+\s*\{)[^;{()]*\{", re.MULTILINE)
    found = {}
    for path in code():
        if path.parts[0] != "lab":
            text = re.sub(r'//.*|/\*.*?\*/|"(\\.|[^"\\])*"', "", (ROOT / path).read_text())
            for name in declared.findall(text):
                found.setdefault(name, set()).add(str(path))
    twice = {name: sorted(files) for name, files in found.items() if len(files) > 1 and name not in TWO_NAMES}
    assert not twice
