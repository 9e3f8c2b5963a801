# SPDX-License-Identifier: BSD-3-Clause
"""Where a check runs: at one place, or ReFrame would run it once for each partition and environment of a site."""

from __future__ import annotations

from reframe.core.exceptions import ReframeSyntaxError
from reframe.core.systems import System


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
