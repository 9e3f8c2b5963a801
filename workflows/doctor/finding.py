# SPDX-License-Identifier: BSD-3-Clause
"""What a check of a site found out about a stack."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.workflows.doctor.machine import Level


@dataclass(frozen=True)
class SiteFinding:
    """The result of one check of one stack. `error`: no campaign can run with it; `warning`: times may be distorted.

    `write`: which words to write into which file; empty where nothing is to be changed, or nothing is known.
    """

    stack: str
    check: str
    level: Level
    words: str
    write: str = ""
