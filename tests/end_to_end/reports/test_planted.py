# SPDX-License-Identifier: BSD-3-Clause
"""A planted truth: a real MPI library against itself, with alltoall slowed by 30 % at two of three sizes.

The loss is the first finding and on the first screen, on a desk and on a phone, and nothing else is claimed: in each of
ten campaigns (`ISOCHRON_PLANTED` says of how many). `make bench` prints what was found.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest
import yaml
from playwright.sync_api import Browser

from isochron.common.resources import shipped
from isochron.workflows.certification import certify
from tests.browser import DESK, PHONE, needs_browser, opened
from tests.end_to_end.conftest import Place
from tests.looks import measure

pytestmark = [pytest.mark.campaign, pytest.mark.mpi, pytest.mark.slow]

SHARE, OPERATION, PLANTED, SIZES = 0.3, "alltoall", (4096, 65536), [256, 4096, 65536]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """slow.c, which slows an operation at all sizes, made to do so at these two alone."""
    folder = tmp_path_factory.mktemp("planted")
    text = shipped("workflows", "certification", "slow.c").read_text()
    begin = text.index("{\n    WAITED(ALLTOALL")
    chosen = " && ".join(f"(int)b != {size}" for size in PLANTED)
    plain = f"{{\n    if ({chosen}) {{\n        return PMPI_Alltoall(a, b, c, d, e, f, g);\n    }}"
    (folder / "planted.c").write_text(text[:begin] + plain + text[begin + 1 :])
    command = ["cc", "-std=c11", "-O2", "-fPIC", "-shared", "-o", str(folder / "planted.so"), str(folder / "planted.c")]
    subprocess.run(command, check=True)
    return folder / "planted.so"


def write_campaign(folder: Path, library: Path, number: int) -> None:
    """Two variants of one library, the second slowed, and the question whether it may replace the first."""
    variants = {}
    for name, shares in (("current", {}), ("newer", {OPERATION: SHARE})):
        file = folder / f"{name}.shares"
        certify.write_shares(file, shares)
        variants[name] = {"stack": "mpich-5.0", "environment": certify.environment(library, file)}
    campaign = {
        "schema": 1,
        "name": "mini",
        "stacks": list(variants),
        "variants": variants,
        "question": {"baseline": "current", "candidate": "newer"},
        "operations": ["bcast", "allreduce", OPERATION],
        "sizes": SIZES,
        "processes": [2],
        "processes_per_node": [2],
        "replication": {"blocks": 10, "launches_per_block": 2},
        "engine": {"min_valid": 50, "max_reps": 1000},
        "limits": {"launch_seconds": 60, "retries": 2},
        "seed": number + 1,
    }
    (folder / "mini.yaml").write_text(yaml.safe_dump(campaign, sort_keys=False))


@needs_browser
@pytest.mark.parametrize("number", range(int(os.environ.get("ISOCHRON_PLANTED", "10"))))
def test_the_planted_loss_is_found_shown_first_and_alone(
    browser: Browser, tmp_path: Path, library: Path, number: int
) -> None:
    write_campaign(tmp_path, library, number)
    place = Place(tmp_path)
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    found = pd.read_csv(place.run.tables / "comparison.csv")
    claimed = found[found["verdict"].isin(["slower", "faster"])]
    print(found[["operation", "bytes", "ratio", "ratio_low", "ratio_high", "verdict"]].to_string())
    told = {(row["operation"], row["bytes"], row["verdict"]) for row in claimed.to_dict("records")}
    assert told <= {(OPERATION, size, "slower") for size in PLANTED}, "nothing else is claimed"
    assert told, "on a loaded machine one of the two sizes may be in doubt"
    for size in (DESK, PHONE):
        with opened(browser, place.run.report, size) as tab:
            verdict, finding = (tab.page.locator(each).first for each in (".answer", ".highlight"))
            assert (
                "keep-baseline" in (verdict.get_attribute("class") or "").split() and OPERATION in verdict.inner_text()
            )
            text = finding.inner_text().strip()
            assert text.startswith("newer takes at least 1.") and OPERATION in text
            for part in (verdict, finding):
                box = part.bounding_box()
                assert box is not None and box["y"] + box["height"] <= size[1]
            assert measure(tab)[0] == [] and tab.complaints() == []
