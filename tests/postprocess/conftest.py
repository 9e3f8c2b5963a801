# SPDX-License-Identifier: BSD-3-Clause
"""Runs that several tests look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.registry import ALL_SAVED
from tests.postprocess.synthetic import DEMO, Spec, write_run
from tests.shared import Shared

SMALL = Spec(stacks=["openmpi-5.0", "mpich-5.0"], operations=["barrier", "bcast"], sizes=[8, 1024], launches=4, runs=12)


@pytest.fixture(scope="session")
def demo(shared: Shared) -> RunInputs:
    """A whole run, ingested, analysed and rendered. Not to be changed."""

    def make(folder: Path) -> None:
        run = write_run(folder / "results" / "synthetic" / "20260504-0800", DEMO)
        for verb in ("ingest", "analyse", "render"):
            assert main([verb, str(run)]) == 0

    return load_inputs(shared("demo", make) / "results" / "synthetic" / "20260504-0800")


@pytest.fixture(scope="session")
def demo_analysis(demo: RunInputs) -> Analysis:
    """What was made of it: `analysis/test_kept.py` shows that it is read as it was made."""
    return load_analysis(demo.layout, ALL_SAVED)


@pytest.fixture(scope="session")
def small_report(shared: Shared) -> RunInputs:
    """The little run, taken to its report. Not to be changed."""

    def make(folder: Path) -> None:
        run = write_run(folder / "run", SMALL)
        for verb in ("ingest", "analyse", "render"):
            assert main([verb, str(run)]) == 0

    return load_inputs(shared("small-report", make) / "run")


@pytest.fixture
def small(tmp_path: Path) -> RunInputs:
    """A little run with raw files only, to be changed at will."""
    return load_inputs(write_run(tmp_path / "run", SMALL))
