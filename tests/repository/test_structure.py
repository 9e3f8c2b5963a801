# SPDX-License-Identifier: BSD-3-Clause
"""The structure that docs/design.md promises: which room may import which, how long files are, licences."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Rooms that each room may import (docs/design.md, "Arrows"). The data schema is a room of its own.
ALLOWED = {
    "workflows.schemas": set(),
    "spack_envs": {"workflows.schemas"},
    "reframe_checks": {"workflows.schemas", "spack_envs"},
    "postprocess": {"workflows.schemas"},
    "reports": set(),
    "workflows": {"workflows.schemas", "spack_envs", "reframe_checks"},
}
LONGEST_FILE, LONGEST_FUNCTION, LONGEST_OPERATION = 300, 60, 80
SOURCES = (".py", ".c", ".h", ".sh", ".smk", ".css", ".js", ".j2")


def tracked(*suffixes: str) -> list[Path]:
    """Files that belong to the repository: tracked, or new and not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    paths = (ROOT / name for name in names)
    return [path for path in paths if path.suffix in suffixes and path.is_file()]


def modules() -> dict[str, Path]:
    """Importable modules of the product by dotted name."""
    found = {}
    for path in tracked(".py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0] in {room.split(".", maxsplit=1)[0] for room in ALLOWED}:
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(path: Path) -> Iterator[str]:
    """Dotted names that a file imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(name: str) -> str:
    """The room of a module: the longest one that it lies in."""
    return max((entry for entry in ALLOWED if f"{name}.".startswith(f"{entry}.")), key=len)


def test_arrows_point_one_way() -> None:
    names = modules()
    assert len(names) > 30
    wrong = [
        f"{name} imports {target}"
        for name, path in names.items()
        for target in imports(path)
        if target in names and room(target) != room(name) and room(target) not in ALLOWED[room(name)]
    ]
    assert not wrong, "\n".join(wrong)


def test_no_import_circle() -> None:
    names = modules()
    graph = {name: {target for target in imports(path) if target in names} - {name} for name, path in names.items()}
    # importing a package's sub-module does not make its (empty) __init__ a part of a circle
    tuple(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", tracked(*SOURCES), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_source_file_is_short_and_names_its_licence(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= LONGEST_FILE, f"{len(lines)} lines; split it by duty"
    assert any("SPDX-License-Identifier: BSD-3-Clause" in line for line in lines[:3])


def test_no_function_is_long() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for path in modules().values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long, "\n".join(long)


def test_no_operation_of_the_engine_is_long() -> None:
    files = list((ROOT / "reframe_checks" / "engine" / "src" / "operations").glob("*/*.c"))
    assert len(files) >= 10
    long = {path.name: count for path in files if (count := len(path.read_text().splitlines())) > LONGEST_OPERATION}
    assert not long


def test_the_engine_has_no_mutable_globals(tmp_path: Path) -> None:
    """No object file without MPI may have writable data of its own: thousands of simulated ranks share it."""
    engine = ROOT / "reframe_checks" / "engine"
    build = tmp_path / "build"
    subprocess.run(["make", "-s", "-C", str(engine), "check", f"BUILD={build}"], check=True, capture_output=True)
    objects = list(build.rglob("*.o"))
    assert objects
    symbols = subprocess.run(
        ["nm", "--print-file-name", *map(str, objects)], capture_output=True, text=True, check=True
    )
    writable = [line for line in symbols.stdout.splitlines() if line.split()[-2] in tuple("bBdDC")]
    writable = [line for line in writable if "/tests/" not in line.split(":")[0]]
    assert not writable, "\n".join(writable)


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
