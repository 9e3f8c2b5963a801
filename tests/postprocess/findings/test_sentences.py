# SPDX-License-Identifier: BSD-3-Clause
"""Sentences that were once wrong: what is fast is not slow, and what is faster than its model is not the worst."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pandas as pd

from isochron.postprocess.findings import quality, scaling
from isochron.postprocess.tables.models import MODELS
from isochron.postprocess.tables.summary import LAUNCH_FACTORS


def launches_off(*factors: float) -> str:
    table = pd.DataFrame({"launch_id": [f"run.{n}" for n in range(len(factors))], "factor": factors})
    inputs = SimpleNamespace(layout=SimpleNamespace(run_id="run"))
    (found,) = quality.off_launches(cast("Any", inputs), cast("Any", {LAUNCH_FACTORS: table}))
    return found.text


def test_fast_launches_are_not_called_slow() -> None:
    assert "off throughout: 1 fast one, with 0.425× the times of the others." in launches_off(0.425)
    both = launches_off(2.5, 3.0, 0.4)
    assert "2 slow ones, the farthest off with 3.00× the times of the others and 1 fast one, with 0.400×" in both


def test_what_is_slower_than_its_model_comes_first_and_what_is_faster_is_called_so() -> None:
    row = {
        "operation": "bcast", "bytes": 8, "processes_per_node": 1, "placement": "packed", "stack": "a",
        "algorithm": "ring", "leaves_at": 16.0, "smallest": 2, "largest": 16, "typical_factor": 1.0,
        "largest_factor": 1.0, "leaves_outside": True, "broken": "",
    }  # fmt: skip
    table = pd.DataFrame([{**row, "leaves_factor": 0.241}, {**row, "leaves_factor": 1.5, "bytes": 64}])
    campaign = SimpleNamespace(
        processes_per_node=[1], placements=["packed"], stacks=["a"],
        analysis=SimpleNamespace(model=SimpleNamespace(tolerance=0.25)),
    )  # fmt: skip
    inputs = SimpleNamespace(campaign=campaign)
    (found,) = scaling.scaling(cast("Any", inputs), cast("Any", {MODELS: table}))
    assert found.text.index("leaves its model, ring, at 16 processes by 1.50×") < found.text.index("is faster than its")
    assert "0.241× of its time" in found.text
