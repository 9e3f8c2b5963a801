# SPDX-License-Identifier: BSD-3-Clause
"""Commands of others go on where modes cannot be changed, and see all other errors."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from reframe.frontend.executors import policies

from isochron.common import forgiving


def test_a_refused_change_of_a_mode_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, _mode: int, **_named: object) -> None:
        if not Path(path).exists():
            raise FileNotFoundError(path)
        raise PermissionError(path)

    monkeypatch.setattr(os, "chmod", refuse)
    (tmp_path / "x").write_text("content")
    with pytest.raises(PermissionError):
        shutil.copy2(tmp_path / "x", tmp_path / "y")
    forgiving.forgive_modes()
    shutil.copy2(tmp_path / "x", tmp_path / "y")
    assert (tmp_path / "y").read_text() == "content"
    with pytest.raises(FileNotFoundError):
        os.chmod(tmp_path / "z", 0o644)  # noqa: PTH101


def test_the_command_has_its_own_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "other_command.py").write_text("import sys\n\ndef main():\n    return sys.argv[1:]\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(os, "chmod", os.chmod)
    monkeypatch.setattr(time, "time", time.time)
    monkeypatch.setattr(sys, "argv", ["forgiving", "other_command:main", "--some", "words"])
    assert forgiving.main() == ["--some", "words"]


@pytest.mark.parametrize("steady", [True, False])
def test_reframe_does_not_wait_for_a_clock_that_was_set_back(steady: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own control of how often it looks at a job, of which this test must know when it waits no more."""
    clock = {"wrong_by": 0.0}
    right = time.time
    slept: list[float] = []
    monkeypatch.setattr(time, "time", lambda: right() + clock["wrong_by"])
    monkeypatch.setattr(time, "sleep", slept.append)
    if steady:
        forgiving.keep_time()
    rates = {"poll_rate_max": 10.0, "poll_rate_min": 0.1, "poll_rate_decay": 0.1, "poll_randomize_ms": None}
    options = SimpleNamespace(get_option=lambda name: rates[name.rpartition("/")[2]])
    monkeypatch.setattr(policies.rt, "runtime", lambda: options)
    polls = policies._PollController()
    polls.snooze()
    clock["wrong_by"] = -3600.0
    polls.snooze()
    assert (max(slept) > 3000) is not steady
