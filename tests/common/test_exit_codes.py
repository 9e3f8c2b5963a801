# SPDX-License-Identifier: BSD-3-Clause
"""Exit codes have one name and one meaning, in C and in Python."""

from __future__ import annotations

import re

from isochron.common.exit_codes import LAUNCH_EXITS, EngineExit, LaunchExit
from isochron.common.resources import shipped


def test_the_engines_codes_are_those_of_its_header() -> None:
    (header,) = shipped("reframe_checks", "engine").rglob("fault.h")
    named = {name: int(code) for name, code in re.findall(r"FAULT_([A-Z]+) = (\d)", header.read_text())}
    named["MEASURED"] = named.pop("NONE")
    assert named == {code.name: code.value for code in EngineExit}


def test_every_code_of_a_launch_that_failed_has_words() -> None:
    codes = [*EngineExit, *LaunchExit]
    assert len({int(code) for code in codes}) == len(codes)
    assert set(LAUNCH_EXITS) == set(codes) - {EngineExit.MEASURED}
