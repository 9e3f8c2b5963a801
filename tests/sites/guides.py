# SPDX-License-Identifier: BSD-3-Clause
"""The files of docs/how-to/begin-at-your-site.md, as they stand there, with what they tell the reader to change."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import yaml

from isochron.common.resources import shipped
from tests.cluster.site import VARIABLES

SETTINGS = shipped("reframe_checks", "settings")
GUIDES = sorted(path.stem.removesuffix("_example") for path in SETTINGS.glob("*_example.yaml"))

#: What a line that is marked `yours` has at an imitated site: this machine has few cores, and no fast network.
YOURS = {
    '"env_vars":': f'"env_vars": {VARIABLES!r},',
    '"processor":': f'"processor": {{"num_cpus": {os.cpu_count()}}},',
    "cores_per_node:": f"cores_per_node: {os.cpu_count()}",
}
MARKED = re.compile(r"^(?P<indent>\s*)(?P<key>\S+:) .*# yours.*$", flags=re.MULTILINE)

#: For engines whose hosts share the cores of this machine.
HERE = {"max_reps": 12, "min_valid": 2, "wait": "sleep", "clock_sync": "linear"}


def files(name: str) -> list[Path]:
    """The campaign and the ReFrame settings of a guide."""
    return [SETTINGS / f"{name}_example.{ending}" for ending in ("yaml", "py")]


def copy(name: str, folder: Path) -> Path:
    """Copy the files of a guide, and return the campaign."""
    for file in files(name):
        (folder / file.name).write_text(file.read_text())
    return folder / f"{name}_example.yaml"


def copy_for_here(name: str, folder: Path) -> Path:
    """Copy the files of a guide, change marked lines to what is right on this machine, and return the campaign."""
    campaign = copy(name, folder)
    for file in (campaign, campaign.with_suffix(".py")):
        file.write_text(MARKED.sub(_yours, file.read_text()))
    document: dict[str, Any] = yaml.safe_load(campaign.read_text())
    document |= {"engine": HERE, "limits": {**document.get("limits", {}), "launch_seconds": 180}}
    campaign.write_text(yaml.safe_dump(document))
    return campaign


def _yours(line: re.Match[str]) -> str:
    return line["indent"] + YOURS[line["key"]] if line["key"] in YOURS else line[0]
