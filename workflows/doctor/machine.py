# SPDX-License-Identifier: BSD-3-Clause
"""Cores, frequency, load and memory, which make times differ from launch to launch."""

from __future__ import annotations

import os

from isochron.workflows.doctor.finding import Finding, Machine

CPU = "/sys/devices/system/cpu"


def cores(_machine: Machine) -> Finding:
    """Check the number of usable cores."""
    usable, there = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    if usable < 2:
        return Finding("cores", "warning", "one usable core: every launch of two processes is oversubscribed")
    limited = f" of {there}" if usable < there else ""
    spare = "; if all of them measure, none is left for the system" if usable <= 4 else ""
    return Finding("cores", "ok", f"{usable}{limited} usable{spare}")


def load(machine: Machine) -> Finding:
    """Check the load average."""
    text = machine.read("/proc/loadavg")
    if text is None:
        return Finding("load", "unknown", "the load average cannot be read")
    average, usable = float(text.split()[0]), len(os.sched_getaffinity(0))
    if average > 0.25 * usable:
        words = f"load average {average:.2f} on {usable} cores: other work will take processors away during runs"
        return Finding("load", "warning", words)
    return Finding("load", "ok", f"load average {average:.2f} on {usable} cores")


def frequency(machine: Machine) -> Finding:
    """Check the governor of the processor's frequency."""
    governors = machine.read_all(f"{CPU}/cpu*/cpufreq/scaling_governor")
    if not governors:
        return Finding("frequency", "unknown", "no governor visible (a virtual machine, or set by the firmware)")
    if governors == {"performance"}:
        return Finding("frequency", "ok", "governor performance on every core")
    words = f"governor {', '.join(sorted(governors))}: the first runs of a launch may be slower; prefer performance"
    return Finding("frequency", "warning", words)


def threads(machine: Machine) -> Finding:
    """Check simultaneous multithreading."""
    active = machine.read(f"{CPU}/smt/active")
    if active is None:
        return Finding("SMT", "unknown", "the kernel does not report whether SMT is on")
    if active == "1":
        words = "on: two processes may share one core; bind processes to cores, not to hardware threads"
        return Finding("SMT", "warning", words)
    return Finding("SMT", "ok", "off, or not present")


def virtual(machine: Machine) -> Finding:
    """Check for a hypervisor, which may take the processor away."""
    if "hypervisor" in (machine.read("/proc/cpuinfo") or "").split():
        words = "a virtual machine: the host may take cores away; expect late starts and compare only within a run"
        return Finding("virtualisation", "warning", words)
    return Finding("virtualisation", "ok", "none detected")


def memory(machine: Machine) -> Finding:
    """Check the memory that is available without swapping."""
    lines = (machine.read("/proc/meminfo") or "").splitlines()
    values = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest}
    available = values.get("MemAvailable")
    if available is None:
        return Finding("memory", "unknown", "/proc/meminfo does not report the available memory")
    gib = available / 1024**2
    return Finding("memory", "warning" if gib < 1 else "ok", f"{gib:.1f} GiB available")


def numa_balancing(machine: Machine) -> Finding:
    """Check automatic NUMA balancing, which moves pages during runs."""
    value = machine.read("/proc/sys/kernel/numa_balancing")
    if value is None:
        return Finding("NUMA balancing", "ok", "not in this kernel")
    if value != "0":
        return Finding(
            "NUMA balancing", "warning", "on: the kernel unmaps pages during runs; switch it off if possible"
        )
    return Finding("NUMA balancing", "ok", "off")


def huge_pages(machine: Machine) -> Finding:
    """Check transparent huge pages, which change the cost of buffers from launch to launch."""
    value = machine.read("/sys/kernel/mm/transparent_hugepage/enabled")
    if value is None:
        return Finding("huge pages", "unknown", "the kernel does not report its use of transparent huge pages")
    chosen = value.partition("[")[2].partition("]")[0]
    return Finding("huge pages", "ok", f"transparent huge pages: {chosen}; recorded, since it changes large messages")


CHECKS = (cores, load, frequency, threads, virtual, memory, numa_balancing, huge_pages)
