# SPDX-License-Identifier: BSD-3-Clause
"""Reading, writing and locking small files: an error becomes one message, and a file is never half written."""

import difflib
import errno
import fcntl
import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from isochron.common.copies import BothDamagedError, copy_of, correct_content


class FileError(ValueError):
    """A file that cannot be used. The message names the file, the field and the remedy."""


#: Maximum bytes of a YAML file that a person writes, of any other text (a list of a million ranks; the end of a log),
#: and of a file that Isochron writes: a plan has 540 bytes per launch (measured).
LONGEST_YAML, LONGEST_TEXT, LONGEST_RECORD = 1_000_000, 16_000_000, 256_000_000


def read_text(path: Path, remedy: str, longest: int = LONGEST_TEXT) -> str:
    """Read a UTF-8 text file that a person wrote. Raises FileError, whose message ends with `remedy`.

    A pipe or a device is refused, since it may never end, and so is a file of more than `longest` bytes. A sealed file
    of a run that differs from its copy is refused, too, because it may have been edited.
    """
    return as_text(_read_unless_it_differs_from_its_copy, path, remedy, longest)


def as_text(read: Callable[[Path, int], bytes], path: Path, remedy: str, longest: int) -> str:
    """Return what `read` returns as text, with its errors and others as FileError, as `read_text` does."""
    try:
        return read(path, longest).decode().replace("\r\n", "\n")
    except FileError:
        raise
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8 text (byte {error.start}); {remedy}") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise FileError(f"{path}: cannot be read: {reason}; {remedy}") from error


def _read_unless_it_differs_from_its_copy(path: Path, longest: int) -> bytes:
    content = read_as_it_is(path, longest)
    if copy_of(path).exists() and read_bytes(path) != content:
        raise FileError(
            f"{path}: differs from its copy {copy_of(path).name}: it is damaged or was edited; `isochron run` restores "
            "it; to use an edited campaign, copy the file to another folder"
        )
    return content


def resolved(beside: Path, name: str, where: str) -> Path:
    """Return the absolute path of `name`, relative to the folder of a file. Raises FileError for a loop of links."""
    try:
        return (beside.parent / name).resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop, before Python 3.13
        raise FileError(f"{where}: {name}: cannot be followed: {error}; name a file") from error


def csv_lines(text: str) -> list[str]:
    """Return the lines of a CSV file that a person wrote, without those that are empty or begin with #."""
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def read_bytes(path: Path, longest: int = LONGEST_RECORD) -> bytes:
    """Read a file of a run; of a sealed one, its correct content, which may be that of its copy.

    Raises OSError, also for files that `open_file` refuses or of more than `longest` bytes, and if file and copy are
    both damaged.
    """
    copy, problem, content = _copy_beside(path), None, None
    try:
        content = read_as_it_is(path, longest)
    except OSError as error:
        problem = error
    try:
        correct = correct_content(path, content, copy)
    except BothDamagedError as error:
        raise OSError(errno.EIO, str(error), str(path)) from problem
    if correct is None:
        assert problem is not None
        raise problem
    return correct


def read_as_it_is(path: Path, longest: int = LONGEST_RECORD) -> bytes:
    """Read a file without regard to a copy. Raises OSError as `read_bytes` does."""
    with open_file(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > longest:
            raise OSError(errno.EFBIG, f"{size} bytes exceed the limit of {longest}", str(path))
        return stream.read()


def _copy_beside(path: Path) -> bytes | None:
    """Return the copy of a sealed file; None for other files."""
    try:
        return read_as_it_is(copy_of(path))
    except (OSError, ValueError):
        return None


def read_lines(path: Path) -> list[str]:
    """Read the lines of a log or of a job's record, replacing bytes that are not UTF-8. Raises OSError.

    Of a file of more than LONGEST_TEXT bytes only the last LONGEST_TEXT are read. A sealed one is read as by
    `read_bytes`.
    """
    if copy_of(path).exists():
        content = read_bytes(path)[-LONGEST_TEXT:]
    else:
        with open_file(path) as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - LONGEST_TEXT))
            content = stream.read(LONGEST_TEXT)
    return content.decode(errors="replace").splitlines()


def open_file(path: Path) -> BufferedReader:
    """Open a file for reading. Raises OSError, also for a pipe or a device, without waiting for its other end.

    All files are opened here, because a folder of results or a profile may come from another person.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def close_to(word: str, choices: Iterable[str]) -> str:
    """Return the choice most similar to `word`, ignoring case; empty if none is similar."""
    names = {choice.lower(): choice for choice in choices}
    matches = difflib.get_close_matches(word.lower(), names, n=1)
    return names[matches[0]] if matches else ""


def suggest(word: str, choices: Iterable[str]) -> str:
    """Return `, did you mean '…'?` if a choice is similar to `word`, else nothing."""
    match = close_to(word, choices)
    return f", did you mean '{match}'?" if match else ""


def refuse_links_below(top: Path, path: Path) -> None:
    """Raise FileError if a folder between `top`, which the user named, and `path` is a symbolic link."""
    parts = path.relative_to(top).parts
    for folder in (top.joinpath(*parts[:depth]) for depth in range(1, len(parts))):
        if folder.is_symlink():
            raise FileError(
                f"{folder}: is a symbolic link, to '{folder.readlink()}': files would be written elsewhere; "
                "check where the folder comes from, and remove the link"
            )


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; if the block succeeds, it is synced and replaces `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)  # it may be a symbolic link that somebody planted
    try:
        yield partial
        sync_file(partial)
        partial.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        error.filename = error.filename or str(path)  # an error of writing (a full disk) has no file name
        raise
    finally:
        partial.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, with its mode if the target's file system permits it."""
    shutil.copyfile(source, target)
    with suppress(OSError):
        shutil.copymode(source, target)


def sync_file(path: Path) -> None:
    """Write the content of a file through to the disk."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Write the names in a folder through to the disk, if the file system supports it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_system_time(folder: Path) -> float:
    """Return the present time in s by the clock of a folder's file system, which may be a server's."""
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
    """Write `text`; `path` always holds its old or its complete new content."""
    with replaced(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """Write `content` as `write_atomically` writes text."""
    with replaced(path) as partial:
        partial.write_bytes(content)


def write_json(path: Path, value: object) -> None:
    """Write plain data as JSON, atomically."""
    write_atomically(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def lock(stream: IO[Any], *, wait: bool) -> bool:
    """Lock an open file exclusively. Returns False if the file system has no locks.

    Raises BlockingIOError if another process holds the lock and `wait` is false.
    """
    try:
        fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True
