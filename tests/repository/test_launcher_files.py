# SPDX-License-Identifier: BSD-3-Clause
"""A launcher is described in its own file: no other source of the product names one, or its variables."""

from __future__ import annotations

import re

import pytest

from isochron.common.resources import shipped
from isochron.schemas.launcher_kind import FOLDER, launcher_kinds
from tests.repository.test_structure import ROOT, tracked

pytestmark = pytest.mark.xdist_group("sources")

PRODUCT = ("isochron", "postprocess", "reframe_checks", "spack_envs", "workflows")

#: Files that may name a launcher, and why.
PERMITTED = {
    "reframe_checks/settings/": "examples of sites name the launchers of their partitions",
    "reframe_checks/sites/schedulers/": "Flux is both, and what Slurm sets for launchers",
    "isochron/compat/patched_reframe.py": "ReFrame's schedulers by name",
    "spack_envs/families/": "the launcher of a library, by its name",
}


def names() -> set[str]:
    """Words that only the file of a launcher may contain: its name, its command, the variables of its ranks."""
    words = set()
    for name, kind in launcher_kinds().items():
        variables = [text for pair in kind.rank_variables for text in (pair.rank, pair.size) if text]
        variables += [*kind.concurrent_variables, *kind.variables]
        words |= {name, kind.packed[0].rpartition("/")[2], *variables}
    return words - {"mpiexec"}  # any library's


def test_the_file_of_a_launcher_alone_names_it() -> None:
    pattern = re.compile(rf"\b({'|'.join(sorted(names()))})\b")
    named = {}
    for path in tracked(".py", ".c", ".h", ".sh", ".smk", ".yaml"):
        where = path.relative_to(ROOT).as_posix()
        own = where.startswith("reframe_checks/sites/launchers/") or where.startswith("reframe_checks/engine/tests/")
        if where.startswith(PRODUCT) and not own:
            named |= {f"{where}: {match[1]}": where for match in pattern.finditer(path.read_text(encoding="utf-8"))}
    wrong = [text for text, where in named.items() if not where.startswith(tuple(PERMITTED))]
    assert not wrong, "\n".join(wrong)
    unused = [part for part in PERMITTED if not any(where.startswith(part) for where in named.values())]
    assert not unused, f"no longer needed: {unused}"


def test_every_variable_of_ranks_reaches_the_engine() -> None:
    """The Makefile reads the files line by line: each pair must stand in a line of the form that it knows."""
    line = re.compile(r"^  - \{order: *(\d+), rank: ([A-Z0-9_]+), size: ([A-Za-z0-9_]+)\}", re.MULTILINE)
    for name, kind in launcher_kinds().items():
        text = shipped("reframe_checks", *FOLDER, f"{name}.yaml").read_text(encoding="utf-8")
        pairs = [(int(order), rank, None if size == "null" else size) for order, rank, size in line.findall(text)]
        assert pairs == [(each.order, each.rank, each.size) for each in kind.rank_variables], name
