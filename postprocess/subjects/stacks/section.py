# SPDX-License-Identifier: BSD-3-Clause
"""The stacks side by side: what they differ in; what is the same in all, and their commands, in short and folded."""

import re
from dataclasses import dataclass

from isochron.postprocess.formatting import numbers
from isochron.postprocess.kit.section import Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.stacks.table import SIDE_BY_SIDE, STACKS
from isochron.schemas.run.manifest import Manifest

#: Characters of a hash that tell engines apart.
SHORT_HASH = 12
#: Characters of a value beyond which the table has the rest.
LONGEST = 160


@dataclass(frozen=True)
class StackView:
    """A stack's commands and hashes: label and text."""

    mark: StackMark
    facts: list[tuple[str, str]]


@dataclass(frozen=True)
class View:
    """What differs (fact, and its value in each stack), what is the same in all, and the commands of each stack."""

    marks: list[StackMark]
    differs: list[tuple[str, list[str]]]
    same: list[tuple[str, str]]
    stacks: list[StackView]


def build(source: Source) -> View:
    """The stacks that were built."""
    manifests, table = source.inputs.manifests, source.analysis[SIDE_BY_SIDE]
    differs, same = [], []
    for fact, rows in table.groupby("fact", sort=False):
        values = [short(value) if isinstance(value, str) else "" for value in rows["value"]]
        if rows["differs"].any():
            differs.append((_heading(str(fact)), [value or numbers.NONE for value in values]))
        elif values[0]:
            same.append((_heading(str(fact)), values[0]))
    return View(
        marks=[source.marks[name] for name in manifests],
        differs=differs,
        same=same,
        stacks=[StackView(source.marks[name], _facts(stack)) for name, stack in manifests.items()],
    )


def _heading(fact: str) -> str:
    return fact[:1].upper() + fact[1:]


def _facts(stack: Manifest) -> list[tuple[str, str]]:
    return [
        ("Version in full", stack.mpi_library_version),
        ("Launch", " ".join(stack.launcher.argv)),
        *([("Launch on named nodes", " ".join(stack.launcher.placed))] if stack.launcher.placed else []),
        ("Compiler wrapper", stack.cc),
        ("Engine", f"{stack.engine}, sha256 {short(stack.engine_sha256)}"),
    ]


def short(value: str) -> str:
    """A sha256 as its first characters; so is what is very long; all else as it is."""
    if re.fullmatch(r"[0-9a-f]{64}", value):
        return f"{value[:SHORT_HASH]}…"
    return value if len(value) <= LONGEST else f"{value[:LONGEST]} …"


BUILT_STACKS = Section("stacks", "Stacks", "stacks/section.html.j2", build, needs=(SIDE_BY_SIDE,))

SUBJECT = Subject(
    tables=(STACKS, SIDE_BY_SIDE),
    sections=(BUILT_STACKS,),
)
