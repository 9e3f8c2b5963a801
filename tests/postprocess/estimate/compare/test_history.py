# SPDX-License-Identifier: BSD-3-Clause
"""Many runs of a campaign: a library that became slower is named with the run since which it is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isochron.cli.main import main
from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.estimate.compare.history import HISTORY_COLUMNS
from isochron.postprocess.estimate.history_cache.series import machine_lines, row_lines
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.stats.changes.change_point import continued
from tests.postprocess.in_process import postprocess_in_this_process
from tests.postprocess.synthetic import Spec, write_run

__all__ = ["postprocess_in_this_process"]
pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("postprocess_in_this_process")]

#: Medians of so few launches and runs differ by 2.5 % from night to night.
SPEC = Spec(stacks=["openmpi-5.0", "mpich-5.0"], operations=["bcast"], sizes=[8], processes=[4], launches=5, runs=6)
NIGHTS = 14
#: The night since which one stack is slower.
CHANGED = 9


def name(night: int) -> str:
    return f"202605{night:02d}T013000Z-0001"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    for night in range(1, NIGHTS + 1):
        speed = {"mpich-5.0": 2.0 if night >= CHANGED else 1.3}
        run = RunLayout(write_run(folder / "synthetic" / name(night), replace(SPEC, speed=speed, seed=100 + night)))
        RunState.load(run.state).model_copy(update={"state": "complete"}).save(run.state)
        assert postprocess(["ingest", str(run.root)]) == 0
    return folder


def history(results: Path, *words: str) -> int:
    return main(["history", "synthetic", "--results", str(results), *words])


def test_the_change_and_its_night(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert history(results, "--format", "json") == 0
    lines = json.loads(capsys.readouterr().out)
    assert len(lines) == 2 * NIGHTS
    assert list(lines[0]) == list(HISTORY_COLUMNS)
    slower = [line for line in lines if line["stack"] == "mpich-5.0"]
    assert [line["run_id"] for line in slower] == [name(night) for night in range(1, NIGHTS + 1)]
    assert {line["runs"] for line in slower} == {NIGHTS}
    before, after = slower[: CHANGED - 1], slower[CHANGED - 1 :]
    assert {(line["verdict"], line["changed_at"], line["ratio"]) for line in before} == {("unchanged", None, None)}
    assert {(line["verdict"], line["changed_at"], line["found_at"], line["delay"]) for line in after} == {
        ("slower", name(CHANGED), name(CHANGED + 1), 2)
    }
    assert after[0]["ratio"] == pytest.approx(2.0 / 1.3, rel=0.03)
    assert after[0]["p_value"] < after[0]["p_holm"] <= 0.05
    assert {line["verdict"] for line in lines if line["stack"] == "openmpi-5.0"} == {"unchanged"}


def test_the_table_names_what_has_changed(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert history(results) == 0
    said = capsys.readouterr().out
    assert f"14 runs, {name(1)} to {name(14)}: 1 slower, 1 unchanged" in said
    assert said.count("\nmpich-5.0") == 1
    assert "\nopenmpi-5.0" not in said
    assert f"with {name(CHANGED)}: nothing else that is recorded has changed" in " ".join(said.split())
    assert history(results, "--verbose") == 0
    said = capsys.readouterr().out
    assert (said.count("\nmpich-5.0"), said.count("\nopenmpi-5.0")) == (1, 1)


def test_strict_is_about_the_newest_run(results: Path) -> None:
    """What was found five runs ago is no news; with the run that it was found with it is exit 3."""
    assert history(results, "--strict") == 0
    states = [RunLayout(results / "synthetic" / name(night)).state for night in range(CHANGED + 2, NIGHTS + 1)]
    for path in states:
        RunState.load(path).model_copy(update={"state": "failed"}).save(path)
    try:
        assert history(results, "--strict") == 3
        assert history(results) == 0
    finally:
        for path in states:
            RunState.load(path).model_copy(update={"state": "complete"}).save(path)


def test_one_run_is_unconfirmed_and_fails_nothing(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states = [RunLayout(results / "synthetic" / name(night)).state for night in range(CHANGED + 1, NIGHTS + 1)]
    for path in states:
        RunState.load(path).model_copy(update={"state": "failed"}).save(path)
    try:
        assert history(results, "--strict") == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "1 unconfirmed, 1 unchanged" in said
        assert "`isochron run" in said and "--new`" in said
        assert history(results, "--format", "json") == 0
        lines = [line for line in json.loads(capsys.readouterr().out) if line["stack"] == "mpich-5.0"]
        assert [line["verdict"] for line in lines] == ["unchanged"] * (CHANGED - 1) + ["unconfirmed"]
        newest = lines[-1]
        assert (newest["changed_at"], newest["found_at"], newest["delay"]) == (name(CHANGED), None, 1)
        assert newest["ratio"] == pytest.approx(2.0 / 1.3, rel=0.05)
    finally:
        for path in states:
            RunState.load(path).model_copy(update={"state": "complete"}).save(path)


CASES = pd.DataFrame(
    [(stack, "bcast", size, 4, 4, "packed") for size in range(10) for stack in ("a", "b", "c")], columns=RESULT_KEY
)


def nights(steps: dict[int, float], seed: int = 1) -> np.ndarray:
    """60 nights of 30 rows; the first row has these steps."""
    values = 10 * np.exp(np.random.default_rng(seed).normal(0, 0.005, (60, len(CASES))))
    for run, ratio in steps.items():
        values[run:, 0] *= ratio
    return values


def lines_of(values: np.ndarray, rows: pd.DataFrame = CASES) -> tuple[pd.DataFrame, pd.DataFrame]:
    found, _ = continued(values, rows["stack"].factorize()[0], 0.05, None)
    return row_lines(values, rows, found, 1.05), machine_lines(found, 1.05)


def told(steps: dict[int, float]) -> list[tuple[int, float, str]]:
    """Runs, ratios and verdicts of what is told of the first series, whose level has these steps."""
    lines, _ = lines_of(nights(steps))
    return [(line.run, round(line.ratio, 2), line.verdict) for line in lines.itertuples() if line.series == 0]


def test_what_all_stacks_have_is_the_machines() -> None:
    values = nights({})
    values[20] *= 1.2
    values[40:] *= 1.1
    values[50:, :3] *= 1.2
    lines, machine = lines_of(values)
    assert machine[["run", "verdict"]].to_numpy().tolist() == [[20, "night"], [40, "slower"]]
    assert machine["ratio"].tolist() == pytest.approx([1.2, 1.1], abs=0.01)
    assert sorted(lines.loc[lines["run"] == 40, "series"]) == list(range(30)), "each row is on the new level"
    assert sorted(lines.loc[lines["run"] == 50, "series"]) == [0, 1, 2]
    assert set(lines["whose"]) == {"machine"}, "the second is of one case, in all stacks"
    lines, machine = lines_of(nights({30: 1.2}))
    assert (lines["whose"].tolist(), len(machine)) == (["stack"], 0)


def test_with_one_stack_nothing_is_told_apart() -> None:
    rows = CASES.assign(stack="a", bytes=range(len(CASES)))
    values = nights({})
    values[30:] *= 1.2
    lines, _ = lines_of(values, rows)
    assert len(lines) == len(rows) and set(lines["whose"]) == {"either"}


def test_what_is_told_of_several_changes() -> None:
    assert told({20: 1.2, 40: 1 / 1.1}) == [(20, 1.2, "slower"), (40, 0.91, "faster")]
    assert told({20: 1.03}) == []
    assert told({20: 1.03, 40: 1.03}) == [(40, 1.06, "slower")], "small steps add up"
    assert told({30: 1.3, 31: 1 / 1.3}) == [], "a single bad night is none"
    assert told({59: 1.3}) == [(59, 1.3, "unconfirmed")]


def test_few_runs_and_runs_that_are_not_complete(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states = [RunLayout(results / "synthetic" / name(night)).state for night in range(4, NIGHTS + 1)]
    for path in states:
        RunState.load(path).model_copy(update={"state": "failed"}).save(path)
    try:
        assert history(results) == 0
        assert "3 runs" in (said := capsys.readouterr().out)
        assert "2 too-few-runs (4 more needed)" in said
        assert all(f"µs in {name(night)}" in said for night in range(1, 4)), "values, as there is nothing else to say"
        assert (said.count("\nmpich-5.0"), said.count("\nopenmpi-5.0")) == (1, 1)
        assert history(results, "--strict") == 5
    finally:
        for path in states:
            RunState.load(path).model_copy(update={"state": "complete"}).save(path)


def test_no_such_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert history(tmp_path) == 2
    assert "campaign 'synthetic' has no complete run" in capsys.readouterr().err
