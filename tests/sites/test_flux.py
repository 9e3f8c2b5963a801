# SPDX-License-Identifier: BSD-3-Clause
"""`flux run`."""

from __future__ import annotations

import pytest

from tests.sites.launching import assert_refused, assert_started, command

pytestmark = pytest.mark.process


@pytest.mark.parametrize("pmi", ["pmi2", "pmix", "cray"])
def test_it_starts_the_ranks(pmi: str) -> None:
    assert_started("flux", pmi)


def test_options_that_exclude_each_other_are_refused() -> None:
    assert_refused([*command("flux", "pmi2"), "--tasks-per-node=2"], "Per-resource options can't be used", 1)
    assert_refused(["flux", "run", "--mpi=pmix"], "unrecognized arguments: --mpi=pmix", 2)
