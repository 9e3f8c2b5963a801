# SPDX-License-Identifier: BSD-3-Clause
"""Whether the guidelines hold: ratio with its interval, test against the practical threshold, correction, verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.compare.pairs import Rules
from isochron.postprocess.guidelines.instances import Instance, instances
from isochron.postprocess.reading.inputs import ALLOCATION, KEYS, POINT
from isochron.postprocess.statistics.exchanges import exchanged_signs
from isochron.postprocess.statistics.launches import Values, median_interval
from isochron.postprocess.statistics.step_down import Tests, clipped, step_down
from isochron.postprocess.words import numbers

#: Columns of `guidelines.csv`: every guideline that could be tested.
GUIDELINE_COLUMNS = {
    **KEYS,
    "kind": "`other way` to the same result, `monotony` (a smaller message), or `split` (several smaller messages)",
    "other": "what the operation must not be slower than",
    "launches": "launches that measured both sides",
    "operation_us": "median over these launches",
    "other_us": "the same for the other side, with the times of a launch added up",
    "ratio": "operation / other, median over launches of the ratio in each; above 1 it is slower",
    "ratio_low": "lower end of its exact binomial interval, or of the range of the launches",
    "ratio_high": "upper end of that interval",
    "test": "what the sides are exchanged in: `blocks`, where five or more hold both, or `launches`; empty for none",
    "p_adjusted": "p value of a ratio beyond the practical threshold, corrected over the whole table",
    "verdict": "`violated`, `kept` (the interval is below the practical threshold) or `open`",
}

#: Blocks from which on whole blocks can be exchanged: 2^-5 is below 5 %.
FEWEST_BLOCKS = 5


@dataclass(frozen=True)
class Sides:
    """Launch medians (µs) of both sides, shapes (L,), NaN where a launch lacks them."""

    operation: Values
    other: Values

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which launches hold all of it."""
        return np.isfinite(self.operation) & np.isfinite(self.other)


def guidelines(rows: pd.DataFrame, summary: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """`GUIDELINE_COLUMNS`. `rows`: usable rows of launches, with ROW, ALLOCATION, launch_id, median_us.

    `summary`: ROW and believed.
    """
    believed = summary.loc[summary["believed"], list(KEYS)]
    found: list[dict[str, Any]] = []
    tested: list[Tests] = []
    for place, own in rows.merge(believed, on=list(KEYS)).groupby(["stack", *POINT], sort=False):
        wide = own.pivot(index=["launch_id", *ALLOCATION], columns=["operation", "bytes"], values="median_us")
        numbered = wide.index.to_frame(index=False).groupby(ALLOCATION).ngroup()
        blocks: NDArray[np.int64] = np.array(numbered, dtype=np.int64)
        medians: dict[Any, Values] = {case: wide[case].to_numpy(dtype=np.float64) for case in wide.columns}
        measured: dict[str, list[int]] = {}
        for operation, size in medians:
            measured.setdefault(operation, []).append(size)
        key = dict(zip(["stack", *POINT], place, strict=True))
        made = instances(measured, int(own["processes"].iloc[0]))
        both = [(each, sides) for each in made if (sides := _sides(each, medians)).there.any()]
        if both:
            tests, name = _tests([sides for _, sides in both], blocks, rules)
            tested.append(tests)
            found += [key | _numbers(instance, sides, rules) | {"test": name} for instance, sides in both]
    table = pd.DataFrame(found, columns=list(GUIDELINE_COLUMNS))
    if tested:
        table["p_adjusted"] = np.concatenate(step_down(tested, rules.seed))
    table["verdict"] = [_verdict(row, rules) for row in table.to_dict("records")]
    return table


def _sides(instance: Instance, medians: Mapping[Any, Values]) -> Sides:
    """Both sides of a guideline; times of a launch are added up. `medians`: shape (L,), NaN where a launch has none."""
    parts = [medians[operation, size] * times for operation, size, times in instance.calls]
    return Sides(medians[instance.operation, instance.size], np.sum(parts, axis=0))


def _numbers(instance: Instance, sides: Sides, rules: Rules) -> dict[str, Any]:
    operation, other = sides.operation[sides.there], sides.other[sides.there]
    ratios = operation / other
    interval = median_interval(ratios, rules.confidence)
    return {
        "operation": instance.operation,
        "bytes": instance.size,
        "kind": instance.kind,
        "other": " + ".join(_call(*call) for call in instance.calls),
        "launches": len(ratios),
        "operation_us": float(np.median(operation)),
        "other_us": float(np.median(other)),
        "ratio": float(np.median(ratios)),
        "ratio_low": interval.low,
        "ratio_high": interval.high,
    }


def _call(operation: str, size: int, times: int) -> str:
    """`3 × bcast 8 KiB`."""
    text = f"{operation} {numbers.size(size)}" if size else operation
    return f"{times} × {text}" if times > 1 else text


def _tests(sides: list[Sides], blocks: NDArray[np.int64], rules: Rules) -> tuple[Tests, str]:
    """That the ratio in a launch is beyond the practical threshold, and what the sides are exchanged in.

    Both sides meet the same regime in a launch, which their ratio does not see. What it may still see of a block is
    respected by exchanging the sides in all launches of a block together, where there are blocks enough.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.stack([np.log(each.operation / each.other) for each in sides], axis=1) - rules.margin
    logs = np.nan_to_num(logs, nan=0.0, posinf=0.0, neginf=0.0)
    if len(np.unique(blocks)) >= FEWEST_BLOCKS:
        logs, name = np.stack([logs[blocks == block].sum(axis=0) for block in np.unique(blocks)]), "blocks"
    else:
        name = "launches"
    logs = clipped(logs)
    length = np.sqrt((logs**2).sum(axis=0))
    scores = np.divide(logs, length, out=np.zeros_like(logs), where=length > 0)
    units = len(scores)
    return Tests(scores, np.ones(units), exchanged_signs(units)), name if 0.5**units <= rules.alpha else ""


def _verdict(row: dict[Any, Any], rules: Rules) -> str:
    """Violated is what is shown to be beyond the practical threshold, kept what is shown to be below it."""
    if row["test"] and row["p_adjusted"] <= rules.alpha:
        return "violated"
    return "kept" if row["ratio_high"] <= 1 + rules.threshold else "open"
