# SPDX-License-Identifier: BSD-3-Clause
"""Before each launch, in the job: the image of a stack has the digest that it had when the engine was built."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from isochron.reframe_checks.launch import script
from isochron.spack_envs.containers import DIGEST
from tests.spack_envs.images import digest_of

pytestmark = pytest.mark.process


def check(words: str, digest: str, host_file: str = "/no/such") -> str:
    """Return what the function of the job script prints; empty if the launch may start."""
    text = script.FUNCTIONS.read_text()
    function = text[text.index("check_image() {") : text.index("check_libraries() {")]
    lines = f"host_file={host_file}\nimage_check=({words})\nimage_digest='{digest}'\n{function}\ncheck_image"
    done = subprocess.run(["bash", "-uc", lines], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


def test_a_changed_image_starts_nothing(tmp_path: Path) -> None:
    image = tmp_path / "image.sif"
    image.write_text("first")
    words = f"bash {DIGEST} {image}"
    first = digest_of(image)
    assert check(words, first) == ""
    image.write_text("other")
    said = check(words, first)
    assert said.startswith("the image has the digest sha256:") and f"here, and had {first} when the engine" in said


def test_a_lost_image_starts_nothing(tmp_path: Path) -> None:
    assert "No such file" in check(f"bash {DIGEST} {tmp_path}/image", "sha256:0")


def test_a_stack_that_is_in_no_image_has_nothing_to_check() -> None:
    assert check("", "") == ""


def test_an_image_is_read_again_only_where_a_file_of_it_has_changed(tmp_path: Path) -> None:
    """By the times of change, which nobody can set."""
    image, hosts = tmp_path / "image", str(tmp_path / "hosts")
    (image / "lib").mkdir(parents=True)
    file = image / "lib" / "libmpi.so"
    file.write_text("first")
    words, first = f"bash {DIGEST} {image}", digest_of(image)
    assert check(words, first, hosts) == ""
    (remembered,) = Path(f"{hosts}.digests").read_text().splitlines()
    assert remembered.split()[1:] == [first]
    Path(f"{hosts}.digests").write_text(remembered.replace(first, "sha256:remembered") + "\n")
    assert check(words, "sha256:remembered", hosts) == ""
    times = file.stat()
    file.write_text("other")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    said = check(words, first, hosts)
    assert f"here, and had {first} when the engine" in said and digest_of(image) in said
    assert len(Path(f"{hosts}.digests").read_text().splitlines()) == 2


def test_an_image_that_cannot_be_read_is_not_remembered(tmp_path: Path) -> None:
    hosts = str(tmp_path / "hosts")
    assert "No such file" in check(f"bash {DIGEST} {tmp_path}/image", "sha256:0", hosts)
    assert not Path(f"{hosts}.digests").exists()
