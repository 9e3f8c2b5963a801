# SPDX-License-Identifier: BSD-3-Clause
"""`attempts/<block>/<n>/timers.txt`: what `isochron-engine --check-timer` said of every timer on every node."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from isochron.common.files import read_lines

#: Verdicts of the engine, best first.
VERDICTS = ("good", "coarse", "slow", "unusable", "refused")

_NUMBER = r"(-?[\d.]+|-)"
_LINE = re.compile(rf"(\S+) +(\S*) +(\S+) +{_NUMBER} +{_NUMBER} +{_NUMBER} +({'|'.join(VERDICTS)})(?:: (.*))?")


@dataclass(frozen=True)
class TimerVerdict:
    """One timer on one node; figures in ns and parts per million, none where the timer was refused."""

    host: str
    clock_source: str
    timer: str
    resolution_ns: float | None
    cost_ns: float | None
    rate_ppm: float | None
    verdict: str
    reason: str


def read_timers(path: Path) -> list[TimerVerdict]:
    """The verdicts of one file. What is not there, or no verdict, is passed over: launchers add lines of their own."""
    try:
        lines = read_lines(path)
    except OSError:
        return []
    return [_verdict(found) for line in lines if (found := _LINE.fullmatch(line))]


def _verdict(found: re.Match[str]) -> TimerVerdict:
    host, source, timer, resolution, cost, rate, verdict, reason = found.groups()
    return TimerVerdict(
        host, source, timer, _number(resolution), _number(cost), _number(rate), verdict, (reason or "").strip()
    )


def _number(text: str) -> float | None:
    return None if text == "-" else float(text)
