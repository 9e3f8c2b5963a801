# SPDX-License-Identifier: BSD-3-Clause
"""`isochron published`: tables of other studies as printed, with their source."""

from __future__ import annotations

import csv
import json

import pytest

from isochron.cli.main import main
from isochron.common.resources import shipped


def test_without_a_name_all_tables_are_listed_with_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["published", "--format", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    files = {path.stem for path in shipped("postprocess", "published").glob("*.csv")}
    assert set(rows) == files and {"ekss-npb", "ekss-pmb-barrier", "mpiperf-first-calls"} <= files
    assert rows["ekss-npb"]["rows"] == 271 and all(row["source"] for row in rows.values())


def test_two_machines_stand_side_by_side_with_their_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    """Barrier of 2 processes on 2 nodes: 7.62 and 9.71 µs; a cell that was not printed has no ratio."""
    assert main(["published", "ekss-pmb-barrier", "--format", "csv"]) == 0
    source, *lines = capsys.readouterr().out.splitlines()
    assert source.startswith("# PMB 2.2, Barrier, on the 16-node SCI cluster EKSS-1 (2001)") and "SPDX" not in source
    rows = list(csv.DictReader(lines))
    assert len(rows) == 9 and rows[0] == {
        "placement": "one-per-node", "processes": "2", "ekss1_us": "7.62", "scali_us": "9.71", "ekss1/scali": "0.785",
    }  # fmt: skip
    assert main(["published", "ekss-pmb-transfers", "--format", "json"]) == 0
    table = json.loads(capsys.readouterr().out)
    lacking = [row for row in table["rows"] if not row["scali_time_us"]]
    assert (
        len(lacking) == 22 and all(row["ekss1/scali"] == "" for row in lacking) and "tables 39 to 49" in table["source"]
    )


def test_npb_has_its_maps_of_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["published", "ekss-npb"]) == 0
    source, _, header, *_ = capsys.readouterr().out.splitlines()
    assert "acceptance report" in source and header.split()[:6] == [
        "table", "kernel", "npb", "class", "placement", "processes",
    ]  # fmt: skip
    assert "map" in header.split()


def test_an_unknown_table_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["published", "ekss-npd"]) == 2
    assert "unknown table 'ekss-npd', did you mean 'ekss-npb'" in capsys.readouterr().err
