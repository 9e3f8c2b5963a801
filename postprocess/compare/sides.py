# SPDX-License-Identifier: BSD-3-Clause
"""The launches of one stack as a comparison sees them: a matrix of launch medians at every point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.compare.pairs import Side
from isochron.postprocess.reading.inputs import ALLOCATION, CASE, POINT
from isochron.postprocess.values.probes import PROBES

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Rows:
    """One side of a comparison.

    `summary`: CASE, median_us, launches_used, reliable and verdict of every planned row, CASE once each.
    `launches`: its usable rows, with CASE, launch_id, `allocation` and median_us, and `PROBES` where they were read.
    `slices`: of launches in turns, with launch_id, session (a number), operation, bytes, round and median_us.
    """

    summary: pd.DataFrame
    launches: pd.DataFrame
    slices: pd.DataFrame | None = None

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
        rounds = self._rounds(medians, cases)
        return Side(logs, blocks, np.stack(read) if read else None, *rounds)

    def _rounds(self, medians: pd.DataFrame, cases: pd.MultiIndex) -> tuple[Any, Any]:
        """`rounds` and `sessions` of a side. A case that is not usable in a launch has no rounds there."""
        launches = medians.index.get_level_values("launch_id")
        own = None if self.slices is None else self.slices[self.slices["launch_id"].isin(launches)]
        if own is None or not len(own):
            return None, None
        wide = own.pivot(index="launch_id", columns=["operation", "bytes", "round"], values="median_us")
        rounds = sorted(own["round"].unique())
        columns = pd.MultiIndex.from_tuples([(*case, each) for each in rounds for case in cases])
        with np.errstate(divide="ignore"):
            logs = np.log(wide.reindex(index=launches, columns=columns).to_numpy(dtype=np.float64))
        logs = logs.reshape(len(launches), len(rounds), len(cases))
        usable = medians.reindex(columns=cases).notna().to_numpy()
        sessions = own.groupby("launch_id")["session"].first().reindex(launches, fill_value=-1)
        return np.where(usable[:, None], logs, np.nan), sessions.to_numpy(dtype=np.int64)


def rows_of(summary: pd.DataFrame, rows: pd.DataFrame, slices: pd.DataFrame | None = None) -> dict[str, Rows]:
    """By stack. `summary`: `SUMMARY_COLUMNS`; `rows`: usable rows of launches, with stack, ALLOCATION and as in `Rows`.
    `slices`: of launches that measured in turns, as the store has them.

    A block that was taken up again has several allocations, each a block of its own.
    """
    numbered = rows.assign(allocation=rows.groupby(ALLOCATION).ngroup())
    columns = [*CASE, "launch_id", "allocation", "median_us", *(name for name in PROBES if name in rows)]
    launches = {str(stack): group[columns] for stack, group in numbered.groupby("stack", sort=False)}
    none = numbered.iloc[:0][columns]
    if slices is not None:
        slices = slices.assign(session=slices.groupby("session").ngroup())
    return {
        str(stack): Rows(group, launches.get(str(stack), none), slices)
        for stack, group in summary.groupby("stack", sort=False)
    }
