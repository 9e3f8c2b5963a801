# SPDX-License-Identifier: BSD-3-Clause
"""Values of the engine's options, parsed by the engine's grammar and limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from isochron.schemas.engine.contract import Condition, Fact, Form, Number, Option


@dataclass(frozen=True)
class Words:
    """A text option as it was read: its first word, the numbers by name, and of `pieces` size and extent in bytes."""

    word: str
    numbers: dict[str, float] = field(default_factory=dict)
    size: int = 0
    extent: int = 0


def problem_of(option: Option, value: Fact) -> str:
    """What is wrong with the value of an option, with what would be right; empty where nothing is."""
    if option.kind in ("integer", "real"):
        return _number_problem(option, value)
    if option.kind == "choice":
        good = isinstance(value, str) and value in option.choices
        return "" if good else f"give one of {', '.join(repr(choice) for choice in option.choices)}"
    if option.kind == "text" and option.forms:
        read = read_words(option, str(value))
        return read if isinstance(read, str) else ""
    return ""


def _number_problem(option: Option, value: Fact) -> str:
    whole = option.kind == "integer"
    kind = "a whole number" if whole else "a number"
    wanted = f"give {kind} from {option.low:.10g} to {option.high:.10g}"
    if isinstance(value, bool) or not isinstance(value, int | float) or (whole and not isinstance(value, int)):
        return wanted
    return "" if option.low is not None and option.high is not None and option.low <= value <= option.high else wanted


def read_words(option: Option, text: str) -> Words | str:
    """The words of a text option, or what is wrong with them."""
    first, colon, rest = text.partition(":")
    for form in option.forms:
        if form.word == first and bool(colon) == (form.kind != "word"):
            return _read_form(form, rest) or f"give {option.value}"
    return f"give {option.value}"


def _read_form(form: Form, rest: str) -> Words | str:
    """The numbers of a form; empty where they are not what it takes."""
    if form.kind == "word":
        return Words(form.word)
    if form.kind == "text":
        return Words(form.word) if rest else ""
    if form.kind == "pieces":
        return _read_pieces(form, rest)
    parts = rest.split(":")
    if len(parts) != len(form.numbers):
        return ""
    numbers = _numbers(form.numbers, parts)
    if numbers is None:
        return ""
    for rule in form.rules:
        if not _holds(rule, numbers):
            return f"{rule.left} must be {rule.is_.replace('-', ' ')} {_right(rule, numbers):.10g}" + (
                f" together with {rule.times}" if rule.times else ""
            )
    size = round(numbers.get("COUNT", 0) * numbers.get("BLOCK", 0))
    return Words(form.word, numbers, size, round(numbers.get("COUNT", 0) * numbers.get("STRIDE", 0)))


def _read_pieces(form: Form, rest: str) -> Words | str:
    """`LENGTH@PLACE,…`: each piece begins where the one before it ends, or later."""
    pieces = rest.split(",")
    if form.most is not None and len(pieces) > form.most:
        return f"give at most {form.most} pieces"
    size = end = 0
    for piece in pieces:
        numbers = _numbers(form.numbers, piece.split("@")) if piece.count("@") == 1 else None
        if numbers is None:
            return ""
        if not all(_holds(rule, {**numbers, "END": end}) for rule in form.rules):
            return "the pieces must be in ascending order and must not overlap"
        size += round(numbers["LENGTH"])
        end = round(numbers["PLACE"] + numbers["LENGTH"])
    return Words(form.word, {}, size, end)


def _numbers(wanted: list[Number], texts: list[str]) -> dict[str, float] | None:
    numbers = {}
    for number, text in zip(wanted, texts, strict=True):
        pattern = r"\d{1,18}" if number.kind == "integer" else r"\d{1,12}(\.\d{1,12})?"
        if not re.fullmatch(pattern, text, re.ASCII) or not number.low <= float(text) <= number.high:
            return None
        numbers[number.name] = int(text) if number.kind == "integer" else float(text)
    return numbers


def _right(rule: Condition, numbers: dict[str, float]) -> float:
    return numbers[rule.right] if isinstance(rule.right, str) else float(rule.right or 0)


def _holds(rule: Condition, numbers: dict[str, float]) -> bool:
    left = numbers[rule.left] * (numbers[rule.times] if rule.times else 1)
    right = _right(rule, numbers)
    return left >= right if rule.is_ == "at-least" else left <= right
