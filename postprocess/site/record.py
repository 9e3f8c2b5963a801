# SPDX-License-Identifier: BSD-3-Clause
"""`site.json`: what a site holds and what it was made of, so that what is as it was need not be made again."""

from __future__ import annotations

from typing import Literal

from isochron.schemas.base import Record

NAME = "site.json"


class Entry(Record):
    """News of a campaign: what has changed, or what differs, with one run. `updated`: when, ISO 8601."""

    run_id: str
    kind: Literal["change", "machine", "difference"]
    title: str
    lines: list[str]
    updated: str


class Summary(Record):
    """A campaign as index and feed show it."""

    label: str
    name: str
    title: str
    system: str
    verdict: str
    sentence: str
    runs: int
    newest: str
    chart: str
    entries: list[Entry]


class Published(Record):
    """A campaign in the site. `key`: what it was made of; `runs`: the same of each run's page; `files`: all of it."""

    key: str
    runs: dict[str, str]
    files: list[str]
    summary: Summary


class Site(Record):
    """A whole site. `files`: those that belong to no campaign."""

    schema_version: Literal[1] = 1
    campaigns: dict[str, Published]
    files: list[str]
