# SPDX-License-Identifier: BSD-3-Clause
"""Whether a program shows what the run found: it is built with both stacks here, and started in turns."""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from isochron.common.files import FileError
from isochron.common.text import in_a_line
from isochron.workflows.reproducer.commands import Side
from isochron.workflows.reproducer.reproduce import Reproducer

#: Turns of each stack. Of so many ratios the second smallest and largest enclose the median with 97.9 % confidence:
#: 1 - 2 · (1 + 10) / 2^10, whatever their distribution.
ROUNDS, CONFIDENCE = 10, "97.9 %"
#: The share of the difference, of the logarithm of the ratio, that a program must show.
ENOUGH = 0.5
#: Seconds for one command.
LIMIT = 600.0

MEDIAN = re.compile(r": median ([0-9.]+) us")


@dataclass(frozen=True)
class Shown:
    """What a program showed. `ratio`: slow over fast, with its interval; `share`: of the difference of the run.

    `lines`: what it printed in the last turn of each stack; `set_ratio`: slow over slow with the setting, if there is
    one.
    """

    ratio: float
    low: float
    high: float
    share: float
    lines: list[str]
    set_ratio: float | None

    @property
    def is_enough(self) -> bool:
        """Return True if at least half of the difference shows."""
        return self.share >= ENOUGH

    def __str__(self) -> str:
        """Return it as a sentence."""
        setting = "" if self.set_ratio is None else f"; {self.set_ratio:.3g} times as long as with the setting"
        return (
            f"In {ROUNDS} turns the slow one took {self.ratio:.3g} times as long ({CONFIDENCE} interval "
            f"[{self.low:.3g}; {self.high:.3g}]), {100 * self.share:.0f} % of the difference{setting}."
        )


def verify(one: Reproducer) -> Shown:
    """Build the program with both stacks and start it in turns. Raises FileError if it cannot be built or fails."""
    for side in (one.fast, one.slow):
        if not side.is_here:
            raise FileError(
                f"{one.finding.name}: cannot be verified: {side.manifest.cc} or its launcher is not on this machine; "
                "measure with these stacks here, or start run.sh where they are"
            )
    with TemporaryDirectory(prefix="reproduce-") as name:
        folder = Path(name)
        (folder / one.source).write_text(one.program, encoding="utf-8")
        for side in (one.fast, one.slow):
            _call(side, side.build(one.source, f"./{side.word}"), folder, {})
        return _shown(one, [_round(one, folder, number) for number in range(ROUNDS)])


def _round(one: Reproducer, folder: Path, number: int) -> dict[str, str]:
    """Start each once, in turn in either order; return the line that each printed."""
    turns: list[tuple[str, Side, Mapping[str, str]]] = [("fast", one.fast, {}), ("slow", one.slow, {})]
    if one.setting is not None:
        turns.append(("set", one.slow, one.setting.variables))
    lines = {}
    for name, side, variables in turns if number % 2 == 0 else reversed(turns):
        printed = _call(side, side.launch(f"./{side.word}"), folder, variables)
        timed = [line for line in printed.splitlines() if MEDIAN.search(line)]
        if not timed:
            raise FileError(f"{one.finding.name}: {side.label}: the program printed no time")
        lines[name] = in_a_line(timed[-1])
    return lines


def _call(side: Side, command: list[str], folder: Path, variables: Mapping[str, str]) -> str:
    """Execute a command of a stack and return what it printed. Raises FileError."""
    environment = side.environment() | dict(variables)
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", errors="replace",
            timeout=LIMIT, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{side.label}: {command[0]}: {error}") from error
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()] or ["no message"]
        raise FileError(f"{side.label}: {command[0]}: code {done.returncode}: {lines[0].strip()}")
    return done.stdout


def _shown(one: Reproducer, rounds: Sequence[Mapping[str, str]]) -> Shown:
    times = {name: [_median(lines[name]) for lines in rounds] for name in rounds[0]}
    ratios = sorted(slow / fast for slow, fast in zip(times["slow"], times["fast"], strict=True))
    ratio = _middle(ratios)
    given_back = [slow / with_it for slow, with_it in zip(times["slow"], times.get("set", []), strict=False)]
    return Shown(
        ratio=ratio,
        low=ratios[1],
        high=ratios[-2],
        share=math.log(ratio) / math.log(one.finding.ratio),
        lines=[rounds[-1][name] for name in times],
        set_ratio=_middle(sorted(given_back)) if given_back else None,
    )


def _median(line: str) -> float:
    match = MEDIAN.search(line)
    assert match is not None  # as _round has made sure
    return max(float(match[1]), 0.001)


def _middle(ordered: Sequence[float]) -> float:
    """Return the median of ordered ratios: of an even number, the geometric mean of the two in the middle."""
    return math.sqrt(ordered[(len(ordered) - 1) // 2] * ordered[len(ordered) // 2])
