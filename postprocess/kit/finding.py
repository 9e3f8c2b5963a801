# SPDX-License-Identifier: BSD-3-Clause
"""`tables/findings.json`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record

Kind = Literal[
    "incomplete",
    "simulated",
    "scan",
    "profiled",
    "versions",
    "differences",
    "fastest",
    "open",
    "bound",
    "operations-per-rep",
    "scaling",
    "guidelines",
    "unreliable",
    "again",
    "looks",
    "attempts",
    "repeatability",
    "dependent",
    "groups",
    "regimes",
    "launches",
    "first-call",
    "environment",
    "overhead",
]
Severity = Literal["result", "note", "warning"]


class Finding(Record):
    """A sentence or two, the lines behind it, and its numbers."""

    kind: Kind
    severity: Severity
    text: str
    details: list[str] = Field(default=[])
    #: The numbers that the text states, unit in the name where there is one; none for what is no number.
    numbers: dict[str, float | int | str | None] = Field(default={})


class Findings(Record):
    """All findings of a run, in the order in which they should be read."""

    schema_version: Literal[1] = 1
    findings: list[Finding]
