# SPDX-License-Identifier: BSD-3-Clause
"""What is said of a run in which a step after the measurement failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.workflows.driving.failures import what_failed

PLAN = Plan(campaign="c", digest="d", cores_per_node=2, points=[], blocks=[], skipped=[])


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("postprocess analyse: store/launches.parquet is missing", "analyse: postprocess analyse: store/launches"),
        ("Traceback (most recent call last):\n  File …\nKeyError: \"['hosts'] not in index\"", "analyse: KeyError: "),
        ("a warning of some library", ""),
    ],
)
def test_the_step_is_named_with_its_last_words(tmp_path: Path, log: str, said: str) -> None:
    run = RunLayout(tmp_path)
    run.logs.mkdir()
    (run.logs / "analyse.log").write_text(log + "\n")
    found = what_failed(run, PLAN)
    assert len(found) == (1 if said else 0)
    assert all(line.startswith(said) and line.endswith(f"see {run.logs / 'analyse.log'}") for line in found)
