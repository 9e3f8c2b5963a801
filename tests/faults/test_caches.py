# SPDX-License-Identifier: BSD-3-Clause
"""A cache of stacks that has lost files since the run was built: installed again, and the run completes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from isochron.spack_envs import wheels
from isochron.spack_envs.declarations import load_declaration
from tests.end_to_end.built import ONE, STACK, build
from tests.end_to_end.conftest import Place
from tests.faults.support import completes

pytestmark = [pytest.mark.mpi, pytest.mark.campaign, pytest.mark.slow]


@pytest.mark.parametrize("lost", ["bin/mpiexec", "lib/libmpi.so.40", ""])
def test_a_purge_has_taken_a_part_of_the_cache(lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The launcher, the library, all of it; what is installed again is what the engine was built with."""
    users = Path(wheels.resolve(load_declaration(STACK)).prefix)
    own = tmp_path / "cache" / "isochron" / "stacks" / users.name
    shutil.copytree(users, own, symlinks=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = Place(tmp_path / "here")
    place.folder.mkdir()
    build(place, ONE)
    if lost:
        (own / lost).unlink()
    else:
        shutil.rmtree(own)
    completes(place)
    assert (own / lost).exists()
