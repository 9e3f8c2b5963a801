# SPDX-License-Identifier: BSD-3-Clause
"""The launches of one stack as a comparison sees them: a matrix of launch medians at every point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.pairs__pairs import Side
from isochron.postprocess.estimate.values.launches__probes import PROBES
from isochron.postprocess.ingest.inputs__inputs import ALLOCATION, CASE, POINT

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Rows:
    """One side of a comparison.

    `summary`: CASE, median_us, launches_used, reliable and verdict of every planned row, CASE once each.
    `launches`: its usable rows, with CASE, launch_id, `allocation` and median_us, and `PROBES` where they were read.
    """

    summary: pd.DataFrame
    launches: pd.DataFrame

    @cached_property
    def _points(self) -> dict[Key, pd.DataFrame]:
        return dict(list(self.launches.groupby(POINT, sort=False)))

    def at(self, point: Key, cases: pd.MultiIndex) -> Side:
        """Its launches at a point. `cases`: the (operation, bytes) that are the columns."""
        chosen = self._points.get(point, self.launches.iloc[:0])
        medians, *probes = (
            chosen.pivot(index=["launch_id", "allocation"], columns=["operation", "bytes"], values=name)
            for name in ("median_us", *(name for name in PROBES if name in chosen))
        )
        with np.errstate(divide="ignore"):
            logs, *read = (
                np.log(wide.reindex(columns=cases).to_numpy(dtype=np.float64)) for wide in (medians, *probes)
            )
        blocks = medians.index.get_level_values("allocation").to_numpy(dtype=np.int64)
        return Side(logs, blocks, np.stack(read) if read else None)


def rows_of(summary: pd.DataFrame, rows: pd.DataFrame) -> dict[str, Rows]:
    """By stack. `summary`: `SUMMARY_COLUMNS`; `rows`: usable rows of launches, with stack, ALLOCATION and as in `Rows`.

    A block that was taken up again has several allocations, each a block of its own.
    """
    numbered = rows.assign(allocation=rows.groupby(ALLOCATION).ngroup())
    columns = [*CASE, "launch_id", "allocation", "median_us", *(name for name in PROBES if name in rows)]
    launches = {str(stack): group[columns] for stack, group in numbered.groupby("stack", sort=False)}
    none = numbered.iloc[:0][columns]
    return {
        str(stack): Rows(group, launches.get(str(stack), none)) for stack, group in summary.groupby("stack", sort=False)
    }
