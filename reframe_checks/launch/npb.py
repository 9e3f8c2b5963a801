# SPDX-License-Identifier: BSD-3-Clause
"""A launch of NPB: what is started, and whether its printout is the result that was planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isochron.common.files import FileError, read_text
from isochron.reframe_checks.launch.tool_command import preloaded
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.block_spec import LaunchSpec
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.programs.npb import BuiltPrograms
from isochron.tools import npb
from isochron.tools.rows import Lines


@dataclass(frozen=True)
class Built:
    """What was built with a stack, and the folder in which it lies."""

    programs: BuiltPrograms
    folder: Path


def npb_program(
    launch: PlannedLaunch, built: Built, campaign: Campaign, attempt: Path, header: Mapping[str, str]
) -> dict[str, Any]:
    """Fields of a LaunchSpec: the program, and the library that counts its processes. Raises FileError."""
    assert launch.program is not None and campaign.npb is not None
    found = built.programs.file_of(launch.program, launch.point.processes)
    if found is None:
        raise FileError(
            f"stack {launch.stack}: {launch.program.label} is not built; remove "
            f"stacks/{launch.stack}.json and run again"
        )
    return {
        "program": [str(built.folder / found.file)],
        "tool": launch.program.name,
        "runs": launch.program,
        "loaded_before": preloaded(str(built.folder / built.programs.witness), attempt, launch),
        "program_sha256": found.sha256,
        "facts": dict(header),
        "launch_seconds": campaign.npb.launch_seconds,
    }


def wrong_result(launch: LaunchSpec, folder: Path) -> list[str]:
    """Every reason why the printout is not what was planned. Raises FileError where it is no printout of NPB."""
    assert launch.runs is not None
    text = read_text(folder / f"{launch.name}.out", "the program prints there")
    result = npb.parse(Lines(Path(f"{launch.name}.out"), tuple(text.splitlines())))
    return npb.wrong(result, launch.runs.kernel, launch.runs.problem, launch.processes)
