"""The plan of the rooms, docs/rooms.txt, against the #include lines of the code."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAN = ROOT / "docs" / "rooms.txt"
SUFFIXES = {".hpp", ".h", ".cpp", ".cu", ".cuh"}


def read_plan():
    """{room: rooms that it may include}, in the order of the file."""
    plan = {}
    for line in PLAN.read_text().splitlines():
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
        if path.suffix in SUFFIXES
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
    assert not wrong, "not in docs/rooms.txt:\n" + "\n".join(wrong)


def test_the_plan_has_no_arrow_that_the_code_lacks():
    planned = {(room, other) for room, below in read_plan().items() for other in below}
    assert planned <= set(arrows()), f"only in docs/rooms.txt: {sorted(planned - set(arrows()))}"


def test_only_the_gpu_and_the_kernels_include_cuda():
    cuda = re.compile(r"^\s*#\s*include\s+<(cuda|cub/|thrust/)", re.MULTILINE)
    outside = [str(p) for p in code() if not p.as_posix().startswith(("gpu/", "lab/kernels/"))]
    assert [name for name in outside if cuda.search((ROOT / name).read_text())] == []
