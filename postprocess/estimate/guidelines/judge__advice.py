# SPDX-License-Identifier: BSD-3-Clause
"""What to call instead: the violated guidelines as advice, the largest gain of each case, alike sizes together."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import KEYS, POINT, RESULT_KEY

#: Columns of `advice.csv`, the largest gain first.
ADVICE_COLUMNS = {
    "stack": KEYS["stack"],
    "operation": "operation that is slower than it must be",
    **{name: KEYS[name] for name in POINT},
    "kind": "`other way`, `monotony` (send a larger message) or `split` (send several smaller ones)",
    "instead": "what to call instead: operations, one after the other; with its size where that is what differs",
    "sizes": "message sizes at which that is faster, in bytes, separated by semicolons",
    "times_min": "by what factor it is faster, at least: the smallest of the medians over launches",
    "times_max": "the largest of them",
    "times_low": "the smallest lower end of their intervals",
}


def advice(table: pd.DataFrame) -> pd.DataFrame:
    """`ADVICE_COLUMNS`. `table`: `GUIDELINE_COLUMNS`."""
    broken = table[table["verdict"] == "violated"]
    if not len(broken):
        return pd.DataFrame(columns=list(ADVICE_COLUMNS))
    best = broken.loc[broken.groupby(RESULT_KEY, sort=False)["ratio"].idxmax()]
    best = best.assign(instead=best["instead"].where(best["kind"] == "other way", best["other"]))
    keys = ["stack", "operation", *POINT, "kind", "instead"]
    found = best.sort_values("bytes", kind="stable").groupby(keys, sort=False, as_index=False)
    merged = found.agg(
        sizes=("bytes", lambda sizes: ";".join(map(str, sizes))),
        times_min=("ratio", "min"),
        times_max=("ratio", "max"),
        times_low=("ratio_low", "min"),
    )
    return merged.sort_values("times_max", ascending=False, kind="stable", ignore_index=True)[list(ADVICE_COLUMNS)]
