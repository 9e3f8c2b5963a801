# SPDX-License-Identifier: BSD-3-Clause
"""Whether the guidelines hold: ratio with its interval, test against the practical threshold, correction, verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.compare.pairs import Rules
from isochron.postprocess.guidelines.instances import Instance, instances
from isochron.postprocess.reading.inputs import ALLOCATION, KEYS, POINT
from isochron.postprocess.statistics.exchanges import exchanged_signs
from isochron.postprocess.statistics.launches import Values, median_interval
from isochron.postprocess.statistics.rows import by_count
from isochron.postprocess.statistics.step_down import Matrix, Tests, clipped, step_down
from isochron.postprocess.words import numbers

#: Columns of `guidelines.csv`: every guideline that could be tested.
GUIDELINE_COLUMNS = {
    **KEYS,
    "kind": "`other way` to the same result, `monotony` (a smaller message), or `split` (several smaller messages)",
    "other": "what the operation must not be slower than",
    "instead": "the operations of that, one after the other, separated by ` + `",
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
    """Launch medians (µs) of both sides of I guidelines, shapes (L, I), NaN where a launch lacks them."""

    operation: Matrix
    other: Matrix


def guidelines(rows: pd.DataFrame, summary: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """`GUIDELINE_COLUMNS`. `rows`: usable rows of launches, with ROW, ALLOCATION, launch_id, median_us.

    `summary`: ROW and believed.
    """
    believed = summary.loc[summary["believed"], list(KEYS)]
    found: list[pd.DataFrame] = []
    tested: list[Tests] = []
    for place, own in rows.merge(believed, on=list(KEYS)).groupby(["stack", *POINT], sort=False):
        wide = own.pivot(index=["launch_id", *ALLOCATION], columns=["operation", "bytes"], values="median_us")
        numbered = wide.index.to_frame(index=False).groupby(ALLOCATION).ngroup()
        blocks: NDArray[np.int64] = np.array(numbered, dtype=np.int64)
        columns: dict[Any, int] = {case: number for number, case in enumerate(wide.columns)}
        measured: dict[str, list[int]] = {}
        for operation, size in columns:
            measured.setdefault(operation, []).append(size)
        made = list(instances(measured, int(own["processes"].iloc[0])))
        sides = _sides(made, columns, wide.to_numpy(dtype=np.float64))
        there = np.flatnonzero((np.isfinite(sides.operation) & np.isfinite(sides.other)).any(axis=0))
        made = [made[number] for number in there]
        if made:
            sides = Sides(sides.operation[:, there], sides.other[:, there])
            tests, name = _tests(sides, blocks, rules)
            tested.append(tests)
            key: dict[str, Any] = dict(zip(["stack", *POINT], place, strict=True))
            found.append(_named(made).assign(**key, **_numbers(sides, rules), test=name))
    if not found:
        return pd.DataFrame(columns=list(GUIDELINE_COLUMNS))
    table = pd.concat(found, ignore_index=True)
    table["p_adjusted"] = np.concatenate(step_down(tested, rules.seed))
    violated = (table["test"] != "") & (table["p_adjusted"] <= rules.alpha)
    kept = table["ratio_high"] <= 1 + rules.threshold
    table["verdict"] = np.where(violated, "violated", np.where(kept, "kept", "open")).tolist()
    return table[list(GUIDELINE_COLUMNS)]


def _sides(made: list[Instance], columns: Mapping[Any, int], medians: Matrix) -> Sides:
    """Both sides of guidelines; times of a launch are added up. `medians`: (L, cases), NaN where a launch has none."""
    other = np.zeros((len(medians), len(made)))
    for number in range(max((len(each.calls) for each in made), default=0)):
        calls = [(place, each.calls[number]) for place, each in enumerate(made) if number < len(each.calls)]
        places = [place for place, _ in calls]
        cases = [columns[operation, size] for _, (operation, size, _) in calls]
        other[:, places] += medians[:, cases] * np.array([times for *_, (_, _, times) in calls])
    return Sides(medians[:, [columns[each.operation, each.size] for each in made]], other)


def _named(made: list[Instance]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "operation": [each.operation for each in made],
            "bytes": [each.size for each in made],
            "kind": [each.kind for each in made],
            "other": [" + ".join(_call(*call) for call in each.calls) for each in made],
            "instead": [" + ".join(operation for operation, *_ in each.calls) for each in made],
        }
    )


def _numbers(sides: Sides, rules: Rules) -> dict[str, Values]:
    """The columns of numbers, each from the launches that hold both sides."""
    columns = ("launches", "operation_us", "other_us", "ratio", "ratio_low", "ratio_high")
    found = {name: np.empty(sides.other.shape[1]) for name in columns}
    launches, cases = np.nonzero((np.isfinite(sides.operation) & np.isfinite(sides.other)).T)[::-1]
    for own, places in by_count(cases, sides.other.shape[1]):
        operation, other = (side[launches[places], own[:, None]] for side in (sides.operation, sides.other))
        interval = median_interval(operation / other, rules.confidence)
        found["launches"][own] = places.shape[1]
        found["operation_us"][own], found["other_us"][own] = np.median(operation, axis=1), np.median(other, axis=1)
        found["ratio"][own] = np.median(operation / other, axis=1)
        found["ratio_low"][own], found["ratio_high"][own] = interval.low, interval.high
    return found | {"launches": found["launches"].astype(np.int64)}


@lru_cache(maxsize=100_000)
def _call(operation: str, size: int, times: int) -> str:
    """`3 × bcast 8 KiB`."""
    text = f"{operation} {numbers.size(size)}" if size else operation
    return f"{times} × {text}" if times > 1 else text


def _tests(sides: Sides, blocks: NDArray[np.int64], rules: Rules) -> tuple[Tests, str]:
    """That the ratio in a launch is beyond the practical threshold, and what the sides are exchanged in.

    Both sides meet the same regime in a launch, which their ratio does not see. What it may still see of a block is
    respected by exchanging the sides in all launches of a block together, where there are blocks enough.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(sides.operation / sides.other) - rules.margin
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
