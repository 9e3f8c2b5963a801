# SPDX-License-Identifier: BSD-3-Clause
"""Reading and writing small files: what is wrong becomes one message, and nothing is ever half written."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable
from pathlib import Path

import yaml


class FileError(ValueError):
    """A file that cannot be used: the message names the file, the field and what would be right."""


def read_yaml(path: Path, remedy: str) -> object:
    """The document of one YAML file. Raises FileError; `remedy` says what to do where it cannot be read."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}; {remedy}") from error
    except yaml.YAMLError as error:
        raise FileError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean '…'?` where a known word is close to the given one, else nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f", did you mean '{close[0]}'?" if close else ""


def write_atomically(path: Path, text: str) -> None:
    """Write `text` so that `path` holds either its old content or all of the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("w") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> None:
    """Write plain data as JSON, atomically."""
    write_atomically(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
