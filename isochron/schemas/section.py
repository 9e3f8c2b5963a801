# SPDX-License-Identifier: BSD-3-Clause
"""What the sections of a campaign file share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Self, TypeVar

from pydantic import ConfigDict, PrivateAttr

from isochron.schemas.base import Record


class Section(Record):
    """A mapping of the campaign file."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    _refused: list[str] = PrivateAttr(default_factory=list)

    def note(self, refusal: str) -> None:
        """Keep what a check refuses, until all have been made."""
        self._refused.append(refusal)

    def tell_together(self) -> Self:
        """Raise ValueError with everything that the checks before have refused, a line each."""
        if self._refused:
            raise ValueError("\n".join(self._refused))
        return self


S = TypeVar("S", bound=Section)


def told_together(check: Callable[[S], S]) -> Callable[[S], S]:
    """A check of a whole section, whose refusal does not hide that of the next: `tell_together` raises them all."""

    @wraps(check)
    def noting(section: S) -> S:
        try:
            return check(section)
        except ValueError as error:
            section.note(str(error))
            return section

    return noting
