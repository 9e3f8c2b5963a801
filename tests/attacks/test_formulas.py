# SPDX-License-Identifier: BSD-3-Clause
"""Texts that a spreadsheet would execute: no cell of the comma-separated files that we write begins so."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isochron.cli.common import print_rows
from isochron.common.terminal import Terminal
from isochron.common.text import in_a_cell, of_a_cell
from isochron.postprocess.analysis.saved import write_csv
from isochron.postprocess.formatting.spreadsheet import read_csv
from isochron.postprocess.site.standalone import _data
from tests.postprocess.site.test_standalone import table_in

FORMULAS = ["=cmd|' /C calc'!A0", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "'=1", "''@x", "=", "-"]
HARMLESS = ["", "-1", "+2.5e-3", "-.5", "1-2", "a=b", "mpich-5.0", "'quoted'", "it's", "–"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_a_text(text: str) -> None:
    assert in_a_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_none_stays(text: str) -> None:
    assert in_a_cell(text) == text


@given(st.text("'=+-@\t1.ae ", max_size=6))
def test_the_text_comes_back(text: str) -> None:
    assert of_a_cell(in_a_cell(text)) == text


def test_no_line_begins_within_a_cell() -> None:
    """Some readers end a line at a carriage return, and our writers put no quotes around it."""
    assert "\r" not in in_a_cell("a\r=1") + in_a_cell("\r=1")


def test_tables_for_people(tmp_path: Path) -> None:
    """Each formula with a number below 0 beside it, as the values of environment variables may be."""
    table = pd.DataFrame({"@fact": FORMULAS, "ratio": [-1.5] * len(FORMULAS), "kind": pd.Categorical(FORMULAS)})
    write_csv(tmp_path / "a.csv", table)
    head, *lines = csv.reader(StringIO((tmp_path / "a.csv").read_text()))
    assert head == ["'@fact", "ratio", "kind"]
    assert lines == [[f"'{text}", "-1.5", f"'{text}"] for text in FORMULAS]
    pd.testing.assert_frame_equal(read_csv(tmp_path / "a.csv"), table.astype({"kind": object}), check_dtype=False)


def test_tables_within_pages() -> None:
    page = f'<a href="{_data(pd.DataFrame({"a": FORMULAS}))}" download="b.csv">'
    assert table_in(page, "b.csv")["a"].tolist() == [f"'{text}" for text in FORMULAS]


def test_tables_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([{"said": text, "ratio": -1.5} for text in FORMULAS], ["said", "ratio"], "csv", Terminal())
    lines = list(csv.reader(StringIO(capsys.readouterr().out, newline="")))
    assert lines[1:] == [[f"'{text}", "-1.5"] for text in FORMULAS]
