# SPDX-License-Identifier: BSD-3-Clause
"""The settings that have another value in two libraries, and that can be set in each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from isochron.common.files import FileError
from isochron.schemas.engine.contract import base_operation
from isochron.schemas.run.explanation import ChangedSetting
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.explanation.library_settings import (
    Change,
    LibrarySettings,
    Setting,
    build_reader,
    differences,
    read_settings,
    shown,
)


@dataclass(frozen=True)
class Candidates:
    """The settings to try, `settings`. `refused`: those that cannot be set in the new library, with the reason.

    `one_way`: those of `settings` that cannot be set in the old library. `only_old`, `only_new`: names that the other
    library does not have; `switches`: those of the new one that are on and can be switched off. `libraries`: the texts
    of MPI_Get_library_version, old and new.
    """

    settings: list[ChangedSetting]
    one_way: frozenset[str]
    refused: dict[str, str]
    only_old: list[str]
    only_new: list[str]
    libraries: tuple[str, str]
    switches: list[ChangedSetting] = field(default_factory=list)

    def chosen(self, names: Iterable[str]) -> list[ChangedSetting]:
        """Return the settings and switches with these names, in their order."""
        wanted = set(names)
        return [one for one in (*self.settings, *self.switches) if one.setting in wanted]


@dataclass(frozen=True)
class Library:
    """A stack with the program that reads its settings."""

    manifest: Manifest
    reader: Path

    def settings(self) -> LibrarySettings:
        """Return what the library reports twice: a setting without an initial value has another one each time."""
        first, second = (read_settings(self.reader, self.manifest) for _ in range(2))
        same = {name: one for name, one in first.settings.items() if second.settings.get(name) == one}
        return LibrarySettings(first.library, same)

    def problem(self, setting: ChangedSetting, value: str) -> str:
        """Return why a setting has another value than the one that was set; empty if it has that."""
        variables = {setting.variable: value, **setting.needs}
        try:
            reported = read_settings(self.reader, self.manifest, variables).settings.get(setting.setting)
        except FileError as error:
            return f"{value}: {str(error).partition('cannot be read: ')[2] or error}"
        if reported is None:
            return f"{value}: it is then not reported"
        return "" if shown(reported) == value else f"{value}: it stays {shown(reported)}"

    def accepting(self, setting: ChangedSetting, known: Mapping[str, Setting]) -> tuple[ChangedSetting, str]:
        """Return a setting with what its old value needs, and why it cannot be set all the same; empty if it can.

        A library that refuses a size may name another one of its settings, which must be as large.
        """
        problem = self.problem(setting, setting.old)
        for name in dict.fromkeys(re.findall(r"\w+", problem)):
            if name in known and name != setting.setting and _is_smaller(known[name].value, setting.old):
                with_it = setting.model_copy(update={"needs": {setting.variable_of(name): setting.old}})
                if not self.problem(with_it, setting.old):
                    return with_it, ""
        return setting, problem


def _is_smaller(value: str, size: str) -> bool:
    return value.isdecimal() and size.isdecimal() and int(value) < int(size)


def find_candidates(old: Manifest, new: Manifest, spelling: str, operations: Sequence[str], folder: Path) -> Candidates:
    """Return the settings that differ, those first whose name contains an operation. Raises FileError.

    Each is set by itself, in both libraries, and what they then report must be the value. `spelling`: how a setting is
    spelt as a variable, with `{name}`; `folder`: for the programs that read.
    """
    before, after = (Library(one, build_reader(one, folder)) for one in (old, new))
    settings = [one.settings() for one in (before, after)]
    between = differences(*settings)
    changed = [_candidate(one, spelling) for one in between.changed]
    on = [
        _candidate(Change(one.name, one.off, shown(one), one.meaning), spelling).model_copy(update={"only_new": True})
        for one in between.added
        if one.off is not None
    ]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        forward = list(pool.map(partial(after.accepting, known=settings[1].settings), changed))
        backward = list(pool.map(before.problem, changed, [one.new for one in changed]))
        off = list(pool.map(after.problem, on, [one.old for one in on]))
    possible = [one for one, problem in forward if not problem]
    return Candidates(
        settings=sorted(possible, key=partial(_names_none_of, operations)),
        one_way=frozenset(one.setting for one, problem in zip(changed, backward, strict=True) if problem),
        refused={one.setting: problem for one, problem in forward if problem},
        only_old=[one.name for one in between.removed],
        only_new=[one.name for one in between.added],
        libraries=(settings[0].library, settings[1].library),
        switches=[one for one, problem in zip(on, off, strict=True) if not problem],
    )


def _candidate(change: Change, spelling: str) -> ChangedSetting:
    return ChangedSetting(
        setting=change.name,
        variable=spelling.replace("{name}", change.name),
        old=change.old,
        new=change.new,
        meaning=change.meaning.strip(),
    )


def _names_none_of(operations: Sequence[str], setting: ChangedSetting) -> bool:
    name = setting.setting.lower()
    return not any(base_operation(operation).removeprefix("i") in name for operation in operations)
