# SPDX-License-Identifier: BSD-3-Clause
"""Contrasts: every point measured once more with other options of the engine, beside the results."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, ValidationError, WithJsonSchema

from isochron.common.files import suggest
from isochron.schemas.engine.options import EngineOptions

#: Options of the section `engine` that differ, by name.
ContrastOptions = Annotated[
    dict[str, bool | int | float | str],
    Field(min_length=1),
    WithJsonSchema({"type": "object", "minProperties": 1, "propertyNames": {"enum": list(EngineOptions.model_fields)}}),
]


def check_contrasts(engine: EngineOptions, contrasts: dict[str, ContrastOptions], contrast: str | None) -> None:
    """Each contrast has known options with possible values, and differs from the results. Raises ValueError."""
    if contrast is not None and contrast == engine.scheme:
        raise ValueError(f"contrast: '{contrast}' is engine.scheme itself; take another one, or leave it out")
    for name, changes in contrasts.items():
        if name == contrast:
            raise ValueError(f"contrasts.{name}: `contrast` has that name; take one of the two out")
        for option in changes:
            if option not in EngineOptions.model_fields:
                known = list(EngineOptions.model_fields)
                hint = suggest(option, known) or f"; known here are {', '.join(known)}"
                raise ValueError(f"contrasts.{name}.{option}: unknown key{hint}")
        if str(changes.get("rank_order", "")).startswith("list:"):
            raise ValueError(f"contrasts.{name}.rank_order: a list goes with engine.rank_order only; take it out")
        try:
            changed = EngineOptions.model_validate(engine.model_dump() | changes)
        except ValidationError as error:
            problem = error.errors()[0]
            message = problem["msg"].removeprefix("Value error, ")
            raise ValueError(f"contrasts.{name}.{'.'.join(map(str, problem['loc']))}: {message}") from None
        if changed == engine:
            raise ValueError(
                f"contrasts.{name}: is what the results are measured with; change an option, or take it out"
            )
