# SPDX-License-Identifier: BSD-3-Clause
"""`first-calls.csv`, `late-initialisation.csv`, `systematic-errors.csv`: what flawed methods measure.

First calls: of an operation at a size, against the second call on another buffer of the same size. The engine's own
messages come before both, and have opened connections.

Late initialisation: the very first call of a launch, before which only MPI_Init was called, if a campaign requests it.
Each launch times the first call, a second one at once on other buffers, and later ones after barriers, every process by
its own clock (M. Kurnosov, MPIPerf, 2012, error E1). The published ratios are beside them.
"""

import pandas as pd

from isochron.common.resources import shipped
from isochron.postprocess.estimate.values.summary import in_plan_order, usable
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.systematic.errors import (
    ERROR_COLUMNS,
    ERRORS,
    FIRST_OF_RANK0,
    LINEAR,
    beside,
    by_rank,
    contrasts_of,
    in_order,
    shows_errors,
)
from isochron.schemas.input.campaign import Campaign

#: Columns of `first-calls.csv`.
FIRST_CALL_COLUMNS = {
    **KEYS,
    "launches": "launches in which both calls were timed",
    "first_call_us": "time of the first call: median over launches",
    "second_call_us": "time of the second call: median over launches",
    "ratio": "first call / second call: median over launches",
    "ratio_min": "the smallest of these ratios",
    "ratio_max": "the largest of these ratios",
}


def first_calls(rows: pd.DataFrame) -> pd.DataFrame:
    """`FIRST_CALL_COLUMNS` in the order of `rows`: RESULT_KEY, first_call_us and second_call_us of each launch."""
    timed = rows[rows["first_call_us"].notna() & (rows["second_call_us"] > 0)]
    timed = timed.assign(ratio=timed["first_call_us"] / timed["second_call_us"])
    table = timed.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        launches=("ratio", "size"),
        first_call_us=("first_call_us", "median"),
        second_call_us=("second_call_us", "median"),
        ratio_min=("ratio", "min"),
        ratio_max=("ratio", "max"),
        ratio=("ratio", "median"),
    )
    return table[list(FIRST_CALL_COLUMNS)]


FIRST_CALLS = Table(
    name="first-calls",
    columns=FIRST_CALL_COLUMNS,
    make=lambda context: in_plan_order(first_calls(context.rows), context.get(make_summary), RESULT_KEY),
    holds="the first call of every operation against the second, on connections that are open already",
)


#: Columns of `late-initialisation.csv`.
LATE_COLUMNS = {
    **KEYS,
    "launches": "launches that timed their first call: each this operation at this size alone",
    "first_us": "the first call on the slowest process, by its own clock: median over launches",
    "second_us": "the second call, at once after it on other buffers: median over launches",
    "later_us": "median of the later calls of a launch, each after a barrier: median over launches",
    "ratio": "`first_us` / `later_us` within a launch: median over launches",
    "ratio_min": "the smallest of these ratios",
    "ratio_max": "the largest of these ratios",
    "ratio_to_second": "`first_us` / `second_us`: median over launches",
    "rank0_first_us": "the first call on rank 0, by its own clock: median over launches",
    "rank0_second_us": "the second call on rank 0, at once after it on other buffers: median over launches",
    "rank0_later_us": "the later calls on rank 0: median over launches",
    "rank0_ratio": "first / later on rank 0: median over launches",
    "rank0_ratio_to_second": "first / second on rank 0, as published (Kurnosov 2012, table 1, branch 0): median over "
    "launches",
    "rank0_ratio_to_second_min": "the smallest of these ratios",
    "rank0_ratio_to_second_max": "the largest of these ratios",
    "span_us": "of the first call last end minus first start, by clocks synchronised since: median over launches",
    "skew_us": "of the first call last start minus first start: how far apart processes left MPI_Init; median likewise",
}


def late_calls(rows: pd.DataFrame, campaign: Campaign) -> pd.DataFrame:
    """`LATE_COLUMNS` by stack, operation and size in the campaign's order.

    `rows`: the rows of all launches with RESULT_KEY and the columns `late_…` of the store; those of other launches are
    empty.
    """
    timed = rows[rows["late_calls"].notna()]
    timed = timed.assign(**{
        f"{name}_{call}": timed[f"late_{name}_first_us"] / times.where(times > 0)
        for name in ("slowest", "rank0") for call in ("second", "later")
        for times in (timed[f"late_{name}_{call}_us"],)
    })  # fmt: skip
    table = timed.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        launches=("late_calls", "size"),
        first_us=("late_slowest_first_us", "median"),
        second_us=("late_slowest_second_us", "median"),
        later_us=("late_slowest_later_us", "median"),
        ratio_min=("slowest_later", "min"),
        ratio_max=("slowest_later", "max"),
        ratio=("slowest_later", "median"),
        ratio_to_second=("slowest_second", "median"),
        rank0_first_us=("late_rank0_first_us", "median"),
        rank0_second_us=("late_rank0_second_us", "median"),
        rank0_later_us=("late_rank0_later_us", "median"),
        rank0_ratio=("rank0_later", "median"),
        rank0_ratio_to_second=("rank0_second", "median"),
        rank0_ratio_to_second_min=("rank0_second", "min"),
        rank0_ratio_to_second_max=("rank0_second", "max"),
        span_us=("late_span_first_us", "median"),
        skew_us=("late_skew_first_us", "median"),
    )[list(LATE_COLUMNS)]
    cases = campaign.first_calls.cases if campaign.first_calls else []
    place = [
        (cases.index((row["operation"], row["bytes"])), row["processes"], campaign.stacks.index(row["stack"]))
        for row in table[RESULT_KEY].to_dict("records")
    ]
    return table.iloc[sorted(range(len(table)), key=place.__getitem__)].reset_index(drop=True)


