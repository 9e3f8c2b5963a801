# SPDX-License-Identifier: BSD-3-Clause
"""Whether the values of a run agree with a published sentence.

Each check is a set of comparisons. One that the intervals refute makes the run differ from the sentence; otherwise one
that lacks a value makes it not measured, and one that the intervals do not decide makes it inconclusive. Only if the
intervals show all of them does the run agree.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan, nan
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.postprocess.subjects.published import wording
from isochron.postprocess.subjects.published.quantity import Margins, Measured, measured
from isochron.schemas.input.published_findings import (
    Bounds,
    Cell,
    Check,
    Departs,
    Differ,
    Fastest,
    Follows,
    Order,
    Ratio,
    Value,
    quantities,
)

AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED = "agrees", "differs", "inconclusive", "not measured"
NOTHING = Measured(nan, nan, nan)


@dataclass(frozen=True)
class Result:
    """The outcome, what the run has in words, and the number that was compared, if it is one."""

    outcome: str
    text: str
    number: Measured = NOTHING
    unit: str = ""


class SeveralRows(LookupError):
    """Several rows where a check compares one."""


def results(check: Check, tables: Sequence[pd.DataFrame], margins: Margins) -> Iterator[tuple[dict[Any, Any], Result]]:
    """The result for each value of the key columns that the check leaves open: of each stack, size, placement …

    `tables`: the rows of each of its quantities (`select`).
    """
    keys = _open_keys(check, tables)
    rows = [table[keys] for table in tables if len(table)]
    if not rows:
        yield {}, Result(NOT_MEASURED, f"Not measured: {wording.rows(next(quantities(check)))}.")
        return
    for case in pd.concat(rows).drop_duplicates().to_dict("records") if keys else [{}]:
        parts = [_matching(table, case) for table in tables]
        try:
            yield case, CHECKS[type(check)](check, parts, margins)
        except SeveralRows as error:
            yield case, Result(INCONCLUSIVE, f"The sentence does not say which of these is meant: {error}.")


def _open_keys(check: Check, tables: Sequence[pd.DataFrame]) -> list[str]:
    rows = [item for quantity in quantities(check) for item in quantity.rows.items()]
    fixed = {column for column, cells in rows if not isinstance(cells, list)}
    fixed |= {"processes"} if isinstance(check, Follows | Departs) else {getattr(check, "along", "")}
    return [key for key in RESULT_KEY if key not in fixed and all(key in table for table in tables)]


def _matching(table: pd.DataFrame, case: Mapping[Any, Any]) -> pd.DataFrame:
    chosen = pd.Series(True, index=table.index)
    for column, content in case.items():
        chosen &= table[column] == content
    return table[chosen]


def _single(rows: pd.DataFrame) -> Measured | None:
    """The value of the only row; None without one. Raises SeveralRows."""
    if len(rows) > 1:
        raise SeveralRows(", ".join(numbers.significant(number) for number in rows["value"].head(5)))
    return measured(rows.iloc[0].to_dict()) if len(rows) else None


def _by(rows: pd.DataFrame, along: str, cells: Sequence[Cell]) -> dict[Cell, Measured]:
    """The values by the cells of a column, those that there are, in this order."""
    values = ((content, _single(rows[rows[along] == content])) for content in cells)
    return {content: number for content, number in values if number is not None}


def outcome(comparisons: Sequence[bool | None], *, complete: bool) -> str:
    """The outcome of comparisons: True, False, None if intervals do not decide. `complete`: no value is missing."""
    if any(comparison is False for comparison in comparisons):
        return DIFFERS
    if not complete:
        return NOT_MEASURED
    return AGREES if all(comparisons) else INCONCLUSIVE


def _bounded(check: Bounds, number: Measured, unit: str, values: str = "") -> Result:
    """`values`: those that the number is calculated from, in words."""
    text = f"{wording.value(number, unit)}{': ' if values else ''}{values}."
    return Result(outcome([number.within(*check.ends)], complete=True), text, number, unit)


def check_value(check: Value, parts: Sequence[pd.DataFrame], _: Margins) -> Result:
    """One value within bounds."""
    number = _single(parts[0])
    if number is None:
        return Result(NOT_MEASURED, f"Not measured: {wording.rows(check.quantity)}.")
    return _bounded(check, number, wording.unit(check.quantity))


def check_ratio(check: Ratio, parts: Sequence[pd.DataFrame], _: Margins) -> Result:
    """The ratio of two values within bounds."""
    of, to = (_single(part) for part in parts)
    if of is None or to is None:
        lacking = check.of if of is None else check.to
        return Result(NOT_MEASURED, f"Not measured: {wording.rows(lacking)}.")
    number = of.over(to)
    values = (wording.value(each, wording.unit(quantity)) for each, quantity in ((of, check.of), (to, check.to)))
    return _bounded(check, number, wording.RATIO, " and ".join(values))


def check_differ(check: Differ, parts: Sequence[pd.DataFrame], margins: Margins) -> Result:
    """The ratio of the largest to the smallest value beyond the practical threshold."""
    values = _by(parts[0], check.along, parts[0][check.along].drop_duplicates().tolist())
    if len(values) < 2:
        return Result(NOT_MEASURED, f"Measured for one {check.along} only.")
    ordered = sorted(values.values(), key=lambda each: each.value)
    number = ordered[-1].over(ordered[0])
    text = f"{wording.value(number, wording.RATIO)}: {_listed(values, check)}."
    return Result(outcome([_above(number, 1 + margins.threshold)], complete=True), text, number, wording.RATIO)


def _listed(values: Mapping[Cell, Measured], check: Differ | Order | Fastest) -> str:
    """`reduce 120 µs, bcast 150 µs`."""
    return ", ".join(
        f"{wording.cell(check.along, content)} {wording.value(number, wording.unit(check.quantity))}"
        for content, number in values.items()
    )


def check_order(check: Order, parts: Sequence[pd.DataFrame], _: Margins) -> Result:
    """Values that rise in the listed order."""
    values = _by(parts[0], check.along, check.order)
    comparisons = [one.at_most(other) for one, other in pairwise(values.values())]
    return _compared(comparisons, values, check, check.order)


def check_fastest(check: Fastest, parts: Sequence[pd.DataFrame], _: Margins) -> Result:
    """One value that is below all others."""
    values = _by(parts[0], check.along, check.among)
    first = values.get(check.fastest)
    comparisons = [first.at_most(number) for number in values.values() if number is not first] if first else []
    ordered = dict(sorted(values.items(), key=lambda item: item[1].value))
    return _compared(comparisons, ordered, check, check.among)


def _compared(
    comparisons: Sequence[bool | None], values: Mapping[Cell, Measured], check: Order | Fastest, cells: Sequence[Cell]
) -> Result:
    """`cells`: those that should have a value."""
    missing = [wording.cell(check.along, content) for content in cells if content not in values]
    texts = [f"{_listed(values, check)}."] if values else []
    texts += [f"Not measured: {numbers.listing(missing)}."] if missing else []
    made = numbers.listing(list(dict.fromkeys(number.made for number in values.values() if number.made)))
    return Result(outcome(comparisons, complete=not missing), " ".join(texts), Measured(nan, nan, nan, made))


def _beside_models(rows: pd.DataFrame, check: Follows | Departs, tolerance: float) -> Iterator[tuple[int, Measured]]:
    """Process counts and measured / nearest model: 1 from the least model to the largest, with the tolerance."""
    chosen = rows[rows["algorithm"].isin(check.algorithms) & rows["processes"].isin(check.processes)]
    for processes, models in chosen.groupby("processes"):
        ratios = sorted((measured(row) for row in models.to_dict("records")), key=lambda ratio: ratio.value)
        yield int(str(processes)), _beyond(to_largest=ratios[0], to_least=ratios[-1], tolerance=tolerance)


def _beyond(to_largest: Measured, to_least: Measured, tolerance: float) -> Measured:
    """The ratio to the nearest model from those to the largest and to the least one, the value and both ends."""

    def nearest(to_largest: float, to_least: float) -> float:
        if to_largest > 1 + tolerance:
            return to_largest
        if to_least < 1 / (1 + tolerance):
            return to_least
        return nan if isnan(to_least) else 1.0

    return Measured(
        nearest(to_largest.value, to_least.value),
        nearest(to_largest.low, to_least.low),
        nearest(to_largest.high, to_least.high),
        to_largest.made,
    )


def check_follows(check: Follows, parts: Sequence[pd.DataFrame], margins: Margins) -> Result:
    """A curve within the band of its models at all process counts."""
    ratios = dict(_beside_models(parts[0], check, margins.tolerance))
    return _beside(check, ratios, [ratio.within(1, 1) for ratio in ratios.values()])


def check_departs(check: Departs, parts: Sequence[pd.DataFrame], margins: Margins) -> Result:
    """A curve above the band of its models beyond a process count, and within it up to there."""
    ratios = dict(_beside_models(parts[0], check, margins.tolerance))
    if check.beyond is None:
        comparisons = [_above(ratios[max(ratios)])] if _complete(check, ratios) else []
    else:
        comparisons = [
            _above(ratio) if processes > check.beyond else ratio.within(1, 1) for processes, ratio in ratios.items()
        ]
    return _beside(check, ratios, comparisons)


def _complete(check: Follows | Departs, ratios: Mapping[int, Measured]) -> bool:
    return set(check.processes) <= set(ratios)


def _beside(check: Follows | Departs, ratios: Mapping[int, Measured], comparisons: Sequence[bool | None]) -> Result:
    """`ratios`: measured / nearest model by process count."""
    if not ratios:
        return Result(NOT_MEASURED, "Not measured, or not beside these models.")
    reached = outcome(comparisons, complete=_complete(check, ratios))
    return Result(reached, _curve(ratios, check.processes), _worst(ratios), wording.RATIO)


def _above(ratio: Measured, limit: float = 1.0) -> bool | None:
    """Return True if all of the interval is above the limit, False if none of it is, None otherwise."""
    if ratio.low > limit:
        return True
    return False if ratio.high <= limit else None


def _worst(ratios: Mapping[int, Measured]) -> Measured:
    return max(ratios.values(), key=lambda each: max(each.value, 1 / each.value))


def _curve(ratios: Mapping[int, Measured], processes: Sequence[int]) -> str:
    """`Measured / model: 1.20× at 64 processes; it follows the model at 16 and 32. Not measured: 128 processes.`"""
    outside = [
        f"{wording.value(ratio, wording.RATIO)} at {count}" for count, ratio in ratios.items() if ratio.value != 1
    ]
    inside = [str(count) for count, ratio in ratios.items() if ratio.value == 1]
    missing = [str(count) for count in sorted(processes) if count not in ratios]
    parts = [f"Measured / model: {numbers.listing(outside)} processes"] if outside else []
    if inside:
        parts.append(f"{'it' if outside else 'It'} follows the model at {numbers.listing(inside)} processes")
    return f"{'; '.join(parts)}." + (f" Not measured: {numbers.listing(missing)} processes." if missing else "")


#: How each kind of check is made, of the rows of its quantities.
CHECKS: dict[type[Any], Callable[[Any, Sequence[pd.DataFrame], Margins], Result]] = {
    Value: check_value,
    Ratio: check_ratio,
    Differ: check_differ,
    Order: check_order,
    Fastest: check_fastest,
    Follows: check_follows,
    Departs: check_departs,
}
