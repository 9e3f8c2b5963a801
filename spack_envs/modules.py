# SPDX-License-Identifier: BSD-3-Clause
"""Environment modules as stacks, `module:mpich/4.2`, with Lmod or Environment Modules.

The module is loaded once, after `module purge`; the variables that it changes belong to the environment of the stack,
so that builds and launches need no module system. Some versions of both report success for a module that they did not
load, or load another version: LOADEDMODULES is compared, and the version of the library with that of its module.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from isochron.common.files import FileError, suggest
from isochron.schemas.run.manifest import Environment
from isochron.spack_envs.families import load_family
from isochron.spack_envs.prefixes import Recognised

#: Variables in which a module system keeps its own state.
BOOKKEEPING = re.compile(r"_ModuleTable|_LMFILES_|LOADEDMODULES|LMOD_|__LMOD|__MODULES|MODULE|_$|SHLVL$|PWD$|OLDPWD$")

#: Names of modules by family, without punctuation and digits at their end; `mpi` is Intel's own name. The version of
#: other modules (`foss/2023b`, `hpcx/2.20`) is not that of an MPI library.
NAMES = {
    "openmpi": {"openmpi", "ompi"},
    "mpich": {"mpich"},
    "mvapich": {"mvapich"},
    "intel-mpi": {"impi", "intelmpi", "inteloneapimpi", "mpi"},
    "cray-mpich": {"craympich"},
}

#: Prints the environment after purge, and after load, between lines of their own. The command is the first argument.
SCRIPT = """
eval "$("$1" bash purge 2>/dev/null)"
printf 'purged\\0'; env -0
eval "$("$1" bash load "$2")"
printf 'loaded\\0'; env -0
"""

#: Maximum seconds of a call.
PATIENCE_S = 120


class State(NamedTuple):
    """A loaded module: the folder of its MPI library, what it changes, and the modules that are loaded with it."""

    prefix: Path
    environment: Environment
    loaded: list[str]


def command(base: Mapping[str, str] = os.environ) -> str:
    """Return the program of Lmod or Environment Modules; empty if there is none."""
    named = base.get("LMOD_CMD") or base.get("MODULES_CMD") or "modulecmd"
    return shutil.which(named, path=base.get("PATH", "")) or ""


def load(module: str, base: Mapping[str, str] = os.environ) -> State:
    """Return what loading a module changes. Raises FileError if it, and no other version, cannot be loaded."""
    program = command(base)
    if not program:
        raise FileError(
            f"module {module}: neither Lmod nor Environment Modules was found (LMOD_CMD, MODULES_CMD, modulecmd); "
            "start isochron from a shell in which `module` works"
        )
    done = _call(["bash", "--noprofile", "--norc", "-c", SCRIPT, "bash", program, module], base)
    purged, _, after = done.stdout.partition("loaded\0")
    bare, full = _variables(purged.partition("purged\0")[2]), _variables(after)
    loaded = [name for name in full.get("LOADEDMODULES", "").split(":") if name]
    if module not in loaded:
        raise FileError(_not_loaded(module, loaded, program, done.stderr, base))
    compiler = shutil.which("mpicc", path=full.get("PATH", ""))
    if compiler is None or compiler == shutil.which("mpicc", path=bare.get("PATH", "")):
        raise FileError(f"module {module}: brings no mpicc; name a module of an MPI library")
    return State(Path(compiler).absolute().parents[1], _changes(base, bare, full), loaded)


def named_in(module: str) -> list[str]:
    """Return the families of which a module is named, as in mpi/openmpi/5.0.8: more than one for Intel's `mpi`."""
    return [family for family, names in NAMES.items() if names & _words(module)]


def _words(module: str) -> set[str]:
    """Return the parts of a module's name without its version, punctuation, and digits at their end."""
    return {re.sub(r"\d+$", "", re.sub(r"[^a-z0-9]", "", word.lower())) for word in module.split("/")[:-1]}


