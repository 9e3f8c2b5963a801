# SPDX-License-Identifier: BSD-3-Clause
"""A scheduler is described in its own file: no other source of the product names its variables and commands."""

from __future__ import annotations

import re

import pytest

from isochron.schemas.launcher_kind import launcher_kinds
from isochron.schemas.scheduler_kind import SchedulerKind, scheduler_kinds
from tests.repository.test_launcher_files import PRODUCT
from tests.repository.test_structure import ROOT, tracked

pytestmark = pytest.mark.xdist_group("sources")


def words(kind: SchedulerKind) -> set[str]:
    """Variables and commands that only the file of a scheduler may contain."""
    variables = {kind.within, kind.restarts, kind.components, *kind.launcher_variables}
    variables |= {*kind.job_facts.values(), *kind.node_facts.values()}
    variables |= set(re.findall(r"\$([A-Z]\w+)", f"{kind.hosts} {kind.end_steps}"))
    commands = set() if kind.status is None else {kind.status.command[0], kind.status.cancel[0]}
    return {word for word in variables | commands if word and len(word) > 1}


def test_the_file_of_a_scheduler_alone_names_its_variables_and_commands() -> None:
    every = {word for kind in scheduler_kinds().values() for word in words(kind)}
    pattern = re.compile(rf"\b({'|'.join(sorted(every))})\b")
    named = []
    for path in tracked(".py", ".c", ".h", ".sh", ".smk", ".yaml"):
        where = path.relative_to(ROOT).as_posix()
        if where.startswith(PRODUCT) and not where.startswith("reframe_checks/sites/schedulers/"):
            named += [f"{where}: {match[1]}" for match in pattern.finditer(path.read_text(encoding="utf-8"))]
    assert not named, "\n".join(named)


def test_the_schedulers_of_launchers_have_files_and_a_back_end_belongs_to_one() -> None:
    for name, kind in launcher_kinds().items():
        assert set(kind.schedulers) <= scheduler_kinds().keys(), name
    back_ends = [back_end for kind in scheduler_kinds().values() for back_end in kind.reframe]
    assert len(back_ends) == len(set(back_ends))
