# SPDX-License-Identifier: BSD-3-Clause
"""The commands that build and start a program with two stacks: as a script, and as they are executed here."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isochron.common.children import captured
from isochron.common.files import FileError
from isochron.schemas.launcher_kind import threaded
from isochron.schemas.run.manifest import Environment, Manifest
from isochron.schemas.run.plan import Point
from isochron.spack_envs.toolchain import applied
from isochron.workflows.reproducer.findings import Setting

FLAGS = ["-O2", "-Wall", "-Werror"]
#: Seconds for one command.
LIMIT = 600.0


@dataclass(frozen=True)
class Side:
    """One of the two stacks.

    `word`: fast or slow; `label`: its library and version; `flags`: of the compiler; `threads`: of a process.
    """

    word: str
    label: str
    manifest: Manifest
    point: Point
    oversubscribed: bool
    flags: Sequence[str] = ()
    threads: int = 1

    @property
    def prefix(self) -> str:
        """Folder of the library, if the compiler wrapper lies in its `bin`; else empty."""
        path = Path(self.manifest.cc)
        return str(path.parent.parent) if path.is_absolute() and path.parent.name == "bin" else ""

    def build(self, source: str, program: str) -> list[str]:
        """Return the command that compiles the program."""
        return [self.manifest.cc, *FLAGS, *self.flags, "-o", program, source]

    def launch(self, program: str) -> list[str]:
        """Return the command that starts it."""
        launcher, point = self.manifest.launcher, self.point
        words = threaded(launcher.argv, launcher.threaded, self._cores)
        words += (launcher.oversubscribe or []) if self.oversubscribed else []
        values = {
            "{processes}": point.processes,
            "{processes_per_node}": point.processes_per_node,
            "{nodes}": point.nodes,
            "{threads}": self._cores,
        }
        for name, value in values.items():
            words = [word.replace(name, str(value)) for word in words]
        return [*words, program]

    @property
    def _cores(self) -> int:
        """The cores of each process."""
        return 1 if self.oversubscribed else self.threads

    @property
    def _settings(self) -> Environment:
        environment, variables = self.manifest.environment, self.manifest.launcher.threaded_variables
        if self._cores == 1:
            return environment
        more = {name: value.replace("{threads}", str(self._cores)) for name, value in variables.items()}
        return environment.model_copy(update={"set": environment.set | more})

    def environment(self) -> dict[str, str]:
        """Return the environment of both commands here."""
        return applied(self._settings, os.environ)

    def call(self, command: list[str], folder: Path, variables: Mapping[str, str] | None = None) -> str:
        """Execute a command in a folder, with more variables, and return what it printed. Raises FileError."""
        environment = self.environment() | dict(variables or {})
        try:
            done = captured(command, cwd=folder, env=environment, timeout=LIMIT, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FileError(f"{self.label}: {command[0]}: {error}") from error
        if done.returncode != 0:
            lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()] or ["no message"]
            raise FileError(f"{self.label}: {command[0]}: code {done.returncode}: {lines[0].strip()}")
        return done.stdout

    @property
    def is_here(self) -> bool:
        """Return True if its compiler wrapper, its launcher and its engine are on this machine."""
        words = (self.manifest.cc, self.manifest.launcher.argv[0], self.manifest.engine)
        return all(shutil.which(word) is not None for word in words)

    def in_shell(self, command: list[str], folder: str, more: Mapping[str, str] | None = None) -> str:
        """Return a command as a line of a script in which `folder` stands for the library's folder."""
        environment = self._settings
        words = [self._assigned(name, value, folder) for name, value in environment.set.items()]
        for name, folders in environment.prepend.items():
            words.append(f'{self._assigned(name, ":".join(folders), folder)}"${{{name}:+:${name}}}"')
        words += [f"{name}={shlex.quote(value)}" for name, value in (more or {}).items()]
        return " ".join([*words, *(self._word(word, folder) for word in command)])

    def anywhere(self, command: list[str], more: Mapping[str, str] | None = None) -> str:
        """Return a command as a line for any machine: names of programs, and variables that name no folder of it."""
        set_here = {name: value for name, value in self._settings.set.items() if not value.startswith("/")}
        words = [f"{name}={shlex.quote(value)}" for name, value in {**set_here, **(more or {})}.items()]
        return " ".join([*words, Path(command[0]).name, *map(shlex.quote, command[1:])])

    def _assigned(self, name: str, value: str, folder: str) -> str:
        return f"{name}={self._word(value, folder)}"

    def _word(self, word: str, folder: str) -> str:
        if self.prefix and (word == self.prefix or word.startswith(f"{self.prefix}/")):
            rest = word[len(self.prefix) :]
            return f'"{folder}"{shlex.quote(rest) if rest else ""}'
        return shlex.quote(word)


def script(title: str, source: str, fast: Side, slow: Side, setting: Setting | None, expected: list[str]) -> str:
    """Return the script that builds the program with both stacks and runs it in turns."""
    folders = {side.word: f"${side.word}" for side in (fast, slow)}
    lines = ["#!/bin/sh", f"# {title}", "set -e", 'cd "$(dirname "$0")"', ""]
    named = [side for side in (fast, slow) if side.prefix]
    if named:
        lines.append("# Where the libraries are installed.")
        lines += [f"{side.word}={shlex.quote(side.prefix)} # {side.label}" for side in named] + [""]
    for side in (fast, slow):
        lines.append(side.in_shell(side.build(source, f"./{side.word}"), folders[side.word]))
    lines += ["", "for round in 1 2 3; do"]
    for side in (fast, slow):
        lines.append(f"    {side.in_shell(side.launch(f'./{side.word}'), folders[side.word])}")
    if setting is not None:
        lines.append(f"    # the slow one again, with what gives back {setting.gives_back} of the difference")
        lines.append(f"    {slow.in_shell(slow.launch('./slow'), folders['slow'], setting.variables)}")
    lines += ["done", "", "# Expected:", *(f"# {line}" for line in expected)]
    return "\n".join(lines) + "\n"
