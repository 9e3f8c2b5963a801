# SPDX-License-Identifier: BSD-3-Clause
"""Raw files of the launches → the store. The only reader of raw files here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from isochron.ground.files import FileError
from isochron.postprocess.reading.details import detail_columns
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.reading.rows import (
    launch_columns,
    launch_id,
    measurement_columns,
    run_columns,
    weather_columns,
)
from isochron.postprocess.reading.store import Columns, write_store
from isochron.schemas.run.launch_file import LaunchFile, problems, read_launch
from isochron.schemas.run.plan import PlannedLaunch

#: Runs after which what is in memory is written: a row group holds about so many.
CHUNK = 1_000_000


def ingest(inputs: RunInputs) -> dict[str, int]:
    """Read every accepted raw file and write the tables of the store; returns their numbers of rows.

    Raises FileError for a file that is damaged, stands twice or is not in the plan.
    """
    return write_store(inputs.layout, _chunks(inputs))


def _chunks(inputs: RunInputs) -> Iterator[dict[str, Columns]]:
    held: list[LaunchFile] = []
    runs = 0
    for launch_file in _accepted(inputs):
        held.append(launch_file)
        runs += sum(len(row.time_ns) for row in launch_file.measurements)
        if runs >= CHUNK:
            yield _tables(held)
            held, runs = [], 0
    yield _tables(held)


def _tables(launch_files: list[LaunchFile]) -> dict[str, Columns]:
    return {
        "launches": launch_columns(launch_files),
        "measurements": measurement_columns(launch_files),
        "runs": run_columns(launch_files),
        "weather": weather_columns(launch_files),
        **detail_columns(launch_id, launch_files),
    }


def _accepted(inputs: RunInputs) -> Iterator[LaunchFile]:
    """The raw files in order of their names, each checked against the plan."""
    planned = {launch.name: launch for launch in inputs.plan.launches}
    seen: dict[str, Path] = {}
    for path in sorted(inputs.layout.launches.glob("*.jsonl")):
        launch_file = read_launch(path)
        name = launch_file.header.launch.get("name", "")
        if name in seen:
            raise FileError(f"{path}: launch '{name}' stands in {seen[name]} too; take one of them away")
        seen[name] = path
        if name not in planned:
            raise FileError(
                f"{path}: launch '{name}' is not in {inputs.layout.plan}; "
                "only launches of this run belong into its folder"
            )
        _check(launch_file, planned[name], inputs)
        yield launch_file


def _check(launch_file: LaunchFile, planned: PlannedLaunch, inputs: RunInputs) -> None:
    """Raise FileError unless the launch is the planned one, of this run."""
    found = problems(
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
            found.append(f"header.launch.{key}: {given!r}, but {value!r} was planned")
    if found:
        raise FileError(f"{launch_file.path}: {found[0]}; move the file away and run the launch again")
