# SPDX-License-Identifier: BSD-3-Clause
"""docs/upstream: every patch fits the installed version, and docs/design.md refers to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATCHES = sorted((ROOT / "docs" / "upstream").glob("*.patch"))
PACKAGES = {"ReFrame": "reframe-hpc", "Snakemake": "snakemake"}


def hunks(patch: str) -> Iterator[tuple[Path, str]]:
    """The installed file that each hunk changes, and the lines that it has to have there."""
    path, lines = Path(), list[str]()
    for line in [*patch.splitlines(keepends=True), "@@ "]:
        if line.startswith(("--- a/", "@@ ")):
            if lines:
                yield path, "".join(lines)
            lines = []
        if line.startswith("--- a/"):
            package, _, rest = line.removeprefix("--- a/").removeprefix("src/").strip().partition("/")
            spec = find_spec(package)
            assert spec is not None and spec.origin is not None
            path = Path(spec.origin).parent / rest
        elif path.name and line.startswith((" ", "-")):
            lines.append(line[1:])


@pytest.mark.parametrize("path", PATCHES, ids=lambda path: path.stem)
def test_a_patch_fits_the_installed_version(path: Path) -> None:
    text = path.read_text()
    project, written_for = re.findall(r"^Against (\w+) ([\d.]+)\.", text, re.MULTILINE)[0]
    installed = version(PACKAGES[project])
    if tuple(map(int, installed.split("."))) < tuple(map(int, written_for.split("."))):
        pytest.skip(f"written for {project} {written_for}; {installed} is installed")
    parts = list(hunks(text))
    assert parts
    stale = sorted({file.name for file, lines in parts if lines not in file.read_text()})
    assert not stale, (
        f"{path.name}: {project} {installed} has changed in {', '.join(stale)}: if it has the patch, delete the file "
        "and what it makes unnecessary, else make the patch again"
    )


def test_the_design_refers_to_every_patch() -> None:
    design = (ROOT / "docs" / "design.md").read_text()
    assert PATCHES
    assert not [path.name for path in PATCHES if f"](upstream/{path.name})" not in design]
