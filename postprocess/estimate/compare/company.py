# SPDX-License-Identifier: BSD-3-Clause
"""The price of company: what times in turns have more than times of the same launch alone, and who does not sleep.

Company has two effects. What the others leave behind, in the caches above all, slows the first pass of a turn and not
the next, which follows in the same state of the machine: `carry-over`, known precisely, from all launches. What their
presence costs is shown by rounds of the launch that ends last, when all others have ended, about a second after its
turns: `presence`, which contains what the machine did meanwhile. A sleeper whose threads work is shown by its processor
time. What is known to differ from a library that is alone decides no comparison.

A stack measures alone in a few blocks only, where exact tests of ranks show nothing: intervals and tests are Student's,
with variances moderated by those of all lines (G. K. Smyth: Linear Models and Empirical Bayes Methods …, 2004).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE, KEYS, POINT, RESULT_KEY
from isochron.schemas.run.comparisons import BOUNDED, DECIDED
from isochron.stats.changes.estimates import Prior, prior

#: A price beyond this share of a time is reported, and decides no comparison.
LIMIT = 0.01
#: A launch sleeps if its threads take at most this share of a core while it waits, beyond `WAKE_US` for each wait:
#: what it takes to fall asleep and to wake up (17 µs in the median of a demo, 70 µs in the slowest of 100).
MAX_SLEPT_SHARE, WAKE_US = 0.05, 50.0

#: The effects of company; `PRICE_KEYS` has what each is.
EFFECTS = ("carry-over", "presence")
#: What the reason of a comparison that company affects begins with.
LIMITED = "company-limited: "
#: A stack at a point.
PLACE = ["stack", *POINT]
PRICE_KEYS = {
    "effect": "`carry-over`: times in the first pass of a turn over those in its further passes, which no other launch "
    "precedes; `presence`: times in turns over times alone, when the others had ended",
}
PRICE_COLUMNS = {
    "ratio": "the ratio of these times: above 1, company makes them longer",
    "ratio_low": "lower end of its interval, Student's over blocks, with a variance moderated by those of all lines",
    "ratio_high": "upper end of that interval",
    "confidence": "the confidence level of this interval; empty if there is none",
    "blocks": "blocks in which this stack measured both",
    "p_adjusted": "p value of a ratio beyond 1 % (the same t), corrected over all lines",
    "verdict": "verdict on times in turns: `slower` or `faster` by more than 1 %, `equivalent` within 1 %, or "
    "`inconclusive`",
}
COMPANY_CASE_COLUMNS = {**KEYS, **PRICE_KEYS, **PRICE_COLUMNS}
COMPANY_COLUMNS = {
    **{name: KEYS[name] for name in PLACE},
    "sleep": "`asleep`, or `not-asleep` if its threads work while it waits for its turn, in any block",
    "slept_share": "processor time of its threads while it waits, as a share of a core, beyond 50 µs a wait",
    "blocks_not_asleep": "blocks in which this share is above 5 %",
    **PRICE_KEYS,
    **PRICE_COLUMNS,
    "blocks_needed": "blocks after which the half width of the interval is likely to be 1 %",
}


def company_cases(prices: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Return `COMPANY_CASE_COLUMNS`, a line for each result and effect that was measured.

    `prices`: of `company_prices`.
    """
    return _judged(_estimated(prices, RESULT_KEY, rules), rules, COMPANY_CASE_COLUMNS)


