# SPDX-License-Identifier: BSD-3-Clause
"""Keys and values of the campaign file that were renamed before version 0.1.0: an old name is an error.

The campaign of a stored run may have old names of keys that affect no measurement: its results are analysed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: New name of a key in its section, by its old path.
KEYS = {
    "repetition": "replication",
    "doubt": "remeasure",
    "sizes_of": "sizes_by_operation",
    "clock_syncs": "compare_clock_syncs",
    "contrast": "contrasts, as in {loop: {scheme: loop}}",
    "route": "stack_source",
    "engine.weather": "probes",
    "engine.initial_runs": "warmup_reps",
    "engine.max_runs": "max_reps",
    "engine.operations_per_run": "operations_per_rep",
    "site.groups": "locations",
    "question.asks": "type",
    "question.tolerate": "max_loss",
    "analysis.beside": "compare_with",
    "analysis.model.bandwidth_mb_per_s": "one_way_mb_per_s",
    "analysis.model.bandwidth_all_to_all_mb_per_s": "imb_mb_per_s (2m/t of sendrecv, as IMB prints it)",
    "programs.npb.beside": "compare_with",
}
#: New name of a value, by the path of its key (as it is called now) and the old value.
VALUES = {
    ("engine.stop", "runs"): "reps",
    ("engine.probes", "none"): "off",
    ("site.launcher", "own"): "stack",
    ("stack_source", "registry"): "wheels",
}
#: By the old path of a key that affects no measurement: its name, and by what its values are to be multiplied.
IN_STORED_RUNS: dict[str, tuple[str, float]] = {
    "site.groups": ("locations", 1),
    "analysis.model.bandwidth_mb_per_s": ("one_way_mb_per_s", 1),
    "analysis.model.bandwidth_all_to_all_mb_per_s": ("imb_mb_per_s", 2),
}


def with_present_names(document: object) -> object:
    """Return the campaign of a stored run with the keys `IN_STORED_RUNS` under their present names."""
    for path, (name, factor) in IN_STORED_RUNS.items():
        document = _renamed(document, path.split("."), name, factor)
    return document


def _renamed(section: Any, path: Sequence[str], name: str, factor: float) -> Any:
    """Return a copy of the section in which the key at `path` has the name; the section if it has no such key."""
    key, *further = path
    if not isinstance(section, dict) or key not in section:
        return section
    if further:
        return {**section, key: _renamed(section[key], further, name, factor)}
    others = {each: value for each, value in section.items() if each != key}
    return {name: _scaled(section[key], factor), **others}


def _scaled(value: Any, factor: float) -> Any:
    """Return the number, or every number of the mapping, multiplied by the factor."""
    if isinstance(value, dict):
        return {key: _scaled(each, factor) for key, each in value.items()}
    return factor * value if isinstance(value, int | float) else value


def new_key(location: Sequence[str | int]) -> str:
    """Return the name that a key of this location has now; empty if it never had another one."""
    return KEYS.get(_path(location), "")


def new_value(location: Sequence[str | int], value: object) -> str:
    """Return the name that a value at this location has now; empty if it never had another one."""
    return VALUES.get((_path(location), value), "") if isinstance(value, str) else ""


def _path(location: Sequence[str | int]) -> str:
    """Return a location as keys separated by dots, without positions in lists."""
    return ".".join(part for part in location if isinstance(part, str))
