# SPDX-License-Identifier: BSD-3-Clause
"""What a crash or a bad disk leaves of a file, and the files of a run in groups that can be struck together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from isochron.schemas.run.layout import RunLayout

Damage = Callable[[bytes], bytes]


def flipped(content: bytes, bit: int | None = None) -> bytes:
    """The content with one bit changed, in its middle unless it is said where."""
    changed = bytearray(content)
    bit = len(content) * 4 if bit is None else bit
    if changed:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


DAMAGES: dict[str, Damage] = {
    "empty": lambda _content: b"",
    "half": lambda content: content[: len(content) // 2],
    "flipped": flipped,
}

#: Folders of which all files are struck in one go: evidence, or made again all together.
AT_ONCE = ("analysis", "figures", "tables", "log", ".snakemake")


def strike(path: Path, damage: Damage) -> None:
    """Damage a file where it lies, as a disk does, whatever its mode."""
    path.chmod(path.stat().st_mode | 0o200)
    path.write_bytes(damage(path.read_bytes()))


def group_of(path: Path) -> str:
    """Files of one group are of one kind, and independent of each other: no file with its copy."""
    if path.parts[0] in AT_ONCE:
        return f"{path.parts[0]}/"
    return str(path.with_name(re.sub(r"\.l\d+\.", ".l*.", path.name)))


def groups(run: RunLayout) -> dict[str, list[Path]]:
    """Every regular file of a run, by group, relative to its folder."""
    found = defaultdict(list)
    for path in sorted(run.root.rglob("*")):
        if path.is_file() and not path.is_symlink():
            relative = path.relative_to(run.root)
            found[group_of(relative)].append(relative)
    return dict(found)
