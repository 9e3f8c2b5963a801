# SPDX-License-Identifier: BSD-3-Clause
"""What the attacks share: the library that lies, launches under it, and what of a row is reliable."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isochron.schemas.run.launch_file import read_launch
from tests.engine.support import Finished, Mpi, read_records, rows_of

Row = dict[str, Any]


@dataclass(frozen=True)
class Attacked:
    """An engine under a library that lies on one rank."""

    mpi: Mpi
    engine: Path
    library: Path

    def run(self, folder: Path, words: Sequence[str], settings: Mapping[str, object]) -> Finished:
        """A launch on two processes; `settings` are those of attack.c without ATTACK_, `attack` its kind."""
        told = {("ATTACK" if name == "attack" else f"ATTACK_{name.upper()}"): str(settings[name]) for name in settings}
        done = subprocess.run(
            self.mpi.launch(2, [self.engine, "--output", folder / "out.jsonl", *words]),
            cwd=folder, env={**self.mpi.env, "LD_PRELOAD": str(self.library), **told},
            capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
        return Finished(done.returncode, done.stdout, done.stderr)

    def rows(self, folder: Path, words: Sequence[str], settings: Mapping[str, object], code: int = 0) -> list[Row]:
        """The rows of a launch that ends with that code; Isochron's readers take its file."""
        done = self.run(folder, words, settings)
        assert done.code == code, done.err
        read_launch(folder / "out.jsonl")
        return rows_of(read_records(folder / "out.jsonl"))


def tell(number: str, injected: str, row: Row) -> None:
    """Prints a line of the table in docs/validation.md."""
    named = ", ".join(str(each["rank"]) for each in row["stragglers"]["ranks"])
    found = f"`{row['verdict']}`" + (f", rank {named} named" if named else "")
    times = f"{row['median_ns'] or 0:.0f}, {row['mean_ns'] or 0:.0f}"
    print(f"| {number} | {injected} | {found}; median, mean {times} ns |")


def build_library(mpi: Mpi, folder: Path) -> Path:
    """attack.c, compiled with that MPI."""
    path = folder / "attack.so"
    command = [mpi.cc, "-O2", "-fPIC", "-shared", "-o", str(path), str(Path(__file__).with_name("attack.c")), "-ldl"]
    subprocess.run(command, env=mpi.env, check=True)
    return path
