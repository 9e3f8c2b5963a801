# SPDX-License-Identifier: BSD-3-Clause
"""The store: Parquet tables with the columns of `isochron.schemas.run.store`, written, read and reused."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from isochron.common.files import FileError, read_bytes, replaced, write_atomically
from isochron.common.hashing import content_sha256, sha256
from isochron.common.memory import is_want
from isochron.schemas.run.layout import RunLayout, launch_of, raw_file
from isochron.schemas.run.store import TABLES, Column

#: Arrow types of the pandas types that the schema uses.
ARROW_TYPES = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "datetime64[us, UTC]": pa.timestamp("us", tz="UTC"),
}

#: Tables that are not of the store's row groups: of candles, programs and third-party benchmarks, as far as a run has
#: them.
SEPARATE = ("candles", "programs", "tool_rows", "tool_cells")

#: Columns of a table by name: lists, NumPy or Arrow arrays of one length.
Columns = dict[str, Any]


@cache
def arrow_schema(table: str) -> Any:
    """Arrow schema of a table of the store."""
    return schema_of(TABLES[table])


def schema_of(columns: Sequence[Column]) -> Any:
    """Arrow schema of these columns: names, types and order; the meaning travels as field metadata."""
    fields = [
        pa.field(column.name, ARROW_TYPES[column.dtype], metadata={"meaning": column.meaning}) for column in columns
    ]
    return pa.schema(fields)


def write_separate(layout: RunLayout, name: str, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table that is not of the store's row groups."""
    values = {column.name: [row[column.name] for row in rows] for column in columns}
    with replaced(layout.table(name)) as partial:
        pq.write_table(pa.Table.from_pydict(values, schema=schema_of(columns)), partial)


def read_separate(layout: RunLayout, name: str, columns: Sequence[Column]) -> pd.DataFrame:
    """Read such a table; empty if the run has none. Raises FileError if it cannot be read."""
    path, schema = layout.table(name), schema_of(columns)
    if not has_separate(layout, name):
        return pd.DataFrame(schema.empty_table().to_pandas())
    with parquet_errors(path, "ingest the run again"):
        table = pq.read_table(path)
    if not table.schema.equals(schema):
        raise FileError(f"{path}: columns differ from the schema of `{name}`; ingest the run again")
    return pd.DataFrame(table.to_pandas())


def has_separate(layout: RunLayout, name: str) -> bool:
    """Return True if the run has such a table. Raises FileError if it is not what the file of sums has, or is lost.

    Files of sums of earlier versions do not have these tables.
    """
    path, recorded = layout.table(name), _recorded(layout)
    if f"  {path.name}\n" in recorded and not (path.is_file() and _line(layout, name) in recorded):
        raise _differs(layout, path)
    return path.is_file()


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
    path = _as_written(layout, name)
    with parquet_errors(path, "ingest the run again"):
        frame: pd.DataFrame = pq.read_table(path, columns=columns).to_pandas()
    return frame


def read_row_groups(layout: RunLayout, name: str, columns: list[str], categories: Sequence[str]) -> Iterator[Any]:
    """Yield these columns of each row group, which holds whole launches, as Arrow tables. Raises FileError.

    `categories`: columns of text that are wanted as dictionaries, since many rows have the same.
    """
    path = _as_written(layout, name)
    with parquet_errors(path, "ingest the run again"), pq.ParquetFile(path, read_dictionary=categories) as table:
        for group in range(table.num_row_groups):
            yield table.read_row_group(group, columns)


def _as_written(layout: RunLayout, name: str) -> Path:
    """The file of a table. Raises FileError unless it is what was written, with the columns of the schema."""
    path = layout.table(name)
    if not path.is_file():
        raise FileError(f"{path}: missing; run `python -m isochron.postprocess ingest {layout.root}` first")
    if layout.store_sums.exists() and _line(layout, name) not in _recorded(layout):
        raise _differs(layout, path)
    with parquet_errors(path, "ingest the run again"):
        schema = pq.read_schema(path)
        if not schema.equals(arrow_schema(name)):
            raise FileError(f"{path}: columns differ from the schema of `{name}`; ingest the run again")
    return path


def _recorded(layout: RunLayout) -> str:
    """Return the file of sums; empty if there is none."""
    return read_bytes(layout.store_sums).decode(errors="replace") if layout.store_sums.exists() else ""


def _differs(layout: RunLayout, path: Path) -> FileError:
    return FileError(f"{path}: is not what {layout.store_sums.name} has; `isochron report` makes the store again")


