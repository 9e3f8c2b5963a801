# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms that a library can be told to take, by operation: each is set, and read back."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from isochron.schemas.engine.contract import base_operation
from isochron.schemas.run.explanation import ChangedSetting
from isochron.schemas.run.family import Family
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.explanation.candidates import Library
from isochron.workflows.explanation.library_settings import Setting, build_reader, read_settings, shown, words_of

#: Words that leave the choice to the library.
AUTOMATIC = ("auto", "ignore", "mpir")
_OF_TWO = ("two_proc", "two_procs")


@dataclass(frozen=True)
class Choices:
    """The algorithms by operation, each as the setting that chooses it. `needs`: variables that all of them need.

    `refused`: those that cannot be set, with the reason; `library`: the text of MPI_Get_library_version; `settings`:
    all that it reports.
    """

    algorithms: dict[str, list[ChangedSetting]]
    needs: dict[str, str]
    refused: dict[str, str]
    library: str
    settings: dict[str, Setting] = field(default_factory=dict)

    def number(self, choice: ChangedSetting) -> int:
        """Return the number of an algorithm in the library."""
        words = words_of(self.settings[choice.setting])
        return next(int(number) for number, word in words.items() if word == choice.new)


def algorithms(settings: Mapping[str, Setting], operation: str, spelling: str) -> list[ChangedSetting]:
    """Return each algorithm of an operation that a library can be told to take, `new`, for that in force, `old`.

    `spelling`: how a setting is spelt as a variable, with `{name}`.
    """
    words = "_".join(re.escape(word) for word in base_operation(operation).split("-"))
    names = rf"(?<!neighbor)(?<!reduce)(?:^|_){words}(_posix)?(_intra)?_algorithm$|^I_MPI_ADJUST_{words}$"
    pattern = re.compile(names, re.IGNORECASE)
    return [
        ChangedSetting(
            setting=name, variable=spelling.replace("{name}", name), old=shown(setting), new=word,
            meaning=setting.meaning.strip(),
        )
        for name, setting in settings.items()
        if pattern.search(name) and not setting.constant
        for word in words_of(setting).values()
        if word not in (*AUTOMATIC, shown(setting))
    ]  # fmt: skip


def cannot_be_of(choice: ChangedSetting, processes: Collection[int]) -> bool:
    """Return True if an algorithm is for two processes alone, and there are others: Open MPI then ends the program."""
    return choice.new in _OF_TWO and set(processes) != {2}


def find_choices(
    manifest: Manifest, family: Family, operations: Sequence[str], processes: Sequence[int], folder: Path
) -> Choices:
    """Return the algorithms of these operations. `folder`: for the program that reads. Raises FileError.

    Of operations that differ in their datatype alone, those of one, without a datatype if possible: one setting is for
    all of them.
    """
    plain = [name for name in operations if name == base_operation(name)]
    firsts = {base_operation(name): name for name in [*reversed(operations), *plain]}
    library = Library(manifest, build_reader(manifest, folder))
    reported = read_settings(library.reader, manifest)
    listed = {
        name: algorithms(reported.settings, name, family.setting)
        for name in dict.fromkeys(operations)
        if name in firsts.values()
    }
    refused = {
        f"{one.setting}={one.new}": "only of two processes"
        for choices in listed.values()
        for one in choices
        if cannot_be_of(one, processes)
    }
    flat = [one for choices in listed.values() for one in choices if f"{one.setting}={one.new}" not in refused]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        problems = pool.map(library.problem, flat, [one.new for one in flat])
        refused |= {f"{one.setting}={one.new}": problem for one, problem in zip(flat, problems, strict=True) if problem}
    kept = {
        name: [one for one in choices if f"{one.setting}={one.new}" not in refused] for name, choices in listed.items()
    }
    return Choices(
        algorithms={name: choices for name, choices in kept.items() if choices},
        needs=dict(family.algorithms_need),
        refused=refused,
        library=reported.library,
        settings=reported.settings,
    )
