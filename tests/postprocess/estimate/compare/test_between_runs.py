# SPDX-License-Identifier: BSD-3-Clause
"""Two runs of a campaign: what has become slower is found, what has not is not, and nothing is dropped."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.estimate.compare.between_runs import BETWEEN_RUNS_COLUMNS, compare_runs
from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from tests.postprocess.estimate.compare.nights import write_nights
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy

SPEED = {"openmpi-5.0": 1.0, "mpich-5.0": 1.2, "mpich-4.3": 1.4}
SPEC = Spec(
    stacks=list(SPEED), operations=["barrier", "bcast"], sizes=[8], processes=[4], launches=10, runs=12, speed=SPEED,
    launch_spread=0.01,
)  # fmt: skip
#: Nights before the baseline: with it one more than a verdict needs.
NIGHTS = 19


def ingested(folder: Path, spec: Spec) -> RunInputs:
    write_run(folder, spec)
    assert main(["ingest", str(folder)]) == 0
    return load_inputs(folder)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    return ingested(tmp_path_factory.mktemp("results") / "synthetic" / "20260504T080000Z-0001", SPEC)


@pytest.fixture(scope="module")
def nights(before: RunInputs) -> list[RunLayout]:
    return write_nights(before.layout, NIGHTS)


def table_of(baseline: RunInputs, candidate: RunInputs, nights: list[RunLayout]) -> pd.DataFrame:
    """With (stack, operation) as index."""
    campaign = baseline.layout.root.parent
    archive = Archive(campaign.parent / ARCHIVE, campaign.name)
    table = compare_runs(baseline, candidate, nights, archive)
    assert list(table.columns) == list(BETWEEN_RUNS_COLUMNS)
    return table.set_index(["stack", "operation"])


def by_stack(table: pd.DataFrame) -> dict[str, set[str]]:
    return {str(stack): set(rows) for stack, rows in table["verdict"].groupby(level="stack")}


def of_seed(folder: Path, seed: int = 8, **factors: float) -> RunInputs:
    """Another night; `factors` of stacks by the first word of their names."""
    speed = {stack: speed * factors.get(stack.split("-")[0], 1.0) for stack, speed in SPEED.items()}
    return ingested(folder / "two", replace(SPEC, speed=speed, seed=seed))


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    """The first stack takes a quarter longer."""
    return of_seed(tmp_path_factory.mktemp("results"), openmpi=1.25)


def test_what_became_slower_is_found(before: RunInputs, nights: list[RunLayout], slower: RunInputs) -> None:
    table = table_of(before, slower, nights)
    verdicts = by_stack(table)
    assert verdicts["openmpi-5.0"] == {"slower"}
    assert not (verdicts["mpich-5.0"] | verdicts["mpich-4.3"]) & {"slower", "faster"}, "they are as they were"
    assert set(table["interval_of"]) == {"nights"} and set(table["nights"]) == {NIGHTS + 1}
    row = table.loc[("openmpi-5.0", "barrier")]
    assert row["ratio"] == pytest.approx(1.25, rel=0.03) and row["ratio_low"] > 1.15
    assert row["p_adjusted"] == pytest.approx(1 / (NIGHTS + 2)) and row["p_value"] < 1e-6
    back = table_of(slower, before, write_nights(slower.layout, NIGHTS))
    assert by_stack(back)["openmpi-5.0"] == {"faster"}


def test_a_slow_night_is_no_regression(before: RunInputs, nights: list[RunLayout], tmp_path: Path) -> None:
    """All launches of the second night take 12 % longer: the machine's doing."""
    table = table_of(before, of_seed(tmp_path, openmpi=1.12, mpich=1.12), nights)
    assert not set(table["verdict"]) & {"slower", "faster"}
    assert table["own_ratio"].between(1.05, 1.2).all()
    assert table["ratio"].between(0.95, 1.05).all()


def test_two_nights_alone_are_described(before: RunInputs, nights: list[RunLayout], slower: RunInputs) -> None:
    """And so are more that are too few: how far the interval reaches then is known, but not whether that is rare."""
    alone = table_of(before, slower, [])
    assert set(alone["verdict"]) == {"inconclusive"} and set(alone["interval_of"]) == {"blocks"}
    assert set(alone["reason"]) == {
        "1 of 19 nights with these libraries: by how much nights differ is not known; 18 more, or see history"
    }
    assert alone.loc["openmpi-5.0", "ratio"].between(1.2, 1.3).all() and alone["p_adjusted"].isna().all()
    few = table_of(before, slower, nights[:9])
    assert set(few["verdict"]) == {"inconclusive"} and set(few["interval_of"]) == {"nights"}
    assert set(few["further_nights"]) == {9} and few["p_adjusted"].isna().all()


