# SPDX-License-Identifier: BSD-3-Clause
"""The doctor reads a machine's files and says in words what they mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isochron.cli.doctor import examine
from isochron.cli.main import main
from isochron.workflows.doctor import machine
from isochron.workflows.doctor.machine import Machine

CLOCK = "sys/devices/system/clocksource/clocksource0"


@pytest.fixture
def place(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def write(place: Machine, path: str, text: str) -> None:
    (place.root / path).parent.mkdir(parents=True, exist_ok=True)
    (place.root / path).write_text(text + "\n")


def test_a_slow_clock_source_is_named_with_what_the_kernel_offers(place: Machine) -> None:
    write(place, f"{CLOCK}/current_clocksource", "hpet")
    write(place, f"{CLOCK}/available_clocksource", "tsc hpet acpi_pm")
    finding = machine.clock_source(place)
    assert finding.level == "warning"
    assert finding.words.startswith("hpet: slow")
    assert "tsc hpet acpi_pm" in finding.words


def test_the_tsc_is_good(place: Machine) -> None:
    write(place, f"{CLOCK}/current_clocksource", "tsc")
    assert machine.clock_source(place).level == "ok"


@pytest.mark.parametrize(
    ("flags", "level"), [("fpu constant_tsc nonstop_tsc", "ok"), ("fpu constant_tsc", "unknown"), ("", "unknown")]
)
def test_tsc_invariance(place: Machine, flags: str, level: str) -> None:
    write(place, "proc/cpuinfo", f"flags : {flags}")
    assert machine.invariant_tsc(place).level == level


def test_governors(place: Machine) -> None:
    assert machine.frequency(place).level == "unknown"
    write(place, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance")
    assert machine.frequency(place).level == "ok"
    write(place, "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave")
    finding = machine.frequency(place)
    assert finding.level == "warning"
    assert "performance, powersave" in finding.words


def test_load(place: Machine) -> None:
    write(place, "proc/loadavg", "64.00 1.0 1.0 1/2 3")
    assert machine.load(place).level == "warning"
    write(place, "proc/loadavg", "0.01 1.0 1.0 1/2 3")
    assert machine.load(place).level == "ok"


def test_memory(place: Machine) -> None:
    write(place, "proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable:  524288 kB")
    finding = machine.memory(place)
    assert (finding.level, finding.words) == ("warning", "0.5 GiB available")


@pytest.mark.parametrize(("value", "level"), [("1", "warning"), ("0", "ok")])
def test_smt_and_numa_balancing(place: Machine, value: str, level: str) -> None:
    write(place, "sys/devices/system/cpu/smt/active", value)
    write(place, "proc/sys/kernel/numa_balancing", value)
    assert machine.threads(place).level == level
    assert machine.numa_balancing(place).level == level


def test_a_virtual_machine_is_a_warning(place: Machine) -> None:
    write(place, "proc/cpuinfo", "flags : fpu hypervisor")
    assert machine.virtual(place).level == "warning"


def test_an_empty_machine_is_unknown_not_an_error(place: Machine) -> None:
    assert {finding.check for finding in examine(place)} >= {"clock source", "load", "memory", "compiler"}


def test_the_command_on_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--format", "json"]) == 0
    found = {row["check"]: row for row in json.loads(capsys.readouterr().out)}
    assert {"timer", "cores", "stack openmpi-5.0"} <= set(found)
    assert all(row["finding"] for row in found.values())


def test_a_missing_compiler_is_exit_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert main(["doctor", "--quiet"]) == 1
    assert "cc and make not found" in " ".join(capsys.readouterr().out.split())
