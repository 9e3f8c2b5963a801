# SPDX-License-Identifier: BSD-3-Clause
"""scripts/install-system-packages.sh: says what it installs and why, and installs nothing where it must not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "install-system-packages.sh"

COMMANDS = {
    "dpkg-query": "exit 1",
    "apt-get": 'echo "$*" >> "$CALLS"',
    "sudo": "exit 1",
    "id": 'echo "$USER_ID"',
}


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A Debian machine on which nothing is installed."""
    for name, body in COMMANDS.items():
        command = tmp_path / name
        command.write_text(f"#!/bin/sh\n{body}\n")
        command.chmod(0o755)
    return tmp_path


def _run(machine: Path, user: int, what: str = "test", **variables: str) -> tuple[str, str]:
    environment = {name: value for name, value in os.environ.items() if name != "ISOCHRON_INSTALL"} | variables
    environment |= {"PATH": f"{machine}:/usr/bin:/bin", "CALLS": str(machine / "calls"), "USER_ID": str(user)}
    done = subprocess.run([SCRIPT, what], env=environment, capture_output=True, text=True, check=True)
    calls = machine / "calls"
    return done.stdout, calls.read_text() if calls.exists() else ""


@pytest.mark.process
def test_every_package_has_a_reason(machine: Path) -> None:
    said, _ = _run(machine, user=0, what="full")
    assert "  postgresql: to receive what `isochron push` sends" in said
    assert "postgresql" not in _run(machine, user=0)[0]
    lines = [line for line in said.splitlines() if line.startswith("  ")]
    assert len(lines) > 10
    assert all(line.partition(": to ")[2] for line in lines), said


@pytest.mark.process
def test_root_installs_what_was_named(machine: Path) -> None:
    said, calls = _run(machine, user=0)
    assert "install -y" in calls
    assert " valgrind" in calls
    assert "ISOCHRON_INSTALL=no" in said


@pytest.mark.process
def test_it_can_be_told_to_install_nothing(machine: Path) -> None:
    said, calls = _run(machine, user=0, ISOCHRON_INSTALL="no")
    assert not calls
    assert "valgrind: to run the engine's unit tests with memory checks" in said
    assert "apt-get install" in said


@pytest.mark.process
def test_without_rights_it_prints_the_command(machine: Path) -> None:
    said, calls = _run(machine, user=1000)
    assert not calls
    assert "sudo apt-get install" in said
