# SPDX-License-Identifier: BSD-3-Clause
"""The folders of the engine: which may include which, no circle, and folders without MPI."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "reframe_checks" / "engine"
SOURCES = ENGINE / "src"

#: Folders without MPI, and the folders that each may include.
PURE: dict[str, set[str]] = {
    "base": set(),
    "option_values": {"base"},
    "statistics": {"base"},
    "estimate": {"base", "option_values"},
    "rules": {"base", "option_values", "statistics"},
    "options": {"base", "option_values"},
    "operation": {"base", "option_values"},
    "contract": {"base", "options", "operation"},
    "instruments": {"statistics"},
    "threads": {"base"},
    "turns": {"base"},
    "candle": {"base", "option_values", "options", "operation", "statistics", "instruments", "turns"},
}
#: Every folder and the folders that it may include.
DEPENDENCIES: dict[str, set[str]] = {
    **PURE,
    "machine": {"base", "statistics"},
    "timer": {"base", "option_values", "statistics", "machine"},
    "clock": {"estimate", "machine", "timer"},
    "sync": {"option_values", "estimate", "machine", "clock"},
    "verify": {"statistics", "estimate", "machine", "timer", "clock", "sync"},
    "probes": {"base", "option_values", "statistics", "rules", "instruments", "machine"},
    "call": {"base", "option_values", "operation", "threads", "machine", "clock"},
    "operations/collectives": {"call"},
    "operations": {"operation", "call"},
    "batch": {"option_values", "statistics", "rules", "operation", "machine", "clock", "call"},
    "session": {
        "statistics", "estimate", "rules", "options", "operation", "contract", "machine", "timer", "sync", "verify",
        "probes", "call", "operations", "batch", "threads", "turns",
    },
    "measure": {"statistics", "rules", "machine", "timer", "verify", "probes", "call", "batch", "session"},
    "record": {"base", "options", "batch", "session", "measure", "turns"},
    "launch": {
        "base", "options", "operation", "contract", "machine", "timer", "operations", "session", "measure", "record",
        "turns",
    },
}  # fmt: skip


def sources() -> dict[str, Path]:
    """Source files by their name as an include writes it."""
    return {str(path.relative_to(SOURCES)): path for path in sorted(SOURCES.rglob("*.[ch]"))}


def folder(name: str) -> str:
    """The folder of a source."""
    return name.rpartition("/")[0]


def includes(path: Path) -> list[str]:
    """Files of the engine that a source includes."""
    return re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(), re.MULTILINE)


def include_graph() -> dict[str, set[str]]:
    """The includes of each source, without files that are not sources (a generated header, a list of operations)."""
    names = sources()
    return {name: {target for target in includes(path) if target in names} for name, path in names.items()}


def test_every_include_names_its_folder_or_is_generated() -> None:
    names = sources()
    other = {target for path in names.values() for target in includes(path) if target not in names}
    assert other <= {"engine_features.h", "rank_variables.def", "operations/operations.def"}


def test_dependencies_between_folders() -> None:
    """Each folder includes exactly the folders that are declared for it."""
    used: dict[str, set[str]] = {folder(name): set() for name in sources()}
    for name, targets in include_graph().items():
        used[folder(name)] |= {folder(target) for target in targets} - {folder(name)}
    assert used == DEPENDENCIES
    tuple(TopologicalSorter(DEPENDENCIES).static_order())


def test_no_circle_between_units() -> None:
    """A unit is a source with its header."""
    graph: dict[str, set[str]] = {}
    for name, targets in include_graph().items():
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


def test_pure_folders_are_independent_of_mpi() -> None:
    graph, names = include_graph(), sources()
    reached = {name for name in graph if folder(name) in PURE}
    while new := {target for name in reached for target in graph[name]} - reached:
        reached |= new
    assert len(reached) > 20
    for name in reached:
        text = names[name].read_text()
        assert "mpi.h" not in text and not re.search(r"\bMPI_[A-Z]\w+\(", text), name


def test_makefile_and_readme_list_the_folders() -> None:
    makefile, readme = (ENGINE / "Makefile").read_text(), (ENGINE / "README.md").read_text()
    line = re.search(r"^PURE := (.*)$", makefile, re.MULTILINE)
    assert line is not None and set(line[1].split()) == set(PURE)
    rows = dict(re.findall(r"^\| `([^`]+)` \|.*\| (pure|) *\|$", readme, re.MULTILINE))
    assert set(rows) == set(DEPENDENCIES)
    assert {name for name, kind in rows.items() if kind == "pure"} == set(PURE)
