# SPDX-License-Identifier: BSD-3-Clause
"""All mistakes of a campaign file, each as `key: what is wrong; what to do`."""

import re
from collections.abc import Sequence
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from isochron.common.files import FileError, close_to, suggest
from isochron.schemas.base import key_path, other_format
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.limits import COMMAND
from isochron.schemas.input.spec import NAME

#: Maximum number of mistakes listed: more usually have one cause.
MAX_LISTED = 12

#: Remedies by pydantic's error type.
REMEDIES = {
    "missing": "is missing; add it",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "string_type": "must be text; put it in quotes if it looks like a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list, as in [a, b]",
    "too_short": "is empty; list at least one entry",
    "model_type": "must be a mapping of keys to values",
    "model_attributes_type": "must be a mapping of keys to values",
}

#: Remedies by the pattern that a text does not match.
PATTERNS = {
    NAME: "must have small letters, digits, '.', '_' and '-' only, begin with a letter or digit, and have "
    "at most 64 characters",
    COMMAND: "is empty; give a command, or remove the key",
}


def valid_campaign(document: object, where: str) -> Campaign:
    """Return a campaign that a command has made. Raises FileError with all mistakes; `where`: what to name first."""
    try:
        return Campaign.model_validate(document)
    except ValidationError as error:
        raise FileError(f"{where}: {join_mistakes(mistakes_of(error))}") from error


def join_mistakes(mistakes: Sequence[str]) -> str:
    """Join mistakes to a message: one in a single line, several as a list."""
    if len(mistakes) == 1:
        return mistakes[0]
    listed = [f"  {mistake}" for mistake in mistakes[:MAX_LISTED]]
    if len(mistakes) > MAX_LISTED:
        listed.append(f"  and {len(mistakes) - MAX_LISTED} more")
    return "\n".join([f"{len(mistakes)} mistakes", *listed])


def mistakes_of(error: ValidationError) -> list[str]:
    """Return every mistake once. The key for which an unknown one is a misspelling is not reported as missing."""
    problems = error.errors()
    misspelt = {_intended(problem) for problem in problems if problem["type"] == "extra_forbidden"}
    mistakes: list[str] = []
    for problem in sorted(problems, key=lambda problem: problem["type"] != "extra_forbidden"):
        if problem["type"] == "missing" and _key(problem) in misspelt:
            continue
        mistakes += _messages(problem)
    return list(dict.fromkeys(mistakes))


def _messages(problem: ErrorDetails) -> list[str]:
    """Return the messages of one problem: a check of the whole file may report several."""
    if problem["type"] == "extra_forbidden":
        return [_unknown_key(problem)]
    key, value = _key(problem), problem["input"]
    if other_format(problem):
        return [f"{key}: {other_format(problem)}"]
    if problem["type"] == "value_error":
        return [f"{key}: {text}" if key else text for text in _plain(problem).split("\n")]
    text = REMEDIES.get(problem["type"]) or PATTERNS.get(problem.get("ctx", {}).get("pattern", "")) or _plain(problem)
    if isinstance(value, str):
        text += _suggest_value(value, problem["type"])
    if isinstance(value, str | int | float) and problem["type"] != "missing":
        text += f" (found {value!r})"
    return [f"{key}: {text}" if key else text]


def _suggest_value(value: str, kind: str) -> str:
    """Return a hint at the probable value: 0.05 for `5%`, a name without capital letters."""
    percent = re.fullmatch(r"\s*(\d{1,3}(?:\.\d+)?)\s*%\s*", value)
    if percent and kind == "float_parsing":
        return f"; write {float(percent[1]) / 100:g}"
    if kind == "string_pattern_mismatch":
        meant = re.sub(r"[^a-z0-9._-]+", "-", value.strip().lower()).strip("-._")
        return f"; write '{meant}'" if meant and re.fullmatch(NAME, meant) and meant != value else ""
    return ""


def _key(problem: ErrorDetails) -> str:
    return key_path(part for part in problem["loc"] if not str(part).startswith("function-"))


def _plain(problem: ErrorDetails) -> str:
    text = problem["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return text[:1].lower() + text[1:]


def _intended(problem: ErrorDetails) -> str:
    """Return the key of which an unknown one may be a misspelling; empty if none is similar."""
    *parents, key = [str(part) for part in problem["loc"]]
    close = close_to(key, _keys(parents))
    return key_path([*problem["loc"][:-1], close]) if close else ""


def _keys(parents: Sequence[str]) -> list[str]:
    """Return the keys of a section."""
    section: type[BaseModel] = Campaign
    for parent in parents:
        field = section.model_fields.get(parent)  # None: an index of a list, or a name that the user chose
        annotation = None if field is None else field.annotation
        for kind in (annotation, *get_args(annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                section = kind
    return [field.alias or name for name, field in section.model_fields.items()]


def _unknown_key(problem: ErrorDetails) -> str:
    *parents, key = [str(part) for part in problem["loc"]]
    where = key_path(problem["loc"])
    names = _keys(parents)
    hint = suggest(key, names) or f"; the keys of this section are {', '.join(names)}"
    return f"{where}: unknown key{hint}"
