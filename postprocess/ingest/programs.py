# SPDX-License-Identifier: BSD-3-Clause
"""Launches of other programs, third-party benchmarks and applications: raw files to tables of the store."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from isochron.common.files import FileError
from isochron.common.hashing import content_sha256
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.store import has_separate, parquet_errors, read_separate, write_separate
from isochron.schemas.input.tools import TITLES
from isochron.schemas.run.layout import RunLayout, launch_of, raw_file, tool_of
from isochron.schemas.run.npb import PROGRAMS
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.tools import TOOL_TABLES, RawPrintout, read_printout_file, wrong_labels
from isochron.tools import npb
from isochron.tools.registry import parsed
from isochron.tools.rows import Lines, Printout

TABLE = "programs"


def keep_programs(inputs: RunInputs) -> None:
    """Write the table, where the plan has launches of programs. Raises FileError."""
    planned = {launch.name: launch for launch in inputs.plan.launches if launch.program is not None}
    if not planned:
        return
    rows = [_row(inputs, planned, path) for path in inputs.layout.printouts() if launch_of(path) in planned]
    write_separate(inputs.layout, TABLE, PROGRAMS, rows)


def read_programs(layout: RunLayout) -> pd.DataFrame:
    """The table; empty if a run has none. Raises FileError if it cannot be read."""
    return read_separate(layout, TABLE, PROGRAMS)


def _row(inputs: RunInputs, planned: Mapping[str, PlannedLaunch], path: Path) -> dict[str, Any]:
    """A launch, checked against the plan once more. Raises FileError."""
    launch, raw = planned[launch_of(path)], read_printout_file(path)
    result = npb.parse(Lines(path, raw.texts))
    mistakes = _wrong(inputs, launch, raw, result)
    if mistakes or launch.program is None:
        raise FileError(f"{path}: {mistakes[0]}; move the file away and run the launch again")
    header, point, options = raw.head.launch, launch.point, dict(result.options)
    flags = options.get("FFLAGS") or options.get("CFLAGS") or ""
    return {
        **point.model_dump(),
        "launch_id": f"{header['run_id']}.{launch.name}",
        "program": launch.program.name,
        "kernel": result.kernel,
        "npb_class": result.problem,
        "stack": launch.stack,
        "mpi_version": header["mpi_version"],
        "mpi_library_version": raw.head.mpi_library_version,
        "nodes": point.nodes,
        "block": launch.block,
        "launch": launch.launch,
        "attempt": int(header["attempt"]),
        "started_at": pd.Timestamp(raw.head.started_at),
        "elapsed_s": raw.footer.elapsed_ns / 1e9,
        "hosts": ",".join(raw.head.hosts),
        "oversubscribed": header["oversubscribed"] == "true",
        "seconds": result.seconds,
        "mops_total": result.mops_total,
        "mops_per_process": result.mops_per_process,
        "iterations": result.iterations,
        "size": result.size,
        "verification": result.verification,
        "version": result.version,
        "flags": flags,
        "program_sha256": raw.head.program_sha256,
        "file": raw_file(launch.name),
        "raw_sha256": content_sha256(path),
    }


def _wrong(inputs: RunInputs, launch: PlannedLaunch, raw: RawPrintout, result: npb.NpbResult) -> list[str]:
    """Every reason why this is not the planned launch of this run."""
    assert launch.program is not None
    mistakes = npb.wrong(result, launch.program.kernel, launch.program.problem, launch.point.processes)
    labels = {
        "name": launch.name,
        "stack": launch.stack,
        "campaign": inputs.campaign.name,
        "placement": launch.point.placement,
        "processes_per_node": str(launch.point.processes_per_node),
        "block": str(launch.block),
    }
    if inputs.state is not None:
        labels["run_id"] = inputs.state.run_id
    label_mistake = wrong_labels(raw.head, labels.items())
    mistakes += [label_mistake] if label_mistake else []
    if len(raw.head.hosts) != launch.point.processes:
        mistakes.append(f"head.hosts: {len(raw.head.hosts)} ranks, but {launch.point.processes} were planned")
    return mistakes


def ingest_printouts(inputs: RunInputs) -> int:
    """Write both tables, if the campaign has tools; returns the number of printed rows.

    Raises FileError for a file that is damaged or not in the plan.
    """
    if not inputs.campaign.tools:
        return 0
    planned = {launch.name: launch for launch in inputs.plan.launches if launch.tool}
    lines: dict[str, list[dict[str, Any]]] = {name: [] for name in TOOL_TABLES}
    for path in inputs.layout.printouts():
        if tool_of(launch_of(path)) not in TITLES:
            continue
        rows, cells = _read(inputs, planned, path)
        lines["tool_rows"] += rows
        lines["tool_cells"] += cells
    for name, records in lines.items():
        columns = TOOL_TABLES[name]
        write_separate(inputs.layout, name, columns, records)
    return len(lines["tool_rows"])


def read_tool_rows(layout: RunLayout) -> pd.DataFrame:
    """`tool_rows`; without rows if the run has none. Raises FileError."""
    path = layout.table("tool_rows")
    if not has_separate(layout, "tool_rows"):
        return pd.DataFrame({column.name: pd.Series(dtype="object") for column in TOOL_TABLES["tool_rows"]})
    with parquet_errors(path, "ingest the run again"):
        frame: pd.DataFrame = pq.read_table(path).to_pandas()
    return frame


def _read(
    inputs: RunInputs, planned: dict[str, PlannedLaunch], path: Path
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows and cells of one launch."""
    raw, name = read_printout_file(path), launch_of(path)
    launch = planned.get(name)
    if launch is None:
        raise FileError(
            f"{path}: launch '{name}' is not in {inputs.layout.plan}; only launches of this run belong into its folder"
        )
    wanted = {"name": name, "stack": launch.stack, "campaign": inputs.campaign.name, "block": str(launch.block)}
    if inputs.state is not None:
        wanted["run_id"] = inputs.state.run_id
    label_mistake = wrong_labels(raw.head, wanted.items())
    if label_mistake:
        raise FileError(f"{path}: {label_mistake}; move the file away and run the launch again")
    printout = parsed(launch.tool, path, raw.texts)
    of_launch = _of_launch(raw, launch)
    rows = [
        {**{key: getattr(row, key, None) for key in _ROW_KEYS}, **of_launch, "tool": TITLES[launch.tool],  # type: ignore[index]
         "version": printout.version, "processes_per_node": launch.point.processes_per_node}
        for row in printout.rows
    ]  # fmt: skip
    return rows, _cells(printout, of_launch)


_ROW_KEYS = [column.name for column in TOOL_TABLES["tool_rows"]]


def _of_launch(raw: RawPrintout, launch: PlannedLaunch) -> dict[str, Any]:
    head = raw.head
    return {
        "launch_id": f"{head.launch['run_id']}.{launch.name}",
        "file": raw_file(launch.name),
        "stack": launch.stack,
        "placement": launch.point.placement,
        "launch_processes": head.processes,
        "block": launch.block,
        "attempt": int(head.launch["attempt"]),
        "started_at": head.started_at,
        "duration_s": raw.footer.elapsed_ns / 1e9,
        "hosts": ",".join(sorted(set(head.hosts))),
        "mpi_library_version": head.mpi_library_version,
        "program_sha256": head.program_sha256,
    }


def _cells(printout: Printout, of_launch: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"launch_id": of_launch["launch_id"], "file": of_launch["file"], "line": row.line, "column": column,
         "text": text, "value": float(text)}
        for row in printout.rows
        for column, text in row.cells
    ]  # fmt: skip
