# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""Where a check runs: at one place, or ReFrame would run it once for each partition and environment of a site."""

from __future__ import annotations

from reframe.core.builtins import run_after, variable
from reframe.core.exceptions import ReframeSyntaxError
from reframe.core.systems import System

from isochron.compat.reframe_plugin import CheckPlugin


def only_place(system: System, environment: str) -> list[str]:
    """`valid_prog_environs` for the only partition and environment there is; an empty name stands for any.

    Raises ReframeSyntaxError, and so before anything runs, where the site's configuration has none or several.
    """
    places = [
        f"{system.name}:{partition.name}+{each.name}"
        for partition in system.partitions
        for each in partition.environs
        if environment in ("", each.name)
    ]
    if len(places) != 1:
        wish = f" for site.environment '{environment}'" if environment else ""
        raise ReframeSyntaxError(
            f"the site's ReFrame configuration has {len(places)} places on system {system.name}{wish} "
            f"({', '.join(places) or 'none'}); name one by site.system (system:partition) and site.environment"
        )
    return [environment or "*"]


class SinglePartition(CheckPlugin):
    """What every check has: `-S CHECK.environment=NAME`, and the one place that this leaves."""

    #: Programming environment in the site's configuration; empty: there is only one.
    environment = variable(str, value="")

    @run_after("init")
    def choose_the_place(self) -> None:
        """One partition with one environment."""
        self.valid_systems = ["*"]
        self.valid_prog_environs = only_place(self.current_system, self.environment)
