# SPDX-License-Identifier: BSD-3-Clause
"""The cache of built engines, by sources, toolchain and flags; all runs of a user share it.

The key contains everything that determines the build: the sources, the command of the compiler behind the wrapper, the
preprocessed mpi.h, the environment, the flags. The MPI libraries that the engine is linked with are not known before
the build; the entry records them, and make_stack compares them. An entry is written under a lock, atomically, and is
valid only while its engine has the recorded hash.
"""

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
from isochron.common.children import captured
from isochron.common.files import FileError, copy_file
from isochron.common.files import lock as exclusively
from isochron.common.hashing import sha256, tree_sha256
from isochron.schemas.base import Record
from isochron.schemas.launcher_kind import FOLDER
from isochron.schemas.run.manifest import Toolchain
from isochron.spack_envs.toolchain import applied

ENGINE = "isochron-engine"

#: Increased whenever engines with equal keys could differ.
FORMAT = 1

#: Environment variables that affect make, the compiler or the linker, besides those that each stack unsets.
HEEDED = (
    "CFLAGS", "CPPFLAGS", "LDFLAGS", "LDLIBS", "TARGET_ARCH", "OPTIMISE", "STRICT", "SANITIZE",
    "COMPILER_PATH", "GCC_EXEC_PREFIX", "LD_RUN_PATH", "SOURCE_DATE_EPOCH",
)  # fmt: skip

#: Variables by which an outer make would affect the make that builds an engine; they are unset.
OUTER_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL")

#: Folders of the source tree that affect neither the engine nor the candle, and those that do not affect the engine.
NOT_BUILT = ("tests", "isochron-build", "build")
NOT_IN_ENGINE = (*NOT_BUILT, "src/candle")

#: Days after which an unused engine is removed.
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
    #: The parts of the key, for people.
    key_parts: dict[str, Any]


def default_cache() -> Path:
    """Return `isochron/engines` in the user's cache folder. Raises FileError if there is none."""
    return user_cache("engines")


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def key_parts(toolchain: Toolchain, sources: Path, flags: Sequence[str] = ()) -> dict[str, Any] | None:
    """Return the parts of an engine's key, or None if the compiler does not answer: then nothing is cached.

    All simulated stacks and machines share one engine, since they differ in the launcher's arguments only.
    """
    environment = applied(toolchain.environment, os.environ)
    name, compiler, headers = toolchain.compiler, "", ""
    here = toolchain.container is None  # else the digest of the image, in the provenance, stands for both
    try:
        if here:
            compiler = _output_of([name, "-###", "-x", "c", os.devnull, "-o", "x"], environment)
            flags_of_abi = [] if toolchain.abi is None else ["-DMPI_ABI", "-isystem", toolchain.abi.include]
            headers = _output_of([name, *flags_of_abi, "-E", "-x", "c", "-"], environment, HEADERS)
    except (OSError, subprocess.SubprocessError):
        return None
    return {
        "format": FORMAT,
        "sources": sources_sha256(sources),
        "machine": [platform.machine(), *platform.libc_ver()],
        "prefix": toolchain.prefix,
        "cc": [name, sha256(Path(name))] if here and Path(name).is_file() else [name],
        "provenance": {} if toolchain.stack_source == "simulated" else toolchain.provenance,
        "environment": toolchain.environment.model_dump(mode="json"),
        # the names of temporary files are new in each call
        "compiler": _digest(re.sub(r"\S*/cc\w{6}\.(s|o|res)\b", "", compiler)),
        "headers": _digest(headers),
        "flags": [*flags, *(f"{name}={environment[name]}" for name in HEEDED if name in environment)],
    }


def key_of(parts: dict[str, Any]) -> str:
    """Return the key with these parts."""
    return _digest(json.dumps(parts, sort_keys=True))


def sources_sha256(sources: Path, without: Sequence[str] = NOT_IN_ENGINE) -> str:
    """Return the hash of the names and contents of all source files, but those of some folders.

    The variables of ranks come from the launchers beside the sources.
    """
    folders = {sources / folder for folder in without}
    files = [path for path in sources.rglob("*") if path.is_file() and folders.isdisjoint(path.parents)]
    return tree_sha256(sources.parent, [*files, *sources.parent.joinpath(*FOLDER).glob("*.yaml")])


def _output_of(command: list[str], environment: dict[str, str], text: str = "") -> str:
    done = captured(command, env=environment, input=text, timeout=60)
    done.check_returncode()
    return done.stdout + done.stderr


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Entry:
    """The entry of one engine in the cache, locked by this process."""

    folder: Path
    parts: dict[str, Any]

    @property
    def key(self) -> str:
        """The key of the engine."""
        return key_of(self.parts)

    @property
    def engine(self) -> Path:
        """The stored engine."""
        return self.folder / ENGINE

    def load(self) -> Stored | None:
        """Return the record of the stored engine.

        None if there is none, if it is damaged, or if others could change it.
        """
        try:
            for path in (self.folder, self.engine, self.folder / "entry.json"):
                refuse_writable_by_others(path)
            stored = Stored.load(self.folder / "entry.json")
            intact = stored.key == self.key and sha256(self.engine) == stored.engine_sha256
        except (FileError, OSError):
            return None
        if intact:
            with suppress(OSError):
                os.utime(self.folder / "entry.json")
        return stored if intact else None

    def store(self, engine: Path, library_sha256: dict[str, str], built_at: str) -> None:
        """Store an engine, replacing an earlier one; a cache that cannot be written is left as it is."""
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
                    key_parts=self.parts,
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
        """Remove the engine from the cache."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def held(parts: dict[str, Any] | None, cache: Path | None = None) -> Iterator[Entry | None]:
    """Lock and yield the entry for these parts; None if the cache cannot be used.

    Raises FileError if others than the user can write to the cache.
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
    """Remove engines that were not used for long."""
    oldest = time.time() - KEEP_DAYS * 86400
    for record in cache.glob("*/entry.json"):
        with suppress(OSError):
            if record.stat().st_mtime < oldest:
                shutil.rmtree(record.parent, ignore_errors=True)
    for lock in cache.glob("*.lock"):
        with suppress(OSError):
            if lock.stat().st_mtime < oldest and not lock.with_suffix("").exists():
                lock.unlink()
