# SPDX-License-Identifier: BSD-3-Clause
"""The cached values of every complete run: `results/.cache/values/campaign=…/<run-id>.parquet`."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from isochron.common.cores import on_all_cores
from isochron.common.documents import parse_yaml
from isochron.common.files import LONGEST_YAML, FileError, read_bytes, refuse_links_below, replaced
from isochron.common.memory import is_want
from isochron.postprocess.estimate.values.candles import in_candles
from isochron.postprocess.estimate.values.summary import OF_LAUNCH, joined, summarise, usable
from isochron.postprocess.ingest.inputs import (
    ALLOCATION,
    KEYS,
    POINT,
    RESULT_KEY,
    RunInputs,
    load_inputs,
    planned_rows,
    results_of,
)
from isochron.postprocess.ingest.store import read_table
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout

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
    "in_candles": "the value in candles: median over launches of the time over that of the standard candle in the same "
    "session and case; empty without a candle",
    "candle": "version of that candle: times in candles of different versions are not compared",
    "verdict": "`ok`, or why the row is not reliable",
    "reliable": "whether the row is reliable",
}
NUMBERS = {
    **dict.fromkeys(("bytes", "processes", "processes_per_node", "launches"), pa.int64()),
    **dict.fromkeys(("median_us", "median_low_us", "median_high_us", "in_candles"), pa.float64()),
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
    """`VALUE_COLUMNS` of one run. Raises FileError if it has no store."""
    launches, rows = stored_rows(inputs)
    summary = summarise(planned_rows(inputs), rows, inputs.campaign.analysis.confidence)
    candles = in_candles(inputs, usable(rows))
    medians = candles.rows.groupby(RESULT_KEY)["median_us"].median()
    first_launches = launches.drop_duplicates("stack").set_index("stack")
    values = summary.assign(
        run_id=inputs.layout.run_id,
        system=summary["stack"].map(first_launches["system"]),
        started_at=launches["started_at"].min(),
        mpi_version=summary["stack"].map(first_launches["mpi_version"]),
        launches=summary["launches_used"],
        in_candles=medians.reindex(pd.MultiIndex.from_frame(summary[RESULT_KEY])).to_numpy(dtype=np.float64),
        candle=candles.version,
        reliable=summary["reliable"].astype(bool),
    )
    return values[list(VALUE_COLUMNS)]


#: To be raised when a store gives other values, or values other changes, than before: all is then made anew.
VERSION = 4
#: Runs of which values are made or read at once: what is in memory does not grow with the archive.
TOGETHER = 50
KEY = b"digest"


def digest(layout: RunLayout) -> str:
    """What the values of a run follow from, as a hash; empty if its store does not say what it was."""
    try:
        store, plan, campaign = (read_bytes(path) for path in (layout.store_sums, layout.plan, layout.campaign))
    except OSError:
        return ""
    parts = [str(VERSION).encode(), layout.run_id.encode(), store, plan, _deciding_keys(campaign)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


@lru_cache(maxsize=16)
def _deciding_keys(campaign: bytes) -> bytes:
    """Return the keys of a campaign file from which values follow; of a file that is not a campaign, its content.

    The runs of a history mostly have the same file: it is parsed once.
    """
    if len(campaign) > LONGEST_YAML:
        return campaign
    try:
        document = parse_yaml(campaign.decode(), Path("campaign.yaml"))
        return json.dumps(Campaign.model_validate(document).deciding, sort_keys=True).encode()
    except (FileError, UnicodeDecodeError, ValidationError):
        return campaign


@dataclass(frozen=True)
class Archive:
    """`folder`: `results/.cache`; None: nothing is kept. `campaign`: whose runs these are.

    Raises FileError if a folder of it is a link: the results may be somebody else's.
    """

    folder: Path | None
    campaign: str = ""

    def __post_init__(self) -> None:
        for path in (self.file(RunLayout(Path("any"))), self.course, self.facts):
            if self.folder and path:
                refuse_links_below(self.folder.parent, path)

    def file(self, layout: RunLayout) -> Path | None:
        """Where the values of a run are kept."""
        return self.folder and self.folder / "values" / f"campaign={self.campaign}" / f"{layout.run_id}.parquet"

    @property
    def course(self) -> Path | None:
        """Where the course of the campaign is kept (archive.course)."""
        return self.folder and self.folder / "courses" / f"{self.campaign}.npz"

    @property
    def facts(self) -> Path | None:
        """Where the facts of its runs are kept (archive.facts)."""
        return self.folder and self.folder / "facts" / f"{self.campaign}.json"

    def values(self, runs: list[RunLayout]) -> Iterator[list[pd.DataFrame]]:
        """`VALUE_COLUMNS` of each run in turn, some runs together; what is not kept yet is made on all cores.

        Raises FileError for a run without a store.
        """
        for first in range(0, len(runs), TOGETHER):
            some = runs[first : first + TOGETHER]
            by_number = {number: self._kept(layout) for number, layout in enumerate(some)}
            missing = [number for number, frame in by_number.items() if frame is None]
            made = on_all_cores(self._made, [some[number] for number in missing])
            by_number |= dict(zip(missing, made, strict=True))
            yield [frame for frame in by_number.values() if frame is not None]

    def _kept(self, layout: RunLayout) -> pd.DataFrame | None:
        """The values as they were kept; None if they are missing, damaged, or no more what the store says."""
        path, expected = self.file(layout), digest(layout)
        if path is None or not expected or not path.is_file():
            return None
        try:
            with pq.ParquetFile(path, page_checksum_verification=True) as file:
                stored = (file.schema_arrow.metadata or {}).get(KEY)
                if stored != expected.encode() or file.schema_arrow.names != value_schema().names:
                    return None
                frame: pd.DataFrame = file.read().to_pandas()
        except (OSError, pa.ArrowException) as error:
            if is_want(error):
                raise
            return None
        return frame

    def keep(self, layout: RunLayout, frame: pd.DataFrame) -> None:
        """Keep the values of a run if that is possible: the folder may be read-only, or full."""
        path, run_digest = self.file(layout), digest(layout)
        if path is None or not run_digest:
            return
        table: Any = pa.Table.from_pandas(frame, schema=value_schema(), preserve_index=False)
        with suppress(OSError), replaced(path) as partial:
            pq.write_table(table.replace_schema_metadata({KEY: run_digest}), partial, write_page_checksum=True)

    def _made(self, layout: RunLayout) -> pd.DataFrame:
        """The values from the store, which are kept from now on."""
        frame = run_values(load_inputs(layout.root))
        self.keep(layout, frame)
        return frame
