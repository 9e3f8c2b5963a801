# SPDX-License-Identifier: BSD-3-Clause
"""Whether all files of installed wheels are there and are what the wheels say (RECORD: path, SHA-256, bytes).

Folders in a cache lose files: disks of clusters are purged of what nobody has read for weeks. Hashing a stack takes up
to half a second and more where the files come over a network, so a stamp of sizes, times and modes is looked at first.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from isochron.common.cache import refuse_writable_by_others


class Damage(Exception):
    """What is wrong with an installed stack, as the end of a sentence: `bin/mpiexec is missing`."""


@dataclass(frozen=True)
class Listed:
    """A file of a wheel."""

    path: Path
    #: SHA-256 as RECORD writes it: URL-safe base64 without padding. Empty: not known.
    digest: str


@dataclass(frozen=True)
class Wheels:
    """The installed wheels of a stack."""

    prefix: Path
    #: SHA-256 over the lists of files.
    records: str
    files: list[Listed]

    @classmethod
    def read(cls, prefix: Path, pins: Mapping[str, str]) -> Wheels:
        """The lists of the pinned wheels. Raises Damage where one is missing or cannot be read."""
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
        """Size, times, owner and mode of every file and of its folder, as one hash: what changes where a file does.

        Raises Damage where a file is missing, and FileError where others can write one or its folder.
        """
        total = hashlib.sha256(self.records.encode())
        folders = {self.prefix, *(listed.path.parent for listed in self.files)}
        for path in sorted([*folders, *(listed.path for listed in self.files)]):
            status = self._status(path)
            refuse_writable_by_others(path, status)
            words = [status.st_mode, status.st_uid]
            if path not in folders:
                words += [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
            total.update(f"{path}\0{words}\n".encode())
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
    """The hash over the lists of files and the stamp of a stack that is whole.

    `records`, `stamp`: what they were before; where the stamp is the same, no file is hashed.
    Raises Damage, and FileError where others can write to the stack.
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
    """The name of a folder `*.dist-info`, however a wheel spells its project."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _listed(record: Path, text: str) -> Iterator[Listed]:
    """The files of a RECORD, but those that Python compiles: nobody misses one."""
    for path, digest, _size in csv.reader(text.splitlines()):
        kind, _, value = digest.partition("=")
        if digest and kind != "sha256":
            raise ValueError(f"unknown hash {kind}")
        if not path.endswith(".pyc"):
            yield Listed(Path(os.path.normpath(record.parent.parent / path)), value)
