# SPDX-License-Identifier: BSD-3-Clause
"""Small files without which a run cannot continue: each has a hidden copy beside it, with the hash of its content.

A crash of the machine can leave a file empty, and a disk can change a bit without an error. The first line of the copy
has the SHA-256 of the content and the name of the file; of file and copy, the one with that hash is correct.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from isochron.common.files import read_bytes, write_bytes_atomically


def copy_of(path: Path) -> Path:
    """Return the path of the copy of a sealed file."""
    return path.with_name(f".{path.name}.copy")


def sealed_by(copy: Path) -> Path:
    """Return the path of the file of which `copy` is the copy."""
    return copy.with_name(copy.name.removeprefix(".").removesuffix(".copy"))


def write_sealed(path: Path, text: str) -> None:
    """Write the copy, then the file; if it is interrupted in between, the copy is complete."""
    write_bytes_atomically(copy_of(path), _copy(path, text.encode()))
    write_bytes_atomically(path, text.encode())


def seal(path: Path) -> None:
    """Write the copy of an existing file."""
    write_bytes_atomically(copy_of(path), _copy(path, read_bytes(path)))


def remove_sealed(path: Path) -> None:
    """Remove the file, and the copy from which it would be restored."""
    copy_of(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def heal(path: Path) -> bool:
    """Restore the file from its copy if it is damaged or lost. Returns True if it was restored.

    A copy that is lost, damaged or that of another file is made anew from the file. Where both are damaged, the file
    stays as it is: its reader says what is wrong.
    """
    content, copy = _read(path), _read(copy_of(path)) or b""
    first, _, backup = copy.partition(b"\n")
    digest, _, name = first.partition(b" ")
    if name not in (b"", path.name.encode()):
        digest, backup = b"", b""
    if content is None or _digest(content) != digest:
        if _digest(backup) == digest:
            write_bytes_atomically(path, backup)
            return True
        if not content:
            return False
    if copy != _copy(path, content):
        seal(path)
    return False


def _copy(path: Path, content: bytes) -> bytes:
    return _digest(content) + b" " + path.name.encode() + b"\n" + content


def _read(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except OSError:
        return None


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
