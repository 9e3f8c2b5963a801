# SPDX-License-Identifier: BSD-3-Clause
"""Variants: stacks under further names, with further variables in their launches, or built for the MPI ABI."""

from typing import Annotated

from pydantic import Field

from isochron.schemas.base import Section
from isochron.schemas.input.spec import StackWord

VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Variant(Section):
    """A stack under a further name, to compare it with itself under another setting, a preloaded library or its ABI."""

    stack: StackWord = Field(
        description="the stack that is varied: its name, or a spec such as `mpich@4.0.3` or `prefix:/opt/mpich-4.2`"
    )
    environment: dict[VariableName, str] = Field(
        default={}, description="variables of its launches, set after those of the stack; its build has none of them"
    )
    abi: bool = Field(
        default=False,
        description="build the engine for the ABI of MPI 5 instead of the library's own: one program for all libraries "
        "that have it",
    )
