# SPDX-License-Identifier: BSD-3-Clause
"""Where a campaign runs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from isochron.schemas.input.machine import Machine
from isochron.schemas.input.replication import Count
from isochron.schemas.input.spack_site import SpackSite
from isochron.schemas.section import Key, Section


class Site(Section):
    """Where the campaign runs. Without a ReFrame configuration it is this machine."""

    reframe_config: str | None = Field(None, description="path of the site's own ReFrame configuration")
    system: str | None = Field(
        None, pattern=r"^[^:\s]+(:[^:\s]+)?$", description="`system` or `system:partition` in that configuration"
    )
    environment: str | None = Field(None, description="programming environment in it, for a site's own stacks")
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
    parallel_blocks: Annotated[Count, Key(measures=False)] = Field(
        1, description="number of blocks that may run or wait at the same time"
    )
    spack: SpackSite = SpackSite()
