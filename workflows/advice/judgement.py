# SPDX-License-Identifier: BSD-3-Clause
"""What fresh blocks with settings showed: the losses that are cured, those that remain, and those that are new."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from isochron.schemas.run.advice import AdvisedCase

#: A case: its operation, its bytes.
Key = tuple[str, int]
Row = Mapping[str, str]

#: A verdict on a pair of stacks in the other order.
REVERSED = {"slower": "faster", "faster": "slower", "not-slower": "not-faster", "not-faster": "not-slower"}
#: Verdicts that exclude a loss beyond the practical threshold.
NO_LOSS = ("equivalent", "not-slower", "faster")


@dataclass(frozen=True)
class Names:
    """Stacks of a trial: the two versions, the new one with all settings, and with each alone (none if only one)."""

    old: str
    new: str
    together: str
    alone: Sequence[str] = ()


@dataclass
class Judged:
    """The cases of a trial by what it showed of them (`Confirmation`). `harmful`: settings that bring a new loss.

    `left`: operations that lost before, and are not in the trial.
    """

    cured: list[AdvisedCase] = field(default_factory=list)
    slower: list[AdvisedCase] = field(default_factory=list)
    undecided: list[AdvisedCase] = field(default_factory=list)
    worse: list[AdvisedCase] = field(default_factory=list)
    given_up: list[AdvisedCase] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    measured: int = 0
    harmful: set[int] = field(default_factory=set)


def judge(rows: Iterable[Row], lost: Collection[Key], names: Names) -> Judged:
    """Return what the rows of a comparison show. `lost`: losses claimed before.

    If no setting alone brings a new loss, all are harmful.
    """
    cases: dict[Key, dict[tuple[str, str], Row]] = {}
    for row in rows:
        pairs = cases.setdefault((row["operation"], int(row["bytes"])), {})
        pairs[row["baseline"], row["candidate"]] = row
    judged, before = Judged(), set(lost)
    for key, pairs in cases.items():
        if (names.old, names.together) in pairs:
            judged.measured += 1
            _judge_case(key, pairs, key in before, names, judged)
    measured = {operation for operation, _ in cases}
    judged.left = list(dict.fromkeys(operation for operation, _ in lost if operation not in measured))
    if judged.worse and not judged.harmful:
        judged.harmful = set(range(max(1, len(names.alone))))
    return judged


def _judge_case(key: Key, pairs: Mapping[tuple[str, str], Row], was_lost: bool, names: Names, judged: Judged) -> None:
    """Put a case into one of the lists."""
    old, new, together = names.old, names.new, names.together
    verdict = _verdict(pairs, old, together)
    case = _case(key, pairs[old, together])
    if _is_worse(pairs, old, new, together):
        judged.worse.append(case)
        judged.harmful |= {number for number, name in enumerate(names.alone) if _is_worse(pairs, old, new, name)}
    elif verdict == "slower":
        judged.slower.append(case)
    elif was_lost:
        (judged.cured if verdict in NO_LOSS else judged.undecided).append(case)
    elif _verdict(pairs, old, new) == "faster" and _verdict(pairs, new, together) == "slower":
        judged.given_up.append(case)


def _is_worse(pairs: Mapping[tuple[str, str], Row], old: str, new: str, stack: str) -> bool:
    """Return True if a stack is slower than both versions."""
    return _verdict(pairs, old, stack) == "slower" and _verdict(pairs, new, stack) == "slower"


def _verdict(pairs: Mapping[tuple[str, str], Row], baseline: str, candidate: str) -> str:
    """Return the verdict on the candidate, in whichever order the pair was compared; empty if it was not."""
    if (baseline, candidate) in pairs:
        return pairs[baseline, candidate]["verdict"]
    row = pairs.get((candidate, baseline))
    return "" if row is None else REVERSED.get(row["verdict"], row["verdict"])


def _case(key: Key, row: Row) -> AdvisedCase:
    ratio, low, high = (float(row[name] or "nan") for name in ("ratio", "ratio_low", "ratio_high"))
    return AdvisedCase(operation=key[0], bytes=key[1], ratio=ratio, low=low, high=high)
