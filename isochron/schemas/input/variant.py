# SPDX-License-Identifier: BSD-3-Clause
"""Variants: stacks under further names, each with further environment variables in its launches."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from isochron.schemas.base import Section

#: Names of campaigns, stacks and placements, which become parts of file names.
NAME = r"^[a-z0-9][a-z0-9._-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME)]

VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Variant(Section):
    """A stack under a further name, to compare it with itself under another setting or with a preloaded library."""

    stack: Name = Field(description="the stack that is varied")
    environment: dict[VariableName, str] = Field(
        default={}, description="variables of its launches, set after those of the stack; its build has none of them"
    )
