# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec of PALS."""

from __future__ import annotations

import pytest

from isochron.schemas.launcher_kind import launcher_kinds
from tests.sites.launching import POINT, assert_refused, assert_started, command


@pytest.mark.process
@pytest.mark.parametrize("pmi", ["cray", "pmix"])
def test_it_starts_the_ranks(pmi: str) -> None:
    assert_started("pals", pmi)


@pytest.mark.process
@pytest.mark.parametrize("option", ["--bind-to", "--map-by", "--mca", "--oversubscribe"])
def test_options_of_other_launchers_are_refused(option: str) -> None:
    assert_refused(["mpiexec", "-n", "1", option], f"mpiexec: unrecognized option '{option}'", 1)


def test_hosts_are_named_in_the_order_of_the_ranks() -> None:
    dealt = POINT.model_copy(update={"placement": "reversed"})
    words = command("pals", "cray", dealt, named_hosts=True)
    assert words[words.index("--hosts") + 1] == "{hosts}" and words[words.index("--ppn") + 1] == "2"


def test_stock_mpich_is_not_started() -> None:
    assert "pmi2" not in launcher_kinds()["pals"].pmi
