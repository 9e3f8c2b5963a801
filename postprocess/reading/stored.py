# SPDX-License-Identifier: BSD-3-Clause
"""What the store has already: row groups whose raw files are, byte for byte, what they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from isochron.ground.memory import is_want
from isochron.ground.sealed import sha256
from isochron.postprocess.reading.store import arrow_schema
from isochron.schemas.run.layout import RunLayout, raw_file
from isochron.schemas.run.store import TABLES


@dataclass(frozen=True)
class Stored:
    """The first `groups` row groups of each table hold these launches (launch_id → raw file), the first by name."""

    layout: RunLayout
    groups: int = 0
    launches: Mapping[str, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, layout: RunLayout, paths: list[Path]) -> Stored:
        """As far as raw files and store agree. `paths`: the raw files in their order."""
        try:
            groups = _launches_by_group(layout)
        except (OSError, pa.ArrowException) as error:
            if is_want(error):
                raise
            return cls(layout)
        kept = cls(layout)
        for number, group in enumerate(groups, start=1):
            own = paths[len(kept.launches) : len(kept.launches) + len(group)]
            if [(raw_file(path.stem), sha256(path)) for path in own] != [known[1:] for known in group]:
                break
            launches = {identity: path for (identity, *_), path in zip(group, own, strict=True)}
            kept = cls(layout, number, {**kept.launches, **launches})
        return kept

    def chunks(self) -> Iterator[dict[str, Any]]:
        """These row groups. Raises ArrowException where one is damaged."""
        if not self.groups:
            return
        with ExitStack() as files:
            tables = {name: files.enter_context(_open(self.layout, name)) for name in TABLES}
            for group in range(self.groups):
                yield {name: table.read_row_group(group) for name, table in tables.items()}


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
    return pq.ParquetFile(layout.table(name), page_checksum_verification=True)
