# SPDX-License-Identifier: BSD-3-Clause
"""What a run was measured with and on, as facts, and what differs between two runs.

Kept as `results/.cache/facts/<campaign>.json`, each run's under the hash of what its values follow from.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from isochron.common.copies import files_in
from isochron.common.files import FileError, read_bytes, write_atomically
from isochron.postprocess.estimate.history_cache.cache import Archive, digest
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.provenance import ALWAYS_DIFFERENT, read_provenance
from isochron.schemas.run.state import RunState

#: To be raised when a run gives other facts than before.
VERSION = 1
#: Kinds of facts, in the order in which differences are told, each with what it is of.
KINDS = {
    "campaign": "what is measured",
    "library": "MPI library",
    "lock": "what the stack is locked to",
    "compiler": "compiler",
    "engine": "measurement engine",
    "kernel": "kernel",
    "firmware": "firmware and drivers",
    "node": "nodes",
    "environment": "variables of the launches",
    "isochron": "Isochron",
}
UNKNOWN = "not known"
#: The fact of a stack that is the hash of what its engine was built from, and those of a library that are no hashes.
ENGINE_BUILD, LIBRARY_WORDS = "engine's build", ("version", "says of itself")
#: What ends the name of a node's fact, and its kind; all others are of the node.
OF_NODES = {
    "kernel": "kernel",
    "kernel_build": "kernel",
    "microcode": "firmware",
    ".firmware": "firmware",
    ".driver": "firmware",
    ".driver_version": "firmware",
    ".board": "firmware",
}
#: Characters of a hash and of any value that are told.
SHORT, LONGEST = 12, 160

#: Values of each fact by (kind, stack, name); the stack is empty where a fact is of no stack.
Key = tuple[str, str, str]
Facts = dict[Key, list[str]]


@dataclass(frozen=True)
class Difference:
    """A fact that two runs have with other values, in words; `stack` is empty if it is of no stack."""

    kind: str
    stack: str
    name: str
    before: str
    after: str

    @property
    def text(self) -> str:
        """`mpich-5.0 library: 5.0.1 → 5.0.2`."""
        what = " ".join(part for part in (self.stack, self.name) if part)
        return f"{what}: {self.before} → {self.after}"


def facts_of(layout: RunLayout) -> Facts:
    """The facts of a run. What cannot be read is not known."""
    return {key: sorted(values) for key, values in sorted(_read(layout).items())}


def facts_of_all(layouts: list[RunLayout], archive: Archive) -> list[Facts]:
    """The facts of runs of a campaign; those that the archive has are not read again."""
    path = archive.facts
    digests = [digest(layout) for layout in layouts]
    kept = _kept(path)
    of_all = [kept[each] if each in kept else facts_of(layout) for layout, each in zip(layouts, digests, strict=True)]
    fresh = {each: facts for each, facts in zip(digests, of_all, strict=True) if each}
    if path is not None and fresh.keys() - kept.keys():
        runs = {each: [[*key, values] for key, values in facts.items()] for each, facts in fresh.items()}
        with suppress(OSError):
            write_atomically(path, json.dumps({"version": VERSION, "runs": runs}) + "\n")
    return of_all


def _kept(path: Path | None) -> dict[str, Facts]:
    """Facts by the hash of their run, as far as they were kept."""
    if path is None:
        return {}
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        document = json.loads(read_bytes(path))
        if document["version"] == VERSION:
            return {
                each: {(kind, stack, name): list(values) for kind, stack, name, values in facts}
                for each, facts in document["runs"].items()
            }
    return {}


def differences(before: Facts, after: Facts) -> list[Difference]:
    """What differs between two runs, by `KINDS`. Of a stack that one of them lacks only that is told."""
    one, other = ({stack for _, stack, _ in facts} for facts in (before, after))
    listed = [
        Difference(kind, stack, name, _words(before.get(key)), _words(after.get(key)))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
        for kind, stack, name in [key]
        if not stack or stack in one & other
    ]
    return sorted(listed, key=lambda each: list(KINDS).index(each.kind) if each.kind in KINDS else len(KINDS))


def _words(values: list[str] | None) -> str:
    text = ", ".join(values) if values else UNKNOWN
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _read(layout: RunLayout) -> dict[Key, set[str]]:
    values: dict[Key, set[str]] = defaultdict(set)
    with suppress(FileError):
        state = RunState.load(layout.state)
        values["campaign", "", "plan"].add(state.digest[:SHORT])
        values["isochron", "", "version"].add(state.isochron_version)
    for path in files_in(layout.root, "stacks/*.json"):
        with suppress(FileError):
            stack = Manifest.load(path)
            values["campaign", "", "stacks"].add(stack.stack)
            for (kind, name), value in _of_stack(stack):
                values[kind, stack.stack, name].add(value)
    for path in files_in(layout.launches, "*.provenance"):
        provenance = read_provenance(path)
        for name, value in provenance.launch.items():
            if name.startswith("environment."):
                values["environment", "", name.removeprefix("environment.")].add(value)
        for facts in provenance.nodes.values():
            for name in facts.keys() - {*ALWAYS_DIFFERENT}:
                values[_kind(name), "", name].add(facts[name])
    return values


def _of_stack(stack: Manifest) -> Iterator[tuple[tuple[str, str], str]]:
    yield ("library", "version"), stack.mpi_version
    yield ("library", "says of itself"), " ".join(stack.mpi_library_version.split())
    for path, sha in stack.library_sha256.items():
        yield ("library", Path(path).name), sha[:SHORT]
    for name, value in stack.provenance.items():
        yield ("lock", name), " ".join(value.split())
    yield ("compiler", "compiler"), stack.compiler
    yield ("engine", "engine"), stack.engine_version
    if stack.engine_key:
        yield ("engine", ENGINE_BUILD), stack.engine_key[:SHORT]
    for name, value in stack.environment.set.items():
        yield ("environment", name), value


def _kind(name: str) -> str:
    """The kind of a node's fact."""
    ends = (end for end in OF_NODES if name == end or (end.startswith(".") and name.endswith(end)))
    return OF_NODES.get(next(ends, ""), "node")
