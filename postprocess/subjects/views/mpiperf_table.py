# SPDX-License-Identifier: BSD-3-Clause
"""`view-mpiperf-….csv`: the report of MPIPerf (Kurnosov, 2012), its time diagrams and its studies."""

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from isochron.postprocess.estimate.values.summary import in_plan_order, usable
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.details.table import details
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.views.request import view
from isochron.schemas.engine.contract import (
    BASIC,
    BURSTS,
    CREATION,
    HALVED,
    MESSAGES,
    MULTI,
    ONE_SIDED,
    THREADS,
    TOPOLOGIES,
    TRANSFERS,
    WAIT_PATTERNS,
    base_operation,
)

#: What a row was measured with, beside its case.
SETTING = {
    "scheme": "measurement scheme",
    "timer": "timer",
    "buffers": "`warm` or `cold`",
}
#: Options in which launches may differ that stand beside each other: those, what a launch measures, and when it ends.
FREE = frozenset({*SETTING, "operations", "sizes", "output", "stop", "time_budget"})


#: What identifies a measurement of a launch in the store.
MEASUREMENT = ["launch_id", "operation", "bytes"]
#: The study's statistics of runs.
STATISTICS_COLUMNS = {
    "n_c": "valid runs: they started in time and ended in their slot on every process; with `engine.probes: gate` less "
    "those outside the quiet regime, unless too few are quiet: the study has no gate",
    "n_s": "valid runs after trimming: less the shortest and longest, `engine.trim` of them at either end",
    "t_us": "T, the mean of these n_s",
    "se_us": "SE = s/√n_s, s the standard deviation of these n_s",
    "min_us": "the shortest of these n_s",
    "max_us": "the longest of these n_s",
    "e_us": "E = a·SE, a Student's quantile with n_s - 1 degrees of freedom",
    "low_us": "T - E",
    "high_us": "T + E",
}
#: The engine's statistics, which have other names beside the study's.
ENGINE_NAMES = {"mean_us": "engine_t_us", "se_us": "engine_se_us", "ci_low_us": "engine_low_us",
                "ci_high_us": "engine_high_us"}  # fmt: skip


def study_statistics(runs: pd.DataFrame, keys: list[str], trim: float, confidence: float) -> pd.DataFrame:
    """`keys` and STATISTICS_COLUMNS, a line for each group of valid runs (Kurnosov 2012, section "method", step 5).

    `runs`: `keys` and time_us (µs) of each valid run; `trim`: the share that is dropped at either end, rounded down to
    runs. SE and E are NaN if one run is left.
    """
    groups = runs.groupby(keys, sort=False)["time_us"]
    place, count = groups.rank(method="first") - 1, groups.transform("size")
    cut = np.floor(trim * count + 1e-9)
    kept = runs[(place >= cut) & (place < count - cut)].groupby(keys, sort=False)["time_us"]
    lines = kept.agg(n_s="size", t_us="mean", s="std", min_us="min", max_us="max").join(groups.size().rename("n_c"))
    lines = lines.assign(se_us=lines["s"] / lines["n_s"] ** 0.5).reset_index()
    e = stdtrit(lines["n_s"] - 1, (1 + confidence) / 2) * lines["se_us"]
    lines = lines.assign(e_us=e, low_us=lines["t_us"] - e, high_us=lines["t_us"] + e)
    return pd.DataFrame(lines[[*keys, *STATISTICS_COLUMNS]])


def make_rows(context: TableContext) -> pd.DataFrame:
    """`context.everything` that has a time, with SETTING and `launch`.

    Of launches that results do not rest on those that differ from them in SETTING at most: a contrast with other
    counts, arrivals or synchronisers is another measurement. `launch` is the number of the launch in its block, stack
    and point.
    """
    launches = context.launches
    others = pd.Series([_other_options(text) for text in launches["options"]], index=launches.index)
    of_results = launches["file"].isin(context.inputs.plan.files_of_results)
    alike = others.isin(others[of_results].unique())
    buffers = [str(json.loads(text).get("buffers", "warm")) for text in launches["options"]]
    launch_settings = launches[["launch_id", "launch"]].assign(buffers=buffers)
    return usable(context.everything.merge(launch_settings[alike], on="launch_id"))


