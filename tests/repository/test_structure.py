# SPDX-License-Identifier: BSD-3-Clause
"""The structure that docs/design.md promises: which room may import which, how long files are, licences."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests import tiers

pytestmark = pytest.mark.xdist_group("sources")  # one process reads all sources once for these files

ROOT = Path(__file__).parents[2]

#: Rooms that each room may import (docs/design.md, "Rooms and arrows").
ALLOWED: dict[str, set[str]] = {
    "common": set(),
    "compat": {"common"},
    "stats": {"schemas"},
    "schemas": {"common"},
    "tools": {"common"},
    "spack_envs": {"common", "schemas"},
    "reframe_checks": {"common", "compat", "schemas", "tools", "spack_envs"},
    "postprocess": {"common", "schemas", "stats", "tools"},
    "reports": set(),
    "workflows": {"common", "compat", "schemas", "stats", "spack_envs"},
    "cli": {"common", "schemas", "tools", "spack_envs", "workflows"},
}
#: The package itself and its command: not in a room.
DOOR = {"isochron", "isochron.__main__"}
#: Rooms within a room, and those that each may import; what lies loose in the room belongs to none.
INNER: dict[str, dict[str, set[str]]] = {
    "schemas": {"engine": set(), "input": {"engine"}, "run": {"engine"}, "profile": {"engine"}},
    "reframe_checks": {
        "launch": set(),
        "stack": {"launch"},
        "npb": set(),
        "checks": {"launch", "stack", "npb"},
        "settings": set(),
        "engine": set(),
    },
}
LONGEST_FILE, LONGEST_FUNCTION, LONGEST_OPERATION = 400, 60, 80
SOURCES = (".py", ".c", ".h", ".sh", ".smk", ".css", ".js", ".j2")


def tracked(*suffixes: str) -> list[Path]:
    """Files that belong to the repository: all that .gitignore does not name."""
    lines = (ROOT / ".gitignore").read_text().splitlines()
    ignored = [".git", *(line.rstrip("/") for line in lines if line and not line.startswith("#"))]

    def kept(folder: Path, names: list[str]) -> list[str]:
        # A pattern that begins with a slash is for the top of the repository alone.
        patterns = [pattern.removeprefix("/") for pattern in ignored if folder == ROOT or not pattern.startswith("/")]
        return sorted(name for name in names if not any(fnmatch(name, pattern) for pattern in patterns))

    paths = []
    for name, folders, files in os.walk(ROOT):
        folder = Path(name)
        folders[:] = kept(folder, folders)
        paths += [folder / file for file in kept(folder, files)]
    return [path for path in paths if path.suffix in suffixes and path.is_file()]


def modules() -> dict[str, Path]:
    """Importable modules of the product by dotted name."""
    found = {}
    for path in tracked(".py"):
        parts = [part for part in path.relative_to(ROOT).with_suffix("").parts if part != "isochron"]
        if parts[0] in ALLOWED or path.parent == ROOT / "isochron":
            found[".".join(["isochron", *parts]).removesuffix(".__init__")] = path
    return found


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file, the module first; a file is parsed once for all tests of a process."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> frozenset[str]:
    """Dotted names that a file imports, wherever the import stands."""
    names = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def room(name: str) -> str:
    """The room of a module: the part after `isochron`."""
    return name.split(".")[1]


def test_arrows_point_one_way() -> None:
    names = {name: path for name, path in modules().items() if name not in DOOR}
    assert len(names) > 30
    assert {room(name) for name in names} == set(ALLOWED)
    wrong = [
        f"{name} imports {target}"
        for name, path in names.items()
        for target in imports(path)
        if target in names and room(target) != room(name) and room(target) not in ALLOWED[room(name)]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("outer", INNER)
def test_arrows_within_a_room_point_one_way(outer: str) -> None:
    def inner(name: str) -> str:
        parts = name.split(".")
        return parts[2] if parts[1:2] == [outer] and len(parts) > 3 else ""

    names = {name: path for name, path in modules().items() if inner(name)}
    assert {inner(name) for name in names} == set(INNER[outer])
    found = {
        (inner(name), inner(target)) for name, path in names.items() for target in imports(path) if target in names
    }
    arrows = {(one, other) for one, other in found if one != other}
    assert arrows == {(one, other) for one, others in INNER[outer].items() for other in others}


def test_no_import_circle() -> None:
    names = modules()
    graph = {name: {target for target in imports(path) if target in names} - {name} for name, path in names.items()}
    # importing a package's sub-module does not make its (empty) __init__ a part of a circle
    tuple(TopologicalSorter(graph).static_order())


#: Modules and functions that read files directly: those of the machine, or of a cache that only its user can write.
DIRECT_READERS = (
    "isochron.common.files", "isochron.common.orphans", "isochron.spack_envs.wheels",
    "isochron.workflows.doctor.machine.read", "isochron.workflows.driving.lock._read",
    "isochron.reframe_checks.checks.operations",  # in a site's ReFrame, without Isochron
)  # fmt: skip


def reads(tree: ast.AST, function: str = "") -> Iterator[tuple[str, str]]:
    """Calls that open a file to read it (`path.read_text()`, `path.open()`, `open(path)`), with their function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            reading = not any(set(mode) & set("wax") for mode in modes)
            if called.endswith((".read_text", ".read_bytes")) or (called.split(".")[-1] == "open" and reading):
                yield function, f"{called}, line {node.lineno}"
        yield from reads(node, node.name if isinstance(node, ast.FunctionDef) else function)


def test_files_are_read_by_the_readers_of_common() -> None:
    """A pipe or 3 GiB in the place of a small file must not stop a command: `common.files` reads within bounds."""
    wrong = [
        f"{name}: {call}"
        for name, path in modules().items()
        if name not in DIRECT_READERS
        for function, call in reads(nodes(path)[0])
        if f"{name}.{function}" not in DIRECT_READERS and not call.startswith(("os.open", "gzip.open"))
    ]
    assert not wrong, "\n".join(wrong)


def test_every_source_file_is_short_and_names_its_licence() -> None:
    paths = [*tracked(*SOURCES), *(path for path in tracked("") if path.name == "Makefile")]
    sources = {path.relative_to(ROOT): path.read_text().splitlines() for path in paths}
    assert len(sources) > 300
    long = [
        f"{path}: {len(lines)} lines; split it by subject"
        for path, lines in sources.items()
        if len(lines) > LONGEST_FILE
    ]
    licence = "SPDX-License-Identifier: BSD-3-Clause"
    bare = [f"{path}: no licence" for path, lines in sources.items() if not any(licence in line for line in lines[:3])]
    assert not long + bare, "\n".join(long + bare)


def test_no_function_is_long() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for path in modules().values()
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long, "\n".join(long)


def test_no_operation_of_the_engine_is_long() -> None:
    files = list((ROOT / "reframe_checks" / "engine" / "src" / "operations" / "collectives").glob("*.c"))
    assert len(files) >= 20
    long = {path.name: count for path in files if (count := len(path.read_text().splitlines())) > LONGEST_OPERATION}
    assert not long


def test_nothing_names_the_place_where_it_was_written() -> None:
    forbidden = ("/work/", "../shared", "/root/", "/tmp/x")
    here = Path(__file__)
    texts = tracked(*SOURCES, ".md", ".yaml", ".toml", ".html", ".lock", "")
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in texts
        if path != here
        for word in forbidden
        if word in path.read_text(errors="replace")
    ]
    assert not found, "\n".join(found)


def test_make_quick_leaves_out_all_that_starts_something() -> None:
    assert f"QUICK := {tiers.quick_expression()}\n" in (ROOT / "Makefile").read_text()
