# SPDX-License-Identifier: BSD-3-Clause
"""What a program of the NAS Parallel Benchmarks prints at its end: the block after `XX Benchmark Completed`.

Format: common/print_results.f90 and common/c_print_results.c of NPB 3.4-MPI (3.3 prints `Total processes` and
`Compiled procs`). Times have two decimals: a short one may be printed as 0.00 beside a rate that is right.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from isochron.tools.rows import NUMBER, Lines

NAME = "NPB"
SUCCESSFUL, UNSUCCESSFUL = "SUCCESSFUL", "UNSUCCESSFUL"

COMPLETED = re.compile(r"\s*([A-Z]{2}) Benchmark Completed\.?\s*")
FACT = re.compile(r"\s*([A-Za-z][A-Za-z/ ]*?)\s*=\s*(.*?)\s*")
#: Lines of the block that must be there, and what is made of them.
NEEDED = ("Class", "Iterations", "Time in seconds", "Total processes", "Mop/s total", "Verification", "Version")


@dataclass(frozen=True)
class NpbResult:
    """The block as printed. `seconds` and rates as the program has them; Mop/s: 10⁶ operations a second.

    `active`: processes that worked; those above the kernel's rule idle. `seconds`, rates: None if printed as 0, for
    want of digits.
    """

    kernel: str
    problem: str
    size: str
    iterations: int
    seconds: float | None
    processes: int
    active: int
    mops_total: float | None
    mops_per_process: float | None
    operation_type: str
    verification: str
    version: str
    compiled: str
    options: tuple[tuple[str, str], ...]


def parse(lines: Lines) -> NpbResult:
    """Return the one result of a printout. Raises FileError with file, line and reason."""
    begins = [(number, match[1]) for number, text in enumerate(lines.texts) if (match := COMPLETED.fullmatch(text))]
    if len(begins) != 1:
        why = "the program did not come to its end" if not begins else "one launch prints one"
        raise lines.refuse(len(lines.texts), f"{len(begins)} lines `XX Benchmark Completed`; {why}")
    begin, kernel = begins[0]
    found, options = _facts(lines, begin + 1)
    for name in NEEDED:
        if name not in found:
            raise lines.refuse(begin + 1, f"no line `{name} = …` after `{kernel} Benchmark Completed`")
    number, verification = found["Verification"]
    if verification not in (SUCCESSFUL, UNSUCCESSFUL):
        raise lines.refuse(number, f"Verification = {verification!r}; known are {SUCCESSFUL} and {UNSUCCESSFUL}")
    processes = _whole(lines, found, "Total processes")
    active = next((name for name in ("Active processes", "Compiled procs") if name in found), "Total processes")
    return NpbResult(
        kernel=kernel,
        problem=found["Class"][1],
        size=re.sub(r"\s+", "", found.get("Size", (0, ""))[1]),
        iterations=_whole(lines, found, "Iterations"),
        seconds=_real(lines, found, "Time in seconds"),
        processes=processes,
        active=_whole(lines, found, active),
        mops_total=_real(lines, found, "Mop/s total"),
        mops_per_process=_real(lines, found, "Mop/s/process"),
        operation_type=found.get("Operation type", (0, ""))[1],
        verification=verification,
        version=found["Version"][1],
        compiled=found.get("Compile date", (0, ""))[1],
        options=tuple(options.items()),
    )


def _facts(lines: Lines, start: int) -> tuple[dict[str, tuple[int, str]], dict[str, str]]:
    """Lines `name = text` from a line on, with their numbers: those of the result, and the compile options."""
    found: dict[str, tuple[int, str]] = {}
    options: dict[str, str] = {}
    compiling = False
    for number, text in enumerate(lines.texts[start:], start=start + 1):
        compiling = compiling or text.strip() == "Compile options:"
        match = re.fullmatch(r"\s+([A-Z0-9_]+)\s*=\s*(.*?)\s*", text) if compiling else FACT.fullmatch(text)
        if match is None:
            continue
        if compiling:
            options.setdefault(match[1], match[2])
        elif match[1] in found:
            raise lines.refuse(number, f"a second line `{match[1]} = …`; one launch prints one result")
        else:
            found[match[1]] = (number, match[2])
    return found, options


def _whole(lines: Lines, found: dict[str, tuple[int, str]], name: str) -> int:
    number, text = found[name]
    if not re.fullmatch(r"\d{1,18}", text):
        raise lines.refuse(number, f"{name} = {text[:40]!r} is no whole number of at most 18 digits")
    return int(text)


def _real(lines: Lines, found: dict[str, tuple[int, str]], name: str) -> float | None:
    """Return a number above 0; None if it is printed as 0, or not at all."""
    if name not in found:
        return None
    number, text = found[name]
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value) or value < 0:
        raise lines.refuse(number, f"{name} = {text!r} is no time or rate that can be")
    return value or None


def wrong(result: NpbResult, kernel: str, problem: str, processes: int) -> list[str]:
    """Return every reason why this is not the result of the launch that was planned."""
    found = []
    if (result.kernel, result.problem) != (kernel, problem):
        found.append(
            f"printout: {result.kernel} at class {result.problem} ran, but {kernel} at class {problem} was planned"
        )
    if result.processes != processes:
        found.append(f"printout: Total processes = {result.processes}, but {processes} were planned")
    if result.active != result.processes:
        found.append(f"printout: only {result.active} of {result.processes} processes worked")
    if result.verification != SUCCESSFUL:
        found.append(f"printout: Verification = {result.verification}: what was computed is wrong")
    return found
