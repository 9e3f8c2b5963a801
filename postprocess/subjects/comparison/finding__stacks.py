# SPDX-License-Identifier: BSD-3-Clause
"""Which stack is the fastest, where, by how much; and where that is not established."""

from __future__ import annotations

import pandas as pd

from isochron.common.detectable import MIN_BLOCKS
from isochron.postprocess.estimate.compare.comparison import launches_needed
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table__analysis import Analysis
from isochron.postprocess.subjects.comparison.table import COMPARISON, FASTEST
from isochron.postprocess.subjects.results.table import SUMMARY

#: Stacks that get a sentence of their own.
OWN_SENTENCE = 3


def fastest(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each stack that is established as the fastest somewhere."""
    table = analysis[FASTEST]
    if len(inputs.campaign.stacks) < 2:
        return []
    established = table[table["state"] == "established"]
    ranked = established["fastest"].value_counts(sort=True)
    found = [
        _winner(str(stack), established[established["fastest"] == stack], len(table), inputs)
        for stack in ranked.index[:OWN_SENTENCE]
    ]
    others = ranked.iloc[OWN_SENTENCE:]
    if len(others):
        text = numbers.listing([f"{stack} in {number}" for stack, number in others.items()])
        found.append(Finding(kind="fastest", severity="result", text=f"Fastest in few cases: {text}."))
    return found


def _winner(stack: str, won: pd.DataFrame, cases: int, inputs: RunInputs) -> Finding:
    best = won.sort_values("lead", kind="stable").iloc[-1]
    lead = f"{numbers.ratio(best['lead'])} {numbers.ratio_interval(best['lead_low'], best['lead_high'])}"
    text = (
        f"{stack} is the fastest in {len(won)} of {numbers.count(cases, 'case')}. "
        f"Its lead over the next stack is at most {lead}, "
        f"before {best['runner_up']} in {labels.case(best.to_dict(), inputs)}"
    )
    if len(won) > 1:
        text += f", and {numbers.ratio(won['lead'].median())} in the median"
    return Finding(
        kind="fastest",
        severity="result",
        text=text + ".",
        details=_where(won, inputs),
        numbers={
            "stack": stack,
            "cases_won": len(won),
            "cases": cases,
            "largest_lead": float(best["lead"]),
            "largest_lead_low": float(best["lead_low"]),
            "largest_lead_high": float(best["lead_high"]),
            "median_lead": float(won["lead"].median()),
        },
    )


def _where(cases: pd.DataFrame, inputs: RunInputs) -> list[str]:
    """`8 processes, 4 per node: bcast (8 B to 64 KiB), barrier`, a line for each point."""
    lines = []
    for _, at_point in cases.groupby(["processes", "processes_per_node", "placement"], sort=False):
        parts = []
        for operation, rows in at_point.groupby("operation", sort=False):
            sizes = labels.sizes(rows["bytes"], inputs.campaign.sizes) if rows["bytes"].any() else ""
            parts.append(f"{operation} ({sizes})" if sizes else str(operation))
        lines.append(f"{labels.point(at_point.iloc[0].to_dict())}: {numbers.listing(parts)}")
    return lines


def not_established(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Cases in which no stack is shown to be the fastest, and whether more launches would help."""
    table = analysis[FASTEST]
    open_cases = table[table["state"].isin(["inconclusive", "tied"])]
    if not len(open_cases):
        return []
    equal = int((open_cases["state"] == "tied").sum())
    text = f"In {len(open_cases)} of {numbers.count(len(table), 'case')} no stack is established as the fastest"
    if equal:
        threshold = numbers.given_percent(inputs.campaign.analysis.threshold)
        text += f"; in {equal} of them the leading stacks are equivalent within {threshold}"
    tests = int(analysis[COMPARISON]["p_value"].notna().sum())
    details = [
        f"{labels.case(row, inputs)}: {numbers.listing(str(row['contenders']).split(','))}"
        for row in open_cases.to_dict("records")
    ]
    return [
        Finding(
            kind="open",
            severity="result",
            text=f"{text}.{_pairs(analysis)}{_over_launches(analysis)}{_more_launches(inputs, analysis)}",
            details=details,
            numbers={"cases_open": len(open_cases), "cases_equal": equal, "cases": len(table), "tests": tests},
        )
    ]


def _pairs(analysis: Analysis) -> str:
    """A further sentence: what the comparisons of two stacks each show."""
    verdicts = analysis[COMPARISON]["verdict"]
    differ, equal = int(verdicts.isin(["faster", "slower"]).sum()), int((verdicts == "equivalent").sum())
    return (
        f" Of all {numbers.count(len(verdicts), 'comparison')} of two stacks, {differ} "
        f"{'shows' if differ == 1 else 'show'} which is faster, and {equal} {'shows' if equal == 1 else 'show'} that "
        "they are equivalent."
    )


def _over_launches(analysis: Analysis) -> str:
    """A further sentence where blocks had too few launches for a test within them."""
    table = analysis[COMPARISON]
    over = int(((table["test"] == "launches") & (table["blocks"] >= MIN_BLOCKS)).sum())
    if not over:
        return ""
    return (
        f" In {over} of them the test is over all launches, since the blocks hold too few for a test within blocks to "
        "be significant; what differs between blocks then counts as noise. More launches in each block would help."
    )


def _more_launches(inputs: RunInputs, analysis: Analysis) -> str:
    """A further sentence where no difference, however large, could have been significant."""
    confidence = inputs.campaign.analysis.confidence
    launches = int(analysis[SUMMARY]["launches_used"].max())
    pairs = max(1, len(inputs.asked.pairs))
    needed = launches_needed(pairs, confidence)
    if launches < 1 or launches >= needed:
        return ""
    return (
        f" With {numbers.count(launches, 'launch', 'launches')} of each stack no difference can be significant "
        f"among {numbers.count(pairs, 'pair')} of stacks, however large it is; {needed} launches could show one."
    )
