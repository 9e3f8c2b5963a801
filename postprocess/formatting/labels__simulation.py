# SPDX-License-Identifier: BSD-3-Clause
"""What stands beside every simulated number: that it is one, and of which model."""

from __future__ import annotations

import pandas as pd


def simulation(launches: pd.DataFrame) -> str:
    """`simulated (…)` with simulator, network model, selectors and machine; empty where no launch was.

    `launches`: simulated and simulation.
    """
    rows = launches[launches["simulated"]]
    if not len(rows):
        return ""
    facts: dict[str, set[str]] = {}
    for text in rows["simulation"].dropna():
        for fact in filter(None, str(text).split(",")):
            key, _, value = fact.partition("=")
            facts.setdefault(key.replace("-", " "), set()).add(value)
    words = [f"{key} {' '.join(sorted(values))}" for key, values in facts.items()]
    return f"simulated ({', '.join(words)})" if words else "simulated"