def company(rows: pd.DataFrame, slices: pd.DataFrame, prices: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Return `COMPANY_COLUMNS`, a line for each stack and point in turns, and effect; of a block the mean over cases.

    `rows`, `slices`: as of `company_prices`, which `prices` are of.
    """
    sleepers = _sleepers(rows, slices).merge(pd.DataFrame({"effect": EFFECTS}), how="cross")
    pooled = prices.groupby([*PLACE, "effect", "allocation"], sort=False)[["price"]].mean().reset_index()
    table = sleepers.merge(_estimated(pooled, PLACE, rules), on=[*PLACE, "effect"], how="left")
    half_width = np.log((table["ratio_high"] / table["ratio_low"]).to_numpy(dtype=np.float64)) / 2
    table["blocks"] = table["blocks"].fillna(0).astype("int64")
    table["blocks_needed"] = np.ceil(table["blocks"] * (half_width / np.log1p(LIMIT)) ** 2)
    return _judged(table, rules, COMPANY_COLUMNS)


def company_prices(rows: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame:
    """Return RESULT_KEY, allocation, effect and `price`: of each block the logarithm of the ratio.

    `rows`: usable rows of launches, with RESULT_KEY, ALLOCATION and launch_id; `slices`: all of the store. Of a launch:
    for `carry-over` the median over its turns; for `presence` the median of its last rounds over that of as many when
    the others had ended. Of a block the mean over its launches.
    """
    timed = _timed(rows, slices)
    effects = zip(EFFECTS, (_carry_over(timed), _presence(timed)), strict=True)
    return pd.concat([_of_blocks(prices).assign(effect=effect) for effect, prices in effects], ignore_index=True)


def _carry_over(timed: pd.DataFrame) -> pd.DataFrame:
    """The price of each launch."""
    turns = timed[(timed["others"] == "turns") & (timed["first_us"] > 0) & (timed["again_us"] > 0)]
    ratios = turns["first_us"].to_numpy(dtype=np.float64) / turns["again_us"].to_numpy(dtype=np.float64)
    keys = [*RESULT_KEY, "allocation", "launch_id"]
    return turns.assign(price=np.log(ratios)).groupby(keys)["price"].median().reset_index()


def _presence(timed: pd.DataFrame) -> pd.DataFrame:
    """The price of each launch that measured alone, too."""
    alone = timed[timed["others"] == "ended"]
    if not len(alone):
        return pd.DataFrame(columns=[*RESULT_KEY, "allocation", "launch_id", "price"])
    turns = timed[(timed["others"] == "turns") & timed["launch_id"].isin(alone["launch_id"])]
    rounds_alone = alone.groupby("launch_id")["round"].max().add(1)
    first = turns.groupby("launch_id")["round"].max().add(1) - rounds_alone
    last = turns[turns["round"] >= turns["launch_id"].map(first)]
    keys = [*RESULT_KEY, "allocation", "launch_id"]
    medians = [part.groupby(keys)["log"].median() for part in (last, alone)]
    return (medians[0] - medians[1]).rename("price").reset_index()


def note_company(comparison: pd.DataFrame, companies: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons; those in turns that company is known to affect are `inconclusive`, with the reason.

    It does if a stack at their point was not asleep, or if either stack is shown to be slower by either effect, over
    all its cases or in this one. Company makes no time shorter: if times alone are longer, the machine was slower then.
    `companies`: `COMPANY_COLUMNS`; `cases`: `COMPANY_CASE_COLUMNS`.
    """
    reasons = pd.Series("", index=comparison.index, dtype=object)
    sleepless = companies[companies["sleep"] == "not-asleep"].drop_duplicates(PLACE)
    for names, awake in sleepless.groupby(POINT, sort=False):
        at_point = (comparison[POINT] == list(names)).all(axis=1)
        reasons = _noted(reasons, at_point, f"not asleep: {', '.join(awake['stack'])}")
    for table, keys in ((companies, POINT), (cases, CASE)):
        for price in table[table["verdict"] == "slower"].to_dict("records"):
            of_stack = (comparison[["baseline", "candidate"]] == price["stack"]).any(axis=1)
            here = (comparison[keys] == [price[name] for name in keys]).all(axis=1)
            where = "after others' turns" if price["effect"] == "carry-over" else "in company"
            where += " over all cases" if keys == POINT else ""
            reasons = _noted(reasons, of_stack & here, f"{price['stack']} {where}: {price['ratio']:.3g}×")
    limited = comparison["in_turns"] & (reasons != "")
    reasons = (LIMITED + reasons + "; " + comparison["reason"]).str.removesuffix("; ")
    verdicts = {
        name: comparison[name].mask(limited & comparison[name].isin([*DECIDED, *BOUNDED]), "inconclusive")
        for name in ("verdict", "adjusted_verdict")
    }
    return comparison.assign(reason=comparison["reason"].mask(limited, reasons), **verdicts)


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


def _estimated(prices: pd.DataFrame, keys: list[str], rules: Rules) -> pd.DataFrame:
    """Return `keys`, effect and what `PRICE_COLUMNS` have before the correction; `p`: two-sided, of the nearer limit.

    Each effect has a prior of its own.
    """
    parts = [
        _estimated_effect(prices[prices["effect"] == effect], keys, rules).assign(effect=effect) for effect in EFFECTS
    ]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _estimated_effect(prices: pd.DataFrame, keys: list[str], rules: Rules) -> pd.DataFrame:
    """Of one effect. Lines share their launches: together they know their variance no better than the launches do."""
    table = prices.groupby(keys, sort=False)["price"].agg(["mean", "var", "size"]).reset_index()
    blocks, mean = table["size"].to_numpy(dtype=np.float64), table["mean"].to_numpy(dtype=np.float64)
    variance, own = table["var"].fillna(0.0).to_numpy(dtype=np.float64), blocks - 1
    launches = len(prices[[*PLACE, "allocation"]].drop_duplicates()) - len(prices[PLACE].drop_duplicates())
    common = prior(variance[variance > 0], own[variance > 0])
    common = Prior(common.variance, min(common.freedom, launches))
    freedom = np.where(own + common.freedom > 0, own + common.freedom, np.nan)
    error = np.sqrt(common.moderated(variance, np.where(np.isnan(freedom), np.nan, own)) / blocks)
    half, margin = stdtrit(freedom, (1 + rules.confidence) / 2) * error, np.log1p(LIMIT)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(freedom, (margin - np.abs(mean)) / error)
    return table[keys].assign(
        ratio=np.exp(mean),
        ratio_low=np.exp(mean - half),
        ratio_high=np.exp(mean + half),
        confidence=np.where(np.isnan(half), np.nan, rules.confidence),
        blocks=table["size"],
        p=p,
    )


def _judged(table: pd.DataFrame, rules: Rules, columns: dict[str, str]) -> pd.DataFrame:
    """Return the columns with `p_adjusted`, corrected over all lines (Bonferroni), and `verdict`."""
    if not len(table):
        return pd.DataFrame(columns=list(columns))
    p_adjusted = np.minimum(1.0, table["p"] * int(table["p"].notna().sum()))
    within = (table["ratio_low"] >= 1 / (1 + LIMIT)) & (table["ratio_high"] <= 1 + LIMIT)
    shown = p_adjusted <= rules.alpha
    lines = [shown & (table["ratio"] > 1), shown, within]
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
