# SPDX-License-Identifier: BSD-3-Clause
"""The settings of an MPI library: the control variables of its tool interface (MPI_T), with the values in force.

They are read by `library_settings.c`, compiled with the stack's compiler and started as one process by its launcher, so
that variables of the environment and the library's own files count as they do in a measurement.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from isochron.common.children import captured
from isochron.common.files import FileError
from isochron.common.resources import shipped
from isochron.schemas.base import Record, first_problem
from isochron.schemas.run.manifest import Manifest
from isochron.spack_envs.toolchain import applied
from isochron.workflows.preload import compile_program

SOURCE = shipped("workflows", "explanation", "library_settings.c")

#: What the meaning of an integer says that is a switch.
SWITCH = re.compile(r"\b(true|if on|enable[sd]?|disable[sd]?|controls? if|whether|skip)\b", re.IGNORECASE)

#: A word of an enumeration of MPICH up to 4.0: of a nonblocking operation, or of one within a node.
JOINED_WORD = re.compile(r"(?:auto|mpir|release_gather|(?:sched|tsp|gentran)_\w+)(?= *- [A-Z])")

#: What Intel MPI tells of a setting that chooses an algorithm: how many there are, and the variable of the environment.
PRESETS = re.compile(r"range: 0-(?P<last>\d+) +@Alias:# (?P<variable>I_MPI_ADJUST_\w+)")
#: It prints which of these it has read, and which of them it ignores; MPI_T has no value of them.
PRINTED = {"I_MPI_DEBUG": "5"}
READ = re.compile(r"MPI startup\(\): (I_MPI_ADJUST_\w+)=(\S+)")
IGNORED = re.compile(r"MPI startup\(\): Incorrect .*?: (\w+)=\S+ will be ignored")

#: Seconds in which one process starts, prints and ends.
LIMIT = 60.0


class Setting(Record):
    """A control variable. `constant`: nobody can set it; `choices`: the values of an enumeration, as NUMBER:NAME."""

    name: str
    kind: Literal["integer", "real", "boolean", "text", "unknown"]
    value: str
    constant: bool
    choices: list[str]
    meaning: str

    @property
    def is_place(self) -> bool:
        """Return True if the value names files or folders, which differ because the libraries lie elsewhere."""
        return self.kind == "text" and "/" in self.value

    @property
    def off(self) -> str | None:
        """Return the value that switches it off; None if it is no switch, or is off.

        MPICH has integers as switches, which only their text tells; Open MPI writes `true` and `false`.
        """
        words = words_of(self)
        is_switch = self.kind == "boolean" or (not words and self.kind == "integer" and SWITCH.search(self.meaning))
        return words.get("0", "0") if is_switch and self.value == "1" else None


@dataclass(frozen=True)
class LibrarySettings:
    """What a library reports. `library`: the text of MPI_Get_library_version; `settings` by name."""

    library: str
    settings: dict[str, Setting] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """A setting that both libraries have, with another value in each."""

    name: str
    old: str
    new: str
    meaning: str


@dataclass(frozen=True)
class Differences:
    """The settings of two libraries: with another value, and those that one of them does not have."""

    changed: list[Change]
    removed: list[Setting]
    added: list[Setting]


def build_reader(manifest: Manifest, folder: Path) -> Path:
    """Compile the program that prints the settings of a stack's library. Raises FileError."""
    environment = applied(manifest.environment, os.environ)
    remedy = "the library must have the tool interface of MPI 3.0"
    return compile_program(folder / f"library-settings-{manifest.stack}", manifest.cc, [SOURCE], remedy, environment)


def read_settings(reader: Path, manifest: Manifest, variables: Mapping[str, str] | None = None) -> LibrarySettings:
    """Return the settings in force when these variables are set, too. Raises FileError.

    It is also raised if the library is not the one of the manifest.
    """
    environment = applied(manifest.environment, os.environ) | PRINTED | dict(variables or {})
    command = [*_one_process(manifest.launcher.argv), str(reader)]
    try:
        done = captured(command, env=environment, timeout=LIMIT, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"stack {manifest.stack}: its settings cannot be read: {error}") from error
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()] or ["no message"]
        raise FileError(
            f"stack {manifest.stack}: its settings cannot be read: code {done.returncode}: {lines[0].strip()}"
        )
    settings = parse_settings(done.stdout)
    expected = manifest.mpi_library_version
    if settings.library.splitlines()[0].split() != expected.split():  # the engine replaces tabs
        raise FileError(f"stack {manifest.stack}: the settings are of '{settings.library}', not of '{expected}'")
    return settings


