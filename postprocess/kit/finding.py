# SPDX-License-Identifier: BSD-3-Clause
"""Findings: the sentences of the report, and `tables/findings.json`."""

from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record

#: File of `tables/` with the findings.
FINDINGS = "findings.json"
Severity = Literal["result", "note", "warning"]


class Finding(Record):
    """A sentence or two, the lines behind it, and its numbers."""

    #: What it is about, for programs that read the file; the reading order is by kind (`subjects/registry.py`).
    kind: str = Field(pattern=r"^[a-z]+(-[a-z]+)*$")
    severity: Severity
    text: str
    details: list[str] = Field(default=[])
    #: The numbers that the text states, unit in the name where there is one; none for what is no number.
    numbers: dict[str, float | int | str | None] = Field(default={})


class Findings(Record):
    """All findings of a run, in the order in which they should be read."""

    schema_version: Literal[1] = 1
    findings: list[Finding]
