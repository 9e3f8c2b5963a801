# SPDX-License-Identifier: BSD-3-Clause
"""What differs between two runs of a campaign, in words: of stacks and machine, and of keys of the campaign file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from isochron.common.files import FileError
from isochron.postprocess.estimate.history_cache.facts import (
    ENGINE_BUILD,
    KINDS,
    LIBRARY_WORDS,
    Difference,
    Facts,
    differences,
    facts_of,
)
from isochron.postprocess.formatting import numbers
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout

#: Lines of a list, and characters of the longest value of a key.
LINES, LONGEST = 20, 160


def between(before: RunLayout, after: RunLayout, facts_before: Facts, facts_after: Facts) -> list[Difference]:
    """List what differs between two runs; of the plan, the keys of the campaign file that do."""
    listed = differences(facts_before, facts_after)
    plans = [each for each in listed if (each.kind, each.name) == ("campaign", "plan")]
    if not plans:
        return listed
    others = [each for each in listed if each not in plans and (each.kind, each.name) != ("campaign", "stacks")]
    return [*(changed_keys(before, after) or plans), *others]


def changed_keys(before: RunLayout, after: RunLayout) -> list[Difference]:
    """List the keys of the campaign file that decide about the measurement and have another value than before."""
    try:
        files = (Campaign.load_yaml(run.campaign, "a run folder holds it") for run in (before, after))
        one, other = (flat_keys(file.measuring) for file in files)
    except FileError:
        return []
    return [
        Difference("campaign", "", key, one.get(key, "–"), other.get(key, "–"))
        for key in (one | other)
        if one.get(key) != other.get(key)
    ]


def flat_keys(keys: Mapping[str, Any], section: str = "") -> dict[str, str]:
    """Return the keys of all sections with their values as text: `engine.scheme: window` …; none that has no value."""
    flat: dict[str, str] = {}
    for name, value in keys.items():
        if isinstance(value, dict):
            flat |= flat_keys(value, f"{section}{name}.")
        elif value is not None:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            flat[f"{section}{name}"] = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return flat


def difference_lines(listed: list[Difference]) -> list[str]:
    """`kernel: 6.1 → 6.2 (kernel)` …, at most so many."""
    return limited([_difference(each) for each in listed])


def without_hashes(listed: list[Difference]) -> list[str]:
    """The same where hashes are counted: `measurement engine changed (3 libraries)`. The page of a run has them."""
    libraries: dict[str, list[str]] = {}
    for each in listed:
        if each.kind == "library":
            libraries.setdefault(each.stack, []).append(each.name)
    lines = []
    for stack, names in libraries.items():
        files = [name for name in names if name not in LIBRARY_WORDS]
        if len(files) == len(names):
            lines.append(f"{stack}: {numbers.count(len(files), 'file')} of the library changed (MPI library)")
    engines = {each.stack for each in listed if each.name == ENGINE_BUILD}
    if engines:
        lines.append(f"measurement engine changed ({numbers.count(len(engines), 'library', 'libraries')})")
    told = [each for each in listed if each.name != ENGINE_BUILD]
    return [*(_difference(each) for each in told if each.kind != "library" or each.name in LIBRARY_WORDS), *lines]


def _difference(each: Difference) -> str:
    return f"{each.text} ({KINDS.get(each.kind, each.kind)})"


def limited(lines: list[str]) -> list[str]:
    """At most so many."""
    return lines if len(lines) <= LINES else [*lines[:LINES], f"and {len(lines) - LINES} more"]


def recorded_with(runs: list[RunLayout], names: Iterable[str]) -> list[str]:
    """What is recorded with each of these runs and was not with the one before it, in a line; empty: nothing."""
    wanted = list(names)
    distinct = set(wanted)
    lines = {
        after.run_id: "; ".join(limited(without_hashes(between(before, after, facts_of(before), facts_of(after)))))
        for before, after in pairwise(runs)
        if after.run_id in distinct
    }
    return [lines.get(name, "") for name in wanted]
