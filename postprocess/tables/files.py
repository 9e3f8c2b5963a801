# SPDX-License-Identifier: BSD-3-Clause
"""Writing files that are either old or new, never half."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from isochron.ground.files import write_atomically


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`; when the block ends well it is synced and takes its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with partial.open("rb") as stream:
            os.fsync(stream.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV: seven significant digits, empty cells for what is not known."""
    write_atomically(path, table.to_csv(index=False, float_format="%.7g", lineterminator="\n"))