def published() -> pd.DataFrame:
    """Ratios of first to second call on rank 0 as published: operation, library, ratio."""
    return pd.read_csv(shipped("postprocess", "published", "mpiperf-first-calls.csv"), comment="#")


def make_late(context: TableContext) -> pd.DataFrame:
    """`LATE_COLUMNS`."""
    return late_calls(context.everything, context.inputs.campaign)


LATE_CALLS = Table(
    name="late-initialisation",
    columns=LATE_COLUMNS,
    make=make_late,
    holds="the very first call of a launch against later ones",
    applies=lambda campaign: campaign.first_calls is not None,
)


#: Columns of `systematic-errors.csv`.
SYSTEMATIC_COLUMNS = {"error": ERROR_COLUMNS["error"], **KEYS, **ERROR_COLUMNS}


def _of_files(rows: pd.DataFrame, files: list[str]) -> pd.DataFrame:
    return rows[rows["file"].isin(files)]


def first_call_errors(context: TableContext) -> pd.DataFrame:
    """E1, launch by launch: on the slowest process; and on rank 0 by the definition of the largest published ratio."""
    late = context.get(make_late).rename(columns={"launches": "blocks"})
    slowest = late.rename(columns={"first_us": "wrong_us", "later_us": "right_us"})
    names = {"rank0_first_us": "wrong_us", "rank0_second_us": "right_us"}
    names |= {f"rank0_ratio_to_second{end}": f"ratio{end}" for end in ("", "_min", "_max")}
    rank0 = late[[*RESULT_KEY, "blocks", *names]].rename(columns=names)
    largest = published().groupby("operation")["ratio"].max()
    tables = [
        slowest.assign(quantity="first call", published=float("nan")),
        rank0.assign(quantity=FIRST_OF_RANK0, published=rank0["operation"].map(largest)),
    ]
    return pd.concat(tables, ignore_index=True).assign(error="E1", expected=float("nan"))


def _durations(context: TableContext, used: pd.DataFrame) -> pd.DataFrame:
    """ROW, block, file, rank and local_us, the median duration of a run on each rank, of launches that recorded it."""
    ranks = read_table(context.inputs.layout, "ranks")
    run = ["launch_id", "operation", "bytes", "rep"]
    runs = read_table(context.inputs.layout, "repetitions")
    ranks = ranks.merge(runs.loc[runs["valid"] | runs["overran"], run], on=run)
    ranks = ranks.assign(local_us=ranks["end_us"] - ranks["start_us"])
    local = ranks.groupby(["launch_id", "operation", "bytes", "rank"], as_index=False)["local_us"].median()
    durations = used[["launch_id", *RESULT_KEY, "block", "file", "operations_per_rep"]]
    rows = durations.merge(local, on=["launch_id", "operation", "bytes"])
    return rows.assign(local_us=rows["local_us"] / rows["operations_per_rep"])


def _either(first: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """`first`, and of `other` what `first` lacks: with too few cores there are common starts after a barrier alone."""
    measured = pd.MultiIndex.from_frame(first[[*RESULT_KEY, "block"]])
    return pd.concat([first, other[~pd.MultiIndex.from_frame(other[[*RESULT_KEY, "block"]]).isin(measured)]])


def make_errors(context: TableContext) -> pd.DataFrame:
    """`SYSTEMATIC_COLUMNS`: every error that the campaign shows."""
    inputs, plan = context.inputs, context.inputs.plan
    if not shows_errors(inputs.campaign):
        return pd.DataFrame(columns=list(SYSTEMATIC_COLUMNS))
    used, right = usable(context.everything), context.used
    tables = [first_call_errors(context)] if inputs.campaign.first_calls is not None else []
    ways = {error: plan.files_of_contrast(name) for error, name in contrasts_of(inputs.campaign).items()}
    for error, files in ways.items():
        wrong = _of_files(used, files)
        sides = (right, wrong) if error == "E4" else (wrong, right)
        tables.append(beside(error, "time", *sides))
        if error == "E5":
            tables.append(beside("E5", "spread of starts", wrong, right, value="start_skew_us"))
    if inputs.campaign.engine.per_rank:
        local = _durations(context, used)
        result_files = _of_files(local, plan.files_of_results)
        first = result_files[(result_files["rank"] == 0) & (result_files["operation"] != LINEAR)]
        tables.append(beside("E2", "time", first.assign(median_us=first["local_us"]), right))
        root = _either(result_files, _of_files(local, ways.get("E5", [])))
        tables += by_rank(_of_files(local, ways.get("E6", [])), root, inputs.campaign.engine.batch)
    rows = pd.concat([each for each in tables if len(each)], ignore_index=True) if any(map(len, tables)) else tables[0]
    reasons = [ERRORS[error].reason(ratio) for error, ratio in zip(rows["error"], rows["ratio"], strict=True)]
    return in_order(rows.assign(reason=reasons), inputs.campaign)[list(SYSTEMATIC_COLUMNS)]


SYSTEMATIC_ERRORS = Table(
    name="systematic-errors",
    columns=SYSTEMATIC_COLUMNS,
    make=make_errors,
    holds="what wrong ways to measure say, over what the right one does",
    applies=shows_errors,
)
