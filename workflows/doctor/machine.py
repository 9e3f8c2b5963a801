# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the machine: timer, clock source, cores, frequency, load and memory; the results of checks."""

import itertools
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["ok", "unknown", "warning", "error"]


@dataclass(frozen=True)
class CheckResult:
    """The result of one check. `error`: no campaign can run; `warning`: times may be distorted."""

    check: str
    level: Level
    words: str


@dataclass(frozen=True)
class SiteFinding:
    """The result of one check of one stack. `error`: no campaign can run with it; `warning`: times may be distorted.

    `write`: which words to write into which file; empty where nothing is to be changed, or nothing is known.
    """

    stack: str
    check: str
    level: Level
    words: str
    write: str = ""


@dataclass(frozen=True)
class Machine:
    """The root of the files that checks read: the real machine, or a folder in a test."""

    root: Path = Path("/")

    def read(self, path: str) -> str | None:
        """Read the text of a file without surrounding space; None if there is none."""
        try:
            return (self.root / path.lstrip("/")).read_text(errors="replace", encoding="utf-8").strip()
        except OSError:
            return None

    def read_all(self, pattern: str) -> set[str]:
        """Read the distinct texts of all files that match."""
        texts = (self.read(str(path.relative_to(self.root))) for path in self.root.glob(pattern.lstrip("/")))
        return {text for text in texts if text is not None}


CLOCK_SOURCES = "/sys/devices/system/clocksource/clocksource0"
#: Clock sources that are read without a system call.
FAST_SOURCES = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase")


def clock_source(machine: Machine) -> CheckResult:
    """Check the kernel's clock source: HPET and ACPI are slow and can be wrong (Kurnosov 2012)."""
    source = machine.read(f"{CLOCK_SOURCES}/current_clocksource")
    if source is None:
        return CheckResult("clock source", "unknown", "the kernel does not report its clock source")
    if source in FAST_SOURCES:
        return CheckResult("clock source", "ok", f"{source}, read without a system call")
    available = machine.read(f"{CLOCK_SOURCES}/available_clocksource") or source
    return CheckResult(
        "clock source",
        "warning",
        f"{source}: slow to read and known to be unreliable; the kernel offers {available}. "
        "Request tsc, or check the timer with `isochron-engine --check-timer`",
    )


def invariant_tsc(machine: Machine) -> CheckResult:
    """Check that the time-stamp counter is independent of the processor's frequency."""
    flags = (machine.read("/proc/cpuinfo") or "").split()
    if "constant_tsc" in flags and "nonstop_tsc" in flags:
        return CheckResult("time-stamp counter", "ok", "invariant (constant_tsc, nonstop_tsc)")
    return CheckResult("time-stamp counter", "unknown", "not declared invariant; use `timer: clock-gettime`, not tsc")


def timer_step(_machine: Machine) -> CheckResult:
    """Measure the smallest step and the typical cost of the monotonic clock."""
    readings = [time.clock_gettime_ns(time.CLOCK_MONOTONIC) for _ in range(20_000)]
    steps = sorted(later - earlier for earlier, later in itertools.pairwise(readings))
    if steps[0] < 0:
        return CheckResult("timer", "error", "the monotonic clock went backwards; timings on this machine are invalid")
    smallest = next((step for step in steps if step > 0), 0)
    text = f"consecutive readings differ by {steps[len(steps) // 2]} ns (smallest step {smallest} ns)"
    return CheckResult("timer", "warning" if smallest > 1000 else "ok", text)


CLOCK_CHECKS = (clock_source, invariant_tsc, timer_step)


CPU = "/sys/devices/system/cpu"


def cores(_machine: Machine) -> CheckResult:
    """Check the number of usable cores."""
    usable, total = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    if usable < 2:
        return CheckResult("cores", "warning", "one usable core: every launch of two processes is oversubscribed")
    limited = f" of {total}" if usable < total else ""
    spare = "; if all of them measure, none is left for the system" if usable <= 4 else ""
    return CheckResult("cores", "ok", f"{usable}{limited} usable{spare}")


def load(machine: Machine) -> CheckResult:
    """Check the load average."""
    text = machine.read("/proc/loadavg")
    if text is None:
        return CheckResult("load", "unknown", "the load average cannot be read")
    average, usable = float(text.split()[0]), len(os.sched_getaffinity(0))
    if average > 0.25 * usable:
        words = f"load average {average:.2f} on {usable} cores: other work will take processors away during runs"
        return CheckResult("load", "warning", words)
    return CheckResult("load", "ok", f"load average {average:.2f} on {usable} cores")


def frequency(machine: Machine) -> CheckResult:
    """Check the governor of the processor's frequency."""
    governors = machine.read_all(f"{CPU}/cpu*/cpufreq/scaling_governor")
    if not governors:
        return CheckResult("frequency", "unknown", "no governor visible (a virtual machine, or set by the firmware)")
    if governors == {"performance"}:
        return CheckResult("frequency", "ok", "governor performance on every core")
    words = f"governor {', '.join(sorted(governors))}: the first runs of a launch may be slower; prefer performance"
    return CheckResult("frequency", "warning", words)


def threads(machine: Machine) -> CheckResult:
    """Check simultaneous multithreading."""
    active = machine.read(f"{CPU}/smt/active")
    if active is None:
        return CheckResult("SMT", "unknown", "the kernel does not report whether SMT is on")
    if active == "1":
        words = "on: two processes may share one core; bind processes to cores, not to hardware threads"
        return CheckResult("SMT", "warning", words)
    return CheckResult("SMT", "ok", "off, or not present")


def virtual(machine: Machine) -> CheckResult:
    """Check for a hypervisor, which may take the processor away."""
    if "hypervisor" in (machine.read("/proc/cpuinfo") or "").split():
        words = "a virtual machine: the host may take cores away; expect late starts and compare only within a run"
        return CheckResult("virtualisation", "warning", words)
    return CheckResult("virtualisation", "ok", "none detected")


def memory(machine: Machine) -> CheckResult:
    """Check the memory that is available without swapping."""
    lines = (machine.read("/proc/meminfo") or "").splitlines()
    values = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest}
    available = values.get("MemAvailable")
    if available is None:
        return CheckResult("memory", "unknown", "/proc/meminfo does not report the available memory")
    gib = available / 1024**2
    return CheckResult("memory", "warning" if gib < 1 else "ok", f"{gib:.1f} GiB available")


def numa_balancing(machine: Machine) -> CheckResult:
    """Check automatic NUMA balancing, which moves pages during runs."""
    value = machine.read("/proc/sys/kernel/numa_balancing")
    if value is None:
        return CheckResult("NUMA balancing", "ok", "not in this kernel")
    if value != "0":
        return CheckResult(
            "NUMA balancing", "warning", "on: the kernel unmaps pages during runs; switch it off if possible"
        )
    return CheckResult("NUMA balancing", "ok", "off")


def huge_pages(machine: Machine) -> CheckResult:
    """Check transparent huge pages, which change the cost of buffers from launch to launch."""
    value = machine.read("/sys/kernel/mm/transparent_hugepage/enabled")
    if value is None:
        return CheckResult("huge pages", "unknown", "the kernel does not report its use of transparent huge pages")
    mode = value.partition("[")[2].partition("]")[0]
    return CheckResult("huge pages", "ok", f"transparent huge pages: {mode}; recorded, since it changes large messages")


MACHINE_CHECKS = (cores, load, frequency, threads, virtual, memory, numa_balancing, huge_pages)
