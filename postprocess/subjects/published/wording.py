# SPDX-License-Identifier: BSD-3-Clause
"""Checks of published sentences, and the values of a run that they compare, in words."""

from collections.abc import Iterable
from functools import singledispatch
from math import isfinite

from isochron.postprocess.formatting import numbers
from isochron.postprocess.subjects.published.quantity import Margins, Measured
from isochron.schemas.input.published_findings import (
    Bounds,
    Cell,
    Check,
    Departs,
    Differ,
    Fastest,
    Follows,
    Order,
    Quantity,
    Ratio,
    Value,
)

#: Units by the end of a column's name; of all others the value is a ratio.
UNITS = {"_us": "µs", "mb_per_s": "MB/s", "mib_per_s": "MiB/s", "_share": "of all"}
RATIO = "×"
#: Columns that count something, and their name for one of it.
ONE = {"processes": "process", "pairs": "pair"}
#: From this many µs on times are in ms.
MS = 1000.0


def unit(quantity: Quantity) -> str:
    """The unit of a quantity."""
    name = "" if quantity.over else quantity.column
    return next((unit for end, unit in UNITS.items() if name.endswith(end)), RATIO)


def amount(number: float, unit: str, digits: int = 3) -> str:
    """A number with its unit: `2.60 ms`, `1.24×`, `50 %`."""
    if unit == UNITS["_share"]:
        return numbers.percent(number)
    if unit == UNITS["_us"] and number < MS:
        return f"{numbers.microseconds(number, digits)} {unit}"
    if unit == UNITS["_us"]:
        number, unit = number / MS, "ms"
    return f"{numbers.significant(number, digits)}{'' if unit == RATIO else ' '}{unit}"


def value(measured: Measured, unit: str) -> str:
    """`2.60 ms`; the interval if these digits show one, and how it was obtained if it was not run."""
    text = amount(measured.value, unit)
    if isfinite(measured.low) and isfinite(measured.high):
        ends = [amount(end, unit) for end in (measured.low, measured.high)]
        text += f" [{'; '.join(ends)}]" if {*ends} != {text} else ""
    return f"{text} ({measured.made})" if measured.made else text


def cell(column: str, content: Cell) -> str:
    """A cell of a key column: `16 KiB`, `8192 processes`, `8 per node`, `reduce`."""
    if column == "bytes":
        return numbers.size(int(content)) if int(content) else "no data"
    if column in ONE:
        return f"{content} {ONE[column] if int(content) == 1 else column}"
    return f"{content} per node" if column == "processes_per_node" else str(content)


def rows(quantity: Quantity) -> str:
    """`16 KiB, 8192 processes`: the rows that a quantity names."""
    cells = {column: content if isinstance(content, list) else [content] for column, content in quantity.rows.items()}
    return ", ".join(_either([cell(column, each) for each in content]) for column, content in cells.items())


def _either(cells: list[str]) -> str:
    """`alternating or one-site`; of more than four the first and the last."""
    return " or ".join(cells) if len(cells) < 5 else f"{cells[0]} … {cells[-1]} ({len(cells)} in all)"


def bounds(check: Bounds, unit: str) -> str:
    """`at least 2.28 ms`, `between 380 and 420 µs`."""
    low, high = check.ends
    if not isfinite(high):
        return f"at least {amount(low, unit, 4)}"
    if not isfinite(low):
        return f"at most {amount(high, unit, 4)}"
    return f"between {amount(low, unit, 4)} and {amount(high, unit, 4)}"


def model(algorithms: list[str]) -> str:
    """`the model of ring`, `between the models of Bruck and pairwise`."""
    if len(algorithms) == 1:
        return f"at the model of {algorithms[0]}"
    return f"at or between the models of {numbers.listing(algorithms)}"


def _counts(processes: Iterable[int]) -> str:
    """`16 to 8192 processes`."""
    listed = sorted(processes)
    return f"{listed[0]} to {listed[-1]} processes"


@singledispatch
def expected(check: Check, margins: Margins) -> str:  # noqa: ARG001
    """What is compared, and what of it agrees."""
    raise TypeError(type(check))


@expected.register
def _(check: Value, margins: Margins) -> str:  # noqa: ARG001
    return f"{rows(check.quantity)}: {bounds(check, unit(check.quantity))}"


@expected.register
def _(check: Ratio, margins: Margins) -> str:  # noqa: ARG001
    return f"{rows(check.of)} over {rows(check.to)}: {bounds(check, RATIO)}"


@expected.register
def _(check: Differ, margins: Margins) -> str:
    threshold = numbers.given_percent(margins.threshold)
    return f"{rows(check.quantity)}: more than {threshold} from the smallest to the largest by {check.along}"


@expected.register
def _(check: Order, margins: Margins) -> str:  # noqa: ARG001
    return f"{rows(check.quantity)}: rising from {' to '.join(cell(check.along, each) for each in check.order)}"


@expected.register
def _(check: Fastest, margins: Margins) -> str:  # noqa: ARG001
    others = [cell(check.along, each) for each in check.among if each != check.fastest]
    return f"{rows(check.quantity)}: {cell(check.along, check.fastest)} before {numbers.listing(others)}"


@expected.register
def _(check: Follows, margins: Margins) -> str:
    return (
        f"{rows(check.quantity)}: {model(check.algorithms)}, within {numbers.given_percent(margins.tolerance)}, with "
        f"{_counts(check.processes)}"
    )


@expected.register
def _(check: Departs, margins: Margins) -> str:
    where = "from some process count on"
    if check.beyond is not None:
        where = f"beyond {check.beyond} processes, not before" if check.beyond else "at all process counts"
    above = f"more than {numbers.given_percent(margins.tolerance)} above {model(check.algorithms)[3:]}"
    return f"{rows(check.quantity)}: {above} {where}, of {_counts(check.processes)}"
