# SPDX-License-Identifier: BSD-3-Clause
"""What Spack offers of the MPI libraries, with a stand-in for it that answers as the real one does."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.spack_envs.spack_offer import offers
from isochron.spack_envs.spack_stack import Spack
from tests.spack_envs.fake_spack import write_fake

pytestmark = pytest.mark.process


def test_each_version_is_offered_once_and_as_what_it_is(tmp_path: Path) -> None:
    """A version that a campaign cannot name, one that may not be built, and other packages are left out."""
    spack = Spack(write_fake(tmp_path), "1.1.0")
    assert [(offer.stack, offer.how) for offer in offers(spack, ["openmpi", "mpich", "cray-mpich"])] == [
        ("spack:mpich@4.2.3", "installed"),
        ("spack:openmpi@4.1.4", "external"),
        ("spack:cray-mpich@8.1.30", "external"),
        ("spack:mpich@4.3.2", "builds it"),
        ("spack:openmpi@5.0.8", "builds it"),
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [("exit 7", "config get packages ended with code 7"), ("echo", "config get packages: printed no packages")],
)
def test_a_spack_that_fails_is_one_message(tmp_path: Path, answer: str, message: str) -> None:
    command = tmp_path / "spack"
    command.write_text(f"#!/bin/sh\n{answer}\n")
    command.chmod(0o755)
    with pytest.raises(FileError, match=message):
        offers(Spack(command, "1.1.0"), ["mpich"])
