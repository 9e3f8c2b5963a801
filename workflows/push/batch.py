# SPDX-License-Identifier: BSD-3-Clause
"""A batch: the records of a run as `isochron export --jsonl` writes them, and what receivers answer about it."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

#: Bytes of a part of a batch: what common receivers (nginx: 1 MiB) accept in one request.
PART = 1_000_000


class UnreachableError(Exception):
    """The receiver did not answer, or asked to come back: the same batch may be accepted later."""


class RefusedError(Exception):
    """The receiver will not have this batch as long as nothing is changed."""


@dataclass(frozen=True)
class Batch:
    """The records of one run: a JSON object on each line, with its `key` and `kind`."""

    run_id: str
    content: bytes

    @property
    def digest(self) -> str:
        """Hash of the content: two batches with the same one are the same."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Every record, in the order of the lines."""
        return [json.loads(line) for line in self.content.splitlines()]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of a kind: `result`, `comparison` or `answer`."""
        return [record for record in self.records if record["kind"] == kind]

    def parts(self) -> Iterator[bytes]:
        """Whole lines of at most PART bytes together (a longer line alone): the same ones whenever it is asked."""
        part: list[bytes] = []
        size = 0
        for line in self.content.splitlines(keepends=True):
            if part and size + len(line) > PART:
                yield b"".join(part)
                part, size = [], 0
            part.append(line)
            size += len(line)
        if part:
            yield b"".join(part)


class Receiver(Protocol):
    """A system of the site."""

    def accept(self, batch: Batch) -> None:
        """Return when the receiver has stored all records. Raises UnreachableError or RefusedError with the reason.

        After either, some of the records may be stored: the whole batch is delivered again.
        """
