# SPDX-License-Identifier: BSD-3-Clause
"""The hidden copy of a sealed file: its path and format, and which of file and copy is correct.

The first line of the copy has the SHA-256 of the content and the name of the file; of file and copy, the one with that
hash is correct. `common/files.py` reads files through it, `common/sealed.py` writes and restores them.
"""

import hashlib
import re
from pathlib import Path

#: The first line of a copy; those of earlier versions have no name.
_FIRST_LINE = re.compile(rb"([0-9a-f]{64})(?: (.+))?")


class BothDamagedError(ValueError):
    """Neither the file nor its copy has the hash that the copy states."""


def copy_of(path: Path) -> Path:
    """Return the path of the copy of a sealed file."""
    return path.with_name(f".{path.name}.copy")


def sealed_by(copy: Path) -> Path:
    """Return the path of the file of which `copy` is the copy."""
    return copy.with_name(copy.name.removeprefix(".").removesuffix(".copy"))


def is_there(path: Path) -> bool:
    """Return True if there is a file to read: it exists, if only as what `read_bytes` refuses, or its copy does."""
    return path.exists() or copy_of(path).is_file()


def files_in(folder: Path, pattern: str) -> list[Path]:
    """Return the files below a folder that match a pattern, lost ones with a copy included; no hidden files."""
    head, _, name = pattern.rpartition("/")
    copies = map(sealed_by, folder.glob(f"{head}/.{name}.copy" if head else f".{name}.copy"))
    return sorted({path for path in (*folder.glob(pattern), *copies) if not path.name.startswith(".")})


def copy_text(path: Path, content: bytes) -> bytes:
    """Return the content of the copy of a file with this content."""
    return _digest(content) + b" " + path.name.encode() + b"\n" + content


def correct_content(path: Path, content: bytes | None, copy: bytes | None) -> bytes | None:
    """Return the correct content of a file, of which `content` and `copy` were read; None if it was not.

    A copy that is lost, that has no such first line, or that of another file, says nothing about the file. Raises
    BothDamagedError.
    """
    first, _, backup = (copy or b"").partition(b"\n")
    stated = _FIRST_LINE.fullmatch(first)
    if stated is None or stated[2] not in (None, path.name.encode()):
        return content
    if content is not None and stated[1] == _digest(content):
        return content
    if _digest(backup) == stated[1]:
        return backup
    if content is not None and backup == content:  # the hash itself is damaged
        return content
    raise BothDamagedError(
        f"damaged or lost, and its copy {copy_of(path).name} is damaged, too; restore one of them from a backup, "
        "or start a new run with --new"
    )


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
