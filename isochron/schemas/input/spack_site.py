# SPDX-License-Identifier: BSD-3-Clause
"""What a site tells about its Spack: `site.spack` of a campaign file."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from isochron.schemas.section import Key, Section

#: Name, version and the rest of a spec such as `openmpi@5.0.8 ~cuda fabrics=ofi`.
SPEC = re.compile(r"([a-z0-9][a-z0-9-]*)@=?(\d[\w.-]*)(.*)")


def split_spec(spec: str) -> tuple[str, str]:
    """Package and version of a spec. Raises ValueError."""
    match = SPEC.fullmatch(spec.strip())
    if match is None:
        raise ValueError(f"'{spec}' is not a Spack spec with a version; write it as in openmpi@5.0.8")
    return match[1], match[2]


def _spec(value: str) -> str:
    split_spec(value)
    return value.strip()


Spec = Annotated[str, AfterValidator(_spec)]


class SpackSite(Section):
    """Spack as this site has it (docs/spack.md)."""

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
