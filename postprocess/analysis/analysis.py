# SPDX-License-Identifier: BSD-3-Clause
"""All results of a run. Every number that is printed anywhere comes from here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from isochron.postprocess.tables.declaration import SavedFrame
from isochron.schemas.run.next_blocks import Flagged


@dataclass(frozen=True)
class Analysis:
    """`launches` as stored, the rows in doubt, and every frame of `tables.registry` by its name."""

    launches: pd.DataFrame
    flagged: Flagged
    frames: Mapping[str, pd.DataFrame]

    def __getitem__(self, table: SavedFrame) -> pd.DataFrame:
        """The frame of a table. Raises LookupError where it was not asked for."""
        try:
            return self.frames[table.name]
        except KeyError:
            raise LookupError(f"`{table.name}` is needed but not among what is asked for") from None

    def only(self, tables: Iterable[SavedFrame]) -> Analysis:
        """The same without all other frames."""
        return replace(self, frames={table.name: self[table] for table in tables})
