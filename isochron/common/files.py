# SPDX-License-Identifier: BSD-3-Clause
"""Reading, writing and locking small files: an error becomes one message, and a file is never half written."""

from __future__ import annotations

import difflib
import errno
import fcntl
import json
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO, Any


class FileError(ValueError):
    """A file that cannot be used: the message names the file, the field and what would be right."""


#: Bytes of the longest YAML file that a person writes, of any other text (a list of a million ranks; of a log its end),
#: and of what Isochron writes: a plan has 540 bytes for each launch (measured).
LONGEST_YAML, LONGEST_TEXT, LONGEST_RECORD = 1_000_000, 16_000_000, 256_000_000


def read_text(path: Path, remedy: str, longest: int = LONGEST_TEXT) -> str:
    """The text of a file that a person wrote, in UTF-8. Raises FileError; `remedy` says what would be right.

    A pipe or a device is refused, as it might never end, and so is a file of more than `longest` bytes.
    """
    try:
        return read_bytes(path, longest).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8 text (byte {error.start}); {remedy}") from error
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise FileError(f"{path}: cannot be read: {said}; {remedy}") from error


def read_bytes(path: Path, longest: int = LONGEST_RECORD) -> bytes:
    """The content of a file of a run. Raises OSError, also for what `open_file` refuses and beyond `longest` bytes."""
    with open_file(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > longest:
            raise OSError(errno.EFBIG, f"{size} bytes are too many, {longest} are the most", str(path))
        return stream.read()


def read_lines(path: Path) -> list[str]:
    """The lines of a log, or of facts that a job left, whatever bytes are in it. Raises OSError.

    Of a file of more than LONGEST_TEXT bytes these are its last ones.
    """
    with open_file(path) as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - LONGEST_TEXT))
        return stream.read(LONGEST_TEXT).decode(errors="replace").splitlines()


def open_file(path: Path) -> BufferedReader:
    """Open a file for reading. Raises OSError, also for a pipe or a device, without waiting for its other end.

    Whatever is read comes through here: a folder of results, or a profile, may be somebody else's.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is no file", str(path))
    return os.fdopen(descriptor, "rb")


def close_to(word: str, known: Iterable[str]) -> str:
    """The known word that is nearest to the given one, capital letters or not; empty where none is near."""
    words = {each.lower(): each for each in known}
    close = difflib.get_close_matches(word.lower(), words, n=1)
    return words[close[0]] if close else ""


def suggest(word: str, known: Iterable[str]) -> str:
    """`, did you mean '…'?` where a known word is close to the given one, else nothing."""
    close = close_to(word, known)
    return f", did you mean '{close}'?" if close else ""


def refuse_links_below(top: Path, path: Path) -> None:
    """Raise FileError where a folder on the way from `top`, which a person named, to `path` is a symbolic link."""
    way = path.relative_to(top).parts
    for folder in (top.joinpath(*way[:depth]) for depth in range(1, len(way))):
        if folder.is_symlink():
            raise FileError(
                f"{folder}: is a symbolic link, to '{folder.readlink()}': what is written there would go elsewhere; "
                "look at where the folder comes from, and remove the link"
            )


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`; when the block ends well it is synced and takes its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)  # it may be a link that somebody has put there
    try:
        yield partial
        sync_file(partial)
        partial.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        error.filename = error.filename or str(path)  # a write to an open file names none: a full disk
        raise
    finally:
        partial.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file with its mode, as far as the file system of the target lets modes be changed."""
    shutil.copyfile(source, target)
    with suppress(OSError):
        shutil.copymode(source, target)


def sync_file(path: Path) -> None:
    """Have the content of a file written to the disk."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Have the names in a folder written to the disk, as far as the file system does that for folders."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_system_time(folder: Path) -> float:
    """Now, in s, as the file system of a folder has it: its clock may be that of a server."""
    probe = folder / f".{os.getpid()}.now"
    try:
        probe.touch()
        return probe.stat().st_mtime
    except OSError:
        return time.time()
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def write_atomically(path: Path, text: str) -> None:
    """Write `text` so that `path` holds either its old content or all of the new one."""
    with replaced(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """The same for bytes."""
    with replaced(path) as partial:
        partial.write_bytes(content)


def write_json(path: Path, value: object) -> None:
    """Write plain data as JSON, atomically."""
    write_atomically(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def lock(stream: IO[Any], *, wait: bool) -> bool:
    """Lock an open file for this process alone. False where the file system has no locks.

    Raises BlockingIOError where another process holds it and `wait` is false.
    """
    try:
        fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True
