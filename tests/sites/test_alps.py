# SPDX-License-Identifier: BSD-3-Clause
"""aprun."""

from __future__ import annotations

import pytest

from tests.sites.launching import assert_refused, command, launch

pytestmark = pytest.mark.process


def test_it_starts_the_ranks() -> None:
    done = launch(command("alps", "cray"), "echo $NODE")
    assert sorted(done.stdout.split()) == ["n0", "n0", "n1", "n1", "n2"], done.stderr


def test_options_of_other_launchers_are_refused() -> None:
    assert_refused(["aprun", "-n", "1", "--ntasks=2"], "unrecognized option '--ntasks=2'", 1)
