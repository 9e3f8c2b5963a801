# SPDX-License-Identifier: BSD-3-Clause
"""A substitution concerns one module, and nobody else."""

from __future__ import annotations

import os
import time
import tomllib
from pathlib import Path

import pytest

from isochron.compat.substitute import chmod_if_permitted, steady_clock, substitute
from tests.compat.faults import SettableClock, refuse_chmod

ROOT = Path(__file__).parents[2]


@pytest.fixture
def two_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two modules that change modes."""
    for name in ("first_user", "second_user"):
        (tmp_path / f"{name}.py").write_text("import os\n\ndef change(path):\n    os.chmod(path, 0o600)\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_only_the_named_module_is_changed(two_users: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import first_user
    import second_user

    refuse_chmod(monkeypatch)
    standard = dict(vars(os))
    substitute("first_user", "os", chmod=chmod_if_permitted)
    assert dict(vars(os)) == standard
    first_user.change(two_users)
    with pytest.raises(PermissionError):
        second_user.change(two_users)
    with pytest.raises(FileNotFoundError):
        first_user.change(two_users / "missing")


def test_a_module_that_is_not_there_is_left_alone(two_users: Path) -> None:
    import first_user

    substitute("no_such_module", "os", chmod=chmod_if_permitted)
    substitute("first_user", "time", time=steady_clock())
    assert not hasattr(first_user, "time")


def test_a_steady_clock_follows_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SettableClock(monkeypatch)
    time_of_day = steady_clock()
    before = time_of_day()
    assert abs(before - time.time()) < 1800
    for seconds in (-3600, 3600):
        clock.set_by(seconds)
        assert 0 <= time_of_day() - before < 1800


def test_the_old_name_of_plugins_is_needed() -> None:
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert any(text.startswith("reframe-hpc>=4.8,") for text in requirements), (
        "ReFrame 4.8 is no longer supported: use reframe.RegressionTestPlugin, delete isochron.compat.reframe_plugin, "
        "and let reframe_checks/settings/local.py set the poll rates instead of reframe_checks.call.POLL_RATES"
    )
