# SPDX-License-Identifier: BSD-3-Clause
"""The tools whose printouts can be read, by the name that people type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from isochron.common.files import read_text
from isochron.tools import imb, mpibench, mpiperf, osu, reprompi, skampi
from isochron.tools.rows import Lines, Printout, checked, without_zeros

TOOLS: dict[str, Callable[[Lines], Printout]] = {
    "imb": imb.parse,
    "osu": osu.parse,
    "reprompi": reprompi.parse,
    "skampi": skampi.parse,
    "mpiperf": mpiperf.parse,
    "mpibench": mpibench.parse,
}


def read_printout(tool: str, path: Path) -> Printout:
    """Return the rows of one file. Raises FileError with file, line and reason."""
    text = read_text(path, f"give a file that {tool} has printed")
    return parsed(tool, path, tuple(text.splitlines()))


def parsed(tool: str, path: Path, texts: tuple[str, ...]) -> Printout:
    """Return the same of its lines; `path` is what an error names."""
    lines = Lines(path, texts)
    return without_zeros(checked(TOOLS[tool](lines), lines))
