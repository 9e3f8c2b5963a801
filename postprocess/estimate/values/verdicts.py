# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on a result, from the verdicts of its launches. Nothing else decides whether it is reliable.

`summary.csv` holds what is decided here; the report, the findings, the models and `remeasure.json` read it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.schemas.run.records import Verdict

Index = NDArray[np.intp]

#: Verdicts of a launch's row, as the engine gives them.
LAUNCH_VERDICTS: tuple[str, ...] = get_args(Verdict)
#: Verdicts that a row of the campaign has beside those.
RESULT_VERDICTS = (*LAUNCH_VERDICTS, "too-few-launches", "missing")
#: Verdicts under which a launch's time is a time of the operation, even if not a sharp one.
USABLE = frozenset(LAUNCH_VERDICTS) - {"failed-check", "not-supported"}
#: With fewer launches that are `ok`, a value is not reliable.
MIN_OK = 3
#: Of simulated launches one is enough: a further one would give the same numbers.
MIN_OK_SIMULATED = 1


@dataclass(frozen=True)
class ResultVerdict:
    """Verdict of a row over its launches, and why it is not `ok`."""

    verdict: str
    reason: str

    @property
    def reliable(self) -> bool:
        """Return True if the row's value is reliable."""
        return is_reliable(self.verdict)


def is_reliable(verdict: str) -> bool:
    """Return True if a row with this verdict is reliable."""
    return verdict == "ok"


#: Verdicts on the time of one stack under what the machine did, beside `ok`, and under which it may be compared.
#: With others of its block, which met the same machine, a launch that met no quiet time may. In turns both stacks meet
#: the same machine in every round, and what is left of a round's disturbance is in the interval of the ratio: so may a
#: time that is not precise by itself. All other verdicts are on the validity of the measurement: too few valid
#: repetitions, a clock or a timer that is too coarse, wrong data, too few launches.
COMPARABLE = frozenset({"ok", "disturbed"})
COMPARABLE_IN_TURNS = COMPARABLE | {"unstable"}


def comparable(verdict: str, *, in_turns: bool = False) -> bool:
    """Return True if a row with this verdict may decide a comparison; `in_turns`: of rounds measured in turns."""
    return verdict in (COMPARABLE_IN_TURNS if in_turns else COMPARABLE)


def min_ok(simulated: bool) -> int:
    """How many launches of a row have to be `ok` at least; `simulated`: all of them were."""
    return MIN_OK_SIMULATED if simulated else MIN_OK


def min_ok_text(launches: pd.DataFrame) -> str:
    """`three`, as the report says it of a run. `launches`: simulated."""
    words = {1: "one", 3: "three"}
    real, simulated = words[min_ok(False)], words[min_ok(True)]
    if not launches["simulated"].any():
        return real
    why = "a simulator gives the same times each time"
    return f"{simulated} ({why})" if launches["simulated"].all() else f"{real}, of simulated ones {simulated} ({why})"


def result_verdicts(rows: pd.DataFrame, numbers: Index, count: int) -> tuple[list[str], list[str]]:
    """Verdicts and reasons of `count` rows. `rows`: verdict, reason and simulated of launches; `numbers`: their row.

    What is plainly `ok` or missing is told by counts alone.
    """
    launches = np.bincount(numbers, minlength=count)
    ok, failed, real = (
        np.bincount(numbers[which], minlength=count)
        for which in (rows["verdict"] == "ok", rows["verdict"] == "failed-check", ~rows["simulated"].astype(bool))
    )
    fewest = np.where(real > 0, min_ok(False), min_ok(True))
    plain = (failed == 0) & (2 * ok >= launches) & (ok >= fewest)
    missing = result_verdict([])
    verdicts = np.where(launches > 0, "ok", missing.verdict).tolist()
    reasons = np.where(launches > 0, "", missing.reason).tolist()
    doubtful = ~plain[numbers]
    for number, group in rows[doubtful].groupby(numbers[doubtful]):
        verdict = verdict_of(group)
        verdicts[number], reasons[number] = verdict.verdict, verdict.reason
    return verdicts, reasons


def verdict_of(group: pd.DataFrame) -> ResultVerdict:
    """Verdict of a row from its launches. `group`: verdict, reason and simulated of each."""
    simulated = len(group) > 0 and bool(group["simulated"].all())
    return result_verdict(group["verdict"].tolist(), group["reason"].fillna("").tolist(), simulated=simulated)


def result_verdict(verdicts: Sequence[str], reasons: Sequence[str] = (), *, simulated: bool = False) -> ResultVerdict:
    """A row is reliable if no launch failed its data check, and at least half of its launches, and at
    least `min_ok`, are `ok`. Otherwise its verdict is the most common one among the launches that are not.
    """  # fmt: skip
    launches, fewest = len(verdicts), min_ok(simulated)
    counts = Counter(verdicts)
    ok = counts.pop("ok", 0)
    if not launches:
        return ResultVerdict("missing", "no launch was measured")
    if counts["failed-check"]:
        return ResultVerdict("failed-check", f"wrong data in {counts['failed-check']} of {launches} launches")
    if 2 * ok >= launches:
        if ok >= fewest:
            return ResultVerdict("ok", "")
        return ResultVerdict("too-few-launches", f"{ok} ok of {launches} launches; {fewest} are needed")
    worst = max(counts, key=lambda verdict: (counts[verdict], LAUNCH_VERDICTS.index(verdict)))
    example = next((why for verdict, why in zip(verdicts, reasons, strict=False) if verdict == worst), "")
    reason = f"{ok} ok of {launches} launches; {counts[worst]} {worst}"
    return ResultVerdict(worst, f"{reason} ({example})" if example else reason)
