# SPDX-License-Identifier: BSD-3-Clause
"""The tools whose output can be read, by their names on the command line."""

from collections.abc import Callable
from pathlib import Path

from isochron.common.files import read_text
from isochron.tools import imb, mpibench, mpiperf, osu, pico, reprompi, skampi
from isochron.tools.rows import Lines, Printout, checked, refuse_cut, refuse_other_digits, without_zeros

TOOLS: dict[str, Callable[[Lines], Printout]] = {
    "imb": imb.parse,
    "osu": osu.parse,
    "reprompi": reprompi.parse,
    "skampi": skampi.parse,
    "mpiperf": mpiperf.parse,
    "mpibench": mpibench.parse,
    "pico": pico.parse,
}


def read_printout(tool: str, path: Path) -> Printout:
    """Read the rows of one file. Raises FileError with file, line and reason."""
    text = read_text(path, f"give a file with the output of {tool}")
    printout = parsed(tool, path, tuple(text.splitlines()))
    if not text.endswith("\n"):
        refuse_cut(printout, Lines(path, tuple(text.splitlines())))
    return printout


def parsed(tool: str, path: Path, texts: tuple[str, ...]) -> Printout:
    """Parse the rows of a file's lines; `path`: for error messages. Raises FileError."""
    lines = Lines(path, texts)
    refuse_other_digits(lines)
    return without_zeros(checked(TOOLS[tool](lines), lines))
