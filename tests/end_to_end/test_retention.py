# SPDX-License-Identifier: BSD-3-Clause
"""What the how-to says may be thrown away may be: its own commands, on a real run."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Place, copied

pytestmark = pytest.mark.mpi

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "schedule-campaigns.md"


def commands() -> dict[str, str]:
    """Return the commands of the block that begins with `run=`, by the first word of their comments."""
    (block,) = re.findall(r"```sh\n(run=.*?)```", HOW_TO.read_text(), re.DOTALL)
    lines = [line.partition(" # ") for line in block.splitlines()[1:]]
    return {meaning.split()[0].rstrip(":"): command for command, _, meaning in lines}


def shell(place: Place, command: str, run: str) -> None:
    script = f"run=results/mini/{run}; {command.replace('nightly', 'mini')}"
    subprocess.run(["bash", "-euc", script], cwd=place.folder, check=True)


def test_thinned_out_archived_and_brought_back(finished: Place, tmp_path: Path) -> None:
    """And everything but the raw files can be made again, the same to the last byte."""
    place = copied(finished, tmp_path / "here")
    run = place.run
    shell(place, commands()["thin"], run.run_id)
    left = {path.name for path in (run.root / "attempts").rglob("*") if path.is_file()}
    assert left == {"timers.txt"}
    assert "nothing to do" in place.isochron("run", "mini.yaml").stdout
    shell(place, commands()["archive"], run.run_id)
    assert not run.root.exists()
    archive = f"results/mini/{run.run_id}.tar.gz"
    subprocess.run(["tar", "-xzf", archive], cwd=place.folder, check=True)
    before = {path: path.read_bytes() for path in [*run.tables.glob("*.csv"), run.report]}
    for path in (*run.tables.iterdir(), *run.figures.iterdir(), *(run.root / "store").iterdir(), run.report):
        path.unlink()
    done = place.isochron("report", "mini", "--quiet")
    assert done.returncode == 0, done.stderr
    assert {path: path.read_bytes() for path in before} == before


def test_only_what_is_older_than_a_year_is_deleted(tmp_path: Path) -> None:
    place = Place(tmp_path)
    ages = {"20251101T013000Z-0001": 380, "20260901T013000Z-0002": 80}
    for name, days in ages.items():
        folder = tmp_path / "results" / "mini" / name
        folder.mkdir(parents=True)
        os.utime(folder, (time.time(), time.time() - days * 86400))
    shell(place, commands()["delete"], "none")
    assert [path.name for path in (tmp_path / "results" / "mini").iterdir()] == ["20260901T013000Z-0002"]
