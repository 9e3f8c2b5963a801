# SPDX-License-Identifier: BSD-3-Clause
"""A module system: `fake_modules.py SHELL purge | load MODULE… | -t avail`, for module files with the commands below.

It prints what Environment Modules 5.2.0 does, or Lmod 8.6.19 if FAKE_MODULES is `lmod`, as observed with both of
Debian 12: a failed load ends with 0 in the first, and both name the modules that are loaded in LOADEDMODULES.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(os.environ.get("MODULEPATH", ""))
LMOD = os.environ.get("FAKE_MODULES") == "lmod"


def commands(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]


def load(module: str) -> None:
    for rc in ROOT.glob("*/.modulerc"):
        module = next((words[2] for words in commands(rc) if words[:2] == ["module-alias", module]), module)
    path = ROOT / module
    if not path.is_file():
        unknown = f'Lmod has detected the following error: The following module(s) are unknown: "{module}"'
        print(unknown if LMOD else f"ERROR: Unable to locate a modulefile for '{module}'", file=sys.stderr)
        print("false" if LMOD else "test 0 = 1;")
        sys.exit(int(LMOD))
    for name, *words in commands(path):
        if name == "setenv":
            change(words[0], words[1])
        elif name == "prepend-path":
            change(words[0], ":".join(filter(None, (words[1], os.environ.get(words[0])))))
    change("LOADEDMODULES", ":".join(filter(None, (os.environ.get("LOADEDMODULES"), module))))


def purge() -> None:
    for module in filter(None, os.environ.get("LOADEDMODULES", "").split(":")):
        for name, *words in commands(ROOT / module):
            rest = [part for part in os.environ.get(words[0], "").split(":") if part != words[1]] if words[1:] else []
            if name == "setenv" or not rest:
                print(f"unset {words[0]};")
            elif name == "prepend-path":
                change(words[0], ":".join(rest))
    print("unset LOADEDMODULES;")


def change(name: str, value: str) -> None:
    os.environ[name] = value
    print(f"{name}='{value}'; export {name};")


def avail() -> None:
    names = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("*/[!.]*"))
    print("\n".join([f"{ROOT}:", *names]), file=sys.stderr)


if __name__ == "__main__":
    _, shell, verb, *rest = sys.argv
    if shell != "bash":
        sys.exit(f"unknown shell {shell}")
    {"load": lambda: [load(module) for module in rest], "purge": purge, "-t": avail}[verb]()
