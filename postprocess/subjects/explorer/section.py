# SPDX-License-Identifier: BSD-3-Clause
"""The explorer: any part of the results as figure and table, chosen in the page."""

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.estimate.answer.another_job import ENDS, forecasts_of
from isochron.postprocess.formatting import labels
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.comparison.table import COMPARISON
from isochron.postprocess.subjects.explorer.data import ONE_GROUP, Content, fitted
from isochron.postprocess.subjects.explorer.table import GROUPINGS, LAUNCH_TIMES, RATES
from isochron.postprocess.subjects.jobs.table import JOB_RATIOS, JOBS
from isochron.postprocess.subjects.results.table import SUMMARY


@dataclass(frozen=True)
class View:
    """The data as JSON, what had to be left out, the most jobs of a row, 0 if they are not known, and what
    forecasts also rest on."""

    data: str
    left_out: list[str]
    jobs: int
    earlier: str


def build(source: Source) -> View | None:
    """None if nothing was measured."""
    summary, groupings = source.analysis[SUMMARY], source.analysis[GROUPINGS]
    if not (summary["launches"] > 0).any():
        return None
    comparison = source.analysis[COMPARISON]
    asked, stacks = source.inputs.asked.pairs, source.inputs.campaign.stacks
    jobs, ratios = source.analysis[JOBS], source.analysis[JOB_RATIOS]
    forecasts = jobs[[*RESULT_KEY, "next_low_us", "next_high_us"]]
    content = Content(
        stacks=list(source.marks.values()),
        against=asked[0][0] if asked else stacks[0],
        summary=_with_groupings(summary.merge(forecasts, on=RESULT_KEY, how="left"), groupings),
        rates=_with_groupings(source.analysis[RATES], groupings),
        comparison=comparison.join(forecasts_of(comparison, ratios)[ENDS]).assign(groups=ONE_GROUP),
        launches=source.analysis[LAUNCH_TIMES],
        threshold=source.inputs.campaign.analysis.threshold,
    )
    most, runs = (int(jobs[name].max()) if len(jobs) else 0 for name in ("jobs", "earlier_runs"))
    return View(*fitted(content), most, labels.from_earlier(runs))


def _with_groupings(results: pd.DataFrame, groupings: pd.DataFrame) -> pd.DataFrame:
    """The results, and the same columns of groupings, as far as these have them."""
    results = results.assign(groups=ONE_GROUP)
    if not len(groupings):
        return results
    return pd.concat([results, groupings[[name for name in results if name in groupings]]], ignore_index=True)


EXPLORER = Section(
    "explorer",
    "Explorer",
    "explorer/section.html.j2",
    build,
    needs=(SUMMARY, RATES, COMPARISON, LAUNCH_TIMES, GROUPINGS, JOBS, JOB_RATIOS),
)

SUBJECT = Subject(
    tables=(RATES,),
    frames=(LAUNCH_TIMES, GROUPINGS),
    sections=(EXPLORER,),
)
