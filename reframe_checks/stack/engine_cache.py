# SPDX-License-Identifier: BSD-3-Clause
"""Engines that were built before, one for each tree of sources, toolchain and set of flags; a user's runs share it.

The key holds what decides about the build: the sources, the words of the compiler behind the wrapper, what its
preprocessor makes of mpi.h, the environment, the flags. What no key can know before the build, the MPI libraries that
the engine was linked with, is remembered in the entry and compared by whoever uses it (make_stack). An entry is written
under a lock, appears whole or not at all, and is reliable only while the engine in it has the hash that it had.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from isochron.common.cache import make_folder, refuse_writable_by_others, user_cache
from isochron.common.files import FileError, copy_file
from isochron.common.files import lock as exclusively
from isochron.common.hashing import sha256, tree_sha256
from isochron.schemas.base import Record
from isochron.schemas.run.manifest import Toolchain
from isochron.spack_envs.toolchain import applied

ENGINE = "isochron-engine"

#: Changes whenever an engine of the same key could be another one.
FORMAT = 1

#: Variables of the environment that make, the compiler or the linker heed, beside those that each stack unsets.
HEEDED = (
    "CFLAGS", "CPPFLAGS", "LDFLAGS", "LDLIBS", "TARGET_ARCH", "OPTIMISE", "STRICT", "SANITIZE",
    "COMPILER_PATH", "GCC_EXEC_PREFIX", "LD_RUN_PATH", "SOURCE_DATE_EPOCH",
)  # fmt: skip

#: Variables by which a make that called us would speak to the make that builds an engine: no build has them.
OUTER_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL")

#: Folders of the source tree of which nothing gets into the engine.
NOT_BUILT = ("tests", "isochron-build", "build")

#: Days after which an engine that nobody has used is thrown away.
KEEP_DAYS = 90

HEADERS = (
    "#if __has_include(<mpi.h>)\n#include <mpi.h>\n#endif\n#include <math.h>\n#include <stdio.h>\n#include <time.h>\n"
)


class Stored(Record):
    """`entry.json` beside a stored engine."""

    key: str
    engine_sha256: str
    built_at: str
    #: The MPI libraries that the engine was linked with, and their hashes.
    library_sha256: dict[str, str]
    #: What the key was made of, for people.
    made_of: dict[str, Any]


def default_cache() -> Path:
    """`isochron/engines` in the user's cache folder. Raises FileError where there is none."""
    return user_cache("engines")


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def made_of(toolchain: Toolchain, sources: Path, flags: Sequence[str] = ()) -> dict[str, Any] | None:
    """What decides about an engine, or None where the compiler does not answer: then nothing can be remembered.

    All simulated stacks and machines share one engine: they differ in the words of the launcher only.
    """
    environment = applied(toolchain.environment, os.environ)
    try:
        compiler = _said([toolchain.cc, "-###", "-x", "c", os.devnull, "-o", "x"], environment)
        headers = _said([toolchain.cc, "-E", "-x", "c", "-"], environment, HEADERS)
    except (OSError, subprocess.SubprocessError):
        return None
    return {
        "format": FORMAT,
        "sources": sources_sha256(sources),
        "machine": [platform.machine(), *platform.libc_ver()],
        "prefix": toolchain.prefix,
        "cc": [toolchain.cc, sha256(Path(toolchain.cc))] if Path(toolchain.cc).is_file() else [toolchain.cc],
        "provenance": {} if toolchain.stack_source == "simulated" else toolchain.provenance,
        "environment": toolchain.environment.model_dump(mode="json"),
        # the names of temporary files are new in each call
        "compiler": _digest(re.sub(r"\S*/cc\w{6}\.(s|o|res)\b", "", compiler)),
        "headers": _digest(headers),
        "flags": [*flags, *(f"{name}={environment[name]}" for name in HEEDED if name in environment)],
    }


def key_of(parts: dict[str, Any]) -> str:
    """The key of an engine that is made of these parts."""
    return _digest(json.dumps(parts, sort_keys=True))


def sources_sha256(sources: Path) -> str:
    """Return the hash of the names and contents of all files that can get into the engine."""
    files = (path for path in sources.rglob("*") if path.is_file())
    return tree_sha256(sources, (path for path in files if path.relative_to(sources).parts[0] not in NOT_BUILT))


def _said(command: list[str], environment: dict[str, str], text: str = "") -> str:
    done = subprocess.run(
        command,
        env=environment,
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
        errors="replace",
    )
    return done.stdout + done.stderr


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Entry:
    """The place of one engine in the cache, held by this process."""

    folder: Path
    parts: dict[str, Any]

    @property
    def key(self) -> str:
        """What the engine is known by."""
        return key_of(self.parts)

    @property
    def engine(self) -> Path:
        """The stored engine."""
        return self.folder / ENGINE

    def load(self) -> Stored | None:
        """The record of the stored engine.

        None where there is none, where it is not what was stored, and where others than the user could change it.
        """
        try:
            for path in (self.folder, self.engine, self.folder / "entry.json"):
                refuse_writable_by_others(path)
            stored = Stored.load(self.folder / "entry.json")
            whole = stored.key == self.key and sha256(self.engine) == stored.engine_sha256
        except (FileError, OSError):
            return None
        if whole:
            with suppress(OSError):
                os.utime(self.folder / "entry.json")
        return stored if whole else None

    def store(self, engine: Path, library_sha256: dict[str, str], built_at: str) -> None:
        """Keep an engine in place of what was there; where the cache cannot be written nothing is kept."""
        with suppress(OSError):
            fresh = self.folder.with_name(f".{self.folder.name}.{os.getpid()}")
            shutil.rmtree(fresh, ignore_errors=True)
            try:
                fresh.mkdir(mode=0o755)
                copy_file(engine, fresh / ENGINE)
                Stored(
                    key=self.key,
                    engine_sha256=sha256(fresh / ENGINE),
                    built_at=built_at,
                    library_sha256=library_sha256,
                    made_of=self.parts,
                ).save(fresh / "entry.json")
                for path in fresh.iterdir():
                    with suppress(OSError):
                        path.chmod(path.stat().st_mode & ~0o022)
                self.drop()
                fresh.rename(self.folder)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
            _prune(self.folder.parent)

    def drop(self) -> None:
        """Forget the engine."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def held(parts: dict[str, Any] | None, cache: Path | None = None) -> Iterator[Entry | None]:
    """The entry for these parts, while nobody else builds the same engine; None where the cache cannot be used.

    Raises FileError where others than the user can write to the cache.
    """
    lock = None if parts is None else _open_lock((cache or default_cache()).resolve(), key_of(parts))
    if parts is None or lock is None:
        yield None
        return
    with lock:
        exclusively(lock, wait=True)
        yield Entry(Path(lock.name).with_suffix(""), parts)


def _open_lock(cache: Path, key: str) -> IO[str] | None:
    try:
        make_folder(cache)
        refuse_writable_by_others(cache)
        return (cache / f"{key[:32]}.lock").open("w", encoding="utf-8")
    except OSError:
        return None


def _prune(cache: Path) -> None:
    """Throw away engines that have not been used for long."""
    oldest = time.time() - KEEP_DAYS * 86400
    for record in cache.glob("*/entry.json"):
        with suppress(OSError):
            if record.stat().st_mtime < oldest:
                shutil.rmtree(record.parent, ignore_errors=True)
    for lock in cache.glob("*.lock"):
        with suppress(OSError):
            if lock.stat().st_mtime < oldest and not lock.with_suffix("").exists():
                lock.unlink()