def test_nights_with_another_library_do_not_count(before: RunInputs, slower: RunInputs, tmp_path: Path) -> None:
    baseline = shutil.copytree(before.layout.root, tmp_path / "synthetic" / before.layout.run_id)
    nights = write_nights(RunLayout(baseline), NIGHTS)
    for night in nights[:3]:
        manifest = night.manifest("mpich-4.3")
        manifest.write_text(manifest.read_text().replace("4.3.2", "4.3.1"))
    nights[3].manifest("openmpi-5.0").write_text("{")
    table = table_of(load_inputs(baseline), slower, nights)
    assert set(table["nights"]) == {NIGHTS + 1 - 4} and set(table["verdict"]) == {"inconclusive"}


def test_a_new_stack_does_not_take_the_nights_of_the_others(before: RunInputs, tmp_path: Path) -> None:
    spec = replace(SPEC, stacks=[*SPEED, "intel-mpi-2021"])
    baseline = ingested(tmp_path / "synthetic" / "20260504T080000Z-0001", spec)
    nights = write_nights(baseline.layout, NIGHTS)
    for night in nights:
        night.manifest("intel-mpi-2021").write_text(night.manifest("mpich-5.0").read_text())
    faster = {**SPEED, "openmpi-5.0": 1.25}
    table = table_of(baseline, ingested(tmp_path / "two", replace(spec, speed=faster, seed=8)), nights)
    assert by_stack(table)["openmpi-5.0"] == {"slower"}
    assert set(table.loc["openmpi-5.0", "controls"]) == {"mpich-5.0,mpich-4.3"}
    assert set(table.loc["intel-mpi-2021", "further_nights"]) == {18}


def test_one_stack_alone_claims_nothing(tmp_path: Path) -> None:
    """The launches of a night share it: nothing is known of what it adds to them."""
    alone = replace(SPEC, stacks=["mpich-5.0"])
    first = ingested(tmp_path / "one", alone)
    second = ingested(tmp_path / "two", replace(alone, speed={"mpich-5.0": 1.5}, seed=8))
    table = table_of(first, second, [])
    assert set(table["verdict"]) == {"inconclusive"}
    assert table["reason"].str.contains("see history").all()


def test_of_two_stacks_neither_is_said_to_have_changed(tmp_path: Path) -> None:
    two = replace(SPEC, stacks=list(SPEED)[:2])
    first = ingested(tmp_path / "synthetic" / "20260504T080000Z-0001", two)
    second = ingested(tmp_path / "two", replace(two, speed={**SPEED, "mpich-5.0": 1.8}, seed=8))
    table = table_of(first, second, write_nights(first.layout, NIGHTS))
    assert set(table["verdict"]) == {"inconclusive"}
    assert table["reason"].str.contains("take a third stack into the campaign").all()
    assert table.loc["mpich-5.0", "ratio"].between(1.4, 1.6).all(), "it is described"


def test_a_stack_whose_library_changed_is_no_control(
    before: RunInputs, nights: list[RunLayout], slower: RunInputs
) -> None:
    newer = slower.manifests["openmpi-5.0"].model_copy(update={"mpi_version": "5.0.99"})
    table = table_of(before, replace(slower, manifests={**slower.manifests, "openmpi-5.0": newer}), nights)
    assert set(table.loc["openmpi-5.0", "controls"]) == {"mpich-5.0,mpich-4.3"}
    assert set(table.loc["mpich-5.0", "controls"]) == {"mpich-4.3"}
    assert by_stack(table)["openmpi-5.0"] == {"slower"}


def test_the_same_run_is_nowhere_different(before: RunInputs, nights: list[RunLayout]) -> None:
    table = table_of(before, before, nights)
    assert set(table["verdict"]) == {"equivalent"} and set(table["reason"]) == {""}


def test_what_only_one_has_is_missing_or_new(before: RunInputs, nights: list[RunLayout], tmp_path: Path) -> None:
    other = ingested(tmp_path / "two", replace(SPEC, stacks=["openmpi-5.0", "intel-mpi-2021"]))
    table = table_of(before, other, nights)
    found = table["verdict"]
    assert found["mpich-5.0", "bcast"] == "missing"
    assert found["intel-mpi-2021", "bcast"] == "new"
    assert len(found) == 8 and set(table.loc[["mpich-5.0", "intel-mpi-2021"], "interval_of"]) == {""}


def test_a_row_in_doubt_says_so(before: RunInputs, nights: list[RunLayout], tmp_path: Path) -> None:
    def spoiler(stack: str, operation: str, *_: object) -> tuple[str, str] | None:
        return ("unstable", "too wide") if (stack, operation) == ("openmpi-5.0", "bcast") else None

    other = ingested(tmp_path / "two", replace(SPEC, seed=8, spoiler=spoiler))
    table = table_of(before, other, nights)
    assert table.loc[("openmpi-5.0", "bcast"), "reason"] == "two: unstable"
    assert table.loc[("openmpi-5.0", "barrier"), "reason"] != "two: unstable"


def test_the_verb_prints_json(before: RunInputs, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(before.layout.root)
    assert main(["compare", folder, folder]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 6
    assert set(rows[0]) == set(BETWEEN_RUNS_COLUMNS)
