# SPDX-License-Identifier: BSD-3-Clause
"""The price of company: times in turns against times of the same launch alone, and launches that do not sleep.

A turn is a whole pass over all cases, each after a warm-up of its own, so that little of the others is left in the
caches. Whether their presence costs anything is measured by rounds of the launch that ends last, when all others have
ended (`ended`), about a second after its turns. A sleeper whose threads work is shown by its processor time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE, KEYS, POINT, RESULT_KEY
from isochron.stats.launches import Values, matched_columns
from isochron.stats.multiple_tests import Matrix
from isochron.stats.shift import Places, Shifts, not_above, shifts

#: A price beyond this share of a time is reported, and the half width with which it should be known.
LIMIT = 0.02
#: A launch sleeps if its threads take at most this share of a core while it waits, beyond `WAKE_US` for each wait:
#: what it takes to fall asleep and to wake up (17 µs in the median of a demo, 70 µs in the slowest of 100).
MAX_SLEPT_SHARE, WAKE_US = 0.05, 50.0

#: A stack at a point.
PLACE = ["stack", *POINT]
PRICE_COLUMNS = {
    "ratio": "times in turns over times alone, when the others had ended: above 1, company makes them longer",
    "ratio_low": "lower end of its exact interval, of signed ranks over blocks",
    "ratio_high": "upper end of that interval",
    "confidence": "the confidence level that this interval really has",
    "blocks": "blocks in which this stack measured alone, too",
    "p_adjusted": "p value of a ratio beyond 2 % (exact signed ranks over blocks), corrected over all lines",
    "verdict": "verdict on times in turns: `slower` or `faster` by more than 2 %, `equivalent` within 2 %, or "
    "`inconclusive`",
}
COMPANY_CASE_COLUMNS = {**KEYS, **PRICE_COLUMNS}
COMPANY_COLUMNS = {
    **{name: KEYS[name] for name in PLACE},
    "sleep": "`asleep`, or `not-asleep` if its threads work while it waits for its turn, in any block",
    "slept_share": "processor time of its threads while it waits, as a share of a core, beyond 50 µs a wait",
    "blocks_not_asleep": "blocks in which this share is above 5 %",
    **PRICE_COLUMNS,
    "blocks_needed": "blocks after which the half width of the interval is likely to be 2 %",
}


def company_cases(prices: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Return `COMPANY_CASE_COLUMNS`, a line for each result with times alone.

    `prices`: of `company_prices`.
    """
    lines: list[dict[str, Any]] = []
    for names, place_prices in _by_place(prices):
        place = dict(zip(PLACE, names, strict=True))
        table = place_prices.pivot(index="allocation", columns=["operation", "bytes"], values="price")
        for cases, blocks in matched_columns(table.notna().to_numpy()):
            estimates = _estimates(table.to_numpy()[np.ix_(blocks, cases)], rules)
            lines += [
                place | {"operation": table.columns[case][0], "bytes": table.columns[case][1]} | estimates.line(number)
                for number, case in enumerate(cases)
            ]
    return _judged(pd.DataFrame(lines), rules, COMPANY_CASE_COLUMNS)


