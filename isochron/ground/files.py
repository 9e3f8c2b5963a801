# SPDX-License-Identifier: BSD-3-Clause
"""Reading and writing small files: what is wrong becomes one message, and nothing is ever half written."""

from __future__ import annotations

import difflib
import errno
import gzip
import json
import os
import shutil
import stat
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import yaml


class FileError(ValueError):
    """A file that cannot be used: the message names the file, the field and what would be right."""


#: Bytes of the longest YAML file that a person writes, and of any other text: a list of a million ranks.
LONGEST_YAML, LONGEST_BYTES = 1_000_000, 16_000_000


def read_text(path: Path, remedy: str, longest: int = LONGEST_BYTES) -> str:
    """The text of a file that a person wrote, in UTF-8. Raises FileError; `remedy` says what would be right.

    A pipe or a device is refused, as it might never end, and so is a file of more than `longest` bytes.
    """
    try:
        kind = path.stat()
        if not stat.S_ISREG(kind.st_mode):
            raise FileError(f"{path}: is no file; {remedy}")
        if kind.st_size > longest:
            raise FileError(f"{path}: {kind.st_size} bytes are too many, {longest} are the most; {remedy}")
        return read_bytes(path).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8 text (byte {error.start}); {remedy}") from error
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        said = error.strerror if isinstance(error, OSError) else error
        raise FileError(f"{path}: cannot be read: {said}; {remedy}") from error


def read_bytes(path: Path) -> bytes:
    """The content of a file of a run. Raises OSError, also for a pipe or a device, which might never end."""
    with open_file(path) as stream:
        return stream.read()


def read_unpacked(path: Path) -> bytes:
    """The same, decompressed where the file is named `.gz`. Raises OSError, also where that cannot be done."""
    content = read_bytes(path)
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error) as error:
        raise OSError(errno.EINVAL, f"not whole: {error}", str(path)) from error


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading. Raises OSError, also for a pipe or a device, without waiting for its other end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is no file", str(path))
    return os.fdopen(descriptor, "rb")


def read_yaml(path: Path, remedy: str) -> object:
    """The document of one YAML file. Raises FileError; `remedy` says what to do where it cannot be read."""
    text = read_text(path, remedy, LONGEST_YAML)
    try:
        return yaml.safe_load(text)
    except RecursionError as error:
        raise FileError(f"{path}: not valid YAML: nested too deeply") from error
    except yaml.YAMLError as error:
        raise FileError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def close_to(word: str, known: Iterable[str]) -> str:
    """The known word that is nearest to the given one, capital letters or not; empty where none is near."""
    words = {each.lower(): each for each in known}
    close = difflib.get_close_matches(word.lower(), words, n=1)
    return words[close[0]] if close else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean '…'?` where a known word is close to the given one, else nothing."""
    close = close_to(word, known)
    return f", did you mean '{close}'?" if close else ""


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`; when the block ends well it is synced and takes its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
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
