# SPDX-License-Identifier: BSD-3-Clause
"""Contrasts and first calls: additional launches of each point, reported separately."""

from typing import Annotated

from pydantic import Field, ValidationError, WithJsonSchema, field_validator

from isochron.common.files import suggest
from isochron.schemas.base import Section
from isochron.schemas.engine.contract import cases, checked_operations
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.replication import Count
from isochron.schemas.input.size import Size

#: Options of the section `engine` that differ, by name.
ContrastOptions = Annotated[
    dict[str, bool | int | float | str],
    Field(min_length=1),
    WithJsonSchema({"type": "object", "minProperties": 1, "propertyNames": {"enum": list(EngineOptions.model_fields)}}),
]


def check_contrasts(engine: EngineOptions, contrasts: dict[str, ContrastOptions]) -> None:
    """Each contrast has known options with possible values, and differs from the results. Raises ValueError."""
    for name, changes in contrasts.items():
        for option in changes:
            if option not in EngineOptions.model_fields:
                raise ValueError(f"contrasts.{name}.{option}: {_unknown(option)}")
        if str(changes.get("rank_order", "")).startswith("list:"):
            raise ValueError(f"contrasts.{name}.rank_order: a list is only valid in engine.rank_order; remove it")
        try:
            changed = EngineOptions.model_validate(engine.model_dump() | changes)
        except ValidationError as error:
            problem = error.errors()[0]
            message = problem["msg"].removeprefix("Value error, ")
            raise ValueError(f"contrasts.{name}.{'.'.join(map(str, problem['loc']))}: {message}") from None
        if changed == engine:
            raise ValueError(f"contrasts.{name}: identical to `engine`; change an option or remove the contrast")


def _unknown(option: str) -> str:
    """Return what is wrong with a key that no option of the engine has, and what to write."""
    names = list(EngineOptions.model_fields)
    return "unknown key" + (suggest(option, names) or f"; the keys of this section are {', '.join(names)}")


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
        return checked_operations(values)

    @property
    def cases(self) -> list[tuple[str, int]]:
        """The (operation, bytes) pairs, each once."""
        return list(dict.fromkeys(cases(self.operations, self.sizes)))
