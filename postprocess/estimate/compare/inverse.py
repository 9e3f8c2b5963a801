# SPDX-License-Identifier: BSD-3-Clause
"""A comparison the other way round: ratios, intervals, launches, verdict and reason of the baseline."""

from __future__ import annotations

from itertools import chain

import pandas as pd

from isochron.postprocess.estimate.compare.interference import both_ratios, reasons
from isochron.postprocess.estimate.compare.states import STATES, state_texts
from isochron.postprocess.estimate.compare.turns import regime_texts
from isochron.postprocess.ingest.inputs import CASE
from isochron.schemas.run.comparisons import TURNED

#: Columns of ratios and their intervals: over all that counts, and in each regime of the machine.
RATIOS = [
    (f"{name}ratio", f"{part}_low", f"{part}_high")
    for name, part in (("", "ratio"), ("quiet_", "quiet"), ("disturbed_", "disturbed"))
]
EXCHANGED = {
    "baseline": "candidate",
    "candidate": "baseline",
    "baseline_launches": "candidate_launches",
    "candidate_launches": "baseline_launches",
}
#: Columns of comparisons that can be inverted; those that neither exchange nor ratios affect stay.
COLUMNS = [
    *CASE,
    *EXCHANGED,
    *chain(*RATIOS),
    *STATES,
    *("in_turns", "by_regime", "regime", "confidence", "blocks", "verdict", "reason", "family"),
]


def inverted(table: pd.DataFrame) -> pd.DataFrame:
    """Return `COLUMNS` of the comparisons with baseline and candidate exchanged; the index is that of the table."""
    exchanged = {name: table[source] for name, source in EXCHANGED.items()}
    ratios = {
        name: 1 / table[source]
        for ratio, low, high in RATIOS
        for name, source in ((ratio, ratio), (low, high), (high, low))
    }
    turns, (fast, slow) = table["in_turns"].astype(bool), STATES  # the groups are of ratios in turns, else of times
    ratios |= {one: 1 / table[one].mask(turns, table[other]) for one, other in ((fast, slow), (slow, fast))}
    back = table[COLUMNS].assign(**exchanged, **ratios, verdict=table["verdict"].replace(TURNED))
    return back.assign(reason=_inverted_reasons(table[COLUMNS], back))


def _inverted_reasons(table: pd.DataFrame, back: pd.DataFrame) -> pd.Series[str]:
    """Return the reasons of `table` with the ratios and the numbers of launches that `back` has."""
    directed = table["reason"].str.contains("regime|launches|groups", na=False)
    texts = table.loc[directed, "reason"]
    for phrases in (reasons, both_ratios, regime_texts, state_texts, launch_counts):
        phrase_pairs = zip(phrases(table[directed]), phrases(back[directed]), strict=True)
        inverted_texts = [
            text.replace(forth, other) if forth else text
            for text, (forth, other) in zip(texts, phrase_pairs, strict=True)
        ]
        texts = pd.Series(inverted_texts, index=texts.index, dtype=object)
    result: pd.Series[str] = table["reason"].mask(directed, texts)
    return result


def launch_counts(table: pd.DataFrame) -> list[str]:
    """Of each row `3 against 4 launches`."""
    sides = zip(table["baseline_launches"], table["candidate_launches"], strict=True)
    return [f"{baseline} against {candidate} launches" for baseline, candidate in sides]
