# SPDX-License-Identifier: BSD-3-Clause
"""Environment modules as stacks, `module:gcc/12.2 mpich/4.2`, with Lmod or Environment Modules.

The modules are loaded once, in this order, after `module purge`; the variables that they change belong to the
environment of the stack, so that builds and launches need no module system. Some versions of both report success for a
module that they did not load, or load another version: LOADEDMODULES is compared, and the version of the library with
that of its module. The files that `spack module` writes are modules of either.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from isochron.common.children import captured
from isochron.common.files import FileError, suggest
from isochron.schemas.run.manifest import Environment
from isochron.spack_envs.families import families, load_family
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

#: Prints the environment after purge, and after load, between lines of their own. Arguments: command, modules.
SCRIPT = """
eval "$("$1" bash purge 2>/dev/null)"
printf 'purged\\0'; env -0
[ $# = 1 ] || eval "$("$1" bash load "${@:2}")"
printf 'loaded\\0'; env -0
"""

#: Maximum seconds of a call.
PATIENCE_S = 120


class State(NamedTuple):
    """Loaded modules: the folder of their MPI library, its compiler, what they change, and all that are loaded."""

    prefix: Path
    cc: Path
    environment: Environment
    loaded: list[str]


def command(base: Mapping[str, str] = os.environ) -> str:
    """Return the program of Lmod or Environment Modules; empty if there is none."""
    named = base.get("LMOD_CMD") or base.get("MODULES_CMD") or "modulecmd"
    return shutil.which(named, path=base.get("PATH", "")) or ""


def load(asked: str, base: Mapping[str, str] = os.environ) -> State:
    """Return what loading modules, separated by blanks, changes. Raises FileError if others than these are loaded."""
    program = command(base)
    if not program:
        raise FileError(
            f"module {asked}: neither Lmod nor Environment Modules was found (LMOD_CMD, MODULES_CMD, modulecmd); "
            "start isochron from a shell in which `module` works"
        )
    names = _newest(asked.split(), program, base)
    bare, full, errors = _environments(program, names, base)
    if not set(names) <= set(_loaded(full)):
        raise FileError(_not_loaded(names, program, errors, base))
    brought = _compiler(bare, full)
    if brought is None:
        raise FileError(
            f"module {asked}: brings no mpicc; name a module of an MPI library, and before it those that it needs, as "
            "in module:PrgEnv-gnu/8.5.0 cray-mpich/8.1.30"
        )
    return State(*brought, _changes(base, bare, full), _loaded(full))


def _environments(
    program: str, names: list[str], base: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str], str]:
    """Return the variables after purge, those after loading modules in this order, and what the program reported."""
    done = _call(["bash", "--noprofile", "--norc", "-c", SCRIPT, "bash", program, *names], base)
    purged, _, after = done.stdout.partition("loaded\0")
    return _variables(purged.partition("purged\0")[2]), _variables(after), done.stderr


def _loaded(environment: Mapping[str, str]) -> list[str]:
    return [name for name in environment.get("LOADEDMODULES", "").split(":") if name]


def _compiler(bare: Mapping[str, str], full: Mapping[str, str]) -> tuple[Path, Path] | None:
    """Return folder and compiler of the MPI library that modules bring: a wrapper of the machine, else `mpicc`."""

    def brought(name: str) -> Path | None:
        there = shutil.which(name, path=full.get("PATH", ""))
        return Path(there).absolute() if there and there != shutil.which(name, path=bare.get("PATH", "")) else None

    for family in families().values():
        wrapper, folder = family.wrapper and brought(family.wrapper), full.get(family.folder_variable, "")
        if wrapper and folder:
            return Path(folder), wrapper
    compiler = brought("mpicc")
    return (compiler.parents[1], compiler) if compiler else None


def _newest(words: list[str], program: str, base: Mapping[str, str]) -> list[str]:
    """Return the modules, with the newest version for `*`, of those that are there when the ones before are loaded.

    Raises FileError if there is none.
    """
    names: list[str] = []
    for word in words:
        if word.endswith("*"):
            there = available(_environments(program, names, base)[1])
            name = word.rpartition("/")[0]
            fitting = [
                other
                for other in there
                if re.match(rf"{re.escape(word[:-1])}v?\d", other) and other.rpartition("/")[0] == name
            ]
            if not fitting:
                raise FileError(f"module {word}: there is none{_near(word, there)}")
            names.append(max(fitting, key=_order))
        else:
            names.append(word)
    return names


def _order(module: str) -> tuple[list[int], bool, list[tuple[int, str]]]:
    """Return the place of a module's version in time: 5.0.8rc1 is older than 5.0.8, 4.9 than 4.10."""
    numbers, rest = re.fullmatch(r"v?([\d.]*)(.*)", module.rpartition("/")[2], re.DOTALL).groups()  # type: ignore[union-attr]
    parts = [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d+|\D+", rest)]
    return [int(number) for number in re.findall(r"\d+", numbers)], not rest[:1].isalpha(), parts


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
    return _names(_call([program, "bash", "-t", "avail"], base))


def _names(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the modules with a version that a list of either system has, sorted."""
    words = [re.sub(r"\(.*\)$|<.*>$", "", line.strip()) for line in (done.stdout + done.stderr).splitlines()]
    return sorted({word for word in words if re.fullmatch(r"[\w.+-]+(/[\w.+-]+)+", word)})


def hidden(base: Mapping[str, str] = os.environ) -> list[str]:
    """Return the MPI modules of Lmod's hierarchy that can be loaded after others only, with those before them."""
    program, at_once = command(base), available(base)
    every = _names(_call([program, "bash", "-t", "spider"], base)) if program else []
    below = [module for module in every if module not in at_once and named_in(module)]
    return [f"{before} {module}" for module in below for before in _needs(module, program, base)]


def _needs(module: str, program: str, base: Mapping[str, str]) -> list[str]:
    """Return what Lmod says is to be loaded before a module: each entry is one way, modules separated by blanks."""
    report = _call([program, "bash", "-t", "spider", module], base).stderr
    ways = re.search(r"is available to load\.\s*\n((?:[ \t]+\S.*(?:\n|$))+)", report)
    return [" ".join(line.split()) for line in ways[1].splitlines()] if ways else []


def _not_loaded(names: list[str], program: str, errors: str, base: Mapping[str, str]) -> str:
    """Return why one of some modules is not loaded: the first one with which, after those before it, it went wrong."""
    for count, module in enumerate(names, 1):
        loaded = _loaded(_environments(program, names[:count], base)[1])
        replaced = next((name for name in names[: count - 1] if name not in loaded), "")
        if module not in loaded:
            return _not_loaded_one(module, names[: count - 1], loaded, program, errors, base)
        if replaced:
            return f"module {replaced} is unloaded by {module}; name only one of them"
    return f"module {' '.join(names)} cannot be loaded: {_first(errors)}"


def _not_loaded_one(
    module: str, before: list[str], loaded: list[str], program: str, errors: str, base: Mapping[str, str]
) -> str:
    """Return why a module is not loaded when others were loaded before it."""
    name = module.rpartition("/")[0] or module
    instead = next((other for other in loaded if other.startswith((f"{name}/", f"{module}."))), "")
    if instead:
        return f"module {module}: {program} loaded {instead} instead; name that, or correct the module"
    names = available(_environments(program, before, base)[1] if before else base)
    if module in names:
        return f"module {module} cannot be loaded: {_first(errors)}"
    ways = _needs(module, program, base)
    if ways:
        return f"module {module} can be loaded after others only: name them, as in module:{ways[0]} {module}"
    return f"module {module} does not exist{suggest(module, names)}{_near(module, names)}"


def _near(module: str, names: list[str]) -> str:
    """Return the modules of the same name, as the end of a message."""
    near = [other for other in names if other.startswith(f"{module.rpartition('/')[0]}/")]
    return f"; there are {', '.join(near)}" if near else "; `module avail` lists those that there are"


def _first(errors: str) -> str:
    return next((line.strip() for line in errors.splitlines() if line.strip()), "no message")


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
        return captured(words, env=dict(base), timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{words[-1]}: {error}; check that `module` works in this shell") from error
