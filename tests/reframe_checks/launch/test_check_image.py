# SPDX-License-Identifier: BSD-3-Clause
"""Before each launch, in the job: the image of a stack has the digest that it had when the engine was built."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.reframe_checks.launch import script
from isochron.spack_envs.containers import DIGEST

pytestmark = pytest.mark.process


def check(words: str, digest: str) -> str:
    """Return what the function of the job script prints; empty if the launch may start."""
    text = script.FUNCTIONS.read_text()
    function = text[text.index("check_image() {") : text.index("check_libraries() {")]
    lines = f"image_check=({words})\nimage_digest='{digest}'\n{function}\ncheck_image"
    done = subprocess.run(["bash", "-uc", lines], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


def test_a_changed_image_starts_nothing(tmp_path: Path) -> None:
    image = tmp_path / "image.sif"
    image.write_text("first")
    words = f"bash {DIGEST} {image}"
    done = subprocess.run(words.split(), capture_output=True, text=True, check=True)
    first = done.stdout.strip()
    assert check(words, first) == ""
    image.write_text("other")
    said = check(words, first)
    assert said.startswith("the image has the digest sha256:") and f"here, and had {first} when the engine" in said


def test_a_lost_image_starts_nothing(tmp_path: Path) -> None:
    assert "No such file" in check(f"bash {DIGEST} {tmp_path}/image", "sha256:0")


def test_a_stack_that_is_in_no_image_has_nothing_to_check() -> None:
    assert check("", "") == ""
