# SPDX-License-Identifier: BSD-3-Clause
"""The stacks side by side: what they are, how their processes were bound, and their environment, as launches saw it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from isochron.postprocess.estimate.machine.provenance__provenance import Observation
from isochron.schemas.run.manifest import Manifest

#: Columns of `stacks-side-by-side.csv`: a line for each fact and stack.
SIDE_COLUMNS = {
    "fact": "what is compared; `binding, …` and `environment …` are as the launches themselves reported them",
    "stack": "MPI stack",
    "value": "its value, the folder of the stack as `…`; empty where the stack has none",
    "differs": "whether the stacks have different values",
}
ENVIRONMENT = "environment."


def side_by_side(
    manifests: Mapping[str, Manifest], bindings: pd.DataFrame, observed: list[Observation]
) -> pd.DataFrame:
    """`SIDE_COLUMNS`, facts in the order in which a reader asks for them.

    `bindings`: `BINDING_COLUMNS`.
    """
    of_stack = {
        stack: _built(manifest) | _bound(bindings, stack) | _surroundings(manifest, stack, observed)
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
    """First what was built, then bindings, then the environment; each as it comes."""
    return 2 if fact.startswith("environment") else 1 if fact.startswith("binding") else 0


def _built(manifest: Manifest) -> dict[str, str]:
    """What the manifest says of library and compiler; hashes, paths and commands are no facts to compare."""
    known = sorted(manifest.provenance.items())
    return {
        "library": manifest.mpi_library,
        "version": manifest.mpi_version,
        "stack_source": manifest.stack_source,
        "compiler": manifest.compiler,
        "engine": manifest.engine_version,
        "MPI libraries": ", ".join(sorted({Path(path).name for path in manifest.linked_libraries})),
        "packages": ", ".join(f"{name} {_plain(value, manifest)}" for name, value in known if not _hash(name)),
        **{name.replace("_", " "): value for name, value in known if _hash(name)},
        **({"variant of": manifest.variant_of} if manifest.variant_of else {}),
    }


def _hash(name: str) -> bool:
    return name.endswith("sha256")


def _bound(bindings: pd.DataFrame, stack: str) -> dict[str, str]:
    """The effective binding on a node, by the processes on it; several where points, nodes or launches differ."""
    own = bindings[bindings["stack"] == stack]
    found: dict[str, dict[str, None]] = {}
    for per_node, placement, binding in own[["processes_per_node", "placement", "binding"]].itertuples(index=False):
        placed = "" if placement == "packed" else f", {placement}"
        found.setdefault(f"binding, {per_node} per node{placed}", {})[binding] = None
    return {fact: "; or ".join(known) for fact, known in found.items()}


def _surroundings(manifest: Manifest, stack: str, observed: list[Observation]) -> dict[str, str]:
    """Variables of the launches as they were seen in them; where nothing was recorded, those that were to be set."""
    values: dict[str, dict[str, None]] = {}
    for each in observed:
        if each.stack == stack and each.fact.startswith(ENVIRONMENT):
            values.setdefault(each.fact.removeprefix(ENVIRONMENT), {})[_plain(each.value, manifest)] = None
    if not values:
        values = {name: {_plain(value, manifest): None} for name, value in manifest.environment.set.items()}
    return {f"environment {name}": "; or ".join(found) for name, found in sorted(values.items())}


def _plain(value: str, manifest: Manifest) -> str:
    """Without the folder in which the stack lies: that is another one for each."""
    prefix = str(Path(manifest.cc).parent.parent)
    return value.replace(prefix, "…") if len(prefix) > 1 else value
