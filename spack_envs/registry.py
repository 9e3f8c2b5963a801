# SPDX-License-Identifier: BSD-3-Clause
"""The registry route: a stack from pinned PyPI wheels, in a virtual environment of its own."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from isochron.ground.files import FileError, write_json
from isochron.ground.locks import lock
from isochron.schemas.run.manifest import StackDeclaration, Toolchain
from isochron.spack_envs.declarations import wheels_lock
from isochron.spack_envs.toolchain import compiler, filled

#: Written last into the folder of a stack: without it the install was interrupted and is made anew.
MARKER = "isochron-complete.json"

PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


def default_cache() -> Path:
    """`isochron/stacks` in the user's cache folder (XDG_CACHE_HOME)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isochron" / "stacks"


def pins(lock: Path) -> dict[str, str]:
    """Package and version of each wheel in a lock file."""
    return {name.lower(): version for name, version in PIN.findall(lock.read_text(encoding="utf-8"))}


def _folder(stack: str, digest: str, cache: Path | None) -> Path:
    return (cache or default_cache()).resolve() / f"{stack}-{digest[:12]}"


def is_ready(declaration: StackDeclaration, cache: Path | None = None) -> bool:
    """Whether `resolve` would need no network."""
    lock = wheels_lock(declaration.stack)
    return lock.is_file() and _complete(_folder(declaration.stack, _sha256(lock), cache))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def resolve(declaration: StackDeclaration, cache: Path | None = None, *, lock: Path | None = None) -> Toolchain:
    """Make the stack ready, from the network the first time and from the cache afterwards. Raises FileError."""
    lock = lock or wheels_lock(declaration.stack)
    if not lock.is_file():
        raise FileError(
            f"stack {declaration.stack}: {lock} is missing, so the registry route cannot provide this stack; "
            "take --route spack"
        )
    digest = _sha256(lock)
    prefix = _folder(declaration.stack, digest, cache)
    with _held(prefix):
        if not _complete(prefix):
            shutil.rmtree(prefix, ignore_errors=True)
            _install(declaration.stack, lock, prefix)
            write_json(prefix / MARKER, {"stack": declaration.stack, "lock_sha256": digest, "wheels": pins(lock)})
    return filled(declaration, prefix, "registry", {**pins(lock), "wheels_lock_sha256": digest})


def _complete(prefix: Path) -> bool:
    return (prefix / MARKER).is_file() and compiler(prefix).is_file()


@contextmanager
def _held(prefix: Path) -> Iterator[None]:
    """One process at a time works on a stack; the kernel frees the lock of one that died."""
    try:
        prefix.parent.mkdir(parents=True, exist_ok=True)
        stream = prefix.with_name(f"{prefix.name}.lock").open("w", encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{prefix.parent}: the cache of the stacks cannot be written: {error.strerror}; "
            "set XDG_CACHE_HOME to a folder that can"
        ) from error
    with stream:
        lock(stream, wait=True)
        yield


def _install(stack: str, lock: Path, prefix: Path) -> None:
    """Make the virtual environment and install the pinned wheels into it."""
    log = prefix.with_name(f"{prefix.name}.log")
    pip = [str(prefix / "bin" / "python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    steps = [
        ([sys.executable, "-m", "venv", str(prefix)], "install Python's venv module (Debian: python3-venv)"),
        (
            [*pip, "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(lock)],
            "look whether the package index can be reached (PIP_INDEX_URL names another one) and whether "
            "it has a wheel for this machine",
        ),
    ]
    with log.open("w", encoding="utf-8") as output:
        for command, remedy in steps:
            output.write(f"$ {' '.join(command)}\n")
            output.flush()
            code = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
            if code != 0:
                raise FileError(f"stack {stack}: {_last_error(log)}; {remedy}. The whole output: {log}")
    if not compiler(prefix).is_file():
        raise FileError(f"stack {stack}: the wheels of {lock} contain no bin/mpicc; pin wheels of an MPI library")


def _last_error(log: Path) -> str:
    """pip's own last word, or what there is."""
    lines = [line.strip() for line in log.read_text(errors="replace", encoding="utf-8").splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines)[-1]
