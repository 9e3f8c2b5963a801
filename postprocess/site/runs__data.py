# SPDX-License-Identifier: BSD-3-Clause
"""The values of a run as a small script that the page of comparisons loads: from a disk, a page may read no data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.history_cache.facts import Facts
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.ingest.inputs__inputs import POINT

#: Value, and both ends of its interval, in µs; None where there is none.
Triple = tuple[float, float | None, float | None]
#: By stack, point in words, operation and bytes.
Row = tuple[str, str, str, int]
COLUMNS = ("stack", "operation", "bytes", "median_us", "median_low_us", "median_high_us")


def values_of(frame: pd.DataFrame) -> dict[Row, Triple]:
    """The reliable values of a run, with four digits. `frame`: `VALUE_COLUMNS`."""
    own = frame[frame["reliable"].to_numpy(dtype=bool)]
    words: dict[tuple[Any, ...], str] = {}
    found = {}
    points = zip(*(own[name].tolist() for name in POINT), strict=True)
    lines = zip(*(own[name].tolist() for name in COLUMNS), strict=True)
    for point, (stack, operation, size, value, low, high) in zip(points, lines, strict=True):
        if point not in words:
            words[point] = labels.point(dict(zip(POINT, point, strict=True)))
        short = _short(value)
        if short is not None:
            found[str(stack), words[point], str(operation), int(size)] = (short, _short(low), _short(high))
    return found


def run_script(name: str, about: Mapping[str, str], facts: Facts, values: Mapping[Row, Triple]) -> str:
    """A script that registers a run under its name in the site."""
    nested: dict[str, dict[str, dict[str, dict[int, Triple]]]] = {}
    for (stack, point, operation, size), triple in values.items():
        nested.setdefault(stack, {}).setdefault(point, {}).setdefault(operation, {})[size] = triple
    told = {"|".join(key): ", ".join(said) for key, said in facts.items()}
    return registered("isochronRuns", name, {**about, "facts": told, "rows": nested})


def registered(where: str, name: str, content: object) -> str:
    """A script that puts content under a name into a global object."""
    return f"(self.{where}=self.{where}||{{}})[{script_text(name)}]={script_text(content)};\n"


def script_text(content: object) -> str:
    """JSON that neither ends a script element nor a line of it."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _short(value: float) -> float | None:
    return float(f"{value:.4g}") if value is not None and isfinite(value) and value > 0 else None
