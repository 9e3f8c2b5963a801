# SPDX-License-Identifier: BSD-3-Clause
"""Whether a library accepts the old value of a setting, by itself or with another setting that it names."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from isochron.schemas.run.explanation import ChangedSetting, set_back
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.explanation import candidates as module
from isochron.workflows.explanation.candidates import Library
from isochron.workflows.explanation.library_settings import LibrarySettings, Setting

CELL = ChangedSetting(setting="CELL_SIZE", variable="X_CELL_SIZE", old="69632", new="16384")
BUFFER = Setting(name="BUFFER", kind="integer", value="16384", constant=False, choices=[], meaning="")
#: As MPICH 4.1.3 prints it.
REFUSES = "69632: code 1: Assertion failed in file init.c at line 36: BUFFER >= CELL_SIZE"


class Refusing(Library):
    """A library that refuses a cell that is larger than the buffer, with this message."""

    message = REFUSES

    def problem(self, setting: ChangedSetting, value: str) -> str:
        return "" if int(setting.needs.get("X_BUFFER", "16384")) >= int(value) else self.message


LIBRARY = Refusing(cast(Manifest, None), Path())


def test_accepting_raises_what_the_message_names() -> None:
    accepted, problem = LIBRARY.accepting(CELL, {"BUFFER": BUFFER, "CELL_SIZE": BUFFER})
    assert problem == "" and accepted.needs == {"X_BUFFER": "69632"}
    assert set_back([accepted]) == {"X_CELL_SIZE": "69632", "X_BUFFER": "69632"}
    assert str(accepted) == "CELL_SIZE: 69632 → 16384 (set with X_BUFFER=69632)"


@pytest.mark.parametrize("known", [{}, {"BUFFER": BUFFER.model_copy(update={"value": "99999"})}])
def test_accepting_leaves_what_no_smaller_setting_can_help(known: dict[str, Setting]) -> None:
    assert LIBRARY.accepting(CELL, known) == (CELL, REFUSES)


def test_accepting_changes_nothing_that_is_accepted() -> None:
    small = CELL.model_copy(update={"old": "8192"})
    assert LIBRARY.accepting(small, {"BUFFER": BUFFER}) == (small, "")


def test_settings_without_an_initial_value_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    values = iter(["22025", "21911"])

    def reported(*_: object) -> LibrarySettings:
        return LibrarySettings("text", {"BUFFER": BUFFER, "NONE": BUFFER.model_copy(update={"value": next(values)})})

    monkeypatch.setattr(module, "read_settings", reported)
    assert LIBRARY.settings() == LibrarySettings("text", {"BUFFER": BUFFER})


def test_what_a_setting_needs_prevails_over_the_old_value_of_that() -> None:
    needing = CELL.model_copy(update={"needs": {"X_BUFFER": "69632"}})
    buffer = ChangedSetting(setting="BUFFER", variable="X_BUFFER", old="8192", new="16384")
    assert set_back([needing, buffer])["X_BUFFER"] == "69632"
