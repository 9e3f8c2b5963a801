# SPDX-License-Identifier: BSD-3-Clause
"""Data files are found in the room that owns them."""

from __future__ import annotations

import pytest

from isochron.common.resources import shipped


@pytest.mark.parametrize(
    ("room", "path"),
    [
        ("workflows", "Snakefile"),
        ("workflows", "campaigns/demo.yaml"),
        ("reframe_checks", "launch/job.sh"),
        ("reframe_checks", "engine/Makefile"),
        ("spack_envs", "openmpi-5.0/stack.yaml"),
        ("reports", "templates/report.html.j2"),
    ],
)
def test_a_data_file_is_there(room: str, path: str) -> None:
    assert shipped(room, *path.split("/")).is_file()
    assert not shipped(room, *path.split("/")).is_symlink()
