# SPDX-License-Identifier: BSD-3-Clause
"""What reaches a terminal: the text as it is, no escape sequence, and nothing ends when nobody reads."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from isochron.cli.common import print_rows
from isochron.cli.main import main
from isochron.common.terminal import Lasting, Terminal, complain
from tests.workflows.conftest import CampaignFile


@pytest.mark.parametrize("title", ["a [/b]", "[bold]x", "[node1:2314] MPI_ERR", "[link=x]y[/link]", ":smile:"])
def test_brackets_are_text(campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str], title: str) -> None:
    assert main(["plan", str(campaign_file(title=title))]) == 0
    assert capsys.readouterr().out.startswith(f"{title}  (campaign small")


def test_no_escape_sequence_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    terminal.print("a\x1b[31mb\x07")
    print_rows([{"said": "x\x1b]0;title\x07"}], ["said"], "table", terminal)
    complain("host\x1b[2J gone")
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "\x07" not in out + err
    assert "a�[31mb�" in out
    assert err == "isochron: host�[2J gone\n"


def test_a_reader_that_goes_away_ends_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        lasting = Lasting(stream)
        for _ in range(3):
            lasting.write("x" * 100_000)
            lasting.flush()
        assert lasting.lost is None


@pytest.mark.parametrize("words", [["status"], ["status", "--format", "json"], ["schema"], ["--help"]], ids=" ".join)
def test_what_a_full_disk_does_not_take_is_an_error(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(words) == 1
    assert capsys.readouterr().err.startswith("isochron: standard output: No space left on device")


def test_a_full_disk_ends_no_campaign() -> None:
    with Path("/dev/full").open("w") as full:
        lasting = Lasting(full)
        for _ in range(3):
            lasting.write("x" * 100_000)
        lasting.flush()
        assert lasting.lost is not None


def test_what_the_encoding_lacks_is_a_question_mark(tmp_path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.path.join(tmp_path, "out")  # noqa: PTH118
    with open(path, "w", encoding="iso-8859-1") as stream:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdout", stream)
        Terminal().print("µs × → 7")
    with open(path, "rb") as stream:  # noqa: PTH123
        assert stream.read() == b"\xb5s \xd7 ? 7\n"
