# SPDX-License-Identifier: BSD-3-Clause
"""Timer and clock source."""

from __future__ import annotations

import itertools
import time

from isochron.workflows.doctor.finding import Finding, Machine

CLOCK_SOURCES = "/sys/devices/system/clocksource/clocksource0"
#: Clock sources that are read without a system call.
FAST_SOURCES = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase")


def clock_source(machine: Machine) -> Finding:
    """Check the kernel's clock source: HPET and ACPI are slow and can be wrong (Kurnosov 2012)."""
    source = machine.read(f"{CLOCK_SOURCES}/current_clocksource")
    if source is None:
        return Finding("clock source", "unknown", "the kernel does not report its clock source")
    if source in FAST_SOURCES:
        return Finding("clock source", "ok", f"{source}, read without a system call")
    available = machine.read(f"{CLOCK_SOURCES}/available_clocksource") or source
    return Finding(
        "clock source",
        "warning",
        f"{source}: slow to read and known to be unreliable; the kernel offers {available}. "
        "Request tsc, or check the timer with `isochron-engine --check-timer`",
    )


def invariant_tsc(machine: Machine) -> Finding:
    """Check that the time-stamp counter is independent of the processor's frequency."""
    flags = (machine.read("/proc/cpuinfo") or "").split()
    if "constant_tsc" in flags and "nonstop_tsc" in flags:
        return Finding("time-stamp counter", "ok", "invariant (constant_tsc, nonstop_tsc)")
    return Finding("time-stamp counter", "unknown", "not declared invariant; use `timer: clock-gettime`, not tsc")


def timer_step(_machine: Machine) -> Finding:
    """Measure the smallest step and the typical cost of the monotonic clock."""
    readings = [time.clock_gettime_ns(time.CLOCK_MONOTONIC) for _ in range(20_000)]
    steps = sorted(later - earlier for earlier, later in itertools.pairwise(readings))
    if steps[0] < 0:
        return Finding("timer", "error", "the monotonic clock went backwards; timings on this machine are invalid")
    smallest = next((step for step in steps if step > 0), 0)
    text = f"consecutive readings differ by {steps[len(steps) // 2]} ns (smallest step {smallest} ns)"
    return Finding("timer", "warning" if smallest > 1000 else "ok", text)


CHECKS = (clock_source, invariant_tsc, timer_step)
