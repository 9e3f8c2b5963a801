# SPDX-License-Identifier: BSD-3-Clause
"""The values of the rows of one run, from its store: what runs are compared on."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa

from isochron.postprocess.estimate.values.summary import OF_LAUNCH, joined, summarise
from isochron.postprocess.ingest.inputs__inputs import ALLOCATION, KEYS, POINT, RunInputs, planned_rows, results_of
from isochron.postprocess.ingest.store__store import read_table

#: Columns of the archive: a line for each planned row of each run.
VALUE_COLUMNS = {
    **KEYS,
    "run_id": "the run",
    "system": "system, as in the header of its launches",
    "started_at": "start of the first launch of the run",
    "mpi_version": "version of the stack's MPI library in this run",
    "launches": "launches behind the value",
    "median_us": "the value of the row in this run: median over launches of the launch medians",
    "median_low_us": "lower end of its exact binomial interval, or of the range of the launches",
    "median_high_us": "upper end of that interval",
    "verdict": "`ok`, or why the row is not reliable",
    "reliable": "whether the row is reliable",
}
NUMBERS = {
    **dict.fromkeys(("bytes", "processes", "processes_per_node", "launches"), pa.int64()),
    **dict.fromkeys(("median_us", "median_low_us", "median_high_us"), pa.float64()),
    "started_at": pa.timestamp("us", tz="UTC"),
    "reliable": pa.bool_(),
}
#: What is read of the store.
OF_LAUNCHES = ["launch_id", "stack", *POINT, *ALLOCATION, *OF_LAUNCH, "system", "started_at", "mpi_version"]
OF_MEASUREMENTS = ["launch_id", "operation", "bytes", "verdict", "reason", "median_us", "mean_us", "clock_error_us"]


def value_schema() -> Any:
    """The Arrow schema of a file of the archive; the meaning of a column travels with it."""
    return pa.schema(
        [
            pa.field(name, NUMBERS.get(name, pa.string()), metadata={"meaning": meaning})
            for name, meaning in VALUE_COLUMNS.items()
        ]
    )


def stored_rows(inputs: RunInputs) -> tuple[pd.DataFrame, pd.DataFrame]:
    """`launches`, and the rows that the results rest on: of each only what values are made of. Raises FileError."""
    launches = read_table(inputs.layout, "launches", OF_LAUNCHES)
    return launches, results_of(joined(launches, read_table(inputs.layout, "measurements", OF_MEASUREMENTS)), inputs)


def run_values(inputs: RunInputs) -> pd.DataFrame:
    """`VALUE_COLUMNS` of one run. Raises FileError where it has no store."""
    launches, rows = stored_rows(inputs)
    summary = summarise(planned_rows(inputs), rows, inputs.campaign.analysis.confidence)
    known = launches.drop_duplicates("stack").set_index("stack")
    told = summary.assign(
        run_id=inputs.layout.run_id,
        system=summary["stack"].map(known["system"]),
        started_at=launches["started_at"].min(),
        mpi_version=summary["stack"].map(known["mpi_version"]),
        launches=summary["launches_used"],
        reliable=summary["reliable"].astype(bool),
    )
    return told[list(VALUE_COLUMNS)]
