# SPDX-License-Identifier: BSD-3-Clause
"""The first screen in a real browser, on a desk and on a phone: a planted loss is there, and nothing is cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.postprocess.__main__ import main as postprocess
from isochron.schemas.run.layout import RunLayout
from tests.browser import CHROMIUM, seen
from tests.postprocess.synthetic import Spec, write_run

pytestmark = [pytest.mark.heavy, pytest.mark.process]

#: Windows of a desk and of a phone, as most are.
WINDOWS = [(1280, 800), (390, 844)]
#: Pixels that are to spare below the first finding: other fonts and longer names need them.
SPARE = 60
PLANTED = {("mpich-5.0", "alltoall", 8): 1.3, ("mpich-5.0", "alltoall", 512): 1.3}
SPEC = Spec(
    stacks=["mpich-4.3", "mpich-5.0", "openmpi-5.0"],
    operations=["bcast", "allreduce", "alltoall"],
    sizes=[8, 512, 8192, 65536],
    processes=[4],
    launches=12,
    speed={"mpich-4.3": 1.0, "mpich-5.0": 1.0, "openmpi-5.0": 0.97},
    launch_spread=0.015,
    planted=PLANTED,
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_run(tmp_path_factory.mktemp("planted") / "run", SPEC)
    for step in ("ingest", "analyse", "render"):
        assert postprocess([step, str(run)]) == 0
    return RunLayout(run).report


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium: install the package chromium")
@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_the_planted_loss_is_on_the_first_screen_and_nothing_is_cut(
    report: Path, tmp_path: Path, width: int, height: int
) -> None:
    found = seen(report, tmp_path, width, height, [".answer", ".highlight", ".grade"])
    verdict, finding, grade = found["places"].values()
    assert "Do not upgrade" in verdict["text"] and "alltoall" in verdict["text"]
    assert "mpich-5.0 takes 1.3 times as long as mpich-4.3 in alltoall at 8\u202fB and 512\u202fB." in finding["text"]
    assert max(verdict["bottom"], finding["bottom"], grade["bottom"]) <= height - SPARE
    assert found["errors"] == [] and found["wide"] <= 0
    assert found["cut"] == []
    assert found["small"] == []


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium: install the package chromium")
def test_folds_that_are_open_are_not_cut_on_a_phone_and_any_pair_can_be_chosen(report: Path, tmp_path: Path) -> None:
    """The script shows the pair that is chosen as the page shows its own: with the numbers of the table."""
    choose = """
    document.querySelectorAll("details").forEach((each) => { each.open = true; });
    document.getElementById("choose-from").value = "mpich-4.3";
    const to = document.getElementById("choose-to");
    to.value = "mpich-5.0";
    to.dispatchEvent(new Event("change"));
    """
    own, chosen = "#answer-1-rests .heat tbody", "#chosen .heat tbody"
    rows = "#answer-1-rests .forest tbody", "#chosen .forest tbody"
    found = seen(report, tmp_path, 390, 844, [own, chosen, *rows, "#choose-said"], before=choose)
    said = {name: " ".join(each["text"].replace("(inconclusive)", "").replace("inconclusive", "").split())
            for name, each in found["places"].items()}  # fmt: skip
    assert said[own].split() == said[chosen].split() or _joined(said[own]) == _joined(said[chosen])
    assert _joined(said[rows[0]]) == _joined(said[rows[1]])
    assert said["#choose-said"].startswith("mpich-5.0 is slower in 2, faster in 0")
    assert found["errors"] == [] and found["wide"] <= 0
    assert found["cut"] == []
    assert found["small"] == []


def _joined(text: str) -> str:
    return "".join(text.split())
