# SPDX-License-Identifier: BSD-3-Clause
"""Two runs of a campaign: what has become slower is found, what has not is not, and nothing is dropped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.compare.between_runs import BETWEEN_RUNS_COLUMNS, compare_runs
from isochron.postprocess.reading.inputs import RunInputs, load_inputs
from tests.postprocess.synthetic import Spec, write_run

SPEC = Spec(
    stacks=["openmpi-5.0", "mpich-5.0"],
    operations=["barrier", "bcast"],
    sizes=[8],
    processes=[4],
    launches=10,
    runs=12,
    speed={"openmpi-5.0": 1.0, "mpich-5.0": 1.2},
)


def ingested(folder: Path, spec: Spec) -> RunInputs:
    write_run(folder, spec)
    assert main(["ingest", str(folder)]) == 0
    return load_inputs(folder)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    return ingested(tmp_path_factory.mktemp("results") / "one", SPEC)


def verdicts(baseline: RunInputs, candidate: RunInputs) -> dict[tuple[str, str], str]:
    table = compare_runs(baseline, candidate)
    assert list(table.columns) == list(BETWEEN_RUNS_COLUMNS)
    assert not table["within_blocks"].any(), "blocks of two runs have nothing in common but their numbers"
    return {(row["stack"], row["operation"]): row["verdict"] for row in table.to_dict("records")}


def test_what_became_slower_is_found(before: RunInputs, tmp_path: Path) -> None:
    slower = ingested(tmp_path / "two", replace(SPEC, speed={**SPEC.speed, "mpich-5.0": 1.5}, seed=8))
    found = verdicts(before, slower)
    assert {found["mpich-5.0", "barrier"], found["mpich-5.0", "bcast"]} == {"slower"}
    still = {found["openmpi-5.0", "barrier"], found["openmpi-5.0", "bcast"]}
    assert not still & {"slower", "faster"}, "that it is faster than the slower one is no news"
    back = verdicts(slower, before)
    assert {back["mpich-5.0", "barrier"], back["mpich-5.0", "bcast"]} == {"faster"}


def test_a_slow_night_is_no_regression(before: RunInputs, tmp_path: Path) -> None:
    """All launches of the second night take 12 % longer: the machine's doing."""
    night = ingested(
        tmp_path / "two", replace(SPEC, speed={name: 1.12 * speed for name, speed in SPEC.speed.items()}, seed=8)
    )
    assert not set(verdicts(before, night).values()) & {"slower", "faster"}
    table = compare_runs(before, night)
    assert table["own_ratio"].between(1.05, 1.2).all()
    assert table["ratio"].between(0.95, 1.05).all()


def test_one_stack_alone_claims_nothing(tmp_path: Path) -> None:
    """The launches of a night share it: nothing is known of what it adds to them."""
    alone = replace(SPEC, stacks=["mpich-5.0"])
    first = ingested(tmp_path / "one", alone)
    second = ingested(tmp_path / "two", replace(alone, speed={"mpich-5.0": 1.5}, seed=8))
    table = compare_runs(first, second)
    assert set(table["verdict"]) == {"inconclusive"}
    assert table["reason"].str.contains("see history").all()


def test_a_stack_whose_library_changed_is_no_control(before: RunInputs, tmp_path: Path) -> None:
    second = ingested(tmp_path / "two", replace(SPEC, seed=8))
    manifest = second.manifests["openmpi-5.0"]
    second.manifests["openmpi-5.0"] = manifest.model_copy(update={"mpi_version": "5.0.99"})
    table = compare_runs(before, second).set_index("stack")
    assert set(table.loc["openmpi-5.0", "controls"]) == {"mpich-5.0"}
    assert set(table.loc["mpich-5.0", "controls"]) == {""}


def test_the_same_run_is_nowhere_different(before: RunInputs) -> None:
    assert set(verdicts(before, before).values()) <= {"equal", "inconclusive"}


def test_what_only_one_has_is_missing_or_new(before: RunInputs, tmp_path: Path) -> None:
    other = ingested(tmp_path / "two", replace(SPEC, stacks=["openmpi-5.0", "mpich-4.3"]))
    found = verdicts(before, other)
    assert found["mpich-5.0", "bcast"] == "missing"
    assert found["mpich-4.3", "bcast"] == "new"
    assert len(found) == 6


def test_the_verb_prints_json(before: RunInputs, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(before.layout.root)
    assert main(["compare", folder, folder]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 4
    assert set(rows[0]) == set(BETWEEN_RUNS_COLUMNS)
