# SPDX-License-Identifier: BSD-3-Clause
"""Names that were replaced are nowhere."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.repository.test_structure import ROOT, SOURCES, nodes, tracked

pytestmark = pytest.mark.xdist_group("sources")  # one process reads all sources once for these files

#: Replaced names, and what they are called now.
REPLACED = {
    "weather": "probes, interference",
    "believed": "reliable",
    "no-quiet-time": "disturbed",
    "initial_runs": "warmup_reps",
    "initial-runs": "warmup-reps",
    "max_runs": "max_reps",
    "max-runs": "max-reps",
    "operations_per_run": "operations_per_rep",
    "operations-per-run": "operations-per-rep",
    "pass_runs": "pass_reps",
    "runs_made": "reps_made",
    "runs_valid": "reps_valid",
    "runs_used": "reps_used",
    "clock_syncs": "compare_clock_syncs",
    "sizes_of": "sizes_by_operation",
    "interval_holds": "interval_validity",
    "own_cost": "overhead",
    "cannot-tell": "undecided",
    "npb-beside": "npb-published",
    "undecided.csv": "inconclusive.csv",
    "again.csv": "remeasured.csv",
    "beside.csv": "other-machines.csv",
    "doubts.json": "remeasure.json",
    "looks.json": "interim.json",
    "ISOCHRON_WITNESS": "ISOCHRON_LAUNCH_CHECK",
    "ISOCHRON_FACTS": "ISOCHRON_PROPERTIES",
    "ISOCHRON_SLOW": "ISOCHRON_SLOWDOWN",
    "RowVerdict": "ResultVerdict",
    "isochron.ground": "isochron.common",
    "did_you_mean": "suggest",
    "known_stacks": "available_stacks",
    "exchanged_names": "permuted_labels",
    "look_at": "take_interim_analysis",
    "what_failed": "list_failures",
    "set_aside": "quarantine",
    "blocks_that_find": "blocks_to_detect",
    "keep_whole": "reinstall_lost_files",
    "use_again": "reuse_lock",
    "known_operations": "checked_operations",
}
#: Names of variables and parameters that say nothing about their value; packages that are free of them.
EMPTY_NAMES = {"found", "own", "said", "told", "each", "theirs", "ours", "mine"}
FREE_OF_THEM = ("isochron/cli", "isochron/common", "isochron/tools", "workflows", "spack_envs", "scripts")
#: The file that states old names: this list.
LIST = "tests/repository/test_vocabulary.py"


@cache
def places() -> dict[str, list[str]]:
    """Where each of the replaced names stands, as `file:line`."""
    found: dict[str, list[str]] = {name: [] for name in REPLACED}
    names = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, REPLACED))})(?!\w)")
    for path in tracked(*SOURCES, ".md", ".yaml", ".json", ".html"):
        if path.relative_to(ROOT).as_posix() == LIST:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for name in names.findall(line):
                found[name].append(f"{path.relative_to(ROOT)}:{number}")
    return found


@pytest.mark.parametrize("name", REPLACED)
def test_a_replaced_name_is_gone(name: str) -> None:
    assert not places()[name], f"{name} is now called {REPLACED[name]}"


def empty_names(path: Path) -> list[str]:
    """Variables and parameters of a file whose name says nothing, as `name, line N`."""
    stored = [node for node in nodes(path) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    names = [(node.id, node.lineno) for node in stored]
    names += [(node.arg, node.lineno) for node in nodes(path) if isinstance(node, ast.arg)]
    return [f"{path.relative_to(ROOT)}:{line}: {name}" for name, line in names if name in EMPTY_NAMES]


@pytest.mark.parametrize("package", FREE_OF_THEM)
def test_variables_are_named_for_their_value(package: str) -> None:
    paths = [path for path in tracked(".py") if path.relative_to(ROOT).as_posix().startswith(f"{package}/")]
    assert len(paths) > 3
    wrong = [name for path in paths for name in empty_names(path)]
    assert not wrong, "\n".join(wrong)
