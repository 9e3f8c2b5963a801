# SPDX-License-Identifier: BSD-3-Clause
"""The launches of a stack as a table, and at one point as matrices: what comparisons are of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.values.launches import CANDLE, PROBES
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE, POINT
from isochron.stats.multiple_tests import Matrix

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Side:
    """A stack at a point: logarithms of its launch medians in µs, (L, C), NaN if there is none; (L,) their block.

    `probes`: logarithms of what each of `PROBES` read beside them, (probes, L, C), NaN if nothing was.
    `rounds`: logarithms of the medians of each round of launches that measured in turns, (L, R, C), NaN if there is
    none; `sessions`: (L,), the number of the session in which a launch did, -1: in none; `candle`: logarithms of what
    the standard candle took in these rounds, (L, R, C), NaN if there was none.
    """

    logs: Matrix
    blocks: NDArray[np.int64]
    probes: Matrix | None = None
    rounds: NDArray[np.float64] | None = None
    sessions: NDArray[np.int64] | None = None
    candle: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Rows:
    """One side of a comparison.

    `summary`: CASE, median_us, launches_used, reliable and verdict of every planned row, CASE once each.
    `launches`: its usable rows, with CASE, launch_id, `allocation` and median_us, and `PROBES` if they were read.
    `slices`: of launches in turns, with launch_id, session (a number), operation, bytes, round and median_us, and what
    the standard candle took in the same round (`CANDLE`) if there was one.
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
        numbers = chosen.groupby(["launch_id", "allocation"]).ngroup().to_numpy()
        _, first = np.unique(numbers, return_index=True)
        columns = cases.get_indexer(pd.MultiIndex.from_frame(chosen[["operation", "bytes"]]))
        names = ["median_us", *(name for name in PROBES if name in chosen)]
        wide = np.full((len(names), len(first), len(cases)), np.nan)
        wide[:, numbers[columns >= 0], columns[columns >= 0]] = chosen.loc[columns >= 0, names].to_numpy(np.float64).T
        with np.errstate(divide="ignore"):
            logs = np.log(wide)
        rounds = self._rounds(chosen["launch_id"].iloc[first], ~np.isnan(wide[0]), cases)
        return Side(
            logs[0], chosen["allocation"].to_numpy(np.int64)[first], logs[1:] if len(names) > 1 else None, *rounds
        )

    def _rounds(self, launches: pd.Series[str], usable: NDArray[np.bool_], cases: pd.MultiIndex) -> tuple[Any, ...]:
        """`rounds`, `sessions` and `candle` of a side. A case that is not usable in a launch has no rounds there."""
        own = None if self.slices is None else self.slices[self.slices["launch_id"].isin(launches)]
        if own is None or not len(own):
            return None, None, None
        rounds = sorted(own["round"].unique())
        columns = pd.MultiIndex.from_tuples([(*case, each) for each in rounds for case in cases])

        def logs(name: str) -> NDArray[np.float64]:
            wide = own.pivot(index="launch_id", columns=["operation", "bytes", "round"], values=name)
            with np.errstate(divide="ignore"):
                flat = np.log(wide.reindex(index=launches, columns=columns).to_numpy(dtype=np.float64))
            return np.asarray(flat.reshape(len(launches), len(rounds), len(cases)))

        sessions = own.groupby("launch_id")["session"].first().reindex(launches, fill_value=-1)
        times = np.where(usable[:, None], logs("median_us"), np.nan)
        return times, sessions.to_numpy(dtype=np.int64), logs(CANDLE) if CANDLE in own else None


def rows_of(summary: pd.DataFrame, rows: pd.DataFrame, slices: pd.DataFrame | None = None) -> dict[str, Rows]:
    """By stack. `summary`: `SUMMARY_COLUMNS`; `rows`: usable rows of launches, with stack, ALLOCATION and as in `Rows`.
    `slices`: of launches that measured in turns, as in `Rows`, with the names of sessions.

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
