# SPDX-License-Identifier: BSD-3-Clause
"""The stacks as their manifests describe them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from isochron.postprocess.report.section import Section, Source, StackMark
from isochron.schemas.run.manifest import Manifest

#: Characters of a hash that tell engines apart.
SHORT_HASH = 12


@dataclass(frozen=True)
class StackView:
    """A stack as the manifest describes it; `facts` are label and text."""

    mark: StackMark
    library: str
    version_text: str
    facts: list[tuple[str, str]]


def build(source: Source) -> list[StackView]:
    """The stacks that were built."""
    return [
        StackView(
            source.marks[name], f"{stack.mpi_library} {stack.mpi_version}", stack.mpi_library_version, _facts(stack)
        )
        for name, stack in source.inputs.manifests.items()
    ]


def _facts(stack: Manifest) -> list[tuple[str, str]]:
    return [
        ("Route", stack.route),
        *(
            (key[:1].upper() + key[1:].replace("_", " "), short(value))
            for key, value in sorted(stack.provenance.items())
        ),
        ("Compiler", stack.compiler),
        ("Engine", f"{stack.engine_version}, sha256 {short(stack.engine_sha256)}"),
        ("Launch", " ".join([Path(stack.launcher.argv[0]).name, *stack.launcher.argv[1:]])),
    ]


def short(value: str) -> str:
    """A sha256 as its first characters; all else as it is."""
    return f"{value[:SHORT_HASH]}…" if re.fullmatch(r"[0-9a-f]{64}", value) else value


BUILT_STACKS = Section("stacks", "Stacks", "stacks.html.j2", build)
