# SPDX-License-Identifier: BSD-3-Clause
"""`tools.csv`: IMB and OSU compared with the engine, and which systematic error explains each part of a difference.

From the engine's value to the tool's there are three steps, each a ratio taken within the blocks, so that a block in
which the machine was slow does not count against the tool:

1. the mean over the processes of their mean over the runs, for the median from the first start to the last end (E2);
2. the tool's way to start, for a common start: after the library's barrier (E5) or in a loop (E6); the engine measures
   in that way too (`Keys.all_contrasts`), by MPI_Wtime and with warm buffers as the tool does (E4 where those of the
   campaign are cold);
3. what is left between the engine in that way and the tool.

E1 has no part: both tools call an operation before they time it. E3 has none if a root does not rotate, and neither
tool rotates one by its defaults.
"""

from collections.abc import Mapping
from math import log
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.values.summary import usable
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.postprocess.ingest.programs import read_tool_rows
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.tools import IMITATIONS, TITLES
from isochron.schemas.run.plan import Plan

#: The tool differs from the engine, and the engine in its way from the tool, where the ratio is further from 1.
LIMIT = 0.1
#: A step this near to 1 is not told.
NEAR = 0.02
#: Launches of a tool further apart than this factor were not all undisturbed.
APART = 2.0
#: Decimals that both tools print of a time in µs: 0.01 µs is one step.
STEP_US = 0.01

TOOL_COLUMNS = {
    **KEYS,
    "tool": "the tool and its version",
    "benchmark": "its benchmark",
    "scheme": "how it starts its runs: the scheme of the engine that does the same",
    "statistic": "what its value is",
    "launches": "launches of the tool",
    "repetitions": "repetitions behind a value, of one launch",
    "tool_us": "the tool's value: median over its launches",
    "launch_min_us": "least of these launches",
    "launch_max_us": "most of these launches",
    "tool_rse": "relative standard error of their mean, s/(mean·√L)",
    "tool_min_us": "what it prints as its least, over the processes: median over launches; empty where it prints none",
    "tool_max_us": "what it prints as its most, likewise",
    "engine_us": "value of the row",
    "engine_low_us": "lower end of its interval",
    "engine_high_us": "upper end of its interval",
    "engine_rse": "relative standard error of the mean over the engine's launches",
    "blocks": "blocks in which both were measured",
    "ratio": "tool / engine: median over these blocks",
    "processes_ratio": "of it, E2: mean over processes of their means / first start to last end, both in the results",
    "start_ratio": "of it, the way to start: `like` / mean over processes in the scheme of the results",
    "start_error": "the systematic errors of that way",
    "rest_ratio": "of it, what is left: tool / `like`",
    "like": "the engine in the tool's way",
    "like_us": "its value: median over the launches",
    "differs": "whether the tool differs from the engine by more than 10 %",
    "reproduced": "whether the engine in the tool's way is within 10 % of the tool, or within what it prints (0.01 µs)",
    "reason": "the difference in words, the largest part first",
}
_VALUES = ["tool", "version", "benchmark", "scheme", "statistic"]


def crosschecks(
    campaign: Campaign, plan: Plan, printed: pd.DataFrame, rows: pd.DataFrame, summary: pd.DataFrame
) -> pd.DataFrame:
    """`TOOL_COLUMNS`, one row for each tool and row of the results that it measured too.

    `printed`: `tool_rows` of the store. `rows`: usable rows of all launches. `summary`: `SUMMARY_COLUMNS`.
    """
    tool = _values(printed)
    if tool.empty:
        return pd.DataFrame(columns=list(TOOL_COLUMNS))
    table = (
        _over_launches(tool).merge(summary[[*RESULT_KEY, *_ENGINE]], on=RESULT_KEY, how="inner").rename(columns=_ENGINE)
    )
    result_rows = rows[rows["file"].isin(plan.files_of_results)]
    like = _imitations(campaign, plan, rows)
    steps = {
        "ratio": (tool, _median(result_rows, "median_us")),
        "processes_ratio": (_median(result_rows, "rank_avg_us"), _median(result_rows, "median_us")),
        "start_ratio": (like, _median(result_rows, "rank_avg_us")),
        "rest_ratio": (tool, like),
    }
    for name, (above, below) in steps.items():
        table = _with_ratio(table, name, above, below)
    table = table.merge(_over(like, "like_us"), on=[*RESULT_KEY, "tool", "scheme"], how="left")
    names = {way: f"{options['scheme']}, mean over the processes" for _, way, options in IMITATIONS.values()}
    table = table.assign(
        like=table["scheme"].map(names).where(table["like_us"].notna(), ""),
        start_error=table["scheme"].map({"barrier": "E5", "loop": "E6"})
        + (", E4" if campaign.engine.buffers == "cold" else ""),
        differs=(table["ratio"] - 1).abs() > LIMIT,
        reproduced=((table["rest_ratio"] - 1).abs() <= LIMIT)
        | ((table["tool_us"] - table["like_us"]).abs() <= STEP_US),
        tool=(table["tool"] + " " + table["version"]).str.strip(),
    )
    table = table.assign(reason=[_reason(row) for row in table.to_dict("records")])
    return _in_order(table, campaign)[list(TOOL_COLUMNS)]


_ENGINE = {
    "median_us": "engine_us", "median_low_us": "engine_low_us", "median_high_us": "engine_high_us", "rse": "engine_rse"
}  # fmt: skip


