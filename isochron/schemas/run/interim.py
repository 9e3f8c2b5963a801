# SPDX-License-Identifier: BSD-3-Clause
"""`interim.json`: what was decided at each look of a sequential campaign, and what was left open."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record
from isochron.schemas.run.plan import Point


class Comparison(Record):
    """Two stacks in one case."""

    baseline: str
    candidate: str
    operation: str
    bytes: int
    point: Point


class Decided(Comparison):
    """What a look has decided about them: it stays decided."""

    verdict: Literal["slower", "faster", "equivalent"]


class Look(Record):
    """A look after all blocks of the stages up to `stage` (the first is 0), `blocks` for each node count.

    `level`: at which differences were established; `equal_level`: 1 less the confidence of the intervals.
    """

    stage: int
    blocks: int
    level: float
    equal_level: float
    decided: list[Decided]
    open: list[Comparison]


class Looks(Record):
    """All looks so far, in their order."""

    schema_version: Literal[1] = 1
    looks: list[Look] = Field(default=[])
