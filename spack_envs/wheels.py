# SPDX-License-Identifier: BSD-3-Clause
"""The wheels source: a stack from pinned PyPI wheels, in a separate virtual environment, with its files checked.

Caches lose files: on clusters, files that nobody has read for weeks are purged. Hashing a stack takes half a second, or
more if the files come over a network, so a stamp of sizes, times and modes is compared first.
"""

import base64
import csv
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from isochron.common.cache import make_folder, refuse_writable_by_others, strict_umask, user_cache
from isochron.common.files import FileError, lock
from isochron.common.hashing import sha256
from isochron.schemas.base import Record
from isochron.schemas.input.spec import parse_spec
from isochron.schemas.run.manifest import Manifest, StackDeclaration, Toolchain
from isochron.spack_envs import pip_output
from isochron.spack_envs.declarations import wheels_lock
from isochron.spack_envs.families import load_family
from isochron.spack_envs.tell import Tell, silent
from isochron.spack_envs.toolchain import compiler, filled
from isochron.spack_envs.wheel_index import WHEELS_ONLY, lock_file, pins, version_of


class Damage(Exception):
    """The damage of an installed stack, as the end of a message: `bin/mpiexec is missing`."""


@dataclass(frozen=True)
class Listed:
    """A file of a wheel."""

    path: Path
    #: SHA-256 as RECORD writes it: URL-safe base64 without padding. Empty if unknown.
    digest: str


