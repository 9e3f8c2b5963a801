# SPDX-License-Identifier: BSD-3-Clause
"""The store: Parquet tables whose columns are those of `isochron.schemas.run.store`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from isochron.common.files import FileError, replaced
from isochron.common.memory import is_want
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.store import TABLES

#: Arrow types of the pandas types that the schema uses.
ARROW_TYPES = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "datetime64[us, UTC]": pa.timestamp("us", tz="UTC"),
}

#: Columns of a table by name: lists, NumPy or Arrow arrays of one length.
Columns = dict[str, Any]


def arrow_schema(table: str) -> Any:
    """Arrow schema of a table: names, types and order; the meaning travels as field metadata."""
    return pa.schema(
        [
            pa.field(column.name, ARROW_TYPES[column.dtype], metadata={"meaning": column.meaning})
            for column in TABLES[table]
        ]
    )


def write_store(layout: RunLayout, chunks: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Write all tables, a row group for each chunk, and return their numbers of rows.

    A chunk maps each table's name to its Arrow table. Only one chunk is held in memory.
    Nothing is replaced unless every chunk could be written.
    """
    rows = dict.fromkeys(TABLES, 0)
    with ExitStack() as files:
        paths = {name: files.enter_context(replaced(layout.table(name))) for name in TABLES}
        writers = {name: _writer(path, name) for name, path in paths.items()}
        try:
            for chunk in chunks:
                for name, writer in writers.items():
                    writer.write_table(chunk[name], row_group_size=max(1, len(chunk[name])))
                    rows[name] += len(chunk[name])
        finally:
            for writer in writers.values():
                writer.close()
    return rows


def _writer(path: Path, name: str) -> Any:
    """Only texts repeat: a dictionary of times would cost more than it saves."""
    texts = [column.name for column in TABLES[name] if column.dtype == "string"]
    return pq.ParquetWriter(path, arrow_schema(name), use_dictionary=texts)


def read_table(layout: RunLayout, name: str, columns: list[str] | None = None) -> pd.DataFrame:
    """One table of the store, or only these columns of it. Raises FileError."""
    frame: pd.DataFrame = _read(layout, name, columns=columns).to_pandas()
    return frame


def _read(layout: RunLayout, name: str, **what: Any) -> Any:
    """An Arrow table of the store; `what` is handed to `pq.read_table`."""
    path = layout.table(name)
    if not path.is_file():
        raise FileError(f"{path}: missing; run `python -m isochron.postprocess ingest {layout.root}` first")
    with parquet_errors(path, "ingest the run again"):
        found = pq.read_schema(path)
        if not found.equals(arrow_schema(name)):
            raise FileError(f"{path}: columns differ from the schema of `{name}`; ingest the run again")
        return pq.read_table(path, **what)


@contextmanager
def parquet_errors(path: Path, remedy: str) -> Iterator[None]:
    """Whatever is wrong with a Parquet file becomes a FileError; want of memory stays what it is."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if is_want(error):
            raise
        raise FileError(f"{path}: no readable Parquet ({error}); {remedy}") from error
