# SPDX-License-Identifier: BSD-3-Clause
"""Folders that describe one kind of thing, a YAML file each: launchers, schedulers, families of libraries."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from isochron.common.files import FileError, suggest
from isochron.schemas.base import Record

Kind = TypeVar("Kind", bound=Record)


@cache
def read_kinds(model: type[Kind], folder: Path) -> dict[str, Kind]:
    """Return what each file of a folder describes, by the file's name without its suffix, sorted. Raises FileError."""
    return {path.stem: model.load_yaml(path, "make it readable") for path in sorted(folder.glob("*.yaml"))}


def named_kind(kinds: Mapping[str, Kind], name: str, what: str, all_of_them: str) -> Kind:
    """Return one of them. Raises FileError, which lists the known ones: `what` is one of `all_of_them`."""
    if name not in kinds:
        raise FileError(f"unknown {what} '{name}'{suggest(name, kinds)}; the {all_of_them} are {', '.join(kinds)}")
    return kinds[name]
