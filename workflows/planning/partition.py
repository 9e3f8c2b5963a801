# SPDX-License-Identifier: BSD-3-Clause
"""The launchers of a site's partitions, read by ReFrame from the site's configuration."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from functools import cache

from isochron.common.children import PYTHON_ENVIRONMENT, python
from isochron.common.files import FileError
from isochron.schemas.input.site import Site

#: ReFrame prints this part of a configuration: the partitions of the selected system.
PARTITIONS = "systems/0/partitions"
#: Seconds within which ReFrame has read a configuration; it executes it, and may call other programs.
READ_S = 120.0


def partition_launchers(site: Site) -> list[str]:
    """Return the launchers of the partitions that a campaign may use, by ReFrame's name; none if they are unknown.

    Raises FileError if ReFrame does not end within READ_S.
    """
    return [] if site.reframe_config is None else _launchers(site.reframe_config, site.system)


@cache
def _launchers(config: str, system: str | None) -> list[str]:
    command = python("-m", "isochron.compat.patched_reframe", "-C", config, f"--show-config={PARTITIONS}")
    with tempfile.TemporaryDirectory() as folder:  # ReFrame writes its log into the working folder
        try:
            done = subprocess.run(
                [*command, *(["--system", system] if system else [])],
                cwd=folder,
                env=os.environ | PYTHON_ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
                timeout=READ_S,
            )
        except subprocess.TimeoutExpired as error:
            raise FileError(
                f"site.reframe_config: ReFrame has not read {config} within {READ_S:g} s; check what the file waits for"
            ) from error
    try:
        return sorted({str(partition["launcher"]) for partition in json.loads(done.stdout)})
    except (ValueError, TypeError, KeyError):
        return []
