# SPDX-License-Identifier: BSD-3-Clause
"""References for ReFrame: from jobs where they are known, else from runs; and what has none is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from isochron.common.files import FileError
from isochron.postprocess.__main__ import main
from isochron.postprocess.estimate.compare.history import history
from isochron.postprocess.estimate.compare.references import FEWEST
from isochron.postprocess.export.reframe import reference
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.ingest.store import read_table
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy

STACK = "openmpi-5.0"
ONE: dict[str, Any] = {"stacks": [STACK], "operations": ["bcast"], "sizes": [8], "processes": [4], "launches": 6}
KEY = f"{STACK}/bcast/8/4x4/packed"


def nights(folder: Path, speeds: list[float], job: Callable[[int, int], str], **spec: Any) -> list[RunInputs]:
    """A run for each speed. `job`: (night, block) → the job, empty without a scheduler."""
    runs = []
    for night, speed in enumerate(speeds, start=1):
        chosen = Spec(**{**ONE, "speed": {STACK: speed}, "launch_spread": 0.002, "seed": night, **spec})
        run = load_inputs(write_run(folder / "results" / "nightly" / f"202605{night:02d}-0800", chosen))
        for launch in run.plan.launches:
            facts = {"record": "launch", "host": "node0", "job_id": job(night, launch.block)}
            run.layout.provenance(launch.name).write_text(json.dumps(facts) + "\n")
        assert main(["ingest", str(run.layout.root)]) == 0
        runs.append(run)
    return runs


def medians(run: RunInputs, chosen: Callable[[int], bool] = lambda _: True) -> float:
    """The median in µs over launches of the blocks that are chosen."""
    times = read_table(run.layout, "measurements").merge(read_table(run.layout, "launches"), on="launch_id")
    return float(times.loc[times["block"].map(chosen), "median_us"].median())


def expected(values: list[float]) -> tuple[float, float, float]:
    """Centre and relative ends of the 90 % forecast of a further value, by Student's t of logarithms."""
    logs = np.log(values)
    half = t.ppf(0.95, len(logs) - 1) * logs.std(ddof=1) * np.sqrt(1 + 1 / len(logs))
    return float(np.exp(logs.mean())), float(np.expm1(-half)), float(np.expm1(half))


def test_without_known_jobs_references_are_the_level_and_its_spread(tmp_path: Path) -> None:
    runs = nights(tmp_path, [1.0, 1.02, 0.99], lambda *_: "")
    with pytest.raises(FileError, match=f"no result has {FEWEST} jobs or {FEWEST} runs on its present level"):
        reference(runs[:2])
    document = json.loads(reference(runs))
    about = document.pop("about")
    ((system, lines),) = document.items()
    ((name, (value, lower, upper, unit)),) = lines.items()
    assert (system, name, unit) == ("*", KEY, "us")
    threshold = runs[-1].campaign.analysis.threshold
    assert upper == -lower == pytest.approx(max(threshold, 0.02), abs=0.01)
    assert value > 0
    assert about["false_alarm_rate"] is None
    assert "fewer than 3 jobs are known" in about["false_alarms"]
    assert (about["from_jobs"], about["from_runs"], about["left_out"]) == ({}, {KEY: 3}, {})


def test_three_jobs_give_the_forecast_of_another(tmp_path: Path) -> None:
    runs = nights(tmp_path, [1.0, 1.1, 0.9], lambda night, _: str(night))
    document = json.loads(reference(runs))
    centre, low, high = expected([medians(run) for run in runs])
    value, lower, upper, _ = document["*"][KEY]
    assert value == pytest.approx(centre, rel=1e-5)
    assert (lower, upper) == pytest.approx((low, high), abs=1e-4)
    assert upper > -lower > runs[-1].campaign.analysis.threshold
    about = document["about"]
    assert (about["false_alarm_rate"], about["from_jobs"], about["from_runs"]) == (0.1, {KEY: 3}, {})
    assert "in at most 10 % of jobs" in about["false_alarms"]
    assert "held against" not in about["false_alarms"], "two jobs give no forecast that is used"


def test_jobs_of_one_run_suffice_and_bounds_are_at_least_the_threshold(tmp_path: Path) -> None:
    (run,) = nights(tmp_path, [1.0], lambda _, block: str(block % 3))
    document = json.loads(reference([run]))
    of_jobs = [medians(run, lambda block, job=job: block % 3 == job) for job in range(3)]  # type: ignore[misc]
    value, lower, upper, _ = document["*"][KEY]
    threshold = run.campaign.analysis.threshold
    centre, low, high = expected(of_jobs)
    assert value == pytest.approx(centre, rel=1e-5)
    assert (lower, upper) == pytest.approx((min(low, -threshold), max(high, threshold)), abs=1e-4)


def test_runs_of_one_job_are_one_job(tmp_path: Path) -> None:
    runs = nights(tmp_path, [1.0, 1.02, 0.99], lambda *_: "7")
    about = json.loads(reference(runs))["about"]
    assert (about["from_jobs"], about["from_runs"]) == ({}, {KEY: 3})


def test_jobs_are_held_against_the_others(tmp_path: Path) -> None:
    speeds = [1.0, 1.01, 0.99, 1.005, 1.5, 0.995]
    document = json.loads(reference(nights(tmp_path, speeds, lambda night, _: str(night))))
    assert "of 6 jobs held against the others, a result was outside in 1" in document["about"]["false_alarms"]


def test_jobs_before_a_change_and_of_an_unconfirmed_one_are_not_of_the_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = nights(tmp_path, [1.0, 1.01, 1.5, 1.52, 1.48, 1.9], lambda night, _: str(night))
    changed = runs[2].layout.run_id

    def found(layouts: list[RunLayout]) -> pd.DataFrame:
        table = history(layouts)
        verdicts = table["verdict"].mask(table["run_id"] == runs[5].layout.run_id, "unconfirmed")
        return table.assign(changed_at=table["run_id"].where(table["run_id"] < changed, changed), verdict=verdicts)

    monkeypatch.setattr("isochron.postprocess.estimate.compare.references.history", found)
    document = json.loads(reference(runs))
    assert document["about"]["from_jobs"] == {KEY: 3}
    assert document["*"][KEY][0] == pytest.approx(expected([medians(run) for run in runs[2:5]])[0], rel=1e-5)


def test_a_result_without_a_value_in_one_of_three_runs_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def spoiler(stack: str, operation: str, size: int, processes: int, launch: int) -> tuple[str, str] | None:
        return ("too-few-valid", "7 valid runs of 400") if size == 512 else None

    sizes = {"sizes": [8, 512]}
    runs = nights(tmp_path, [1.0, 1.02], lambda *_: "", **sizes)
    runs += nights(tmp_path / "later", [1.0, 1.0, 0.99], lambda *_: "", **sizes, spoiler=spoiler)[2:]
    capsys.readouterr()
    document = json.loads(reference(runs))
    assert list(document["*"]) == [KEY]
    other = KEY.replace("/8/", "/512/")
    assert document["about"]["left_out"] == {other: "2 of 3 runs with a reliable value; 20260503-0800: too-few-valid"}
    assert capsys.readouterr().err == f"synthetic: without a reference: {other}\n"
