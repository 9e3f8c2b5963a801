# SPDX-License-Identifier: BSD-3-Clause
"""What jobs (allocations), their launches and parts of these add to the spread, and where a value lies in another job.

The job is the unit: its value is the median over its launches, and ratios are those of two values of the same job
(`stats/job_components`). Columns with `sd` are standard deviations of logarithms as shares of the value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs import CASE_KEYS, KEYS
from isochron.stats.job_components import STAGES, Components, Forecast, Rule, Spread, components, forecast
from isochron.stats.launches import Index, Values

#: How probably another job lies in its forecast.
PROBABILITY = 0.9
#: Sizes from which on cases of an operation pool with larger ones: up to 16 KiB a job does what it does not from 1 MiB.
SIZE_CLASSES = (2**14 + 1, 2**20)
#: Values that are held as an array at a time.
MOST = 10_000_000

_OF_STAGE = {
    "job": "jobs: what a job adds to all its launches, and where no job has several, what these add",
    "launch": "launches of a job; empty where no job has several",
    "rest": "parts of a launch; empty where launches have one value",
}
_SPREAD = {
    name: meaning
    for stage, words in _OF_STAGE.items()
    for name, meaning in {
        f"{stage}_sd": f"standard deviation between {words}",
        f"{stage}_sd_low": "lower end of its interval",
        f"{stage}_sd_high": "upper end of its interval",
    }.items()
}
_FORECAST = {
    "jobs": "jobs (allocations) behind it",
    "launches": "launches in these jobs{pairs}",
    "{value}": "{what}: the mean of logarithms over jobs, or with `order` the median",
    "next_low{unit}": "lower end of the forecast: in another job, with as many launches, {it} lies in it with 90 %",
    "next_high{unit}": "upper end of the forecast",
    "rule": "where the forecast is from: `case`, Student's t with the spread of the case; `pooled`, with that which "
    "cases of an operation and similar size have in common; `order`, order statistics, whatever the distribution; "
    "`earlier`, Student's t with the spread between jobs of earlier runs and of this one; `wider`, as without earlier "
    "runs, since the jobs of this one differ by more than those",
    "freedom": "degrees of freedom of Student's t",
    "earlier_runs": "earlier runs that show the spread between jobs (`isochron report --archive`); 0: none",
    "reason": "why there is no forecast",
}


def _columns(**words: str) -> dict[str, str]:
    return {name.format(**words): meaning.format(**words) for name, meaning in _FORECAST.items()} | _SPREAD


OF_TIME = _columns(value="value_us", unit="_us", what="the value of a job", it="the value", pairs="")
OF_RATIO = _columns(
    value="ratio", unit="", what="candidate / baseline, within a job", it="the ratio", pairs=" and blocks with both"
)
#: Columns of `jobs.csv` and `job-ratios.csv`.
JOB_COLUMNS = KEYS | OF_TIME
JOB_RATIO_COLUMNS = {
    **CASE_KEYS,
    "baseline": "the stack that the candidate is compared with",
    "candidate": "the stack that is compared",
    **OF_RATIO,
}


@dataclass(frozen=True)
class Earlier:
    """What earlier runs show of cases: the spread between their jobs, and how many runs that rests on, (C,)."""

    spread: Spread
    runs: Index


#: Gives that of cases, a line for each.
Lookup = Callable[[pd.DataFrame], Earlier]


def job_times(
    launches: pd.DataFrame, parts: pd.DataFrame, keys: list[str], confidence: float, earlier: Lookup | None = None
) -> pd.DataFrame:
    """`keys` and `OF_TIME`, a line for each case in the order of its first launch.

    `launches`: keys (`operation` and `bytes` among them), job, launch and value_us, a line for each launch and case;
    job is empty where it is not known. `parts`: the same for values within launches, or the launches themselves.
    """
    number, cases = numbered(launches, keys)
    table = pd.DataFrame({"case": number, "job": launches["job"], "launch": launches["launch"]})
    table = table.assign(value=launches["value_us"].to_numpy(dtype=np.float64))
    within, _ = numbered(parts, keys, cases)
    inner = pd.DataFrame({"case": within, "job": parts["job"], "launch": parts["launch"]})
    inner = inner.assign(log=np.log(parts["value_us"].to_numpy(dtype=np.float64)))[within >= 0]
    before = None if earlier is None else earlier(cases)
    return _told(cases, table, inner, confidence, {"value": "value_us", "unit": "_us"}, before)


def job_ratios(
    launches: pd.DataFrame,
    case: list[str],
    stack: str,
    pairs: list[tuple[str, str]] | None,
    confidence: float,
    earlier: Lookup | None = None,
) -> pd.DataFrame:
    """`case`, baseline, candidate and `OF_RATIO` of pairs that have a job in common; None: of every pair.

    `launches`: as for `job_times`, with a block, in which a ratio is taken before that of its job. `stack`: the column
    that names what is compared; `case`: the columns that are the same for both.
    """
    rows = ratios_of_blocks(launches, case, stack, pairs)
    if not len(rows):
        return pd.DataFrame(columns=[*case, "baseline", "candidate", *OF_RATIO])
    number, cases = numbered(rows, [*case, "baseline", "candidate"])
    table = pd.DataFrame({"case": number, "job": rows["job"], "launch": rows["block"], "value": rows["value"]})
    inner = table.assign(log=np.log(table["value"].to_numpy(dtype=np.float64)))
    before = None if earlier is None else earlier(cases)
    return _told(cases, table, inner, confidence, {"value": "ratio", "unit": ""}, before)


def ratios_of_blocks(
    launches: pd.DataFrame, case: list[str], stack: str, pairs: list[tuple[str, str]] | None
) -> pd.DataFrame:
    """`case`, job, block, value, baseline, candidate: the ratio of each pair in each block with both; of known jobs."""
    number, cases = numbered(launches, case)
    known = launches.assign(case=number)[(launches["job"] != "").to_numpy()]
    in_block = known.groupby(["case", "job", "block", stack], sort=False)["value_us"].median().unstack(stack)
    chosen = combinations(dict.fromkeys(launches[stack]), 2) if pairs is None else pairs
    frames = [_of_pair(in_block, *pair) for pair in chosen if {*pair} <= {*in_block.columns}]
    if not frames:
        return pd.DataFrame(columns=[*case, "job", "block", "value", "baseline", "candidate"])
    rows = pd.concat(frames, ignore_index=True)
    return rows.drop(columns="case").join(cases.iloc[rows["case"]].reset_index(drop=True))


def _of_pair(in_block: pd.DataFrame, baseline: str, candidate: str) -> pd.DataFrame:
    ratio = (in_block[candidate] / in_block[baseline]).dropna()
    return ratio.rename("value").reset_index().assign(baseline=baseline, candidate=candidate)


def numbered(rows: pd.DataFrame, keys: list[str], cases: pd.DataFrame | None = None) -> tuple[Index, pd.DataFrame]:
    """Return the case of each row, -1 for none of `cases`, and the cases, of these keys, in order of the rows."""
    if cases is None:
        cases = rows[keys].drop_duplicates(ignore_index=True)
    both = pd.concat([cases[keys], rows[keys]], ignore_index=True)
    group = both.groupby(keys, dropna=False, sort=False).ngroup().to_numpy(dtype=np.intp)
    number = group[len(cases) :]
    return np.where(number < len(cases), number, -1), cases


def _told(
    cases: pd.DataFrame,
    table: pd.DataFrame,
    inner: pd.DataFrame,
    confidence: float,
    words: dict[str, str],
    earlier: Earlier | None,
) -> pd.DataFrame:
    """The columns of each case. `table`: case, job, launch, value; `inner`: case, job, launch, log."""
    table, inner = (rows[(rows["job"] != "").to_numpy()] for rows in (table, inner))
    jobs, logs = logs_of_jobs(table, len(cases))
    found = forecast(logs, PROBABILITY, pooling(cases), None if earlier is None else earlier.spread)
    launches = table.drop_duplicates(["case", "job", "launch"])["case"].to_numpy(dtype=np.intp)
    columns: dict[str, Any] = {
        "jobs": found.jobs,
        "launches": np.bincount(launches, minlength=len(cases)),
        words["value"]: np.exp(found.centre),
        f"next_low{words['unit']}": np.exp(found.low),
        f"next_high{words['unit']}": np.exp(found.high),
        "rule": rules(found),
        "freedom": found.freedom,
        "earlier_runs": 0 if earlier is None else np.where(found.rule == Rule.EARLIER, earlier.runs, 0),
        "reason": [found.why(case) for case in range(len(cases))],
    }
    spread = _components(inner, (len(jobs), len(cases)), jobs, confidence)
    for stage, name in enumerate(STAGES):
        for end, values in (("", spread.variance), ("_low", spread.low), ("_high", spread.high)):
            columns[f"{name}_sd{end}"] = np.expm1(np.sqrt(values[stage]))
    return cases.assign(**columns)


def logs_of_jobs(table: pd.DataFrame, cases: int) -> tuple[pd.Index, Values]:
    """Return the jobs, and the logarithm of the median of each in each case, (J, C). `table`: case, job, value."""
    jobs = pd.Index(table["job"].unique() if len(table) else [""])
    of_job = table.groupby(["job", "case"], sort=False)["value"].median()
    logs = np.full((len(jobs), cases), np.nan)
    place = jobs.get_indexer(of_job.index.get_level_values("job"))
    logs[place, of_job.index.get_level_values("case")] = np.log(of_job.to_numpy(dtype=np.float64))
    return jobs, logs


def rules(found: Forecast) -> list[str]:
    """Return the name of the rule of each case; empty without a forecast."""
    return [Rule(number).name.lower() if number else "" for number in found.rule.tolist()]


def pooling(cases: pd.DataFrame) -> Index:
    """Return the group of each case; those of an operation at one point and of similar size may have one spread."""
    point = [name for name in ("operation", "processes", "processes_per_node", "placement") if name in cases]
    size = np.digitize(cases["bytes"].to_numpy(dtype=np.float64), SIZE_CLASSES)
    grouped = cases[point].assign(size=size).groupby([*point, "size"], dropna=False, sort=False)
    return np.asarray(grouped.ngroup(), dtype=np.intp)


def _components(rows: pd.DataFrame, shape: tuple[int, int], jobs: pd.Index, confidence: float) -> Components:
    """Components of (jobs, cases). `rows`: case, job, launch, log."""
    case, job = rows["case"].to_numpy(dtype=np.intp), jobs.get_indexer(pd.Index(rows["job"]))
    launches = pd.factorize(rows["launch"])[0]
    outer = case * (shape[0] + 1) + job
    launch_of = outer * (int(launches.max(initial=0)) + 1) + launches
    launch, part = _places(outer, launch_of), pd.Series(launch_of).groupby(launch_of).cumcount().to_numpy()
    depth = (int(launch.max(initial=0)) + 1, int(part.max(initial=0)) + 1)
    step, logs = max(1, MOST // max(1, shape[0] * depth[0] * depth[1])), rows["log"].to_numpy(dtype=np.float64)
    found = []
    for first in range(0, shape[1], step):
        here = (case >= first) & (case < first + step)
        values = np.full((shape[0], *depth, min(step, shape[1] - first)), np.nan)
        values[job[here], launch[here], part[here], case[here] - first] = logs[here]
        found.append(components(values, confidence))
    variance, low, high, freedom = (
        np.concatenate([getattr(each, name) for each in found] or [np.empty((len(STAGES), 0))], axis=1)
        for name in ("variance", "low", "high", "freedom")
    )
    return Components(variance, low, high, freedom)


def _places(outer: Index, inner: Index) -> Index:
    """Return for each row the number of its inner group among those of its outer group, from 0."""
    groups, inverse = np.unique(inner, return_inverse=True)
    of_group = np.empty(len(groups), dtype=np.intp)
    of_group[inverse] = outer
    _, first = np.unique(of_group, return_index=True)
    starts = np.zeros(len(groups), dtype=np.intp)
    starts[first] = first
    return np.asarray((np.arange(len(groups)) - np.maximum.accumulate(starts))[inverse], dtype=np.intp)


#: Columns of what the report shows of the components.
SHARE_COLUMNS = {
    "operation": KEYS["operation"],
    "bytes": "message size; empty: all sizes",
    "cases": "cases of which it is the mean",
    **{f"{stage}_share": f"share of the variance between {_OF_STAGE[stage]}" for stage in STAGES},
    **{f"{stage}_sd": f"the root of the mean variance between {_OF_STAGE[stage]}" for stage in STAGES},
}


def job_shares(table: pd.DataFrame) -> pd.DataFrame:
    """`SHARE_COLUMNS`, for each operation and each of its sizes. `table`: `OF_TIME` of cases with several jobs."""
    several = table[table["job_sd"].notna()]
    names = [f"{stage}_sd" for stage in STAGES]
    variances = several.assign(**{name: np.log1p(several[name]) ** 2 for name in names})
    lines = []
    for operation, rows in variances.groupby("operation", sort=False):
        for size, part in [(np.nan, rows), *rows.groupby("bytes", sort=True)]:
            mean: Values = part[names].mean().to_numpy(dtype=np.float64)
            shares = mean / max(float(np.nansum(mean)), np.finfo(float).tiny)
            lines.append([operation, size, len(part), *shares, *np.expm1(np.sqrt(mean))])
    return pd.DataFrame(lines, columns=list(SHARE_COLUMNS))
