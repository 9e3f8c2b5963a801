# SPDX-License-Identifier: BSD-3-Clause
"""What a reader wants to know first: what the campaign asks about, and where stacks differ most."""

from __future__ import annotations

from math import log, sqrt

import pandas as pd

from isochron.postprocess.estimate.answer.decision__question import answering, oriented
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table__analysis import Analysis
from isochron.postprocess.subjects.answer.table__answers import ANSWERS
from isochron.postprocess.subjects.comparison.table import COMPARISON

#: Differences that are named.
MOST = 5


def versions(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each answer to the campaign's question."""
    table = oriented(analysis[COMPARISON])
    lines = analysis[ANSWERS].to_dict("records")
    return [_upgrade(line["baseline"], line["candidate"], answering(table, line), inputs) for line in lines]


def largest(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """The largest differences that are established: of each stack in each operation the worst."""
    table = oriented(analysis[COMPARISON])
    slower = table[table["verdict"] == "slower"].sort_values("ratio", ascending=False, kind="stable")
    if not len(slower):
        return []
    groups = [group for _, group in slower.groupby(["stack", "other", "operation"], sort=False)]
    ranked = sorted(groups, key=_weight, reverse=True)
    named: dict[tuple[str, str], pd.DataFrame] = {}
    for group in ranked:
        worst = group.iloc[0]
        named.setdefault((str(worst["stack"]), str(worst["operation"])), group)
    chosen = list(named.values())[:MOST]
    worst = chosen[0].iloc[0]
    text = (
        f"The largest difference: {_slower(worst)} in {labels.case(worst.to_dict(), inputs)}. "
        f"{numbers.count(len(slower), 'difference')} of two stacks in one case "
        f"{'is' if len(slower) == 1 else 'are'} established, among "
        f"{numbers.count(len(analysis[COMPARISON]), 'comparison')}."
    )
    return [
        Finding(
            kind="differences",
            severity="result",
            text=text,
            details=[_line(group, inputs) for group in chosen],
            numbers={
                "stack": str(worst["stack"]),
                "other": str(worst["other"]),
                "operation": str(worst["operation"]),
                "bytes": int(worst["bytes"]),
                "ratio": float(worst["ratio"]),
                "ratio_low": float(worst["ratio_low"]),
                "ratio_high": float(worst["ratio_high"]),
                "established": len(slower),
            },
        )
    ]


def _upgrade(older: str, newer: str, rows: pd.DataFrame, inputs: RunInputs) -> Finding:
    counts = {verdict: int((rows["verdict"] == verdict).sum()) for verdict in ("slower", "faster", "equivalent")}
    left = len(rows) - sum(counts.values())
    parts, details = [], []
    for verdict, worst, ascending in (("slower", "at worst", False), ("faster", "at best", True)):
        own = rows[rows["verdict"] == verdict].sort_values("ratio", ascending=ascending, kind="stable")
        parts.append(f"{verdict} in {len(own)}" + (f" ({worst} {_factor(own.iloc[0], inputs)})" if len(own) else ""))
        details += [_line(group, inputs) for _, group in own.groupby("operation", sort=False)]
    parts.append(f"equivalent in {counts['equivalent']}")
    text = f"{newer} against {older}: of {numbers.count(len(rows), 'case')} it is {numbers.listing(parts)}"
    undecided = rows[~rows["verdict"].isin(list(counts)) & rows["ratio_high"].notna()]
    if left:
        text += f"; {left} {'is' if left == 1 else 'are'} inconclusive"
    if len(undecided):
        bound = undecided["ratio_high"].max()
        text += f", where it may be at most {numbers.ratio(bound)} as slow" if bound > 1 else ", where it is not slower"
    return Finding(
        kind="versions",
        severity="result",
        text=text + ".",
        details=details,
        numbers={"older": older, "newer": newer, "cases": len(rows), **counts, "inconclusive": left},
    )


def _factor(row: pd.Series, inputs: RunInputs) -> str:
    """`2.70× [2.50; 2.91], alltoall at 8 B`; of what is faster the factor by which it is."""
    ratio, low, high = row["ratio"], row["ratio_low"], row["ratio_high"]
    if ratio < 1:
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    return f"{numbers.ratio(ratio)} {numbers.ratio_interval(low, high)}, {labels.case(row.to_dict(), inputs)}"


def _slower(row: pd.Series) -> str:
    """`mpich-5.0 takes 2.70× [2.50; 2.91] the time of mpich-4.3`."""
    interval = numbers.ratio_interval(row["ratio_low"], row["ratio_high"])
    return f"{row['stack']} takes {numbers.ratio(row['ratio'])} {interval} the time of {row['other']}"


def _line(group: pd.DataFrame, inputs: RunInputs) -> str:
    """A stack against another in one operation, the extreme case first: where, and in how many cases."""
    worst = group.iloc[0]
    more = f", and in {numbers.count(len(group) - 1, 'further case')}" if len(group) > 1 else ""
    return f"{labels.case(worst.to_dict(), inputs)}: {_slower(worst)}{more}"


def _weight(group: pd.DataFrame) -> float:
    """How much a difference matters: how far the near end of its largest interval is from 1, and its breadth."""
    return log(max(float(group["ratio_low"].max()), 1.0)) * sqrt(len(group))
