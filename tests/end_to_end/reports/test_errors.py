# SPDX-License-Identifier: BSD-3-Clause
"""The campaign of systematic errors, smaller: to its report, each error with rows, a figure and reasons."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from isochron.common.resources import shipped
from isochron.postprocess.subjects.systematic.errors import ERRORS

pytestmark = [pytest.mark.campaign, pytest.mark.slow]

SMALLER = {
    "stacks": ["openmpi-5.0"], "operations": ["test-linear-bcast", "bcast"], "sizes": [8192],
    "replication": {"blocks": 1, "launches_per_block": 1},
    "first_calls": {"operations": ["bcast"], "sizes": [8192], "launches": 1},
}  # fmt: skip


def test_every_error_is_shown(tmp_path: Path) -> None:
    campaign = yaml.safe_load(shipped("workflows", "campaigns", "mpiperf.yaml").read_text()) | SMALLER
    (tmp_path / "mpiperf.yaml").write_text(yaml.safe_dump(campaign))
    command = [sys.executable, "-m", "isochron", "run", "mpiperf.yaml", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    run = tmp_path / "results" / "mpiperf" / "latest"
    table = pd.read_csv(run / "tables" / "systematic-errors.csv")
    assert set(table["error"]) == set(ERRORS) and table["reason"].notna().all()
    loops = table[(table["quantity"].str.startswith("duration on rank")) & (table["processes"] == 4)]
    assert list(loops["published"]) == [2.5, 1.375, 1.0]
    page = (run / "report" / "index.html").read_text()
    section = page[page.index('<section id="errors"') :]
    section = section[: section.index("</section>")]
    for number, error in ERRORS.items():
        assert f"<h3>{number}: {error.name}</h3>" in section
        assert (run / "figures" / f"error-{number.lower()}.svg").is_file()
    assert section.count("<figure") == len(ERRORS)
    assert '<section id="late"' in page