@contextmanager
def parquet_errors(path: Path, remedy: str) -> Iterator[None]:
    """Whatever is wrong with a Parquet file becomes a FileError; want of memory stays what it is."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if is_want(error):
            raise
        raise FileError(f"{path}: no readable Parquet ({error}); {remedy}") from error


@dataclass(frozen=True)
class Stored:
    """The first `groups` row groups of each table hold these launches (launch_id → raw file), the first by name.

    `everything`: the store holds all raw files and nothing else.
    """

    layout: RunLayout
    groups: int = 0
    launches: Mapping[str, Path] = field(default_factory=dict)
    everything: bool = False

    @classmethod
    def of(cls, layout: RunLayout, paths: list[Path]) -> "Stored":
        """As far as raw files and store agree. `paths`: the raw files in their order."""
        _put_back(layout)
        groups = _launches_by_group(layout) if _is_whole(layout) else []
        kept = cls(layout)
        for number, group in enumerate(groups, start=1):
            group_paths = paths[len(kept.launches) : len(kept.launches) + len(group)]
            if [(raw_file(launch_of(path)), content_sha256(path)) for path in group_paths] != [
                entry[1:] for entry in group
            ]:
                break
            launches = {identity: path for (identity, *_), path in zip(group, group_paths, strict=True)}
            kept = cls(layout, number, {**kept.launches, **launches})
        everything = bool(groups) and kept.groups == len(groups) and len(kept.launches) == len(paths)
        return replace(kept, everything=everything)

    def rows(self) -> dict[str, int]:
        """Numbers of rows of the tables."""
        return {name: pq.read_metadata(self.layout.table(name)).num_rows for name in TABLES}

    def chunks(self) -> Iterator[dict[str, Any]]:
        """These row groups."""
        if not self.groups:
            return
        with ExitStack() as files:
            tables = {name: files.enter_context(_open(self.layout, name)) for name in TABLES}
            for group in range(self.groups):
                yield {name: table.read_row_group(group) for name, table in tables.items()}


def seal(layout: RunLayout, *, growing: bool) -> None:
    """Remember the tables as they have been written; `growing`: more may come, so each gets a second name.

    Before a step is done again, Snakemake and the driver remove what it has made.
    """
    write_atomically(layout.store_sums, _sums(layout))
    rmtree(layout.so_far, ignore_errors=True)
    if growing:
        with suppress(OSError):  # no hard links here: everything is then read again
            layout.so_far.mkdir()
            for table in map(layout.table, TABLES):
                (layout.so_far / table.name).hardlink_to(table)


def _put_back(layout: RunLayout) -> None:
    """Give tables that were removed their name back, with the time of now: they are made now, as far as they hold."""
    for table in map(layout.table, TABLES):
        if not table.exists():
            with suppress(OSError):
                table.hardlink_to(layout.so_far / table.name)
                os.utime(table)


def seal_separate(layout: RunLayout) -> None:
    """Remember the separate tables, which are written at each call, beside those that are as they were."""
    recorded = _recorded(layout)
    fresh = _sums(layout, "".join(line for line in recorded.splitlines(keepends=True) if _of_row_groups(line)))
    if fresh != recorded:
        write_atomically(layout.store_sums, fresh)


def _of_row_groups(line: str) -> bool:
    return line.rstrip("\n").partition("  ")[2].removesuffix(".parquet") in TABLES


def _sums(layout: RunLayout, of_row_groups: str = "") -> str:
    """Return the file of sums; `of_row_groups`: its lines of the tables of row groups, if they are known."""
    separate = "".join(_line(layout, name) for name in SEPARATE if layout.table(name).is_file())
    return (of_row_groups or "".join(_line(layout, name) for name in TABLES)) + separate


def _line(layout: RunLayout, name: str) -> str:
    """Return the line of a table in the file of sums."""
    return f"{sha256(layout.table(name))}  {layout.table(name).name}\n"


def _is_whole(layout: RunLayout) -> bool:
    """Return True if the tables are what they were when they were written."""
    if not all(path.is_file() for path in (layout.store_sums, *map(layout.table, TABLES))):
        return False
    recorded = _recorded(layout)
    return all(_line(layout, name) in recorded for name in TABLES)


def _launches_by_group(layout: RunLayout) -> list[list[tuple[str, str, str]]]:
    """(launch_id, file, SHA-256) of the launches in each row group; none if tables are not of this version.

    None, too, where the tables have not as many row groups as each other.
    """
    with ExitStack() as files:
        tables = {name: files.enter_context(_open(layout, name)) for name in TABLES}
        alike = all(table.schema_arrow.equals(arrow_schema(name)) for name, table in tables.items())
        numbers = {table.num_row_groups for table in tables.values()}
        if not alike or len(numbers) > 1:
            return []
        names = ["launch_id", "file", "raw_sha256"]
        groups = (tables["launches"].read_row_group(number, names) for number in range(numbers.pop()))
        return [list(zip(*(group[name].to_pylist() for name in names), strict=True)) for group in groups]


def _open(layout: RunLayout, name: str) -> Any:
    return pq.ParquetFile(layout.table(name))
