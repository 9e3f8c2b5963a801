# SPDX-License-Identifier: BSD-3-Clause
"""What was known of the nodes and of the environment of each launch, and where that was not always the same."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.provenance import ALWAYS_DIFFERENT, read_provenance

#: Columns of `provenance.csv`: every fact with every value that it had.
PROVENANCE_COLUMNS = {
    "fact": "name of the fact; `environment.…` are variables of the launches",
    "value": "its value, or `not known`",
    "launches": "launches in which it had this value (on some node)",
    "hosts": "nodes on which it had this value, separated by commas",
    "stacks": "stacks of those launches, separated by commas",
    "differs": "whether nodes, or launches of one stack, have several values",
}
#: Columns of what is kept of `load_average`.
LOAD_COLUMNS = {"load": "load average (one minute) of a node before a launch"}
UNKNOWN = "not known"


@dataclass(frozen=True)
class Observation:
    """A fact in one launch, on one of its nodes."""

    launch: str
    stack: str
    host: str
    fact: str
    value: str


def observations(inputs: RunInputs, launches: pd.DataFrame) -> list[Observation]:
    """All facts of the stored launches. A fact that other nodes or launches have and this one lacks is `not known`.

    `launches`: launch_id, stack and hosts.
    """
    found: dict[tuple[str, str, str, str], dict[str, str]] = {}
    kinds: dict[str, set[str]] = {"launch": set(), "node": set()}
    for name, stack, hosts in _launches(inputs.layout, launches):
        known = read_provenance(inputs.layout.provenance(name))
        if known.launch:
            found[name, stack, known.launch.get("host", ""), "launch"] = known.launch
            kinds["launch"] |= {fact for fact in known.launch if not fact.startswith("environment.")}
        for host in hosts if known.launch else []:
            facts = known.nodes.get(host, {})
            found[name, stack, host, "node"] = facts
            kinds["node"] |= facts.keys()
    return [
        Observation(name, stack, host, fact, facts.get(fact, UNKNOWN))
        for (name, stack, host, kind), facts in found.items()
        for fact in sorted(kinds[kind] | facts.keys())
    ]


def _launches(layout: RunLayout, launches: pd.DataFrame) -> list[tuple[str, str, list[str]]]:
    """Name, stack and hosts of each launch."""
    return [
        (str(launch).removeprefix(f"{layout.run_id}."), str(stack), str(hosts).split(","))
        for launch, stack, hosts in zip(launches["launch_id"], launches["stack"], launches["hosts"], strict=True)
    ]


def provenance_table(observed: list[Observation]) -> pd.DataFrame:
    """`PROVENANCE_COLUMNS`, in order of the facts' names; facts that are always different are left out."""
    groups: dict[tuple[str, str], list[Observation]] = defaultdict(list)
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in observed:
        if each.fact not in ALWAYS_DIFFERENT:
            groups[each.fact, each.value].append(each)
            values[each.fact, each.stack if each.fact.startswith("environment.") else ""].add(each.value)
    differing = {fact for (fact, _), seen in values.items() if len(seen) > 1}
    rows = [
        {
            "fact": fact,
            "value": value,
            "launches": len({each.launch for each in group}),
            "hosts": ",".join(sorted({each.host for each in group})),
            "stacks": ",".join(sorted({each.stack for each in group})),
            "differs": fact in differing,
        }
        for (fact, value), group in sorted(groups.items())
    ]
    return pd.DataFrame(rows, columns=list(PROVENANCE_COLUMNS))


def load_table(observed: list[Observation]) -> pd.DataFrame:
    """`LOAD_COLUMNS`."""
    values = [float(each.value) for each in observed if each.fact == "load_average" and each.value != UNKNOWN]
    return pd.DataFrame({"load": np.array(values, dtype=np.float64)})
