# SPDX-License-Identifier: BSD-3-Clause
"""The store: three Parquet tables whose columns are those of `workflows.schemas.store`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from postprocess.files import replaced
from workflows.schemas.base import FileError
from workflows.schemas.layout import RunLayout
from workflows.schemas.store import TABLES

#: Arrow types of the pandas types that the schema uses.
ARROW_TYPES = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "datetime64[us, UTC]": pa.timestamp("us", tz="UTC"),
}

Columns = dict[str, Sequence[Any]]


def arrow_schema(table: str) -> Any:
    """Arrow schema of a table: names, types and order; the meaning travels as field metadata."""
    return pa.schema(
        [
            pa.field(column.name, ARROW_TYPES[column.dtype], metadata={"meaning": column.meaning})
            for column in TABLES[table]
        ]
    )


def write_store(layout: RunLayout, chunks: Iterable[dict[str, Columns]]) -> dict[str, int]:
    """Write the three tables, a row group for each chunk, and return their numbers of rows.

    A chunk maps each table's name to its columns. Only one chunk is held in memory.
    Nothing is replaced unless every chunk could be written.
    """
    rows = dict.fromkeys(TABLES, 0)
    with (
        replaced(layout.table("launches")) as launches,
        replaced(layout.table("measurements")) as measurements,
        replaced(layout.table("runs")) as runs,
    ):
        paths = {"launches": launches, "measurements": measurements, "runs": runs}
        writers = {name: pq.ParquetWriter(path, arrow_schema(name)) for name, path in paths.items()}
        try:
            for chunk in chunks:
                for name, writer in writers.items():
                    table = pa.Table.from_pydict(chunk[name], schema=arrow_schema(name))
                    writer.write_table(table)
                    rows[name] += table.num_rows
        finally:
            for writer in writers.values():
                writer.close()
    return rows


def read_table(
    layout: RunLayout, name: str, columns: list[str] | None = None, operation: str | None = None
) -> pd.DataFrame:
    """One table of the store, or the given columns and operation of it. Raises FileError."""
    path = layout.table(name)
    if not path.exists():
        raise FileError(f"{path}: missing; run `python -m postprocess ingest {layout.root}` first")
    try:
        found = pq.read_schema(path)
        if not found.equals(arrow_schema(name)):
            raise FileError(f"{path}: columns differ from the schema of `{name}`; ingest the run again")
        filters = None if operation is None else [("operation", "=", operation)]
        table = pq.read_table(path, columns=columns, filters=filters)
    except pa.ArrowException as error:
        raise FileError(f"{path}: no readable Parquet ({error}); ingest the run again") from error
    frame: pd.DataFrame = table.to_pandas()
    return frame
