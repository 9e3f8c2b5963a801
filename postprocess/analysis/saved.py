# SPDX-License-Identifier: BSD-3-Clause
"""What `analyse` leaves: `analysis/` at full precision for `render`, `tables/` for people; and reading it again."""

from collections.abc import Iterable
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pandas.api.types import is_object_dtype

from isochron.common.cores import on_all_cores
from isochron.common.files import FileError, replaced, write_atomically
from isochron.postprocess.formatting.labels import simulation
from isochron.postprocess.formatting.spreadsheet import as_csv
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.store import parquet_errors, read_table
from isochron.postprocess.kit.table import Analysis, SavedFrame
from isochron.postprocess.subjects.registry import ALL_SAVED, TABLES
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.next_blocks import Flagged

#: Lines of tables from which on they are written by a process for each core.
MANY = 50_000


def save(inputs: RunInputs, analysis: Analysis) -> None:
    """Write all of it, each file atomically; what a campaign does not have is no file of `tables/`."""
    for kept in ALL_SAVED:
        with replaced(inputs.layout.kept(kept.name)) as partial:
            pq.write_table(pa.Table.from_pandas(analysis[kept], preserve_index=False), partial)
    simulated = simulation(analysis.launches)
    parts = [part for table in TABLES for part in table.parts(analysis[table], inputs.campaign)]

    def write(number: int) -> None:
        file, part = parts[number]
        write_csv(inputs.layout.tables / file, part.assign(simulated=simulated) if simulated else part)

    many = sum(len(part) for _, part in parts) >= MANY
    list(on_all_cores(write, range(len(parts))) if many else map(write, range(len(parts))))
    analysis.flagged.save(inputs.layout.flagged)


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV: seven significant digits, empty cells for what is not known."""
    write_atomically(path, as_csv(table, float_format="%.7g"))


def load_analysis(layout: RunLayout, needed: Iterable[SavedFrame]) -> Analysis:
    """What `analyse` has left of these tables. Raises FileError if it is missing or of another version."""
    launches = read_table(layout, "launches")
    frames = {kept.name: load_frame(layout, kept) for kept in needed}
    return Analysis(launches, Flagged.load(layout.flagged), frames)


def load_frame(layout: RunLayout, kept: SavedFrame) -> pd.DataFrame:
    """One of these tables alone. Raises FileError likewise."""
    path = layout.kept(kept.name)
    if not path.is_file():
        raise FileError(f"{path}: missing; run `python -m isochron.postprocess analyse {layout.root}` first")
    with parquet_errors(path, "analyse the run again"):
        table: Any = pq.read_table(path).to_pandas()
    frame: pd.DataFrame = table
    if kept.fixed and list(frame.columns) != list(kept.columns):
        raise FileError(f"{path}: columns differ from those of this version; analyse the run again")
    for name in filter(lambda name: is_object_dtype(frame[name]), frame.columns):
        frame[name] = frame[name].where(frame[name].notna(), nan)
    return frame
