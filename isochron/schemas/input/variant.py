# SPDX-License-Identifier: BSD-3-Clause
"""Variants: stacks under further names, each with variables of its own in its launches."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from isochron.schemas.base import Section

#: Of campaigns, stacks, placements: what may be a part of the name of a file.
NAME = r"^[a-z0-9][a-z0-9._-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME)]

VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Variant(Section):
    """A stack under a further name, to compare it with itself: with another setting, or with a library loaded first."""

    stack: Name = Field(description="the stack that it is")
    environment: dict[VariableName, str] = Field(
        default={}, description="variables of its launches, set after the stack's own; its build has none of them"
    )
