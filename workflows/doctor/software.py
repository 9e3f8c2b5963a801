# SPDX-License-Identifier: BSD-3-Clause
"""Compiler and stacks."""

from __future__ import annotations

import os
import shutil

from spack_envs.declarations import known_stacks, load_declaration
from spack_envs.registry import is_ready
from workflows.doctor.finding import Finding, Machine


def compiler(_machine: Machine) -> Finding:
    """What builds the engine."""
    missing = [tool for tool in ("cc", "make") if shutil.which(tool) is None]
    if missing:
        return Finding("compiler", "bad", f"{' and '.join(missing)} not found; install a C compiler and make")
    return Finding("compiler", "good", f"{shutil.which('cc')}, {shutil.which('make')}")


def environment(_machine: Machine) -> Finding:
    """Variables that would make one stack load another one's library."""
    leaking = sorted(
        name for name in ("LD_LIBRARY_PATH", "LD_PRELOAD", "I_MPI_ROOT", "OPAL_PREFIX") if os.environ.get(name)
    )
    if leaking:
        words = f"{', '.join(leaking)} set: removed from every launch, since a stack could load the wrong MPI library"
        return Finding("environment", "warning", words)
    return Finding("environment", "good", "nothing set that points to an MPI library")


def stacks(_machine: Machine) -> list[Finding]:
    """The stacks that a campaign may name, and whether they are ready on this machine."""
    findings = []
    for name in known_stacks():
        declaration = load_declaration(name)
        ready = is_ready(declaration)
        state = "ready" if ready else "known; the first run installs it"
        findings.append(Finding(f"stack {name}", "good", f"{declaration.mpi_library} {declaration.version}: {state}"))
    return findings


CHECKS = (compiler, environment)
