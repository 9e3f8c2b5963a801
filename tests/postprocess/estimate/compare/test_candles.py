# SPDX-License-Identifier: BSD-3-Clause
"""Times in candles over two nights: what the machine did to the candle, too, is no difference."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.estimate.compare.between_runs import compare_runs
from isochron.postprocess.estimate.compare.history import history
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.ingest.store import arrow_schema, read_table, seal, write_separate
from isochron.schemas.run.candle import CANDLES
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy

SPEC = Spec(
    stacks=["openmpi-5.0", "mpich-5.0"], operations=["barrier", "bcast"], sizes=[8], processes=[4], launches=6, runs=6,
    launch_spread=0.01, probes=False,
)  # fmt: skip
CASES = (("barrier", 0), ("bcast", 8))
#: What the machine does to all times of the second night, and what the second library does besides.
NIGHT, LIBRARY = 1.3, 1.1


def night(folder: Path, speed: dict[str, float], seed: int) -> None:
    write_run(folder, replace(SPEC, speed=speed, seed=seed))
    assert main(["ingest", str(folder)]) == 0


def add_candle(run: RunInputs, level_us: float, version: int) -> RunInputs:
    """The run with a session in each block, and a candle in it."""
    launches = read_table(run.layout, "launches", ["launch_id", "block"]).to_dict("records")
    zero: dict[str, Any] = {
        column.name: {"string": "turns", "int64": 0, "double": 1.0}[str(column.type)]
        for column in arrow_schema("slices")
    }
    slices = [
        {**zero, "launch_id": launch["launch_id"], "session": f"s{launch['block']}", "operation": name, "bytes": size}
        for launch in launches
        for name, size in CASES
    ]
    pq.write_table(pa.Table.from_pylist(slices, schema=arrow_schema("slices")), run.layout.table("slices"))
    seal(run.layout, growing=False)
    candles = [
        {"session": f"s{block}", "candle_version": version, "operation": name, "bytes": size, "round": 0, "t_s": 0.0,
         "reps": 8, "median_us": level_us}
        for block in {launch["block"] for launch in launches}
        for name, size in CASES
    ]  # fmt: skip
    write_separate(run.layout, "candles", CANDLES, candles)
    return run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    night(folder / "20260504T080000Z-0001", {"openmpi-5.0": 1.0, "mpich-5.0": 1.2}, 1)
    night(folder / "20260505T080000Z-0001", {"openmpi-5.0": NIGHT, "mpich-5.0": 1.2 * NIGHT * LIBRARY}, 2)
    return folder


@pytest.fixture
def nights(made: Path, tmp_path: Path) -> tuple[RunInputs, RunInputs]:
    """Two nights without candles, to be changed at will."""
    folder = shutil.copytree(made, tmp_path / "synthetic")
    one, other = (load_inputs(path) for path in sorted(folder.iterdir()))
    return one, other


def test_a_slow_night_is_no_difference_in_candles(nights: tuple[RunInputs, RunInputs]) -> None:
    table = compare_runs(add_candle(nights[0], 0.5, 1), add_candle(nights[1], 0.5 * NIGHT, 1)).set_index("stack")
    assert set(table["candles"]) == {"1"}
    for stack, ratio in (("openmpi-5.0", 1.0), ("mpich-5.0", LIBRARY)):
        rows = table.loc[stack]
        assert rows["own_ratio"].tolist() == pytest.approx([ratio * NIGHT] * 2, rel=0.05)
        assert rows["candles_ratio"].tolist() == pytest.approx([ratio] * 2, rel=0.05)
        assert (rows["candles_low"] < rows["candles_ratio"]).all()
        assert (rows["candles_ratio"] < rows["candles_high"]).all()


@pytest.mark.parametrize(("versions", "said"), [((1, 2), "1, 2"), ((1, None), ""), ((None, None), "")])
def test_another_candle_or_none_is_not_compared(
    nights: tuple[RunInputs, RunInputs], versions: tuple[int | None, int | None], said: str
) -> None:
    for run, version in zip(nights, versions, strict=True):
        if version is not None:
            add_candle(run, 0.5, version)
    table = compare_runs(*nights)
    assert set(table["candles"]) == {said} and table["own_ratio"].notna().all()
    assert table[["candles_ratio", "candles_low", "candles_high"]].isna().all(axis=None)


def test_the_history_has_values_in_candles(nights: tuple[RunInputs, RunInputs]) -> None:
    add_candle(nights[0], 0.5, 1)
    table = history([run.layout for run in nights])
    first, second = (table[table["run_id"] == run.layout.run_id] for run in nights)
    assert set(first["candle"]) == {"1"} and set(second["candle"]) == {""}
    pd.testing.assert_series_equal(first["in_candles"], first["median_us"] / 0.5, check_names=False)
    assert second["in_candles"].isna().all()
