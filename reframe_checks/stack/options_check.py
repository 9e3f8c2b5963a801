# SPDX-License-Identifier: BSD-3-Clause
"""Whether a built engine takes every command line of a campaign: asked once, before any allocation."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from isochron.common.exit_codes import EngineExit
from isochron.common.files import FileError
from isochron.reframe_checks.launch.command import engine_options
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import PlannedLaunch
from isochron.spack_envs.environment import applied


def check_options(manifest: Manifest, engine: Path, campaign: Campaign, launches: Iterable[PlannedLaunch]) -> None:
    """Raise FileError with the engine's own words where it would refuse a launch of its stack."""
    for words in _distinct(campaign, launches):
        command = [*_launcher(manifest), str(engine), "--check-options", *words]
        environment = applied(manifest.environment, os.environ)
        try:
            done = subprocess.run(
                command,
                env=environment,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=60,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FileError(f"stack {manifest.stack}: {engine} --check-options: {error}") from error
        if done.returncode != EngineExit.MEASURED:
            lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
            said = [line for line in lines if line.startswith("isochron-engine:")] or lines or ["no message"]
            raise FileError(
                f"stack {manifest.stack}: the engine refuses the campaign's options: "
                f"{said[0].removeprefix('isochron-engine: ')}; nothing was measured"
            )


def _launcher(manifest: Manifest) -> list[str]:
    """What starts a program that needs no other process; a simulated one starts under its launcher only."""
    if not manifest.simulation:
        return []
    words = list(manifest.launcher.argv)
    for name in ("{processes}", "{processes_per_node}", "{nodes}"):
        words = [word.replace(name, "1") for word in words]
    return words


def _distinct(campaign: Campaign, launches: Iterable[PlannedLaunch]) -> Iterator[list[str]]:
    """Each set of options once, with the fewest and the most processes: what depends on them does so monotonically."""
    counts: dict[tuple[str, ...], set[int]] = {}
    for launch in launches:
        counts.setdefault(tuple(engine_options(campaign, launch)), set()).add(launch.point.processes)
    for words, processes in counts.items():
        for count in sorted({min(processes), max(processes)}):
            yield [*words, "--expect-ranks", str(count)]
