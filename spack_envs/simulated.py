# SPDX-License-Identifier: BSD-3-Clause
"""The simulated route: a stack of SimGrid SMPI, on a described machine.

The settings make the network model that of Hockney: a message takes latency + bytes / bandwidth, bandwidths are shared
by the flows on a link, computation is free, and a reading of the clock takes 10 ns (without that cost a process that
waits for a time would never come to it).
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from isochron.common.files import FileError
from isochron.schemas.input.machine import Machine
from isochron.schemas.run.manifest import Launcher, Simulator, StackDeclaration, Toolchain
from isochron.spack_envs.environment import sanitised
from isochron.spack_envs.platform import platform_xml, settings, write_platform

INSTALL = "scripts/install-system-packages.sh simulation (Debian: apt-get install libsimgrid-dev)"

#: Words of `smpirun` that all simulated stacks share. The engine has no mutable globals, so that the simulated
#: processes need no copies of them.
COMMON = ("-platform", "{machine}/platform.xml", "-no-privatize", "--log=root.thresh:error")

#: Settings of the simulator: model of time and network, then memory of a simulated process.
SETTINGS = (
    "smpi/simulate-computation:no",
    "smpi/host-speed:1Gf",
    "smpi/wtime:1e-8",
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:1",
    "network/crosstraffic:0",
    # Else a message over more links gets less of a rate that is no sharing: that of one stream (see platform.py).
    "network/weight-S:0",
    "contexts/factory:raw",
    "contexts/stack-size:64",
    "contexts/guard-size:0",
    # Large buffers of all processes are one piece of memory of this size; the kernel maps at most 65530 pieces.
    "smpi/shared-malloc-blocksize:67108864",
)

#: Flows that share links; a message alone takes latency + bytes / bandwidth.
NETWORK_MODEL = "SMPI"


def programs() -> tuple[Path, Path] | None:
    """`smpicc` and `smpirun` of one installation, or None."""
    compiler = shutil.which("smpicc")
    launcher = Path(compiler).with_name("smpirun") if compiler else None
    return (Path(compiler), launcher) if compiler and launcher and launcher.is_file() else None


def resolve(declaration: StackDeclaration, machine: Machine | None, folder: Path) -> Toolchain:
    """Find the simulator and write the machine's files into `folder`. Raises FileError."""
    stack, simulator = declaration.stack, declaration.simulator
    if simulator is None or machine is None:
        raise FileError(f"stack {stack}: is simulated and needs a machine; name one in site.machine of the campaign")
    found = programs()
    if found is None:
        raise FileError(f"stack {stack}: SimGrid's smpicc and smpirun are not on the PATH; install them: {INSTALL}")
    write_platform(machine, folder)
    prefix = found[0].resolve().parent.parent
    return Toolchain(
        declaration=declaration,
        stack_source="simulated",
        prefix=str(prefix),
        cc=str(found[0]),
        launcher=_launcher(declaration, simulator, machine, prefix, folder),
        environment=sanitised(declaration.environment),
        provenance=_provenance(found[1], simulator, machine),
    )


def _launcher(
    declaration: StackDeclaration, simulator: Simulator, machine: Machine, prefix: Path, folder: Path
) -> Launcher:
    options = (*SETTINGS, *settings(machine), *machine.options, *simulator.options)

    def whole(template: list[str]) -> list[str]:
        program, *words = template
        filled = [program, *COMMON, *(f"--cfg={option}" for option in options), *words]
        return [word.replace("{prefix}", str(prefix)).replace("{machine}", str(folder)) for word in filled]

    own = declaration.launcher
    return Launcher(argv=whole(own.argv), placed=None if own.placed is None else whole(own.placed))


def _provenance(launcher: Path, simulator: Simulator, machine: Machine) -> dict[str, str]:
    said = subprocess.run(
        [launcher, "--version"], capture_output=True, encoding="utf-8", errors="replace", timeout=60, check=False
    ).stdout
    version = said.split()[-1] if said.split() else "of unknown version"
    # One word: smpirun takes its arguments apart at blanks.
    words = (f"simulator=SimGrid-{version}", f"network-model={NETWORK_MODEL}", f"selector={simulator.selector}")
    return {
        "simulation": ",".join([*words, f"machine={machine.name}"]),
        "platform_sha256": hashlib.sha256(platform_xml(machine).encode()).hexdigest(),
    }
