# SPDX-License-Identifier: BSD-3-Clause
"""A site that several tests look at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from isochron.postprocess.site.publish import SiteOptions, publish
from tests.bench.archived import write_campaigns
from tests.postprocess.site.walk import RUNS, SPEC
from tests.shared import Shared


@pytest.fixture(scope="session")
def made(shared: Shared) -> Path:
    """Two campaigns of `RUNS` runs in `results`, and the `site` over them. Not to be changed."""

    def make(folder: Path) -> None:
        write_campaigns(folder / "results", SPEC, 2, RUNS)
        publish(SiteOptions(folder / "site", [folder / "results"], "Our machines"))

    return shared("published", make)


@pytest.fixture
def own(made: Path, tmp_path: Path) -> Path:
    """A copy of results and site at another place."""
    for part in ("results", "site"):
        shutil.copytree(made / part, tmp_path / part)
    return tmp_path
