# SPDX-License-Identifier: BSD-3-Clause
"""The example settings are what ReFrame accepts, and every partition has one place for a check."""

from __future__ import annotations

from pathlib import Path

import pytest
from reframe.core.config import load_config

from reframe_checks.launchers import SITE

SETTINGS = Path(__file__).parents[2] / "reframe_checks" / "settings"
EXAMPLES = sorted(path.stem for path in SETTINGS.glob("*_example.py"))


def test_there_is_one_for_each_kind_of_site() -> None:
    assert [f"{kind}_example" for kind in ("cray", "flux", "lsf", "pbs", "slurm")] == EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_reframe_loads_the_example(name: str) -> None:
    config = load_config("<builtin>", str(SETTINGS / f"{name}.py"))
    config.validate()
    config.select_subconfig(name)
    partitions = config.get("systems/0/partitions")
    assert partitions
    for partition in partitions:
        assert partition["environs"] == ["stack"]
        assert partition["launcher"] in {"mpiexec", "local", *SITE}
