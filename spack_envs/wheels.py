# SPDX-License-Identifier: BSD-3-Clause
"""The wheels route: a stack from pinned PyPI wheels, in a separate virtual environment."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from isochron.common.cache import make_folder, refuse_writable_by_others, strict_umask, user_cache
from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.common.locks import lock
from isochron.schemas.base import Record
from isochron.schemas.run.manifest import Manifest, StackDeclaration, Toolchain
from isochron.spack_envs.declarations import wheels_lock
from isochron.spack_envs.toolchain import compiler, filled
from isochron.spack_envs.wheel_files import Damage, verified

#: Written last into the folder of a stack: without it the install was interrupted and is made anew.
MARKER = "isochron-complete.json"

PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


class Installed(Record):
    """The marker: what was installed, and what its files looked like when their hashes were last compared."""

    stack: str
    lock_sha256: str
    wheels: dict[str, str]
    #: Hash over the wheels' lists of files; empty in the marker of an older version.
    records: str = ""
    stamp: str = ""


def default_cache() -> Path:
    """`isochron/stacks` in the user's cache folder. Raises FileError where there is none."""
    return user_cache("stacks")


def pins(lock: Path) -> dict[str, str]:
    """Package and version of each wheel in a lock file."""
    return {name.lower(): version for name, version in PIN.findall(lock.read_text(encoding="utf-8"))}


def _folder(stack: str, digest: str, cache: Path | None) -> Path:
    return (cache or default_cache()).resolve() / f"{stack}-{digest[:12]}"


def is_installed(stack: str, cache: Path | None = None) -> bool:
    """Whether the pinned wheels have been installed here. Raises FileError where there is no cache folder."""
    lock = wheels_lock(stack)
    return lock.is_file() and (_folder(stack, sha256(lock), cache) / MARKER).is_file()


def find_damage(stack: str, cache: Path | None = None) -> str:
    """What is wrong with an installed stack, every hash compared; empty where it is whole. Raises FileError."""
    lock = wheels_lock(stack)
    digest = sha256(lock)
    prefix = _folder(stack, digest, cache)
    return _damage(prefix, Installed(stack=stack, lock_sha256=digest, wheels=pins(lock)), hash_all=True)


def resolve(declaration: StackDeclaration, cache: Path | None = None, *, lock: Path | None = None) -> Toolchain:
    """Make the stack ready, from the network the first time and from the cache afterwards. Raises FileError."""
    lock = lock or wheels_lock(declaration.stack)
    if not lock.is_file():
        raise FileError(
            f"stack {declaration.stack}: {lock} is missing, so the wheels route cannot provide this stack; "
            "use --stack-source spack"
        )
    prefix = _folder(declaration.stack, sha256(lock), cache)
    said = _make_whole(declaration.stack, lock, prefix)
    if said:
        print(said)
    return filled(declaration, prefix, "wheels", {**pins(lock), "wheels_lock_sha256": sha256(lock)})


def keep_whole(manifest: Manifest) -> str:
    """Before a stack is used again: install what its folder has lost. Returns what was wrong. Raises FileError.

    Only a folder of the user's own cache is touched, and only while the wheels are those with which it was made.
    """
    stack = manifest.variant_of or manifest.stack
    lock = wheels_lock(stack)
    made_with = manifest.provenance.get("wheels_lock_sha256")
    if manifest.stack_source != "wheels" or not lock.is_file() or made_with != sha256(lock):
        return ""
    prefix = _folder(stack, made_with, None)
    return _make_whole(stack, lock, prefix) if manifest.cc == str(compiler(prefix)) else ""


def _make_whole(stack: str, lock: Path, prefix: Path) -> str:
    """Install the stack where it is not installed, or not whole. Returns what was wrong with an installed one."""
    wanted = Installed(stack=stack, lock_sha256=sha256(lock), wheels=pins(lock))
    with _held(prefix):
        problem = _damage(prefix, wanted)
        if not problem:
            return ""
        there = (prefix / MARKER).is_file()
        try:
            shutil.rmtree(prefix, ignore_errors=True)
            _install(stack, lock, prefix)
            records, stamp = verified(prefix, wanted.wheels)
            wanted.model_copy(update={"records": records, "stamp": stamp}).save(prefix / MARKER)
        except Damage as damage:
            raise FileError(f"stack {stack}: {prefix}, just installed: {damage}; check the disk") from damage
        except OSError as error:
            raise _unwritable(prefix.parent, error) from error
    return f"stack {stack}: {prefix}: {problem}; installed again" if there else ""


def _damage(prefix: Path, wanted: Installed, *, hash_all: bool = False) -> str:
    """What is wrong with an installed stack; empty where it is whole. Raises FileError where others can write it."""
    try:
        found = Installed.load(prefix / MARKER)
    except FileError:
        return f"{MARKER} is missing or damaged"
    try:
        records, stamp = verified(prefix, wanted.wheels, found.records, "" if hash_all else found.stamp)
    except Damage as damage:
        return str(damage)
    if stamp != found.stamp:
        with suppress(OSError):  # a cache that can only be read is hashed every time
            wanted.model_copy(update={"records": records, "stamp": stamp}).save(prefix / MARKER)
    return ""


@contextmanager
def _held(prefix: Path) -> Iterator[None]:
    """One process at a time works on a stack; the kernel frees the lock of one that died.

    A cache that can only be read needs no lock as long as nothing is missing from it.
    """
    try:
        make_folder(prefix.parent)
        refuse_writable_by_others(prefix.parent)
        stream = prefix.with_name(f"{prefix.name}.lock").open("w", encoding="utf-8")
    except OSError as error:
        if not (prefix / MARKER).is_file():
            raise _unwritable(prefix.parent, error) from error
        yield
        return
    with stream:
        lock(stream, wait=True)
        yield


def _unwritable(cache: Path, error: OSError) -> FileError:
    return FileError(
        f"{cache}: the stack cache is not writable: {error.strerror}; set XDG_CACHE_HOME to a writable folder"
    )


def _install(stack: str, lock: Path, prefix: Path) -> None:
    """Make the virtual environment and install the pinned wheels into it."""
    log = prefix.with_name(f"{prefix.name}.log")
    pip = [str(prefix / "bin" / "python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    steps = [
        ([sys.executable, "-m", "venv", str(prefix)], "install Python's venv module (Debian: python3-venv)"),
        (
            [*pip, "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(lock)],
            "check that the package index can be reached (PIP_INDEX_URL names another one) and that "
            "it has a wheel for this machine",
        ),
    ]
    with log.open("w", encoding="utf-8") as output:
        for command, remedy in steps:
            output.write(f"$ {' '.join(command)}\n")
            output.flush()
            code = subprocess.run(
                command, stdout=output, stderr=subprocess.STDOUT, umask=strict_umask(), check=False
            ).returncode
            if code != 0:
                raise FileError(f"stack {stack}: {_last_error(log)}; {remedy}. Full output: {log}")
    if not compiler(prefix).is_file():
        raise FileError(f"stack {stack}: the wheels of {lock} contain no bin/mpicc; pin wheels of an MPI library")


def _last_error(log: Path) -> str:
    """pip's own last word, or what there is."""
    lines = [line.strip() for line in log.read_text(errors="replace", encoding="utf-8").splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines)[-1]
