# SPDX-License-Identifier: BSD-3-Clause
"""The sections of a campaign file, and what each key decides about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict
from pydantic.fields import FieldInfo

from isochron.schemas.base import Record


class Section(Record):
    """A mapping of the campaign file."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


@dataclass(frozen=True)
class Key:
    """What a key of the campaign file decides about, declared on its field: `Annotated[str, Key(measures=False)]`.

    `measures`: the measurement. `judges`: the verdicts, and thereby, in a sequential campaign, what is measured. A key
    of a section that declares nothing has the declaration of its section; the file as a whole measures.
    """

    measures: bool = True
    judges: bool = False


#: The declaration that sections and keys of the file inherit.
FILE = Key()


def key_of(field: FieldInfo, inherited: Key) -> Key:
    """Return the declaration of a field, or the one that it inherits from its section."""
    return next((each for each in field.metadata if isinstance(each, Key)), inherited)


def select_keys(section: Record, wanted: Callable[[Key], bool], inherited: Key = FILE) -> dict[str, Any]:
    """Return the keys for which `wanted` is true, as in the JSON document of the section; no empty sections."""
    values = section.model_dump(mode="json", by_alias=True)
    selected: dict[str, Any] = {}
    for name, field in type(section).model_fields.items():
        label, key, value = field.alias or name, key_of(field, inherited), getattr(section, name)
        if isinstance(value, Record):
            inner = select_keys(value, wanted, key)
            selected |= {label: inner} if inner else {}
        elif wanted(key):
            selected[label] = values[label]
    return selected
