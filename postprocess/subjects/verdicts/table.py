# SPDX-License-Identifier: BSD-3-Clause
"""`verdicts.csv`, `starts.csv`, `remeasured.csv`: launches and repetitions of every result."""

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.machine.certificate import CERTIFICATE_COLUMNS, certificate_table
from isochron.postprocess.estimate.values.remeasure import REMEASURED_COLUMNS, flagged, remeasured_results, with_rounds
from isochron.postprocess.estimate.values.summary import in_plan_order, row_numbers
from isochron.postprocess.estimate.values.verdicts import LAUNCH_VERDICTS
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table import SavedFrame, Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.schemas.run.next_blocks import Flagged

#: Why runs do not count, as the store calls it.
REJECTED = ("late_start", "overrun", "disturbed")
#: Columns of `verdicts.csv`: of each row its launches by verdict, and its runs by what became of them.
VERDICT_COLUMNS = {
    **KEYS,
    "launches_planned": "launches in the plan",
    "launches": "launches measured",
    **{
        f"launches_{verdict.replace('-', '_')}": f"launches with the verdict `{verdict}`" for verdict in LAUNCH_VERDICTS
    },
    "reps_made": "runs of all launches",
    "reps_valid": "valid runs among them",
    "reps_late_start": "runs that some process started late",
    "reps_overrun": "runs that some process ended after the slot",
    "reps_disturbed": "runs that do not count as the machine was in another regime then (`engine.probes: gate`)",
    "verdict": "verdict of the row",
    "reason": "why the verdict is not `ok`",
}


def verdict_table(summary: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """`VERDICT_COLUMNS` for every planned row.

    `summary`: RESULT_KEY, launches_planned, launches, verdict, reason. `rows`: the launches' rows, with RESULT_KEY,
    verdict, reps_made, reps_valid, and invalid_… for each of REJECTED.
    """
    made = rows.groupby(RESULT_KEY, sort=False, as_index=False)[
        ["reps_made", "reps_valid", *(f"invalid_{why}" for why in REJECTED)]
    ].sum()
    made = made.rename(columns={f"invalid_{why}": f"reps_{why}" for why in REJECTED})
    table = summary[[*RESULT_KEY, "launches_planned", "launches", "verdict", "reason"]].merge(
        made, on=RESULT_KEY, how="left"
    )
    numbers = row_numbers(table, rows)
    for verdict in LAUNCH_VERDICTS:
        chosen = numbers[rows["verdict"].to_numpy() == verdict]
        table[f"launches_{verdict.replace('-', '_')}"] = np.bincount(chosen[chosen >= 0], minlength=len(table))
    runs = ["reps_made", "reps_valid", *(f"reps_{why}" for why in REJECTED)]
    table[runs] = table[runs].fillna(0).astype("int64")
    return table[list(VERDICT_COLUMNS)]


VERDICTS = Table(
    name="verdicts",
    columns=VERDICT_COLUMNS,
    make=lambda context: verdict_table(context.get(make_summary), context.rows),
    holds="launches by verdict and runs by reason of rejection, for every row",
)


START_COLUMNS = {
    **KEYS,
    "launches": "launches measured",
    "reps_made": "runs of all launches",
    "discarded": "share of these runs that is not valid: late or disturbed, which are in no result, and overruns",
    "late_start": "share of the runs that some process started late",
    "overrun": "share of the runs that some process ended after the slot",
    "slot_us": "length of the last slot: median over launches",
    "start_skew_us": "median over launches of the median spread of the processes' actual starts",
    "skew_share": "`start_skew_us` / the row's value",
}


def start_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`START_COLUMNS` of every row that was measured, in the summary's order.

    `rows`: the launches' rows, with RESULT_KEY, reps_made, reps_valid, invalid_late_start, invalid_overrun, slot_us and
    start_skew_us. `summary`: RESULT_KEY and median_us.
    """
    table = rows.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        launches=("reps_made", "size"),
        reps_made=("reps_made", "sum"),
        reps_valid=("reps_valid", "sum"),
        late_start=("invalid_late_start", "sum"),
        overrun=("invalid_overrun", "sum"),
        slot_us=("slot_us", "median"),
        start_skew_us=("start_skew_us", "median"),
    )
    made = table["reps_made"].where(table["reps_made"] > 0)
    table = table.assign(
        discarded=1 - table["reps_valid"] / made, late_start=table["late_start"] / made, overrun=table["overrun"] / made
    )
    table = in_plan_order(table, summary, RESULT_KEY).merge(summary[[*RESULT_KEY, "median_us"]], on=RESULT_KEY)
    value = table["median_us"].where(table["median_us"] > 0)
    return table.assign(skew_share=table["start_skew_us"] / value)[list(START_COLUMNS)]


STARTS = Table(
    name="starts",
    columns=START_COLUMNS,
    make=lambda context: start_table(context.rows, context.get(make_summary)),
    holds="how far apart starts were, slots, and the share of runs that was not valid, for every row",
)


def make_flagged(context: TableContext) -> Flagged:
    """What `remeasure.json` says."""
    return flagged(context.rows, context.launches, context.rules.threshold)


def make_remeasured(context: TableContext) -> pd.DataFrame:
    """`REMEASURED_COLUMNS`."""
    rules = context.rules
    return remeasured_results(with_rounds(context.rows, context.inputs), rules.threshold, rules.confidence)


REMEASURED = Table(
    name="remeasured",
    columns=REMEASURED_COLUMNS,
    make=make_remeasured,
    holds="rows that were in doubt and were measured again: both results",
)


CERTIFICATE = SavedFrame(
    name="certificate",
    columns=CERTIFICATE_COLUMNS,
    make=lambda context: certificate_table(context.inputs.layout, context.launches),
)