@dataclass(frozen=True)
class Wheels:
    """The installed wheels of a stack."""

    prefix: Path
    #: SHA-256 over the lists of files.
    records: str
    files: list[Listed]

    @classmethod
    def read(cls, prefix: Path, pins: Mapping[str, str]) -> "Wheels":
        """Read the lists of the pinned wheels. Raises Damage if one is missing or cannot be read."""
        lists = {
            _normal(path.parent.name): path for path in prefix.glob("lib*/python*/site-packages/*.dist-info/RECORD")
        }
        total, files = hashlib.sha256(), []
        for name, version in sorted(pins.items()):
            path = lists.get(_normal(f"{name}-{version}.dist-info"))
            if path is None:
                raise Damage(f"the wheel {name} {version} is missing")
            try:
                content = path.read_bytes()
                files += list(_listed(path, content.decode()))
            except (OSError, ValueError, csv.Error) as error:
                raise Damage(f"{path.relative_to(prefix)} cannot be read: {error}") from error
            total.update(content)
        return cls(prefix, total.hexdigest(), files)

    def stamp(self) -> str:
        """Return a hash of size, times, owner and mode of all files and folders, which changes if a file changes.

        Raises Damage if a file is missing, and FileError if others can write a file or its folder.
        """
        total = hashlib.sha256(self.records.encode())
        folders = {self.prefix, *(listed.path.parent for listed in self.files)}
        for path in sorted([*folders, *(listed.path for listed in self.files)]):
            status = self._status(path)
            refuse_writable_by_others(path, status)
            values = [status.st_mode, status.st_uid]
            if path not in folders:
                values += [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
            total.update(f"{path}\0{values}\n".encode())
        return total.hexdigest()

    def check(self) -> None:
        """Compare the hash of every file. Raises Damage."""
        for listed in self.files:
            name = listed.path.relative_to(self.prefix)
            try:
                with listed.path.open("rb") as stream:
                    digest = hashlib.file_digest(stream, "sha256").digest()
            except OSError as error:
                raise Damage(f"{name} cannot be read: {error.strerror}") from error
            if listed.digest not in ("", base64.urlsafe_b64encode(digest).rstrip(b"=").decode()):
                raise Damage(f"{name} differs from its wheel")
            if name.parent.name == "bin" and not os.access(listed.path, os.X_OK):
                raise Damage(f"{name} cannot be executed")

    def _status(self, path: Path) -> os.stat_result:
        try:
            status = path.stat()
        except OSError as error:
            raise Damage(f"{path.relative_to(self.prefix)} is missing") from error
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise Damage(f"{path.relative_to(self.prefix)} is not a file")
        return status


def verified(prefix: Path, pins: Mapping[str, str], records: str = "", stamp: str = "") -> tuple[str, str]:
    """Verify a stack; return the hash of its lists of files, and its stamp.

    `records`, `stamp`: their earlier values; if the stamp is unchanged, no file is hashed.
    Raises Damage, and FileError if others can write to the stack.
    """
    if not (prefix / "bin" / "python").exists():
        raise Damage("bin/python is missing, or the Python that it links to")
    wheels = Wheels.read(prefix, pins)
    if records not in ("", wheels.records):
        raise Damage("a list of files (RECORD) differs from the installed one")
    now = wheels.stamp()
    if now != stamp:
        wheels.check()
    return wheels.records, now


def _normal(name: str) -> str:
    """Normalise the name of a folder `*.dist-info`, which wheels spell differently."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _listed(record: Path, text: str) -> Iterator[Listed]:
    """Yield the files of a RECORD, except compiled Python files and METADATA, which are not needed.

    METADATA of impi-devel 2021.1.1 is not the file that its RECORD lists.
    """
    for path, digest, _size in csv.reader(text.splitlines()):
        kind, _, value = digest.partition("=")
        if digest and kind != "sha256":
            raise ValueError(f"unknown hash {kind}")
        if not path.endswith((".pyc", ".dist-info/METADATA")):
            yield Listed(Path(os.path.normpath(record.parent.parent / path)), value)


#: Seconds between two looks at what pip does.
TELL_S = 0.5

#: Written last into the folder of a stack; without it, the installation was interrupted and is repeated.
MARKER = "isochron-complete.json"


class Installed(Record):
    """The marker: what was installed, and the stamp of its files when their hashes were last compared."""

    stack: str
    lock_sha256: str
    wheels: dict[str, str]
    #: Hash over the wheels' lists of files; empty in the marker of an older version.
    records: str = ""
    stamp: str = ""


def default_cache() -> Path:
    """Return `isochron/stacks` in the user's cache folder. Raises FileError if there is none."""
    return user_cache("stacks")


def _folder(stack: str, digest: str, cache: Path | None) -> Path:
    return (cache or default_cache()).resolve() / f"{stack}-{digest[:12]}"


def _place(stack: str, lock: Path, cache: Path | None) -> Path:
    """Return the folder of a stack; one by spec is named by library and version, whatever the spec."""
    spec = parse_spec(stack)
    return _folder(f"{spec.library}-{version_of(lock)}" if spec else stack, sha256(lock), cache)


def is_installed(stack: str, cache: Path | None = None) -> bool:
    """Return True if the pinned wheels have been installed here. Raises FileError if there is no cache folder."""
    lock = wheels_lock(stack)
    return lock.is_file() and (_folder(stack, sha256(lock), cache) / MARKER).is_file()


def find_damage(stack: str, cache: Path | None = None) -> str:
    """Return the damage of an installed stack, comparing every hash; empty if it is intact. Raises FileError."""
    lock = wheels_lock(stack)
    digest = sha256(lock)
    prefix = _folder(stack, digest, cache)
    return _damage(prefix, Installed(stack=stack, lock_sha256=digest, wheels=pins(lock)), hash_all=True)


def resolve(
    declaration: StackDeclaration,
    cache: Path | None = None,
    *,
    lock: Path | None = None,
    tell: Tell = silent,
) -> Toolchain:
    """Install the stack from the network unless it is in the cache; return its toolchain. Raises FileError.

    `lock`: the pinned wheels, instead of those of the declared stack or, for a spec, those that the index has.
    `tell` is called with each step, if wheels have to be installed.
    """
    by_spec = parse_spec(declaration.stack) is not None
    lock = lock or (lock_file(declaration) if by_spec else wheels_lock(declaration.stack))
    if not lock.is_file():
        raise FileError(
            f"stack {declaration.stack}: {lock} is missing, so wheels cannot provide this stack; "
            "use --stack-source spack"
        )
    prefix = _place(declaration.stack, lock, cache)
    if by_spec:
        declaration = proven(declaration, version_of(lock))
    message = _ensure_installed(declaration.stack, lock, prefix, tell)
    if message:
        print(message)
    return filled(declaration, prefix, "wheels", {**pins(lock), "wheels_lock_sha256": sha256(lock)})


def proven(declaration: StackDeclaration, version: str) -> StackDeclaration:
    """Return the declaration of the version that was resolved, as far as every release of the library reports it."""
    parts = version.split(".")[: load_family(declaration.family).reported_parts]
    return declaration.model_copy(update={"version": ".".join(parts)})


def reinstall_lost_files(manifest: Manifest, own_lock: Path) -> str:
    """Reinstall a stack that has lost files. Returns a message, empty if it is intact. Raises FileError.

    `own_lock`: the lock that the run has for a stack by spec. Only a folder in the user's cache is changed, and only if
    the pinned wheels are still those that it was made from.
    """
    stack = manifest.variant_of or manifest.stack
    lock = own_lock if parse_spec(stack) else wheels_lock(stack)
    made_with = manifest.provenance.get("wheels_lock_sha256")
    if manifest.stack_source != "wheels" or not lock.is_file() or made_with != sha256(lock):
        return ""
    prefix = _place(stack, lock, None)
    return _ensure_installed(stack, lock, prefix) if manifest.cc == str(compiler(prefix)) else ""


def _ensure_installed(stack: str, lock: Path, prefix: Path, tell: Tell = silent) -> str:
    """Install the stack if it is missing or damaged. Returns a message about the damage of an installed one."""
    expected = Installed(stack=stack, lock_sha256=sha256(lock), wheels=pins(lock))
    with _held(prefix, tell):
        problem = _damage(prefix, expected)
        if not problem:
            return ""
        there = (prefix / MARKER).is_file()
        try:
            shutil.rmtree(prefix, ignore_errors=True)
            _install(stack, lock, prefix, tell)
            records, stamp = verified(prefix, expected.wheels)
            expected.model_copy(update={"records": records, "stamp": stamp}).save(prefix / MARKER)
        except Damage as damage:
            raise FileError(f"stack {stack}: {prefix}, just installed: {damage}; check the disk") from damage
        except OSError as error:
            raise _unwritable(prefix.parent, error) from error
    return f"stack {stack}: {prefix}: {problem}; reinstalled" if there else ""


def _damage(prefix: Path, expected: Installed, *, hash_all: bool = False) -> str:
    """Return the damage of an installed stack; empty if it is intact. Raises FileError if others can write it."""
    try:
        marker = Installed.load(prefix / MARKER)
    except FileError:
        return f"{MARKER} is missing or damaged"
    try:
        records, stamp = verified(prefix, expected.wheels, marker.records, "" if hash_all else marker.stamp)
    except Damage as damage:
        return str(damage)
    if stamp != marker.stamp:
        with suppress(OSError):  # a read-only cache is hashed every time
            expected.model_copy(update={"records": records, "stamp": stamp}).save(prefix / MARKER)
    return ""


@contextmanager
def _held(prefix: Path, tell: Tell) -> Iterator[None]:
    """Lock a stack for one process; the kernel releases the lock of a process that died.

    A read-only cache needs no lock as long as it is complete.
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
        try:
            lock(stream, wait=False)
        except BlockingIOError:
            tell("waiting for another run that installs", "")
            lock(stream, wait=True)
        yield


def _unwritable(cache: Path, error: OSError) -> FileError:
    return FileError(
        f"{cache}: the stack cache is not writable: {error.strerror}; set XDG_CACHE_HOME to a writable folder"
    )


def _install(stack: str, lock: Path, prefix: Path, tell: Tell) -> None:
    """Create the virtual environment and install the pinned wheels into it."""
    log, wheels = prefix.with_name(f"{prefix.name}.log"), len(pins(lock))

    def output() -> str:
        return log.read_text(errors="replace", encoding="utf-8")

    def tell_step() -> None:
        tell(*pip_output.step(output(), wheels))

    log.write_bytes(b"")
    for command, remedy in _steps(lock, prefix):
        if _run(command, log, tell_step) != 0:
            raise FileError(f"stack {stack}: {pip_output.last_error(output())}; {remedy}. Full output: {log}")
    if not compiler(prefix).is_file():
        raise FileError(f"stack {stack}: the wheels of {lock} contain no bin/mpicc; pin wheels of an MPI library")


def _run(command: list[str], log: Path, meanwhile: Callable[[], None]) -> int:
    """Run a command with its output appended to a log; return its exit code. `meanwhile` is called until it ends."""
    with log.open("a", encoding="utf-8") as output:
        output.write(f"$ {' '.join(command)}\n")
        output.flush()
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, umask=strict_umask())
        try:
            while True:
                meanwhile()
                with suppress(subprocess.TimeoutExpired):
                    return child.wait(TELL_S)
        except BaseException:
            child.kill()
            child.wait()
            raise


def _steps(lock: Path, prefix: Path) -> list[tuple[list[str], str]]:
    """The commands that install the wheels, with what to do where one fails.

    The environment gets a pip only where this Python has none: installing it takes 4 s, the wheels themselves 1 s.
    """
    venv, python = [sys.executable, "-m", "venv"], str(prefix / "bin" / "python")
    if find_spec("pip"):
        venv, pip = [*venv, "--without-pip"], [sys.executable, "-m", "pip", "--python", python]
    else:
        pip = [python, "-m", "pip"]
    pip += ["install", *WHEELS_ONLY]
    return [
        ([*venv, str(prefix)], "install Python's venv module (Debian: python3-venv)"),
        (
            [*pip, "--require-hashes", "-r", str(lock)],
            "check that the package index can be reached (PIP_INDEX_URL names another one) and that "
            "it has a wheel for this machine",
        ),
    ]
