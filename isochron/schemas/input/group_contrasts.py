# SPDX-License-Identifier: BSD-3-Clause
"""The key `groups`: each grouping of the processes is a contrast, whose rows are compared with those of all processes.

An operation is then executed in several communicators at the same time, as in the `Multi-` benchmarks of PMB and IMB,
or by some of the processes while the others wait, as in their runs on 2, 4 … of n processes. A repetition lasts from
the common start until the last process of any group has ended.
"""

from collections.abc import Mapping
from typing import Any

from isochron.schemas.engine.contract import contract
from isochron.schemas.engine.groups import ALL, smallest_group
from isochron.schemas.engine.option_values import find_problem


def check_grouping(groups: str) -> str:
    """Return the grouping. Raises ValueError."""
    problem = find_problem(contract().option("groups"), groups)
    if problem:
        raise ValueError(f"'{groups}' is not valid; {problem}")
    if groups == ALL:
        raise ValueError("'all' is what the results are measured with; remove it")
    return groups


def group_contrasts(groups: list[str]) -> dict[str, dict[str, Any]]:
    """Return the contrasts of groupings, `active:4` as `active-4`: name → options of `engine` that differ."""
    return {each.replace(":", "-"): {"groups": each} for each in groups}


def fits(groups: str, processes: int) -> bool:
    """Return True unless there are too few processes for such groups."""
    return smallest_group(groups, processes) != 0


def check_groups(groups: list[str], engine_groups: str, contrasts: Mapping[str, Any], processes: list[int]) -> None:
    """Raise ValueError if a campaign cannot have its groupings. `engine_groups`: those of the results."""
    if engine_groups != ALL:
        raise ValueError(
            f"engine.groups: results are those of all processes; list '{engine_groups}' in the key `groups` instead"
        )
    taken = next((name for name in group_contrasts(groups) if name in contrasts), None)
    if taken:
        raise ValueError(f"contrasts.{taken}: `groups` defines a contrast of this name; choose another one")
    for name, changes in {**contrasts, **group_contrasts(groups)}.items():
        each = str(changes.get("groups", ALL))
        if not any(fits(each, count) for count in processes):
            key = f"contrasts.{name}.groups" if name in contrasts else "groups"
            raise ValueError(f"{key}: {each} needs more than the {max(processes)} of processes; lower its number")
