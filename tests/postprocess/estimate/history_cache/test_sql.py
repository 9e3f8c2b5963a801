# SPDX-License-Identifier: BSD-3-Clause
"""The queries of docs/how-to/query-with-sql.md find something in a folder of results as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isochron.postprocess.estimate.compare.history import reported_changes
from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, write_run

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: make dev")
pytestmark = [pytest.mark.process, pytest.mark.heavy]

QUERIES = re.findall(r"```sql\n(.*?)```", Path("docs/how-to/query-with-sql.md").read_text(), re.DOTALL)
SPEC = Spec(stacks=["openmpi-5.0", "mpich-5.0"], operations=["bcast", "allreduce"], sizes=[8, 512], launches=3, runs=5)


def test_every_query_finds_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunLayout(write_run(tmp_path / "results" / "synthetic" / "20260501T013000Z-0001", SPEC))
    (run.root.parent / "latest").symlink_to(run.run_id)
    report(run.root, steps=("ingest", "analyse"))
    reported_changes([run], Archive(tmp_path / "results" / ".cache", "synthetic"))
    monkeypatch.chdir(tmp_path)
    found = [duckdb.sql(query).fetchall() for query in QUERIES]
    assert len(found) == 4
    assert all(found)
    archived, launches, *_ = found
    assert [line[:3] for line in archived[:1]] == [("synthetic", run.run_id, "mpich-5.0")]
    assert {line[5] for line in launches} == {3}, "a link to the newest run does not count it twice"
