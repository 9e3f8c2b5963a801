# SPDX-License-Identifier: BSD-3-Clause
"""Sentences that were once wrong: what is fast is not slow, and what is faster than its model is not the worst."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest
from jinja2 import Environment, FileSystemLoader

from isochron.common.resources import shipped
from isochron.postprocess.estimate.models.departures import REASONS, departures
from isochron.postprocess.subjects.results.table import LAUNCH_FACTORS
from isochron.postprocess.subjects.scaling import finding as scaling
from isochron.postprocess.subjects.scaling.table import MODEL_DEPARTURES, MODELS
from isochron.postprocess.subjects.trust import finding as quality


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
        "algorithm": "ring", "leaves_at": 16.0, "smallest": 2, "largest": 64, "leaves_outside": True,
        "worst_at": 64.0, "reasons": "latency", "as_if": "",
    }  # fmt: skip
    table = pd.DataFrame([{**row, "worst_factor": 0.241}, {**row, "worst_factor": 1.5, "bytes": 64}])
    ranked = departures(table)
    assert ranked["direction"].tolist() == ["slower", "faster"]
    assert ranked["times"].tolist() == pytest.approx([1.5, 1 / 0.241])
    campaign = SimpleNamespace(
        processes_per_node=[1], placements=["packed"], stacks=["a"],
        analysis=SimpleNamespace(model=SimpleNamespace(tolerance=0.25)),
    )  # fmt: skip
    inputs = SimpleNamespace(campaign=campaign)
    (found,) = scaling.scaling(cast("Any", inputs), cast("Any", {MODELS: table, MODEL_DEPARTURES: ranked}))
    slower = found.text.index("is 1.50× slower than its model, ring, at 64 processes, and leaves it at 16.")
    assert slower < found.text.index("is 4.15× faster than its model")
    assert "0.241" not in found.text
    assert found.details[-1] == f"In 2 curves: {REASONS['latency']}"


def test_what_the_intervals_show_goes_before_what_they_do_not() -> None:
    row = {
        "operation": "bcast", "processes_per_node": 1, "placement": "packed", "stack": "a", "algorithm": "ring",
        "leaves_at": 2.0, "smallest": 2, "worst_at": 4.0, "reasons": "", "as_if": "",
    }  # fmt: skip
    found = [(8, 9.0, False), (16, 0.1, True), (32, 2.0, True), (64, 3.0, True)]
    table = pd.DataFrame(
        [{**row, "bytes": size, "worst_factor": factor, "leaves_outside": sure} for size, factor, sure in found]
    )
    assert departures(table)["bytes"].tolist() == [64, 32, 8, 16]


@pytest.mark.parametrize(("clock_sync", "said"), [("none", "their clocks were taken as they are"), ("ring", "“ring”")])
def test_clocks_that_were_not_synchronised_are_not_said_to_have_been_compared(clock_sync: str, said: str) -> None:
    templates = Environment(loader=FileSystemLoader(shipped("reports")), autoescape=True)
    method = defaultdict(str, clock_sync=clock_sync, offset="envelope", timer="tsc")
    view = SimpleNamespace(clocks=[], timers="", guidelines=False, models=False)
    macros = defaultdict(lambda: lambda *_: "")
    report = {"method": method, "sections": []}
    text = templates.get_template("texts/methods.html").render(view=view, report=report, m=macros, links=macros)
    assert said in " ".join(text.split())
    assert ("timed exchanges" in " ".join(text.split())) == (clock_sync != "none")
