# SPDX-License-Identifier: BSD-3-Clause
"""All runs of a campaign in order of time: the value of each row in each, and where and when its level changed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from isochron.postprocess.archive.archive import Archive
from isochron.postprocess.archive.course import course
from isochron.postprocess.archive.values import VALUE_COLUMNS
from isochron.postprocess.reading.inputs import KEYS, ROW, load_inputs
from isochron.postprocess.statistics.changes.change_point import FEWEST, Changes
from isochron.postprocess.statistics.launches import Values
from isochron.schemas.run.layout import RunLayout

#: Columns: a line for each row and run, with the last change of the row up to this run.
HISTORY_COLUMNS = {
    **KEYS,
    **{
        name: VALUE_COLUMNS[name]
        for name in ("run_id", "mpi_version", "launches", "median_us", "median_low_us", "median_high_us")
    },
    "runs": "runs in which the row can be believed",
    "needed": "runs that the row still needs before a change can be found",
    "changed_at": "first of these runs on the level that this run is on; empty before the first change",
    "found_at": "the run with which this change was found",
    "delay": "runs of the row from `changed_at` to `found_at`: 1 where the first run on the new level was enough",
    "before_us": "median of the values on the level before",
    "after_us": "median of the values on the new level",
    "ratio": "after / before",
    "p_value": "p value of the change when it was found, for this row, place and run alone",
    "p_holm": "the same, corrected for all rows, places and runs",
    "verdict": "`slower`, `faster`: by the last change up to this run; `steady`: none beyond the threshold was found; "
    "`too-few-runs`: the row has fewer than seven",
}
CHANGE = list(HISTORY_COLUMNS)[list(HISTORY_COLUMNS).index("runs") :]
#: Nothing is kept.
NOWHERE = Archive(None)


def history(runs: list[RunLayout], archive: Archive = NOWHERE) -> pd.DataFrame:
    """`HISTORY_COLUMNS` of runs that are given in order of time. Threshold and confidence are those of the newest.

    Values that are not believed are left out. The run is the unit: launches of one night share its weather. Whether a
    level changed is a question of significance alone; it is told where the new level and the one that was told last
    differ by the threshold or more, so that what is lost in small steps is told when it has become as much.

    Raises FileError for a run without a store.
    """
    found = Found.of(runs, archive)
    frames = [frame for some in archive.values(runs) for frame in some]
    values = pd.concat([frame.assign(run=number) for number, frame in enumerate(frames)], ignore_index=True)
    values = values[values["believed"].to_numpy(dtype=bool)].drop(columns="verdict")
    series = pd.MultiIndex.from_frame(found.rows).get_indexer(pd.MultiIndex.from_frame(values[ROW]))
    values = values.assign(series=series, line=np.arange(len(values)))
    told = pd.merge_asof(values.sort_values("run"), found.told.sort_values("run"), on="run", by="series")
    told = told.sort_values("line", ignore_index=True)
    return found.judged(told)[list(HISTORY_COLUMNS)]


def told_changes(runs: list[RunLayout], archive: Archive = NOWHERE) -> pd.DataFrame:
    """The same in short: ROW and `CHANGE`, a line for each row as it was at first, and one for each of its changes."""
    found = Found.of(runs, archive)
    believed = ~np.isnan(found.values)
    first = pd.DataFrame({"run": believed.argmax(axis=0), "series": np.arange(len(found.rows))})
    lines = pd.concat([first, found.told]) if len(found.told) else first.reindex(columns=found.told.columns)
    lines = lines.sort_values(["run", "series"], kind="stable", ignore_index=True)
    return found.judged(found.rows.iloc[lines["series"]].reset_index(drop=True).join(lines))[[*ROW, *CHANGE]]


@dataclass(frozen=True)
class Found:
    """Over T runs. `rows`: ROW of S series; `values`: (T, S); `told`: the changes of these series that are told."""

    rows: pd.DataFrame
    values: Values
    told: pd.DataFrame

    @classmethod
    def of(cls, runs: list[RunLayout], archive: Archive) -> Found:
        """What was found over the runs, which are given in order of time. Raises FileError for one without a store."""
        analysis = load_inputs(runs[-1].root).campaign.analysis
        known = course(runs, archive, 1 - analysis.confidence)
        told = _told(known.values, known.changes, 1 + analysis.threshold)
        names = np.array([layout.run_id for layout in runs], dtype=object)
        told["changed_at"], told["found_at"] = names[told["run"]], names[told["found"]]
        return cls(known.rows, known.values, told)

    @classmethod
    def none(cls) -> Found:
        """What is known of no runs."""
        return cls(pd.DataFrame(columns=pd.Index(ROW)), np.empty((0, 0)), pd.DataFrame())

    def judged(self, lines: pd.DataFrame) -> pd.DataFrame:
        """Lines with what holds of their series. `lines`: series, verdict and delay, empty where nothing changed."""
        counts = (~np.isnan(self.values)).sum(axis=0)[lines["series"]]
        verdicts = pd.Series(np.where(counts < FEWEST, "too-few-runs", "steady"), index=lines.index)
        return lines.assign(
            runs=counts,
            needed=np.maximum(0, FEWEST - counts),
            verdict=lines["verdict"].astype(object).fillna(verdicts),
            delay=lines["delay"].astype("Int64"),
        )


def _told(values: Values, found: Changes, least: float) -> pd.DataFrame:
    """The changes between levels of which one is at least `least` times the other. `values`: (runs, series)."""
    lines = []
    for number in np.unique(found.series):
        series = values[:, number]
        mine = np.flatnonzero(found.series == number)
        starts = [0, *found.run[mine].tolist(), len(series)]
        levels = [float(np.nanmedian(series[start:end])) for start, end in pairwise(starts)]
        before = levels[0]
        for change, after in zip(mine.tolist(), levels[1:], strict=True):
            ratio = after / before
            if max(ratio, 1 / ratio) < least:
                continue
            run, seen = int(found.run[change]), int(found.found[change])
            delay = int((~np.isnan(series[run : seen + 1])).sum())
            verdict = "slower" if ratio > 1 else "faster"
            p_values = found.p_value[change], found.adjusted[change]
            lines.append((int(number), run, seen, delay, before, after, ratio, *p_values, verdict))
            before = after
    columns = pd.Index(["series", "run", "found", *CHANGE[CHANGE.index("delay") :]])
    return pd.DataFrame(lines, columns=columns).astype(dict.fromkeys(columns[:3], np.intp))
