# SPDX-License-Identifier: BSD-3-Clause
"""All runs of a campaign in order of time: the value of each row in each, and where and when its level changed."""

from __future__ import annotations

from itertools import pairwise
from math import nan

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, ROW, RunInputs, planned_rows, results_of
from isochron.postprocess.reading.store import read_table
from isochron.postprocess.statistics.changes.change_point import FEWEST, Changes, changes
from isochron.postprocess.statistics.launches import Values
from isochron.postprocess.values.summary import joined, summarise

#: Columns: a line for each row and run, with the last change of the row up to this run.
HISTORY_COLUMNS = {
    **KEYS,
    "run_id": "the run",
    "mpi_version": "version of the stack's MPI library in this run",
    "launches": "launches behind the value",
    "median_us": "the value of the row in this run: median over launches of the launch medians",
    "median_low_us": "lower end of its exact binomial interval, or of the range of the launches",
    "median_high_us": "upper end of that interval",
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


def history(runs: list[RunInputs]) -> pd.DataFrame:
    """`HISTORY_COLUMNS` of runs that are given in order of time. Threshold and confidence are those of the newest.

    Values that are not believed are left out. The run is the unit: launches of one night share its weather. Whether a
    level changed is a question of significance alone; it is told where the new level and the one that was told last
    differ by the threshold or more, so that what is lost in small steps is told when it has become as much.
    """
    analysis = runs[-1].campaign.analysis
    values = pd.concat([_values(inputs).assign(run=number) for number, inputs in enumerate(runs)], ignore_index=True)
    series = values.groupby(ROW, sort=False).ngroup().to_numpy()
    matrix = np.full((len(runs), len(np.unique(series))), nan)
    matrix[values["run"], series] = values["median_us"]
    counts = (~np.isnan(matrix)).sum(axis=0)
    told = _told(matrix, changes(matrix, 1 - analysis.confidence), 1 + analysis.threshold)
    names = np.array([inputs.layout.run_id for inputs in runs], dtype=object)
    told["changed_at"], told["found_at"] = names[told["run"]], names[told["found"]]
    verdicts = np.where(counts < FEWEST, "too-few-runs", "steady")[series]
    needed = np.maximum(0, FEWEST - counts)
    values = values.assign(series=series, runs=counts[series], needed=needed[series], line=np.arange(len(values)))
    lines = pd.merge_asof(values.sort_values("run"), told.sort_values("run"), on="run", by="series")
    lines = lines.sort_values("line", ignore_index=True)
    lines["verdict"] = lines["verdict"].fillna(pd.Series(verdicts))
    lines["delay"] = lines["delay"].astype("Int64")
    return lines[list(HISTORY_COLUMNS)]


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


def _values(inputs: RunInputs) -> pd.DataFrame:
    """The believed rows of one run."""
    launches = read_table(inputs.layout, "launches")
    rows = results_of(joined(launches, read_table(inputs.layout, "measurements")), inputs)
    summary = summarise(planned_rows(inputs), rows, inputs.campaign.analysis.confidence)
    versions = launches.drop_duplicates("stack").set_index("stack")["mpi_version"]
    chosen = summary[summary["believed"].astype(bool)].assign(run_id=inputs.layout.run_id)
    told = chosen.assign(mpi_version=chosen["stack"].map(versions), launches=chosen["launches_used"])
    return told[[name for name in HISTORY_COLUMNS if name not in CHANGE]]