def with_statistics(context: TableContext, duration: str) -> pd.DataFrame:
    """`make_rows` with STATISTICS_COLUMNS, the engine's own under ENGINE_NAMES. `duration`: `time_us` or `local_us`."""
    rows = context.get(make_rows).drop(columns=["min_us", "max_us"]).rename(columns=ENGINE_NAMES)
    runs = valid_runs(context).rename(columns={duration: "duration_us"})[[*MEASUREMENT, "duration_us"]]
    time = runs["duration_us"].where(~runs["operation"].isin(list(HALVED)), runs["duration_us"] / 2)
    engine = context.inputs.campaign.engine
    lines = study_statistics(runs.assign(time_us=time), MEASUREMENT, engine.trim, engine.confidence)
    return rows.merge(lines, on=MEASUREMENT, how="left").fillna({"n_c": 0, "n_s": 0}).astype({"n_c": int, "n_s": int})


def valid_runs(context: TableContext) -> pd.DataFrame:
    """The valid runs of `repetitions` of the store."""
    runs = read_table(context.inputs.layout, "repetitions")
    return runs[runs["valid"]]


def make_measured(context: TableContext) -> pd.DataFrame:
    """`with_statistics` of the runs' times in global time."""
    return with_statistics(context, "time_us")


def _other_options(options: str) -> str:
    """All options of a launch but FREE, as one text."""
    return json.dumps({name: value for name, value in json.loads(options).items() if name not in FREE}, sort_keys=True)


LAUNCH = {"block": "block of the launch", "launch": "number of the launch in its block, stack and point"}
LINE_COLUMNS = {
    **KEYS,
    **SETTING,
    **LAUNCH,
    "n_l": "runs that were made",
    **STATISTICS_COLUMNS,
    "confidence": "p, of the intervals",
    "engine_t_us": "Isochron's trimmed mean: of the runs that started in time, those that ended after their slot too",
    "engine_se_us": "its standard error, from the winsorised sample, wider where runs or passes depend on each other",
    "engine_low_us": "lower end of Isochron's interval of that mean",
    "engine_high_us": "upper end of it",
}
#: The same by longest local durations, of which Isochron itself has no mean.
LOCAL_COLUMNS = {name: meaning for name, meaning in LINE_COLUMNS.items() if name not in ENGINE_NAMES.values()}
RANK_LINE_COLUMNS = {
    **KEYS,
    **LAUNCH,
    "rank": "process: its rank in MPI_COMM_WORLD; its runs are timed by its own start and end",
    **STATISTICS_COLUMNS,
    "confidence": "p, of the intervals",
}


