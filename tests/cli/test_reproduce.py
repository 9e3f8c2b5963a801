# SPDX-License-Identifier: BSD-3-Clause
"""`isochron reproduce --verify`: what it says and returns; building and running are tried in tests/workflows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isochron.cli.main import main
from isochron.cli.results import reproduce as module
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.reproducer.verification import Absent, Shown


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[Any, ...]]:
    """What is written, each time, of a run with one finding."""
    calls: list[tuple[Any, ...]] = []
    campaign = SimpleNamespace(stacks=[])
    finding = SimpleNamespace(name="bcast-8")
    made = SimpleNamespace(title="bcast is slow", folder=tmp_path / "bcast-8")
    monkeypatch.setattr(module, "reported_run", lambda *_: RunLayout(tmp_path))
    monkeypatch.setattr(module, "load_campaign", lambda _: campaign)
    monkeypatch.setattr(module, "find_findings", lambda *_: [finding])
    monkeypatch.setattr(module, "choose", lambda *_: finding)
    monkeypatch.setattr(module, "make_reproducer", lambda *_: made)
    monkeypatch.setattr(module, "write_reproducer", lambda *words: calls.append(words[1:]))
    monkeypatch.setattr(module, "remake", lambda run, *_, **__: calls.append((run.root,)) or True)
    return calls


@pytest.mark.parametrize(("share", "code"), [(0.9, 0), (0.4, 1)])
def test_a_program_must_show_half_of_the_difference(
    share: float, code: int, written: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    """It is written, then again with what it printed; at last the report, which links it."""
    shown = Shown(1.9, 1.8, 2.0, 1.9 ** (1 / share), 0, ["a line"], None)
    monkeypatch.setattr(module, "verify", lambda _: shown)
    assert main(["reproduce", "demo", "--verify"]) == code
    printed = capsys.readouterr()
    assert str(shown) in printed.out
    assert ("bcast-8: less than half of the difference shows" in printed.err) == bool(code)
    assert written == [(), (["a line"], str(shown)), (tmp_path,)]


def test_reproduce_says_that_the_machine_does_not_show_the_difference_now(
    written: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The program and its report stay as they were written from the run."""
    monkeypatch.setattr(module, "verify", lambda _: Absent(2.0, 1.1))
    assert main(["reproduce", "demo", "--verify"]) == 1
    assert "bcast-8: the machine does not show the difference now" in capsys.readouterr().err
    assert written == [(), (tmp_path,)]


def test_without_it_nothing_is_run(
    written: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "verify", lambda _: pytest.fail("it was built and run"))
    assert main(["reproduce", "demo"]) == 0
    assert written == [(), (tmp_path,)]
