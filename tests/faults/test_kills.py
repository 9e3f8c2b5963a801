# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 of any one process of a campaign: what it was doing is done again, and nothing is counted twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.built import ONE
from tests.end_to_end.conftest import Place
from tests.engine.support import needs_simgrid
from tests.faults.support import RUN, completes, find, kill_first

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


#: A simulated stack, which is built within seconds.
SIMULATED: dict[str, Any] = {
    **ONE,
    "stacks": ["smpi-default"],
    "engine": {
        "wait": "sleep", "clock_sync": "none", "stop": "reps", "warmup_reps": 1, "batch": 1, "min_valid": 1,
        "max_valid": 1, "max_reps": 4, "max_slot_us": 1000000,
    },
    "site": {"machine": "bxj"},
}  # fmt: skip


def build(words: list[str]) -> bool:
    return "isochron.reframe_checks" in words and "build" in words


@needs_simgrid
@pytest.mark.slow
@pytest.mark.parametrize("ended", [True, False])
def test_snakemake_while_a_stack_is_built(tmp_path: Path, ended: bool) -> None:
    """Whether or not the build, which it leaves behind, has ended when the campaign goes on."""
    place = Place(tmp_path)
    place.write(**SIMULATED)
    driver = place.start(*RUN, "--until", "store")
    while not (builds := find(place, build) if place.run.root.is_dir() else []):
        assert driver.poll() is None
    kill_first(place, snakemake)
    assert driver.wait(300) == 1
    while ended and any(Path(f"/proc/{pid}").is_dir() for pid in builds):
        time.sleep(0.05)
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
