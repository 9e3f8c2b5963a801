# SPDX-License-Identifier: BSD-3-Clause
"""A host whose clock is set while a launch runs there: the launch says so, and no time of it is a second off."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from tests.end_to_end.built import ONE, build, replace_launcher
from tests.end_to_end.conftest import Place, copied
from tests.faults.support import RUN, completes

pytestmark = [pytest.mark.mpi, pytest.mark.slow]

#: Five seconds of measuring in a launch; what is before is far shorter than half of that.
LONG = {**ONE, "engine": {"stop": "time", "time_budget": 5, "max_reps": 1_000_000}}

#: Steps the clock of one rank in the first launch, while it measures.
STEPPER = """#!/bin/bash
words=()
for word in "$@"; do
    case $word in
    */isochron-engine) [ -e <folder>/stepped ] || words+=(env LD_PRELOAD=<library> STEP_MS=<step> AFTER_MS=2500) ;;
    esac
    words+=("$word")
done
touch <folder>/stepped
exec <real> "${words[@]}"
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that steps a clock."""
    compiler = shutil.which("cc")
    assert compiler is not None
    path = tmp_path_factory.mktemp("step") / "step_clock.so"
    source = Path(__file__).parent / "shims" / "step_clock.c"
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", "-o", str(path), str(source), "-ldl"], check=True)
    return path


@pytest.fixture(scope="session")
def long(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A campaign with launches long enough for something to happen in them. Not to be changed."""
    place = Place(tmp_path_factory.mktemp("long"))
    build(place, LONG)
    return place


@pytest.mark.parametrize("step_ms", [1000, -1000])
def test_a_clock_that_is_stepped_during_a_launch(long: Place, library: Path, step_ms: int, tmp_path: Path) -> None:
    place = copied(long, tmp_path / "here")
    replace_launcher(place, STEPPER, library=library, step=step_ms)
    done = place.isochron(*RUN)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = pd.read_parquet(place.run.table("measurements"))
    stepped = rows[rows["verdict"] != "ok"]
    assert stepped["verdict"].tolist() == ["clock-limited"]
    assert "rank 1 has a false clock" in stepped["reason"].iloc[0]
    assert rows["median_us"].max() < 0.1e6, "the second by which the clock was stepped is in a time"
    assert "clock-limited" in place.run.report.read_text()
    completes(place)
