# SPDX-License-Identifier: BSD-3-Clause
"""`isochron import`, and where an import is seen afterwards: never as a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.workflows.conftest import campaign

PRINTOUTS = Path(__file__).parents[1] / "tools" / "printouts"
IMB = PRINTOUTS / "imb-ompi-n2.txt"


@pytest.mark.process
def test_an_import_is_listed_as_one_and_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    create_run(tmp_path, campaign(), make_plan(campaign()))
    assert main(["import", "imb", str(IMB), "--name", "old", "--results", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "old: 7 lines of 1 files by IMB 2021.11" in said
    assert "so they have no interval" in said
    assert main(["status", "--results", str(tmp_path), "--format", "json"]) == 0
    states = {row["campaign"]: row["state"] for row in json.loads(capsys.readouterr().out)}
    assert states == {campaign().name: "planned", "old": "imported from IMB, not measured here"}
    for words in (["status", "old"], ["history", "old"], ["report", "old"], ["compare", "old"]):
        assert main([*words, "--results", str(tmp_path)]) == 2
    assert "an import is compared with one run" in capsys.readouterr().err


@pytest.mark.process
def test_an_unknown_format_is_exit_2_with_file_line_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "osu", str(IMB), "--results", str(tmp_path)]) == 2
    assert f"isochron: {IMB}:1: no table of OSU in this file" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["imb", "x.txt", "--name", "../up"], "--name ../up: "),
        (["imb", "x.txt", "--processes", "0"], "'0' is not a number of processes"),
        (["hpl", "x.txt"], "invalid choice: 'hpl'"),
    ],
)
def test_bad_words_are_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["import", *words])
    except SystemExit as end:
        code = int(str(end.code))
    assert code == 2
    assert said in capsys.readouterr().err
