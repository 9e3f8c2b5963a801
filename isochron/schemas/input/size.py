# SPDX-License-Identifier: BSD-3-Clause
"""Message sizes in a campaign file: whole bytes, text with a unit, or a range of them."""

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from isochron.schemas.engine.contract import contract

#: Factors of the size suffixes that a campaign file may use.
SIZE_UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


def parse_size(value: object) -> object:
    """Turn `64KiB` into bytes; whole numbers pass."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"(\d+)\s*(B|KiB|MiB|GiB)?", value)
    if match is None:
        raise ValueError(f"'{value}' is not a size; write {_suggest_size(value)}")
    return int(match[1]) * SIZE_UNITS[match[2] or "B"]


def _suggest_size(text: str) -> str:
    """Return what to write instead: `1KiB (1024 bytes)` for 1kb, 1K and the like."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*(b|[kmg]i?b?)\s*", text, re.IGNORECASE)
    general = "an integer with an optional unit B, KiB, MiB or GiB"
    if match is None:
        return general
    unit = next(unit for unit in SIZE_UNITS if unit[0] == match[2][0].upper())
    return f"{match[1]}{unit} ({int(match[1]) * SIZE_UNITS[unit]} bytes), or {general}"


#: Largest size: MPI counts are of type int.
MAX_SIZE = 2**31 - 1

#: The last step of a range: a factor, or bytes that are added.
STEP = re.compile(r"([x+])(\d.*)")
UNITS = "(B|KiB|MiB|GiB)?"

#: A single size, in a JSON schema.
SIZE_PATTERN = rf"^\d+\s*{UNITS}$"

Size = Annotated[
    int,
    BeforeValidator(parse_size),
    Field(ge=0, le=MAX_SIZE, strict=True),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": MAX_SIZE},
                {"type": "string", "pattern": SIZE_PATTERN},
                {"type": "string", "pattern": rf"^\d+\s*{UNITS}:\d+\s*{UNITS}:(x\d+|\+\d+\s*{UNITS})$"},
            ]
        }
    ),
]


def expand_sizes(value: object) -> object:
    """Expand the ranges of a list, by the engine's rules for `--sizes`."""
    if not isinstance(value, list):
        return value
    sizes: list[object] = []
    for entry in value:
        sizes += size_range(entry) if isinstance(entry, str) and ":" in entry else [entry]
    return sizes


def size_range(text: str) -> list[int]:
    """Return the sizes of `MIN:MAX:xFACTOR` or `MIN:MAX:+STEP`, from MIN to at most MAX. Raises ValueError."""
    parts = [part.strip() for part in text.split(":")]
    step = STEP.fullmatch(parts[-1])
    if len(parts) != 3 or step is None or (step[1] == "x" and not step[2].isdigit()):
        raise ValueError(f"'{text}': a range is MIN:MAX:xFACTOR or MIN:MAX:+STEP, as 8:1MiB:x2")
    low, high, by = (_bytes(part) for part in (parts[0], parts[1], step[2]))
    if low > high:
        raise ValueError(f"'{text}': MIN is larger than MAX; swap them")
    if step[1] == "x" and (low < 1 or by < 2):
        raise ValueError(f"'{text}': xFACTOR needs MIN of at least 1 and a factor of at least 2")
    if by < 1:
        raise ValueError(f"'{text}': the step must be at least 1")
    limit, sizes = contract().limits.sizes, [low]
    while (larger := sizes[-1] * by if step[1] == "x" else sizes[-1] + by) <= high:
        if len(sizes) == limit:
            raise ValueError(f"'{text}': more than {limit} sizes; choose a larger step")
        sizes.append(larger)
    return sizes


def _bytes(text: str) -> int:
    parsed = parse_size(text)
    assert isinstance(parsed, int)
    return parsed
