# SPDX-License-Identifier: BSD-3-Clause
"""Which of many settings make a difference: sequential bifurcation, without knowing how they are measured.

The *share* of a set of settings is the part of the difference of two libraries that is gone when these settings have
their old values in the new library. A few settings are measured one by one. With few causes among many, prefixes of the
list are measured, and a group is split only if the prefix that ends with it explains more than the one before it
(Bettonvil and Kleijnen 1997). That finds causes that add up. Two that act only together show at the later one alone;
the found ones are therefore measured by themselves, and if they explain less than all settings do, the others are
searched once more with these held (as QuickXplain does; Junker 2004). Last, each of several is left out once, and is a
cause only if that loses something.

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


def search(names: Sequence[str], likely: frozenset[str] = frozenset()) -> Search:
    """Yield sets to be measured, and return what was found. `names`: each once, the most likely causes first.

    `likely`: the causes of other cases, which are tried before any others: if they give back what all do, these are
    not searched. Two shares decide together only if they are of one experiment: a share depends on the stacks that
    measure in turns with it, and on the state of the machine.
    """
    every = frozenset(names)
    if not every:
        return Found(NOTHING)
    guess = likely & every
    measured = yield list(dict.fromkeys([every, guess or every]))
    total = measured[every]
    if not total.matters:
        return Found(total)
    held: frozenset[str] = frozenset()
    together, whole = NOTHING, total
    if guess not in (frozenset(), every) and measured[guess].matters:
        held, together = guess, measured[guess]
    for _ in range(ROUNDS):
        if held and not whole.minus(together).matters:
            break
        others = [name for name in names if name not in held]
        added: set[str] = set()
        if 1 < len(others) <= FEW:
            added = yield from _one_by_one(others, held)
        if not added:
            added = yield from bifurcate(others, held, together, whole)
        if not added:
            break
        held |= added
        if held == every:
            together = whole
            break
        measured = yield [held, every]
        together, whole = measured[held], measured[every]
    without = {name: held - {name} for name in names if name in held}
    if len(held) > 1:
        measured = yield [held, *without.values()]
        needed = {name for name, others_held in without.items() if measured[held].minus(measured[others_held]).matters}
        held = frozenset(needed) or held
    causes = tuple(name for name in names if name in held)
    if len(causes) < 2:
        return Found(total, causes, together)
    single = [frozenset([name]) for name in causes]
    alone = measured if set(single) <= set(measured) else (yield single)
    return Found(total, causes, together, tuple(alone[one] for one in single))


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


def _one_by_one(names: Sequence[str], held: frozenset[str]) -> Generator[Sets, Measured, set[str]]:
    """Return the names that matter if each is added by itself to those that are held."""
    sets = {name: held | {name} for name in names}
    measured = yield [held, *sets.values()] if held else list(sets.values())
    base = measured[held] if held else NOTHING
    return {name for name, one in sets.items() if measured[one].minus(base).matters}


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
