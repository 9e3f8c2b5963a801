# SPDX-License-Identifier: BSD-3-Clause
"""What a test starts decides when it runs: `make quick`, `make test` or `make test-full`.

A test without any of the marks is quick, and may start no process: the interpreter itself tells of each one, so that
nobody has to remember the mark. Marks that follow from a fixture are given by the fixture.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

#: Marks of tests that start something, with what it is.
STARTS = {
    "process": "starts a process: a compiler, ReFrame, Snakemake, a shell",
    "mpi": "starts a real MPI library",
    "simgrid": "starts the simulator",
    "campaign": "drives a whole campaign by `isochron run`",
    "cluster": "starts a virtual cluster with a real Slurm",
    "install": "builds the wheel and installs it into an empty environment (needs a package index)",
}

#: When a test runs, beside what it starts.
WHEN = {
    "heavy": "computes for many seconds: draws of a statistic, figures, whole reports; not in `make quick`",
    "slow": "takes minutes, or is one more of a kind that `make test` has; runs in `make test-full` only",
    "alone": "needs the cores for itself: two processes that start together; the last of `make test-full`",
    "bench": "prints figures, asserts nothing about time; runs in `make bench` only",
}

#: The marks that fixtures bring.
BY_FIXTURE = {
    "mpi": "mpi",
    "demo": "heavy",
    "demo_analysis": "heavy",
    "small_report": "heavy",
    "checked": "process",
    "sanitized": "process",
    "prefix": "process",
    "browser": "process",
    "simulated_engine": "simgrid",
    "finished": "campaign",
    "built": "campaign",
    "place": "campaign",
    "cluster": "cluster",
    "wide_cluster": "cluster",
    "obstacles": "cluster",
}

#: Marks of tests that build engines, or wait for what they start; and of others; those of the longest tests first.
BUILDING = ("cluster", "campaign", "install", "simgrid", "mpi")
COMPUTING = ("heavy", "process")

#: What the interpreter calls the start of a process.
EVENTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "os.exec"}


class Watch:
    """Fails a quick test where it starts a process, in its fixtures too."""

    def __init__(self) -> None:
        self.quick = ""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, words: tuple[object, ...]) -> None:
        if self.quick and event in EVENTS:
            started = " ".join(map(str, words))[:200]
            pytest.fail(f"{self.quick} is quick and starts a process ({event}: {started}); mark it {', '.join(STARTS)}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        """Listen while a quick test is set up and runs."""
        self.quick = "" if marks(item) else item.nodeid
        try:
            return (yield)
        finally:
            self.quick = ""


def marks(item: pytest.Item) -> set[str]:
    """The marks of a test that keep it out of the quick tier."""
    return {mark.name for mark in item.iter_markers()} & {*STARTS, *WHEN}


def add_marks(items: list[pytest.Item]) -> None:
    """Give every test the marks of its fixtures.

    Tests that share a fixture of their module stay together where pytest-xdist shares them out (--dist loadgroup).
    """
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in BY_FIXTURE:
                item.add_marker(BY_FIXTURE[fixture])
        fixtures = item._fixtureinfo.name2fixturedefs.values() if hasattr(item, "_fixtureinfo") else ()
        if any(each.scope == "module" for definitions in fixtures for each in definitions):
            item.add_marker(pytest.mark.xdist_group(item.path.as_posix()))


def order(items: list[pytest.Item]) -> None:
    """Order the tests for the processes of pytest-xdist that share them out.

    One process alone goes from module to module instead: it would make the fixtures of a module again and again.
    """
    items.sort(key=_place(items))


def _place(items: list[pytest.Item]) -> Callable[[pytest.Item], float]:
    """Where a test stands in the order, from 0 to 1.

    Of the tests that build an engine or wait for processes, and of those that compute, the longest kinds come first;
    both are dealt out evenly, so that one process builds while another computes, and neither waits at the end.
    """
    place: dict[pytest.Item, float] = {}
    for kinds in (BUILDING, COMPUTING):
        own = [item for item in items if bool(marks(item) & set(BUILDING)) == (kinds is BUILDING)]
        own.sort(key=lambda item: min((kinds.index(mark) for mark in marks(item) & set(kinds)), default=len(kinds)))
        place |= {item: number / len(own) for number, item in enumerate(own)}
    return place.__getitem__


def quick_expression() -> str:
    """What `make quick` asks pytest for."""
    return f"not ({' or '.join([*STARTS, *WHEN])})"
