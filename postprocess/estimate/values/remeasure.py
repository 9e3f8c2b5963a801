# SPDX-License-Identifier: BSD-3-Clause
"""Rows that should be measured again, and what became of those that were.

A row is in doubt when it is not reliable (`verdicts.verdict_of` decides that) for a reason that more launches can
mend, or when it is reliable but a third or more of its launches disagree with its value: the launch's own interval,
widened by the practical threshold, leaves it out. The second doubt is by design about something else than belief: each
launch is sound, and more of them would show which value stands for the row. A lone launch that is off puts nothing in
doubt: the median of the others holds. A simulated row is never in doubt: a simulator would say the same again.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.values.summary import Index, is_usable, usable
from isochron.postprocess.estimate.values.verdicts import is_reliable, result_verdicts
from isochron.postprocess.formatting.numbers import count as count_of
from isochron.postprocess.ingest.inputs import KEYS, POINT, RESULT_KEY, RunInputs
from isochron.schemas.run.next_blocks import Flagged, FlaggedPoint, FlaggedResult
from isochron.schemas.run.plan import Point
from isochron.stats.launches import Values, median_interval

#: Verdicts of a row that more launches can mend.
MENDABLE = ("too-few-valid", "disturbed", "unstable", "too-few-launches")
#: Fewer launches cannot disagree.
MIN_SHOWN = 2
#: Share of disagreeing launches from which a row is in doubt.
TOO_MANY = 1 / 3

#: Columns of `remeasured.csv`: every row that was in doubt and was measured again.
REMEASURED_COLUMNS = {
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


def flag_rows(rows: pd.DataFrame, numbers: Index, count: int, threshold: float) -> tuple[Values, list[str]]:
    """Degrees (0 to 1) and reasons of the doubt about `count` rows, from their launches; 0 if there is none.

    `rows`: verdict, reason, simulated, and the median_us columns of each launch; `numbers`: the row of each.
    """
    verdicts, reasons = result_verdicts(rows, numbers, count)
    real = np.bincount(numbers[~rows["simulated"].to_numpy(dtype=bool)], minlength=count) > 0
    used = is_usable(rows)
    launches = np.bincount(numbers[used], minlength=count)
    off = np.bincount(numbers[used], weights=_disagree(rows[used], numbers[used], threshold), minlength=count)
    share = np.divide(off, launches, out=np.zeros(count), where=launches >= MIN_SHOWN)
    mendable = np.isin(verdicts, MENDABLE)
    disagree = np.array([is_reliable(verdict) for verdict in verdicts], dtype=bool) & (share >= TOO_MANY)
    degrees = np.where(real & mendable, 1.0, np.where(real & disagree, share, 0.0))
    words = [""] * count
    for number in np.flatnonzero(degrees).tolist():
        among = count_of(int(launches[number]), "launch", "launches")
        words[number] = (
            f"{verdicts[number]}: {reasons[number]}"
            if mendable[number]
            else f"{off[number]:.0f} of {among} disagree with the median beyond their intervals"
        )
    return degrees, words


def _disagree(used: pd.DataFrame, numbers: Index, threshold: float) -> NDArray[np.bool_]:
    """Which launches leave the value of their row out of their own interval, widened by the threshold."""
    medians = used["median_us"]
    value = medians.groupby(numbers).transform("median")
    low = used["median_low_us"].fillna(medians) / (1 + threshold)
    high = used["median_high_us"].fillna(medians) * (1 + threshold)
    return ((low > value) | (high < value)).to_numpy(dtype=np.bool_)


def flagged(rows: pd.DataFrame, launches: pd.DataFrame, threshold: float) -> Flagged:
    """All rows in doubt. `rows`: measurements joined with their launches; `launches`: launch_id and hosts."""
    groups = rows.groupby(RESULT_KEY, sort=False)
    numbers: Index = np.asarray(groups.ngroup(), dtype=np.intp)
    degrees, reasons = flag_rows(rows, numbers, groups.ngroups, threshold)
    doubtful = np.flatnonzero(degrees)
    keys = rows[RESULT_KEY].drop_duplicates().iloc[doubtful]
    lines = []
    for (stack, operation, size, *point), number in zip(
        keys.itertuples(index=False, name=None), doubtful.tolist(), strict=True
    ):
        at = Point(**dict(zip(POINT, point, strict=True)))
        degree, reason = float(degrees[number]), reasons[number]
        lines.append(
            FlaggedResult(stack=stack, operation=operation, bytes=size, point=at, degree=degree, reason=reason)
        )
    by_point: dict[Point, list[int]] = {}
    for place, row in enumerate(lines):
        by_point.setdefault(row.point, []).append(place)
    points = [
        FlaggedPoint(
            point=point,
            degree=max(lines[place].degree for place in places),
            hosts=_hosts(rows[np.isin(numbers, doubtful[places])], launches),
        )
        for point, places in by_point.items()
    ]
    return Flagged(rows=lines, points=sorted(points, key=lambda each: -each.degree))


def _hosts(rows: pd.DataFrame, launches: pd.DataFrame) -> list[list[str]]:
    """Distinct lists of nodes of the launches behind some rows of one point, the most deviating launch first."""
    value = rows.groupby(RESULT_KEY)["median_us"].transform("median")
    ratio = (rows["median_us"] / value).where((rows["median_us"] > 0) & (value > 0), 1.0)
    worst = pd.Series(np.abs(np.log(ratio)), index=rows.index).groupby(rows["launch_id"]).max()
    hosts = dict(zip(launches["launch_id"], launches["hosts"], strict=True))
    ordered = sorted(worst.index, key=lambda launch: (-worst[launch], launch))
    return [text.split(",") for text in dict.fromkeys(str(hosts[launch]) for launch in ordered)]


def remeasured_results(rows: pd.DataFrame, threshold: float, confidence: float) -> pd.DataFrame:
    """`REMEASURED_COLUMNS`: rows flagged by their first launches that have later ones. `rows`: from `with_rounds`."""
    lines: list[dict[str, Any]] = []
    later = rows["round"] > 0
    rows = rows.merge(rows.loc[later, RESULT_KEY].drop_duplicates(), on=RESULT_KEY)
    groups = rows.groupby(RESULT_KEY, sort=False)
    numbers: Index = np.asarray(groups.ngroup(), dtype=np.intp)
    earlier = rows["round"].to_numpy() == 0
    degrees, reasons = flag_rows(rows[earlier], numbers[earlier], groups.ngroups, threshold)
    for (key, group), degree, reason in zip(groups, degrees.tolist(), reasons, strict=True):
        if not degree:
            continue
        first, again = group[group["round"] == 0], group[group["round"] > 0]
        before, after = _numbers(first, confidence, "first"), _numbers(again, confidence, "again")
        ratio = after["again_median_us"] / before["first_median_us"]
        apart = (
            after["again_low_us"] > before["first_high_us"] or after["again_high_us"] < before["first_low_us"]
        ) and not 1 / (1 + threshold) <= ratio <= 1 + threshold
        outcome = "differs" if apart or np.isnan(ratio) else "agrees"
        values = {"reason": reason, **before, **after, "ratio": ratio, "outcome": outcome}
        lines.append(dict(zip(RESULT_KEY, key, strict=True)) | values)
    return pd.DataFrame(lines, columns=list(REMEASURED_COLUMNS))


def _numbers(group: pd.DataFrame, confidence: float, prefix: str) -> dict[str, float]:
    medians = usable(group)["median_us"].to_numpy(dtype=np.float64)
    names = [f"{prefix}_launches", f"{prefix}_median_us", f"{prefix}_low_us", f"{prefix}_high_us"]
    if not len(medians):
        return dict(zip(names, (len(group), np.nan, np.nan, np.nan), strict=True))
    interval = median_interval(medians, confidence)
    return dict(
        zip(names, (len(group), float(np.median(medians)), float(interval.low), float(interval.high)), strict=True)
    )