def line_table(rows: pd.DataFrame, summary: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """`columns`, a line for each launch and row in the summary's order. `rows`: as of `with_statistics`."""
    table = in_plan_order(rows, summary[RESULT_KEY], RESULT_KEY)
    return table.assign(n_l=table["reps_made"])[list(columns)]


def make_rank_lines(context: TableContext) -> pd.DataFrame:
    """`RANK_LINE_COLUMNS`, of the launches that results rest on."""
    engine = context.inputs.campaign.engine
    ranks = details(context, "ranks").merge(valid_runs(context)[[*MEASUREMENT, "rep"]], on=[*MEASUREMENT, "rep"])
    ranks = ranks.merge(context.launches[["launch_id", *LAUNCH]], on="launch_id")
    ranks = ranks.merge(context.rows[[*MEASUREMENT, "operations_per_rep"]], on=MEASUREMENT)
    operations = ranks["operations_per_rep"] * (1 + ranks["operation"].isin(list(HALVED)))
    runs = ranks.assign(time_us=(ranks["end_us"] - ranks["start_us"]) / operations)
    table = study_statistics(runs, [*RESULT_KEY, *LAUNCH, "rank"], engine.trim, engine.confidence)
    table = in_plan_order(table, context.get(make_summary)[RESULT_KEY], RESULT_KEY)
    return table.assign(confidence=engine.confidence)[list(RANK_LINE_COLUMNS)]


MPIPERF_LINES = view(
    "mpiperf",
    "",
    LINE_COLUMNS,
    lambda context: line_table(context.get(make_measured), context.get(make_summary), LINE_COLUMNS),
    "the report of MPIPerf: a line for each launch and size",
)
MPIPERF_LOCAL = view(
    "mpiperf-local",
    "",
    LOCAL_COLUMNS,
    lambda context: line_table(with_statistics(context, "local_us"), context.get(make_summary), LOCAL_COLUMNS),
    "the report of MPIPerf, the time of a run being its longest local duration",
)
MPIPERF_RANKS = view(
    "mpiperf",
    "ranks",
    RANK_LINE_COLUMNS,
    make_rank_lines,
    "the report of MPIPerf by process",
    has=lambda campaign: campaign.engine.per_rank,
)


#: Runs that a diagram has.
RUNS = 6
#: What MPIPerf does not measure.
NO_COLLECTIVES = frozenset(
    {*MESSAGES, *MULTI, *TRANSFERS, *TOPOLOGIES, *BURSTS, *ONE_SIDED, *CREATION, *THREADS, *BASIC}
)
DIAGRAM_COLUMNS = {
    **KEYS,
    **SETTING,
    **LAUNCH,
    "rep": "number of the run, from 0; in loops, number of the loop",
    "rank": "rank in MPI_COMM_WORLD",
    "slot_us": "begin of the run's slot, in global time from the first start of the first run on; empty without slots",
    "slot_end_us": "end of that slot",
    "start_us": "the rank's start, in the same time",
    "end_us": "its end",
    "valid": "whether the run started in time and ended in its slot on every process",
}


def diagram_table(rows: pd.DataFrame, ranks: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """`DIAGRAM_COLUMNS`: of each collective's row and setting the first `RUNS` runs of its first launch.

    `rows`: as of `make_measured`. `ranks`, `runs`: as in the store.
    """
    rows = rows[~rows["operation"].map(base_operation).isin(list(NO_COLLECTIVES))]
    first = rows.sort_values(list(LAUNCH), kind="stable").drop_duplicates([*RESULT_KEY, *SETTING])
    keys = ["launch_id", "operation", "bytes"]
    drawn = ranks[(ranks["rep"] < RUNS) & ranks["begin_us"].notna()]
    first_rows = first[[*keys, *RESULT_KEY[3:], "stack", *SETTING, *LAUNCH]].merge(drawn, on=keys)
    table = first_rows.merge(runs[[*keys, "rep", "valid"]], on=[*keys, "rep"])
    slot = (table["begin_us"] - table["into_slot_us"]).where(table["slot_us"] > 0)
    return table.assign(
        slot_end_us=slot + table["slot_us"],
        slot_us=slot,
        start_us=table["begin_us"] + table["start_us"],
        end_us=table["begin_us"] + table["end_us"],
    )[list(DIAGRAM_COLUMNS)]


def make_diagram(context: TableContext) -> pd.DataFrame:
    """`DIAGRAM_COLUMNS`, in the plan's order."""
    ranks, runs = (read_table(context.inputs.layout, name) for name in ("ranks", "repetitions"))
    table = diagram_table(context.get(make_measured), ranks, runs)
    return in_plan_order(table, context.get(make_summary)[RESULT_KEY], RESULT_KEY)


MPIPERF_DIAGRAM = view(
    "mpiperf",
    "diagram",
    DIAGRAM_COLUMNS,
    make_diagram,
    "slots, and starts and ends of each process in the first runs",
    has=lambda campaign: campaign.engine.per_rank,
)


CASE_OF_PATTERN = {name: meaning for name, meaning in KEYS.items() if name != "bytes"}
PATTERN_COLUMNS = {
    **CASE_OF_PATTERN,
    **SETTING,
    "true_us": "what a perfect measurement has: as many µs as processes, of the empty pattern 0",
    "launches": "launches with a time",
    "t_us": "median over launches of T",
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
    pattern_rows = rows[rows["operation"].isin(list(WAIT_PATTERNS))]
    table = pattern_rows.groupby(keys, sort=False, as_index=False).agg(
        launches=("t_us", "count"),
        t_us=("t_us", "median"),
        t_min_us=("t_us", "min"),
        t_max_us=("t_us", "max"),
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
        launches=("t_us", "count"), mean_us=("t_us", "mean"), s=("t_us", "std")
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
