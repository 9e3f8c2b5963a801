# SPDX-License-Identifier: BSD-3-Clause
"""Answer, grades, findings and comparisons as one JSON document, for programs."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from isochron.postprocess.export.content import Content

#: The tables that the document has, if the run has them.
TABLES = ("answers", "grades", "comparison", "summary", "verdicts")


def record(content: Content) -> str:
    """A number that is not known is null; columns are those of docs/reference/tables.md."""
    tables = content.tables
    inputs = content.inputs
    document = {
        "schema": 1,
        "campaign": inputs.campaign.name,
        "title": inputs.campaign.heading,
        "run_id": inputs.layout.run_id,
        "findings": [finding.model_dump(mode="json") for finding in content.findings],
        **{name: [_plain(row) for row in tables[name].to_dict("records")] for name in TABLES if name in tables},
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(row: dict[Any, Any]) -> dict[str, object]:
    def known(value: object) -> object:
        return None if isinstance(value, float) and not isfinite(value) else value

    return {str(name): known(value) for name, value in row.items()}
