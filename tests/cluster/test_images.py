# SPDX-License-Identifier: BSD-3-Clause
"""Ranks in an image that real Slurm starts: each `srun` of a launch starts `ch-run … engine` for every rank."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.manifest import Manifest
from tests.cluster.conftest import Place
from tests.cluster.test_campaign import PATIENT, assert_distinct_hosts, assert_finished, launchers
from tests.cluster.virtual import VirtualCluster
from tests.spack_envs.images import digest_of, real_image

pytestmark = [pytest.mark.mpi, pytest.mark.slow]


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An image that every host of the cluster sees."""
    return real_image(tmp_path / "image", monkeypatch)


def test_ranks_in_an_image_and_others_on_two_nodes(image: Path, cluster: VirtualCluster, tmp_path: Path) -> None:
    place = Place(tmp_path, cluster)
    stacks = ["mpich-5.0", {"inside": f"container:charliecloud --set-env {image}"}]
    place.write(stacks=stacks, limits=PATIENT)
    assert_finished(place, "--until", "store")
    assert_distinct_hosts(place.run)
    assert launchers(place.run) == {"srun"}
    container = Manifest.load(place.run.manifest("inside")).container
    assert container is not None and container.digest == digest_of(image)
    headers = [read_launch(path).header for path in place.run.launches.glob("*.jsonl")]
    digests = {(header.launch["stack"], header.launch.get("image_digest")) for header in headers}
    assert digests == {("inside", container.digest), ("mpich-5.0", None)}
    assert all(header.turns is not None and len(header.hosts) == 2 for header in headers)
