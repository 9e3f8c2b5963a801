# SPDX-License-Identifier: BSD-3-Clause
"""Small files that a run cannot go on without: each has a hidden copy beside it that says what its content must be.

A crash of the machine can leave a file empty, and a disk can change a bit, so that a file is still readable and says
something else. The copy begins with the SHA-256 of the content: whichever of the two has it is right.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from isochron.ground.files import read_bytes, write_atomically


def copy_of(path: Path) -> Path:
    """Where the copy of a sealed file lies."""
    return path.with_name(f".{path.name}.copy")


def write_sealed(path: Path, text: str) -> None:
    """Write the file and its copy; cut off in between, the copy is the one that is whole."""
    write_atomically(copy_of(path), f"{_digest(text.encode())}\n{text}")
    write_atomically(path, text)


def remove_sealed(path: Path) -> None:
    """Remove the file, and the copy from which it would be restored."""
    copy_of(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def heal(path: Path) -> bool:
    """Put the right content back where the file, or its copy, is damaged or lost. True where the file was restored.

    A file without a copy, and one of which both are damaged, stays as it is: its reader says what is wrong.
    """
    try:
        sealed = read_bytes(copy_of(path))
    except OSError:
        return False
    digest, _, kept = sealed.partition(b"\n")
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        content = None
    if content is not None and _digest(content).encode() == digest:
        if kept != content:
            write_sealed(path, content.decode())
        return False
    if _digest(kept).encode() == digest:
        write_atomically(path, kept.decode())
        return True
    if content == kept and content is not None:  # the digest itself is what was damaged
        write_sealed(path, content.decode())
    return False


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
