# SPDX-License-Identifier: BSD-3-Clause
"""The section `site`: where a campaign runs, and the site's Spack."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from isochron.schemas.base import Key, Section
from isochron.schemas.input.machine import Machine
from isochron.schemas.input.replication import Count
from isochron.schemas.input.size import SIZE_PATTERN, parse_size

#: Name, version and the rest of a spec such as `openmpi@5.0.8 ~cuda fabrics=ofi`.
SPEC = re.compile(r"([a-z0-9][a-z0-9-]*)@=?(\d[\w.-]*)(.*)")


def split_spec(spec: str) -> tuple[str, str]:
    """Return package and version of a spec. Raises ValueError."""
    match = SPEC.fullmatch(spec.strip())
    if match is None:
        raise ValueError(f"'{spec}' is not a Spack spec with a version; write it as in openmpi@5.0.8")
    return match[1], match[2]


def _spec(value: str) -> str:
    split_spec(value)
    return value.strip()


Spec = Annotated[str, AfterValidator(_spec)]

Memory = Annotated[
    int,
    BeforeValidator(parse_size),
    Field(ge=1, strict=True),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": SIZE_PATTERN}]}),
]


class SpackSite(Section):
    """Spack at this site (docs/spack.md)."""

    command: Annotated[str | None, Key(measures=False)] = Field(
        None, description="path of the command `spack`; default: `$SPACK_ROOT/bin/spack`, then the one on the `PATH`"
    )
    externals: dict[Spec, str] = Field(
        default={},
        description="folders of software that is installed already, by Spack spec: `openmpi@5.0.8: /opt/openmpi`",
    )
    config: list[str] = Field(
        default=[], description="folders with Spack configuration that every stack's environment includes"
    )


class Site(Section):
    """Where the campaign runs. Without a ReFrame configuration it is this machine."""

    reframe_config: str | None = Field(None, description="path of the site's ReFrame configuration")
    system: str | None = Field(
        None, pattern=r"^[^:\s]+(:[^:\s]+)?$", description="`system` or `system:partition` in that configuration"
    )
    environment: str | None = Field(None, description="programming environment in it, for stacks of the site")
    launcher: Literal["partition", "stack"] = Field(
        "partition",
        description="`partition`: the launcher in the ReFrame configuration; `stack`: each stack's own mpiexec",
    )
    machine: Annotated[Machine | None, WithJsonSchema({"type": ["string", "object", "null"]})] = Field(
        None,
        description="simulated machine, for simulated stacks: one of `workflows/machines/` or the path of such a file",
    )
    nodes: Count = Field(1, description="largest number of nodes per allocation")
    cores_per_node: Count | None = Field(None, description="number of cores per node; default: that of this machine")
    memory_per_node: Annotated[Memory | None, Key(measures=False)] = Field(
        None,
        description="memory of a node, as in 256GiB, which all stacks of a session share; default: that of this "
        "machine, and not checked with a `reframe_config`",
    )
    parallel_blocks: Annotated[Count, Key(measures=False)] = Field(
        1, description="number of blocks that may run or wait at the same time"
    )
    spack: SpackSite = SpackSite()
