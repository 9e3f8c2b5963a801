# SPDX-License-Identifier: BSD-3-Clause
"""The state of a run and its blocks."""

import re
from datetime import datetime
from pathlib import Path
from typing import Literal

from isochron.common.files import FileError
from isochron.schemas.base import Record

RunStatus = Literal["planned", "running", "interrupted", "failed", "over-budget", "complete"]


class RunState(Record):
    """`campaign.json`: the state of a run, such as `complete`."""

    schema_version: Literal[1] = 1
    campaign: str
    title: str
    description: str
    run_id: str
    state: RunStatus
    digest: str
    isochron_version: str
    created_at: str
    updated_at: str
    system: str
    planned_launches: int
    measured_launches: int
    failed_blocks: list[str]
    reason: str = ""


def settled(state: RunState, report: Path) -> RunState:
    """Return the state, as complete if it failed in the analysis and was analysed again since: it has a `report`.

    That is so if everything planned is measured, no block failed, and the report is newer than the failure.
    """
    if state.state != "failed" or state.failed_blocks or state.measured_launches < state.planned_launches:
        return state
    try:
        later = report.stat().st_mtime >= datetime.fromisoformat(state.updated_at).timestamp() + 1  # whole seconds
    except (OSError, ValueError):
        return state
    return state.model_copy(update={"state": "complete", "reason": ""}) if later else state


class LaunchOutcome(Record):
    """The outcome of one launch in one attempt."""

    name: str
    accepted: bool
    reason: str = ""

    @property
    def ended_in(self) -> str:
        """The operation in which the library ended the program, by the engine's message; empty if it does not say."""
        case = re.search(r" while measuring (\S+) of \d+ bytes", self.reason)
        return case[1] if case else ""


class BlockState(Record):
    """`blocks/<block>.json` (finished) and `attempts/<block>/<n>/outcome.json` (each attempt)."""

    schema_version: Literal[1] = 1
    block: str
    state: Literal["complete", "failed"]
    attempt: int
    started_at: str
    ended_at: str
    launches: list[LaunchOutcome]
    reason: str = ""
    #: Nodes × time of the job of this attempt; of a block: of its last one.
    node_hours: float = 0.0

    @classmethod
    def load_if_readable(cls, path: Path) -> "BlockState | None":
        """Return the state in a file; None if it is missing or damaged."""
        try:
            return cls.load(path)
        except FileError:
            return None
