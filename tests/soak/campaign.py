# SPDX-License-Identifier: BSD-3-Clause
"""The tiny campaign of the soak: one stack, one block of two launches of a fraction of a second each."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from isochron.spack_envs import wheels
from tests.end_to_end.built import ONE, build
from tests.end_to_end.conftest import Place

#: The data are verified, since some faults are libraries that deliver wrong data.
TINY: dict[str, Any] = {
    **ONE,
    "operations": ["allreduce", "bcast"],
    "engine": {"stop": "time", "time_budget": 0.2, "max_reps": 5000, "check": True},
    "limits": {"launch_seconds": 20, "retries": 1},
}

#: Between these lies any true time of 8 bytes between two processes of a host, however busy it is, in µs.
SHORTEST_US, LONGEST_US = 0.02, 200_000.0


def own_cache(folder: Path) -> Path:
    """A cache home of the soak's own, with the user's MPI libraries, which are never changed."""
    mine = folder / "isochron"
    mine.mkdir(parents=True)
    (mine / "stacks").symlink_to(wheels.default_cache())
    return folder


def pristine(folder: Path, cache: Path) -> Place:
    """The campaign, planned and with its engine built, but not measured: every life begins with a copy of it."""
    folder.mkdir(parents=True)
    place = Place(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "XDG_CACHE_HOME", str(cache))
        build(place, TINY)
    return place
