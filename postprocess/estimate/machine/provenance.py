# SPDX-License-Identifier: BSD-3-Clause
"""The nodes and the environment of the launches: recorded properties, stacks side by side, bindings."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs import KEYS, POINT, RunInputs
from isochron.schemas.run.binding import NodeBinding, format_numbers, node_bindings
from isochron.schemas.run.launch_file import read_header
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.provenance import ALWAYS_DIFFERENT, TRANSPORT, UNKNOWN, Facts, read_provenance
from isochron.schemas.run.records import Header

#: Columns of `provenance.csv`: every fact with every value that it had.
PROVENANCE_COLUMNS = {
    "fact": "name of the fact; `environment.…`: variables of the launches, `transport`: what carried their messages",
    "value": "its value, or `not known`",
    "launches": "launches in which it had this value (on some node)",
    "hosts": "nodes on which it had this value, separated by commas",
    "stacks": "stacks of those launches, separated by commas",
    "differs": "whether nodes, or launches of one stack, have several values",
}
#: Columns of what is kept of `load_average`.
LOAD_COLUMNS = {"load": "load average (one minute) of a node before a launch"}
#: Beginning of the facts that are variables of the launches.
ENVIRONMENT = "environment."


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
    observed: dict[tuple[str, str, str, str], dict[str, str]] = {}
    kinds: dict[str, set[str]] = {"launch": set(), "node": set()}
    for name, stack, hosts in _launches(inputs.layout, launches):
        provenance = read_provenance(inputs.layout.provenance(name))
        if provenance.launch:
            observed[name, stack, provenance.launch.get("host", ""), "launch"] = provenance.launch
            kinds["launch"] |= {fact for fact in provenance.launch if not fact.startswith(ENVIRONMENT)}
        for host in hosts if provenance.launch else []:
            facts = provenance.nodes.get(host, {})
            observed[name, stack, host, "node"] = facts
            kinds["node"] |= facts.keys()
    return [
        Observation(name, stack, host, fact, facts.get(fact, UNKNOWN))
        for (name, stack, host, kind), facts in observed.items()
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
            of_stack = each.fact == TRANSPORT or each.fact.startswith(ENVIRONMENT)
            values[each.fact, each.stack if of_stack else ""].add(each.value)
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


#: Columns of `stacks-side-by-side.csv`: a line for each fact and stack.
SIDE_COLUMNS = {
    "fact": "what is compared; `binding, …`, `transport` and `environment …` are as the launches reported them",
    "stack": "MPI stack",
    "value": "its value, the folder of the stack as `…`; empty where the stack has none",
    "differs": "whether the stacks have different values",
}


def side_by_side(
    manifests: Mapping[str, Manifest], bindings: pd.DataFrame, observed: list[Observation]
) -> pd.DataFrame:
    """`SIDE_COLUMNS`, facts in the order in which a reader asks for them.

    `bindings`: `BINDING_COLUMNS`.
    """
    of_stack = {
        stack: _built(manifest)
        | _bound(bindings, stack)
        | _carried(stack, observed)
        | _surroundings(manifest, stack, observed)
        for stack, manifest in manifests.items()
    }
    facts = sorted(dict.fromkeys(fact for own in of_stack.values() for fact in own), key=_order)
    lines = [
        (fact, stack, own.get(fact, ""), len({each.get(fact, "") for each in of_stack.values()}) > 1)
        for fact in facts
        for stack, own in of_stack.items()
    ]
    return pd.DataFrame(lines, columns=list(SIDE_COLUMNS))


def _order(fact: str) -> int:
    """First what was built, then bindings, transport and environment; each as it comes."""
    kinds = ("binding", TRANSPORT, "environment")
    return next((place for place, kind in enumerate(kinds, start=1) if fact.startswith(kind)), 0)


def _built(manifest: Manifest) -> dict[str, str]:
    """What the manifest says of library and compiler; hashes, paths and commands are no facts to compare."""
    entries = sorted(manifest.provenance.items())
    return {
        "library": manifest.mpi_library,
        "version": manifest.mpi_version,
        "stack_source": manifest.stack_source,
        "compiler": manifest.compiler,
        "engine": manifest.engine_version,
        "MPI libraries": ", ".join(sorted({Path(path).name for path in manifest.linked_libraries})),
        "packages": ", ".join(f"{name} {_plain(value, manifest)}" for name, value in entries if not _hash(name)),
        **{name.replace("_", " "): value for name, value in entries if _hash(name)},
        **({"variant of": manifest.variant_of} if manifest.variant_of else {}),
        **({"ABI": "MPI 5"} if manifest.abi else {}),
    }


def _hash(name: str) -> bool:
    return name.endswith("sha256")


def _bound(bindings: pd.DataFrame, stack: str) -> dict[str, str]:
    """The effective binding on a node, by the processes on it; several if points, nodes or launches differ."""
    stack_bindings = bindings[bindings["stack"] == stack]
    values: dict[str, dict[str, None]] = {}
    for per_node, placement, binding in stack_bindings[["processes_per_node", "placement", "binding"]].itertuples(
        index=False
    ):
        placed = "" if placement == "packed" else f", {placement}"
        values.setdefault(f"binding, {per_node} per node{placed}", {})[binding] = None
    return {fact: "; or ".join(bindings_of_fact) for fact, bindings_of_fact in values.items()}


def _carried(stack: str, observed: list[Observation]) -> dict[str, str]:
    """What carried the messages of the stack's launches; several where that was not always the same."""
    values = dict.fromkeys(each.value for each in observed if each.stack == stack and each.fact == TRANSPORT)
    return {TRANSPORT: "; or ".join(values)} if values else {}


