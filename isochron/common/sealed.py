# SPDX-License-Identifier: BSD-3-Clause
"""Small files that are needed and cannot be made again: each has a hidden copy beside it, with the hash of its content.

A crash of the machine can leave a file empty, and a disk can change a bit without an error. Every reader gets the
correct content (`common/files.py`); here, files are written with their copies and restored from them.
"""

from contextlib import suppress
from pathlib import Path

from isochron.common.copies import BothDamagedError, copy_of, copy_text, correct_content
from isochron.common.files import read_as_it_is, write_bytes_atomically


def write_sealed(path: Path, text: str) -> None:
    """Write the copy, then the file; if it is interrupted in between, the copy is complete."""
    write_bytes_atomically(copy_of(path), copy_text(path, text.encode()))
    write_bytes_atomically(path, text.encode())


def seal(path: Path) -> None:
    """Write the copy of an existing file."""
    write_bytes_atomically(copy_of(path), copy_text(path, read_as_it_is(path)))


def remove_sealed(path: Path) -> None:
    """Remove the file, and the copy from which it would be restored."""
    copy_of(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def heal(path: Path) -> bool:
    """Restore the file from its copy if it is damaged or lost. Returns True if it was restored.

    A copy that is lost, damaged or that of another file is made anew from the file. Where both are damaged, both stay
    as they are: the reader of the file says what is wrong.
    """
    content, copy = _read(path), _read(copy_of(path))
    try:
        correct = correct_content(path, content, copy)
    except BothDamagedError:
        return False
    if correct is None:
        return False
    if content != correct:
        write_bytes_atomically(path, correct)
        return True
    if correct and copy != copy_text(path, correct):
        seal(path)
    return False


def _read(path: Path) -> bytes | None:
    with suppress(OSError):
        return read_as_it_is(path)
    return None
