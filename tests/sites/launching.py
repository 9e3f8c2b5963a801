# SPDX-License-Identifier: BSD-3-Clause
"""Starts a program with a launcher of a site and its imitation, by the words that Isochron would use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.schemas.launcher_kind import launcher_kinds
from isochron.schemas.run.manifest import Launcher
from isochron.schemas.run.plan import Point

PROGRAMS = Path(__file__).parent / "programs"
POINT = Point(processes=5, processes_per_node=2, placement="packed")


def launch(words: list[str], program: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a launcher with a program of the shell, the imitations first on the PATH."""
    env = os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*words, "sh", "-c", program], env=env, capture_output=True, text=True, check=False)


def command(name: str, pmi: str, point: Point = POINT, *, threads: int = 1, named_hosts: bool = False) -> list[str]:
    """The words for a library with this interface, of which the launcher has the plain word."""
    own = Launcher(argv=["own"], pmi=pmi)
    words = launcher_commands(own, point, "s", threads=threads, named_hosts=named_hosts)[name]
    return [word.replace("{pmi}", launcher_kinds()[name].pmi[pmi]) for word in words]


def assert_started(name: str, pmi: str) -> None:
    """Five ranks on three nodes, two on each but the last; each reads its rank and their number. A failure shows."""
    pair = launcher_kinds()[name].rank_variables[0]
    done = launch(command(name, pmi), f"echo $NODE ${pair.rank} ${pair.size}")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["n0 0 5", "n0 1 5", "n1 2 5", "n1 3 5", "n2 4 5"]
    assert launch(command(name, pmi), f"test ${pair.rank} != 3 || exit 7").returncode == 7


def assert_refused(words: list[str], message: str, status: int) -> None:
    """The imitation does not accept everything."""
    done = launch(words, "true")
    assert (done.returncode, message in done.stderr) == (status, True), done.stderr
