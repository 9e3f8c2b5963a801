# SPDX-License-Identifier: BSD-3-Clause
"""`attempts/<block>/<n>/spec.json`: what a call hands to the ReFrame check `Block`."""

from __future__ import annotations

from pathlib import Path

from workflows.schemas.base import Record
from workflows.schemas.manifest import Environment


class StackSpec(Record):
    """What a launch needs of its stack."""

    environment: Environment
    engine: str
    engine_sha256: str
    mpi_version: str


class LaunchSpec(Record):
    """One launch with its command. The site's names are added to the header where they are known: in the job."""

    name: str
    stack: str
    processes: int
    processes_per_node: int
    nodes: int
    command: list[str]


class BlockSpec(Record):
    """The launches of one attempt, in the order in which they run."""

    block: str
    attempt: str
    nodes: int
    processes_per_node: int
    launch_seconds: int
    stacks: dict[str, StackSpec]
    launches: list[LaunchSpec]
    cases: list[tuple[str, int]]

    @property
    def folder(self) -> Path:
        """Folder of the attempt: raw files and what each launch printed."""
        return Path(self.attempt)
