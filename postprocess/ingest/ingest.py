# SPDX-License-Identifier: BSD-3-Clause
"""Raw files of the launches → the store. The only reader of raw files here."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from isochron.common.cores import on_all_cores
from isochron.common.files import FileError
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.measurements import detail_columns, measurement_columns
from isochron.postprocess.ingest.programs import ingest_printouts, keep_programs
from isochron.postprocess.ingest.rows import launch_columns, launch_id, probe_columns, rep_columns
from isochron.postprocess.ingest.store import Columns, Stored, arrow_schema, seal, seal_separate, write_store
from isochron.postprocess.ingest.turns import slice_columns, write_candles
from isochron.schemas.run.launch_file import LaunchFile, problems, read_launch
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.store import TABLES

#: Runs after which what is in memory is written: a row group holds about so many.
CHUNK = 1_000_000
#: Bytes of raw files from which on they are read in processes beside this one.
MUCH = 64_000_000


def ingest(inputs: RunInputs) -> dict[str, int]:
    """Write all tables from every accepted raw file; returns the numbers of rows of those of the engine.

    What the store has of raw files that are what they were is taken from there. Raises FileError for a file that is
    damaged, stands twice or is not in the plan, and for one that a complete run has lost.
    """
    _refuse_lost(inputs)
    ingest_printouts(inputs)
    keep_programs(inputs)
    write_candles(inputs)
    paths = inputs.layout.raw_files()
    stored = Stored.of(inputs.layout, paths)
    if stored.everything:
        seal_separate(inputs.layout)
        return stored.rows()
    new = _chunks(inputs, paths[len(stored.launches) :], stored.launches)
    rows = write_store(inputs.layout, chain(stored.chunks(), new))
    seal(inputs.layout, growing=inputs.state is not None and inputs.state.state != "complete")
    return rows


def _refuse_lost(inputs: RunInputs) -> None:
    """Raise FileError if a launch of a complete run has no raw file: a report without it would say something else."""
    if inputs.state is None or inputs.state.state != "complete":
        return
    for path in (inputs.layout.launch(launch.name) for launch in inputs.plan.launches):
        if not path.exists():
            raise FileError(f"{path}: is lost; `isochron run` takes it from its attempt, or measures it again")


def _chunks(inputs: RunInputs, paths: list[Path], reusable: Mapping[str, Path]) -> Iterator[dict[str, Any]]:
    """The tables of these files, some together. `reusable`: launches that the store has, and their files."""
    held: list[dict[str, Any]] = []
    runs = 0
    for tables in _distinct(inputs, paths, reusable):
        held.append(tables)
        runs += len(tables["repetitions"])
        if runs >= CHUNK:
            yield _joined(held)
            held, runs = [], 0
    if held or not paths:
        yield _joined(held)


def _joined(held: list[dict[str, Any]]) -> dict[str, Any]:
    """The tables of several files as one chunk."""
    return {name: pa.Table.from_batches([each[name] for each in held], arrow_schema(name)) for name in TABLES}


def _distinct(inputs: RunInputs, paths: list[Path], reusable: Mapping[str, Path]) -> Iterator[dict[str, Any]]:
    """The tables of each file, in order."""
    seen = dict(reusable)
    for path, tables in zip(paths, _all_tables(inputs, paths), strict=True):
        name = tables["launches"]["launch_id"][0].as_py()
        if name in seen:
            launch = name.partition(".")[2]
            raise FileError(f"{path}: launch '{launch}' is also in {seen[name]}; remove one of the files")
        seen[name] = path
        yield tables


def _all_tables(inputs: RunInputs, paths: list[Path]) -> Iterator[dict[str, Any]]:
    """The same, where it is much by a process for each core."""
    planned = {launch.name: launch for launch in inputs.plan.launches}
    read = partial(_read, inputs, planned)
    if sum(path.stat().st_size for path in paths) < MUCH:
        return map(read, paths)

    def serialized(path: Path) -> dict[str, Any]:  # to pickle each column costs five times as much
        return {name: rows.serialize() for name, rows in read(path).items()}

    return (
        {name: pa.ipc.read_record_batch(rows, arrow_schema(name)) for name, rows in tables.items()}
        for tables in on_all_cores(serialized, paths, together=4)
    )


def _read(inputs: RunInputs, planned: Mapping[str, PlannedLaunch], path: Path) -> dict[str, Any]:
    """The tables of one file, which is checked against the plan."""
    launch_file = read_launch(path)
    name = launch_file.header.launch.get("name", "")
    if name not in planned:
        raise FileError(
            f"{path}: launch '{name}' is not in {inputs.layout.plan}; only launches of this run belong into its folder"
        )
    _check(launch_file, planned[name], inputs)
    return {
        name: pa.RecordBatch.from_pydict(columns, schema=arrow_schema(name))
        for name, columns in _tables(launch_file).items()
    }


def _tables(launch_file: LaunchFile) -> dict[str, Columns]:
    return {
        "launches": launch_columns([launch_file]),
        "measurements": measurement_columns(launch_id(launch_file), launch_file),
        "repetitions": rep_columns([launch_file]),
        "probes": probe_columns([launch_file]),
        "slices": slice_columns(launch_id, [launch_file]),
        **detail_columns(launch_id, [launch_file]),
    }


def _check(launch_file: LaunchFile, planned: PlannedLaunch, inputs: RunInputs) -> None:
    """Raise FileError unless the launch is the planned one, of this run."""
    mistakes = problems(
        launch_file,
        processes=planned.point.processes,
        nodes=planned.point.nodes,
        cases=planned.cases(inputs.campaign.operations, inputs.campaign.sizes),
        launch_name=planned.name,
    )
    labels = {
        "stack": planned.stack,
        "campaign": inputs.campaign.name,
        "placement": planned.point.placement,
        "processes_per_node": str(planned.point.processes_per_node),
        "block": str(planned.block),
        "launch": str(planned.launch),
    }
    if inputs.state is not None:
        labels["run_id"] = inputs.state.run_id
    for key, value in labels.items():
        given = launch_file.header.launch.get(key)
        if given != value:
            mistakes.append(f"header.launch.{key}: {given!r}, but {value!r} was planned")
    if mistakes:
        raise FileError(f"{launch_file.path}: {mistakes[0]}; move the file away and run the launch again")
