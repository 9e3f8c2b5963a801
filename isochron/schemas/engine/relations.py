# SPDX-License-Identifier: BSD-3-Clause
"""What the engine's options ask of each other, of operations, sizes and processes: asked as the engine asks it.

The relations are data of the engine's description; here they are applied to one command line, so that a campaign which
the engine would refuse is refused before anything is built.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from isochron.schemas.engine.contract import Condition, Contract, Fact, Operation, Relation, contract, operation
from isochron.schemas.engine.option_values import Words, read_words

#: Facts by name; None: not known.
Find = Callable[[str], Fact]

COMPARE: dict[str, Callable[[float, float], bool]] = {
    "at-most": lambda left, right: left <= right,
    "below": lambda left, right: left < right,
    "at-least": lambda left, right: left >= right,
    "multiple-of": lambda left, right: left % right == 0,
    "power-of-two": lambda left, _: left >= 1 and int(left) & (int(left) - 1) == 0,
}


def holds(condition: Condition, find: Find) -> bool | None:
    """Whether the condition is true of the facts; None where one of them is not known."""
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


def _number(wanted: str | float | None, default: float, find: Find) -> float | None:
    if wanted is None:
        return default
    if not isinstance(wanted, str):
        return wanted
    fact = find(wanted)
    return fact if isinstance(fact, int | float) and not isinstance(fact, bool) else None


def broken(relations: Iterable[Relation], find: Find) -> Relation | None:
    """The first relation that the facts break."""
    for relation in relations:
        if all(holds(condition, find) for condition in relation.when) and holds(relation.require, find) is False:
            return relation
    return None


@cache
def _of(scope: str, effect: str = "refused") -> tuple[Relation, ...]:
    description: Contract = contract()
    return tuple(each for each in description.relations if each.scope == scope and each.effect == effect)


@dataclass(frozen=True)
class CommandLine:
    """What one launch is told: the options that are given, by name with dashes, on so many processes."""

    options: Mapping[str, Fact]
    processes: int

    def find(self, name: str) -> Fact:
        """A fact about the options."""
        plain, _, part = name.partition(".")
        if name == "processes":
            return self.processes
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
        words = read_words(option, str(value))
        if isinstance(words, str):
            return None
        return words.numbers.get(part) if part else words.word

    def datatype(self) -> Words | None:
        """The derived datatype, where one is asked for."""
        words = read_words(contract().option("datatype"), str(self.options.get("datatype", "auto")))
        return words if isinstance(words, Words) and words.size else None


def refusal(line: CommandLine, operations: Iterable[str], sizes: Iterable[int]) -> str:
    """Why the engine would refuse the launch, in its own words; empty where it would not."""
    wrong = broken(_of("options"), line.find) or broken(_of("launch"), line.find)
    if wrong is not None:
        return explain(wrong, line.find)
    asked = [operation(name) for name in operations]
    for each in asked:
        find = _about(line, each)
        wrong = broken(_of("operation"), find)
        if wrong is not None:
            return explain(wrong, find)
    sizes = list(sizes)
    for each in asked:
        if each.shape == "no-data" or broken(_of("operation", "not-supported"), _about(line, each)) is not None:
            continue
        for size in sizes:
            find = _about(line, each, size)
            wrong = broken(_of("case"), find)
            if wrong is not None:
                return explain(wrong, find)
    return ""


def _about(line: CommandLine, each: Operation, size: int | None = None) -> Find:
    """The facts of a launch, an operation and, where it is given, a size in bytes."""

    def find(name: str) -> Fact:
        if name == "operation":
            return each.name
        if name.startswith("operation."):
            fact: Fact = getattr(each, name.removeprefix("operation."))
            return fact
        if name in ("bytes", "element.name", "element.size", "farthest"):
            return None if size is None else _case_fact(line, each, size, name)
        return line.find(name)

    return find


def _case_fact(line: CommandLine, each: Operation, size: int, name: str) -> Fact:
    if name == "bytes":
        return size
    element, width, extent = _element(line, each, size)
    if name == "element.name":
        return element
    if name == "element.size":
        return width
    # The last displacement is no further than if every process had the largest block, twice the mean.
    blocks = 2 if line.options.get("counts") == "unbalanced" else 1
    return math.ceil(blocks * size * (line.processes + 1) * extent / width)


def _element(line: CommandLine, each: Operation, size: int) -> tuple[str, int, int]:
    """Name, bytes of data and extent of the elements of a case."""
    derived = line.datatype()
    wanted = str(line.options.get("datatype", "auto"))
    if each.fixed:
        wanted = "int"
    elif derived is not None:
        return wanted, derived.size, derived.extent
    widths = {datatype.name: datatype.bytes for datatype in contract().datatypes}
    if wanted == "auto":
        wanted = "byte" if not each.reduces else "float" if size % widths["float"] == 0 else "signed char"
    return wanted, widths[wanted], widths[wanted]


def explain(relation: Relation, find: Find) -> str:
    """The relation's text, with facts in the place of their names in braces."""

    def fill(match: re.Match[str]) -> str:
        value = _limit(relation.require, find) if match[1] == "limit" else find(match[1])
        return f"{value:.10g}" if isinstance(value, float) else str(value)

    return re.sub(r"\{([a-z._-]+)\}", fill, relation.text)


def _limit(require: Condition, find: Find) -> Fact:
    """The most that the left side may be."""
    right = _number(require.right, 0.0, find)
    times = _number(require.times, 1.0, find)
    if right is None or not times:
        return None
    return math.floor(right * require.factor / times) - (require.is_ == "below")
