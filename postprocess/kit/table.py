# SPDX-License-Identifier: BSD-3-Clause
"""Tables: their declaration, the context in which all are computed, and those of a run."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.values.launches import beside, with_candle, with_candle_rounds
from isochron.postprocess.estimate.values.summary import joined, usable
from isochron.postprocess.ingest.inputs import RunInputs, results_of
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.ingest.turns import read_candles
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.next_blocks import Flagged

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class TableContext:
    """A run with its store. What several tables rest on is read and worked out once, when the first asks for it."""

    inputs: RunInputs
    _made: dict[Callable[..., Any], Any] = field(default_factory=dict)

    @cached_property
    def launches(self) -> pd.DataFrame:
        """`launches` of the store. Raises FileError when it is missing."""
        return read_table(self.inputs.layout, "launches")

    @cached_property
    def everything(self) -> pd.DataFrame:
        """`measurements` of the store with what their launch says (`joined`), contrasts and all."""
        return joined(self.launches, read_table(self.inputs.layout, "measurements"))

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The part of `everything` that the results rest on: a line for each launch, operation and size."""
        return results_of(self.everything, self.inputs)

    def of_contrast(self, name: str) -> pd.DataFrame:
        """The part of `everything` that is of a contrast."""
        return self.everything[self.everything["file"].isin(self.inputs.plan.files_of_contrast(name))]

    @cached_property
    def used(self) -> pd.DataFrame:
        """The part of `rows` that has a time of the operation."""
        return usable(self.rows)

    @cached_property
    def beside(self) -> pd.DataFrame:
        """`used` with what the probes read beside each row, if probes were read."""
        if not len(self.probes):
            return self.used
        return with_candle(beside(self.used, self.probes), self.slices, self.candles)

    @cached_property
    def probes(self) -> pd.DataFrame:
        """`probes` of the store. Raises FileError when it is missing."""
        return read_table(self.inputs.layout, "probes")

    @cached_property
    def candles(self) -> pd.DataFrame:
        """`candles` of the store, empty if the run has none. Raises FileError."""
        return read_candles(self.inputs.layout)

    @cached_property
    def all_slices(self) -> pd.DataFrame:
        """`slices` of the store. Raises FileError when it is missing."""
        return read_table(self.inputs.layout, "slices")

    @cached_property
    def slices(self) -> pd.DataFrame:
        """The part of `all_slices` with turns of others in between, which results are of, and times of the candle."""
        slices = self.all_slices
        return with_candle_rounds(slices[slices["others"] == "turns"], self.candles)

    @cached_property
    def rules(self) -> Rules:
        """Threshold, confidence and seed of the campaign."""
        campaign = self.inputs.campaign
        return Rules(campaign.analysis.threshold, campaign.analysis.confidence, campaign.seed)

    def get(self, make: "Callable[[TableContext], Made]") -> Made:
        """`make(self)`, worked out once."""
        if make not in self._made:
            self._made[make] = make(self)
        made: Made = self._made[make]
        return made


def always(_: Campaign) -> bool:
    """Of every campaign."""
    return True


@dataclass(frozen=True, eq=False)
class SavedFrame:
    """A frame that `analyse` leaves for `render`, in `analysis/<name>.parquet`: its columns, and how it is made."""

    name: str
    columns: Mapping[str, str]
    make: Callable[[TableContext], pd.DataFrame]

    @property
    def fixed(self) -> bool:
        """Return True if the columns are these in every run; `<stack>` stands for each of the campaign's."""
        return not any("<" in name for name in self.columns)


@dataclass(frozen=True, eq=False)
class Table(SavedFrame):
    """A frame that is a file of `tables/` too. `holds`: what it holds, for the report's list of files.

    `applies`: which campaigns have it. `each_operation`: a file for each operation, without the column `operation`.
    """

    holds: str
    applies: Callable[[Campaign], bool] = always
    each_operation: bool = False

    @property
    def file(self) -> str:
        """Its name in `tables/`; `<operation>` stands for each of the campaign's."""
        return f"{self.name}-<operation>.csv" if self.each_operation else f"{self.name}.csv"

    def file_of(self, operation: str) -> str:
        """The file of one operation."""
        return self.file.replace("<operation>", operation)

    def files(self, campaign: Campaign) -> dict[str, str]:
        """Its files in a campaign's run, and what each holds."""
        if not self.applies(campaign):
            return {}
        if not self.each_operation:
            return {self.file: self.holds}
        return {self.file_of(operation): f"{operation}: {self.holds}" for operation in campaign.operations}

    def parts(self, frame: pd.DataFrame, campaign: Campaign) -> Iterator[tuple[str, pd.DataFrame]]:
        """What stands in each of these files. `frame`: as `make` makes it."""
        if not self.each_operation:
            yield from ((file, frame) for file in self.files(campaign))
            return
        for file, operation in zip(self.files(campaign), campaign.operations, strict=True):
            yield file, frame[frame["operation"] == operation].drop(columns="operation")


@dataclass(frozen=True)
class Analysis:
    """The tables of a run: `launches` as stored, the flagged results, and every saved frame by its name."""

    launches: pd.DataFrame
    flagged: Flagged
    frames: Mapping[str, pd.DataFrame]

    def __getitem__(self, table: SavedFrame) -> pd.DataFrame:
        """The frame of a table. Raises LookupError if it was not asked for."""
        try:
            return self.frames[table.name]
        except KeyError:
            raise LookupError(f"`{table.name}` is needed but not among what is asked for") from None

    def only(self, tables: Iterable[SavedFrame]) -> "Analysis":
        """The same without all other frames."""
        return replace(self, frames={table.name: self[table] for table in tables})
