# SPDX-License-Identifier: BSD-3-Clause
"""Stacks against each other, case by case: ratio, interval, exact test, correction, verdict."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.common.cores import on_all_cores
from isochron.common.detectable import smallest_p
from isochron.postprocess.estimate.compare.interference import (
    ADJUSTED_COLUMNS,
    BOUNDS,
    CLAIMS,
    DIFFERENCES,
    REGIME_COLUMNS,
    both_ratios,
    holds,
    in_place_of_plain,
    no_regimes,
    not_adjusted,
    note_adjusted,
    note_adjusted_tests,
    note_regimes,
    reasons,
)
from isochron.postprocess.estimate.compare.inverse import launch_counts
from isochron.postprocess.estimate.compare.pairs import Pair, Rules, pairs
from isochron.postprocess.estimate.compare.rows import Rows
from isochron.postprocess.estimate.compare.states import STATE_COLUMNS, STATES, in_two_states, mixed_texts
from isochron.postprocess.estimate.compare.turns import (
    TURNS_COLUMNS,
    depends,
    held_in_turns,
    no_turns,
    note_regime,
    note_regime_tests,
    regime_texts,
    safe_ends,
)
from isochron.postprocess.estimate.values.launches import QUIET
from isochron.postprocess.estimate.values.verdicts import comparable
from isochron.postprocess.ingest.inputs import CASE, CASE_KEYS, POINT
from isochron.schemas.run.comparisons import BOUNDED, VERDICT_COLUMN
from isochron.stats.block_correlation import MIN_EFFECTIVE, effective_blocks
from isochron.stats.multiple_tests import Tests, step_down
from isochron.stats.turns import ByRegimeInTurns

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
    "confidence": "the confidence level that this interval really has; of one `regime`, at least",
    "within_blocks": "whether ratio and interval are within blocks",
    "in_turns": "whether ratio, interval and tests are of rounds that both stacks measured in turns: of each block the "
    "median over rounds of the ratio of the round's medians (the mean of these over the sessions of a block)",
    "common_part": "whether ratio, interval and tests are of two parts: what all cases of a launch have in common, "
    "compared once for all, and what is left for the case",
    "blocks": "blocks (allocations) that hold launches of both stacks",
    "block_correlation": "correlation of the differences between the two stacks in neighbouring blocks, estimated for "
    "all cases of the pair at this point together, with part of its standard error added; intervals and tests are "
    "widened by it; empty if launches of different blocks are compared, or no case has twelve blocks",
    "effective_blocks": "how many independent blocks so many are worth: blocks · (1 - ρ) / (1 + ρ), ρ the "
    "`block_correlation`; from fewer than five nothing is claimed; empty likewise",
    "baseline_launches": "launches that have a time of the operation",
    "candidate_launches": "as `baseline_launches`",
    "test": "what launches are exchanged in: `blocks`, or `launches` for all of them; empty where neither test can be "
    "significant",
    "p_value": "two-sided p value of the exact rank test that there is no difference",
    "p_adjusted": "p value of a difference beyond the practical threshold, corrected over all tests of its family; in "
    "turns, if the intervals of both regimes are beyond it, the smallest of those of all rounds and of the regimes, "
    "but not below that of its own `regime` corrected over the cases of the pair alone",
    "verdict": VERDICT_COLUMN
    + "; at most 5 % of the tables of a family (1 - `analysis.confidence`) have a false `slower` or `faster`, and at "
    "most as many a false `equivalent`, `not-slower` or `not-faster`",
    "reason": "why the verdict is `inconclusive`, `missing` or `new`; of `slower` and `faster`, where launches "
    "or ratios fall into two groups that no probe tells apart, the ratio in each; of a verdict on one `regime`, "
    "which that is, and the ratio in the other one; of `depends`, the ratios in both; of `not-slower` and "
    "`not-faster`, why a difference is not claimed in the other direction, if that is due to a regime",
    **REGIME_COLUMNS,
    **TURNS_COLUMNS,
    **STATE_COLUMNS,
    **ADJUSTED_COLUMNS,
}
#: Rows of launches from which on pairs are worked on by a process for each core.
MANY = 100_000
#: Columns of what `compare` finds.
PAIRS_COLUMNS = {
    **COMPARISON_COLUMNS,
    "family": "`question`: a pair of stacks of the campaign's question; `exploratory`: any other. Each family keeps "
    "its level for itself: what is exploratory shows where to look, and is confirmed by a campaign that asks about it",
}
ADJUSTED = [*REGIME_COLUMNS, *TURNS_COLUMNS, *ADJUSTED_COLUMNS]
#: What blocks are worth.
WORTH = ["block_correlation", "effective_blocks"]
#: Of each claim its p value, corrected over its family.
P_VALUES = [f"p_{claim}" for claim in CLAIMS]
#: What is known only where both sides have launches.
KNOWN = ["ratio", "ratio_low", "ratio_high", "confidence", "p_value", *P_VALUES, *WORTH, *STATES]


def compare(
    rows: Mapping[str, Rows], stacks: list[str], rules: Rules, asked: Sequence[tuple[str, str]] = ()
) -> pd.DataFrame:
    """`PAIRS_COLUMNS`: every pair of stacks (in the given order) in every case, none left out.

    An outer join: a row on one side only is `missing` or `new`. `asked`: the pairs of the question, all if there are
    none. They are the family whose level is kept; all other pairs are a second one. Within a family each pair has the
    same part of the level (Bonferroni), and within a pair its tests are corrected together (`step_down`). Holm's second
    step would not hold here: the level of a pair is free for others only when each of its cases differs.
    """
    names = list(combinations([stack for stack in stacks if stack in rows], 2))
    named = {frozenset(each) for each in asked} or {frozenset(each) for each in names}
    family = {each: "question" if frozenset(each) in named else "exploratory" for each in names}
    sizes = Counter(family.values())

    def pair(each: tuple[str, str]) -> pd.DataFrame:
        members = family[each]
        return compare_pair(each, (rows[each[0]], rows[each[1]]), rules, sizes[members]).assign(family=members)

    many = sum(len(each.launches) for each in rows.values()) >= MANY
    tables = list(on_all_cores(pair, names) if many else map(pair, names))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(PAIRS_COLUMNS))


def compare_pair(names: tuple[str, str], sides: tuple[Rows, Rows], rules: Rules, families: int) -> pd.DataFrame:
    """`COMPARISON_COLUMNS` of one pair, which is one family of tests; `families` of them share the level."""
    table = _both(names, sides)
    columns: dict[str, Any] = {name: np.full(len(table), np.nan) for name in KNOWN}
    columns |= {name: np.zeros(len(table), dtype=bool) for name in ("within_blocks", "in_turns", "common_part")}
    columns |= {"blocks": np.zeros(len(table), dtype=np.int64), "test": np.full(len(table), "", dtype=object)}
    columns |= not_adjusted(len(table)) | no_regimes(len(table)) | no_turns(len(table))
    tested: list[_Tests] = []
    points = table.groupby(POINT, sort=False)
    for point, group in points:
        cases = pd.MultiIndex.from_frame(group[["operation", "bytes"]])
        for pair in pairs(sides[0].at(point, cases), sides[1].at(point, cases), rules, families, len(points)):
            at = group.index.to_numpy()[pair.cases]
            _note(columns, at, pair)
            doubt = _doubts(table.loc[at], in_turns=pair.in_turns)
            table.loc[at, "doubt"] = doubt
            counted = (doubt.to_numpy() == "") & (pair.strata != "")
            of_regime = (columns["adjusted_by"][at] == QUIET) | (columns["regime"][at] != "")
            tested.append(_tested(pair, at, counted, of_regime, families))
    for family in zip(*tested, strict=True):
        _note_tests(columns, [each for group in family for each in group], rules, families)
    note_regime_tests(columns, 1 + rules.threshold, families)
    note_adjusted_tests(columns)
    for p, name in (("p_adjusted", "p"), ("adjusted_p", "adjusted")):
        columns[p] = np.fmin(columns[f"{name}_slower"], columns[f"{name}_faster"])
    table = table.assign(**columns)
    verdict, reason = _judge(table, rules, families)
    table = table.assign(verdict=verdict.tolist(), reason=reason.tolist())
    return table.assign(adjusted_verdict=_judged_adjusted(table, rules, families))[list(COMPARISON_COLUMNS)]


@dataclass(frozen=True)
class _Tested:
    """The hypotheses of a group of cases that count, and of which rows they are, by what the columns begin with.

    One part stands after the other, of each its rows' first hypotheses and then the second ones.
    """

    tests: Tests
    parts: list[tuple[str, Places]]
    claims: tuple[str, str]


class _Tests(NamedTuple):
    """Three families of a group of cases: differences, what these need in the quiet regime, and bounds."""

    differences: list[_Tested]
    quiet: list[_Tested]
    bounds: list[_Tested]


def _tested(pair: Pair, at: Places, counted: NDArray[np.bool_], of_regime: NDArray[np.bool_], families: int) -> _Tests:
    """Those of plain and adjusted values, and, if there are two regimes, those that a claim has to hold in, too.

    `at`: the rows of the group's cases; `counted`: which of them are tested; `of_regime`: in which the adjusted values
    are those of one regime. Plain and adjusted values are one family: names are exchanged for all at once. What a
    claim needs besides is one by itself: of the two, each keeps its level. In turns a claim may be of one regime, so
    the tests in the regimes belong to the family. An interval is of one pair, whatever the number of families: what a
    claim asks of it is not multiplied by that.
    """
    every, regimes = np.arange(len(at)), pair.regimes
    main = [("p", every, pair.tests, pair.bounds, counted)]
    if pair.adjusted is not None:
        main.append(("adjusted", pair.adjusted.cases, pair.adjusted.tests, pair.adjusted.bounds, counted & ~of_regime))
    quiet = []
    if isinstance(regimes, ByRegimeInTurns):
        main.append(("quiet", regimes.cases, regimes.tests, regimes.bounds, counted))
        main.append(("disturbed", regimes.cases, regimes.disturbed_tests, regimes.disturbed_bounds, counted))
    elif regimes is not None:
        quiet = [_family([("quiet", regimes.cases, regimes.tests, counted)], DIFFERENCES, at, families)]
        main.append(("adjusted", regimes.cases, regimes.tests, regimes.bounds, counted & of_regime))
    differences = [(name, cases, tests, where) for name, cases, tests, _, where in main]
    bounds = [(name, cases, tests, where) for name, cases, _, tests, where in main]
    return _Tests([_family(differences, DIFFERENCES, at, families)], quiet, [_family(bounds, BOUNDS, at, families)])


def _family(
    groups: list[tuple[str, Places, Tests, NDArray[np.bool_]]], claims: tuple[str, str], at: Places, families: int
) -> _Tested:
    """Groups of tests as one: their columns, their cases, the tests, and of all cases those that count."""
    scores, alone, parts = [], [], []
    for name, cases, tests, counted in groups:
        members = np.flatnonzero(counted[cases])
        both = np.concatenate([members, members + len(cases)])
        scores.append(tests.scores[:, both])
        alone.append(tests.alone[both] / families)
        parts.append((name, at[cases[members]]))
    first = groups[0][2]
    tests = replace(first, scores=np.concatenate(scores, axis=1), alone=np.concatenate(alone))
    return _Tested(tests, parts, claims)


def _note_tests(columns: dict[str, Any], tested: list[_Tested], rules: Rules, families: int) -> None:
    """Write the p values of one family into the columns."""
    for each, p_values in zip(tested, step_down([each.tests for each in tested], rules.seed), strict=True):
        left = np.minimum(1.0, p_values * families)
        for name, rows in each.parts:
            both, left = left[: 2 * len(rows)].reshape(2, -1), left[2 * len(rows) :]
            for claim, corrected in zip(each.claims, both, strict=True):
                columns[f"{name}_{claim}"][rows] = corrected


def _both(names: tuple[str, str], sides: tuple[Rows, Rows]) -> pd.DataFrame:
    """The rows of both sides in one table, in the order of the candidate's plan and then of the baseline's."""
    columns = ["median_us", "launches_used", "verdict"]
    one, other = (side.summary[[*CASE, *columns]] for side in sides)
    order = pd.concat([other[CASE], one[CASE]]).drop_duplicates()
    table = order.merge(one, on=CASE, how="left").merge(other, on=CASE, how="left", suffixes=("_1", "_2"))
    counts = {f"{side}_launches": table[f"launches_used_{number}"].fillna(0).astype(int) for number, side in SIDES}
    values = {f"{side}_median_us": table[f"median_us_{number}"] for number, side in SIDES}
    verdicts = {f"{side}_verdict": table[f"verdict_{number}"] for number, side in SIDES}
    table = table[CASE].assign(baseline=names[0], candidate=names[1], **values, **counts, **verdicts)
    return table.assign(doubt=_doubts(table, in_turns=False))


def _doubts(table: pd.DataFrame, *, in_turns: bool) -> pd.Series:
    """Of each row the sides whose verdict decides no comparison, with that verdict; empty if there are none."""

    def doubt(side: str) -> pd.Series:
        verdicts = table[f"{side}_verdict"]
        decides = verdicts.map(lambda verdict: comparable(verdict, in_turns=in_turns), na_action="ignore").eq(True)
        texts = f"{table[side].iloc[0]}: " + verdicts.astype(object) if len(table) else verdicts.astype(object)
        return texts.where((table[f"{side}_launches"] > 0) & ~decides, "")

    return (doubt("baseline") + "; " + doubt("candidate")).str.removeprefix("; ").str.removesuffix("; ")


OPEN = "differs, but whether by more than the practical threshold is not established"
UNKNOWN = "no significant difference, and no proof of equality"
#: By its own interval, but not at the level of the whole table.
BEYOND, WITHIN, ONE_SIDE = (
    f"{what} by its own interval, but not at the level of the whole table"
    for what in (
        "beyond the practical threshold",
        "within the practical threshold",
        "not beyond the practical threshold on one side",
    )
)
#: Reasons of verdicts that are open although nothing speaks against the interval.
BY_INTERVAL = (OPEN, UNKNOWN, BEYOND, WITHIN, ONE_SIDE)
SIDES = ((1, "baseline"), (2, "candidate"))


def _note(columns: dict[str, Any], at: Places, pair: Pair) -> None:
    """Write what is known of a group of cases into the columns."""
    with np.errstate(over="ignore"):
        columns["ratio"][at] = np.exp(pair.ratio.estimate)
        columns["ratio_low"][at], columns["ratio_high"][at] = np.exp(pair.ratio.low), np.exp(pair.ratio.high)
    columns["confidence"][at] = pair.ratio.confidence
    columns["p_value"][at] = pair.p_value
    columns["within_blocks"][at], columns["blocks"][at], columns["test"][at] = (
        pair.within_blocks,
        pair.blocks,
        pair.strata,
    )
    columns["block_correlation"][at] = pair.correlation
    if np.isfinite(pair.correlation):
        columns["effective_blocks"][at] = effective_blocks(pair.correlation, pair.blocks)
    columns["common_part"][at] = pair.common
    columns["in_turns"][at] = pair.in_turns
    for name, logs in zip(STATES, pair.states, strict=True):
        columns[name][at] = np.exp(logs)
    if pair.regimes is not None:
        note_regimes(columns, at, pair.regimes)
    if isinstance(pair.regimes, ByRegimeInTurns):
        note_regime(columns, at[pair.regimes.cases], pair.regimes)
    if pair.adjustment is not None:
        note_adjusted(columns, at, pair, pair.adjustment)


def _judged_adjusted(table: pd.DataFrame, rules: Rules, families: int) -> list[str]:
    """Verdicts by the adjusted values, else what the plain ones claim and the adjusted interval bears out.

    Empty if there are no adjusted values.
    """
    verdict, _ = _judge(in_place_of_plain(table), rules, families)
    beyond = np.where(table["verdict"] == "slower", table["adjusted_low"], 1 / table["adjusted_high"])
    claimed = np.isin(verdict, ["inconclusive", *BOUNDED]) & table["verdict"].isin(["slower", "faster"])
    verdict = np.where(claimed & (beyond >= 1 + rules.threshold), table["verdict"], verdict)
    verdicts: list[str] = np.where(table["adjusted_by"] != "", verdict, "").tolist()
    return verdicts


def _judge(table: pd.DataFrame, rules: Rules, families: int) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Verdict and reason of every comparison whose numbers are known: the first of these lines that holds."""
    one, other = table["baseline_launches"], table["candidate_launches"]
    factor = 1 + rules.threshold
    sure = table["confidence"] >= rules.confidence
    among = f" among {families} pairs" if families > 1 else ""
    counts = [f"{text} cannot reach significance{among}" for text in launch_counts(table)]
    slower = (table["p_slower"] <= rules.alpha) & (table["ratio_low"] >= factor)
    faster = (table["p_faster"] <= rules.alpha) & (table["ratio_high"] <= 1 / factor)
    beyond = (table["ratio_low"] >= factor) | (table["ratio_high"] <= 1 / factor)
    within = sure & (table["ratio_high"] <= factor), sure & (table["ratio_low"] >= 1 / factor)
    not_slower, not_faster = (
        (table[f"p_{claim}"] <= rules.alpha) & each for claim, each in zip(BOUNDS, within, strict=True)
    )
    equal = not_slower & not_faster
    ends = safe_ends(table)
    held = held_in_turns(table, holds(table, rules.alpha, factor), ends, factor)
    by_regime, of_regime = (np.array(texts, dtype=object) for texts in (reasons(table), regime_texts(table)))
    unheld = np.where(slower | faster, by_regime, of_regime)
    of_both = np.where(in_two_states(table), np.array(mixed_texts(table), dtype=object), of_regime)
    lines: list[tuple[Any, str, Any]] = [
        (other == 0, "missing", table["candidate"] + " has no time here"),
        (one == 0, "new", table["baseline"] + " has no time here"),
        (table["doubt"] != "", "inconclusive", table["doubt"]),
        (table["effective_blocks"] < MIN_EFFECTIVE, "inconclusive", _too_few_effective(table)),
        (slower & held.slower, "slower", of_both),
        (faster & held.faster, "faster", of_both),
        (equal & held.equal, "equivalent", of_regime),
        (depends(table, ends, factor), "depends", both_ratios(table)),
        (not_slower & held.not_slower, "not-slower", unheld),
        (not_faster & held.not_faster, "not-faster", unheld),
        (slower | faster | not_slower | not_faster, "inconclusive", by_regime),
        (table["test"] == "", "inconclusive", counts),
        (sure & beyond, "inconclusive", BEYOND),
        (within[0] & within[1], "inconclusive", WITHIN),
        ((table["ratio_low"] > 1) | (table["ratio_high"] < 1), "inconclusive", OPEN),
        (within[0] | within[1], "inconclusive", ONE_SIDE),
    ]
    return first_that_holds(lines, len(table))


def _too_few_effective(table: pd.DataFrame) -> list[str]:
    """Of each row the text that its blocks depend on each other too much."""
    columns = table[["blocks", *WORTH]].itertuples(index=False, name=None)
    return [
        f"neighbouring blocks resemble each other (correlation {correlation:.2f}): {blocks} blocks are worth "
        f"{effective:.1f} independent ones, and fewer than {MIN_EFFECTIVE} show nothing"
        for blocks, correlation, effective in columns
    ]


def first_that_holds(
    lines: Sequence[tuple[Any, str, Any]], rows: int
) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Verdict and reason of each row by the first line that holds: (where, verdict, reason); else nothing is shown."""
    verdict = np.full(rows, "inconclusive", dtype=object)
    reason = np.full(rows, UNKNOWN, dtype=object)
    for where, word, why in reversed(lines):
        verdict, reason = np.where(where, word, verdict), np.where(where, why, reason)
    return verdict, reason


def launches_needed(families: int, confidence: float) -> int:
    """Launches of each stack with which one of `families` pairs can be significant.

    In any blocks: the test over all launches asks for the fewest.
    """
    launches = 2
    while smallest_p([(launches, launches)]) * max(families, 1) > 1 - confidence:
        launches += 1
    return launches
