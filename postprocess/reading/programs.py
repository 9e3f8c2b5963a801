# SPDX-License-Identifier: BSD-3-Clause
"""The table `programs` of the store: launches that ran a program instead of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from isochron.common.files import FileError, replaced
from isochron.common.hashing import content_sha256
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.reading.store import ARROW_TYPES, parquet_errors
from isochron.schemas.run.layout import RunLayout, launch_of, raw_file
from isochron.schemas.run.npb import PROGRAMS
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.tools import RawPrintout, read_printout_file, wrong_labels
from isochron.tools import npb
from isochron.tools.rows import Lines

TABLE = "programs"


def keep_programs(inputs: RunInputs) -> None:
    """Write the table, where the plan has launches of programs. Raises FileError."""
    planned = {launch.name: launch for launch in inputs.plan.launches if launch.program is not None}
    if not planned:
        return
    rows = [_row(inputs, planned, path) for path in inputs.layout.printouts() if launch_of(path) in planned]
    columns = {column.name: [row[column.name] for row in rows] for column in PROGRAMS}
    with replaced(inputs.layout.table(TABLE)) as partial:
        pq.write_table(pa.Table.from_pydict(columns, schema=_schema()), partial)


def read_programs(layout: RunLayout) -> pd.DataFrame:
    """The table; empty where a run has none. Raises FileError where it cannot be read."""
    path = layout.table(TABLE)
    if not path.is_file():
        return pd.DataFrame(_schema().empty_table().to_pandas())
    with parquet_errors(path, "ingest the run again"):
        table = pq.read_table(path)
    if not table.schema.equals(_schema()):
        raise FileError(f"{path}: columns differ from the schema of `{TABLE}`; ingest the run again")
    return pd.DataFrame(table.to_pandas())


def _schema() -> Any:
    return pa.schema(
        [pa.field(column.name, ARROW_TYPES[column.dtype], metadata={"meaning": column.meaning}) for column in PROGRAMS]
    )


def _row(inputs: RunInputs, planned: Mapping[str, PlannedLaunch], path: Path) -> dict[str, Any]:
    """A launch, checked against the plan once more. Raises FileError."""
    launch, raw = planned[launch_of(path)], read_printout_file(path)
    result = npb.parse(Lines(path, raw.texts))
    found = _wrong(inputs, launch, raw, result)
    if found or launch.program is None:
        raise FileError(f"{path}: {found[0]}; move the file away and run the launch again")
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
    found = npb.wrong(result, launch.program.kernel, launch.program.problem, launch.point.processes)
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
    said = wrong_labels(raw.head, labels.items())
    found += [said] if said else []
    if len(raw.head.hosts) != launch.point.processes:
        found.append(f"head.hosts: {len(raw.head.hosts)} ranks, but {launch.point.processes} were planned")
    return found
