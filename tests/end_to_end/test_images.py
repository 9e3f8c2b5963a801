# SPDX-License-Identifier: BSD-3-Clause
"""A stack in an image with a real runtime, Charliecloud's `ch-run`, beside one that is in none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.manifest import Manifest
from tests.end_to_end.conftest import MINI, Place, assert_every_launch_is_stored_once, without
from tests.spack_envs.images import digest_of, real_image

pytestmark = [pytest.mark.mpi, pytest.mark.slow]


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An image that may be changed."""
    return real_image(tmp_path / "image", monkeypatch)


def with_image(image: Path) -> dict[str, Any]:
    """The campaign of a library outside and one inside."""
    return {**MINI, "stacks": ["mpich-5.0", {"inside": f"container:charliecloud --set-env {image}"}]}


def test_a_campaign_with_a_stack_in_an_image(tmp_path: Path, image: Path) -> None:
    """Built and run inside, in turns with the other, until the image has changed."""
    place = Place(tmp_path)
    place.write(**with_image(image))
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    run = place.run
    assert_every_launch_is_stored_once(run)
    manifest = Manifest.load(run.manifest("inside"))
    assert manifest.container is not None and manifest.container.digest == digest_of(image)
    assert not manifest.cc.startswith(str(image)) and not Path(manifest.cc).exists(), "a path inside"
    headers = [read_launch(path).header for path in sorted(run.launches.glob("*.jsonl"))]
    digests = {(header.launch["stack"], header.launch.get("image_digest")) for header in headers}
    assert digests == {("inside", manifest.container.digest), ("mpich-5.0", None)}
    assert all(header.turns is not None for header in headers)
    assert len(pd.read_csv(run.tables / "comparison.csv")) == 4

    without(place, "b003")
    (image / "added").touch()
    done = place.stored()
    assert done.returncode != 0
    assert "the image of the stack is not the one in which the engine was built" in done.stdout + done.stderr
    assert not list(run.launches.glob("inside*b003*.jsonl"))
