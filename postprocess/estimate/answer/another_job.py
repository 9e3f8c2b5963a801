# SPDX-License-Identifier: BSD-3-Clause
"""What an answer says of another job (allocation) on this machine, beside what it says of those that were measured.

Blocks of one job share what the job does, so an interval from blocks is of these jobs. Forecasts of single ratios are
those of `job-ratios.csv` (`values/jobs`); that of the effect over all cases has the same form, a job's value being the
mean over cases of the logarithm of its ratio.
"""

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.again import PAIR, holds_again
from isochron.postprocess.estimate.values.earlier_jobs import EarlierJobs
from isochron.postprocess.estimate.values.jobs import PROBABILITY
from isochron.postprocess.ingest.inputs import CASE, POINT
from isochron.schemas.input.question import Question
from isochron.stats.job_components import Rule, Spread, forecast

#: Columns of `answers.csv`.
ANOTHER_JOB_COLUMNS = {
    "jobs": "jobs (allocations) that have both stacks; 0: not known",
    "job_hold": "of `again_claims` those that hold in another job, too: the forecast of their ratio shows the same",
    "job_low": "lower end of the forecast of the effect: in another job it lies in it with 90 %; of the cases that all "
    "jobs have, with the weights of the question; empty with fewer than two jobs, if earlier runs do not show the "
    "spread between jobs",
    "job_high": "upper end of that forecast",
    "job_earlier_runs": "earlier runs that show the spread between jobs in these forecasts, at most; 0: none",
}
#: Where the ratio lies in another job: columns of `job-ratios.csv`.
ENDS = ["next_low", "next_high"]


def in_another_job(
    launches: pd.DataFrame,
    comparisons: pd.DataFrame,
    ratios: pd.DataFrame,
    pair: tuple[str, str],
    question: Question,
    threshold: float,
    earlier: EarlierJobs | None = None,
) -> dict[str, float]:
    """Return `ANOTHER_JOB_COLUMNS` of an answer.

    `launches`: CASE, stack, job, block and value_us of each launch; `comparisons`: those of `comparison.csv` that the
    answer rests on; `ratios`: `JOB_RATIO_COLUMNS`; `pair`: the stacks of its effect; `earlier`: the
    launches of earlier runs.
    """
    found = forecasts_of(comparisons, ratios)
    held = comparisons.assign(again_low=found[ENDS[0]], again_high=found[ENDS[1]])
    low, high, runs = _effect(launches, pair, question, earlier)
    jobs = found["jobs"].max() if len(found) else 0
    return {
        "jobs": int(jobs) if jobs > 0 else 0,
        "job_hold": int(holds_again(held, threshold).sum()),
        "job_low": low,
        "job_high": high,
        "job_earlier_runs": max(runs, int(found["earlier_runs"].max()) if jobs > 0 else 0),
    }


def forecasts_of(comparisons: pd.DataFrame, ratios: pd.DataFrame) -> pd.DataFrame:
    """Return jobs, earlier_runs and `ENDS` of each comparison (`PAIR`), with its index; NaN where there is none."""
    shown = ["jobs", "earlier_runs", *ENDS]
    lines = comparisons[PAIR].merge(both_ways(ratios)[[*PAIR, *shown]], on=PAIR, how="left")
    return lines.set_index(comparisons.index)[shown].astype(np.float64)


def both_ways(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return the lines, and those of the inverse ratios: a question may ask the other way round than a comparison."""
    turned = ratios.rename(columns={"baseline": "candidate", "candidate": "baseline"})
    ends = {ENDS[0]: 1 / ratios[ENDS[1]], ENDS[1]: 1 / ratios[ENDS[0]]}
    return pd.concat([ratios, turned.assign(**ends)], ignore_index=True).drop_duplicates(PAIR)


def turned_forecasts(rows: pd.DataFrame, comparison: pd.DataFrame, ratios: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of `oriented` with jobs and `ENDS` of their comparisons, turned as they are."""
    forecasts = forecasts_of(comparison, ratios).loc[rows.index]
    low, high = (forecasts[end].to_numpy(dtype=np.float64) for end in ENDS)
    forth = (rows["stack"] == comparison.loc[rows.index, "candidate"]).to_numpy()
    ends = {ENDS[0]: np.where(forth, low, 1 / high), ENDS[1]: np.where(forth, high, 1 / low)}
    return rows.assign(jobs=forecasts["jobs"].to_numpy(), **ends)


def _effect(
    launches: pd.DataFrame, pair: tuple[str, str], question: Question, earlier: EarlierJobs | None
) -> tuple[float, float, int]:
    """The ends of the forecast of the mean over cases, and how many earlier runs it rests on.

    NaN with fewer than two jobs that have a case in common, if earlier runs have not these cases, either.
    """
    of_job = _ratios_of_jobs(launches, pair).dropna()
    weights = np.array([question.weight(str(case[0]), int(case[1])) for case in of_job.index], dtype=np.float64)
    if not weights.sum() > 0:
        return float("nan"), float("nan"), 0
    effect = weights / weights.sum() @ np.log(of_job.to_numpy(dtype=np.float64))
    runs = [] if earlier is None else [_ratios_of_jobs(part, pair) for part in earlier.of_stacks(pair)]
    runs = [complete for run in runs if (complete := run.reindex(of_job.index).dropna(axis=1)).shape[1]]
    before = None
    if sum(run.shape[1] for run in runs) > 1:
        effects = weights / weights.sum() @ np.log(np.hstack([run.to_numpy(dtype=np.float64) for run in runs]))
        before = Spread(np.array([np.var(effects, ddof=1)]), np.array([len(effects) - 1.0]))
    found = forecast(effect[:, None], PROBABILITY, earlier=before)
    rests = len(runs) if found.rule[0] == Rule.EARLIER else 0
    return float(np.exp(found.low[0])), float(np.exp(found.high[0])), rests


def _ratios_of_jobs(launches: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    """The ratio of each case in each job, cases × jobs; NaN where one of the stacks is missing.

    Each node count may have jobs of its own: the first of each are taken together, the second, and so on.
    """
    known = launches[(launches["job"] != "") & launches["stack"].isin(pair)]
    known = known.sort_values("block", kind="stable", ignore_index=True)
    known["job"] = known.groupby(POINT, sort=False)["job"].transform(lambda jobs: pd.factorize(jobs)[0])
    in_block = known.groupby([*CASE, "job", "block", "stack"])["value_us"].median().unstack("stack")
    if not {*pair} <= {*in_block.columns}:
        return pd.DataFrame()
    ratios = (in_block[pair[1]] / in_block[pair[0]]).dropna().rename("ratio")
    return ratios.groupby([*CASE, "job"]).median().unstack("job")
