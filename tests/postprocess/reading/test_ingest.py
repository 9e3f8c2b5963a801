# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from isochron.common.files import FileError
from isochron.postprocess.__main__ import main
from isochron.postprocess.reading import ingest as module
from isochron.postprocess.reading.ingest import ingest
from isochron.postprocess.reading.inputs import RunInputs, load_inputs
from isochron.postprocess.reading.store import read_table
from isochron.schemas.run.store import TABLES
from tests.postprocess.reading.test_launch_file import first, records, regimes
from tests.postprocess.synthetic import Spec, whole, write_run


def test_parquet_is_what_the_schema_says(small: RunInputs) -> None:
    ingest(small)
    for name, columns in TABLES.items():
        schema = pq.read_schema(small.layout.table(name))
        assert schema.names == [column.name for column in columns]
        frame = read_table(small.layout, name).astype({c.name: "string" for c in columns if c.dtype == "string"})
        assert [str(dtype) for dtype in frame.dtypes] == [column.dtype for column in columns]


def test_values_arrive_in_microseconds(small: RunInputs) -> None:
    ingest(small)
    path = first(small)
    header, *_, row, _ = records(path)
    identity = f"{small.layout.run_id}.{header['launch']['name']}"  # type: ignore[index]
    measured = read_table(small.layout, "measurements").set_index(["launch_id", "operation", "bytes"])
    stored = measured.loc[(identity, row["operation"], row["bytes"])]
    assert stored["median_us"] == pytest.approx(row["median_ns"] / 1e3)  # type: ignore[operator]
    assert stored["invalid_late_start"] == row["invalid"]["late_start"]  # type: ignore[index]
    runs = read_table(small.layout, "repetitions")
    own = runs[(runs["launch_id"] == identity) & (runs["operation"] == "bcast") & (runs["bytes"] == 1024)]
    assert (own["time_us"] * 1e3).round().astype(int).tolist() == row["time_ns"]
    assert own["rep"].tolist() == list(range(12))
    valid = own.loc[own["valid"] | own["overran"], "local_us"]
    assert stored["local_median_us"] == pytest.approx(valid.median())
    launch = read_table(small.layout, "launches").set_index("launch_id").loc[identity]
    assert launch["hosts"] == "node0"
    assert launch["started_at"] == pd.Timestamp(str(header["started_at"]))
    assert launch["duration_s"] == pytest.approx(7.4)


def test_disturbed_runs_arrive(small: RunInputs) -> None:
    """Which they are, how many do not count, and what the launch's gate was."""
    ingest(small)
    assert not read_table(small.layout, "repetitions")["disturbed"].any()
    assert read_table(small.layout, "launches")[["gate_limit_ns", "gate_extra_s"]].isna().all(axis=None)
    path = first(small)
    lines = records(path)
    for row in lines[3:-1]:
        valid: list[bool] = row["valid"]  # type: ignore[assignment]
        late = [not each for each in valid]
        row["regimes"] = regimes(late)
        row["invalid"] = {"late_start": 0, "overrun": 0, "disturbed": sum(late)}
    path.write_bytes(whole(lines))
    ingest(small)
    runs, measured = read_table(small.layout, "repetitions"), read_table(small.layout, "measurements")
    assert runs["disturbed"].sum() == measured["invalid_disturbed"].sum() > 0
    assert not (runs["disturbed"] & runs["valid"]).any()
    launch = read_table(small.layout, "launches").dropna(subset="gate_limit_ns")
    assert launch["gate_limit_ns"].item() == 200
    assert launch["gate_extra_s"].item() == pytest.approx(0.005 * len(lines[3:-1]))


def test_readings_arrive_each_in_a_row(small: RunInputs) -> None:
    ingest(small)
    path = first(small)
    header, *_, row, _ = records(path)
    identity = f"{small.layout.run_id}.{header['launch']['name']}"  # type: ignore[index]
    probes = read_table(small.layout, "probes")
    own = probes[(probes["launch_id"] == identity) & (probes["operation"] == "bcast") & (probes["bytes"] == 1024)]
    assert own["reps"].tolist() == [4, 12]
    start = probes[(probes["launch_id"] == identity) & (probes["operation"] == "")]
    assert start[["batch", "reps", "t_s", "cache_line_ns"]].to_numpy().tolist() == [[-1, 0, 0.0, 110.0]]
    assert start["copy_gbs"].isna().all()
    assert own["t_s"].tolist() == [0.21, 0.26]
    assert own["cache_line_ns"].tolist() == row["probes"]["cache_line_ns"]  # type: ignore[index]
    assert own["waited_us"].tolist() == [0.0, 500.0]
    assert own["steal_ms"].isna().tolist() == [True, False] and own["steal_ms"].iloc[1] == 10.0


def test_files_of_an_engine_that_did_not_read_the_network(small: RunInputs) -> None:
    """What it has not read is missing, and all else is there."""
    path = first(small)
    lines = records(path)
    for name in ("network_pairs", "network_by"):
        lines[0]["probes"].pop(name, None)  # type: ignore[attr-defined]
    for row in lines[3:-1]:
        del row["probes"]["network_us"]  # type: ignore[attr-defined]
    path.write_bytes(whole(lines))
    ingest(small)
    probes = read_table(small.layout, "probes")
    own = probes[probes["launch_id"] == f"{small.layout.run_id}.{lines[0]['launch']['name']}"]  # type: ignore[index]
    assert own["network_us"].isna().all() and own["network_by"].eq("").all() and own["cache_line_ns"].notna().all()
    assert read_table(small.layout, "launches")["network_by"].eq("").any()


