# SPDX-License-Identifier: BSD-3-Clause
"""Timers that the engine refuses on this machine: a plan skips contrasts with them, so that not every launch fails."""

from isochron.schemas.input.campaign import Campaign
from isochron.workflows.doctor.machine import CLOCK_SOURCES, Machine

#: Flags of a processor whose time stamp counter does not depend on its frequency, and clock sources of kernels that
#: trust it (`timer_tsc_refusal` of the engine).
INVARIANT = {"constant_tsc", "nonstop_tsc"}
TRUSTING = ("tsc", "kvm-clock", "hyperv_clocksource_tsc")
THIS = Machine()


def timer_refusal(campaign: Campaign, timer: str, machine: Machine = THIS) -> str:
    """Return why launches with a timer would be refused; empty if not, or if it is not known before they start.

    The nodes of a site are not this machine.
    """
    if timer != "tsc" or campaign.site.reframe_config is not None:
        return ""
    if campaign.site.machine is not None:
        return "a simulated machine has no time stamp counter"
    if not set((machine.read("/proc/cpuinfo") or "").split()) >= INVARIANT:
        return "the processor has no invariant time stamp counter"
    if not (machine.read(f"{CLOCK_SOURCES}/current_clocksource") or "").startswith(TRUSTING):
        return "the kernel does not trust the time stamp counter (it uses another clock source)"
    return ""
