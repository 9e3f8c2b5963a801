# SPDX-License-Identifier: BSD-3-Clause
"""The queries of a dashboard as Grafana sends them when its variables have the values of `samples.py`."""

from __future__ import annotations

import json
import re
from typing import Any

from isochron.workflows.push.dashboards import dashboard

VALUES = {
    "campaign": ["nightly"], "system": ["alpha"], "stack": ["mpich-4.3", "mpich-5.0"], "operation": ["bcast"],
    "bytes": ["8"], "processes": ["4"], "processes_per_node": ["2"], "placement": ["packed"], "point": ["4/2/packed"],
    "window": ["2d"],
}  # fmt: skip
VARIABLE = re.compile(r"\$(?:\{(\w+)(?::(\w+))?\}|(\w+))")


def document(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(dashboard(name))
    return document


def used(text: str) -> set[str]:
    """Variables of a text, without Grafana's own."""
    return {match[1] or match[3] for match in VARIABLE.finditer(text)} - {"__timeFilter", "__all"}


def filled(query: str) -> str:
    """A query with values: in SQL as quoted lists, in PromQL as alternatives of a regular expression."""

    def value(match: re.Match[str]) -> str:
        words = VALUES[match[1] or match[3]]
        return ",".join(f"'{word}'" for word in words) if match[2] == "sqlstring" else "|".join(words)

    timed = re.sub(r"\$__timeFilter\((\w+)\)", r"\1 BETWEEN '2026-01-01' AND '2027-01-01'", query)
    return VARIABLE.sub(value, timed)


def queries(name: str, key: str) -> dict[str, str]:
    """The first query of each panel, by the panel's title."""
    return {panel["title"]: filled(panel["targets"][0][key]) for panel in document(name)["panels"]}
