# SPDX-License-Identifier: BSD-3-Clause
"""Warnings about the machine: oversubscribed nodes, different clock sources, engines, clock errors."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.answer.trust import LARGE_SHARE
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.results.table import SUMMARY


def environment(_: RunInputs, analysis: Analysis) -> list[Finding]:
    """What about the machine should make a reader careful."""
    launches, warnings = analysis.launches, []
    crowded = launches[launches["oversubscribed"]]
    if len(crowded):
        stacks = numbers.listing(sorted(crowded["stack"].unique()))
        warnings.append(
            f"{numbers.count(len(crowded), 'launch', 'launches')} of {len(launches)} ran more processes than cores "
            f"({stacks}): their times include the scheduling of the operating system."
        )
    sources = sorted({source for text in launches["clock_sources"] for source in text.split(",") if source})
    if len(sources) > 1:
        warnings.append(f"The nodes use different clock sources: {numbers.listing(sources)}.")
    hashes = launches.groupby("stack", sort=False)["engine_sha256"].nunique()
    warnings += [
        f"{stack} was measured with {number} different engines." for stack, number in hashes.items() if number > 1
    ]
    warnings += _clock_share(analysis[SUMMARY])
    return [Finding(kind="environment", severity="warning", text=text) for text in warnings]


def _clock_share(summary: pd.DataFrame) -> list[str]:
    """A sentence if the clocks' error is a large part of reliable values."""
    rows = summary[summary["reliable"] & (summary["clock_error_us"] > LARGE_SHARE * summary["median_us"])]
    if not len(rows):
        return []
    share = (rows["clock_error_us"] / rows["median_us"]).max()
    return [
        f"In {numbers.count(len(rows), 'reliable result')} the clock error may be more than "
        f"{numbers.given_percent(LARGE_SHARE)} of the value ({numbers.percent(share)} at most)."
    ]
