# SPDX-License-Identifier: BSD-3-Clause
"""Commands of others go on where modes cannot be changed, and see all other errors."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from isochron.ground import forgiving


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
    (tmp_path / "their_command.py").write_text("import sys\n\ndef main():\n    return sys.argv[1:]\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(os, "chmod", os.chmod)
    monkeypatch.setattr(sys, "argv", ["forgiving", "their_command:main", "--some", "words"])
    assert forgiving.main() == ["--some", "words"]
