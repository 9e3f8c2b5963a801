# SPDX-License-Identifier: BSD-3-Clause
"""Stacks against each other, case by case: ratio, interval, exact test, correction, verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.ground.cores import on_all_cores
from isochron.postprocess.compare.pairs import Pair, Rules, pairs
from isochron.postprocess.compare.sides import Rows
from isochron.postprocess.reading.inputs import CASE, CASE_KEYS, POINT
from isochron.postprocess.statistics.step_down import Tests, step_down
from isochron.postprocess.statistics.weather.adjustment import Adjustment
from isochron.postprocess.values.probes import NO_PROBE, ONE_REGIME, PROBES
from isochron.postprocess.values.verdicts import comparable

Places: TypeAlias = NDArray[np.intp]

#: Columns of `comparison.csv`: every pair of stacks in every case.
COMPARISON_COLUMNS = {
    **CASE_KEYS,
    "baseline": "the stack that the candidate is compared with",
    "candidate": "the stack that is compared",
    "baseline_median_us": "its value, as in the summary",
    "candidate_median_us": "its value, as in the summary",
    "ratio": "candidate / baseline, where below 1 the candidate is faster: the factor between launches of the same "
    "block (Hodges-Lehmann), or between any launches where `within_blocks` is false",
    "ratio_low": "lower end of its exact interval: the factors that the rank test does not reject",
    "ratio_high": "upper end of that interval",
    "confidence": "the confidence level that this interval really has",
    "within_blocks": "whether ratio and interval are within blocks",
    "common_part": "whether ratio, interval and tests are of two parts: what all cases of a launch have in common, "
    "compared once for all, and what is left for the case",
    "blocks": "blocks (allocations) that hold launches of both stacks",
    "baseline_launches": "launches that have a time of the operation",
    "candidate_launches": "as `baseline_launches`",
    "test": "what launches are exchanged in: `blocks`, or `launches` for all of them; empty where neither test can be "
    "significant",
    "p_value": "two-sided p value of the exact rank test that there is no difference",
    "p_adjusted": "p value of a difference beyond the practical threshold, corrected over all tests of its family",
    "verdict": "verdict on the candidate: `faster`, `slower`, `equal`, `inconclusive`, `missing` or `new`",
    "reason": "why the verdict is `inconclusive`, `missing` or `new`",
    "adjusted_by": "the probe of the machine's weather that makes the launches more alike: `cache_line_ns`, "
    "`copy_gbs` or `network_us`; `regime`: launches that met another regime of the machine are left out, because that "
    "decides more; `none`: no probe does, and the adjusted values are the plain ones; empty: nothing was read, or the "
    "probes differ between the stacks",
    "adjusted_slope": "by how many per cent the times of launches differ for each per cent by which the probe does",
    "adjusted_ratio": "as `ratio`, after what the probe explains is taken out of each launch; never in its place",
    "adjusted_low": "lower end of its interval, likewise from the rank test within blocks",
    "adjusted_high": "upper end of that interval",
    "adjusted_p": "as `p_adjusted`; the correction is over plain and adjusted values together",
    "adjusted_verdict": "verdict by the adjusted values, or, where they leave it open, `slower` or `faster` by the "
    "plain ones: both keep one level together; nothing else goes by it",
}
#: Rows of launches from which on pairs are worked on by a process for each core.
MANY = 100_000
#: Columns of what `compare` finds.
PAIRS_COLUMNS = {
    **COMPARISON_COLUMNS,
    "family": "`question`: a pair of stacks of the campaign's question; `exploratory`: any other. Each family keeps "
    "its level for itself: what is exploratory shows where to look, and is confirmed by a campaign that asks about it",
}
ADJUSTED = [name for name in COMPARISON_COLUMNS if name.startswith("adjusted_")]
#: What is known only where both sides have launches.
KNOWN = ["ratio", "ratio_low", "ratio_high", "confidence", "p_value", "p_slower", "p_faster"]
KNOWN_ADJUSTED = [
    "adjusted_slope",
    "adjusted_ratio",
    "adjusted_low",
    "adjusted_high",
    "adjusted_slower",
    "adjusted_faster",
]
#: The same of plain and adjusted values, by the names that the judgement knows.
PLAIN = {
    "ratio_low": "adjusted_low",
    "ratio_high": "adjusted_high",
    "p_slower": "adjusted_slower",
    "p_faster": "adjusted_faster",
}


def compare(
    rows: Mapping[str, Rows], stacks: list[str], rules: Rules, asked: Sequence[tuple[str, str]] = ()
) -> pd.DataFrame:
    """`PAIRS_COLUMNS`: every pair of stacks (in the given order) in every case, none left out.

    An outer join: a row on one side only is `missing` or `new`. `asked`: the pairs of the question, all where there are
    none. They are the family whose level is kept; all other pairs are a second one. Within a family each pair has the
    same part of the level (Bonferroni), and within a pair its tests are corrected together (`step_down`). Holm's second
    step would not hold here: the level of a pair is free for others only when each of its cases differs.
    """
    names = list(combinations([stack for stack in stacks if stack in rows], 2))
    named = {frozenset(each) for each in asked} or {frozenset(each) for each in names}
    family = {each: "question" if frozenset(each) in named else "exploratory" for each in names}
    sizes = Counter(family.values())

    def pair(each: tuple[str, str]) -> pd.DataFrame:
        own = family[each]
        return compare_pair(each, (rows[each[0]], rows[each[1]]), rules, sizes[own]).assign(family=own)

    many = sum(len(each.launches) for each in rows.values()) >= MANY
    tables = list(on_all_cores(pair, names) if many else map(pair, names))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(PAIRS_COLUMNS))


def compare_pair(names: tuple[str, str], sides: tuple[Rows, Rows], rules: Rules, families: int) -> pd.DataFrame:
    """`COMPARISON_COLUMNS` of one pair, which is one family of tests; `families` of them share the level."""
    table = _both(names, sides)
    known: dict[str, Any] = {name: np.full(len(table), np.nan) for name in [*KNOWN, *KNOWN_ADJUSTED]}
    known |= {name: np.zeros(len(table), dtype=bool) for name in ("within_blocks", "common_part")}
    known |= {"blocks": np.zeros(len(table), dtype=np.int64)}
    known |= {name: np.full(len(table), "", dtype=object) for name in ("test", "adjusted_by")}
    tested: list[_Tested] = []
    points = table.groupby(POINT, sort=False)
    for point, group in points:
        cases = pd.MultiIndex.from_frame(group[["operation", "bytes"]])
        for found in pairs(sides[0].at(point, cases), sides[1].at(point, cases), rules, families, len(points)):
            at = group.index.to_numpy()[found.cases]
            _note(known, at, found)
            tested.append(_tested(found, at, table["doubt"].to_numpy()[at] == "", families))
    _note_tests(known, tested, rules, families)
    adjusted_p = np.fmin(known["adjusted_slower"], known["adjusted_faster"])
    table = table.assign(**known, p_adjusted=np.fmin(known["p_slower"], known["p_faster"]), adjusted_p=adjusted_p)
    verdict, reason = _judge(table, rules, families)
    table = table.assign(verdict=verdict.tolist(), reason=reason.tolist())
    return table.assign(adjusted_verdict=_judged_adjusted(table, rules, families))[list(COMPARISON_COLUMNS)]


@dataclass(frozen=True)
class _Tested:
    """The hypotheses of a group of cases that count: of the cases `plain` both, then of the cases `adjusted` both.

    Both are rows of the table. Plain and adjusted values are one family: names are exchanged for all at once.
    """

    tests: Tests
    plain: Places
    adjusted: Places


def _tested(found: Pair, at: Places, certain: NDArray[np.bool_], families: int) -> _Tested:
    """`at`: the rows of the group's cases; `certain`: which of them are in no doubt.

    An interval is of one pair, whatever the number of families: what a claim asks of it is not multiplied by that.
    """
    counted = np.flatnonzero(certain & (found.strata != ""))
    parts, adjusted = [_both_of(found.tests, counted)], counted[:0]
    if found.adjusted is not None:
        own = np.flatnonzero(np.isin(found.adjusted.cases, counted))
        parts.append(_both_of(found.adjusted.tests, own))
        adjusted = found.adjusted.cases[own]
    scores, alone = zip(*parts, strict=True)
    tests = replace(found.tests, scores=np.concatenate(scores, axis=1), alone=np.concatenate(alone) / families)
    return _Tested(tests, at[counted], at[adjusted])


def _both_of(tests: Tests, chosen: Places) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores of both hypotheses of some of the cases, and their p alone."""
    both = np.concatenate([chosen, chosen + tests.scores.shape[1] // 2])
    return tests.scores[:, both], tests.alone[both]


def _note_tests(known: dict[str, Any], tested: list[_Tested], rules: Rules, families: int) -> None:
    """Write the p values into the columns."""
    corrected = step_down([each.tests for each in tested], rules.seed)
    for each, p_values in zip(tested, corrected, strict=True):
        plain, adjusted = np.split(np.minimum(1.0, p_values * families), [2 * len(each.plain)])
        known["p_slower"][each.plain], known["p_faster"][each.plain] = np.split(plain, 2)
        for name in ("slower", "faster"):  # where no probe is used, they are the plain ones
            same = each.plain[known["adjusted_by"][each.plain] == NO_PROBE]
            known[f"adjusted_{name}"][same] = known[f"p_{name}"][same]
        known["adjusted_slower"][each.adjusted], known["adjusted_faster"][each.adjusted] = np.split(adjusted, 2)


def _both(names: tuple[str, str], sides: tuple[Rows, Rows]) -> pd.DataFrame:
    """The rows of both sides in one table, in the order of the candidate's plan and then of the baseline's."""
    columns = ["median_us", "launches_used", "verdict"]
    one, other = (side.summary[[*CASE, *columns]] for side in sides)
    order = pd.concat([other[CASE], one[CASE]]).drop_duplicates()
    table = order.merge(one, on=CASE, how="left").merge(other, on=CASE, how="left", suffixes=("_1", "_2"))
    doubted = [
        (f"{name}: " + table[f"verdict_{side}"].astype(object)).where(
            (table[f"launches_used_{side}"] > 0)
            & ~table[f"verdict_{side}"].map(comparable, na_action="ignore").eq(True),
            "",
        )
        for side, name in enumerate(names, start=1)
    ]
    doubts = (doubted[0] + "; " + doubted[1]).str.removeprefix("; ").str.removesuffix("; ")
    counts = {f"{side}_launches": table[f"launches_used_{number}"].fillna(0).astype(int) for number, side in SIDES}
    values = {f"{side}_median_us": table[f"median_us_{number}"] for number, side in SIDES}
    return table[CASE].assign(baseline=names[0], candidate=names[1], **values, **counts, doubt=doubts)


OPEN = "differs, but whether by more than the practical threshold is not established"
UNKNOWN = "no significant difference, and no proof of equality"
SIDES = ((1, "baseline"), (2, "candidate"))


def _note(known: dict[str, Any], at: Places, found: Pair) -> None:
    """Write what is known of a group of cases into the columns."""
    with np.errstate(over="ignore"):
        known["ratio"][at] = np.exp(found.ratio.estimate)
        known["ratio_low"][at], known["ratio_high"][at] = np.exp(found.ratio.low), np.exp(found.ratio.high)
    known["confidence"][at] = found.ratio.confidence
    known["p_value"][at] = found.p_value
    known["within_blocks"][at], known["blocks"][at], known["test"][at] = found.within_blocks, found.blocks, found.strata
    known["common_part"][at] = found.common
    if found.adjustment is not None:
        _note_adjusted(known, at, found, found.adjustment)


def _note_adjusted(known: dict[str, Any], at: Places, found: Pair, told: Adjustment) -> None:
    """The same of the adjusted values: those of the cases in which a probe is used, else the plain ones."""
    rows = at[told.known]
    known["adjusted_by"][rows] = np.array([*PROBES, NO_PROBE], dtype=object)[told.chosen[told.known]]
    known["adjusted_slope"][rows] = told.slope[told.known]
    for name, plain in zip(("ratio", "low", "high"), ("ratio", "ratio_low", "ratio_high"), strict=True):
        known[f"adjusted_{name}"][rows] = known[plain][rows]
    if found.adjusted is not None:
        ratio, own = found.adjusted.ratio, at[found.adjusted.cases]
        with np.errstate(over="ignore"):
            known["adjusted_ratio"][own] = np.exp(ratio.estimate)
            known["adjusted_low"][own], known["adjusted_high"][own] = np.exp(ratio.low), np.exp(ratio.high)
        in_one = own[found.adjusted.quiet]
        known["adjusted_by"][in_one], known["adjusted_slope"][in_one] = ONE_REGIME, np.nan


def _judged_adjusted(table: pd.DataFrame, rules: Rules, families: int) -> list[str]:
    """Verdicts by the adjusted values, else what the plain ones claim and the adjusted interval bears out.

    Empty where there are no adjusted values.
    """
    adjusted = table.assign(**{plain: table[name] for plain, name in PLAIN.items()})
    verdict, _ = _judge(adjusted, rules, families)
    beyond = np.where(table["verdict"] == "slower", table["adjusted_low"], 1 / table["adjusted_high"])
    claimed = (verdict == "inconclusive") & table["verdict"].isin(["slower", "faster"])
    verdict = np.where(claimed & (beyond >= 1 + rules.threshold), table["verdict"], verdict)
    found: list[str] = np.where(table["adjusted_by"] != "", verdict, "").tolist()
    return found


def _judge(table: pd.DataFrame, rules: Rules, families: int) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Verdict and reason of every comparison whose numbers are known: the first of these lines that holds."""
    one, other = table["baseline_launches"], table["candidate_launches"]
    factor = 1 + rules.threshold
    sure = table["confidence"] >= rules.confidence
    among = f" among {families} pairs of stacks" if families > 1 else ""
    counts = one.astype(str) + " against " + other.astype(str) + f" launches cannot reach significance{among}"
    lines: list[tuple[Any, str, Any]] = [
        (other == 0, "missing", table["candidate"] + " has no time here"),
        (one == 0, "new", table["baseline"] + " has no time here"),
        (table["doubt"] != "", "inconclusive", table["doubt"]),
        ((table["p_slower"] <= rules.alpha) & (table["ratio_low"] >= factor), "slower", ""),
        ((table["p_faster"] <= rules.alpha) & (table["ratio_high"] <= 1 / factor), "faster", ""),
        (sure & (table["ratio_low"] >= 1 / factor) & (table["ratio_high"] <= factor), "equal", ""),
        (table["test"] == "", "inconclusive", counts),
        ((table["ratio_low"] > 1) | (table["ratio_high"] < 1), "inconclusive", OPEN),
    ]
    verdict = np.full(len(table), "inconclusive", dtype=object)
    reason = np.full(len(table), UNKNOWN, dtype=object)
    for holds, word, why in reversed(lines):
        verdict = np.where(holds, word, verdict)
        reason = np.where(holds, why, reason)
    return verdict, reason


def launches_needed(families: int, confidence: float) -> int:
    """Launches of each stack with which one of `families` pairs can be significant.

    In any blocks: the test over all launches asks for the fewest.
    """
    launches = 2
    while 2 / comb(2 * launches, launches) * max(families, 1) > 1 - confidence:
        launches += 1
    return launches
