# SPDX-License-Identifier: BSD-3-Clause
"""`other-machines.csv`: the run compared with another machine, or with published times.

Results are paired if operation, size, active processes and processes per node are equal; of several partners the one
with as many processes in all, else with the fewest that wait. Launches of two machines cannot be permuted, so there is
no test: the ratio is that of two values, and its interval what their two intervals allow, wider than necessary.
A published value without an interval is taken as exact.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.values.launches import active
from isochron.postprocess.estimate.values.summary import joined, summarise
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs, planned_rows, results_of
from isochron.postprocess.ingest.references import TIMES, reference_times
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import Table
from isochron.postprocess.subjects.results.table import make_summary
from isochron.schemas.input.analysis import Beside
from isochron.schemas.input.reference import load_reference, reference_path

#: What a row of one machine and its partner on the other have in common.
CASE = ["operation", "bytes", "active", "processes_per_node"]

#: Columns of `other-machines.csv`.
MACHINE_TIME_COLUMNS = {
    "machine": "the other machine: title of the reference, or campaign and name of the run",
    "ours": "stack of this run; a system of the reference, where that is set against itself",
    "theirs": "stack of the other run, or system of the reference",
    "operation": "operation, named as in the MPI standard",
    "bytes": "message size, as defined for the operation; 0 where it moves no data",
    "active": "processes that act",
    "processes_per_node": "processes on each node",
    "processes": "processes in all of `ours`: those that do not act wait",
    "other_processes": "processes in all of `theirs`",
    "placement": "how processes were placed on the nodes; empty: not printed",
    "this_us": "value of ours; empty: only the other machine has the case",
    "this_low_us": "lower end of its interval",
    "this_high_us": "upper end of it",
    "other_us": "value of theirs; empty: only this one has the case",
    "other_low_us": "lower end of its interval; of a published value the value itself, where no range is printed",
    "other_high_us": "upper end of it",
    "ratio": "ours / theirs: below 1 this machine takes less time",
    "ratio_low": "lowest ratio that both intervals allow",
    "ratio_high": "highest ratio that they allow",
    "reliable": "whether nothing gives reason to doubt the measured values",
}


def beside(inputs: RunInputs, summary: pd.DataFrame) -> pd.DataFrame:
    """`MACHINE_TIME_COLUMNS` of every entry of `analysis.compare_with`. `summary`: `SUMMARY_COLUMNS`.

    Raises FileError if an entry cannot be read.
    """
    campaign = inputs.campaign
    times = run_times(summary, campaign.engine.group_size)
    tables = [_entry(entry, times, campaign.analysis.confidence) for entry in campaign.analysis.compare_with]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(MACHINE_TIME_COLUMNS))


def _entry(entry: Beside, times: pd.DataFrame, confidence: float) -> pd.DataFrame:
    if entry.reference is not None:
        path = reference_path(entry.reference)
        title = load_reference(path)[0].title
        theirs = reference_times(path)
    else:
        other = load_inputs(Path(str(entry.run)))
        title = f"{other.campaign.heading}, {other.layout.run_id}"
        theirs = run_times(_summary(other, confidence), other.campaign.engine.group_size)
    parts = [join_machines(times, theirs, entry.stacks), join_machines(theirs, theirs, entry.systems)]
    return pd.concat(parts, ignore_index=True).assign(machine=title)[list(MACHINE_TIME_COLUMNS)]


def _summary(inputs: RunInputs, confidence: float) -> pd.DataFrame:
    rows = joined(read_table(inputs.layout, "launches"), read_table(inputs.layout, "measurements"))
    return summarise(planned_rows(inputs), results_of(rows, inputs), confidence)


def run_times(summary: pd.DataFrame, group: int) -> pd.DataFrame:
    """`TIMES` of a run. `summary`: `SUMMARY_COLUMNS`; `group`: processes of a group of messages."""
    names = {"stack": "system", "median_us": "time_us", "median_low_us": "low_us", "median_high_us": "high_us"}
    times = summary[summary["median_us"] > 0].assign(active=lambda table: active(table, group))
    return times.rename(columns=names)[TIMES]


def join_machines(ours: pd.DataFrame, theirs: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """`MACHINE_TIME_COLUMNS` but `machine`: an outer join of the operations that both have. Both sides: `TIMES`."""
    tables = []
    for one, other in names.items():
        left, right = ours[ours["system"] == one], theirs[theirs["system"] == other]
        left = left[left["operation"].isin(right["operation"])]
        right = right[right["operation"].isin(left["operation"])]
        tables.append(_joined(left, right).assign(ours=one, theirs=other))
    columns = [name for name in MACHINE_TIME_COLUMNS if name != "machine"]
    return pd.concat(tables, ignore_index=True)[columns] if tables else pd.DataFrame(columns=columns)


def _joined(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Each row of ours with its partner, then what only they have; each row of theirs once at most as left over."""
    numbered = theirs.assign(place=np.arange(len(theirs)))
    both = ours.assign(own=np.arange(len(ours))).merge(numbered, on=CASE, how="inner", suffixes=("", "_2"))
    apart = (both["processes"] != both["processes_2"]).astype(int) + (both["placement"] != both["placement_2"])
    both = both.assign(apart=apart).sort_values(["own", "apart", "processes_2"], kind="stable").drop_duplicates("own")
    left = ours[~pd.Series(np.arange(len(ours)), index=ours.index).isin(both["own"])]
    right = theirs[~pd.Series(np.arange(len(theirs)), index=theirs.index).isin(both["place"])]
    right = right[~right.set_index(CASE).index.isin(both.set_index(CASE).index)]
    second = {name: f"{name}_2" for name in TIMES if name not in CASE}
    table = pd.concat([both, left, right.rename(columns=second)], ignore_index=True)
    table = table.assign(
        placement=table["placement"].where(table["placement"].notna(), table["placement_2"]),
        reliable=table["reliable"].eq(True) & table["reliable_2"].ne(False)
        | table["reliable"].isna() & table["reliable_2"].eq(True),
        ratio=table["time_us"] / table["time_us_2"],
        ratio_low=table["low_us"] / table["high_us_2"],
        ratio_high=table["high_us"] / table["low_us_2"],
    ).sort_values(CASE, kind="stable")
    names = {f"{name}_us": f"this_{name}_us" for name in ("low", "high")} | {"time_us": "this_us"}
    names |= {f"{name}_us_2": f"other_{name}_us" for name in ("low", "high")} | {"time_us_2": "other_us"}
    return table.rename(columns={**names, "processes_2": "other_processes"})


MACHINES = Table(
    name="other-machines",
    columns=MACHINE_TIME_COLUMNS,
    make=lambda context: beside(context.inputs, context.get(make_summary)),
    holds="this machine beside others: another run, or what was published",
    applies=lambda campaign: bool(campaign.analysis.compare_with),
)
