# SPDX-License-Identifier: BSD-3-Clause
"""Whether a program shows what the run found: it is built with both stacks here, and started in turns with the engine.

The machine need not be in the state in which it was when the run was measured: two cores that are near each other in
one minute and far from each other in the next turn a loss into a gain. So each turn begins with the engine of both
stacks, as in the run, and the program is started where the engine shows the difference, and is compared with what it
shows there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from isochron.common.files import FileError
from isochron.common.text import in_a_line
from isochron.schemas.run.launch_file import read_launch
from isochron.workflows.reproducer.commands import Side
from isochron.workflows.reproducer.reproduce import Reproducer

#: Turns of each stack in which the engine shows the difference. Of so many ratios the second smallest and largest
#: enclose the median with 97.9 % confidence: 1 - 2 · (1 + 10) / 2^10, whatever their distribution.
ROUNDS, CONFIDENCE = 10, "97.9 %"
#: Turns at most: if the engine shows the difference in fewer than `ROUNDS` of them, it is not there now.
MOST_ROUNDS = 30
#: The share of the difference, of the logarithm of the ratio: what the engine must show of that of the run in a turn
#: that counts, and the program of that of the engine.
ENOUGH = 0.5

MEDIAN = re.compile(r": median ([0-9.]+) us")


@dataclass(frozen=True)
class Shown:
    """What a program showed. `ratio`: slow over fast, with its interval; `measured`: that of the engine meanwhile.

    `left_out`: turns before and between, in which the engine did not show the difference of the run; `lines`: what the
    program printed in the last turn of each stack; `set_ratio`: slow over slow with the setting, if there is one.
    """

    ratio: float
    low: float
    high: float
    measured: float
    left_out: int
    lines: list[str]
    set_ratio: float | None

    @property
    def share(self) -> float:
        """Of the difference that the engine measured, as logarithms."""
        return math.log(self.ratio) / math.log(self.measured)

    @property
    def is_enough(self) -> bool:
        """Return True if at least half of the difference shows."""
        return self.share >= ENOUGH

    def __str__(self) -> str:
        """Return it as a sentence."""
        setting = "" if self.set_ratio is None else f"; {self.set_ratio:.3g} times as long as with the setting"
        left_out = f" In {_turns(self.left_out)} more the machine did not show it." if self.left_out else ""
        return (
            f"In {ROUNDS} turns the slow one took {self.ratio:.3g} times as long ({CONFIDENCE} interval "
            f"[{self.low:.3g}; {self.high:.3g}]), {100 * self.share:.0f} % of the difference that the engine measured "
            f"in the same turns ({self.measured:.3g}){setting}.{left_out}"
        )


@dataclass(frozen=True)
class Absent:
    """The machine does not show the difference now. `ratio`: of the run; `measured`: of the engine now, the median."""

    ratio: float
    measured: float

    def __str__(self) -> str:
        """Return it as a sentence."""
        return (
            f"the machine does not show the difference now: in fewer than {ROUNDS} of {MOST_ROUNDS} turns the engine "
            f"measured half of {self.ratio:.3g} times, and {self.measured:.3g} times in the median; call it again "
            "later, or where the run was measured"
        )


@dataclass(frozen=True)
class _Engines:
    """The engines of both stacks at one case, each started alone in a folder."""

    one: Reproducer
    folder: Path

    def ratio(self, number: int) -> float:
        """Return slow over fast in a turn, one started after the other in either order. Raises FileError."""
        sides = [self.one.fast, self.one.slow]
        times = {side.word: self._median_ns(side, number) for side in (sides if number % 2 == 0 else sides[::-1])}
        return times["slow"] / times["fast"]

    def _median_ns(self, side: Side, number: int) -> float:
        name, operation = self.one.finding.name, self.one.finding.operation
        output = self.folder / f"{side.word}-{number}.jsonl"
        case = ["--operations", operation, "--sizes", str(self.one.finding.bytes), "--output", str(output)]
        side.call([*side.launch(side.manifest.engine), *case, *self.one.options], self.folder)
        medians = [measurement.median_ns for measurement in read_launch(output).measurements]
        if not medians or not medians[0]:
            raise FileError(f"{name}: {side.label}: the engine measured no repetition of {operation}")
        return medians[0]


def verify(one: Reproducer) -> Shown | Absent:
    """Build the program with both stacks and start it in turns. Raises FileError if it cannot be built or fails."""
    for side in (one.fast, one.slow):
        if not side.is_here:
            raise FileError(
                f"{one.finding.name}: cannot be verified: {side.manifest.cc}, its launcher or its engine "
                f"{side.manifest.engine} is not on this machine; measure with these stacks here, or start run.sh where "
                "they are"
            )
    with TemporaryDirectory(prefix="reproduce-") as name:
        folder = Path(name)
        (folder / one.source).write_text(one.program, encoding="utf-8")
        for side in (one.fast, one.slow):
            side.call(side.build(one.source, f"./{side.word}"), folder)
        engines = _Engines(one, folder)
        enough = ENOUGH * math.log(one.finding.ratio)
        ratios: list[float] = []
        rounds: list[Mapping[str, str]] = []
        for number in range(MOST_ROUNDS):
            ratios.append(engines.ratio(number))
            if math.log(ratios[-1]) >= enough:
                rounds.append(_round(one, folder, number))
            if len(rounds) == ROUNDS:
                return _shown(rounds, [ratio for ratio in ratios if math.log(ratio) >= enough], len(ratios) - ROUNDS)
    return Absent(one.finding.ratio, _middle(sorted(ratios)))


def _round(one: Reproducer, folder: Path, number: int) -> dict[str, str]:
    """Start each once, in turn in either order; return the line that each printed."""
    turns: list[tuple[str, Side, Mapping[str, str]]] = [("fast", one.fast, {}), ("slow", one.slow, {})]
    if one.setting is not None:
        turns.append(("set", one.slow, one.setting.variables))
    lines = {}
    for name, side, variables in turns if number % 2 == 0 else reversed(turns):
        printed = side.call(side.launch(f"./{side.word}"), folder, variables)
        timed = [line for line in printed.splitlines() if MEDIAN.search(line)]
        if not timed:
            raise FileError(f"{one.finding.name}: {side.label}: the program printed no time")
        lines[name] = in_a_line(timed[-1])
    return lines


def _shown(rounds: Sequence[Mapping[str, str]], measured: Sequence[float], left_out: int) -> Shown:
    times = {name: [_median(lines[name]) for lines in rounds] for name in rounds[0]}
    ratios = sorted(slow / fast for slow, fast in zip(times["slow"], times["fast"], strict=True))
    given_back = [slow / with_it for slow, with_it in zip(times["slow"], times.get("set", []), strict=False)]
    return Shown(
        ratio=_middle(ratios),
        low=ratios[1],
        high=ratios[-2],
        measured=_middle(sorted(measured)),
        left_out=left_out,
        lines=[rounds[-1][name] for name in times],
        set_ratio=_middle(sorted(given_back)) if given_back else None,
    )


def _turns(count: int) -> str:
    return f"{count} turn{'' if count == 1 else 's'}"


def _median(line: str) -> float:
    match = MEDIAN.search(line)
    assert match is not None  # as _round has made sure
    return max(float(match[1]), 0.001)


def _middle(ordered: Sequence[float]) -> float:
    """Return the median of ordered ratios: of an even number, the geometric mean of the two in the middle."""
    return math.sqrt(ordered[(len(ordered) - 1) // 2] * ordered[len(ordered) // 2])
