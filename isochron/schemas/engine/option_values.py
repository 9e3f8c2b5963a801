# SPDX-License-Identifier: BSD-3-Clause
"""Values of the engine's options, parsed by the engine's grammar and limits."""

import re
from dataclasses import dataclass, field

from isochron.schemas.engine.contract import Condition, Fact, Form, Number, Option


@dataclass(frozen=True)
class TextValue:
    """A parsed text option: its first word, the numbers by name, and size and extent in bytes of a derived datatype."""

    word: str
    numbers: dict[str, float] = field(default_factory=dict)
    size: int = 0
    extent: int = 0


def find_problem(option: Option, value: Fact) -> str:
    """Return the remedy for an invalid value of an option; empty if the value is valid."""
    if option.kind in ("integer", "real"):
        return _number_problem(option, value)
    if option.kind == "choice":
        valid = isinstance(value, str) and value in option.choices
        return "" if valid else f"give one of {', '.join(repr(choice) for choice in option.choices)}"
    if option.kind == "text" and option.forms:
        parsed = parse_text_value(option, str(value))
        return parsed if isinstance(parsed, str) else ""
    return ""


def _number_problem(option: Option, value: Fact) -> str:
    is_integer = option.kind == "integer"
    kind = "a whole number" if is_integer else "a number"
    remedy = f"give {kind} from {option.low:.10g} to {option.high:.10g}"
    if isinstance(value, bool) or not isinstance(value, int | float) or (is_integer and not isinstance(value, int)):
        return remedy
    return "" if option.low is not None and option.high is not None and option.low <= value <= option.high else remedy


def parse_text_value(option: Option, text: str) -> TextValue | str:
    """Parse a text option; a text is the remedy for an invalid one."""
    first, colon, rest = text.partition(":")
    for form in option.forms:
        if form.word == first and bool(colon) == (form.kind != "word"):
            return _read_form(form, rest) or f"give {option.value}"
    return f"give {option.value}"


def _read_form(form: Form, rest: str) -> TextValue | str:
    """Parse the numbers of a form; empty if they do not match it."""
    if form.kind == "word":
        return TextValue(form.word)
    if form.kind == "text":
        return TextValue(form.word) if rest else ""
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
    return TextValue(form.word, numbers, size, round(numbers.get("COUNT", 0) * numbers.get("STRIDE", 0)))


def _read_pieces(form: Form, rest: str) -> TextValue | str:
    """Parse `LENGTH@PLACE,…`: pieces in ascending order that do not overlap."""
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
    return TextValue(form.word, {}, size, end)


def _numbers(expected: list[Number], texts: list[str]) -> dict[str, float] | None:
    numbers = {}
    for number, text in zip(expected, texts, strict=True):
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
