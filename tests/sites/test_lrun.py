# SPDX-License-Identifier: BSD-3-Clause
"""lrun, whose ranks are those of jsrun."""

from __future__ import annotations

import pytest

from tests.sites.launching import assert_refused, command, launch

pytestmark = pytest.mark.process


def test_it_starts_the_ranks() -> None:
    done = launch(command("lrun", "pmix"), "echo $NODE $JSM_NAMESPACE_RANK $JSM_NAMESPACE_SIZE")
    assert sorted(done.stdout.splitlines()) == ["n0 0 5", "n0 1 5", "n1 2 5", "n1 3 5", "n2 4 5"], done.stderr


def test_options_of_other_launchers_are_refused() -> None:
    assert_refused(["lrun", "-n", "1", "-r", "1"], "unknown option -r", 1)
