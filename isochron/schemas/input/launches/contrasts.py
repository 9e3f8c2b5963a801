# SPDX-License-Identifier: BSD-3-Clause
"""Contrasts: every point is also measured with other options of the engine, reported separately."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, ValidationError, WithJsonSchema

from isochron.common.files import suggest
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.renamed import new_key

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
    """What is wrong with a key that no option of the engine has, and what to write."""
    if new := new_key(("engine", option)):
        return f"is now called {new}; change the key"
    names = list(EngineOptions.model_fields)
    return "unknown key" + (suggest(option, names) or f"; the keys of this section are {', '.join(names)}")