def _surroundings(manifest: Manifest, stack: str, observed: list[Observation]) -> dict[str, str]:
    """Variables of the launches as they were seen in them; if nothing was recorded, those that were to be set."""
    values: dict[str, dict[str, None]] = {}
    for each in observed:
        if each.stack == stack and each.fact.startswith(ENVIRONMENT):
            values.setdefault(each.fact.removeprefix(ENVIRONMENT), {})[_plain(each.value, manifest)] = None
    if not values:
        values = {name: {_plain(value, manifest): None} for name, value in manifest.environment.set.items()}
    return {f"environment {name}": "; or ".join(settings) for name, settings in sorted(values.items())}


def _plain(value: str, manifest: Manifest) -> str:
    """Without the folder in which the stack lies: that is another one for each."""
    prefix = str(Path(manifest.cc).parent.parent)
    return value.replace(prefix, "…") if len(prefix) > 1 else value


#: Several rows of one stack and point: nodes or launches differ.
BINDING_COLUMNS = {
    "stack": KEYS["stack"],
    **{name: KEYS[name] for name in POINT},
    "binding": "processors of the processes of a node",
    "sharing": "whether they share cores: `unbound`, `cores` (threads of a core), `processors`; empty if not",
    "sockets": "sockets on which they are, counted from 0; empty if not known, as the following",
    "domains": "NUMA domains on which they are",
    "cores": "their cores, each by its first processor",
    "processors": "their processors",
    "hosts": "nodes that had this binding, separated by commas",
}


def node_facts(observed: list[Observation]) -> dict[str, Facts]:
    """The facts of each node, by host, as far as they are known; of those that changed the last."""
    nodes: dict[str, Facts] = defaultdict(dict)
    for each in observed:
        if each.value != UNKNOWN:
            nodes[each.host][each.fact] = each.value
    return nodes


def binding_table(inputs: RunInputs, launches: pd.DataFrame, nodes: Mapping[str, Facts]) -> pd.DataFrame:
    """`BINDING_COLUMNS`, from the headers of the raw files, in the campaign's order of stacks.

    `launches`: stack, POINT and file of each launch; `nodes`: facts by host.
    """
    hosts: dict[tuple[str, ...], set[str]] = {}
    for stack, *point, file in launches[["stack", *POINT, "file"]].itertuples(index=False, name=None):
        header = read_header(inputs.layout.raw(file))
        places = {node.host: _places(node) for node in node_bindings(header, nodes)}
        for host, binding in by_host(header).items():
            hosts.setdefault((stack, *point, binding, *places.get(host, NO_PLACES)), set()).add(host)
    order = {stack: index for index, stack in enumerate(inputs.campaign.stacks)}
    rows = [(*key, ",".join(sorted(own))) for key, own in sorted(hosts.items(), key=lambda item: order[item[0][0]])]
    return pd.DataFrame(rows, columns=pd.Index(BINDING_COLUMNS))


#: The columns from `sharing` to `processors` where the processors are not known.
NO_PLACES = ("",) * 5


def _places(node: NodeBinding) -> tuple[str, ...]:
    """The columns from `sharing` to `processors`."""
    used, shape = frozenset().union(*node.processors), node.shape
    of_parts = [
        frozenset(number for number, part in enumerate(parts) if used & part)
        for parts in (shape.sockets, shape.domains)
    ]
    return (node.sharing or "", *map(format_numbers, (*of_parts, shape.cores(used), used)))


def by_host(header: Header) -> dict[str, str]:
    """Processors of the processes of each host: `0 | 1`, or `0-1 (2 processes)` if two share them."""
    processors: dict[str, list[tuple[str, int]]] = {host.name: [] for host in header.hosts}
    for entry in header.bindings:
        processors.setdefault(entry.get("host", ""), []).append((entry.get("cpus", ""), count(entry.get("ranks", ""))))
    return {
        host: " | ".join(_words(*each) for each in sorted(ranks, key=_first)) or "not known"
        for host, ranks in processors.items()
    }


def count(ranks: str) -> int:
    """How many ranks `0-3,8` are."""
    bounds = [part.partition("-") for part in ranks.split(",") if part]
    return sum(int(last) - int(first) + 1 if last else 1 for first, _, last in bounds)


def _words(cpus: str, ranks: int) -> str:
    return f"{cpus} ({ranks} processes)" if ranks > 1 else cpus


def _first(entry: tuple[str, int]) -> tuple[int, str]:
    """By the first processor."""
    number = re.match(r"\d+", entry[0])
    return (int(number.group()) if number else -1, entry[0])
