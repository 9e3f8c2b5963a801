# SPDX-License-Identifier: BSD-3-Clause
"""The rooms of the engine: which may include which, no circle, small folders, and rooms without MPI."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "reframe_checks" / "engine"
SOURCES = ENGINE / "src"
MOST_FILES = 15

#: Rooms that know nothing of MPI, and what each may include.
PURE = {
    "base": set(),
    "statistics": {"base"},
    "words": {"base"},
    "options": {"base", "words"},
    "operation": {"base"},
    "estimate": set(),
    "rules": {"statistics"},
}
#: What a folder of operations may include.
OPERATIONS = {"call", "operation"}
ARROWS = {
    **PURE,
    "machine": {"base"},
    "memory": {"base", "statistics", "machine"},
    "timer": {"base", "statistics", "words", "machine"},
    "clock": {"estimate", "machine", "timer"},
    "sync": {"statistics", "estimate", "machine", "clock"},
    "verify": {"statistics", "estimate", "machine", "timer", "clock", "sync"},
    "call": {"base", "words", "operation", "clock"},
    **{
        f"operations/{group}": OPERATIONS
        for group in (
            "basic", "collectives", "known", "messages", "neighborhoods", "reductions", "topologies", "transfers",
        )
    },
    "operations": {"operation", "call"},
    "scheme": {"rules", "operation", "machine", "clock", "call"},
    "batch": {"statistics", "machine", "timer", "clock", "call", "scheme"},
    "session": {
        "options", "operation", "estimate", "rules", "machine", "memory", "timer", "sync", "verify", "call",
        "operations", "scheme", "batch",
    },
    "measure": {"statistics", "rules", "verify", "call", "batch", "session"},
    "record": {"base", "options", "rules", "batch", "measure", "session"},
    "launch": {
        "base", "options", "operation", "machine", "memory", "timer", "operations", "measure", "session", "record",
    },
}  # fmt: skip


def sources() -> dict[str, Path]:
    """Source files by their name as an include writes it."""
    return {str(path.relative_to(SOURCES)): path for path in sorted(SOURCES.rglob("*.[ch]"))}


def room(name: str) -> str:
    return name.rpartition("/")[0]


def includes(path: Path) -> list[str]:
    """Own files that a source includes."""
    return re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(), re.MULTILINE)


def own_includes() -> dict[str, set[str]]:
    """The include graph; what is no source (a generated header, a list of operations) is left out."""
    names = sources()
    return {name: {target for target in includes(path) if target in names} for name, path in names.items()}


def test_every_include_names_its_room_or_is_made() -> None:
    names = sources()
    made = {"engine_features.h", "operations/operations.def"}
    strange = {f"{name}: {target}" for name in names for target in includes(names[name]) if target not in names}
    assert {entry.split(": ")[1] for entry in strange} <= made


def test_arrows_between_rooms() -> None:
    graph = own_includes()
    assert {room(name) for name in graph} == set(ARROWS)
    wrong = [
        f"{name} includes {target}"
        for name, targets in graph.items()
        for target in targets
        if room(target) != room(name) and room(target) not in ARROWS[room(name)]
    ]
    assert not wrong, "\n".join(wrong)
    tuple(TopologicalSorter(ARROWS).static_order())


def test_no_arrow_is_declared_in_vain() -> None:
    used: dict[str, set[str]] = {name: set() for name in ARROWS}
    for name, targets in own_includes().items():
        used[room(name)] |= {room(target) for target in targets}
    folders = [name for name in ARROWS if name.startswith("operations/")]
    for name in folders:
        used[folders[0]] |= used[name]
    vain = {
        f"{name} -> {target}"
        for name, allowed in ARROWS.items()
        for target in allowed
        if target not in used[folders[0] if name in folders else name]
    }
    assert not vain


def test_no_circle_between_units() -> None:
    """A unit is a source with its header."""
    graph: dict[str, set[str]] = {}
    for name, targets in own_includes().items():
        unit = name.rpartition(".")[0]
        graph.setdefault(unit, set()).update(target.rpartition(".")[0] for target in targets)
    tuple(TopologicalSorter({unit: targets - {unit} for unit, targets in graph.items()}).static_order())


def test_a_header_has_its_source_or_defines_alone() -> None:
    """A header without a source of its name declares no function of another file."""
    for name, path in sources().items():
        if name.endswith(".h") and not path.with_suffix(".c").exists():
            declared = re.findall(
                r"^(?!static|typedef|#| |\*|/)\w[^=;{}#]*\([^;{}]*\);", path.read_text(), re.MULTILINE
            )
            assert not declared, (name, declared)


def test_folders_are_small() -> None:
    for folder in {path.parent for path in sources().values()}:
        count = sum(1 for path in folder.iterdir() if path.is_file())
        assert count <= MOST_FILES, (folder, count)


def test_pure_rooms_know_nothing_of_mpi() -> None:
    graph, names = own_includes(), sources()
    reached = {name for name in graph if room(name) in PURE}
    while new := {target for name in reached for target in graph[name]} - reached:
        reached |= new
    assert len(reached) > 20
    for name in reached:
        text = names[name].read_text()
        assert "mpi.h" not in text and not re.search(r"\bMPI_[A-Z]\w+\(", text), name


def test_the_makefile_and_the_readme_name_the_same_rooms() -> None:
    makefile, readme = (ENGINE / "Makefile").read_text(), (ENGINE / "README.md").read_text()
    line = re.search(r"^PURE := (.*)$", makefile, re.MULTILINE)
    assert line is not None and set(line[1].split()) == set(PURE)
    rows = dict(re.findall(r"^\| `([^`]+)` \|.*\| (pure|) *\|$", readme, re.MULTILINE))
    assert set(rows) == {name for name in ARROWS if not name.startswith("operations/")} | {"operations/*"}
    assert {name for name, kind in rows.items() if kind == "pure"} == set(PURE)