def company(rows: pd.DataFrame, slices: pd.DataFrame, prices: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Return `COMPANY_COLUMNS`, a line for each stack and point in turns; the mean over cases is of each block.

    `rows`, `slices`: as of `company_prices`, which `prices` are of.
    """
    sleepers = _sleepers(rows, slices)
    if not len(sleepers):
        return pd.DataFrame(columns=list(COMPANY_COLUMNS))
    alone = {names: _estimates(_pooled(place_prices), rules).line(0) for names, place_prices in _by_place(prices)}
    unknown = _estimates(np.full((0, 1), np.nan), rules).line(0)
    table = pd.DataFrame(
        [
            sleeper | alone.get(tuple(sleeper[name] for name in PLACE), unknown)
            for sleeper in sleepers.to_dict("records")
        ]
    )
    half_width = np.log(table["ratio_high"] / table["ratio_low"]) / 2
    enough = table["confidence"] >= rules.confidence
    needed = (table["blocks"] * (half_width / np.log1p(LIMIT)) ** 2).where(enough)
    table["blocks_needed"] = [ceil(value) if np.isfinite(value) else np.nan for value in needed]
    return _judged(table, rules, COMPANY_COLUMNS)


def company_prices(rows: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame:
    """Return RESULT_KEY, allocation and `price`: of each block the logarithm of times in turns over times alone.

    `rows`: usable rows of launches, with RESULT_KEY, ALLOCATION and launch_id; `slices`: all of the store. Of a launch:
    the median of its last rounds over that of as many when the others had ended; of a block the mean over its launches.
    """
    timed = _timed(rows, slices)
    alone = timed[timed["others"] == "ended"]
    if not len(alone):
        return pd.DataFrame(columns=[*RESULT_KEY, "allocation", "price"])
    turns = timed[(timed["others"] == "turns") & timed["launch_id"].isin(alone["launch_id"])]
    rounds_alone = alone.groupby("launch_id")["round"].max().add(1)
    first = turns.groupby("launch_id")["round"].max().add(1) - rounds_alone
    last = turns[turns["round"] >= turns["launch_id"].map(first)]
    keys = [*RESULT_KEY, "allocation", "launch_id"]
    medians = [part.groupby(keys)["log"].median() for part in (last, alone)]
    return _of_blocks((medians[0] - medians[1]).rename("price").reset_index())


def note_company(comparison: pd.DataFrame, companies: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons, those in turns with what is known of their company in the reason.

    That is which stacks were not asleep at their point, and by what factor either stack is slower or faster in company
    in their case. `companies`: `COMPANY_COLUMNS`; `cases`: `COMPANY_CASE_COLUMNS`.
    """
    reasons = comparison["reason"]
    for names, awake in companies[companies["sleep"] == "not-asleep"].groupby(POINT, sort=False):
        at_point = (comparison[POINT] == list(names)).all(axis=1)
        reasons = _noted(reasons, at_point & comparison["in_turns"], f"not asleep: {', '.join(awake['stack'])}")
    for price in cases[cases["verdict"].isin(["slower", "faster"])].to_dict("records"):
        of_stack = (comparison[["baseline", "candidate"]] == price["stack"]).any(axis=1)
        at_case = (comparison[CASE] == [price[name] for name in CASE]).all(axis=1)
        text = f"{price['stack']} in company: {price['ratio']:.3g}×"
        reasons = _noted(reasons, of_stack & at_case & comparison["in_turns"], text)
    return comparison.assign(reason=reasons)


def _noted(reasons: pd.Series[str], rows: pd.Series[bool], text: str) -> pd.Series[str]:
    return reasons.mask(rows, (reasons + "; " + text).str.removeprefix("; "))


def _timed(rows: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame:
    """Slices of usable rows, with RESULT_KEY, the number of their allocation, and `log` of their median."""
    known = rows.assign(allocation=rows.groupby(ALLOCATION).ngroup())
    timed = slices[slices["median_us"] > 0].merge(
        known[[*RESULT_KEY, "allocation", "launch_id"]], on=["launch_id", "operation", "bytes"]
    )
    return timed.assign(log=np.log(timed["median_us"].to_numpy(dtype=np.float64)))


def _of_blocks(prices: pd.DataFrame) -> pd.DataFrame:
    launches = prices.groupby([*RESULT_KEY, "allocation", "launch_id"])["price"].median()
    return launches.groupby(level=[*RESULT_KEY, "allocation"]).mean().dropna().reset_index()


def _by_place(prices: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    yield from prices.groupby(PLACE, sort=False)


def _pooled(prices: pd.DataFrame) -> Matrix:
    """Return the mean over cases in each block: (B, 1)."""
    return prices.groupby("allocation")["price"].mean().to_numpy(dtype=np.float64)[:, None]


@dataclass(frozen=True)
class _Estimates:
    """Of C columns of prices in B blocks: the shift with its interval, and both p values of a price beyond `LIMIT`."""

    shift: Shifts
    p_slower: Values
    p_faster: Values
    blocks: int

    def line(self, column: int) -> dict[str, Any]:
        """Return one column, as far as `PRICE_COLUMNS` has it before the correction; `p`: of the nearer limit."""
        ratios = np.exp([self.shift.estimate[column], self.shift.low[column], self.shift.high[column]])
        return {
            **dict(zip(("ratio", "ratio_low", "ratio_high"), ratios.tolist(), strict=True)),
            "confidence": self.shift.confidence,
            "blocks": self.blocks,
            "p": 2 * float(np.fmin(self.p_slower[column], self.p_faster[column])),
        }


def _estimates(prices: Matrix, rules: Rules) -> _Estimates:
    """Estimate the price of each column, (B, C), by signed ranks: each block is a pair with 0."""
    blocks, columns = prices.shape
    unknown = np.full(columns, np.nan)
    if blocks == 0:
        return _Estimates(Shifts(unknown, unknown, unknown, np.nan), unknown, unknown, 0)
    values = np.concatenate([prices, np.zeros_like(prices)])
    pairs: Places = [(np.array([block]), np.array([blocks + block])) for block in range(blocks)]
    margin, none = np.log1p(LIMIT), np.zeros_like(values)
    slower, faster = (
        not_above(np.concatenate([side * prices - margin, none[:blocks]]), none, pairs) for side in (1.0, -1.0)
    )
    return _Estimates(shifts(values, values, pairs, rules.confidence), slower, faster, blocks)


def _judged(table: pd.DataFrame, rules: Rules, columns: dict[str, str]) -> pd.DataFrame:
    """Return the columns with `p_adjusted`, corrected over all lines (Bonferroni), and `verdict`."""
    if not len(table):
        return pd.DataFrame(columns=list(columns))
    p_adjusted = np.minimum(1.0, table["p"] * int(table["p"].notna().sum()))
    within = (table["ratio_low"] >= 1 / (1 + LIMIT)) & (table["ratio_high"] <= 1 + LIMIT)
    shown, sure = p_adjusted <= rules.alpha, table["confidence"] >= rules.confidence
    lines = [shown & (table["ratio"] > 1), shown, sure & within]
    verdict = np.select(lines, ["slower", "faster", "equivalent"], "inconclusive")
    return table.assign(p_adjusted=p_adjusted, verdict=verdict).sort_values(PLACE, kind="stable", ignore_index=True)[
        list(columns)
    ]


def _sleepers(rows: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame:
    """Return PLACE, sleep, slept_share and blocks_not_asleep of launches in turns."""
    turns = slices[slices["others"] == "turns"]
    launches = rows[["launch_id", *PLACE, *ALLOCATION]].drop_duplicates()
    waits = turns.groupby("launch_id").agg(
        slept_us=("slept_cpu_us", "sum"), waited_us=("waited_us", "sum"), waits=("waited_us", np.count_nonzero)
    )
    times = launches.merge(waits, on="launch_id").groupby([*PLACE, *ALLOCATION], sort=False)[list(waits)].sum()
    awake = (_slept_share(times) > MAX_SLEPT_SHARE).groupby(level=PLACE, sort=False).sum()
    shares = _slept_share(times.groupby(level=PLACE, sort=False).sum())
    sleepers = pd.DataFrame({"slept_share": shares, "blocks_not_asleep": awake}).reset_index()
    return sleepers.assign(sleep=np.where(sleepers["blocks_not_asleep"] > 0, "not-asleep", "asleep"))


def _slept_share(times: pd.DataFrame) -> pd.Series[float]:
    beyond = times["slept_us"] - WAKE_US * times["waits"]
    return beyond.clip(lower=0) / times["waited_us"].clip(lower=1)