def _values(printed: pd.DataFrame) -> pd.DataFrame:
    """A line for each launch and row: RESULT_KEY, block, `_VALUES` and the value as `us`."""
    whole = printed["processes"].isna() | (printed["processes"] == printed["launch_processes"])
    rows = printed[whole & (printed["operation"] != "") & printed["value_us"].notna() & printed["bytes"].notna()]
    rows = rows.drop(columns="processes").rename(columns={"launch_processes": "processes", "value_us": "us"})
    return rows.astype({"bytes": "int64", "processes_per_node": "int64"})


def _over_launches(tool: pd.DataFrame) -> pd.DataFrame:
    """A line for each row of a tool: what its launches say together."""
    grouped = tool.groupby([*RESULT_KEY, *_VALUES], sort=False, dropna=False, as_index=False)
    table: pd.DataFrame = grouped.agg(
        launches=("us", "size"), repetitions=("repetitions", "median"), tool_us=("us", "median"),
        launch_min_us=("us", "min"), launch_max_us=("us", "max"), mean=("us", "mean"), spread=("us", "std"),
        tool_min_us=("min_us", "median"), tool_max_us=("max_us", "median"),
    )  # fmt: skip
    return table.assign(tool_rse=table["spread"] / (table["mean"] * table["launches"] ** 0.5))


def _median(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """ROW, block and `us`, of every launch."""
    return rows[[*RESULT_KEY, "block", column]].rename(columns={column: "us"})


def _imitations(campaign: Campaign, plan: Plan, rows: pd.DataFrame) -> pd.DataFrame:
    """ROW, block, tool, scheme and `us`: the mean over processes of every launch that imitates a tool."""
    imitations = []
    for contrast, (tool, way, _) in IMITATIONS.items():
        if contrast in campaign.all_contrasts:
            contrast_rows = rows[rows["file"].isin(plan.files_of_contrast(contrast))]
            imitations.append(_median(contrast_rows, "rank_avg_us").assign(tool=TITLES[tool], scheme=way))
    return pd.concat(imitations, ignore_index=True)


def _with_ratio(table: pd.DataFrame, name: str, above: pd.DataFrame, below: pd.DataFrame) -> pd.DataFrame:
    """`table` with the median over the blocks of above / below; with `blocks` for the first one."""
    keys = [key for key in (*RESULT_KEY, "tool", "scheme") if key in table]
    medians = [
        side.groupby([key for key in (*keys, "block") if key in side], sort=False, as_index=False)["us"].median()
        for side in (above, below)
    ]
    shared = [key for key in (*keys, "block") if all(key in side for side in medians)]
    pairs = medians[0].merge(medians[1], on=shared, suffixes=("", "_below"))
    pairs = pairs[pairs["us_below"] > 0].assign(**{name: pairs["us"] / pairs["us_below"]})
    shared_keys = [key for key in keys if key in pairs]
    counted = {"blocks": (name, "size")} if name == "ratio" else {}
    ratios_of_pairs = pairs.groupby(shared_keys, sort=False, as_index=False).agg(**{name: (name, "median")}, **counted)
    return table.merge(ratios_of_pairs, on=shared_keys, how="left")


def _over(like: pd.DataFrame, name: str) -> pd.DataFrame:
    medians = like.groupby([*RESULT_KEY, "tool", "scheme"], sort=False, as_index=False)[["us"]].median()
    return pd.DataFrame(medians.rename(columns={"us": name}))


def _reason(row: Mapping[Any, Any]) -> str:
    """The steps that are not near to 1, the largest first."""
    if pd.isna(row["ratio"]):
        return "the engine has no value in a block of the tool"
    if pd.isna(row["rest_ratio"]):
        return "the engine was not measured in the tool's way"
    start = "MPI_Barrier" if row["scheme"] == "barrier" else "a loop"
    steps = [
        (float(row["processes_ratio"]), "E2: means of each process"),
        (float(row["start_ratio"]), f"{row['start_error']}: {start} in place of a common start"),
        (float(row["rest_ratio"]), "not explained"),
    ]
    notable = [(ratio, words) for ratio, words in steps if abs(ratio - 1) > NEAR]
    notable.sort(key=lambda step: -abs(log(step[0])))
    parts = [f"{words} (×{ratio:.2f})" for ratio, words in notable] or ["no step of more than 2 %"]
    apart = row["launch_max_us"] / row["launch_min_us"]
    if apart > APART:
        parts.append(
            f"launches of the tool differ by a factor of {apart:.1f}: its mean keeps what has disturbed the machine"
        )
    return "; ".join(parts)


def _in_order(table: pd.DataFrame, campaign: Campaign) -> pd.DataFrame:
    """By tool, then as the campaign lists operations, points and stacks."""
    tools = [TITLES[tool.name] for tool in campaign.tools]
    place = table.assign(
        tool=table["tool"].str.split().str[0].map(tools.index),
        operation=table["operation"].map(campaign.operations.index),
        stack=table["stack"].map(campaign.stacks.index),
    ).sort_values(["tool", *RESULT_KEY[3:], "operation", "bytes", "stack"], kind="stable")
    return table.loc[place.index].reset_index(drop=True)


def make_tools(context: TableContext) -> pd.DataFrame:
    """`TOOL_COLUMNS`; without rows if the campaign has no tools."""
    inputs = context.inputs
    if not inputs.campaign.tools:
        return pd.DataFrame(columns=list(TOOL_COLUMNS))
    printed = read_tool_rows(inputs.layout)
    return crosschecks(inputs.campaign, inputs.plan, printed, usable(context.everything), context.get(make_summary))


TOOLS = Table(
    name="tools",
    columns=TOOL_COLUMNS,
    make=make_tools,
    holds="IMB and OSU beside the engine, in the same blocks, and which systematic error each difference comes from",
    applies=lambda campaign: bool(campaign.tools),
)
