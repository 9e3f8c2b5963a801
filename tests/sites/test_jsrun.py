# SPDX-License-Identifier: BSD-3-Clause
"""jsrun."""

from __future__ import annotations

import pytest

from tests.sites.launching import assert_refused, assert_started

pytestmark = pytest.mark.process


def test_it_starts_the_ranks() -> None:
    assert_started("jsrun", "pmix")


def test_options_of_other_launchers_are_refused() -> None:
    assert_refused(["jsrun", "--ntasks=2"], "unknown option --ntasks=2", 1)
