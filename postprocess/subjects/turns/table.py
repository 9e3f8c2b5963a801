# SPDX-License-Identifier: BSD-3-Clause
"""`company.csv` and `company-cases.csv`: the price of company; and the rounds of one case, for a figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.company import (
    COMPANY_CASE_COLUMNS,
    COMPANY_COLUMNS,
    company,
    company_cases,
    company_prices,
)
from isochron.postprocess.ingest.inputs import CASE, CASE_KEYS
from isochron.postprocess.ingest.turns import read_candles
from isochron.postprocess.kit.table import SavedFrame, Table, TableContext
from isochron.schemas.input.campaign import Campaign

ROUND_COLUMNS = {
    **CASE_KEYS,
    "stack": "MPI stack; empty: the standard candle",
    "session": "number of the session, from 0, in order of time",
    "round": "number of the round, from 0",
    "t_s": "begin of the turn by the clock of the first node, seconds",
    "median_us": "median of the repetitions of the turn",
}


def make_prices(context: TableContext) -> pd.DataFrame:
    """As `company_prices`, which both tables are of."""
    return company_prices(context.used, context.all_slices)


def make_company(context: TableContext) -> pd.DataFrame:
    """`COMPANY_COLUMNS`; empty unless stacks have measured in turns."""
    return company(context.used, context.all_slices, context.get(make_prices), context.rules)


def make_company_cases(context: TableContext) -> pd.DataFrame:
    """`COMPANY_CASE_COLUMNS`; empty unless stacks have measured in turns."""
    return company_cases(context.get(make_prices), context.rules)


def make_rounds(context: TableContext) -> pd.DataFrame:
    """`ROUND_COLUMNS` of the first pair of the question, in the case whose times vary most, and of the candle there."""
    asked = context.inputs.asked.pairs
    slices = context.slices.merge(context.used[["launch_id", "stack", *CASE]], on=["launch_id", "operation", "bytes"])
    slices = slices[slices["stack"].isin(asked[0] if asked else []) & (slices["median_us"] > 0)]
    spreads = _common_spread(slices)
    if not len(spreads):
        return pd.DataFrame(columns=list(ROUND_COLUMNS))
    case: dict[str, Any] = dict(zip(CASE, spreads.index[int(spreads.argmax())], strict=True))
    chosen = slices[(slices[CASE] == list(case.values())).all(axis=1)]
    candles = read_candles(context.inputs.layout)
    at_case = (candles["operation"] == case["operation"]) & (candles["bytes"] == case["bytes"])
    candles = candles[at_case & candles["session"].isin(chosen["session"])].assign(stack="", **case)
    rounds: pd.DataFrame = pd.concat([chosen, candles], ignore_index=True).sort_values("t_s")
    rounds["session"] = pd.factorize(rounds["session"])[0]
    return rounds[list(ROUND_COLUMNS)]


def _common_spread(slices: pd.DataFrame) -> pd.Series[float]:
    """Return by CASE the interquartile range, over rounds, of the mean logarithm of both stacks."""
    logs = slices.assign(log=np.log(slices["median_us"].to_numpy(dtype=np.float64)))
    rounds = logs.groupby([*CASE, "session", "round"])["log"].agg(["mean", "size"])
    means = rounds.loc[rounds["size"] > 1, "mean"].groupby(level=CASE)
    spreads: pd.Series[float] = means.quantile(0.75) - means.quantile(0.25)
    return spreads


def in_turns(campaign: Campaign) -> bool:
    """Return True if the campaign's stacks measure in turns."""
    return campaign.replication.design == "turns"


COMPANY = Table(
    name="company",
    columns=COMPANY_COLUMNS,
    make=make_company,
    holds="what company costs every stack: times in turns against times alone; who did not sleep",
    applies=in_turns,
)
COMPANY_CASES = Table(
    name="company-cases",
    columns=COMPANY_CASE_COLUMNS,
    make=make_company_cases,
    holds="what company costs every result",
    applies=in_turns,
)
ROUNDS = SavedFrame(name="rounds", columns=ROUND_COLUMNS, make=make_rounds)
