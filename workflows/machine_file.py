# SPDX-License-Identifier: BSD-3-Clause
"""Reading the description of a machine to simulate: one that comes with Isochron, or a file."""

from __future__ import annotations

from pathlib import Path

from workflows.schemas.base import FileError, did_you_mean
from workflows.schemas.machine import Machine

MACHINES = Path(__file__).parent / "machines"


def known_machines() -> list[str]:
    """Names of the machines that come with Isochron."""
    return sorted(path.stem for path in MACHINES.glob("*.yaml"))


def load_machine(name: str, beside: Path) -> Machine:
    """A machine by its name, or by the path of its file relative to the folder `beside`. Raises FileError."""
    is_path = "/" in name or name.endswith((".yaml", ".yml"))
    if not is_path and name not in known_machines():
        guess = did_you_mean(name, known_machines())
        raise FileError(
            f"unknown machine '{name}'{guess}; known are {', '.join(known_machines())}, or give the path of a file"
        )
    path = beside / name if is_path else MACHINES / f"{name}.yaml"
    return Machine.load_yaml(path, "give the path of a machine's file")
