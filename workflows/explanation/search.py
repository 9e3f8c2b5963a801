# SPDX-License-Identifier: BSD-3-Clause
"""Which of many settings make a difference: sequential bifurcation, without knowing how they are measured.

The *share* of a set of settings is the part of the difference of two libraries that is gone when these settings have
their old values in the new library. A few settings are measured one by one, and if none of them matters by itself, each
is left out of all: without one of two that act only together, what both do is gone. With few causes among many,
prefixes of the list are measured, and a group is split only if the prefix that ends with it explains more than the one
before it (Bettonvil and Kleijnen 1997). That finds causes that add up. Two that act only together show at the later one
alone.
The found ones are therefore measured beside all settings, and if they explain less, the others are searched once more
with these held (as QuickXplain does; Junker 2004). Last, each of several is left out, and is a cause only if that loses
something; those that stand in for one another are left out one after the other, the least likely first.

A cause whose old value makes the new library slower can hide another one of its group. It is found only if the two are
not in one group at the first split.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

from isochron.schemas.run.explanation import Effect

#: The smallest share of a difference that is looked for.
SMALLEST = 0.2
#: So many settings are measured one by one first: that takes fewer experiments than halving them.
FEW = 8
#: How often the settings are searched again with the found ones held: so many more act together with them.
ROUNDS = 3


class Share(NamedTuple):
    """A share of the difference, with its interval."""

    share: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def minus(self, other: Share) -> Share:
        """Return the difference of two shares that were measured apart."""
        difference, half = self.share - other.share, hypot(self.half_width, other.half_width)
        return Share(difference, difference - half, difference + half)

    @property
    def effect(self) -> Effect:
        """Return the same as it is recorded."""
        return Effect(share=self.share, low=self.low, high=self.high)

    @property
    def matters(self) -> bool:
        """Return True if it is large enough, and not zero by its interval."""
        return self.share >= SMALLEST and self.low > 0


NOTHING = Share(0.0, 0.0, 0.0)
#: Sets of settings to be measured, in one experiment; what is sent back has the share of each.
Sets = list[frozenset[str]]
Measured = Mapping[frozenset[str], Share]
Search = Generator[Sets, Measured, "Found"]


@dataclass(frozen=True)
class Found:
    """What a search found. `all_settings`: the share of all; `causes`: in the order of the list; empty: no setting.

    `together`: the share of the causes without the other settings; `alone`: of each cause, if there are several.
    """

    all_settings: Share
    causes: tuple[str, ...] = ()
    together: Share = NOTHING
    alone: tuple[Share, ...] = ()

    @property
    def interact(self) -> bool:
        """Return True if the causes explain more together than one by one."""
        apart = sum(share.share for share in self.alone)
        half = hypot(self.together.half_width, *(share.half_width for share in self.alone))
        return len(self.causes) > 1 and self.together.share - apart > max(half, SMALLEST)


def search(names: Sequence[str], likely: frozenset[str] = frozenset(), others: Sequence[str] = ()) -> Search:
    """Yield sets to be measured, and return what was found. `names`: each once, the most likely causes first.

    `likely`: the causes of other cases, which are tried before any others: if they give back what all do, these are not
    searched. `others`: settings that are searched only if `names` explain nothing. Two shares decide together only if
    they are of one experiment: a share depends on the stacks that measure in turns with it, and on the state of the
    machine.
    """
    every, beside = frozenset(names), frozenset(others)
    if not every:
        return (yield from search(others, likely)) if others else Found(NOTHING)
    guess = likely & every
    measured = yield list(dict.fromkeys([every, guess or every, beside or every]))
    total = measured[every]
    if not total.matters and beside and measured[beside].matters:
        return (yield from search(others, likely))
    if not total.matters:
        return Found(total)
    if guess not in (frozenset(), every) and measured[guess].matters:
        held = guess
    else:
        held, measured = yield from _first(names, total)
    held, measured = yield from _enough(names, held, measured)
    held, measured = yield from _needed(names, held, measured)
    causes = tuple(name for name in names if name in held)
    if len(causes) < 2:
        return Found(total, causes, measured[held] if causes else NOTHING)
    single = [frozenset([name]) for name in causes]
    if not set(single) <= set(measured):
        measured = yield [held, *single]
    return Found(total, causes, measured[held], tuple(measured[one] for one in single))


#: Settings that are held, and the shares of the last experiment.
_Held = tuple[frozenset[str], Measured]


def _first(names: Sequence[str], total: Share) -> Generator[Sets, Measured, _Held]:
    """Return the settings that matter by themselves; else those without which all do less; else by halving the list."""
    every = frozenset(names)
    if len(names) > FEW:
        return frozenset((yield from bifurcate(names, frozenset(), NOTHING, total))), {}
    if len(names) == 1:
        return every, {every: total}
    single = {name: frozenset([name]) for name in names}
    measured = yield [every, *single.values()]
    alone = frozenset(name for name, one in single.items() if measured[one].matters)
    if alone:
        return alone, measured
    without = {name: every - {name} for name in names}
    measured = yield [every, *without.values()]
    needed = frozenset(name for name, one in without.items() if measured[every].minus(measured[one]).matters)
    if needed:
        return needed, measured
    return frozenset((yield from bifurcate(names, frozenset(), NOTHING, measured[every]))), {}


def _enough(names: Sequence[str], held: frozenset[str], measured: Measured) -> Generator[Sets, Measured, _Held]:
    """Return settings with those that are held which together give back what all do, as far as they are found."""
    every = frozenset(names)
    for _ in range(ROUNDS):
        if not held or held == every:
            break
        if not {every, held} <= set(measured):
            measured = yield [every, held, *_without(held)]
        whole, together = measured[every], measured[held]
        if not whole.minus(together).matters:
            break
        others = [name for name in names if name not in held]
        added: set[str] = set()
        if len(others) <= FEW:
            more = {name: held | {name} for name in others}
            measured = yield [held, *more.values()]
            added = {name for name, one in more.items() if measured[one].minus(measured[held]).matters}
        if not added:
            added = yield from bifurcate(others, held, together, whole)
        if not added:
            break
        held, measured = held | added, {}
    return held, measured


def _needed(names: Sequence[str], held: frozenset[str], measured: Measured) -> Generator[Sets, Measured, _Held]:
    """Return those of the held settings that give back what all of them do."""
    without = _without(held)
    if held and not {held, *without} <= set(measured):
        measured = yield [held, *without]
    spare = [name for name in names if held - {name} in without and not _loses(measured, held, held - {name})]
    if not spare or len(held) == 1:
        return held, measured
    rest = held - set(spare)
    if rest and len(spare) > 1:
        measured = yield [held, rest]
        if not _loses(measured, held, rest):
            return rest, measured
    held -= {spare.pop()}  # one of them, the least likely; the others may stand in for it
    while spare and len(held) > 1:
        smaller = held - {spare.pop()}
        measured = yield [held, smaller]
        if not _loses(measured, held, smaller):
            held = smaller
    if held not in measured:
        measured = yield [held]
    return held, measured


def _without(held: frozenset[str]) -> list[frozenset[str]]:
    """Return the settings without each of them, if there are several."""
    return [held - {name} for name in sorted(held)] if len(held) > 1 else []


def _loses(measured: Measured, held: frozenset[str], smaller: frozenset[str]) -> bool:
    """Return True if fewer settings give less back, by one experiment."""
    return measured[held].minus(measured[smaller]).matters


def noted(steps: Search, note: Callable[[frozenset[str], Share], None]) -> Search:
    """Yield and return what a search does, and note each set that was measured with its share."""
    try:
        wanted = next(steps)
        while True:
            measured = yield wanted
            for one in wanted:
                note(one, measured[one])
            wanted = steps.send(measured)
    except StopIteration as end:
        result: Found = end.value
        return result


@dataclass(frozen=True)
class _Group:
    """The settings from `first` up to `end`, and the shares of the prefixes before and with it."""

    first: int
    end: int
    before: Share
    with_it: Share

    @property
    def matters(self) -> bool:
        return self.with_it.minus(self.before).matters


def bifurcate(
    names: Sequence[str], held: frozenset[str], base: Share, total: Share
) -> Generator[Sets, Measured, set[str]]:
    """Return the names whose effects matter when they are added one by one to those that are held.

    Yields sets of the held names with the first of the others. `base`, `total`: the shares of the held names, and of
    all.
    """
    groups: list[_Group] = [_Group(0, len(names), base, total)]
    causes: set[str] = set()
    while groups:
        causes |= {names[group.first] for group in groups if group.end - group.first == 1}
        split = [group for group in groups if group.end - group.first > 1]
        if not split:
            break
        middles = [(group.first + group.end) // 2 for group in split]
        sets = [held | frozenset(names[:middle]) for middle in middles]
        measured = yield sets
        halves: Iterable[_Group] = (
            half
            for group, middle, one in zip(split, middles, sets, strict=True)
            for half in (
                _Group(group.first, middle, group.before, measured[one]),
                _Group(middle, group.end, measured[one], group.with_it),
            )
        )
        groups = [half for half in halves if half.matters]
    return causes
