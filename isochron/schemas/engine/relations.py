# SPDX-License-Identifier: BSD-3-Clause
"""Relations between the engine's options, operations, sizes and processes, evaluated as by the engine.

The relations are data of the engine's description. They are applied to one command line, so that a campaign which the
engine would refuse is refused before anything is built.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from isochron.schemas.engine.contract import (
    Condition,
    Contract,
    Fact,
    Operation,
    Relation,
    contract,
    fits_datatype,
    operation,
)
from isochron.schemas.engine.groups import ALL, smallest_group
from isochron.schemas.engine.option_values import TextValue, parse_text_value

#: Variables by name; None if unknown.
Find = Callable[[str], Fact]

COMPARE: dict[str, Callable[[float, float], bool]] = {
    "at-most": lambda left, right: left <= right,
    "below": lambda left, right: left < right,
    "at-least": lambda left, right: left >= right,
    "multiple-of": lambda left, right: left % right == 0,
    "power-of-two": lambda left, _: left >= 1 and int(left) & (int(left) - 1) == 0,
}


def evaluate(condition: Condition, find: Find) -> bool | None:
    """Return whether the condition is true; None if one of its variables is unknown."""
    left = find(condition.left)
    if left is None:
        return None
    if isinstance(left, bool):
        return left == (condition.is_ == "true")
    if isinstance(left, str):
        return (left in condition.words) == (condition.is_ == "is")
    times = _number(condition.times, 1.0, find)
    right = _number(condition.right, 0.0, find)
    if times is None or right is None:
        return None
    return COMPARE[condition.is_](left * times, right * condition.factor)


def _number(entry: str | float | None, default: float, find: Find) -> float | None:
    if entry is None:
        return default
    if not isinstance(entry, str):
        return entry
    fact = find(entry)
    return fact if isinstance(fact, int | float) and not isinstance(fact, bool) else None


def find_violation(relations: Iterable[Relation], find: Find) -> Relation | None:
    """Return the first relation that is violated."""
    for relation in relations:
        if all(evaluate(condition, find) for condition in relation.when) and evaluate(relation.require, find) is False:
            return relation
    return None


@cache
def _relations(scope: str, effect: str = "refused") -> tuple[Relation, ...]:
    description: Contract = contract()
    return tuple(
        relation for relation in description.relations if relation.scope == scope and relation.effect == effect
    )


@dataclass(frozen=True)
class CommandLine:
    """The options of one launch that are set, by name with dashes, and its number of processes."""

    options: Mapping[str, Fact]
    processes: int

    def find(self, name: str) -> Fact:
        """Return the value of a variable; None if unknown."""
        plain, _, part = name.partition(".")
        if name == "processes":
            return self.processes
        if name == "smallest-group":
            return smallest_group(str(self.options.get("groups", ALL)), self.processes)
        if name == "check-options":
            return True
        if part == "given":
            return plain in self.options or plain in ("operations", "sizes")
        if plain not in self.options and not any(option.name == plain for option in contract().options):
            return None
        option = contract().option(plain)
        value = self.options.get(plain, option.default)
        if not option.forms:
            return value
        parsed = parse_text_value(option, str(value))
        if isinstance(parsed, str):
            return None
        return parsed.numbers.get(part) if part else parsed.word

    def datatype(self) -> TextValue | None:
        """Return the derived datatype; None if the datatype is basic."""
        parsed = parse_text_value(contract().option("datatype"), str(self.options.get("datatype", "auto")))
        return parsed if isinstance(parsed, TextValue) and parsed.size else None


def refusal(
    line: CommandLine,
    operations: Iterable[str],
    sizes: Sequence[int],
    sizes_by_operation: Mapping[str, Sequence[int]] = MappingProxyType({}),
) -> str:
    """Return the message with which the engine would refuse the launch; empty if it would not.

    `sizes_by_operation`: those of operations that are not measured at all sizes.
    """
    violation = find_violation(_relations("options"), line.find) or find_violation(_relations("launch"), line.find)
    if violation is not None:
        return explain(violation, line.find)
    measured = [operation(name) for name in operations]
    for entry in measured:
        find = _variables(line, entry)
        violation = find_violation(_relations("operation"), find)
        if violation is not None:
            return explain(violation, find)
    for entry in measured:
        if (
            entry.shape == "no-data"
            or find_violation(_relations("operation", "not-supported"), _variables(line, entry)) is not None
        ):
            continue
        if sizes and not any(fits_datatype(entry.name, size) for size in sizes):
            return _no_size_fits_datatype(entry)
        for size in sizes_by_operation.get(entry.name, sizes):
            if not fits_datatype(entry.name, size):
                continue
            find = _variables(line, entry, size)
            violation = find_violation(_relations("case"), find)
            if violation is not None:
                return explain(violation, find)
    return ""


def _no_size_fits_datatype(entry: Operation) -> str:
    named = entry.named_datatype
    assert named is not None
    return (
        f"--sizes: none is a multiple of the datatype of {entry.name}, {named.datatype} ({named.bytes} bytes); add one"
    )


def _variables(line: CommandLine, entry: Operation, size: int | None = None) -> Find:
    """Return the variables of a launch, an operation and, if given, a size in bytes."""

    def find(name: str) -> Fact:
        if name == "operation":
            return entry.name
        if name.startswith("operation."):
            fact: Fact = getattr(entry, name.removeprefix("operation."))
            return fact
        if name in ("bytes", "element.name", "element.size", "farthest"):
            return None if size is None else _case_variable(line, entry, size, name)
        return line.find(name)

    return find


def _case_variable(line: CommandLine, entry: Operation, size: int, name: str) -> Fact:
    if name == "bytes":
        return size
    element, width, extent = _element(line, entry, size)
    if name == "element.name":
        return element
    if name == "element.size":
        return width
    # The last displacement is at most that of processes which all have the largest block, twice the mean.
    blocks = 2 if line.options.get("counts") == "unbalanced" else 1
    return math.ceil(blocks * size * (line.processes + 1) * extent / width)


def _element(line: CommandLine, entry: Operation, size: int) -> tuple[str, int, int]:
    """Name, bytes of data and extent of the elements of a case."""
    derived = line.datatype()
    name = str(line.options.get("datatype", "auto"))
    if entry.named_datatype is not None:
        return entry.named_datatype.datatype, entry.named_datatype.bytes, entry.named_datatype.extent
    if entry.fixed:
        name = "int"
    elif derived is not None:
        return name, derived.size, derived.extent
    widths = {datatype.name: datatype.bytes for datatype in contract().datatypes}
    if name == "auto":
        name = "byte" if not entry.reduces else "float" if size % widths["float"] == 0 else "signed char"
    return name, widths[name], widths[name]


def explain(relation: Relation, find: Find) -> str:
    """Format the relation's text: names in braces are replaced by their values."""

    def fill(match: re.Match[str]) -> str:
        value = _limit(relation.require, find) if match[1] == "limit" else find(match[1])
        return f"{value:.10g}" if isinstance(value, float) else str(value)

    return re.sub(r"\{([a-z._-]+)\}", fill, relation.text)


def _limit(require: Condition, find: Find) -> Fact:
    """Return the maximum of the left side."""
    right = _number(require.right, 0.0, find)
    times = _number(require.times, 1.0, find)
    if right is None or not times:
        return None
    return math.floor(right * require.factor / times) - (require.is_ == "below")
