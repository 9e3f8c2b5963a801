# SPDX-License-Identifier: BSD-3-Clause
"""The site in a real browser: two runs are compared from a disk under the page's own policy, and nothing is cut."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from isochron.postprocess.history_cache.cache import Archive
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from tests.bench.archived import name, slower_from
from tests.browser import CHROMIUM, seen
from tests.postprocess.site.walk import RUNS

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium: install the package chromium"),
]
WINDOWS = [(1280, 800), (390, 844)]
CAMPAIGN = "campaigns/night-000"
PAGES = [
    "index.html",
    "compare.html",
    f"{CAMPAIGN}/index.html",
    f"{CAMPAIGN}/bcast.html",
    f"{CAMPAIGN}/runs/{name(slower_from(RUNS))}.html",
]


def dumped(page: str, profile: Path) -> str:
    """The page as its scripts leave it."""
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
        "--virtual-time-budget=5000", "--dump-dom", page,
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout


def test_two_runs_of_two_campaigns_from_a_disk(made: Path, tmp_path: Path) -> None:
    site = shutil.copytree(made / "site", tmp_path / "moved site")
    runs = [("night-000", name(2)), ("night-001", name(RUNS - 1))]
    words = "&".join(f"{side}={campaign}/{run}" for side, (campaign, run) in zip("ab", runs, strict=True))
    text = dumped(f"{(site / 'compare.html').as_uri()}#{words}", tmp_path / "profile")
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', text)
    found = {
        (stack, *re.findall(r"<td[^>]*>(.*?)</td>", cells)[:2]): re.findall(r"<td[^>]*>(.*?)</td>", cells)[5]
        for stack, cells in rows
    }
    assert len(found) == 6  # two stacks, a barrier and two sizes of bcast
    archives = [Archive(made / "results" / ARCHIVE, campaign) for campaign, _ in runs]
    layouts = [RunLayout(made / "results" / campaign / run) for campaign, run in runs]
    frames = [next(iter(a.values([r])))[0] for a, r in zip(archives, layouts, strict=True)]
    first, second = (frame.set_index(["stack", "operation", "bytes"])["median_us"].to_dict() for frame in frames)
    for (stack, operation, size), ratio in found.items():
        row = (stack, operation, 0 if size == "–" else int(size.split("\u202f")[0]))
        assert float(ratio.rstrip("×")) == pytest.approx(second[row] / first[row], rel=6e-3)
    assert "kernel: 6.1.0 → 6.12.0 (kernel)" in text


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), WINDOWS)
@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_cut(made: Path, tmp_path: Path, page: str, width: int, height: int) -> None:
    site = shutil.copytree(made / "site", tmp_path / "site")
    path = site / page
    before = 'document.querySelectorAll("details").forEach((each) => { each.open = true; });'
    found = seen(path, path.parent, width, height, ["h1"], before)
    assert found["errors"] == [] and found["wide"] <= 0
    assert found["cut"] == []
    assert found["small"] == []
    assert found["places"]["h1"]["text"]
