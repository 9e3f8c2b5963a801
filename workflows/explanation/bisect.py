# SPDX-License-Identifier: BSD-3-Clause
"""Which version brought a difference: of those between two, few are measured, each in turns with these two.

The *share* of a version is the part of the difference that is gone if it replaces the newest one: 1 of the oldest, 0 of
the newest. The steps from version to version are searched as settings are (search.py): an interval of versions is
split only while its share matters, so that several versions can each have brought a part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from isochron.common.files import FileError
from isochron.schemas.input.spec import name_of
from isochron.schemas.run.bisection import BisectedCase, Bisection, Brought
from isochron.schemas.run.manifest import Manifest
from isochron.spack_envs import wheel_index
from isochron.spack_envs.declarations import load_declaration
from isochron.workflows.explanation.experiments import Case, Experiments, Setup
from isochron.workflows.explanation.explain import Difference
from isochron.workflows.explanation.joint import search_jointly
from isochron.workflows.explanation.search import NOTHING, Share, bifurcate

#: Half the width of the interval of a share above which more blocks are measured: a version in the middle mostly has
#: all of the difference or nothing of it.
PRECISE = 0.25
WHOLE = Share(1.0, 1.0, 1.0)
_NUMBER = re.compile(r"\d+(?:\.\d+)+")


def versions_between(family: str, old: Manifest, new: Manifest) -> list[str]:
    """Return the versions of the package index between those of two stacks, as specs, oldest first. Raises FileError.

    The versions of the two are those that their libraries report.
    """
    first, last = (_version(manifest.mpi_library_version) for manifest in (old, new))
    between = [text for text in wheel_index.versions(family) if first < _version(text) < last]
    return [f"{family}@{text}" for text in reversed(between)]


def family_of(stack: str) -> str:
    """Return the family of a stack of the package index. Raises FileError."""
    return load_declaration(stack).family


def _version(text: str) -> tuple[int, ...]:
    """Return the first number of several parts in a text, as numbers."""
    number = _NUMBER.search(text)
    if number is None:
        raise FileError(f"{text.splitlines()[0] if text else 'a library'}: states no version; name them by --versions")
    return tuple(map(int, number[0].split(".")))


def bisect(difference: Difference, between: Sequence[str], experiments: Experiments) -> Bisection:
    """Measure which versions brought a difference. `between`: oldest first. Raises UnfinishedError, FileError."""
    chain = [difference.old, *between, difference.new]
    last = len(chain) - 1
    steps = [f"{chain[number - 1]} {chain[number]}" for number in range(last, 0, -1)]  # newest first: as prefixes

    def version(undone: int) -> tuple[str, Setup]:
        stack = chain[last - undone]
        return _name(stack, difference), (stack, {})

    first = experiments.measure({}, difference.cases)[difference.old]
    cases = [case for case in difference.cases if first.get(case) is not None]
    answers = search_jointly(
        {case: bifurcate(steps, frozenset(), NOTHING, WHOLE) for case in cases},
        lambda _, undone: version(len(undone)),
        experiments,
        PRECISE,
    ).of_case
    causes = {case: [steps.index(step) for step in steps if step in answers[case]] for case in answers}
    brought = _confirm(causes, chain, difference, experiments)
    return Bisection(
        versions=chain,
        processes=difference.point.processes,
        processes_per_node=difference.point.processes_per_node,
        placement=difference.point.placement,
        cases=[
            BisectedCase(
                operation=case[0],
                bytes=case[1],
                ratio=experiments.ratios.get(case) if case in answers else None,
                brought=brought.get(case, []),
            )
            for case in difference.cases
        ],
        blocks=experiments.blocks,
        experiments=experiments.count,
        launches=experiments.launches,
    )


def _name(stack: str, difference: Difference) -> str:
    """Return the name of a version in an experiment: its own of the two, and one made of its spec of others."""
    return stack if stack in (difference.old, difference.new) else name_of(stack)


def _confirm(
    causes: Mapping[Case, Sequence[int]], chain: Sequence[str], difference: Difference, experiments: Experiments
) -> dict[Case, list[Brought]]:
    """Return what fresh blocks show of the steps that the search found, by the number of steps after each."""
    asked = {case: listed for case, listed in causes.items() if listed}
    if not asked:
        return {}
    last = len(chain) - 1
    numbers = {last - one - end for listed in asked.values() for one in listed for end in (0, 1)} - {0, last}
    setups: dict[str, Setup] = {_name(chain[number], difference): (chain[number], {}) for number in sorted(numbers)}
    measured = experiments.measure(setups, asked)

    def share(case: Case, number: int) -> Share | None:
        if number in (0, last):
            return WHOLE if number == 0 else NOTHING
        return measured[_name(chain[number], difference)].get(case)

    brought: dict[Case, list[Brought]] = {}
    for case, listed in asked.items():
        brought[case] = []
        for one in listed:
            after, before = last - one, last - one - 1
            shares = share(case, before), share(case, after)
            if shares[0] is None or shares[1] is None:
                continue
            part = shares[0].minus(shares[1])
            if part.matters:
                brought[case].append(Brought(before=chain[before], after=chain[after], share=part.effect))
    return brought
