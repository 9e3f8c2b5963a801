# SPDX-License-Identifier: BSD-3-Clause
"""What the store has already: row groups whose raw files are, byte for byte, what they were."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import pyarrow.parquet as pq

from isochron.common.files import read_bytes, write_atomically
from isochron.common.hashing import content_sha256, sha256
from isochron.postprocess.ingest.store__store import arrow_schema
from isochron.schemas.run.layout import RunLayout, launch_of, raw_file
from isochron.schemas.run.store import TABLES


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
    def of(cls, layout: RunLayout, paths: list[Path]) -> Stored:
        """As far as raw files and store agree. `paths`: the raw files in their order."""
        _put_back(layout)
        groups = _launches_by_group(layout) if _is_whole(layout) else []
        kept = cls(layout)
        for number, group in enumerate(groups, start=1):
            own = paths[len(kept.launches) : len(kept.launches) + len(group)]
            if [(raw_file(launch_of(path)), content_sha256(path)) for path in own] != [known[1:] for known in group]:
                break
            launches = {identity: path for (identity, *_), path in zip(group, own, strict=True)}
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


def _sums(layout: RunLayout) -> str:
    return "".join(f"{sha256(layout.table(name))}  {layout.table(name).name}\n" for name in TABLES)


def _is_whole(layout: RunLayout) -> bool:
    """Whether the tables are what they were when they were written."""
    if not all(path.is_file() for path in (layout.store_sums, *map(layout.table, TABLES))):
        return False
    return read_bytes(layout.store_sums) == _sums(layout).encode()


def _launches_by_group(layout: RunLayout) -> list[list[tuple[str, str, str]]]:
    """(launch_id, file, SHA-256) of the launches in each row group; none where tables are not of this version.

    None, too, where the tables have not as many row groups as each other.
    """
    with ExitStack() as files:
        tables = {name: files.enter_context(_open(layout, name)) for name in TABLES}
        alike = all(table.schema_arrow.equals(arrow_schema(name)) for name, table in tables.items())
        numbers = {table.num_row_groups for table in tables.values()}
        if not alike or len(numbers) > 1:
            return []
        names = ["launch_id", "file", "raw_sha256"]
        found = (tables["launches"].read_row_group(number, names) for number in range(numbers.pop()))
        return [list(zip(*(group[name].to_pylist() for name in names), strict=True)) for group in found]


def _open(layout: RunLayout, name: str) -> Any:
    return pq.ParquetFile(layout.table(name))
