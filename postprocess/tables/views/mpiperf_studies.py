# SPDX-License-Identifier: BSD-3-Clause
"""What MPIPerf's author drew: wait patterns by timer, warm and cold buffers, reproducibility of schemes."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, RESULT_KEY
from isochron.postprocess.tables.declaration import TableContext
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.tables.views.request import view
from isochron.postprocess.tables.views.settings import SETTING, make_measured
from isochron.postprocess.values.summary import in_plan_order
from isochron.schemas.engine.contract import WAIT_PATTERNS

CASE_OF_PATTERN = {name: meaning for name, meaning in KEYS.items() if name != "bytes"}
PATTERN_COLUMNS = {
    **CASE_OF_PATTERN,
    **SETTING,
    "true_us": "what a perfect measurement has: as many µs as processes, of the empty pattern 0",
    "launches": "launches with a time",
    "t_us": "T: median over launches of the trimmed means",
    "t_min_us": "the least of these over launches",
    "t_max_us": "the greatest of these over launches",
    "off_us": "`t_us` - `true_us`",
}
#: The pattern in which nobody waits.
EMPTY = "wait-pattern-null"
BUFFER_COLUMNS = {
    **KEYS,
    "scheme": SETTING["scheme"],
    "timer": SETTING["timer"],
    "warm_us": "buffers in the cache: median over launches of the launch medians",
    "warm_min_us": "the least of these over launches",
    "warm_max_us": "the greatest of these over launches",
    "cold_us": "each run on buffers that are not in the cache: median over launches of the launch medians",
    "cold_min_us": "the least of these over launches",
    "cold_max_us": "the greatest of these over launches",
    "ratio": "`cold_us` / `warm_us`",
    "first_use_us": "of cold buffers, a run that is the first on its buffers at all: median over launches",
}
RSE_COLUMNS = {
    **KEYS,
    **SETTING,
    "launches": "launches L that the error is of",
    "mean_us": "M, mean over launches of the launches' T",
    "rse": "relative standard error s/(M·√L)",
}


def pattern_table(rows: pd.DataFrame) -> pd.DataFrame:
    """`PATTERN_COLUMNS`. `rows`: as of `make_measured`."""
    keys = [*CASE_OF_PATTERN, *SETTING]
    own = rows[rows["operation"].isin(list(WAIT_PATTERNS))]
    table = own.groupby(keys, sort=False, as_index=False).agg(
        launches=("mean_us", "size"),
        t_us=("mean_us", "median"),
        t_min_us=("mean_us", "min"),
        t_max_us=("mean_us", "max"),
    )
    true = table["processes"].where(table["operation"] != EMPTY, 0).astype(float)
    return table.assign(true_us=true, off_us=table["t_us"] - true)[list(PATTERN_COLUMNS)]


def buffer_table(rows: pd.DataFrame) -> pd.DataFrame:
    """`BUFFER_COLUMNS` of what was measured with cold buffers. `rows`: as of `make_measured`."""
    keys = [*RESULT_KEY, "scheme", "timer"]
    parts = {
        name: rows[rows["buffers"] == name]
        .groupby(keys, sort=False)
        .agg(**{
            f"{name}_us": ("median_us", "median"),
            f"{name}_min_us": ("median_us", "min"),
            f"{name}_max_us": ("median_us", "max"),
            **({"first_use_us": ("cold_first_use_us", "median")} if name == "cold" else {}),
        })
        for name in ("warm", "cold")
    }  # fmt: skip
    table = parts["cold"].join(parts["warm"]).reset_index()
    return table.assign(ratio=table["cold_us"] / table["warm_us"])[list(BUFFER_COLUMNS)]


def rse_table(rows: pd.DataFrame) -> pd.DataFrame:
    """`RSE_COLUMNS` of what several launches have measured. `rows`: as of `make_measured`."""
    table = rows.groupby([*RESULT_KEY, *SETTING], sort=False, as_index=False).agg(
        launches=("mean_us", "count"), mean_us=("mean_us", "mean"), s=("mean_us", "std")
    )
    table = table.assign(rse=table["s"] / (table["mean_us"] * table["launches"] ** 0.5))
    return table.loc[table["launches"] > 1, list(RSE_COLUMNS)]


def make_rse(context: TableContext) -> pd.DataFrame:
    """`RSE_COLUMNS`."""
    return in_plan_order(rse_table(context.get(make_measured)), context.get(make_summary)[RESULT_KEY], RESULT_KEY)


MPIPERF_PATTERNS = view(
    "mpiperf",
    "wait-patterns",
    PATTERN_COLUMNS,
    lambda context: pattern_table(context.get(make_measured)),
    "wait patterns, whose time is known, by timer and process count",
    has=lambda campaign: bool(set(WAIT_PATTERNS) & set(campaign.operations)),
)
MPIPERF_BUFFERS = view(
    "mpiperf",
    "buffers",
    BUFFER_COLUMNS,
    lambda context: buffer_table(context.get(make_measured)),
    "warm and cold buffers side by side",
)
MPIPERF_RSE = view(
    "mpiperf",
    "rse",
    RSE_COLUMNS,
    make_rse,
    "reproducibility over launches of each scheme, timer and kind of buffers",
)
