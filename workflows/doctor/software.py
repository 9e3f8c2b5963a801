# SPDX-License-Identifier: BSD-3-Clause
"""Checks of compiler and stacks, and the list of all checks."""

import os
import shutil

from isochron.common.cache import refuse_writable_by_others
from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.manifest import StackDeclaration
from isochron.spack_envs import simulated
from isochron.spack_envs.declarations import available_stacks, load_declaration, wheels_lock
from isochron.spack_envs.spack_stack import find_spack
from isochron.spack_envs.wheels import default_cache, find_damage, is_installed
from isochron.workflows.doctor import machine
from isochron.workflows.doctor.machine import CheckResult, Level, Machine


def compiler(_machine: Machine) -> CheckResult:
    """Check for the programs that build the engine."""
    missing = [tool for tool in ("cc", "make") if shutil.which(tool) is None]
    if missing:
        return CheckResult("compiler", "error", f"{' and '.join(missing)} not found; install a C compiler and make")
    return CheckResult("compiler", "ok", f"{shutil.which('cc')}, {shutil.which('make')}")


def environment(_machine: Machine) -> CheckResult:
    """Check for variables by which a stack would load another MPI library."""
    leaking = sorted(
        name for name in ("LD_LIBRARY_PATH", "LD_PRELOAD", "I_MPI_ROOT", "OPAL_PREFIX") if os.environ.get(name)
    )
    if leaking:
        words = f"{', '.join(leaking)} set: removed from every launch, since a stack could load the wrong MPI library"
        return CheckResult("environment", "warning", words)
    return CheckResult("environment", "ok", "no variable set that points to an MPI library")


def spack(_machine: Machine) -> CheckResult:
    """Check for Spack."""
    try:
        installation = find_spack(None)
    except FileError as error:
        return CheckResult("Spack", "warning", f"does not run: {error}")
    if installation is None:
        return CheckResult("Spack", "ok", "not found: stacks come from the package registry")
    if not installation.is_new_enough:
        words = f"{installation.version} at {installation.command} is too old; stacks come from the package registry"
        return CheckResult("Spack", "warning", words)
    words = (
        f"{installation.version} at {installation.command}: source of the stacks unless --stack-source wheels is given"
    )
    return CheckResult("Spack", "ok", words)


def cache(_machine: Machine) -> CheckResult:
    """Check that nobody else can change the folder of installed stacks."""
    try:
        folder = default_cache()
        if folder.exists():
            refuse_writable_by_others(folder)
    except FileError as error:
        return CheckResult("cache", "error", str(error))
    except OSError as error:
        return CheckResult("cache", "error", f"{error.filename}: cannot be read: {error.strerror}")
    return CheckResult("cache", "ok", str(folder))


def stacks(_machine: Machine) -> list[CheckResult]:
    """Check all available stacks; every file of an installed one is hashed."""
    return [examined(load_declaration(name)) for name in available_stacks()]


def examined(declaration: StackDeclaration) -> CheckResult:
    """Check one stack."""
    level: Level = "ok"
    try:
        state = _wait_for(declaration)
        if declaration.simulator is None and is_installed(declaration.stack):
            damage = find_damage(declaration.stack)
            state = f"damaged: {damage}; the next run installs it again" if damage else "ready"
            level = "warning" if damage else "ok"
    except FileError as error:
        level, state = "warning", f"not used: {error}"
    return CheckResult(f"stack {declaration.stack}", level, f"{declaration.mpi_library} {declaration.version}: {state}")


def _wait_for(declaration: StackDeclaration) -> str:
    if declaration.simulator is not None:
        return "ready" if simulated.programs() else f"SimGrid is not installed; install it: {simulated.INSTALL}"
    if wheels_lock(declaration.stack).is_file():
        return "known; the first run installs it"
    return "known; from Spack only"


SOFTWARE_CHECKS = (compiler, environment, spack, cache)


def examine(place: Machine) -> list[CheckResult]:
    """Make all checks, in the order of the output."""
    checks = (*machine.CLOCK_CHECKS, *machine.MACHINE_CHECKS, *SOFTWARE_CHECKS)
    return [*(check(place) for check in checks), *stacks(place)]


def before_a_run(campaign: Campaign, place: Machine) -> list[CheckResult]:
    """Return the warnings that concern this campaign; none if its launches run elsewhere or are simulated.

    What takes long is left out: asking Spack, and hashing the files of every stack, which the build does.
    """
    if campaign.site.machine is not None or campaign.site.reframe_config is not None:
        return []
    findings = [check(place) for check in (*machine.CLOCK_CHECKS, *machine.MACHINE_CHECKS, environment)]
    return [finding for finding in findings if finding.level in ("warning", "error")]
