# SPDX-License-Identifier: BSD-3-Clause
"""`systematic-errors.csv`: what wrong ways to measure say of this machine, beside the right one."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.values.summary import usable
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY
from isochron.postprocess.ingest.store__store import read_table
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.systematic.errors__errors import (
    ERROR_COLUMNS,
    LINEAR,
    beside,
    by_rank,
    contrasts_of,
    in_order,
    shows_errors,
)
from isochron.postprocess.subjects.systematic.errors__systematic import ERRORS
from isochron.postprocess.subjects.systematic.table__late_initialisation import make_late, published

#: Columns of `systematic-errors.csv`.
SYSTEMATIC_COLUMNS = {"error": ERROR_COLUMNS["error"], **KEYS, **ERROR_COLUMNS}


def _of_files(rows: pd.DataFrame, files: list[str]) -> pd.DataFrame:
    return rows[rows["file"].isin(files)]


def _first_calls(context: TableContext) -> pd.DataFrame:
    """E1, launch by launch, beside the largest published ratio of the operation."""
    late = context.get(make_late)
    largest = published().groupby("operation")["ratio"].max()
    rows = late.rename(columns={"launches": "blocks", "first_us": "wrong_us", "later_us": "right_us"})
    return rows.assign(
        error="E1",
        quantity="first call",
        expected=float("nan"),
        published=late["operation"].map(largest),
    )


def _durations(context: TableContext, used: pd.DataFrame) -> pd.DataFrame:
    """ROW, block, file, rank and local_us, the median duration of a run on each rank, of launches that recorded it."""
    ranks = read_table(context.inputs.layout, "ranks")
    run = ["launch_id", "operation", "bytes", "rep"]
    runs = read_table(context.inputs.layout, "repetitions")
    ranks = ranks.merge(runs.loc[runs["valid"] | runs["overran"], run], on=run)
    ranks = ranks.assign(local_us=ranks["end_us"] - ranks["start_us"])
    local = ranks.groupby(["launch_id", "operation", "bytes", "rank"], as_index=False)["local_us"].median()
    known = used[["launch_id", *RESULT_KEY, "block", "file", "operations_per_rep"]]
    rows = known.merge(local, on=["launch_id", "operation", "bytes"])
    return rows.assign(local_us=rows["local_us"] / rows["operations_per_rep"])


def _either(own: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """`own`, and of `other` what `own` lacks: with too few cores there are common starts after a barrier alone."""
    known = pd.MultiIndex.from_frame(own[[*RESULT_KEY, "block"]])
    return pd.concat([own, other[~pd.MultiIndex.from_frame(other[[*RESULT_KEY, "block"]]).isin(known)]])


def make_errors(context: TableContext) -> pd.DataFrame:
    """`SYSTEMATIC_COLUMNS`: every error that the campaign shows."""
    inputs, plan = context.inputs, context.inputs.plan
    if not shows_errors(inputs.campaign):
        return pd.DataFrame(columns=list(SYSTEMATIC_COLUMNS))
    used, right = usable(context.everything), context.used
    found = [_first_calls(context)] if inputs.campaign.first_calls is not None else []
    ways = {error: plan.files_of_contrast(name) for error, name in contrasts_of(inputs.campaign).items()}
    for error, files in ways.items():
        wrong = _of_files(used, files)
        sides = (right, wrong) if error == "E4" else (wrong, right)
        found.append(beside(error, "time", *sides))
        if error == "E5":
            found.append(beside("E5", "spread of starts", wrong, right, value="start_skew_us"))
    if inputs.campaign.engine.per_rank:
        local = _durations(context, used)
        own = _of_files(local, plan.files_of_results)
        first = own[(own["rank"] == 0) & (own["operation"] != LINEAR)]
        found.append(beside("E2", "time", first.assign(median_us=first["local_us"]), right))
        root = _either(own, _of_files(local, ways.get("E5", [])))
        found += by_rank(_of_files(local, ways.get("E6", [])), root, inputs.campaign.engine.batch)
    rows = pd.concat([each for each in found if len(each)], ignore_index=True) if any(map(len, found)) else found[0]
    reasons = [ERRORS[error].reason(ratio) for error, ratio in zip(rows["error"], rows["ratio"], strict=True)]
    return in_order(rows.assign(reason=reasons), inputs.campaign)[list(SYSTEMATIC_COLUMNS)]


SYSTEMATIC_ERRORS = Table(
    name="systematic-errors",
    columns=SYSTEMATIC_COLUMNS,
    make=make_errors,
    holds="what wrong ways to measure say, over what the right one does",
    applies=shows_errors,
)