def _one_process(template: list[str]) -> list[str]:
    words = template
    for name in ("{processes}", "{processes_per_node}", "{nodes}"):
        words = [word.replace(name, "1") for word in words]
    return words


def parse_settings(text: str) -> LibrarySettings:
    """Return what `library_settings.c` printed; lines that are not its own are skipped. Raises FileError."""
    library, settings = None, {}
    for line in text.splitlines():
        if not line.startswith('{"'):
            continue
        try:
            document = json.loads(line)
            if "library" in document:
                library = str(document["library"])
            else:
                setting = Setting.model_validate(document)
                settings[setting.name] = setting
        except ValidationError as error:
            raise FileError(f"settings of a library: {first_problem(error)}") from error
        except ValueError:
            continue
    if library is None:
        raise FileError("settings of a library: it did not report its version")
    return LibrarySettings(library, {one.name: one for one in _with_presets(settings.values(), text)})


def _with_presets(settings: Iterable[Setting], text: str) -> Iterator[Setting]:
    """Yield settings, those that choose an algorithm of Intel MPI under the name that it reads, with what it has read.

    0 and what it ignores leave the choice to the library. `text`: what the process printed.
    """
    values = dict(READ.findall(text))
    for word in IGNORED.findall(text):
        values.pop(f"I_MPI_ADJUST_{word}", None)
    for one in settings:
        preset = PRESETS.search(one.meaning) if one.kind == "text" else None
        if preset is None:
            yield one
        else:
            choices = [f"{number}:{number}" for number in range(1, int(preset["last"]) + 1)]
            name, value = preset["variable"], values.get(preset["variable"], "0")
            yield one.model_copy(update={"name": name, "value": value, "choices": choices})


def differences(old: LibrarySettings, new: LibrarySettings) -> Differences:
    """Return the differences that a user could set; constants and the places of files are none."""

    def settable(settings: LibrarySettings) -> dict[str, Setting]:
        return {name: one for name, one in settings.settings.items() if not one.constant and not one.is_place}

    before, after = settable(old), settable(new)
    return Differences(
        changed=[
            Change(name, shown(before[name]), shown(after[name]), after[name].meaning)
            for name in sorted(before.keys() & after.keys())
            if _differ(before[name], after[name])
        ],
        removed=[before[name] for name in sorted(before.keys() - new.settings.keys())],
        added=[after[name] for name in sorted(after.keys() - old.settings.keys())],
    )


def _differ(one: Setting, other: Setting) -> bool:
    """Return True if two libraries have another value: another word, or number where one library has no words."""
    if words_of(one) and words_of(other):
        return shown(one) != shown(other)
    return one.value != other.value


def shown(setting: Setting) -> str:
    """Return the value as a user writes it: the word of an enumeration that is known, else the value.

    MPICH and Intel MPI list the words of an enumeration in the meaning of the variable, in the order of their numbers,
    and understand nothing else.
    """
    return words_of(setting).get(setting.value, setting.value)


def words_of(setting: Setting) -> dict[str, str]:
    """Return the words of an enumeration by their numbers; empty if the setting is none."""
    if setting.choices:
        pairs = (choice.partition(":") for choice in setting.choices)
        return {number: word for number, _, word in pairs}
    words = list(_words_in(setting.meaning)) if setting.kind == "integer" else []
    return {str(number): word for number, word in enumerate(words)} if len(words) > 1 else {}


def _words_in(meaning: str) -> Iterator[str]:
    """Yield the words that a meaning lists, one per line, as in `auto - Internal algorithm selection`."""
    lines = meaning.splitlines()[1:]
    if not lines:
        yield from _words_in_a_line(meaning)
    for line in lines:
        word, dash, _ = line.strip().partition(" - ")
        if dash and word.strip().replace("_", "").isalnum():
            yield word.strip()


def _words_in_a_line(meaning: str) -> list[str]:
    """Return the same of MPICH up to 4.0, which joins the lines; empty if it is not certain where words begin.

    The words after `auto` are padded to one width, or have a known beginning.
    """
    dashes = [dash.start() for dash in re.finditer(" - [A-Z]", meaning)]
    known = JOINED_WORD.findall(meaning)
    if len(known) == len(dashes):
        return known
    padded = re.search(r"(?<=\))[a-z]\w* *(?= - [A-Z])", meaning)
    if padded is None or not meaning[: dashes[0]].endswith("auto"):
        return []
    words = ["auto", *(meaning[dash - len(padded[0]) : dash].rstrip() for dash in dashes[1:])]
    return words if all(re.fullmatch(r"[a-z]\w*", word) for word in words) and len(set(words)) == len(words) else []
