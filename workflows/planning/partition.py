# SPDX-License-Identifier: BSD-3-Clause
"""The partitions of a site, with their launchers and environments, read by ReFrame from the site's configuration."""

import json
import os
import subprocess
import tempfile
from functools import cache
from typing import NamedTuple

from isochron.common.children import PYTHON_ENVIRONMENT, captured, python
from isochron.common.files import FileError
from isochron.compat.messages import first_complaint
from isochron.schemas.input.site import Site

#: ReFrame prints this part of a configuration: the partitions of the selected system.
PARTITIONS = "systems/0/partitions"
#: Seconds within which ReFrame has read a configuration; it executes it, and may call other programs.
READ_S = 120.0


def partition_launchers(site: Site) -> list[str]:
    """Return the launchers of the partitions that a campaign may use, by ReFrame's name; none if they are unknown.

    Raises FileError if ReFrame does not end within READ_S.
    """
    return [] if site.reframe_config is None else _read(site.reframe_config, site.system).launchers


def partition_schedulers(site: Site) -> list[str]:
    """Return the schedulers of the partitions that a campaign may use, by ReFrame's name; none if they are unknown."""
    return [] if site.reframe_config is None else _read(site.reframe_config, site.system).schedulers


def partition_requests(site: Site) -> dict[str, list[str]]:
    """Return the options with which the partitions that a campaign may use ask for jobs, by the partition."""
    return {} if site.reframe_config is None else _read(site.reframe_config, site.system).requests


def partition_problem(site: Site) -> str:
    """Return why ReFrame runs nothing with the site's configuration here; empty if it does.

    ReFrame refuses a system or partition that it does not have, and a system of modules that is not installed; checks
    need exactly one partition and environment. Raises FileError if ReFrame does not end within READ_S.
    """
    if site.reframe_config is None:
        return ""
    partitions = _read(site.reframe_config, site.system)
    if partitions.problem:
        return f"site.reframe_config: {site.reframe_config}: {partitions.problem}"
    places = [place for place in partitions.places if site.environment in (None, place.rpartition("+")[2])]
    if len(places) == 1:
        return ""
    wish = f" '{site.environment}'" if site.environment else ""
    return (
        f"site.system: {site.reframe_config} has {len(places)} partitions with an environment{wish} "
        f"({', '.join(places or partitions.places) or 'none'}); name one by site.system (system:partition) and "
        "site.environment"
    )


class Partitions(NamedTuple):
    """Launchers, schedulers, `partition+environment` and options of jobs of the selected system.

    Or why ReFrame refuses the file.
    """

    launchers: list[str]
    schedulers: list[str]
    places: list[str]
    requests: dict[str, list[str]]
    problem: str


@cache
def _read(config: str, system: str | None) -> Partitions:
    command = python("-m", "isochron.compat.patched_reframe", "-C", config, f"--show-config={PARTITIONS}")
    with tempfile.TemporaryDirectory() as folder:  # ReFrame writes its log into the working folder
        try:
            done = captured(
                [*command, *(["--system", system] if system else [])],
                cwd=folder,
                env=os.environ | PYTHON_ENVIRONMENT | {"RFM_COLORIZE": "0"},
                stdin=subprocess.DEVNULL,
                timeout=READ_S,
            )
        except subprocess.TimeoutExpired as error:
            raise FileError(
                f"site.reframe_config: ReFrame has not read {config} within {READ_S:g} s; check what the file waits for"
            ) from error
    try:
        partitions = json.loads(done.stdout)
        launchers = sorted({str(partition["launcher"]) for partition in partitions})
        schedulers = sorted({str(partition["scheduler"]) for partition in partitions})
        places = [f"{partition['name']}+{name}" for partition in partitions for name in partition.get("environs", [])]
        requests = {
            str(partition["name"]): [
                *partition.get("access", []),
                *(option for resource in partition.get("resources", []) for option in resource.get("options", [])),
            ]
            for partition in partitions
        }
    except (ValueError, TypeError, KeyError):
        complaint = first_complaint([*done.stdout.splitlines(), *done.stderr.splitlines()])
        return Partitions([], [], [], {}, complaint.removeprefix("ERROR: "))
    return Partitions(launchers, schedulers, places, requests, "")
