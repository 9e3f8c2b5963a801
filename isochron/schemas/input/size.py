# SPDX-License-Identifier: BSD-3-Clause
"""Message sizes in a campaign file: whole bytes, or text with a unit."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

#: Factors of the size suffixes that a campaign file may use.
SIZE_UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


def parse_size(value: object) -> object:
    """Turn `64KiB` into bytes; whole numbers pass."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"(\d+)\s*(B|KiB|MiB|GiB)?", value)
    if match is None:
        raise ValueError(f"'{value}' is no size; write a whole number of bytes, or one with B, KiB, MiB or GiB")
    return int(match[1]) * SIZE_UNITS[match[2] or "B"]


Size = Annotated[
    int,
    BeforeValidator(parse_size),
    Field(ge=0, le=2**31 - 1, strict=True),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
                {"type": "string", "pattern": r"^\d+\s*(B|KiB|MiB|GiB)?$"},
            ]
        }
    ),
]
