# SPDX-License-Identifier: BSD-3-Clause
"""What the sections of a campaign file share."""

from __future__ import annotations

from pydantic import ConfigDict

from isochron.schemas.base import Record


class Section(Record):
    """A mapping of the campaign file."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