def test_what_the_engine_adds_arrives_and_files_of_an_engine_that_did_not_measure_it(small: RunInputs) -> None:
    columns = [name for name in TABLES["launches"] if name.name.startswith("overhead")]
    names = [column.name for column in columns]
    ingest(small)
    known = read_table(small.layout, "launches")[names]
    assert known.drop_duplicates().iloc[0].tolist() == [0.045, 0.043, 0.047, 0.035, 0.033, 0.037, 2.0]
    path = first(small)
    *others, _ = lines = records(path)
    path.write_bytes(whole(others))
    ingest(small)
    assert read_table(small.layout, "launches")[names].isna().all(axis=1).sum() == 1
    path.write_bytes(whole([*lines, lines[-1]]))
    with pytest.raises(FileError, match="header, overhead, turns or footer"):
        ingest(small)


def test_files_of_an_engine_without_probes(tmp_path: Path) -> None:
    old = load_inputs(write_run(tmp_path / "run", Spec(launches=1, probes=False)))
    assert ingest(old)["probes"] == 0
    assert [str(kind) for kind in read_table(old.layout, "probes")[["t_s", "batch"]].dtypes] == ["float64", "int64"]


def test_chunks_do_not_change_the_store(small: RunInputs, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"launches": 16, "measurements": 48, "repetitions": 576, "probes": 112, "clocks": 192}
    assert ingest(small) == {**dict.fromkeys(TABLES, 0), **rows}
    before = {name: read_table(small.layout, name) for name in TABLES}
    monkeypatch.setattr(module, "CHUNK", 3)
    shutil.rmtree(small.layout.table("repetitions").parent)
    ingest(small)
    assert pq.ParquetFile(small.layout.table("repetitions")).num_row_groups == 16
    for name, frame in before.items():
        pd.testing.assert_frame_equal(frame, read_table(small.layout, name))


def contents(run: RunInputs) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (run.layout.root / "store").iterdir() if path.is_file()}


def test_ingest_is_idempotent_and_leaves_no_partial_files(small: RunInputs) -> None:
    ingest(small)
    before = contents(small)
    ingest(small)
    assert before == contents(small)
    assert set(before) == {small.layout.store_sums.name, *(f"{name}.parquet" for name in TABLES)}


def test_a_damaged_file_stops_everything_and_keeps_the_old_store(small: RunInputs) -> None:
    ingest(small)
    before = small.layout.table("repetitions").read_bytes()
    path = sorted(small.layout.launches.glob("*.jsonl"))[-1]
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FileError, match=path.name):
        ingest(small)
    assert small.layout.table("repetitions").read_bytes() == before
    assert not list((small.layout.root / "store").glob(".*.partial"))


def test_duplicate(small: RunInputs) -> None:
    path = first(small)
    copy = path.with_name("copy.jsonl")
    shutil.copy(path, copy)
    with pytest.raises(FileError) as error:
        ingest(small)
    assert path.name in str(error.value)
    assert copy.name in str(error.value)


def test_foreign_launch(small: RunInputs) -> None:
    path = first(small)
    header, *others = records(path)
    header["launch"]["name"] = "b777.other"  # type: ignore[index]
    foreign = path.with_name("b777.other.jsonl")
    foreign.write_bytes(whole([header, *others]))
    with pytest.raises(FileError, match=r"b777.other.*not in .*plan.json"):
        ingest(small)


@pytest.mark.parametrize(
    ("key", "value"), [("stack", "mpich-5.0"), ("run_id", "yesterday"), ("processes_per_node", "2"), ("block", "9")]
)
def test_a_launch_that_is_not_as_planned(small: RunInputs, key: str, value: str) -> None:
    path = small.layout.launch("b001.openmpi-5.0.p4.n4.packed.1")
    header, *others = records(path)
    header["launch"][key] = value  # type: ignore[index]
    path.write_bytes(whole([header, *others]))
    with pytest.raises(FileError, match=rf"header.launch.{key}: '{value}'"):
        ingest(small)


def test_a_missing_label_names_the_option(small: RunInputs) -> None:
    path = first(small)
    header, *others = records(path)
    del header["launch"]["mpi_version"]  # type: ignore[attr-defined]
    path.write_bytes(whole([header, *others]))
    with pytest.raises(FileError, match=r"header.launch.mpi_version: missing; .*--append-header mpi_version="):
        ingest(small)


def test_commands(small: RunInputs, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(small.layout.root)
    assert main(["analyse", folder]) == 1
    assert "run `python -m isochron.postprocess ingest" in capsys.readouterr().err
    assert main(["ingest", folder]) == 0
    assert main(["render", folder]) == 1
    assert "run `python -m isochron.postprocess analyse" in capsys.readouterr().err
    assert main(["ingest", folder + "/nowhere"]) == 1
    assert "give the folder of a run" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main(["digest", folder])
    assert stop.value.code == 2
    small.layout.plan.write_text(json.dumps({"campaign": "x"}))
    assert main(["ingest", folder]) == 1
    assert "plan.json: digest" in capsys.readouterr().err
