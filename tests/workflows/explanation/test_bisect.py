# SPDX-License-Identifier: BSD-3-Clause
"""Which version brought a difference; the experiments are played by known shares, with errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from isochron.common.files import FileError
from isochron.schemas.run.bisection import Bisection
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Point
from isochron.spack_envs import wheel_index
from isochron.workflows.explanation.bisect import bisect, versions_between
from isochron.workflows.explanation.experiments import Case, Experiments, Setup
from isochron.workflows.explanation.explain import Difference
from isochron.workflows.explanation.search import Share

POINT = Point(processes=2, processes_per_node=2, placement="packed")
VERSIONS = [f"mpich@4.{number}" for number in range(8)]
CASE = ("alltoall", 8192)
#: Blocks with which all versions would be compared: those of a campaign that decides as much.
BLOCKS_OF_ALL = 24


class Played(Experiments):
    """The logarithm of each version's time is known; a block adds an error of this standard deviation to each."""

    times: Mapping[str, Mapping[Case, float]]
    error: float
    draw: np.random.Generator

    def measure(self, setups: Mapping[str, Setup], cases: Iterable[Case]) -> dict[str, dict[Case, Share | None]]:
        self.count += 1
        self.launches += (len(setups) + 2) * self.blocks
        every = list(cases)
        shares: dict[str, dict[Case, Share | None]] = {}
        for name, (stack, variables) in {self.old: (self.old, {}), **setups}.items():
            assert not variables and name.startswith("mpich")
            shares[name] = {case: self._share(stack, case) for case in every}
        for case in every:
            if shares[self.old][case] is not None:
                self.ratios.setdefault(case, 1.1)
        return shares

    def _share(self, stack: str, case: Case) -> Share | None:
        from isochron.stats.shares import share_of

        def logs(name: str) -> Any:
            return self.times[name][case] + self.draw.normal(0, self.error, self.blocks)

        new = logs(self.new)
        share = share_of(new - logs(stack), new - logs(self.old), 0.95)
        return None if np.isnan(share.share) else Share(share.share, share.low, share.high)


def bisected(
    slower: Mapping[str, Mapping[Case, float]], draw: np.random.Generator, error: float = 0.01, *cases: Case
) -> tuple[Bisection, int]:
    """What is found if these versions add this to the logarithm of a case's time, and all launches that it took."""
    total: dict[Case, float] = dict.fromkeys(cases or (CASE,), 0.0)
    times = {}
    for stack in VERSIONS:
        total = {case: time + slower.get(stack, {}).get(case, 0.0) for case, time in total.items()}
        times[stack] = total
    campaign = cast(Any, SimpleNamespace())
    old, new = VERSIONS[0], VERSIONS[-1]
    nothing = cast(Any, None)
    experiments = Played(RunLayout(Path("r/c/i")), campaign, old, new, POINT, 6, nothing, quiet=True)
    experiments.times, experiments.error, experiments.draw = times, error, draw
    found = bisect(Difference(old, new, POINT, list(total)), VERSIONS[1:-1], experiments)
    return found, experiments.launches


def test_the_version_is_named_in_few_launches() -> None:
    """The acceptance: a loss of 10 % that one of eight versions brings is named in 90 % of 50, at half the launches."""
    draw = np.random.default_rng(5)
    named, launches = 0, 0
    for number in range(50):
        culprit = VERSIONS[1 + number % 7]
        result, took = bisected({culprit: {CASE: np.log(1.1)}}, draw)
        named += [one.after for one in result.cases[0].brought] == [culprit]
        launches += took
    print(f"{named} of 50, {launches / 50 / len(VERSIONS) / BLOCKS_OF_ALL:.2f} of the launches of comparing all")
    assert named >= 45
    assert launches / 50 <= 0.5 * len(VERSIONS) * BLOCKS_OF_ALL


def test_without_a_difference_no_version_is_named() -> None:
    draw = np.random.default_rng(6)
    wrong = sum(bool(bisected({}, draw)[0].cases[0].brought) for _ in range(100))
    assert wrong <= 5


def test_two_versions_and_two_cases() -> None:
    other = ("bcast", 8)
    slower = {VERSIONS[2]: {CASE: 0.3}, VERSIONS[6]: {CASE: 0.3, other: 0.4}}
    result, _ = bisected(slower, np.random.default_rng(7), 0.003, CASE, other)
    assert result.versions == VERSIONS
    first, second = result.cases
    assert [(one.before, one.after) for one in first.brought] == [
        (VERSIONS[5], VERSIONS[6]), (VERSIONS[1], VERSIONS[2]),
    ]  # fmt: skip
    assert [one.share.share for one in first.brought] == pytest.approx([0.5, 0.5], abs=0.1)
    assert [one.after for one in second.brought] == [VERSIONS[6]]
    assert str(second).startswith("mpich@4.6 brings ")


def test_many_small_steps_are_no_version() -> None:
    slower = {stack: {CASE: 0.1} for stack in VERSIONS[1:]}
    result, _ = bisected(slower, np.random.default_rng(8), 0.003)
    assert str(result.cases[0]) == "no version brings a large part of it"


def manifest(text: str) -> Manifest:
    return cast(Manifest, SimpleNamespace(mpi_library_version=text))


def test_the_versions_of_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel_index, "versions", lambda _: ["5.0.10", "5.0.9", "5.0.2", "4.1.8", "4.1.7"])
    old, new = manifest("Open MPI v4.1.7, package: 12.3"), manifest("Open MPI v5.0.10, package")
    assert versions_between("openmpi", old, new) == ["openmpi@4.1.8", "openmpi@5.0.2", "openmpi@5.0.9"]
    with pytest.raises(FileError, match="states no version; name them by --versions"):
        versions_between("openmpi", manifest("a fork"), new)
