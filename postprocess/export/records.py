# SPDX-License-Identifier: BSD-3-Clause
"""A run as records for databases and collectors: a line of JSON for each result, comparison and answer.

A record is a line of a table with names as in docs/reference/tables.md, preceded by what it is of: `key` (no other
record of any run has it; the same run pushed again has the same ones), `kind`, `campaign`, `system`, `run_id`,
`created_at`.
"""

import json
from collections.abc import Iterator
from typing import Any

from isochron.common.files import FileError
from isochron.postprocess.export.content import Content
from isochron.postprocess.export.data import plain
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY

#: By kind: the table, and its columns that make the key.
KINDS = {
    "result": ("summary", RESULT_KEY),
    "comparison": ("comparison", ["candidate", "baseline", *CASE]),
    "answer": ("answers", ["candidate", "baseline"]),
}


def records(content: Content) -> str:
    """Lines of JSON, results first. The same run gives the same text."""
    return "".join(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in _records(content))


def _records(content: Content) -> Iterator[dict[str, Any]]:
    inputs = content.inputs
    state = inputs.state
    if state is None:
        raise FileError(f"{inputs.layout.root}: has no {inputs.layout.state.name}; it is not a whole run")
    for kind, (name, columns) in KINDS.items():
        if name not in content.tables:
            continue
        for row in content.tables[name].to_dict("records"):
            key = "/".join([inputs.layout.run_id, kind, *(str(row[column]) for column in columns)])
            yield {
                "key": key,
                "kind": kind,
                "campaign": inputs.campaign.name,
                "system": state.system,
                "run_id": inputs.layout.run_id,
                "created_at": state.created_at,
                **plain(row),
            }
