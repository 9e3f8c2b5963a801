# SPDX-License-Identifier: BSD-3-Clause
"""First calls: launches that time the very first call of an operation."""

from __future__ import annotations

from pydantic import Field, field_validator

from isochron.schemas.engine.operations import cases, known_operations
from isochron.schemas.input.replication import Count
from isochron.schemas.input.size import Size
from isochron.schemas.section import Section


class FirstCalls(Section):
    """Late initialisation: launches of one operation at one size, before which there is MPI_Init and nothing else."""

    operations: list[str] = Field(min_length=1, description="operations whose first call is timed")
    sizes: list[Size] = Field(min_length=1, description="message sizes in bytes")
    launches: Count = Field(
        5, description="number of launches per stack, point, operation and size; all of them are in the first block"
    )

    @field_validator("operations")
    @classmethod
    def _known_operations(cls, values: list[str]) -> list[str]:
        return known_operations(values)

    @property
    def cases(self) -> list[tuple[str, int]]:
        """The (operation, bytes) pairs, each once."""
        return list(dict.fromkeys(cases(self.operations, self.sizes)))
