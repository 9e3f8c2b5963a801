# SPDX-License-Identifier: BSD-3-Clause
"""The sections `limits` and `hooks`: the cost of a campaign, and commands to call when a run has ended."""

from typing import Annotated

from pydantic import Field

from isochron.schemas.base import Section
from isochron.schemas.input.replication import Count

#: Pattern of a hook: not blank.
COMMAND = r"\S"
Command = Annotated[str, Field(pattern=COMMAND)]


class Limits(Section):
    """Limits on the cost of a campaign."""

    node_hours: float | None = Field(
        None,
        gt=0,
        description="budget: `plan` and `run` refuse a campaign beyond it; `run` starts no block that may exceed it",
    )
    launch_seconds: Count = Field(
        120,
        description="seconds after which a launch is stopped; launches in turns end together, after this and three "
        "times what the plan expects of them",
    )
    queue_hours: float | None = Field(
        None, gt=0, description="hours after which a job that has not started is cancelled"
    )
    scheduler_seconds: Count = Field(
        600, description="seconds without an answer from the scheduler after which a job is given up"
    )
    retries: int = Field(1, ge=0, le=10, strict=True, description="number of further attempts at a block that failed")


class Hooks(Section):
    """Commands (bash) that are called when a run has ended; the environment has the details."""

    on_complete: Command | None = Field(None, description="called when a run is complete and its report written")
    on_failure: Command | None = Field(None, description="called when a run has failed or exceeded its budget")
    on_regression: Command | None = Field(
        None, description="called when a result of a complete run is slower than in the complete run before"
    )
    timeout_seconds: Count = Field(60, description="seconds after which a hook is stopped")
