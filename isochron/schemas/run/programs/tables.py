# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the store that only runs with other benchmarks have: every line that those printed, and every number."""

from __future__ import annotations

from isochron.schemas.run.imported import IMPORTED_CELLS, IMPORTED_ROWS
from isochron.schemas.run.rows.store_details import Column

_OF_LAUNCH = (
    Column("launch_id", "string", "run_id and the launch's name: with `line` the key of this table"),
    Column("stack", "string", "MPI stack"),
    Column("placement", "string", "how processes were placed on the nodes"),
    Column("launch_processes", "int64", "processes of the launch, as counted between MPI_Init and MPI_Finalize"),
    Column("block", "int64", "number of the block"),
    Column("attempt", "int64", "attempt at the block in which the launch succeeded"),
    Column("started_at", "string", "end of MPI_Init, UTC"),
    Column("duration_s", "float64", "from MPI_Init to MPI_Finalize"),
    Column("hosts", "string", "distinct hosts, separated by commas"),
    Column("mpi_library_version", "string", "MPI_Get_library_version as the launch reported it"),
    Column("program_sha256", "string", "hash of the benchmark's program"),
)
#: Columns that rows and cells of an import have in place of the launch.
_CHANGED = {
    "file": "raw file, relative to the run's folder",
    "line": "line of the output of the benchmark, from 1",
    "processes": "processes that took part, if the line states it",
}


def _columns(imported: tuple[Column, ...]) -> tuple[Column, ...]:
    return tuple(column._replace(meaning=_CHANGED.get(column.name, column.meaning)) for column in imported)


TOOL_ROWS = (*_OF_LAUNCH, *_columns(IMPORTED_ROWS))
TOOL_CELLS = (_OF_LAUNCH[0], *_columns(IMPORTED_CELLS))
#: The tables by name.
TOOL_TABLES = {"tool_rows": TOOL_ROWS, "tool_cells": TOOL_CELLS}
