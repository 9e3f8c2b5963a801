# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 of any one process of a campaign: what it was doing is done again, and nothing is counted twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.built import ONE
from tests.end_to_end.conftest import Place
from tests.faults.support import RUN, completes, kill_first

pytestmark = pytest.mark.mpi


def snakemake(words: list[str]) -> bool:
    return "isochron.compat.patched_snakemake" in words and "--snakefile" in words


def reframe(words: list[str]) -> bool:
    return "isochron.compat.patched_reframe" in words and any(word.endswith("block.py") for word in words)


def mpiexec(words: list[str]) -> bool:
    return Path(words[0]).name in ("mpiexec", "mpirun", "prterun") and "--check-timer" not in words


def engine(words: list[str]) -> bool:
    return words[0].endswith("isochron-engine") and "--check-timer" not in words


def killed(place: Place, victim: Callable[[list[str]], bool], delay: float = 0) -> None:
    """Start, kill, wait until the driver has coped with it, and go on."""
    place.write(**{**ONE, "limits": {"retries": 0}})
    driver = place.start(*RUN, "--until", "store")
    kill_first(place, victim, delay)
    assert driver.wait(300) in (0, 1)
    completes(place)


@pytest.mark.slow
def test_one_rank(place: Place) -> None:
    killed(place, engine, delay=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("victim", [snakemake, reframe, mpiexec])
def test_a_process_of_the_campaign(place: Place, victim: Callable[[list[str]], bool]) -> None:
    killed(place, victim, delay=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.05, 0.3, 0.6, 0.9])
def test_the_engine_at_any_moment(place: Place, delay: float) -> None:
    killed(place, engine, delay)