def check_promise(module: str, loaded: list[str], recognised: Recognised) -> None:
    """Raise FileError if a loaded module is one of an MPI library, and what it brings is another, or another version.

    Only the parts that both versions have are compared: `impi/2021.13.0` has the library 2021.13.
    """
    for name in loaded:
        promised = named_in(name)
        named = re.match(r"v?(\d+(?:\.\d+)*(?:[a-z]+\d+)?)(?=$|[-_+])", name.rpartition("/")[2])
        version = named[1] if named else ""
        parts = zip(version.split("."), recognised.version.split("."), strict=False) if version else ()
        if not promised:
            continue
        if any(one != other for one, other in parts) or (
            recognised.family not in promised and "mpi" not in _words(name)
        ):
            library = f"{load_family(recognised.family).mpi_library} {recognised.version}"
            raise FileError(f"module {module}: {name} brings {library}; name the module of the version that is meant")


def available(base: Mapping[str, str] = os.environ) -> list[str]:
    """Return the modules that can be loaded here, with their versions; none if there is no module system."""
    program = command(base)
    if not program:
        return []
    done = _call([program, "bash", "-t", "avail"], base)
    words = [re.sub(r"\(.*\)$|<.*>$", "", line.strip()) for line in (done.stdout + done.stderr).splitlines()]
    return sorted({word for word in words if re.fullmatch(r"[\w.+-]+(/[\w.+-]+)+", word)})


def _not_loaded(module: str, loaded: list[str], program: str, errors: str, base: Mapping[str, str]) -> str:
    """Return why a module is not among those that are loaded."""
    name = module.rpartition("/")[0]
    instead = next((other for other in loaded if other.startswith((f"{name}/", f"{module}."))), "")
    if instead:
        return f"module {module}: {program} loaded {instead} instead; name that, or correct the module"
    names = available(base)
    if module not in names:
        near = [other for other in names if other.startswith(f"{name}/")]
        there = f"; there are {', '.join(near)}" if near else "; `module avail` lists those that there are"
        return f"module {module} does not exist{suggest(module, names)}{there}"
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return f"module {module} cannot be loaded: {lines[0] if lines else 'no message'}"


def _changes(base: Mapping[str, str], bare: Mapping[str, str], full: Mapping[str, str]) -> Environment:
    """Return the changes from the environment of this process to that after purge and load.

    Folders that the module adds before those that were there are prepended, as jobs have paths of their own.
    """
    unset = sorted(name for name in base if _counts(name) and name not in full)
    to_set: dict[str, str] = {}
    prepend: dict[str, list[str]] = {}
    for name in sorted(filter(_counts, full)):
        value, before = full[name], bare.get(name)
        added = _prepended(value, before) if before else None
        if before and added is not None:
            prepend |= {name: added} if added else {}
            value = before
        elif value != before:
            to_set[name] = value
        if value != base.get(name):
            to_set[name] = value
    return Environment(unset=unset, set=to_set, prepend=prepend)


def _prepended(value: str, before: str) -> list[str] | None:
    """Return the folders that were added before others, of which Lmod keeps each only once; None if more changed."""
    folders, old = value.split(":"), before.split(":")
    added = [folder for folder in folders if folder not in old]
    return added if folders in ([*added, *old], [*added, *dict.fromkeys(old)]) else None


def _counts(name: str) -> bool:
    """Return True if a variable is of concern to launches."""
    return re.fullmatch(r"[A-Za-z_]\w*", name) is not None and not BOOKKEEPING.match(name)


def _variables(text: str) -> dict[str, str]:
    """Return the variables that `env -0` printed."""
    pairs = (entry.partition("=") for entry in text.split("\0") if "=" in entry)
    return {name: value for name, _, value in pairs}


def _call(words: list[str], base: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            words, env=dict(base), capture_output=True, encoding="utf-8", errors="replace", timeout=PATIENCE_S,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{words[-1]}: {error}; check that `module` works in this shell") from error
