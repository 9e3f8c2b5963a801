# SPDX-License-Identifier: BSD-3-Clause
"""The rooms of the engine: which may include which, no circle, small folders, and rooms without MPI."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "reframe_checks" / "engine"
SOURCES = ENGINE / "src"
MAX_FILES = 15

#: Rooms that know nothing of MPI, and what each may include.
PURE = {
    "base": set(),
    "words": {"base"},
    "statistics": {"base"},
    "estimate": {"base", "words"},
    "rules": {"base", "words", "statistics"},
    "options": {"base", "words"},
    "operation": {"base", "words"},
    "usage": {"base", "options", "operation"},
    "describe": {"base", "options", "operation"},
    "instruments": {"statistics"},
}
#: Folders of operations, a group each.
GROUPS = ("basic", "collectives", "known", "messages", "neighborhoods", "reductions", "topologies", "transfers")
#: Every room and the rooms that it may include.
ARROWS = {
    **PURE,
    "machine": {"base"},
    "memory": {"base", "statistics", "machine"},
    "timer": {"base", "words", "statistics", "machine"},
    "clock": {"estimate", "machine", "timer"},
    "sync": {"words", "statistics", "estimate", "machine", "clock"},
    "verify": {"statistics", "estimate", "machine", "timer", "clock", "sync"},
    "weather": {"base", "words", "statistics", "rules", "instruments", "machine"},
    "call": {"base", "words", "operation", "machine", "clock"},
    **{f"operations/{group}": {"operation", "call"} for group in GROUPS},
    "operations": {"operation", "call"},
    "scheme": {"words", "rules", "operation", "machine", "clock", "call"},
    "batch": {"statistics", "machine", "timer", "clock", "scheme"},
    "session": {
        "estimate", "rules", "options", "operation", "usage", "machine", "memory", "timer", "sync", "verify", "call",
        "operations", "scheme", "batch", "weather",
    },
    "first": {"statistics", "machine", "timer", "call", "session"},
    "measure": {"statistics", "rules", "machine", "verify", "call", "session", "batch", "weather"},
    "record": {"base", "options", "batch", "session", "first", "measure"},
    "launch": {
        "base", "options", "operation", "usage", "describe", "machine", "memory", "timer", "operations", "session",
        "first", "measure", "record",
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
    groups = set().union(*(used[f"operations/{group}"] for group in GROUPS))
    vain = {
        f"{name} -> {target}"
        for name, allowed in ARROWS.items()
        for target in allowed - (groups if name.startswith("operations/") else used[name])
    }
    assert not vain


def test_no_circle_between_units() -> None:
    """A unit is a source with its header."""
    graph: dict[str, set[str]] = {}
    for name, targets in own_includes().items():
        unit = name.rpartition(".")[0]
        graph.setdefault(unit, set()).update(target.rpartition(".")[0] for target in targets)
    tuple(TopologicalSorter({unit: targets - {unit} for unit, targets in graph.items()}).static_order())


def test_a_header_declares_what_its_own_source_defines() -> None:
    """Functions and tables; a header without a source of its name has types and inline functions alone."""
    wrong = []
    for name, path in sources().items():
        if not name.endswith(".h") or name == "call/forms.h":
            continue
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        functions = re.findall(r"^(?!static|#)\w[^=;{}()#]*?\b(\w+)\([^;{}]*\)[^;{}]*;", text, re.MULTILINE)
        tables = re.findall(r"^extern [^;]*?\b(\w+)\[\];", text, re.MULTILINE)
        source = path.with_suffix(".c").read_text() if path.with_suffix(".c").exists() else ""
        wrong += [f"{name}: {entry}" for entry in functions if not re.search(rf"\b{entry}\([^;]*?\)\n{{", source)]
        lacks = (entry for entry in tables if not re.search(rf"^const .*\b{entry}\[\] = ", source, re.MULTILINE))
        wrong += [f"{name}: {entry}" for entry in lacks]
    assert not wrong, "\n".join(wrong)


def test_folders_are_small() -> None:
    for folder in {path.parent for path in sources().values()}:
        count = sum(1 for path in folder.iterdir() if path.is_file())
        assert count <= MAX_FILES, (folder, count)


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
