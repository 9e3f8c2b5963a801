# SPDX-License-Identifier: BSD-3-Clause
"""The output of the NAS Parallel Benchmarks: the block after `XX Benchmark Completed`.

Format: common/print_results.f90 and common/c_print_results.c of NPB 3.4-MPI (3.3 prints `Total processes` and
`Compiled procs`). Times have two decimals: a short one may be printed as 0.00, with a correct rate.
"""

import math
import re
from dataclasses import dataclass

from isochron.tools.rows import NUMBER, Lines

NAME = "NPB"
SUCCESSFUL, UNSUCCESSFUL = "SUCCESSFUL", "UNSUCCESSFUL"

COMPLETED = re.compile(r"\s*([A-Z]{2}) Benchmark Completed\.?\s*")
FACT = re.compile(r"\s*([A-Za-z][A-Za-z/ ]*?)\s*=\s*(.*?)\s*")
#: Required lines of the block, and their types.
NEEDED = ("Class", "Iterations", "Time in seconds", "Total processes", "Mop/s total", "Verification", "Version")


@dataclass(frozen=True)
class NpbResult:
    """The block as printed. `seconds` and rates as printed; Mop/s: 10⁶ operations per second.

    `active`: processes that worked; those beyond the kernel's rule idle. `seconds`, rates: None if printed as 0 by
    rounding.
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
    """Parse the only result of an output. Raises FileError with file, line and reason."""
    begins = [(number, match[1]) for number, text in enumerate(lines.texts) if (match := COMPLETED.fullmatch(text))]
    if len(begins) != 1:
        why = "the program did not finish" if not begins else "a launch prints one"
        raise lines.refuse(len(lines.texts), f"{len(begins)} lines `XX Benchmark Completed`; {why}")
    begin, kernel = begins[0]
    fields, options = _fields(lines, begin + 1)
    for name in NEEDED:
        if name not in fields:
            raise lines.refuse(begin + 1, f"no line `{name} = …` after `{kernel} Benchmark Completed`")
    number, verification = fields["Verification"]
    if verification not in (SUCCESSFUL, UNSUCCESSFUL):
        raise lines.refuse(number, f"Verification = {verification!r}; must be {SUCCESSFUL} or {UNSUCCESSFUL}")
    processes = _integer(lines, fields, "Total processes", 1)
    active = next((name for name in ("Active processes", "Compiled procs") if name in fields), "Total processes")
    return NpbResult(
        kernel=kernel,
        problem=fields["Class"][1],
        size=re.sub(r"\s+", "", fields.get("Size", (0, ""))[1]),
        iterations=_integer(lines, fields, "Iterations"),
        seconds=_real(lines, fields, "Time in seconds"),
        processes=processes,
        active=_integer(lines, fields, active, 1),
        mops_total=_real(lines, fields, "Mop/s total"),
        mops_per_process=_real(lines, fields, "Mop/s/process"),
        operation_type=fields.get("Operation type", (0, ""))[1],
        verification=verification,
        version=fields["Version"][1],
        compiled=fields.get("Compile date", (0, ""))[1],
        options=tuple(options.items()),
    )


def _fields(lines: Lines, start: int) -> tuple[dict[str, tuple[int, str]], dict[str, str]]:
    """Return the lines `name = text` from a line on, with their numbers: those of the result, and compile options."""
    fields: dict[str, tuple[int, str]] = {}
    options: dict[str, str] = {}
    compiling = False
    for number, text in enumerate(lines.texts[start:], start=start + 1):
        compiling = compiling or text.strip() == "Compile options:"
        match = re.fullmatch(r"\s+([A-Z0-9_]+)\s*=\s*(.*?)\s*", text) if compiling else FACT.fullmatch(text)
        if match is None:
            continue
        if compiling:
            options.setdefault(match[1], match[2])
        elif match[1] in fields:
            raise lines.refuse(number, f"a second line `{match[1]} = …`; one launch prints one result")
        else:
            fields[match[1]] = (number, match[2])
    return fields, options


def _integer(lines: Lines, fields: dict[str, tuple[int, str]], name: str, least: int = 0) -> int:
    number, text = fields[name]
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise lines.refuse(number, f"{name} = {text[:40]!r} is not a whole number of at most 18 digits")
    if int(text) < least:
        raise lines.refuse(number, f"{name} = {text} cannot be")
    return int(text)


def _real(lines: Lines, fields: dict[str, tuple[int, str]], name: str) -> float | None:
    """Return a number above 0; None if it is printed as 0, or not at all."""
    if name not in fields:
        return None
    number, text = fields[name]
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value) or value < 0:
        raise lines.refuse(number, f"{name} = {text!r} is not a possible time or rate")
    return value or None


def wrong(result: NpbResult, kernel: str, problem: str, processes: int) -> list[str]:
    """Return the differences of a result from the planned launch; none if there are none."""
    problems = []
    if (result.kernel, result.problem) != (kernel, problem):
        problems.append(
            f"printout: {result.kernel} at class {result.problem} ran, but {kernel} at class {problem} was planned"
        )
    if result.processes != processes:
        problems.append(f"printout: Total processes = {result.processes}, but {processes} were planned")
    if result.active != result.processes:
        problems.append(f"printout: only {result.active} of {result.processes} processes worked")
    if result.verification != SUCCESSFUL:
        problems.append(f"printout: Verification = {result.verification}: the computed result is wrong")
    return problems
