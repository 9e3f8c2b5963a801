# SPDX-License-Identifier: BSD-3-Clause
"""What the first stage of an upgrade measured of each case, and which of them the second stage followed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record


class ScreenedCase(Record):
    """A case of the first stage: time of the new stack over that of the old one, with its interval.

    `p_value`: of a ratio of 1, for this case alone; `seconds`: that the turns of both stacks took in a block;
    `followed`: whether it was measured again.
    """

    operation: str
    bytes: int
    ratio: float
    low: float
    high: float
    p_value: float
    seconds: float
    followed: bool = False


def seconds_of(cases: Iterable[ScreenedCase]) -> dict[str, float]:
    """Return the seconds of each operation: of all of its cases."""
    seconds: dict[str, float] = defaultdict(float)
    for case in cases:
        seconds[case.operation] += case.seconds
    return dict(seconds)


class Screening(Record):
    """The first stage of an upgrade.

    `run`: its folder's name; `blocks`: how many it has; `threshold`: the practical one, as a share; `left`: operations
    that seem to have changed and are not followed; `wrong`: by stack, operations that delivered wrong data, of which no
    case is listed.
    """

    schema_version: Literal[1] = 1
    old: str
    new: str
    run: str
    blocks: int
    threshold: float
    cases: list[ScreenedCase]
    left: list[str] = Field(default=[])
    wrong: dict[str, list[str]] = Field(default={})

    @property
    def wrong_in_words(self) -> str:
        """What delivers wrong data, as a sentence; empty if nothing does."""
        parts = [f"{', '.join(operations)} with {stack}" for stack, operations in self.wrong.items()]
        return f"Wrong data, and therefore not compared: {'; '.join(parts)}." if parts else ""

    @property
    def followed(self) -> list[ScreenedCase]:
        """The cases that were measured again."""
        return [case for case in self.cases if case.followed]
