# SPDX-License-Identifier: BSD-3-Clause
"""The campaign file: its keys, and that they are possible together."""

from __future__ import annotations

from pydantic import model_validator

from isochron.schemas.input.checks import mistakes
from isochron.schemas.input.keys import Keys


class Campaign(Keys):
    """One planned experiment: stacks × operations × sizes × processes × processes per node × placements."""

    @model_validator(mode="after")
    def _is_possible(self) -> Campaign:
        refused = mistakes(self)
        if refused:
            raise ValueError("\n".join(refused))
        return self
