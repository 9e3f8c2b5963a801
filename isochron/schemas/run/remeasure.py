# SPDX-License-Identifier: BSD-3-Clause
"""`tables/remeasure.json`: rows that should be measured again, from the analysis to the driver."""

from __future__ import annotations

from typing import Literal

from isochron.schemas.base import Record
from isochron.schemas.run.plan import Point


class FlaggedResult(Record):
    """A row in doubt. `degree`: from 0 to 1, the share of its launches that speak against its value."""

    stack: str
    operation: str
    bytes: int
    point: Point
    degree: float
    reason: str


class FlaggedPoint(Record):
    """A point that has rows in doubt, and the nodes on which it was measured, the most deviating launch first."""

    point: Point
    degree: float
    hosts: list[list[str]]


class Flagged(Record):
    """All rows in doubt, and their points with the greatest doubt first."""

    schema_version: Literal[1] = 1
    rows: list[FlaggedResult]
    points: list[FlaggedPoint]
