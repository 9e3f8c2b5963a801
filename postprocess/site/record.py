# SPDX-License-Identifier: BSD-3-Clause
"""`site.json`: what a site holds and what it was made of, so that what is as it was need not be made again."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from isochron.postprocess.site.trends import Chart
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
    """A campaign as index and feed show it. `measured`: when its newest run ended, ISO 8601."""

    label: str
    name: str
    title: str
    system: str
    verdict: str
    sentence: str
    runs: int
    newest: str
    measured: str = ""
    chart: Chart | None
    entries: list[Entry]


class LeftOut(Record):
    """A run of which not all is in the site, and why, as the end of a sentence."""

    run_id: str
    reason: str


def _within(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or parts[0] == "/" or ".." in parts:
        raise ValueError("leads out of the site")
    return path


def _unsealed(files: Any) -> Any:
    """Sites of earlier versions list their files without seals: all are then made again."""
    return dict.fromkeys(files, "") if isinstance(files, list) else files


#: Files by their paths in the site, each with its seal: size and SHA-256.
Files = Annotated[dict[Annotated[str, AfterValidator(_within)], str], BeforeValidator(_unsealed)]


class Published(Record):
    """A campaign in the site. `key`: what it was made of; `runs`: the same of each run's page; `files`: all of it."""

    key: str
    runs: dict[str, str]
    files: Files
    summary: Summary
    left_out: list[LeftOut] = Field(default=[])


class Site(Record):
    """A whole site. `files`: those that belong to no campaign."""

    schema_version: Literal[1] = 1
    campaigns: dict[str, Published]
    files: Files
