# SPDX-License-Identifier: BSD-3-Clause
"""Before each launch, in the job: the engine would load the MPI library that it was built with, and no other."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from isochron.common.hashing import sha256
from isochron.reframe_checks.launch import script

pytestmark = pytest.mark.process


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """A program that is linked with `libmpi.so.12`; folders `built` and `other` have one each, the second another."""
    for name, number in (("built", 1), ("other", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / f"{name}.c").write_text(f"int version(void) {{ return {number}; }}\n")
        library = tmp_path / name / "libmpi.so.12.1"
        words = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "-o", str(library), str(tmp_path / f"{name}.c")]
        subprocess.run(words, check=True)
        (tmp_path / name / "libmpi.so.12").symlink_to(library.name)
    (tmp_path / "main.c").write_text("int version(void); int main(void) { return version(); }\n")
    program = tmp_path / "engine"
    subprocess.run(["gcc", "-o", str(program), str(tmp_path / "main.c"), f"{tmp_path}/built/libmpi.so.12"], check=True)
    return program


def check(engine: Path, library: Path, digest: str, **variables: str) -> str:
    """Return what the function of the job script prints; empty if the engine may start."""
    text = script.FUNCTIONS.read_text()
    function = text[text.index("check_libraries() {") : text.index("launch() {")]
    lines = f"inside=()\nengine={engine}\nlibraries=('{digest}  {library}')\n{function}\ncheck_libraries"
    done = subprocess.run(
        ["bash", "-uc", lines], env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


def test_the_library_of_the_build_may_be_measured(engine: Path) -> None:
    library = engine.parent / "built" / "libmpi.so.12.1"
    assert check(engine, library, sha256(library), LD_LIBRARY_PATH=f"{library.parent}") == ""


def test_a_job_that_finds_another_library_starts_nothing(engine: Path) -> None:
    """As where a prologue of the site's jobs prepends a folder, or the nodes have another default."""
    library, other = (engine.parent / name / "libmpi.so.12.1" for name in ("built", "other"))
    said = check(engine, library, sha256(library), LD_LIBRARY_PATH=f"{other.parent}")
    assert said.startswith(f"the engine was built with {library} and loads here {other}; make that library visible")


def test_a_node_without_the_library_starts_nothing(engine: Path) -> None:
    library = engine.parent / "built" / "libmpi.so.12.1"
    digest = sha256(library)
    (library.parent / "libmpi.so.12").unlink()
    assert f"built with {library} and loads here no such library;" in check(engine, library, digest, LD_LIBRARY_PATH="")


def test_another_content_under_the_same_path_starts_nothing(engine: Path) -> None:
    library = engine.parent / "built" / "libmpi.so.12.1"
    digest = sha256(library)
    library.write_bytes((engine.parent / "other" / "libmpi.so.12.1").read_bytes())
    said = check(engine, library, digest, LD_LIBRARY_PATH=f"{library.parent}")
    assert said.startswith(
        f"{library} has on this node another content than when the engine was built; start a new run"
    )
