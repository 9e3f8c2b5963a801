# SPDX-License-Identifier: BSD-3-Clause
"""The spool: `results/.push/<receiver>/`, a file for each run whose records the receiver has not confirmed.

A batch is written to the disk before it is sent, and removed after the receiver has confirmed it. Whatever ends the
command in between, the batch is sent again: by the keys of its records a receiver knows what it has already.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from isochron.common.files import FileError, lock, read_as_it_is, sync_folder, write_bytes_atomically
from isochron.workflows.push.batch import Batch

#: Folder of all spools, in the folder of results.
PUSH = ".push"

#: Bytes of a batch: a run with a million results has as many.
LONGEST = 1 << 30

NAME = re.compile(r"(?P<run_id>.+)\.(?P<digest>[0-9a-f]{64})\.jsonl")


@dataclass(frozen=True)
class Spool:
    """What is to be delivered to one receiver."""

    folder: Path

    @classmethod
    def of(cls, results: Path, url: str) -> "Spool":
        """Return the spool of a receiver: its folder is named by the host, and by a hash of the whole address."""
        host = re.sub(r"[^a-z0-9.-]", "", (urlsplit(url).hostname or "").lower()).strip(".")[:60] or "local"
        return cls(results / PUSH / f"{host}-{hashlib.sha256(url.encode()).hexdigest()[:12]}")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let no other push to this receiver send meanwhile: it waits. (Where nothing can be locked, both send.)"""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / "lock").open("a", encoding="utf-8") as stream:
            lock(stream, wait=True)
            yield

    def keep(self, batch: Batch) -> None:
        """Write a batch to the disk, in place of an older one of the same run. To be called when locked."""
        older = [path for path in self._files() if _parts(path)[0] == batch.run_id]
        path = self.folder / f"{batch.run_id}.{batch.digest}.jsonl"
        write_bytes_atomically(path, batch.content)
        self._remove(*(other for other in older if other != path))

    def batches(self) -> list[Batch]:
        """Return what is not confirmed, the oldest run first. Raises FileError with the name of a damaged file."""
        return [self._read(path) for path in self._files()]

    def confirm(self, batch: Batch) -> None:
        """Forget a batch that the receiver has stored. To be called when locked."""
        self._remove(self.folder / f"{batch.run_id}.{batch.digest}.jsonl")

    def _files(self) -> list[Path]:
        return sorted(path for path in self.folder.glob("*.jsonl") if NAME.fullmatch(path.name))

    def _read(self, path: Path) -> Batch:
        run_id, digest = _parts(path)
        batch = Batch(run_id, read_as_it_is(path, LONGEST))
        if batch.digest != digest:
            raise FileError(f"{path}: is damaged (its hash is not that of its name); remove it and push {run_id} again")
        return batch

    def _remove(self, *paths: Path) -> None:
        for path in paths:
            path.unlink(missing_ok=True)
        sync_folder(self.folder)


def _parts(path: Path) -> tuple[str, str]:
    """Return run and digest, by the name of a file."""
    match = NAME.fullmatch(path.name)
    assert match
    return match["run_id"], match["digest"]
