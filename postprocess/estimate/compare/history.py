# SPDX-License-Identifier: BSD-3-Clause
"""All runs of a campaign in order of time: the value of each row in each, and where and when its level changed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.configurations import configuration_sentences
from isochron.postprocess.estimate.history_cache.cache import VALUE_COLUMNS, Archive
from isochron.postprocess.estimate.history_cache.series import CHANGE, MACHINE, course, machine_lines, row_lines
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY, load_inputs
from isochron.schemas.run.layout import RunLayout
from isochron.stats.changes.search import FEWEST
from isochron.stats.launches import Values

#: Columns: a line for each row and run, with the last change of the row up to this run.
HISTORY_COLUMNS = {
    **KEYS,
    **{
        name: VALUE_COLUMNS[name]
        for name in (
            "run_id",
            "mpi_version",
            "launches",
            "median_us",
            "median_low_us",
            "median_high_us",
            "in_candles",
            "candle",
        )
    },
    **CHANGE,
}
#: Nothing is kept.
NOWHERE = Archive(None)


def history(runs: list[RunLayout], archive: Archive = NOWHERE) -> pd.DataFrame:
    """`HISTORY_COLUMNS` of runs that are given in order of time. Threshold and confidence are those of the newest.

    Values that are not reliable are left out. The run is the unit: launches of one night share its interference.
    Whether a level changed is a question of significance alone, and takes two runs; it is told where the new level and
    the one that was told last differ by the threshold or more, so that what is lost in small steps is told when it has
    become as much.

    Raises FileError for a run without a store.
    """
    changes = Found.of(runs, archive)
    frames = [frame for some in archive.values(runs) for frame in some]
    values = pd.concat([frame.assign(run=number) for number, frame in enumerate(frames)], ignore_index=True)
    values = values[values["reliable"].to_numpy(dtype=bool)].drop(columns="verdict")
    series = pd.MultiIndex.from_frame(changes.rows).get_indexer(pd.MultiIndex.from_frame(values[RESULT_KEY]))
    values = values.assign(series=series, line=np.arange(len(values)))
    reported = pd.merge_asof(values.sort_values("run"), changes.told.sort_values("run"), on="run", by="series")
    reported = reported.sort_values("line", ignore_index=True)
    return changes.judged(reported)[list(HISTORY_COLUMNS)]


def reported_changes(runs: list[RunLayout], archive: Archive = NOWHERE) -> pd.DataFrame:
    """The same in short: RESULT_KEY and `CHANGE`, a line for each row at first, and one for each of its changes.

    Then a line for each time when the machine went to another level, or was away from it for a run: `stack` is
    `MACHINE` there, and no operation is named. Last a line for each changed configuration, which its `sentence` names.
    """
    changes = Found.of(runs, archive)
    reliable = ~np.isnan(changes.values)
    first = pd.DataFrame({"run": reliable.argmax(axis=0), "series": np.arange(len(changes.rows))})
    lines = pd.concat([first, changes.told]) if len(changes.told) else first.reindex(columns=changes.told.columns)
    lines = lines.sort_values(["run", "series"], kind="stable", ignore_index=True)
    rows = changes.judged(changes.rows.iloc[lines["series"]].reset_index(drop=True).join(lines))[[*RESULT_KEY, *CHANGE]]
    nowhere: dict[str, Any] = dict.fromkeys(["operation", "placement"], "") | {
        "bytes": 0,
        "processes": 0,
        "processes_per_node": 0,
        "runs": len(changes.values),
        "needed": 0,
    }
    sentences = configuration_sentences(runs, changes.rows, changes.values, changes.told["run"], archive)
    configurations = pd.DataFrame(sentences, columns=pd.Index(["run", "sentence"]))
    configurations["changed_at"] = [runs[run].run_id for run, _ in sentences]
    further = [part.assign(**nowhere) for part in (changes.machine.assign(stack=MACHINE), configurations) if len(part)]
    columns = [*rows.columns, "sentence"]
    return pd.concat([rows, *further], ignore_index=True).reindex(columns=columns)


@dataclass(frozen=True)
class Found:
    """Over T runs. `rows`: RESULT_KEY of S series; `values`: (T, S); `told`: the reported changes of these series, and
    what is unconfirmed in the newest run; `machine`: the same of the machine."""

    rows: pd.DataFrame
    values: Values
    told: pd.DataFrame
    machine: pd.DataFrame

    @classmethod
    def of(cls, runs: list[RunLayout], archive: Archive) -> "Found":
        """What was found over the runs, which are given in order of time. Raises FileError for one without a store."""
        analysis = load_inputs(runs[-1].root).campaign.analysis
        series = course(runs, archive, 1 - analysis.confidence)
        names = np.array([layout.run_id for layout in runs], dtype=object)
        reported, machine = (
            lines.assign(
                changed_at=names[lines["run"]],
                found_at=pd.Series(names[lines["found"]], dtype=object).mask(lines["verdict"] == "unconfirmed", None),
            )
            for lines in (
                row_lines(series.values, series.rows, series.found, 1 + analysis.threshold),
                machine_lines(series.found, 1 + analysis.threshold),
            )
        )
        return cls(series.rows, series.values, reported, machine)

    @classmethod
    def none(cls) -> "Found":
        """What is known of no runs."""
        return cls(pd.DataFrame(columns=pd.Index(RESULT_KEY)), np.empty((0, 0)), pd.DataFrame(), pd.DataFrame())

    def judged(self, lines: pd.DataFrame) -> pd.DataFrame:
        """Lines with what holds of their series. `lines`: series, verdict and delay, empty if nothing changed."""
        counts = (~np.isnan(self.values)).sum(axis=0)[lines["series"]]
        verdicts = pd.Series(np.where(counts < FEWEST, "too-few-runs", "unchanged"), index=lines.index)
        return lines.assign(
            runs=counts,
            needed=np.maximum(0, FEWEST - counts),
            verdict=lines["verdict"].astype(object).fillna(verdicts),
            delay=lines["delay"].astype("Int64"),
        )
