# SPDX-License-Identifier: BSD-3-Clause
"""The output of `spack install`: which package it builds, in which phase, and what it could not fetch.

Read from Spack 1.1.0's with packages v2025.11.0 (`tests/spack_envs/recorded`).
"""

import re
from collections.abc import Sequence
from itertools import pairwise

#: Spack begins with a package: `==> Installing openmpi-5.0.8-<hash> [12/14]`.
INSTALLING = re.compile(r"^==> Installing (\S+)-[a-z0-9]{32} \[(\d+/\d+)\]")
#: From a binary cache this line comes last, and before it: `==> Extracting openmpi-5.0.8-<hash> from binary cache`.
EXTRACTING = re.compile(r"^==> Extracting (\S+)-[a-z0-9]{32} from binary cache")
#: `==> openmpi: Executing phase: 'configure'`
PHASE = re.compile(r"^==> \S+: Executing phase: '(\w+)'")
#: `==> Error: failed to concretize …`, but not `==> Error: ProcessError: …`, and the reasons, `     1. Cannot …`.
REFUSED = re.compile(r"^==> Error: (?!\w+Error: |\S+-[a-z0-9]{32}: |Installation request failed)(.+)")
REASON = re.compile(r"^ {4,6}(\d+\. .+)")
#: Of the output of a build, with its number: `  >> 12    main.c:3: error: …`.
QUOTED = re.compile(r"^  >> \d+ +(.+)")
CONTEXT = re.compile(r"^     \d+ +(.+)")
#: `==> Fetching https://…`
FETCHING = re.compile(r"^==> Fetching (\S+)")

#: `==> Error: FetchError: All fetchers failed for …`; below it one line for each address: `    http://…: cause`.
NOT_FETCHED = re.compile(r"FetchError: All fetchers failed for (?:spack-stage-)?(\S+?)(?:-[a-z0-9]{32})?$")
ADDRESS = re.compile(r"^\s+(\w+://\S+?): (.*)")


def step(lines: Sequence[str]) -> str:
    """Return what Spack does according to its output so far: `package 3 of 14: hwloc 2.9.0, configure`."""
    package, phase = "", ""
    for line in lines:
        if begun := INSTALLING.match(line):
            package, phase = f"package {begun[2].replace('/', ' of ')}: {_spaced(begun[1])}", ""
        elif extracting := EXTRACTING.match(line):
            package, phase = _spaced(extracting[1]), ", from the binary cache"
        elif running := PHASE.match(line):
            phase = f", {running[1]}"
        elif fetching := FETCHING.match(line):
            phase = f", fetching {fetching[1]}"
    return f"{package}{phase}" if package else "choosing packages"


def errors(lines: Sequence[str]) -> list[str]:
    """Return why an installation failed: what Spack refuses, and the errors of a build that it quotes.

    Its lines about packages that failed for these reasons are left out, and what make could not do comes after the line
    before it. Spack wraps lines at COLUMNS.
    """
    reasons: list[str] = []
    for before, line in pairwise(["", *lines]):
        if refused := REFUSED.match(line):
            reasons.append(refused[1])
        elif quoted := QUOTED.match(line):
            cause = CONTEXT.match(before) if quoted[1].startswith("make") else None
            reasons.append(f"{cause[1]}: {quoted[1]}" if cause else quoted[1])
        elif reasons and (further := REASON.match(line)):
            reasons[-1] += f" {further[1]}"
    return reasons


def _spaced(package: str) -> str:
    """Return `hwloc 2.9.0` of `hwloc-2.9.0`."""
    return re.sub(r"-(?=\d[^-]*$)", " ", package)


def _cause(text: str) -> str:
    """Return the system's words of an error of Python; without them, the error."""
    words = re.search(r"\[Errno -?\d+\] ([^>]+)", text)
    return words[1] if words else text


def not_fetched(lines: Sequence[str]) -> str:
    """Return the addresses from which a package could not be fetched, its name and what to do; empty if all were."""
    for number, line in enumerate(lines):
        failed = NOT_FETCHED.search(line)
        if failed:
            below = [ADDRESS.match(entry) for entry in lines[number + 1 :]]
            tried = [f"{address[1]} ({_cause(address[2])})" for address in below if address]
            where = " and ".join(tried) or "no address"
            return (
                f"{where} cannot be fetched for {_spaced(failed[1])}; give a mirror (docs/spack.md, Without a network)"
            )
    return ""
