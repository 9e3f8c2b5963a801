# SPDX-License-Identifier: BSD-3-Clause
"""A run as lines of JSON: what the tables say, each line under a key that no other has."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import pytest

from isochron.common.files import FileError
from isochron.postprocess.export import formats
from isochron.postprocess.export.content import Content
from isochron.postprocess.export.records import KINDS
from isochron.postprocess.ingest.inputs import RunInputs

pytestmark = pytest.mark.heavy


def test_records_are_the_lines_of_the_tables(demo: RunInputs) -> None:
    text = formats.exported("jsonl", [demo]).decode()
    records = [json.loads(line) for line in text.splitlines()]
    assert len({record["key"] for record in records}) == len(records)
    for kind, (name, _) in KINDS.items():
        table = Content(demo).tables[name]
        mine = [record for record in records if record["kind"] == kind]
        assert len(mine) == len(table) > 0
        assert [*mine[0]][6:] == [*table.columns]
        expected = table.astype(object).where(table.notna(), None)
        pd.testing.assert_frame_equal(pd.DataFrame(mine, dtype=object)[table.columns], expected)
    assert {record["run_id"] for record in records} == {demo.layout.run_id}
    assert {record["system"] for record in records} == {"lab:compute"}
    assert records[0]["key"].startswith(f"{demo.layout.run_id}/result/")
    assert text == formats.exported("jsonl", [demo]).decode()


def test_a_folder_without_a_state_is_refused(demo: RunInputs) -> None:
    with pytest.raises(FileError, match=r"has no campaign\.json"):
        formats.exported("jsonl", [replace(demo, state=None)])
