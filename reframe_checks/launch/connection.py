# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that did not find each other: each process is a world of its own, and ends as if all were well."""

import re
from collections.abc import Container

from isochron.reframe_checks.launch.launchers import OWN
from isochron.schemas.launcher_kind import site_launchers
from isochron.schemas.run.provenance import Facts

#: What the engine says of a world that has one process instead of all.
ALONE = re.compile(r"\b1 processes, but --expect-ranks \d+")


def why_apart(message: str, launchers: Container[str], pmi: str, facts: Facts) -> str:
    """Return the cause and the remedy if each process of a launch was a world of its own; empty if not, or unknown.

    `message`: the engine's; `launchers`: those that can start the stack; `pmi`: the interface of its library; `facts`:
    what was recorded of the launch before it started.
    """
    site_launcher, scheduler = facts.get("site_launcher"), facts.get("scheduler", "")
    if site_launcher is None or not ALONE.search(message):
        return ""
    name = site_launcher if site_launcher in launchers else OWN
    return f"each process was a world of its own: {_of_library(pmi, scheduler) if name == OWN else _of_site(name, pmi)}"


def _of_site(name: str, pmi: str) -> str:
    kind = site_launchers()[name]
    package = f" (it comes with {kind.pmi_from[pmi]})" if pmi in kind.pmi_from else ""
    cause = f"{name} did not connect them by {kind.pmi[pmi] or pmi}, which {name} lacks here{package} or the library"
    stack = "" if kind.alone else "write `site.launcher: stack`, or "
    return f"{cause} was built without; {stack}load a module with it"


def _of_library(pmi: str, scheduler: str) -> str:
    able = [name for name, kind in site_launchers().items() if pmi in kind.pmi and scheduler in kind.schedulers]
    remedy = f"write `site.launcher: {' or '.join(able)}`" if able else "its mpiexec must be that of the library"
    return f"the stack's own launcher did not connect them; {remedy}"
