# SPDX-License-Identifier: BSD-3-Clause
"""The campaign file: its keys, and that they are possible together."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import ValidationError, model_validator

from isochron.common.files import FileError
from isochron.schemas.input.checks import mistakes
from isochron.schemas.input.keys import Keys
from isochron.schemas.input.renamed import new_key, new_value


class Campaign(Keys):
    """One planned experiment: stacks × operations × sizes × processes × processes per node × placements."""

    @model_validator(mode="after")
    def _is_possible(self) -> Campaign:
        refused = mistakes(self)
        if refused:
            raise ValueError("\n".join(refused))
        return self

    @classmethod
    def of_document(cls, document: object, path: Path) -> Self:
        """Validate the campaign file of a run. Raises FileError, also if the run was measured under old names."""
        try:
            return super().of_document(document, path)
        except FileError as error:
            cause = error.__cause__
            problems = cause.errors() if isinstance(cause, ValidationError) else []
            if any(new_key(problem["loc"]) or new_value(problem["loc"], problem["input"]) for problem in problems):
                raise FileError(f"{path}: written by a version before 0.1.0; measure again") from error
            raise
