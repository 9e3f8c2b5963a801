# SPDX-License-Identifier: BSD-3-Clause
"""All checks of a machine, and those before a run."""

from __future__ import annotations

from isochron.schemas.input.campaign import Campaign
from isochron.workflows.doctor import clocks, machine, software
from isochron.workflows.doctor.finding import Finding, Machine


def examine(place: Machine) -> list[Finding]:
    """Make all checks, in the order of the output."""
    checks = (*clocks.CHECKS, *machine.CHECKS, *software.CHECKS)
    return [*(check(place) for check in checks), *software.stacks(place)]


def before_a_run(campaign: Campaign, place: Machine) -> list[Finding]:
    """Return the warnings that concern this campaign; none if its launches run elsewhere or are simulated.

    What takes long is left out: asking Spack, and hashing the files of every stack, which the build does.
    """
    if campaign.site.machine is not None or campaign.site.reframe_config is not None:
        return []
    findings = [check(place) for check in (*clocks.CHECKS, *machine.CHECKS, software.environment)]
    return [finding for finding in findings if finding.level in ("warning", "error")]
