# SPDX-License-Identifier: BSD-3-Clause
"""All comparisons as data for the script that shows any pair of stacks."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.ingest.inputs__inputs import CASE, POINT

#: The most bytes of it; beyond, only the pairs of the question are there, at as many of the largest points as fit.
MOST = 1_000_000
VERDICTS = ("slower", "faster", "equivalent")


def pairs_data(table: pd.DataFrame, stacks: list[str], threshold: float) -> tuple[str, bool]:
    """JSON, and whether pairs were left out since it would be too large. `table`: `PAIRS_COLUMNS`."""
    whole = _dumped(table, stacks, threshold)
    if len(whole) <= MOST:
        return whole, False
    asked = table[table["family"] == "question"]
    points = asked[POINT].drop_duplicates().sort_values(POINT, ascending=False)
    dumped = _dumped(asked, stacks, threshold)
    while len(dumped) > MOST and len(points) > 1:
        points = points.head(max(1, min(len(points) - 1, int(len(points) * MOST / len(dumped)))))
        dumped = _dumped(asked.merge(points, on=POINT), stacks, threshold)
    return dumped, True


def _dumped(table: pd.DataFrame, stacks: list[str], threshold: float) -> str:
    cases = table[CASE].drop_duplicates()
    numbered = {tuple(case): number for number, case in enumerate(cases.itertuples(index=False, name=None))}
    places = {stack: number for number, stack in enumerate(stacks)}
    pairs: dict[str, list[Any]] = {}
    for row in table.to_dict("records"):
        pair = f"{places[row['baseline']]} {places[row['candidate']]}"
        numbers = [_short(row[name]) for name in ("ratio", "ratio_low", "ratio_high")]
        verdict = row["verdict"] if row["verdict"] in VERDICTS else "inconclusive"
        pairs.setdefault(pair, []).append([numbered[tuple(row[name] for name in CASE)], *numbers, verdict])
    described = [
        [row["operation"], labels.size(row), labels.point({name: row[name] for name in POINT})]
        for row in cases.to_dict("records")
    ]
    question = sorted({f"{places[a]} {places[b]}" for a, b in _asked(table)})
    content = {"stacks": stacks, "cases": described, "threshold": threshold, "question": question, "pairs": pairs}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _asked(table: pd.DataFrame) -> set[tuple[str, str]]:
    own = table[table["family"] == "question"]
    return set(zip(own["baseline"], own["candidate"], strict=True))


def _short(value: float) -> float | None:
    return float(f"{value:.7g}") if isfinite(value) else None
