# SPDX-License-Identifier: BSD-3-Clause
"""Rows that should be measured again, and what became of those that were.

A row is in doubt when it is not believed (`verdicts.verdict_of` decides that) for a reason that more launches can
mend, or when it is believed but a third or more of its launches disagree with its value: the launch's own interval,
widened by the practical threshold, leaves it out. The second doubt is by design about something else than belief: each
launch is sound, and more of them would show which value stands for the row. A lone launch that is off puts nothing in
doubt: the median of the others holds. A simulated row is never in doubt: a simulator would say the same again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, POINT, ROW, RunInputs
from isochron.postprocess.statistics.launches import median_interval
from isochron.postprocess.values.summary import usable
from isochron.postprocess.values.verdicts import verdict_of
from isochron.postprocess.words.numbers import count
from isochron.schemas.run.doubt import DoubtfulPoint, DoubtfulRow, Doubts
from isochron.schemas.run.plan import Point

#: Verdicts of a row that more launches can mend.
MENDABLE = ("too-few-valid", "no-quiet-time", "unstable", "too-few-launches")
#: Share of disagreeing launches from which a row is in doubt.
TOO_MANY = 1 / 3

#: Columns of `again.csv`: every row that was in doubt and was measured again.
AGAIN_COLUMNS = {
    **KEYS,
    "reason": "why it was in doubt",
    "first_launches": "launches of the first measurement",
    "first_median_us": "its value",
    "first_low_us": "lower end of its exact binomial interval, or of the range of the launches",
    "first_high_us": "upper end of that interval",
    "again_launches": "launches of the further rounds",
    "again_median_us": "their value",
    "again_low_us": "lower end of its interval, likewise",
    "again_high_us": "upper end of that interval",
    "ratio": "again / first",
    "outcome": "`agrees`: the ratio is within the practical threshold, or the intervals overlap; else `differs`",
}


def with_rounds(rows: pd.DataFrame, inputs: RunInputs) -> pd.DataFrame:
    """`rows` (joined with their launches) with the `round` of their block."""
    rounds = {block.index: block.round for block in inputs.plan.blocks}
    return rows.assign(round=rows["block"].map(rounds).fillna(0).astype("int64"))


def row_doubt(group: pd.DataFrame, threshold: float) -> tuple[float, str]:
    """Degree (0 to 1) and reason of the doubt about a row, from its launches; 0 where there is none.

    `group`: verdict, reason, simulated, and the median_us columns of each launch.
    """
    if group["simulated"].all():
        return 0.0, ""
    verdict = verdict_of(group)
    if verdict.verdict in MENDABLE:
        return 1.0, f"{verdict.verdict}: {verdict.reason}"
    used = usable(group)
    if not verdict.believed or not len(used):
        return 0.0, ""
    share = float(np.mean(_disagree(used, threshold)))
    if len(used) < 2 or share < TOO_MANY:
        return 0.0, ""
    off = round(share * len(used))
    return share, f"{off} of {count(len(used), 'launch', 'launches')} disagree with the median beyond their intervals"


def _disagree(used: pd.DataFrame, threshold: float) -> pd.Series:
    value = used["median_us"].median()
    low = used["median_low_us"].fillna(used["median_us"]) / (1 + threshold)
    high = used["median_high_us"].fillna(used["median_us"]) * (1 + threshold)
    return (low > value) | (high < value)


def doubts(rows: pd.DataFrame, launches: pd.DataFrame, threshold: float) -> Doubts:
    """All rows in doubt. `rows`: measurements joined with their launches; `launches`: launch_id and hosts."""
    found = []
    for key, group in rows.groupby(ROW, sort=False):
        degree, reason = row_doubt(group, threshold)
        if degree:
            stack, operation, size, *point = key
            at = Point(**dict(zip(POINT, point, strict=True)))
            found.append(
                DoubtfulRow(stack=stack, operation=operation, bytes=size, point=at, degree=degree, reason=reason)
            )
    points = [
        DoubtfulPoint(
            point=point,
            degree=max(row.degree for row in found if row.point == point),
            hosts=_hosts(rows, launches, [row for row in found if row.point == point]),
        )
        for point in dict.fromkeys(row.point for row in found)
    ]
    return Doubts(rows=found, points=sorted(points, key=lambda each: -each.degree))


def _hosts(rows: pd.DataFrame, launches: pd.DataFrame, doubtful: list[DoubtfulRow]) -> list[list[str]]:
    """Distinct lists of nodes of the launches behind some rows of one point, the most deviating launch first."""
    worst: dict[str, float] = {}
    for row in doubtful:
        keys = (row.stack, row.operation, row.bytes, *row.point.model_dump().values())
        own = rows[(rows[ROW] == list(keys)).all(axis=1)]
        value = own["median_us"].median()
        for launch, median in zip(own["launch_id"], own["median_us"], strict=True):
            off = abs(np.log(median / value)) if median > 0 and value > 0 else 0.0
            worst[launch] = max(worst.get(launch, 0.0), float(off))
    hosts = dict(zip(launches["launch_id"], launches["hosts"], strict=True))
    ordered = sorted(worst, key=lambda launch: (-worst[launch], launch))
    return [text.split(",") for text in dict.fromkeys(str(hosts[launch]) for launch in ordered)]


def measured_again(rows: pd.DataFrame, threshold: float, confidence: float) -> pd.DataFrame:
    """`AGAIN_COLUMNS`: rows in doubt by their first launches that have later ones. `rows` as from `with_rounds`."""
    found: list[dict[str, Any]] = []
    for key, group in rows.groupby(ROW, sort=False):
        first, again = group[group["round"] == 0], group[group["round"] > 0]
        degree, reason = row_doubt(first, threshold)
        if not degree or not len(again):
            continue
        before, after = _numbers(first, confidence, "first"), _numbers(again, confidence, "again")
        ratio = after["again_median_us"] / before["first_median_us"]
        apart = (
            after["again_low_us"] > before["first_high_us"] or after["again_high_us"] < before["first_low_us"]
        ) and not 1 / (1 + threshold) <= ratio <= 1 + threshold
        outcome = "differs" if apart or np.isnan(ratio) else "agrees"
        values = {"reason": reason, **before, **after, "ratio": ratio, "outcome": outcome}
        found.append(dict(zip(ROW, key, strict=True)) | values)
    return pd.DataFrame(found, columns=list(AGAIN_COLUMNS))


def _numbers(group: pd.DataFrame, confidence: float, prefix: str) -> dict[str, float]:
    medians = usable(group)["median_us"].to_numpy(dtype=np.float64)
    names = [f"{prefix}_launches", f"{prefix}_median_us", f"{prefix}_low_us", f"{prefix}_high_us"]
    if not len(medians):
        return dict(zip(names, (len(group), np.nan, np.nan, np.nan), strict=True))
    interval = median_interval(medians, confidence)
    return dict(zip(names, (len(group), float(np.median(medians)), interval.low, interval.high), strict=True))
