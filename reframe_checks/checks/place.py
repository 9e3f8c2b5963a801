# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The base of all checks: one partition and environment, since ReFrame would run a check once for each."""

from reframe.core.builtins import run_after, variable
from reframe.core.exceptions import ReframeSyntaxError
from reframe.core.systems import System

from isochron.compat.reframe_plugin import CheckPlugin


def only_place(system: System, environment: str) -> list[str]:
    """Return `valid_prog_environs` for the only partition and environment; an empty name matches any.

    Raises ReframeSyntaxError, before anything runs, if the site's configuration has none or several.
    """
    places = [
        f"{system.name}:{partition.name}+{environ.name}"
        for partition in system.partitions
        for environ in partition.environs
        if environment in ("", environ.name)
    ]
    if len(places) != 1:
        wish = f" for site.environment '{environment}'" if environment else ""
        raise ReframeSyntaxError(
            f"the site's ReFrame configuration has {len(places)} partitions with an environment on "
            f"system {system.name}{wish} "
            f"({', '.join(places) or 'none'}); name one by site.system (system:partition) and site.environment"
        )
    return [environment or "*"]


class SinglePartition(CheckPlugin):
    """The setting `-S CHECK.environment=NAME` of every check, and the single partition with that environment."""

    #: Programming environment in the site's configuration; empty: there is only one.
    environment = variable(str, value="")

    @run_after("init")
    def choose_the_place(self) -> None:
        """Select the partition and its environment."""
        self.valid_systems = ["*"]
        self.valid_prog_environs = only_place(self.current_system, self.environment)
