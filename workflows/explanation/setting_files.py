# SPDX-License-Identifier: BSD-3-Clause
"""Files that set a library: written, loaded back, and shown by the library itself to be in force."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from isochron.common.files import FileError, write_atomically
from isochron.schemas.run.family import Family
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.explanation.library_settings import build_reader, read_settings, shown

#: Seconds in which a shell reads a file of some lines.
LIMIT = 10.0
#: How a library reports a boolean that is set by a number.
_BOOLEANS = {"1": "true", "0": "false"}


def write_files(folder: Path, variables: Mapping[str, str], family: Family) -> dict[str, Path]:
    """Write settings in each format that a site may want, and return the files by format.

    `shell`, `lua`, `tcl`: `write_variables`; `parameters`, if the library reads a file of its own.
    """
    files = write_variables(folder, variables)
    if family.parameters is not None:
        files["parameters"] = folder / family.parameters.file
        settings = {setting_of(name, family): value for name, value in variables.items()}
        write_atomically(files["parameters"], _lines("{name} = {value}", settings, str))
    return files


def write_variables(folder: Path, variables: Mapping[str, str]) -> dict[str, Path]:
    """Write variables of the environment as lines for a shell, `shell`, and for a module, `lua` and `tcl`."""
    texts = {
        "shell": ("settings.sh", _lines("export {name}={value}", variables, shlex.quote)),
        "lua": ("settings.lua", _lines('setenv("{name}", "{value}")', variables, _escaped('"'))),
        "tcl": ("settings.tcl", _lines('setenv {name} "{value}"', variables, _escaped('"$['))),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.values():
        write_atomically(folder / name, text)
    return {kind: folder / name for kind, (name, _) in texts.items()}


def _lines(template: str, variables: Mapping[str, str], spelt: Callable[[str], str]) -> str:
    return "".join(template.format(name=name, value=spelt(value)) + "\n" for name, value in variables.items())


def _escaped(special: str) -> Callable[[str], str]:
    """Return the spelling of a value in a text between double quotes, in which these characters mean something."""
    return lambda value: re.sub(f"[{re.escape(special)}\\\\]", r"\\\g<0>", value)


def setting_of(variable: str, family: Family) -> str:
    """Return the library's name of the setting that a variable of the environment sets."""
    before, _, after = family.setting.partition("{name}")
    return variable.removeprefix(before).removesuffix(after)


def prove(files: Mapping[str, Path], variables: Mapping[str, str], family: Family, manifest: Manifest) -> None:
    """Load the files that a process can load, and let the library report what is then in force.

    Raises FileError if it is not what the files say.
    """
    reader = build_reader(manifest, files["shell"].parent)
    loaded = {"shell": loaded_by_a_shell(files["shell"])}
    if family.parameters is not None:
        loaded["parameters"] = {family.parameters.variable: str(files["parameters"])}
    for kind, environment in loaded.items():
        prove_in_force(reader, manifest, family, environment, variables, str(files[kind]))
    reader.unlink()


def prove_in_force(
    reader: Path,
    manifest: Manifest,
    family: Family,
    environment: Mapping[str, str],
    variables: Mapping[str, str],
    where: str,
) -> None:
    """Raise FileError, which begins with `where`, if a library does not report the values of some variables.

    `environment`: of the process that reports; `reader`: the program, from `build_reader`.
    """
    reported = read_settings(reader, manifest, environment).settings
    for variable, value in variables.items():
        setting = reported.get(setting_of(variable, family))
        in_force = "not reported" if setting is None else shown(setting)
        if in_force not in (value, _BOOLEANS.get(value)):
            raise FileError(
                f"{where}: {variable} should be {value}, but in {manifest.stack} it is {in_force}; another setting of "
                "the site may overrule it"
            )


def loaded_by_a_shell(file: Path) -> dict[str, str]:
    """Return the variables that a shell has after it has read a file. Raises FileError if it cannot."""
    command = ["/bin/sh", "-c", 'unset PWD; . "$1" && exec env -0', "sh", str(file)]
    try:
        done = subprocess.run(
            command, env={"PATH": "/usr/bin:/bin"}, capture_output=True, encoding="utf-8", timeout=LIMIT, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FileError(f"{file}: a shell cannot read it: {error}") from error
    pairs = (entry.partition("=") for entry in done.stdout.split("\0") if entry)
    return {name: value for name, _, value in pairs if name not in ("PATH", "_", "OLDPWD", "PWD", "SHLVL")}
