# SPDX-License-Identifier: BSD-3-Clause
"""The engine's C unit tests, plain and under the sanitizers; they need no MPI."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.engine.support import ENGINE


@pytest.mark.parametrize("sanitize", [False, True], ids=["plain", "sanitized"])
def test_c_units(sanitize: bool, tmp_path: Path) -> None:
    """Every case of every test program passes."""
    command = ["make", "-C", str(ENGINE), "-j2", "check", f"BUILD={tmp_path}", "STRICT=1"]
    done = subprocess.run(
        [*command, "SANITIZE=1"] if sanitize else command, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    counts = re.findall(r"^test_\w+: (\d+) cases, (\d+) failed$", done.stdout, re.MULTILINE)
    assert len(counts) == len(list((ENGINE / "tests").glob("test_*.c")))
    assert sum(int(cases) for cases, _ in counts) > 100
    assert all(failed == "0" for _, failed in counts)


def test_source_tree_stays_clean(tmp_path: Path) -> None:
    """A build leaves nothing in the source folder."""
    before = sorted(ENGINE.rglob("*"))
    subprocess.run(["make", "-C", str(ENGINE), "tools", f"BUILD={tmp_path}"], check=True, capture_output=True)
    assert sorted(ENGINE.rglob("*")) == before


def test_files_are_small() -> None:
    """No file of the engine is above 300 lines, and every source has its licence line."""
    for path in [*ENGINE.rglob("*.c"), *ENGINE.rglob("*.h"), ENGINE / "Makefile"]:
        text = path.read_text()
        assert "SPDX-License-Identifier: BSD-3-Clause" in text.splitlines()[0], path
        assert path.name == "reference.h" or len(text.splitlines()) <= 300, path
    for path in (ENGINE / "src" / "operations").glob("*/*.c"):
        assert len(path.read_text().splitlines()) <= 80, path
